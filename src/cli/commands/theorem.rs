//! `theorem`: what a theorem says of numbers, and whether its hypotheses hold of them.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::super::args::Statement;
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::{self, Scale};
use super::{budget, say, say_json};
use crate::answer::Outcome;
use crate::curve::Value;
use crate::error::Error;
use crate::print::{OutcomeLine, Table, outcome_text, shortfall};
use crate::supervise;
use crate::theorem::catalogue::{ALL, Entry, Given, Said};
use enclosure::{Brief, Budget, Number, Real, Reason, refine};

/// The name that lists all theorems.
const LIST: &str = "list";

/// Which of the numbers are probabilities, whose ranges go in powers of ten.
const PROBABILITIES: [&str; 6] = ["delta", "delta2", "slack", "alpha", "beta", "tau"];

/// More points than this are no table.
const MOST: usize = 10_000;

/// One number that a theorem says, as JSON.
#[derive(Serialize)]
struct Line {
    theorem: &'static str,
    source: &'static str,
    given: Map<String, Json>,
    name: &'static str,
    #[serde(flatten)]
    outcome: OutcomeLine,
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
    let mut values: Vec<(String, Vec<Real>)> = Vec::new();
    for text in &statement.values {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::input(format!("`{text}` is not of the form name=value: {}", entry.usage())));
        };
        let name = name.trim();
        let scale = if PROBABILITIES.contains(&name) { Scale::Logarithmic } else { Scale::Linear };
        let all = points::read(value, scale).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        values.push((name.to_string(), all));
    }
    let count = values.iter().fold(1_usize, |count, (_, all)| count.saturating_mul(all.len()));
    if count > MOST {
        return Err(Failure::input(format!("{count} points are asked about, and {MOST} are the most")));
    }
    let mut asked = Vec::new();
    for at in 0..count {
        asked.push(entry.given(nth(&values, at))?);
    }
    let many = asked.len() > 1;
    let mut table: Option<Table> = None;
    let mut status = Status::Fine;
    for given in until(asked) {
        let limits = budget(statement.limits);
        let (own, digits) = (limits.clone(), statement.digits);
        let shown: Vec<(&'static str, Real)> = given.0.clone();
        let said = supervise::by_digits(digits, &limits, move |digits| refined(entry, &given, digits, &own));
        // One of many for which a hypothesis fails has a row that says so.
        let said = match said {
            Err(Error::Undefined(reason)) if many && !statement.json => Err(reason),
            said => Ok(outcomes(said?, digits)),
        };
        for (_, outcome) in said.iter().flatten() {
            status = status.and(outcome.into());
        }
        match said {
            Ok(said) if statement.json => lines(entry, &shown, said, digits)?,
            Ok(said) if !many => tell(entry, &shown, said, digits)?,
            said => add(&mut table, entry, &shown, &values, said, digits),
        }
    }
    if let Some(mut table) = table {
        table.source(format!("{} ({})", entry.says, entry.source));
        say(&table.text())?;
    }
    Ok(status)
}

/// What a theorem says by name: all digits of a number, or those that came in time.
type Outcomes = Vec<(&'static str, Outcome)>;

/// What is said, with the reason why there are no more digits.
fn outcomes((said, reason): (Said, Option<Reason>), digits: u32) -> Outcomes {
    let outcome = |value| match (value, &reason) {
        (Value::Infinite, _) => Outcome::Infinite,
        (Value::Finite(number), None) => Outcome::of(number),
        (Value::Finite(number), Some(reason)) => match Outcome::of(number) {
            Outcome::Enclosure(proven) if proven.digits() < digits => Outcome::Short { proven, reason: reason.clone() },
            outcome => outcome,
        },
    };
    said.into_iter().map(|(name, value)| (name, outcome(value))).collect()
}

/// One of the points: the last of the numbers changes first.
fn nth(values: &[(String, Vec<Real>)], at: usize) -> Vec<(String, Real)> {
    let mut left = at;
    let mut one: Vec<(String, Real)> = Vec::new();
    for (name, all) in values.iter().rev() {
        if let Some(value) = all.get(left % all.len().max(1)) {
            one.push((name.clone(), value.clone()));
        }
        left /= all.len().max(1);
    }
    one.reverse();
    one
}

/// What is said of one point, as JSON lines.
fn lines(entry: &'static Entry, given: &[(&'static str, Real)], said: Outcomes, digits: u32) -> Result<(), Failure> {
    for (name, outcome) in said {
        let given = given.iter().map(|(name, value)| (name.to_string(), Json::from(value.to_string()))).collect();
        say_json(&Line {
            theorem: entry.id,
            source: entry.source,
            given,
            name,
            outcome: OutcomeLine::of(&outcome, digits),
        })?;
    }
    Ok(())
}

/// What is said of one point, for people.
fn tell(entry: &'static Entry, given: &[(&'static str, Real)], said: Outcomes, digits: u32) -> Result<(), Failure> {
    let given: Vec<String> = given.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    say(&format!("{} for {}", entry.id, given.join(", ")))?;
    for (name, outcome) in said {
        say(&format!("  {name} {}", outcome_text(&outcome, digits, digits, false).replace("\n ", "")))?;
    }
    say(&format!("  {} ({})", entry.says, entry.source))
}

/// What is said of one of many points, as a row: the numbers of which there are many, and both ends of what is said.
fn add(
    table: &mut Option<Table>,
    entry: &'static Entry,
    given: &[(&'static str, Real)],
    values: &[(String, Vec<Real>)],
    said: Result<Outcomes, String>,
    digits: u32,
) {
    let changes = |name: &str| values.iter().any(|(known, all)| known == name && all.len() > 1);
    let (changing, same): (Vec<_>, Vec<_>) = given.iter().partition(|(name, _)| changes(name));
    let table = table.get_or_insert_with(|| {
        let same: Vec<String> = same.iter().map(|(name, value)| format!("{name} = {}", Brief(value))).collect();
        let title =
            if same.is_empty() { entry.id.to_string() } else { format!("{} for {}", entry.id, same.join(", ")) };
        let names: Vec<&str> = changing.iter().map(|(name, _)| *name).collect();
        Table::new(title, &[names.as_slice(), &["says"]].concat())
    });
    let at: Vec<String> = changing.iter().map(|(name, value)| format!("{name} = {}", Brief(value))).collect();
    for (name, outcome) in said.iter().flatten() {
        if let Some(why) = shortfall(outcome, digits, false) {
            table.remark(format!("{name} at {}: {why}", at.join(", ")));
        }
    }
    // The fraction of an exact number is left out, and so is why digits are missing.
    let cell = |(name, outcome): &(&'static str, Outcome)| {
        let text = outcome_text(outcome, digits, digits, false);
        let mut lines = text.lines();
        let line = if matches!(outcome, Outcome::Short { .. }) { lines.next() } else { lines.next_back() };
        format!("{name} {}", line.unwrap_or_default().trim())
    };
    let says = match &said {
        Ok(said) => said.iter().map(cell).collect::<Vec<_>>().join(", "),
        Err(reason) => format!("undefined: {reason}"),
    };
    table.row(changing.iter().map(|(_, value)| Brief(value).to_string()).chain([says]));
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
