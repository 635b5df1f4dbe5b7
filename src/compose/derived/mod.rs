//! The curves of derived pairs, through the curves of what is inside. Paper proof: `proofs/paper/operators.md`.
//!
//! | operator | closed through the curve inside | sought |
//! |---|---|---|
//! | [`Reversed`] | everything | - |
//! | [`FixedSize`] | profile, its inverse, trade-off function below its fixed point | the rest of it, by signs |
//! | [`Group`] | trade-off function, by iteration | profile and its inverse: greatest values |
//! | [`Larger`] | trade-off function | the same |
//! | [`Hull`] | profile and its inverse | trade-off function: a greatest value |
//! | [`Revealed`] | profile | trade-off function: a greatest value; inverse of the profile: by signs |
//!
//! The greatest values are those of concave functions ([`concave_maximum`](enclosure::concave_maximum)), the roots
//! those of functions that fall ([`bracketed`](enclosure::root::bracketed)): both are enclosed from values alone, so
//! that any curve will do inside, and operators inside of others.
//!
//! What is asked lies between the [edges](super::Edges), which come from the ends of the pairs inside.

mod fixed_size;
mod group;
mod hull;
mod larger;
mod revealed;
mod reversed;
mod seek;
#[cfg(test)]
mod tests;

pub use fixed_size::FixedSize;
pub use group::Group;
pub use hull::Hull;
pub use larger::Larger;
pub use revealed::Revealed;
pub use reversed::Reversed;

use super::Engines;
use super::choose::Refusal;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Derived, Factors, Operator, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Number, Real};

/// The curve of a derived pair.
pub(super) fn curve(pair: &Derived) -> Result<Box<dyn Curve>, Refusal> {
    if let Operator::Mixture(weights) = pair.operator() {
        let parts = weights.iter().zip(pair.parts());
        return Ok(Box::new(Revealed::new(parts.map(|(weight, part)| (weight.clone(), inside(part))).collect())));
    }
    let [part] = pair.parts() else { return Err(Refusal::OtherKind) };
    let inner = inside(part);
    Ok(match pair.operator() {
        Operator::Inverse => Box::new(Reversed::new(inner)),
        Operator::Group(size) => Box::new(Group::new(inner, *size)),
        Operator::Larger => Box::new(Larger::new(inner)),
        Operator::Hull => Box::new(Hull::new(inner)),
        Operator::Subsample(rate) => Box::new(FixedSize::new(rate.clone(), inner)?),
        Operator::Mixture(_) => return Err(Refusal::OtherKind),
    })
}

/// That a derived pair is not alone.
pub(super) fn alone(product: &Product) -> Error {
    let names = product.names();
    Error::undecided(format!(
        "the curve of an operator is computed for it alone, run once, unless all that is inside is in fractions; here \
         are {names}"
    ))
}

fn inside(part: &Factors) -> Box<dyn Curve> {
    let product = Product::new(part.iter().cloned());
    Box::new(InTurn { symmetric: product.symmetric(), engines: Engines::inside(product) })
}

/// The curve of a product, by whatever engine decides what is asked.
struct InTurn {
    symmetric: bool,
    engines: Engines,
}

impl Curve for InTurn {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.engines.ask(budget, |curve, budget| curve.delta(epsilon, direction, bits, budget))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.engines.ask(budget, |curve, budget| curve.epsilon(delta, direction, bits, budget))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.engines.ask(budget, |curve, budget| curve.beta(alpha, direction, bits, budget))
    }

    fn method(&self) -> &'static str {
        "the engines in turn"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
