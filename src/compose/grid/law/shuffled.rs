//! Shuffled reports, count by count.

use super::{Atom, Atoms, LossLaw, Sides};
use crate::error::Error;
use crate::pair::Shuffled;
use enclosure::{Budget, Enclosure, Number};

/// Shuffled reports whose counts are few enough to be listed.
#[derive(Clone)]
pub struct Counts {
    pair: Shuffled,
}

impl Counts {
    /// Of this pair.
    pub fn new(pair: Shuffled) -> Self {
        Counts { pair }
    }
}

impl LossLaw for Counts {
    fn name(&self) -> String {
        "shuffled mechanism".into()
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn atoms(&self, bits: u32, depth: u32, _sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        // A bound for each c, weighed by the mass of c, and one for each end of these.
        let counts = self.pair.listed(bits, depth.saturating_add(3), budget)?;
        let mut list = Vec::with_capacity(2 * counts.list.len() + 1);
        for [p, q, loss] in &counts.list {
            list.push(Atom { loss: loss.clone(), p: p.clone(), q: q.clone() });
            list.push(Atom { loss: -loss, p: q.clone(), q: p.clone() });
        }
        let rest = &counts.rest;
        list.push(Atom { loss: Enclosure::zero(bits), p: rest.zero.clone(), q: rest.zero.clone() });
        let (infinite_p, infinite_q) = (Number::zero(), Number::zero());
        let missing = || rest.left.clone();
        Ok(Atoms { list, infinite_p, infinite_q, missing_p: missing(), missing_q: missing() })
    }
}
