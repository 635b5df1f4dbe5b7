//! Gaussian differential privacy (Dong, Roth and Su 2022).
//!
//! **Pair.** P = N(0, 1), Q = N(mu, 1). The loss at `y` is `mu^2/2 - mu y`. The pair is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Gaussian differential privacy (mu-GDP): testing N(0, 1) against N(mu, 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gdp {
    mu: Real,
}

impl Gdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "gdp",
        aliases: &[],
        summary: "Gaussian differential privacy (mu-GDP): the least private mu-GDP mechanism, N(0, 1) against N(mu, 1)",
        pair: "P = N(0, 1); Q = N(mu, 1)",
        example: "gdp(mu=1/2)",
        answers: "Answers are exact for this pair, the least private one that is mu-GDP.",
        parameters: &[Parameter {
            name: "mu",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "GDP parameter, sensitivity/sigma of a Gaussian mechanism, at least 0",
        }],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `mu >= 0`.
    pub fn new(mu: Real) -> Result<Self, Error> {
        check::nonnegative("mu", &mu)?;
        Ok(Gdp { mu })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let mu = given.real("mu", 0)?;
        given.checked("mu", check::nonnegative("mu", &mu))?;
        Ok(Gdp { mu }.into())
    }

    /// The GDP parameter, the distance of the means.
    pub fn mu(&self) -> &Real {
        &self.mu
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::gaussian(self.mu.clone()))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("mu", Argument::Constant(self.mu.clone()))]
    }
}
