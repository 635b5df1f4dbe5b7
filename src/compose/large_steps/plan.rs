//! Where steps are cut, and where the line goes: a search in doubles.
//!
//! Nothing here is part of an answer. Every cut, tilt, period and number of nodes is valid; a bad choice costs digits
//! or time.

use std::f64::consts::{LN_2, PI};

use super::law::LogRest;
use crate::compose::quadrature::factor::PoissonGaussian;
use crate::compose::quadrature::factor::poisson_gaussian::split::Split;
use enclosure::{Budget, Portable};

/// How the term of no large step is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NoneLarge {
    /// It is at most `A^k R` at a tilt right of both poles.
    Negligible(f64),
    /// It is `p - e^eps q`, up to `A^k R` at a tilt left of both.
    Linear(f64),
}

impl NoneLarge {
    /// The tilt of the bound.
    pub fn tilt(self) -> f64 {
        match self {
            NoneLarge::Negligible(tilt) | NoneLarge::Linear(tilt) => tilt,
        }
    }
}

/// The choices for one question.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub split: Split,
    pub none_large: NoneLarge,
    /// Of the line.
    pub tilt: f64,
    pub period: f64,
    /// The last node.
    pub last: u64,
    /// How many large steps are counted.
    pub terms: u64,
    /// The height of the contour of the bound that falls.
    pub height: f64,
    /// Tilts for bounds of the aliases, below and above.
    pub sides: [f64; 2],
    /// A tilt for the bound of huge steps, where they are apart.
    pub huge: f64,
    /// Working precision.
    pub work: u32,
    /// About the number of products.
    pub cost: f64,
}

/// More large steps are not counted.
const MOST_TERMS: u64 = 256;
/// More nodes are not planned.
const MOST_NODES: f64 = 30_000.0;
/// Steepnesses that are tried: `2^(i/2)` times the least.
const STEEPNESSES: u32 = 18;
const LEAST_STEEPNESS: f64 = 0.4;
/// If a cut has no line, the next one is steeper by this number of steepnesses.
const STEEPER: u32 = 3;

/// The size of the answer is estimated from every fourth cut.
const SOME_CUTS: usize = 4;
/// Huge steps begin at most so far beyond large ones.
const WIDEST_STEP: f64 = 64.0;

/// Tilts of lines, to base 2. A step with nearly no noise needs the small ones: its losses are in the thousands.
const FIRST_TILT: f64 = -24.0;
const LAST_TILT: f64 = 12.0;

/// Tilts for bounds of no large step, to base 2, how near to the best they are sought, and how far from one that is
/// known for another steepness.
const TILTS_OF_NONE: (f64, f64) = (-6.0, 13.0);
const NEAR_TILT: f64 = 0.7;
const BESIDE_TILT: f64 = 3.0;

/// The question that a plan is made for.
pub(super) struct Search<'a> {
    pub factor: &'a PoissonGaussian,
    pub backward: bool,
    pub steps: u64,
    pub rest: &'a LogRest<'a>,
    /// About the mass at infinity.
    pub infinite: f64,
    /// By how much of a step all choices are moved, for second answers that check the first: 0 or a part of one.
    pub moved: f64,
    /// Once it has run out nothing is known any more, and the search ends soon.
    pub budget: &'a Budget,
}

/// One cut, with what is known of it.
struct Cut<'a> {
    of: &'a Search<'a>,
    split: Split,
    epsilon: f64,
}

/// What a cut shows before its steepness is chosen.
struct Sight<'a> {
    sharp: Cut<'a>,
    saddle: f64,
    /// About the logarithm of what comes of large steps.
    some: f64,
    /// See [`NoneLarge::Linear`].
    linear: bool,
    /// The logarithm of what comes of none, where it is linear.
    none: f64,
    /// That of the bound of what else comes of none, and its tilt as a search has it.
    rest: f64,
    tilt: f64,
}

impl Cut<'_> {
    fn steps(&self) -> f64 {
        self.of.steps as f64
    }

    /// `ln R(c)`, infinite where it is not finite, and once the time has run out.
    fn log_rest(&self, c: f64) -> f64 {
        if self.of.budget.check().is_err() { f64::INFINITY } else { self.of.rest.at(c) }
    }

    /// `ln` of `A^k R e^(-c eps)`.
    fn log_none(&self, c: f64) -> f64 {
        let rest = self.log_rest(c);
        if rest.is_infinite() {
            return rest;
        }
        self.steps() * self.split.log_moments(c)[0] + rest - c * self.epsilon
    }

    /// `ln` of `((A + B)^k - A^k) R e^(-c eps)`.
    fn log_some(&self, c: f64) -> f64 {
        let rest = self.log_rest(c);
        if rest.is_infinite() {
            return rest;
        }
        let [small, large, _] = self.split.log_moments(c);
        let power = self.steps() * ln_1p_exp(large - small);
        let grown = match large - small + self.steps().portable_ln() {
            // Far below what a double can be, too.
            log if log < -30.0 => log,
            _ if power > 30.0 => power,
            _ => power.portable_exp_m1().portable_ln(),
        };
        self.steps() * small + grown + rest - c * self.epsilon
    }

    /// The least bound of the terms with a huge step, and its tilt.
    fn log_huge(&self) -> (f64, f64) {
        let at = |c: f64| {
            let rest = self.log_rest(c) - c * self.epsilon;
            if rest.is_infinite() {
                return rest;
            }
            let [small, large, huge] = self.split.log_moments(c);
            let all = small + ln_1p_exp(large - small);
            self.steps().portable_ln() + huge + (self.steps() - 1.0) * (all + ln_1p_exp(huge - all)) + rest
        };
        let tilts = [0.0, 0.5, 2.0, 8.0, 32.0].map(|c| (at(c), c));
        tilts.into_iter().min_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or((f64::INFINITY, 0.0))
    }

    /// The same cut with huge steps apart from there on.
    fn apart(&self, from: f64) -> Option<Self> {
        Some(Cut { of: self.of, split: self.split.with_huge(from)?, epsilon: self.epsilon })
    }

    /// The same cut with huge steps apart that come to so little, if that is possible.
    fn with_huge(&self, target: f64) -> Option<Self> {
        let from = self.split.cut();
        let (mut low, mut high) = (from, from + WIDEST_STEP);
        let at = |x: f64| self.apart(x).filter(|cut| cut.log_huge().0 < target);
        let mut found = at(high)?;
        while high - low > 0.25 {
            let middle = f64::midpoint(low, high);
            match at(middle) {
                Some(better) => (found, high) = (better, middle),
                None => low = middle,
            }
        }
        Some(found)
    }

    /// The least bound of the term of no large step, on either side of the poles, and its tilt, which is this number to
    /// base 2 or that much left of the left one.
    fn none_large(&self, linear: bool, range: (f64, f64)) -> (f64, f64) {
        let (x, value) = least(range, NEAR_TILT, |x| self.log_none(tilt_of_none(linear, x)));
        (value, x)
    }

    /// The saddle of the line, and about the logarithm of the integrand there and of the integral.
    fn saddle(&self, near: Option<f64>) -> (f64, f64, f64) {
        let f = |c: f64| self.log_some(c) - (c * (c + 1.0)).portable_ln();
        let range = near.map_or((FIRST_TILT, LAST_TILT), |c| (c.portable_log2() - 1.0, c.portable_log2() + 1.0));
        let (x, value) = least(range, 0.05, |x| f(x.portable_exp2()));
        let c = x.portable_exp2();
        let step = 0.05 * c;
        let curvature = (f(c + step) + f(c - step) - 2.0 * value) / (step * step);
        (c, value, value - 0.5 * (2.0 * PI * curvature.max(1e-300)).portable_ln())
    }
}

impl Search<'_> {
    /// Cuts that are tried: at each, a draw with the record is more likely than one without by a power of the root of
    /// two.
    fn cuts(&self) -> impl Iterator<Item = f64> + '_ {
        let (mu, odds) = self.factor.in_doubles();
        (-12..=11).map(move |i| mu / 2.0 + ((f64::from(i) + self.moved) * LN_2 / 2.0 - odds) / mu)
    }

    fn cut(&self, at: f64, steepness: f64, epsilon: f64) -> Option<Cut<'_>> {
        Some(Cut { of: self, split: Split::new(self.factor, self.backward, at, steepness)?, epsilon })
    }

    /// The cheapest plan that a short search finds for a profile of about this logarithm at an epsilon, to this number
    /// of relative bits.
    pub fn plan(&self, epsilon: f64, value: f64, bits: f64) -> Option<Plan> {
        let places: Vec<f64> = self.cuts().collect();
        let mut known: Vec<Option<Option<Plan>>> = vec![None; places.len()];
        let mut best: Option<(usize, f64)> = None;
        let mut step = 8;
        loop {
            let middle = best.map_or(places.len() / 2, |(i, _)| i);
            let mut look = |i: usize, best: &mut Option<(usize, f64)>| {
                let (Some(at), Some(slot)) = (places.get(i), known.get_mut(i)) else { return };
                if slot.is_some() {
                    return;
                }
                let plan = self.plan_at(*at, false, (epsilon, value), bits);
                if let Some(cost) = plan.as_ref().map(|plan| plan.cost)
                    && best.is_none_or(|(_, least)| cost < least)
                {
                    *best = Some((i, cost));
                }
                *slot = Some(plan);
            };
            for i in [middle, middle.saturating_sub(step), middle + step] {
                look(i, &mut best);
            }
            if step == 1 && best.is_none_or(|(i, _)| i == middle) {
                break;
            }
            step = (step / 2).max(1);
        }
        let (i, cost) = best?;
        let plan = known.get_mut(i)?.take()??;
        // The bend of a law beyond the largest of its sums may count for more than that.
        match self.plan_at(places[i], true, (epsilon, value), bits) {
            Some(other) if !self.backward && other.cost < cost => Some(other),
            _ => Some(plan),
        }
    }

    /// About the logarithm of the profile at an epsilon.
    ///
    /// The estimate at a saddle is too large where the saddle is between two ways to reach the sum, and hardly ever too
    /// small: the least estimate of all cuts is nearest. Without huge steps, of which there are as few as the rest
    /// leaves, it is smaller.
    pub fn log_value(&self, epsilon: f64) -> f64 {
        let least = |at: f64| {
            let sight = self.sight(at, epsilon)?;
            let all = |some: f64| log_add(self.log_value_of(&sight, some), sight.rest);
            let mut least = all(sight.some);
            if self.backward {
                return Some(least);
            }
            let (mut low, mut high) = (at, at + WIDEST_STEP);
            while high - low > 1.0 {
                let middle = f64::midpoint(low, high);
                let cut = sight.sharp.apart(middle)?;
                let (some, huge) = (all(cut.saddle(None).2), cut.log_huge().0);
                least = least.min(log_add(some, huge));
                if huge > some { low = middle } else { high = middle }
            }
            Some(least)
        };
        self.cuts().skip(2).step_by(SOME_CUTS).filter_map(least).fold(f64::INFINITY, f64::min)
    }

    fn log_value_of(&self, sight: &Sight, some: f64) -> f64 {
        log_add(log_add(some, sight.none), self.infinite.portable_ln())
    }

    /// The estimates of a cut of medium steepness: the part of large steps depends little on the steepness.
    fn sight(&self, at: f64, epsilon: f64) -> Option<Sight<'_>> {
        let sharp = self.cut(at, self.steepness(STEEPNESSES / 2), epsilon)?;
        let (saddle, _, some) = sharp.saddle(None);
        // There is none where no sum is so large.
        if !some.is_finite() || saddle.portable_log2() > LAST_TILT - 0.2 {
            return None;
        }
        let [right, left] = [false, true].map(|linear| sharp.none_large(linear, TILTS_OF_NONE));
        let linear = left.0 < right.0;
        let none = if linear {
            let [p, q] = [0.0, -1.0].map(|c| self.steps as f64 * sharp.split.log_moments(c)[0] + self.rest.at(c));
            p + (-(epsilon + q - p).portable_exp()).portable_ln_1p()
        } else {
            f64::NEG_INFINITY
        };
        let (rest, tilt) = if linear { left } else { right };
        Some(Sight { sharp, saddle, some, linear, none, rest, tilt })
    }

    fn steepness(&self, i: u32) -> f64 {
        LEAST_STEEPNESS * ((f64::from(i) + self.moved) / 2.0).portable_exp2()
    }

    /// The plan with the least steep cut here that will do, for a profile of about this logarithm; huge steps apart, if
    /// so.
    fn plan_at(&self, at: f64, apart: bool, (epsilon, value): (f64, f64), bits: f64) -> Option<Plan> {
        let sight = self.sight(at, epsilon)?;
        let target = self.log_value_of(&sight, sight.some).min(value) - bits * LN_2 - 3.0;
        let Sight { sharp, mut saddle, linear, tilt, .. } = sight;
        if !target.is_finite() {
            return None;
        }
        if apart {
            saddle = sharp.with_huge(target)?.saddle(None).0;
        }
        // The least steep cut that leaves next to nothing of small steps. Where a tilt will do no better one is sought.
        let mut tilts = vec![(STEEPNESSES / 2, tilt)];
        let mut enough = |i: u32, (below, above): (f64, f64)| {
            let cut = self.cut(at, self.steepness(i), epsilon)?;
            let mut near = tilts.iter().min_by_key(|(other, _)| other.abs_diff(i))?.1;
            let mut value = cut.log_none(tilt_of_none(linear, near));
            if value >= target {
                (value, near) = cut.none_large(linear, (near - below, near + above));
            }
            tilts.push((i, near));
            (value < target).then(|| (cut, tilt_of_none(linear, near)))
        };
        let (mut low, mut high) = (0, STEEPNESSES);
        let mut found = enough(high, (BESIDE_TILT, 2.0 * BESIDE_TILT))?;
        while low < high {
            let middle = u32::midpoint(low, high);
            match enough(middle, (BESIDE_TILT, BESIDE_TILT)) {
                Some(better) => (found, high) = (better, middle),
                None => low = middle + 1,
            }
        }
        // The least steep cut may leave steps without the record among the large ones, which do not fall along a line.
        loop {
            let (cut, tilt) = found;
            let cut = if apart { cut.with_huge(target)? } else { cut };
            if let Some(plan) = self.line(&cut, saddle, target) {
                let huge = if apart { cut.log_huge().1 } else { 0.0 };
                let none_large = if linear { NoneLarge::Linear(tilt) } else { NoneLarge::Negligible(tilt) };
                return Some(Plan { none_large, huge, ..plan });
            }
            if high == STEEPNESSES {
                return None;
            }
            high = (high + STEEPER).min(STEEPNESSES);
            found = enough(high, (BESIDE_TILT, BESIDE_TILT))?;
        }
    }

    /// The line for a cut.
    fn line(&self, cut: &Cut, saddle: f64, target: f64) -> Option<Plan> {
        let saddle = cut.saddle(Some(saddle)).0;
        let steps = self.steps as f64;
        // Tilts, with the logarithm of the transform there: of lines, and for aliases on both sides.
        let ladder: Vec<(f64, f64)> = (-5..12)
            .map(|i| saddle * ((f64::from(i) + self.moved) / 3.0).portable_exp2())
            .map(|a| (a, cut.log_some(a)))
            .collect();
        let zero = (0.0, cut.log_some(0.0));
        let mut best: Option<(f64, f64, f64, [f64; 2], f64)> = None;
        for &(c, log) in &ladder {
            let log_peak = log - (c * (c + 1.0)).portable_ln();
            let need = |(a, log): &(f64, f64)| ((log - target + 1.0) / (a - c).abs(), *a);
            let side = |tilts: &mut dyn Iterator<Item = (f64, f64)>| {
                tilts.filter(|(need, _)| need.is_finite()).min_by(|x, y| x.0.total_cmp(&y.0))
            };
            let all = || ladder.iter().chain([&zero]);
            let below = side(&mut all().filter(|(a, _)| *a < c).map(need));
            let above = side(&mut all().filter(|(a, _)| *a > c).map(need));
            let (Some(below), Some(above)) = (below, above) else { continue };
            let period = below.0.max(above.0).max(1e-9);
            let depth = ((log_peak - target) / LN_2).max(1.0);
            let cost = period * depth.portable_powf(1.5);
            if best.is_none_or(|best| cost < best.4) {
                best = Some((c, log_peak, period, [below.1, above.1], cost));
            }
        }
        let (c, log_peak, period, [below, above], _) = best?;
        // Nodes until the bound has fallen.
        let [small, large, _] = cut.split.log_moments(c);
        let rest = self.rest.at(c) - c * cut.epsilon + (period / (2.0 * PI * PI)).portable_ln();
        let left = |u: f64| {
            let (height, log) = cut.split.log_fall(c, u);
            let log = log.min(large);
            let all = steps.portable_ln() + log + (steps - 1.0) * (small + ln_1p_exp(log - small)) + rest;
            (all - (u * period / (2.0 * PI)).max(1.0).portable_ln(), height)
        };
        let (mut low, mut high) = (0.0_f64, 24.0_f64);
        if left(high.portable_exp2()).0 > target {
            return None;
        }
        while high - low > 0.05 {
            let middle = f64::midpoint(low, high);
            if left(middle.portable_exp2()).0 > target { low = middle } else { high = middle }
        }
        let u = high.portable_exp2();
        let height = left(u).1;
        let last = (u * period / (2.0 * PI)).ceil() + 1.0;
        // Terms of ever more large steps.
        let ratio = (large - small).portable_exp();
        let fixed = self.rest.at(c) - c * cut.epsilon + steps * small;
        let mut log_term = 0.0;
        let mut terms = 0;
        loop {
            let next = log_term + ((steps - terms as f64).max(0.0) / (terms + 1) as f64 * ratio).portable_ln();
            let grows = (steps - terms as f64) / (terms + 1) as f64 * ratio > 0.5;
            if terms >= 1 && !grows && fixed + next + LN_2 < target || terms >= self.steps {
                break;
            }
            (log_term, terms) = (next, terms + 1);
            if terms > MOST_TERMS {
                return None;
            }
        }
        let goal = ((log_peak - target) / LN_2).max(16.0);
        let powers: f64 = self.rest.rest.iter().map(|(_, times)| (*times as f64).portable_log2() + 1.0).sum();
        let work = goal + steps.portable_log2() + powers + 24.0;
        if !(last < MOST_NODES && work < 1e5) {
            return None;
        }
        let inner = cut.split.inner_nodes(c, u, work);
        let cost = inner * (last + 400.0) * (1.0 + work / 128.0) + last * (3000.0 + 50.0 * terms as f64);
        Some(Plan {
            split: cut.split.clone(),
            none_large: NoneLarge::Negligible(0.0),
            tilt: c,
            period,
            last: last as u64,
            terms,
            height,
            sides: [below, above],
            huge: 0.0,
            work: work.ceil() as u32,
            cost,
        })
    }
}

/// The tilt for the bound of the term of no large step.
fn tilt_of_none(linear: bool, x: f64) -> f64 {
    if linear { -1.0 - x.portable_exp2() } else { x.portable_exp2() }
}

/// `ln(e^x + e^y)`.
fn log_add(x: f64, y: f64) -> f64 {
    let (less, more) = if x < y { (x, y) } else { (y, x) };
    if less == f64::NEG_INFINITY { more } else { more + (less - more).portable_exp().portable_ln_1p() }
}

/// `ln(1 + e^x)`.
fn ln_1p_exp(x: f64) -> f64 {
    if x > 30.0 { x } else { x.portable_exp().portable_ln_1p() }
}

/// Where a convex function is least, and what it is there.
fn least((mut low, mut high): (f64, f64), accuracy: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    while high - low > accuracy {
        if at_a < at_b || !at_b.is_finite() {
            high = b;
            (b, at_b) = (a, at_a);
            a = high - golden * (high - low);
            at_a = f(a);
        } else {
            low = a;
            (a, at_a) = (b, at_b);
            b = low + golden * (high - low);
            at_b = f(b);
        }
    }
    if at_a < at_b { (a, at_a) } else { (b, at_b) }
}
