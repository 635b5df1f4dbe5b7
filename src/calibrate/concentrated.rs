//! A parameter with which the loss goes both ways, but below a bound that goes one way; see
//! `proofs/paper/calibration.md`.
//!
//! The delta of discrete Gaussian noise at an epsilon is no monotone function of `sigma2`. Its Renyi divergences are at
//! most `a rho` at every order a, `rho = sensitivity^2/(2 sigma2)` (Canonne, Kamath and Steinke 2020, Proposition 5),
//! and that falls. So there is a value from which on all are safe, and a value below it that fails encloses the least
//! value with that property from the other side.

use std::cmp::Ordering;

use rug::Rational;

use super::oracle::FEW;
use super::question::{Calibration, Target};
use super::scale::{GREATEST, power_of_two};
use super::search::Search;
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::theorem::guarantee::Guarantee;
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, Enclosure, Real};

/// Precision of the bound.
const BITS: u32 = 128;

/// Orders that are tried: `1 + 2^(k/4)`.
const ORDERS: std::ops::Range<i32> = -16..80;

/// Lines below a trade-off function that are tried.
const LINES: u32 = 12;

/// The mechanism with the `?`, how often it is run, and everything else; `None` where it is inside of another one or
/// nothing is known of its divergences.
fn parts(question: &Calibration, at: &Rational) -> Result<Option<(Rational, u64, Composition)>, Error> {
    let Some(rest) = question.template.without()? else { return Ok(None) };
    let all = question.template.with(Real::from(at.clone()))?;
    let count = |composition: &Composition, mechanism: &Mechanism| {
        composition.factors().iter().find(|(other, _)| other == mechanism).map_or(0, |(_, times)| *times)
    };
    let open = all.factors().iter().find(|(mechanism, times)| *times > count(&rest, mechanism));
    let Some((mechanism, times)) = open else { return Ok(None) };
    Ok(mechanism.concentration().map(|rho| (rho, times - count(&rest, mechanism), rest)))
}

/// The least value that is proven to be safe together with all above it: a double.
///
/// What is promised of type II errors at alpha follows from a profile: at every epsilon, beta is at least `1 - delta -
/// e^epsilon alpha`.
pub(super) fn all_above(question: &Calibration, budget: &Budget) -> Result<Option<Rational>, Error> {
    let Some(inside) = question.template.place().inside() else { return Ok(None) };
    let Some((_, times, rest)) = parts(question, &inside)? else { return Ok(None) };
    let promises = match &question.target {
        Target::Profile { epsilon, delta } => vec![(epsilon.clone(), delta.enclosure(BITS))],
        Target::Tradeoff { alpha, beta } => {
            let (alpha, beta) = (alpha.enclosure(BITS), beta.enclosure(BITS));
            let errs = &Enclosure::one(BITS) - &beta;
            let most = (&errs / &alpha).lower().to_f64();
            // Below 0 the bounds say nothing: also from 0 on, if the most is hardly above 1.
            let parts = (0..=LINES).map(|part| f64::from(part) / f64::from(LINES + 1));
            let slopes = parts.flat_map(|part| [most * part, 1.0 + (most - 1.0).max(0.0) * part]);
            let lines = slopes.filter_map(|slope| {
                let epsilon = Real::from(Rational::from_f64(slope.ln())?);
                let delta = &errs - &(&epsilon.exp_number(BITS).enclosure(BITS) * &alpha);
                Some((epsilon, delta))
            });
            lines.collect()
        }
    };
    let mut most: Option<Rational> = None;
    for (epsilon, delta) in &promises {
        if let Some(rho) = greatest_rho(question, epsilon, delta, &rest, budget)?
            && most.as_ref().is_none_or(|most| rho > *most)
        {
            most = Some(rho);
        }
    }
    let Some(most) = most else { return Ok(None) };
    // rho falls with the value: bisection on the bits of positive doubles, which are in their order.
    let keeps = |bits: u64| -> Result<bool, Error> {
        budget.check()?;
        let Some(at) = Rational::from_f64(f64::from_bits(bits)) else { return Ok(false) };
        Ok(parts(question, &at)?.is_some_and(|(rho, _, _)| rho * times <= most))
    };
    let (mut fails, mut safe) = (f64::MIN_POSITIVE.to_bits(), f64::MAX.to_bits());
    if !keeps(safe)? || keeps(fails)? {
        return Ok(None);
    }
    while safe - fails > 1 {
        let middle = fails + (safe - fails) / 2;
        if keeps(middle)? { safe = middle } else { fails = middle }
    }
    Ok(Rational::from_f64(f64::from_bits(safe)))
}

/// A `rho`, as great as one is found, such that delta is kept by whatever has the divergences of the rest and, beside
/// them, at most `a rho` at each order a.
///
/// At order `a = 1 + t`, a Renyi divergence of D bounds the profile by `e^(t (D - epsilon)) (1 - 1/a)^a / t` (Canonne,
/// Kamath and Steinke 2020, Proposition 12), so D may be `epsilon + (ln(delta t) + a ln(a/t))/t`. Any order will do.
fn greatest_rho(
    question: &Calibration,
    epsilon: &Real,
    level: &Enclosure,
    rest: &Composition,
    budget: &Budget,
) -> Result<Option<Rational>, Error> {
    if level.sign() != Some(Ordering::Greater) {
        return Ok(None);
    }
    let guarantee = if rest.has_guarantee() { Guarantee::of(rest)? } else { None };
    let mut best: Option<Rational> = None;
    // The lines below a trade-off function are those of the other direction.
    let both = matches!(question.target, Target::Tradeoff { .. });
    let sides: &[Direction] = match question.direction {
        _ if both => &[Direction::Forward, Direction::Backward],
        Direction::Worst => &[Direction::Forward, Direction::Backward],
        Direction::Forward => &[Direction::Forward],
        Direction::Backward => &[Direction::Backward],
    };
    for k in ORDERS {
        budget.check()?;
        let Some(less) = Rational::from_f64((f64::from(k) / 4.0).exp2()) else { continue };
        let order = Rational::from(&less + 1u32);
        let at = Real::from(order.clone());
        let known = match &guarantee {
            Some(guarantee) => {
                let one = |side: &Direction| guarantee.divergence(Some(&at), *side, BITS, budget);
                sides.iter().map(one).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let divergence = composed(Kind::Renyi(at), rest)?;
                sides.iter().map(|side| divergence.value(*side, BITS, budget)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let known = known.into_iter().reduce(|one, other| one.max(&other));
        let Some(Value::Finite(known)) = known else { continue };
        let (t, a) = (Enclosure::rational(&less, BITS), Enclosure::rational(&order, BITS));
        let log = &(level * &t).ln() + &(&a * &(&a / &t).ln());
        let room = &(&epsilon.enclosure(BITS) + &(&log / &t)) - &known.enclosure(BITS);
        let Some((rho, _)) = rational_bounds(&(&room / &a)) else { continue };
        if rho > 0 && best.as_ref().is_none_or(|best| rho > *best) {
            best = Some(rho);
        }
    }
    Ok(best)
}

/// Look, below a value from which on all are safe, for one that fails. False where none is found.
pub(super) fn fails_below(search: &mut Search, safe: &Rational, budget: &Budget) -> Result<bool, Error> {
    let least = power_of_two(-GREATEST);
    let mut at = safe.clone();
    while at > least && search.fails.is_none() {
        budget.check()?;
        at /= 2u32;
        if search.look(&at, FEW)?.is_some() {
            break;
        }
    }
    Ok(search.fails.is_some())
}
