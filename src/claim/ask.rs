//! The engines, asked for the exact side of a claim.

use crate::answer::{Outcome, answer};
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Number, Real};

/// Digits of what is asked: margins have six.
const DIGITS: u32 = 20;

/// What an engine says, and nothing less: an answer without a number is a check that cannot be made.
pub fn ask(quantity: Quantity, mechanism: &str, direction: Direction) -> Result<Number, Error> {
    asked(Query::new(quantity, mechanism.parse()?).with_direction(direction))
}

fn asked(query: Query) -> Result<Number, Error> {
    let query = query.with_digits(DIGITS);
    let told = query.to_string();
    match answer(&query, &Budget::default())?.outcome {
        outcome @ (Outcome::Exact(_) | Outcome::Enclosure(_)) => {
            outcome.number().ok_or_else(|| Error::internal(format!("no number for {told}")))
        }
        Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
        other => Err(Error::internal(format!("{other:?} for {told}"))),
    }
}

/// A constant.
pub fn real(text: &str) -> Result<Real, Error> {
    text.parse::<Real>()
}

/// The profile in the worse direction.
pub fn delta(mechanism: &str, epsilon: &str) -> Result<Number, Error> {
    ask(Quantity::Delta { epsilon: real(epsilon)? }, mechanism, Direction::Worst)
}

/// The profile in one direction.
pub fn delta_in(mechanism: &str, epsilon: &str, direction: Direction) -> Result<Number, Error> {
    ask(Quantity::Delta { epsilon: real(epsilon)? }, mechanism, direction)
}

/// The profile by an engine of one kind, for a second computation of what has a formula.
pub fn delta_by(method: Method, mechanism: &str, epsilon: &str) -> Result<Number, Error> {
    asked(Query::new(Quantity::Delta { epsilon: real(epsilon)? }, mechanism.parse()?).with_method(method))
}

/// A divergence of the pair.
pub fn divergence(quantity: Quantity, mechanism: &str) -> Result<Number, Error> {
    ask(quantity, mechanism, Direction::Forward)
}

/// The least epsilon.
pub fn epsilon(mechanism: &str, delta: &str) -> Result<Number, Error> {
    ask(Quantity::Epsilon { delta: real(delta)? }, mechanism, Direction::Worst)
}

/// The trade-off function of the pair as the mechanism's documentation has it.
pub fn beta(mechanism: &str, alpha: &str) -> Result<Number, Error> {
    ask(Quantity::Beta { alpha: real(alpha)? }, mechanism, Direction::Forward)
}

/// A Renyi divergence.
pub fn renyi(mechanism: &str, order: &str) -> Result<Number, Error> {
    ask(Quantity::Renyi { order: real(order)? }, mechanism, Direction::Worst)
}
