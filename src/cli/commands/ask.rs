//! `delta`, `epsilon`, `beta`, `renyi`, `divergence`: one query, its answer printed.

use super::super::args::{Account, DivergenceKind, Engine, Question};
use super::super::failure::{Failure, Status};
use super::super::interrupt::until_interrupted;
use super::{constant, mechanism, noting_budget, say, say_json};
use crate::answer::answer;
use crate::compose::Method;
use crate::print::{answer_line, answer_text};
use crate::query::{Quantity, Query};

/// `dpcert delta`.
pub fn delta(question: &Question, engine: Engine, account: Account, epsilon: &str) -> Result<Status, Failure> {
    ask(question, engine.method, account, Quantity::Delta { epsilon: constant("epsilon", epsilon)? })
}

/// `dpcert epsilon`.
pub fn epsilon(question: &Question, engine: Engine, account: Account, delta: &str) -> Result<Status, Failure> {
    ask(question, engine.method, account, Quantity::Epsilon { delta: constant("delta", delta)? })
}

/// `dpcert beta`.
pub fn beta(question: &Question, engine: Engine, account: Account, alpha: &str) -> Result<Status, Failure> {
    ask(question, engine.method, account, Quantity::Beta { alpha: constant("alpha", alpha)? })
}

/// `dpcert renyi`.
pub fn renyi(question: &Question, account: Account, order: &str) -> Result<Status, Failure> {
    ask(question, Method::Auto, account, Quantity::Renyi { order: constant("order", order)? })
}

/// `dpcert divergence`.
pub fn divergence(
    question: &Question,
    engine: Engine,
    account: Account,
    kind: DivergenceKind,
) -> Result<Status, Failure> {
    ask(
        question,
        engine.method,
        account,
        match kind {
            DivergenceKind::Kl => Quantity::Kl,
            DivergenceKind::Tv => Quantity::Tv,
            DivergenceKind::Max => Quantity::Max,
            DivergenceKind::Chi2 => Quantity::Chi2,
        },
    )
}

fn ask(question: &Question, method: Method, account: Account, quantity: Quantity) -> Result<Status, Failure> {
    let query = Query::new(quantity, mechanism(&question.mechanism)?)
        .with_direction(question.direction.into())
        .with_method(method);
    let query = match question.digits {
        Some(digits) => query.with_digits(digits),
        None => query,
    };
    let budget = until_interrupted(noting_budget(question.limits, account))?;
    let answer = answer(&query, &budget)?;
    if question.json {
        say_json(&answer_line(&query, &answer))?;
    } else {
        say(&answer_text(&query, &answer, question.exact))?;
    }
    Ok((&answer.outcome).into())
}
