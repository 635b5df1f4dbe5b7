//! The loss of the parts that are cut: for each of them sorted atoms with sums of their masses, and what has no atoms.

use std::sync::Arc;

use rug::Float;
use rug::float::Round::{Down, Up};

use super::BITS;
use crate::compose::grid::LossLaw;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// A part's finite losses under the first distribution, or backwards minus the losses under the second: a measure not
/// above the true one, whose masses are true where they are enclosed.
pub(super) struct Part {
    list: List,
    spread: Option<Arc<dyn LossLaw>>,
    backward: bool,
}

/// The law of the parts' loss: independent parts, what they fail with, and what is not listed of them.
pub(super) struct Law {
    pub parts: Vec<Part>,
    infinite: Enclosure,
    missing: Enclosure,
}

impl Law {
    /// Of these parts, with the mass at infinity of all of them and a bound of what is not listed.
    pub fn new(parts: Vec<Part>, infinite: Enclosure, missing: Enclosure) -> Self {
        Law { parts, infinite, missing }
    }

    pub fn infinite(&self) -> &Enclosure {
        &self.infinite
    }

    pub fn missing(&self) -> &Enclosure {
        &self.missing
    }
}

/// Atoms by rising loss.
pub(super) struct List {
    /// Lower bounds of the losses, rising; and upper bounds of each and all before it.
    lows: Vec<Float>,
    highs: Vec<Float>,
    /// By node of the tree of halves: `sum p` and `sum p e^-loss`.
    sums: Vec<(Enclosure, Enclosure)>,
}

/// A loss and its mass.
pub(super) type Atom = (Enclosure, Enclosure);

impl List {
    pub fn new(mut atoms: Vec<Atom>, budget: &Budget) -> Result<Self, Error> {
        atoms.retain(|(_, mass)| *mass.upper() > 0);
        atoms.sort_by(|(a, _), (b, _)| a.lower().total_cmp(b.lower()));
        let lows: Vec<Float> = atoms.iter().map(|(loss, _)| loss.lower().clone()).collect();
        let mut highs: Vec<Float> = Vec::with_capacity(atoms.len());
        for (loss, _) in &atoms {
            let high = highs.last().filter(|last| *last > loss.upper()).unwrap_or(loss.upper()).clone();
            highs.push(high);
        }
        let zero = Enclosure::zero(BITS);
        let mut list = List { lows, highs, sums: vec![(zero.clone(), zero); 4 * atoms.len()] };
        if !atoms.is_empty() {
            list.add_up(1, &atoms, budget)?;
        }
        Ok(list)
    }

    fn add_up(&mut self, node: usize, atoms: &[Atom], budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        let sums = match atoms {
            [(loss, mass)] => {
                budget.check()?;
                let mass = mass.with_bits(BITS);
                (mass.clone(), &mass * &(-loss.with_bits(BITS)).exp())
            }
            atoms => {
                let (first, second) = atoms.split_at(atoms.len() / 2);
                let (a, b) = (self.add_up(2 * node, first, budget)?, self.add_up(2 * node + 1, second, budget)?);
                (&a.0 + &b.0, &a.1 + &b.1)
            }
        };
        if let Some(slot) = self.sums.get_mut(node) {
            *slot = sums.clone();
        }
        Ok(sums)
    }

    fn piece(&self, node: usize, from: usize, to: usize) -> Option<Piece> {
        let (p, q) = self.sums.get(node)?.clone();
        let (low, high) = (self.lows.get(from)?.clone(), self.highs.get(to.checked_sub(1)?)?.clone());
        Some(Piece { range: Range::Atoms { node, from, to }, low, high, p, q })
    }
}

/// Which outcomes of a part.
#[derive(Clone, Debug)]
pub(super) enum Range {
    /// Atoms `from..to`, a node of the tree of halves.
    Atoms { node: usize, from: usize, to: usize },
    /// What has no atoms, between two losses.
    Stretch { low: f64, high: f64 },
}

/// A set of outcomes of one part: bounds of its losses, its mass, and that under the other distribution.
#[derive(Clone)]
pub(super) struct Piece {
    range: Range,
    pub low: Float,
    pub high: Float,
    pub p: Enclosure,
    pub q: Enclosure,
}

impl Part {
    /// Of atoms, and of a law's spread beside them if it has one.
    pub fn new(list: List, spread: Option<Arc<dyn LossLaw>>, backward: bool) -> Self {
        Part { list, spread, backward }
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.list.lows.len()
    }

    /// All of it, in one piece or two.
    pub fn whole(&self) -> Vec<Piece> {
        let atoms = self.list.piece(1, 0, self.list.lows.len());
        let spread = self.spread.as_ref().and_then(|law| law.spread()).and_then(|spread| {
            let (low, high) = spread.ends(BITS);
            let (low, high) = if self.backward { (-high, -low) } else { (low, high) };
            self.stretch(low.lower().to_f64_round(Down), high.upper().to_f64_round(Up))
        });
        atoms.into_iter().chain(spread).collect()
    }

    /// What lies between two losses and has no atoms.
    fn stretch(&self, low: f64, high: f64) -> Option<Piece> {
        let spread = self.spread.as_ref()?.spread()?;
        let (a, b) = (Enclosure::double(low, BITS), Enclosure::double(high, BITS));
        let (p, q) = if self.backward {
            let (p, q) = spread.between(&-&b, &-&a, BITS);
            (q, p)
        } else {
            spread.between(&a, &b, BITS)
        };
        let end = |x: f64| Float::with_val(53, x);
        Some(Piece { range: Range::Stretch { low, high }, low: end(low), high: end(high), p, q })
    }

    /// A piece in two halves; `None` where it is one atom, or as short as doubles tell.
    pub fn halves(&self, piece: &Piece) -> Option<[Piece; 2]> {
        match piece.range {
            Range::Atoms { node, from, to } => {
                let middle = from + (to - from) / 2;
                if middle == from {
                    return None;
                }
                Some([self.list.piece(2 * node, from, middle)?, self.list.piece(2 * node + 1, middle, to)?])
            }
            Range::Stretch { low, high } => {
                let middle = f64::midpoint(low, high);
                if !(low < middle && middle < high) {
                    return None;
                }
                Some([self.stretch(low, middle)?, self.stretch(middle, high)?])
            }
        }
    }
}
