//! How an answer was computed, in sentences for people: which engine and why this one, what limits the digits, what
//! the number says about the mechanism, and in which order its steps see the two data sets.

use crate::answer::{Answer, Outcome};
use crate::compose::Method;
use crate::mechanism::Cause;
use crate::query::Query;

use super::{kind_text, proven_digits, with_flags};

/// Why an engine is asked: words of its name, and what makes it the one, in the order in which they are looked for.
const WHY: &[(&str, &str)] = &[
    (
        "listed losses beside",
        "one factor has its own privacy profile, and the privacy losses of the others are listed up to a bounded mass",
    ),
    ("listed losses", "the privacy losses are listed up to a bounded mass"),
    ("beside a closed form", "one factor has a closed form, and the others have finitely many privacy losses"),
    ("beside a curve", "one factor has its own privacy profile, and few privacy losses of the others matter"),
    ("closed form of the k-fold Laplace loss", "Laplace noise has a closed form for any number of runs"),
    ("closed forms", "the divergence of independent mechanisms follows from the divergence of each"),
    ("closed form", "the composition has a closed form"),
    ("optimal composition", "the optimal composition theorem covers every (epsilon, delta)-private mechanism"),
    ("lattice sum", "sums of equal discrete Gaussians have a fast convergent series"),
    ("exact composition of atoms", "the outcomes are few enough to compute with exact fractions"),
    ("lattice convolution", "all privacy losses are integer multiples of one unit"),
    ("enumeration", "the privacy losses are finitely many, without a common unit"),
    ("two sorted halves", "the privacy losses are finitely many, without a common unit"),
    ("second shifted contour", "it checks the first contour"),
    ("trapezoid rule", "the privacy loss has a moment generating function, and the composition has no closed form"),
    ("common grid", "no method with exact privacy losses can handle this composition within the budget"),
    ("a minorant and a majorant", "the moment generating function decays too slowly for a sum over all nodes"),
    ("through the curve", "the trade-off function of the inner composition determines this one"),
    ("of both", "the trade-off function of the inner composition determines this one"),
    ("the curve inside", "the trade-off function of the inner composition determines this one"),
    ("profiles of all parts", "the profile of a mixture is the mixture of the profiles"),
];

/// The three sentences; without a number there are two. A fourth one names the model of asymmetric steps.
pub fn explanation(query: &Query, answer: &Answer) -> String {
    let sentences = [Some(engine(query, answer)), Some(digits(query, answer)), meaning(answer), model(query)];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// In which order the steps see the two data sets, where that makes a difference.
fn model(query: &Query) -> Option<String> {
    query.mechanism.order_model()?;
    Some("Every step compares the two neighbouring data sets in the same direction.".into())
}

/// What the number says about the mechanism.
fn meaning(answer: &Answer) -> Option<String> {
    let meaning = answer.meaning?;
    Some(match answer.reason() {
        Some(reason) => format!("The number is {}: {reason}.", kind_text(meaning)),
        None => "The value is that of the mechanism itself, not of a bound on it.".into(),
    })
}

fn engine(query: &Query, answer: &Answer) -> String {
    if answer.method.is_empty() {
        return "No method was needed for this answer.".into();
    }
    let name = &answer.method;
    if answer.cause == Some(Cause::Guarantee) {
        return format!("This is a bound, by {name}, because a guarantee covers many mechanisms.");
    }
    if query.method != Method::Auto {
        return format!("This was computed by {name}, because --method selects it.");
    }
    match WHY.iter().find(|(words, _)| name.contains(words)) {
        Some((_, why)) => format!("This was computed by {name}, because {why}."),
        None => format!("This was computed by {name}, the first method that applies."),
    }
}

fn digits(query: &Query, answer: &Answer) -> String {
    let proven = proven_digits(query.digits, &answer.outcome);
    match &answer.outcome {
        Outcome::Exact(_) if answer.cause == Some(Cause::Guarantee) => "The bound is an exact fraction.".into(),
        Outcome::Exact(_) => "The value is exact, so the number of digits has no limit.".into(),
        Outcome::Infinite | Outcome::Undefined(_) => "There is no finite value, so there are no digits.".into(),
        Outcome::Enclosure(_) if query.enough == query.digits => {
            format!("All {proven} requested digits are proven; --digits requests more.")
        }
        Outcome::Enclosure(_) if proven == query.digits => {
            format!("{proven} digits are proven, the most that the default computes; --digits requests more.")
        }
        Outcome::Enclosure(_) => {
            format!("{proven} digits are proven, because more take longer; --digits requests them.")
        }
        Outcome::Short { reason, .. } => format!("The budget limits the digits: {}.", with_flags(reason)),
        Outcome::Undecided(reason) => format!("No digit was proven within the budget: {}.", with_flags(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use crate::mechanism::Composition;
    use crate::query::Quantity;
    use enclosure::{Budget, Real};

    #[test]
    fn two_sentences_say_which_engine_and_what_limits_it() {
        let tv = |mechanism: &str| Query::new(Quantity::Tv, mechanism.parse().expect(mechanism));
        let told =
            |query: &Query, bits| explanation(query, &answer(query, &Budget::new(bits, None)).expect("an answer"));
        assert_eq!(
            told(&tv("gaussian(sigma=1)"), 4096),
            "This was computed by closed form, because the composition has a closed form. 15 digits are proven, the \
             most that the default computes; --digits requests more. The value is that of the mechanism itself, not of \
             a bound on it."
        );
        assert_eq!(
            told(&tv("randomized-response(epsilon=ln(2))^3"), 4096),
            "This was computed by optimal composition (binomial tails), because the optimal composition theorem covers \
             every (epsilon, delta)-private mechanism. The value is exact, so the number of digits has no limit. The \
             value is that of the mechanism itself, not of a bound on it."
        );
        let named = tv("gaussian(sigma=1)").with_digits(20).with_method(Method::ClosedForm);
        let asked = told(&named, 4096);
        assert!(asked.contains("--method selects it. All 20 requested digits are proven;"), "{asked}");
        let reason = Budget::new(64, None).out_of_bits();
        let crate::error::Error::Undecided(reason) = reason else { panic!("{reason:?}") };
        let nothing = Answer::from(Outcome::Undecided(reason));
        let short = explanation(&tv("gaussian(sigma=1)"), &nothing);
        assert!(short.starts_with("No method was needed for this answer. ") && short.contains("--max-bits"), "{short}");
    }

    /// The model is named where several steps are not symmetric.
    #[test]
    fn steps_in_the_same_order_are_named() {
        let told = |mechanism: &str| {
            let query = Query::new(Quantity::Tv, mechanism.parse().expect(mechanism));
            explanation(&query, &answer(&query, &Budget::default()).expect("an answer"))
        };
        let sentence = "Every step compares the two neighbouring data sets in the same direction.";
        let pair = "finite(p=[1/2,1/2], q=[1/5,4/5])";
        for several in [format!("{pair}^2"), format!("{pair} * inverse({pair})")] {
            assert!(told(&several).ends_with(sentence), "{several}");
        }
        for other in [pair, &format!("{pair} * gdp(mu=1)^2"), "laplace(scale=1)^2", "gdp(mu=1) * zcdp(rho=1)"] {
            assert!(!told(other).contains(sentence), "{other}");
        }
    }

    /// Losses are called finitely many only where they are.
    #[test]
    fn infinitely_many_losses_are_not_called_finite() {
        for text in [
            "discrete-gaussian(sigma2=7.3)^2 * laplace(scale=2)",
            "discrete-gaussian(sigma2=7.3)^2 * laplace(scale=2)^2",
            "discrete-gaussian(sigma2=7.3) * discrete-gaussian(sigma2=sqrt(2)^2 + 3)",
            "discrete-gaussian(sigma2=7.3) * gaussian(sigma=3)",
            "discrete-gaussian(sigma2=7.3) * randomized-response(epsilon=ln(2))",
            "poisson(rate=1/10, discrete-gaussian(sigma2=4))^2",
            "poisson(rate=1/10, discrete-gaussian(sigma2=4))^2 * randomized-response(epsilon=ln(2))",
            "poisson(rate=1/10, discrete-gaussian(sigma2=4)) * gaussian(sigma=3)",
        ] {
            let composition: Composition = text.parse().expect(text);
            let at = Quantity::Delta { epsilon: Real::one() };
            let query = Query::new(at, composition).with_digits(4);
            let told = explanation(&query, &answer(&query, &Budget::default()).expect("an answer"));
            assert!(!told.contains("losses are finitely many"), "{text}: {told}");
            if !text.contains("randomized") {
                assert!(!told.contains("finitely many"), "{text}: {told}");
            }
        }
        let both = Query::new(
            Quantity::Delta { epsilon: Real::one() },
            "finite(p=[1/2,1/2], q=[1/3,2/3])^3 * finite(p=[1/2,1/2], q=[1/5,4/5])^40".parse().expect("finite pairs"),
        );
        let told = explanation(&both, &answer(&both, &Budget::default()).expect("an answer"));
        assert!(told.contains("losses are finitely many") || told.contains("few enough"), "{told}");
    }
}
