//! `delta`, `epsilon`, `beta`, `conjugate`, `loss`, `renyi`, `divergence`: one composition asked at one point or at
//! many, its answers printed.

use super::super::args::limits::Kind;
use super::super::args::{Account, Asked, Asking, DivergenceKind, LossDistribution, Question};
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::Scale;
use super::super::progress::aside;
use super::super::talk;
use super::functional::{Order, quantity};
use super::{mechanism, noting_budget, points, say_json, say_painted};
use crate::answer::Session;
use crate::compose::Method;
use crate::print::{Shown, Table, answer_line, answer_text};
use crate::query::{Quantity, Query};

/// `dpcert delta`, `dpcert epsilon` and `dpcert beta`.
pub fn run(asked: Asked) -> Result<Status, Failure> {
    let (of, all): (_, Vec<Quantity>) = match asked {
        Asked::Delta { of, epsilon } => {
            let all = points("epsilon", &epsilon, Scale::Linear)?;
            (of, all.into_iter().map(|epsilon| Quantity::Delta { epsilon }).collect())
        }
        Asked::Epsilon { of, delta } => {
            let all = points("delta", &delta, Scale::Logarithmic)?;
            (of, all.into_iter().map(|delta| Quantity::Epsilon { delta }).collect())
        }
        Asked::Beta { of, alpha } => {
            let all = points("alpha", &alpha, Scale::Logarithmic)?;
            (of, all.into_iter().map(|alpha| Quantity::Beta { alpha }).collect())
        }
    };
    asking(&of, all)
}

/// By the engine and with the account that are wanted.
fn asking(Asking { question, engine, account }: &Asking, all: Vec<Quantity>) -> Result<Status, Failure> {
    ask(question, engine.method, *account, all)
}

/// `dpcert conjugate`.
pub fn conjugate(of: &Asking, slope: &str) -> Result<Status, Failure> {
    let all = points("slope", slope, Scale::Linear)?;
    asking(of, all.into_iter().map(|slope| Quantity::Conjugate { slope }).collect())
}

/// `dpcert loss`.
pub fn loss(typed: &LossDistribution) -> Result<Status, Failure> {
    let under = typed.under.into();
    let all = match (&typed.above, &typed.up_to, &typed.quantile) {
        (Some(above), ..) => {
            let all = points("above", above, Scale::Linear)?.into_iter();
            all.map(|threshold| Quantity::LossAbove { threshold, under }).collect()
        }
        (None, Some(up_to), _) => {
            let all = points("up-to", up_to, Scale::Linear)?.into_iter();
            all.map(|threshold| Quantity::LossUpTo { threshold, under }).collect()
        }
        (None, None, Some(quantile)) => {
            let all = points("quantile", quantile, Scale::Linear)?.into_iter();
            all.map(|probability| Quantity::LossQuantile { probability, under }).collect()
        }
        (None, None, None) => return Err(Failure::input("give one of --above, --up-to and --quantile")),
    };
    asking(&typed.of, all)
}

/// `dpcert renyi`: at its limits, the orders 1 and infinity, by the names that they have.
pub fn renyi(question: &Question, account: Account, order: &str) -> Result<Status, Failure> {
    let orders = Order::typed(Kind::Renyi, Some(order))?;
    let all = orders.iter().map(|order| quantity(Kind::Renyi, order)).collect::<Result<_, _>>()?;
    ask(question, Method::Auto, account, all)
}

/// `dpcert divergence`.
pub fn divergence(of: &Asking, kind: DivergenceKind) -> Result<Status, Failure> {
    let quantity = match kind {
        DivergenceKind::Kl => Quantity::Kl,
        DivergenceKind::Tv => Quantity::Tv,
        DivergenceKind::Max => Quantity::Max,
        DivergenceKind::Chi2 => Quantity::Chi2,
    };
    asking(of, vec![quantity])
}

/// The answers at all points, from one session: one as a text, many as a table.
fn ask(question: &Question, method: Method, account: Account, all: Vec<Quantity>) -> Result<Status, Failure> {
    let composition = mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), method);
    let many = all.len() > 1;
    let (mut worst, mut table) = (Status::Fine, Table::default());
    let shown = Shown { fraction: question.exact, source: talk::is_verbose() };
    let asked = |quantity| {
        let query =
            Query::new(quantity, composition.clone()).with_direction(question.direction.into()).with_method(method);
        match question.digits {
            Some(digits) => query.with_digits(digits),
            None => query,
        }
        .checked()
    };
    // None is answered where one makes no sense.
    let queries = all.into_iter().map(asked).collect::<Result<Vec<_>, _>>()?;
    for query in until(queries) {
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
            table.add(&query, &answer, shown);
        } else {
            say_painted(&answer_text(&query, &answer, shown))?;
        }
    }
    if many && !question.json {
        say_painted(&table.text())?;
    }
    Ok(worst)
}
