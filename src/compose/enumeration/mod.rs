//! Mechanisms with finitely many losses that share no lattice: all sums of their losses, in two sorted halves.
//!
//! A mechanism with m losses run k times has `C(k+m-1, m-1)` different sums of losses, with multinomial masses. The
//! composition is divided into two halves, of up to 2^20 sums each, and its outcomes are the pairs of one sum from
//! either: never listed, but summed by one walk along both sorted lists (`meet_in_the_middle`).
//!
//! **What is certified.** Losses are real numbers, sums of whole multiples of exact constants, and nobody has to know
//! which of two nearly equal ones is the larger. The profile at epsilon is the largest `P(S) - e^eps Q(S)` of all sets
//! S, attained by `{L > eps}`; a set that goes wrong on outcomes whose loss is within kappa of epsilon is short of it
//! by no more than `2 kappa` times their mass, and kappa is some units of the last place of a loss. So the order of
//! losses may be taken from their first digits, whatever these are: no equality of constants is ever decided, and more
//! digits make the answer as sharp as is asked for. The same holds for the inverse and for the trade-off function.
//! Proofs are in `proofs/paper/enumeration.md`.
//!
//! | file | does |
//! |---|---|
//! | `draws` | the mechanisms, the units of their losses, and how many sums there are; `mixture` lists them too |
//! | `plan` | which runs go to which half |
//! | `list` | one half in fixed point |
//!
//! **Why it ends.** Sums and products are counted before the first is formed.

mod draws;
mod list;
mod plan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rug::Integer;

use self::list::Keys;
use super::choose::Refusal;
use super::infinite_mass::InfiniteMass;
use super::meet_in_the_middle::{MeetInTheMiddle, asked};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Need, Note, Number, Real};

pub(super) use self::draws::{Cost, Draw, Place, Shape, cost, moved, places};
pub(super) use self::list::{Kind, drawn};
pub(super) use self::plan::{Part, planned};

/// Sums of losses in one half, at most.
pub(super) const MOST_LOSSES: u64 = 1 << 20;

/// Mechanisms with finitely many losses, by all sums of losses.
pub struct Enumeration {
    draws: Vec<Draw>,
    /// The place of each loss of each mechanism, and the units.
    places: Vec<Vec<Place>>,
    units: Vec<Real>,
    halves: [Part; 2],
    /// The P-mass where Q has none, and the reverse.
    infinite: [InfiniteMass; 2],
    symmetric: bool,
    listed: Cache<(bool, u32), MeetInTheMiddle>,
}

impl Enumeration {
    /// The curve of this product, failures left aside: of mechanisms with finitely many losses and no others.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for other products; what says so for more sums than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let listed = |(pair, _): &(Pair, u64)| matches!(pair, Pair::Discrete(_));
        let continuous = !product.mu_squared.is_zero() || !product.laplace.is_empty() || !product.derived.is_empty();
        if continuous || !product.discrete_gaussian.is_empty() || !product.sampled.iter().all(listed) {
            return Err(Refusal::OtherKind);
        }
        let mut draws = Vec::new();
        for (pair, times) in product.discrete()? {
            if times > 0 {
                draws.push(Draw::new(pair, times)?);
            }
        }
        let longest = draws.iter().map(|draw| draw.losses.len() as u64).max().unwrap_or(0);
        let relax = "try fewer losses";
        budget.afford(&Need { what: "losses of one mechanism", count: longest, most: MOST_LOSSES, bytes: 0, relax })?;
        let (units, places) = places(&draws, budget)?;
        let shapes: Vec<Shape> = places.iter().map(|places| Shape::of(places)).collect();
        let times: Vec<u64> = draws.iter().map(|draw| draw.times).collect();
        let halves = plan::planned(&shapes, &times, MOST_LOSSES, 64, budget)?;
        let mut ends = Vec::new();
        for draw in &draws {
            ends.push((draw.pair.ends()?, draw.times));
        }
        let infinite = [
            InfiniteMass::new(ends.iter().map(|(ends, times)| (&ends.infinite_p, *times)))?,
            InfiniteMass::new(ends.iter().map(|(ends, times)| (&ends.infinite_q, *times)))?,
        ];
        // Large halves are kept one pair at a time for each direction: they would fill the memory.
        let room = if halves.iter().all(|half| half.losses <= 1 << 12) { 8 } else { 2 };
        Ok(Enumeration {
            draws,
            places,
            units,
            halves,
            infinite,
            symmetric: product.symmetric(),
            listed: Cache::new(room),
        })
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// Both halves, with so many bits after the point.
    fn listed(&self, backward: bool, fraction: u32, budget: &Budget) -> Result<Arc<MeetInTheMiddle>, Error> {
        let listed = self.listed.get((backward, fraction), || {
            let [infinite, absent] = &self.infinite;
            let beside = |mass: &InfiniteMass| {
                let (given, _) = mass.both(fraction.saturating_add(32), 0);
                given.enclosure(fraction.saturating_add(32))
            };
            if backward {
                return self.listed(false, fraction, budget)?.reversed(beside(absent));
            }
            self.list(fraction, beside(infinite), budget)
        })?;
        listed.explain(budget);
        Ok(listed)
    }

    fn list(&self, fraction: u32, infinite: Enclosure, budget: &Budget) -> Result<MeetInTheMiddle, Error> {
        // So many more bits for the losses that all their errors together are one unit of a mass.
        let error: Integer =
            self.draws.iter().zip(&self.places).map(|(draw, places)| list::key_error(places) * draw.times).sum();
        let keys = Keys::new(&self.units, fraction.saturating_add(error.significant_bits()))?;
        let half = |half: &Part| {
            budget.afford(&Need {
                what: "sums of losses in one of two halves",
                count: half.losses,
                most: MOST_LOSSES,
                bytes: bytes(half.losses, fraction),
                relax: "try fewer digits",
            })?;
            let all = self.draws.iter().zip(&self.places).zip(&half.times).filter(|(_, times)| **times > 0);
            let runs: Vec<_> = all
                .zip(&half.ways)
                .map(|(((draw, places), times), way)| (draw, places.as_slice(), *times, *way))
                .collect();
            list::half(&runs, &keys, fraction, budget)
        };
        let [first, second] = &self.halves;
        let halves = [half(first)?, half(second)?];
        MeetInTheMiddle::new(&halves, infinite, (fraction, keys.fraction), budget)
    }
}

/// What a half takes in memory: keys, masses, their sums, and the order that they are brought into.
pub(super) fn bytes(losses: u64, fraction: u32) -> u64 {
    losses.saturating_mul(u64::from(fraction / 8) * 9 + 200)
}

impl Curve for Enumeration {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// See [`Edges`](super::Edges) for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        asked::profile(&|fraction| self.listed(self.backward(direction), fraction, budget), epsilon, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let listed = |fraction| self.listed(self.backward(direction), fraction, budget);
        asked::inverse(&listed, delta, bits, budget).map(Value::Finite)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        asked::type_ii(&|fraction| self.listed(self.backward(direction), fraction, budget), alpha, bits, budget)
    }

    fn method(&self) -> &'static str {
        "enumeration"
    }

    fn statement(&self) -> &'static Statement {
        &statement::ENUMERATION
    }

    fn explain(&self) -> Vec<Note> {
        let [first, second] = &self.halves;
        vec![
            Note::new("mechanisms that differ", self.draws.len()),
            Note::new("units of the losses", self.units.len()),
            Note::new("sums of losses, at most", u128::from(first.losses) * u128::from(second.losses)),
        ]
    }
}
