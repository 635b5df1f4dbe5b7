//! Reads one query as a line of JSON and writes its answer as another line. The field `quantity` selects the kind of
//! query.
//!
//! A line that cannot be answered gets an object with an `error` in its place, so that answers and queries stay
//! matched.

use serde::{Deserialize, Serialize};

use super::fault::read;
use super::{Status, answer_line, calibrated_line};
use crate::answer::Session;
use crate::calibrate::{Calibration, calibrate};
#[cfg(feature = "cli")]
use crate::error::Error;
use crate::query::Query;
use enclosure::Budget;

/// The most characters of a line that another library wrote.
const LONGEST_TEXT: usize = 400;

/// The reply to a line that is not a query.
#[derive(Serialize)]
struct Refusal {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    line: u64,
    error: String,
}

/// The answer to one line. Questions in a row about one composition are one session.
pub fn reply(number: u64, text: &str, session: &mut Option<Session>, budget: &Budget) -> (String, Status) {
    let query: Query = match serde_json::from_str(text) {
        // A list would be read as the fields in their order.
        Ok(query) if !text.trim_start().starts_with('[') => query,
        _ => return no_query(number, text, budget),
    };
    if session.as_ref().is_some_and(|session| !session.serves(&query)) {
        *session = None;
    }
    let session = session.get_or_insert_with(|| Session::new(query.mechanism.clone(), query.method));
    match session.answer(&query, budget) {
        Ok(answer) => (json(&answer_line(&query, &answer)), (&answer).into()),
        Err(error) => {
            let (line, _) = refusal(number, query.id.clone(), error.to_string());
            (line, Status::from(&error))
        }
    }
}

/// The answer to a line that is no query: to a question of another kind, or what is wrong with the line.
fn no_query(number: u64, text: &str, budget: &Budget) -> (String, Status) {
    let asked: Asked = serde_json::from_str(text).unwrap_or_default();
    match asked.quantity.as_deref() {
        Some("calibrate") => return calibrated(number, text, budget),
        #[cfg(feature = "cli")]
        Some("order") => return other::<super::ordered::OrderQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("compare") => return other::<super::compared::CompareQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("accuracy") => return other::<super::multiparty::AccuracyQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("noise") => return other::<super::additive::NoiseQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("theorem") => return other::<super::stated::TheoremQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("vertices") => return other::<super::corners::CornersQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("region") => return other::<super::region::RegionQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("symbolic") => return other::<super::symbolic::SymbolicQuestion>(number, text, budget),
        #[cfg(feature = "cli")]
        Some("antipodal") => return other::<super::antipodal::AntipodalQuestion>(number, text, budget),
        _ => {}
    }
    #[cfg(feature = "cli")]
    if asked.theorem.is_some() {
        return approximated(number, text, budget);
    }
    refusal(number, id_of(text), read::<Query>(text).err().unwrap_or_default())
}

/// The fields of a line that decide what kind of question it is. A line that is no object has none of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(deserialize_with = "if_string")]
    quantity: Option<String>,
    #[cfg(feature = "cli")]
    theorem: Option<serde_json::Value>,
}

/// A string; `None` for any other value.
fn if_string<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(serde_json::Value::deserialize(value)?.as_str().map(ToString::to_string))
}

/// A question that is none of one quantity of one composition: how it is read, and its answer.
#[cfg(feature = "cli")]
trait Other: serde::de::DeserializeOwned {
    fn id(&self) -> Option<String>;
    fn answer(&self, budget: &Budget) -> Result<(String, Status), Error>;
}

#[cfg(feature = "cli")]
macro_rules! others {
    ($($question:ty),*) => { $(
        impl Other for $question {
            fn id(&self) -> Option<String> {
                self.id.clone()
            }
            fn answer(&self, budget: &Budget) -> Result<(String, Status), Error> {
                self.answer(budget).map(|(line, status)| (json(&line), status))
            }
        }
    )* };
}

#[cfg(feature = "cli")]
others!(
    super::ordered::OrderQuestion,
    super::multiparty::AccuracyQuestion,
    super::additive::NoiseQuestion,
    super::compared::CompareQuestion,
    super::stated::TheoremQuestion,
    super::corners::CornersQuestion,
    super::region::RegionQuestion,
    super::symbolic::SymbolicQuestion,
    super::antipodal::AntipodalQuestion
);

/// The answer to such a line.
#[cfg(feature = "cli")]
fn other<T: Other>(number: u64, text: &str, budget: &Budget) -> (String, Status) {
    let question: T = match read(text) {
        Ok(question) => question,
        Err(fault) => return refusal(number, id_of(text), fault),
    };
    question.answer(budget).unwrap_or_else(|error| {
        let status = Status::from(&error);
        match error {
            Error::Undefined(reason) => (undefined(number, text, reason), status),
            error => (refusal(number, question.id(), error.to_string()).0, status),
        }
    })
}

/// The answer to a question that has none, whatever time there is: a hypothesis fails, and the reason says which.
#[cfg(feature = "cli")]
fn undefined(number: u64, text: &str, reason: String) -> String {
    match serde_json::from_str::<UndefinedLine>(text) {
        Ok(asked) => json(&UndefinedLine { kind: UNDEFINED, reason, ..asked }),
        Err(error) => refusal(number, id_of(text), error.to_string()).0,
    }
}

/// The kind of an answer that is none because a hypothesis fails.
#[cfg(feature = "cli")]
const UNDEFINED: &str = "undefined";

/// The query as it was written, with the reason why it is undefined.
#[cfg(feature = "cli")]
#[derive(Deserialize, Serialize)]
pub struct UndefinedLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<serde_json::Value>,
    #[serde(default, skip_deserializing)]
    kind: &'static str,
    #[serde(default, skip_deserializing)]
    reason: String,
}

#[cfg(feature = "cli")]
impl UndefinedLine {
    /// The undefined result of a command with zero, one or two mechanisms.
    pub fn new(quantity: &str, mechanisms: &[&str], reason: String) -> Self {
        let mechanism = |at: usize| mechanisms.get(at).map(|text| serde_json::Value::from(*text));
        let (mechanism, other) = (mechanism(0), mechanism(1));
        UndefinedLine { id: None, quantity: Some(quantity.to_string()), mechanism, other, kind: UNDEFINED, reason }
    }
}

/// The answer to a line that asks what a theorem says.
#[cfg(feature = "cli")]
fn approximated(number: u64, text: &str, budget: &Budget) -> (String, Status) {
    use super::{approximated_line, approximated_status, unsaid_line};
    let question: crate::approximate::Approximation = match read(text) {
        Ok(question) => question,
        Err(fault) => return refusal(number, id_of(text), fault),
    };
    match question.answer(budget) {
        Ok(found) => (json(&approximated_line(&question, &found)), approximated_status(&found)),
        Err(error) => match unsaid_line(&question, error) {
            Ok((line, status)) => (json(&line), status),
            Err(error) => {
                let (line, _) = refusal(number, question.query.id.clone(), error.to_string());
                (line, Status::from(&error))
            }
        },
    }
}

/// The answer to a calibration query.
fn calibrated(number: u64, text: &str, budget: &Budget) -> (String, Status) {
    let question: Calibration = match read(text) {
        Ok(question) => question,
        Err(fault) => return refusal(number, id_of(text), fault),
    };
    match calibrate(&question, budget) {
        Ok(answer) => (json(&calibrated_line(&question, &answer)), (&answer.outcome).into()),
        Err(error) => {
            let (line, _) = refusal(number, question.id.clone(), error.to_string());
            (line, Status::from(&error))
        }
    }
}

/// A line that says what was wrong with another one.
pub fn refusal(line: u64, id: Option<String>, error: String) -> (String, Status) {
    (json(&Refusal { id, line, error }), Status::BadInput)
}

/// The id of a line that is JSON but not a query.
fn id_of(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(value.get("id")?.as_str()?.to_string())
}

/// Our own types always serialise: they hold strings and numbers only.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

/// A line that quotes what was typed, which may be anything.
pub fn shortened(line: String) -> String {
    match line.char_indices().nth(LONGEST_TEXT) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::injected;
    use crate::answer::SLIP;

    /// A panic is reported as the reply to its line, and the same session answers the next query.
    #[test]
    fn a_panic_ends_one_answer() {
        let question = |id: &str| format!("{{\"id\":\"{id}\",\"quantity\":\"kl\",\"mechanism\":\"gdp(mu=1)\"}}");
        let mut session = None;
        let mut status = Status::Fine;
        for (number, (id, told)) in
            [("a", "\"exact\":\"1/2\""), (SLIP, "internal error: "), ("b", "1/2")].iter().enumerate()
        {
            let (reply, now) = reply(number as u64 + 1, &question(id), &mut session, &Budget::default());
            assert!(reply.contains(told) && reply.contains(&format!("\"id\":\"{id}\"")), "{reply}");
            status = status.and(now);
        }
        assert_eq!(status, Status::Mismatch);
    }

    /// The line in its place says `error` and names the query; the next line is answered.
    #[test]
    fn an_alarm_is_a_line() {
        let line = r#"{"id":"a","quantity":"delta","mechanism":"gaussian(sigma=1)","at":{"epsilon":"1"}}"#;
        let mut session = None;
        let ((text, status), _) =
            injected("profile of a Gaussian", || reply(7, line, &mut session, &Budget::default()));
        let reply_line: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let error = reply_line["error"].as_str().expect("a text");
        assert!(error.starts_with("internal error: ") && error.contains("gaussian(sigma=1)"), "{error}");
        assert_eq!((reply_line["id"].as_str(), reply_line["line"].as_u64()), (Some("a"), Some(7)));
        assert_eq!(status, Status::Mismatch);
        assert_eq!([Status::Undecided.and(status), status.and(Status::BadInput)], [Status::Mismatch; 2]);
        assert_eq!(reply(8, line, &mut session, &Budget::default()).1, Status::Fine);
    }
}
