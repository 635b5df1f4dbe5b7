//! Numbers of an answer: an exact fraction, or an interval that contains the true value.
//!
//! These types only print and round, always outward. For further calculation convert them to [`Number`] of the crate
//! `enclosure`.

use std::fmt;

use rug::float::Round;
use rug::{Float, Rational};

use enclosure::decimal::{Side, decimal, double};
use enclosure::{Enclosure, Number, Real};

/// An exact rational number, in lowest terms.
///
/// It displays as `37/125`, or as `3` if it is an integer. Decimals and doubles are rounded outward.
///
/// ```
/// use dpcert::{Budget, Outcome, Quantity, Query, answer};
///
/// let query = Query::new(Quantity::Tv, "randomized-response(epsilon=ln(2))".parse()?);
/// let Outcome::Exact(third) = answer(&query, &Budget::default())?.outcome else { return Err("not exact".into()) };
/// assert_eq!((third.to_string(), third.lower(3), third.upper(3)), ("1/3".into(), "0.333".into(), "0.334".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fraction(Rational);

/// An interval that contains the true value.
///
/// It displays as `[lower, upper]`, in decimals that are rounded outward and show all proven digits.
///
/// ```
/// use dpcert::{Budget, Outcome, Quantity, Query, answer};
///
/// let query = Query::new(Quantity::Tv, "gaussian(sigma=1)".parse()?).with_digits(4);
/// let Outcome::Enclosure(tv) = answer(&query, &Budget::default())?.outcome else { return Err("no enclosure".into()) };
/// assert_eq!((tv.lower(4), tv.upper(4)), ("0.3829".into(), "0.383".into()));
/// assert!(tv.lower_f64() < tv.upper_f64());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Interval(Enclosure);

/// Outward rounding of both types.
macro_rules! roundings {
    ($name:ident) => {
        impl $name {
            /// Largest decimal with `digits` significant digits that is at most the true value.
            pub fn lower(&self, digits: u32) -> String {
                decimal(&self.into(), digits, Side::Lower)
            }

            /// Smallest decimal with `digits` significant digits that is at least the true value.
            pub fn upper(&self, digits: u32) -> String {
                decimal(&self.into(), digits, Side::Upper)
            }

            /// Largest double that is at most the true value.
            pub fn lower_f64(&self) -> f64 {
                double(&self.into(), Side::Lower)
            }

            /// Smallest double that is at least the true value.
            pub fn upper_f64(&self) -> f64 {
                double(&self.into(), Side::Upper)
            }
        }
    };
}

roundings!(Fraction);
roundings!(Interval);

impl Fraction {
    pub(crate) fn new(value: Rational) -> Self {
        Fraction(value)
    }

    pub(crate) fn value(&self) -> &Rational {
        &self.0
    }
}

impl Interval {
    /// Number of proven significant digits: the width is at most `10^-digits` times the true value. Returns `u32::MAX`
    /// for a point, and 0 for an interval around zero.
    pub fn digits(&self) -> u32 {
        match self.0.relative_bits() {
            Some(i64::MAX) => u32::MAX,
            // 2^-bits <= 10^-digits: log10(2) > 0.30102. The bits may be one too few, and so the digits.
            Some(bits) => {
                let digits = u32::try_from(bits.max(0).saturating_mul(30_102) / 100_000).unwrap_or(u32::MAX);
                let more = digits.saturating_add(1);
                if self.has(more) { more } else { digits }
            }
            None => 0,
        }
    }

    /// [`digits`](Self::digits), or `most` if that is less.
    pub(crate) fn digits_up_to(&self, most: u32) -> u32 {
        match self.0.relative_bits() {
            // log10(2) > 0.30102.
            Some(bits) if bits.saturating_mul(30_102) / 100_000 >= i64::from(most) => most,
            _ => self.digits().min(most),
        }
    }

    /// Is the difference of the ends, rounded up, at most `10^-digits` times the nearer end?
    fn has(&self, digits: u32) -> bool {
        let (lower, upper) = (self.0.lower(), self.0.upper());
        let nearest = if *lower > 0 { lower } else { upper };
        let width = Float::with_val_round(64, upper - lower, Round::Up).0;
        let scale = Float::with_val_round(64, Float::u_pow_u(10, digits), Round::Up).0;
        Float::with_val_round(64, width * scale, Round::Up).0 <= nearest.clone().abs()
    }

    #[cfg(feature = "cli")]
    pub(crate) fn set(&self) -> &Enclosure {
        &self.0
    }
}

impl From<Enclosure> for Interval {
    fn from(set: Enclosure) -> Self {
        Interval(set)
    }
}

impl From<&Fraction> for Number {
    fn from(value: &Fraction) -> Self {
        Number::Exact(value.0.clone())
    }
}

impl From<&Interval> for Number {
    fn from(value: &Interval) -> Self {
        Number::Enclosed(value.0.clone())
    }
}

/// An exact answer can be the point of the next query.
impl From<Fraction> for Real {
    fn from(value: Fraction) -> Self {
        Real::from(value.0)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One digit more than agrees shows where the ends part.
        let bits = self.0.relative_bits().unwrap_or(0).clamp(0, i64::from(self.0.bits()));
        let digits = u32::try_from(bits * 30_103 / 100_000).unwrap_or(u32::MAX) + 2;
        write!(f, "[{}, {}]", self.lower(digits), self.upper(digits))
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_rounded_outward() {
        let third = Fraction::new(Rational::from((1, 3)));
        assert_eq!((third.to_string(), third.lower(3), third.upper(3)), ("1/3".into(), "0.333".into(), "0.334".into()));
        assert!(third.lower_f64() * 3.0 <= 1.0 && third.lower_f64() < third.upper_f64());
        let set = Interval::from(Enclosure::rational(third.value(), 30));
        assert_eq!(set.to_string(), "[0.333333333, 0.3333333335]");
        assert_eq!(Interval::from(Enclosure::whole(30)).to_string(), "[-inf, inf]");
        assert_eq!(Interval::from(Enclosure::one(30)).to_string(), "[1, 1]");
        assert_eq!(Real::from(third).to_string(), "1/3");
    }
}
