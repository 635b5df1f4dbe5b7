//! Calibrations for people and for programs.

use serde::Serialize;

use dpcert_vectors::hex_of_f64;

use super::flags::with_flags;
use super::{Numbers, direction_text, number_line, number_text, shortage};
use crate::answer::{Bound, Meaning, Outcome};
use crate::calibrate::{At, Calibrated, Calibration, Target, Trial};
use crate::curve::Direction;
use crate::mechanism::Cause;
use crate::statement::PEAKED;
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Number};

/// Digits of the decimal of a double: enough to distinguish it from its neighbours, and two more.
const DECIMALS: u32 = 19;

/// Digits of a delta or beta beside its target: neighbouring doubles differ in the last of them.
const BESIDE: u32 = 18;

/// A calibration as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct CalibratedLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    at: At,
    direction: Direction,
    parameter: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u32>,
    #[serde(flatten)]
    numbers: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// A double in hexadecimal, or an integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe: Option<String>,
    /// The same in decimals; a double is rounded to the safe side.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe_decimal: Option<String>,
    /// The delta or beta there.
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<There>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fails: Option<Fails>,
    method: String,
    statement: &'static str,
    order: &'static str,
    /// What the numbers beside the values say about the mechanism, and why if they are not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Meaning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// Of bounds: which bound they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    /// How shorthands were expanded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A delta or beta.
#[derive(Serialize)]
struct There {
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

/// A value that breaks the promise, and the delta or beta there.
#[derive(Serialize)]
struct Fails {
    value: String,
    decimal: String,
    #[serde(flatten)]
    there: There,
}

/// The JSON line of a calibration.
pub fn calibrated_line(question: &Calibration, answer: &Calibrated) -> CalibratedLine {
    let digits = answer.outcome.digits().map(|digits| digits.min(question.digits));
    let (kind, reason) = match &answer.outcome {
        Outcome::Exact(_) => ("exact", None),
        Outcome::Enclosure(_) => ("enclosure", None),
        Outcome::Short { reason, .. } => ("enclosure", Some(with_flags(reason))),
        Outcome::Infinite => ("infinite", None),
        Outcome::Undefined(reason) => ("undefined", Some(reason.clone())),
        Outcome::Undecided(reason) => ("undecided", Some(with_flags(reason))),
    };
    CalibratedLine {
        id: question.id.clone(),
        quantity: "calibrate",
        mechanism: question.template.to_string(),
        at: question.target.at(),
        direction: question.direction,
        parameter: answer.parameter,
        kind,
        digits,
        numbers: answer
            .outcome
            .number()
            .map(|number| Numbers::of(&number, shown(question, answer)))
            .unwrap_or_default(),
        reason,
        safe: answer.safe.as_ref().map(value),
        safe_decimal: answer.safe.as_ref().map(|safe| value_decimal(answer, safe, true)),
        guarantee: answer.safe.as_ref().and_then(there),
        fails: answer.fails.as_ref().and_then(|fails| {
            Some(Fails { value: value(fails), decimal: value_decimal(answer, fails, false), there: there(fails)? })
        }),
        method: answer.method.clone(),
        statement: answer.statement.map_or("", |statement| statement.citation()),
        order: answer.order.citation(),
        meaning: answer.meaning,
        because: answer.cause.map(Cause::reason),
        bound: answer.bound,
        notes: question.template.notes().iter().map(ToString::to_string).collect(),
    }
}

/// Digits of a number with both ends of what neighbouring doubles prove.
const ENDS: u32 = 16;

/// Digits of the ends of the parameter: enough to show what neighbouring doubles prove, and hardly more than are
/// proven.
fn shown(question: &Calibration, answer: &Calibrated) -> u32 {
    match &answer.outcome {
        Outcome::Short { proven, .. } => question.digits.min(proven.digits().saturating_add(2)).max(ENDS),
        _ => question.digits.max(ENDS),
    }
}

fn there(trial: &Trial) -> Option<There> {
    if matches!(trial.outcome, Outcome::Infinite) {
        return Some(There { kind: "infinite", numbers: Numbers::default() });
    }
    let number = trial.outcome.number()?;
    let kind = if number.exact().is_some() { "exact" } else { "enclosure" };
    Some(There { kind, numbers: Numbers::of(&number, BESIDE) })
}

/// A value: a double in hexadecimal, or an integer; or the fraction at the end of the weights of a mixture.
fn value(trial: &Trial) -> String {
    if trial.is_double { hex_of_f64(trial.value.lower_f64()) } else { trial.value.to_string() }
}

/// A value in decimals, rounded away from the other one: so a decimal of a safe value is safe.
fn value_decimal(answer: &Calibrated, trial: &Trial, safe: bool) -> String {
    if !trial.is_double {
        return trial.value.to_string();
    }
    let above = match (&answer.safe, &answer.fails) {
        (Some(other), Some(fails)) => (other.value > fails.value) == safe,
        _ => safe,
    };
    decimal(&Number::from(&trial.value), DECIMALS, if above { Side::Upper } else { Side::Lower })
}

/// The calibration as cells of a table: both ends of the number, and the value that is safe.
#[cfg(feature = "cli")]
pub fn calibrated_row(question: &Calibration, answer: &Calibrated) -> [String; 3] {
    let [lower, upper] = match &answer.outcome {
        Outcome::Undefined(_) => ["undefined"; 2].map(str::to_string),
        Outcome::Undecided(_) => ["undecided"; 2].map(str::to_string),
        Outcome::Infinite => ["infinity"; 2].map(str::to_string),
        outcome => [Side::Lower, Side::Upper].map(|side| {
            outcome.number().map_or(String::new(), |number| decimal(&number, shown(question, answer), side))
        }),
    };
    [lower, upper, answer.safe.as_ref().map_or("-".to_string(), |safe| value_decimal(answer, safe, true))]
}

/// The calibration for people: the question, the number, the two values that prove it.
pub fn calibrated_text(question: &Calibration, answer: &Calibrated, source: bool) -> String {
    let (what, promise) = match &question.target {
        Target::Profile { epsilon, delta } => {
            ("delta", format!("delta at most {} at epsilon = {}", Brief(delta), Brief(epsilon)))
        }
        Target::Tradeoff { alpha, beta } => {
            ("beta", format!("beta at least {} at alpha = {}", Brief(beta), Brief(alpha)))
        }
        Target::Gdp { mu } => ("mu", format!("{}-GDP", Brief(mu))),
        Target::Zcdp { rho } => ("rho", format!("{}-zCDP", Brief(rho))),
        Target::Renyi { order, value } => {
            ("divergence", format!("a Renyi divergence of order {} of at most {}", Brief(order), Brief(value)))
        }
    };
    let direction = direction_text(question.direction);
    let name = answer.parameter;
    let mut text = format!("{name} of {:#} for {promise}{direction}", question.template);
    let interval = |number: &Number| format!("\n  {name} {}", number_text(number, shown(question, answer) - 1, true));
    match &answer.outcome {
        Outcome::Undefined(reason) => text += &format!("\n  undefined: {reason}"),
        Outcome::Undecided(reason) => text += &format!("\n  undecided: {}", with_flags(reason)),
        outcome => text += &outcome.number().map(|number| interval(&number)).unwrap_or_default(),
    }
    if let Outcome::Short { proven, reason } = &answer.outcome {
        text += &format!("\n  {}", shortage(proven.digits(), None, reason));
    }
    for (trial, safe, says) in [(&answer.safe, true, "safe: "), (&answer.fails, false, "fails:")] {
        let Some(trial) = trial else { continue };
        let number = match &trial.outcome {
            Outcome::Infinite => "= infinity".to_string(),
            outcome => match outcome.number() {
                Some(number) => number_line(&number, BESIDE),
                None => continue,
            },
        };
        let hex = if trial.is_double { format!(" ({})", value(trial)) } else { String::new() };
        let shown = value_decimal(answer, trial, safe);
        text += &format!("\n  {says} {shown}{hex}, {what} {number}");
    }
    if source && !answer.method.is_empty() {
        text +=
            &format!("\n  by {} ({})", answer.method, answer.statement.map_or("", |statement| statement.citation()));
        text += &format!("\n  {}", answer.order.citation());
    }
    if answer.order.citation() == PEAKED.citation() {
        text += "\n  all values beyond the safe one meet the target; some beyond the failing one may meet it too";
    }
    if let Some(cause) = answer.cause.filter(|cause| *cause != Cause::Guarantee) {
        text += "\n  a bound: the safe value meets the target; the failing value may meet it too";
        text += &format!("\n  {}", cause.reason());
    } else if answer.bound.is_some() {
        text += "\n  a bound: the guarantee implies the target at the safe value, but not at the failing one";
        // The failing value is only known to miss the target by the bounds that were tried.
        text += ", by the best known bound";
    }
    text
}
