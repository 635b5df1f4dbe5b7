//! Exact rationals.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::{Decimal, MAX_DIGITS, NumberError, canonical_string, parse_digits, signed, split_sign};

/// An exact rational in lowest terms, written `p/q`, or `p` when it is an integer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(pub BigRational);

canonical_string!(
    Rational,
    r"^(0|-?[1-9][0-9]*(/([2-9]|[1-9][0-9]+))?)$",
    "an exact rational in lowest terms, such as 7 or -3/2"
);

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl From<BigRational> for Rational {
    fn from(value: BigRational) -> Self {
        Self(value)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Self(BigInt::from(value).into())
    }
}

/// Accepts `p/q`, integers and decimals; decimals are exact: `0.1` is 1/10.
impl FromStr for Rational {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let Some((numerator, denominator)) = text.split_once('/') else {
            return text.parse::<Decimal>().map(|decimal| Self(decimal.to_rational()));
        };
        if text.len() > MAX_DIGITS {
            return Err(NumberError::digits(text));
        }
        let (negative, numerator) = split_sign(numerator);
        match (parse_digits(numerator.as_bytes(), 10), parse_digits(denominator.as_bytes(), 10)) {
            (Some(p), Some(q)) if !q.is_zero() => Ok(Self(BigRational::new(signed(negative, p), q.into()))),
            _ => Err(NumberError::malformed(text, "a rational such as 7, -3/2 or 0.1")),
        }
    }
}

/// Compares exactly, by one cross multiplication.
///
/// The `Ord` of `BigRational` runs Euclid's algorithm, which is slow on the long numbers that tiny deltas are.
pub fn compare(a: &BigRational, b: &BigRational) -> Ordering {
    // Denominators of a BigRational are positive.
    (a.numer() * b.denom()).cmp(&(b.numer() * a.denom()))
}

/// `a - b`, not reduced, for [`compare`] and for its sign only: a gcd of long numbers costs far more than the rest.
pub(crate) fn difference(a: &BigRational, b: &BigRational) -> BigRational {
    BigRational::new_raw(a.numer() * b.denom() - b.numer() * a.denom(), a.denom() * b.denom())
}
