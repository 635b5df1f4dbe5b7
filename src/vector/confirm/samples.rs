//! Few samples of Gaussian noise, or many of a tiny rate, by large steps: for what no route in malachite takes.
//!
//! Against integrals along the boundary of a test, this engine knows transforms at the nodes of a line and no boundary;
//! the two share no more than the arithmetic. Against itself it cuts steps elsewhere, by other weights, on another
//! line, so that all transforms, aliases and nodes left out are others.

use std::cmp::Ordering;

use super::{Claim, disagree};
use crate::alarm::declined;
use crate::compose;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, Number, bits_of_digits};

/// Digits of the second answer.
const DIGITS: u32 = 32;
/// Bits that are asked for beyond them.
const SPARE: u32 = 8;
/// Few bits.
const FEW_BITS: u32 = 24;

/// The name of the second route, where the first was one for such samples.
pub fn confirm(query: &Query, claim: &Claim, first: &str) -> Result<Option<String>, Error> {
    let Some(curve) = compose::second_for_samples(&query.mechanism, first, DIGITS)? else { return Ok(None) };
    let budget = Budget::default();
    let at = |side, bits| one(&*curve, query, side, bits, &budget);
    let all = bits_of_digits(DIGITS) + SPARE;
    let value = match query.direction {
        Direction::Worst => {
            let beta = matches!(query.quantity, Quantity::Beta { .. });
            let worse = |x: &Number, y: &Number| if beta { x.min(y) } else { x.max(y) };
            let forward = at(Direction::Forward, all)?;
            // Few bits tell mostly that the other one is the lesser.
            let few = declined(at(Direction::Backward, FEW_BITS))?;
            let lesser = if beta { Ordering::Less } else { Ordering::Greater };
            match few {
                Some(few) if forward.compare(&few) == Some(lesser) => forward,
                _ => worse(&forward, &at(Direction::Backward, all)?),
            }
        }
        side => at(side, all)?,
    };
    let bounds = rational_bounds(&value.enclosure(all));
    claim.agrees_with(&bounds.ok_or_else(|| disagree("the second route has no bound"))?)?;
    let how = if curve.method() == first { "other cuts of steps, and other contours" } else { curve.method() };
    Ok(Some(how.to_string()))
}

/// What the curve says of one direction.
fn one(curve: &dyn Curve, query: &Query, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
    match &query.quantity {
        Quantity::Delta { epsilon } => curve.delta(epsilon, side, bits, budget),
        Quantity::Beta { alpha } => curve.beta(alpha, side, bits, budget),
        Quantity::Epsilon { delta } => match curve.epsilon(delta, side, bits, budget)? {
            Value::Finite(number) => Ok(number),
            Value::Infinite => Err(disagree("one says infinite")),
        },
        other => Err(Error::internal(format!("{} is no value of a curve", other.name()))),
    }
}
