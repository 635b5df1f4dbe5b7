//! `filter`: ledgers of fully adaptive composition, and what the sums in them mean.

mod simulator;

use std::path::Path;

use rug::Rational;
use serde::Serialize;

use super::super::args::{Amount, FilterCommand, Limits};
use super::super::failure::Failure;
use super::super::points::Scale;
use super::super::talk;
use super::{budget, constant, points_of_all, say, say_json};
use crate::adaptive::ledger::{self, State};
use crate::adaptive::{Decision, Notion};
use crate::answer::{Outcome, answer};
use crate::mechanism::Composition;
use crate::print::{OutcomeLine, Status, outcome_text, quantity_text};
use crate::query::{Point, Quantity, QuantityName, Query};
use enclosure::{Brief, Real};

/// `dpcert filter`.
pub fn run(command: FilterCommand) -> Result<Status, Failure> {
    match command {
        FilterCommand::Open { ledger, budget, odometer, level, json } => {
            let (notion, limit) = match (budget.given(), odometer) {
                (Some((notion, name, text)), _) => (notion, Some(constant(name, text)?)),
                (None, Some(kind)) => (kind.into(), None),
                (None, None) => {
                    return Err(Failure::input(
                        "give a budget with --mu, --rho or --epsilon, or use --odometer for none",
                    ));
                }
            };
            let levels = points_of_all("level", &level, Scale::Linear)?;
            let state = ledger::open(&ledger, notion, limit.as_ref(), &levels)?;
            show(&ledger, &state, None, Vec::new(), 0, json)?;
            Ok(Status::Fine)
        }
        FilterCommand::Spend { ledger, amount, label, json } => spend(&ledger, &amount, label, json),
        FilterCommand::Status { ledger, delta, alpha, digits, limits, json } => {
            status(&ledger, &Points { delta, alpha, digits, limits }, json)
        }
        FilterCommand::Simulator { budget, mu, json } => simulator::run(&budget, &mu, json),
    }
}

fn spend(path: &Path, amount: &Amount, label: Option<String>, json: bool) -> Result<Status, Failure> {
    let Some((notion, name, text)) = amount.given() else {
        return Err(Failure::input("give an amount with --mu, --rho or --epsilon"));
    };
    let (decision, state) = ledger::spend(path, notion, &constant(name, text)?, label)?;
    show(path, &state, Some(decision), Vec::new(), 0, json)?;
    Ok(match decision {
        Decision::Granted => Status::Fine,
        Decision::Refused => Status::Mismatch,
    })
}

/// Where the guarantees are asked for.
struct Points {
    delta: Option<String>,
    alpha: Option<String>,
    digits: u32,
    limits: Limits,
}

/// What a sum means at a point.
struct Meaning {
    of: &'static str,
    quantity: Quantity,
    outcome: Outcome,
    /// By which engine.
    method: String,
    statement: &'static str,
}

fn status(path: &Path, points: &Points, json: bool) -> Result<Status, Failure> {
    let state = ledger::status(path)?;
    let mut quantities = Vec::new();
    if let Some(delta) = points.delta.as_deref().or(points.alpha.is_none().then_some("1e-5")) {
        let all = super::points("delta", delta, Scale::Logarithmic)?;
        quantities.extend(all.into_iter().map(|delta| Quantity::Epsilon { delta }));
    }
    if let Some(alpha) = &points.alpha {
        let all = super::points("alpha", alpha, Scale::Logarithmic)?;
        quantities.extend(all.into_iter().map(|alpha| Quantity::Beta { alpha }));
    }
    let spent = state.spent();
    let level = ledger::level(&state).cloned();
    let sums = [("spent", Some(spent)), ("level", level), ("budget", state.budget.clone())];
    let mut meanings = Vec::new();
    let mut worst = Status::Fine;
    for (of, sum) in sums {
        let Some(sum) = sum else { continue };
        for quantity in &quantities {
            let meaning = meaning(state.notion, &sum, of, quantity, points)?;
            worst = worst.and(Status::from(&meaning.outcome));
            meanings.push(meaning);
        }
    }
    show(path, &state, None, meanings, points.digits, json)?;
    Ok(worst)
}

/// The certified answer for a sum of costs: of `gdp(mu)`, of the worst pair of pure differential privacy, or the best
/// that follows from zCDP, which has no worst pair.
fn meaning(
    notion: Notion,
    cost: &Rational,
    of: &'static str,
    quantity: &Quantity,
    points: &Points,
) -> Result<Meaning, Failure> {
    let (limits, digits) = (budget(points.limits), points.digits);
    let parameter = notion.parameter_of(cost)?;
    let mechanism = match notion {
        Notion::Gdp => format!("gdp(mu={parameter})"),
        Notion::Pure => format!("approx-dp(epsilon={parameter}, delta=0)"),
        Notion::Zcdp => format!("zcdp(rho={cost})"),
    };
    let query = Query::new(quantity.clone(), mechanism.parse::<Composition>()?).with_digits(digits);
    let found = answer(&query, &limits)?;
    let statement = found.citation();
    let method = if found.bound.is_some() { format!("{}, a bound", found.method) } else { found.method };
    Ok(Meaning { of, quantity: quantity.clone(), outcome: found.outcome, method, statement })
}

/// The state as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line {
    ledger: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    granted: Option<bool>,
    notion: String,
    entries: usize,
    cost: &'static str,
    spent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    levels: Vec<String>,
    /// Is the sum above the level? One for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed: Vec<bool>,
    torn: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    means: Vec<Means>,
}

/// A sum, and the answer.
#[derive(Serialize)]
struct Means {
    of: &'static str,
    quantity: QuantityName,
    at: Point,
    #[serde(flatten)]
    outcome: OutcomeLine,
    method: String,
    statement: &'static str,
}

/// States which values are guarantees under adaptive choice of mechanisms.
///
/// At any stopping time, the granted mechanisms are as private as the budget, and those before a level was exceeded as
/// private as that level (Rogers, Roth, Ullman and Vadhan 2016; Feldman and Zrnic 2021; Smith and Thakurta 2022). The
/// sum at a data-dependent time is not a guarantee, because it depends on the answers. It is one if all amounts were
/// fixed in advance.
fn remark(state: &State) -> &'static str {
    match (state.budget.is_some(), ledger::level(state).is_some()) {
        (true, true) => {
            "  the values of budget and level are guarantees for adaptive choices; those of spent only if all \
             amounts were fixed in advance"
        }
        (true, false) => {
            "  the values of budget are guarantees for adaptive choices; those of spent only if all amounts were \
             fixed in advance"
        }
        (false, true) => {
            "  the values of level are guarantees for adaptive choices; those of spent only if all amounts were \
             fixed in advance"
        }
        (false, false) => {
            "  no budget and no level applies: these values are guarantees only if all amounts were fixed in advance"
        }
    }
}

fn show(
    path: &Path,
    state: &State,
    decision: Option<Decision>,
    meanings: Vec<Meaning>,
    digits: u32,
    json: bool,
) -> Result<(), Failure> {
    let spent = state.spent();
    let left = state.budget.as_ref().map(|budget| Rational::from(budget - &spent));
    let level = ledger::level(state);
    let (cost, name) = (state.notion.cost_name(), crate::read::shown(&path.to_string_lossy()));
    if json {
        return say_json(&Line {
            ledger: name,
            granted: decision.map(|decision| decision == Decision::Granted),
            notion: state.notion.to_string(),
            entries: state.entries.len(),
            cost,
            spent: spent.to_string(),
            budget: state.budget.as_ref().map(ToString::to_string),
            left: left.as_ref().map(ToString::to_string),
            level: level.map(ToString::to_string),
            levels: state.levels.iter().map(ToString::to_string).collect(),
            passed: state.levels.iter().map(|level| *level < spent).collect(),
            torn: state.torn,
            means: meanings
                .into_iter()
                .map(|Meaning { of, quantity, outcome, method, statement }| Means {
                    of,
                    quantity: quantity.name(),
                    at: quantity.point(),
                    outcome: OutcomeLine::of(&outcome, digits),
                    method,
                    statement,
                })
                .collect(),
        });
    }
    let says = match decision {
        Some(Decision::Granted) => "granted: ",
        Some(Decision::Refused) => "refused: ",
        None => "",
    };
    let kind = if state.budget.is_some() { "filter" } else { "odometer" };
    let entries = match state.entries.len() {
        1 => "1 entry".to_string(),
        more => format!("{more} entries"),
    };
    say(&format!("{says}{} {kind} '{name}', {entries}", state.notion))?;
    let rows = [("spent", Some(&spent)), ("level", level), ("budget", state.budget.as_ref()), ("left", left.as_ref())];
    for (of, sum) in rows {
        let Some(sum) = sum else { continue };
        let parameter = state.notion.parameter_of(sum)?;
        let root = match state.notion {
            Notion::Gdp => format!(" (mu = {})", Brief(&parameter)),
            Notion::Zcdp | Notion::Pure => String::new(),
        };
        say(&format!("  {of:6}  {cost} = {}{root}", Brief(&Real::from(sum.clone()))))?;
        for Meaning { quantity, outcome, method, .. } in meanings.iter().filter(|meaning| meaning.of == of) {
            let number = outcome_text(outcome, digits, digits, false).replace("\n ", "");
            let method = if talk::is_verbose() { format!(", by {method}") } else { String::new() };
            say(&format!("          {} {number}{method}", quantity_text(quantity)))?;
        }
    }
    if !meanings.is_empty() {
        say(remark(state))?;
    }
    for level in state.levels.iter().filter(|level| **level < spent) {
        say(&format!("  level {}: exceeded", Brief(&state.notion.parameter_of(level)?)))?;
    }
    if state.torn {
        say("  the last line is incomplete (its process was killed); it was never granted and is ignored")?;
    }
    Ok(())
}
