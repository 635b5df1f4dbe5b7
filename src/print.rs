//! Answers for people, and answers for programs.
//!
//! | file | is |
//! |---|---|
//! | `additive` | how accurate an answer with additive noise is, in JSON |
//! | `antipodal` | the antipodal replacement of a finite pair, in JSON |
//! | `approximated` | results of limit theorems, in JSON |
//! | `calibrated` | results of calibrations |
//! | `corners` | vertices of piecewise-linear trade-off functions, in JSON |
//! | `compared` | results of several accounting methods, in JSON |
//! | `fitted` | the points where the best Gaussian guarantee is tight |
//! | `explained` | how an answer was computed, in two sentences |
//! | `fault` | what is wrong with a line of JSON |
//! | `line` | reads a query as a line of JSON and writes its answer as another |
//! | `multiparty` | how well a function of private bits can be computed, in JSON |
//! | `ordered` | the order of two compositions, in JSON |
//! | `region` | the pairs of a composition region, in JSON |
//! | `stated` | the value of a theorem at given numbers, in JSON |
//! | `symbolic` | a composition region as formulas, in JSON |
//! | `points` | answers at many points, as a table |
//! | `flags` | advice in terms of the command-line flags |
//! | `status` | exit codes |

#[cfg(feature = "cli")]
mod additive;
#[cfg(feature = "cli")]
mod antipodal;
#[cfg(feature = "cli")]
mod approximated;
mod calibrated;
#[cfg(feature = "cli")]
mod compared;
#[cfg(feature = "cli")]
mod corners;
mod explained;
mod fault;
mod fitted;
mod flags;
mod line;
#[cfg(feature = "cli")]
mod multiparty;
#[cfg(feature = "cli")]
mod ordered;
#[cfg(feature = "cli")]
mod points;
#[cfg(feature = "cli")]
mod region;
#[cfg(feature = "cli")]
mod stated;
mod status;
#[cfg(feature = "cli")]
mod symbolic;

use serde::Serialize;

use dpcert_vectors::hex_of_f64;

use crate::answer::{Answer, Bound, Meaning, Outcome};
use crate::curve::Direction;
#[cfg(feature = "cli")]
use crate::error::Error;
use crate::mechanism::Cause;
use crate::query::{Point, Quantity, QuantityName, Query};
use crate::theorem::functional::Functional;
use enclosure::decimal::{Side, decimal, double};
use enclosure::{Brief, Note, Number, Reason};

#[cfg(feature = "cli")]
pub use self::additive::Accuracies;
#[cfg(feature = "cli")]
pub use self::antipodal::Replaced;
#[cfg(feature = "cli")]
pub use self::approximated::{approximated_line, approximated_status, error_of, short_of, shown_of, unsaid_line};
#[cfg(feature = "cli")]
pub use self::calibrated::calibrated_row;
pub use self::calibrated::{calibrated_line, calibrated_text};
#[cfg(feature = "cli")]
pub use self::compared::{RATIO_DIGITS, account_line, ratio, ratio_ends, without};
#[cfg(feature = "cli")]
pub use self::corners::{CORNER_BITS, CORNER_DIGITS, Corners, Face};
#[cfg(feature = "cli")]
pub use self::fitted::fitted_text;
pub use self::flags::{in_flags, with_flags};
#[cfg(feature = "cli")]
pub use self::line::UndefinedLine;
pub use self::line::reply;
#[cfg(feature = "cli")]
pub use self::line::{refusal, shortened};
#[cfg(feature = "cli")]
pub use self::multiparty::{Accuracy, AccuracyQuestion, Bits, Game, seen_text};
#[cfg(feature = "cli")]
pub use self::ordered::{
    Carried, Compared, Dominating, Found, Map, NoMap, Noise, OrderQuestion, OrderTold, UnsaidMap, relation_text,
};
#[cfg(feature = "cli")]
pub use self::points::{Table, ends, shortfall};
#[cfg(feature = "cli")]
pub use self::region::{Region, RegionPair};
#[cfg(feature = "cli")]
pub use self::stated::{Outcomes, Stated, TheoremQuestion};
pub use self::status::Status;
#[cfg(feature = "cli")]
pub use self::symbolic::formulas;

/// A fraction longer than this is not shown to people unless they ask for it.
const LONG_FRACTION: usize = 120;

/// An answer as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct AnswerLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: QuantityName,
    mechanism: String,
    at: Point,
    direction: Direction,
    /// What the number says about the mechanism: `exact`, `upper_bound`, `lower_bound` or `of_the_pair`. Left out where
    /// there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Meaning>,
    /// Why it is not exact, with the source of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// Of a bound: `upper` or `lower`.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    /// In which order the steps see the two data sets, where that makes a difference: `same_order`.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'static str>,
    #[serde(flatten)]
    outcome: OutcomeLine,
    /// Of the best Gaussian guarantee.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    fit: Option<fitted::FitLine>,
    method: String,
    statement: &'static str,
    /// How shorthands were expanded: rates, steps, and their rounding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explain: Vec<Note>,
}

/// The numbers of an outcome; all absent when it has none.
#[derive(Default, Serialize)]
pub struct Numbers {
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f64_lower: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f64_upper: Option<String>,
}

impl Numbers {
    /// A number with its decimals to `digits` digits and its doubles.
    pub fn of(number: &Number, digits: u32) -> Self {
        let end = |side| decimal(number, shown_digits(digits), side);
        Numbers {
            exact: number.exact().map(ToString::to_string),
            lower: Some(end(Side::Lower)),
            upper: Some(end(Side::Upper)),
            f64_lower: Some(hex_of_f64(double(number, Side::Lower))),
            f64_upper: Some(hex_of_f64(double(number, Side::Upper))),
        }
    }
}

/// One digit more than was asked for: outward rounding costs a unit of the last place on either side.
fn shown_digits(digits: u32) -> u32 {
    digits + 1
}

/// Digits that are shown of an interval that has fewer.
const FEWEST: u32 = 3;

/// How many digits of those asked for are proven.
fn proven_digits(asked: u32, outcome: &Outcome) -> u32 {
    match outcome {
        Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => set.digits_up_to(asked),
        Outcome::Exact(_) | Outcome::Infinite | Outcome::Undefined(_) | Outcome::Undecided(_) => asked,
    }
}

/// An outcome as fields of a JSON object.
#[derive(Serialize)]
pub struct OutcomeLine {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u32>,
    #[serde(flatten)]
    numbers: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl OutcomeLine {
    /// An outcome as fields, for a query with this number of digits.
    pub fn of(outcome: &Outcome, asked: u32) -> Self {
        let digits = proven_digits(asked, outcome);
        let (kind, numbers, reason) = match outcome {
            Outcome::Exact(value) => ("exact", Numbers::of(&value.into(), asked), None),
            Outcome::Enclosure(set) => ("enclosure", Numbers::of(&set.into(), digits), None),
            Outcome::Short { proven, reason } => {
                ("enclosure", Numbers::of(&proven.into(), digits.max(FEWEST)), Some(with_flags(reason)))
            }
            Outcome::Infinite => ("infinite", Numbers::default(), None),
            Outcome::Undefined(reason) => ("undefined", Numbers::default(), Some(reason.clone())),
            Outcome::Undecided(reason) => ("undecided", Numbers::default(), Some(with_flags(reason))),
        };
        OutcomeLine {
            kind,
            digits: matches!(outcome, Outcome::Enclosure(_) | Outcome::Short { .. }).then_some(digits),
            numbers,
            reason,
        }
    }
}

/// The kind and the reason of an answer without a number, and how that went. The error where it is none of those.
#[cfg(feature = "cli")]
fn unsaid(error: Error) -> Result<(&'static str, String, Status), Error> {
    let status = Status::from(&error);
    match error {
        Error::Undefined(reason) => Ok(("undefined", reason, status)),
        Error::Undecided(reason) => Ok(("undecided", with_flags(&reason), status)),
        other => Err(other),
    }
}

/// The JSON line of an answer.
pub fn answer_line(query: &Query, answer: &Answer) -> AnswerLine {
    AnswerLine {
        id: query.id.clone(),
        quantity: query.quantity.name(),
        mechanism: query.mechanism.to_string(),
        at: query.quantity.point(),
        direction: query.direction,
        meaning: answer.meaning,
        because: answer.reason(),
        bound: answer.bound,
        model: query.mechanism.order_model(),
        outcome: OutcomeLine::of(&answer.outcome, query.digits),
        fit: answer.fit.as_deref().map(|fit| fitted::FitLine::of(fit, query.digits)),
        method: answer.method.clone(),
        statement: answer.citation(),
        notes: query.mechanism.notes().to_vec(),
        summary: (!answer.notes.is_empty()).then(|| explained::explanation(query, answer)),
        explain: answer.notes.clone(),
    }
}

/// Optional parts of an answer for people.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Fractions in full, however long.
    pub fraction: bool,
    /// The method and its source, which an answer with an explanation shows in any case.
    pub source: bool,
}

/// The answer for people: the query, the number, what the number means, and how it was computed where that is wanted.
pub fn answer_text(query: &Query, answer: &Answer, shown: Shown) -> String {
    let number = outcome_text(&answer.outcome, query.digits, query.enough, shown.fraction);
    let mut text = format!("{}\n  {number}", question_text(query));
    if let Some(meaning) = meaning_text(answer.meaning, answer.cause) {
        text += &format!("\n  {meaning}");
    }
    for note in query.mechanism.notes() {
        text += &format!("\n  {note}");
    }
    if let Some(source) = source_text(answer).filter(|_| shown.source || !answer.notes.is_empty()) {
        text += &format!("\n  {source}");
    }
    if !answer.notes.is_empty() {
        text += &format!("\n  {}", explained::explanation(query, answer));
    }
    text + &notes_text(&answer.notes)
}

/// The method and its source; none where nothing was computed.
fn source_text(answer: &Answer) -> Option<String> {
    (!answer.method.is_empty()).then(|| format!("by {} ({})", answer.method, answer.citation()))
}

/// What a number is that is not the mechanism's own, for people; none where it is exact.
pub fn meaning_text(meaning: Option<Meaning>, cause: Option<Cause>) -> Option<String> {
    let (meaning, cause) = (meaning?, cause?);
    match (meaning.bound(), cause) {
        (Some(Bound::Upper), Cause::Guarantee) => {
            Some("an upper bound: every mechanism with this guarantee has at most this value".into())
        }
        (Some(Bound::Lower), Cause::Guarantee) => {
            Some("a lower bound: every mechanism with this guarantee has at least this value".into())
        }
        (None, _) if meaning == Meaning::Exact => None,
        _ => Some(format!("{}: {}", kind_text(meaning), cause.reason())),
    }
}

/// The same in three words.
pub fn kind_text(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Exact => "exact",
        Meaning::UpperBound => "an upper bound",
        Meaning::LowerBound => "a lower bound",
        Meaning::OfThePair => "a value of the dominating pair, not a bound for the mechanism",
    }
}

/// An outcome for people: the query requested `asked` digits, and `enough` of them suffice.
pub fn outcome_text(outcome: &Outcome, asked: u32, enough: u32, full: bool) -> String {
    let digits = proven_digits(asked, outcome);
    match outcome {
        Outcome::Exact(value) => number_text(&value.into(), asked, full),
        Outcome::Enclosure(set) => number_text(&set.into(), digits, full),
        Outcome::Short { proven, reason } => {
            let interval = number_text(&proven.into(), digits.max(FEWEST), full);
            let wanted = (enough >= asked).then_some(asked);
            format!("{interval}\n  {}", shortage(digits, wanted, reason))
        }
        Outcome::Infinite => "= infinity".to_string(),
        Outcome::Undefined(reason) => format!("undefined: {reason}"),
        Outcome::Undecided(reason) => format!("undecided: {}", with_flags(reason)),
    }
}

/// How many digits are proven, of those that were wanted if it is known how many, and why no more.
fn shortage(digits: u32, wanted: Option<u32>, reason: &Reason) -> String {
    let digits = match digits {
        0 => "no digit",
        1 => "1 digit",
        more => &format!("{more} digits"),
    };
    let wanted = wanted.map(|wanted| format!(" of {wanted}")).unwrap_or_default();
    format!("{digits}{wanted} proven: {}", with_flags(reason))
}

/// How the answer was computed, as a table.
fn notes_text(notes: &[Note]) -> String {
    let width = notes.iter().map(|note| note.label.len()).max().unwrap_or(0);
    notes.iter().map(|Note { label, value }| format!("\n    {label:width$}  {value}")).collect()
}

/// The direction after a mechanism, if it is not the worst one.
pub fn direction_text(direction: Direction) -> &'static str {
    match direction {
        Direction::Worst => "",
        Direction::Forward => ", forward direction",
        Direction::Backward => ", backward direction",
    }
}

fn question_text(query: &Query) -> String {
    let direction = direction_text(query.direction);
    format!("{} of {:#}{direction}", quantity_text(&query.quantity), query.mechanism)
}

/// A quantity and its point, for people.
pub fn quantity_text(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Delta { epsilon } => format!("delta at epsilon = {}", Brief(epsilon)),
        Quantity::Epsilon { delta } => format!("epsilon at delta = {}", Brief(delta)),
        Quantity::Beta { alpha } => format!("beta at alpha = {}", Brief(alpha)),
        Quantity::Renyi { order } => format!("Renyi divergence of order {}", Brief(order)),
        Quantity::Kl => "KL divergence".to_string(),
        Quantity::Tv => "total variation distance".to_string(),
        Quantity::Chi2 => "chi-squared divergence".to_string(),
        Quantity::Max => "max divergence".to_string(),
        Quantity::Advantage => "membership advantage".to_string(),
        Quantity::TruePositiveRate { rate } => {
            format!("true positive rate at a false positive rate of {}", Brief(rate))
        }
        Quantity::BayesRisk { prior } => format!("Bayes risk at a prior of {}", Brief(prior)),
        Quantity::Conjugate { slope } => format!("conjugate at slope = {}", Brief(slope)),
        Quantity::Functional(Functional::Cumulant(order)) => format!("cumulant of order {order} of the privacy loss"),
        Quantity::Functional(Functional::Variance) => "variance of the privacy loss".to_string(),
        Quantity::Functional(_) => quantity.name().to_string(),
        Quantity::GaussianFit => "smallest mu with G_mu at or below the trade-off function".to_string(),
        Quantity::CanonicalCdf { x } => format!("distribution function of canonical noise at {}", Brief(x)),
        Quantity::CanonicalQuantile { p } => format!("quantile of canonical noise at {}", Brief(p)),
        Quantity::LossAbove { threshold, under } => format!("{}[privacy loss > {}]", under.name(), Brief(threshold)),
        Quantity::LossUpTo { threshold, under } => format!("{}[privacy loss <= {}]", under.name(), Brief(threshold)),
        Quantity::LossQuantile { probability, under } => {
            format!("quantile of the privacy loss under {} at {}", under.name(), Brief(probability))
        }
    }
}

/// The same on one line, a long fraction without being told of.
fn number_line(number: &Number, digits: u32) -> String {
    let long = number.exact().is_some_and(|value| value.to_string().len() > LONG_FRACTION);
    let text = number_text(number, digits, false);
    if long { text.lines().last().unwrap_or_default().trim().to_string() } else { text.replace("\n ", "") }
}

/// `= 37/125 = 0.296`, or `in [0.12, 0.13]`.
pub fn number_text(number: &Number, digits: u32, full: bool) -> String {
    let lower = decimal(number, shown_digits(digits), Side::Lower);
    let upper = decimal(number, shown_digits(digits), Side::Upper);
    let interval = if lower == upper { format!("= {lower}") } else { format!("in [{lower}, {upper}]") };
    let Some(value) = number.exact() else { return interval };
    let fraction = value.to_string();
    if fraction == lower {
        return interval;
    }
    if full || fraction.len() <= LONG_FRACTION {
        format!("= {fraction}\n  {interval}")
    } else {
        format!("an exact fraction of {} characters (--exact or --json prints it)\n  {interval}", fraction.len())
    }
}
