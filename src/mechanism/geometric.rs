//! Two-sided geometric noise on an integer query.
//!
//! **Pair.** P(j) = `(x-1)/(x+1) x^{-|j|}` on the integers, `x = e^epsilon`; Q the same shifted by `sensitivity`, an
//! integer. The loss at `j` is `epsilon (|j - sensitivity| - |j|)`. The pair is symmetric. At sensitivity 1 it has two
//! losses only, and is that of [`RandomizedResponse`](super::RandomizedResponse). There is no such noise at
//! `epsilon = 0`; the limit of the pair, two equal distributions, stands for it.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Two-sided geometric noise, P(j) proportional to e^{-epsilon |j|}.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Geometric {
    epsilon: Real,
    sensitivity: u64,
}

impl Geometric {
    pub(super) const ENTRY: Entry = Entry {
        name: "geometric",
        aliases: &[],
        summary: "two-sided geometric noise, P(j) proportional to e^{-epsilon |j|}",
        pair: "P(j) = (x-1)/(x+1) x^{-|j|}, x = e^epsilon; Q(j) = P(j - sensitivity)",
        example: "geometric(epsilon=1)",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "the rate of decay, at least 0",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::Integer { least: 0 },
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "how far neighbours are apart, an integer",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon`: at least 0; `sensitivity`: an integer.
    pub fn new(epsilon: Real, sensitivity: u64) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        check::count("sensitivity", &Real::from(sensitivity))?;
        Ok(Geometric { epsilon, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        given.checked("epsilon", check::nonnegative("epsilon", &epsilon))?;
        let sensitivity = given.checked("sensitivity", check::count("sensitivity", &given.real("sensitivity", 1)?))?;
        Ok(Geometric { epsilon, sensitivity }.into())
    }

    /// The rate of decay.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// How far neighbours are apart.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        // Kairouz, Oh and Viswanath, section 4.4: at sensitivity 1 the half-line of one loss against that of the other.
        Pair::geometric(super::staircase::KIND, self.epsilon.clone(), self.sensitivity)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("epsilon", Argument::Constant(self.epsilon.clone())),
            ("sensitivity", Argument::Constant(Real::from(self.sensitivity))),
        ]
    }
}
