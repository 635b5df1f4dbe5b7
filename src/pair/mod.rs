//! Pairs of output distributions, P and Q, of mechanisms.
//!
//! Each mechanism translates its parameters into a [`Pair`]; all further code depends on the pair alone. Two mechanisms
//! with the same distribution of the privacy loss `L = ln(dP/dQ)` have the same pair, because no test distinguishes
//! them. Engines, divergences and the grid take pairs, never mechanisms, so a new mechanism with finitely many losses
//! needs one more file in `mechanism/` and no change here.
//!
//! | kind | P and Q | loss | mass at infinity | symmetric |
//! |---|---|---|---|---|
//! | [`Equal`](Pair::Equal) | the same | 0 | none | yes |
//! | [`Discrete`](Pair::Discrete) | finitely many outcomes | a list, maybe on a lattice | either side | by law |
//! | [`Gaussian`](Pair::Gaussian) | `N(0, 1)`, `N(mu, 1)` | normal, `N(mu^2/2, mu^2)` | none | yes |
//! | [`Laplace`](Pair::Laplace) | `Lap(0, 1)`, `Lap(c, 1)` | in `[-c, c]`, atoms at both ends | none | yes |
//! | [`DiscreteGaussian`](Pair::DiscreteGaussian) | `N_Z(0, s)`, `N_Z(D, s)` | `D (D - 2j)/(2 s)` | none | yes |
//! | [`Shuffled`](Pair::Shuffled) | counts of two kinds of reports | in `[-epsilon, epsilon]` | none | yes |
//! | [`Sample`](Pair::Sample) | `(1-r) Q + r P`, `Q` | `ln(1 + r (e^l - 1))` | of P, `r` times | no |
//! | [`Derived`](Pair::Derived) | what an operator makes of others | through their curves | by operator | by operator |
//! | [`Several`](Pair::Several) | products | sums | as that of a [`Product`] | if all are, or as a whole |
//!
//! Operations on pairs are also here: the Poisson sample ([`Pair::sampled`]), other operators ([`Derived`]), and the
//! product of independent pairs in normal form ([`Product`]), in which failures are separate and Gaussians are merged.
//! [`Ends`] holds the range of the finite losses and the masses at infinity.

mod asymmetry;
mod corners;
mod derived;
mod discrete;
mod ends;
mod finite;
mod listed;
mod loss_bound;
mod polyline;
mod powers;
mod product;
mod shuffled;
mod simplified;
mod symmetry;
mod trade_off;

use std::cmp::Ordering;

use rug::Rational;

pub use corners::Corners;
pub(crate) use derived::runs;
pub use derived::{Derived, Factors, Operator};
pub use discrete::{Discrete, Law, MassFunction, Masses, Noise, Outcome, Outcomes};
pub use ends::Ends;
pub use finite::FinitePair;
pub use listed::{List, Listed};
pub use loss_bound::LossBound;
pub use polyline::Polyline;
pub(crate) use powers::{EXACT_BITS, fits_exactly, one_minus_exp_neg, step_down};
pub use product::{Family, Part, Product};
pub use shuffled::{Clones, Shares, Shuffled};
pub(crate) use symmetry::symmetric;
pub(crate) use trade_off::not_symmetric;
pub use trade_off::{TradeOff, Vertex};

use crate::error::Error;
use enclosure::Real;

/// Two distributions, P and Q, up to equality of the privacy loss distribution.
#[derive(Clone, Debug)]
pub enum Pair {
    /// P = Q: nothing is revealed.
    Equal,
    /// Finitely many losses.
    Discrete(Discrete),
    /// `N(0, 1)` against `N(mu, 1)`, `mu > 0`.
    Gaussian {
        /// The distance of the means.
        mu: Real,
    },
    /// Laplace noise of scale 1 against itself shifted by `shift > 0`.
    Laplace {
        /// The shift.
        shift: Real,
    },
    /// `N_Z(0, sigma2)` against `N_Z(sensitivity, sigma2)`, a sensitivity of at least 1.
    DiscreteGaussian {
        /// The square of the scale.
        sigma2: Rational,
        /// The shift.
        sensitivity: u64,
    },
    /// The counts of shuffled reports.
    Shuffled(Shuffled),
    /// `(1-rate) Q + rate P` against `Q`, of a pair (P, Q) whose losses are not listed; the rate is strictly between 0
    /// and 1.
    Sample {
        /// Sampling probability of the record.
        rate: Real,
        /// The pair of the mechanism on the sample.
        inner: Box<Pair>,
    },
    /// The result of an operator on other pairs that has no simpler form.
    Derived(Derived),
    /// Two or more independent pairs with multiplicities; none of them is of this kind.
    Several(Factors),
}

impl Pair {
    /// Gaussian noise that moves by `mu >= 0` standard deviations.
    pub fn gaussian(mu: Real) -> Self {
        if mu.is_zero() { Pair::Equal } else { Pair::Gaussian { mu } }
    }

    /// Laplace noise that moves by `shift >= 0` of its scale.
    pub fn laplace(shift: Real) -> Self {
        if shift.is_zero() { Pair::Equal } else { Pair::Laplace { shift } }
    }

    /// Discrete Gaussian noise that moves by an integer.
    pub fn discrete_gaussian(sigma2: Rational, sensitivity: u64) -> Self {
        if sensitivity == 0 { Pair::Equal } else { Pair::DiscreteGaussian { sigma2, sensitivity } }
    }

    /// Shuffled reports: of few, with rational masses, their list.
    ///
    /// # Errors
    /// None, if masses add up.
    pub fn shuffled(pair: Shuffled) -> Result<Self, Error> {
        if pair.epsilon().is_zero() {
            return Ok(Pair::Equal);
        }
        Ok(pair.fractions()?.map_or(Pair::Shuffled(pair), Pair::finite))
    }

    /// The same pair, with few shuffled reports, or a sample of them, as a list.
    ///
    /// # Errors
    /// Those of the masses.
    pub fn with_listed_reports(self) -> Result<Self, Error> {
        let list = |reports: &Shuffled| Discrete::of_reports(reports).map(Pair::Discrete);
        match &self {
            Pair::Shuffled(reports) => Ok(list(reports).unwrap_or(self)),
            Pair::Sample { rate, inner } => match inner.as_ref() {
                Pair::Shuffled(reports) => list(reports).map_or(Ok(self.clone()), |list| list.sampled(rate)),
                _ => Ok(self),
            },
            _ => Ok(self),
        }
    }

    /// The worst (epsilon, delta)-DP pair.
    ///
    /// # Errors
    /// [`Error::Input`] outside of `epsilon >= 0`, `0 <= delta <= 1`.
    pub fn response(epsilon: Real, delta: Real) -> Result<Self, Error> {
        let trivial = epsilon.is_zero() && delta.is_zero();
        let pair = Discrete::response(epsilon, delta)?;
        Ok(if trivial { Pair::Equal } else { Pair::Discrete(pair) })
    }

    /// Two rational distributions.
    pub fn finite(pair: FinitePair) -> Self {
        if pair.p() == pair.q() { Pair::Equal } else { Pair::Discrete(Discrete::rational(pair)) }
    }

    /// The pair of a Poisson sample: each record is in it with probability `rate`, P has the record and Q has not.
    ///
    /// At rate 0 nothing is revealed, at rate 1 it is the pair itself. Finitely many losses stay finitely many, and
    /// rational masses rational.
    ///
    /// # Errors
    /// [`Error::Input`] for a rate outside `[0, 1]`; those of the masses.
    pub fn sampled(self, rate: &Real) -> Result<Self, Error> {
        let rest = Real::one().sub(rate).sign();
        match (self, rate.sign(), rest) {
            (_, Some(Ordering::Less) | None, _) | (_, _, Some(Ordering::Less) | None) => {
                Err(Error::input(format!("a sampling rate must be between 0 and 1, not {rate}")))
            }
            (Pair::Equal, _, _) | (_, Some(Ordering::Equal), _) => Ok(Pair::Equal),
            (pair, _, Some(Ordering::Equal)) => Ok(pair),
            (Pair::Discrete(pair), _, _) if pair.is_short() => {
                let sample = pair.sampled(rate.clone());
                Ok(Pair::Discrete(sample.fractions()?.map_or(sample, Discrete::rational)))
            }
            (pair, _, _) => Ok(Pair::Sample { rate: rate.clone(), inner: Box::new(pair) }),
        }
    }

    /// The rate and the pair inside, if this is a Poisson sample and not something simpler.
    pub fn as_sample(&self) -> Option<(&Real, Pair)> {
        match self {
            Pair::Sample { rate, inner } => Some((rate, Pair::clone(inner))),
            Pair::Discrete(pair) => match pair.law() {
                Law::Sample { rate, inner } => Some((rate, Pair::Discrete(Discrete::clone(inner)))),
                _ => None,
            },
            _ => None,
        }
    }

    /// `(epsilon, delta)` of the worst (epsilon, delta)-DP pair, if it is one.
    pub fn as_response(&self) -> Option<(Real, Real)> {
        match self {
            Pair::Equal => Some((Real::zero(), Real::zero())),
            Pair::Discrete(pair) => pair.as_response().map(|(epsilon, delta)| (epsilon.clone(), delta.clone())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
