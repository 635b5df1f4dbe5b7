//! The questions of the vectors, in doubles.
//!
//! Each number of a case becomes the nearest double. If that changes nothing, the stored answer is the truth; else the
//! truth is computed at the doubles, and what the case says of its numbers no longer holds: it lies beside a knot, not
//! on it, and its answer is no short fraction. A case is left out
//!
//! * if its doubles leave the domain: probabilities that no longer add up to 1, a delta that becomes 0 or 1, an epsilon
//!   beyond the largest double;
//! * if its quantity is none that the protocol has, or its mechanism is an operator on curves;
//! * if its answer is a bound that follows from a guarantee: others may know a better one.

use std::collections::BTreeMap;

use dpcert_vectors::{Case, Double, Exact, Factor, Parameter, Quantity, VectorFile, expression};

use crate::audit::double::nearest;
use crate::audit::question::{Asked, At, Question, Step, Value};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use enclosure::Real;

/// What holds of exact parameters only.
const EXACT_ONLY: [&str; 5] = ["ON_KNOT", "EXACT_RATIONAL", "PUBLISHED", "DOUBLE_PARAMETERS", "BESIDE_KNOT"];

/// What no accountant runs: curves that are made of others, or given by points.
const OPERATORS: [&str; 9] =
    ["subsample", "group", "group-one-way", "inverse", "symmetrize", "hull", "mixture", "trade-off", "profile"];

/// What became of a case.
#[derive(Debug)]
pub enum Rounded {
    /// A question.
    Question(Box<Question>),
    /// Nothing.
    LeftOut,
}

/// The question of one case.
pub fn question(file: &VectorFile, case: &Case) -> Result<Rounded, Error> {
    let asked = match file.quantity {
        Quantity::Delta => Asked::Delta,
        Quantity::Epsilon => Asked::Epsilon,
        Quantity::Beta => Asked::Beta,
        Quantity::Renyi => Asked::Renyi,
        // The protocol does not have it.
        _ => return Ok(Rounded::LeftOut),
    };
    if case.bound.is_some() || case.parameters.iter().any(|factor| OPERATORS.contains(&factor.mechanism.as_str())) {
        return Ok(Rounded::LeftOut);
    }
    // A number may become 0, 1 or infinite as a double.
    let Some(mut question) = in_doubles(asked, &case.parameters, &case.at)? else { return Ok(Rounded::LeftOut) };
    question.id.clone_from(&case.id);
    question.direction = case.direction;
    question.flags.clone_from(&case.flags);
    question.comment.clone_from(&case.comment);
    if question.unrounded.is_empty() {
        question.stored = case.answer.truth();
    } else {
        let on_knot = question.flags.iter().any(|flag| flag == "ON_KNOT" || flag == "BESIDE_KNOT");
        question.flags.retain(|flag| !EXACT_ONLY.contains(&flag.as_str()));
        if on_knot {
            question.flags.push("BESIDE_KNOT".to_string());
        }
        question.flags.push("ROUNDED".to_string());
    }
    match question.subject() {
        Ok(_) => Ok(Rounded::Question(Box::new(question))),
        // The rounded parameters leave the domain.
        Err(_) => Ok(Rounded::LeftOut),
    }
}

/// The question of the doubles that are nearest to these numbers, still without a name. Where rounding changed one, the
/// mechanisms before are kept with it. None if a number becomes 0, 1 or infinite.
pub fn in_doubles(asked: Asked, factors: &[Factor], at: &dpcert_vectors::At) -> Result<Option<Question>, Error> {
    let mut rounding = Rounding { exact: true, degenerate: false, open: false };
    let steps = factors.iter().map(|factor| rounding.step(factor)).collect::<Result<Vec<_>, _>>()?;
    let at = At {
        epsilon: rounding.coordinate(at.epsilon.as_ref())?,
        delta: rounding.coordinate(at.delta.as_ref())?,
        alpha: rounding.coordinate(at.alpha.as_ref())?,
        order: rounding.coordinate(at.order.as_ref())?,
    };
    if rounding.degenerate {
        return Ok(None);
    }
    let mut question = Question::new("", asked, steps, at);
    // With a number that is looked for there is no mechanism to be kept.
    if !rounding.exact && !rounding.open {
        question.unrounded = factors.iter().map(mechanism).collect::<Result<_, _>>()?;
    }
    Ok(Some(question))
}

/// The mechanism of a factor, as it is stored.
fn mechanism(factor: &Factor) -> Result<Mechanism, Error> {
    let once = Factor { times: 1, ..factor.clone() };
    let composition: Composition = Composition::parse_closed(&expression(&[once]))?;
    let single = composition.single().map(|(mechanism, _)| mechanism.clone());
    single.ok_or_else(|| Error::input(format!("{} is not a single mechanism", factor.mechanism)))
}

/// Rounds, and remembers what it did.
struct Rounding {
    exact: bool,
    degenerate: bool,
    open: bool,
}

impl Rounding {
    fn number(&mut self, value: &Exact) -> Result<Double, Error> {
        let value: Real = value.to_string().parse()?;
        let (double, exact) = nearest(&value);
        self.exact &= exact;
        self.degenerate |= !double.is_finite() || (!exact && (double == 0.0 || double == 1.0));
        Ok(Double(double))
    }

    fn coordinate(&mut self, value: Option<&Exact>) -> Result<Option<Double>, Error> {
        value.map(|value| self.number(value)).transpose()
    }

    fn step(&mut self, factor: &Factor) -> Result<Step, Error> {
        let mut parameters = BTreeMap::new();
        for (name, value) in &factor.parameters {
            let value = match value {
                Parameter::Number(value) => Value::Number(self.number(value)?),
                Parameter::Unknown => {
                    self.open = true;
                    Value::Open
                }
                Parameter::Weights(_) => return Err(Error::input("audits do not support weight parameters")),
                Parameter::List(values) => {
                    Value::List(values.iter().map(|value| self.number(value)).collect::<Result<_, _>>()?)
                }
            };
            parameters.insert(name.clone(), value);
        }
        let of = factor.of.iter().map(|inner| self.step(inner)).collect::<Result<_, _>>()?;
        Ok(Step { mechanism: factor.mechanism.clone(), parameters, of, times: factor.times })
    }
}
