//! `risk`: what an attacker can do.

use super::super::args::Risks;
use super::super::failure::Failure;
use super::super::interrupt::until;
use super::super::points::Scale;
use super::{noting_budget, points_of_all, say, say_json, told_mechanism};
use crate::answer::{Answer, Outcome, Session};
use crate::print::{Status, Table, answer_line, direction_text, ends, meaning_text, outcome_text, shortfall};
use crate::query::{Quantity, Query};
use enclosure::Brief;

/// What a risk is called, and where it is taken.
fn named(risk: &Quantity) -> (&'static str, &'static str, String) {
    match risk {
        Quantity::TruePositiveRate { rate } => ("true positive rate", "false positive rate", Brief(rate).to_string()),
        Quantity::BayesRisk { prior } => ("Bayes risk", "prior", Brief(prior).to_string()),
        _ => ("membership advantage", "", String::new()),
    }
}

/// `dpcert risk`.
pub fn run(typed: &Risks) -> Result<Status, Failure> {
    let Risks { question, engine, account, fpr, prior } = typed;
    let rates = points_of_all("fpr", fpr, Scale::Logarithmic)?;
    let priors = points_of_all("prior", prior, Scale::Logarithmic)?;
    // Lists and ranges are printed as a table, single values one by one.
    let many = rates.len() > fpr.len() || priors.len() > prior.len();
    let mut risks = vec![Quantity::Advantage];
    risks.extend(rates.into_iter().map(|rate| Quantity::TruePositiveRate { rate }));
    risks.extend(priors.into_iter().map(|prior| Quantity::BayesRisk { prior }));
    let composition = told_mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), engine.method);
    let asked = |risk| -> Result<Query, Failure> {
        let query = Query::new(risk, composition.clone());
        let query = query.with_direction(question.direction.into()).with_method(engine.method);
        Ok(match question.digits {
            Some(digits) => query.with_digits(digits),
            None => query,
        }
        .checked()?)
    };
    // None is answered where one makes no sense.
    let queries = risks.into_iter().map(asked).collect::<Result<Vec<_>, _>>()?;
    let direction = direction_text(question.direction.into());
    let title = format!("risk of {composition:#}{direction}");
    let mut table = (many && !question.json).then(|| Table::new(&title, &["risk", "at", "lower", "upper"]));
    if table.is_none() && !question.json {
        say(&title)?;
    }
    let mut worst = Status::Fine;
    for query in until(&queries) {
        let answer = session.answer(query, &noting_budget(question.limits, *account))?;
        worst = worst.and(Status::from(&answer.outcome));
        match &mut table {
            _ if question.json => say_json(&answer_line(query, &answer))?,
            Some(table) => add(table, query, &answer, question.exact),
            None => tell(query, &answer, question.exact)?,
        }
    }
    if let Some(table) = table {
        say(&table.text())?;
    }
    Ok(worst)
}

/// One risk in two lines, with notes on its computation.
fn tell(query: &Query, answer: &Answer, exact: bool) -> Result<(), Failure> {
    let (what, at, place) = named(&query.quantity);
    let at = if at.is_empty() { String::new() } else { format!(" at {at} {place}") };
    say(&format!("  {what}{at}\n    {}", inline(&answer.outcome, query.digits, query.enough, exact)))?;
    if let Some(text) = meaning_text(answer.meaning, answer.cause) {
        say(&format!("    {text}"))?;
    }
    for note in &answer.notes {
        say(&format!("      {}  {}", note.label, note.value))?;
    }
    Ok(())
}

/// One risk as a row.
fn add(table: &mut Table, query: &Query, answer: &Answer, exact: bool) {
    let (what, at, place) = named(&query.quantity);
    let [lower, upper] = ends(&answer.outcome, query.digits);
    let whole = if at.is_empty() { what.to_string() } else { format!("{what} at {at} {place}") };
    if let Some(why) = shortfall(&answer.outcome, query.digits, exact) {
        table.remark(format!("{whole}: {why}"));
    }
    for note in &answer.notes {
        table.remark(format!("{whole}: {}  {}", note.label, note.value));
    }
    if let Some(text) = meaning_text(answer.meaning, answer.cause) {
        table.source(format!("{what}: {text}"));
    }
    table.row([what.to_string(), place, lower, upper]);
}

/// An outcome on one line.
fn inline(outcome: &Outcome, asked: u32, enough: u32, full: bool) -> String {
    outcome_text(outcome, asked, enough, full).replace("\n ", "")
}
