//! What a theorem says of numbers, once its hypotheses are checked: the question, and its answer in JSON.
//!
//! `{"quantity": "theorem", "theorem": "KOV-3.4", "given": {"epsilon": "1/10", "times": "30", "slack": "1e-3"}}`. The
//! answer has what it `says`, each number with its name.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};

use super::{OutcomeLine, Status, unsaid};
use crate::answer::Outcome;
use crate::curve::Value;
use crate::error::Error;
use crate::query::Query;
use crate::supervise;
use crate::theorem::catalogue::{Entry, Given, Said};
use enclosure::{Budget, Number, Real, Reason, refine};

/// What a theorem says by name: all digits of a number, or those that came in time.
pub type Outcomes = Vec<(&'static str, Outcome)>;

/// A theorem with the numbers that it is asked about.
#[derive(Clone)]
pub struct Stated {
    /// The theorem.
    pub entry: &'static Entry,
    /// The numbers, one for each parameter.
    pub given: Given,
    /// How many digits must be proven.
    pub digits: u32,
}

impl Stated {
    /// The theorem of this name.
    ///
    /// # Errors
    /// [`Error::Input`] where there is none.
    pub fn find(id: &str) -> Result<&'static Entry, Error> {
        Entry::find(id).ok_or_else(|| Error::input(format!("unknown theorem `{id}`; `dpcert theorem list` lists all")))
    }

    /// The values of its conclusions.
    ///
    /// # Errors
    /// [`Error::Undefined`] with the hypothesis that fails; [`Error::Undecided`] beyond the budget.
    pub fn answer(&self, budget: &Budget) -> Result<Outcomes, Error> {
        let (own, clock) = (self.clone(), budget.clone());
        let found =
            supervise::by_digits(self.digits, budget, move |digits| refined(own.entry, &own.given, digits, &clock));
        let (said, reason) = match found {
            Err(Error::Undecided(reason)) => match self.entry.without_search(&self.given) {
                Some(said) => (said, Some(reason)),
                None => return Err(Error::Undecided(reason)),
            },
            found => found?,
        };
        Ok(outcomes(said, reason.as_ref(), self.digits))
    }

    /// The numbers that it is asked about, as JSON.
    fn given(&self) -> Map<String, Json> {
        self.given.0.iter().map(|(name, value)| (name.to_string(), Json::from(value.to_string()))).collect()
    }

    /// Each number that it says as an object of JSON.
    pub fn lines(&self, said: &Outcomes) -> impl Iterator<Item = NumberLine> {
        said.iter().map(|(name, outcome)| NumberLine {
            theorem: self.entry.id,
            source: self.entry.source,
            given: self.given(),
            said: NamedLine { name, outcome: OutcomeLine::of(outcome, self.digits) },
        })
    }

    /// The reply where the theorem does not apply, and its exit code.
    ///
    /// # Errors
    /// The error, where it is neither that a hypothesis fails nor that a budget ran out.
    pub fn unsaid(&self, error: Error) -> Result<(UnsaidLine, Status), Error> {
        let (kind, reason, status) = unsaid(error)?;
        let (theorem, source) = (self.entry.id, self.entry.source);
        Ok((UnsaidLine { theorem, source, given: self.given(), kind, reason }, status))
    }
}

/// The values, with the reason for missing digits.
fn outcomes(said: Said, reason: Option<&Reason>, digits: u32) -> Outcomes {
    let outcome = |value| match (value, reason) {
        (Value::Infinite, _) => Outcome::Infinite,
        (Value::Finite(number), None) => Outcome::of(number),
        (Value::Finite(number), Some(reason)) => match Outcome::of(number) {
            Outcome::Enclosure(proven) if proven.digits() < digits => Outcome::Short { proven, reason: reason.clone() },
            outcome => outcome,
        },
    };
    said.into_iter().map(|(name, value)| (name, outcome(value))).collect()
}

/// Each value of a theorem, to this number of digits.
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
            Some(_) => Err(Error::internal("a theorem says another number at another precision")),
            None => Err(Error::undecided(format!("{name} could not be computed to more digits"))),
        })?;
        all.push((name, Value::Finite(number)));
    }
    Ok(all)
}

/// One number that a theorem says, as a JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct NumberLine {
    theorem: &'static str,
    source: &'static str,
    given: Map<String, Json>,
    #[serde(flatten)]
    said: NamedLine,
}

/// A number with its name.
#[derive(Serialize)]
struct NamedLine {
    name: &'static str,
    #[serde(flatten)]
    outcome: OutcomeLine,
}

/// A theorem that says nothing of the numbers given, as a JSON object.
#[derive(Serialize)]
pub struct UnsaidLine {
    theorem: &'static str,
    source: &'static str,
    given: Map<String, Json>,
    kind: &'static str,
    reason: String,
}

impl UnsaidLine {
    /// Why, for people.
    pub fn text(&self) -> String {
        format!("{}: {}", self.kind, self.reason)
    }
}

/// The JSON object of an answer.
#[derive(Serialize)]
struct StatedLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    theorem: &'static str,
    source: &'static str,
    given: Map<String, Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    says: Vec<NamedLine>,
    /// `undefined` or `undecided`, where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a theorem and its numbers, as in {\"quantity\": \"theorem\", \"theorem\": \"BS-1.3\", \
                                          \"given\": {\"rho\": \"1/2\", \"delta\": \"1e-5\"}}"
)]
pub struct TheoremQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    theorem: String,
    given: ByName,
    digits: Option<u32>,
}

/// Numbers by name, in their order, one name perhaps twice: the theorem refuses that.
struct ByName(Vec<(String, Real)>);

impl<'de> Deserialize<'de> for ByName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = ByName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers by name, as in {\"rho\": \"1/2\"}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByName, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(ByName(all))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl TheoremQuestion {
    /// The answer, with how it went: a hypothesis that fails is one.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no theorem, numbers that it does not take or lacks, and digits out of range.
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let entry = Stated::find(&self.theorem)?;
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        Query::check_digits(digits)?;
        let asked = Stated { entry, given: entry.given(self.given.0.clone())?, digits };
        let (says, status, nothing) = match asked.answer(budget) {
            Ok(said) => {
                let status = said.iter().fold(Status::Fine, |worst, (_, outcome)| worst.and(outcome.into()));
                (asked.lines(&said).map(|line| line.said).collect(), status, None)
            }
            Err(error) => {
                let (kind, reason, status) = unsaid(error)?;
                (Vec::new(), status, Some((kind, reason)))
            }
        };
        let (kind, reason) = nothing.unzip();
        let (theorem, source) = (entry.id, entry.source);
        let line = StatedLine {
            id: self.id.clone(),
            quantity: "theorem",
            theorem,
            source,
            given: asked.given(),
            says,
            kind,
            reason,
        };
        Ok((line, status))
    }
}
