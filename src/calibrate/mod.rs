//! Inverse problems: which number belongs in the place of a `?`, so that a promise is kept; see
//! `proofs/paper/calibration.md`.
//!
//! The target is a delta at an epsilon, a type II error at a type I error, mu-GDP, zCDP, or a Renyi divergence. If the
//! privacy loss is monotone in the parameter, as the catalogue states for each parameter, the values that meet the
//! target are all on one side of a threshold. This module encloses that threshold. Two answers prove the result: the
//! target is met at the `safe` value, and missed at the value that `fails`, its neighbour among the doubles or the
//! integers.
//!
//! | file | is |
//! |---|---|
//! | `question` | the composition with its `?`, and the promise |
//! | `oracle` | one value of the parameter: safe, failing, or not told |
//! | `weight` | how the loss goes with the weight of a mixture |
//! | `scale` | which values there are, and which are neighbours |
//! | `both_ways` | a loss that grows and falls: the least value from which on all are safe |
//! | `concentrated` | a value from which on all are safe, by a bound that goes one way |
//! | `descent` | and a smaller one, by whole intervals |
//! | `search` | from a bracket to neighbours |
//! | `implied` | what follows from a guarantee, by either of two bounds |

mod both_ways;
mod concentrated;
mod descent;
mod implied;
mod oracle;
mod question;
mod scale;
mod search;
mod weight;

use std::cell::Cell;
use std::cmp::Ordering;

use rug::Rational;

use crate::answer::{Answer, Bound, Meaning, Outcome};
use crate::error::Error;
use crate::mechanism::{Cause, Place, Trend};
use crate::number::{Fraction, Interval};
use crate::statement::{IMPLIED, MONOTONE, RHO_FALLS, Statement, WEIGHED};
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Budget, Enclosure, Number, Real, Reason, bits_of_digits};

use self::oracle::{By, FEW, Oracle, Point, Verdict};
use self::scale::{Axis, GREATEST, Scale, power_of_two};
use self::search::Search;

pub(crate) use self::question::At;
pub use self::question::{Calibration, Target};

/// Digits that neighbouring doubles prove.
const DOUBLE_DIGITS: u32 = 15;

/// A value of the parameter, and the outcome of the query there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The value: a double or an integer.
    pub value: Fraction,
    /// Whether the value is a double. The largest weight of a mixture may be a rational number that is not a double.
    pub is_double: bool,
    /// The quantity of the target, such as delta, at that value.
    pub outcome: Outcome,
}

/// The answer to a calibration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Calibrated {
    /// The name of the calibrated number: a parameter, `repeats` or `weight`.
    pub parameter: &'static str,
    /// The threshold of the safe values, which meet the target: the largest or smallest safe integer, or an enclosure
    /// of the supremum or infimum.
    pub outcome: Outcome,
    /// The double or integer next to the threshold that is proven to meet the target.
    pub safe: Option<Trial>,
    /// Its neighbour, or the closest value found, that is proven to miss the target.
    pub fails: Option<Trial>,
    /// The method that computed the outcome at the safe value; empty if there is none.
    pub method: String,
    /// The theorem that the method evaluates.
    pub statement: Option<&'static Statement>,
    /// Why the safe values are on one side of the threshold.
    pub order: &'static Statement,
    /// What the outcomes at both values mean for the mechanism; `None` if there are none.
    ///
    /// If the outcomes are bounds, the safe value meets the target, because the mechanism is at least as private as the
    /// bound. The failing value misses the target by the bound only. The mechanism may meet it there, so its own
    /// threshold may lie beyond the outcome.
    pub meaning: Option<Meaning>,
    /// The direction of these bounds. If the composition contains a guarantee, the guarantee implies the target at the
    /// safe value, and the bound of the named method does not imply it at the failing value.
    pub bound: Option<Bound>,
    /// Why the outcomes are not exact.
    pub(crate) cause: Option<Cause>,
}

/// Find the value of the parameter marked `?` that just meets a target, within a budget.
///
/// **Guarantee.** If the outcome is an [`Outcome::Exact`] integer, it meets the target and the next one misses it. If
/// it is an enclosure, it contains the infimum or supremum of the values that meet the target. The outcome at `safe`
/// proves that it meets the target, and the outcome at `fails` proves that it misses it.
///
/// If the privacy loss is not monotone in the parameter, as for discrete Gaussian noise, the enclosure contains the
/// smallest value from which on all values meet the target. If the composition contains a guarantee, only the two
/// values are proven: the bound implies the target at `safe` and does not imply it at `fails`.
///
/// If no value meets the target, if every value does, or if it is not proven on which side of a value the safe ones
/// are, the result is [`Outcome::Undefined`], with the reason.
///
/// ```
/// use dpcert::{Budget, Calibration, Outcome, Target, calibrate};
///
/// let target = Target::Profile { epsilon: "1".parse()?, delta: "1e-5".parse()? };
/// let answer = calibrate(&Calibration::new("gaussian(sigma=?)".parse()?, target), &Budget::default())?;
/// let Outcome::Enclosure(sigma) = &answer.outcome else { return Err("no enclosure".into()) };
/// assert_eq!((sigma.lower(7), sigma.upper(7)), ("3.730631".into(), "3.730632".into()));
/// let (Some(safe), Some(fails)) = (answer.safe, answer.fails) else { return Err("no values".into()) };
/// assert!(safe.outcome.upper_f64() <= Some(1e-5) && safe.value.lower_f64() == fails.value.lower_f64().next_up());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`answer`](crate::answer).
pub fn calibrate(question: &Calibration, budget: &Budget) -> Result<Calibrated, Error> {
    calibrate_telling(question, budget, &mut |_| {})
}

/// Calibrate like [`calibrate`], and report progress.
pub fn calibrate_telling(
    question: &Calibration,
    budget: &Budget,
    told: &mut dyn FnMut(&str),
) -> Result<Calibrated, Error> {
    let question = question.clone().checked()?;
    let place = question.template.place();
    if let Some(reason) = question.target.decided(&place.value()) {
        return Ok(Calibrated::none(&question, Outcome::Undefined(reason)));
    }
    let weight = match weight::way(&question, budget, told) {
        Err(Error::Undefined(reason)) => return Ok(Calibrated::none(&question, Outcome::Undefined(reason))),
        Err(Error::Undecided(reason)) => return Ok(Calibrated::none(&question, Outcome::Undecided(reason))),
        other => other?,
    };
    let (loss, order) = match &weight {
        Some(weight) => (weight.loss, weight.statement),
        None if concentrated::rho_falls(&question)? => (Trend::Falls, &RHO_FALLS),
        None => (question.template.loss(), &MONOTONE),
    };
    let grows = match loss {
        Trend::Grows => true,
        Trend::Falls => false,
        Trend::Unknown => return both_ways::solved(&question, budget, told),
    };
    let way = Way { grows, order, level: weight.as_ref().is_some_and(|weight| weight.level) };
    if implied::has_two_bounds(&question)? {
        return implied::calibrated(&question, &way, budget, told);
    }
    one_way(&question, &way, By::Divergences, budget, told).map(|(answer, _)| answer)
}

/// How the privacy loss goes with the number.
struct Way {
    grows: bool,
    /// Why.
    order: &'static Statement,
    /// Do all values give the same?
    level: bool,
}

/// The answer if the privacy loss is monotone in the parameter. Also whether every value is proven to meet the target,
/// or none.
fn one_way(
    question: &Calibration,
    way: &Way,
    by: By,
    budget: &Budget,
    told: &mut dyn FnMut(&str),
) -> Result<(Calibrated, Option<bool>), Error> {
    let axis = Axis::of(&question.template, budget)?;
    let falls = matches!(question.target, Target::Tradeoff { .. });
    let search = Search::new(Oracle::new(question, budget, told).by(by), way.grows, falls);
    // Promises are chosen in floating point: what follows from them need not go the way of the guarantees everywhere.
    let search = if by == By::Promises { search.both_ways() } else { search };
    let all = Cell::new(None);
    let problem = Problem { question, axis, search, order: way.order, by, all: &all };
    let solved = if way.level { problem.level() } else { problem.solved() };
    let answer = match solved {
        Err(Error::Undefined(reason)) => Calibrated::none(question, Outcome::Undefined(reason)),
        other => other?,
    };
    Ok((answer, all.get()))
}

fn not_monotone(place: Place) -> String {
    let name = place.name();
    let mechanism = if let Place::Parameter(entry, _) = place { entry.name } else { "" };
    let known = match (mechanism, name) {
        ("staircase", "gamma") => "the privacy loss increases with gamma up to 1/2 and decreases beyond",
        ("dp-sgd", "batch" | "examples") => {
            "it also changes the number of steps, and one step at twice the rate is neither more nor less private \
             than two steps; give `steps` instead of `epochs`"
        }
        ("noisy-sgd", name) if name != "sampled" => {
            "the number of sampled steps is chosen anew for each value; give `sampled` to make the bound monotone"
        }
        ("noisy-sgd", "sampled") => "each value gives a bound on the same mechanism, and the smallest bound holds",
        ("rdp", "order") => {
            "a higher order makes the guarantee stronger, but the divergences of the other mechanisms increase with \
             the order"
        }
        _ => "",
    };
    if !known.is_empty() {
        return format!("{name} has no threshold, because {known}");
    }
    format!("{name} has no threshold, because the privacy loss is not proven to be monotone in it")
}

/// A number as progress messages show it.
fn told(value: &Rational) -> String {
    if value.is_integer() && *value <= u64::MAX {
        return value.to_string();
    }
    let value = Number::Exact(value.clone());
    decimal(&value, 8, Side::Lower)
}

struct Problem<'a> {
    question: &'a Calibration,
    axis: Axis,
    search: Search<'a>,
    /// Why the values on one side are the safe ones.
    order: &'static Statement,
    /// By which bound guarantees are answered.
    by: By,
    /// Whether every value is proven to be safe, or none.
    all: &'a Cell<Option<bool>>,
}

impl Problem<'_> {
    /// If all values are equally private, one of them decides for all.
    fn level(mut self) -> Result<Calibrated, Error> {
        let why = format!("for every {} alike", self.question.template.place().value());
        let mut open = None;
        for at in [Some(self.axis.least.clone()), self.axis.most.clone()].into_iter().flatten() {
            match self.search.oracle.look(&at, FEW) {
                Ok((point, Verdict::Safe)) => return Err(self.each_is_safe(&why, &point.answer)),
                Ok((point, Verdict::Fails)) => return Err(self.none_is_safe(&why, &point.answer)),
                Ok((_, Verdict::Open(reason))) | Err(Error::Undecided(reason)) => open = Some(reason),
                Err(error) => return Err(error),
            }
        }
        Ok(Calibrated::none(self.question, Outcome::Undecided(self.open(open))))
    }

    fn solved(mut self) -> Result<Calibrated, Error> {
        let mut near = None;
        let reason = match self.steps(&mut near) {
            Err(Error::Undecided(reason)) => Some(reason),
            other => other?,
        };
        Ok(self.result(near, reason))
    }

    /// Look for a bracket and narrow it; a reason where that stops short. The ends on the scale of doubles or integers
    /// are kept in `near`.
    fn steps(&mut self, near: &mut Option<[Point; 2]>) -> Result<Option<Reason>, Error> {
        self.search.oracle.check()?;
        self.ends()?;
        if let Some(reason) = self.search.bracket(&self.axis)? {
            return Ok(Some(reason));
        }
        let scale = self.scale();
        let mut reason = self.search.narrow(scale, DOUBLE_DIGITS + 2)?;
        self.everywhere()?;
        *near = self.search.safe.clone().zip(self.search.fails.clone()).map(<[Point; 2]>::from);
        if scale != Scale::Integers && self.question.digits > DOUBLE_DIGITS {
            let scale = Scale::Binary(bits_of_digits(self.question.digits));
            reason = self.search.narrow(scale, self.question.digits + 2)?;
        }
        Ok(reason)
    }

    /// The scale on which the values are neighbours. Each answer by promises takes its time: as many digits as will do.
    fn scale(&self) -> Scale {
        match self.axis.scale() {
            Scale::Binary(bits) if self.by == By::Promises => {
                Scale::Binary(bits.min(bits_of_digits(self.question.enough)))
            }
            scale => scale,
        }
    }

    /// What the ends of the axis prove: that no value is safe, or that each is.
    ///
    /// An end that is a value is asked itself. Where it is none, the mechanism left out is no less private than with
    /// any value, and one that shows everything no more private.
    fn ends(&mut self) -> Result<(), Error> {
        let least = self.axis.closed.then(|| self.axis.least.clone());
        let most = self.axis.most.clone().filter(|_| !self.axis.integers);
        let (private, disclosing) = if self.search.grows { (least, most) } else { (most, least) };
        match private {
            Some(at) => {
                self.search.look(&at, FEW)?;
                if let Some(point) = self.search.fails.clone().filter(|point| point.at == at) {
                    return Err(self.none_is_safe(&format!("even at {at}"), &point.answer));
                }
            }
            None => {
                if let Some(without) = self.question.template.without()?
                    && let (answer, Verdict::Fails) = self.search.oracle.judged(&without, FEW)?
                {
                    return Err(self.none_is_safe("even without the mechanism marked `?`", &answer));
                }
                self.unbounded()?;
            }
        }
        match disclosing {
            Some(at) => {
                self.search.look(&at, FEW)?;
                if let Some(point) = self.search.safe.clone().filter(|point| point.at == at) {
                    return Err(self.each_is_safe(&format!("even at {at}"), &point.answer));
                }
            }
            None => {
                if let Some(disclosing) = self.question.template.disclosing()? {
                    match self.search.oracle.judged(&disclosing, FEW) {
                        Ok((answer, Verdict::Safe)) => {
                            return Err(
                                self.each_is_safe("even if the mechanism marked `?` revealed everything", &answer)
                            );
                        }
                        // Beside a guarantee nothing may follow for what shows everything: that says nothing of the
                        // values.
                        Ok(_) | Err(Error::Undefined(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(())
    }

    /// With losses of any size and no more asked for than what fails outright, no double is safe; deltas would become
    /// too near to that to be told from it.
    fn unbounded(&mut self) -> Result<(), Error> {
        let delta = match &self.question.target {
            Target::Profile { delta, .. } => delta,
            Target::Tradeoff { alpha, beta } => return self.telling(alpha, beta),
            Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => return Ok(()),
        };
        let delta = delta.clone();
        let safest = power_of_two(if self.search.grows { -GREATEST } else { GREATEST });
        if self.axis.integers || !self.search.oracle.unbounded(&safest, &delta)? {
            return Ok(());
        }
        let (name, at) = (self.name(), told(&safest));
        Err(Error::Undefined(format!(
            "no value of {name} meets the target: even at {at} the privacy loss is unbounded and delta is above {}",
            Brief(&delta)
        )))
    }

    /// What a search proves that found no value on one of the sides, or zero repeats on the safe one.
    fn everywhere(&self) -> Result<(), Error> {
        let (value, what) = (self.question.template.place().value(), self.search.oracle.quantity_text());
        let last = if self.axis.integers { "the largest integer searched" } else { "the end of the range of doubles" };
        let end = |point: &Point| format!("even at {}, {last}, {what}", told(&point.at));
        match (&self.search.safe, &self.search.fails) {
            (Some(safe), None) => {
                let told = format!("found no {value} that misses the target: {}", end(safe));
                Err(self.undefined(&told, &safe.answer, true))
            }
            (None, Some(fails)) => {
                let told = format!("found no {value} that meets the target: {}", end(fails));
                Err(self.undefined(&told, &fails.answer, false))
            }
            (Some(safe), Some(fails)) if matches!(self.question.template.place(), Place::Repeats) => {
                if safe.at == 0 && fails.at == 1 {
                    return Err(self.undefined(
                        &format!("not even one run meets the target: {what}"),
                        &fails.answer,
                        false,
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A trade-off function is convex and nowhere above `1 - alpha`. If it equals that at one alpha between 0 and 1, it
    /// equals that everywhere, and the mechanism reveals nothing.
    fn telling(&mut self, alpha: &Real, beta: &Real) -> Result<(), Error> {
        let most = Real::one().sub(alpha);
        let inside = alpha.sign() == Some(Ordering::Greater) && most.sign() == Some(Ordering::Greater);
        if self.axis.integers || !inside || *beta != most {
            return Ok(());
        }
        let safest = power_of_two(if self.search.grows { -GREATEST } else { GREATEST });
        if !self.search.oracle.tells(&safest)? {
            return Ok(());
        }
        let (name, at) = (self.name(), told(&safest));
        Err(Error::Undefined(format!(
            "no value of {name} meets the target: even at {at} the output reveals something, and the type II error at \
             alpha = {} is below {}",
            Brief(alpha),
            Brief(&most)
        )))
    }

    fn name(&self) -> &'static str {
        self.question.template.place().name()
    }

    fn none_is_safe(&self, at: &str, answer: &Answer) -> Error {
        let what = self.search.oracle.quantity_text();
        self.undefined(
            &format!("no {} meets the target: {at}, {what}", self.question.template.place().value()),
            answer,
            false,
        )
    }

    fn each_is_safe(&self, at: &str, answer: &Answer) -> Error {
        let what = self.search.oracle.quantity_text();
        self.undefined(
            &format!("every {} meets the target: {at}, {what}", self.question.template.place().value()),
            answer,
            true,
        )
    }

    /// The reason, with the end of the answer that proves it.
    fn undefined(&self, told: &str, answer: &Answer, safe: bool) -> Error {
        let (level, falls) = (self.question.target.level(), self.search.falls);
        let upper = safe != falls;
        let side = if upper { Side::Upper } else { Side::Lower };
        // So many digits that what is said of the number is so of these.
        let shows = |bound: &str| {
            let order = bound.parse::<Real>().ok().and_then(|bound| bound.compare(level));
            order.is_some_and(|order| match (safe, falls) {
                (true, false) => order.is_le(),
                (true, true) => order.is_ge(),
                (false, false) => order.is_gt(),
                (false, true) => order.is_lt(),
            })
        };
        let told_by = |number: &Number| {
            let short = [FEW, 2 * FEW, 4 * FEW, 8 * FEW].map(|digits| decimal(number, digits, side));
            let shows = short.into_iter().find(|bound| shows(bound));
            shows.unwrap_or_else(|| decimal(number, 16 * FEW, side))
        };
        self.all.set(Some(safe));
        if matches!(answer.outcome, Outcome::Infinite) {
            return Error::Undefined(format!("{told} is infinite"));
        }
        let bound = answer.outcome.number().map(|number| told_by(&number)).unwrap_or_default();
        let side = if upper { "at most" } else { "at least" };
        let beyond = match (safe, falls) {
            (true, false) => "which is not above",
            (true, true) => "which is not below",
            (false, false) => "above",
            (false, true) => "below",
        };
        Error::Undefined(format!("{told} is {side} {bound}, {beyond} {}", Brief(level)))
    }

    /// Why nothing is known of any value, and which values there are.
    fn open(&self, reason: Option<Reason>) -> Reason {
        let place = self.question.template.place();
        let reason = reason.unwrap_or_else(|| "no value was decided".into());
        reason.then(format!("; {} can still be {}", place.name(), self.question.template.range()))
    }

    fn result(self, near: Option<[Point; 2]>, reason: Option<Reason>) -> Calibrated {
        let open = self.open(reason.clone());
        let Search { safe, fails, .. } = self.search;
        let outcome = match (&safe, &fails) {
            (Some(safe), Some(fails)) => between(self.question, &self.axis, safe, fails, reason),
            (None, None) => Outcome::Undecided(open),
            _ => Outcome::Undecided(reason.unwrap_or_else(|| "no value was decided".into())),
        };
        let (safe, fails) = match near {
            Some([safe, fails]) => (Some(safe), Some(fails)),
            None => (safe, fails),
        };
        let by = safe.as_ref().or(fails.as_ref()).map(|point| point.answer.clone());
        let (method, statement) = by.map(|answer| (answer.method, answer.statement)).unwrap_or_default();
        let (meaning, cause) = meant(self.question, [&safe, &fails]);
        let trial = |point: Point| point.trial(!self.axis.integers);
        let parameter = self.question.template.place().name();
        Calibrated {
            parameter,
            outcome,
            safe: safe.map(trial),
            fails: fails.map(trial),
            method,
            statement,
            order: if cause == Some(Cause::Guarantee) { &IMPLIED } else { self.order },
            meaning,
            bound: meaning.and_then(Meaning::bound),
            cause,
        }
    }
}

/// What the outcomes at two values say about the mechanism, and why if they are not exact.
///
/// With a group of one record or a single category the composition at one of both values may be simpler than at the
/// other: what is not exact at one of them is not exact.
fn meant(question: &Calibration, points: [&Option<Point>; 2]) -> (Option<Meaning>, Option<Cause>) {
    let (mut meaning, mut cause) = (None, None);
    for point in points.into_iter().flatten() {
        let Ok(composition) = question.template.with(Real::from(point.at.clone())) else { continue };
        let found = Meaning::of(&question.target.quantity(), &composition, question.direction);
        if meaning.is_none() || found.1.is_some() {
            (meaning, cause) = (Some(found.0), found.1);
        }
    }
    (meaning, cause)
}

/// The outcome that two values prove, of which one is safe and one fails.
fn between(question: &Calibration, axis: &Axis, safe: &Point, fails: &Point, reason: Option<Reason>) -> Outcome {
    if axis.integers && axis.scale().step(&safe.at, &fails.at) == fails.at {
        return Outcome::Exact(Fraction::new(safe.at.clone()));
    }
    let bits = bits_of_digits(question.digits.max(DOUBLE_DIGITS)) + 64;
    let [safe, fails] = [safe, fails].map(|point| Enclosure::rational(&point.at, bits));
    let proven = Interval::from(safe.hull(&fails));
    if !axis.integers && proven.digits() >= question.enough {
        return Outcome::Enclosure(proven);
    }
    let reason = reason.unwrap_or_else(|| "no value that was tried is closer".into());
    Outcome::Short { proven, reason }
}

impl Point {
    /// An end of the values may be a fraction that is no double.
    fn trial(self, doubles: bool) -> Trial {
        let is_double = doubles && Rational::from_f64(self.at.to_f64()).as_ref() == Some(&self.at);
        Trial { value: Fraction::new(self.at), is_double, outcome: self.answer.outcome }
    }
}

impl Calibrated {
    fn none(question: &Calibration, outcome: Outcome) -> Self {
        let parameter = question.template.place().name();
        Calibrated {
            parameter,
            outcome,
            safe: None,
            fails: None,
            method: String::new(),
            statement: None,
            order: if question.template.weighed().is_some() { &WEIGHED } else { &MONOTONE },
            meaning: None,
            bound: None,
            cause: None,
        }
    }
}

#[cfg(test)]
mod tests;
