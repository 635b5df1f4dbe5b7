//! `theorem`: what a theorem says of numbers, and whether its hypotheses hold of them.

use serde::Serialize;

use super::super::args::Statement;
use super::super::card::Card;
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::{self, Scale};
use super::{budget, say, say_json};
use crate::answer::Outcome;
use crate::print::{Outcomes, Stated, Table, outcome_text, shortfall};
use crate::theorem::catalogue::{ALL, Entry};
use enclosure::{Brief, Real};

/// The name that lists all theorems.
const LIST: &str = "list";

/// Which of the numbers are probabilities, whose ranges go in powers of ten.
const PROBABILITIES: [&str; 6] = ["delta", "delta2", "slack", "alpha", "beta", "tau"];

/// More points than this are no table.
const MOST: usize = 10_000;

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
    if statement.id == LIST {
        if !statement.values.is_empty() {
            return Err(Failure::input("`dpcert theorem list` takes no further arguments"));
        }
        return list(statement.json);
    }
    let Some(entry) = Entry::find(&statement.id) else { return elsewhere(statement) };
    let mut values: Vec<(String, Vec<Real>)> = Vec::new();
    for text in &statement.values {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::input(format!("`{text}` is not of the form name=value; usage: {}", entry.usage())));
        };
        let name = name.trim();
        let scale = if PROBABILITIES.contains(&name) { Scale::Logarithmic } else { Scale::Linear };
        let all = points::read(value, scale).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        values.push((name.to_string(), all));
    }
    let count = values.iter().fold(1_usize, |count, (_, all)| count.saturating_mul(all.len()));
    if count > MOST {
        return Err(Failure::input(format!("{count} points exceed the maximum of {MOST}")));
    }
    let mut asked = Vec::new();
    for at in 0..count {
        asked.push(entry.given(nth(&values, at))?);
    }
    let many = asked.len() > 1;
    let mut table: Option<Table> = None;
    let mut status = Status::Fine;
    for given in until(asked) {
        let asked = Stated { entry, given, digits: statement.digits };
        // One for which a hypothesis fails has a line, or a row of many, that says so.
        let said = match asked.answer(&budget(statement.limits)) {
            Err(error) if many || statement.json => Err(asked.unsaid(error)?),
            said => Ok(said?),
        };
        status = match &said {
            Ok(said) => said.iter().fold(status, |status, (_, outcome)| status.and(outcome.into())),
            Err((_, unsaid)) => status.and(*unsaid),
        };
        match said {
            Ok(said) if statement.json => asked.lines(&said).try_for_each(|line| say_json(&line))?,
            Err((line, _)) if statement.json => say_json(&line)?,
            Ok(said) if !many => tell(&asked, said)?,
            said => add(&mut table, &asked, &values, said.map_err(|(line, _)| line.text())),
        }
    }
    if let Some(mut table) = table {
        table.source(format!("{} ({})", entry.says, entry.source));
        say(&table.text())?;
    }
    Ok(status)
}

/// A statement that another command answers: what it says, and the command.
fn elsewhere(statement: &Statement) -> Result<Status, Failure> {
    let id = crate::table::quoted(&statement.id);
    let Some(card) = Card::find(&statement.id)? else {
        return Err(Failure::input(format!("unknown theorem `{id}`; `dpcert theorem list` lists all theorems")));
    };
    if !statement.values.is_empty() {
        let instead = card.command().map(|command| format!("; use `{command}` instead")).unwrap_or_default();
        return Err(Failure::input(format!("`dpcert theorem {id}` takes no parameters{instead}")));
    }
    show(&card, statement.json)?;
    Ok(Status::Fine)
}

/// Print a card.
pub fn show(card: &Card, json: bool) -> Result<(), Failure> {
    if !json {
        return say(&card.text());
    }
    card.lines().try_for_each(|line| say_json(&line))?;
    card.item_lines().try_for_each(|line| say_json(&line))
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

/// Text output for one point.
fn tell(asked: &Stated, said: Outcomes) -> Result<(), Failure> {
    let Stated { entry, given, digits } = asked;
    let given: Vec<String> = given.0.iter().map(|(name, value)| format!("{name} = {}", Brief(value))).collect();
    say(&format!("{} for {}", entry.id, given.join(", ")))?;
    for (name, outcome) in said {
        say(&format!("  {name} {}", outcome_text(&outcome, *digits, *digits, false).replace("\n ", "")))?;
    }
    say(&format!("  {} ({})", entry.says, entry.source))
}

/// One of several points as a table row: the varying parameters and the result.
fn add(table: &mut Option<Table>, asked: &Stated, values: &[(String, Vec<Real>)], said: Result<Outcomes, String>) {
    let (entry, digits) = (asked.entry, asked.digits);
    let changes = |name: &str| values.iter().any(|(known, all)| known == name && all.len() > 1);
    let (changing, same): (Vec<_>, Vec<_>) = asked.given.0.iter().partition(|(name, _)| changes(name));
    let table = table.get_or_insert_with(|| {
        let same: Vec<String> = same.iter().map(|(name, value)| format!("{name} = {}", Brief(value))).collect();
        let title =
            if same.is_empty() { entry.id.to_string() } else { format!("{} for {}", entry.id, same.join(", ")) };
        let names: Vec<&str> = changing.iter().map(|(name, _)| *name).collect();
        Table::new(title, &[names.as_slice(), &["result"]].concat())
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
        Err(why) => why.clone(),
    };
    table.row(changing.iter().map(|(_, value)| Brief(value).to_string()).chain([says]));
}

fn list(json: bool) -> Result<Status, Failure> {
    for entry in ALL {
        if json {
            say_json(&Listed { theorem: entry.id, source: entry.source, says: entry.says, usage: entry.usage() })?;
        } else {
            say(&format!("{}\n    {}\n    {}", entry.usage(), entry.says, entry.source))?;
        }
    }
    if !json {
        say("`dpcert help NAME` shows any other statement of the papers, e.g. `dpcert help KOV-3.3`")?;
    }
    Ok(Status::Fine)
}
