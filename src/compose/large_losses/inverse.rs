//! The smallest epsilon of a delta, from brackets of the profile.
//!
//! A search in doubles on wide brackets finds the place. Narrow brackets at two points prove both ends.

use rug::{Float, Rational};

use super::BITS;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// The relative width of brackets that show the way.
const ROUGH: f64 = 1e-3;
/// Tries at a point that is proven to lie on the other side.
const TRIES: u32 = 10;
/// Rounds of the search between both sides.
const ROUNDS: u32 = 60;
/// A height below this is that of a profile of (nearly) nothing, and its secant leads nowhere.
const BLIND: f64 = -100.0;
/// Below this an epsilon may be zero.
const NEAR_ZERO: f64 = 0.05;

/// A double as what it is; a search that left the numbers has found nothing.
fn real(x: f64) -> Result<Real, Error> {
    Rational::from_f64(x)
        .map(Real::from)
        .ok_or_else(|| Error::undecided("the search between brackets of the profile diverged"))
}

/// The least epsilon, at least 0, whose profile is at most delta: from above by a point at which the bracket is at most
/// the target, from below by one at which it is above, for profiles do not rise. Without such a point the lower end is
/// 0, and without the upper one there is no answer. The search begins at `start`, which is positive.
pub(super) fn epsilon(
    (delta, start): (&Real, f64),
    width: f64,
    budget: &Budget,
    profile: impl Fn(&Real, f64) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let target = delta.enclosure(BITS);
    let at = |x: f64, width: f64| -> Result<Enclosure, Error> {
        budget.check()?;
        profile(&real(x)?, width)
    };
    // About `ln(profile/delta)`, within a range that secants are good for.
    let height = |x: f64, width: f64| -> Result<f64, Error> {
        let ratio = &at(x, width)? / &target;
        let ln = |end: &Float| Float::with_val(64, end.ln_ref()).to_f64();
        let (low, high) = (ln(ratio.lower()), ln(ratio.upper()));
        let middle = if low.is_finite() { f64::midpoint(low, high) } else { high };
        Ok(middle.clamp(-1e4, 1e4))
    };
    let (mut high, mut at_high) = (start, height(start, ROUGH)?);
    let (mut low, mut at_low) = (high, at_high);
    let mut step = NEAR_ZERO * start;
    while at_high > 0.0 {
        (low, at_low) = (high, at_high);
        (high, step) = (high + step, 2.0 * step);
        at_high = height(high, ROUGH)?;
        if step > 1e9 {
            return Err(Error::undecided("found no epsilon at which the privacy profile is provably below delta"));
        }
    }
    while at_low <= 0.0 && low > 0.0 {
        (high, at_high) = (low, at_low);
        (low, step) = ((low - step).max(0.0), 2.0 * step);
        at_low = height(low, ROUGH)?;
    }
    if low == 0.0 && at_low <= 0.1 && *at(0.0, width)?.upper() <= *target.lower() {
        return Ok(Enclosure::zero(BITS));
    }
    // Secants between both, halved where one end would stay for long or shows no more than its side.
    let (mut y, mut slope) = (high, f64::NAN);
    for round in 0..ROUNDS {
        if !(high - low > 1e-5 * high) {
            break;
        }
        let secant = low + (high - low) * at_low / (at_low - at_high);
        let halved = round % 3 == 2 || at_high < BLIND || !(low < secant && secant < high);
        y = if halved { f64::midpoint(low, high) } else { secant };
        let here = height(y, ROUGH)?;
        slope = (at_high - at_low) / (high - low);
        if here > 0.0 {
            (low, at_low) = (y, here);
        } else {
            (high, at_high) = (y, here);
        }
        if here.abs() < 2.0 * ROUGH {
            break;
        }
    }
    // The slope from nearby to here, with narrow brackets; from below, for beyond the last loss there is none.
    let here = height(y, width)?;
    let step = (1e-3 * y.max(0.01)).min(0.5 * y);
    let nearby = (here - height(y - step, width)?) / step;
    let falls = |slope: &f64| *slope < 0.0 && slope.is_finite();
    let slope = [nearby, slope].into_iter().find(falls).unwrap_or(-1.0);
    // Rough brackets may have told the wrong side of what is as near as that.
    let near = 4.0 * ROUGH / -slope;
    let within = |y: f64| y.clamp((low - near).max(0.5 * low), high + near);
    y = within(y - here / slope);
    y = within(y - height(y, width)? / slope);
    // From there outward, and at last at the end of the search itself.
    let proven = |sign: f64, end: f64, good: &dyn Fn(&Enclosure) -> bool| -> Result<Option<f64>, Error> {
        let mut margin = (2.0 * width / -slope).max(f64::portable_exp2(-40.0) * y);
        for _ in 0..TRIES {
            let there = y + sign * margin;
            if !(there > 0.0) {
                break;
            }
            if good(&at(there, width)?) {
                return Ok(Some(there));
            }
            margin *= 8.0;
        }
        Ok(if end > 0.0 && good(&at(end, width)?) { Some(end) } else { None })
    };
    let upper = proven(1.0, high, &|set| set.upper() <= target.lower())?;
    let upper = upper
        .ok_or_else(|| Error::undecided("found no epsilon at which the privacy profile is provably below delta"))?;
    let lower = proven(-1.0, low, &|set| set.lower() > target.upper())?.unwrap_or(0.0);
    Ok(Enclosure::double(lower, BITS).hull(&Enclosure::double(upper, BITS)))
}
