//! The guarantee of pure differential privacy: any epsilon-DP mechanism.
//!
//! **Pair.** The worst case of all mechanisms that satisfy the guarantee: with `x = e^epsilon`,
//! P = (x/(1+x), 1/(1+x)), Q the reverse. Every epsilon-DP pair is a post-processing of it (Kairouz, Oh and Viswanath,
//! Theorem 2.5). So its numbers bound all of these mechanisms, alone, on a Poisson sample and in any composition, and
//! the bound is tight.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Guarantee of epsilon-DP: every mechanism that satisfies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PureDp {
    epsilon: Real,
}

impl PureDp {
    pub(super) const ENTRY: Entry = Entry {
        name: "pure-dp",
        aliases: &[],
        summary: "pure DP guarantee: any epsilon-DP mechanism",
        pair: "P = (x/(1+x), 1/(1+x)), x = e^epsilon; Q = P in reverse order, the worst case",
        example: "pure-dp(epsilon=1/2)^10",
        answers: "Answers are upper bounds for every epsilon-DP mechanism.",
        parameters: &[Parameter {
            name: "epsilon",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "epsilon of the guarantee, at least 0",
        }],
        build: Self::build,
    };

    /// The guarantee. Domain: `epsilon >= 0`.
    pub fn new(epsilon: Real) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        Ok(PureDp { epsilon })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        Ok(given.checked("epsilon", PureDp::new(epsilon))?.into())
    }

    /// The epsilon of the guarantee.
    #[cfg(feature = "generate")]
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// The worst-case pair.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::response(self.epsilon.clone(), Real::zero())
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::Constant(self.epsilon.clone()))]
    }
}
