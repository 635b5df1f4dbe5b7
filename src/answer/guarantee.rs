//! Answers about a guarantee: the best bound that follows from it, for there is no pair whose curve could be asked.

use super::evaluate::Found;
use super::proven::{By, Proven};
use super::sides::refine_value;
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::guarantee::Guarantee;
use enclosure::{Budget, Enclosure, Number, Real};

/// Precision of bounds.
const BITS: u32 = 64;

const ALL_ORDERS: By = ("Renyi divergences of all orders, converted at the best", &statement::BEST_ORDER);
const ONE_ORDER: By = ("the worst of two outcomes", &statement::TWO_OUTCOMES);
const CONVERTED: By = ("Renyi divergences, converted", &statement::RENYI_CONVERSION);
const SUMS: By = ("bounds of Renyi divergences, added", &statement::RENYI);

/// Record what closed forms say of a bound that was not found in time: it is at most what they promise.
pub(super) fn record(guarantee: &Guarantee, query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    let Quantity::Epsilon { delta } = &query.quantity else { return Ok(()) };
    if let Some(upper) = declined(guarantee.converted(delta, BITS, budget))?.flatten() {
        let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
        proven.record(&query.quantity, Direction::Worst, &bounds, CONVERTED)?;
    }
    Ok(())
}

/// The bound, refined.
pub(super) fn answered(guarantee: &Guarantee, query: &Query, digits: u32, budget: &Budget) -> Result<Found, Error> {
    let side = query.direction;
    let two = Real::from(2);
    let value = refine_value(digits, budget, |bits| {
        let number = |number: Number| Ok(Value::Finite(number));
        match &query.quantity {
            Quantity::Delta { epsilon } => number(guarantee.delta(epsilon, side, bits, budget)?),
            Quantity::Tv => number(guarantee.delta(&Real::zero(), side, bits, budget)?),
            Quantity::Epsilon { delta } => guarantee.epsilon(delta, side, bits, budget),
            Quantity::Beta { alpha } => number(guarantee.beta(alpha, bits, budget)?),
            Quantity::Renyi { order } => guarantee.divergence(Some(order), side, bits, budget),
            Quantity::Kl => guarantee.divergence(None, side, bits, budget),
            // `1 + chi^2` is the exponential of the divergence of order 2.
            Quantity::Chi2 => Ok(match guarantee.divergence(Some(&two), side, bits, budget)? {
                Value::Finite(renyi) => Value::Finite(Number::Enclosed(renyi.enclosure(bits).expm1())),
                Value::Infinite => Value::Infinite,
            }),
            // Losses of any size may be there.
            Quantity::Max => Ok(Value::Infinite),
        }
    })?;
    let of_curve = query.quantity.of_curve();
    // The type II error of a guarantee at all orders is that of one good one.
    let outcomes = !guarantee.all_orders() || matches!(query.quantity, Quantity::Beta { .. });
    let by = if !of_curve {
        SUMS
    } else if outcomes {
        ONE_ORDER
    } else {
        ALL_ORDERS
    };
    Ok(Found { value, by, notes: Vec::new() })
}
