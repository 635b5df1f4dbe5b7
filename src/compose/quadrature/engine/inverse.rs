//! The least epsilon of a delta: secants find it, and two evaluations of the profile prove it.
//!
//! Where a line has only the digits that it was planned for, or fewer, its values near the root do not tell the delta
//! from the goal: the search ends there, and the two evaluations stand as far apart as those values leave open. Both
//! ends are proven whatever the search found.

use std::f64::consts::LN_2;

use rug::Float;
use rug::float::Round::{Down, Up};

use super::{Asked, Side};
use crate::alarm::declined;
use crate::compose::quadrature::contour::Effort;
use crate::compose::quadrature::plan::Search;
use crate::curve::Value;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Portable, Real, root::Bracket};

/// The two evaluations stand so many times as far from the root as values there are off.
const BEYOND_BLUR: f64 = 1.25;

/// A saddle point that is so many times as far out as normal losses of the same variance would be is not trusted.
const FAR_OUT: f64 = 3.0;

/// Relative bits of the values that tell where to look instead, how near in logarithms is near enough, and how often
/// it is tried.
const SKETCH: u32 = 8;
const SKETCH_GUARD: u32 = 3;
const NEAR: f64 = 2.0;
const SKETCHES: usize = 24;
/// So many bits that the saddle says too much are not planned for unseen: values of few bits mostly tell that the delta
/// is elsewhere.
const FAR_BITS: u32 = 128;
/// Bits of a line for that guess which integers leave aside, mostly.
const SPARED: u32 = 15;
/// Bits of the epsilon that are not needed there where many are asked for, and of the delta beyond those of the
/// epsilon.
const MANY: u32 = 60;
const DEAR: u32 = 6;
const BEYOND: u32 = 6;
/// Bits are asked of lines that are shared in steps of so many.
const STEP: u32 = 8;
/// So many bits less than those that are asked of them still tell deltas from each other.
const LESS: i64 = 8;
/// The two evaluations stand `2^-APART` of a unit in the last bit of the epsilon from it, at first.
const APART: u32 = 4;
/// Bits of the delta beyond those that tell it from the goal there, at least, and so many more are planned for.
const TOLD: f64 = 1.0;
const SPARE: f64 = 1.0;
/// So many bits less in integers of 128 bits do: the evaluations then stand that much further apart.
const LESS_IN_INTEGERS: i64 = 3;
/// The elasticity of the profile is that between points this far apart, in logarithms.
const APART_FOR_SLOPE: f64 = 1.0 / 16.0;
/// Where losses are rare their tail falls at least like this power.
const FLATTEST: f64 = 0.5;

/// What secants find: nothing of it is proven.
struct Found {
    root: Float,
    /// How far from the root the values on the line tell the delta from the goal, if that is known.
    blur: Option<f64>,
}

/// The search for the epsilon of one delta, on one side.
pub(super) struct Inverse<'a> {
    side: &'a Side,
    /// The delta.
    goal: Enclosure,
    /// About the epsilon.
    guess: f64,
    /// Where the line is that serves it, for all evaluations.
    line: f64,
    /// Relative bits of the epsilon.
    bits: u32,
    /// The precision of the epsilons tried, and of the deltas.
    accuracy: u32,
    /// Relative bits asked of the deltas, and those that the lines have more.
    asked: u32,
    more: u32,
    /// So many are enough; and in integers of 128 bits.
    enough: i64,
    long_enough: i64,
    /// Is the line one of the grid?
    shared: bool,
    /// Do rare losses reach the epsilon? Then one line, at the guess, is to serve all of the search.
    rare: bool,
    budget: &'a Budget,
}

impl<'a> Inverse<'a> {
    pub(super) fn new(side: &'a Side, delta: &Real, bits: u32, budget: &'a Budget) -> Result<Self, Error> {
        let wide = bits.saturating_add(64);
        let goal = delta.enclosure(wide);
        let left = (&goal - &side.infinite_p(bits).enclosure(wide)).with_bits(64).ln();
        let search = side.search(budget);
        let log_delta = f64::midpoint(left.lower().to_f64(), left.upper().to_f64());
        let largest = side.range().1.as_ref().map_or(f64::INFINITY, |largest| largest.to_f64());
        let guess = search.epsilon_at(log_delta).min(largest).max(0.0);
        budget.check()?;
        let Start { guess, more, elasticity } = nearer(side, &search, (&goal, log_delta), guess, budget)?;
        let guard = 16 + (1.0 / guess.abs()).portable_log2().clamp(0.0, 60.0) as u32;
        let accuracy = bits.saturating_add(guard);
        // A slope that is known tells how many bits of the delta are those of the epsilon.
        let told = elasticity.map(|slope| {
            let bits = if bits > MANY { bits - DEAR } else { bits };
            (bits, bits.saturating_add(BEYOND).saturating_add_signed(-slope.portable_log2().clamp(-60.0, 60.0) as i32))
        });
        // Where each bit costs nodes, no more than the slope of the profile asks for.
        let asked = match side.effort {
            effort if effort.is_content() => bits,
            _ if side.is_quick() => accuracy,
            _ => accuracy.saturating_sub(12),
        };
        // Lines of the grid serve other deltas too, if they ask for as many bits.
        // Tails of bounded losses are no longer those of a normal loss some way up, and each wants a line of its own.
        let shared = told.is_none() && side.effort == Effort::Full && side.is_quick() && side.range().1.is_none();
        let line = if shared { side.grid_point(guess) } else { guess };
        let most = if shared { asked.next_multiple_of(STEP) } else { asked };
        let (bits, asked) = told.unwrap_or((bits, most));
        let all = Asked::all(asked, more);
        let less = if shared { LESS } else { 0 };
        let least = if told.is_none() { enough_at(side, &search, (guess, line), bits) } else { None };
        let (asked, enough, long_enough) = match least.filter(|(asked, _)| *asked < most) {
            Some((asked, enough)) => (asked, enough, enough - LESS_IN_INTEGERS),
            None => (asked, all.enough - less, all.long_enough),
        };
        let rare = elasticity.is_some();
        Ok(Inverse { side, goal, guess, line, bits, accuracy, asked, more, enough, long_enough, shared, rare, budget })
    }

    /// The epsilon, enclosed to about the bits asked for; exactly zero where that is proven.
    pub(super) fn epsilon(&self) -> Result<Value, Error> {
        if self.is_zero()? {
            return Ok(Value::Finite(Number::zero()));
        }
        // A root that is as good as zero has no leading digit: it is enclosed between zero and the floor.
        let floor = Float::with_val(self.accuracy, Float::i_exp(1, -i32::try_from(self.bits).unwrap_or(i32::MAX)));
        let Found { mut root, blur } = self.secants(&floor)?;
        root.max_mut(&floor);
        self.proven(&root, root == floor, blur)
    }

    /// The profile.
    fn at(&self, epsilon: &Float) -> Result<Enclosure, Error> {
        let exact = epsilon.to_rational().ok_or_else(|| Error::Undecided("the search for epsilon diverged".into()))?;
        let mut asked = Asked::all(self.asked, self.more);
        (asked.enough, asked.long_enough) = (self.enough, self.long_enough);
        asked.own = self.shared.then_some(self.guess);
        let value = self.side.delta_asked(self.line, &Real::from(exact), asked, self.budget)?;
        Ok(value.enclosure(self.accuracy))
    }

    /// About `ln(delta(epsilon)/delta)`, and by how much that may be off.
    fn log_excess(&self, epsilon: &Float) -> Result<(Float, f64), Error> {
        let ratio = (&self.at(epsilon)? / &self.goal).ln();
        let middle = Float::with_val(self.accuracy, ratio.lower() + ratio.upper()) / 2u32;
        let off = Float::with_val(64, ratio.upper() - ratio.lower()).to_f64() / 2.0;
        Ok((middle, off))
    }

    /// Is `delta(0)` certainly at most the delta? Asked only where the guess is poor: where the profile is large.
    fn is_zero(&self) -> Result<bool, Error> {
        if self.guess > 0.05 && *self.goal.upper() <= 0.01 {
            return Ok(false);
        }
        if self.rare {
            return Ok(*self.at(&Float::new(self.accuracy))?.upper() <= *self.goal.lower());
        }
        // A few bits tell it mostly.
        for bits in [16, self.asked] {
            let here = self.side.delta(&Real::zero(), bits, self.budget)?.enclosure(self.accuracy);
            if *here.upper() <= *self.goal.lower() {
                return Ok(true);
            }
            if *here.lower() > *self.goal.upper() {
                break;
            }
        }
        Ok(false)
    }

    /// About the epsilon, if it is not below `floor`: it proves nothing.
    ///
    /// Secants on ln delta, which falls: they are kept between the points known to lie on either side, since on a
    /// lattice it has kinks. The first slope is from a nearby point.
    ///
    /// Where a line has no more digits than it has, they end where the delta is not told from the goal.
    fn secants(&self, floor: &Float) -> Result<Found, Error> {
        let (accuracy, content) = (self.accuracy, self.rare || self.side.effort.is_content());
        let mut bracket =
            Bracket::new(self.side.range().1.as_ref().map(|largest| Float::with_val(accuracy, largest.to_f64())));
        let mut x = Float::with_val(accuracy, self.guess.max(1e-9));
        let (mut fx, mut off) = self.log_excess(&x)?;
        let mut blur = None;
        bracket.learn(&x, &fx);
        // About the inverse of the slope: of normal losses, or where they are wide of the usual ones.
        let deviation = self.side.deviation.max(f64::MIN_POSITIVE);
        let normal = deviation / (1.25 + (self.guess.abs() / deviation).min(8.0));
        let step = normal.min(0.3 / (1.0 + self.guess.abs()));
        let first = Float::with_val(accuracy, &x + &fx * Float::with_val(53, step));
        let mut y = bracket.or_middle(first);
        let close = |x: &Float, step: &Float| {
            step.is_zero() || step.get_exp().unwrap_or(i32::MIN) < x.get_exp().unwrap_or(0) - self.bits as i32 - 6
        };
        for _ in 0..300 {
            self.budget.check()?;
            let before = off;
            let fy;
            (fy, off) = self.log_excess(&y)?;
            bracket.learn(&y, &fy);
            let slope = Float::with_val(accuracy, &fy - &fx);
            if slope.is_zero() {
                break;
            }
            let (rise, run) = (slope.to_f64().abs(), Float::with_val(64, &y - &x).to_f64().abs());
            let told = rise > 8.0 * before.max(off);
            if content && told {
                blur = Some(off * run / rise);
            }
            // What is not told from zero says where not to look.
            let blind = content && off.is_finite() && fy.to_f64().abs() <= off;
            let next = Float::with_val(accuracy, &y - Float::with_val(accuracy, &y - &x) * &fy / &slope);
            let ends = |next: &Float| close(next, &Float::with_val(accuracy, next - &y));
            // A last step may be too short to lead off the point it starts from, which is an end of the bracket.
            let next = if next.is_finite() && ends(&next) { next } else { bracket.or_middle(next) };
            let last = ends(&next);
            if blind {
                // Values as near to each other as they are off say nothing of the slope, and a point that is not told
                // from the root on a line of many bits is as good as any.
                let root = if told && !self.rare { next } else { y };
                return Ok(Found { root, blur });
            }
            (x, fx, y) = (y, fy, next);
            if last || y < *floor {
                break;
            }
        }
        Ok(Found { root: y, blur })
    }

    /// From a point of which delta is certainly not below the goal to one where it is certainly not above: delta falls,
    /// so the epsilon is between them. They are sought ever further from a root; zero is below every epsilon.
    fn proven(&self, root: &Float, from_zero: bool, blur: Option<f64>) -> Result<Value, Error> {
        let exponent = root.get_exp().unwrap_or(0) - (self.bits + APART) as i32;
        let mut width = Float::with_val(64, Float::i_exp(1, exponent));
        if let Some(blur) = blur.filter(|blur| blur.is_finite()) {
            width.max_mut(&Float::with_val(64, BEYOND_BLUR * blur));
        }
        let (mut low, mut high) = (None, None);
        // Where digits are dear none is given away.
        let step = match self.side.effort {
            Effort::Content => 1,
            // Nor where the first width is about what it has to be.
            _ if self.rare && blur.is_some() => 1,
            Effort::Swept if blur.is_some() => 1,
            // Each evaluation is a pass over all nodes.
            Effort::Swept => 2,
            _ => 3,
        };
        for _ in 0..36 / step {
            self.budget.check()?;
            let below = Float::with_val_round(self.accuracy, root - &width, Down).0;
            let above = Float::with_val_round(self.accuracy, root + &width, Up).0;
            if low.is_none() {
                if below <= 0 || from_zero {
                    low = Some(Float::new(self.accuracy));
                } else if *self.at(&below)?.lower() >= *self.goal.upper() {
                    low = Some(below);
                }
            }
            if high.is_none() && *self.at(&above)?.upper() <= *self.goal.lower() {
                high = Some(above);
            }
            if let (Some(low), Some(high)) = (&low, &high) {
                return Ok(Value::Finite(Number::Enclosed(Enclosure::new(low.clone(), high.clone()))));
            }
            width <<= step;
        }
        Err(Error::Undecided("the search did not isolate the epsilon of this delta".into()))
    }
}

/// The bits that a quick line is asked for, and those that are enough of a delta, for so many of the epsilon: in
/// doubles, `None` where that fails.
///
/// The two evaluations stand `2^-(bits + APART)` of the root from it, relatively, and there the delta differs from the
/// goal by that times the elasticity of the profile. A line loses `d^2/2` nats at d standard deviations from where it
/// stands, and has its guard bits for that. What is asked is that of the profile itself, where it does, and goes in
/// steps from there, so that a line serves profiles and epsilons alike. Whatever is chosen here, the evaluations are
/// proven, and stand further apart where they do not tell the delta from the goal. Beside lists of losses, between
/// which the profile may fall less than the saddle tells, another line would be needed, and is dear.
fn enough_at(side: &Side, search: &Search, (guess, line): (f64, f64), bits: u32) -> Option<(u32, i64)> {
    let smooth = side.span.is_some() || side.factors.iter().all(|(factor, _)| factor.decays());
    if side.effort != Effort::Full || !side.is_quick() || !smooth {
        return None;
    }
    let beside = guess * APART_FOR_SLOPE.portable_exp();
    let elasticity = (search.log_delta(guess) - search.log_delta(beside)) / APART_FOR_SLOPE;
    let away = (guess - line) / side.deviation;
    let lost = if away == 0.0 { 0.0 } else { away * away / 2.0 / LN_2 };
    let told = f64::from(APART) + TOLD - elasticity.portable_log2();
    let beyond = told + SPARE + lost - f64::from(side.guard_bits());
    if !(beyond.abs() < 1e6) {
        return None;
    }
    let asked = bits.saturating_add((beyond.ceil().max(0.0) as u32).next_multiple_of(STEP));
    Some((asked, i64::from(bits) + told.ceil() as i64))
}

/// Where the search begins, and what is known there.
struct Start {
    guess: f64,
    /// Bits that lines planned there are to have more than what is asked of them.
    more: u32,
    /// Where rare losses reach the epsilon: the slope of the logarithm of the profile against that of epsilon is about
    /// the negative of this.
    elasticity: Option<f64>,
}

/// Another guess, where the saddle point is far beyond what the variance tells: a rare large loss, which is what bends
/// the moment generating function there, may have next to nothing to do with this delta, and values that far out are
/// dear. Values of few bits, from lines of their own, halve the way to it in logarithms.
///
/// The profile is about the delta where it is sought, and the saddle says that it is more: each line is planned with
/// the bits that this takes.
fn nearer(
    side: &Side,
    search: &Search,
    (goal, log_delta): (&Enclosure, f64),
    guess: f64,
    budget: &Budget,
) -> Result<Start, Error> {
    let normal = side.deviation * (-2.0 * log_delta).max(0.0).sqrt();
    let unknown = |guess: f64| Start { guess, more: side.guard_bits(), elasticity: None };
    if !(normal > 0.0 && guess.is_finite() && guess > FAR_OUT * normal) {
        return Ok(unknown(guess));
    }
    let dear = side.effort != Effort::Full || !side.is_quick();
    let lost = |epsilon: f64| {
        let nats = (search.log_delta(epsilon) - log_delta).max(0.0);
        SKETCH_GUARD.saturating_add((nats / LN_2) as u32)
    };
    let (mut below, mut above, mut here) = (None, guess, normal);
    let mut known: Vec<(f64, f64)> = Vec::new();
    for _ in 0..SKETCHES {
        budget.check()?;
        let Some(epsilon) = Float::with_val(53, here).to_rational() else { break };
        // A line that cannot be had there says nothing against the guess.
        let epsilon = Real::from(epsilon);
        let value = match dear || lost(here) > FAR_BITS {
            true => side.delta(&epsilon, 2 * SKETCH, budget),
            false => side.delta_asked(here, &epsilon, Asked::all(SKETCH, lost(here)), budget),
        };
        let Some(value) = declined(value)? else { return Ok(unknown(guess)) };
        let value = value.enclosure(SKETCH + 64);
        let excess = (&value / goal).ln();
        let [low, high] = [excess.lower(), excess.upper()].map(Float::to_f64);
        if low.is_finite() && high.is_finite() {
            known.push((here.portable_ln(), f64::midpoint(low, high)));
        }
        if low > -NEAR && high < NEAR {
            break;
        }
        if *value.lower() >= *goal.upper() {
            below = Some(here);
        } else {
            above = here;
        }
        here = below.map_or(above / 2.0, |below: f64| (below * above).sqrt());
    }
    if dear {
        return Ok(unknown(here));
    }
    let elasticity = match known.as_slice() {
        [.., (x, at_x), (y, at_y)] => (at_x - at_y) / (y - x),
        _ => 0.0,
    };
    Ok(Start { guess: here, more: lost(here).saturating_add(SPARED), elasticity: Some(elasticity.max(FLATTEST)) })
}
