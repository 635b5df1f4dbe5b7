//! One grid: the losses of all parts, rounded, their masses in fixed point.
//!
//! Masses are stored rounded down; what they lack is counted in units, with what the enclosures they come from leave
//! open and what was left out. One number for each part then bounds all that the stored law lacks of the true one on
//! the grid.

use std::sync::Arc;

use rug::float::Round::{Down, Up};
use rug::integer::Order;
use rug::{Float, Integer, Rational};

use super::law::{Atom, ByProfile, Dots, LossLaw, Sides, Spacing, Spread};
use super::{Rounded, Step};
use crate::compose::lattice::{LatticePair, Listing, Plain};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Need, Number, Real};

/// Points of one part's grid at most.
const MOST_POINTS: u64 = 1 << 26;
/// Cells or losses whose masses are computed before they are added.
const CHUNK: i64 = 1 << 14;
/// Bits of a profile at least.
const LEAST_BITS: u32 = 64;

impl Step {
    /// `h`.
    pub fn size(&self) -> Rational {
        let one = Integer::from(1);
        match u32::try_from(self.fineness) {
            Ok(bits) => Rational::from((one.clone(), one << bits)),
            Err(_) => Rational::from(one << self.fineness.unsigned_abs()),
        }
    }

    /// Words of a mass: with room for what many roundings lose. Fewer than `2^23`, so that its bits are a number of 32
    /// bits: what is left out below them is counted whatever the depth.
    pub fn width(&self) -> usize {
        (self.depth as usize).saturating_add(40).min(1 << 29).div_ceil(64)
    }

    fn h(&self, bits: u32) -> Enclosure {
        Enclosure::one(bits).shift(-self.fineness)
    }

    /// The grid point at or below a loss. A loss that may be on either side of a grid point is within an enclosure's
    /// width of it.
    fn below(&self, loss: &Enclosure) -> Result<i64, Error> {
        let scaled = loss.shift(self.fineness);
        let whole = |x: &Float, round| x.to_integer_round(round).map(|(n, _)| n);
        let ends = whole(scaled.lower(), Down).zip(whole(scaled.upper(), Up));
        ends.filter(|(low, high)| Integer::from(high - low) <= 2)
            .and_then(|(low, _)| low.to_i64())
            .filter(|place| place.unsigned_abs() < 1 << 40)
            .ok_or_else(|| {
                Error::Undecided("a privacy loss is too large, or not known precisely enough, for a grid".into())
            })
    }
}

/// Masses on a stretch of the grid.
struct Cells {
    step: Step,
    bits: u32,
    first: i64,
    width: usize,
    words: Vec<u64>,
    error: u128,
    /// `1/(1 - e^(-h))`.
    share: Enclosure,
}

impl Cells {
    fn new(step: Step, bits: u32, (first, last): (i64, i64), budget: &Budget) -> Result<Self, Error> {
        let count = last.abs_diff(first).saturating_add(1);
        let width = step.width();
        budget.afford(&Need {
            what: "points of a grid",
            count,
            most: MOST_POINTS,
            bytes: count.saturating_mul(32 * width as u64),
            relax: "try fewer digits",
        })?;
        let share = (-(-step.h(bits)).expm1()).recip();
        let words = vec![0; count as usize * width];
        Ok(Cells { step, bits, first, width, words, error: 0, share })
    }

    /// Add a mass, rounded down; the units it may lack are counted.
    fn add(&mut self, place: i64, mass: &Enclosure) {
        let scale = |x: &Float, round| {
            let scaled = Float::with_val_round(x.prec(), x << (64 * self.width as u32), round).0;
            scaled.to_integer_round(round).map(|(n, _)| n)
        };
        let from = usize::try_from(place - self.first).unwrap_or(usize::MAX).saturating_mul(self.width);
        let ends = scale(mass.lower(), Down).zip(scale(mass.upper(), Up));
        let slot = from.checked_add(self.width).and_then(|to| self.words.get_mut(from..to));
        let (Some((low, high)), Some(slot)) = (ends, slot) else {
            self.error = u128::MAX;
            return;
        };
        let low = if low < 0 { Integer::new() } else { low };
        let open = Integer::from(&high - &low).to_u128().unwrap_or(u128::MAX);
        self.error = self.error.saturating_add(open);
        let mut carry = 0_u64;
        let digits = low.to_digits::<u64>(Order::Lsf);
        for (i, word) in slot.iter_mut().enumerate() {
            let sum = u128::from(*word) + u128::from(digits.get(i).copied().unwrap_or(0)) + u128::from(carry);
            *word = sum as u64;
            carry = (sum >> 64) as u64;
        }
        if carry > 0 || digits.len() > self.width {
            // All the mass there is: a unit less than one.
            slot.fill(u64::MAX);
            self.error = self.error.saturating_add(1);
        }
    }

    fn grid(&self, place: i64) -> Enclosure {
        Enclosure::integer(&Integer::from(place), 64 + self.bits).shift(-self.step.fineness)
    }

    /// The part of a mass that goes to the upper neighbour: weight `(1 - e^(-(l-g)))/(1 - e^(-h))`.
    ///
    /// A loss that cannot be told from a grid point may look as if it lay outside the cell, but not by more than its
    /// width.
    fn upper_part(&self, place: i64, loss: &Enclosure, mass: &Enclosure) -> Enclosure {
        let above = loss - &self.grid(place);
        let weight = (&-(-above).expm1() * &self.share).positive_part().min(&Enclosure::one(self.bits));
        mass * &weight
    }

    /// A chunk of losses at a time.
    fn atoms(&mut self, atoms: &[Atom], backward: bool, budget: &Budget) -> Result<(), Error> {
        let this = &*self;
        let split = budget.map(atoms.iter().enumerate(), |(i, atom), budget| {
            if i % 0x400 == 0 {
                budget.check()?;
            }
            let turned = -&atom.loss;
            let (loss, mass) = if backward { (&turned, &atom.q) } else { (&atom.loss, &atom.p) };
            let place = this.step.below(loss)?;
            let up = this.upper_part(place, loss, mass);
            Ok((place, (mass - &up).positive_part(), up))
        })?;
        for (place, down, up) in split {
            self.add(place, &down);
            self.add(place + 1, &up);
        }
        Ok(())
    }

    /// The part as it is stored, with what is left out of it, and the masses at infinity.
    fn listed(self, missing: &Enclosure, (infinite_p, infinite_q): (Number, Number)) -> LatticePair {
        let missing = missing.with_bits(64).shift(64 * self.width as i32);
        let missing = missing.upper().to_integer_round(Up).and_then(|(n, _)| n.to_u128()).unwrap_or(u128::MAX);
        let listing = Listing {
            offset: self.first,
            width: self.width,
            words: self.words,
            error: self.error.saturating_add(missing),
            infinite_p,
            infinite_q,
        };
        LatticePair::listed(Real::from(self.step.size()), listing)
    }

    /// What has no atoms, cell by cell: `p_1 = (p - q e^g)/(1 - e^(-h))` goes to `g + h`.
    fn spread(&mut self, spread: &dyn Spread, cells: (i64, i64), backward: bool, budget: &Budget) -> Result<(), Error> {
        let bits = self.bits;
        let mut next = cells.0;
        // The masses of all cells at once would need many times the memory of the grid.
        while next <= cells.1 {
            let last = cells.1.min(next.saturating_add(CHUNK - 1));
            let this = &*self;
            let split = budget.map(next..=last, |place, budget| {
                // The masses of one may take some milliseconds.
                budget.check()?;
                let (a, b) = (this.grid(place), this.grid(place + 1));
                let (p, q) = if backward {
                    let (p, q) = spread.between(&-&b, &-&a, bits);
                    (q, p)
                } else {
                    spread.between(&a, &b, bits)
                };
                let up = (&(&p - &(&q * &a.exp())) * &this.share).positive_part().min(&p);
                Ok(((&p - &up).positive_part(), up))
            })?;
            for (place, (down, up)) in (next..).zip(split) {
                self.add(place, &down);
                self.add(place + 1, &up);
            }
            next = last + 1;
        }
        Ok(())
    }
}

/// One part on the grid.
fn round_part(law: &dyn LossLaw, step: Step, budget: &Budget) -> Result<LatticePair, Error> {
    // What cancels in a cell is about the fineness of the grid, twice.
    let bits = (64 * step.width() as u32).saturating_add(48).saturating_add(2 * step.fineness.unsigned_abs());
    let backward = step.backward;
    if let Some(law) = law.by_profile() {
        return round_profile(law, step, budget);
    }
    let sides = if backward { Sides::Second } else { Sides::First };
    let atoms = law.atoms(bits, step.depth, sides, budget)?;
    let mut ends: Option<(i64, i64)> = None;
    let mut include = |place: i64| {
        ends = Some(ends.map_or((place, place + 1), |(low, high)| (low.min(place), high.max(place + 1))));
    };
    for atom in &atoms.list {
        include(step.below(&if backward { -&atom.loss } else { atom.loss.clone() })?);
    }
    let mut stretch = None;
    if let Some(spread) = law.spread() {
        let (low, high) = spread.ends(bits);
        let (low, high) = if backward { (-high, -low) } else { (low, high) };
        // The last cell may begin an enclosure's width below the end.
        let cells = (step.below(&low)?, step.below(&high)? + 1);
        include(cells.0);
        include(cells.1);
        stretch = Some((spread, cells));
    }
    let mut cells = Cells::new(step, bits, ends.unwrap_or((0, 1)), budget)?;
    for chunk in atoms.list.chunks(CHUNK as usize) {
        cells.atoms(chunk, backward, budget)?;
    }
    if let Some((spread, stretch)) = stretch {
        cells.spread(spread, stretch, backward, budget)?;
    }
    let (missing, infinite) = if backward {
        (atoms.missing_q, (atoms.infinite_q, atoms.infinite_p))
    } else {
        (atoms.missing_p, (atoms.infinite_p, atoms.infinite_q))
    };
    Ok(cells.listed(&missing, infinite))
}

/// The same of a part that is known by its profile.
fn round_profile(law: &ByProfile, step: Step, budget: &Budget) -> Result<LatticePair, Error> {
    // Differences are divided by a step; the masses of all places may lack something. Each bit is paid for. Of as many
    // bits on many grids: what one of them asked for is there for the others.
    let bits = step.depth.saturating_add(24).saturating_add(step.fineness.unsigned_abs()).max(LEAST_BITS);
    let bits = bits.checked_next_multiple_of(32).unwrap_or(bits);
    let spacing = Spacing { step: step.size(), backward: step.backward, bits, depth: step.depth };
    let Dots { first, masses, missing, infinite_p, infinite_q } = law.dots(&spacing, budget)?;
    let last = first.saturating_add(i64::try_from(masses.len()).unwrap_or(i64::MAX));
    let mut cells = Cells::new(step, bits, (first, last), budget)?;
    for (place, mass) in (first..).zip(&masses) {
        cells.add(place, mass);
    }
    Ok(cells.listed(&missing, (infinite_p, infinite_q)))
}

/// The composition of parts on a grid.
pub(super) fn round(parts: &[(Arc<dyn LossLaw>, u64)], step: Step, budget: &Budget) -> Result<Rounded, Error> {
    let pairs = budget.map(parts, |(law, times), budget| Ok((round_part(law.as_ref(), step, budget)?, *times)))?;
    let roundings = parts.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
    Ok(Rounded { law: Plain::new(pairs, step.width(), budget)?, step, roundings })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A law whose cells are as dear as cells may be.
    struct Dear;

    impl Spread for Dear {
        fn ends(&self, bits: u32) -> (Enclosure, Enclosure) {
            (Enclosure::zero(bits), Enclosure::one(bits))
        }

        fn between(&self, _low: &Enclosure, _high: &Enclosure, bits: u32) -> (Enclosure, Enclosure) {
            (Enclosure::zero(bits), Enclosure::zero(bits))
        }
    }

    /// Before each cell of a law without atoms somebody looks at the time.
    #[test]
    fn cells_end_with_the_time() {
        let step = Step { fineness: 4, backward: false, depth: 20 };
        for budget in [Budget::default(), Budget::new(64, Some(Duration::ZERO))] {
            let mut cells = Cells::new(step, 64, (3, 5), &budget).expect("a grid");
            let found = cells.spread(&Dear, (3, 4), false, &budget);
            assert_eq!(found.is_ok(), budget.check().is_ok());
        }
    }
}
