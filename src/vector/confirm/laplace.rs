//! Laplace noise of one scale or several, by convolving the piecewise densities step by step.

use malachite::Rational as Second;
use rug::Rational;

use super::gaussian::nothing_leaks;
use super::{Claim, Inner, leaking, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::elementary::Bounds;
use crate::route::laplace::{Loss, kept, profile, trade_off};
use enclosure::Real;

/// Working precision: the stored one and some more.
const BITS: u64 = 220;

/// Laplace noise alone, and few enough: their `c = sensitivity/scale`, and how often each.
fn shifts(composition: &Composition) -> Result<Vec<(Real, u32)>, Error> {
    let mut shifts = Vec::new();
    for (mechanism, times) in leaking(composition) {
        let Mechanism::Laplace(m) = mechanism else { return Err(Error::input("not Laplace noise alone")) };
        let times = u32::try_from(times).map_err(|_| Error::input("too many compositions for the second route"))?;
        shifts.push((m.sensitivity().div(m.scale())?, times));
    }
    shifts.retain(|(shift, _)| !shift.is_zero());
    Ok(shifts)
}

/// The same in fractions.
pub(super) fn rational_shifts(composition: &Composition) -> Result<Vec<(Second, u32)>, Error> {
    let exact = |(shift, times): &(Real, u32)| Ok((numbers::second(numbers::rational(shift, "shift")?)?, *times));
    shifts(composition)?.iter().map(exact).collect()
}

/// Can the route compose it?
pub fn takes(composition: &Composition) -> bool {
    shifts(composition).is_ok_and(|shifts| {
        let times: Vec<u32> = shifts.iter().map(|(_, times)| *times).collect();
        shifts.is_empty() || Loss::fits(&times)
    })
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let inner = Inner::of(&query.mechanism)?;
    let shifts = shifts(&query.mechanism)?;
    if shifts.is_empty() {
        return nothing_leaks(query, claim, &inner);
    }
    match &query.quantity {
        Quantity::Delta { epsilon } => claim.agrees_with(&inner.delta(delta(&shifts, epsilon)?)),
        Quantity::Epsilon { delta } => {
            let target = inner.target(numbers::rational(delta, "delta")?);
            let exact = |(shift, times): &(Real, u32)| {
                Ok::<_, Error>((numbers::second(numbers::rational(shift, "shift")?)?, *times))
            };
            let loss = kept(shifts.iter().map(exact).collect::<Result<_, _>>()?)?;
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
                alpha => beta(&shifts, &alpha)?,
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
fn delta(shifts: &[(Real, u32)], epsilon: &Real) -> Result<(Rational, Rational), Error> {
    let bits = BITS + 1200;
    numbers::first_both(&profile(&bounds(shifts, bits)?, &numbers::bounds(epsilon, bits)?, BITS)?)
}

fn beta(shifts: &[(Real, u32)], alpha: &Rational) -> Result<(Rational, Rational), Error> {
    numbers::first_both(&trade_off(&bounds(shifts, BITS + 200)?, &numbers::second(alpha)?, BITS)?)
}

fn bounds(shifts: &[(Real, u32)], bits: u64) -> Result<Vec<(Bounds, u32)>, Error> {
    shifts.iter().map(|(shift, times)| Ok((numbers::bounds(shift, bits)?, *times))).collect()
}
