//! The worse of two directions.

use std::cmp::Ordering;

use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Number, refine};

/// Which direction is asked for.
pub(super) struct Sides {
    pub direction: Direction,
    pub symmetric: bool,
    /// Do few bits cost a small part of what many do?
    pub sketches: bool,
    /// Is the first direction to leave time for the second, for what one says of both is little?
    pub fair: bool,
}

/// Precision, in bits, that usually decides which direction is worse.
const SKETCH: u32 = 24;

impl Sides {
    /// One direction, or for [`Direction::Worst`] the larger value of both.
    ///
    /// Where few bits prove which value is larger, the other one is not computed to more bits, and may be undecided.
    /// Where `lesser` proves that the backward value is at most the forward one, it is not computed at all.
    pub fn extreme(
        &self,
        bits: u32,
        budget: &Budget,
        value: impl Fn(Direction, u32, &Budget) -> Result<Value, Error>,
        lesser: impl Fn(Direction, &Value, &Budget) -> Result<bool, Error>,
    ) -> Result<Value, Error> {
        match self.direction {
            Direction::Worst if self.symmetric => return value(Direction::Forward, bits, budget),
            Direction::Worst => {}
            one => return value(one, bits, budget),
        }
        // Why one direction is undecided, and what was proven of it, is not about the worse of both.
        let half = || if self.fair { budget.share((1, 2), None) } else { budget.clone() };
        let at = |side, bits, name: &str, budget: &Budget| {
            value(side, bits, &budget.under(name)).map_err(|error| match error {
                Error::Undecided(reason) if side == Direction::Forward => {
                    Error::Undecided(reason.about("in the forward direction, "))
                }
                Error::Undecided(reason) => Error::Undecided(reason.about("in the backward direction, ")),
                other => other,
            })
        };
        if self.sketches
            && bits > 4 * SKETCH
            && let Some(forward) = declined(at(Direction::Forward, SKETCH, "low precision, forward", &half()))?
        {
            if declined(lesser(Direction::Backward, &forward, &budget.under("backward")))? == Some(true) {
                budget.note("worse direction, from one value of the other", "forward");
                return at(Direction::Forward, bits, "forward", &half());
            }
            if let Some(backward) = declined(at(Direction::Backward, SKETCH, "low precision, backward", &half()))?
                && let Some(order @ (Ordering::Less | Ordering::Greater)) = forward.compare(&backward)
            {
                let (side, name) = if order == Ordering::Greater {
                    (Direction::Forward, "forward")
                } else {
                    (Direction::Backward, "backward")
                };
                budget.note("worse direction, from values of low precision", name);
                return at(side, bits, name, budget);
            }
        }
        let forward = at(Direction::Forward, bits, "forward", &half())?;
        if declined(lesser(Direction::Backward, &forward, &budget.under("backward")))? == Some(true) {
            budget.note("worse direction, from one value of the other", "forward");
            return Ok(forward);
        }
        let backward = match at(Direction::Backward, bits, "backward", budget) {
            // Few bits may prove that it is not the worse one.
            Err(undecided @ Error::Undecided(_)) if self.sketches && budget.check().is_ok() => {
                let few = declined(at(Direction::Backward, SKETCH, "low precision, backward", budget))?;
                if few.is_none_or(|few| forward.compare(&few) != Some(Ordering::Greater)) {
                    return Err(undecided);
                }
                budget.note("worse direction, from values of low precision", "forward");
                return Ok(forward);
            }
            backward => backward?,
        };
        Ok(forward.max(&backward))
    }
}

/// [`refine`] for a value that may be infinite, which is known at any precision.
pub(super) fn refine_value(
    digits: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Value, Error>,
) -> Result<Value, Error> {
    let mut infinite = false;
    let number = refine(digits, budget, |bits| match value(bits)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => {
            infinite = true;
            Ok(Number::zero())
        }
    })?;
    Ok(if infinite { Value::Infinite } else { Value::Finite(number) })
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// Forward is 3 at any precision; backward is known to few bits only, which tell that it is less, or do not.
    #[test]
    fn few_bits_of_the_lesser_direction_are_enough() {
        let at = |n: u32| Value::Finite(Number::Exact(Rational::from(n)));
        let ask = |few: u32, sketches: bool| {
            let sides = Sides { direction: Direction::Worst, symmetric: false, sketches, fair: false };
            let value = |side, bits, _: &Budget| match side {
                Direction::Backward if bits > SKETCH => Err(Error::undecided("too many bits")),
                Direction::Backward => Ok(at(few)),
                _ => Ok(at(3)),
            };
            sides.extreme(4 * SKETCH, &Budget::default(), value, |_, _, _| Ok(false))
        };
        assert_eq!(ask(2, true).expect("the larger").compare(&at(3)), Some(Ordering::Equal));
        for open in [ask(4, true), ask(3, true), ask(2, false)] {
            assert!(matches!(open, Err(Error::Undecided(_))));
        }
    }

    /// What proves a direction the lesser one is enough of it.
    #[test]
    fn a_lesser_direction_is_not_asked() {
        let at = |n: u32| Value::Finite(Number::Exact(Rational::from(n)));
        let sides = Sides { direction: Direction::Worst, symmetric: false, sketches: false, fair: false };
        for (is_lesser, expected) in [(true, 3), (false, 4)] {
            let value = |side, _: u32, _: &Budget| Ok(at(if side == Direction::Forward { 3 } else { 4 }));
            let lesser = |side, known: &Value, _: &Budget| {
                assert!(side == Direction::Backward && known.compare(&at(3)) == Some(Ordering::Equal));
                Ok(is_lesser)
            };
            let found = sides.extreme(64, &Budget::default(), value, lesser).expect("a number");
            assert_eq!(found.compare(&at(expected)), Some(Ordering::Equal));
        }
    }
}
