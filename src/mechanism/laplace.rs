//! Laplace mechanism: Laplace noise on a real query.
//!
//! **Pair.** P has the density `e^{-|y|/scale}/(2 scale)`, Q the same shifted by `sensitivity`. The loss at `y` is
//! `(|y - sensitivity| - |y|)/scale`, between `-c` and `c = sensitivity/scale`. The pair is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Laplace mechanism with noise of this scale.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Laplace {
    scale: Real,
    sensitivity: Real,
}

impl Laplace {
    pub(super) const ENTRY: Entry = Entry {
        name: "laplace",
        aliases: &[],
        summary: "Laplace mechanism: adds noise of density e^{-|y|/scale}/(2 scale) to a real-valued query",
        pair: "P = Lap(0, scale); Q = Lap(sensitivity, scale)",
        example: "laplace(scale=3)",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "scale",
                domain: Domain::Positive,
                presence: Presence::Required,
                loss: Trend::Falls,
                meaning: "scale of the noise, greater than 0",
            },
            Parameter {
                name: "epsilon",
                domain: Domain::Positive,
                presence: Presence::InsteadOf("scale"),
                loss: Trend::Grows,
                meaning: "epsilon of pure DP, sensitivity/scale, greater than 0; replaces scale",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::NonNegative,
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "largest change of the query between neighbouring data sets, at least 0",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `scale > 0`, `sensitivity >= 0`.
    pub fn new(scale: Real, sensitivity: Real) -> Result<Self, Error> {
        check::positive("scale", &scale)?;
        check::nonnegative("sensitivity", &sensitivity)?;
        Ok(Laplace { scale, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let sensitivity = given.real("sensitivity", 1)?;
        if given.has("epsilon") {
            let epsilon = given.real("epsilon", 0)?;
            given.checked("epsilon", check::loss("epsilon", &epsilon))?;
            given.checked("sensitivity", check::positive("sensitivity, with epsilon,", &sensitivity))?;
            let scale = given.checked("epsilon", sensitivity.div(&epsilon))?;
            return Ok(Laplace { scale, sensitivity }.into());
        }
        let scale = given.real("scale", 0)?;
        given.checked("scale", check::noise("scale", &scale))?;
        given.checked("sensitivity", check::nonnegative("sensitivity", &sensitivity))?;
        Ok(Laplace { scale, sensitivity }.into())
    }

    /// The scale of the noise.
    pub fn scale(&self) -> &Real {
        &self.scale
    }

    /// Largest change of the query between neighbouring data sets.
    pub fn sensitivity(&self) -> &Real {
        &self.sensitivity
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::laplace(self.sensitivity.div(&self.scale)?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("scale", Argument::Constant(self.scale.clone())),
            ("sensitivity", Argument::Constant(self.sensitivity.clone())),
        ]
    }
}
