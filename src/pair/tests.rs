use rug::Rational;

use super::*;
use crate::mechanism::{Composition, Mechanism};
use enclosure::{Budget, Enclosure, Number};

fn pair(text: &str) -> Pair {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    composition.single().expect("one mechanism").0.pair().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn discrete(text: &str) -> Discrete {
    match pair(text) {
        Pair::Discrete(pair) => pair,
        other => panic!("{text}: {other:?}"),
    }
}

fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

/// What a mechanism promises of its pair: P and Q are distributions, and `p = q e^loss`; losses, masses and outcomes
/// are in one order; a pair that says so is its own mirror image.
fn keeps_its_promises(pair: &Discrete, about: &str) {
    let bits = 120;
    let Outcomes { finite, infinite_p, infinite_q } = pair.outcomes(bits).expect("outcomes");
    let (losses, masses) = (pair.losses().expect("losses"), pair.masses(bits).expect("masses"));
    assert!(infinite_p.enclosure(bits).overlaps(&masses.infinite_p.enclosure(bits)), "{about}");
    assert!(infinite_q.enclosure(bits).overlaps(&masses.infinite_q.enclosure(bits)), "{about}");
    let (mut p, mut q) = (infinite_p.enclosure(bits), infinite_q.enclosure(bits));
    assert_eq!((finite.len(), finite.len()), (losses.len(), masses.p.len()), "{about}");
    for (outcome, (loss, mass)) in finite.iter().zip(losses.iter().zip(&masses.p)) {
        let (first, second) = (outcome.p.enclosure(bits), outcome.q.enclosure(bits));
        assert!(outcome.loss.overlaps(&loss.enclosure(bits)), "{about}: {:?} {loss}", outcome.loss);
        assert!(first.overlaps(&mass.enclosure(bits)), "{about}: {first:?} {mass:?}");
        assert!(first.overlaps(&(&second * &outcome.loss.exp())), "{about}: {outcome:?}");
        assert!(first.relative_bits().is_some_and(|bits| bits > 90), "{about}: {first:?}");
        (p, q) = (&p + &first, &q + &second);
    }
    let one = Enclosure::one(bits);
    assert!(p.overlaps(&one) && q.overlaps(&one), "{about}: {p:?} {q:?}");
    if pair.symmetric() {
        for (a, b) in finite.iter().zip(finite.iter().rev()) {
            assert!(a.loss.overlaps(&-&b.loss), "{about}");
            assert!(a.p.enclosure(bits).overlaps(&b.q.enclosure(bits)), "{about}");
        }
    }
}

#[test]
fn finitely_many_losses_keep_their_promises() {
    for text in [
        "approx-dp(epsilon=1/3, delta=1/7)",
        "approx-dp(epsilon=ln(3/2), delta=0)",
        "approx-dp(epsilon=0, delta=1/7)",
        "randomized-response(epsilon=700)",
        "randomized-response(epsilon=1e-40)",
        "geometric(epsilon=1/2, sensitivity=1)",
        "geometric(epsilon=1e-30, sensitivity=5)",
        "geometric(epsilon=ln(2), sensitivity=4)",
        "staircase(epsilon=1, gamma=1/3)",
        "staircase(epsilon=ln(2), gamma=3/4, sensitivity=3)",
        "staircase(epsilon=1e-30, gamma=1/2, sensitivity=2)",
        "finite(p=[1/2,1/4,1/4,0], q=[1/3,1/3,0,1/3])",
    ] {
        keeps_its_promises(&discrete(text), text);
        for rate in ["1/10", "sqrt(2)/2", "1e-30"] {
            let text = format!("poisson(rate={rate}, {text})");
            keeps_its_promises(&discrete(&text), &text);
        }
    }
}

/// Whatever finite pair the catalogue has as an example keeps its promises, so that a new mechanism is looked at here
/// too.
#[test]
fn examples_of_the_catalogue_have_pairs() {
    for entry in Mechanism::catalogue() {
        let composition: Composition = entry.example.parse().expect("an example");
        if composition.factors().iter().any(|(mechanism, _)| mechanism.is_guarantee()) {
            continue;
        }
        for (pair, _) in composition.pairs().expect("pairs") {
            if let Pair::Discrete(pair) = pair {
                keeps_its_promises(&pair, entry.example);
            }
        }
    }
}

#[test]
fn trivial_cases_are_equal_distributions() {
    for text in [
        "approx-dp(epsilon=0, delta=0)",
        "randomized-response(epsilon=0)",
        "gaussian(sigma=1, sensitivity=0)",
        "gdp(mu=0)",
        "laplace(scale=1, sensitivity=0)",
        "geometric(epsilon=1, sensitivity=0)",
        "geometric(epsilon=0, sensitivity=3)",
        "staircase(epsilon=1, gamma=1/2, sensitivity=0)",
        "discrete-gaussian(sigma2=1, sensitivity=0)",
        "finite(p=[1/2,1/2], q=[1/2,1/2])",
        "poisson(rate=0, gaussian(sigma=1))",
        "poisson(rate=1/2, gdp(mu=0))",
    ] {
        assert!(matches!(pair(text), Pair::Equal), "{text}");
    }
    assert!(matches!(pair("poisson(rate=1, gaussian(sigma=2))"), Pair::Gaussian { .. }));
    assert!(matches!(pair("poisson(rate=1/2, gaussian(sigma=2))"), Pair::Sample { .. }));
}

/// The sample of rationals is the mixture, fraction by fraction; of losses that are rational powers of e too.
#[test]
fn samples_are_mixtures() {
    let sample = discrete("poisson(rate=1/4, finite(p=[1/2,1/4,1/4,0], q=[1/3,1/3,0,1/3]))");
    let Law::Rational(sample) = sample.law() else { panic!("not rational") };
    let mut found: Vec<(Rational, Rational)> = sample.outcomes().map(|(p, q)| (p.clone(), q.clone())).collect();
    let mut mixed: Vec<(Rational, Rational)> =
        [(q(1, 2), q(1, 3)), (q(1, 4), q(1, 3)), (q(1, 4), q(0, 1)), (q(0, 1), q(1, 3))]
            .into_iter()
            .map(|(p, r)| (p * q(1, 4) + r.clone() * q(3, 4), r))
            .collect();
    found.sort();
    mixed.sort();
    assert_eq!(found, mixed);
    let response = discrete("poisson(rate=1/4, approx-dp(epsilon=ln(3), delta=1/5))");
    assert!(matches!(response.law(), Law::Rational(_)));
    assert!(matches!(discrete("poisson(rate=1/4, approx-dp(epsilon=3, delta=1/5))").law(), Law::Sample { .. }));
}

#[test]
fn products_are_in_order() {
    let product = |text: &str| {
        let composition: Composition = text.parse().expect("a composition");
        Product::new(composition.pairs().expect("pairs"))
    };
    let one = product("gaussian(sigma=1)^3 * gdp(mu=2) * approx-dp(epsilon=0, delta=1/2) * gdp(mu=0)^5");
    assert_eq!(one.mu_squared, Real::from(7_u64));
    assert_eq!((one.failures.len(), one.responses.len()), (1, 0));
    // Without noise beside it a failure is an (epsilon, delta) mechanism of epsilon 0.
    let other = product("geometric(epsilon=1) * approx-dp(epsilon=0, delta=1/2)");
    assert_eq!((other.failures.len(), other.responses.len()), (0, 2));
    assert_eq!(product("laplace(scale=2)^2 * laplace(scale=4, sensitivity=2)").laplace.len(), 1);
    assert_eq!(
        product("staircase(epsilon=1, gamma=1/2) * geometric(epsilon=1, sensitivity=2) * gdp(mu=1)").names(),
        "Gaussian mechanisms and staircase or geometric mechanisms"
    );
    assert_eq!(product("gdp(mu=0)^0").names(), "no mechanisms that leak");
    let long: Composition = "geometric(epsilon=1, sensitivity=1048577)".parse().expect("a composition");
    let long = Product::new(long.pairs().expect("pairs"));
    assert!(matches!(long.affordable(&Budget::default()), Err(Error::Undecided(_))));
}

/// Memory is looked at before a list is made.
#[test]
fn lists_that_take_too_much_memory_are_refused() {
    let product = |text: &str| {
        let composition: Composition = text.parse().expect("a composition");
        Product::new(composition.pairs().expect("pairs"))
    };
    let small = Budget::default().with_max_bytes(1 << 20);
    for (text, room) in [
        ("geometric(epsilon=1, sensitivity=1000) * gaussian(sigma=1)", true),
        ("geometric(epsilon=1, sensitivity=1000) * staircase(epsilon=1, gamma=1/3, sensitivity=1000)", false),
        ("geometric(epsilon=1, sensitivity=100000)", false),
    ] {
        assert_eq!(product(text).affordable(&small).is_ok(), room, "{text}");
    }
}

/// Powers are fractions only while all of them are short together; the enclosures hold the fractions.
#[test]
fn long_lists_are_not_of_fractions() {
    for text in [
        "geometric(epsilon=ln(3), sensitivity=4200)",
        "staircase(epsilon=ln(3), gamma=1/3, sensitivity=4200)",
        "staircase(epsilon=ln(3), gamma=2/3, sensitivity=4200)",
    ] {
        let masses = discrete(text).masses(80).expect("masses");
        assert!(masses.p.iter().any(|mass| mass.exact().is_none()), "{text}");
        let total = masses.p.iter().fold(Number::zero(), |sum, mass| &sum + mass).enclosure(80);
        assert!(total.contains(&Rational::from(1)) && total.relative_bits() >= Some(60), "{text}: {total:?}");
        let short = discrete(&text.replace("4200", "42")).masses(80).expect("masses");
        assert!(short.p.iter().all(|mass| mass.exact().is_some()), "{text}");
    }
}

/// Only what was made of geometric noise has its formulas.
#[test]
fn geometric_noise_is_known_by_its_rate() {
    let noise = discrete("geometric(epsilon=1/2, sensitivity=9223372036854775808)");
    assert_eq!(noise.as_geometric(), Some((&Real::from(q(1, 2)), 1 << 63)));
    assert_eq!(discrete("staircase(epsilon=1/2, gamma=1/3, sensitivity=7)").as_geometric(), None);
    assert_eq!(discrete("geometric(epsilon=1/2)").as_geometric(), None);
}
