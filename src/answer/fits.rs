//! Bounds of the best Gaussian guarantee: for compositions whose fit is not known, or not known to all digits.
//!
//! What the parts say (`attack/bounds.rs`), and type II errors at some alphas: with `f(alpha) <= beta` in either
//! direction the least mu is at least `z(alpha) + z(beta)`, z the upper normal quantile, as `G_mu` is symmetric.

use std::time::Duration;

use rug::Rational;

use super::by_steps;
use super::proven::{By, Proven};
use crate::alarm::{self, declined};
use crate::attack::{bounds, from_point};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::statement;
use enclosure::{Budget, Enclosure, Number, Real};

/// By what the parts are fitted with.
const PARTS: By = ("bounds by the fits of its parts, and by type II errors", &statement::GAUSSIAN_FIT);

/// The alphas.
const ALPHAS: [(u32, u32); 4] = [(1, 2), (1, 10), (9, 10), (1, 1000)];

/// What the parts say is there in much less time than this, but of some discrete Gaussian noise.
const MOMENT: Duration = Duration::from_millis(100);

/// Record what the parts say, if that is an upper bound and takes next to no time, whatever is left of the budget.
pub(super) fn closed(query: &Query, proven: &Proven) -> Result<(), Error> {
    recorded(query, &[], &Budget::new(Budget::DEFAULT_MAX_BITS, Some(MOMENT)), proven)
}

/// Record that, and what type II errors say.
pub(super) fn record(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(());
    }
    closed(query, proven)?;
    for (at, alpha) in ALPHAS.into_iter().enumerate() {
        if budget.check().is_err() {
            break;
        }
        let share = budget.share((1, (ALPHAS.len() - at) as u32), None);
        recorded(query, &[Rational::from(alpha)], &share, proven)?;
    }
    Ok(())
}

fn recorded(query: &Query, alphas: &[Rational], budget: &Budget, proven: &Proven) -> Result<(), Error> {
    if query.quantity != Quantity::GaussianFit {
        return Ok(());
    }
    let Some((mut lower, Some(upper))) = declined(bounds(&query.mechanism, budget))? else { return Ok(()) };
    for alpha in alphas {
        let asked = Quantity::Beta { alpha: Real::from(alpha.clone()) };
        let Some(beta) = by_steps::asked(&query.mechanism, &asked, budget)? else { continue };
        if let Some(mu) = from_point(alpha, &beta, budget)?
            && mu > lower
        {
            lower = mu;
        }
    }
    let end = |end: rug::Float| Enclosure::new(end.clone(), end);
    let set = alarm::bracket(&end(lower), &end(upper), "least mu by the fits of parts and by type II errors")?;
    proven.record(&query.quantity, Direction::Worst, &Value::Finite(Number::Enclosed(set)), PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};

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
        let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
        let outcome = answer(&query("laplace(scale=1) * gdp(mu=1)"), &none).expect("an answer").outcome;
        assert!(matches!(outcome, Outcome::Short { .. }), "{outcome:?}");
    }
}
