//! The distribution of the privacy loss `L = ln(dP/dQ)`: tails, distribution function and quantiles, under P and under
//! Q (Dwork and Rothblum 2016, Section 1; Su 2024, Proposition 3.2). Paper proof: `proofs/paper/loss-distribution.md`.
//!
//! Every value is the mass of a tail `{L > t}` or `{L >= t}` of one of the two orders of the pair, or 1 minus such a
//! mass. `list` sums listed outcomes exactly, `closed` evaluates one Gaussian or one run of Laplace noise, and `slopes`
//! derives the masses from the privacy profile, whatever engine computes that. `atoms` finds the mass of one loss, and
//! `quantile` inverts the distribution function.

mod atoms;
mod closed;
mod list;
mod quantile;
mod slopes;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use super::{Answer, Outcome, Session};
use crate::alarm;
use crate::compose::{Method, common_lattice};
use crate::curve::Direction;
use crate::error::Error;
use crate::number::Interval;
use crate::pair::{List, LossBound, Pair, Product, symmetric};
use crate::query::{Quantity, Query, Under};
use crate::statement::{self, Statement};
use crate::supervise;
use enclosure::{Budget, Enclosure, Number, Real, Reason, Work, bits_of_digits};

/// Work after which a query without `--digits` stops.
const PATIENCE: Work = Work::seconds(8);

/// Precision of a bound that needs few bits, in bits.
const BITS: u32 = 128;

/// The tail of the loss of one order of the pair: `{L > at}` if `strict`, else `{L >= at}`.
#[derive(Clone, Debug)]
struct Tail {
    side: Direction,
    at: Real,
    strict: bool,
}

/// The masses of a tail under the first and the second distribution of its order.
#[derive(Clone, Debug)]
struct Masses {
    first: Number,
    second: Number,
}

/// A value of the distribution function of one order, or 1 minus it.
#[derive(Clone, Debug)]
struct Value {
    tail: Tail,
    under: Under,
    /// Is the value 1 minus the mass of the tail?
    complement: bool,
}

/// A number, how it was computed, and why it is not narrower.
struct Found {
    value: Number,
    method: String,
    statement: &'static Statement,
    reason: Option<Reason>,
}

/// Where the losses of one order lie.
#[derive(Clone, Debug)]
struct Range {
    least: LossBound,
    largest: LossBound,
}

/// Properties of the pair that need no costly computation.
struct Context<'a> {
    session: &'a Session,
    query: &'a Query,
    product: Product,
    list: Option<List>,
    /// `(unit, shift)`, if all losses of the forward order are whole multiples of the unit beyond the shift.
    lattice: Option<(Real, Real)>,
    /// Of the forward order; `None` without finite losses.
    range: Option<Range>,
}

/// The opposite order.
fn reversed(side: Direction) -> Direction {
    if side == Direction::Backward { Direction::Forward } else { Direction::Backward }
}

impl Under {
    /// The same distribution, seen from the opposite order.
    fn reversed(self) -> Self {
        match self {
            Under::P => Under::Q,
            Under::Q => Under::P,
        }
    }
}

impl Tail {
    /// Its complement, which is a tail of the opposite order: `L <= t` is `-L >= -t`.
    fn complement(&self) -> Self {
        Tail { side: reversed(self.side), at: self.at.neg(), strict: !self.strict }
    }
}

impl Masses {
    fn under(self, under: Under) -> Number {
        match under {
            Under::P => self.first,
            Under::Q => self.second,
        }
    }
}

impl Value {
    /// `P[L > t]` of one order.
    fn above(side: Direction, threshold: &Real, under: Under) -> Self {
        Value { tail: Tail { side, at: threshold.clone(), strict: true }, under, complement: false }
    }

    /// `P[L <= t]` of one order.
    fn up_to(side: Direction, threshold: &Real, under: Under) -> Self {
        let above = Tail { side, at: threshold.clone(), strict: true };
        Value { tail: above.complement(), under: under.reversed(), complement: false }
    }

    /// `P[L < t]` of one order.
    fn below(side: Direction, threshold: &Real, under: Under) -> Self {
        let from = Tail { side, at: threshold.clone(), strict: false };
        Value { tail: from.complement(), under: under.reversed(), complement: false }
    }

    /// The same value as 1 minus the mass of the opposite tail.
    fn other_way(&self) -> Self {
        Value { tail: self.tail.complement(), under: self.under.reversed(), complement: !self.complement }
    }

    /// The value, from the masses of its tail.
    fn of(&self, masses: Masses) -> Number {
        let mass = masses.under(self.under);
        if self.complement { &Number::one() - &mass } else { mass }
    }
}

impl Range {
    fn of(product: &Product) -> Result<Option<Self>, Error> {
        let all = product.ends()?;
        if all.iter().any(|(ends, _)| ends.losses.is_none()) {
            return Ok(None);
        }
        let losses = || all.iter().filter_map(|(ends, times)| Some((ends.losses.clone()?, *times)));
        Ok(Some(Range {
            least: LossBound::sum(losses().map(|((least, _), times)| (least, times))),
            largest: LossBound::sum(losses().map(|((_, largest), times)| (largest, times))),
        }))
    }

    /// That of one order.
    fn side(&self, side: Direction) -> Self {
        match side {
            Direction::Backward => {
                Range { least: self.largest.clone().reversed(), largest: self.least.clone().reversed() }
            }
            Direction::Forward | Direction::Worst => self.clone(),
        }
    }
}

/// The answer to a question about the loss distribution.
///
/// # Errors
/// As [`Session::answer`]; [`Error::Input`] for the worst direction of a pair that is not known to be symmetric.
pub(super) fn answer(session: &Session, query: &Query, budget: &Budget) -> Result<Answer, Error> {
    let found = supervise::caught(|| asked(session, query, budget)).map_err(|error| error.about(query));
    let mut answer = match found {
        Err(Error::Undefined(reason)) => Answer::from(Outcome::Undefined(reason)),
        Err(Error::Undecided(reason)) => Answer::from(Outcome::Undecided(reason)),
        found => found?,
    };
    if budget.takes_notes() {
        answer.notes = budget.notes();
    }
    Ok(answer)
}

fn asked(session: &Session, query: &Query, budget: &Budget) -> Result<Answer, Error> {
    let Query { quantity, mechanism, direction, .. } = query;
    if mechanism.has_guarantee() {
        return Err(Error::Undefined(format!(
            "{mechanism} contains a guarantee, and the mechanisms that satisfy it have different distributions of the \
             privacy loss"
        )));
    }
    let pairs = mechanism.pairs()?;
    let side = match direction {
        Direction::Worst if symmetric(&pairs) => Direction::Forward,
        Direction::Worst => {
            return Err(Error::input(
                "the distribution of the privacy loss has no worst direction, and this pair is not known to be \
                 symmetric; set the direction to forward or backward",
            ));
        }
        one => *one,
    };
    let early = if query.enough < query.digits { budget.by_default(PATIENCE) } else { budget.clone() };
    let context = Context::new(session, query, pairs, &early)?;
    let found = match quantity {
        Quantity::LossAbove { threshold, under } => {
            context.probability(&Value::above(side, threshold, *under), query.digits, None, &early)?
        }
        Quantity::LossUpTo { threshold, under } => {
            context.probability(&Value::up_to(side, threshold, *under), query.digits, None, &early)?
        }
        Quantity::LossQuantile { probability, under } => match context.quantile(side, probability, *under, &early)? {
            Some(found) => found,
            None => {
                let (method, statement) = ("mass at infinity".to_string(), Some(&statement::LOSS_DISTRIBUTION));
                return Ok(Answer { method, statement, ..Answer::from(Outcome::Infinite) });
            }
        },
        other => return Err(Error::internal(format!("{} is no value of a loss distribution", other.name()))),
    };
    Ok(found.answer(query))
}

impl Found {
    fn exact(value: Number, method: &str, statement: &'static Statement) -> Self {
        Found { value, method: method.to_string(), statement, reason: None }
    }

    fn answer(self, query: &Query) -> Answer {
        let outcome = match Outcome::of(self.value) {
            Outcome::Enclosure(set) if set.digits() < query.enough => {
                let reason = self.reason.unwrap_or_else(|| NARROWER.into());
                Outcome::Short { proven: set, reason }
            }
            other => other,
        };
        Answer { method: self.method, statement: Some(self.statement), ..Answer::from(outcome) }
    }
}

/// Why an enclosure is not narrower, where no budget ran out.
const NARROWER: &str = "the slopes of the privacy profile prove no more digits";

impl<'a> Context<'a> {
    fn new(session: &'a Session, query: &'a Query, pairs: Vec<(Pair, u64)>, budget: &Budget) -> Result<Self, Error> {
        let product = Product::new(pairs.clone());
        // Another method is asked for the profile, and checks these.
        let list = if query.method == Method::Auto { List::of(&Pair::several(pairs), budget)? } else { None };
        let lattice = if list.is_none() { alarm::declined(common_lattice(&product))?.flatten() } else { None };
        let range = alarm::declined(Range::of(&product))?.flatten();
        Ok(Context { session, query, product, list, lattice, range })
    }

    /// A value of the distribution function to `digits` digits, or to fewer where the budget ends. With a level, the
    /// computation stops as soon as the value is proven to be above or below it.
    fn probability(&self, value: &Value, digits: u32, level: Option<&Number>, budget: &Budget) -> Result<Found, Error> {
        if let Some(list) = &self.list
            && let Some(found) = list::probability(list, value, digits, budget)?
        {
            return Ok(Found::exact(found, list::METHOD, &statement::LOSS_DISTRIBUTION));
        }
        // Of a value too small for the exponents of numbers, slopes may have an upper bound.
        if self.query.method == Method::Auto
            && let Some(found) = alarm::declined(closed::probability(&self.product, value, digits, budget))?.flatten()
        {
            return Ok(found);
        }
        // Slopes are steepest next to 0: a tail far above it is small, and 1 minus a small number is not.
        let other = value.other_way();
        let first = value.tail.at.sign() != Some(Ordering::Less);
        let ways = if first { [value, &other] } else { [&other, value] };
        let mut best: Option<(Enclosure, String)> = None;
        let mut reason = None;
        for way in ways {
            let done = self.refined(way, digits, level, budget, &mut best, &mut reason)?;
            if let Some(exact) = done {
                return Ok(exact);
            }
            if let Some((set, _)) = &best
                && (is_enough(set, digits) || decides(set, level))
            {
                break;
            }
        }
        match best {
            Some((set, method)) => {
                let value = Number::Enclosed(set);
                Ok(Found { value, method, statement: &statement::LOSS_DISTRIBUTION, reason })
            }
            None => {
                let value = Number::Enclosed(Enclosure::zero(BITS).hull(&Enclosure::one(BITS)));
                let (method, statement) = (ANY.to_string(), &statement::ANY_MECHANISM);
                Ok(Found { value, method, statement, reason: Some(reason.unwrap_or_else(|| NARROWER.into())) })
            }
        }
    }

    /// Refine one way to a value: `best` becomes narrower. An exact value is returned at once.
    fn refined(
        &self,
        way: &Value,
        digits: u32,
        level: Option<&Number>,
        budget: &Budget,
        best: &mut Option<(Enclosure, String)>,
        reason: &mut Option<Reason>,
    ) -> Result<Option<Found>, Error> {
        let mut working = digits.saturating_add(slopes::GUARD);
        let mut known = 0;
        for _ in 0..slopes::ATTEMPTS {
            let slope = match self.tail(&way.tail, working, budget) {
                Ok(slope) => slope,
                Err(Error::Undecided(why)) => {
                    reason.get_or_insert(why);
                    // Fewer digits may be there.
                    if working <= slopes::FEWEST || budget.check().is_err() {
                        break;
                    }
                    working = (working / 4).max(slopes::FEWEST);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let set = match way.of(slope.masses) {
                exact @ Number::Exact(_) => {
                    return Ok(Some(Found::exact(exact, &slope.method, &statement::LOSS_DISTRIBUTION)));
                }
                Number::Enclosed(set) => alarm::probability(&set, PROBABILITY)?,
            };
            let set = match best.take() {
                Some((known, _)) => alarm::meet(&known, &set, PROBABILITY)?,
                None => set,
            };
            let proven = Interval::from(set.clone()).digits();
            let done = is_enough(&set, digits) || decides(&set, level);
            *best = Some((set, slope.method));
            if done {
                break;
            }
            if let Some((fewer, why)) = slope.short {
                reason.get_or_insert(why);
                if fewer >= working {
                    break;
                }
                working = fewer;
            } else {
                if proven <= known && known > 0 || budget.check().is_err() {
                    break;
                }
                working = working.saturating_add(digits.saturating_sub(proven).max(slopes::GUARD));
            }
            known = proven;
        }
        Ok(None)
    }
}

/// How a value is bounded where nothing else is known.
const ANY: &str = "bounds that hold for any mechanism";

/// The name of a value in a contradiction.
const PROBABILITY: &str = "probability of a privacy loss";

fn is_enough(set: &Enclosure, digits: u32) -> bool {
    set.is_point() || set.relative_bits() >= Some(i64::from(bits_of_digits(digits)))
}

/// Is every point above the level, or every one below it?
fn decides(set: &Enclosure, level: Option<&Number>) -> bool {
    level.is_some_and(|level| {
        let order = set.compare(&level.enclosure(set.bits().max(BITS)));
        matches!(order, Some(Ordering::Less | Ordering::Greater))
    })
}
