//! `delta`, `epsilon`, `beta`, `conjugate`, `renyi`, `divergence`: one composition asked at one point or at many, its
//! answers printed.

use super::super::args::{Account, Asked, DivergenceKind, Engine, Question};
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::Scale;
use super::super::progress::aside;
use super::super::talk;
use super::{mechanism, noting_budget, points, say_json, say_painted};
use crate::answer::Session;
use crate::compose::Method;
use crate::print::{Table, answer_line, answer_text};
use crate::query::{Quantity, Query};

/// `dpcert delta`, `dpcert epsilon` and `dpcert beta`.
pub fn run(asked: Asked) -> Result<Status, Failure> {
    let (question, engine, account, all): (_, _, _, Vec<Quantity>) = match asked {
        Asked::Delta { question, engine, account, epsilon } => {
            let all = points("epsilon", &epsilon, Scale::Linear)?;
            (question, engine, account, all.into_iter().map(|epsilon| Quantity::Delta { epsilon }).collect())
        }
        Asked::Epsilon { question, engine, account, delta } => {
            let all = points("delta", &delta, Scale::Logarithmic)?;
            (question, engine, account, all.into_iter().map(|delta| Quantity::Epsilon { delta }).collect())
        }
        Asked::Beta { question, engine, account, alpha } => {
            let all = points("alpha", &alpha, Scale::Logarithmic)?;
            (question, engine, account, all.into_iter().map(|alpha| Quantity::Beta { alpha }).collect())
        }
    };
    ask(&question, engine.method, account, all)
}

/// `dpcert conjugate`.
pub fn conjugate(question: &Question, engine: Engine, account: Account, slope: &str) -> Result<Status, Failure> {
    let all = points("slope", slope, Scale::Linear)?;
    ask(question, engine.method, account, all.into_iter().map(|slope| Quantity::Conjugate { slope }).collect())
}

/// `dpcert renyi`.
pub fn renyi(question: &Question, account: Account, order: &str) -> Result<Status, Failure> {
    let all = points("order", order, Scale::Linear)?;
    ask(question, Method::Auto, account, all.into_iter().map(|order| Quantity::Renyi { order }).collect())
}

/// `dpcert divergence`.
pub fn divergence(
    question: &Question,
    engine: Engine,
    account: Account,
    kind: DivergenceKind,
) -> Result<Status, Failure> {
    let quantity = match kind {
        DivergenceKind::Kl => Quantity::Kl,
        DivergenceKind::Tv => Quantity::Tv,
        DivergenceKind::Max => Quantity::Max,
        DivergenceKind::Chi2 => Quantity::Chi2,
    };
    ask(question, engine.method, account, vec![quantity])
}

/// The answers at all points, from one session: one as a text, many as a table.
fn ask(question: &Question, method: Method, account: Account, all: Vec<Quantity>) -> Result<Status, Failure> {
    let composition = mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), method);
    let many = all.len() > 1;
    let (mut worst, mut table) = (Status::Fine, Table::default());
    for quantity in until(all) {
        let query =
            Query::new(quantity, composition.clone()).with_direction(question.direction.into()).with_method(method);
        let query = match question.digits {
            Some(digits) => query.with_digits(digits),
            None => query,
        };
        let mut answer = session.answer(&query, &noting_budget(question.limits, account))?;
        worst = worst.and((&answer.outcome).into());
        if talk::is_verbose() {
            aside(|| talk::tell(&answer.notes));
            if !account.explain {
                answer.notes.clear();
            }
        }
        if question.json {
            say_json(&answer_line(&query, &answer))?;
        } else if many {
            table.add(&query, &answer, question.exact);
        } else {
            say_painted(&answer_text(&query, &answer, question.exact))?;
        }
    }
    if many && !question.json {
        say_painted(&table.text())?;
    }
    Ok(worst)
}
