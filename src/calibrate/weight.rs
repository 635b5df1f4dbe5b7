//! How the privacy loss goes with the weight of a part of a mixture, of which another part has what the others leave.
//!
//! Let the index of the drawn part be visible, and let one part be at least as private as the other. Then a mixture
//! with more weight on the more private part is a post-processing of one with less: from the less private part, keep
//! the output with probability equal to the quotient of its weights, and otherwise replace it by an output of the more
//! private part, which can be computed from it. So the order of the two parts decides, in both directions, because the
//! inverse preserves it.
//!
//! If the composition is a single mixture, run once, its delta is linear in the weights. Then the deltas of both parts
//! at the epsilon of the target decide, even for parts that are not comparable. Proof: `proofs/paper/calibration.md`.

use std::cmp::Ordering;

use super::question::{Calibration, Target};
use crate::alarm::declined;
use crate::answer::answer;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Composition, Trend};
use crate::order::{Order, Relation, is_symmetric, order};
use crate::query::Query;
use crate::statement::{LINEAR, Statement, WEIGHED};
use enclosure::Budget;

/// Numbers of digits tried to separate the deltas of two parts.
const DIGITS: [u32; 3] = [3, 15, 40];
/// The part of the time that each of these answers gets.
const ANSWER: (u32, u32) = (1, 16);
/// The part of the time that the order of two parts gets.
const ORDER: (u32, u32) = (1, 2);

/// How it goes, and why.
pub(super) struct Way {
    pub loss: Trend,
    /// Does it go nowhere at all?
    pub level: bool,
    pub statement: &'static Statement,
}

/// How the loss goes with the weight; `None` where something else is looked for.
///
/// # Errors
/// [`Error::Undefined`] where the parts are not comparable, [`Error::Undecided`] where that is not told.
pub(super) fn way(question: &Calibration, budget: &Budget, told: &mut dyn FnMut(&str)) -> Result<Option<Way>, Error> {
    let Some(weighed) = question.template.weighed() else { return Ok(None) };
    let Some([part, rest]) = weighed.both() else { return Ok(None) };
    // No order is known of what follows from a guarantee.
    for (_, part) in weighed.parts() {
        part.pairs().map_err(|error| match error {
            Error::Undefined(reason) => Error::Undefined(format!("cannot calibrate the weight: {reason}")),
            other => other,
        })?;
    }
    if question.template.is_mixture_alone()
        && let Some(way) = declined(by_deltas(question, part, rest, budget))?.flatten()
    {
        return Ok(Some(way));
    }
    told("comparing the two parts");
    by_order(&order(part, rest, &budget.share(ORDER, None))?).map(Some)
}

/// By the order of both parts.
fn by_order(order: &Order) -> Result<Way, Error> {
    let way = |loss, level| Ok(Way { loss, level, statement: &WEIGHED });
    match (&order.at_least, &order.at_most) {
        (Relation::Proven(_), Relation::Proven(_)) => way(Trend::Grows, true),
        (Relation::Proven(_), _) => way(Trend::Falls, false),
        (_, Relation::Proven(_)) => way(Trend::Grows, false),
        (Relation::Fails(first), Relation::Fails(second)) => Err(Error::Undefined(format!(
            "the weight has no threshold: of the parts with weights `?` and `rest`, neither is at least as private as \
             the other; for the one with `?`, {}; for the one with `rest`, {}",
            first.told(),
            second.told()
        ))),
        (Relation::Undecided(reason), _) | (_, Relation::Undecided(reason)) => Err(Error::Undecided(
            format!("cannot decide which of the parts with weights `?` and `rest` is more private: {reason}").into(),
        )),
    }
}

/// By the deltas of both parts, in the directions that count: the delta of the mixture is linear in the weight in each,
/// and the larger of two functions that go one way goes that way. `None` where they go apart, or are not told apart.
fn by_deltas(
    question: &Calibration,
    part: &Composition,
    rest: &Composition,
    budget: &Budget,
) -> Result<Option<Way>, Error> {
    let Target::Profile { .. } = &question.target else { return Ok(None) };
    let both = [Direction::Forward, Direction::Backward];
    let sides = match question.direction {
        Direction::Worst if is_symmetric(part)? && is_symmetric(rest)? => &both[..1],
        Direction::Worst => &both[..],
        Direction::Forward => &both[..1],
        Direction::Backward => &both[1..],
    };
    let mut loss = None;
    for side in sides {
        match (beside(question, part, rest, *side, budget)?, loss) {
            (None, _) => return Ok(None),
            (Some(Ordering::Equal), _) => {}
            (Some(found), known) if known.is_none_or(|known| known == found) => loss = Some(found),
            _ => return Ok(None),
        }
    }
    let level = loss.is_none();
    let loss = if loss == Some(Ordering::Less) { Trend::Falls } else { Trend::Grows };
    Ok(Some(Way { loss, level, statement: &LINEAR }))
}

/// How the deltas of the two parts compare, if that is decided.
fn beside(
    question: &Calibration,
    part: &Composition,
    rest: &Composition,
    side: Direction,
    budget: &Budget,
) -> Result<Option<Ordering>, Error> {
    for digits in DIGITS {
        let delta = |of: &Composition| {
            let query = Query::new(question.target.quantity(), of.clone()).with_direction(side).with_digits(digits);
            answer(&query, &budget.share(ANSWER, None)).map(|answer| answer.outcome.number())
        };
        let (Some(part), Some(rest)) = (delta(part)?, delta(rest)?) else { return Ok(None) };
        if let Some(order) = part.compare(&rest) {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
