//! Shuffled reports, count by count.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Atom, Atoms, LossLaw, Sides};
use crate::error::Error;
use crate::pair::Shuffled;
use enclosure::{Budget, Enclosure, Number};

/// More bits, and more depth, than a grid asks for: the next one wants a few more.
const SPARE: u32 = 64;

/// Shuffled reports whose counts are few enough to be listed.
#[derive(Clone)]
pub struct Counts {
    pair: Shuffled,
    /// The last list, and to how many bits and how deep.
    known: Arc<Mutex<Option<(u32, u32, Atoms)>>>,
}

impl Counts {
    /// Of this pair.
    pub fn new(pair: Shuffled) -> Self {
        Counts { pair, known: Arc::default() }
    }

    fn list(&self, bits: u32, depth: u32, budget: &Budget) -> Result<Atoms, Error> {
        let mut list = Vec::new();
        // A bound for each c, weighed by the mass of c, and one for each end of these.
        let rest = self.pair.counts(bits, depth.saturating_add(3), budget, &mut |p, q, loss| {
            list.push(Atom { loss: loss.clone(), p: p.clone(), q: q.clone() });
            list.push(Atom { loss: -loss, p: q.clone(), q: p.clone() });
        })?;
        list.push(Atom { loss: Enclosure::zero(bits), p: rest.zero.clone(), q: rest.zero });
        let (infinite_p, infinite_q) = (Number::zero(), Number::zero());
        Ok(Atoms { list, infinite_p, infinite_q, missing_p: rest.left.clone(), missing_q: rest.left })
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, atoms)) = known.as_ref().filter(|(had, deep, _)| *had >= bits && *deep >= depth) {
            return Ok(atoms.clone());
        }
        let (bits, depth) = (bits.saturating_add(SPARE), depth.saturating_add(SPARE / 2));
        let atoms = self.list(bits, depth, budget)?;
        *known = Some((bits, depth, atoms.clone()));
        Ok(atoms)
    }
}
