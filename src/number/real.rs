//! Exact real constants: what the user wrote, with nothing rounded.

use std::cmp::Ordering;
use std::fmt;

use rug::{Integer, Rational};

use super::{Enclosure, Number};

/// An exact real constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Real {
    /// A rational.
    Rational(Rational),
    /// The natural logarithm of a positive rational.
    Ln(Rational),
}

impl Real {
    /// The value, if it is (provably) rational.
    pub fn as_rational(&self) -> Option<&Rational> {
        match self {
            Real::Rational(value) => Some(value),
            Real::Ln(_) => None,
        }
    }

    /// `e^x`, if it is (provably) rational.
    pub fn exp_rational(&self) -> Option<Rational> {
        match self {
            Real::Rational(value) if value.is_zero() => Some(Rational::from(1)),
            Real::Rational(_) => None,
            Real::Ln(value) => Some(value.clone()),
        }
    }

    /// An enclosure of the value; its width shrinks to nothing as `bits` grows.
    pub fn enclosure(&self, bits: u32) -> Enclosure {
        match self {
            Real::Rational(value) => Enclosure::rational(value, bits),
            Real::Ln(value) => Enclosure::rational(value, bits).ln(),
        }
    }

    /// Exact when provably rational, enclosed otherwise.
    pub fn number(&self, bits: u32) -> Number {
        match self.as_rational() {
            Some(value) => Number::Exact(value.clone()),
            None => Number::Enclosed(self.enclosure(bits)),
        }
    }

    /// `e^x` as a number: exact when provably rational, enclosed otherwise.
    pub fn exp_number(&self, bits: u32) -> Number {
        match self.exp_rational() {
            Some(value) => Number::Exact(value),
            None => Number::Enclosed(self.enclosure(bits).exp()),
        }
    }

    /// The sign, decided exactly where it is decidable; `None` only when undecided.
    pub fn sign(&self) -> Option<Ordering> {
        match self {
            Real::Rational(value) => Some(value.cmp0()),
            Real::Ln(value) => Some(value.cmp(&Rational::from(1))),
        }
    }

    /// A double near the value, for searches only.
    pub fn to_f64(&self) -> f64 {
        self.enclosure(64).lower().to_f64()
    }
}

impl From<Rational> for Real {
    fn from(value: Rational) -> Self {
        Real::Rational(value)
    }
}

impl From<Integer> for Real {
    fn from(value: Integer) -> Self {
        Real::Rational(Rational::from(value))
    }
}

impl From<u64> for Real {
    fn from(value: u64) -> Self {
        Real::Rational(Rational::from(value))
    }
}

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Real::Rational(value) => write!(f, "{value}"),
            Real::Ln(value) => write!(f, "ln({value})"),
        }
    }
}
