//! What grids have proven of a question, kept for when the digits that were asked for are refused.
//!
//! Each grid encloses the same number, so that what several of them prove is what they have in common, and more grids
//! never say less. It is kept aside, for answers that fall short: what an attempt finds it finds on its own grids.

use std::sync::{Mutex, PoisonError};

use crate::alarm;
use crate::error::Error;
use enclosure::{Enclosure, Real};

/// Questions that are remembered, the last ones.
const MOST: usize = 64;

/// Deltas of no more bits than this behind the point are not tiny.
const USUAL: u32 = 16;

/// What is asked, at which point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Delta,
    Epsilon,
    Beta,
}

/// A question: the quantity, the point, and whether it is about the pair (Q, P).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub quantity: Quantity,
    pub at: Real,
    pub backward: bool,
}

impl Asked {
    /// Bits by which the masses of a grid must be smaller than usual, for an epsilon at a tiny delta: whole words
    /// of 32. Of other questions the answer itself tells it.
    pub fn tiny(&self) -> u32 {
        if self.quantity != Quantity::Epsilon {
            return 0;
        }
        let exponent = self.at.enclosure(64).upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
        if exponent <= USUAL { 0 } else { exponent.checked_next_multiple_of(32).unwrap_or(exponent) }
    }
}

/// What was proven, by question.
#[derive(Default)]
pub(super) struct Told(Mutex<Vec<(Asked, Enclosure)>>);

impl Told {
    /// One more enclosure of the answer to a question.
    ///
    /// # Errors
    /// The alarm, where it does not meet what was proven before.
    pub fn tell(&self, asked: &Asked, proven: &Enclosure) -> Result<(), Error> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match told.iter_mut().find(|(before, _)| before == asked) {
            Some((_, known)) => *known = alarm::meet(known, proven, super::curve::GRIDS)?,
            None => {
                if told.len() >= MOST {
                    told.remove(0);
                }
                told.push((asked.clone(), proven.clone()));
            }
        }
        Ok(())
    }

    /// All that was proven of it.
    pub fn known(&self, asked: &Asked) -> Option<Enclosure> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().find(|(before, _)| before == asked).map(|(_, known)| known.clone())
    }
}
