//! Randomized response on one bit (Warner).
//!
//! **Pair.** With `x = e^epsilon`, P = (x/(1+x), 1/(1+x)) on the answers (0, 1), Q the reverse. The loss is `epsilon`
//! on the first answer and `-epsilon` on the second. The pair is symmetric, and is that of
//! [`ApproxDp`](super::ApproxDp) with `delta = 0`.

use super::catalogue::Arguments;
use super::k_randomized_response::epsilon;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Randomized response on one bit: the true bit with probability x/(1+x), x = e^epsilon, the other bit otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RandomizedResponse {
    epsilon: Real,
}

impl RandomizedResponse {
    pub(super) const ENTRY: Entry = Entry {
        name: "randomized-response",
        aliases: &["randomised-response"],
        summary: "randomized response (Warner): reports the true bit with probability x/(1+x), x = e^epsilon, and the \
                  other bit otherwise",
        pair: "P = (x/(1+x), 1/(1+x)), x = e^epsilon; Q = P in reverse order",
        example: "randomized-response(epsilon=ln(3/2))",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "epsilon of pure (local) DP, the absolute privacy loss of every report, at least 0",
            },
            Parameter {
                name: "p",
                domain: Domain::Probability,
                presence: Presence::InsteadOf("epsilon"),
                loss: Trend::Grows,
                meaning: "probability of the true bit, at least 1/2 and less than 1; replaces epsilon, which is \
                          ln(p/(1-p))",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon >= 0`.
    pub fn new(epsilon: Real) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        Ok(RandomizedResponse { epsilon })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        Ok(RandomizedResponse { epsilon: epsilon(given, 2)? }.into())
    }

    /// The epsilon of pure DP.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::response(self.epsilon.clone(), Real::zero())
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::Constant(self.epsilon.clone()))]
    }
}
