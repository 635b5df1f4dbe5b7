//! Exact decimals: human-readable ends of an enclosure.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};

use super::{
    Exponent, MAX_DIGITS, MAX_EXPONENT, NumberError, canonical_string, parse_digits, parse_exponent, signed, split_sign,
};

const EXPECTED: &str = "a decimal such as 0.1 or 1.2345e-4000";

/// An exact `digits * 10^exponent`, written with one digit before the point: `1.2345e-4000`, `2.50`, `0`.
///
/// Trailing zeros are kept, because they show the requested number of digits; `5` and `5.0` are therefore not `==`.
/// Compare the values of [`Decimal::to_rational`] instead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: BigInt,
    exponent: i64,
}

canonical_string!(
    Decimal,
    r"^(0|-?[1-9](\.[0-9]+)?(e-?[1-9][0-9]*)?)$",
    "a decimal with one digit before the point, such as 1.2345e-4000"
);

impl Decimal {
    /// The number of significant digits; 1 for zero.
    pub fn significant(&self) -> usize {
        self.digits.magnitude().to_str_radix(10).len()
    }

    /// One unit in the last digit.
    pub fn unit(&self) -> BigRational {
        power_of_ten(self.exponent)
    }

    /// The largest decimal of `digits` significant digits that is not above `value`.
    ///
    /// # Errors
    /// If the exponent of the value is beyond ±[`MAX_EXPONENT`], or if more than [`MAX_DIGITS`] digits are requested.
    pub fn below(value: &BigRational, digits: u32) -> Result<Self, NumberError> {
        Self::round(value, digits, value.is_negative())
    }

    /// The smallest decimal of `digits` significant digits that is not below `value`.
    ///
    /// # Errors
    /// As [`Decimal::below`].
    pub fn above(value: &BigRational, digits: u32) -> Result<Self, NumberError> {
        Self::round(value, digits, !value.is_negative())
    }

    /// Rounds the magnitude, away from zero or towards it.
    fn round(value: &BigRational, digits: u32, away: bool) -> Result<Self, NumberError> {
        let describe = || format!("a decimal of {digits} digits near 2^{}", binary_gap(value));
        if value.is_zero() {
            return Ok(Self { digits: BigInt::zero(), exponent: 0 });
        }
        if digits == 0 || digits as usize > MAX_DIGITS {
            return Err(NumberError::Digits { text: describe() });
        }
        let digits = i64::from(digits);
        let limit: BigInt = Pow::pow(BigInt::from(10), digits.unsigned_abs());
        // The first guess is off by one or two when the magnitude is near a power of ten; each step corrects by one,
        // and there is exactly one exponent that leaves `digits` digits, so the loop ends.
        // 30103/100000 is log10(2) to six digits.
        let mut exponent = (i128::from(binary_gap(value)) * 30_103).div_euclid(100_000) as i64 + 1 - digits;
        let (mut floor, inexact) = loop {
            if exponent.saturating_add(digits - 1).abs() > MAX_EXPONENT + 2 {
                return Err(NumberError::Exponent { text: describe() });
            }
            let (n, d) = (value.numer().abs(), value.denom());
            let power: BigInt = Pow::pow(BigInt::from(10), exponent.unsigned_abs());
            let (floor, rest) = if exponent >= 0 { n.div_rem(&(d * power)) } else { (n * power).div_rem(d) };
            if floor >= limit {
                exponent += 1;
            } else if &floor * 10 < limit {
                exponent -= 1;
            } else {
                break (floor, !rest.is_zero());
            }
        };
        if away && inexact {
            floor += 1;
            if floor == limit {
                floor /= 10;
                exponent += 1;
            }
        }
        if (exponent + digits - 1).abs() > MAX_EXPONENT {
            return Err(NumberError::Exponent { text: describe() });
        }
        Ok(Self { digits: if value.is_negative() { -floor } else { floor }, exponent })
    }

    /// The exact value.
    pub fn to_rational(&self) -> BigRational {
        if self.exponent >= 0 {
            return (&self.digits * power_of_ten(self.exponent).numer()).into();
        }
        // Cancel the twos and the fives one by one: a gcd of numbers of this size would be far slower.
        let power = self.exponent.unsigned_abs();
        let mut digits = self.digits.clone();
        let twos = digits.trailing_zeros().unwrap_or(0).min(power);
        digits >>= twos;
        let mut fives = 0;
        while fives < power && !digits.is_zero() {
            let (quotient, rest) = digits.div_rem(&BigInt::from(5));
            if !rest.is_zero() {
                break;
            }
            digits = quotient;
            fives += 1;
        }
        if digits.is_zero() {
            return BigRational::zero();
        }
        let denominator: BigInt = Pow::pow(BigInt::from(5), power - fives);
        BigRational::new_raw(digits, denominator << (power - twos))
    }
}

/// `b` such that `2^(b-1) < |value| < 2^(b+1)`, for a value that is not zero.
fn binary_gap(value: &BigRational) -> i64 {
    value.numer().bits() as i64 - value.denom().bits() as i64
}

fn power_of_ten(exponent: i64) -> BigRational {
    let power: BigInt = Pow::pow(BigInt::from(10), exponent.unsigned_abs());
    if exponent >= 0 { power.into() } else { BigRational::new_raw(BigInt::one(), power) }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits.is_negative() { "-" } else { "" };
        let digits = self.digits.magnitude().to_str_radix(10);
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{sign}{first}{point}{rest}")?;
        match self.exponent + rest.len() as i64 {
            0 => Ok(()),
            exponent => write!(f, "e{exponent}"),
        }
    }
}

/// Accepts plain decimals too: `0.1`, `-12`, `1E+3`.
impl FromStr for Decimal {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let malformed = || NumberError::malformed(text, EXPECTED);
        let (negative, rest) = split_sign(text);
        let (digits, exponent) = match rest.split_once(['e', 'E']) {
            None => (rest, 0),
            Some((digits, exponent)) => match parse_exponent(exponent) {
                Exponent::Value(exponent) => (digits, exponent),
                Exponent::TooLarge => return Err(NumberError::exponent(text)),
                Exponent::Malformed => return Err(malformed()),
            },
        };
        if digits.len() > MAX_DIGITS {
            return Err(NumberError::digits(text));
        }
        let (whole, fraction) = match digits.split_once('.') {
            None => (digits, ""),
            // A point asks for digits on both sides: `.5` and `1.` are typing errors more often than numbers.
            Some((whole, fraction)) if !whole.is_empty() && !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(malformed()),
        };
        let magnitude = parse_digits(format!("{whole}{fraction}").as_bytes(), 10).ok_or_else(malformed)?;
        if magnitude.is_zero() {
            return Ok(Self { digits: BigInt::zero(), exponent: 0 });
        }
        let decimal = Self { digits: signed(negative, magnitude), exponent: exponent - fraction.len() as i64 };
        let leading = decimal.exponent + decimal.significant() as i64 - 1;
        match leading.abs().cmp(&MAX_EXPONENT) {
            Ordering::Greater => Err(NumberError::exponent(text)),
            _ => Ok(decimal),
        }
    }
}
