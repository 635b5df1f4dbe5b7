//! `functional`: numbers that a trade-off function has.

use super::super::args::limits::{Functional, Kind, typed};
use super::super::failure::Failure;
use super::super::interrupt::until;
use super::super::points::{Scale, pieces};
use super::super::talk;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::Session;
use crate::compose::Method;
use crate::print::{Shown, Status, Table, answer_line, answer_text, direction_text, ends, meaning_text, shortfall};
use crate::query::{Point, Quantity, QuantityName, Query};
use enclosure::Real;

/// One functional at one order.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// It has none.
    None,
    /// Of a cumulant or a Renyi divergence.
    Number(Real),
    /// The limit of Renyi divergences.
    Infinite,
}

impl Order {
    /// The orders that were typed.
    pub(super) fn typed(kind: Kind, text: Option<&str>) -> Result<Vec<Order>, Failure> {
        if text.is_some() != matches!(kind, Kind::Cumulant | Kind::Renyi) {
            return Err(Failure::input(
                "--order is required for cumulants and Renyi divergences, and applies to nothing else",
            ));
        }
        let Some(text) = text else { return Ok(vec![Order::None]) };
        let mut all = Vec::new();
        for piece in pieces(text) {
            if kind == Kind::Renyi && piece.trim() == "inf" {
                all.push(Order::Infinite);
                continue;
            }
            for order in points("order", piece, Scale::Linear)? {
                all.push(Order::Number(order));
            }
        }
        Ok(all)
    }

    fn shown(&self) -> Option<String> {
        match self {
            Order::None => None,
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
    let session = Session::new(composition.clone(), Method::Auto);
    let digits = question.digits();
    let asked = |order| -> Result<Query, Failure> {
        let query = Query::new(quantity(*kind, order)?, composition.clone());
        Ok(query.with_direction(question.direction.into()).with_digits(digits).checked()?)
    };
    // None is answered where one makes no sense.
    let queries = orders.iter().map(asked).collect::<Result<Vec<_>, _>>()?;
    let mut table = (orders.len() > 1).then(|| {
        let direction = direction_text(question.direction.into());
        Table::new(format!("{} of {composition:#}{direction}", typed(*kind)), &["order", "lower", "upper"])
    });
    let mut worst = Status::Fine;
    for (order, query) in until(orders.iter().zip(queries)) {
        let answer = session.answer(&query, &budget(question.limits))?;
        worst = worst.and(Status::from(&answer.outcome));
        if question.json {
            say_json(&answer_line(&query, &answer))?;
        } else if let Some(table) = &mut table {
            let order = order.shown().unwrap_or_default();
            if let Some(why) = shortfall(&answer.outcome, digits, question.exact) {
                table.remark(format!("at order = {order}: {why}"));
            }
            let [lower, upper] = ends(&answer.outcome, digits);
            table.row([order, lower, upper]);
            if talk::is_verbose() && !answer.method.is_empty() {
                table.source(format!("by {} ({})", answer.method, answer.citation()));
            }
            if let Some(text) = meaning_text(answer.meaning, answer.cause) {
                table.source(text);
            }
        } else {
            say(&answer_text(&query, &answer, Shown { fraction: question.exact, source: talk::is_verbose() }))?;
        }
    }
    if let Some(table) = table.filter(|_| !question.json) {
        say(&table.text())?;
    }
    Ok(worst)
}

/// The quantity at one order.
pub(super) fn quantity(kind: Kind, order: &Order) -> Result<Quantity, Failure> {
    let name = match (kind, order) {
        (Kind::Max, _) | (Kind::Renyi, Order::Infinite) => QuantityName::Max,
        // The limit at 1 is the mean.
        (Kind::Renyi, Order::Number(order)) if *order != Real::one() => QuantityName::Renyi,
        (Kind::Kl | Kind::Renyi, _) => QuantityName::Kl,
        (Kind::Tv, _) => QuantityName::Tv,
        (Kind::Chi2, _) => QuantityName::Chi2,
        (Kind::Kappa2, _) => QuantityName::Kappa2,
        (Kind::Kappa3, _) => QuantityName::Kappa3,
        (Kind::Kappa3bar, _) => QuantityName::Kappa3bar,
        (Kind::Variance, _) => QuantityName::Variance,
        (Kind::Cumulant, _) => QuantityName::Cumulant,
        (Kind::PositiveChi2, _) => QuantityName::Chi2Plus,
        (Kind::Hellinger, _) => QuantityName::Hellinger,
        (Kind::JensenShannon, _) => QuantityName::JensenShannon,
        (Kind::LeCam, _) => QuantityName::LeCam,
        (Kind::AntipodalKl, _) => QuantityName::AntipodalKl,
        (Kind::Subgaussian, _) => QuantityName::Subgaussian,
        (Kind::Zcdp, _) => QuantityName::Zcdp,
    };
    let mut point = Point::default();
    if let (Order::Number(order), Some("order")) = (order, name.coordinate()) {
        point.order = Some(order.clone());
    }
    Ok(Quantity::at(name, point)?)
}
