//! Laplace noise on a real query.
//!
//! **Pair.** P has the density `e^{-|y|/scale}/(2 scale)`, Q the same shifted by `sensitivity`. The loss at `y` is
//! `(|y - sensitivity| - |y|)/scale`, between `-c` and `c = sensitivity/scale`. The pair is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Laplace noise of this scale.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Laplace {
    scale: Real,
    sensitivity: Real,
}

impl Laplace {
    pub(super) const ENTRY: Entry = Entry {
        name: "laplace",
        aliases: &[],
        summary: "Laplace noise of this scale",
        pair: "P = Lap(0, scale); Q = Lap(sensitivity, scale)",
        example: "laplace(scale=3)",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "scale",
                domain: Domain::Positive,
                presence: Presence::Required,
                loss: Trend::Falls,
                meaning: "the scale of the noise, greater than 0",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::NonNegative,
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "how far neighbours are apart, at least 0",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `scale`: greater than 0; `sensitivity`: at least 0.
    pub fn new(scale: Real, sensitivity: Real) -> Result<Self, Error> {
        check::positive("scale", &scale)?;
        check::nonnegative("sensitivity", &sensitivity)?;
        Ok(Laplace { scale, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let scale = given.real("scale", 0)?;
        given.checked("scale", check::positive("scale", &scale))?;
        let sensitivity = given.real("sensitivity", 1)?;
        given.checked("sensitivity", check::nonnegative("sensitivity", &sensitivity))?;
        Ok(Laplace { scale, sensitivity }.into())
    }

    /// The scale of the noise.
    pub fn scale(&self) -> &Real {
        &self.scale
    }

    /// How far neighbours are apart.
    pub fn sensitivity(&self) -> &Real {
        &self.sensitivity
    }

    /// What it means.
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
