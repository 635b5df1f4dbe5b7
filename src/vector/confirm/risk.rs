//! Risks and conjugates, by the route of the quantity that they are a function of: `advantage = delta(0)`,
//! `1 - beta(fpr)`, `(1-p) (1 - delta(ln(p/(1-p))))`, and `f*(-x) = delta(ln x) - 1` of the other order.

use rug::Rational;

use super::{Claim, numbers};
use crate::curve::Direction;
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::Real;

/// The query about the curve, and what is then claimed of it; `None` for what is no risk.
pub fn inner(query: &Query, claim: &Claim) -> Result<Option<(Query, Claim)>, Error> {
    let asked = |quantity| Query { quantity, ..query.clone() };
    let complement = |kept: &Rational| -> Result<Claim, Error> {
        let (lower, upper) = claim.within()?;
        let of = |end: &Rational| 1 - Rational::from(end / kept);
        Ok(Claim::Within(of(upper), of(lower)))
    };
    Ok(Some(match &query.quantity {
        Quantity::Advantage => (asked(Quantity::Delta { epsilon: Real::zero() }), claim.clone()),
        Quantity::TruePositiveRate { rate } => {
            (asked(Quantity::Beta { alpha: rate.clone() }), complement(&Rational::from(1))?)
        }
        Quantity::BayesRisk { prior } => {
            let prior = numbers::rational(prior, "prior")?;
            let kept = Rational::from(1 - prior);
            if prior.is_zero() || kept.is_zero() {
                return Err(Error::input("the Bayes risk is 0 for a prior of 0 or 1"));
            }
            let epsilon = Real::from(Rational::from(prior / &kept)).ln()?;
            (asked(Quantity::Delta { epsilon }), complement(&kept)?)
        }
        Quantity::Conjugate { slope } => {
            let x = Rational::from(-numbers::rational(slope, "slope")?);
            if x <= 0 {
                return Err(Error::input("the conjugate at a nonnegative slope equals the slope"));
            }
            let (lower, upper) = claim.within()?;
            let direction = match query.direction {
                Direction::Forward => Direction::Backward,
                Direction::Backward => Direction::Forward,
                Direction::Worst => Direction::Worst,
            };
            let query = Query { direction, ..asked(Quantity::Delta { epsilon: Real::from(x).ln()? }) };
            (query, Claim::Within(Rational::from(lower + 1), Rational::from(upper + 1)))
        }
        _ => return Ok(None),
    }))
}
