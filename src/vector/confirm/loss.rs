//! The distribution of the privacy loss, from its definition: outcome by outcome, or by the tails of the noise.
//!
//! No profile is computed, and no slope of one. A quantile is checked through its definition, by the distribution
//! function on both sides of it.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Two, Zero};
use rug::Rational;

use super::{Claim, enumeration, finite, laplace, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query, Under};
use crate::route::elementary::{Bounds, ln_bounds, sqrt_bounds};
use crate::route::enumeration::Counts;
use crate::route::finite::Tuples;
use crate::route::laplace::kept;
use crate::route::limits::tail;
use crate::route::moments::{add, div, mul, point, sub};
use enclosure::Real;

/// Working precision, in bits.
const BITS: u64 = 700;

/// A loss beyond all finite losses of these questions.
const FAR: u32 = 10_000;

/// Distance from a quantile at which the distribution function is on the right side, as a power of 10.
const BESIDE: u32 = 60;

/// The masses of a tail under the first and under the second distribution.
type Masses = (Bounds, Bounds);

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    match &query.quantity {
        Quantity::LossAbove { threshold, under } => {
            let above = pick(above(query, threshold)?, *under);
            claim.agrees_with(&numbers::first_both(&above)?)
        }
        Quantity::LossUpTo { threshold, under } => {
            let below = sub(&point(Second::ONE), &pick(above(query, threshold)?, *under));
            claim.agrees_with(&numbers::first_both(&below)?)
        }
        Quantity::LossQuantile { probability, under } => {
            let u = numbers::second(numbers::rational(probability, "probability")?)?;
            let below = |t: Rational| -> Result<Bounds, Error> {
                Ok(sub(&point(Second::ONE), &pick(above(query, &Real::from(t))?, *under)))
            };
            let Claim::Within(lower, upper) = claim else {
                return require(below(Rational::from(FAR))?.1 < u, "an infinite quantile");
            };
            let beside = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, BESIDE))));
            let less = below(Rational::from(lower - &beside))?.1 < u;
            require(less && below(Rational::from(upper + &beside))?.0 >= u, "the distribution function at both ends")
        }
        _ => Err(Error::input("not a value of a privacy loss distribution")),
    }
}

fn pick((first, second): Masses, under: Under) -> Bounds {
    match under {
        Under::P => first,
        Under::Q => second,
    }
}

/// The masses of `{L > t}` in the direction of the query.
fn above(query: &Query, t: &Real) -> Result<Masses, Error> {
    let backward = query.direction == Direction::Backward;
    let composition = &query.mechanism;
    if let Some(square) = gaussian(composition)? {
        // Both orders have the same law.
        return normal(&numbers::bounds(t, BITS)?, &square);
    }
    if laplace::takes(composition) {
        let shifts = laplace::rational_shifts(composition)?;
        let (loss, t) = (kept(shifts)?, numbers::second(numbers::rational(t, "loss")?)?);
        return Ok((loss.first_tail(&t, BITS), loss.second_tail(&t, BITS)));
    }
    if let Some((Mechanism::Poisson(sample), 1)) = composition.single()
        && let Some(square) = gaussian(&sample.inner().clone().into())?
    {
        let rate = numbers::bounds(sample.rate(), BITS)?;
        if backward {
            // `{-L > t}` is the complement of `{L >= -t}`, and no loss is an atom.
            let (p, q) = sampled(&rate, &square, &t.neg())?;
            let one = point(Second::ONE);
            return Ok((sub(&one, &q), sub(&one, &p)));
        }
        return sampled(&rate, &square, t);
    }
    listed(composition, backward, t)
}

/// `mu^2`, if all noise is Gaussian.
fn gaussian(composition: &Composition) -> Result<Option<Bounds>, Error> {
    let mut sum = Real::zero();
    for (mechanism, times) in composition.factors() {
        let mu = match mechanism {
            Mechanism::Gaussian(m) => m.sensitivity().div(m.sigma())?,
            Mechanism::Gdp(m) => m.mu().clone(),
            _ => return Ok(None),
        };
        sum = sum.add(&mu.square().mul_rational(&Rational::from(*times)));
    }
    numbers::bounds(&sum, BITS).map(Some)
}

/// Of a normal loss of mean `m/2` under P and `-m/2` under Q, and of variance m.
fn normal(t: &Bounds, m: &Bounds) -> Result<Masses, Error> {
    let half = (&m.0 / Second::TWO, &m.1 / Second::TWO);
    let root = (sqrt_bounds(&m.0, BITS).0, sqrt_bounds(&m.1, BITS).1);
    let at = |centred: Bounds| tail(&div(&centred, &root), BITS);
    Ok((at(sub(t, &half)), at(add(t, &half))))
}

/// Of a sample: its loss `ln(1 + r (e^l - 1))` rises with the loss l inside, and exceeds t where `e^l` exceeds
/// `1 + (e^t - 1)/r`.
fn sampled(rate: &Bounds, square: &Bounds, t: &Real) -> Result<Masses, Error> {
    let one = point(Second::ONE);
    let ratio = add(&one, &div(&sub(&numbers::exp_bounds(t, BITS)?, &one), rate));
    if ratio.1 <= Second::ZERO {
        return Ok((one.clone(), one));
    }
    if ratio.0 <= Second::ZERO {
        return Err(Error::input("the smallest privacy loss cannot be separated from the threshold"));
    }
    let inside = (ln_bounds(&ratio.0, BITS).0, ln_bounds(&ratio.1, BITS).1);
    let (p, q) = normal(&inside, square)?;
    Ok((add(&mul(rate, &p), &mul(&sub(&one, rate), &q)), q))
}

/// Outcome by outcome: in fractions where all masses are, else between bounds.
fn listed(composition: &Composition, backward: bool, t: &Real) -> Result<Masses, Error> {
    let x = numbers::exp_bounds(t, 2 * BITS)?;
    let times = |times: u64| u32::try_from(times).map_err(|_| Error::input("too many outcomes to enumerate"));
    let texts = |masses: &[Rational]| masses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let fractions: Result<Vec<_>, Error> = composition
        .factors()
        .iter()
        .map(|(mechanism, count)| {
            let (p, q) = finite::outcomes(mechanism)?;
            Ok((texts(&p), texts(&q), times(*count)?))
        })
        .collect();
    if let Ok(factors) = fractions {
        let all = Tuples::counted(&factors)?;
        let all = if backward { all.swapped() } else { all };
        let (least, most) = (all.above(&x.1), all.above(&x.0));
        return Ok(((least.0, most.0), (least.1, most.1)));
    }
    let mut factors = Vec::new();
    for (mechanism, count) in composition.factors() {
        factors.push((enumeration::outcomes(mechanism)?, times(*count)?));
    }
    let all = Counts::new(&factors, BITS)?;
    let all = if backward { all.swapped() } else { all };
    Ok(all.above(&x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};
    use enclosure::Budget;

    /// Each kind of route confirms computed values and no neighbouring ones.
    #[test]
    fn confirms_right_claims_and_refuses_wrong_ones() {
        for (name, mechanism, at) in [
            ("loss-above-p", "gdp(mu=1)", r#"{"loss":"1/3"}"#),
            ("loss-up-to-q", "laplace(scale=1)^2", r#"{"loss":"0"}"#),
            ("loss-above-q", "poisson(rate=1/10, gdp(mu=1))", r#"{"loss":"1/3"}"#),
            ("loss-above-p", "finite(p=[1/2,1/2], q=[1/3,2/3])^3", r#"{"loss":"0"}"#),
            ("loss-up-to-p", "randomized-response(epsilon=1)^5", r#"{"loss":"1/3"}"#),
            ("loss-quantile-p", "gdp(mu=1)", r#"{"u":"1/3"}"#),
            ("loss-quantile-q", "randomized-response(epsilon=1)^5", r#"{"u":"1/3"}"#),
        ] {
            for direction in ["forward", "backward"] {
                let of = format!(r#""quantity":"{name}","mechanism":"{mechanism}","at":{at}"#);
                let line = format!(r#"{{{of},"direction":"{direction}","digits":40}}"#);
                let query: Query = serde_json::from_str(&line).expect("a query");
                let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
                let claim = Claim::of(&outcome).expect("a number");
                confirm(&query, &claim).unwrap_or_else(|error| panic!("{line}: {error} {outcome:?}"));
                let (lower, upper) = claim.within().expect("a number");
                let width = Rational::from(upper - lower) * 2u32 + Rational::from((1, 1_000_000_000_u64));
                for wrong in [
                    Claim::Within(Rational::from(lower - &width), Rational::from(upper - &width)),
                    Claim::Within(Rational::from(lower + &width), Rational::from(upper + &width)),
                ] {
                    assert!(confirm(&query, &wrong).is_err(), "{line}");
                }
                assert!(!matches!(outcome, Outcome::Infinite));
            }
        }
    }
}
