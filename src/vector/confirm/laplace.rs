//! Laplace compositions, by convolving their piecewise densities step by step.

use malachite::Rational as Second;
use rug::Rational;

use super::gaussian::nothing_leaks;
use super::{Claim, Inner, leaking, numbers, require};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::laplace::{Loss, profile};
use enclosure::Real;

/// Working precision: the stored one and some more.
const BITS: u64 = 220;

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let inner = Inner::of(&query.mechanism)?;
    let mut parts = leaking(&query.mechanism);
    let (Some((Mechanism::Laplace(m), times)), None) = (parts.next(), parts.next()) else {
        return Err(Error::input("no second route takes different Laplace mechanisms"));
    };
    let shift = m.sensitivity().div(m.scale())?;
    if shift.is_zero() {
        return nothing_leaks(query, claim, &inner);
    }
    let times = u32::try_from(times).map_err(|_| Error::input("too many compositions for the second route"))?;
    match &query.quantity {
        Quantity::Delta { epsilon } => claim.agrees_with(&inner.delta(delta(&shift, times, epsilon)?)),
        Quantity::Epsilon { delta } => {
            let target = inner.target(numbers::rational(delta, "delta")?);
            let loss = Loss::new(&numbers::second(numbers::rational(&shift, "shift")?)?, times)?;
            match (claim, target) {
                // The loss is bounded: only a target below the failure probability needs infinity.
                (Claim::Infinite, target) => require(target.is_none(), "an infinite epsilon"),
                (Claim::Within(lower, upper), Some(target)) => {
                    let ends = (numbers::second(lower)?, numbers::second(upper)?);
                    let target = numbers::second(&target)?;
                    // Least is 0, whatever the profile is there; and a target of 0 is met at the largest loss first.
                    let right = if lower.is_zero() || target == 0u32 {
                        loss.profile(&ends.1, BITS).1 <= target
                            && (lower.is_zero() || loss.profile(&nudged(&ends.0)?, BITS).0 > target)
                    } else {
                        loss.confirms_epsilon(&target, &ends.0, &ends.1, BITS) == Some(true)
                    };
                    require(right, "the delta at both ends")
                }
                (Claim::Within(..), None) => require(false, "a finite epsilon below the failure probability"),
            }
        }
        Quantity::Beta { alpha } => {
            let alpha = inner.alpha(numbers::rational(alpha, "alpha")?);
            let whole = match alpha {
                alpha if alpha >= 1 => (Rational::new(), Rational::new()),
                alpha if alpha.is_zero() => (Rational::from(1), Rational::from(1)),
                alpha => beta(&shift, times, &alpha)?,
            };
            claim.agrees_with(&inner.beta(whole))
        }
        _ => Err(Error::input("not a curve")),
    }
}

/// A little less: below the largest loss the profile is positive.
fn nudged(value: &Second) -> Result<Second, Error> {
    Ok(value - numbers::second(&Rational::from((1, rug::Integer::from(1) << 100u32)))?)
}

/// Parameters that are not rational are given by bounds, so fine that the answer's own size does not matter.
fn delta(shift: &Real, times: u32, epsilon: &Real) -> Result<(Rational, Rational), Error> {
    let bits = BITS + 1200;
    let bounds = profile(&numbers::bounds(shift, bits)?, times, &numbers::bounds(epsilon, bits)?, BITS)?;
    numbers::first_both(&bounds)
}

/// The trade-off function falls as the shift grows.
fn beta(shift: &Real, times: u32, alpha: &Rational) -> Result<(Rational, Rational), Error> {
    let (low, high) = numbers::bounds(shift, BITS + 200)?;
    let alpha = numbers::second(alpha)?;
    let lower = Loss::new(&high, times)?.trade_off(&alpha, BITS).0;
    let upper = Loss::new(&low, times)?.trade_off(&alpha, BITS).1;
    numbers::first_both(&(lower, upper))
}
