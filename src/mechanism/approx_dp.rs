//! The worst (epsilon, delta)-DP mechanism.
//!
//! **Pair.** Four outcomes, `x = e^epsilon`:
//!
//! | outcome | P | Q | loss |
//! |---|---|---|---|
//! | 0 | `delta` | 0 | `+infinity` |
//! | 1 | `(1-delta) x/(1+x)` | `(1-delta)/(1+x)` | `epsilon` |
//! | 2 | `(1-delta)/(1+x)` | `(1-delta) x/(1+x)` | `-epsilon` |
//! | 3 | 0 | `delta` | `-infinity` |
//!
//! Every (epsilon, delta)-DP mechanism is a post-processing of this one (Kairouz, Oh and Viswanath, "The Composition
//! Theorem for Differential Privacy", 2017), so its composition is the optimal composition. The pair is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Worst-case (epsilon, delta)-DP mechanism, whose composition is the optimal composition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApproxDp {
    epsilon: Real,
    delta: Real,
}

impl ApproxDp {
    pub(super) const ENTRY: Entry = Entry {
        name: "approx-dp",
        aliases: &[],
        summary: "worst-case (epsilon, delta)-DP mechanism: every other one is a post-processing of it, so its powers \
                  give the optimal composition",
        pair: "P = (delta, (1-delta)x/(1+x), (1-delta)/(1+x), 0) on four outcomes, x = e^epsilon; Q = P in reverse \
               order",
        example: "approx-dp(epsilon=0.1, delta=0.001)^30",
        answers: "Answers are exact for this pair, the least private one that is (epsilon, delta)-DP.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "epsilon of the guarantee, at least 0",
            },
            Parameter {
                name: "delta",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "delta of the guarantee, the probability of infinite privacy loss, between 0 and 1",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon >= 0`, `delta` in `[0, 1]`.
    pub fn new(epsilon: Real, delta: Real) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        check::unit("delta", &delta)?;
        Ok(ApproxDp { epsilon, delta })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        given.checked("epsilon", check::nonnegative("epsilon", &epsilon))?;
        let delta = given.real("delta", 0)?;
        given.checked("delta", check::unit("delta", &delta))?;
        Ok(ApproxDp { epsilon, delta }.into())
    }

    /// The epsilon of the guarantee.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// The delta of the guarantee.
    pub fn delta(&self) -> &Real {
        &self.delta
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::response(self.epsilon.clone(), self.delta.clone())
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::Constant(self.epsilon.clone())), ("delta", Argument::Constant(self.delta.clone()))]
    }
}
