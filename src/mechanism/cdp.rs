//! The guarantee of concentrated differential privacy (Dwork and Rothblum 2016): any mechanism whose privacy loss has
//! mean at most mu and is tau-subgaussian about its mean, in both directions.
//!
//! **Pair.** None. With `E e^(t (L - E L)) <= e^(t^2 tau^2/2)` and `E L <= mu` the Renyi divergence of order `1 + t` is
//! at most `mu + t tau^2/2` for every `t > 0`. Consequences of these bounds are in `theorem/guarantee.rs`. They do not
//! use that the loss is subgaussian for negative t or about its actual mean.
//!
//! With `mu = 0` both distributions are equal, for that is their Kullback-Leibler divergence; with `tau = 0` the loss
//! is its mean, and `E e^-L = 1` at most, so that it is 0.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Guarantee of (mu, tau)-CDP: every mechanism that satisfies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cdp {
    mu: Real,
    tau: Real,
}

impl Cdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "cdp",
        aliases: &[],
        summary: "CDP guarantee (concentrated DP, Dwork and Rothblum 2016): any (mu, tau)-CDP mechanism",
        pair: "no single pair: in both directions the privacy loss has mean at most mu and is tau-subgaussian about \
               its mean, so D_(1+t) <= mu + t tau^2/2",
        example: "cdp(mu=1/8, tau=1/2)",
        answers: "Answers are upper bounds for every (mu, tau)-CDP mechanism.",
        parameters: &[
            Parameter {
                name: "mu",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "upper bound on the mean privacy loss, at least 0",
            },
            Parameter {
                name: "tau",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "subgaussian parameter of the privacy loss about its mean, at least 0",
            },
        ],
        build: Self::build,
    };

    /// The guarantee. Domain: `mu >= 0`, `tau >= 0`.
    pub fn new(mu: Real, tau: Real) -> Result<Self, Error> {
        check::nonnegative("mu", &mu)?;
        check::nonnegative("tau", &tau)?;
        Ok(Cdp { mu, tau })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let (mu, tau) = (given.real("mu", 0)?, given.real("tau", 0)?);
        given.checked("mu", check::nonnegative("mu", &mu))?;
        Ok(given.checked("tau", Cdp::new(mu, tau))?.into())
    }

    /// Upper bound on the mean privacy loss.
    pub fn mu(&self) -> &Real {
        &self.mu
    }

    /// Subgaussian parameter of the privacy loss.
    pub fn tau(&self) -> &Real {
        &self.tau
    }

    /// Are both distributions equal?
    pub fn reveals_nothing(&self) -> bool {
        self.mu.is_zero() || self.tau.is_zero()
    }

    /// Two equal distributions if nothing is revealed; otherwise an error, because a guarantee has no pair.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        if self.reveals_nothing() { Ok(Pair::Equal) } else { Err(super::no_pair(Self::ENTRY.name)) }
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("mu", Argument::Constant(self.mu.clone())), ("tau", Argument::Constant(self.tau.clone()))]
    }
}
