//! Answers about a guarantee: a bound that follows from it, for there is no pair whose curve could be asked. The
//! theorem says of which guarantees it is the best one.

use super::evaluate::Found;
use super::proven::{By, Proven};
use super::sides::refine_value;
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::guarantee::{Guarantee, Known};
use enclosure::{Budget, Enclosure, Number, Real, Work};

/// Precision of bounds.
const BITS: u32 = 64;

/// Divergences in closed form take much less work than this.
const MOMENT: Work = Work::milliseconds(200);

const ALL_ORDERS: By = ("the worst of two outcomes that keep the bounds of all orders", &statement::ALL_ORDERS);
const ONE_ORDER: By = ("the worst of two outcomes", &statement::TWO_OUTCOMES);
const GOOD_ORDER: By = ("the worst of two outcomes at a good order, or a conversion", &statement::GOOD_ORDER);
const CONVERTED: By = ("Renyi divergences, converted", &statement::RENYI_CONVERSION);
const SUMS: By = ("bounds of Renyi divergences, added", &statement::RENYI);

/// Record upper bounds from closed forms for a bound whose search reached its limit.
pub(super) fn record(guarantee: &Guarantee, query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    let (two, side) = (Real::from(2), query.direction);
    let divergence = |order| match declined(guarantee.divergence(order, side, BITS, budget))? {
        Some(Value::Finite(upper)) => Ok(Some(upper.enclosure(BITS))),
        _ => Ok::<_, Error>(None),
    };
    let upper = match &query.quantity {
        Quantity::Renyi { order } => divergence(Some(order))?,
        Quantity::Kl => divergence(None)?,
        Quantity::Chi2 => divergence(Some(&two))?.map(|renyi| renyi.expm1()),
        _ => None,
    };
    if let Some(upper) = upper {
        let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
        proven.record(&query.quantity, Direction::Worst, &bounds, SUMS)?;
    }
    let upper = match &query.quantity {
        Quantity::Epsilon { delta } => declined(guarantee.converted(delta, BITS, budget))?.flatten(),
        Quantity::Delta { epsilon } => {
            // The budget may be used up, and closed forms take very little.
            let moment = Budget::default().patient(MOMENT);
            declined(guarantee.converted_delta(epsilon, BITS, &moment))?.flatten()
        }
        _ => None,
    };
    if let Some(upper) = upper {
        let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
        proven.record(&query.quantity, Direction::Worst, &bounds, CONVERTED)?;
    }
    Ok(())
}

/// Record bounds from closed forms for compositions with a guarantee. Sampling reveals no more than the mechanism
/// inside: `f_p = p f + (1-p) Id >= f`, and by joint convexity no divergence of a Poisson sample is larger.
pub(super) fn closed(query: &Query, proven: &Proven) -> Result<(), Error> {
    if !query.mechanism.has_guarantee() {
        return Ok(());
    }
    // Together they may be more runs than are counted.
    let Ok(whole) = unsampled(&query.mechanism) else { return Ok(()) };
    let guarantee = Guarantee::of(&whole).or_else(|error| match error {
        Error::Undefined(_) => Ok(None),
        other => Err(other),
    });
    let Some(guarantee) = declined(guarantee)?.flatten() else { return Ok(()) };
    record(&guarantee, query, &Budget::default().patient(MOMENT), proven)
}

/// The composition with what is sampled in the place of samples.
fn unsampled(composition: &Composition) -> Result<Composition, Error> {
    let mut factors = Vec::new();
    for (mechanism, times) in composition.factors() {
        match mechanism {
            Mechanism::Poisson(sample) => factors.push((sample.inner().clone(), *times)),
            Mechanism::Subsample(sample) if sample.inner().single().is_some_and(|(_, runs)| runs == 1) => {
                factors.extend(sample.inner().single().map(|(inside, _)| (inside.clone(), *times)));
            }
            other => factors.push((other.clone(), *times)),
        }
    }
    Composition::new(factors)
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
            other => Err(Error::Undefined(format!(
                "{} contains a guarantee, which has no dominating pair, and dpcert derives no bound on the quantity \
                 {} from it",
                query.mechanism,
                other.name()
            ))),
        }
    })?;
    let by = match guarantee.known() {
        _ if !query.quantity.of_curve() => SUMS,
        Known::Line => ALL_ORDERS,
        Known::OneOrder => ONE_ORDER,
        Known::Sum => GOOD_ORDER,
    };
    Ok(Found::new(value, by))
}
