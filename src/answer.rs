//! Answering queries: choose an engine, run it, and refine until the digits are proven; see `proofs/paper/answers.md`.
//!
//! * `related` answers quantities that are functions of another quantity, and `loss` the distribution of the privacy
//!   loss, from values of the profile.
//!
//! * `at_hand` answers by closed forms and short lists, and `guaranteed` from guarantees. `planner` has the table of
//!   all other attempts, `evaluate` one attempt, and `proven` collects the bounds proven on the way.
//!
//! * `general` has bounds for any mechanism, `promises` those from (epsilon, delta) bounds of guarantees, `bounded`
//!   those of bounded privacy losses, `concentrated` those of bounded Renyi divergences, `by_steps` those from the
//!   parts, `fits` those of Gaussian guarantees, and `noise` those of canonical noise.

mod at_hand;
mod bounded;
mod by_steps;
mod concentrated;
mod evaluate;
mod fits;
mod general;
mod guarantee;
mod guaranteed;
mod loss;
mod meaning;
mod noise;
mod planner;
mod promises;
mod proven;
mod related;
mod sides;
mod weighted;

use std::sync::Arc;

use crate::alarm;
use crate::attack::Fit;
use crate::compose::{Engines, Method};
use crate::error::Error;
use crate::mechanism::{Cause, Composition};
use crate::number::{Fraction, Interval};
use crate::query::Query;
use crate::statement::Statement;
use crate::supervise;
use enclosure::decimal::{Side, double};
use enclosure::{Budget, Note, Number, Reason};

pub(crate) use self::general::profile_bound;
pub use self::meaning::Meaning;
pub(crate) use self::promises::{PROMISES, in_place};
use self::proven::Proven;
use self::related::Related;

/// The result of a query: a number, or the reason why there is none.
///
/// ```
/// use dpcert::{Budget, Outcome, Quantity, Query, answer};
///
/// let ask = |quantity, mechanism: &str| {
///     answer(&Query::new(quantity, mechanism.parse()?), &Budget::default()).map(|answer| answer.outcome)
/// };
/// // Gaussian noise has unbounded privacy loss.
/// assert!(matches!(ask(Quantity::Max, "gaussian(sigma=1)")?, Outcome::Infinite));
/// let kl = ask(Quantity::Kl, "gaussian(sigma=2)")?;
/// assert_eq!((kl.lower_f64(), kl.upper_f64()), (Some(0.125), Some(0.125)));
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The value, as an exact rational number.
    Exact(Fraction),
    /// An interval that contains the value, proven to the requested number of digits.
    Enclosure(Interval),
    /// An interval that contains the value, proven to fewer digits than requested.
    Short {
        /// The narrowest interval that was proven.
        proven: Interval,
        /// Why no more digits were proven.
        reason: Reason,
    },
    /// Plus infinity.
    Infinite,
    /// The quantity is not defined, for the given reason.
    Undefined(String),
    /// No bound was proven within the budget. The reason states which methods failed, and why.
    Undecided(Reason),
}

/// The outcome of a query, with the method and the theorem that it relies on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The number, or the reason why there is none.
    pub outcome: Outcome,
    /// The method that computed the outcome; empty if there is none.
    pub method: String,
    /// The theorem that the method evaluates; `None` if there is no method.
    pub statement: Option<&'static Statement>,
    /// How the answer was computed, if the budget collects notes. The last notes are the work and the time taken.
    pub notes: Vec<Note>,
    /// What the number means for the mechanism; `None` if there is no number.
    pub meaning: Option<Meaning>,
    /// Whether the number is an upper or a lower bound for the mechanism. `None` if it is not a bound.
    pub bound: Option<Bound>,
    /// Why the number is not exact for the mechanism.
    pub(crate) cause: Option<Cause>,
    /// Where the best Gaussian guarantee touches the trade-off function, for a query about it.
    pub(crate) fit: Option<Box<Fit>>,
}

/// The direction of a bound: [`Meaning`] without the cases that are not bounds.
///
/// ```
/// use dpcert::{Bound, Budget, Quantity, Query, answer};
///
/// let ask = |quantity, mechanism: &str| {
///     answer(&Query::new(quantity, mechanism.parse()?), &Budget::default()).map(|answer| answer.bound)
/// };
/// // Every 1/10-zCDP mechanism has at most this epsilon, and its tests have at least this type II error.
/// assert_eq!(ask(Quantity::Epsilon { delta: "1e-6".parse()? }, "zcdp(rho=1/10)")?, Some(Bound::Upper));
/// assert_eq!(ask(Quantity::Beta { alpha: "1/20".parse()? }, "zcdp(rho=1/10)")?, Some(Bound::Lower));
/// assert_eq!(ask(Quantity::Tv, "gaussian(sigma=1)")?, None);
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Bound {
    /// The quantity of the mechanism, or of every mechanism that satisfies the guarantee, is at most the number.
    Upper,
    /// That quantity is at least the number.
    Lower,
}

/// Answer a query within a budget.
///
/// **Guarantee.** The outcome is the exact value or an enclosure `lower <= truth <= upper`. The enclosure has
/// `query.digits` significant digits, or at least `query.enough` where more digits are expensive; otherwise it is
/// [`Outcome::Short`], with the reason. A malformed query returns [`Error::Input`]. An undefined or undecided query is
/// an outcome, not an error. If the results of a computation contradict each other, or it panics, that is a bug in
/// dpcert: there is no answer but [`Error::Contradiction`] or [`Error::Internal`], with the query to report.
///
/// A query with a closed form or few terms, short constants and at most a few hundred digits is answered on the calling
/// thread, within milliseconds. If the budget has a time limit, every other computation runs on its own thread, and the
/// caller stops waiting at the time limit. On a thread of a rayon pool the computation runs in place, and ends when it
/// next checks the budget.
pub fn answer(query: &Query, budget: &Budget) -> Result<Answer, Error> {
    Session::new(query.mechanism.clone(), query.method).answer(query, budget)
}

/// Many queries about one composition.
///
/// The composition is prepared once, and later queries reuse what earlier ones computed. The answers are those of
/// [`answer`]. Several threads may query one session at the same time.
///
/// ```
/// use dpcert::{Budget, Composition, Method, Quantity, Query, Session};
///
/// let composition: Composition = "laplace(scale=2)^4".parse()?;
/// let session = Session::new(composition.clone(), Method::Auto);
/// let mut last = f64::INFINITY;
/// for delta in ["1e-9", "1e-6", "1e-3"] {
///     let query = Query::new(Quantity::Epsilon { delta: delta.parse()? }, composition.clone());
///     let epsilon = session.answer(&query, &Budget::default())?.outcome.upper_f64().ok_or("no number")?;
///     assert!(epsilon < last);
///     last = epsilon;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    engines: Arc<Engines>,
    /// Whether guarantees are also replaced by (epsilon, delta) bounds.
    promises: bool,
}

impl Session {
    /// Open a session. Nothing is computed before the first query.
    pub fn new(mechanism: Composition, method: Method) -> Self {
        Session { engines: Arc::new(Engines::new(mechanism, method)), promises: true }
    }

    /// The same, without promises in the place of guarantees: of what is left the bound goes as the guarantee does.
    pub(crate) fn by_divergences(mechanism: Composition, method: Method) -> Self {
        Session { promises: false, ..Session::new(mechanism, method) }
    }

    /// Whether the query is about this composition and this method.
    pub fn serves(&self, query: &Query) -> bool {
        self.engines.method() == query.method && *self.engines.mechanism() == query.mechanism
    }

    /// Answer a query like [`answer`], reusing the results of earlier queries. A query about another composition or
    /// method is answered without them.
    pub fn answer(&self, query: &Query, budget: &Budget) -> Result<Answer, Error> {
        let (answer, time) = supervise::timed(|| {
            budget.alone(|budget| {
                let before = budget.spent();
                self.answered(query, budget).map(|answer| (answer, budget.spent() - before))
            })
        });
        answer.map(|(mut answer, work)| {
            if budget.takes_notes() {
                let time = format!("{:.6} s", time.as_secs_f64());
                let last = [Note::new("work", format_args!("{work} units")), Note::new("time", time)];
                answer.notes.retain(|note| last.iter().all(|last| last.label != note.label));
                answer.notes.extend(last);
            }
            answer
        })
    }

    fn answered(&self, query: &Query, budget: &Budget) -> Result<Answer, Error> {
        if !self.serves(query) {
            return answer(query, budget);
        }
        query.check()?;
        if let Some(related) = Related::of(&query.quantity)? {
            return related.answer(self, query, budget).map(|answer| answer.about(query));
        }
        if query.quantity.name().is_of_loss() {
            return loss::answer(self, query, budget).map(|answer| answer.about(query));
        }
        let proven = Arc::new(Proven::default());
        let mut answer = match supervise::caught(|| at_hand::light(&self.engines, query, budget, &proven)) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => self.supervised(query, budget, &proven),
            Err(error) => Err(error),
        }
        .and_then(|answer| at_once(answer, query, &proven))
        .map_err(|error| error.about(query))?;
        answer = answer.about(query);
        if budget.takes_notes() {
            answer.notes.extend(budget.notes());
        }
        Ok(answer)
    }

    /// The answer by all that is tried, on a thread that is given up when the time is over.
    fn supervised(&self, query: &Query, budget: &Budget, proven: &Arc<Proven>) -> Result<Answer, Error> {
        let (engines, own, asked) = (Arc::clone(&self.engines), budget.clone(), query.clone());
        let (board, by_promises) = (Arc::clone(proven), self.promises);
        let evaluated = move || {
            let answer = planner::answered(&engines, &asked, &own, &board)?;
            if by_promises { promises::better(answer, &asked, &own, &board) } else { Ok(answer) }
        };
        match supervise::within(budget, evaluated) {
            // Given up: nobody knows which engine it was, but what was proven until then is known.
            Err(Error::Undecided(reason)) => given_up(query, proven, reason),
            answer => answer,
        }
    }
}

/// The answer of a computation that did not say how far it came.
fn given_up(query: &Query, proven: &Arc<Proven>, reason: Reason) -> Result<Answer, Error> {
    if query.method == Method::Auto && proven.digits(query)? == 0 {
        general::certain(query, proven)?;
        // What takes next to no time, and is not waited for if it does take some.
        let (asked, board) = (query.clone(), Arc::clone(proven));
        let moment = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::ZERO));
        let bounds = move || {
            general::closed(&asked, &board)?;
            fits::closed(&asked, &board)
        };
        alarm::declined(supervise::within(&moment, bounds))?;
    }
    fits::without_gap(proven.answer(query, reason.clone())?, query, reason)
}

/// Of what is undecided, what no time is needed for: the mass at infinity alone, and closed forms of guarantees.
fn at_once(answer: Answer, query: &Query, proven: &Proven) -> Result<Answer, Error> {
    let Outcome::Undecided(reason) = &answer.outcome else { return Ok(answer) };
    if query.method != Method::Auto {
        return Ok(answer);
    }
    if let Some(infinite) = bounded::infinite(query)? {
        return Ok(infinite);
    }
    guarantee::closed(query, proven)?;
    let found = proven.answer(query, reason.clone())?;
    Ok(Answer { notes: answer.notes, ..found })
}

impl Outcome {
    /// The largest double that is at most the value. Infinite if the value is infinite; `None` if there is no number.
    pub fn lower_f64(&self) -> Option<f64> {
        match self {
            Outcome::Infinite => Some(f64::INFINITY),
            number => number.number().map(|number| double(&number, Side::Lower)),
        }
    }

    /// The smallest double that is at least the value. Infinite if the value is infinite; `None` if there is no number.
    pub fn upper_f64(&self) -> Option<f64> {
        match self {
            Outcome::Infinite => Some(f64::INFINITY),
            number => number.number().map(|number| double(&number, Side::Upper)),
        }
    }

    /// A number that is proven to all digits that were asked for.
    pub(crate) fn of(number: Number) -> Self {
        match number {
            Number::Exact(value) => Outcome::Exact(Fraction::new(value)),
            Number::Enclosed(set) => Outcome::Enclosure(Interval::from(set)),
        }
    }

    /// The finite number, if it is one, to however many digits.
    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Outcome::Exact(value) => Some(value.into()),
            Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => Some(set.into()),
            Outcome::Infinite | Outcome::Undefined(_) | Outcome::Undecided(_) => None,
        }
    }

    /// The number of significant digits that are proven, if the outcome is an enclosure.
    pub fn digits(&self) -> Option<u32> {
        match self {
            Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => Some(set.digits()),
            Outcome::Exact(_) | Outcome::Infinite | Outcome::Undefined(_) | Outcome::Undecided(_) => None,
        }
    }
}

impl From<Outcome> for Answer {
    /// By no engine.
    fn from(outcome: Outcome) -> Self {
        let (meaning, cause, bound) = (None, None, None);
        Answer { outcome, method: String::new(), statement: None, notes: Vec::new(), meaning, bound, cause, fit: None }
    }
}

/// The id of a question that makes its computation panic, in tests.
#[cfg(test)]
pub(crate) const SLIP: &str = "a slip";

impl Answer {
    /// The citation of the theorem; empty if there is none.
    pub fn citation(&self) -> &'static str {
        self.statement.map_or("", Statement::citation)
    }
}
