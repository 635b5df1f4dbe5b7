//! Pairs as lists of outcomes with constant masses, from piecewise-linear trade-off functions.
//!
//! A trade-off function that is a polyline belongs to a pair with an outcome for each of its pieces: of a piece of
//! width w and slope -s the masses are `p = w`, `q = s w` and the loss is `-ln s`; what f misses of 1 at alpha = 0 is a
//! Q-mass where P has none, and a flat piece is a P-mass where Q has none (Dong, Roth, Su, Proposition 2.2). Pairs with
//! one trade-off function compose to pairs with one trade-off function (their Definition 3.1), so such a list may
//! replace any pair with this trade-off function.

use super::{Masses, Outcome, Outcomes, Pair, Polyline};
use crate::error::Error;
use enclosure::{Budget, Real};

/// Largest number of outcomes of a list.
const MOST: usize = 1 << 10;

/// An outcome, as constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// `ln(p/q)`.
    pub loss: Real,
    /// The mass under the first distribution, positive.
    pub p: Real,
    /// The mass under the second, positive.
    pub q: Real,
}

/// Outcomes with different losses, and what only one of the distributions has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// With finite losses, the largest first.
    pub outcomes: Vec<Listed>,
    /// Mass under the first distribution alone.
    pub infinite_p: Real,
    /// Mass under the second alone.
    pub infinite_q: Real,
}

impl List {
    /// The outcomes of a pair; `None` where its trade-off function is no polyline, or not known as a short one.
    ///
    /// # Errors
    /// Alarms.
    pub fn of(pair: &Pair, budget: &Budget) -> Result<Option<Self>, Error> {
        if let Some(f) = pair.trade_off()? {
            return Ok(f.list());
        }
        Ok(Polyline::of_pairs([pair], budget).and_then(|[f]| f.list(MOST)))
    }

    /// The losses.
    pub(super) fn losses(&self) -> Vec<Real> {
        self.outcomes.iter().map(|outcome| outcome.loss.clone()).collect()
    }

    /// The P-masses, in the same order.
    pub(super) fn masses(&self, bits: u32) -> Masses {
        Masses {
            p: self.outcomes.iter().map(|outcome| outcome.p.number(bits)).collect(),
            infinite_p: self.infinite_p.number(bits),
            infinite_q: self.infinite_q.number(bits),
        }
    }

    /// All of it.
    pub(super) fn outcomes(&self, bits: u32) -> Outcomes {
        let outcome = |Listed { loss, p, q }: &Listed| Outcome {
            loss: loss.enclosure(bits),
            p: p.number(bits),
            q: q.number(bits),
        };
        Outcomes {
            finite: self.outcomes.iter().map(outcome).collect(),
            infinite_p: self.infinite_p.number(bits),
            infinite_q: self.infinite_q.number(bits),
        }
    }
}
