//! Parts that share a lattice, composed on it before anything is rounded.

use rug::Rational;

use super::{Atom, Atoms, LossLaw, Sides};
use crate::compose::lattice::{Lattice, LatticePair, Listed};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, common_unit};

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

    /// Lattice pairs in groups that are composed exactly, each on its own lattice: as few groups as have lattices that
    /// are not long. Pairs that share no lattice go to different groups.
    ///
    /// # Errors
    /// Those of the pairs.
    pub fn grouped(parts: Vec<(LatticePair, u64)>, symmetric: bool) -> Result<Vec<Self>, Error> {
        let mut groups: Vec<Group> = Vec::new();
        for (pair, times) in parts {
            if times == 0 {
                continue;
            }
            let variance = pair.variance()? * times as f64;
            let unit = pair.unit().clone();
            match groups.iter_mut().find(|group| group.unit == unit) {
                Some(group) => {
                    group.variance += variance;
                    group.parts.push((pair, times));
                }
                None => groups.push(Group { parts: vec![(pair, times)], unit, variance }),
            }
        }
        // The two whose common lattice is the shortest, as long as it is short.
        loop {
            let mut best: Option<(usize, usize, f64, Real)> = None;
            for (i, a) in groups.iter().enumerate() {
                for (j, b) in groups.iter().enumerate().skip(i + 1) {
                    let Some((unit, _)) = common_unit([&a.unit, &b.unit]) else { continue };
                    let places = places(&unit, a.variance + b.variance);
                    if places <= SHORT && best.as_ref().is_none_or(|(_, _, least, _)| places < *least) {
                        best = Some((i, j, places, unit));
                    }
                }
            }
            let Some((i, j, _, unit)) = best else { break };
            let other = groups.swap_remove(j);
            if let Some(group) = groups.get_mut(i) {
                group.unit = unit;
                group.variance += other.variance;
                group.parts.extend(other.parts);
            }
        }
        groups.into_iter().map(|group| Self::new(group.parts, symmetric)).collect()
    }

    /// One discrete Gaussian, `N_Z(0, sigma2)` against `N_Z(D, sigma2)`.
    pub fn discrete_gaussian(sigma2: Rational, sensitivity: rug::Integer) -> Result<Self, Error> {
        let mut law = Self::new(vec![(LatticePair::discrete_gaussian(sigma2.clone(), sensitivity)?, 1)], true)?;
        law.name = format!("discrete-gaussian(sigma2={sigma2})");
        Ok(law)
    }
}

/// Pairs that will be composed on one lattice.
struct Group {
    parts: Vec<(LatticePair, u64)>,
    unit: Real,
    variance: f64,
}

/// Places of a lattice that is short: each becomes a rounding, at some microseconds.
const SHORT: f64 = 131_072.0;

/// Places that a law of this variance takes at a usual precision.
fn places(unit: &Real, variance: f64) -> f64 {
    30.0 * variance.sqrt() / unit.to_f64()
}

impl LossLaw for Commensurable {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The stored masses are rounded down: what they lack is left out. That is not the same for P and for Q, so that
    /// the law under Q is composed for itself.
    fn atoms(&self, bits: u32, depth: u32, sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        let (infinite_p, infinite_q): (Number, Number) = self.lattice.infinite_masses(bits)?;
        let none = || Listed { list: Vec::new(), missing: Enclosure::zero(64) };
        let listed = |backward: bool| self.lattice.masses(backward, depth, budget);
        let forward = if sides == Sides::Second { none() } else { listed(false)? };
        let backward = if sides == Sides::First { none() } else { listed(true)? };
        let unit = self.lattice.unit().enclosure(bits + 64);
        let shift = self.lattice.shift().enclosure(bits + 64);
        let loss = |place: i64| (&shift + &(&unit * &Enclosure::integer(&place.into(), bits))).with_bits(bits);
        // By place, P from one list and Q from the reversed other.
        let mut list = Vec::with_capacity(forward.list.len().max(backward.list.len()));
        let mut q_side = backward.list.into_iter().rev().map(|(place, mass)| (-place, mass)).peekable();
        let mut p_side = forward.list.into_iter().peekable();
        while let Some(place) = match (p_side.peek(), q_side.peek()) {
            (Some((p, _)), Some((q, _))) => Some(*p.min(q)),
            (Some((place, _)), None) | (None, Some((place, _))) => Some(*place),
            (None, None) => None,
        } {
            if list.len() % 0x1000 == 0 {
                budget.check()?;
            }
            let p = p_side.next_if(|(at, _)| *at == place).map(|(_, mass)| mass);
            let q = q_side.next_if(|(at, _)| *at == place).map(|(_, mass)| mass);
            let zero = || Enclosure::zero(2);
            list.push(Atom { loss: loss(place), p: p.unwrap_or_else(zero), q: q.unwrap_or_else(zero) });
        }
        Ok(Atoms { list, infinite_p, infinite_q, missing_p: forward.missing, missing_q: backward.missing })
    }
}
