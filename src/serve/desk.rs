//! Queries of the page and their answers, as JSON. An answer contains the number, how it was computed, and the same
//! query for a shell, for Python and for `dpcert answer`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::wire::Gone;
use crate::answer::answer;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, abbreviations};
use crate::picture::Theme;
use crate::print::{Shown, answer_line, answer_text, in_flags, shortened};
use crate::query::{Quantity, Query};
use enclosure::{Budget, Real};

/// Largest number of digits that the page may request.
const MOST_DIGITS: u32 = 1000;

/// Limits of one query.
#[derive(Clone)]
pub struct Limits {
    /// Time limit.
    pub timeout: Duration,
    /// A budget whose clock starts now.
    pub fresh: Arc<dyn Fn() -> Budget + Send + Sync>,
}

impl Limits {
    /// Budget whose clock starts now. It also ends when the connection of the query is closed.
    pub fn budget(&self, gone: &Gone) -> Budget {
        let gone = Arc::clone(gone);
        (self.fresh)().while_wanted(move || !gone.load(Ordering::Relaxed))
    }
}

/// Request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    mechanism: String,
    #[serde(default)]
    quantity: Asks,
    /// Argument of the quantity: delta, epsilon or alpha.
    #[serde(default)]
    at: String,
    #[serde(default)]
    digits: Option<u32>,
    #[serde(default)]
    direction: Option<Direction>,
    /// Draw the curve on a dark background.
    #[serde(default)]
    dark: bool,
}

/// Quantity that the page can query.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asks {
    Delta,
    #[default]
    Epsilon,
    Beta,
}

/// Parsed query.
pub struct Question {
    pub composition: Composition,
    pub direction: Direction,
    pub theme: Theme,
    quantity: Asks,
    at: String,
    digits: Option<u32>,
}

/// Parse a query. Expressions that name files are refused.
pub fn parse(body: &str) -> Result<Question, Error> {
    let sent: Sent = serde_json::from_str(body).map_err(|error| Error::input(shortened(error.to_string())))?;
    let composition = Composition::parse_closed(&sent.mechanism).map_err(|error| Error::input(error.to_string()))?;
    if let Some(digits) = sent.digits
        && !(1..=MOST_DIGITS).contains(&digits)
    {
        return Err(Error::input(format!("digits must be between 1 and {MOST_DIGITS}")));
    }
    let direction = sent.direction.unwrap_or(Direction::Worst);
    let theme = if sent.dark { Theme::Dark } else { Theme::Light };
    Ok(Question { composition, direction, theme, quantity: sent.quantity, at: sent.at, digits: sent.digits })
}

/// Compute the answer, as JSON.
pub fn answered(question: &Question, budget: &Budget) -> Result<Vec<u8>, Error> {
    let named = |name: &str| question.at.parse::<Real>().map_err(|error| Error::input(format!("{name}: {error}")));
    let (name, point, quantity) = match question.quantity {
        Asks::Delta => ("delta", "epsilon", Quantity::Delta { epsilon: named("epsilon")? }),
        Asks::Epsilon => ("epsilon", "delta", Quantity::Epsilon { delta: named("delta")? }),
        Asks::Beta => ("beta", "alpha", Quantity::Beta { alpha: named("alpha")? }),
    };
    let query = Query::new(quantity, question.composition.clone()).with_direction(question.direction);
    let query = match question.digits {
        Some(digits) => query.with_digits(digits),
        None => query,
    };
    let answer = answer(&query, &budget.clone().taking_notes())?;
    let expression = question.composition.to_string();
    let at = question.at.trim();
    let worst = question.direction == Direction::Worst;
    let direction = written(question.direction)?;
    // Flags of the shell, arguments of Python, fields of JSON.
    let (mut flags, mut arguments) = (String::new(), String::new());
    let mut asked = json!({ "quantity": name, "mechanism": expression, "at": { point: at } });
    if let Some(digits) = question.digits {
        flags += &format!(" --digits {digits}");
        arguments += &format!(", digits={digits}");
        asked["digits"] = digits.into();
    }
    if !worst {
        flags += &format!(" --direction {direction}");
        arguments += &format!(", direction=\"{direction}\"");
        asked["direction"] = direction.clone().into();
    }
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let python =
        format!("import dpcert\n\nprint(dpcert.{name}({}, {point}={}{arguments}))", quoted(&expression), quoted(at));
    let reply = json!({
        "expression": expression,
        "answer": answer_line(&query, &answer),
        "text": answer_text(&query, &answer, Shown::default()),
        "shell": format!("dpcert {name} '{expression}' --{point} '{at}'{flags}"),
        "python": python,
        "json": asked.to_string(),
    });
    Ok(reply.to_string().into_bytes())
}

/// Name of a direction.
fn written(direction: Direction) -> Result<String, Error> {
    match serde_json::to_value(direction) {
        Ok(serde_json::Value::String(text)) => Ok(text),
        _ => Err(Error::input("the direction has no name")),
    }
}

/// One mechanism of the list on the page.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    usage: String,
    summary: &'static str,
    example: &'static str,
}

/// Mechanisms and shorthands, as JSON.
pub fn mechanisms() -> Vec<u8> {
    let all: Vec<Entry> = Mechanism::catalogue()
        .iter()
        .chain(abbreviations())
        .map(|entry| Entry { name: entry.name, usage: entry.usage(), summary: entry.summary, example: entry.example })
        .collect();
    serde_json::to_vec(&all).unwrap_or_default()
}

/// Error message in one line, as on the command line.
pub fn told(error: &Error) -> String {
    shortened(in_flags(error))
}

/// JSON reply for a refused query.
pub fn refusal(why: &str) -> Vec<u8> {
    json!({ "error": why }).to_string().into_bytes()
}
