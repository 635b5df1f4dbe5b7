//! Few samples of Gaussian noise, or many of a tiny rate, by large steps: for what no route in malachite takes.
//!
//! Against integrals along the boundary of a test, this engine knows transforms at the nodes of a line and no boundary;
//! the two share no more than the arithmetic. Against itself it cuts steps elsewhere, by other weights, on another
//! line, so that all transforms, aliases and nodes left out are others.

use std::cmp::Ordering;

use super::{Claim, NARROW, disagree};
use crate::alarm::declined;
use crate::compose;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::vector::few;
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, bits_of_digits};

/// Digits of the second answer.
const DIGITS: u32 = 32;
/// Bits that are asked for beyond them.
const SPARE: u32 = 8;
/// Few bits.
const FEW_BITS: u32 = 24;

/// Number of cached compositions.
const KEPT: usize = 12;

/// A composition, the first route and the digits.
type Key = (String, String, u32);

/// Compositions that were asked: lines that were planned for one point serve those near to it.
pub struct Cache(enclosure::Cache<Key, Option<Box<dyn Curve>>>);

impl Default for Cache {
    fn default() -> Self {
        Cache(enclosure::Cache::new(KEPT))
    }
}

impl Cache {
    /// The name of the second route, where the first was one for such samples.
    pub fn confirm(&self, query: &Query, claim: &Claim, first: &str) -> Result<Option<String>, Error> {
        let digits = DIGITS.min(query.digits);
        let key = (query.mechanism.to_string(), first.to_string(), digits);
        let curve = self.0.get(key, || compose::second_for_samples(&query.mechanism, first, digits))?;
        match curve.as_ref() {
            Some(curve) => confirmed(&**curve, query, claim, first, digits).map(Some),
            None => Ok(None),
        }
    }
}

/// The name of what this curve is, if it agrees.
fn confirmed(curve: &dyn Curve, query: &Query, claim: &Claim, first: &str, digits: u32) -> Result<String, Error> {
    let budget = Budget::default();
    let at = |side, bits| few::value(curve, &query.quantity, side, bits, &budget);
    let all = bits_of_digits(digits) + SPARE;
    let value = match query.direction {
        Direction::Worst if matches!(query.quantity, Quantity::Beta { .. }) && !curve.symmetric() => {
            few::value(&compose::Hull::new(curve), &query.quantity, Direction::Worst, all, &budget)?
        }
        Direction::Worst => {
            let forward = at(Direction::Forward, all)?;
            // Few bits usually prove that the backward value is smaller.
            match declined(at(Direction::Backward, FEW_BITS))? {
                Some(few) if forward.compare(&few) == Some(Ordering::Greater) => forward,
                _ => forward.max(&at(Direction::Backward, all)?),
            }
        }
        side => at(side, all)?,
    };
    let bounds = rational_bounds(&value.enclosure(all));
    claim.agrees_to(&bounds.ok_or_else(|| disagree("the second route has no bound"))?, NARROW.min(digits))?;
    let how = if curve.method() == first { "other cuts of steps, and other contours" } else { curve.method() };
    Ok(how.to_string())
}
