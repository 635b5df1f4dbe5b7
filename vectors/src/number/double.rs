//! Doubles, bit by bit.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{Dyadic, NumberError, canonical_string};

/// A binary64 that is not a NaN, written as a hex float; subnormals too have the leading digit 1 (`0x1p-1074`).
///
/// Equality is equality of bits: `0x0p+0` and `-0x0p+0` differ.
#[derive(Debug, Clone, Copy)]
pub struct Double(pub f64);

canonical_string!(
    Double,
    r"^(-?inf|-?0x0p\+0|-?0x1(\.[0-9a-f]{0,12}[1-9a-f])?p(\+0|[+-][1-9][0-9]{0,3}))$",
    "a double as a hex float, such as 0x1.8p-3 or inf"
);

impl PartialEq for Double {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Double {}

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex_of_f64(self.0))
    }
}

/// Accepts `inf`, `-inf` and every hex float that is exactly a double; nothing is rounded.
impl FromStr for Double {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        match text {
            "inf" => return Ok(Self(f64::INFINITY)),
            "-inf" => return Ok(Self(f64::NEG_INFINITY)),
            _ => {}
        }
        let (lower, upper) = tightest_f64(&text.parse::<Dyadic>()?.to_rational());
        if lower != upper {
            return Err(NumberError::malformed(text, "a double (too many bits or out of range)"));
        }
        // Zero is the one double whose sign the rational forgets.
        Ok(Self(if lower == 0.0 && text.starts_with('-') { -0.0 } else { lower }))
    }
}

/// The double as a hex float that parses to the same bits; `nan` for every NaN.
pub fn hex_of_f64(value: f64) -> String {
    match Dyadic::from_f64(value) {
        Some(dyadic) if value == 0.0 && value.is_sign_negative() => format!("-{dyadic}"),
        Some(dyadic) => dyadic.to_string(),
        None if value.is_nan() => "nan".to_owned(),
        None if value > 0.0 => "inf".to_owned(),
        None => "-inf".to_owned(),
    }
}

/// The largest double `<= value` and the smallest double `>= value`.
///
/// They are equal exactly when the value is a double. Beyond the largest double the upper end is `inf`; between zero
/// and the smallest double the lower end is `0.0`, never `-0.0`.
pub fn tightest_f64(value: &BigRational) -> (f64, f64) {
    let (lower, upper) = tightest_quotient(value.numer().magnitude(), value.denom().magnitude());
    // Adding zero turns -0.0 into 0.0 and changes nothing else.
    if value.is_negative() { (-upper + 0.0, -lower + 0.0) } else { (lower, upper) }
}

/// The tightest doubles around `n/d`, without reducing the fraction first; `d` must not be zero.
pub(crate) fn tightest_quotient(n: &BigUint, d: &BigUint) -> (f64, f64) {
    if n.is_zero() {
        return (0.0, 0.0);
    }
    // 2^(gap-1) < n/d < 2^(gap+1)
    let gap = n.bits() as i64 - d.bits() as i64;
    if gap > 1025 {
        return (f64::MAX, f64::INFINITY);
    }
    if gap < -1080 {
        return (0.0, f64::from_bits(1));
    }
    let scaled = |quantum: i64| {
        // n / (d * 2^quantum), rounded down, and whether something is left
        let (quotient, rest) = (n << (-quantum).max(0).unsigned_abs()).div_rem(&(d << quantum.max(0).unsigned_abs()));
        (quotient, !rest.is_zero())
    };
    let reaches = (n << (-gap).max(0).unsigned_abs()) >= (d << gap.max(0).unsigned_abs());
    let top = if reaches { gap } else { gap - 1 };
    if top > 1023 {
        return (f64::MAX, f64::INFINITY);
    }
    // Doubles of this magnitude are the multiples of 2^quantum.
    let quantum = (top - 52).max(-1074);
    let (multiple, inexact) = scaled(quantum);
    let Some(multiple) = multiple.to_u64() else {
        // Never taken, for `top` is the exponent of the leading bit and `multiple` is below 2^53.
        return (0.0, f64::INFINITY);
    };
    // The encoding of m * 2^q is (q + 1074) * 2^52 + m, for normal numbers through their implicit bit as for subnormal
    // ones; so the next double is the next encoding, across binades and up to infinity.
    let bits = ((quantum + 1074).unsigned_abs() << 52) + multiple;
    (f64::from_bits(bits), f64::from_bits(bits + u64::from(inexact)))
}
