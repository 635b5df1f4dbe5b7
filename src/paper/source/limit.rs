//! What limit theorems say of the mechanism of a query: approximations, which stand beside the truth and are no bounds.

use serde::Deserialize;

use super::super::data::Names;
use super::{Question, Value, budget};
use crate::curve::Value as Said;
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::theorem::clt::{Clt, Form};
use crate::theorem::edgeworth::Edgeworth;
use enclosure::{Budget, Enclosure, Number, refine};

/// A limit theorem, and what is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    theorem: TheoremName,
    /// Up to which order an expansion goes.
    #[serde(default)]
    order: Option<u32>,
    query: Question,
}

/// The limit theorems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TheoremName {
    /// The central limit theorem for the mechanisms that there are: one number, mu.
    Clt,
    /// The Edgeworth expansion.
    Edgeworth,
}

impl Limit {
    /// The query.
    pub fn query(&self) -> &Question {
        &self.query
    }

    /// Is there an order where one is wanted, and nowhere else?
    pub fn check(&self) -> Result<(), String> {
        match (self.theorem, self.order) {
            (TheoremName::Clt, None) | (TheoremName::Edgeworth, Some(_)) => Ok(()),
            (TheoremName::Clt, Some(_)) => Err("a central limit theorem takes no order".into()),
            (TheoremName::Edgeworth, None) => Err("an Edgeworth expansion needs an order from 0 to 3".into()),
        }
    }

    /// The number that the theorem gives.
    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let (query, budget) = (self.query.filled(given)?, budget());
        let number = refine(digits, &budget, |bits| match self.said(&query, bits, &budget)? {
            Said::Finite(number) => Ok(number),
            Said::Infinite => Err(Error::Undefined("the result of the limit theorem is infinite".into())),
        });
        number.map(Value::Number)
    }

    fn said(&self, query: &Query, bits: u32, budget: &Budget) -> Result<Said, Error> {
        let finite = |set: Enclosure| Said::Finite(Number::Enclosed(set));
        let (mechanism, way) = (&query.mechanism, query.direction);
        let none = || Error::input("a limit theorem gives delta, epsilon or beta");
        match self.theorem {
            TheoremName::Clt => {
                let limit = Clt::of(mechanism, Form::Auto, bits, budget)?;
                match &query.quantity {
                    Quantity::Delta { epsilon } => limit.delta(epsilon, bits, budget).map(finite),
                    Quantity::Beta { alpha } => limit.beta(alpha, bits, budget).map(finite),
                    Quantity::Epsilon { delta } => limit.epsilon(delta, bits, budget),
                    _ => Err(none()),
                }
            }
            TheoremName::Edgeworth => {
                let expansion = Edgeworth::of(mechanism, self.order.unwrap_or_default(), bits, budget)?;
                match &query.quantity {
                    Quantity::Delta { epsilon } => expansion.delta(epsilon, way, bits, budget).map(finite),
                    Quantity::Beta { alpha } => expansion.beta(alpha, way, bits, budget).map(finite),
                    Quantity::Epsilon { delta } => expansion.epsilon(delta, way, bits, budget),
                    _ => Err(none()),
                }
            }
        }
    }
}
