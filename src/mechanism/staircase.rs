//! Staircase noise (Geng and Viswanath) on a query of sensitivity 1.
//!
//! **Pair.** P has the symmetric density `a b^k` on `[k, k+gamma)` and `a b^{k+1}` on `[k+gamma, k+1)`, `k >= 0`, with
//! `b = e^{-epsilon}` and `a = (1-b)/(2(gamma + b(1-gamma)))`, in units of the step 1; Q the same shifted by
//! `sensitivity`, an integer number of steps. The loss of one step is `epsilon`, `0` or `-epsilon`. The pair is
//! symmetric.

use super::catalogue::Arguments;
use super::{Argument, Entry, Kind, Mechanism, Misfit, Parameter, Presence, Real, check};
use crate::error::Error;

/// Staircase noise with steps of length 1 that fall by e^-epsilon.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Staircase {
    epsilon: Real,
    gamma: Real,
    sensitivity: u64,
}

impl Staircase {
    pub(super) const ENTRY: Entry = Entry {
        name: "staircase",
        aliases: &[],
        summary: "staircase noise with steps of length 1 that fall by e^-epsilon",
        pair: "P = staircase density; Q(y) = P(y - sensitivity)",
        example: "staircase(epsilon=1, gamma=1/2)",
        parameters: &[
            Parameter {
                name: "epsilon",
                kind: Kind::Real,
                presence: Presence::Required,
                meaning: "the logarithm of the height ratio of steps, greater than 0",
            },
            Parameter {
                name: "gamma",
                kind: Kind::Real,
                presence: Presence::Required,
                meaning: "where in a step the density falls, between 0 and 1",
            },
            Parameter {
                name: "sensitivity",
                kind: Kind::Integer,
                presence: Presence::Default("1"),
                meaning: "how many steps neighbours are apart, an integer",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon`: greater than 0; `gamma`: between 0 and 1; `sensitivity`: an integer.
    pub fn new(epsilon: Real, gamma: Real, sensitivity: u64) -> Result<Self, Error> {
        check::positive("epsilon", &epsilon)?;
        check::unit("gamma", &gamma)?;
        check::count("sensitivity", &Real::from(sensitivity))?;
        Ok(Staircase { epsilon, gamma, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        given.checked("epsilon", check::positive("epsilon", &epsilon))?;
        let gamma = given.real("gamma", 0)?;
        given.checked("gamma", check::unit("gamma", &gamma))?;
        let sensitivity = given.checked("sensitivity", check::count("sensitivity", &given.real("sensitivity", 1)?))?;
        Ok(Staircase { epsilon, gamma, sensitivity }.into())
    }

    /// The logarithm of the height ratio of steps.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Where in a step the density falls.
    pub fn gamma(&self) -> &Real {
        &self.gamma
    }

    /// How many steps neighbours are apart.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("epsilon", Argument::Constant(self.epsilon.clone())),
            ("gamma", Argument::Constant(self.gamma.clone())),
            ("sensitivity", Argument::Constant(Real::from(self.sensitivity))),
        ]
    }
}
