//! Quotients of polynomials, with the denominator in factors.
//!
//! Nothing is ever cancelled, so no gcd is needed: two quotients are equal where the numerator of their difference is
//! the zero polynomial. The factors keep denominators small, for sums take the least common one.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::Rational;

use super::Polynomial;
use crate::claim::formula::{Arithmetic, Function};
use crate::error::Error;

/// A rational function of several variables.
#[derive(Clone, Debug)]
pub struct Fraction {
    numerator: Polynomial,
    /// Polynomials that are not zero, and how often each divides.
    factors: BTreeMap<Polynomial, u32>,
}

impl Fraction {
    /// A polynomial.
    pub fn whole(numerator: Polynomial) -> Self {
        Fraction { numerator, factors: BTreeMap::new() }
    }

    /// A constant.
    pub fn constant(value: &Rational) -> Self {
        Self::whole(Polynomial::constant(value))
    }

    /// An integer.
    pub fn integer(value: i64) -> Self {
        Self::constant(&Rational::from(value))
    }

    /// The variable of this number.
    pub fn variable(i: usize) -> Self {
        Self::whole(Polynomial::variable(i))
    }

    /// Is it the zero function?
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// The value, if it is a constant and seen to be one.
    pub fn as_constant(&self) -> Option<Rational> {
        if self.is_zero() {
            return Some(Rational::new());
        }
        self.factors.is_empty().then(|| self.numerator.as_constant())?
    }

    /// The value at a point; `None` at a pole.
    pub fn at(&self, point: &[Rational]) -> Option<Rational> {
        let mut value = self.numerator.at(point);
        for (factor, times) in &self.factors {
            let by = factor.at(point);
            if by.is_zero() {
                return None;
            }
            value /= Rational::from(rug::ops::Pow::pow(&by, *times));
        }
        Some(value)
    }

    /// Is it proven, by the signs of coefficients, that it is nowhere negative where all variables are positive?
    pub fn never_negative(&self) -> bool {
        let mut sign = self.numerator.sign_if_positive();
        for (factor, times) in &self.factors {
            let own = factor.sign_if_positive();
            sign = match (sign, own) {
                (Some(sign), Some(Ordering::Greater)) => Some(sign),
                (Some(sign), Some(Ordering::Less)) => Some(if times % 2 == 1 { sign.reverse() } else { sign }),
                _ => None,
            };
        }
        sign.is_some_and(Ordering::is_ge)
    }

    /// The numerator over more factors than there are.
    fn over(&self, factors: &BTreeMap<Polynomial, u32>) -> Polynomial {
        factors.iter().fold(self.numerator.clone(), |numerator, (factor, times)| {
            let more = times - self.factors.get(factor).copied().unwrap_or(0);
            (0..more).fold(numerator, |numerator, _| numerator.mul(factor))
        })
    }

    fn combined(&self, other: &Self, combine: fn(&Polynomial, &Polynomial) -> Polynomial) -> Self {
        let mut factors = self.factors.clone();
        for (factor, times) in &other.factors {
            let own = factors.entry(factor.clone()).or_insert(0);
            *own = (*own).max(*times);
        }
        let numerator = combine(&self.over(&factors), &other.over(&factors));
        Self::normal(numerator, factors)
    }

    fn normal(numerator: Polynomial, factors: BTreeMap<Polynomial, u32>) -> Self {
        let factors = if numerator.is_zero() { BTreeMap::new() } else { factors };
        Fraction { numerator, factors }
    }

    /// `self + other`.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.combined(other, Polynomial::add)
    }

    /// `self - other`.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.combined(other, Polynomial::sub)
    }

    /// `self * other`.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let mut factors = self.factors.clone();
        for (factor, times) in &other.factors {
            *factors.entry(factor.clone()).or_insert(0) += times;
        }
        Self::normal(self.numerator.mul(&other.numerator), factors)
    }

    /// `self / other`.
    pub fn div(&self, other: &Self) -> Result<Self, Error> {
        if other.is_zero() {
            return Err(Error::Undefined("division by zero".into()));
        }
        let mut factors = self.factors.clone();
        let mut numerator = self.numerator.clone();
        // The factors of the other's denominator are multiplied up, and those shared with the own one cancel.
        for (factor, times) in &other.factors {
            let own = factors.remove(factor).unwrap_or(0);
            numerator = (0..times.saturating_sub(own)).fold(numerator, |product, _| product.mul(factor));
            if own > *times {
                factors.insert(factor.clone(), own - times);
            }
        }
        match other.numerator.as_constant() {
            Some(value) => numerator = numerator.mul(&Polynomial::constant(&value.recip())),
            None => *factors.entry(other.numerator.clone()).or_insert(0) += 1,
        }
        Ok(Self::normal(numerator, factors))
    }

    /// `self^n`.
    #[must_use]
    pub fn power(&self, n: u32) -> Self {
        let factors = self.factors.iter().map(|(factor, times)| (factor.clone(), times * n)).collect();
        let factors = if n == 0 { BTreeMap::new() } else { factors };
        Self::normal(self.numerator.power(n), factors)
    }
}

/// Formulas as rational functions; functions only where their values are rational.
pub struct Exact;

/// The variable that stands for `1/sqrt(2 pi)`, which no rational function of the others is.
const ROOT_TWO_PI: usize = 24;

impl Arithmetic for Exact {
    type Value = Fraction;
    fn number(&self, value: &Rational) -> Fraction {
        Fraction::constant(value)
    }
    fn add(&self, a: &Fraction, b: &Fraction) -> Fraction {
        a.add(b)
    }
    fn sub(&self, a: &Fraction, b: &Fraction) -> Fraction {
        a.sub(b)
    }
    fn mul(&self, a: &Fraction, b: &Fraction) -> Fraction {
        a.mul(b)
    }
    fn div(&self, a: &Fraction, b: &Fraction) -> Result<Fraction, Error> {
        a.div(b)
    }
    fn power(&self, a: &Fraction, n: u32) -> Fraction {
        a.power(n)
    }
    fn call(&self, function: Function, arguments: &[Fraction]) -> Result<Fraction, Error> {
        let constants: Vec<Option<Rational>> = arguments.iter().map(Fraction::as_constant).collect();
        let value = match (function, constants.as_slice()) {
            (Function::RootTwoPi, []) => return Ok(Fraction::variable(ROOT_TWO_PI)),
            (Function::Exp | Function::Cosh, [Some(y)]) if y.is_zero() => Some(Rational::from(1)),
            (Function::Expm1 | Function::Tanh | Function::Sinh | Function::Log1p, [Some(y)]) if y.is_zero() => {
                Some(Rational::new())
            }
            (Function::Ln, [Some(y)]) if *y == 1 => Some(Rational::new()),
            (Function::Phi, [Some(y)]) if y.is_zero() => Some(Rational::from((1, 2))),
            (Function::Density, [Some(y)]) if y.is_zero() => return Ok(Fraction::variable(ROOT_TWO_PI)),
            (Function::Sqrt, [Some(y)]) if y.cmp0().is_ge() => {
                let (numer, denom) = (y.numer().clone(), y.denom().clone());
                let square = numer.is_perfect_square() && denom.is_perfect_square();
                square.then(|| Rational::from((numer.sqrt(), denom.sqrt())))
            }
            (Function::Max, [Some(a), Some(b)]) => Some(a.max(b).clone()),
            (Function::Min, [Some(a), Some(b)]) => Some(a.min(b).clone()),
            (Function::Pos, [Some(a)]) => Some(a.clone().max(Rational::new())),
            (Function::Abs, [Some(a)]) => Some(Rational::from(a.abs_ref())),
            _ => None,
        };
        value
            .map(|value| Fraction::constant(&value))
            .ok_or_else(|| Error::Undefined(format!("{function:?} is not a rational function here")))
    }
}
