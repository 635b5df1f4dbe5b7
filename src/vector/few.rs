//! Golden numbers of few digits: what an engine proves that knows no more, asked for by name and by itself.
//!
//! Which engine answers a question depends on what it costs, and costs change; vectors are of an engine, so that each
//! of those that have few digits has its own. Their second route is another engine, or a list of outcomes.

use dpcert_vectors::{Answer, Truth};

use super::{DIGITS, convert};
use crate::compose::{Engines, Method, Rough};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::number::Interval;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Number, bits_of_digits};

/// Minimum number of digits of a golden number.
pub const LEAST_DIGITS: u32 = 6;
/// Bits of an end beyond the digits that are proven: rounding is no part of what an engine says.
const SPARE: u32 = 10;
/// Who answers, and who confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// The engine.
    pub engine: Rough,
    /// The second route.
    pub second: Second,
}

/// A second route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// Another engine.
    Engine(Rough),
    /// All outcomes but for next to nothing.
    Outcomes,
}

/// What an engine says of a query.
pub struct Told {
    /// The enclosure.
    pub set: Interval,
    /// The name of the engine.
    pub method: &'static str,
    /// The statement it evaluates.
    pub citation: &'static str,
}

/// What this engine says.
///
/// # Errors
/// Those of the engine; where there is none, or where it has fewer than [`LEAST_DIGITS`].
pub fn told(query: &Query, engine: Rough) -> Result<Told, Error> {
    let budget = Budget::default();
    let engines = Engines::new(query.mechanism.clone(), Method::Auto);
    let curve = engines.rough(engine, &budget)?;
    let curve = curve.ok_or_else(|| Error::input(format!("no method of kind {engine:?} applies")))?;
    let number = value(&*curve, &query.quantity, query.direction, bits_of_digits(DIGITS), &budget)?;
    let set = Interval::from(number.enclosure(bits_of_digits(DIGITS)));
    let digits = set.digits();
    if digits < LEAST_DIGITS {
        return Err(Error::input(format!("{} proves only {digits} digits", curve.method())));
    }
    let set = Interval::from(set.set().with_bits(bits_of_digits(digits.min(DIGITS)) + SPARE));
    Ok(Told { set, method: curve.method(), citation: curve.statement().citation() })
}

/// A finite value of a curve in one direction.
///
/// # Errors
/// Those of the curve; [`Error::Input`] where an epsilon is infinite.
pub fn value(
    curve: &dyn Curve,
    quantity: &Quantity,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    match quantity {
        Quantity::Delta { epsilon } => curve.delta(epsilon, direction, bits, budget),
        Quantity::Beta { alpha } => curve.beta(alpha, direction, bits, budget),
        Quantity::Epsilon { delta } => match curve.epsilon(delta, direction, bits, budget)? {
            Value::Finite(number) => Ok(number),
            Value::Infinite => Err(Error::input("the epsilon is infinite")),
        },
        other => Err(Error::internal(format!("{} is not a value of a curve", other.name()))),
    }
}

/// Has a stored answer fewer digits than others?
///
/// # Errors
/// Where an end is no number.
pub fn is_of_few(answer: &Answer) -> Result<bool, Error> {
    let Some(Truth::Within { lower, upper }) = answer.truth() else { return Ok(false) };
    let end = |end| convert::rational(end).map(|end| Enclosure::rational(&end, 4 * bits_of_digits(DIGITS)));
    Ok(Interval::from(end(&lower)?.hull(&end(&upper)?)).digits() < DIGITS - 1)
}
