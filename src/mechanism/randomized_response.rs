//! Randomized response on one bit (Warner).
//!
//! **Pair.** With `x = e^epsilon`, P = (x/(1+x), 1/(1+x)) on the answers (0, 1), Q the reverse. The loss is `epsilon`
//! on the first answer and `-epsilon` on the second. The pair is symmetric, and is that of
//! [`ApproxDp`](super::ApproxDp) with `delta = 0`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// The truth about one bit with probability x/(1+x), x = e^epsilon, a lie otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RandomizedResponse {
    epsilon: Real,
}

impl RandomizedResponse {
    pub(super) const ENTRY: Entry = Entry {
        name: "randomized-response",
        aliases: &["randomised-response"],
        summary: "the truth about one bit with probability x/(1+x), x = e^epsilon, a lie otherwise",
        pair: "P = (x/(1+x), 1/(1+x)); Q the reverse",
        example: "randomized-response(epsilon=ln(3/2))",
        answers: "Answers are exact.",
        parameters: &[Parameter {
            name: "epsilon",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "the loss, at least 0",
        }],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon`: at least 0.
    pub fn new(epsilon: Real) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        Ok(RandomizedResponse { epsilon })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        given.checked("epsilon", check::nonnegative("epsilon", &epsilon))?;
        Ok(RandomizedResponse { epsilon }.into())
    }

    /// The loss.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::response(self.epsilon.clone(), Real::zero())
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::Constant(self.epsilon.clone()))]
    }
}
