//! Gaussian mechanism: Gaussian noise on a real query.
//!
//! **Pair.** P = N(0, sigma^2), Q = N(sensitivity, sigma^2). The loss at `y` is `(sensitivity^2 - 2 sensitivity y)/(2
//! sigma^2)`; under P it is normal with mean `mu^2/2` and variance `mu^2`, `mu = sensitivity/sigma`. The pair is
//! symmetric, and is that of [`Gdp`](super::Gdp) with this `mu`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Gaussian mechanism: noise of standard deviation `sigma`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gaussian {
    sigma: Real,
    sensitivity: Real,
}

impl Gaussian {
    pub(super) const ENTRY: Entry = Entry {
        name: "gaussian",
        aliases: &[],
        summary: "Gaussian mechanism: adds noise N(0, sigma^2) to each coordinate of a real-valued query",
        pair: "P = N(0, sigma^2); Q = N(sensitivity, sigma^2)",
        example: "gaussian(sigma=2)^10",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "sigma",
                domain: Domain::Positive,
                presence: Presence::Required,
                loss: Trend::Falls,
                meaning: "standard deviation of the noise, greater than 0",
            },
            Parameter {
                name: "sigma2",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("sigma"),
                loss: Trend::Falls,
                meaning: "variance sigma^2 of the noise, greater than 0; replaces sigma",
            },
            Parameter {
                name: "noise-multiplier",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("sigma"),
                loss: Trend::Falls,
                meaning: "sigma divided by the sensitivity, greater than 0; replaces sigma",
            },
            Parameter {
                name: "mu",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("sigma"),
                loss: Trend::Grows,
                meaning: "GDP parameter, the sensitivity divided by sigma, greater than 0; replaces sigma",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::NonNegative,
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "L2 sensitivity: largest distance between the query's values on neighbouring data sets, \
                          at least 0",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `sigma > 0`, `sensitivity >= 0`.
    pub fn new(sigma: Real, sensitivity: Real) -> Result<Self, Error> {
        check::positive("sigma", &sigma)?;
        check::nonnegative("sensitivity", &sensitivity)?;
        Ok(Gaussian { sigma, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let name = given.alternative("sigma", &["sigma2", "noise-multiplier", "mu"]);
        let value = given.real(name, 0)?;
        given.checked(name, if name == "mu" { check::loss(name, &value) } else { check::noise(name, &value) })?;
        let sensitivity = given.real("sensitivity", 1)?;
        given.checked("sensitivity", check::nonnegative("sensitivity", &sensitivity))?;
        if matches!(name, "noise-multiplier" | "mu") {
            // Relative to a sensitivity of 0 there is no noise.
            given.checked("sensitivity", check::positive(&format!("sensitivity, with {name},"), &sensitivity))?;
        }
        let sigma = match name {
            "sigma2" => value.sqrt(),
            "noise-multiplier" => value.mul(&sensitivity),
            "mu" => sensitivity.div(&value),
            _ => Ok(value),
        };
        Ok(Gaussian { sigma: given.checked(name, sigma)?, sensitivity }.into())
    }

    /// The standard deviation of the noise.
    pub fn sigma(&self) -> &Real {
        &self.sigma
    }

    /// L2 sensitivity of the query.
    pub fn sensitivity(&self) -> &Real {
        &self.sensitivity
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::gaussian(self.sensitivity.div(&self.sigma)?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("sigma", Argument::Constant(self.sigma.clone())),
            ("sensitivity", Argument::Constant(self.sensitivity.clone())),
        ]
    }
}
