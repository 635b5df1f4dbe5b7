//! Gaussian differential privacy (Dong, Roth and Su 2022).
//!
//! **Pair.** P = N(0, 1), Q = N(mu, 1). The loss at `y` is `mu^2/2 - mu y`. The pair is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Gaussian differential privacy: the test of N(0,1) against N(mu,1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gdp {
    mu: Real,
}

impl Gdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "gdp",
        aliases: &[],
        summary: "Gaussian differential privacy: the test of N(0,1) against N(mu,1)",
        pair: "P = N(0, 1); Q = N(mu, 1)",
        example: "gdp(mu=1/2)",
        answers: "Answers are exact for the pair, which is the worst one of its class.",
        parameters: &[Parameter {
            name: "mu",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "the distance of the means, at least 0",
        }],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `mu`: at least 0.
    pub fn new(mu: Real) -> Result<Self, Error> {
        check::nonnegative("mu", &mu)?;
        Ok(Gdp { mu })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let mu = given.real("mu", 0)?;
        given.checked("mu", check::nonnegative("mu", &mu))?;
        Ok(Gdp { mu }.into())
    }

    /// The distance of the means.
    pub fn mu(&self) -> &Real {
        &self.mu
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::gaussian(self.mu.clone()))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("mu", Argument::Constant(self.mu.clone()))]
    }
}
