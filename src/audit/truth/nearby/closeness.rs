//! How close a pair of distributions is to the pair of the same mechanism with parameters rounded to doubles.
//!
//! All proofs are in `proofs/paper/rounded-parameters.md`; the statement is that of [`Closeness`].

use std::cmp::Ordering;

use rug::Rational;

use crate::mechanism::Mechanism;
use enclosure::{Enclosure, Real};

/// Sets of probability below `e^-TAIL` may be left out.
pub const TAIL: u32 = 1000;

/// Bits of the enclosures that are compared.
const BITS: u32 = 192;

/// There is a set of outcomes on which both densities of one pair are within factors `e^-eta` and `e^eta` of those of
/// the other; outside of it, each of the four distributions has mass at most `e^-TAIL`, and none at all if `tail` is
/// false.
#[derive(Clone, Debug, PartialEq)]
pub struct Closeness {
    /// At least the logarithm of the factors; not above 1.
    pub eta: Rational,
    /// Is there anything outside?
    pub tail: bool,
}

impl Closeness {
    /// Of a mechanism to itself.
    pub fn equal() -> Self {
        Closeness { eta: Rational::new(), tail: false }
    }
}

/// How close both are, where that is known; never for mechanisms of different kinds.
pub fn closeness(a: &Mechanism, b: &Mechanism) -> Option<Closeness> {
    if a == b {
        return Some(Closeness::equal());
    }
    let found = match (a, b) {
        (Mechanism::RandomizedResponse(a), Mechanism::RandomizedResponse(b)) => {
            Closeness { eta: difference(a.epsilon(), b.epsilon())?, tail: false }
        }
        (Mechanism::ApproxDp(a), Mechanism::ApproxDp(b)) => {
            let of_delta = logarithm(a.delta(), b.delta())?;
            let of_rest = logarithm(&Real::one().sub(a.delta()), &Real::one().sub(b.delta()))?;
            let eta = of_delta.max(of_rest + difference(a.epsilon(), b.epsilon())?);
            Closeness { eta, tail: false }
        }
        (Mechanism::Geometric(a), Mechanism::Geometric(b)) if a.sensitivity() == b.sensitivity() => {
            let least = below(a.epsilon())?.min(below(b.epsilon())?);
            let reach = Rational::from(TAIL + 3) / least + Rational::from(a.sensitivity()) * 2u32;
            Closeness { eta: difference(a.epsilon(), b.epsilon())? * reach, tail: true }
        }
        (Mechanism::DiscreteGaussian(a), Mechanism::DiscreteGaussian(b)) if a.sensitivity() == b.sensitivity() => {
            let least = a.sigma2().clone().min(b.sigma2().clone());
            let theta = Rational::from(a.sigma2() - b.sigma2()).abs() / &least;
            let shift = Rational::from(a.sensitivity());
            let shift = Rational::from(&shift * &shift) / least;
            let radius = Rational::from(4 * (TAIL + 2)) + Rational::from(&shift * 2u32);
            Closeness { eta: theta * (radius * 2u32 + shift + 1u32), tail: true }
        }
        (Mechanism::Poisson(a), Mechanism::Poisson(b)) => {
            let inner = closeness(a.inner(), b.inner())?;
            let of_rate = logarithm(a.rate(), b.rate())?;
            let of_rest = logarithm(&Real::one().sub(a.rate()), &Real::one().sub(b.rate()))?;
            Closeness { eta: inner.eta + of_rate.max(of_rest), tail: inner.tail }
        }
        _ => return None,
    };
    (found.eta <= 1u32).then_some(found)
}

/// At least `|a - b|`.
fn difference(a: &Real, b: &Real) -> Option<Rational> {
    a.sub(b).enclosure(BITS).abs().upper().to_rational()
}

/// At least `|ln(a/b)|`, for `a, b >= 0`; none where one of them is zero, and not the other.
fn logarithm(a: &Real, b: &Real) -> Option<Rational> {
    if a.compare(b) == Some(Ordering::Equal) {
        return Some(Rational::new());
    }
    // |ln(a/b)| <= |a - b|/min(a, b)
    Some(difference(a, b)? / below(a)?.min(below(b)?))
}

/// A positive lower bound.
fn below(x: &Real) -> Option<Rational> {
    let x: Enclosure = x.enclosure(BITS);
    x.lower().to_rational().filter(|x| *x > 0u32)
}
