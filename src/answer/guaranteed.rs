//! Answers for compositions that contain guarantees: from one guarantee of the whole composition, or from the parts of
//! a mixture.

use super::evaluate::{Attempt, Found};
use super::planner::{FAR, USUAL};
use super::proven::Proven;
use super::weighted::{self, Weighted};
use super::{Answer, Outcome, fits, general, guarantee};
use crate::alarm::declined;
use crate::compose::{Engines, Method};
use crate::curve::Curve;
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::theorem::guarantee::Guarantee;
use enclosure::{Budget, Reason};

/// The form of the bounds for a composition that contains guarantees.
enum Promise {
    /// One guarantee of all of it.
    Whole(Guarantee),
    /// A mixture, by its parts.
    Weighted(Weighted),
}

/// The answer for a composition that contains guarantees; `None` for one of mechanisms alone.
pub(super) fn answered(
    engines: &Engines,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Option<Answer>, Error> {
    let weighted = if query.quantity.of_curve() { weighted::weighted(engines.mechanism()) } else { Ok(None) };
    let promise = weighted.and_then(|weighted| match weighted {
        Some(curve) => Ok(Some(Promise::Weighted(curve))),
        None => Ok(Guarantee::of(engines.mechanism())?.map(Promise::Whole)),
    });
    let answer = match promise {
        Ok(None) => return Ok(None),
        Ok(Some(_)) | Err(Error::Undefined(_)) if query.quantity == Quantity::GaussianFit => {
            fits::enough(query, budget, proven).and_then(|found| found.answer(query))
        }
        Ok(Some(promise)) => promised(engines, &promise, query, budget, proven),
        Err(error) => Err(error),
    };
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Undefined(reason)) => Ok(Some(Answer::from(Outcome::Undefined(reason)))),
        Err(Error::Undecided(reason)) => proven.answer(query, reason).map(Some),
        Err(other) => Err(other),
    }
}

/// Of parts of which no bound of all orders is known there is none of the whole.
fn no_whole(error: Error) -> Result<Option<Guarantee>, Error> {
    match error {
        Error::Undefined(_) => Ok(None),
        other => Err(other),
    }
}

/// The answer about a guarantee; if that is none, what is true of all bounds.
fn promised(
    engines: &Engines,
    found: &Promise,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Answer, Error> {
    if query.method != Method::Auto {
        return Err(Error::input("a guarantee supports only the default method; omit the method"));
    }
    let mut reason: Option<Reason> = None;
    let whole = match found {
        Promise::Whole(_) => None,
        // The bound of the worst part holds as well, where the parts together are not bounded.
        Promise::Weighted(_) => declined(Guarantee::of(engines.mechanism()).or_else(no_whole))?.flatten(),
    };
    let fewer = (query.enough < query.digits).then_some((query.enough, (1, 1)));
    let all = (query.digits, if fewer.is_some() { (1, 2) } else { (1, 1) });
    // Beside many digits a few cost nothing, and are there if those are not.
    let first = (query.enough > FAR).then_some((USUAL, (1, 4)));
    for (digits, part) in first.into_iter().chain([all]).chain(fewer) {
        let share = budget.share(if whole.is_some() { (1, 2) } else { part }, None);
        let answered = match found {
            Promise::Whole(guarantee) => guarantee::answered(guarantee, query, digits, &share),
            Promise::Weighted(curve) => {
                let attempt = Attempt { engines, query, digits, proven };
                let value = attempt.curve(curve, &share);
                value.map(|value| Found::new(value, (curve.method(), curve.statement())))
            }
        };
        match answered {
            Ok(found) if digits < query.enough && !found.is_exact() => {
                proven.record(&query.quantity, query.direction, &found.value, found.by)?;
            }
            Ok(found) => return found.answer(query),
            Err(Error::Undefined(reason)) => return Ok(Answer::from(Outcome::Undefined(reason))),
            Err(Error::Undecided(why)) => _ = reason.get_or_insert(why),
            Err(other) => return Err(other),
        }
    }
    if let Some(guarantee) = &whole {
        match guarantee::answered(guarantee, query, query.enough, budget) {
            Ok(found) => return found.answer(query),
            Err(Error::Undecided(_) | Error::Undefined(_)) => {}
            Err(other) => return Err(other),
        }
    }
    general::certain(query, proven)?;
    let guarantee = if let Promise::Whole(guarantee) = found { Some(guarantee) } else { whole.as_ref() };
    if let Some(guarantee) = guarantee {
        guarantee::record(guarantee, query, budget, proven)?;
    }
    proven.answer(query, reason.unwrap_or_else(|| "no method was tried".into()))
}
