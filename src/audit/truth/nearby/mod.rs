//! Truths about parameters that were rounded to doubles, from a composition nearby that is easier.
//!
//! Discrete Gaussians with `sigma2 = 5000/73` and `5000/499` have losses on a common lattice; with the nearest doubles
//! they have no useful one, and high precision is expensive. But the rounding changed every density by a factor of
//! about `1 +- 1e-12`, outside of a set of negligible mass, and so it changed hardly anything. With `eta` and `t` the
//! sums over all runs of what [`closeness`] gives, `t = (number of runs with a tail) e^-TAIL` and `g = e^eta`, the
//! profile `delta`, its inverse and the trade-off function `beta` of the one composition are bounded by those of the
//! other:
//!
//! ```text
//! (delta(eps + 2 eta) - t)/g           <= delta'(eps)   <= g delta(eps - 2 eta) + t
//! eps(g delta + t) - 2 eta             <= eps'(delta)   <= eps((delta - t)/g) + 2 eta
//! (beta(g alpha + t) - t)/g            <= beta'(alpha)  <= g beta((alpha - t)/g) + t
//! ```
//!
//! Proof: `proofs/paper/rounded-parameters.md`.

mod closeness;

use dpcert_vectors::{Direction, Truth};
use num_rational::BigRational;
use rug::{Float, Rational};

use super::{ask, convert};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::Quantity;
use crate::vector::sessions::Sessions;
use closeness::{Closeness, TAIL, closeness};
use enclosure::{Budget, Real};

/// A composition that is easier to ask, and how close it is to the one that is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearby {
    composition: Composition,
    /// The sum of all logarithms of factors.
    eta: Rational,
    /// The sum of all masses left out.
    tail: Rational,
}

impl Nearby {
    /// From the mechanisms nearby and those that are meant, each with how often it is run. Where the closeness of two
    /// is not known, or there is no lattice to be lost, the one that is meant is taken. `None` where that changes
    /// nothing, or not enough to be worth it: one kind of mechanism alone is easy whatever its parameters are, unless
    /// it is sampled.
    pub fn new(steps: &[(Mechanism, Mechanism, u64)]) -> Option<Self> {
        let easy = match steps {
            [(mechanism, _, _)] => !matches!(mechanism, Mechanism::Poisson(_)),
            _ => false,
        };
        if easy {
            return None;
        }
        let (mut eta, mut tails) = (Rational::new(), Rational::new());
        let mut factors = Vec::new();
        for (near, meant, times) in steps {
            let close = if is_discrete(near) { closeness(near, meant) } else { None };
            let (mechanism, close) = match close {
                Some(close) => (near, close),
                None => (meant, Closeness::equal()),
            };
            eta += close.eta * Rational::from(*times);
            tails += Rational::from(if close.tail { *times } else { 0 });
            factors.push((mechanism.clone(), *times));
        }
        if eta == 0u32 || eta > Rational::from((1, 1000)) {
            return None;
        }
        // Short numbers above: e^-TAIL < 2^-TAIL.
        let eta = Float::with_val_round(64, &eta, rug::float::Round::Up).0.to_rational()?;
        let tail = tails >> TAIL;
        Some(Nearby { composition: Composition::new(factors).ok()?, eta, tail })
    }

    /// Where the answer about the composition that is meant lies; `None` for quantities of which nothing is known.
    pub fn ask(
        &self,
        quantity: &Quantity,
        direction: Direction,
        digits: u32,
        open: &Sessions,
        budget: &Budget,
    ) -> Result<Option<Truth>, Error> {
        let twice = Rational::from(&self.eta * 2u32);
        let about = |quantity: Quantity| ask(open, self.composition.clone(), quantity, direction, digits, budget);
        let shifted = |x: &Real, by: &Rational| x.add(&Real::from(by.clone()));
        let minus = |x: &Rational| Rational::from(-x);
        let truth = match quantity {
            Quantity::Delta { epsilon } => {
                let low = about(Quantity::Delta { epsilon: shifted(epsilon, &twice) })?;
                let high = about(Quantity::Delta { epsilon: shifted(epsilon, &minus(&twice)) })?;
                self.probability(&low, &high)?
            }
            Quantity::Beta { alpha } => {
                let alpha = rational_of(alpha)?;
                let above = self.raised(&alpha).min(Rational::from(1));
                let below = self.lowered(&alpha);
                let low = about(Quantity::Beta { alpha: Real::from(above) })?;
                // Below the masses left out, only what holds always: a type II error is at most 1.
                let high = if below < 0u32 { one() } else { about(Quantity::Beta { alpha: Real::from(below) })? };
                self.probability(&low, &high)?
            }
            Quantity::Epsilon { delta } => {
                let delta = rational_of(delta)?;
                let above = self.raised(&delta).min(Rational::from(1));
                let below = self.lowered(&delta);
                if below < 0u32 {
                    return Err(Error::Undecided("delta is below the truncated mass".into()));
                }
                let low = about(Quantity::Epsilon { delta: Real::from(above) })?;
                let high = about(Quantity::Epsilon { delta: Real::from(below) })?;
                match (low, high) {
                    (Truth::Within { lower, .. }, Truth::Within { upper, .. }) => {
                        let twice = convert::big_rational(&twice);
                        Truth::Within { lower: (lower - &twice).max(BigRational::default()), upper: upper + &twice }
                    }
                    (Truth::Infinite, Truth::Infinite) => Truth::Infinite,
                    _ => {
                        return Err(Error::Undecided(
                            "nearby parameters do not decide whether epsilon is infinite".into(),
                        ));
                    }
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(truth))
    }

    /// At least `e^eta x + t`.
    fn raised(&self, x: &Rational) -> Rational {
        x * self.factor() + &self.tail
    }

    /// At most `e^-eta (x - t)`, where that is not negative.
    fn lowered(&self, x: &Rational) -> Rational {
        Rational::from(x - &self.tail) / self.factor()
    }

    /// At least `e^eta`, for `eta <= 1`.
    fn factor(&self) -> Rational {
        Rational::from(&self.eta * &self.eta) + &self.eta + 1u32
    }

    /// `(low - t)/g` and `g high + t`, as far as they are probabilities.
    fn probability(&self, low: &Truth, high: &Truth) -> Result<Truth, Error> {
        let (Truth::Within { lower, .. }, Truth::Within { upper, .. }) = (low, high) else {
            return Err(Error::Undecided("probability is not finite".into()));
        };
        let lower = self.lowered(&convert::rational(lower)?).max(Rational::new());
        let upper = self.raised(&convert::rational(upper)?).min(Rational::from(1));
        Ok(Truth::Within { lower: convert::big_rational(&lower), upper: convert::big_rational(&upper) })
    }
}

/// Has it discrete losses, of which rounding may lose the lattice? All parameters of other mechanisms are as easy.
fn is_discrete(mechanism: &Mechanism) -> bool {
    match mechanism {
        Mechanism::Poisson(poisson) => is_discrete(poisson.inner()),
        Mechanism::Gaussian(_) | Mechanism::Gdp(_) | Mechanism::Laplace(_) => false,
        _ => true,
    }
}

fn one() -> Truth {
    let one = BigRational::from_integer(1.into());
    Truth::Within { lower: one.clone(), upper: one }
}

/// Doubles are rational.
fn rational_of(x: &Real) -> Result<Rational, Error> {
    x.as_rational().cloned().ok_or_else(|| Error::undecided(format!("{x} is not rational")))
}

#[cfg(test)]
mod tests;
