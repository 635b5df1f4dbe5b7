//! A question of the page in JSON, and its answer: the number, how it was come by, and the same question for a shell,
//! for Python and for `dpcert answer`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::wire::Gone;
use crate::answer::answer;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::picture::Theme;
use crate::print::{Shown, answer_line, answer_text, in_flags, shortened};
use crate::query::{Quantity, Query};
use enclosure::{Budget, Real};

/// More digits than this are for the command line.
const MOST_DIGITS: u32 = 1000;

/// What one question may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of time.
    pub timeout: Duration,
    /// Of memory, about.
    pub max_bytes: u64,
    /// Of working precision.
    pub max_bits: u32,
}

impl Limits {
    /// A budget whose clock starts now, and which ends when nobody waits any more.
    pub fn budget(self, gone: &Gone) -> Budget {
        let gone = Arc::clone(gone);
        Budget::new(self.max_bits, Some(self.timeout))
            .with_max_bytes(self.max_bytes)
            .while_wanted(move || !gone.load(Ordering::Relaxed))
    }
}

/// What the page sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    mechanism: String,
    #[serde(default)]
    quantity: Asks,
    /// The point of the quantity.
    #[serde(default)]
    at: String,
    #[serde(default)]
    digits: Option<u32>,
    #[serde(default)]
    direction: Option<Direction>,
    /// Of a curve: on a dark ground.
    #[serde(default)]
    dark: bool,
}

/// What the page can ask.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asks {
    Delta,
    #[default]
    Epsilon,
    Beta,
}

/// A question that was understood.
pub struct Question {
    pub composition: Composition,
    pub direction: Direction,
    pub theme: Theme,
    quantity: Asks,
    at: String,
    digits: Option<u32>,
}

/// The question in this JSON. Expressions that name files are none.
pub fn parse(body: &str) -> Result<Question, Error> {
    let sent: Sent = serde_json::from_str(body).map_err(|error| Error::input(shortened(error.to_string())))?;
    let composition = Composition::parse_closed(&sent.mechanism).map_err(|error| Error::input(error.to_string()))?;
    if let Some(digits) = sent.digits
        && !(1..=MOST_DIGITS).contains(&digits)
    {
        return Err(Error::input(format!("digits from 1 to {MOST_DIGITS} are expected")));
    }
    let direction = sent.direction.unwrap_or(Direction::Worst);
    let theme = if sent.dark { Theme::Dark } else { Theme::Light };
    Ok(Question { composition, direction, theme, quantity: sent.quantity, at: sent.at, digits: sent.digits })
}

/// The answer, as JSON.
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

/// How a direction is written.
fn written(direction: Direction) -> Result<String, Error> {
    match serde_json::to_value(direction) {
        Ok(serde_json::Value::String(text)) => Ok(text),
        _ => Err(Error::input("a direction has a name")),
    }
}

/// One mechanism, to click on.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    usage: String,
    summary: &'static str,
    example: &'static str,
}

/// The mechanisms of the catalogue, as JSON.
pub fn mechanisms() -> Vec<u8> {
    let all: Vec<Entry> = Mechanism::catalogue()
        .iter()
        .map(|entry| Entry { name: entry.name, usage: entry.usage(), summary: entry.summary, example: entry.example })
        .collect();
    serde_json::to_vec(&all).unwrap_or_default()
}

/// A fault in one line, as the program tells it.
pub fn told(error: &Error) -> String {
    shortened(in_flags(error))
}

/// What stands in the place of an answer.
pub fn refusal(why: &str) -> Vec<u8> {
    json!({ "error": why }).to_string().into_bytes()
}
