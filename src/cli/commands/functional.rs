//! `functional`: numbers that a trade-off function has.

use serde::Serialize;

use super::super::args::Question;
use super::super::args::limits::{Functional, Kind, typed};
use super::super::failure::Failure;
use super::super::points::{Scale, pieces};
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::{Answer, Bound, Outcome, answer};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::{Fraction, Interval};
use crate::print::{Numbers, Status, Table, bound_text, ends, number_text, shortfall};
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

/// One functional at one order.
#[derive(Clone, Debug)]
enum Order {
    /// It has none.
    None,
    /// A whole number, of a cumulant.
    Whole(u32),
    /// Of a Renyi divergence.
    Number(Real),
    /// The limit of Renyi divergences.
    Infinite,
}

impl Order {
    /// The orders that were typed.
    fn typed(kind: Kind, text: Option<&str>) -> Result<Vec<Order>, Failure> {
        if text.is_some() != matches!(kind, Kind::Cumulant | Kind::Renyi) {
            return Err(Failure::input("--order is of cumulants and Renyi divergences, and they have one"));
        }
        let Some(text) = text else { return Ok(vec![Order::None]) };
        let mut all = Vec::new();
        for piece in pieces(text) {
            if kind == Kind::Renyi && piece.trim() == "inf" {
                all.push(Order::Infinite);
                continue;
            }
            for order in points("order", piece, Scale::Linear)? {
                all.push(if kind == Kind::Cumulant { Order::whole(&order)? } else { Order::Number(order) });
            }
        }
        Ok(all)
    }

    fn whole(order: &Real) -> Result<Order, Failure> {
        let one_to = functional::HIGHEST;
        let whole = order.as_rational().filter(|order| order.is_integer()).and_then(|order| order.numer().to_u32());
        let whole = whole.filter(|order| (1..=one_to).contains(order));
        whole
            .map(Order::Whole)
            .ok_or_else(|| Failure::input(format!("--order: an integer from 1 to {one_to} is expected")))
    }

    fn shown(&self) -> Option<String> {
        match self {
            Order::None => None,
            Order::Whole(order) => Some(order.to_string()),
            Order::Number(order) => Some(order.to_string()),
            Order::Infinite => Some("inf".to_string()),
        }
    }
}

/// `dpcert functional`.
pub fn run(asked: &Functional) -> Result<Status, Failure> {
    let Functional { kind, question, order } = asked;
    let orders = Order::typed(*kind, order.as_deref())?;
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits();
    let direction = question.direction.into();
    // What keeps pure-dp is its worst pair with something done to it, which raises no divergence; of zCDP and Renyi
    // divergences it is those that are bounded.
    let bound = composition.has_guarantee().then_some(Bound::Upper);
    if bound.is_some() && !kind.is_divergence() {
        return Err(Failure::from(Error::Undefined(format!(
            "{composition} has a guarantee in it, and the largest {} of what keeps that is not known here",
            typed(*kind)
        ))));
    }
    let mut table = (orders.len() > 1)
        .then(|| Table::new(format!("{} of {composition}", typed(*kind)), &["order", "lower", "upper"]));
    let mut worst = Status::Fine;
    for order in orders {
        let outcome = outcome(*kind, &order, question, &composition)?;
        worst = worst.and(Status::from(&outcome));
        let (word, numbers) = match &outcome {
            Outcome::Exact(value) => ("exact", Numbers::of(&value.into(), digits)),
            Outcome::Infinite => ("infinite", Numbers::default()),
            other => match other.number() {
                Some(number) => ("enclosure", Numbers::of(&number, digits)),
                None => ("undecided", Numbers::default()),
            },
        };
        let order = order.shown();
        if question.json {
            let mechanism = composition.to_string();
            say_json(&Line { functional: typed(*kind), order, mechanism, direction, bound, kind: word, numbers })?;
        } else if let Some(table) = &mut table {
            let order = order.unwrap_or_default();
            if let Some(why) = shortfall(&outcome, digits, question.exact) {
                table.remark(format!("at order = {order}: {why}"));
            }
            let [lower, upper] = ends(&outcome, digits);
            table.row([order, lower, upper]);
        } else {
            let shown = match &outcome {
                Outcome::Infinite => "is infinite".to_string(),
                other => other.number().map_or_else(
                    || "is undecided within the budget".to_string(),
                    |number| number_text(&number, digits, question.exact),
                ),
            };
            let order = order.map_or_else(String::new, |order| format!(" of order {order}"));
            say(&format!("{}{order} of {composition}\n  {shown}", typed(*kind)))?;
            if let Some(bound) = bound {
                say(&format!("  {}", bound_text(bound)))?;
            }
        }
    }
    if let Some(mut table) = table.filter(|_| !question.json) {
        if let Some(bound) = bound {
            table.source(bound_text(bound).to_string());
        }
        say(&table.text())?;
    }
    Ok(worst)
}

/// The number at one order.
fn outcome(kind: Kind, order: &Order, question: &Question, composition: &Composition) -> Result<Outcome, Failure> {
    let (digits, direction) = (question.digits(), question.direction.into());
    let limits = budget(question.limits);
    let whole = if let Order::Whole(order) = order { *order } else { 1 };
    if let Some(functional) = kind.of_loss(whole) {
        let query = Query::new(Quantity::Kl, composition.clone()).with_digits(digits).checked()?;
        let (own, mechanism) = (limits.clone(), query.mechanism.clone());
        return Ok(supervise::within(&limits, move || {
            let mut infinite = false;
            let number = refine(digits, &own, |bits| match functional.of(&mechanism, direction, bits, &own)? {
                Value::Finite(number) => Ok(number),
                Value::Infinite => {
                    infinite = true;
                    Ok(Number::zero())
                }
            })?;
            Ok::<_, Error>(match number {
                _ if infinite => Outcome::Infinite,
                Number::Exact(value) => Outcome::Exact(Fraction::new(value)),
                Number::Enclosed(set) => Outcome::Enclosure(Interval::from(set)),
            })
        })?);
    }
    let quantity = match (kind, order) {
        (Kind::Tv, _) => Quantity::Tv,
        (Kind::Chi2, _) => Quantity::Chi2,
        (Kind::Max, _) | (Kind::Renyi, Order::Infinite) => Quantity::Max,
        // The limit at 1 is the mean.
        (Kind::Renyi, Order::Number(order)) if *order != Real::one() => Quantity::Renyi { order: order.clone() },
        _ => Quantity::Kl,
    };
    let query = Query::new(quantity, composition.clone()).with_direction(direction).with_digits(digits);
    let Answer { outcome, .. } = answer(&query, &limits)?;
    Ok(outcome)
}
