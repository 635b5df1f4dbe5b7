//! Risks, by the route of the quantity that they are a function of: `advantage = delta(0)`,
//! `1 - beta(fpr)`, `(1-p) (1 - delta(ln(p/(1-p))))`.

use rug::Rational;

use super::{Claim, numbers};
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
                return Err(Error::input("whoever knows the data set beforehand does not err"));
            }
            let epsilon = Real::from(Rational::from(prior / &kept)).ln()?;
            (asked(Quantity::Delta { epsilon }), complement(&kept)?)
        }
        _ => return Ok(None),
    }))
}
