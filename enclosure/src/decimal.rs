//! Outward rounding to decimals and doubles.
//!
//! **Contract.** [`decimal`] with [`Side::Lower`] returns a decimal that is at most the value, with [`Side::Upper`] one
//! that is at least the value; both equal the value if it has at most that many digits. [`double`] returns the tightest
//! such IEEE double, including subnormal numbers and infinities.

use std::cmp::Ordering;

use rug::float::Round;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::{Enclosure, Number};

/// Direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Round towards minus infinity.
    Lower,
    /// Round towards plus infinity.
    Upper,
}

impl Side {
    fn round(self) -> Round {
        match self {
            Side::Lower => Round::Down,
            Side::Upper => Round::Up,
        }
    }
}

/// One end of a number as a decimal of at most `digits` significant digits, rounded outward.
///
/// Plain notation for moderate exponents, `d.ddde-x` otherwise; no trailing zeros.
pub fn decimal(number: &Number, digits: u32, side: Side) -> String {
    match number {
        Number::Exact(value) => decimal_of_rational(value, digits, side),
        Number::Enclosed(set) => match side {
            Side::Lower => decimal_of_float(set.lower(), digits, side),
            Side::Upper => decimal_of_float(set.upper(), digits, side),
        },
    }
}

/// The tightest double on this side of a number.
pub fn double(number: &Number, side: Side) -> f64 {
    let end = match number {
        // Rounding twice in one direction, to nested grids, is rounding once.
        Number::Exact(value) => Float::with_val_round(2200, value, side.round()).0,
        Number::Enclosed(set) => match side {
            Side::Lower => set.lower().clone(),
            Side::Upper => set.upper().clone(),
        },
    };
    end.to_f64_round(side.round())
}

fn decimal_of_float(value: &Float, digits: u32, side: Side) -> String {
    if value.is_infinite() {
        return if value.is_sign_negative() { "-inf" } else { "inf" }.to_string();
    }
    if value.is_zero() {
        return "0".to_string();
    }
    let digits = usize::try_from(digits.max(1)).unwrap_or(usize::MAX);
    let (negative, mantissa, exponent) = value.to_sign_string_exp_round(10, Some(digits), side.round());
    // MPFR's mantissa is 0.ddd; ours is d.ddd.
    layout(negative, &mantissa, i64::from(exponent.unwrap_or(0)) - 1)
}

fn decimal_of_rational(value: &Rational, digits: u32, side: Side) -> String {
    let negative = match value.cmp0() {
        Ordering::Equal => return "0".to_string(),
        Ordering::Less => true,
        Ordering::Greater => false,
    };
    let digits = digits.max(1);
    let magnitude = Rational::from(value.abs_ref());
    let away = negative == (side == Side::Lower);
    // A guess of the decimal exponent from the sizes, at most two too small; the loop corrects it upward.
    let log2 = i64::from(magnitude.numer().significant_bits()) - i64::from(magnitude.denom().significant_bits());
    let mut exponent = (log2 - 1) * 30103 / 100_000 - 2;
    loop {
        let scaled = scale_by_power_of_ten(&magnitude, i64::from(digits) - 1 - exponent);
        let mut mantissa = Integer::from(scaled.floor_ref());
        if away && scaled != mantissa {
            mantissa += 1;
        }
        let text = mantissa.to_string();
        let excess = text.len() as i64 - i64::from(digits);
        // One digit too many that is a carry (1000...0) is a correct rounding already.
        if excess <= 0 || text.trim_end_matches('0').len() <= digits as usize {
            return layout(negative, &text, exponent + excess);
        }
        exponent += excess;
    }
}

fn scale_by_power_of_ten(value: &Rational, exponent: i64) -> Rational {
    let power = Rational::from(Integer::from(10).pow(u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX)));
    if exponent >= 0 { value * power } else { value / power }
}

/// Digits `d1 d2 d3 ...` standing for `d1.d2d3... * 10^exponent`.
fn layout(negative: bool, digits: &str, exponent: i64) -> String {
    let digits = digits.trim_end_matches('0');
    let (first, rest) = digits.split_at(digits.len().min(1));
    let body = match exponent {
        -7..=-1 => format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        0..=20 => {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{digits}{}", "0".repeat(whole - digits.len()))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        _ if rest.is_empty() => format!("{first}e{exponent}"),
        _ => format!("{first}.{rest}e{exponent}"),
    };
    if negative { format!("-{body}") } else { body }
}

/// The enclosure with both ends as rationals, for exact comparisons; `None` if it is unbounded.
pub fn rational_bounds(set: &Enclosure) -> Option<(Rational, Rational)> {
    Some((set.lower().to_rational()?, set.upper().to_rational()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Number {
        Number::Exact(text.parse().expect("a rational"))
    }

    #[test]
    fn exact_decimals_print_as_themselves() {
        for side in [Side::Lower, Side::Upper] {
            assert_eq!(decimal(&exact("1/10"), 15, side), "0.1");
            assert_eq!(decimal(&exact("-5/4"), 15, side), "-1.25");
            assert_eq!(decimal(&exact("0"), 15, side), "0");
            assert_eq!(decimal(&exact("1000000"), 3, side), "1000000");
            assert_eq!(decimal(&exact("999"), 3, side), "999");
        }
    }

    #[test]
    fn rounding_is_outward() {
        assert_eq!(decimal(&exact("2/3"), 4, Side::Lower), "0.6666");
        assert_eq!(decimal(&exact("2/3"), 4, Side::Upper), "0.6667");
        assert_eq!(decimal(&exact("-2/3"), 4, Side::Lower), "-0.6667");
        assert_eq!(decimal(&exact("-2/3"), 4, Side::Upper), "-0.6666");
        assert_eq!(decimal(&exact("99999/100000"), 3, Side::Upper), "1");
        assert_eq!(decimal(&exact("99999/100000"), 3, Side::Lower), "0.999");
        assert_eq!(decimal(&exact("1/3000000000000"), 2, Side::Upper), "3.4e-13");
        assert_eq!(decimal(&exact("1999/10"), 3, Side::Upper), "200");
    }

    /// A printed decimal, read exactly.
    fn read(text: &str) -> Rational {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let integer: Integer = format!("{whole}{fraction}").parse().expect("digits");
        let exponent = exponent.parse::<i64>().expect("an exponent") - fraction.len() as i64;
        scale_by_power_of_ten(&Rational::from(integer), exponent)
    }

    #[test]
    fn every_digit_count_encloses_the_value() {
        for text in ["1/3", "12345678901234567890/7", "1/700000000000000000000", "-22/7", "1023/1024"] {
            let value: Rational = text.parse().expect("a rational");
            for digits in 1..60 {
                let end = |side| read(&decimal(&Number::Exact(value.clone()), digits, side));
                let (lower, upper) = (end(Side::Lower), end(Side::Upper));
                assert!(lower <= value && value <= upper, "{text} {digits}");
                // One unit of the last digit apart at most: 10^(1 - digits) relatively.
                let width = Rational::from(&upper - &lower);
                let unit = scale_by_power_of_ten(&Rational::from(value.abs_ref()), 1 - i64::from(digits));
                assert!(width <= unit, "{text} {digits}");
            }
        }
    }

    #[test]
    fn enclosures_print_like_rationals() {
        for text in ["1/3", "-22/7", "1/1000000007"] {
            let value: Rational = text.parse().expect("a rational");
            let set = Number::Enclosed(Enclosure::rational(&value, 400));
            for digits in 1..60 {
                for side in [Side::Lower, Side::Upper] {
                    assert_eq!(decimal(&set, digits, side), decimal(&Number::Exact(value.clone()), digits, side));
                }
            }
        }
    }

    #[test]
    fn doubles_are_the_tightest() {
        assert_eq!(double(&exact("1/10"), Side::Upper), 0.1);
        assert_eq!(double(&exact("1/10"), Side::Lower), f64::from_bits(0.1f64.to_bits() - 1));
        assert_eq!(double(&exact("1/4"), Side::Lower), 0.25);
        let tiny = Number::Exact(Rational::from((1, Integer::from(10).pow(400))));
        assert_eq!(double(&tiny, Side::Lower), 0.0);
        assert_eq!(double(&tiny, Side::Upper), f64::from_bits(1));
        let huge = Number::Exact(Rational::from(Integer::from(10).pow(400)));
        assert_eq!(double(&huge, Side::Lower), f64::MAX);
        assert_eq!(double(&huge, Side::Upper), f64::INFINITY);
    }
}
