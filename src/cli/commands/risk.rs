//! `risk`: what an attacker can do.

use serde::Serialize;

use super::super::args::Risks;
use super::super::failure::Failure;
use super::super::points::Scale;
use super::{noting_budget, points_of_all, say, say_json, told_mechanism};
use crate::answer::{Answer, Bound, Outcome, Session};
use crate::attack::Risk;
use crate::curve::Direction;
use crate::print::{OutcomeLine, Status, Table, bound_text, ends, outcome_text, shortfall};
use crate::query::{Quantity, Query};
use enclosure::{Brief, Real};

/// Where a risk is taken.
#[derive(Serialize)]
struct At<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    fpr: Option<&'a Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<&'a Real>,
}

impl<'a> At<'a> {
    fn of(risk: &'a Risk) -> Self {
        match risk {
            Risk::Advantage => At { fpr: None, prior: None },
            Risk::Power { rate } => At { fpr: Some(rate), prior: None },
            Risk::Bayes { prior } => At { fpr: None, prior: Some(prior) },
        }
    }
}

/// A risk as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct RiskLine<'a> {
    quantity: &'static str,
    mechanism: String,
    at: At<'a>,
    direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(flatten)]
    outcome: OutcomeLine,
    method: String,
    statement: &'static str,
}

/// What a risk is called, and where it is taken.
fn named(risk: &Risk) -> (&'static str, &'static str, String) {
    match risk {
        Risk::Advantage => ("membership advantage", "", String::new()),
        Risk::Power { rate } => ("true positive rate", "a false positive rate of", Brief(rate).to_string()),
        Risk::Bayes { prior } => ("Bayes risk", "a prior of", Brief(prior).to_string()),
    }
}

/// `dpcert risk`.
pub fn run(typed: &Risks) -> Result<Status, Failure> {
    let Risks { question, engine, account, fpr, prior } = typed;
    let rates = points_of_all("fpr", fpr, Scale::Logarithmic)?;
    let priors = points_of_all("prior", prior, Scale::Logarithmic)?;
    // Lists and ranges make a table; what was typed one by one is told one by one.
    let many = rates.len() > fpr.len() || priors.len() > prior.len();
    let mut risks = vec![Risk::Advantage];
    risks.extend(rates.into_iter().map(|rate| Risk::Power { rate }));
    risks.extend(priors.into_iter().map(|prior| Risk::Bayes { prior }));
    risks.iter().try_for_each(Risk::check)?;
    let composition = told_mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), engine.method);
    let query =
        Query::new(Quantity::Tv, composition).with_direction(question.direction.into()).with_method(engine.method);
    let query = match question.digits {
        Some(digits) => query.with_digits(digits),
        None => query,
    };
    let direction = match query.direction {
        Direction::Worst => "",
        Direction::Forward => ", forward direction",
        Direction::Backward => ", backward direction",
    };
    let title = format!("risk of {}{direction}", query.mechanism);
    let mut table = (many && !question.json).then(|| Table::new(&title, &["", "at", "lower", "upper"]));
    if table.is_none() && !question.json {
        say(&title)?;
    }
    let mut worst = Status::Fine;
    for risk in &risks {
        let answer = risk.answer(&session, &query, &noting_budget(question.limits, *account))?;
        worst = worst.and(Status::from(&answer.outcome));
        if question.json {
            say_json(&RiskLine {
                quantity: risk.name(),
                mechanism: query.mechanism.to_string(),
                at: At::of(risk),
                direction: query.direction,
                bound: answer.bound,
                outcome: OutcomeLine::of(&answer.outcome, query.digits),
                method: answer.method.clone(),
                statement: answer.citation(),
            })?;
            continue;
        }
        match &mut table {
            Some(table) => add(table, risk, &query, &answer, question.exact),
            None => tell(risk, &query, &answer, question.exact)?,
        }
    }
    if let Some(table) = table {
        say(&table.text())?;
    }
    Ok(worst)
}

/// One risk in two lines, and how it was come by.
fn tell(risk: &Risk, query: &Query, answer: &Answer, exact: bool) -> Result<(), Failure> {
    let (what, at, place) = named(risk);
    let at = if at.is_empty() { String::new() } else { format!(" at {at} {place}") };
    say(&format!("  {what}{at}\n    {}", inline(&answer.outcome, query.digits, query.enough, exact)))?;
    if let Some(bound) = answer.bound {
        say(&format!("    {}", bound_text(bound)))?;
    }
    for note in &answer.notes {
        say(&format!("      {}  {}", note.label, note.value))?;
    }
    Ok(())
}

/// One risk as a row.
fn add(table: &mut Table, risk: &Risk, query: &Query, answer: &Answer, exact: bool) {
    let (what, at, place) = named(risk);
    let [lower, upper] = ends(&answer.outcome, query.digits);
    let whole = if at.is_empty() { what.to_string() } else { format!("{what} at {at} {place}") };
    if let Some(why) = shortfall(&answer.outcome, query.digits, exact) {
        table.remark(format!("{whole}: {why}"));
    }
    for note in &answer.notes {
        table.remark(format!("{whole}: {}  {}", note.label, note.value));
    }
    if let Some(bound) = answer.bound {
        table.source(format!("{what}: {}", bound_text(bound)));
    }
    table.row([what.to_string(), place, lower, upper]);
}

/// An outcome on one line.
fn inline(outcome: &Outcome, asked: u32, enough: u32, full: bool) -> String {
    outcome_text(outcome, asked, enough, full).replace("\n ", "")
}
