//! `approximate`: results of limit theorems for a composition, with the exact values.

use super::super::args::limits::Approximate;
use super::super::failure::Failure;
use super::super::interrupt::until;
use super::super::points::Scale;
use super::super::talk;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::Outcome;
use crate::approximate::{Approximated, Approximation, Claim, DIGITS, Theorem};
use crate::curve::Value;
use crate::mechanism::Cause;
use crate::print::{
    Status, Table, approximated_line, approximated_status, error_of, number_text, outcome_text, short_of, shortfall,
    shown_of, unsaid_line,
};
use crate::query::{Quantity, Query};
use enclosure::{Brief, Number, Real};

/// `dpcert approximate`.
pub fn run(asked: &Approximate) -> Result<Status, Failure> {
    let question = &asked.question;
    let quantities: Vec<Quantity> = match (&asked.epsilon, &asked.delta, &asked.alpha) {
        (Some(epsilon), _, _) => {
            let all = points("epsilon", epsilon, Scale::Linear)?;
            all.into_iter().map(|epsilon| Quantity::Delta { epsilon }).collect()
        }
        (_, Some(delta), _) => {
            let all = points("delta", delta, Scale::Logarithmic)?;
            all.into_iter().map(|delta| Quantity::Epsilon { delta }).collect()
        }
        (_, _, Some(alpha)) => {
            let all = points("alpha", alpha, Scale::Logarithmic)?;
            all.into_iter().map(|alpha| Quantity::Beta { alpha }).collect()
        }
        _ => return Err(Failure::input("give one of --epsilon, --delta and --alpha")),
    };
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits.unwrap_or(DIGITS);
    let many = quantities.len() > 1;
    let of = |quantity| {
        let query = Query::new(quantity, composition.clone()).with_direction(question.direction.into());
        let query = query.with_digits(digits);
        let Approximate { kind: theorem, order, form, alone, .. } = *asked;
        Approximation { theorem, order, form, alone, query }.checked()
    };
    // None is answered where one makes no sense.
    let all = quantities.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    let mut status = Status::Fine;
    for asked in until(&all) {
        let found = match asked.answer(&budget(question.limits)) {
            Err(error) if many || question.json => Err(unsaid_line(asked, error)?),
            found => Ok(found?),
        };
        status = status.and(match &found {
            Ok(found) => approximated_status(found),
            Err((_, unsaid)) => *unsaid,
        });
        match found {
            Ok(found) if question.json => say_json(&approximated_line(asked, &found))?,
            Err((line, _)) if question.json => say_json(&line)?,
            Ok(found) if !many => say(&Told { asked, found: &found }.text())?,
            found => rows.push((asked, found.map_err(|(line, _)| line.unsaid()))),
        }
    }
    if let Some(table) = table(&rows) {
        say(&table.text())?;
    }
    Ok(status)
}

/// One point of a table: its result, or the kind of and reason for a missing result.
type Row<'a> = (&'a Approximation, Result<Approximated, (&'static str, String)>);

/// Table of several points; points without a result have a row with its kind and a remark with the reason.
fn table<'a>(rows: &'a [Row<'a>]) -> Option<Table> {
    let (first, _) = rows.first()?;
    let told = |(asked, found): &'a Row<'a>| found.as_ref().ok().map(|found| Told { asked, found });
    let mut table = match rows.iter().find_map(told) {
        Some(told) => told.table(&told.cells().0),
        None => heading(first, &[point(first)?.0, "theorem"]),
    };
    for row @ (asked, found) in rows {
        if let Some(told) = told(row) {
            table.row(told.cells().1);
            told.remarks().into_iter().for_each(|remark| table.remark(remark));
        }
        if let Err((kind, why)) = found {
            let (coordinate, at) = point(asked)?;
            table.row([Brief(at).to_string(), kind.to_string()]);
            table.remark(format!("theorem at {coordinate} = {}: {kind}: {why}", Brief(at)));
        }
    }
    if talk::is_verbose() {
        table.source(format!("by {}", first.statement().citation()));
    }
    Some(table)
}

/// Where it is asked.
fn point(asked: &Approximation) -> Option<(&'static str, &Real)> {
    match &asked.query.quantity {
        Quantity::Epsilon { delta } => Some(("delta", delta)),
        Quantity::Beta { alpha } => Some(("alpha", alpha)),
        Quantity::Delta { epsilon } => Some(("epsilon", epsilon)),
        _ => None,
    }
}

/// What an exact value without a number is called.
fn without_number(outcome: &Outcome) -> &'static str {
    if matches!(outcome, Outcome::Undefined(_)) { "undefined" } else { "undecided" }
}

/// What the theorem is called.
fn name(asked: &Approximation) -> String {
    match asked.theorem {
        Theorem::Clt => format!("central limit theorem, form {}", asked.form_used().name()),
        Theorem::BerryEsseen => "Berry-Esseen theorem".to_string(),
        Theorem::CltRate => "rate of the central limit theorem".to_string(),
        Theorem::Edgeworth => format!("Edgeworth expansion of order {}", asked.expansion().unwrap_or_default()),
        Theorem::Clones => "closed form of the clone bound (2022)".to_string(),
        Theorem::StrongerClones => "closed form of the stronger clone bound (2023)".to_string(),
        Theorem::ShiftedRenyi => "shifted Renyi divergences".to_string(),
    }
}

/// An empty table of a theorem.
fn heading(asked: &Approximation, titles: &[&str]) -> Table {
    let number = match &asked.query.quantity {
        Quantity::Delta { .. } => "delta",
        Quantity::Epsilon { .. } => "epsilon",
        _ => "beta",
    };
    Table::new(format!("{number} of {:#}, by the {}", asked.query.mechanism, name(asked)), titles)
}

/// One result, ready for printing.
struct Told<'a> {
    asked: &'a Approximation,
    found: &'a Approximated,
}

impl Told<'_> {
    /// Approximation minus exact value.
    fn error(&self) -> Option<Number> {
        error_of(self.found)
    }

    /// That all of it is about a pair which only dominates the mechanism, and why.
    fn of_the_pair(&self) -> Option<String> {
        let cause = self.found.cause.filter(|cause| *cause != Cause::Guarantee)?;
        Some(format!("these values are those of a dominating pair, not of the mechanism: {}", cause.reason()))
    }

    /// What the value beside that of the theorem is called.
    fn beside(&self) -> &'static str {
        if self.of_the_pair().is_some() { "dominating pair" } else { "exact" }
    }

    /// Digits of what the theorem says.
    fn digits(&self) -> u32 {
        shown_of(self.asked, self.found)
    }

    /// Why there are fewer than were asked for, in a table.
    fn remarks(&self) -> Vec<String> {
        let Some((coordinate, at)) = point(self.asked) else { return Vec::new() };
        let exact = self.found.exact.as_ref().filter(|exact| matches!(exact, Outcome::Short { .. }));
        let exact = exact.and_then(|exact| shortfall(exact, self.asked.query.digits, false));
        let said = short_of(self.asked, self.found);
        let told =
            |who: &str, why: Option<String>| why.map(|why| format!("{who} at {coordinate} = {}: {why}", Brief(at)));
        [told("theorem", said), told(self.beside(), exact)].into_iter().flatten().collect()
    }

    /// An empty table, of rows with these cells.
    fn table(&self, titles: &[&str]) -> Table {
        let mut table = heading(self.asked, titles);
        if matches!(self.found.said.what, Claim::Approximation(_)) {
            table.source("an approximation is not certified".to_string());
        }
        if let Some(note) = self.found.note {
            table.source(note.to_string());
        }
        if let Some(of) = self.of_the_pair() {
            table.source(of);
        }
        table
    }

    /// One point as cells, with the titles of their columns.
    fn cells(&self) -> (Vec<&'static str>, Vec<String>) {
        let short = |text: String| text.trim_start_matches("in ").trim_start_matches("= ").to_string();
        let number = |number: &Number| {
            let text = number_text(number, self.digits(), false);
            short(text.lines().last().unwrap_or_default().trim().to_string())
        };
        let value = |value: &Value| match value {
            Value::Finite(finite) => number(finite),
            Value::Infinite => "infinite".to_string(),
        };
        let Some((coordinate, at)) = point(self.asked) else { return Default::default() };
        let mut all = vec![(coordinate, Brief(at).to_string())];
        match &self.found.said.what {
            Claim::Approximation(said) => all.push(("approximation", value(said))),
            Claim::Between([lower, upper]) => {
                all.extend([("lower bound", value(lower)), ("upper bound", value(upper))])
            }
            Claim::Below(upper) => all.push(("upper bound", value(upper))),
        }
        if let Some(exact) = &self.found.exact {
            let shown = match exact {
                Outcome::Infinite => "infinite".to_string(),
                outcome => outcome.number().map_or(without_number(outcome).to_string(), |exact| number(&exact)),
            };
            all.push((self.beside(), shown));
            if matches!(self.found.said.what, Claim::Approximation(_)) {
                all.push(("error", self.error().map_or("-".to_string(), |error| number(&error))));
            }
        }
        all.into_iter().unzip()
    }

    fn text(&self) -> String {
        let number = |number: &Number| number_text(number, self.digits(), false).replace("\n ", "");
        let value = |value: &Value| match value {
            Value::Finite(finite) => number(finite),
            Value::Infinite => "infinite".to_string(),
        };
        let question = match &self.asked.query.quantity {
            Quantity::Delta { epsilon } => format!("delta at epsilon = {epsilon}"),
            Quantity::Epsilon { delta } => format!("epsilon at delta = {delta}"),
            Quantity::Beta { alpha } => format!("beta at alpha = {alpha}"),
            _ => String::new(),
        };
        let beside = self.found.exact.as_ref().map_or(0, |_| self.beside().len());
        let width = beside.max("approximation".len());
        let line = |name: &str, text: String| format!("  {name:<width$}  {text}");
        let mut lines = vec![format!("{question} of {:#}, by the {}", self.asked.query.mechanism, name(self.asked))];
        for (name, set) in &self.found.said.parameters {
            lines.push(line(name, number(&Number::Enclosed(set.clone()))));
        }
        match &self.found.said.what {
            Claim::Approximation(said) => lines.push(line("approximation", value(said) + "  (not certified)")),
            Claim::Between([lower, upper]) => {
                lines.extend([line("lower bound", value(lower)), line("upper bound", value(upper))]);
            }
            Claim::Below(upper) => lines.push(line("upper bound", value(upper))),
        }
        lines.extend(short_of(self.asked, self.found).map(|why| format!("  {why}")));
        if let Some(outcome) = &self.found.exact {
            let digits = self.asked.query.digits;
            let text = match outcome {
                Outcome::Infinite => "infinite".to_string(),
                _ if outcome.number().is_none() => without_number(outcome).to_string(),
                _ => outcome_text(outcome, digits, digits, false).replace("\n ", ""),
            };
            lines.push(line(self.beside(), text));
        }
        if let Some(note) = self.found.note {
            lines.push(format!("  {note}"));
        }
        if let Some(of) = self.of_the_pair() {
            lines.push(format!("  {of}"));
        }
        if let Some(error) = self.error() {
            lines.push(line("error", number(&error)));
        }
        if talk::is_verbose() {
            lines.push(format!("  by {}", self.asked.statement().citation()));
        }
        lines.join("\n")
    }
}
