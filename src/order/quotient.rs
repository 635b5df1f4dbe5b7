//! Quotients of polynomials in `x = e^u`, as numbers that are compared at one u.
//!
//! **Order.** A quotient is positive where its numerator and its denominator have the same sign at x. The sign of a
//! polynomial is that of an enclosure of its value. If u is algebraic and not 0, x is transcendental
//! (Lindemann-Weierstrass), so that a polynomial with integer coefficients vanishes there only if it is zero. Otherwise
//! two quotients may be equal without this being found out, which is undecided.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::channel::Exact;
use crate::error::Error;
use enclosure::{Polynomial, Real};

/// Up to this precision a sign is looked for.
const SIGN_BITS: u32 = 1 << 14;

/// A quotient of polynomials in lowest terms.
#[derive(Clone, Debug)]
pub struct Quotient {
    numerator: Polynomial,
    /// With a positive leading coefficient.
    denominator: Polynomial,
    /// `x = e^unit`.
    unit: Arc<Real>,
}

impl Quotient {
    /// `numerator/denominator` at `e^unit`; the denominator is not zero.
    pub fn new(numerator: &Polynomial, denominator: &Polynomial, unit: &Arc<Real>) -> Self {
        let common = numerator.gcd(denominator);
        let negative = denominator.coefficients().last().is_some_and(|last| last.cmp0().is_lt());
        let common = if negative { -&common } else { common };
        let part = |whole: &Polynomial| whole.divide_exactly(&common).unwrap_or_else(|| whole.clone());
        Quotient { numerator: part(numerator), denominator: part(denominator), unit: unit.clone() }
    }

    fn with(&self, numerator: &Polynomial, denominator: &Polynomial) -> Self {
        Self::new(numerator, denominator, &self.unit)
    }
}

/// The sign of a polynomial at `e^unit`.
fn sign(polynomial: &Polynomial, unit: &Real) -> Result<Ordering, Error> {
    if polynomial.is_zero() {
        return Ok(Ordering::Equal);
    }
    let mut bits = 128;
    while bits <= SIGN_BITS {
        if let Some(sign) = polynomial.evaluate(&unit.exp_number(bits)).sign() {
            return Ok(sign);
        }
        bits *= 4;
    }
    Err(Error::undecided(format!("cannot decide the sign of {polynomial} at x = e^({unit})")))
}

#[cfg(test)]
impl Quotient {
    /// Its value at another x.
    pub(super) fn at(&self, x: &rug::Rational) -> rug::Rational {
        self.numerator.evaluate_rational(x) / self.denominator.evaluate_rational(x)
    }

    /// Its value at an x.
    pub(super) fn value(&self, x: &enclosure::Number) -> enclosure::Number {
        &self.numerator.evaluate(x) / &self.denominator.evaluate(x)
    }
}

impl Exact for Quotient {
    fn zero(&self) -> Self {
        self.with(&Polynomial::zero(), &Polynomial::one())
    }

    fn one(&self) -> Self {
        self.with(&Polynomial::one(), &Polynomial::one())
    }

    fn plus(&self, other: &Self) -> Self {
        let numerator = &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator);
        self.with(&numerator, &(&self.denominator * &other.denominator))
    }

    fn minus(&self, other: &Self) -> Self {
        let numerator = &(&self.numerator * &other.denominator) - &(&other.numerator * &self.denominator);
        self.with(&numerator, &(&self.denominator * &other.denominator))
    }

    fn times(&self, other: &Self) -> Self {
        self.with(&(&self.numerator * &other.numerator), &(&self.denominator * &other.denominator))
    }

    fn over(&self, other: &Self) -> Self {
        self.with(&(&self.numerator * &other.denominator), &(&self.denominator * &other.numerator))
    }

    fn sign(&self) -> Result<Ordering, Error> {
        let above = sign(&self.numerator, &self.unit)?;
        let below = sign(&self.denominator, &self.unit)?;
        Ok(if below.is_lt() { above.reverse() } else { above })
    }
}

impl fmt::Display for Quotient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == Polynomial::one() {
            return write!(f, "{}", self.numerator);
        }
        for (part, slash) in [(&self.numerator, "/"), (&self.denominator, "")] {
            if part.is_monomial() && (slash == "/" || part.degree() == Some(0)) {
                write!(f, "{part}{slash}")?;
            } else {
                write!(f, "({part}){slash}")?;
            }
        }
        Ok(())
    }
}
