//! Samples with finitely many losses: the list of them, exact where the data are rational.
//!
//! Where the inner pair has masses `p`, `q > 0` the sample has `(1-r) q + r p` and `q`, and the loss
//! `ln(1 + r (p/q - 1))`. The inner P-mass where Q has none is revealed with probability r: loss `+infinity`, mass `r p`. The
//! inner Q-mass where P has none is not, for the record may be absent from the sample: loss `ln(1-r)`, masses `(1-r) q`
//! and `q`.

use std::cmp::Ordering;

use rug::Rational;

use crate::compose::LatticePair;
use crate::curve::FinitePair;
use crate::error::Error;
use crate::mechanism::{Mechanism, Poisson};
use enclosure::{Enclosure, Number, Real};

/// A sample with finitely many losses; its rate is strictly between 0 and 1.
#[derive(Clone)]
pub struct Discrete {
    rate: Real,
    source: Source,
}

/// The pair inside.
#[derive(Clone)]
enum Source {
    /// The worst (epsilon, delta) pair.
    ApproxDp { epsilon: Real, delta: Real },
    /// Losses on a lattice, each the mirror image of another.
    Lattice(LatticePair),
    /// Masses.
    Finite { p: Vec<Rational>, q: Vec<Rational> },
}

/// One loss and its masses, both positive.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `ln(p/q)`.
    pub loss: Enclosure,
    /// The mass under the first distribution.
    pub p: Number,
    /// The mass under the second.
    pub q: Number,
}

/// All losses. The masses `q` sum to 1: the second distribution has no mass where the first has none.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The finite losses, in no order; equal ones may appear twice.
    pub finite: Vec<Outcome>,
    /// The mass under the first distribution where the second has none.
    pub infinite: Number,
}

/// More losses than this are not listed.
const LONGEST: u64 = 4096;

impl Discrete {
    /// The sample, if it has finitely many losses (few enough to be listed) and a rate strictly between 0 and 1.
    ///
    /// # Errors
    /// Those of the pairs on lattices.
    pub fn of(poisson: &Poisson) -> Result<Option<Self>, Error> {
        let rate = poisson.rate().clone();
        let inside = [&rate, &Real::one().sub(&rate)].iter().all(|part| part.sign() == Some(Ordering::Greater));
        let short = |sensitivity: u64| u32::try_from(sensitivity).ok().filter(|_| sensitivity <= LONGEST);
        let pure = |epsilon: &Real| Source::ApproxDp { epsilon: epsilon.clone(), delta: Real::zero() };
        let source = match poisson.inner() {
            _ if !inside => None,
            Mechanism::ApproxDp(m) => Some(Source::ApproxDp { epsilon: m.epsilon().clone(), delta: m.delta().clone() }),
            Mechanism::RandomizedResponse(m) => Some(pure(m.epsilon())),
            // One more outcome in the middle changes nothing: see the mechanism.
            Mechanism::Geometric(m) if m.sensitivity() == 1 => Some(pure(m.epsilon())),
            Mechanism::Geometric(m) => match short(m.sensitivity()) {
                Some(sensitivity) if !m.epsilon().is_zero() => {
                    Some(Source::Lattice(LatticePair::geometric(m.epsilon().clone(), sensitivity)?))
                }
                _ => None,
            },
            Mechanism::Staircase(m) => match short(m.sensitivity()) {
                Some(sensitivity) => {
                    let pair = LatticePair::staircase(m.epsilon().clone(), m.gamma().clone(), sensitivity)?;
                    Some(Source::Lattice(pair))
                }
                None => None,
            },
            Mechanism::Finite(m) => Some(Source::Finite { p: m.p().to_vec(), q: m.q().to_vec() }),
            Mechanism::Gaussian(_)
            | Mechanism::Gdp(_)
            | Mechanism::Laplace(_)
            | Mechanism::DiscreteGaussian(_)
            | Mechanism::Poisson(_) => None,
        };
        Ok(source.map(|source| Discrete { rate, source }))
    }

    /// The losses to about `bits` bits, equally many and in the same order at each precision; their masses are exact
    /// where they are rational.
    ///
    /// # Errors
    /// Those of the pairs on lattices.
    pub fn outcomes(&self, bits: u32) -> Result<Outcomes, Error> {
        let rate = self.rate.number(bits);
        let mut outcomes = Outcomes { finite: Vec::new(), infinite: Number::zero() };
        let mut add = |q: Number, excess: Number, loss: Enclosure| {
            // p' = q (1 + r (p/q - 1)) = q + r (p - q)
            let p = &q + &(&rate * &excess);
            outcomes.finite.push(Outcome { loss, p, q });
        };
        let rate_set = self.rate.enclosure(bits);
        let absent = (-&rate_set).log1p();
        match &self.source {
            Source::ApproxDp { epsilon, delta } => {
                let delta = delta.number(bits);
                let kept = &Number::one() - &delta;
                if epsilon.is_zero() {
                    add(kept, Number::zero(), Enclosure::zero(bits));
                } else if kept.sign() != Some(Ordering::Equal) {
                    let down = &Number::one() / &epsilon.exp_number(bits);
                    let likely = &kept / &(&Number::one() + &down);
                    let unlikely = &likely * &down;
                    let epsilon = epsilon.enclosure(bits);
                    let loss = |l: Enclosure| (&rate_set * &l.expm1()).log1p();
                    add(unlikely.clone(), &likely - &unlikely, loss(epsilon.clone()));
                    add(likely.clone(), &unlikely - &likely, loss(-epsilon));
                }
                if delta.sign() != Some(Ordering::Equal) {
                    add(delta.clone(), -&delta, absent);
                    outcomes.infinite = &rate * &delta;
                }
            }
            Source::Lattice(pair) => {
                let losses = pair.losses(bits)?;
                // Losses come by size, and the mirror image of a loss has its Q-mass.
                for ((steps, p), (_, q)) in losses.iter().zip(losses.iter().rev()) {
                    let inner = pair.unit().mul_rational(&Rational::from(*steps)).enclosure(bits);
                    add(q.clone(), p - q, (&rate_set * &inner.expm1()).log1p());
                }
            }
            Source::Finite { p, q } => {
                let mut infinite = Rational::new();
                for (p, q) in p.iter().zip(q) {
                    match (p.is_zero(), q.is_zero()) {
                        (true, true) => {}
                        (false, true) => infinite += p,
                        _ => {
                            let ratio = Rational::from(p / q) - 1u32;
                            let loss = (&rate_set * &Enclosure::rational(&ratio, bits)).log1p();
                            add(Number::Exact(q.clone()), Number::Exact(Rational::from(p - q)), loss);
                        }
                    }
                }
                outcomes.infinite = &rate * &Number::Exact(infinite);
            }
        }
        Ok(outcomes)
    }

    /// The finite losses themselves, in the order of [`outcomes`](Self::outcomes).
    ///
    /// # Errors
    /// Those of the pairs on lattices, and of constants that grow too large.
    pub fn losses(&self) -> Result<Vec<Real>, Error> {
        // ln(1 + r (e^l - 1)) from e^l.
        let sampled =
            |ratio: Real| -> Result<Real, Error> { Real::one().add(&self.rate.mul(&ratio.sub(&Real::one()))?).ln() };
        let mut losses = Vec::new();
        match &self.source {
            Source::ApproxDp { epsilon, delta } => {
                if epsilon.is_zero() {
                    losses.push(Real::zero());
                } else if (&Number::one() - &delta.number(64)).sign() != Some(Ordering::Equal) {
                    losses.push(sampled(epsilon.exp()?)?);
                    losses.push(sampled(epsilon.neg().exp()?)?);
                }
                if delta.number(64).sign() != Some(Ordering::Equal) {
                    losses.push(sampled(Real::zero())?);
                }
            }
            Source::Lattice(pair) => {
                for (steps, _) in pair.losses(64)? {
                    losses.push(sampled(pair.unit().mul_rational(&Rational::from(steps)).exp()?)?);
                }
            }
            Source::Finite { p, q } => {
                for (p, q) in p.iter().zip(q) {
                    if !q.is_zero() {
                        losses.push(sampled(Real::from(Rational::from(p / q)))?);
                    }
                }
            }
        }
        Ok(losses)
    }

    /// The whole pair, if its masses are rational.
    pub(super) fn rational(&self) -> Result<Option<FinitePair>, Error> {
        if self.rate.as_rational().is_none() {
            return Ok(None);
        }
        let Outcomes { finite, infinite } = self.outcomes(64)?;
        let (mut p, mut q) = (Vec::new(), Vec::new());
        for outcome in &finite {
            match (outcome.p.exact(), outcome.q.exact()) {
                (Some(mass), Some(other)) => {
                    p.push(mass.clone());
                    q.push(other.clone());
                }
                _ => return Ok(None),
            }
        }
        match infinite.exact() {
            Some(mass) if mass.is_zero() => {}
            Some(mass) => {
                p.push(mass.clone());
                q.push(Rational::new());
            }
            None => return Ok(None),
        }
        FinitePair::new(p, q).map(Some)
    }

    /// `(unit, offset)` with all finite losses in `offset + unit Z`, if there are only two of them: randomised response
    /// stays on a lattice. Three losses of a sample have, in general, no common unit.
    pub fn steps(&self) -> Option<(Real, Real)> {
        let Source::ApproxDp { epsilon, delta } = &self.source else { return None };
        if epsilon.is_zero() || !delta.is_zero() {
            return None;
        }
        let ratio = |loss: &Real| {
            let excess = loss.exp().ok()?.sub(&Real::one());
            Real::one().add(&self.rate.mul(&excess).ok()?).ln().ok()
        };
        let (high, low) = (ratio(epsilon)?, ratio(&epsilon.neg())?);
        Some((high.sub(&low), low))
    }
}
