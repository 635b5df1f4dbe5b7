//! Exponential and logarithm of narrow enclosures at half the price.
//!
//! An interval function that is evaluated at both ends costs two evaluations. When the two ends nearly agree, one
//! evaluation and the mean value theorem give almost the same set.

use std::cmp::Ordering;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use crate::{Enclosure, Number, short, work};

/// `e^x` by one exponential: with `d = upper - lower <= 1`, `e^upper <= e^lower (1 + 2d)`. A wide or unbounded argument
/// is evaluated at both ends.
pub fn exp_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let width = width(x);
    // NaN comes from an unbounded argument.
    if width.is_nan() || width > 1 {
        return x.with_bits(bits).exp();
    }
    match exp_point(x.lower(), bits) {
        Some(point) => outward(point, &width),
        None => x.with_bits(bits).exp(),
    }
}

/// `e^x - 1` by one exponential, unless x is so small that the difference would lose its accuracy.
pub fn expm1_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let is_large = |end: &Float| end.get_exp().is_some_and(|exponent| exponent > -(MORE as i32));
    if !(is_large(x.lower()) && is_large(x.upper())) {
        return x.with_bits(bits).expm1();
    }
    // The difference is at least 2^-(MORE + 1), of which the exponential is known to `bits + MORE` bits.
    let more = bits.saturating_add(2 * MORE);
    (&exp_thin(x, more) - &Enclosure::one(more)).with_bits(bits)
}

/// `ln x` by one logarithm: with `d = upper - lower`, `ln upper <= ln lower + d / lower`.
pub fn ln_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let width = width(x);
    if !(*x.lower() > 0 && width.is_finite()) {
        return x.with_bits(bits).ln();
    }
    let Some(point) = ln_point(x.lower(), bits) else { return x.with_bits(bits).ln() };
    let (lower, upper) = point.into_bounds();
    let slope = Float::with_val_round(64, &width / x.lower(), Up).0;
    let upper = Float::with_val_round(bits, &upper + &slope, Up).0;
    Enclosure::new(lower, upper)
}

/// `ln(1 + x)` by one logarithm, unless x is so small that the sum would lose its accuracy.
pub fn log1p_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let is_large = |end: &Float| end.get_exp().is_some_and(|exponent| exponent > -(MORE as i32));
    if !(is_large(x.lower()) && is_large(x.upper())) {
        return x.with_bits(bits).log1p();
    }
    // The sum is rounded by as much as a part of the logarithm's last bit.
    let one = Enclosure::one(bits.saturating_add(2 * MORE));
    ln_thin(&(&one + x), bits)
}

/// Bits by which 1 may be larger than what is added to it.
const MORE: u32 = 8;

/// `[value - pad, value + pad]` at this precision.
fn around(value: &Float, pad: &Float, bits: u32) -> Enclosure {
    let lower = Float::with_val_round(bits, value - pad, Down).0;
    Enclosure::new(lower, Float::with_val_round(bits, value + pad, Up).0)
}

/// Bits beyond those of the result, so that a value that is known to one unit is rarely rounded to two sides.
const SPARE: u32 = 4;

/// `e^x` of one number; `None` where it underflows.
fn exp_point(x: &Float, bits: u32) -> Option<Enclosure> {
    let fine = bits.saturating_add(SPARE);
    if fine <= short::MOST_BITS && x.get_exp().is_some_and(|exponent| exponent < 29) {
        // Wrong by less than 2^(1 - fine) of itself, and so is what stands for that.
        let value = short::exp(x, fine);
        let pad = Float::with_val_round(32, &value, Up).0 >> (fine - 1);
        return Some(around(&value, &pad, bits));
    }
    work::spend_function(bits);
    let mut value = x.clone();
    value.set_prec(value.prec().max(bits));
    value.exp_round(Down);
    neighbours(&value, bits)
}

/// `ln x` of one positive number; `None` where that is zero.
fn ln_point(x: &Float, bits: u32) -> Option<Enclosure> {
    let fine = bits.saturating_add(SPARE);
    if fine <= short::MOST_BITS {
        // Wrong by less than 2^-fine |ln x| + 2^-(fine + 16): by less than 2^(1 - fine) of itself where it is above
        // 2^-10.
        let value = short::ln(x, fine);
        if value.get_exp().is_some_and(|exponent| exponent > -10) {
            let pad = Float::with_val_round(32, value.abs_ref(), Up).0 >> (fine - 1);
            return Some(around(&value, &pad, bits));
        }
    }
    work::spend_function(bits);
    let mut value = x.clone();
    value.set_prec(value.prec().max(bits));
    value.ln_round(Down);
    neighbours(&value, bits)
}

/// A value rounded down: the true one lies between two neighbours of its precision, so between two of the result's.
/// `None` at zero, where the gap is not one unit in the last place.
fn neighbours(value: &Float, bits: u32) -> Option<Enclosure> {
    let lower = Float::with_val_round(bits, value, Down).0;
    if lower.is_zero() {
        return None;
    }
    let mut upper = lower.clone();
    upper.next_up();
    Some(Enclosure::new(lower, upper))
}

/// The tightest enclosure of a rational, as [`Enclosure::rational`] gives, by one quotient instead of two.
pub fn rational_thin(value: &Rational, bits: u32) -> Enclosure {
    let (lower, order) = Float::with_val_round(bits, value, Down);
    let mut upper = lower.clone();
    if order == Ordering::Less {
        upper.next_up();
    }
    Enclosure::new(lower, upper)
}

/// A number as an enclosure; a rational by one quotient.
pub fn enclosure_thin(value: &Number, bits: u32) -> Enclosure {
    match value {
        Number::Exact(value) => rational_thin(value, bits),
        Number::Enclosed(value) => value.clone(),
    }
}

/// `[lower, upper (1 + 2d)]` for a positive enclosure.
fn outward(x: Enclosure, d: &Float) -> Enclosure {
    if d.is_zero() {
        return x;
    }
    let bits = x.bits();
    let (lower, upper) = x.into_bounds();
    let twice = Float::with_val(32, d << 1u32);
    let add = Float::with_val_round(32, &upper * &twice, Up).0;
    let upper = Float::with_val_round(bits, &upper + &add, Up).0;
    Enclosure::new(lower, upper)
}

/// `upper - lower`, rounded up.
fn width(x: &Enclosure) -> Float {
    Float::with_val_round(32, x.upper() - x.lower(), Up).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_evaluation_agrees_with_two(n in -5000i64..5000, d in 1i64..700, bits in 10u32..300, loose in 3u32..400) {
            let x = Enclosure::rational(&Rational::from((n, d)), loose);
            let once = rational_thin(&Rational::from((n, d)), loose);
            prop_assert!(once.lower() == x.lower() && once.upper() == x.upper());
            let (thin, full) = (exp_thin(&x, bits), x.with_bits(bits + 40).exp());
            prop_assert!(thin.lower() <= full.lower() || x.is_point());
            prop_assert!(thin.overlaps(&full));
            // The thin set must hold the image of both ends, evaluated with more bits.
            for end in [x.lower(), x.upper()] {
                let sharp = Enclosure::new(end.clone(), end.clone()).with_bits(bits + loose + 90).exp();
                prop_assert!(thin.lower() <= sharp.upper() && sharp.lower() <= thin.upper());
            }
            if n > 0 {
                let x = Enclosure::rational(&Rational::from((n, d)), loose);
                let thin = ln_thin(&x, bits);
                for end in [x.lower(), x.upper()] {
                    let sharp = Enclosure::new(end.clone(), end.clone()).with_bits(bits + loose + 90).ln();
                    prop_assert!(thin.lower() <= sharp.upper() && sharp.lower() <= thin.upper());
                }
            }
            // Of numbers near and far from zero, and known to as many bits as these are.
            let x = if n > 0 { x } else { x.recip() };
            let (thin, wide) = (log1p_thin(&x, bits), x.with_bits(bits + loose + 90));
            let less = expm1_thin(&x, bits);
            for end in [wide.lower(), wide.upper()] {
                let sharp = Enclosure::new(end.clone(), end.clone()).expm1();
                prop_assert!(less.lower() <= sharp.upper() && sharp.lower() <= less.upper());
            }
            for end in [wide.lower(), wide.upper()].into_iter().filter(|end| **end > -1) {
                let sharp = Enclosure::new(end.clone(), end.clone()).log1p();
                prop_assert!(thin.lower() <= sharp.upper() && sharp.lower() <= thin.upper());
            }
        }
    }
}
