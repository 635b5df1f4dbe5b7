//! Compositions in TOML files, for those too long for a command line.
//!
//! ```toml
//! [[mechanism]]
//! name = "discrete-gaussian"
//! sigma2 = "120000/1729"
//! times = 9                  # 1 if left out
//!
//! [[mechanism]]
//! name = "approx-dp"
//! epsilon = { ln = "3/2" }   # or "ln(3/2)"
//! delta = 1e-6               # the decimal as written, never a double
//!
//! [[mechanism]]
//! name = "poisson"
//! rate = 0.01
//! mechanism = { name = "gaussian", sigma = 1 }   # or "gaussian(sigma=1)"
//! times = 1000
//! level = "County"           # a label for tables by levels; changes no answer
//! ```
//!
//! For calibration `"?"` marks one number, or `times`; the file then becomes the expression of its tables.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::argument::Raw;
use super::{Composition, allocation, json};
use crate::error::Error;
use crate::read::{read_text, shown};
use enclosure::Meter;

/// The largest file that is read, in bytes.
pub(super) const MAX_FILE: u64 = 1 << 24;

/// The deepest nesting of mechanisms in mechanisms.
const MAX_DEPTH: usize = 100;

/// The composition in the file at this path: a budget in CSV, of which one level may be named, or mechanisms in TOML.
pub(super) fn load(path: &str) -> Result<Composition, Error> {
    if let Some((file, part)) = allocation::csv(path) {
        return allocation::composition(file, part);
    }
    let text = read_text(path, MAX_FILE)?;
    read(&text).map_err(|fault| located(path, &text, fault))
}

/// The steps of the TOML file at this path, by levels in the order of the file.
///
/// # Errors
/// [`Error::Input`] with the line of the fault, and for a step without `level`.
#[cfg(feature = "cli")]
pub fn levels(path: &str) -> Result<Vec<(String, Composition)>, Error> {
    let text = read_text(path, MAX_FILE)?;
    let mut levels: Vec<(String, Vec<json::Read>)> = Vec::new();
    for (at, (label, step)) in steps(&text).map_err(|fault| located(path, &text, fault))?.into_iter().enumerate() {
        let missing = || Error::input(format!("{}: [[mechanism]] {} has no level", shown(path), at + 1));
        let name = label.ok_or_else(missing)?;
        match levels.iter_mut().find(|(known, _)| *known == name) {
            Some((_, steps)) => steps.push(step),
            None => levels.push((name, vec![step])),
        }
    }
    levels.into_iter().map(|(name, steps)| Ok((name, json::composed(steps)?))).collect()
}

fn located(path: &str, text: &str, (at, message): (usize, String)) -> Error {
    let line = text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1;
    Error::input(format!("{}:{line}: {message}", shown(path)))
}

/// The composition of a text, or the byte position and message of an error.
pub(super) fn read(text: &str) -> Result<Composition, (usize, String)> {
    let steps = steps(text)?.into_iter().map(|(_, step)| step).collect();
    json::composed(steps).map_err(|error| (0, error.to_string()))
}

/// A step, with its level if it names one.
type Labelled = (Option<String>, json::Read);

/// The steps of a text.
fn steps(text: &str) -> Result<Vec<Labelled>, (usize, String)> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, error.message().replace('\n', " "))
    })?;
    let mut meter = Meter::default();
    let mut steps = Vec::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() != "mechanism" {
            let message = format!("unknown key `{}`; expected [[mechanism]]", key.get_ref());
            return Err((key.span().start, message));
        }
        let DeValue::Array(items) = value.get_ref() else {
            return Err((value.span().start, "expected [[mechanism]], with two brackets".into()));
        };
        for item in items {
            let DeValue::Table(table) = item.get_ref() else {
                return Err((item.span().start, "expected a table with name, times and parameters".into()));
            };
            steps.push((label(table)?, mechanism(item.span().start, table, 0, &mut meter)?));
        }
    }
    // A file cut short would be perfectly private.
    if steps.is_empty() {
        return Err((0, "there is no [[mechanism]] in this file".into()));
    }
    Ok(steps)
}

/// The key of the level that a step belongs to: a label, which changes no answer.
const LEVEL: &str = "level";

/// The level of a step.
fn label(table: &DeTable<'_>) -> Result<Option<String>, (usize, String)> {
    match table.get(LEVEL).map(|value| (value.span().start, value.get_ref())) {
        None => Ok(None),
        Some((_, DeValue::String(text))) if !text.trim().is_empty() && !text.contains(char::is_control) => {
            Ok(Some(text.to_string()))
        }
        Some((at, _)) => Err((at, "level must be a name, as in level = \"County\"".into())),
    }
}

/// The expression of the file at this path, if a number in it is marked `?`.
pub(super) fn template(path: &str) -> Result<Option<String>, Error> {
    if allocation::csv(path).is_some() {
        return Ok(None);
    }
    let text = read_text(path, MAX_FILE)?;
    if !text.contains('?') {
        return Ok(None);
    }
    let located = |fault| located(path, &text, fault);
    // The reader of files reports all other errors.
    let Ok(table) = DeTable::parse(&text) else { return Ok(None) };
    let Some(DeValue::Array(items)) = table.get_ref().get("mechanism").map(Spanned::get_ref) else { return Ok(None) };
    let mut meter = Meter::default();
    let mut steps = Vec::new();
    for item in items {
        let DeValue::Table(table) = item.get_ref() else { return Ok(None) };
        let at = item.span().start;
        let step = raw_step(at, table, 0).map_err(located)?;
        steps.push(step.text(&mut meter).map_err(|message| located((at, message)))?);
    }
    let whole = steps.join(" * ");
    Ok(whole.contains('?').then_some(whole))
}

/// One table of a file as it is written.
fn raw_step(start: usize, table: &DeTable<'_>, depth: usize) -> Result<json::RawStep, (usize, String)> {
    if depth > MAX_DEPTH {
        return Err((start, format!("mechanisms are nested more than {MAX_DEPTH} deep")));
    }
    let (mut name, mut times, mut given, mut of) = (None, None, Vec::new(), None);
    for (key, value) in table {
        let at = value.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("mechanism", DeValue::Table(inner)) => of = Some(raw_step(at, inner, depth + 1)?),
            ("name", DeValue::String(text)) => name = Some(text.to_string()),
            ("name", _) => return Err((at, "name must be a string".into())),
            ("times", _) => times = Some(raw(value)?),
            (LEVEL, _) if depth == 0 => {}
            (parameter, _) => given.push((parameter.to_string(), raw(value)?)),
        }
    }
    let Some(name) = name else { return Err((start, "this [[mechanism]] has no name = \"...\"".into())) };
    Ok(json::RawStep::new(name, given, of, times))
}

/// One table of a file, `depth` mechanisms inside others.
fn mechanism(
    start: usize,
    table: &DeTable<'_>,
    depth: usize,
    meter: &mut Meter,
) -> Result<json::Read, (usize, String)> {
    if depth > MAX_DEPTH {
        return Err((start, format!("mechanisms are nested more than {MAX_DEPTH} deep")));
    }
    let (mut name, mut times, mut given, mut places) = (None, None, Vec::new(), Vec::new());
    for (key, value) in table {
        let at = value.span().start;
        if depth == 0 && key.get_ref() == LEVEL {
            continue;
        }
        let value = match value.get_ref() {
            DeValue::Table(table) if key.get_ref() == "mechanism" => {
                let inner = mechanism(at, table, depth + 1, meter)?;
                Raw::Mechanism(json::composed(vec![inner]).map_err(|error| (at, error.to_string()))?)
            }
            _ => raw(value)?,
        };
        match key.get_ref().as_ref() {
            "name" => match value {
                Raw::Text(text) => name = Some((at, text)),
                _ => return Err((at, "name must be a string".into())),
            },
            "times" => times = Some((at, value)),
            parameter => {
                given.push((parameter.to_string(), value));
                places.push(at);
            }
        }
    }
    let Some((name_at, name)) = name else { return Err((start, "this [[mechanism]] has no name = \"...\"".into())) };
    json::step(&name, given, times.as_ref().map(|(_, times)| times), meter).map_err(|(fault, message)| {
        let at = match fault {
            json::Place::Name => name_at,
            json::Place::Times => times.map_or(start, |(at, _)| at),
            json::Place::Argument(index) => places.get(index).copied().unwrap_or(start),
        };
        (at, message)
    })
}

fn raw(value: &Spanned<DeValue<'_>>) -> Result<Raw, (usize, String)> {
    let at = value.span().start;
    Ok(match value.get_ref() {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(integer) => Raw::Text(decimal(integer).ok_or((at, "integers must be decimal".to_string()))?),
        // The text of the number, which no double has touched.
        DeValue::Float(float) => Raw::Text(float.as_str().to_string()),
        DeValue::Array(items) => Raw::List(items.iter().map(raw).collect::<Result<_, _>>()?),
        DeValue::Table(table) => {
            let mut entries = table.iter();
            match (entries.next(), entries.next()) {
                (Some((name, argument)), None) => match raw(argument)? {
                    Raw::Text(text) => Raw::Function(name.get_ref().to_string(), text),
                    _ => return Err((at, "expected a constant, as in { ln = \"3/2\" }".into())),
                },
                _ => return Err((at, "expected one function, as in { ln = \"3/2\" }".into())),
            }
        }
        DeValue::Boolean(_) | DeValue::Datetime(_) => return Err((at, "expected a number or a string".into())),
    })
}

fn decimal(integer: &DeInteger<'_>) -> Option<String> {
    (integer.radix() == 10).then(|| integer.as_str().to_string())
}
