//! Numbers that are exact rationals as long as possible, and enclosures otherwise.
//!
//! A formula written over [`Number`] returns an exact fraction for rational inputs, and a proven enclosure for all
//! others.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use rug::{Integer, Rational};

use super::Enclosure;

/// An exact rational, or an enclosure of a real number.
#[derive(Clone, Debug)]
pub enum Number {
    /// An exact value.
    Exact(Rational),
    /// A real number in this enclosure.
    Enclosed(Enclosure),
}

impl Number {
    /// Exactly zero.
    pub fn zero() -> Self {
        Number::Exact(Rational::new())
    }

    /// Exactly one.
    pub fn one() -> Self {
        Number::Exact(Rational::from(1))
    }

    /// The rational, if the value is known exactly.
    pub fn exact(&self) -> Option<&Rational> {
        match self {
            Number::Exact(value) => Some(value),
            Number::Enclosed(_) => None,
        }
    }

    /// The value as an enclosure; a rational is rounded outward to `bits`.
    pub fn enclosure(&self, bits: u32) -> Enclosure {
        match self {
            Number::Exact(value) => Enclosure::rational(value, bits),
            Number::Enclosed(value) => value.clone(),
        }
    }

    /// The sign, if it is certain.
    pub fn sign(&self) -> Option<Ordering> {
        match self {
            Number::Exact(value) => Some(value.cmp0()),
            Number::Enclosed(value) => value.sign(),
        }
    }

    /// The order of two values, if it is certain.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => Some(a.cmp(b)),
            (Number::Exact(a), Number::Enclosed(b)) => compare_rational(a, b),
            (Number::Enclosed(a), Number::Exact(b)) => compare_rational(b, a).map(Ordering::reverse),
            (Number::Enclosed(a), Number::Enclosed(b)) => a.compare(b),
        }
    }

    /// `max(x, y)`.
    pub fn max(&self, other: &Self) -> Self {
        self.choose(other, Ordering::Greater, Enclosure::max)
    }

    /// `min(x, y)`.
    pub fn min(&self, other: &Self) -> Self {
        self.choose(other, Ordering::Less, Enclosure::min)
    }

    /// `max(x, 0)`.
    pub fn positive_part(&self) -> Self {
        self.max(&Number::zero())
    }

    /// `x^n`, with `x^0 = 1` for every `x`.
    pub fn pow(&self, exponent: u64) -> Self {
        match self {
            Number::Exact(value) => match i32::try_from(exponent) {
                Ok(n) => Number::Exact(Rational::from(rug::ops::Pow::pow(value, n))),
                // Only 0, 1 and -1 have such powers in memory; callers bound the size of their results first.
                Err(_) => {
                    let half = self.pow(exponent / 2);
                    let square = &half * &half;
                    if exponent % 2 == 1 { &square * self } else { square }
                }
            },
            Number::Enclosed(value) => Number::Enclosed(value.pow(exponent)),
        }
    }

    /// `e^x`; exact at 0 only.
    pub fn exp(&self, bits: u32) -> Self {
        match self {
            Number::Exact(value) if value.is_zero() => Number::one(),
            _ => Number::Enclosed(self.enclosure(bits).exp()),
        }
    }

    /// `ln x`; exact at 1 only.
    pub fn ln(&self, bits: u32) -> Self {
        match self {
            Number::Exact(value) if *value == 1 => Number::zero(),
            _ => Number::Enclosed(self.enclosure(bits).ln()),
        }
    }

    /// Square root; exact for squares of rationals.
    pub fn sqrt(&self, bits: u32) -> Self {
        match self {
            Number::Exact(value)
                if value.cmp0() != Ordering::Less
                    && value.numer().is_perfect_square()
                    && value.denom().is_perfect_square() =>
            {
                let (numer, denom) = value.clone().into_numer_denom();
                Number::Exact(Rational::from((numer.sqrt(), denom.sqrt())))
            }
            _ => Number::Enclosed(self.enclosure(bits).sqrt()),
        }
    }

    fn choose(&self, other: &Self, wins: Ordering, both: fn(&Enclosure, &Enclosure) -> Enclosure) -> Self {
        match self.compare(other) {
            Some(Ordering::Equal) => self.clone(),
            Some(order) => if order == wins { self } else { other }.clone(),
            None => {
                let bits = self.bits().max(other.bits());
                Number::Enclosed(both(&self.enclosure(bits), &other.enclosure(bits)))
            }
        }
    }

    fn bits(&self) -> u32 {
        match self {
            Number::Exact(_) => 2,
            Number::Enclosed(value) => value.bits(),
        }
    }

    fn combine(
        &self,
        other: &Self,
        exact: impl Fn(&Rational, &Rational) -> Rational,
        enclosed: impl Fn(&Enclosure, &Enclosure) -> Enclosure,
    ) -> Self {
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => Number::Exact(exact(a, b)),
            _ => {
                let bits = self.bits().max(other.bits());
                Number::Enclosed(enclosed(&self.enclosure(bits), &other.enclosure(bits)))
            }
        }
    }
}

/// The order of an exact value against every point of an enclosure; the rational is not rounded.
fn compare_rational(value: &Rational, set: &Enclosure) -> Option<Ordering> {
    if *set.lower() > *value {
        Some(Ordering::Less)
    } else if *set.upper() < *value {
        Some(Ordering::Greater)
    } else if set.is_point() {
        Some(Ordering::Equal)
    } else {
        None
    }
}

impl From<Rational> for Number {
    fn from(value: Rational) -> Self {
        Number::Exact(value)
    }
}

impl From<Integer> for Number {
    fn from(value: Integer) -> Self {
        Number::Exact(Rational::from(value))
    }
}

impl From<Enclosure> for Number {
    fn from(value: Enclosure) -> Self {
        Number::Enclosed(value)
    }
}

impl Add for &Number {
    type Output = Number;
    fn add(self, other: &Number) -> Number {
        self.combine(other, |a, b| Rational::from(a + b), |a, b| a + b)
    }
}

impl Sub for &Number {
    type Output = Number;
    fn sub(self, other: &Number) -> Number {
        self.combine(other, |a, b| Rational::from(a - b), |a, b| a - b)
    }
}

impl Mul for &Number {
    type Output = Number;
    fn mul(self, other: &Number) -> Number {
        // Zero times anything is exactly zero: enclosures hold finite numbers only.
        for value in [self, other] {
            if matches!(value, Number::Exact(x) if x.is_zero()) {
                return Number::zero();
            }
        }
        self.combine(other, |a, b| Rational::from(a * b), |a, b| a * b)
    }
}

impl Div for &Number {
    type Output = Number;
    /// A quotient; by an exact zero, which callers rule out, nothing is known of it.
    fn div(self, other: &Number) -> Number {
        match (self, other) {
            (_, Number::Exact(b)) if b.is_zero() => Number::Enclosed(Enclosure::whole(self.bits())),
            _ => self.combine(other, |a, b| Rational::from(a / b), |a, b| a / b),
        }
    }
}

impl Neg for &Number {
    type Output = Number;
    fn neg(self) -> Number {
        match self {
            Number::Exact(value) => Number::Exact(Rational::from(-value)),
            Number::Enclosed(value) => Number::Enclosed(-value),
        }
    }
}

macro_rules! by_value {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Number {
            type Output = Number;
            fn $method(self, other: Number) -> Number { (&self).$method(&other) }
        }
        impl $trait<&Number> for Number {
            type Output = Number;
            fn $method(self, other: &Number) -> Number { (&self).$method(other) }
        }
        impl $trait<Number> for &Number {
            type Output = Number;
            fn $method(self, other: Number) -> Number { self.$method(&other) }
        }
    )*};
}
by_value!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        -&self
    }
}
