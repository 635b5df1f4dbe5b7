//! Opaque expressions, and the functions that make them when nothing simpler is true.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Integer, Rational};

use super::{Enclosure, Real, Rest, product, roots, size};
use crate::Error;

/// An expression that is compared by its form only.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// `e^x`.
    Exp(Arc<Real>),
    /// `ln x`, with `x > 0` proven.
    Ln(Arc<Real>),
    /// `sqrt x`, with `x >= 0` proven.
    Sqrt(Arc<Real>),
    /// A product of powers of irrationals; a base with a negative exponent is proven to be other than zero.
    Product(Vec<(Real, i64)>),
}

/// What an opaque expression is, for those who calculate with it.
pub(crate) enum Term {
    /// `e^x`.
    Exp(Real),
    /// A product of powers.
    Product(Vec<(Real, i64)>),
    /// Anything else.
    Other,
}

impl Atom {
    /// As a term; `e^(n ln x)` is a power.
    pub(super) fn term(&self) -> Term {
        match self {
            Atom::Exp(exponent) => match only_atom(exponent) {
                Some((Atom::Ln(x), n)) if n.is_integer() => match n.numer().to_i64() {
                    Some(n) => Term::Product(vec![(Real::clone(x), n)]),
                    None => Term::Other,
                },
                _ => Term::Exp(Real::clone(exponent)),
            },
            Atom::Product(factors) => Term::Product(factors.clone()),
            Atom::Ln(_) | Atom::Sqrt(_) => Term::Other,
        }
    }

    pub(super) fn evaluate(&self, bits: u32) -> Enclosure {
        match self {
            Atom::Exp(x) => x.evaluate(bits).exp(),
            Atom::Ln(x) => x.evaluate(bits).ln(),
            Atom::Sqrt(x) => x.evaluate(bits).sqrt(),
            Atom::Product(factors) => factors.iter().fold(Enclosure::one(bits), |product, (base, n)| {
                let power = base.evaluate(bits).pow(n.unsigned_abs());
                product * if *n < 0 { power.recip() } else { power }
            }),
        }
    }
}

/// Merge equal expressions, in an order of their own.
pub(super) fn normalise(terms: Vec<(Atom, Rational)>) -> Vec<(Atom, Rational)> {
    let mut distinct: Vec<(Atom, Rational)> = Vec::new();
    for (atom, c) in terms {
        match distinct.iter_mut().find(|(other, _)| *other == atom) {
            Some((_, d)) => *d += c,
            None => distinct.push((atom, c)),
        }
    }
    distinct.retain(|(_, c)| !c.is_zero());
    if distinct.len() > 1 {
        distinct.sort_by_cached_key(|(atom, _)| atom.to_string());
    }
    distinct
}

/// `x`, if it is small enough to be handled at all.
pub(super) fn bounded(x: Real) -> Result<Real, Error> {
    // What is divided by may look like zero at first; its sign was found with at most this precision.
    let precisions = [64, 512, Real::SIGN_BITS, 2 * Real::SIGN_BITS];
    if x.rest.is_none() || precisions.into_iter().any(|bits| x.evaluate(bits).is_bounded()) {
        return Ok(x);
    }
    Err(Error::input("the value is too large"))
}

/// The sign, or the error that says that it cannot be decided.
pub(super) fn decided_sign(x: &Real) -> Result<Ordering, Error> {
    x.sign().ok_or_else(|| {
        Error::undecided(format!(
            "the sign of an expression cannot be decided within {} bits; is it zero?",
            Real::SIGN_BITS
        ))
    })
}

/// The only term of `0 + c E`, if it is an opaque one.
fn only_atom(x: &Real) -> Option<(&Atom, &Rational)> {
    let rest = x.rest.as_ref()?;
    match rest.atoms.as_slice() {
        [(atom, c)] if rest.len() == 1 && x.rational.is_zero() => Some((atom, c)),
        _ => None,
    }
}

pub(super) fn sqrt(x: &Real) -> Result<Real, Error> {
    if let Some(value) = x.as_rational() {
        if value.cmp0() == Ordering::Less {
            return Err(Error::input("the square root of a negative number is not real"));
        }
        let root = roots::of_rational(value);
        return Ok(Real::from_terms(Rational::new(), Rest { roots: vec![root], ..Rest::default() }));
    }
    if let Some((Atom::Exp(y), c)) = only_atom(x)
        && c.cmp0() == Ordering::Greater
    {
        let half = exp(&y.mul_rational(&Rational::from((1, 2))))?;
        return sqrt(&Real::from(c.clone()))?.mul(&half);
    }
    match decided_sign(x)? {
        Ordering::Less => Err(Error::input("the square root of a negative number is not real")),
        _ => Ok(Real::from_atom(Atom::Sqrt(Arc::new(x.clone())))),
    }
}

pub(super) fn ln(x: &Real) -> Result<Real, Error> {
    let refused = || Err(Error::input("the logarithm is defined for positive numbers only"));
    let of =
        |a: Rational, c: Rational| Real::from_terms(Rational::new(), Rest { logs: vec![(a, c)], ..Rest::default() });
    if let Some(value) = x.as_rational() {
        return if value.cmp0() == Ordering::Greater { Ok(of(value.clone(), Rational::from(1))) } else { refused() };
    }
    if decided_sign(x)? != Ordering::Greater {
        return refused();
    }
    if let Some(rest) = &x.rest {
        // ln(r sqrt n) = ln(r^2 n)/2
        if let ([(n, r)], 1, true) = (rest.roots.as_slice(), rest.len(), x.rational.is_zero()) {
            return Ok(of(Rational::from(r.square_ref()) * n, Rational::from((1, 2))));
        }
    }
    if let Some((Atom::Exp(y), c)) = only_atom(x) {
        return Ok(of(c.clone(), Rational::from(1)).add(y));
    }
    bounded(Real::from_atom(Atom::Ln(Arc::new(x.clone()))))
}

/// `e^x`: of the logarithms, those with integers and halves as coefficients come out as powers and square roots.
pub(super) fn exp(x: &Real) -> Result<Real, Error> {
    let mut factor = Real::one();
    let mut inner = x.clone();
    for (a, c) in x.rest.iter().flat_map(|rest| &rest.logs) {
        let twice = Rational::from(c * 2);
        let Some(n) = twice.is_integer().then(|| twice.numer().to_i32()).flatten() else { continue };
        if size(a).saturating_mul(u64::from(n.unsigned_abs())) > Real::MAX_EXP_BITS {
            continue;
        }
        let power = Rational::from(rug::ops::Pow::pow(a, n));
        factor = factor.mul(&sqrt(&Real::from(power))?)?;
        let log = Rest { logs: vec![(a.clone(), Rational::from(-c))], ..Rest::default() };
        inner = inner.add(&Real::from_terms(Rational::new(), log));
    }
    if inner.is_zero() {
        return Ok(factor);
    }
    let exponential = Real::from_atom(Atom::Exp(Arc::new(inner)));
    if !exponential.evaluate(64).is_bounded() {
        return Err(Error::input("an exponential is too large"));
    }
    if factor.as_rational().is_some_and(|factor| *factor == 1) {
        return Ok(exponential);
    }
    product::mul(&exponential, &factor)
}

/// The integer, if it is one.
pub(super) fn as_integer(x: &Real) -> Option<&Integer> {
    x.as_rational().filter(|value| value.is_integer()).map(|value| value.numer())
}
