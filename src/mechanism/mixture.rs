//! One of several compositions, drawn at random, and told which one it was.
//!
//! **Pair.** `P = sum_i w_i P_i` and `Q = sum_i w_i Q_i` on outcomes *with the index i*: whoever sees the output sees
//! which composition was run. Then `H_x(P,Q) = sum_i w_i H_x(P_i,Q_i)`, and a most powerful test spends its type I
//! error where it is worth most: `T(P,Q)(alpha) = min { sum w_i f_i(alpha_i) : sum w_i alpha_i = alpha
//! }`. Where the index is *not* seen, outputs of different compositions may be mistaken for each other: the
//! hockey-stick divergence is jointly convex, so that mechanism is at least as private as this pair, and how much more
//! depends on the outputs, of which a trade-off function knows nothing. (Su's inequality 4.1 is the same convexity, at
//! equal thresholds.)
//!
//! Symmetric if all parts are.

use super::catalogue::Arguments;
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, finite};
use crate::error::Error;
use crate::pair::Pair;

/// One of several compositions, drawn and told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mixture {
    weights: Vec<Real>,
    parts: Vec<Composition>,
}

impl Mixture {
    pub(super) const ENTRY: Entry = Entry {
        name: "mixture",
        aliases: &[],
        summary: "one of several compositions, drawn with these probabilities, and told which",
        pair: "P = sum w_i P_i; Q = sum w_i Q_i, with the index i seen",
        example: "mixture(1/3: gaussian(sigma=1), 2/3: laplace(scale=2)^2)",
        parameters: &[
            Parameter {
                name: "weights",
                domain: Domain::Distribution,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "the probabilities, which sum to 1; written before each composition, as in 1/3: gdp(mu=1)",
            },
            Parameter {
                name: "mechanisms",
                domain: Domain::Mechanisms,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "the compositions, as many",
            },
        ],
        build: Self::build,
    };

    /// These compositions with these probabilities. Domain: fractions, none negative, their sum 1.
    ///
    /// # Errors
    /// [`Error::Input`] outside of the domain, or if there are more of the ones than of the others.
    pub fn new(weights: Vec<Real>, parts: Vec<Composition>) -> Result<Self, Error> {
        if weights.len() != parts.len() {
            let (weights, parts) = (weights.len(), parts.len());
            return Err(Error::input(format!("there are {weights} weights of {parts} mechanisms, one each is needed")));
        }
        finite::distribution("weights", &finite::rationals("weights", &weights)?)?;
        Ok(Mixture { weights, parts })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let mixture = Mixture::new(given.list("weights")?.to_vec(), given.compositions("mechanisms")?.to_vec());
        Ok(given.checked("weights", mixture)?.into())
    }

    /// The compositions with their weights.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Real, &Composition)> {
        self.weights.iter().zip(&self.parts)
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        let parts = self.parts().map(|(weight, part)| Ok((weight.clone(), Pair::several(part.pairs()?))));
        Pair::mixture(parts.collect::<Result<_, Error>>()?)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("weights", Argument::List(self.weights.clone())),
            ("mechanisms", Argument::Mechanisms(self.parts.clone())),
        ]
    }
}

/// The parts, as they stand between the parentheses.
impl std::fmt::Display for Mixture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (weight, part)) in self.parts().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{weight}: {part}")?;
        }
        Ok(())
    }
}
