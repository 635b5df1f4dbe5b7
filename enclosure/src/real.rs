//! Exact real constants, without rounding.
//!
//! **Normal form.** A [`Real`] is a sum
//!
//! ```text
//! q + sum_j r_j sqrt(n_j) + sum_i c_i ln(a_i) + sum_k d_k E_k
//! ```
//!
//! with rational `q`, `r_j`, `c_i`, `d_k`, integers `n_j > 1` of which no product of two is a square, rationals
//! `a_i > 1` whose logarithms are linearly independent over the rationals, and opaque expressions `E_k` (exponentials,
//! products of irrationals, ...) that are compared by their form only.
//!
//! **Why zero is decided.** Without opaque expressions the sum is zero only if it is empty:
//!
//! * square roots of integers from different classes modulo squares are linearly independent over the rationals,
//!   together with 1 (Besicovitch 1940), so the algebraic part `A` is zero only if all its coefficients are;
//! * a nonempty logarithmic part is `L = ln(b)`, `b = prod a_i^{c_i}` a positive algebraic number other than 1. By
//!   Hermite and Lindemann `L` is transcendental, so `A + L` is not zero. (This is the case of rational coefficients of
//!   Baker's theorem; Baker also allows algebraic ones, which are opaque here.)
//!
//! (`proofs/paper/constants.md` has the details.)
//!
//! So a nonempty form is irrational, and raising the precision always finds its sign. To limit the time the search
//! stops (`None`) when terms cancel to [`Real::CANCELLATION_BITS`] bits. With opaque expressions there is no such
//! theorem (Schanuel's conjecture would give one), and the search stops at [`Real::SIGN_BITS`] bits.

mod atom;
mod display;
mod logs;
mod parse;
mod product;
mod roots;
#[cfg(feature = "serde")]
mod serial;

use std::cmp::Ordering;
use std::sync::Arc;

use rug::ops::Pow;
use rug::{Integer, Rational};

use self::atom::Atom;
use super::{Enclosure, Number};
use crate::Error;
use crate::special::exp_thin;

pub(crate) use self::atom::Term;
pub use self::parse::{Meter, constant, constant_atom};
#[cfg(feature = "serde")]
pub use self::serial::decimal_of;

/// An exact real constant.
///
/// `==` and hashing use the normal form. Equal forms are equal numbers; without opaque expressions, and with integers
/// of moderate size, equal numbers have equal forms. [`compare`](Real::compare) compares the values.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Real {
    rational: Rational,
    rest: Option<Arc<Rest>>,
}

/// The irrational terms, in normal form; never all empty.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Rest {
    /// `(n, r)` for `r sqrt(n)`.
    roots: Vec<(Integer, Rational)>,
    /// `(a, c)` for `c ln(a)`.
    logs: Vec<(Rational, Rational)>,
    /// `(E, d)` for `d E`.
    atoms: Vec<(Atom, Rational)>,
}

impl Rest {
    fn len(&self) -> usize {
        self.roots.len() + self.logs.len() + self.atoms.len()
    }
}

/// Bits of the numerator and denominator together.
fn size(value: &Rational) -> u64 {
    u64::from(value.numer().significant_bits()) + u64::from(value.denom().significant_bits())
}

impl Real {
    /// Largest precision, in bits, of the search for the sign of a form with opaque expressions.
    pub const SIGN_BITS: u32 = 4096;

    /// Largest cancellation, in bits, for which the sign of a form without opaque expressions is decided: differences
    /// down to `2^-CANCELLATION_BITS` of the largest term are distinguished from zero.
    pub const CANCELLATION_BITS: u32 = 1 << 19;

    /// Largest size of a rational constant in bits (numerator plus denominator).
    pub const MAX_BITS: u64 = 1 << 23;

    /// The largest size, in bits, of an `e^x` that [`exp_rational`](Real::exp_rational) computes.
    const MAX_EXP_BITS: u64 = 1 << 16;

    /// The largest exponent of an irrational base.
    const MAX_POWER: u64 = 1 << 20;

    /// The largest size, in bits, of each rational in a constant that is short.
    const SHORT_BITS: u64 = 128;

    /// The most irrational terms of a constant that is short.
    const SHORT_TERMS: usize = 2;

    /// Does the constant have few terms, each of few bits and none opaque? Then the time to enclose it depends only on
    /// the precision.
    pub fn is_short(&self) -> bool {
        let short = |value: &Rational| size(value) <= Self::SHORT_BITS;
        let rest = self.rest.as_deref();
        short(&self.rational)
            && rest.is_none_or(|rest| {
                rest.len() <= Self::SHORT_TERMS
                    && rest.atoms.is_empty()
                    && rest.logs.iter().all(|(argument, factor)| short(argument) && short(factor))
                    && rest.roots.iter().all(|(radicand, factor)| {
                        u64::from(radicand.significant_bits()) <= Self::SHORT_BITS && short(factor)
                    })
            })
    }

    /// Exactly zero.
    pub fn zero() -> Self {
        Real::from(Rational::new())
    }

    /// Exactly one.
    pub fn one() -> Self {
        Real::from(Rational::from(1))
    }

    /// A sum of terms, in normal form.
    fn from_terms(mut rational: Rational, terms: Rest) -> Self {
        let (square, roots) = roots::normalise(terms.roots);
        rational += square;
        let rest = Rest { roots, logs: logs::normalise(terms.logs), atoms: atom::normalise(terms.atoms) };
        Real { rational, rest: (rest.len() > 0).then(|| Arc::new(rest)) }
    }

    fn from_atom(atom: Atom) -> Self {
        Real::from_terms(Rational::new(), Rest { atoms: vec![(atom, Rational::from(1))], ..Rest::default() })
    }

    fn opaque(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.atoms.is_empty())
    }

    /// The rational part and the opaque terms with their coefficients; `None` if there are roots or logarithms.
    pub(crate) fn opaque_terms(&self) -> Option<(Rational, Vec<(Term, Rational)>)> {
        let Some(rest) = &self.rest else { return Some((self.rational.clone(), Vec::new())) };
        let plain = rest.roots.is_empty() && rest.logs.is_empty();
        plain.then(|| (self.rational.clone(), rest.atoms.iter().map(|(atom, c)| (atom.term(), c.clone())).collect()))
    }

    /// Is it zero in normal form?
    pub fn is_zero(&self) -> bool {
        self.rest.is_none() && self.rational.is_zero()
    }

    /// How many terms the form has; a measure of the work to evaluate it.
    fn terms(&self) -> usize {
        1 + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    /// The value, if it is (provably) rational.
    pub fn as_rational(&self) -> Option<&Rational> {
        match self.rest {
            None => Some(&self.rational),
            Some(_) => None,
        }
    }

    /// `e^x`, if it is provably rational and not extremely large.
    ///
    /// Without opaque terms `e^x` is rational if and only if `x = sum c_i ln(a_i)` with `prod a_i^{c_i}` rational. In
    /// the normal form of one logarithm `a` is not a perfect power, so this holds if and only if the coefficient is an
    /// integer.
    pub fn exp_rational(&self) -> Option<Rational> {
        let Some(rest) = &self.rest else {
            return self.rational.is_zero().then(|| Rational::from(1));
        };
        if !self.rational.is_zero() || !rest.roots.is_empty() || !rest.atoms.is_empty() {
            return None;
        }
        let mut total = 0_u64;
        let mut powers = Vec::new();
        for (base, exponent) in &rest.logs {
            let exponent = if exponent.is_integer() { exponent.numer().to_i32()? } else { return None };
            total = total.saturating_add(size(base).saturating_mul(u64::from(exponent.unsigned_abs())));
            powers.push((base, exponent));
        }
        if total > Self::MAX_EXP_BITS {
            return None;
        }
        Some(powers.into_iter().fold(Rational::from(1), |product, (base, n)| product * Rational::from(base.pow(n))))
    }

    /// An enclosure of the value. The width tends to zero as `bits` grows. A nonzero value gets about `bits` bits of
    /// relative accuracy; cancellation is compensated by more internal precision. Beyond
    /// [`CANCELLATION_BITS`](Self::CANCELLATION_BITS) bits of cancellation, and for a form with opaque terms that
    /// cannot be distinguished from zero, the enclosure contains zero and only its absolute width is small.
    pub fn enclosure(&self, bits: u32) -> Enclosure {
        let bits = bits.max(2);
        if self.rest.is_none() {
            return Enclosure::rational(&self.rational, bits);
        }
        let guard_bits = if self.opaque() { 4 * Self::SIGN_BITS } else { Self::CANCELLATION_BITS };
        let cap = bits.saturating_mul(2).saturating_add(guard_bits).min(1 << 30);
        let mut work = bits.saturating_add(16);
        loop {
            let value = self.evaluate(work);
            let proven = value.relative_bits();
            if proven.is_some_and(|proven| proven >= i64::from(bits)) || work >= cap {
                return value.with_bits(bits);
            }
            let lost = proven.map_or(i64::from(work), |proven| i64::from(bits) - proven + 8);
            work = work.saturating_add(u32::try_from(lost).unwrap_or(u32::MAX).max(16)).min(cap);
        }
    }

    /// The sum of the terms, each at `bits`.
    fn evaluate(&self, bits: u32) -> Enclosure {
        let mut sum = Enclosure::rational(&self.rational, bits);
        let Some(rest) = &self.rest else { return sum };
        for (n, c) in &rest.roots {
            sum = sum + Enclosure::rational(c, bits) * Enclosure::integer(n, bits).sqrt();
        }
        for (a, c) in &rest.logs {
            sum = sum + Enclosure::rational(c, bits) * logs::evaluate(a, bits);
        }
        for (atom, c) in &rest.atoms {
            sum = sum + Enclosure::rational(c, bits) * atom.evaluate(bits);
        }
        sum
    }

    /// The exact value if it is provably rational, otherwise an enclosure.
    pub fn number(&self, bits: u32) -> Number {
        match self.as_rational() {
            Some(value) => Number::Exact(value.clone()),
            None => Number::Enclosed(self.enclosure(bits)),
        }
    }

    /// `e^x` as a number: exact if it is provably rational, otherwise an enclosure with about `bits` bits of relative
    /// accuracy. Beyond the exponent range of MPFR, at about `x = 7 * 10^8`, the upper end is infinite; below minus
    /// that the lower end is 0.
    pub fn exp_number(&self, bits: u32) -> Number {
        if let Some(value) = self.exp_rational() {
            return Number::Exact(value);
        }
        // A relative error of e^x is an absolute error of x.
        let magnitude = self.enclosure(16);
        let exponent = [magnitude.lower(), magnitude.upper()].into_iter().filter_map(|end| end.get_exp()).max();
        let extra = exponent.map_or(0, |exponent| exponent.clamp(0, 64)).unsigned_abs();
        let work = bits.saturating_add(extra).saturating_add(4);
        Number::Enclosed(exp_thin(&self.enclosure(work), work).with_bits(bits.max(2)))
    }

    /// The sign. Without opaque terms it is decided up to [`CANCELLATION_BITS`](Self::CANCELLATION_BITS) bits of
    /// cancellation; with opaque terms it is `None` if [`SIGN_BITS`](Self::SIGN_BITS) bits do not decide it.
    pub fn sign(&self) -> Option<Ordering> {
        if self.rest.is_none() {
            return Some(self.rational.cmp0());
        }
        if !self.opaque() {
            return self.enclosure(16).sign();
        }
        let mut bits = 64;
        while bits <= Self::SIGN_BITS {
            if let Some(sign) = self.evaluate(bits).sign() {
                return Some(sign);
            }
            bits *= 4;
        }
        None
    }

    /// The order of the values; `None` only if [`sign`](Self::sign) of the difference is `None`.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self.as_rational(), other.as_rational()) {
            (Some(a), Some(b)) => Some(a.cmp(b)),
            _ => self.sub(other).sign(),
        }
    }

    /// `x + y`.
    pub fn add(&self, other: &Self) -> Self {
        if self.is_zero() {
            return other.clone();
        }
        Self::sum([self, other])
    }

    /// The sum of several constants, normalised once.
    pub fn sum<'a>(values: impl IntoIterator<Item = &'a Real>) -> Self {
        let mut rational = Rational::new();
        let mut terms = Rest::default();
        let mut parts: Vec<&Arc<Rest>> = Vec::new();
        for value in values {
            rational += &value.rational;
            parts.extend(&value.rest);
        }
        match parts.as_slice() {
            [] => Real::from(rational),
            [only] => Real { rational, rest: Some(Arc::clone(only)) },
            _ => {
                for part in parts {
                    terms.roots.extend_from_slice(&part.roots);
                    terms.logs.extend_from_slice(&part.logs);
                    terms.atoms.extend_from_slice(&part.atoms);
                }
                Self::from_terms(rational, terms)
            }
        }
    }

    /// `x - y`.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// `-x`.
    pub fn neg(&self) -> Self {
        self.mul_rational(&Rational::from(-1))
    }

    /// `x * q`.
    pub fn mul_rational(&self, factor: &Rational) -> Self {
        if *factor == 1 {
            return self.clone();
        }
        let rational = Rational::from(&self.rational * factor);
        match &self.rest {
            Some(rest) if !factor.is_zero() => {
                let mut rest = Rest::clone(rest);
                for c in rest.roots.iter_mut().map(|term| &mut term.1) {
                    *c *= factor;
                }
                for c in rest.logs.iter_mut().map(|term| &mut term.1) {
                    *c *= factor;
                }
                for c in rest.atoms.iter_mut().map(|term| &mut term.1) {
                    *c *= factor;
                }
                Real { rational, rest: Some(Arc::new(rest)) }
            }
            _ => Real::from(rational),
        }
    }

    /// `x / y`, if it is provably rational; `None` for `y = 0` as well.
    pub fn ratio(&self, other: &Self) -> Option<Rational> {
        if other.is_zero() {
            return None;
        }
        if self.is_zero() {
            return Some(Rational::new());
        }
        // Terms are linearly independent, so the quotient of any two like coefficients is the only candidate.
        let candidate = match (&self.rest, &other.rest) {
            (None, None) => return Some(Rational::from(&self.rational / &other.rational)),
            (Some(a), Some(b)) => {
                let (a, b) = match (a.roots.first(), b.roots.first(), a.logs.first(), b.logs.first()) {
                    (Some(a), Some(b), ..) => (&a.1, &b.1),
                    (_, _, Some(a), Some(b)) => (&a.1, &b.1),
                    _ => (&a.atoms.first()?.1, &b.atoms.first()?.1),
                };
                Rational::from(a / b)
            }
            _ => return None,
        };
        self.sub(&other.mul_rational(&candidate)).is_zero().then_some(candidate)
    }

    /// The rational multiple of this constant whose first coefficient is 1, or `None` for zero. Two constants with the
    /// same direction are rational multiples of each other; the converse holds as far as [`ratio`](Self::ratio) can
    /// decide.
    pub fn direction(&self) -> Option<Self> {
        let first = match &self.rest {
            None => &self.rational,
            Some(rest) => {
                let roots = rest.roots.first().map(|term| &term.1);
                roots.or(rest.logs.first().map(|term| &term.1)).or(rest.atoms.first().map(|term| &term.1))?
            }
        };
        (!first.is_zero()).then(|| self.mul_rational(&Rational::from(first.recip_ref())))
    }

    /// A double near the value, for searches only. It is never infinite or NaN, and zero only for zero: values out of
    /// range become the largest or smallest double.
    pub fn to_f64(&self) -> f64 {
        let value = self.enclosure(64);
        let (lower, upper) = (value.lower().to_f64(), value.upper().to_f64());
        let middle = if lower.is_finite() && upper.is_finite() { lower / 2.0 + upper / 2.0 } else { lower };
        match self.sign() {
            Some(Ordering::Greater) => middle.clamp(f64::from_bits(1), f64::MAX),
            Some(Ordering::Less) => middle.clamp(-f64::MAX, -f64::from_bits(1)),
            _ => 0.0,
        }
    }

    /// `x^2`; rational for the square root of a rational.
    pub fn square(&self) -> Self {
        // A product fails only by its size; an opaque square has none.
        self.mul(self).unwrap_or_else(|_| Real::from_atom(Atom::Product(vec![(self.clone(), 2)])))
    }

    /// `x * y`. Fails if the result exceeds [`MAX_BITS`](Self::MAX_BITS).
    pub fn mul(&self, other: &Self) -> Result<Self, Error> {
        product::mul(self, other)
    }

    /// `x / y`. Fails for `y = 0`, or if that cannot be decided.
    pub fn div(&self, other: &Self) -> Result<Self, Error> {
        self.mul(&product::recip(other)?)
    }

    /// `x^y`. `x^0 = 1` for every `x`; a negative base needs an integer exponent, a zero base a non-negative one.
    pub fn pow(&self, exponent: &Self) -> Result<Self, Error> {
        product::pow(self, exponent)
    }

    /// The square root. Fails for negative numbers.
    pub fn sqrt(&self) -> Result<Self, Error> {
        atom::sqrt(self)
    }

    /// The natural logarithm. Fails for zero and negative numbers.
    pub fn ln(&self) -> Result<Self, Error> {
        atom::ln(self)
    }

    /// The exponential; `exp(ln(a))` is `a`.
    pub fn exp(&self) -> Result<Self, Error> {
        atom::exp(self)
    }
}

impl From<Rational> for Real {
    fn from(rational: Rational) -> Self {
        Real { rational, rest: None }
    }
}

impl From<Integer> for Real {
    fn from(value: Integer) -> Self {
        Real::from(Rational::from(value))
    }
}

impl From<u64> for Real {
    fn from(value: u64) -> Self {
        Real::from(Rational::from(value))
    }
}

#[cfg(test)]
mod tests;
