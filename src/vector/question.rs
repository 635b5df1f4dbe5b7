//! The query of a vector: a quantity of a composition, a calibration, the result of a limit theorem or another theorem,
//! the order of two compositions, or the accuracy of a function of private bits.

use dpcert_vectors::{Direction, Factor, Limit, LimitForm};

use super::convert;
use super::few::{self, Ways};
use super::orders::Orders;
use super::sessions::Sessions;
use super::stated::{Game, Stated};
use crate::answer::{Bound, Outcome};
use crate::approximate::{Approximation, FormName, Theorem};
use crate::calibrate::{Calibration, Target, calibrate};
use crate::error::Error;
use crate::mechanism::{Cause, Composition, Template};
use crate::query::{Point, Quantity, QuantityName, Query};
use enclosure::{Budget, Real};

/// The first route of what limit theorems say.
const LIMIT: &str = "limit theorem with enclosed moments of the loss";

/// That of theorems about shuffled reports.
const SHUFFLING: &str = "amplification by shuffling in closed form";

/// A question.
#[derive(Clone)]
pub enum Question {
    /// A quantity of a composition.
    Query(Query),
    /// What one engine, asked for by name, says of one.
    Few(Query, Ways),
    /// The number in the place of a `?`.
    Calibration(Calibration),
    /// What a limit theorem says.
    Limit(Limit, Approximation),
    /// The order of two compositions.
    Order(Orders),
    /// What a theorem says of numbers.
    Theorem(Box<Stated>),
    /// How well a function of private bits is computed.
    Accuracy(Box<Game>),
}

/// A numerical result.
pub struct Said {
    pub outcome: Outcome,
    pub method: String,
    pub citation: String,
    pub bound: Option<Bound>,
}

impl Question {
    /// The query about a mechanism at named coordinates. Expressions in data cannot name files.
    ///
    /// # Errors
    /// [`Error::Input`] where one of them is none.
    pub fn new(
        quantity: QuantityName,
        mechanism: &str,
        at: &[(&str, Real)],
        direction: Direction,
        limit: Option<Limit>,
        digits: u32,
    ) -> Result<Self, Error> {
        if quantity == QuantityName::Order {
            return Err(Error::input("an order needs two mechanisms"));
        }
        if quantity == QuantityName::Calibrate {
            let template = Template::parse_closed(mechanism).map_err(|error| Error::input(error.to_string()))?;
            let question = Calibration::new(template, target(at)?).with_direction(direction).with_digits(digits);
            return Ok(Question::Calibration(question.checked()?));
        }
        let mut point = Point::default();
        for (name, value) in at {
            let place =
                point.named(name).ok_or_else(|| Error::input(format!("no quantity takes a coordinate {name}")))?;
            *place = Some(value.clone());
        }
        let mechanism = Composition::parse_closed(mechanism).map_err(|error| Error::input(error.to_string()))?;
        let query = |quantity| -> Result<Query, Error> {
            let query = Query::new(Quantity::at(quantity, point)?, mechanism);
            Ok(query.with_direction(direction).with_digits(digits))
        };
        let of = match quantity {
            QuantityName::LimitDelta => QuantityName::Delta,
            QuantityName::LimitEpsilon => QuantityName::Epsilon,
            QuantityName::LimitBeta => QuantityName::Beta,
            quantity if limit.is_none() => return Ok(Question::Query(query(quantity)?)),
            quantity => return Err(Error::input(format!("{quantity} takes no limit theorem"))),
        };
        let limit = limit.ok_or_else(|| Error::input(format!("{quantity} needs a limit theorem")))?;
        let (theorem, order, form) = match limit {
            Limit::Clt { form } => (Theorem::Clt, None, Some(form_name(form))),
            Limit::BerryEsseen { .. } => (Theorem::BerryEsseen, None, None),
            Limit::CltRate { .. } => (Theorem::CltRate, None, None),
            Limit::Edgeworth { order } => (Theorem::Edgeworth, Some(order), None),
            Limit::Clones => (Theorem::Clones, None, None),
            Limit::StrongerClones => (Theorem::StrongerClones, None, None),
        };
        let asked = Approximation { theorem, order, form, alone: true, query: query(of)? };
        Ok(Question::Limit(limit, asked.checked()?))
    }

    /// The question as a query, if it is about a quantity of a composition.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Question::Query(query) | Question::Few(query, _) => Some(query),
            Question::Calibration(_) | Question::Limit(..) | Question::Order(_) => None,
            Question::Theorem(_) | Question::Accuracy(_) => None,
        }
    }

    /// The composition for programs that parse no expressions.
    pub fn factors(&self) -> Result<Vec<Factor>, Error> {
        match self {
            Question::Query(query) | Question::Few(query, _) => convert::factors(&query.mechanism),
            Question::Limit(_, asked) => convert::factors(&asked.query.mechanism),
            Question::Calibration(question) => convert::sought(&question.template),
            Question::Order(orders) => convert::factors(&orders.first),
            Question::Theorem(stated) => convert::factors(&stated.about),
            Question::Accuracy(game) => convert::factors(&game.about),
        }
    }

    /// The composition in canonical form.
    pub fn mechanism(&self) -> Result<String, Error> {
        Ok(match self {
            Question::Query(query) | Question::Few(query, _) => query.mechanism.to_string(),
            Question::Limit(_, asked) => asked.query.mechanism.to_string(),
            Question::Calibration(_) => dpcert_vectors::expression(&self.factors()?),
            Question::Order(orders) => orders.first.to_string(),
            Question::Theorem(stated) => stated.about.to_string(),
            Question::Accuracy(game) => game.about.to_string(),
        })
    }

    /// The answer, by whatever is known from earlier questions.
    ///
    /// # Errors
    /// Those of an answer; [`Error::Input`] for an order, which has no number.
    pub fn answer(&self, sessions: &Sessions, budget: &Budget) -> Result<Said, Error> {
        match self {
            Question::Query(query) => {
                let answer = sessions.answer(query, budget)?;
                let citation = answer.citation().to_string();
                let bound = answer.bound.filter(|_| answer.cause == Some(Cause::Guarantee));
                Ok(Said { outcome: answer.outcome, method: answer.method, citation, bound })
            }
            Question::Few(query, ways) => {
                let told = few::told(query, ways.engine)?;
                let (method, citation) = (told.method.to_string(), told.citation.to_string());
                Ok(Said { outcome: Outcome::Enclosure(told.set), method, citation, bound: None })
            }
            Question::Limit(limit, asked) => {
                use dpcert_vectors::Bound::Upper;
                let upper = matches!(limit, Limit::BerryEsseen { bound: Upper } | Limit::CltRate { bound: Upper });
                let citation = asked.statement().citation().to_string();
                let outcome = asked.number(upper, &sessions.expansions, budget)?;
                let method = if matches!(limit, Limit::Clones | Limit::StrongerClones) { SHUFFLING } else { LIMIT };
                Ok(Said { outcome, method: method.to_string(), citation, bound: None })
            }
            Question::Order(_) => Err(Error::input("an order is not a number")),
            Question::Theorem(stated) => stated.answer(budget),
            Question::Accuracy(game) => game.answer(budget),
            Question::Calibration(question) => {
                let answer = calibrate(question, budget)?;
                let citation = answer.statement.map_or("", |statement| statement.citation()).to_string();
                let bound = answer.bound.filter(|_| answer.cause == Some(Cause::Guarantee));
                Ok(Said { outcome: answer.outcome, method: answer.method, citation, bound })
            }
        }
    }
}

/// The form by its name.
fn form_name(form: LimitForm) -> FormName {
    match form {
        LimitForm::Centred => FormName::Centred,
        LimitForm::Printed => FormName::Printed,
        LimitForm::Worst => FormName::Worst,
        LimitForm::Poisson => FormName::Poisson,
        LimitForm::Uniform => FormName::Uniform,
    }
}

/// The promise that has these coordinates.
fn target(at: &[(&str, Real)]) -> Result<Target, Error> {
    let value = |wanted: &str| at.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone());
    match (at.len(), value("epsilon").zip(value("delta")), value("alpha").zip(value("beta"))) {
        (2, Some((epsilon, delta)), _) => Ok(Target::Profile { epsilon, delta }),
        (2, _, Some((alpha, beta))) => Ok(Target::Tradeoff { alpha, beta }),
        _ => Err(Error::input("a calibration needs an epsilon and a delta, or an alpha and a beta")),
    }
}
