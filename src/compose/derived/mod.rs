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
//! What is asked lies between the [edges](super::Edges), which come from the ends of the pairs inside; those of groups
//! of what fails outright from values ([`Failing`]).

mod failing;
pub mod fixed_point;
mod fixed_size;
mod group;
mod hull;
mod larger;
mod revealed;
mod reversed;
mod seek;
#[cfg(test)]
mod tests;

pub use failing::Failing;
pub use fixed_size::FixedSize;
pub use group::Group;
pub use hull::Hull;
pub use larger::Larger;
pub use revealed::Revealed;
pub use reversed::Reversed;

use super::choose::{Refusal, Rough};
use super::{Edges, Engines, Shuffle, Subsampled};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Derived, Factors, Family, Operator, Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Real};

/// The curve of a derived pair.
pub(super) fn curve(pair: &Derived) -> Result<Box<dyn Curve>, Refusal> {
    if let Operator::Mixture(weights) = pair.operator() {
        let parts = weights.iter().zip(pair.parts());
        let parts = parts.map(|(weight, part)| (weight.clone(), inside(part))).collect();
        return Ok(Box::new(Revealed::new(parts, pair.symmetric())));
    }
    let [part] = pair.parts() else { return Err(Refusal::OtherKind) };
    let inner = inside(part);
    Ok(match pair.operator() {
        Operator::Inverse => Box::new(Reversed::new(inner)),
        Operator::Group(size) if pair.ends().is_err() => Box::new(Failing::new(Group::new(inner, *size))),
        Operator::Group(size) => Box::new(Group::new(inner, *size)),
        Operator::Larger => Box::new(Larger::new(inner)),
        Operator::Hull => Box::new(Hull::new(inner)),
        Operator::Subsample(rate) => Box::new(FixedSize::new(rate.clone(), inner)?),
        Operator::Mixture(_) => return Err(Refusal::OtherKind),
    })
}

/// Is it one group whose ends are no constants, so that its curve is [`Failing`], which needs no edges around it?
pub(super) fn fails_outright(product: &Product) -> bool {
    match product.derived.as_slice() {
        [(pair, 1)] if product.families() == [Family::Derived] => {
            matches!(pair.operator(), Operator::Group(_)) && pair.ends().is_err()
        }
        _ => false,
    }
}

/// The curve of one pair by itself, run once, through the curves of what is inside.
pub(super) fn by_itself(pair: &Pair) -> Result<Box<dyn Curve>, Refusal> {
    let inner: Box<dyn Curve> = match pair {
        Pair::Derived(derived) => curve(derived)?,
        Pair::Shuffled(reports) => Box::new(Shuffle::new(reports.clone())),
        Pair::Sample { rate, inner } => {
            Box::new(Subsampled::new(rate.clone(), inside(&Pair::clone(inner).into_factors()))?)
        }
        _ => return Err(Refusal::OtherKind),
    };
    Ok(Box::new(Edges::around(inner, &Product::new([(pair.clone(), 1)]))?))
}

/// The curve of inverses beside what is symmetric or finite: that of the product the other way round.
pub(super) fn turned(product: &Product) -> Result<Box<dyn Curve>, Refusal> {
    let turned = product.turned().ok_or(Refusal::OtherKind)?;
    Ok(Box::new(Reversed::new(in_turn(turned))))
}

/// The curve of pairs, by whatever engine decides what is asked.
pub fn by_any(factors: Factors) -> Box<dyn Curve> {
    in_turn(Product::new(factors))
}

fn inside(part: &Factors) -> Box<dyn Curve> {
    in_turn(Product::new(part.iter().cloned()))
}

fn in_turn(product: Product) -> Box<dyn Curve> {
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

    fn beta_of_both(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        self.engines.ask(budget, |curve, budget| curve.beta_of_both(alpha, bits, budget))
    }

    /// By Chernoff's bound, whichever engine says more.
    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        match self.engines.rough(Rough::Chernoff, budget)? {
            Some(bound) => bound.is_at_most(epsilon, direction, level, budget),
            None => Ok(false),
        }
    }

    fn method(&self) -> &'static str {
        "the engines in turn"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
