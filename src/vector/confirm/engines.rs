//! One engine against another: for compositions that no route in malachite takes.
//!
//! Every engine certifies what it answers, so that one wrong enclosure of two shows if they have no point in common.
//! Engines are asked by name. The lattice multiplies out all masses, the quadrature knows the moment generating
//! function at its nodes and nothing of the masses: the two share no more than the arithmetic. Where there is no common
//! lattice, a second contour evaluates all factors afresh, at other nodes, with other aliases and other nodes left out.

use super::{Claim, disagree};
use crate::answer::Outcome;
use crate::compose::Method;
use crate::error::Error;
use crate::query::Query;
use crate::vector::sessions::Sessions;
use enclosure::Budget;

/// The second answer is for comparison: more than the thirty digits that [`Claim::agrees_with`] asks for.
const DIGITS: u32 = 32;

/// A lattice that takes more memory than this would take too long for a confirmation.
const LATTICE_BYTES: u64 = 16_000_000;

/// In the order of preference.
const METHODS: [Method; 4] = [Method::ClosedForm, Method::Lattice, Method::Quadrature, Method::SecondContour];

/// The name of the engine that confirms what `first` answered.
pub fn confirm(sessions: &Sessions, query: &Query, claim: &Claim, first: &str) -> Result<String, Error> {
    let mut reason = None;
    for method in METHODS {
        let query = query.clone().with_method(method).with_digits(DIGITS);
        let budget = Budget::default();
        let budget = if method == Method::Lattice { budget.with_max_bytes(LATTICE_BYTES) } else { budget };
        let answer = sessions.answer(&query, &budget)?;
        if answer.method == first {
            continue;
        }
        match &answer.outcome {
            Outcome::Undefined(why) => reason = Some(why.clone()),
            Outcome::Short { reason: why, .. } | Outcome::Undecided(why) => reason = Some(why.to_string()),
            outcome => {
                agree(claim, &Claim::of(outcome)?)?;
                return Ok(answer.method);
            }
        }
    }
    Err(Error::input(format!("no second engine: {}", reason.unwrap_or_default())))
}

fn agree(claim: &Claim, second: &Claim) -> Result<(), Error> {
    match (claim, second) {
        (Claim::Infinite, Claim::Infinite) => Ok(()),
        (Claim::Within(..), Claim::Within(low, high)) => claim.agrees_with(&(low.clone(), high.clone())),
        _ => Err(disagree("one says infinite")),
    }
}
