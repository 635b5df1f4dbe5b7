//! Sums of turning losses in integers: `M(s_k)/M(c) = sum_j w_j e^(i k a_j)`, weights that add up to at most one.
//!
//! **Errors**, for one loss of weight w, in cuts, besides that of the weight ([`fraction`]):
//!
//! * the rotation of block and stretch is off by 3, two rotations and a product: `3 w` after the weight;
//! * the product with the weight is cut off: 1;
//! * the rotation from there is off by 1: `w` after the weight;
//! * the product with it is cut off: 1.
//!
//! With J losses, whose weights add up to at most one, that is `4 + 2 J`, and products of errors. `4 + 3 J` are
//! counted.

use super::super::vertical_contour::Turns;
use super::rotations::Rotations;
use super::{CUT, ROOM, Run, WideMoments, fraction};
use crate::error::Error;
use enclosure::wide::{Point, Split, add_products};
use enclosure::{Budget, Enclosure};

/// More losses than this are left to discs.
const MOST_LOSSES: usize = 1024;

/// The sums along a line, as parts of the moment at its tilt.
pub struct Listed {
    losses: Vec<(Split, Rotations)>,
    error: f64,
}

impl Listed {
    /// Of these turning losses and weights, whose sum is at most `total`, of which `left_out` at most, as a part of
    /// it, is not listed; `None` where a weight or a rotation is not known.
    pub fn new(
        turns: impl ExactSizeIterator<Item = Turns>,
        weights: &[Enclosure],
        (total, left_out): (&Enclosure, f64),
    ) -> Option<Self> {
        if turns.len() == 0 || turns.len() > MOST_LOSSES || turns.len() != weights.len() {
            return None;
        }
        let mut error = left_out + (4 + 3 * turns.len()) as f64 * CUT;
        let mut losses = Vec::with_capacity(turns.len());
        for (turns, weight) in turns.zip(weights) {
            let (weight, width) = fraction(&(weight / total))?;
            error += width;
            losses.push((Point { re: weight, im: 0 }.split(), Rotations::new(&turns)?));
        }
        // The doubles above are nonnegative, and a thousand at most.
        Some(Listed { losses, error: error * (1.0 + 1e-9) * ROOM })
    }
}

impl WideMoments for Listed {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Run>, Error> {
        let mut sums = vec![Point::ZERO; count];
        for (weight, rotations) in &self.losses {
            budget.check()?;
            let added = rotations.stretches(first, count, &mut |place, start, low| {
                if let Some(sums) = sums.get_mut(place..place + low.len()) {
                    add_products(&weight.times(&start.split()).split(), low, sums);
                }
            });
            if added.is_none() {
                return Ok(None);
            }
        }
        Ok(Some((sums, self.error)))
    }
}
