//! `functional`: numbers that a trade-off function has.

use serde::Serialize;

use super::super::args::limits::{Functional, Kind, typed};
use super::super::failure::Failure;
use super::{budget, constant, mechanism, say, say_json};
use crate::answer::{Answer, Bound, Outcome, answer};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::number::{Fraction, Interval};
use crate::print::{Numbers, Status, bound_text, number_text};
use crate::query::{Quantity, Query};
use crate::supervise;
use crate::theorem::functional;
use enclosure::{Number, Real, refine};

/// The JSON object.
#[derive(Serialize)]
struct Line {
    functional: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    mechanism: String,
    direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

/// `dpcert functional`.
pub fn run(asked: &Functional) -> Result<Status, Failure> {
    let Functional { kind, question, order } = asked;
    let composition = mechanism(&question.mechanism)?;
    let digits = question.digits();
    let direction = question.direction.into();
    if order.is_some() != matches!(kind, Kind::Cumulant | Kind::Renyi) {
        return Err(Failure::input("--order is of cumulants and Renyi divergences, and they have one"));
    }
    let whole = match order.as_deref() {
        Some(text) if *kind == Kind::Cumulant => {
            let one_to = functional::HIGHEST;
            let parsed = text.parse().ok().filter(|order| (1..=one_to).contains(order));
            parsed.ok_or_else(|| Failure::input(format!("--order: an integer from 1 to {one_to} is expected")))?
        }
        _ => 1,
    };
    // What keeps pure-dp is its worst pair with something done to it, which raises no divergence; of zCDP and Renyi
    // divergences it is those that are bounded.
    let bound = composition.has_guarantee().then_some(Bound::Upper);
    if bound.is_some() && !kind.is_divergence() {
        return Err(Failure::from(Error::Undefined(format!(
            "{composition} has a guarantee in it, and the largest {} of what keeps that is not known here",
            typed(*kind)
        ))));
    }
    let limits = budget(question.limits);
    let outcome = match kind.of_loss(whole) {
        Some(functional) => {
            let query = Query::new(Quantity::Kl, composition.clone()).with_digits(digits).checked()?;
            let (own, mechanism) = (limits.clone(), query.mechanism.clone());
            supervise::within(&limits, move || {
                let mut infinite = false;
                let number = refine(digits, &own, |bits| match functional.of(&mechanism, direction, bits, &own)? {
                    Value::Finite(number) => Ok(number),
                    Value::Infinite => {
                        infinite = true;
                        Ok(Number::zero())
                    }
                })?;
                Ok(match number {
                    _ if infinite => Outcome::Infinite,
                    Number::Exact(value) => Outcome::Exact(Fraction::new(value)),
                    Number::Enclosed(set) => Outcome::Enclosure(Interval::from(set)),
                })
            })?
        }
        None => {
            let quantity = match kind {
                Kind::Tv => Quantity::Tv,
                Kind::Chi2 => Quantity::Chi2,
                Kind::Max => Quantity::Max,
                Kind::Renyi => match order.as_deref() {
                    Some("inf") => Quantity::Max,
                    text => {
                        let order = constant("order", text.unwrap_or_default())?;
                        // The limit at 1 is the mean.
                        if order == Real::one() { Quantity::Kl } else { Quantity::Renyi { order } }
                    }
                },
                _ => Quantity::Kl,
            };
            let query = Query::new(quantity, composition.clone()).with_direction(direction).with_digits(digits);
            let Answer { outcome, .. } = answer(&query, &limits)?;
            outcome
        }
    };
    let (word, numbers) = match &outcome {
        Outcome::Exact(value) => ("exact", Numbers::of(&value.into(), digits)),
        Outcome::Infinite => ("infinite", Numbers::default()),
        other => match other.number() {
            Some(number) => ("enclosure", Numbers::of(&number, digits)),
            None => ("undecided", Numbers::default()),
        },
    };
    if question.json {
        let mechanism = composition.to_string();
        say_json(&Line {
            functional: typed(*kind),
            order: order.clone(),
            mechanism,
            direction,
            bound,
            kind: word,
            numbers,
        })?;
    } else {
        let shown = match &outcome {
            Outcome::Infinite => "is infinite".to_string(),
            other => other.number().map_or_else(
                || "is undecided within the budget".to_string(),
                |number| number_text(&number, digits, question.exact),
            ),
        };
        let order = order.as_ref().map_or_else(String::new, |order| format!(" of order {order}"));
        say(&format!("{}{order} of {composition}\n  {shown}", typed(*kind)))?;
        if let Some(bound) = bound {
            say(&format!("  {}", bound_text(bound)))?;
        }
    }
    Ok(Status::from(&outcome))
}
