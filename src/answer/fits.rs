//! Bounds of the best Gaussian guarantee: for compositions whose fit is not known, or not known to all digits.
//!
//! What the parts say (`attack/bounds.rs`), and type II errors at some alphas: with `f(alpha) <= beta` in either
//! direction the least mu is at least `z(alpha) + z(beta)`, z the upper normal quantile, as `G_mu` is symmetric. So
//! does the total variation distance, which engines of few digits have where they have no type II error.

use rug::{Float, Rational};

use super::by_steps;
use super::evaluate::{Found, GAP_DIGITS};
use super::proven::{By, Proven};
use super::{Answer, Outcome};
use crate::alarm::{self, declined};
use crate::attack::{beside, bounds, from_distance, from_point, promised, unsought};
use crate::compose::{Engines, Method};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::statement;
use enclosure::{Budget, Enclosure, Number, Real, Reason, Work, refine};

/// By what the parts are fitted with.
const PARTS: By = ("bounds by the fits of its parts, and by type II errors", &statement::GAUSSIAN_FIT);

/// Digits of the total variation distance, and precision.
const FEW: u32 = 2;
const BITS: u32 = 64;

/// The alphas.
const ALPHAS: [(u32, u32); 4] = [(1, 2), (1, 10), (9, 10), (1, 1000)];

/// Bounds by the parts take much less work than this, except for some discrete Gaussian noise.
const MOMENT: Work = Work::milliseconds(100);

/// Record what the parts say, if that is an upper bound and takes next to no time, whatever is left of the budget.
pub(super) fn closed(query: &Query, proven: &Proven) -> Result<(), Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(());
    }
    let moment = Budget::default().patient(MOMENT);
    let Some((lower, Some(upper))) = declined(bounds(&query.mechanism, &moment))? else { return Ok(()) };
    told(query, lower, &upper, proven)
}

/// Record that, and what type II errors say.
pub(super) fn record(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(());
    }
    closed(query, proven)?;
    let Some((lower, Some(upper))) = declined(bounds(&query.mechanism, budget))? else { return Ok(()) };
    told(query, lower, &upper, proven)?;
    for (at, alpha) in ALPHAS.into_iter().enumerate() {
        if budget.check().is_err() {
            break;
        }
        let share = budget.share((1, (ALPHAS.len() - at) as u32), None);
        let alpha = Rational::from(alpha);
        let asked = Quantity::Beta { alpha: Real::from(alpha.clone()) };
        let Some(beta) = by_steps::asked(&query.mechanism, &asked, &share)? else { continue };
        if let Some(mu) = from_point(&alpha, &beta, &share)? {
            told(query, mu, &upper, proven)?;
        }
    }
    Ok(())
}

/// Record what the total variation distance says, which engines of few digits have where nothing else is known from
/// below.
pub(super) fn by_distance(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    if query.quantity != Quantity::GaussianFit || proven.digits(query)? > 0 {
        return Ok(());
    }
    let engines = Engines::new(query.mechanism.clone(), Method::Auto);
    let asked = |curve: &dyn Curve, budget: &Budget| {
        refine(FEW, budget, |bits| curve.delta(&Real::zero(), Direction::Forward, bits, budget))
    };
    let Some(delta) = declined(engines.ask(budget, asked))? else { return Ok(()) };
    let Some(mu) = from_distance(&delta.enclosure(BITS), budget)? else { return Ok(()) };
    let moment = Budget::default().patient(MOMENT);
    let Some((_, Some(upper))) = declined(bounds(&query.mechanism, &moment))? else { return Ok(()) };
    told(query, mu, &upper, proven)
}

/// By what guarantees promise.
const PROMISED: By = ("what guarantees promise of all tests", &statement::PROMISED_FIT);

/// Of what has guarantees in it: a mu that is enough.
pub(super) fn enough(query: &Query, budget: &Budget, proven: &Proven) -> Result<Found, Error> {
    let mu = refine(query.digits, budget, |bits| {
        let mu = Number::Enclosed(promised(&query.mechanism, bits, budget)?);
        proven.record(&query.quantity, Direction::Worst, &Value::Finite(mu.clone()), PROMISED)?;
        Ok(mu)
    })?;
    Ok(Found::new(Value::Finite(mu), PROMISED))
}

/// Why the gap is not computed.
const NO_MU: &str = "the gap is computed only if mu is proven to the requested digits";

/// An answer by bounds, with what is known of the gap beside it: sought where mu has its digits.
pub(super) fn with_gap(answer: Answer, query: &Query, budget: &Budget) -> Result<Answer, Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(answer);
    }
    let Some(mu) = answer.outcome.number() else { return Ok(answer) };
    let fit = match &answer.outcome {
        Outcome::Short { .. } => unsought(mu, NO_MU.into())?,
        _ => beside(&query.mechanism, mu, query.digits, GAP_DIGITS.min(query.digits), budget)?,
    };
    Ok(Answer { fit: Some(Box::new(fit)), ..answer })
}

/// The same for an answer that was given up.
pub(super) fn without_gap(answer: Answer, query: &Query, reason: Reason) -> Result<Answer, Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(answer);
    }
    let Some(mu) = answer.outcome.number() else { return Ok(answer) };
    let fit = unsought(mu, reason)?;
    Ok(Answer { fit: Some(Box::new(fit)), ..answer })
}

/// Record bounds.
fn told(query: &Query, lower: Float, upper: &Float, proven: &Proven) -> Result<(), Error> {
    let end = |end: &Float| Enclosure::new(end.clone(), end.clone());
    let set = alarm::bracket(&end(&lower), &end(upper), "least mu by the fits of parts and by type II errors")?;
    proven.record(&query.quantity, Direction::Worst, &Value::Finite(Number::Enclosed(set)), PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Bound, Outcome, answer};
    use crate::attack::{Fit, Touch};
    use enclosure::special::normal_cdf;

    fn query(mechanism: &str) -> Query {
        Query::new(Quantity::GaussianFit, mechanism.parse().expect("a mechanism")).with_digits(5)
    }

    /// Where the fit is known it is within.
    #[test]
    fn bounds_hold() {
        for mechanism in [
            "laplace(scale=1)^2 * gdp(mu=1/2)",
            "randomized-response(epsilon=1)^10",
            "poisson(rate=1/4, gdp(mu=1))^2",
            "finite(p=[1/2, 1/2], q=[1/5, 4/5])^3",
            "discrete-gaussian(sigma2=2)",
        ] {
            let proven = Proven::default();
            record(&query(mechanism), &Budget::default(), &proven).expect("no alarm");
            let (set, _) = proven.best(&query(mechanism)).expect("no alarm").expect("bounds");
            let truth = answer(&query(mechanism), &Budget::default()).expect("an answer").outcome;
            assert!(matches!(truth, Outcome::Enclosure(_) | Outcome::Exact(_)), "{mechanism}: {truth:?}");
            let truth = truth.number().expect("a number").enclosure(64);
            assert!(Number::from(&set).enclosure(64).overlaps(&truth), "{mechanism}: {set:?} {truth:?}");
            assert!(set.lower_f64() > 0.0, "{mechanism}: {set:?}");
        }
    }

    /// Beside a mu that is by bounds the gap is no less than at any alpha, and has its digits; beside one of few digits
    /// it is bounded, with the reason.
    #[test]
    fn the_gap_is_told_beside_bounds() {
        let gap = |mechanism: &str| {
            let answer = answer(&query(mechanism), &Budget::default()).expect("an answer");
            match *answer.fit.expect("what is known of the gap") {
                Fit::Least { touch: Touch::Unknown, gap, .. } => (gap.proven.enclosure(64), gap.short),
                other => panic!("{mechanism}: {other:?}"),
            }
        };
        let mechanism = "mixture(1/100: gaussian(sigma=1/3), rest: laplace(scale=1))";
        let (found, short) = gap(mechanism);
        assert!(short.is_none(), "{short:?}");
        for alpha in ["1/20", "1/10", "1/4", "1/2"] {
            let beta = |mechanism: &str| {
                let asked = Quantity::Beta { alpha: alpha.parse().expect("a number") };
                let asked = Query::new(asked, mechanism.parse().expect("a mechanism"));
                let answer = answer(&asked.with_direction(Direction::Forward), &Budget::default()).expect("an answer");
                answer.outcome.number().expect("a number").enclosure(64)
            };
            assert!((&beta(mechanism) - &beta("gdp(mu=3)")).lower() <= found.upper(), "{alpha}: {found:?}");
        }
        let (found, short) = gap("poisson(rate=1/10, discrete-gaussian(sigma2=4))");
        assert!(short.is_some() && found.lower().is_zero() && *found.upper() < 1, "{found:?}");
    }

    /// What is not fitted is enclosed, and what has no time too.
    #[test]
    fn what_is_not_fitted_is_enclosed() {
        for (mechanism, (least, most)) in [
            ("poisson(rate=1/10, discrete-gaussian(sigma2=4))", (0.01, 0.51)),
            ("poisson(rate=1/100, gaussian(sigma=1))^1000 * laplace(scale=1)", (31.6, 31.7)),
            ("randomized-response(epsilon=1/10)^1000000", (90.0, 126.0)),
        ] {
            let outcome = answer(&query(mechanism), &Budget::default()).expect("an answer").outcome;
            assert!(matches!(outcome, Outcome::Short { .. }), "{mechanism}: {outcome:?}");
            let (lower, upper) = (outcome.lower_f64().expect("a number"), outcome.upper_f64().expect("a number"));
            assert!(lower >= least && lower <= upper && upper <= most, "{mechanism}: {lower} {upper}");
        }
        let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::ZERO));
        let outcome = answer(&query("laplace(scale=1) * gdp(mu=1)"), &none).expect("an answer").outcome;
        assert!(matches!(outcome, Outcome::Short { .. }), "{outcome:?}");
    }

    /// The total variation distance bounds mu from below: of Gaussian noise it is that of no other.
    #[test]
    fn distances_are_bounds() {
        let mu = Enclosure::rational(&Rational::from((3, 4)), 128);
        let tail = normal_cdf(&-mu.shift(-1), 128, &Budget::default()).expect("a tail");
        let distance = &Enclosure::one(128) - &tail.shift(1);
        let least = from_distance(&distance, &Budget::default()).expect("no alarm").expect("a bound");
        assert!(least <= *mu.upper() && least > 0.749_999, "{least}");
    }

    /// Guarantees have a mu that is a bound, or a reason why there is none.
    #[test]
    fn guarantees_promise_a_mu() {
        let ask = |mechanism| answer(&query(mechanism), &Budget::default()).expect("an answer");
        for mechanism in ["zcdp(rho=1/2)", "poisson(rate=1/100, zcdp(rho=1/2))^10", "zcdp(rho=1/8) * gdp(mu=1)"] {
            let found = ask(mechanism);
            assert!(found.method == PROMISED.0 && found.bound == Some(Bound::Upper), "{mechanism}: {found:?}");
        }
        assert!(matches!(ask("rdp(order=8, epsilon=1/4)").outcome, Outcome::Undefined(_)));
        // To all digits that are asked for, however small it is.
        for (mechanism, digits) in [("zcdp(rho=1)", 100), ("zcdp(rho=1e-300)", 6)] {
            let found = answer(&query(mechanism).with_digits(digits), &Budget::default()).expect("an answer");
            assert!(found.outcome.digits() >= Some(digits), "{mechanism}: {found:?}");
        }
    }
}
