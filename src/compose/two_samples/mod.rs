//! Two samples of Gaussian noise, each run once: the profile by integrals along the boundary of the best test.
//!
//! Each sample is one coordinate of a plane, with the likelihood ratio `R_i(x) = 1 - r_i + r_i e^(mu_i x - mu_i^2/2)`.
//! The best test rejects where `R_1(x) R_2(y) > E = e^eps`: above a curve that falls from a horizontal asymptote to a
//! vertical one. Near an asymptote the one coordinate is a smooth function of the other, and not the reverse; so the
//! curve is cut at a corner where it falls as fast as it goes on, and
//!
//! ```text
//! delta(eps) = strips over x up to the corner + strips over y up to the corner + the quadrant above the corner
//! ```
//!
//! where a strip is two normal tails and the quadrant four; backwards, with the set below the curve of `E = e^-eps`,
//! the quadrant is taken off, for both sums have it. The strips are analytic: sums of the rule of [Gauss and
//! Legendre](super::gauss_legendre) on few panels.
//!
//! | file | does |
//! |---|---|
//! | `boundary` | the curve, strips and quadrants |
//! | `panel` | how wrong the rule is on a panel |
//! | `search` | how long panels are |
//! | `place` | where a function rises through 0, about |
//! | `trade_off` | type II errors, between tangents and chords of the trade-off function |
//!
//! **What is certified**: enclosures of strips at points, bounds of them in the complex plane, the strips that are left
//! out far away, and the little rectangle at a corner that is only next to the curve. Paper proof:
//! `proofs/paper/two-samples.md`. **Why it ends.** So many panels, each shortened so many times.

mod boundary;
mod panel;
mod place;
mod search;
#[cfg(test)]
mod tests;
mod trade_off;

use std::cmp::Ordering;

use rug::{Float, Rational};

use self::boundary::{Boundary, COARSE, Sample};
use self::panel::Panel;
use self::search::Search;
use self::trade_off::Tests;
use super::by_profile::ByProfile;
use super::choose::Refusal;
use super::gauss_legendre::Rule;
use super::large_steps::inverse::Inverse;
use crate::alarm::{self, declined};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Portable, Real};

/// The engine, for people.
pub const METHOD: &str = "integrals along the boundary of the best test";
/// Panels on one side of the corner, at most.
const MOST_PANELS: u32 = 400;
/// A panel is planned so often at most.
const REPLANNED: u32 = 40;
/// The proof loses about so much of a logarithm, and where it loses more, that is kept for the next panel but for this
/// part; and no more than so much is allowed for.
const MARGIN: f64 = 3.0;
const MARGIN_KEPT: f64 = 0.8;
const MOST_LOST: f64 = 20.0;
/// Bits of the parts beyond those of the sum.
const GUARD: u32 = 40;
/// Bits that errors are below the sum, beyond those that are asked for.
const SPARE: u32 = 9;
/// A panel whose error is too large is planned again from this part of its length.
const SHORTER: f64 = 0.75;
/// Nodes for each bit of a sum, and bits more.
const EACH: f64 = 0.4;
const SPREAD: f64 = 16.0;
/// Rules have multiples of so many nodes, and of bits, for the same ones to serve many sums.
const NODES: u32 = 8;
const WORD: u32 = 64;
/// Bits that who asks can spare: of those asked for, 32 are for what is lost on the way.
const LOST: u32 = 20;
/// The search for the logarithm of an epsilon in doubles ends with such steps.
const EPSILON_NEAR: f64 = 1e-3;
/// No fewer than these are asked for.
const LEAST_BITS: u32 = 16;
/// Precisions that are tried.
const TRIES: u32 = 5;
/// What is enclosed more than once, to be told in an alarm.
const WHAT: &str = "profile by integrals along the boundary of the best test";
/// So many bits nearer to the least likelihood ratio no level is told from it.
const NEAREST: u32 = 8192;
/// Places that are looked at for the largest strip, at most; the distance between them, and how far beyond 0.
const SAMPLES: u32 = 4096;
const REACH: f64 = 8.0;
const APART: f64 = 0.5;

/// The bits to aim at.
fn less(bits: u32) -> u32 {
    bits.saturating_sub(LOST).max(LEAST_BITS)
}

/// Two samples of Gaussian noise.
pub struct TwoSamples {
    samples: [Sample; 2],
}

impl TwoSamples {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it is of two such samples.
    pub(super) fn of(product: &Product) -> Result<Self, Refusal> {
        let pairs: [&Pair; 2] = match product.sampled.as_slice() {
            [(pair, 2)] => [pair, pair],
            [(one, 1), (other, 1)] => [one, other],
            _ => return Err(Refusal::OtherKind),
        };
        let alone = Product { sampled: Vec::new(), failures: Vec::new(), ..product.clone() };
        let (Some(one), Some(other), true) = (Sample::of(pairs[0]), Sample::of(pairs[1]), alone.families().is_empty())
        else {
            return Err(Refusal::OtherKind);
        };
        Ok(TwoSamples { samples: [one, other] })
    }

    /// What follows from the profile in this direction and in the other.
    fn by_profile<T>(
        &self,
        backward: bool,
        budget: &Budget,
        question: impl FnOnce(&ByProfile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let finite = |at: &Real, reversed: bool, bits: u32| self.finite(at, backward != reversed, bits, budget);
        question(&ByProfile { finite: &finite, infinite: &|_, _| Number::zero() })
    }

    /// The curve of an epsilon, to a precision.
    fn boundary<'a>(&self, epsilon: &Real, backward: bool, bits: u32, budget: &'a Budget) -> Boundary<'a> {
        let epsilon = epsilon.enclosure(bits);
        let level = if backward { (-&epsilon).exp() } else { epsilon.exp() };
        Boundary { samples: [0, 1].map(|side: usize| self.samples[side].known(bits)), level, backward, budget }
    }

    /// Outside of the losses, or where that cannot be told: no likelihood ratio is below `(1-r_1)(1-r_2)`, so that
    /// forwards the profile is `1 - e^eps` there and at most `1 - (1-r_1)(1-r_2)` everywhere, and backwards, with the
    /// ratio E of both, 0 and `Q(S) - P(S)/E <= 1 - (1-r_1)(1-r_2)/E`.
    ///
    /// What is subtracted is at most E forwards, and at most what is above it backwards.
    fn beyond(boundary: &Boundary, epsilon: &Real, bits: u32) -> [Enclosure; 2] {
        let least = boundary.least();
        let (all, zero, below) = (&Enclosure::one(bits), Enclosure::zero(bits), -&epsilon.enclosure(bits).expm1());
        match (boundary.level.compare(&least), boundary.backward) {
            (Some(Ordering::Less | Ordering::Equal), true) => [zero.clone(), zero],
            (Some(Ordering::Less | Ordering::Equal), false) => [below, boundary.level.clone()],
            (_, true) => {
                let most = all - &(&least / &boundary.level);
                [zero.hull(&most.positive_part()), zero.hull(all)]
            }
            (_, false) => [below.hull(&(all - &least)), zero.hull(&boundary.level)],
        }
    }

    /// The loss that no loss is below.
    fn least(&self, bits: u32) -> Enclosure {
        let [one, other] = self.samples.each_ref().map(|sample| sample.known(bits).rest);
        (&one * &other).ln()
    }

    /// About the place on x where the curve falls as fast as it goes on: where `mu_i (1 - (1-r_i)/R_i)` are equal.
    ///
    /// In `t_i = ln(R_i/(1-r_i)) > 0`, whose sum is given on the curve.
    fn corner(boundary: &Boundary) -> Option<f64> {
        let double = |set: &Enclosure| set.lower().to_f64();
        let [one, other] = &boundary.samples;
        let whole = double(&boundary.above_least());
        let mu = [double(&one.mu), double(&other.mu)];
        let (mut low, mut high) = (0.0, whole);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if -mu[0] * (-middle).portable_exp_m1() > -mu[1] * (middle - whole).portable_exp_m1() {
                high = middle;
            } else {
                low = middle;
            }
        }
        let t = f64::midpoint(low, high);
        let grown = double(&(&one.rest / &one.rate).ln()) + t + (-(-t).portable_exp_m1()).portable_ln();
        let place = grown / mu[0] + mu[0] / 2.0;
        (whole > 0.0 && place.is_finite()).then_some(place)
    }

    /// The strips of one side, up to the corner, but for what the tolerance allows.
    fn strips(
        &self,
        [fine, coarse]: [&Boundary; 2],
        side: usize,
        until: &Float,
        asked: &Asked,
    ) -> Result<[Enclosure; 2], Error> {
        let unclear = || Error::undecided("strips along the boundary of a test are not bounded");
        let zero = || Enclosure::zero(asked.wide);
        let mut total = [zero(), zero()];
        let mut high = until.clone();
        let search = Search::new(coarse);
        let log = |x: &Float| Float::with_val(COARSE, x.ln_ref()).to_f64();
        let (count, goal) = (asked.rule.points.len() as u32, log(&asked.tolerance));
        let mut margin = MARGIN;
        let mut length = 1.0 / coarse.samples[side].mu.upper().to_f64().max(1.0);
        for _ in 0..MOST_PANELS {
            fine.budget.check()?;
            let end = high.to_f64();
            if search.log_bound(side, end, 0.0) < goal {
                let rest = coarse.rest(side, &Enclosure::new(high.clone(), high.clone()).with_bits(COARSE))?;
                if *rest.upper() <= asked.tolerance {
                    return Ok(total.map(|sum| &sum + &Enclosure::zero(COARSE).hull(&rest)));
                }
            }
            let (mut proven, mut most) = (None, f64::INFINITY);
            for _ in 0..REPLANNED {
                let planned = search.panel(side, end, (length, most), count, goal - margin).ok_or_else(unclear)?;
                length = planned.0;
                let low = Float::with_val(COARSE, &high - length);
                let panel = Panel { boundary: coarse, side, low, high: high.clone(), height: planned.1 };
                let error = panel.error(asked.rule);
                match error {
                    Some(error) if *error.upper() <= asked.tolerance => {
                        proven = Some((panel, error));
                        break;
                    }
                    // What the proof loses, which is less on shorter panels.
                    Some(error) => margin = (margin + (log(error.upper()) - goal).max(1.0)).min(MOST_LOST),
                    None => {}
                }
                length *= SHORTER;
                most = length;
            }
            margin = (margin * MARGIN_KEPT).max(MARGIN);
            let (panel, error) = proven.ok_or_else(unclear)?;
            let (half, middle) = panel.half(asked.wide);
            let mut part = [zero(), zero()];
            for (point, weight) in &asked.rule.points {
                let x = &middle + &(&half * &Enclosure::new(point.clone(), point.clone()).with_bits(asked.wide));
                let strip = fine.strip(side, &x, asked.wide)?;
                part = [0, 1].map(|i: usize| &part[i] + &(weight * &strip[i]));
            }
            total = [0, 1].map(|i: usize| &total[i] + &(&part[i] * &half).widen(error.upper()));
            high = panel.low;
        }
        Err(unclear())
    }

    /// About the size of both sums, or less: nothing is proven by it.
    fn size(coarse: &Boundary, corner: &[Enclosure; 2], bits: u32) -> Result<[Float; 2], Error> {
        let mut most = coarse.quadrant(corner, bits)?.map(|part| part.lower().clone().max(&Float::new(bits)));
        let search = Search::new(coarse);
        for (side, end) in corner.iter().enumerate() {
            // Where the bound is greatest, from the corner to where the density of the other coordinate is small.
            let far = end.lower().to_f64();
            let steps = ((far.max(0.0) + REACH) / APART).min(f64::from(SAMPLES)) as u32;
            let step = (far.max(0.0) + REACH) / f64::from(steps);
            let places = (1..=steps).map(|i| step * f64::from(i));
            let height = |away: &f64| search.log_bound(side, far - away, 0.0);
            let Some(best) = places.max_by(|a, b| height(a).total_cmp(&height(b))) else { continue };
            for away in [best, step] {
                let strip = coarse.strip(side, &(end - &Enclosure::double(away, COARSE)), bits)?;
                for (most, part) in most.iter_mut().zip(&strip) {
                    most.max_mut(part.lower());
                }
            }
        }
        Ok(most)
    }

    /// The sum of the header, and what is subtracted in it, as well as is aimed at.
    fn sum(&self, epsilon: &Real, backward: bool, aim: &Aim, budget: &Budget) -> Result<[Enclosure; 2], Error> {
        let wide = aim.bits.saturating_add(GUARD);
        let Some(lost) = self.lost(epsilon, backward, wide, budget) else {
            let nearest = self.boundary(epsilon, backward, wide.saturating_add(NEAREST), budget);
            return Ok(Self::beyond(&nearest, epsilon, wide));
        };
        let coarse = self.boundary(epsilon, backward, COARSE.saturating_add(lost), budget);
        let place =
            Self::corner(&coarse).ok_or_else(|| Error::undecided("found no vertex of the boundary of a test"))?;
        let near = Self::at_corner(&coarse, place, COARSE)?;
        let needs = aim.needs(Self::size(&coarse, &near, COARSE)?);
        budget.check()?;
        if needs.bits > budget.max_bits() {
            return Err(budget.out_of_bits());
        }
        let wide = needs.bits.saturating_add(GUARD).saturating_add(lost);
        let fine = self.boundary(epsilon, backward, wide, budget);
        self.around([&fine, &coarse], &Self::at_corner(&fine, place, wide)?, &needs)
    }

    /// About the bits that are lost where E is compared with the least likelihood ratio, a few above it; `None` if it
    /// is not above that, or cannot be told from it.
    fn lost(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Option<u32> {
        let mut more = 0;
        loop {
            let boundary = self.boundary(epsilon, backward, COARSE.max(bits).saturating_add(more), budget);
            let above = boundary.above_least();
            if *above.lower() > 0 && above.relative_bits() >= Some(i64::from(COARSE / 2)) {
                return Some(above.lower().get_exp().unwrap_or(0).min(0).unsigned_abs());
            }
            if *above.upper() <= 0 || more >= NEAREST {
                return None;
            }
            more = (2 * more).clamp(COARSE, NEAREST);
        }
    }

    /// The corner at this place: the lower end of y at x is at or below the curve.
    fn at_corner(boundary: &Boundary, place: f64, bits: u32) -> Result<[Enclosure; 2], Error> {
        let x = Enclosure::double(place, bits);
        let y = boundary.beside(0, &x).lower().clone();
        if !y.is_finite() {
            return Err(Error::undecided("the vertex of the boundary of a test is not known precisely enough"));
        }
        Ok([x, Enclosure::new(y.clone(), y)])
    }

    /// The same from a corner at or below the curve.
    fn around(
        &self,
        [fine, coarse]: [&Boundary; 2],
        corner: &[Enclosure; 2],
        needs: &Needs,
    ) -> Result<[Enclosure; 2], Error> {
        let wide = needs.bits.saturating_add(GUARD);
        let count = ((f64::from(needs.bits) + SPREAD) * EACH).ceil() as u32;
        let key = (count.next_multiple_of(NODES), wide.next_multiple_of(WORD));
        let rule = Rule::kept(key.0, key.1)?;
        let asked = Asked { rule: &rule, tolerance: needs.tolerance.clone(), wide };
        let mut sum = fine.quadrant(corner, wide)?;
        if fine.backward {
            sum = sum.map(|part| -part);
        }
        for (side, end) in corner.iter().enumerate() {
            let strips = self.strips([fine, coarse], side, end.lower(), &asked)?;
            sum = [0, 1].map(|i: usize| &sum[i] + &strips[i]);
        }
        let gap = fine.gap(corner).positive_part();
        Ok(sum.map(|part| part.widen(gap.upper()).positive_part()))
    }

    /// The profile, with so many bits relative to what comes out, or what a few more precisions tell.
    fn finite(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let mut known = Enclosure::zero(2).hull(&Enclosure::one(2));
        let mut work = bits;
        for _ in 0..TRIES {
            let [value, _] = self.sum(epsilon, backward, &Aim { bits: work, of: Of::Sum }, budget)?;
            known = alarm::meet(&known, &value, WHAT)?;
            let reached = known.relative_bits().unwrap_or(0);
            if reached >= i64::from(bits) || known.upper().is_zero() || work >= budget.max_bits() {
                break;
            }
            let lost = u32::try_from(i64::from(bits) - reached).unwrap_or(0).saturating_add(8);
            work = work.saturating_add(lost).min(budget.max_bits());
        }
        Ok(known)
    }
}

/// What is aimed at: so many bits of what.
struct Aim {
    bits: u32,
    of: Of,
}

enum Of {
    /// The sum itself.
    Sum,
    /// Whichever is the smaller, of the sum and of what is subtracted in it.
    Smaller,
    /// This number.
    Number(Float),
}

impl Aim {
    /// What that takes where the two are about of these sizes.
    fn needs(&self, [size, less]: [Float; 2]) -> Needs {
        let most = size.clone().max(&less);
        let unit = match &self.of {
            Of::Sum => size,
            Of::Smaller => size.min(&less),
            Of::Number(unit) => unit.clone(),
        };
        // What is computed to so many bits of the larger one has as many fewer of the unit.
        let exponent = |x: &Float| i64::from(x.get_exp().unwrap_or(0));
        let above = if most.is_zero() { 0 } else { exponent(&most) - exponent(&unit) };
        let bits = (i64::from(self.bits) + above).max(i64::from(LEAST_BITS));
        let bits = u32::try_from(bits).unwrap_or(u32::MAX);
        // Many bits are rounded up, for rules to serve more than one sum.
        let bits = if above > 0 { bits.checked_next_multiple_of(WORD).unwrap_or(bits) } else { bits };
        Needs { tolerance: unit >> self.bits.saturating_add(SPARE), bits }
    }
}

/// What a sum takes.
struct Needs {
    /// What each panel may be wrong by.
    tolerance: Float,
    /// Bits of the larger of the sum and what is subtracted in it.
    bits: u32,
}

/// What is asked of strips.
struct Asked<'a> {
    rule: &'a Rule,
    /// What each panel may be wrong by.
    tolerance: Float,
    /// The precision.
    wide: u32,
}

impl Curve for TwoSamples {
    fn symmetric(&self) -> bool {
        false
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = direction == Direction::Backward;
        self.finite(epsilon, backward, less(bits), budget).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let backward = direction == Direction::Backward;
        let profile = |at: &Real, bits: u32| self.finite(at, backward, bits, budget);
        let at_zero = profile(&Real::zero(), LEAST_BITS)?;
        let goal = delta.enclosure(2 * LEAST_BITS);
        if *at_zero.upper() <= *goal.lower() {
            return Ok(Value::Finite(Number::zero()));
        }
        // Over the logarithm of epsilon, for it is of any size. What is too far out for a value is far below the goal.
        let height = |log: f64| -> Result<f64, Error> {
            let at = Rational::from_f64(log.portable_exp())
                .ok_or_else(|| Error::undecided("the search for epsilon diverged"))?;
            let value = declined(profile(&Real::from(at), LEAST_BITS))?;
            Ok(value.map_or(f64::INFINITY, |value| (&goal / &value).ln().lower().to_f64()))
        };
        let first = (-self.least(COARSE)).ln().lower().to_f64();
        let found = declined(place::risen(first, EPSILON_NEAR, height).and_then(|start| {
            let start = start.portable_exp();
            let inverse = Inverse { profile: &profile, delta, bits: less(bits), budget };
            inverse.epsilon(start)
        }))?;
        let found = match found {
            Some(set) => Number::Enclosed(set),
            None => self.by_profile(backward, budget, |profile| profile.epsilon(delta, bits, budget))?,
        };
        Ok(Value::Finite(found))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = direction == Direction::Backward;
        let tests = Tests { engine: self, alpha, backward, bits: less(bits), budget };
        let found = match declined(tests.beta())? {
            Some(set) => set,
            None => self.by_profile(backward, budget, |profile| profile.beta(alpha, bits, budget))?,
        };
        Ok(Number::Enclosed(found))
    }

    fn method(&self) -> &'static str {
        METHOD
    }

    fn statement(&self) -> &'static Statement {
        &statement::TWO_SAMPLES
    }

    fn explain(&self) -> Vec<Note> {
        Vec::new()
    }
}
