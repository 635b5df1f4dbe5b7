//! What theorems say of a composition, as a line of JSON.

use serde::Serialize;

use super::{FEWEST, Numbers, OutcomeLine, Status, shortage, unsaid, with_flags};
use crate::answer::{Meaning, Outcome};
use crate::approximate::{Approximated, Approximation, Claim, Theorem};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Cause;
use crate::query::{Point, QuantityName};
use enclosure::Number;

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct ApproximatedLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    theorem: Theorem,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<u32>,
    /// The form of the central limit theorem.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    quantity: QuantityName,
    mechanism: String,
    at: Point,
    direction: Direction,
    /// Is what it says proven? Left out where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    certified: Option<bool>,
    /// `undefined` or `undecided`, where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// How many are known of what it says, if fewer than were asked for: the reason is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mu: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gamma: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_bound: Option<Shown>,
    /// What the exact value of the pair, which the theorem is about, says about the mechanism. Left out without a
    /// value.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Meaning>,
    /// Why it is not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<OutcomeLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Numbers>,
    /// Why the exact value is left out without having been asked for, or of which mechanism all this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    statement: &'static str,
}

/// A value with its kind.
#[derive(Serialize)]
struct Shown {
    kind: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

impl Shown {
    fn of(value: &Value, digits: u32) -> Self {
        match value {
            Value::Finite(number) => Shown { kind: "enclosure", numbers: Numbers::of(number, digits) },
            Value::Infinite => Shown { kind: "infinite", numbers: Numbers::default() },
        }
    }
}

/// Approximation minus exact value.
pub fn error_of(found: &Approximated) -> Option<Number> {
    match (&found.said.what, found.exact.as_ref()?.number()?) {
        (Claim::Approximation(Value::Finite(value)), exact) => Some(value - &exact),
        _ => None,
    }
}

/// A line without what is said.
fn asked(question: &Approximation) -> ApproximatedLine {
    ApproximatedLine {
        id: question.query.id.clone(),
        theorem: question.theorem,
        order: question.expansion(),
        form: (question.theorem == Theorem::Clt).then(|| question.form_used().name()),
        quantity: question.query.quantity.name(),
        mechanism: question.query.mechanism.to_string(),
        at: question.query.quantity.point(),
        direction: question.query.direction,
        certified: None,
        kind: None,
        reason: None,
        digits: None,
        mu: None,
        gamma: None,
        c: None,
        rho: None,
        approximation: None,
        lower_bound: None,
        upper_bound: None,
        meaning: None,
        because: None,
        exact: None,
        error: None,
        note: None,
        statement: question.statement().citation(),
    }
}

impl ApproximatedLine {
    /// Of which kind it is that nothing is said, and why.
    pub fn unsaid(self) -> (&'static str, String) {
        (self.kind.unwrap_or_default(), self.reason.unwrap_or_default())
    }
}

/// The line of an answer.
pub fn approximated_line(question: &Approximation, found: &Approximated) -> ApproximatedLine {
    let asked_for = question.query.digits;
    let digits = shown_of(question, found);
    let shown = |value| Some(Shown::of(value, digits));
    let (approximation, lower_bound, upper_bound) = match &found.said.what {
        Claim::Approximation(value) => (shown(value), None, None),
        Claim::Between([lower, upper]) => (None, shown(lower), shown(upper)),
        Claim::Below(upper) => (None, None, shown(upper)),
    };
    let parameter = |name| {
        let set = found.said.parameters.iter().find(|(known, _)| *known == name);
        set.map(|(_, set)| Numbers::of(&Number::Enclosed(set.clone()), digits))
    };
    ApproximatedLine {
        reason: found.short.as_ref().map(|(_, reason)| with_flags(reason)),
        digits: found.short.as_ref().map(|(known, _)| *known),
        certified: Some(!matches!(found.said.what, Claim::Approximation(_))),
        mu: parameter("mu"),
        gamma: parameter("gamma"),
        c: parameter("c"),
        rho: parameter("rho"),
        approximation,
        lower_bound,
        upper_bound,
        meaning: found.exact.as_ref().and_then(Outcome::lower_f64).map(|_| found.meaning),
        because: found.cause.map(Cause::reason),
        exact: found.exact.as_ref().map(|exact| OutcomeLine::of(exact, asked_for)),
        error: error_of(found).map(|number| Numbers::of(&number, digits)),
        note: found.note,
        ..asked(question)
    }
}

/// The digits to which what a theorem says is shown.
pub fn shown_of(question: &Approximation, found: &Approximated) -> u32 {
    found.short.as_ref().map_or(question.query.digits, |(known, _)| (*known).max(FEWEST))
}

/// Why there are no more, for people.
pub fn short_of(question: &Approximation, found: &Approximated) -> Option<String> {
    let (known, reason) = found.short.as_ref()?;
    Some(shortage(*known, Some(question.query.digits), reason))
}

/// The exit code: whether the result and the exact value are proven to the requested number of digits.
pub fn approximated_status(found: &Approximated) -> Status {
    let said = if found.short.is_some() { Status::Undecided } else { Status::Fine };
    found.exact.as_ref().map_or(said, |exact| said.and(exact.into()))
}

/// The line of a question that a theorem says nothing of, and how that went. The error where it is none of those.
pub fn unsaid_line(question: &Approximation, error: Error) -> Result<(ApproximatedLine, Status), Error> {
    let (kind, reason, status) = unsaid(error)?;
    Ok((ApproximatedLine { kind: Some(kind), reason: Some(reason), ..asked(question) }, status))
}
