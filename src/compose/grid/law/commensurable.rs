//! Parts that share a lattice, composed on it before anything is rounded.

use rug::Rational;

use super::{Atom, Atoms, LossLaw};
use crate::compose::lattice::{Lattice, LatticePair};
use crate::error::Error;
use crate::number::{Budget, Enclosure, Number, Real};

/// A composition of lattice pairs as one part: its losses are rounded once, however many they are sums of.
#[derive(Clone)]
pub struct Commensurable {
    name: String,
    lattice: Lattice,
    symmetric: bool,
}

impl Commensurable {
    /// The composition of these pairs, each so many times; `symmetric` promises that each is its own mirror image.
    ///
    /// # Errors
    /// [`Error::Undecided`] if they share no lattice.
    pub fn new(parts: Vec<(LatticePair, u64)>, symmetric: bool) -> Result<Self, Error> {
        let name = format!("{} lattice pairs", parts.iter().fold(0, |n: u64, (_, times)| n.saturating_add(*times)));
        Ok(Commensurable { name, lattice: Lattice::new(parts, symmetric)?, symmetric })
    }

    /// One discrete Gaussian, `N_Z(0, sigma2)` against `N_Z(D, sigma2)`.
    pub fn discrete_gaussian(sigma2: Rational, sensitivity: rug::Integer) -> Result<Self, Error> {
        let mut law = Self::new(vec![(LatticePair::discrete_gaussian(sigma2.clone(), sensitivity)?, 1)], true)?;
        law.name = format!("discrete-gaussian(sigma2={sigma2})");
        Ok(law)
    }
}

impl LossLaw for Commensurable {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The stored masses are rounded down: what they lack is left out. That is not the same for P and for Q, so that the law
    /// under Q is composed for itself.
    fn atoms(&self, bits: u32, depth: u32, budget: &Budget) -> Result<Atoms, Error> {
        let forward = self.lattice.masses(false, depth, budget)?;
        let backward = self.lattice.masses(true, depth, budget)?;
        let (infinite_p, infinite_q): (Number, Number) = self.lattice.infinite_masses(bits)?;
        // By place, P from one list and Q from the mirrored other; where one list has no entry the mass follows from the other.
        let unit = self.lattice.unit().clone();
        let shift = self.lattice.shift().clone();
        let mut list = Vec::new();
        let loss = |place: i64| -> Real { shift.add(&unit.mul_rational(&Rational::from(place))) };
        let mut q_side = backward.list.iter().rev().map(|(place, mass)| (-place, mass)).peekable();
        let mut p_side = forward.list.iter().map(|(place, mass)| (*place, mass)).peekable();
        let mut count = 0_u32;
        loop {
            count = count.wrapping_add(1);
            if count % 0x1000 == 0 {
                budget.check()?;
            }
            let place = match (p_side.peek(), q_side.peek()) {
                (None, None) => break,
                (Some((p, _)), None) => *p,
                (None, Some((q, _))) => *q,
                (Some((p, _)), Some((q, _))) => (*p).min(*q),
            };
            let p = p_side.next_if(|(at, _)| *at == place).map(|(_, mass)| mass.clone());
            let q = q_side.next_if(|(at, _)| *at == place).map(|(_, mass)| mass.clone());
            let zero = || Enclosure::zero(bits);
            list.push(Atom { loss: loss(place).enclosure(bits), p: p.unwrap_or_else(zero), q: q.unwrap_or_else(zero) });
        }
        Ok(Atoms { list, infinite_p, infinite_q, missing_p: forward.missing, missing_q: backward.missing })
    }
}
