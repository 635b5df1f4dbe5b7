//! Where a number comes from.

mod crossing;
mod limit;
mod one_block;
mod theorem;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rug::Rational;
use serde::Deserialize;

use self::crossing::Crossing;
use self::limit::Limit;
use self::one_block::OneBlock;
use self::theorem::{Conversion, Theorem};
use super::data::Names;
use super::fill::{filled, names};
use super::formula::{Formula, Surroundings};
use crate::answer::{Outcome, Session};
use crate::calibrate::{Calibration, Target, calibrate};
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::{Point, Quantity, QuantityName, Query};
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, Number, Real, refine};

/// Seconds that one number may take.
const PATIENCE: u64 = 900;

/// Where a number comes from. In every text `{name}` is filled in before it is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Source {
    /// What `answer` says.
    Query(Question),
    /// Arithmetic, in which `[name]` is another column of the row.
    Formula(String),
    /// The least delta that a theorem of composition promises at an epsilon, 1 where it promises none.
    Theorem(Theorem),
    /// What a limit theorem says of the mechanism of a query, which is no bound.
    Limit(Limit),
    /// The epsilon that zCDP promises at a delta.
    Zcdp(Conversion),
    /// The epsilon that one block of a grid over clones proves, a lower bound.
    OneBlock(OneBlock),
    /// The threshold of the parameter marked `?` that meets a target.
    Least(Promise),
    /// Where a query or a formula passes a level.
    Crossing(Crossing),
    /// The least over some integers.
    Best(Best),
}

/// A query before its names are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    quantity: QuantityName,
    mechanism: String,
    #[serde(default)]
    at: Names,
    #[serde(default = "worst")]
    direction: Direction,
    #[serde(default)]
    method: Method,
}

fn worst() -> Direction {
    Direction::Worst
}

/// A mechanism with a `?`, and what is promised.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    mechanism: String,
    at: Names,
    #[serde(default = "worst")]
    direction: Direction,
}

/// The least of a formula over integers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Best {
    /// What the integer is called.
    over: String,
    from: u32,
    to: u32,
    /// What the formula calls `[name]`.
    #[serde(default)]
    with: BTreeMap<String, Source>,
    formula: String,
}

/// A number, or why there is none.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(Number),
    /// Plus infinity.
    Infinite,
    /// A hypothesis fails.
    Undefined(String),
}

/// Returns the number of another column of the row, to a number of digits.
pub type Columns<'a> = dyn Fn(&str, u32) -> Result<Value, Error> + 'a;

/// Evaluates queries; it caches compositions and answers.
#[derive(Default)]
pub struct Asker {
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    asked: Mutex<HashMap<String, Value>>,
}

impl Source {
    /// Can it be read, whatever is filled in?
    pub fn check(&self) -> Result<(), String> {
        match self {
            Source::Formula(text) => readable(text),
            Source::Best(best) => {
                if best.from > best.to || best.to - best.from > 100_000 {
                    return Err(format!("the range {} to {} contains no integers, or too many", best.from, best.to));
                }
                best.with.values().try_for_each(Source::check)?;
                readable(&best.formula)?;
                let inside = |name: &String| best.with.contains_key(name);
                match columns(&best.formula).into_iter().find(|name| !inside(name)) {
                    Some(name) => Err(format!("the formula uses [{name}], which `with` does not define")),
                    None => Ok(()),
                }
            }
            Source::Query(question) => question.check(),
            Source::Limit(limit) => limit.check().and_then(|()| limit.query().check()),
            Source::Crossing(crossing) => crossing.check(),
            Source::Least(promise) => known(&promise.at, &["epsilon", "delta", "alpha", "beta"]),
            Source::Theorem(_) | Source::Zcdp(_) | Source::OneBlock(_) => Ok(()),
        }
    }

    /// The names that are to be filled in.
    pub fn names(&self) -> Vec<String> {
        let of = |texts: Vec<&str>| texts.into_iter().flat_map(names).collect::<Vec<_>>();
        let without = |mut found: Vec<String>, own: &str| {
            found.retain(|name| name != own);
            found
        };
        match self {
            Source::Query(question) => of(question.texts()),
            Source::Limit(limit) => of(limit.query().texts()),
            Source::Least(promise) => of(promise.at.values().chain([&promise.mechanism]).map(String::as_str).collect()),
            Source::Formula(text) => names(text),
            Source::Theorem(theorem) => of(theorem.texts()),
            Source::Zcdp(conversion) => of(conversion.texts()),
            Source::OneBlock(block) => of(block.texts()),
            Source::Crossing(crossing) => {
                let (texts, own) = crossing.texts();
                without(of(texts), own)
            }
            Source::Best(best) => {
                let inside = best.with.values().flat_map(Source::names);
                without(names(&best.formula).into_iter().chain(inside).collect(), &best.over)
            }
        }
    }

    /// The columns that it names.
    pub fn columns(&self) -> Vec<String> {
        match self {
            Source::Formula(text) => columns(text),
            _ => Vec::new(),
        }
    }

    /// The quantity of a query.
    pub fn quantity(&self) -> Option<QuantityName> {
        match self {
            Source::Query(question) => Some(question.quantity),
            _ => None,
        }
    }

    /// The mechanism of a query without names.
    pub fn mechanism(&self) -> Option<&str> {
        match self {
            Source::Query(question) => Some(&question.mechanism),
            _ => None,
        }
    }

    /// The number, to `digits` digits.
    pub fn value(&self, given: &Names, digits: u32, asker: &Asker, columns: &Columns) -> Result<Value, Error> {
        let value = match self {
            Source::Query(question) => question.filled(given)?.ask(digits, asker),
            Source::Formula(text) => asker.formula(&filled(text, given), digits, columns),
            Source::Theorem(theorem) => theorem.ask(given, digits),
            Source::Limit(limit) => limit.ask(given, digits),
            Source::Zcdp(conversion) => conversion.ask(given, digits),
            Source::OneBlock(block) => block.ask(given, digits),
            Source::Least(promise) => promise.ask(given, digits),
            Source::Crossing(crossing) => crossing.ask(given, digits),
            Source::Best(best) => best.ask(given, digits, asker),
        };
        match value {
            Err(Error::Undefined(reason)) => Ok(Value::Undefined(reason)),
            value => value,
        }
    }
}

/// Can this formula be read, with any number in the place of a name?
fn readable(text: &str) -> Result<(), String> {
    let given = names(text).into_iter().map(|name| (name, "1".to_string())).collect();
    Formula::parse(&filled(text, &given)).map(drop).map_err(|error| error.to_string())
}

fn columns(text: &str) -> Vec<String> {
    let given = names(text).into_iter().map(|name| (name, "1".to_string())).collect();
    Formula::parse(&filled(text, &given)).map_or_else(|_| Vec::new(), |formula| formula.names())
}

fn budget() -> Budget {
    Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(PATIENCE)))
}

fn real(what: &str, text: &str, given: &Names) -> Result<Real, Error> {
    filled(text, given).parse().map_err(|error| Error::input(format!("{what}: {error}")))
}

/// Are these names of numbers that are asked for here?
fn known(at: &Names, wanted: &[&str]) -> Result<(), String> {
    match at.keys().find(|name| !wanted.contains(&name.as_str())) {
        Some(name) => Err(format!("`at` has {}, not `{}`", wanted.join(", "), crate::table::quoted(name))),
        None => Ok(()),
    }
}

impl Question {
    /// All texts in which names are filled in.
    fn texts(&self) -> Vec<&str> {
        self.at.values().chain([&self.mechanism]).map(String::as_str).collect()
    }

    fn check(&self) -> Result<(), String> {
        known(&self.at, &["epsilon", "delta", "alpha", "order"])
    }

    fn filled(&self, given: &Names) -> Result<Query, Error> {
        let mut point = Point::default();
        for (name, text) in &self.at {
            let value = Some(real(name, text, given)?);
            match name.as_str() {
                "epsilon" => point.epsilon = value,
                "delta" => point.delta = value,
                "alpha" => point.alpha = value,
                "order" => point.order = value,
                _ => return Err(Error::input(format!("a query has no coordinate `{name}`"))),
            }
        }
        let mechanism = Composition::parse_closed(&filled(&self.mechanism, given))?;
        let query = Query::new(Quantity::at(self.quantity, point)?, mechanism);
        Ok(Query { direction: self.direction, method: self.method, ..query })
    }
}

impl Query {
    fn ask(self, digits: u32, asker: &Asker) -> Result<Value, Error> {
        let query = self.with_digits(digits);
        // A bound over many orders is taken at each epsilon of a curve, and its divergences are the same for all.
        let key = format!("{query:?}");
        let known = || asker.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().get(&key) {
            return Ok(value.clone());
        }
        let session = asker.session(&query);
        let value = value(session.answer(&query, &budget())?.outcome).map_err(|error| error.about(&query))?;
        known().insert(key, value.clone());
        Ok(value)
    }
}

/// The number of an outcome that has all its digits.
fn value(outcome: Outcome) -> Result<Value, Error> {
    match outcome {
        Outcome::Exact(value) => Ok(Value::Number(Number::from(&value))),
        Outcome::Enclosure(set) => Ok(Value::Number(Number::from(&set))),
        Outcome::Infinite => Ok(Value::Infinite),
        Outcome::Undefined(reason) => Ok(Value::Undefined(reason)),
        Outcome::Short { reason, .. } | Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
    }
}

impl Asker {
    fn session(&self, query: &Query) -> Arc<Session> {
        let key = format!("{} {}", query.method.name(), query.mechanism);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || Arc::new(Session::new(query.mechanism.clone(), query.method));
        Arc::clone(sessions.entry(key).or_insert_with(open))
    }

    fn formula(&self, text: &str, digits: u32, columns: &Columns) -> Result<Value, Error> {
        let formula = Formula::parse(text)?;
        let budget = budget();
        let number = refine(digits, &budget, |bits| {
            let surroundings = Surroundings {
                bits,
                budget: &budget,
                // Bits that are wanted, in digits, and as many again as cancel before this is asked with more.
                column: &|name| match columns(name, bits * 30_103 / 100_000 + 1)? {
                    Value::Number(number) => Ok(number),
                    Value::Infinite => Err(Error::Undefined(format!("[{name}] is infinite"))),
                    Value::Undefined(reason) => Err(Error::Undefined(format!("[{name}]: {reason}"))),
                },
                epsilon: &|mu, delta| self.gaussian_epsilon(mu, delta, bits),
            };
            formula.evaluate(&surroundings)
        });
        number.map(Value::Number)
    }

    /// The epsilon of `mu`-GDP at a delta. It grows with mu, so the ends of mu give its ends; delta has to be exact,
    /// for at its ends it would be another question.
    fn gaussian_epsilon(&self, mu: &Number, delta: &Number, bits: u32) -> Result<Number, Error> {
        let delta = delta.exact().ok_or_else(|| Error::input("the delta of gdp_epsilon must be rational"))?;
        let (lower, upper) = match mu {
            Number::Exact(mu) => (mu.clone(), mu.clone()),
            Number::Enclosed(set) => rational_bounds(set)
                .ok_or_else(|| Error::undecided("the mu of gdp_epsilon could not be bounded at this precision"))?,
        };
        let at = |mu: Rational| {
            let mechanism = Composition::parse_closed(&format!("gdp(mu={mu})"))?;
            let query = Query::new(Quantity::Epsilon { delta: Real::from(delta.clone()) }, mechanism);
            match query.ask(bits * 30_103 / 100_000, self)? {
                Value::Number(number) => Ok(number),
                Value::Infinite => Err(Error::Undefined("gdp_epsilon is infinite at this delta".into())),
                Value::Undefined(reason) => Err(Error::Undefined(reason)),
            }
        };
        if lower == upper {
            return at(lower);
        }
        let ends = [at(lower)?.enclosure(bits), at(upper)?.enclosure(bits)];
        Ok(Number::Enclosed(ends[0].hull(&ends[1])))
    }
}

impl Promise {
    fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let at = |name: &str| self.at.get(name).map(|text| real(name, text, given)).transpose();
        let target = match (at("epsilon")?, at("delta")?, at("alpha")?, at("beta")?) {
            (Some(epsilon), Some(delta), None, None) => Target::Profile { epsilon, delta },
            (None, None, Some(alpha), Some(beta)) => Target::Tradeoff { alpha, beta },
            _ => return Err(Error::input("a target needs epsilon and delta, or alpha and beta")),
        };
        let template = filled(&self.mechanism, given).parse()?;
        let question = Calibration::new(template, target).with_direction(self.direction).with_digits(digits);
        value(calibrate(&question, &budget())?.outcome)
    }
}

impl Best {
    fn ask(&self, given: &Names, digits: u32, asker: &Asker) -> Result<Value, Error> {
        let mut best: Option<Number> = None;
        for integer in self.from..=self.to {
            let mut names = given.clone();
            names.insert(self.over.clone(), integer.to_string());
            let columns = |name: &str, digits: u32| match self.with.get(name) {
                Some(source) => source.value(&names, digits, asker, &|_, _| Err(unknown(name))),
                None => Err(unknown(name)),
            };
            match asker.formula(&filled(&self.formula, &names), digits, &columns) {
                Ok(Value::Number(number)) => best = Some(best.map_or_else(|| number.clone(), |best| best.min(&number))),
                // No minimum.
                Ok(Value::Infinite | Value::Undefined(_)) | Err(Error::Undefined(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(best.map_or_else(|| Value::Undefined("no integer gives a value".into()), Value::Number))
    }
}

fn unknown(name: &str) -> Error {
    Error::input(format!("there is no [{name}]"))
}
