//! What the accounts say of one composition, as JSON: a line for each, or all of them in the answer to one question.
//!
//! `{"quantity": "compare", "mechanism": ..., "at": {"delta": "1e-5"}}`, or at an `epsilon`. The answer has all
//! `accounts`, the exact one last.

use serde::{Deserialize, Serialize};

use super::{Numbers, Status, with_flags};
use crate::answer::Meaning;
use crate::compare::{Comparison, Goal, Missing, Row, Standing};
use crate::curve::Value;
use crate::error::Error;
use crate::mechanism::{Cause, Composition, check};
use crate::query::{Point, Quantity, QuantityName, Query};
use crate::theorem::guarantee::Nearby;
use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Number, Real};

/// Digits of how far a number is from the exact one.
pub const RATIO_DIGITS: u32 = 4;

/// What an account says, in JSON.
#[derive(Serialize)]
struct Told<'a> {
    account: &'a str,
    source: &'a str,
    standing: Standing,
    /// What the number says about the mechanism. Left out where there is none, and of approximations.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Meaning>,
    /// Why the number of the composition itself is a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    times_exact: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_delta: Option<String>,
    /// The best order of a conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A row as a JSON object.
#[derive(Serialize)]
pub struct AccountLine<'a> {
    quantity: QuantityName,
    mechanism: &'a str,
    at: Point,
    #[serde(flatten)]
    told: Told<'a>,
}

/// The JSON object of an answer. The fields are a promise to scripts.
#[derive(Serialize)]
struct CompareLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    at: Point,
    accounts: Vec<serde_json::Value>,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a comparison of accounting methods, as in {\"quantity\": \"compare\", \"mechanism\": \"gdp(mu=1)\", \
                                          \"at\": {\"delta\": \"1e-5\"}}"
)]
pub struct CompareQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    at: At,
    digits: Option<u32>,
}

/// One of both coordinates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a point, {\"delta\": \"1e-5\"} or {\"epsilon\": \"1\"}")]
struct At {
    delta: Option<Real>,
    epsilon: Option<Real>,
}

/// Digits of a number, unless more are asked for.
const DIGITS: u32 = 6;

impl CompareQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// [`Error::Input`] for a point that is none, and those of [`Comparison::rows`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let goal = match (&self.at.delta, &self.at.epsilon) {
            (Some(delta), None) => {
                check::unit("delta", delta)?;
                Goal::Epsilon { delta: delta.clone() }
            }
            (None, Some(epsilon)) => Goal::Delta { epsilon: epsilon.clone() },
            _ => return Err(Error::input("give exactly one of delta and epsilon")),
        };
        let digits = self.digits.unwrap_or(DIGITS);
        let quantity = goal.quantity();
        Query::new(quantity.clone(), self.mechanism.clone()).with_digits(digits).checked()?;
        let composition = self.mechanism.clone();
        let rows = Comparison { composition, goal, digits, nearby: Nearby::default() }.rows(budget)?;
        let exact = rows.last().and_then(|row| row.value.clone().ok());
        let accounts = rows.iter().map(|row| serde_json::to_value(told(row, exact.as_ref(), digits)));
        let accounts = accounts.collect::<Result<_, _>>().map_err(|error| Error::input(error.to_string()))?;
        let line = CompareLine {
            id: self.id.clone(),
            quantity: "compare",
            mechanism: self.mechanism.to_string(),
            at: quantity.point(),
            accounts,
        };
        Ok((line, if exact.is_some() { Status::Fine } else { Status::Undecided }))
    }
}

/// Why there is no number, with the flags that would help.
pub fn without(reason: &Missing) -> String {
    match reason {
        Missing::Undefined(reason) => reason.clone(),
        Missing::Undecided(reason) => format!("undecided: {}", with_flags(reason)),
    }
}

/// How many times the exact number.
pub fn ratio(row: &Row, exact: Option<&Value>) -> Option<Number> {
    let (Ok(Value::Finite(value)), Some(Value::Finite(exact))) = (&row.value, exact) else { return None };
    if exact.sign() != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    Some(if row.standing == Standing::Exact { Number::one() } else { value / exact })
}

/// Its ends, outward, in decimals.
pub fn ratio_ends(row: &Row, exact: Option<&Value>) -> Option<[String; 2]> {
    let ratio = ratio(row, exact)?;
    Some([Side::Lower, Side::Upper].map(|side| decimal(&ratio, RATIO_DIGITS, side)))
}

fn told<'a>(row: &'a Row, exact: Option<&Value>, digits: u32) -> Told<'a> {
    let (kind, numbers) = match &row.value {
        Ok(Value::Finite(number @ Number::Exact(_))) => ("exact", Numbers::of(number, digits)),
        Ok(Value::Finite(number)) => ("enclosure", Numbers::of(number, digits)),
        Ok(Value::Infinite) => ("infinite", Numbers::default()),
        Err(_) => ("undefined", Numbers::default()),
    };
    Told {
        account: row.account,
        source: row.source,
        standing: row.standing,
        meaning: match row.standing {
            _ if row.value.is_err() => None,
            Standing::Exact => Some(Meaning::Exact),
            Standing::Bound => Some(Meaning::UpperBound),
            Standing::Approximation => None,
        },
        because: row.cause.map(Cause::reason),
        kind,
        numbers,
        times_exact: ratio_ends(row, exact),
        step_delta: row.step_delta.as_ref().map(ToString::to_string),
        order: row.order.as_ref().map(|order| Numbers::of(&Number::Enclosed(order.clone()), digits)),
        reason: row.value.as_ref().err().map(without),
    }
}

/// The JSON line of one account.
pub fn account_line<'a>(
    row: &'a Row,
    quantity: &Quantity,
    mechanism: &'a str,
    exact: Option<&Value>,
    digits: u32,
) -> AccountLine<'a> {
    AccountLine { quantity: quantity.name(), mechanism, at: quantity.point(), told: told(row, exact, digits) }
}
