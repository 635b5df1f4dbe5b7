//! Any composition whose losses have a moment generating function, between a minorant and a majorant of its profile.
//!
//! If the moment generating function does not decay along vertical lines, a contour needs too many nodes. A minorant
//! and a majorant of the profile's kernel whose transforms have bounded support need only the nodes before n, for any
//! law, and differ little near the kink. Both ends converge like `h^2/8`, `h = period/n`, times the density of the
//! privacy loss at eps, or like h times the mass of a single privacy loss there. See `proofs/paper/extremal.md` and
//! [`extremal`](super::quadrature).

use std::sync::Arc;

use rug::{Float, Rational};

use super::choose::Refusal;
use super::quadrature::{self, Factors, Quadrature};
use super::supports::{self, Supports};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Portable, Real, peak};

/// Bits asked of the contours: more than doubles have sense in.
const BITS: u32 = 36;
/// Bits that contours are planned for beyond the digits.
const SPARE: u32 = 4;
/// Tries at a point that is proven to lie on the other side.
const TRIES: u32 = 8;
/// Distance of neighbouring points in the search for the slope of the trade-off function, in steps, at first.
const SPACING: f64 = 1.0 / 16.0;
/// The first step, in halvings below the standard deviation of the privacy loss.
const FIRST: i32 = 3;
/// The last one; nodes double with each.
const LAST: i32 = 17;
/// Steps whose lines are kept.
const LEVELS_KEPT: usize = 8;
/// Places that share a line are so near to each other, in standard deviations: it loses nothing there.
const NEAR: f64 = 0.125;
/// Deviations by which a tilt is steep: the law next to its end has another scale.
const STEEP: f64 = 16.0;
/// Halvings from one step to the next, at most: what the law is like at one is not what it is like much closer.
const STEP: i32 = 6;

/// Digits of the comparison that decides which direction is worse.
const SKETCHED: u32 = 2;

/// Below this an epsilon may be zero.
const NEAR_ZERO: f64 = 0.05;

/// What different steps enclose, to be told in an alarm.
const LEVELS: &str = "answer between a minorant and a majorant";

/// A composition by as many nodes as the digits take.
pub struct Majorized {
    factors: Factors,
    symmetric: bool,
    /// Is it of finite losses alone?
    finite: bool,
    digits: u32,
    /// About the standard deviation of the loss.
    deviation: f64,
    contours: Cache<i32, Quadrature>,
}

/// The same in steps of `2^-fineness` at most.
struct Level<'a> {
    of: &'a Majorized,
    fineness: i32,
}

impl Majorized {
    /// For this number of digits.
    pub(super) fn of(product: &Product, digits: u32) -> Result<Self, Refusal> {
        Majorized::new(quadrature::factors(product)?, product.symmetric(), digits)
    }

    /// What the finite losses of these factors have in the profile.
    pub(super) fn of_finite_losses(factors: Factors, digits: u32) -> Result<Self, Refusal> {
        Ok(Majorized { finite: true, ..Majorized::new(factors, false, digits)? })
    }

    fn new(factors: Factors, symmetric: bool, digits: u32) -> Result<Self, Refusal> {
        let deviation = Quadrature::new(factors.clone(), symmetric).deviation();
        if !(deviation > 0.0 && deviation.is_finite()) {
            return Err(Refusal::OtherKind);
        }
        Ok(Majorized { factors, symmetric, finite: false, digits, deviation, contours: Cache::new(LEVELS_KEPT) })
    }

    /// The level whose step is this number of halvings below the scale.
    fn level(&self, scale: f64, halvings: i32) -> Level<'_> {
        let fineness = (f64::from(halvings) - scale.portable_log2()).ceil().clamp(-1000.0, 1000.0) as i32;
        Level { of: self, fineness }
    }

    /// Enclosures with ever finer steps, until the digits are proven. The width decreases like the square of the step,
    /// or like the step if a single privacy loss has much mass; the number of nodes grows in turn. If a step is out of
    /// reach, the previous enclosure remains.
    ///
    /// A request for few bits gets a sketch.
    fn refined(
        &self,
        scale: f64,
        bits: u32,
        at: impl FnMut(&Level) -> Result<Enclosure, Error>,
    ) -> Result<Enclosure, Error> {
        self.refined_to(scale, if bits < BITS { self.digits.min(SKETCHED) } else { self.digits }, at)
    }

    /// The same for this number of digits.
    fn refined_to(
        &self,
        scale: f64,
        digits: u32,
        mut at: impl FnMut(&Level) -> Result<Enclosure, Error>,
    ) -> Result<Enclosure, Error> {
        let wanted = f64::from(digits) * std::f64::consts::LOG2_10 + 1.0;
        let mut best: Option<(i32, Enclosure)> = None;
        let (mut halvings, mut before) = (FIRST, Float::with_val(64, f64::INFINITY));
        loop {
            let found = match (at(&self.level(scale, halvings)), best) {
                // A coarser one is perhaps not; where the time is up that is soon known.
                (Err(Error::Undecided(_)), Some((before, found))) => {
                    halvings -= 1;
                    if halvings <= before {
                        return Ok(found);
                    }
                    best = Some((before, found));
                    continue;
                }
                (found, None) => found?,
                (found, Some((_, best))) => alarm::meet(&best, &found?, LEVELS)?,
            };
            let known = found.relative_bits().map_or(0.0, |bits| bits as f64);
            let width = Float::with_val(64, found.upper() - found.lower());
            // What is left of it is rounding, or aliases.
            let stuck = Float::with_val(64, &width * 2u32) > before;
            if known >= wanted || halvings >= LAST || stuck {
                return Ok(found);
            }
            before = width;
            let step = ((wanted - known) / 2.0).ceil().clamp(1.0, f64::from(STEP)) as i32;
            best = Some((halvings, found));
            halvings = (halvings + step).min(LAST);
        }
    }

    /// The contours of this step.
    fn in_steps(&self, fineness: i32) -> Result<Arc<Quadrature>, Error> {
        let bits = (f64::from(self.digits) * std::f64::consts::LOG2_10).ceil() as u32 + SPARE;
        self.contours.get(fineness, || {
            let contours = Quadrature::new(self.factors.clone(), self.symmetric).in_a_row(fineness, bits);
            Ok(if self.finite { contours.of_finite_losses() } else { contours })
        })
    }

    /// Neighbouring points share a line.
    fn near(&self, epsilon: f64, side: Direction, deviations: f64, budget: &Budget) -> Result<Near, Error> {
        let contours = self.in_steps(self.level(self.deviation, FIRST).fineness)?;
        let tilt = contours.tilt(epsilon, side, budget);
        budget.check()?;
        // Next to an end of the law what is left of it has a scale of its own.
        let scale = if tilt * self.deviation > STEEP { STEEP / tilt } else { self.deviation };
        let centre = contours.centre(epsilon, side, deviations * scale / self.deviation);
        Ok(Near { side, centre, scale })
    }

    /// The profile, to no more digits than these.
    pub(super) fn known(
        &self,
        epsilon: &Real,
        (direction, digits): (Direction, u32),
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let near = self.near(epsilon.to_f64(), direction, NEAR, budget)?;
        self.refined_to(near.scale, digits.min(self.digits), |level| level.bracket(epsilon, near, budget))
    }

    /// About where the support is highest, by doubles.
    fn peak(&self, alpha: &Real, side: Direction, budget: &Budget) -> Result<f64, Error> {
        // A large step will do: it is cheap.
        let coarse = self.level(self.deviation, FIRST);
        let rest = 1.0 - alpha.to_f64();
        let height = |x: f64| -> Result<f64, Error> {
            budget.check()?;
            coarse.height(x, rest, self.near(x, side, 1.0, budget)?, budget)
        };
        peak::climbed(0.0, self.deviation, 1e-4 * self.deviation, height)
    }
}

/// A double as what it is; a search that left the numbers has found nothing.
fn real(x: f64) -> Result<Real, Error> {
    Rational::from_f64(x)
        .map(Real::from)
        .ok_or_else(|| Error::undecided("the search between a minorant and a majorant diverged"))
}

/// Which direction, and the epsilon whose lines serve all questions around it.
#[derive(Clone, Copy)]
struct Near {
    side: Direction,
    centre: f64,
    /// What steps are compared with.
    scale: f64,
}

impl Level<'_> {
    /// The profile from both sides; from the line at a place nearby.
    fn bracket(&self, epsilon: &Real, near: Near, budget: &Budget) -> Result<Enclosure, Error> {
        let contours = self.of.in_steps(self.fineness)?;
        Ok(contours.delta_around(near.centre, epsilon, (near.side, BITS), budget)?.enclosure(BITS))
    }

    /// From above by a point at which the profile is proven to be at most the target, from below by one at which it is
    /// proven to be above. Both are sought in doubles, around where secants find that of the majorant.
    fn epsilon(&self, delta: &Real, start: f64, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        let target = delta.enclosure(BITS);
        let near = self.of.near(start, direction, NEAR, budget)?;
        let at = |x: f64| -> Result<Enclosure, Error> {
            budget.check()?;
            self.bracket(&real(x)?, near, budget)
        };
        if start < NEAR_ZERO && at(0.0)?.upper() <= target.lower() {
            return Ok(Enclosure::zero(BITS));
        }
        let height = |x: f64| Ok::<f64, Error>((&at(x)? / &target).ln().upper().to_f64());
        let most = self.of.deviation.max(0.1 * start);
        let mut x = start.max(1e-9);
        let mut at_x = height(x)?;
        let mut y = x + 0.01 * most * at_x.signum();
        let mut slope = -1.0 / most;
        for _ in 0..30 {
            let at_y = height(y)?;
            if !(at_y != at_x && at_y.is_finite()) {
                break;
            }
            slope = (at_y - at_x) / (y - x);
            let step = (-at_y / slope).clamp(-most, most);
            (x, at_x, y) = (y, at_y, (y + step).max(0.5 * y));
            if (y - x).abs() < f64::portable_exp2(-30.0) * y {
                break;
            }
        }
        let mut margin = f64::portable_exp2(-28.0) * y;
        let mut high = None;
        for _ in 0..TRIES {
            let there = y + margin;
            if at(there)?.upper() <= target.lower() {
                high = Some(there);
                break;
            }
            margin *= 4.0;
        }
        let high = high
            .ok_or_else(|| Error::undecided("found no epsilon at which the privacy profile is provably below delta"))?;
        let there = at(high)?;
        let raised = (Float::with_val(BITS, there.upper() - there.lower()) / target.lower()).to_f64();
        let mut shift = margin + 1.0625 * raised / slope.abs();
        let mut low = 0.0;
        for _ in 0..TRIES {
            let there = y - shift;
            if !(there > 0.0) {
                break;
            }
            if at(there)?.lower() > target.upper() {
                low = there;
                break;
            }
            shift *= 2.0;
        }
        Ok(Enclosure::double(low, BITS.max(53)).hull(&Enclosure::double(high, BITS.max(53))))
    }

    /// About `e^-x (1 - alpha - delta(x))`, in doubles, with `1 - alpha`.
    fn height(&self, x: f64, rest: f64, near: Near, budget: &Budget) -> Result<f64, Error> {
        let delta = self.bracket(&real(x)?, near, budget)?;
        Ok((-x).portable_exp() * (rest - f64::midpoint(delta.lower().to_f64(), delta.upper().to_f64())))
    }

    /// The highest of the supports at alpha, near about where it is.
    fn beta(&self, alpha: &Real, peak: f64, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        let near = self.of.near(peak, direction, NEAR, budget)?;
        let profile = |epsilon: &Real| self.bracket(epsilon, near, budget);
        let step = f64::from(-self.fineness).portable_exp2();
        // What large steps do not tell apart may be a corner to these.
        let rest = 1.0 - alpha.to_f64();
        let peak = peak::climbed(peak, 4.0 * step, SPACING * step, |x| self.height(x, rest, near, budget))?;
        let supports = Supports { alpha, bits: BITS, profile: &profile };
        supports::highest(&supports, &Float::with_val(BITS, peak), SPACING * step, 2 * TRIES, budget)
    }
}

impl Curve for Majorized {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let near = self.near(epsilon.to_f64(), direction, NEAR, budget)?;
        self.refined(near.scale, bits, |level| level.bracket(epsilon, near, budget)).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        // A large step tells where to look.
        let coarse = self.in_steps(self.level(self.deviation, FIRST).fineness)?;
        let Value::Finite(start) = coarse.epsilon(delta, direction, BITS, budget)? else { return Ok(Value::Infinite) };
        let start = start.enclosure(BITS).upper().to_f64();
        let scale = self.near(start, direction, NEAR, budget)?.scale;
        let found = self.refined(scale, bits, |level| level.epsilon(delta, start, direction, budget))?;
        Ok(Value::Finite(Number::Enclosed(found)))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let peak = self.peak(alpha, direction, budget)?;
        let scale = self.near(peak, direction, NEAR, budget)?.scale;
        self.refined(scale, bits, |level| level.beta(alpha, peak, direction, budget)).map(Number::Enclosed)
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        "nodes in a row, between a minorant and a majorant"
    }

    fn statement(&self) -> &'static Statement {
        &statement::EXTREMAL
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("standard deviation of the privacy loss, about", self.deviation)]
    }
}

#[cfg(test)]
mod tests;
