//! Finitely many losses as a list: their places are computed with many bits, so that nothing is lost where many runs
//! add up.

use rug::Float;
use rug::float::Round::{Nearest, Up};

use super::super::vertical_contour::{Turns, VerticalContour};
use super::{Listed, Off, Spread};
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// Bits of a place, as a part of the period.
const BITS: u32 = 160;

/// Turning losses and their weights.
///
/// A weight is a double below the true one by its enclosure's width and `2^-52` of itself at most; a place is known to
/// `2^-100` of the period, and its distance from the next one is rounded by `2^-54`, which turns by less than `2^-53`.
pub struct FiniteLaw {
    losses: Vec<(Turns, f64)>,
    error: f64,
}

impl FiniteLaw {
    /// Of these turning losses and weights, whose sum is at most `total`, of which `left_out` at most, as a part of
    /// it, is not listed; `None` where a weight is not known.
    pub fn new(
        turns: impl ExactSizeIterator<Item = Turns>,
        weights: &[Enclosure],
        (total, left_out): (&Enclosure, f64),
    ) -> Option<Self> {
        if turns.len() != weights.len() {
            return None;
        }
        let mut error = left_out;
        let mut losses = Vec::with_capacity(weights.len());
        for (turns, weight) in turns.zip(weights) {
            let part = weight / total;
            let width = Float::with_val_round(53, part.upper() - part.lower(), Up).0.to_f64_round(Up);
            let weight = part.lower().to_f64();
            if !((0.0..=1.0 + 1e-9).contains(&weight) && width.is_finite()) {
                return None;
            }
            error += width + weight / (1u64 << 50) as f64 + 1e-300;
            losses.push((turns, weight));
        }
        Some(FiniteLaw { losses, error: error * (1.0 + 1e-9) })
    }
}

impl Listed for FiniteLaw {
    fn list(&self, _: &VerticalContour, _: f64, to: &mut Spread, budget: &Budget) -> Result<Option<Off>, Error> {
        let count = to.count();
        for (turns, weight) in &self.losses {
            budget.check()?;
            let Some((lower, upper)) = turns.part(BITS) else { return Ok(None) };
            if Float::with_val(64, &upper - &lower) > Float::with_val(64, Float::i_exp(1, -100)) {
                return Ok(None);
            }
            let place = Float::with_val(BITS, &lower * count as u64);
            let Some((whole, _)) = place.to_integer_round(Nearest) else { return Ok(None) };
            let part = Float::with_val(BITS, &place - &whole).to_f64();
            let Some(whole) = whole.to_i64() else { return Ok(None) };
            to.add_at(whole, part, *weight);
        }
        Ok(Some(Off { fixed: self.error, turning: 0.0 }))
    }
}
