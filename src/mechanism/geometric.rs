//! Geometric mechanism: two-sided geometric noise on an integer query.
//!
//! **Pair.** P(j) = `(x-1)/(x+1) x^{-|j|}` on the integers, `x = e^epsilon`; Q the same shifted by `sensitivity`, an
//! integer. The loss at `j` is `epsilon (|j - sensitivity| - |j|)`. The pair is symmetric. At sensitivity 1 it has two
//! losses only, and is that of [`RandomizedResponse`](super::RandomizedResponse). There is no such noise at
//! `epsilon = 0`; the limit of the pair, two equal distributions, stands for it.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Geometric mechanism: integer noise with P(j) proportional to e^{-epsilon |j|}.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Geometric {
    epsilon: Real,
    sensitivity: u64,
}

impl Geometric {
    pub(super) const ENTRY: Entry = Entry {
        name: "geometric",
        aliases: &[],
        summary: "geometric mechanism (discrete Laplace): adds integer noise, P(j) proportional to e^{-epsilon |j|}",
        pair: "P(j) = (x-1)/(x+1) x^{-|j|}, x = e^epsilon; Q(j) = P(j - sensitivity)",
        example: "geometric(epsilon=1)",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "decay rate of the noise (1/scale), the epsilon of pure DP at sensitivity 1, at least 0",
            },
            Parameter {
                name: "scale",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("epsilon"),
                loss: Trend::Falls,
                meaning: "scale of the noise, P(j) proportional to e^{-|j|/scale}, greater than 0; replaces epsilon",
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

    /// The mechanism with these parameters. Domain: `epsilon >= 0`, `sensitivity <= 2^63`.
    pub fn new(epsilon: Real, sensitivity: u64) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        check::count("sensitivity", &Real::from(sensitivity))?;
        Ok(Geometric { epsilon, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = if given.has("scale") {
            let scale = given.real("scale", 0)?;
            given.checked("scale", check::noise("scale", &scale))?;
            given.checked("scale", Real::one().div(&scale))?
        } else {
            let epsilon = given.real("epsilon", 0)?;
            given.checked("epsilon", check::nonnegative("epsilon", &epsilon))?;
            epsilon
        };
        let sensitivity = given.checked("sensitivity", check::count("sensitivity", &given.real("sensitivity", 1)?))?;
        Ok(Geometric { epsilon, sensitivity }.into())
    }

    /// Decay rate of the noise.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Largest change of the query between neighbouring data sets.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// The pair of output distributions.
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
