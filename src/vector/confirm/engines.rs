//! Compares two methods, for compositions without a route in malachite.
//!
//! Every engine certifies what it answers, so that one wrong enclosure of two shows if they have no point in common.
//! Engines are asked by name. The lattice multiplies out all masses, the quadrature knows the moment generating
//! function at its nodes and nothing of the masses: the two share no more than the arithmetic. Where there is no common
//! lattice, a second contour evaluates all factors afresh, at other nodes, with other aliases and other nodes left out;
//! an epsilon is told by the deltas on both sides of it.

use rug::Rational;

use super::{Claim, NARROW, disagree};
use crate::answer::Outcome;
use crate::compose::Method;
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::vector::sessions::Sessions;
use enclosure::{Budget, Real};

/// The second answer is for comparison: more than the thirty digits that [`Claim::agrees_with`] asks for, where the
/// first has as many. They also tell a delta from what it is `2^-AWAY` of the epsilon farther.
const DIGITS: u32 = 32;

/// An epsilon is looked at so many bits from the claim, relatively: both ends are then as near to each other as
/// [`Claim::agrees_with`] asks for.
const AWAY: u32 = 102;

/// What the quadrature says of itself.
const QUADRATURE: &str = "trapezoid rule on a shifted contour";

/// A lattice that takes more memory than this would take too long for a confirmation.
const LATTICE_BYTES: u64 = 16_000_000;

/// In the order of preference.
const METHODS: [Method; 4] = [Method::ClosedForm, Method::Lattice, Method::Quadrature, Method::SecondContour];

/// The name of the engine that confirms what `first` answered.
pub fn confirm(sessions: &Sessions, query: &Query, claim: &Claim, first: &str) -> Result<String, Error> {
    let mut reason = None;
    let digits = DIGITS.min(query.digits);
    for method in METHODS {
        if method == Method::Quadrature && first == QUADRATURE {
            // It would say the same once more.
            continue;
        }
        if method == Method::SecondContour
            && let Some(name) = at_both_ends(sessions, query, claim, first)?
        {
            return Ok(name);
        }
        let query = query.clone().with_method(method).with_digits(digits);
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
                agree(claim, &Claim::of(outcome)?, NARROW.min(digits))?;
                return Ok(answer.method);
            }
        }
    }
    Err(Error::input(format!("no second engine: {}", reason.unwrap_or_default())))
}

/// The name of the second contour, if its deltas on both sides of an epsilon prove that it lies between: delta falls.
/// Lines are then those of a grid, and serve many epsilons. What that does not tell is left to the epsilon itself.
fn at_both_ends(sessions: &Sessions, query: &Query, claim: &Claim, first: &str) -> Result<Option<String>, Error> {
    let (Quantity::Epsilon { delta }, Claim::Within(lower, upper)) = (&query.quantity, claim) else { return Ok(None) };
    let Some(target) = delta.as_rational().filter(|_| *lower > 0) else { return Ok(None) };
    let (below, above) = (Rational::from(lower >> AWAY), Rational::from(upper >> AWAY));
    let ends = (lower - below, upper + above);
    // They have to be as near to each other as those of a second answer, for they are what is proven.
    if claim.agrees_with(&ends).is_err() {
        return Ok(None);
    }
    let mut name = None;
    for (end, below) in [(ends.0, true), (ends.1, false)] {
        let epsilon = Real::from(end);
        let mut at = query.clone().with_method(Method::SecondContour).with_digits(DIGITS);
        at.quantity = Quantity::Delta { epsilon };
        let answer = sessions.answer(&at, &Budget::default())?;
        let Ok(Claim::Within(low, high)) = Claim::of(&answer.outcome) else { return Ok(None) };
        if answer.method == first || (if below { low < *target } else { high > *target }) {
            return Ok(None);
        }
        name = Some(answer.method);
    }
    Ok(name)
}

fn agree(claim: &Claim, second: &Claim, digits: u32) -> Result<(), Error> {
    match (claim, second) {
        (Claim::Infinite, Claim::Infinite) => Ok(()),
        (Claim::Within(..), Claim::Within(low, high)) => claim.agrees_to(&(low.clone(), high.clone()), digits),
        _ => Err(disagree("one says infinite")),
    }
}
