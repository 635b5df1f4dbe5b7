//! A part of which nothing but its privacy profile is known: that says what its rounding to a grid is.
//!
//! The profile of losses that are rounded to neighbours so that both masses are kept is, as a function of `x = e^eps`,
//! the polyline through the true profile at the grid points: `(p - x q)_+` is linear in (p, q) in each cell, for the x
//! of a grid point. (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022, "connecting the dots".) So the P-mass at the
//! grid point `k h` is, with `H_k` the profile at `eps = k h`,
//!
//! `p_k = [(H_(k+1) - H_k) - e^h (H_k - H_(k-1))]/(e^h - 1)`,
//!
//! whatever the losses are, with atoms or without. What the enclosures of the profile leave open is counted with what
//! the masses may lack.
//!
//! **Left out**: finite losses beyond a cut t have at most the P-mass `(H(t - m) - a)/(1 - e^-m)` for any `m > 0`, a
//! the mass at infinity, for `H(t - m) = E_P (1 - e^(t-m-L))_+`; below `-t` there is `e^-t` times as much as the same
//! says of Q.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use rug::{Float, Integer, Rational};

use super::{Atoms, LossLaw, Sides};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::pair::{Ends, LossBound};
use enclosure::{Budget, Enclosure, Need, Number, Portable, Real};

/// Cuts are no farther out than this.
const FARTHEST: i32 = 22;
/// Nor nearer than a part of 2 to this power.
const NEAREST: i32 = -10;
/// Halvings of the interval that has the cut in it.
const HALVINGS: u32 = 4;
/// The masses beyond the span, by which the finest grid is chosen, in bits.
const SPAN_DEPTH: u32 = 40;
/// How many times as many points are asked for, where nobody waits for the last of them.
const PATIENT: u32 = 16;

/// A part that is known by its curve.
pub struct ByProfile {
    name: String,
    curve: Box<dyn Curve>,
    ends: Ends,
    /// How many points of the profile may be asked for.
    most: u32,
    span: OnceLock<f64>,
    /// What the profile was found to be, with the bits that were asked for: the points of a grid are among those of
    /// finer ones.
    values: Mutex<HashMap<Place, (u32, Enclosure)>>,
}

/// An epsilon in a direction.
type Place = (Rational, bool);

/// A step of the grid, and to what accuracy its masses are wanted.
#[derive(Clone, Debug)]
pub struct Spacing {
    /// The distance of neighbours.
    pub step: Rational,
    /// Of the pair (Q, P) instead of (P, Q).
    pub backward: bool,
    /// Bits of the profile.
    pub bits: u32,
    /// Losses whose masses add up to less than `2^-depth` are left out, about.
    pub depth: u32,
}

/// Masses on a grid.
pub struct Dots {
    /// The place of the first.
    pub first: i64,
    /// The P-masses.
    pub masses: Vec<Enclosure>,
    /// A bound of the P-mass that is left out.
    pub missing: Enclosure,
    /// The P-mass where Q has none.
    pub infinite_p: Number,
    /// The Q-mass where P has none.
    pub infinite_q: Number,
}

/// Where losses are cut off, on the side of large ones, and the mass beyond.
struct Cut {
    at: Rational,
    beyond: Enclosure,
}

impl ByProfile {
    /// From a curve that is asked for its profile only, how far it goes, and how many points it may be asked for.
    pub fn new(name: String, curve: Box<dyn Curve>, ends: Ends, most: u32) -> Self {
        ByProfile { name, curve, ends, most, span: OnceLock::new(), values: Mutex::default() }
    }

    fn direction(backward: bool) -> Direction {
        if backward { Direction::Backward } else { Direction::Forward }
    }

    /// `H` without what is at infinity.
    fn finite(&self, at: &Rational, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let infinite = if backward { &self.ends.infinite_q } else { &self.ends.infinite_p };
        let profile = self.value(at.clone(), backward, bits, budget)?;
        Ok((&Number::Enclosed(profile) - &infinite.number(bits)).enclosure(bits))
    }

    /// `H`: kept, for the points of a grid are among those of finer ones.
    fn value(&self, at: Rational, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let place = (at, backward);
        let kept = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // What more bits were asked for serves where fewer are.
        if let Some((known, value)) = kept().get(&place)
            && *known >= bits
        {
            return Ok(value.clone());
        }
        budget.check()?;
        let at = Real::from(place.0.clone());
        let value = self.curve.delta(&at, Self::direction(backward), bits, budget)?.enclosure(bits);
        kept().insert(place, (bits, value.clone()));
        Ok(value)
    }

    /// How many values are kept.
    fn kept(&self) -> usize {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// A bound of the finite mass from t on, under the first distribution of a direction.
    fn beyond(&self, t: &Rational, backward: bool, depth: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let margin = Rational::from(t / 2u32).min(Rational::from(1));
        let bits = depth.saturating_add(32);
        let profile = self.finite(&Rational::from(t - &margin), backward, bits, budget)?.positive_part();
        let share = -(-Enclosure::rational(&margin, bits)).expm1();
        Ok((&profile / &share).min(&Enclosure::one(bits)))
    }

    /// The largest finite loss of a direction, if it is known.
    fn largest(&self, backward: bool) -> Option<Real> {
        let (least, largest) = self.ends.losses.as_ref()?;
        match (backward, least, largest) {
            (false, _, LossBound::At(end)) => Some(end.clone()),
            (true, LossBound::At(end), _) => Some(end.neg()),
            _ => None,
        }
    }

    /// Where what is beyond has less mass than `2^-depth`, or nothing is.
    fn cut(&self, backward: bool, depth: u32, budget: &Budget) -> Result<Cut, Error> {
        let end = self.largest(backward).map(|end| end.enclosure(64));
        let end = end.and_then(|end| end.upper().to_rational());
        let nothing = |end: &Rational| Cut { at: end.clone(), beyond: Enclosure::zero(64) };
        let least = Float::with_val(64, 1) >> depth;
        let small = |mass: &Enclosure| *mass.upper() < least;
        if let Some(end) = end.as_ref().filter(|end| **end <= 0) {
            return Ok(nothing(end));
        }
        let power = |n: i32| match u32::try_from(n) {
            Ok(n) => Rational::from(Integer::from(1) << n),
            Err(_) => Rational::from((Integer::from(1), Integer::from(1) << n.unsigned_abs())),
        };
        // Masses beyond fall: from 1 on, up or down.
        let near = small(&self.beyond(&power(0), backward, depth, budget)?);
        let mut nearest = 0;
        while near && nearest > NEAREST && small(&self.beyond(&power(nearest - 1), backward, depth, budget)?) {
            nearest -= 1;
        }
        for n in nearest..=FARTHEST {
            let mut high = power(n);
            if let Some(end) = end.as_ref().filter(|end| **end <= high) {
                return Ok(nothing(end));
            }
            let mut beyond = self.beyond(&high, backward, depth, budget)?;
            if !small(&beyond) {
                continue;
            }
            let mut low = Rational::from(&high / 2u32);
            for _ in 0..HALVINGS {
                let middle = Rational::from(&low + &high) / 2u32;
                let there = self.beyond(&middle, backward, depth, budget)?;
                if small(&there) {
                    (high, beyond) = (middle, there);
                } else {
                    low = middle;
                }
            }
            return Ok(Cut { at: high, beyond });
        }
        Err(Error::undecided("the privacy losses are too large for a grid"))
    }

    /// How far apart the cuts are, the same whatever is asked.
    fn span(&self, budget: &Budget) -> Option<f64> {
        if let Some(span) = self.span.get() {
            return Some(*span);
        }
        let side = |backward| self.cut(backward, SPAN_DEPTH, budget).map(|cut| cut.at.to_f64());
        let span = side(false).ok()? + side(true).ok()?;
        Some(*self.span.get_or_init(|| span))
    }

    /// The fineness of a grid of so many points.
    pub fn fineness(&self, points: u32, budget: &Budget) -> i32 {
        let span = self.span(budget).unwrap_or(64.0).max(1e-18);
        (f64::from(points) / span).portable_log2().floor().clamp(-60.0, 60.0) as i32
    }

    /// So many points are asked for, from grid to grid: more where time ends that.
    pub fn at_most(&self, budget: &Budget) -> u32 {
        if budget.remaining().is_some() { self.most.saturating_mul(PATIENT) } else { self.most }
    }

    /// The masses on a grid.
    pub fn dots(&self, spacing: &Spacing, budget: &Budget) -> Result<Dots, Error> {
        let Spacing { step, backward, bits, depth } = spacing;
        let (bits, backward) = (*bits, *backward);
        let high = self.cut(backward, *depth, budget)?;
        let low = self.cut(!backward, *depth, budget)?;
        let place = |at: &Rational| -> Result<i64, Error> {
            let place = Rational::from(at / step).ceil().numer().to_i64();
            place.filter(|place| place.unsigned_abs() < 1 << 40).ok_or_else(|| Error::undecided("the grid is too fine"))
        };
        let (first, last) = (-place(&low.at)?, place(&high.at)?);
        let (first, last) = (first.min(last), first.max(last));
        let count = last.abs_diff(first).saturating_add(3);
        budget.afford(&Need {
            what: "points of the profile",
            count,
            most: u64::from(self.at_most(budget)).saturating_mul(4),
            // With the values that are kept.
            bytes: count.saturating_add(self.kept() as u64).saturating_mul(u64::from(bits) / 2 + 200),
            relax: "try fewer digits",
        })?;
        let profile = self.profile(first - 1, last + 1, spacing, budget)?;
        let growth = Enclosure::rational(step, bits).exp();
        let share = Enclosure::rational(step, bits).expm1().recip();
        let masses = profile.windows(3).map(|at| {
            let (rising, before) = (&at[2] - &at[1], &at[1] - &at[0]);
            ((&rising - &(&growth * &before)) * &share).positive_part()
        });
        let masses = masses.collect();
        // P has at most e^l times the mass of Q at losses up to l.
        let below = &low.beyond.with_bits(64) * &(-Enclosure::rational(&low.at, 64)).exp();
        let at_infinity = [&self.ends.infinite_p, &self.ends.infinite_q].map(|mass| mass.number(bits));
        let [infinite_p, infinite_q] = at_infinity;
        let (infinite_p, infinite_q) = if backward { (infinite_q, infinite_p) } else { (infinite_p, infinite_q) };
        Ok(Dots { first, masses, missing: &high.beyond.with_bits(64) + &below, infinite_p, infinite_q })
    }

    /// The profile at the places of a grid.
    fn profile(&self, first: i64, last: i64, spacing: &Spacing, budget: &Budget) -> Result<Vec<Enclosure>, Error> {
        let Spacing { step, backward, bits, .. } = spacing;
        let bits = *bits;
        let at = |place: i64, budget: &Budget| -> Result<Enclosure, Error> {
            self.value(Rational::from(step * place), *backward, bits, budget)
        };
        if !self.curve.symmetric() || first >= 0 {
            return budget.map(first..=last, at);
        }
        // H at -eps is 1 - e^-eps (1 - H at eps).
        let far = last.max(-first);
        let right = budget.map(0..=far, at)?;
        let one = Enclosure::one(bits);
        let value = |place: i64| -> Result<Enclosure, Error> {
            let index = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX);
            let right = right.get(index).ok_or_else(|| Error::internal("a place beyond the profile"))?;
            if place >= 0 {
                return Ok(right.clone());
            }
            let power = Enclosure::rational(&Rational::from(step * place), bits).exp();
            Ok(&one - &(&power * &(&one - right)))
        };
        (first..=last).map(value).collect()
    }
}

impl LossLaw for ByProfile {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn symmetric(&self) -> bool {
        self.curve.symmetric()
    }

    /// None is listed: everything is left out, and known by the profile.
    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, _budget: &Budget) -> Result<Atoms, Error> {
        Ok(Atoms {
            list: Vec::new(),
            infinite_p: self.ends.infinite_p.number(bits),
            infinite_q: self.ends.infinite_q.number(bits),
            missing_p: Enclosure::one(bits),
            missing_q: Enclosure::one(bits),
        })
    }

    fn by_profile(&self) -> Option<&ByProfile> {
        Some(self)
    }
}

#[cfg(test)]
mod tests;
