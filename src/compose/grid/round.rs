//! One grid: the losses of all parts, rounded.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use rug::float::Round::{Down, Up};
use rug::{Integer, Rational};

use super::law::{Atoms, LossLaw, Spread};
use super::{Rounded, Step};
use crate::compose::lattice::{Lattice, LatticePair, Masses};
use crate::error::Error;
use crate::number::{Budget, Enclosure, Number, Real, Work};

/// Cells of one part at most.
const MOST_CELLS: u64 = 1 << 26;

impl Step {
    /// `h`.
    pub fn size(&self) -> Rational {
        let one = Integer::from(1);
        match u32::try_from(self.fineness) {
            Ok(bits) => Rational::from((one.clone(), one << bits)),
            Err(_) => Rational::from(one << self.fineness.unsigned_abs()),
        }
    }

    fn h(&self, bits: u32) -> Enclosure {
        Enclosure::one(bits).shift(-self.fineness)
    }

    /// The grid point at or below a loss: `None` for one that is not bounded or too far out.
    fn below(&self, loss: &Enclosure) -> Option<i64> {
        let scaled = loss.shift(self.fineness);
        let (low, high) = (scaled.lower().to_integer_round(Down)?.0, scaled.upper().to_integer_round(Up)?.0);
        // The loss may be on either side of a grid point: then it is within an enclosure's width of it.
        (high - &low <= 2).then(|| low.to_i64()).flatten().filter(|place| place.abs() < 1 << 40)
    }
}

/// P-masses on the grid.
struct Cells {
    step: Step,
    bits: u32,
    masses: BTreeMap<i64, Enclosure>,
    /// `1/(1 - e^(-h))`.
    share: Enclosure,
}

impl Cells {
    fn new(step: Step, bits: u32) -> Self {
        let share = (-(-step.h(bits)).expm1()).recip();
        Cells { step, bits, masses: BTreeMap::new(), share }
    }

    fn add(&mut self, place: i64, mass: Enclosure) {
        let slot = self.masses.entry(place).or_insert_with(|| Enclosure::zero(self.bits));
        *slot = &*slot + &mass.positive_part();
    }

    fn grid(&self, place: i64) -> Enclosure {
        Enclosure::integer(&Integer::from(place), 64 + self.bits).shift(-self.step.fineness)
    }

    /// A loss with its mass: weight `(1 - e^(-(l-g)))/(1 - e^(-h))` to `g + h`, the rest to g.
    fn atom(&mut self, loss: &Enclosure, mass: &Enclosure) -> Result<(), Error> {
        let place = self.step.below(loss).ok_or_else(|| Error::Undecided("a loss has no place on a grid".into()))?;
        let above = loss - &self.grid(place);
        // A loss that cannot be told from a grid point may look as if it lay beyond the cell: not by more than its width.
        let weight = (&-(-above).expm1() * &self.share).positive_part().min(&Enclosure::one(self.bits));
        let up = mass * &weight;
        self.add(place, mass - &up);
        self.add(place + 1, up);
        Ok(())
    }

    /// What has no atoms, cell by cell: `p_1 = (p - q e^g)/(1 - e^(-h))` goes to `g + h`.
    fn spread(&mut self, spread: &dyn Spread, backward: bool, budget: &Budget) -> Result<(), Error> {
        let bits = self.bits;
        let (low, high) = spread.ends(bits);
        let (low, high) = if backward { (-high, -low) } else { (low, high) };
        let far = || Error::Undecided("losses are too far out for a grid".to_string());
        let first = self.step.below(&low).ok_or_else(far)?;
        let last = self.step.below(&high).ok_or_else(far)? + 1;
        let cells = last.abs_diff(first);
        budget.afford(&Work {
            what: "cells of a grid",
            count: cells,
            most: MOST_CELLS,
            bytes: cells.saturating_mul(u64::from(bits / 4) + 128),
            relax: "fewer digits would do",
        })?;
        let share = &self.share;
        let this = &*self;
        let split: Result<Vec<(Enclosure, Enclosure)>, Error> = (first..=last)
            .into_par_iter()
            .map(|place| {
                if place % 0x100 == 0 {
                    budget.check()?;
                }
                let (a, b) = (this.grid(place), this.grid(place + 1));
                let (p, q) = if backward {
                    let (p, q) = spread.between(&-&b, &-&a, bits);
                    (q, p)
                } else {
                    spread.between(&a, &b, bits)
                };
                let up = (&(&p - &(&q * &a.exp())) * share).positive_part().min(&p);
                Ok((&p - &up, up))
            })
            .collect();
        for (place, (down, up)) in (first..).zip(split?) {
            self.add(place, down);
            self.add(place + 1, up);
        }
        Ok(())
    }
}

/// One part on the grid, and a bound on the mass that is left out.
fn round_part(law: &dyn LossLaw, step: Step, budget: &Budget) -> Result<(LatticePair, Enclosure), Error> {
    let depth = step.depth;
    // What cancels in a cell is about the fineness of the grid.
    let bits = depth.saturating_add(96).saturating_add(2 * step.fineness.unsigned_abs());
    let Atoms { list, infinite_p, infinite_q, missing_p, missing_q } = law.atoms(bits, depth, budget)?;
    let mut cells = Cells::new(step, bits);
    for (i, atom) in list.iter().enumerate() {
        if i % 0x1000 == 0 {
            budget.check()?;
        }
        if step.backward {
            cells.atom(&-&atom.loss, &atom.q)?;
        } else {
            cells.atom(&atom.loss, &atom.p)?;
        }
    }
    if let Some(spread) = law.spread() {
        cells.spread(spread, step.backward, budget)?;
    }
    let masses = cells.masses;
    let (first, last) = match (masses.keys().next(), masses.keys().next_back()) {
        (Some(first), Some(last)) => (*first, *last),
        _ => (0, 0),
    };
    let span = last.abs_diff(first);
    budget.afford(&Work {
        what: "points of a grid",
        count: span,
        most: MOST_CELLS,
        bytes: span.saturating_mul(u64::from(bits / 4) + 128),
        relax: "fewer digits would do",
    })?;
    let mut p = vec![Number::zero(); span as usize + 1];
    for (place, mass) in masses {
        if let Some(slot) = p.get_mut(place.abs_diff(first) as usize) {
            *slot = Number::Enclosed(mass);
        }
    }
    let (infinite_p, infinite_q) = if step.backward { (infinite_q, infinite_p) } else { (infinite_p, infinite_q) };
    let masses = Masses { p, infinite_p, infinite_q };
    let pair = LatticePair::new(Real::from(step.size()), first, move |_| Ok(masses.clone()))?;
    Ok((pair, if step.backward { missing_q } else { missing_p }))
}

/// The composition of parts on a grid.
pub(super) fn round(parts: &[(Arc<dyn LossLaw>, u64)], step: Step, budget: &Budget) -> Result<Rounded, Error> {
    let rounded: Result<Vec<(LatticePair, Enclosure)>, Error> =
        parts.par_iter().map(|(law, _)| round_part(law.as_ref(), step, budget)).collect();
    let mut pairs = Vec::new();
    let mut missing = Enclosure::zero(64);
    let mut roundings = 0_u64;
    for ((pair, lost), (_, times)) in rounded?.into_iter().zip(parts) {
        // A union bound over all parts.
        missing = &missing + &(&lost.with_bits(64) * &Enclosure::integer(&Integer::from(*times), 64));
        roundings = roundings.saturating_add(*times);
        pairs.push((pair, *times));
    }
    let missing = Enclosure::new(rug::Float::new(64), missing.upper().clone());
    Ok(Rounded { lattice: Lattice::new(pairs, false)?, step, roundings, missing })
}
