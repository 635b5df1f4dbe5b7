//! `approximate`: what limit theorems say of a composition, beside what is so.

use super::super::args::limits::Approximate;
use super::super::failure::Failure;
use super::super::interrupt::until;
use super::super::points::Scale;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::Outcome;
use crate::approximate::{Approximated, Approximation, Claim, DIGITS, Theorem};
use crate::curve::Value;
use crate::print::{
    Status, Table, approximated_line, approximated_status, error_of, number_text, outcome_text, short_of, shortfall,
    shown_of,
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
        _ => return Err(Failure::input("--epsilon, --delta or --alpha is wanted")),
    };
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits.unwrap_or(DIGITS);
    let many = quantities.len() > 1;
    let mut table: Option<Table> = None;
    let mut status = Status::Fine;
    for quantity in until(quantities) {
        let query = Query::new(quantity, composition.clone()).with_direction(question.direction.into());
        let query = query.with_digits(digits);
        let Approximate { kind: theorem, order, form, alone, .. } = *asked;
        let asked = Approximation { theorem, order, form, alone, query }.checked()?;
        let found = asked.answer(&budget(question.limits))?;
        status = status.and(approximated_status(&found));
        let told = Told { asked: &asked, found: &found };
        if question.json {
            say_json(&approximated_line(&asked, &found))?;
        } else if many {
            let (titles, cells) = told.cells();
            let table = table.get_or_insert_with(|| told.table(&titles));
            table.row(cells);
            told.remarks().into_iter().for_each(|remark| table.remark(remark));
        } else {
            say(&told.text())?;
        }
    }
    if let Some(table) = table {
        say(&table.text())?;
    }
    Ok(status)
}

/// What an exact value without a number is called.
fn without_number(outcome: &Outcome) -> &'static str {
    if matches!(outcome, Outcome::Undefined(_)) { "undefined" } else { "undecided" }
}

/// All that is told.
struct Told<'a> {
    asked: &'a Approximation,
    found: &'a Approximated,
}

impl Told<'_> {
    fn name(&self) -> String {
        match self.asked.theorem {
            Theorem::Clt => "central limit theorem".to_string(),
            Theorem::BerryEsseen => "Berry-Esseen theorem".to_string(),
            Theorem::Edgeworth => {
                format!("Edgeworth expansion of order {}", self.asked.expansion().unwrap_or_default())
            }
            Theorem::Clones => "clones of 2022 in closed form".to_string(),
            Theorem::StrongerClones => "stronger clones of 2023 in closed form".to_string(),
            Theorem::ShiftedRenyi => "shifted Renyi divergences".to_string(),
        }
    }

    /// Approximation minus exact value.
    fn error(&self) -> Option<Number> {
        error_of(self.found)
    }

    /// Digits of what the theorem says.
    fn digits(&self) -> u32 {
        shown_of(self.asked, self.found)
    }

    /// Why there are fewer than were asked for, in a table.
    fn remarks(&self) -> Vec<String> {
        let Some((coordinate, at)) = self.point() else { return Vec::new() };
        let exact = self.found.exact.as_ref().filter(|exact| matches!(exact, Outcome::Short { .. }));
        let exact = exact.and_then(|exact| shortfall(exact, self.asked.query.digits, false));
        let said = short_of(self.asked, self.found);
        let told =
            |who: &str, why: Option<String>| why.map(|why| format!("{who} at {coordinate} = {}: {why}", Brief(at)));
        [told("theorem", said), told("exact", exact)].into_iter().flatten().collect()
    }

    /// Where it is asked.
    fn point(&self) -> Option<(&'static str, &Real)> {
        match &self.asked.query.quantity {
            Quantity::Epsilon { delta } => Some(("delta", delta)),
            Quantity::Beta { alpha } => Some(("alpha", alpha)),
            Quantity::Delta { epsilon } => Some(("epsilon", epsilon)),
            _ => None,
        }
    }

    /// An empty table, of rows with these cells.
    fn table(&self, titles: &[&str]) -> Table {
        let name = match &self.asked.query.quantity {
            Quantity::Delta { .. } => "delta",
            Quantity::Epsilon { .. } => "epsilon",
            _ => "beta",
        };
        let mut table = Table::new(format!("{name} of {}, by the {}", self.asked.query.mechanism, self.name()), titles);
        if matches!(self.found.said.what, Claim::Approximation(_)) {
            table.source("an approximation has no certificate".to_string());
        }
        if let Some(note) = self.found.note {
            table.source(note.to_string());
        }
        table.source(self.asked.statement().citation().to_string());
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
        let Some((coordinate, at)) = self.point() else { return Default::default() };
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
            all.push(("exact", shown));
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
        let mut lines = vec![format!("{question} of {}, by the {}", self.asked.query.mechanism, self.name())];
        for (name, set) in &self.found.said.parameters {
            lines.push(format!("  {name:<14} {}", number(&Number::Enclosed(set.clone()))));
        }
        match &self.found.said.what {
            Claim::Approximation(said) => lines.push(format!("  approximation  {}  (no certificate)", value(said))),
            Claim::Between([lower, upper]) => {
                lines.push(format!("  lower bound    {}", value(lower)));
                lines.push(format!("  upper bound    {}", value(upper)));
            }
            Claim::Below(upper) => lines.push(format!("  upper bound    {}", value(upper))),
        }
        lines.extend(short_of(self.asked, self.found).map(|why| format!("  {why}")));
        match &self.found.exact {
            Some(Outcome::Infinite) => lines.push("  exact          infinite".to_string()),
            Some(outcome) => match outcome.number() {
                Some(_) => {
                    let digits = self.asked.query.digits;
                    let text = outcome_text(outcome, digits, digits, false).replace("\n ", "");
                    lines.push(format!("  exact          {text}"));
                }
                None => lines.push(format!("  exact          {}", without_number(outcome))),
            },
            None => {}
        }
        if let Some(note) = self.found.note {
            lines.push(format!("  {note}"));
        }
        if let Some(error) = self.error() {
            lines.push(format!("  error          {}", number(&error)));
        }
        lines.push(format!("  {}", self.asked.statement().citation()));
        lines.join("\n")
    }
}
