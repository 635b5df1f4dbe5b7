//! Exponential and logarithm of narrow enclosures at half the price.
//!
//! An interval function that is evaluated at both ends costs two evaluations. When the two ends nearly agree, one
//! evaluation and the mean value theorem give almost the same set.

use std::cmp::Ordering;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use crate::number::{Enclosure, Number};

/// `e^x` by one exponential: with `d = upper - lower <= 1`, `e^upper <= e^lower (1 + 2d)`. A wide or unbounded argument
/// is evaluated at both ends.
pub fn exp_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let width = width(x);
    // NaN comes from an unbounded argument.
    if width.is_nan() || width > 1 {
        return x.with_bits(bits).exp();
    }
    let mut argument = x.lower().clone();
    if argument.prec() < bits {
        argument.set_prec(bits);
    }
    argument.exp_round(Down);
    let lower = Float::with_val_round(bits, &argument, Down).0;
    if lower.is_zero() {
        // Underflow: the gap above zero is not one unit in the last place, so say only what both ends say.
        return x.with_bits(bits).exp();
    }
    // e^lower lies between two neighbours of the argument's precision, so between two of the result's.
    let mut upper = lower.clone();
    upper.next_up();
    outward(Enclosure::new(lower, upper), &width)
}

/// `ln x` by one logarithm: with `d = upper - lower`, `ln upper <= ln lower + d / lower`.
pub fn ln_thin(x: &Enclosure, bits: u32) -> Enclosure {
    let width = width(x);
    if !(*x.lower() > 0 && width.is_finite()) {
        return x.with_bits(bits).ln();
    }
    let mut argument = x.lower().clone();
    if argument.prec() < bits {
        argument.set_prec(bits);
    }
    argument.ln_round(Down);
    let lower = Float::with_val_round(bits, &argument, Down).0;
    if lower.is_zero() {
        return x.with_bits(bits).ln();
    }
    let mut upper = lower.clone();
    upper.next_up();
    let slope = Float::with_val_round(64, &width / x.lower(), Up).0;
    let upper = Float::with_val_round(bits, &upper + &slope, Up).0;
    Enclosure::new(lower, upper)
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
        }
    }
}
