//! The slices of one question, the widest bracket halved first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rug::Float;
use rug::float::Round::{Down, Up};

use super::BITS;
use super::law::{Law, Piece};
use crate::alarm::declined;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Slices at most: each takes one to three values of the curve beside.
const MOST_SLICES: usize = 10_000;
/// Bits asked of it.
const VALUE_BITS: u32 = 80;

/// All slices.
pub(super) struct Cells<'a> {
    law: &'a Law,
    beside: Option<&'a dyn Curve>,
    epsilon: &'a Real,
    direction: Direction,
}

/// One slice: a piece of each part.
struct Cell {
    pieces: Vec<Piece>,
    low: Float,
    high: Float,
    /// The curve beside, at both ends.
    at_low: Enclosure,
    at_high: Enclosure,
    lower: Float,
    upper: Float,
    gap: Float,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gap.total_cmp(&other.gap)
    }
}

/// Values that are known: of places where one slice ends and the next begins.
type Known<'a> = [(&'a Float, &'a Enclosure)];

impl<'a> Cells<'a> {
    pub fn new(law: &'a Law, beside: Option<&'a dyn Curve>, epsilon: &'a Real, backward: bool) -> Self {
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        Cells { law, beside, epsilon, direction }
    }

    /// `g(e^(eps - loss))`: the profile of the rest, or where there is none `(1 - e^(eps - loss))_+`.
    fn value(&self, loss: &Float, budget: &Budget) -> Result<Enclosure, Error> {
        let loss =
            loss.to_rational().ok_or_else(|| Error::undecided("a privacy loss exceeds the range of the arithmetic"))?;
        let at = self.epsilon.sub(&Real::from(loss));
        let value = match self.beside {
            Some(curve) => curve.delta(&at, self.direction, VALUE_BITS, budget)?.enclosure(BITS),
            None => (-at.enclosure(BITS).expm1()).positive_part(),
        };
        // A profile is a probability: what an enclosure leaves open beyond that is nothing.
        Ok(value.positive_part().min(&Enclosure::one(BITS)))
    }

    /// The slice of these pieces; `None` where it has no mass.
    fn cell(&self, pieces: Vec<Piece>, known: &Known, budget: &Budget) -> Result<Option<Cell>, Error> {
        let one = Enclosure::one(BITS);
        let p = pieces.iter().fold(one.clone(), |all, piece| &all * &piece.p);
        let q = pieces.iter().fold(one.clone(), |all, piece| &all * &piece.q);
        if *p.upper() <= 0 {
            return Ok(None);
        }
        let sum = |end: fn(&Piece) -> &Float, round| {
            pieces.iter().fold(Float::new(BITS), |sum, piece| Float::with_val_round(BITS, &sum + end(piece), round).0)
        };
        let (low, high) = (sum(|piece| &piece.low, Down), sum(|piece| &piece.high, Up));
        let at = |loss: &Float| match known.iter().find(|(place, _)| *place == loss) {
            Some((_, value)) => Ok((*value).clone()),
            None => self.value(loss, budget),
        };
        let (at_low, at_high) = (at(&low)?, at(&high)?);
        let below = (&p * &at_low).into_bounds().0;
        let (lower, upper) = if low == high || at_low.upper() >= at_high.lower() {
            (below, (&p * &at_high).into_bounds().1)
        } else {
            // The mean is between the ends; where it is not known, the lower end is below it.
            let mean = (&p / &q).ln();
            let mean = Float::with_val_round(64, mean.lower(), Down).0;
            let jensen = if mean > low && mean < high {
                (&p * &self.value(&mean, budget)?).into_bounds().0
            } else {
                below.clone()
            };
            let bottom = Enclosure::new(low.clone(), low.clone());
            let width = &bottom - &Enclosure::new(high.clone(), high.clone());
            let share = &(&p - &(&q * &bottom.exp())) / &-width.expm1();
            let share = share.positive_part().min(&p);
            let above = &(&p * &at_low) + &(&share * &(&at_high - &at_low).positive_part());
            let above = above.into_bounds().1;
            let most = (&p * &at_high).into_bounds().1;
            (if jensen > below { jensen } else { below }, if above < most { above } else { most })
        };
        let gap = Float::with_val_round(64, &upper - &lower, Up).0;
        Ok(Some(Cell { pieces, low, high, at_low, at_high, lower, upper, gap }))
    }

    /// A slice in two, cut across the part whose losses are the farthest apart; `None` if nothing can be cut.
    fn halved(&self, cell: &Cell, budget: &Budget) -> Result<Option<Vec<Cell>>, Error> {
        let mut order: Vec<usize> = (0..cell.pieces.len()).collect();
        let length = |i: &usize| cell.pieces.get(*i).map(|piece| Float::with_val(53, &piece.high - &piece.low));
        order.sort_by(|a, b| length(b).partial_cmp(&length(a)).unwrap_or(Ordering::Equal));
        for i in order {
            let halves = self.law.parts.get(i).zip(cell.pieces.get(i)).and_then(|(part, piece)| part.halves(piece));
            let Some(halves) = halves else { continue };
            let mut known = vec![(cell.low.clone(), cell.at_low.clone()), (cell.high.clone(), cell.at_high.clone())];
            let mut made = Vec::new();
            for half in halves {
                let mut pieces = cell.pieces.clone();
                if let Some(slot) = pieces.get_mut(i) {
                    *slot = half;
                }
                let places: Vec<(&Float, &Enclosure)> = known.iter().map(|(place, value)| (place, value)).collect();
                if let Some(new) = self.cell(pieces, &places, budget)? {
                    known.push((new.high.clone(), new.at_high.clone()));
                    made.push(new);
                }
            }
            return Ok(Some(made));
        }
        Ok(None)
    }

    /// The expectation from both sides, to about this relative width if that is within reach.
    pub fn bracket(&self, width: f64, budget: &Budget) -> Result<Enclosure, Error> {
        let mut open = BinaryHeap::new();
        let mut done: Vec<Cell> = Vec::new();
        let mut all: Vec<Vec<Piece>> = vec![Vec::new()];
        for part in &self.law.parts {
            let whole = part.whole();
            all = all
                .iter()
                .flat_map(|chosen| whole.iter().map(|piece| [chosen.as_slice(), std::slice::from_ref(piece)].concat()))
                .collect();
        }
        for pieces in all {
            open.extend(self.cell(pieces, &[], budget)?);
        }
        let (mut next, mut stopped) = (64, false);
        loop {
            let count = open.len() + done.len();
            let full = stopped || count > MOST_SLICES || budget.check().is_err();
            if full || count >= next || open.is_empty() {
                next = count + count / 8 + 1;
                let (lower, upper) = sums(open.iter().chain(&done));
                let gap = Float::with_val(64, &upper - &lower);
                if full || open.is_empty() || gap <= Float::with_val(64, &lower * width) {
                    budget.note("slices", count);
                    return Ok(Enclosure::new(lower, upper));
                }
            }
            let Some(widest) = open.pop() else { continue };
            // What cannot be halved in time stays as it is.
            match declined(self.halved(&widest, budget))? {
                Some(Some(made)) => open.extend(made),
                Some(None) => done.push(widest),
                None => {
                    stopped = true;
                    done.push(widest);
                }
            }
        }
    }
}

/// Of all lower and of all upper bounds.
fn sums<'a>(cells: impl Iterator<Item = &'a Cell>) -> (Float, Float) {
    cells.fold((Float::new(BITS), Float::new(BITS)), |(lower, upper), cell| {
        let lower = Float::with_val_round(BITS, &lower + &cell.lower, Down).0;
        (lower, Float::with_val_round(BITS, &upper + &cell.upper, Up).0)
    })
}
