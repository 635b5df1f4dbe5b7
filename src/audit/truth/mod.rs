//! The truth about a question: `dpcert`'s own answer at exactly the doubles that were sent.
//!
//! Answers are shared by all programs that are asked the same, and computed to more digits when a claim is so near that
//! few decide nothing. Where parameters were rounded to doubles, the composition before rounding is asked first, if
//! that is easier ([`nearby`]). Where a question is about everything with some bound ([`conversion`]) the truth is
//! known to lie between two numbers, and more digits do not bring them together.

mod conversion;
mod nearby;
mod noise;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use conversion::Goal;
use dpcert_vectors::{Direction, Truth};
use nearby::Nearby;
use num_bigint::BigInt;
use num_rational::BigRational;
use rug::Float;

use super::question::{Asked, Question, Subject, real};
use crate::alarm::declined;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::{Quantity, Query};
use crate::vector::convert;
use crate::vector::sessions::Sessions;
use enclosure::{Budget, Enclosure, Real};

pub use noise::keeps;

/// The digits asked for, one after the other, until a claim is decided. The first are those of an ordinary answer, at
/// which `dpcert`'s time is taken.
pub const LEVELS: [u32; 5] = [15, 40, 80, 200, 600];

/// Digits of a delta reported with an epsilon.
const FEW_DIGITS: u32 = 6;

/// The digits asked for where the first of the [`LEVELS`] is out of reach.
const FEWER_DIGITS: [u32; 2] = [FEW_DIGITS, 3];

/// Below `2^-LEAST` a truth is as good as nothing, and is only said to lie below it: an exact fraction would have as
/// many digits.
const LEAST: u32 = 1_000_000;

/// The same for a delta that is compared with a double.
const LEAST_TOLD: u32 = 20_000;

/// A known true value.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Where the truth is.
    pub truth: Truth,
    /// Whether higher precision narrows the enclosure.
    pub refinable: bool,
}

/// Computes and caches true values.
#[derive(Default)]
pub struct Oracle {
    known: Cache<Result<Known, Error>>,
    timed: Cache<(Result<Known, Error>, Option<f64>)>,
    /// The compositions asked last: more digits, and the delta at what was claimed, begin where the first answer ended.
    open: Sessions,
    timeout: Option<Duration>,
    words: Option<fn(&Error) -> String>,
    /// The first alarm that was raised in the search for a truth.
    alarm: OnceLock<Error>,
}

type Cache<T> = Mutex<HashMap<String, Arc<OnceLock<T>>>>;

impl Oracle {
    /// An oracle that takes so long for an answer at most.
    pub fn new(timeout: Duration) -> Self {
        Oracle { timeout: Some(timeout), ..Oracle::default() }
    }

    /// The same, with other words for what it could not find.
    #[must_use]
    pub fn in_words(self, words: fn(&Error) -> String) -> Self {
        Oracle { words: Some(words), ..self }
    }

    /// Why there is no truth, in words.
    pub fn says(&self, error: &Error) -> String {
        self.words.map_or_else(|| error.to_string(), |words| words(error))
    }

    /// A budget for one answer.
    fn budget(&self) -> Budget {
        Budget::new(Budget::DEFAULT_MAX_BITS, self.timeout)
    }

    /// The true value to a number of digits.
    pub fn ask(&self, question: &Question, digits: u32) -> Result<Known, Error> {
        once(&self.known, format!("{digits} {}", question.key()), || match &question.stored {
            // Forty digits are stored.
            Some(truth) if digits <= 40 => Ok(Known { truth: truth.clone(), refinable: !exact(truth) }),
            _ if digits == LEVELS[0] => self.timed(question).0,
            _ => self.compute(question, digits, &self.open),
        })
    }

    /// How long the answer takes, to the first of the [`LEVELS`]; none where it was not found in time.
    pub fn seconds(&self, question: &Question) -> Option<f64> {
        self.timed(question).1
    }

    /// The answer to the first of the levels, asked afresh and timed: neither a stored answer nor what an earlier
    /// question has built makes it quicker.
    fn timed(&self, question: &Question) -> (Result<Known, Error>, Option<f64>) {
        once(&self.timed, question.key(), || {
            let alone = Sessions::default();
            let started = Instant::now();
            let found = self.compute(question, LEVELS[0], &alone);
            let seconds = found.is_ok().then(|| started.elapsed().as_secs_f64());
            self.open.adopt(alone);
            (found, seconds)
        })
    }

    /// Proof of a bug in dpcert, if any; then no judgement is valid.
    pub fn alarm(&self) -> Option<Error> {
        self.alarm.get().cloned()
    }

    /// Records an alarm.
    fn heard<T>(&self, question: &Question, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| error.about(question.key())).inspect_err(|error| {
            if error.is_alarm() {
                let _ = self.alarm.set(error.clone());
            }
        })
    }

    fn compute(&self, question: &Question, digits: u32, open: &Sessions) -> Result<Known, Error> {
        self.heard(question, self.search(question, digits, open))
    }

    fn search(&self, question: &Question, digits: u32, open: &Sessions) -> Result<Known, Error> {
        let budget = self.budget();
        match question.subject()? {
            Subject::Open => noise::least(question, open, &budget),
            Subject::Zcdp { rho } => conversion::zcdp(&rho, &Goal::of(question)?, &budget),
            Subject::Rdp { order, epsilon } => conversion::rdp(&order, &epsilon, &Goal::of(question)?, &budget),
            Subject::Composition(composition) => {
                let quantity = quantity(question)?;
                let first = digits == LEVELS[0];
                if first && let Some(truth) = from_nearby(question, &quantity, digits, open, &budget)? {
                    return Ok(Known { truth, refinable: true });
                }
                let ask = |digits, budget| {
                    ask(open, composition.clone(), quantity.clone(), question.direction, digits, budget)
                };
                let found = match ask(digits, &budget) {
                    // A few digits decide most claims.
                    Err(Error::Undecided(reason)) if first => {
                        let again = self.budget();
                        for digits in FEWER_DIGITS {
                            if let Some(truth) = declined(ask(digits, &again))? {
                                return Ok(Known { refinable: !exact(&truth), truth });
                            }
                        }
                        Err(Error::Undecided(reason))
                    }
                    found => found,
                };
                found.map(|truth| Known { refinable: !exact(&truth), truth })
            }
        }
    }

    /// The true delta of the question's mechanism at this epsilon, to a few digits.
    pub fn delta_at(&self, question: &Question, epsilon: &BigRational) -> Result<Truth, Error> {
        self.heard(question, self.search_delta(question, epsilon))
    }

    fn search_delta(&self, question: &Question, epsilon: &BigRational) -> Result<Truth, Error> {
        let epsilon = Real::from(convert::rational(epsilon)?);
        let budget = self.budget();
        match question.subject()? {
            Subject::Open => Err(Error::input("a calibration query has no delta")),
            Subject::Zcdp { rho } => Ok(conversion::zcdp(&rho, &Goal::Delta(epsilon), &budget)?.truth),
            Subject::Rdp { order, epsilon: bound } => {
                Ok(conversion::rdp(&order, &bound, &Goal::Delta(epsilon), &budget)?.truth)
            }
            Subject::Composition(composition) => {
                let quantity = Quantity::Delta { epsilon };
                let digits = FEW_DIGITS;
                from_nearby(question, &quantity, digits, &self.open, &budget)?.map_or_else(
                    || {
                        let direction = question.direction;
                        ask_down_to(LEAST_TOLD, &self.open, composition, quantity, direction, digits, &budget)
                    },
                    Ok,
                )
            }
        }
    }

    /// The true delta of a calibration with this value, at the query's epsilon, to a number of digits.
    pub fn delta_with(&self, question: &Question, value: &BigRational, digits: u32) -> Result<Truth, Error> {
        let delta = noise::delta(question, &convert::rational(value)?, digits, &self.open, &self.budget());
        self.heard(question, delta)
    }
}

fn exact(truth: &Truth) -> bool {
    match truth {
        Truth::Infinite => true,
        Truth::Within { lower, upper } => lower == upper,
    }
}

/// The value of a cache, computed by one of those who want it while the others wait.
fn once<T: Clone>(cache: &Cache<T>, key: String, compute: impl FnOnce() -> T) -> T {
    let cell = {
        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(cache.entry(key).or_default())
    };
    cell.get_or_init(compute).clone()
}

/// Bounds from an easier nearby composition, if there is one.
fn from_nearby(
    question: &Question,
    quantity: &Quantity,
    digits: u32,
    open: &Sessions,
    budget: &Budget,
) -> Result<Option<Truth>, Error> {
    let Some(nearby) = Nearby::new(&question.rounding()) else { return Ok(None) };
    Ok(declined(nearby.ask(quantity, question.direction, digits, open, budget))?.flatten())
}

/// The quantity of a question about a composition.
fn quantity(question: &Question) -> Result<Quantity, Error> {
    let at = &question.at;
    match question.asked {
        Asked::Delta => Ok(Quantity::Delta { epsilon: at.real("epsilon")? }),
        Asked::Epsilon => Ok(Quantity::Epsilon { delta: at.real("delta")? }),
        Asked::Beta => Ok(Quantity::Beta { alpha: at.real("alpha")? }),
        Asked::Renyi => Ok(Quantity::Renyi { order: at.real("order")? }),
        Asked::Noise => Err(Error::input("a calibration query needs a parameter marked `?`")),
    }
}

/// An answer as the verdict rules take it.
fn ask(
    open: &Sessions,
    mechanism: Composition,
    quantity: Quantity,
    direction: Direction,
    digits: u32,
    budget: &Budget,
) -> Result<Truth, Error> {
    ask_down_to(LEAST, open, mechanism, quantity, direction, digits, budget)
}

/// The same, but of a truth below `2^-least` only that it lies there.
fn ask_down_to(
    least: u32,
    open: &Sessions,
    mechanism: Composition,
    quantity: Quantity,
    direction: Direction,
    digits: u32,
    budget: &Budget,
) -> Result<Truth, Error> {
    let query = Query::new(quantity, mechanism).with_direction(direction).with_digits(digits);
    match open.answer(&query, budget)?.outcome {
        Outcome::Undefined(reason) => Err(Error::Undefined(reason)),
        Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
        Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } if is_below(set.set(), least) => {
            let (lower, upper) = (BigRational::default(), BigRational::new_raw(1.into(), BigInt::from(1) << least));
            Ok(Truth::Within { lower, upper })
        }
        found => {
            convert::truth(&found).ok_or_else(|| Error::undecided("the computed enclosure is unbounded".to_string()))
        }
    }
}

/// Is it certainly within 0 and `2^-bits`?
fn is_below(set: &Enclosure, bits: u32) -> bool {
    let small =
        |end: &Float| end.is_zero() || end.get_exp().is_some_and(|exponent| i64::from(exponent) <= -i64::from(bits));
    !set.lower().is_sign_negative() && small(set.upper())
}

/// One coordinate of a question as a constant.
fn coordinate(question: &Question, name: &str) -> Result<Real, Error> {
    question.at.real(name)
}

/// A double as the verdict rules take it.
fn rational(value: f64) -> Result<BigRational, Error> {
    let value = real(value)?;
    value.as_rational().map(convert::big_rational).ok_or_else(|| Error::input("not a rational number"))
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::Double;

    use super::*;
    use crate::alarm::injected;
    use crate::audit::question::{At, Step};

    /// It is not a truth that could not be found: neither fewer digits nor a composition nearby are asked instead, and
    /// whoever audits is told.
    #[test]
    fn alarms_are_heard() {
        let at = At { epsilon: Some(Double(1.0)), ..At::default() };
        let question = Question::new("q", Asked::Delta, vec![Step::new("gaussian", &[("sigma", 1.0)])], at);
        let oracle = Oracle::default();
        assert!(oracle.alarm().is_none());
        let (known, _) = injected("profile of a Gaussian", || oracle.ask(&question, LEVELS[0]));
        let alarm = oracle.alarm().expect("an alarm");
        assert_eq!(known.expect_err("no truth"), alarm);
        assert!(alarm.is_alarm() && alarm.to_string().contains("gaussian(sigma=1)"), "{alarm}");
    }
}
