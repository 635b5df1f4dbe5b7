//! The factors of a composition as limit theorems want them, and the functionals of their trade-off functions.
//!
//! With `L = ln(dP/dQ)` under P, the functionals of Dong, Roth and Su, Section 3, are moments: `kl = E L`,
//! `kappa_2 = E L^2`, `kappa_3 = E |L|^3` and `kappa_3-bar = E |L - E L|^3`. The reason is that `-ln |f'(alpha)|` is
//! the privacy loss at the threshold of type I error alpha. Infinite privacy losses are split off first (their equation
//! 11), because they make all four infinite.

use std::cmp::Ordering;

use rug::{Float, Rational};

pub use super::functional::{absolute_cube, moments};
use super::surviving::surviving;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::Pair;
use enclosure::{Budget, Enclosure, Number, Real};

/// A composition without what fails outright, and that.
pub struct Factors {
    /// The pairs that reveal something, each with its number of runs.
    pub pairs: Vec<(Pair, u64)>,
    /// `prod (1 - delta_i)`.
    pub survival: Real,
}

impl Factors {
    /// Of a composition.
    ///
    /// # Errors
    /// Those of the pairs.
    pub fn of(composition: &Composition) -> Result<Self, Error> {
        let (mut pairs, mut survival) = (Vec::new(), Real::one());
        for (pair, times) in composition.pairs()? {
            let Some((epsilon, delta)) = pair.as_response() else {
                pairs.push((pair, times));
                continue;
            };
            survival = survival.mul(&surviving(&delta, times)?)?;
            if !epsilon.is_zero() {
                pairs.push((Pair::response(epsilon, Real::zero())?, times));
            }
        }
        Ok(Factors { pairs, survival })
    }
}

/// `G_mu` beside what fails with probability d, for mu between two ends: the curve rises with mu.
pub struct GaussianLimit {
    curves: [Composition; 2],
}

impl GaussianLimit {
    /// From an enclosure of mu, not below 0, and `1 - d`.
    ///
    /// # Errors
    /// [`Error::Undecided`] if mu is unbounded.
    pub fn new(mu: &Enclosure, survival: &Real) -> Result<Self, Error> {
        let beside = Composition::approx_dp(Real::zero(), Real::one().sub(survival))?;
        let end = |x: &Float| -> Result<Composition, Error> {
            let rational = x.to_rational().filter(|x| x.cmp0() != Ordering::Less);
            let mu = rational.ok_or_else(|| Error::undecided("mu of a limit is unbounded"))?;
            Composition::gdp(Real::from(mu))?.and(&beside)
        };
        let mu = mu.positive_part();
        Ok(GaussianLimit { curves: [end(mu.lower())?, end(mu.upper())?] })
    }

    /// The privacy profile at an epsilon.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let at = |curve| self::curve(curve, budget)?.delta(epsilon, Direction::Forward, bits, budget);
        let [low, high] = &self.curves;
        Ok(at(low)?.enclosure(bits).hull(&at(high)?.enclosure(bits)))
    }

    /// The least epsilon at a delta.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let at = |curve| self::curve(curve, budget)?.epsilon(delta, Direction::Forward, bits, budget);
        let [low, high] = &self.curves;
        Ok(match (at(low)?, at(high)?) {
            (Value::Finite(low), Value::Finite(high)) => {
                Value::Finite(Number::Enclosed(low.enclosure(bits).hull(&high.enclosure(bits))))
            }
            _ => Value::Infinite,
        })
    }

    /// The type II error at a type I error.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let at = |curve| self::curve(curve, budget)?.beta(alpha, Direction::Forward, bits, budget);
        let [low, high] = &self.curves;
        Ok(at(low)?.enclosure(bits).hull(&at(high)?.enclosure(bits)))
    }
}

fn curve(composition: &Composition, budget: &Budget) -> Result<Box<dyn crate::curve::Curve>, Error> {
    crate::compose::curve(composition, crate::compose::Method::Auto, budget)
}

/// A point where a function that falls through a level does so: it is certainly above it at the lower end of the
/// enclosure and not above it at the upper end. 0 where it is not above the level at 0; infinite where it is above it
/// at `2^40`. For a function that does not fall everywhere this is one of the points.
///
/// Secants of the logarithm find it, which proves nothing, and values on both sides of what they find prove it; what
/// they do not is left to halves.
///
/// # Errors
/// Those of the function; [`Error::Undecided`] if the side of a value is not decided.
pub fn crossing(level: &Real, bits: u32, value: impl Fn(&Real) -> Result<Enclosure, Error>) -> Result<Value, Error> {
    // Is it above, and about the logarithm of its quotient by the level, if there is one.
    let look = |x: &Rational| -> Result<(Option<bool>, Float), Error> {
        let here = value(&Real::from(x.clone()))?;
        let level = level.enclosure(here.bits());
        let above = match here.compare(&level) {
            Some(Ordering::Greater) => Some(true),
            Some(_) => Some(false),
            None if here.upper() <= level.lower() => Some(false),
            None => None,
        };
        Ok((above, Float::with_val(here.bits(), here.lower() / level.lower()).ln()))
    };
    let unclear = || Error::undecided("cannot decide whether the function is above or below the level");
    let mut low = Rational::new();
    let (above, mut at_low) = look(&low)?;
    if !above.ok_or_else(unclear)? {
        return Ok(Value::Finite(Number::zero()));
    }
    let mut high = Rational::from((1, 1024));
    let mut at_high;
    loop {
        let above;
        (above, at_high) = look(&high)?;
        if !above.ok_or_else(unclear)? {
            break;
        }
        low.clone_from(&high);
        at_low = at_high;
        high *= 2;
        if high > (1_u64 << 40) {
            return Ok(Value::Infinite);
        }
    }
    let narrow = Rational::from(&high - &low) >> (bits.max(NARROW) - NARROW);
    let work = bits.saturating_add(32);
    let float = |x: &Rational| Float::with_val(work, x);
    let (mut x, mut y) = ((float(&low), at_low), (float(&high), at_high));
    for _ in 0..MOST_SECANTS {
        let run = Float::with_val(work, &y.0 - &x.0);
        let step = Float::with_val(work, &y.1 - &x.1).recip() * run * &y.1;
        let next = Float::with_val(work, &y.0 - &step);
        if step.is_finite() && step.abs() <= narrow {
            // What is there is told from the level a little farther on.
            let Some(at) = next.to_rational() else { break };
            for (end, below) in [(Rational::from(&at - &narrow), true), (Rational::from(&at + &narrow), false)] {
                let inside = end > low && end < high;
                match if inside { look(&end)?.0 } else { None } {
                    Some(true) if below => low = end,
                    Some(false) if !below => high = end,
                    _ => {}
                }
            }
            break;
        }
        let inside = next.to_rational().filter(|at| *at > low && *at < high);
        let at = inside.unwrap_or_else(|| Rational::from(&low + &high) / 2u32);
        let (above, value) = look(&at)?;
        match above {
            Some(true) => low.clone_from(&at),
            Some(false) => high.clone_from(&at),
            None => break,
        }
        (x, y) = (y, (float(&at), value));
    }
    for _ in 0..bits {
        let middle = Rational::from(&low + &high) / 2u32;
        if Rational::from(&high - &low) <= narrow.clone() * 2u32 {
            break;
        }
        match look(&middle)?.0 {
            Some(true) => low = middle,
            Some(false) => high = middle,
            // The precision ends here.
            None => break,
        }
    }
    let end = |x: &Rational| Enclosure::rational(x, bits.saturating_add(32));
    Ok(Value::Finite(Number::Enclosed(end(&low).hull(&end(&high)))))
}

/// Bits of the distance of the first bracket's ends that are left.
const NARROW: u32 = 3;
/// Secants that are tried.
const MOST_SECANTS: usize = 64;

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An interval of one unit of the last place around a decimal.
    pub fn printed(text: &str) -> Enclosure {
        let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let value: Real = text.parse().expect("a decimal");
        let unit =
            Float::with_val(64, Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, places as u32)))));
        Enclosure::rational(value.as_rational().expect("a decimal"), 200).widen(&unit)
    }

    /// The fall is found, wherever it is, and told where there is none.
    #[test]
    fn crossings_are_bracketed() {
        let level: Real = "1/8".parse().expect("a constant");
        let at = |scale: &'static str| {
            let scale: Real = scale.parse().expect("a constant");
            crossing(&level, 60, move |x| Ok((-x.mul(&scale)?.enclosure(100)).exp()))
        };
        let Ok(Value::Finite(found)) = at("1") else { panic!("no crossing") };
        assert!(found.enclosure(100).overlaps(&Enclosure::ln_2(100).mul_u32(3)));
        let Ok(Value::Finite(found)) = at("1e-6") else { panic!("no crossing") };
        assert!(found.enclosure(100).relative_bits() > Some(50));
        assert!(matches!(at("0"), Ok(Value::Infinite)));
        let low = crossing(&level, 60, |_| Ok(Enclosure::zero(60)));
        assert!(matches!(low, Ok(Value::Finite(Number::Exact(zero))) if zero.is_zero()));
        assert!(matches!(crossing(&level, 60, |_| Ok(Enclosure::whole(60))), Err(Error::Undecided(_))));
    }
}
