//! The verb. Here an engine is chosen, asked, and refined until the digits are proven; see `proofs/paper/answers.md`.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Instant;

use rug::Rational;

use crate::alarm::{self, declined};
use crate::compose::{Engines, Method};
use crate::curve::{Curve, Direction, Value};
use crate::divergence;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::{Fraction, Interval};
use crate::query::{Quantity, Query};
use crate::statement::{self, Statement};
use crate::supervise;
use enclosure::decimal::{Side, double};
use enclosure::{Budget, Enclosure, Note, Number, Real, Reason, bits_of_digits, refine};

/// What came out.
///
/// ```
/// use dpcert::{Budget, Outcome, Quantity, Query, answer};
///
/// let ask = |quantity, mechanism: &str| {
///     answer(&Query::new(quantity, mechanism.parse()?), &Budget::default()).map(|answer| answer.outcome)
/// };
/// // Gaussian noise has losses of any size.
/// assert!(matches!(ask(Quantity::Max, "gaussian(sigma=1)")?, Outcome::Infinite));
/// let kl = ask(Quantity::Kl, "gaussian(sigma=2)")?;
/// assert_eq!((kl.lower_f64(), kl.upper_f64()), (Some(0.125), Some(0.125)));
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Exactly this rational.
    Exact(Fraction),
    /// The truth is inside.
    Enclosure(Interval),
    /// Plus infinity.
    Infinite,
    /// There is no such number, for the reason given.
    Undefined(String),
    /// The budget ran out before it was proven; the reason says what was tried.
    Undecided(Reason),
}

/// An outcome, and where it comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// What came out.
    pub outcome: Outcome,
    /// The engine; empty when none was found.
    pub method: String,
    /// The statement it evaluates; none when there is no engine.
    pub statement: Option<&'static Statement>,
    /// How it was come by, if the budget takes notes. The last note is the time.
    pub notes: Vec<Note>,
}

/// Answer a query within a budget.
///
/// **Guarantee.** The outcome is the exact value, or an enclosure `lower <= truth <= upper` whose ends agree to
/// `query.digits` significant digits, or says why there is neither. Malformed queries are [`Error::Input`]; undefined
/// and undecided ones are outcomes. Where what was computed proves a mistake of ours, there is no answer but
/// [`Error::Contradiction`], with the query to report, and where it panics [`Error::Internal`].
///
/// A budget of time is kept by whoever waits: the computation runs on a thread of its own and is given up when its time
/// is over, except in a pool of threads, where it is done in place and ends when it next looks at the clock.
pub fn answer(query: &Query, budget: &Budget) -> Result<Answer, Error> {
    Session::new(query.mechanism.clone(), query.method).answer(query, budget)
}

/// One composition, open for any number of questions.
///
/// Its curve is built once, and what one question makes the engine find out serves the next. The answers are those of
/// [`answer`]; threads may ask at the same time.
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
}

impl Session {
    /// Nothing is computed before something is asked.
    pub fn new(mechanism: Composition, method: Method) -> Self {
        Session { engines: Arc::new(Engines::new(mechanism, method)) }
    }

    /// Is the query about this composition, by this method?
    pub fn serves(&self, query: &Query) -> bool {
        self.engines.method() == query.method && *self.engines.mechanism() == query.mechanism
    }

    /// [`answer`], with what is known from earlier questions. A query about something else is answered without.
    pub fn answer(&self, query: &Query, budget: &Budget) -> Result<Answer, Error> {
        if !self.serves(query) {
            return answer(query, budget);
        }
        let query = query.clone().checked()?;
        let started = Instant::now();
        let (engines, own, asked) = (Arc::clone(&self.engines), budget.clone(), query.clone());
        let mut answer = match supervise::within(budget, move || evaluated(&engines, &query, &own)) {
            // Nobody knows which engine it was.
            Err(Error::Undecided(reason)) => Answer::from(Outcome::Undecided(reason)),
            answer => answer.map_err(|error| error.about(&asked))?,
        };
        if budget.takes_notes() {
            answer.notes.extend(budget.notes());
            answer.notes.push(Note::new("time", format_args!("{:.6} s", started.elapsed().as_secs_f64())));
        }
        Ok(answer)
    }
}

impl Outcome {
    /// The greatest double that is not above the truth: infinite where the truth is, `None` where there is no number.
    pub fn lower_f64(&self) -> Option<f64> {
        match self {
            Outcome::Infinite => Some(f64::INFINITY),
            number => number.number().map(|number| double(&number, Side::Lower)),
        }
    }

    /// The least double that is not below the truth: infinite where the truth is, `None` where there is no number.
    pub fn upper_f64(&self) -> Option<f64> {
        match self {
            Outcome::Infinite => Some(f64::INFINITY),
            number => number.number().map(|number| double(&number, Side::Upper)),
        }
    }

    /// The finite number, if it is one.
    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Outcome::Exact(value) => Some(value.into()),
            Outcome::Enclosure(set) => Some(set.into()),
            Outcome::Infinite | Outcome::Undefined(_) | Outcome::Undecided(_) => None,
        }
    }
}

impl From<Outcome> for Answer {
    /// By no engine.
    fn from(outcome: Outcome) -> Self {
        Answer { outcome, method: String::new(), statement: None, notes: Vec::new() }
    }
}

/// The id of a question that makes its computation panic, in tests.
#[cfg(test)]
pub(crate) const SLIP: &str = "a slip";

/// The answer to a question of the composition of these engines.
fn evaluated(engines: &Engines, query: &Query, budget: &Budget) -> Result<Answer, Error> {
    #[cfg(test)]
    assert!(query.id.as_deref() != Some(SLIP), "a slip, made for a test");
    let mut answer = Answer::from(Outcome::Infinite);
    answer.outcome = match evaluate(engines, query, budget, &mut answer) {
        Ok(Value::Finite(Number::Exact(value))) => Outcome::Exact(Fraction::new(value)),
        Ok(Value::Finite(Number::Enclosed(set))) => Outcome::Enclosure(set.into()),
        Ok(Value::Infinite) => Outcome::Infinite,
        Err(Error::Undefined(reason)) => Outcome::Undefined(reason),
        Err(Error::Undecided(reason)) => Outcome::Undecided(reason),
        // Malformed questions, and mistakes of ours.
        Err(other) => return Err(other),
    };
    Ok(answer)
}

/// Choose the engine, note it in `answer`, and refine what it says.
fn evaluate(engines: &Engines, query: &Query, budget: &Budget, answer: &mut Answer) -> Result<Value, Error> {
    let Query { quantity, mechanism, direction, digits, .. } = query;
    if let Some(kind) = divergence_kind(quantity) {
        let sum = divergence::composed(kind, mechanism)?;
        answer.method = sum.method().to_string();
        answer.statement = Some(sum.statement());
        return refine_value(*digits, budget, |bits| {
            let sides = Sides { direction: *direction, symmetric: sum.symmetric(), sketches: false };
            sides.extreme(Ordering::Greater, bits, budget, |side, bits, budget| sum.value(side, bits, budget))
        });
    }
    let mut first: Option<(&str, &'static Statement)> = None;
    let asked = engines.ask(budget, |curve| {
        first = first.or(Some((curve.method(), curve.statement())));
        answer.method = curve.method().to_string();
        answer.statement = Some(curve.statement());
        if budget.takes_notes() {
            answer.notes = curve.explain();
        }
        ask(curve, query, budget)
    });
    let value = match asked {
        Err(Error::Undecided(reason)) => {
            // If none of them decided, it is the first engine that is named.
            if let Some((method, statement)) = first {
                (answer.method, answer.statement) = (method.to_string(), Some(statement));
            }
            trivial(query, budget, answer)?.ok_or(Error::Undecided(reason))?
        }
        value => value?,
    };
    Ok(match (quantity, value) {
        (Quantity::Epsilon { .. }, value) => value,
        (_, Value::Finite(Number::Enclosed(set))) => {
            Value::Finite(Number::Enclosed(alarm::probability(&set, "probability that was asked for")?))
        }
        (_, value) => value,
    })
}

/// What a curve says, refined.
fn ask(curve: &dyn Curve, query: &Query, budget: &Budget) -> Result<Value, Error> {
    let Query { quantity, direction, digits, .. } = query;
    let sides = Sides { direction: *direction, symmetric: curve.symmetric(), sketches: curve.sketches() };
    refine_value(*digits, budget, |bits| match quantity {
        Quantity::Delta { epsilon } => sides.extreme(Ordering::Greater, bits, budget, |side, bits, budget| {
            curve.delta(epsilon, side, bits, budget).map(Value::Finite)
        }),
        Quantity::Epsilon { delta } => sides
            .extreme(Ordering::Greater, bits, budget, |side, bits, budget| curve.epsilon(delta, side, bits, budget)),
        Quantity::Beta { alpha } => sides.extreme(Ordering::Less, bits, budget, |side, bits, budget| {
            let near = near_one(curve, alpha, side, (*digits, bits), budget);
            near?.map_or_else(|| curve.beta(alpha, side, bits, budget), Ok).map(Value::Finite)
        }),
        // The total variation distance is the profile at epsilon = 0, in either direction.
        _ => curve.delta(&Real::from(0u64), Direction::Forward, bits, budget).map(Value::Finite),
    })
}

/// The trade-off function at an alpha so small that it is one to all digits that are asked for.
///
/// A test that rejects with P-probability alpha rejects with Q-probability at most `e^eps alpha + H_{e^eps}(Q||P)`, for
/// any eps, so `1 - e^eps alpha - delta_backward(eps) <= beta(alpha) <= 1 - alpha`. Here eps is such that `e^eps alpha`
/// is of the size of the error allowed. `None` where that does not do.
fn near_one(
    curve: &dyn Curve,
    alpha: &Real,
    side: Direction,
    (digits, bits): (u32, u32),
    budget: &Budget,
) -> Result<Option<Number>, Error> {
    let set = alpha.enclosure(64);
    if !(*set.lower() > 0) {
        return Ok(None);
    }
    let slack = f64::from(digits) * std::f64::consts::LN_10 + 12.0;
    let epsilon = -set.ln().upper().to_f64() - slack;
    // Nearer to one than that, the engine is better.
    if !(epsilon > 100.0) {
        return Ok(None);
    }
    let other = if side == Direction::Forward { Direction::Backward } else { Direction::Forward };
    let Some(at) = Rational::from_f64(epsilon.floor()).map(Real::from) else { return Ok(None) };
    let Some(delta) = declined(curve.delta(&at, other, 24, budget))? else { return Ok(None) };
    let delta = delta.enclosure(64);
    let lack = &(&at.enclosure(64).exp() * &set) + &delta;
    let one = Enclosure::one(bits);
    let (below, above) = (&one - &lack.with_bits(bits), &one - &alpha.enclosure(bits));
    let proven = alarm::bracket(&below, &above, "type II error at a small type I error")?;
    let enough = proven.relative_bits() >= Some(i64::from(bits_of_digits(digits)));
    Ok(enough.then_some(Number::Enclosed(proven)))
}

/// What holds for any mechanism, where that is enough: `1 - e^eps <= delta(eps) <= 1`, whose ends agree for eps far
/// below zero.
fn trivial(query: &Query, budget: &Budget, answer: &mut Answer) -> Result<Option<Value>, Error> {
    let Quantity::Delta { epsilon } = &query.quantity else { return Ok(None) };
    let value = declined(refine_value(query.digits, budget, |bits| {
        let least = -epsilon.enclosure(bits).expm1();
        // Not worth refining: the width does not depend on the precision.
        let far = least.lower().to_f64() > 0.5 && epsilon.to_f64() < -f64::from(bits_of_digits(query.digits));
        if !far {
            return Err(Error::Undecided("epsilon is not far enough below zero".into()));
        }
        Ok(Value::Finite(Number::Enclosed(least.hull(&Enclosure::one(bits)))))
    }))?;
    let Some(value) = value else { return Ok(None) };
    answer.method = "bounds that hold for any mechanism".to_string();
    answer.statement = Some(&statement::ANY_MECHANISM);
    Ok(Some(value))
}

impl Answer {
    /// The citation of the statement; empty when there is none.
    pub fn citation(&self) -> &'static str {
        self.statement.map_or("", Statement::citation)
    }
}

/// The quantities that compose by a sum or a product; the others need the composed curve.
fn divergence_kind(quantity: &Quantity) -> Option<divergence::Kind> {
    match quantity {
        Quantity::Renyi { order } => Some(divergence::Kind::Renyi(order.clone())),
        Quantity::Kl => Some(divergence::Kind::KullbackLeibler),
        Quantity::Chi2 => Some(divergence::Kind::ChiSquared),
        Quantity::Max => Some(divergence::Kind::Max),
        Quantity::Delta { .. } | Quantity::Epsilon { .. } | Quantity::Beta { .. } | Quantity::Tv => None,
    }
}

/// Which direction is asked for.
struct Sides {
    direction: Direction,
    symmetric: bool,
    /// Do few bits cost a small part of what many do?
    sketches: bool,
}

/// Bits that mostly tell which direction is the worse.
const SKETCH: u32 = 24;

impl Sides {
    /// One direction, or for [`Direction::Worst`] the worse of both: the larger value, or the smaller.
    ///
    /// Where few bits prove which one that is, the other is not asked for more.
    fn extreme(
        &self,
        worse: Ordering,
        bits: u32,
        budget: &Budget,
        value: impl Fn(Direction, u32, &Budget) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        match self.direction {
            Direction::Worst if self.symmetric => return value(Direction::Forward, bits, budget),
            Direction::Worst => {}
            one => return value(one, bits, budget),
        }
        // Why one direction is undecided, and what was proven of it, is not about the worse of both.
        let at = |side, bits, name: &str| {
            value(side, bits, &budget.under(name)).map_err(|error| match error {
                Error::Undecided(reason) if side == Direction::Forward => {
                    Error::Undecided(reason.about("in the forward direction, "))
                }
                Error::Undecided(reason) => Error::Undecided(reason.about("in the backward direction, ")),
                other => other,
            })
        };
        if self.sketches
            && bits > 4 * SKETCH
            && let Some(forward) = declined(at(Direction::Forward, SKETCH, "few bits, forward"))?
            && let Some(backward) = declined(at(Direction::Backward, SKETCH, "few bits, backward"))?
            && let Some(order @ (Ordering::Less | Ordering::Greater)) = forward.compare(&backward)
        {
            let (side, name) =
                if order == worse { (Direction::Forward, "forward") } else { (Direction::Backward, "backward") };
            budget.note("the worse direction, proven by few bits", name);
            return at(side, bits, name);
        }
        let forward = at(Direction::Forward, bits, "forward")?;
        let backward = at(Direction::Backward, bits, "backward")?;
        Ok(if worse == Ordering::Less { forward.min(&backward) } else { forward.max(&backward) })
    }
}

/// [`refine`] for a value that may be infinite, which is known at any precision.
fn refine_value(
    digits: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Value, Error>,
) -> Result<Value, Error> {
    let mut infinite = false;
    let number = refine(digits, budget, |bits| match value(bits)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => {
            infinite = true;
            Ok(Number::zero())
        }
    })?;
    Ok(if infinite { Value::Infinite } else { Value::Finite(number) })
}
