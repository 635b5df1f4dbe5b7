//! Geometric or staircase noise run a few times, in closed form, however large the sensitivity.
//!
//! **The pair.** With `y = e^-a` and an integer shift s, the losses of one run are `a (s - n)`, `0 <= n <= 2s`. Of
//! either noise the generating function of the Q-masses by n is, for a number g >= 0,
//!
//! ```text
//! Q(v) = [(1-v) (y+gv) y^(s-1) + v^(2s) (1 - v/y) (g+v)] / [(1+g) (1 - v^2/y)],
//! ```
//!
//! `g = y` for geometric noise, and `c_0/(1-c_0)` for staircase noise, `c_0` the tail beyond the first place where the
//! loss falls. So of k runs the mass up to N, which is Q(loss >= a (sk - N)), is the coefficient of `v^N` in
//! `Q(v)^k/(1-v)`: for `N < 2sk` the factor `1 - v` goes away, and
//!
//! ```text
//! B_N = (1+g)^-k sum_i C(k,i) sum_r h_ir y^(sk - (N-r)/2) C((N-r)/2 - si + k-1, k-1),
//! sum_r h_ir v^r = (1-v)^(k-i-1) (1 + gv/y)^(k-i) (1 - v/y)^i (g+v)^i,
//! ```
//!
//! over `i < k` and `r <= N - 2si` of the parity of N: some `k^2` terms, whatever s is. The pair is its own mirror
//! image, so `A_N = P(loss >= a (sk - N)) = 1 - B_(2sk-N-1)`, and
//!
//! `delta(t) = max_N (A_N - e^t B_N)`, `e^(eps*) = max_N (A_N - delta)/B_N`,
//! `beta(alpha) = max_N [1 - A_(N-1) - e^(a(sk-N)) (alpha - B_(N-1))]`,
//!
//! each attained next to the place that the argument stands for. Paper proof: `proofs/paper/staircases.md`.
//!
//! **What is certified.** Rounding is outward throughout; the sums cancel, by about `k log2(sk)` bits, and the
//! precision is raised until there are enough. Places are found by a search, and proven: by enclosures, or by the
//! values on both sides.

mod tails;

use std::cmp::Ordering;

use rug::{Integer, Rational};

use self::tails::Tails;
use super::geometric::floors;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{AdaptivePrecision, Brief, Budget, Enclosure, Note, Number, Real};

/// Bits with which places are sought, at least: neighbours differ by as many as there are places, and some more.
const SEARCH: u32 = 40;
/// As far from the place that a search found the true one is looked for.
const NEARBY: u32 = 8;

/// Noise whose losses stand on a lattice and fall geometrically, run a few times.
pub struct Staircases {
    tails: Tails,
    /// `2sk`.
    last: Integer,
}

fn too_fine() -> Error {
    Error::Undecided("staircases: cannot locate the point among the privacy losses at this precision".into())
}

impl Staircases {
    /// More runs than these have other engines.
    pub const MOST: u64 = 64;

    /// `2 <= times <= MOST` runs of noise with this unit of the loss, a shift of at least 1, and the odds g at any
    /// precision.
    ///
    /// # Errors
    /// [`Error::Undecided`] for more runs.
    pub fn new(
        unit: Real,
        shift: u64,
        times: u64,
        odds: impl Fn(u32) -> Enclosure + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let Some(runs) = u32::try_from(times).ok().filter(|runs| (1..=Self::MOST as u32).contains(runs)) else {
            return Err(Error::undecided(format!("{times} runs of this noise are too many for a closed form")));
        };
        let tails = Tails::new(unit, shift.into(), runs, Box::new(odds));
        let last = Integer::from(shift) * 2u32 * runs;
        Ok(Staircases { tails, last })
    }

    /// `P(loss >= a (sk - N))`.
    fn first(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        Ok(&Enclosure::one(bits) - &self.beyond(n, bits, budget)?)
    }

    /// One minus that, with its own relative accuracy.
    fn beyond(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.tails.upto(&(&self.last - Integer::from(n + 1u32)), bits, budget)
    }

    /// `Q(loss >= a (sk - N))`.
    fn second(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.tails.upto(n, bits, budget)
    }

    /// The loss at a place.
    fn loss(&self, n: &Integer) -> Real {
        let steps = Integer::from(&self.last >> 1u32) - n;
        self.tails.unit().mul_rational(&Rational::from(steps))
    }

    /// A value to so many relative bits.
    fn precise(
        &self,
        bits: u32,
        budget: &Budget,
        value: impl FnMut(u32) -> Result<Enclosure, Error>,
    ) -> Result<Enclosure, Error> {
        AdaptivePrecision::new(bits, 24, budget).enclose(value)
    }

    /// `A_N - e^t B_N`.
    fn advantage(&self, t: &Real, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.precise(bits, budget, |work| {
            let wide = work.saturating_add(64);
            let weight = t.exp_number(wide).enclosure(wide);
            Ok(&self.first(n, work, budget)? - &(&weight * &self.second(n, work, budget)?))
        })
    }

    /// Delta at the loss of a place, which grows with the place.
    fn at_place(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.advantage(&self.loss(n), n, bits, budget)
    }

    /// Bits that tell neighbours.
    fn telling(&self, bits: u32) -> u32 {
        bits.max(SEARCH).saturating_add(self.last.significant_bits())
    }

    /// The least place from `low` to `high` where something holds that holds from there on, taken to hold at `high`, as
    /// far as it can be told.
    fn search(
        mut low: Integer,
        mut high: Integer,
        budget: &Budget,
        holds: impl Fn(&Integer) -> Result<bool, Error>,
    ) -> Result<Integer, Error> {
        while low < high {
            budget.check()?;
            let middle = Integer::from(&low + &high) >> 1u32;
            if holds(&middle)? {
                high = middle;
            } else {
                low = middle + 1u32;
            }
        }
        Ok(low)
    }

    /// The places around one that were found by a search: as few as are proven to have the true one among them.
    fn nearby(
        &self,
        found: &Integer,
        below: impl Fn(&Integer) -> Result<bool, Error>,
        above: impl Fn(&Integer) -> Result<bool, Error>,
    ) -> Result<Vec<Integer>, Error> {
        let (mut first, mut last) = (found.clone(), found.clone());
        for _ in 0..NEARBY {
            match (below(&first)?, above(&last)?) {
                (true, true) => {
                    let count = Integer::from(&last - &first).to_u32().unwrap_or(0);
                    return Ok((0..=count).map(|more| Integer::from(&first + more)).collect());
                }
                (below, above) => {
                    first -= u32::from(!below);
                    last += u32::from(!above);
                }
            }
        }
        Err(too_fine())
    }
}

impl Curve for Staircases {
    fn symmetric(&self) -> bool {
        true
    }

    /// For `-ask < epsilon < ask`: see [`Edges`](super::Edges) for others, here and below.
    ///
    /// The place that counts is the last one whose loss is above epsilon. One that is not told from it is evaluated
    /// too, for each is the advantage of a test.
    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(96).saturating_add(self.last.significant_bits());
        let steps = &epsilon.enclosure(wide) / &self.tails.unit().enclosure(wide);
        let place = &Enclosure::integer(&Integer::from(&self.last >> 1u32), wide) - &steps;
        let (first, end) = (Integer::new(), Integer::from(&self.last - 1u32));
        let (low, high) = floors(&place, &self.last).ok_or_else(too_fine)?;
        let nothing = &Number::one() - &epsilon.exp_number(wide);
        let mut best = nothing.enclosure(bits).positive_part();
        let mut before = None;
        for n in [high, low.clone(), low - 1u32].map(|n: Integer| n.clamp(&first, &end)) {
            if before.as_ref() == Some(&n) {
                continue;
            }
            let order = self.loss(&n).compare(epsilon);
            if !matches!(order, Some(Ordering::Less | Ordering::Equal)) {
                best = best.max(&self.advantage(epsilon, &n, bits, budget)?);
            }
            if order == Some(Ordering::Greater) {
                break;
            }
            before = Some(n);
        }
        Ok(Number::Enclosed(best.min(&Enclosure::one(bits))))
    }

    /// `ln((A_N - delta)/B_N)` for the N with `delta(a (sk - N)) <= delta <= delta(a (sk - N - 1))`.
    fn epsilon(&self, delta: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let level = |bits: u32| delta.enclosure(bits.saturating_add(16));
        let half = Integer::from(&self.last >> 1u32);
        let at_zero = self.at_place(&half, bits, budget)?;
        if at_zero.compare(&level(bits)) == Some(Ordering::Less) {
            return Ok(Value::Finite(Number::zero()));
        }
        // Next to 1 places differ by no more than what the level lacks of it.
        let lacks = Real::one().sub(delta).enclosure(64);
        let near = lacks.upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
        let telling = self.telling(bits).saturating_add(near);
        let order = |n: &Integer| -> Result<Option<Ordering>, Error> {
            Ok(self.at_place(n, telling, budget)?.compare(&level(telling)))
        };
        // The least place from whose loss down delta is above the level; the one before is the last above epsilon.
        let found =
            Self::search(Integer::new(), half.clone(), budget, |n| Ok(order(n)? != Some(Ordering::Less)))? - 1u32;
        let places = self.nearby(
            &found,
            |n| Ok(*n <= 0 || order(n)? == Some(Ordering::Less)),
            |n| Ok(*n >= half || order(&Integer::from(n + 1u32))? == Some(Ordering::Greater)),
        )?;
        let mut best: Option<Enclosure> = None;
        for n in places.iter().filter(|n| **n >= 0) {
            let value = self.precise(bits, budget, |work| {
                let excess = &self.first(n, work, budget)? - &delta.enclosure(work.saturating_add(16));
                if excess.sign() != Some(Ordering::Greater) {
                    return Ok(Enclosure::whole(work));
                }
                Ok((&excess / &self.second(n, work, budget)?).ln())
            })?;
            best = Some(best.map_or(value.clone(), |best| best.max(&value)));
        }
        let best = best.ok_or_else(too_fine)?;
        Ok(Value::Finite(Number::Enclosed(best.positive_part())))
    }

    /// The line of slope `-e^(a (sk - N))` for the N with `B_(N-1) <= alpha <= B_N`.
    fn beta(&self, alpha: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let level = |bits: u32| alpha.enclosure(bits.saturating_add(16));
        let telling = self.telling(bits);
        let order = |n: &Integer| -> Result<Option<Ordering>, Error> {
            let tail = self.precise(telling, budget, |work| self.second(n, work, budget))?;
            Ok(tail.compare(&level(telling)))
        };
        let found = Self::search(Integer::new(), self.last.clone(), budget, |n| Ok(order(n)? != Some(Ordering::Less)))?;
        let places = self.nearby(
            &found,
            |n| Ok(*n <= 0 || order(&Integer::from(n - 1u32))? == Some(Ordering::Less)),
            |n| Ok(*n >= self.last || order(n)? == Some(Ordering::Greater)),
        )?;
        let mut best = Enclosure::zero(bits);
        for n in places.iter().filter(|n| **n >= 0 && **n <= self.last) {
            let before = Integer::from(n - 1u32);
            let value = self.precise(bits, budget, |work| {
                let wide = work.saturating_add(64);
                let slope = self.loss(n).exp_number(wide).enclosure(wide);
                let more = &level(work) - &self.second(&before, work, budget)?;
                Ok(&self.beyond(&before, work, budget)? - &(&slope * &more))
            })?;
            best = best.max(&value);
        }
        Ok(Number::Enclosed(best.min(&Enclosure::one(bits))))
    }

    fn method(&self) -> &'static str {
        "closed form"
    }

    fn statement(&self) -> &'static Statement {
        &statement::STAIRCASES
    }

    fn explain(&self) -> Vec<Note> {
        vec![
            Note::new("unit of the privacy losses", Brief(self.tails.unit())),
            Note::new("different privacy losses", format_args!("{}", Integer::from(&self.last + 1u32))),
        ]
    }
}

#[cfg(test)]
mod tests;
