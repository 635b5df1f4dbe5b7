//! Relative precision for one value inside a longer computation.

use super::budget::as_good_as_zero;
use super::{Budget, Enclosure};
use crate::Error;

/// Evaluate at growing precision until the value has `bits` of relative precision. What is undecidable, or needs more
/// than the budget, is returned as far as it was narrowed down: it is an enclosure all the same.
pub fn adaptive_precision(
    bits: u32,
    guard: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let mut working = bits.saturating_add(guard);
    let cap = budget.max_bits().max(working).max(64);
    for _ in 0..8 {
        let set = value(working)?;
        let proven = set.relative_bits();
        if proven.is_some_and(|proven| proven >= i64::from(bits)) {
            return Ok(set.with_bits(bits.saturating_add(8)));
        }
        let lost = proven.map_or(i64::from(working), |proven| i64::from(bits) - proven);
        let more = u32::try_from(lost.saturating_add(16)).unwrap_or(u32::MAX);
        if working >= cap || as_good_as_zero(&set) {
            return Ok(set);
        }
        working = working.saturating_add(more.max(working / 8)).min(cap);
    }
    value(working)
}
