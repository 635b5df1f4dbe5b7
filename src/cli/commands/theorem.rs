//! `theorem`: what a theorem says of numbers, and whether its hypotheses hold of them.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::super::args::Statement;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json};
use crate::curve::Value;
use crate::error::Error;
use crate::print::{Numbers, number_text};
use crate::supervise;
use crate::theorem::catalogue::{ALL, Entry, Given, Said};
use enclosure::{Budget, Number, Real, refine};

/// The name that lists all theorems.
const LIST: &str = "list";

/// One number that a theorem says, as JSON.
#[derive(Serialize)]
struct Line {
    theorem: &'static str,
    source: &'static str,
    given: Map<String, Json>,
    name: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

/// A theorem of the list, as JSON.
#[derive(Serialize)]
struct Listed {
    theorem: &'static str,
    source: &'static str,
    says: &'static str,
    usage: String,
}

/// `dpcert theorem`.
pub fn run(statement: &Statement) -> Result<Status, Failure> {
    if statement.id == LIST && statement.values.is_empty() {
        return list(statement.json);
    }
    let Some(entry) = Entry::find(&statement.id) else {
        return Err(Failure::input(format!("there is no theorem `{}`: `dpcert theorem list` has all", statement.id)));
    };
    let mut values = Vec::new();
    for text in &statement.values {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::input(format!("`{text}` is not of the form name=value: {}", entry.usage())));
        };
        let name = name.trim();
        let value = value.parse::<Real>().map_err(|error| Failure::input(format!("{name}: {error}")))?;
        values.push((name.to_string(), value));
    }
    let given = entry.given(values)?;
    let limits = budget(statement.limits);
    let (own, digits) = (limits.clone(), statement.digits);
    let shown: Vec<(&str, String)> = given.0.iter().map(|(name, value)| (*name, value.to_string())).collect();
    let said = supervise::within(&limits, move || refined(entry, &given, digits, &own))?;
    if statement.json {
        let given = || shown.iter().map(|(name, value)| (name.to_string(), Json::from(value.as_str()))).collect();
        for (name, value) in said {
            let (kind, numbers) = match &value {
                Value::Finite(number @ Number::Exact(_)) => ("exact", Numbers::of(number, digits)),
                Value::Finite(number) => ("enclosure", Numbers::of(number, digits)),
                Value::Infinite => ("infinite", Numbers::default()),
            };
            say_json(&Line { theorem: entry.id, source: entry.source, given: given(), name, kind, numbers })?;
        }
        return Ok(Status::Fine);
    }
    let given: Vec<String> = shown.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    say(&format!("{} for {}", entry.id, given.join(", ")))?;
    for (name, value) in said {
        let number = match &value {
            Value::Finite(number) => number_text(number, digits, false).replace("\n ", ""),
            Value::Infinite => "= infinity".to_string(),
        };
        say(&format!("  {name} {number}"))?;
    }
    say(&format!("  {} ({})", entry.says, entry.source))?;
    Ok(Status::Fine)
}

/// Each number that a theorem says, to so many digits.
fn refined(entry: &Entry, given: &Given, digits: u32, budget: &Budget) -> Result<Said, Error> {
    let first = (entry.evaluate)(given, 64, budget)?;
    let mut all = Vec::with_capacity(first.len());
    for (at, (name, rough)) in first.into_iter().enumerate() {
        if matches!(rough, Value::Infinite | Value::Finite(Number::Exact(_))) {
            all.push((name, rough));
            continue;
        }
        let number = refine(digits, budget, |bits| match (entry.evaluate)(given, bits, budget)?.into_iter().nth(at) {
            Some((_, Value::Finite(number))) => Ok(number),
            _ => Err(Error::internal("a theorem says another number at another precision")),
        })?;
        all.push((name, Value::Finite(number)));
    }
    Ok(all)
}

fn list(json: bool) -> Result<Status, Failure> {
    for entry in ALL {
        if json {
            say_json(&Listed { theorem: entry.id, source: entry.source, says: entry.says, usage: entry.usage() })?;
        } else {
            say(&format!("{}\n    {}\n    {}", entry.usage(), entry.says, entry.source))?;
        }
    }
    Ok(Status::Fine)
}
