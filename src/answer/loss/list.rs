//! The loss distribution of a pair whose outcomes are listed with exact losses and masses.

use std::cmp::Ordering;

use super::{PROBABILITY, Tail, Value};
use crate::alarm;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{List, Listed};
use crate::query::Under;
use enclosure::{Budget, Number, Real, refine};

/// How the masses are computed.
pub(super) const METHOD: &str = "sum of the listed outcomes";

/// Bits of a cumulated mass before exact constants are compared.
const BITS: u32 = 192;

/// The value, as a sum of masses, which is exact where they are rational; `None` where the order of a loss and the
/// threshold is not decided.
pub(super) fn probability(list: &List, value: &Value, digits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
    // The opposite tail of the opposite order is the complement, outcome by outcome: no difference is formed.
    let Value { tail, under, complement } = if value.complement { value.other_way() } else { value.clone() };
    debug_assert!(!complement);
    let Some(masses) = masses(list, &tail, under) else { return Ok(None) };
    let sum = refine(digits, budget, |bits| {
        budget.check()?;
        let all = masses.iter().map(|mass| mass.number(bits.saturating_add(16)));
        Ok(all.fold(Number::zero(), |sum, mass| &sum + &mass))
    })?;
    match sum {
        Number::Enclosed(set) => Ok(Some(Number::Enclosed(alarm::probability(&set, PROBABILITY)?))),
        exact @ Number::Exact(_) => Ok(Some(exact)),
    }
}

/// The masses of the outcomes in a tail.
fn masses<'a>(list: &'a List, tail: &Tail, under: Under) -> Option<Vec<&'a Real>> {
    let backward = tail.side == Direction::Backward;
    let forward = if backward { under.reversed() } else { under };
    let at = if backward { tail.at.neg() } else { tail.at.clone() };
    let (only, other) = if backward { (Under::Q, &list.infinite_q) } else { (Under::P, &list.infinite_p) };
    let mut all = Vec::new();
    if forward == only {
        all.push(other);
    }
    for outcome in &list.outcomes {
        let order = outcome.loss.compare(&at)?;
        let order = if backward { order.reverse() } else { order };
        if order == Ordering::Greater || order == Ordering::Equal && !tail.strict {
            all.push(mass(outcome, forward));
        }
    }
    Some(all)
}

fn mass(outcome: &Listed, under: Under) -> &Real {
    match under {
        Under::P => &outcome.p,
        Under::Q => &outcome.q,
    }
}

/// The smallest t with `P[L <= t] >= u` in one order.
pub(super) enum Quantile {
    /// It is this loss.
    At(Real),
    /// Outcomes of loss plus infinity have more mass than `1 - u`.
    Infinite,
    /// Outcomes of loss minus infinity have at least the mass u.
    MinusInfinity,
    /// A cumulated mass is not told from u.
    Open,
}

/// The quantile of a list at u.
pub(super) fn quantile(list: &List, side: Direction, u: &Real, under: Under) -> Quantile {
    let backward = side == Direction::Backward;
    let forward = if backward { under.reversed() } else { under };
    // The mass at loss minus infinity is under the second distribution of the order.
    let below = if backward { (Under::P, &list.infinite_p) } else { (Under::Q, &list.infinite_q) };
    let mut passed: Vec<&Real> = if forward == below.0 { vec![below.1] } else { Vec::new() };
    match reached(&passed, u) {
        Some(true) => return Quantile::MinusInfinity,
        Some(false) => {}
        None => return Quantile::Open,
    }
    // The largest loss comes first in a list.
    let ascending: Box<dyn Iterator<Item = &Listed>> =
        if backward { Box::new(list.outcomes.iter()) } else { Box::new(list.outcomes.iter().rev()) };
    for outcome in ascending {
        passed.push(mass(outcome, forward));
        match reached(&passed, u) {
            Some(true) => return Quantile::At(if backward { outcome.loss.neg() } else { outcome.loss.clone() }),
            Some(false) => {}
            None => return Quantile::Open,
        }
    }
    Quantile::Infinite
}

/// Is the sum of these masses at least u?
fn reached(masses: &[&Real], u: &Real) -> Option<bool> {
    let sum = masses.iter().map(|mass| mass.number(BITS)).fold(Number::zero(), |sum, mass| &sum + &mass);
    let order = sum.compare(&u.number(BITS)).or_else(|| Real::sum(masses.iter().copied()).compare(u))?;
    Some(order != Ordering::Less)
}
