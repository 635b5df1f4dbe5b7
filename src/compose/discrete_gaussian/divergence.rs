//! Divergences of the composed discrete Gaussian.
//!
//! They add up over the draws, except the chi-squared divergence, which multiplies (through `1 + chi^2 = e^(D_2)`).

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::tail::dual_theta;
use super::{DiscreteGaussian, tail};
use crate::curve::Value;
use crate::error::Error;
use enclosure::{AdaptivePrecision, Budget, Enclosure, Number, Portable, Real};

/// The Kullback-Leibler divergence `n D^2/(2 sigma^2)`: the mean of `D (2S + nD)/(2 sigma^2)`, as `E S = 0`.
pub fn kullback_leibler(law: &DiscreteGaussian) -> Rational {
    let square = Integer::from(law.sensitivity.square_ref()) * law.times;
    Rational::from(square) / Rational::from(&law.sigma2 * 2u32)
}

/// The max divergence: the loss is unbounded, so infinite, unless the two distributions are equal.
pub fn max_divergence(law: &DiscreteGaussian) -> Value {
    if law.trivial() { Value::Finite(Number::zero()) } else { Value::Infinite }
}

/// The chi-squared divergence `E_Q (P/Q - 1)^2 = e^(D_2) - 1 = e^(n D^2/sigma^2) - 1`, since `2D` is an integer.
pub fn chi_squared(law: &DiscreteGaussian, bits: u32) -> Number {
    let exponent = kullback_leibler(law) * 2u32;
    if exponent.is_zero() {
        return Number::zero();
    }
    // Rounding the exponent costs as many bits as it has before the point.
    let wide = bits.saturating_add(64);
    Number::Enclosed(Enclosure::rational(&exponent, wide).expm1().with_bits(bits))
}

/// The Renyi divergence of order `g >= 1` (of order 1: Kullback-Leibler), the same in both directions.
///
/// Completing the square, one draw has `sum_j P(j)^g Q(j)^(1-g) = e^(g(g-1)D^2/(2 sigma^2)) theta((1-g)D)/theta(0)`
/// with `theta(y) = sum_j e^(-(j-y)^2/(2 sigma^2))`, which is even and has period 1. Hence
///
/// `D_g = n [ g D^2/(2 sigma^2) + ln(theta(gD)/theta(0)) / (g - 1) ]`,
///
/// the Gaussian value exactly whenever `gD` is an integer, and below it otherwise.
///
/// # Errors
/// Undefined for orders below 1; undecided if the order cannot be told from 1.
pub fn renyi(law: &DiscreteGaussian, order: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let gaussian = kullback_leibler(law);
    match order.number(bits).compare(&Number::one()) {
        Some(Ordering::Less) => {
            return Err(Error::Undefined("the order of a Renyi divergence must be at least 1".into()));
        }
        Some(Ordering::Equal) => return Ok(Number::Exact(gaussian)),
        Some(Ordering::Greater) => {}
        None => return Err(Error::Undecided("cannot separate the order from 1".into())),
    }
    if law.trivial() {
        return Ok(Number::zero());
    }
    let exact = order.as_rational();
    if let Some(g) = exact
        && Rational::from(g * &law.sensitivity).is_integer()
    {
        return Ok(Number::Exact(gaussian * g));
    }
    let scale = law.sigma2.to_f64().max(1.0).portable_log2() * 1.1
        + (order.to_f64() - 1.0).max(1e-300).portable_log2().abs()
        + 8.0;
    let value = AdaptivePrecision::new(bits, (scale as u32).saturating_add(12), budget).enclose(|work| {
        budget.check()?;
        let g = order.number(work.saturating_add(32));
        let y = fraction(&(&g * &Number::Exact(Rational::from(&law.sensitivity))), work);
        let ratio = if law.law().dual() {
            &dual_theta(&law.sigma2, &y, work) / &dual_theta(&law.sigma2, &Enclosure::zero(work), work)
        } else {
            &tail::direct_theta(&law.sigma2, &y, work) / &tail::direct_theta(&law.sigma2, &Enclosure::zero(work), work)
        };
        let less = &(&g - &Number::one()).enclosure(work);
        let shortfall = &(&ratio.ln() / less) * &Enclosure::integer(&Integer::from(law.times), work.max(64));
        Ok(&(&g * &Number::Exact(gaussian.clone())).enclosure(work) + &shortfall)
    })?;
    Ok(Number::Enclosed(value))
}

/// The difference from a nearby integer, in `[-1, 1]`.
fn fraction(x: &Number, bits: u32) -> Enclosure {
    match x {
        Number::Exact(x) => Enclosure::rational(&(x - Rational::from(x.round_ref())), bits),
        Number::Enclosed(set) => {
            let near = set.lower().to_integer().unwrap_or_default();
            set - &Enclosure::integer(&near, set.bits().max(near.significant_bits()))
        }
    }
}
