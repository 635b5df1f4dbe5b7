//! `delta`, `epsilon`, `beta`, `renyi`, `divergence`: one query, its answer printed.

use super::super::args::{DivergenceKind, Engine, Question};
use super::super::failure::{Failure, Status};
use super::super::print::{answer_line, answer_text};
use super::{budget, constant, mechanism, say, say_json};
use crate::answer::{Outcome, answer};
use crate::compose::Method;
use crate::query::{Quantity, Query};

/// `dpcert delta`.
pub fn delta(question: &Question, engine: Engine, epsilon: &str) -> Result<Status, Failure> {
    ask(question, engine.method, Quantity::Delta { epsilon: constant("epsilon", epsilon)? })
}

/// `dpcert epsilon`.
pub fn epsilon(question: &Question, engine: Engine, delta: &str) -> Result<Status, Failure> {
    ask(question, engine.method, Quantity::Epsilon { delta: constant("delta", delta)? })
}

/// `dpcert beta`.
pub fn beta(question: &Question, engine: Engine, alpha: &str) -> Result<Status, Failure> {
    ask(question, engine.method, Quantity::Beta { alpha: constant("alpha", alpha)? })
}

/// `dpcert renyi`.
pub fn renyi(question: &Question, order: &str) -> Result<Status, Failure> {
    ask(question, Method::Auto, Quantity::Renyi { order: constant("order", order)? })
}

/// `dpcert divergence`.
pub fn divergence(question: &Question, engine: Engine, kind: DivergenceKind) -> Result<Status, Failure> {
    ask(
        question,
        engine.method,
        match kind {
            DivergenceKind::Kl => Quantity::Kl,
            DivergenceKind::Tv => Quantity::Tv,
            DivergenceKind::Max => Quantity::Max,
            DivergenceKind::Chi2 => Quantity::Chi2,
        },
    )
}

fn ask(question: &Question, method: Method, quantity: Quantity) -> Result<Status, Failure> {
    let query = Query {
        quantity,
        mechanism: mechanism(&question.mechanism)?,
        direction: question.direction.into(),
        digits: question.digits,
        method,
        id: None,
    };
    let answer = answer(&query, &budget(question.limits))?;
    if question.json {
        say_json(&answer_line(&query, &answer))?;
    } else {
        say(&answer_text(&query, &answer, question.exact))?;
    }
    Ok(status(&answer.outcome))
}

/// The exit code that an outcome deserves.
pub fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Exact(_) | Outcome::Enclosure(_) | Outcome::Infinite => Status::Fine,
        Outcome::Undefined(_) => Status::BadInput,
        Outcome::Undecided(_) => Status::Undecided,
    }
}
