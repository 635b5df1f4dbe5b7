//! Polynomials in several variables with rational coefficients.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::Rational;

/// The exponents of the variables, without zeros at the end: equal monomials are equal lists.
type Monomial = Vec<u32>;

/// A polynomial: its coefficients that are not zero, by monomial. Equal polynomials are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    /// A constant.
    pub fn constant(value: &Rational) -> Self {
        let mut terms = BTreeMap::new();
        if !value.is_zero() {
            terms.insert(Vec::new(), value.clone());
        }
        Polynomial { terms }
    }

    /// The variable of this number.
    pub fn variable(i: usize) -> Self {
        let mut monomial = vec![0; i];
        monomial.push(1);
        Polynomial { terms: BTreeMap::from([(monomial, Rational::from(1))]) }
    }

    /// Is it zero?
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::new()),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// `a + factor b`.
    fn combined(&self, other: &Self, factor: i32) -> Self {
        let mut terms = self.terms.clone();
        for (monomial, coefficient) in &other.terms {
            let sum = terms.entry(monomial.clone()).or_default();
            *sum += Rational::from(coefficient * factor);
            if sum.is_zero() {
                terms.remove(monomial);
            }
        }
        Polynomial { terms }
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Self {
        self.combined(other, 1)
    }

    /// `self - other`.
    pub fn sub(&self, other: &Self) -> Self {
        self.combined(other, -1)
    }

    /// `self * other`.
    pub fn mul(&self, other: &Self) -> Self {
        let mut terms: BTreeMap<Monomial, Rational> = BTreeMap::new();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
                let mut monomial = long.clone();
                for (exponent, more) in monomial.iter_mut().zip(short) {
                    *exponent += more;
                }
                *terms.entry(monomial).or_default() += Rational::from(a * b);
            }
        }
        terms.retain(|_, coefficient| !coefficient.is_zero());
        Polynomial { terms }
    }

    /// `self^n`.
    pub fn power(&self, n: u32) -> Self {
        (0..n).fold(Self::constant(&Rational::from(1)), |power, _| power.mul(self))
    }

    /// The value at a point.
    pub fn at(&self, point: &[Rational]) -> Rational {
        let mut sum = Rational::new();
        for (monomial, coefficient) in &self.terms {
            let mut term = coefficient.clone();
            for (exponent, value) in monomial.iter().zip(point) {
                term *= Rational::from(rug::ops::Pow::pow(value, *exponent));
            }
            sum += term;
        }
        sum
    }

    /// The sign that it has wherever all variables are positive, if the signs of its coefficients show it.
    pub fn sign_if_positive(&self) -> Option<Ordering> {
        let mut signs = self.terms.values().map(Rational::cmp0);
        let Some(first) = signs.next() else { return Some(Ordering::Equal) };
        signs.all(|sign| sign == first).then_some(first)
    }
}
