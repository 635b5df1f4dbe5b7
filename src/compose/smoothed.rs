//! Any composition whose losses have a moment generating function, between two that a little Gaussian noise smooths.
//!
//! Where the moment generating function does not decay along vertical lines, a contour needs too many nodes. Composing
//! with Gaussian noise, `gdp(tau)`, makes it decay at a known rate; it never lowers a profile, for to release more
//! reveals more; and what it raises is bounded by what twice the noise raises. With L the loss of the composition, a
//! the mass at infinity, `delta_tau` the profile with that noise, and `g_tau(u)` the profile of a certain loss u with
//! it less that without:
//!
//! `delta_tau(eps) - delta(eps) = E g_tau(L - eps)`, and `(delta_2tau - delta_tau)(eps) >= (2k - 1) E g_tau(L - eps)`,
//! `k = e^(-tau^2/2)`,
//!
//! so that for `2k > 1`: `delta_tau - (delta_2tau - delta_tau)/(2k - 1) <= delta <= delta_tau`. All three are contours'
//! answers. Both ends meet like `tau^2` times the density at eps, whatever the law: nodes grow like `1/tau`.
//!
//! **Why.** `g_tau(u) = D_tau(|u|) min(1, e^-u)`, with `D_m` the profile of `gdp(m)`; and
//! `D_m(v) = int_0^m phi(v/x - x/2) dx` for `v >= 0`, `phi(v/x - x/2) = phi(v/x) e^(v/2) e^(-x^2/8)`. Now `phi(v/x)`
//! does not fall as x grows, so that its integral to 2 tau is at least twice that to tau; with the last factor at least
//! `e^(-tau^2/2)` up to 2 tau, and at most 1: `D_2tau >= 2k D_tau`. See `proofs/paper/smoothing.md`.

use std::sync::Arc;

use rug::{Float, Rational};

use super::choose::Refusal;
use super::quadrature::Quadrature;
use super::supports::{self, Supports};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real, peak};

/// Bits asked of the contours: few, so that their values are summed in integers, and more than the noise leaves sense
/// in.
const BITS: u32 = 36;
/// Tries at a point that is proven to lie on the other side.
const TRIES: u32 = 8;
/// Distance of neighbouring points in the search for the slope of the trade-off function, in widths of the noise.
const SPACING: f64 = 4.0;
/// The first noise is so many halvings below the deviation of the loss.
const FIRST: i32 = 5;
/// The last one; nodes double with each.
const LAST: i32 = 15;
/// Halvings from one noise to the next, at most: what the law is like at one is not what it is like much closer.
const STEP: i32 = 6;

/// Digits of what tells which direction is the worse.
const SKETCHED: u32 = 2;

/// Below this an epsilon may be zero.
const NEAR_ZERO: f64 = 0.05;

/// What compositions of different noise enclose, to be told in an alarm.
const LEVELS: &str = "answer between smoothed compositions";

/// A composition between two smoothed ones, with as much noise as the digits allow.
pub struct Smoothed {
    product: Product,
    symmetric: bool,
    digits: u32,
    /// About the standard deviation of the loss.
    deviation: f64,
    contours: Cache<i32, Quadrature>,
}

/// The same with noise of `tau = 2^-fineness`.
struct Level<'a> {
    of: &'a Smoothed,
    fineness: i32,
}

impl Smoothed {
    /// Content with so many digits.
    pub(super) fn of(product: &Product, digits: u32) -> Result<Self, Refusal> {
        let deviation = Quadrature::of(product)?.deviation();
        if !(deviation > 0.0 && deviation.is_finite()) {
            return Err(Refusal::OtherKind);
        }
        Ok(Smoothed {
            product: product.clone(),
            symmetric: product.symmetric(),
            digits,
            deviation,
            contours: Cache::new(4),
        })
    }

    /// The level whose noise is so many halvings below the deviation. Twice the noise must be below one for the bound
    /// to be worth anything.
    fn level(&self, halvings: i32) -> Level<'_> {
        let fineness = (f64::from(halvings) - self.deviation.log2()).ceil().clamp(2.0, 1000.0) as i32;
        Level { of: self, fineness }
    }

    /// What an ever less noisy composition encloses, until the digits are there. The width falls like the square of the
    /// noise, or like the noise where a loss has much mass to itself; nodes grow as the noise falls. What is out of
    /// reach leaves what was found before.
    ///
    /// Who asks for few bits wants a sketch.
    fn refined(&self, bits: u32, mut at: impl FnMut(&Level) -> Result<Enclosure, Error>) -> Result<Enclosure, Error> {
        let digits = if bits < BITS { self.digits.min(SKETCHED) } else { self.digits };
        let mut best: Option<Enclosure> = None;
        let mut halvings = FIRST;
        loop {
            let found = match (at(&self.level(halvings)), &best) {
                (Err(Error::Undecided(_)), Some(best)) => return Ok(best.clone()),
                (found, None) => found?,
                (found, Some(best)) => alarm::meet(best, &found?, LEVELS)?,
            };
            let wanted = f64::from(digits) * std::f64::consts::LOG2_10 + 1.0;
            let known = found.relative_bits().map_or(0.0, |bits| bits as f64);
            best = Some(found.clone());
            if known >= wanted || halvings >= LAST {
                return Ok(found);
            }
            let step = ((wanted - known) / 2.0).ceil().clamp(1.0, f64::from(STEP)) as i32;
            halvings = (halvings + step).min(LAST);
        }
    }

    /// The composition with noise of `2^-fineness`.
    fn with_noise(&self, fineness: i32) -> Result<Arc<Quadrature>, Error> {
        self.contours.get(fineness, || {
            let mut product = self.product.clone();
            product.mu_squared = product.mu_squared.add(&Real::from(variance(fineness)));
            Quadrature::of(&product).map(Quadrature::in_doubles).map_err(|refusal| match refusal {
                Refusal::OtherKind => Error::undecided("no contour for this"),
                Refusal::Unable(error) => error,
            })
        })
    }

    /// About where the support is highest, by doubles.
    fn peak(&self, alpha: &Real, side: Direction, budget: &Budget) -> Result<f64, Error> {
        // Much noise will do: it is cheap.
        let noisy = self.with_noise(self.level(FIRST).fineness)?;
        let alpha = alpha.to_f64();
        let height = |x: f64| -> Result<f64, Error> {
            budget.check()?;
            Ok((-x).exp()
                * (1.0 - alpha - noisy.delta(&real(x)?, side, BITS, budget)?.enclosure(BITS).upper().to_f64()))
        };
        peak::climbed(0.0, self.deviation, 1e-4 * self.deviation, height)
    }
}

/// A double as what it is; a search that left the numbers has found nothing.
fn real(x: f64) -> Result<Real, Error> {
    Rational::from_f64(x)
        .map(Real::from)
        .ok_or_else(|| Error::undecided("the search between smoothed compositions diverged"))
}

/// `tau^2`.
fn variance(fineness: i32) -> Rational {
    Rational::from(1) >> (2 * fineness.unsigned_abs())
}

/// Which direction, and the epsilon whose lines serve all questions around it.
#[derive(Clone, Copy)]
struct Near {
    side: Direction,
    centre: f64,
}

impl Level<'_> {
    /// `delta_tau`, and at most how far it is above the profile; from the lines at a place nearby.
    fn profile(&self, epsilon: &Real, near: Near, budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        let (centre, question) = (near.centre, (near.side, BITS));
        let at = |fineness: i32| -> Result<Enclosure, Error> {
            Ok(self.of.with_noise(fineness)?.delta_around(centre, epsilon, question, budget)?.enclosure(BITS))
        };
        let (once, twice) = (at(self.fineness)?, at(self.fineness - 1)?);
        let k = (-Enclosure::rational(&variance(self.fineness), BITS).shift(-1)).exp();
        let excess = &(&twice - &once).positive_part() / &(&k.shift(1) - &Enclosure::one(BITS));
        Ok((once, excess))
    }

    /// The profile from both sides.
    fn bracket(&self, epsilon: &Real, near: Near, budget: &Budget) -> Result<Enclosure, Error> {
        let (once, excess) = self.profile(epsilon, near, budget)?;
        let lower = (&once - &excess).positive_part();
        Ok(Enclosure::new(lower.lower().clone(), once.upper().clone()))
    }

    /// From above by a point at which the smoothed profile is at most the target, from below by one at which the
    /// profile is proven to be above it. Both are sought in doubles, around where secants find the smoothed profile's
    /// own.
    fn epsilon(&self, delta: &Real, start: f64, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        let target = delta.enclosure(BITS);
        let noisy = self.of.with_noise(self.fineness)?;
        let once = |x: f64| -> Result<Enclosure, Error> {
            budget.check()?;
            Ok(noisy.delta_around(start, &real(x)?, (direction, BITS), budget)?.enclosure(BITS))
        };
        let near = Near { side: direction, centre: start };
        if start < NEAR_ZERO && once(0.0)?.upper() <= target.lower() {
            return Ok(Enclosure::zero(BITS));
        }
        let height = |x: f64| Ok::<f64, Error>((&once(x)? / &target).ln().upper().to_f64());
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
            if (y - x).abs() < f64::exp2(-30.0) * y {
                break;
            }
        }
        let mut margin = f64::exp2(-28.0) * y;
        let mut high = None;
        for _ in 0..TRIES {
            let there = y + margin;
            if once(there)?.upper() <= target.lower() {
                high = Some(there);
                break;
            }
            margin *= 4.0;
        }
        let high =
            high.ok_or_else(|| Error::undecided("no epsilon was found where the noise leaves enough privacy"))?;
        let (_, excess) = self.profile(&real(high)?, near, budget)?;
        let raised = (&excess / &target).upper().to_f64();
        let mut shift = margin + 1.0625 * raised / slope.abs();
        let mut low = 0.0;
        for _ in 0..TRIES {
            let there = y - shift;
            if !(there > 0.0) {
                break;
            }
            if self.bracket(&real(there)?, near, budget)?.lower() > target.upper() {
                low = there;
                break;
            }
            shift *= 2.0;
        }
        Ok(Enclosure::double(low, BITS.max(53)).hull(&Enclosure::double(high, BITS.max(53))))
    }

    /// The highest of the supports at alpha, near about where it is.
    fn beta(&self, alpha: &Real, peak: f64, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        let near = Near { side: direction, centre: peak };
        let profile = |epsilon: &Real| self.bracket(epsilon, near, budget);
        let supports = Supports { alpha, bits: BITS, profile: &profile };
        let spacing = SPACING * f64::from(-self.fineness).exp2();
        supports::highest(&supports, &Float::with_val(BITS, peak), spacing, 2 * TRIES, budget)
    }
}

impl Curve for Smoothed {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let near = Near { side: direction, centre: epsilon.to_f64() };
        self.refined(bits, |level| level.bracket(epsilon, near, budget)).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        // Mass at infinity is the same with noise; a little tells where to look.
        let noisy = self.with_noise(self.level(FIRST).fineness)?;
        let Value::Finite(start) = noisy.epsilon(delta, direction, BITS, budget)? else { return Ok(Value::Infinite) };
        let start = start.enclosure(BITS).upper().to_f64();
        let found = self.refined(bits, |level| level.epsilon(delta, start, direction, budget))?;
        Ok(Value::Finite(Number::Enclosed(found)))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let peak = self.peak(alpha, direction, budget)?;
        self.refined(bits, |level| level.beta(alpha, peak, direction, budget)).map(Number::Enclosed)
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        "contours of the composition with a little Gaussian noise, from both sides"
    }

    fn statement(&self) -> &'static Statement {
        &statement::SMOOTHING
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("deviation of the loss, about", self.deviation)]
    }
}

#[cfg(test)]
mod tests;
