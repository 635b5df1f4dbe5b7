//! Answers by a closed form, a short list or a short lattice, before any other engine is prepared.

use super::evaluate::Attempt;
use super::planner::{DEFAULT_WORK, MANY};
use super::proven::Proven;
use super::{Answer, Outcome};
use crate::compose::{Engines, Method};
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::Budget;

#[cfg(test)]
mod tests;

/// For more digits than this the default number is proven first, in a small part of the work.
const LONG: u32 = 1000;

/// The most digits, and the most different mechanisms, of a query that is answered on the calling thread.
const LIGHT_DIGITS: u32 = 300;
const LIGHT_FACTORS: usize = 4;

/// The most bits of working precision on the calling thread.
const LIGHT_BITS: u32 = 4096;

/// The answer by a closed form, a short list or a short lattice: nothing is prepared for another engine before.
/// `None` if there is none of these, or if it does not decide the question in its share of the work.
///
/// More digits than [`LONG`] may take longer than the budget allows: the default number is recorded first.
pub(super) fn at_hand(
    engines: &Engines,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Option<Answer>, Error> {
    #[cfg(test)]
    assert!(query.id.as_deref() != Some(super::SLIP), "a slip, made for a test");
    if query.method != Method::Auto || query.mechanism.has_guarantee() {
        return Ok(None);
    }
    // If this fails, it is tried again with more work, after the bounds.
    let share = if query.enough < query.digits {
        budget.by_default(DEFAULT_WORK).share((1, 10), None)
    } else {
        budget.share(if query.digits > MANY { (1, 2) } else { (1, 8) }, None)
    };
    let attempt = |digits| Attempt { engines, query, digits, proven }.at_hand(&share);
    let found = if query.digits > LONG && query.quantity.of_curve() {
        match attempt(Query::DEFAULT_DIGITS) {
            Ok(Some(few)) if !few.is_exact() => attempt(query.digits),
            found => found,
        }
    } else {
        attempt(query.digits)
    };
    match found {
        Ok(Some(found)) => found.answer(query).map(Some),
        Ok(None) => Ok(None),
        Err(Error::Undefined(reason)) => Ok(Some(Answer::from(Outcome::Undefined(reason)))),
        Err(other) => Err(other),
    }
}

/// The answer of the engine at hand on the calling thread, which cannot be interrupted; `None` where the work might be
/// more than some milliseconds.
///
/// The parameters and the point are short constants, the digits are at most [`LIGHT_DIGITS`] and the precision at most
/// [`LIGHT_BITS`], and the engine evaluates a formula or a few terms.
pub(super) fn light(
    engines: &Engines,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Option<Answer>, Error> {
    if !is_light(engines, query) {
        return Ok(None);
    }
    at_hand(engines, query, &budget.clone().with_max_bits(LIGHT_BITS), proven)
}

/// Is the work of the engine at hand small, whatever the parameters are?
fn is_light(engines: &Engines, query: &Query) -> bool {
    let point = match &query.quantity {
        Quantity::Delta { epsilon } => epsilon.is_short(),
        Quantity::Epsilon { delta } => delta.is_short(),
        Quantity::Beta { alpha } => alpha.is_short(),
        Quantity::Renyi { order } => order.is_short(),
        Quantity::Tv | Quantity::Kl | Quantity::Chi2 | Quantity::Max => true,
        _ => false,
    };
    let short = point && query.digits <= LIGHT_DIGITS && query.mechanism.is_short(LIGHT_FACTORS);
    short && engines.is_light()
}
