//! `census levels`: epsilon by three accounts side by side.

use serde::Serialize;

use super::super::super::args::Limits;
use super::super::super::failure::{Failure, Status};
use super::super::super::interrupt::until;
use super::super::super::points::Scale;
use super::super::{budget, points, say, say_json};
use crate::answer::Outcome;
use crate::census::levels::{Row, levels, row};
use crate::print::Numbers;
use crate::print::with_flags;
use crate::table::field;
use enclosure::decimal::{Side, decimal};
use enclosure::{Number, Real};

/// How the rows are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Aligned, for people: one number for each account, rounded up.
    Text,
    /// Both ends of each number, as a table.
    Csv,
    /// The same as JSON lines.
    Json,
}

/// A row as a JSON object.
#[derive(Serialize)]
struct Line<'a> {
    level: &'a str,
    queries: usize,
    rho: String,
    delta: String,
    bun_steinke: Numbers,
    canonne_kamath_steinke: Numbers,
    exact: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    method: &'a str,
    statement: &'a str,
}

/// What the columns look like.
struct Layout<'a> {
    form: Form,
    delta: &'a Real,
    digits: u32,
    /// The longest name of a level.
    width: usize,
    /// Are there several deltas?
    many: bool,
}

/// `dpcert census levels`.
pub fn run(file: &str, delta: &str, digits: u32, limits: Limits, form: Form) -> Result<Status, Failure> {
    let levels = levels(file)?;
    let deltas = points("delta", delta, Scale::Logarithmic)?;
    let width = levels.iter().map(|level| level.name.chars().count()).max().unwrap_or(0);
    let mut worst = Status::Fine;
    let mut reasons = Vec::new();
    let questions = deltas.iter().flat_map(|delta| levels.iter().map(move |level| (delta, level)));
    for (index, (delta, level)) in until(questions.enumerate()) {
        let row = row(level, delta, digits, || budget(limits))?;
        let layout = Layout { form, delta, digits, width, many: deltas.len() > 1 };
        // A delta out of its domain is refused before anything is printed. Text has a heading for each delta.
        if index % levels.len() == 0 && (index == 0 || form == Form::Text) {
            if index > 0 {
                say("")?;
            }
            layout.heading()?;
        }
        layout.print(&row)?;
        worst = worst.max((&row.exact.outcome).into());
        if let Some(reason) = reason(&row) {
            let what = match &row.exact.outcome {
                Outcome::Short { .. } if row.digits == 0 => "no digit proven".to_string(),
                Outcome::Short { .. } => format!("{} digits proven", row.digits),
                Outcome::Undefined(_) => "undefined".to_string(),
                _ => "undecided".to_string(),
            };
            reasons.push(format!("{what}: {}: {reason}", row.level));
        }
    }
    for reason in reasons {
        eprintln!("dpcert: {reason}");
    }
    Ok(worst)
}

/// Reason for a missing or low-precision value.
fn reason(row: &Row) -> Option<String> {
    match &row.exact.outcome {
        Outcome::Undefined(reason) => Some(reason.clone()),
        Outcome::Short { reason, .. } | Outcome::Undecided(reason) => Some(with_flags(reason)),
        Outcome::Exact(_) | Outcome::Enclosure(_) | Outcome::Infinite => None,
    }
}

impl Layout<'_> {
    fn heading(&self) -> Result<(), Failure> {
        match self.form {
            Form::Text => {
                say(&format!("epsilon at delta = {}, all values rounded up", self.delta))?;
                say(&self.line(
                    "level",
                    "queries",
                    "rho",
                    ["Bun-Steinke", "CKS, best order", "exact"].map(String::from),
                ))
            }
            Form::Csv => {
                let delta = if self.many { "delta," } else { "" };
                say(&format!(
                    "{delta}level,queries,rho,bun_steinke_lower,bun_steinke_upper,canonne_kamath_steinke_lower,\
                     canonne_kamath_steinke_upper,exact_lower,exact_upper"
                ))
            }
            Form::Json => Ok(()),
        }
    }

    fn line(&self, level: &str, queries: &str, rho: &str, [simple, best, exact]: [String; 3]) -> String {
        let (width, number) = (self.width, (self.digits as usize + 1).max(15));
        format!("{level:width$}  {queries:>7}  {rho:12}  {simple:number$}  {best:number$}  {exact}")
    }

    fn print(&self, row: &Row) -> Result<(), Failure> {
        let exact = row.exact.outcome.number();
        match self.form {
            Form::Text => {
                let upper = |number: &Number| decimal(number, self.digits, Side::Upper);
                let exact =
                    exact.as_ref().map_or("undecided".to_string(), |exact| decimal(exact, row.digits, Side::Upper));
                let rho = decimal(&Number::Exact(row.rho.clone()), 8, Side::Upper);
                let numbers = [upper(&row.bun_steinke), upper(&row.best_order), exact];
                say(&self.line(&row.level, &row.queries.to_string(), &rho, numbers))
            }
            Form::Csv => {
                let end = |number: &Number, side| decimal(number, self.digits + 1, side);
                let ends = |number: &Number| format!("{},{}", end(number, Side::Lower), end(number, Side::Upper));
                let (simple, best) = (ends(&row.bun_steinke), ends(&row.best_order));
                let exact = exact.as_ref().map_or(",".to_string(), |exact| {
                    let end = |side| decimal(exact, row.digits + 1, side);
                    format!("{},{}", end(Side::Lower), end(Side::Upper))
                });
                let delta = if self.many { format!("{},", self.delta) } else { String::new() };
                say(&format!("{delta}{},{},{},{simple},{best},{exact}", field(&row.level), row.queries, row.rho))
            }
            Form::Json => say_json(&Line {
                level: &row.level,
                queries: row.queries,
                rho: row.rho.to_string(),
                delta: self.delta.to_string(),
                bun_steinke: Numbers::of(&row.bun_steinke, self.digits),
                canonne_kamath_steinke: Numbers::of(&row.best_order, self.digits),
                exact: exact.map(|exact| Numbers::of(&exact, row.digits)).unwrap_or_default(),
                reason: reason(row),
                method: &row.exact.method,
                statement: row.exact.citation(),
            }),
        }
    }
}
