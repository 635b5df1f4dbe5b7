//! A composition and what has been computed of it: tails for a direction, a tilt and a precision, kept for the next
//! point.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::Listed;
use super::array::Array;
use super::pair::LatticePair;
use super::plan::{cheapest, estimate};
use super::search::Sketches;
use super::tails::{Discounted, Tails};
use super::tilt::{Sketch, Tilted};
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure, Portable, Real, common_unit};

/// Places up to which the last product is always made: after it each tail is a lookup.
const FEW: u64 = 1 << 15;

/// What tails are computed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The pair (Q, P) instead of (P, Q).
    pub backward: bool,
    /// At least zero.
    pub tilt: Rational,
    /// Words of fixed point.
    pub width: usize,
    /// Will there be many questions? Then everything is composed, and each is a lookup.
    pub many: bool,
}

/// The tails of one key, with what turns them into masses.
pub(super) struct Tilting {
    pub key: Key,
    /// `ln M(c)` of the composition in this direction.
    log_moment: Enclosure,
    /// The loss at place 0; places are units apart.
    pub shift: Real,
    pub unit: Real,
    tails: Tails,
    composed: Cache<(), Tails>,
    /// Is a tail to be looked up, whatever it costs to compose everything first?
    composes: bool,
}

/// A composition of lattice pairs, with its memory.
pub(super) struct Composed {
    pub parts: Vec<(LatticePair, u64)>,
    /// The unit of each part in units of the composition.
    pub strides: Vec<u64>,
    pub unit: Real,
    pub shift: Real,
    sketches: Sketches,
    kept: Cache<Key, Tilting>,
}

impl Composed {
    pub fn new(parts: Vec<(LatticePair, u64)>) -> Result<Self, Error> {
        let mut parts: Vec<(LatticePair, u64)> = parts;
        if parts.iter().any(|(_, times)| *times > 0) {
            parts.retain(|(_, times)| *times > 0);
        }
        let (unit, strides) = common_unit(parts.iter().map(|(pair, _)| &pair.unit)).ok_or_else(|| {
            Error::undecided("the privacy losses are not integer multiples of a common unit".to_string())
        })?;
        let strides: Option<Vec<u64>> = strides.iter().map(|n| n.to_u64().filter(|n| *n < 1 << 62)).collect();
        let strides = strides.ok_or_else(|| {
            Error::undecided(format!("the common unit of the privacy losses, about {:.1e}, is too fine", unit.to_f64()))
        })?;
        let shifts: Vec<Real> =
            parts.iter().map(|(pair, times)| pair.shift.mul_rational(&Rational::from(*times))).collect();
        let shift = Real::sum(&shifts);
        let sketches: Result<Vec<_>, Error> =
            parts.iter().map(|(pair, times)| Ok((Sketch::of(pair)?, *times as f64))).collect();
        Ok(Composed { parts, strides, unit, shift, sketches: Sketches(sketches?), kept: Cache::new(4) })
    }

    /// Doubles to search with, of the loss in this direction: the backward loss is that of the reversed pair, its tilt
    /// c is -1-c of P's.
    pub fn sketches(&self) -> &Sketches {
        &self.sketches
    }

    /// How much of the precision goes to errors, in bits, about.
    pub fn guard(&self) -> u32 {
        let times: f64 = self.sketches.0.iter().map(|(_, times)| times).sum();
        let spread = self.sketches.cumulants(0.0).variance.sqrt() / self.unit.to_f64();
        let places = (64.0 * spread).min(super::MOST_POINTS as f64).max(64.0);
        28 + times.portable_log2().max(0.0) as u32 + places.portable_log2() as u32
    }

    /// The tails for a key: kept ones, or new.
    pub fn tilting(&self, key: &Key, budget: &Budget) -> Result<Arc<Tilting>, Error> {
        let tilting = self.kept.get(key.clone(), || self.build(key, budget))?;
        tilting.explain(budget);
        Ok(tilting)
    }

    /// Convolve all parts but for the last product.
    fn build(&self, key: &Key, budget: &Budget) -> Result<Tilting, Error> {
        let width = key.width;
        // The law of -L under Q with tilt c is that of L under P with tilt -1-c, reversed: q e^(-cl) = p e^(-(1+c)l).
        let tilt = if key.backward { -1 - Rational::from(&key.tilt) } else { key.tilt.clone() };
        let sizes = (self.unit.to_f64(), tilt.to_f64());
        estimate(&self.sketches, &self.strides, sizes, width, key.many).check(width, budget)?;
        let alone = self.parts.len() == 1;
        let made = budget.map(self.parts.iter().zip(&self.strides), |((pair, times), stride), budget| {
            let Tilted { array, log_moment } = pair.tilted(&tilt, *stride, width, budget)?;
            let array = if key.backward { array.reversed() } else { array };
            let log_moment = &log_moment * &Enclosure::integer(&Integer::from(*times), log_moment.bits());
            if *times == 0 {
                return Ok((vec![Array::at_zero(width)], log_moment));
            }
            if alone && *times > 1 {
                // Two halves: the last product is not needed.
                let half = array.power(times / 2, budget)?;
                let other = if times % 2 == 1 { half.convolve(&array, budget)? } else { half.clone() };
                return Ok((vec![half, other], log_moment));
            }
            Ok((vec![array.power(*times, budget)?], log_moment))
        })?;
        let mut arrays = Vec::new();
        let mut log_moment = Enclosure::zero(64 * width as u32 + 64);
        for (some, log) in made {
            arrays.extend(some);
            log_moment = &log_moment + &log;
        }
        while arrays.len() > 2 {
            budget.check()?;
            let Some((i, j, _)) = cheapest(&arrays, |a, b| a.places_with(b).0 as f64) else { break };
            let other = arrays.swap_remove(j);
            if let Some(one) = arrays.get_mut(i) {
                *one = one.convolve(&other, budget)?;
            }
        }
        let second = arrays.pop().unwrap_or_else(|| Array::at_zero(width));
        let first = arrays.pop().unwrap_or_else(|| Array::at_zero(width));
        let tails = Tails::new(&key.tilt, &self.unit, first, second, budget)?;
        let composes = key.many || tails.places() <= FEW;
        let shift = if key.backward { self.shift.neg() } else { self.shift.clone() };
        let composed = Cache::new(1);
        Ok(Tilting { key: key.clone(), log_moment, shift, unit: self.unit.clone(), tails, composed, composes })
    }
}

impl Tilting {
    fn explain(&self, budget: &Budget) {
        if budget.takes_notes() {
            budget.note("tilt of the privacy losses", &self.key.tilt);
            budget.note("lattice points", self.tails.places());
            budget.note("precision of the masses", format_args!("{} bits", 64 * self.key.width));
            budget.note(
                "total error of all masses",
                format_args!("at most {} units of 2^-{}", self.tails.error(), 64 * self.key.width),
            );
        }
    }

    /// Bits of all that is computed from the tails.
    pub fn bits(&self) -> u32 {
        64 * self.key.width as u32 + 32
    }

    /// The discounted tails at a place.
    pub fn discounted(&self, place: i64, budget: &Budget) -> Result<Discounted, Error> {
        if self.composes {
            return self.composed.get((), || self.tails.composed(budget))?.at(place, budget);
        }
        self.tails.at(place, budget)
    }

    /// All masses by place, as they are stored: shares of the mass of finite losses, [`scale`](Self::scale) at tilt
    /// zero.
    pub fn listed(&self, budget: &Budget) -> Result<Listed, Error> {
        Ok(self.composed.get((), || self.tails.composed(budget))?.listed())
    }

    /// The places with mass.
    pub fn ends(&self) -> (i64, i64) {
        self.tails.ends()
    }

    /// The loss at a place.
    pub fn loss(&self, place: i64) -> Real {
        self.shift.add(&self.unit.mul_rational(&Rational::from(place)))
    }

    /// `M(c) e^(-c l)` at the loss of a place.
    pub fn scale(&self, place: i64) -> Enclosure {
        if self.key.tilt == 0 {
            return self.log_moment.exp().with_bits(self.bits());
        }
        let moved = self.loss(place).mul_rational(&self.key.tilt).enclosure(self.bits() + 64);
        (&self.log_moment - &moved).exp().with_bits(self.bits())
    }
}
