//! Exact binary floating-point numbers of any size: the ends of an enclosure.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    Exponent, MAX_DIGITS, MAX_EXPONENT, NumberError, canonical_string, parse_digits, parse_exponent, signed, split_sign,
};

const EXPECTED: &str = "a hex float such as 0x1.8p-3";

/// An exact `mantissa * 2^exponent`; the mantissa is odd, or both are zero.
///
/// It is written as a hex float whose leading digit is 1, with the sign of the exponent always given: `0x1.8p+1` is 3,
/// `0x0p+0` is 0. The exponent of the leading bit is within ±[`MAX_EXPONENT`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

canonical_string!(
    Dyadic,
    r"^(0x0p\+0|-?0x1(\.[0-9a-f]*[1-9a-f])?p(\+0|[+-][1-9][0-9]*))$",
    "an exact hex float of any size, such as 0x1.8p-3"
);

impl Dyadic {
    /// `mantissa * 2^exponent`, in lowest terms.
    ///
    /// # Errors
    /// If the exponent of the leading bit is beyond ±[`MAX_EXPONENT`], or if there are more than [`MAX_DIGITS`]
    /// hexadecimal digits.
    pub fn new(mantissa: BigInt, exponent: i64) -> Result<Self, NumberError> {
        let Some(zeros) = mantissa.trailing_zeros() else {
            return Ok(Self { mantissa, exponent: 0 });
        };
        let describe = || format!("a mantissa of {} bits times 2^{exponent}", mantissa.bits());
        // 64-bit counts of bits fit an i64, for the memory of no machine holds more.
        let top = i64::try_from(mantissa.bits() - 1).ok().and_then(|bits| exponent.checked_add(bits));
        match top {
            Some(top) if top.abs() <= MAX_EXPONENT => {}
            _ => return Err(NumberError::Exponent { text: describe() }),
        }
        // The first hex digit holds one bit, every other one four.
        if (mantissa.bits() - zeros - 1).div_ceil(4) >= MAX_DIGITS as u64 {
            return Err(NumberError::Digits { text: describe() });
        }
        // `exponent <= top <= MAX_EXPONENT` and `zeros <= bits`: no overflow.
        Ok(Self { mantissa: mantissa >> zeros, exponent: exponent + zeros as i64 })
    }

    /// The odd integer, or zero.
    pub fn mantissa(&self) -> &BigInt {
        &self.mantissa
    }

    /// The power of two that the mantissa is multiplied by.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The value of a double; `None` when it is not finite.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        const FRACTION: u64 = (1 << 52) - 1;
        let bits = value.to_bits();
        let biased = (bits >> 52) & 0x7ff;
        // A biased exponent of 0 means a subnormal: no implicit bit, and the exponent of biased 1.
        let magnitude = if biased == 0 { bits & FRACTION } else { (bits & FRACTION) | (1 << 52) };
        let exponent = biased.max(1) as i64 - 1075;
        Self::new(signed(value.is_sign_negative(), magnitude.into()), exponent).ok()
    }

    /// The rational as a dyadic, if its denominator is a power of two and it is within the limits.
    pub fn from_rational(value: &BigRational) -> Option<Self> {
        let shift = value.denom().trailing_zeros()?;
        let is_power_of_two = value.denom().bits() == shift + 1;
        let exponent = i64::try_from(shift).ok()?;
        if is_power_of_two { Self::new(value.numer().clone(), -exponent).ok() } else { None }
    }

    /// The tightest `lower <= value <= upper` with mantissas of at most `bits` bits.
    ///
    /// # Errors
    /// As for [`Dyadic::new`].
    pub fn enclose(value: &BigRational, bits: u32) -> Result<(Self, Self), NumberError> {
        let (n, d) = (value.numer(), value.denom());
        let bits = i64::from(bits.max(1));
        // 2^(gap-1) < |n/d| < 2^(gap+1), so one of two exponents leaves exactly `bits` bits before the point.
        let gap = n.bits() as i64 - d.bits() as i64;
        let reaches = shift(n.magnitude(), -gap.min(0)) >= shift(d.magnitude(), gap.max(0));
        let exponent = if reaches { gap + 1 - bits } else { gap - bits };
        let (floor, rest) = shift_int(n, -exponent.min(0)).div_mod_floor(&shift_int(d, exponent.max(0)));
        let ceiling = if rest.is_zero() { floor.clone() } else { &floor + 1 };
        Ok((Self::new(floor, exponent)?, Self::new(ceiling, exponent)?))
    }

    /// The exact value.
    pub fn to_rational(&self) -> BigRational {
        if self.exponent >= 0 {
            shift_int(&self.mantissa, self.exponent).into()
        } else {
            // Lowest terms already: the mantissa is odd.
            BigRational::new_raw(self.mantissa.clone(), shift_int(&BigInt::one(), -self.exponent))
        }
    }

    /// The exponent of the leading bit; meaningless for zero.
    fn top(&self) -> i64 {
        self.mantissa.bits() as i64 - 1 + self.exponent
    }
}

/// `value * 2^by` for a `by` that is not negative.
fn shift(value: &BigUint, by: i64) -> BigUint {
    value << by.unsigned_abs()
}

fn shift_int(value: &BigInt, by: i64) -> BigInt {
    value << by.unsigned_abs()
}

/// Compares exactly, without expanding exponents: only numbers of equal magnitude are aligned.
impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.mantissa.sign().cmp(&other.mantissa.sign());
        if by_sign.is_ne() || self.mantissa.is_zero() {
            return by_sign;
        }
        let magnitude = self.top().cmp(&other.top()).then_with(|| {
            let low = self.exponent.min(other.exponent);
            shift(self.mantissa.magnitude(), self.exponent - low)
                .cmp(&shift(other.mantissa.magnitude(), other.exponent - low))
        });
        if self.mantissa.is_negative() { magnitude.reverse() } else { magnitude }
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mantissa.is_zero() {
            return f.write_str("0x0p+0");
        }
        let sign = if self.mantissa.sign() == Sign::Minus { "-" } else { "" };
        // Align the bits after the leading one to whole hex digits.
        let fraction_bits = self.mantissa.bits() - 1;
        let digits =
            (self.mantissa.magnitude() << (fraction_bits.next_multiple_of(4) - fraction_bits)).to_str_radix(16);
        let fraction = digits.get(1..).unwrap_or_default();
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}0x1{point}{fraction}p{:+}", self.top())
    }
}

/// Accepts any hex float with an exponent: `0x3p4`, `0x.8p+0`, `-0X1.80P-3`.
impl FromStr for Dyadic {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let malformed = || NumberError::malformed(text, EXPECTED);
        let (negative, rest) = split_sign(text);
        let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")).ok_or_else(malformed)?;
        let (digits, exponent) = rest.split_once(['p', 'P']).ok_or_else(malformed)?;
        if digits.len() > MAX_DIGITS {
            return Err(NumberError::digits(text));
        }
        let exponent = match parse_exponent(exponent) {
            Exponent::Value(exponent) => exponent,
            Exponent::TooLarge => return Err(NumberError::exponent(text)),
            Exponent::Malformed => return Err(malformed()),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let magnitude = parse_digits(format!("{whole}{fraction}").as_bytes(), 16).ok_or_else(malformed)?;
        Self::new(signed(negative, magnitude), exponent - 4 * fraction.len() as i64)
            .map_err(|_| NumberError::exponent(text))
    }
}
