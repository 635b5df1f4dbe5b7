//! Discrete Gaussian noise on an integer query (Canonne, Kamath and Steinke 2020).
//!
//! **Pair.** P(j) = `e^{-j^2/(2 sigma2)}/Z` on the integers, Q the same shifted by `sensitivity`, an integer. The loss
//! at `j` is `(sensitivity^2 - 2 sensitivity j)/(2 sigma2)`, on a lattice. The pair is symmetric (reflect at
//! `sensitivity/2`). `sigma2` is the parameter of the distribution; its variance is a little smaller.

use rug::Rational;

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Discrete Gaussian mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiscreteGaussian {
    sigma2: Rational,
    sensitivity: u64,
}

impl DiscreteGaussian {
    pub(super) const ENTRY: Entry = Entry {
        name: "discrete-gaussian",
        aliases: &[],
        summary: "discrete Gaussian mechanism: adds integer noise, P(j) proportional to e^{-j^2/(2 sigma2)}",
        pair: "P = N_Z(0, sigma2); Q = N_Z(sensitivity, sigma2)",
        example: "discrete-gaussian(sigma2=120000/1729)^9",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "sigma2",
                domain: Domain::Positive,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "parameter sigma^2 of the noise (not quite its variance), rational and greater than 0",
            },
            Parameter {
                name: "sigma",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("sigma2"),
                loss: Trend::Unknown,
                meaning: "square root of sigma2, greater than 0 and with a rational square; replaces sigma2",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::Integer { least: 0 },
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "largest change of the query between neighbouring data sets, an integer of at least 0",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `sigma2 > 0`, `sensitivity <= 2^63`.
    pub fn new(sigma2: Rational, sensitivity: u64) -> Result<Self, Error> {
        check::positive("sigma2", &Real::from(sigma2.clone()))?;
        check::count("sensitivity", &Real::from(sensitivity))?;
        Ok(DiscreteGaussian { sigma2, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let name = if given.has("sigma") { "sigma" } else { "sigma2" };
        let value = given.real(name, 0)?;
        given.checked(name, check::noise(name, &value))?;
        let sigma2 = if name == "sigma" { value.square() } else { value };
        let Some(sigma2) = sigma2.as_rational() else {
            let what = if name == "sigma" { "the square of sigma" } else { "sigma2" };
            return Err(given.misfit(name, format!("{what} must be rational, so that privacy losses lie on a lattice")));
        };
        let sensitivity = given.checked("sensitivity", check::count("sensitivity", &given.real("sensitivity", 1)?))?;
        Ok(DiscreteGaussian { sigma2: sigma2.clone(), sensitivity }.into())
    }

    /// The parameter `sigma2`.
    pub fn sigma2(&self) -> &Rational {
        &self.sigma2
    }

    /// Largest change of the query between neighbouring data sets.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// All Renyi divergences of order a are at most `a rho`, `rho = sensitivity^2/(2 sigma2)`, in either direction
    /// (Canonne, Kamath and Steinke 2020, Proposition 5).
    pub(super) fn concentration(&self) -> Rational {
        let square = rug::Integer::from(self.sensitivity) * self.sensitivity;
        Rational::from((square, 2)) / &self.sigma2
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::discrete_gaussian(self.sigma2.clone(), self.sensitivity))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("sigma2", Argument::Constant(Real::from(self.sigma2.clone()))),
            ("sensitivity", Argument::Constant(Real::from(self.sensitivity))),
        ]
    }
}
