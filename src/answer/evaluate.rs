//! One attempt at an answer: the engines in turn, or sums of divergences, refined to the requested digits. Other
//! quantities have their own computations: functionals of the privacy loss, the best Gaussian guarantee and canonical
//! noise.

use std::cmp::Ordering;

use rug::Rational;

use super::proven::{By, Proven};
use super::sides::{Sides, refine_value};
use super::{Answer, Outcome};
use crate::alarm::{self, declined};
use crate::attack::{Fit, fit_telling};
use crate::canonical::Canonical;
use crate::compose::{Engines, Hull, Method, Rough};
use crate::curve::{Curve, Direction, Value};
use crate::divergence;
use crate::error::Error;
use crate::number::{Fraction, Interval};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::functional::Functional;
use enclosure::{Budget, Enclosure, Note, Number, Real, bits_of_digits};

/// Bits asked of a curve whose answers do not depend on them, but for sketches.
const ROUGHLY: u32 = 128;
/// Bits of a value that is compared.
const FEW_BITS: u32 = 32;

/// Profiles below this are tiny.
const TINY: f64 = 1e-20;

/// Averages over the loss.
const ANTIPODAL: By = ("the largest loss, times the total variation distance", &statement::ANTIPODAL);
const CONCENTRATION: By = ("the supremum of the cumulant generating function", &statement::CONCENTRATION);
const AVERAGES: By = ("averages over the privacy loss", &statement::FUNCTIONALS);

/// Fits.
const TANGENTS: By = ("tangents and corners", &statement::GAUSSIAN_FIT);

/// Canonical noise.
const CANONICAL: By = ("units of canonical noise, one from the other", &statement::CANONICAL_NOISE);

/// Digits of the gap between a trade-off function and its best Gaussian.
pub(super) const GAP_DIGITS: u32 = 6;

/// Digits of a fit where more are out of reach, and of an average before more are sought.
const ROUGH_DIGITS: u32 = 2;

/// More digits than this are many.
const MANY: u32 = 16;

/// A value, and how it was computed.
pub(super) struct Found {
    pub value: Value,
    pub by: By,
    pub notes: Vec<Note>,
    pub fit: Option<Box<Fit>>,
}

impl Found {
    /// Without notes.
    pub fn new(value: Value, by: By) -> Self {
        Found { value, by, notes: Vec::new(), fit: None }
    }

    /// Is there nothing that more digits would add?
    pub fn is_exact(&self) -> bool {
        matches!(self.value, Value::Infinite | Value::Finite(Number::Exact(_)))
    }

    /// The answer with this value.
    pub fn answer(self, query: &Query) -> Result<Answer, Error> {
        let Found { value, by: (method, statement), notes, fit } = self;
        let outcome = match value {
            Value::Infinite => Outcome::Infinite,
            Value::Finite(Number::Exact(value)) => Outcome::Exact(Fraction::new(value)),
            Value::Finite(Number::Enclosed(set)) if query.quantity.is_probability() => {
                Outcome::Enclosure(alarm::probability(&set, "probability that was asked for")?.into())
            }
            Value::Finite(Number::Enclosed(set)) => {
                let set = Interval::from(set);
                // A fit ends where its tails do, whatever is asked for.
                if fit.is_some() && set.digits() < query.enough {
                    Outcome::Short { proven: set, reason: TAILS.into() }
                } else {
                    Outcome::Enclosure(set)
                }
            }
        };
        Ok(Answer { method: method.to_string(), statement: Some(statement), notes, fit, ..Answer::from(outcome) })
    }

    /// Whether the gap of a fit was proven to fewer digits than requested because the work ran out.
    pub fn wants_time(&self) -> bool {
        match self.fit.as_deref() {
            Some(Fit::Least { gap, .. }) => gap.short.as_ref().is_some_and(|short| short.limits().next().is_some()),
            _ => false,
        }
    }
}

/// The reason for a fit that is proven to fewer digits than requested.
const TAILS: &str = "the known bounds on the trade-off function near 0 and 1 prove no more digits of the fit";

/// The question as one attempt asks it.
pub(super) struct Attempt<'a> {
    pub engines: &'a Engines,
    pub query: &'a Query,
    pub digits: u32,
    pub proven: &'a Proven,
}

impl Attempt<'_> {
    /// The divergence of a composition, each pair's own put together; `None` for what a curve is asked for.
    pub fn divergence(&self, budget: &Budget) -> Result<Option<Found>, Error> {
        let Some(kind) = divergence_kind(&self.query.quantity) else { return Ok(None) };
        let sum = divergence::composed(kind, &self.query.mechanism)?;
        let by: By = (sum.method(), sum.statement());
        let sides = Sides { direction: self.query.direction, symmetric: sum.symmetric(), sketches: false, fair: true };
        let value = refine_value(self.digits, budget, |bits| {
            let value = |side, bits, budget: &Budget| {
                let value = sum.value(side, bits, budget)?;
                self.record(sum.symmetric(), side, &value, by)?;
                Ok(value)
            };
            sides.extreme(bits, budget, value, |_, _, _| Ok(false))
        })?;
        Ok(Some(Found::new(value, by)))
    }

    /// Quantities that are neither composed divergences nor values of the curve.
    pub fn apart(&self, budget: &Budget) -> Result<Option<Found>, Error> {
        let Query { quantity, mechanism, direction, .. } = self.query;
        // A number that may be zero is never told from it: what is proven of it is kept.
        let refined = |by: By, value: &dyn Fn(u32) -> Result<Value, Error>| -> Result<Found, Error> {
            let to = |digits| {
                refine_value(digits, budget, |bits| {
                    let value = value(bits)?;
                    self.proven.record(quantity, *direction, &value, by)?;
                    Ok(value)
                })
            };
            // Of many digits the first few are there before the others are begun.
            if self.query.digits > MANY && self.digits > ROUGH_DIGITS && self.proven.digits(self.query)? == 0 {
                declined(to(ROUGH_DIGITS))?;
            }
            Ok(Found::new(to(self.digits)?, by))
        };
        let canonical = Canonical::new(self.engines);
        Ok(Some(match quantity {
            Quantity::Functional(functional) => {
                // What keeps pure-dp is its worst pair with something done to it, which raises divergences alone.
                if mechanism.has_guarantee() && !functional.is_divergence() {
                    return Err(Error::Undefined(format!(
                        "{mechanism} contains a guarantee, and dpcert has no bound on {} over the mechanisms that \
                         satisfy it",
                        quantity.name()
                    )));
                }
                let by = match functional {
                    Functional::Antipodal => ANTIPODAL,
                    Functional::Subgaussian | Functional::Zcdp => CONCENTRATION,
                    _ => AVERAGES,
                };
                refined(by, &|bits| functional.of(mechanism, *direction, bits, budget))?
            }
            Quantity::GaussianFit => self.fitted(budget)?,
            Quantity::CanonicalCdf { x } => {
                refined(CANONICAL, &|bits| canonical.cdf(x, bits, budget).map(Value::Finite))?
            }
            Quantity::CanonicalQuantile { p } => {
                refined(CANONICAL, &|bits| canonical.quantile(p, bits, budget).map(Value::Finite))?
            }
            _ => return Ok(None),
        }))
    }

    /// The best Gaussian guarantee. If the profile has few digits, the fit has fewer still, and is recorded as a bound.
    fn fitted(&self, budget: &Budget) -> Result<Found, Error> {
        let Query { quantity, mechanism, .. } = self.query;
        let told = |mu| self.proven.record(quantity, Direction::Worst, &Value::Finite(Number::Enclosed(mu)), TANGENTS);
        let asked = |digits: u32| fit_telling(mechanism, digits, GAP_DIGITS.min(digits), budget, &told);
        let found = match asked(self.digits) {
            Err(Error::Undecided(reason)) if self.digits > ROUGH_DIGITS && budget.check().is_ok() => {
                if let Some(Fit::Least { mu, .. }) = declined(asked(ROUGH_DIGITS))? {
                    self.proven.record(quantity, Direction::Worst, &Value::Finite(mu), TANGENTS)?;
                }
                return Err(Error::Undecided(reason));
            }
            found => found?,
        };
        let value = match &found {
            Fit::Infinite(_) => Value::Infinite,
            Fit::Least { mu, .. } => Value::Finite(mu.clone()),
        };
        // Fewer digits than were asked for may be all that there is time for.
        self.proven.record(quantity, Direction::Worst, &value, TANGENTS)?;
        Ok(Found { fit: Some(Box::new(found)), ..Found::new(value, TANGENTS) })
    }

    /// What the first engine that decides it says of the composed curve.
    pub fn engines(&self, budget: &Budget) -> Result<Found, Error> {
        self.engines.ask(budget, |curve, budget| self.found(curve, budget))
    }

    /// What the engine at hand returns, or the divergences added up; `None` where that does not decide the question.
    pub fn at_hand(&self, budget: &Budget) -> Result<Option<Found>, Error> {
        if !self.query.quantity.of_curve() {
            return Ok(declined(self.divergence(budget))?.flatten());
        }
        self.engines.at_hand(budget, |curve, budget| self.found(curve, budget))
    }

    /// What a curve returns, with its notes.
    fn found(&self, curve: &dyn Curve, budget: &Budget) -> Result<Found, Error> {
        let value = self.curve(curve, budget)?;
        let notes = if budget.takes_notes() { curve.explain() } else { Vec::new() };
        Ok(Found { notes, ..Found::new(value, (curve.method(), curve.statement())) })
    }

    /// What a curve says, refined.
    pub fn curve(&self, curve: &dyn Curve, budget: &Budget) -> Result<Value, Error> {
        refine_value(self.digits, budget, |bits| self.at(curve, bits, false, budget))
    }

    /// What a curve says that is the same at any precision: it is recorded, and that is all.
    pub fn once(&self, curve: &dyn Curve, budget: &Budget) -> Result<(), Error> {
        self.at(curve, ROUGHLY, true, budget).map(|_| ())
    }

    /// Record Chernoff's bound, if it is likely to be better than what an engine computes quickly, or if there is no
    /// other bound: for tiny profiles and deltas.
    pub fn bound(&self, anyway: bool, budget: &Budget) -> Result<(), Error> {
        if self.query.method != Method::Auto || !self.query.quantity.of_curve() {
            return Ok(());
        }
        let curve = || self.engines.rough(Rough::Chernoff, budget);
        let Some(bound) = (match &self.query.quantity {
            Quantity::Delta { epsilon } => curve()?.filter(|bound| anyway || bound.is_apt(epsilon, budget)),
            Quantity::Epsilon { delta } if anyway || delta.to_f64() < TINY => curve()?,
            _ => None,
        }) else {
            return Ok(());
        };
        let bits = bits_of_digits(self.digits).saturating_add(ROUGHLY);
        self.at(bound.as_ref(), bits, true, budget).map(|_| ())
    }

    /// What a curve says at a precision, with time for both directions if that is `fair`.
    fn at(&self, curve: &dyn Curve, bits: u32, fair: bool, budget: &Budget) -> Result<Value, Error> {
        let Query { quantity, direction, .. } = self.query;
        let by = (curve.method(), curve.statement());
        // The trade-off function of both orders is the convex hull of the smaller type II error.
        let hull = Hull::new(curve);
        let hulled = *direction == Direction::Worst && matches!(quantity, Quantity::Beta { .. }) && !curve.symmetric();
        let curve: &dyn Curve = if hulled { &hull } else { curve };
        // The total variation distance is the profile at epsilon = 0, in either direction.
        let symmetric = curve.symmetric() || *quantity == Quantity::Tv;
        let sides = Sides { direction: *direction, symmetric, sketches: curve.sketches(), fair };
        let value = |side, bits, budget: &Budget| {
            let value = self.one_side(curve, side, bits, budget)?;
            self.record(symmetric, side, &value, by)?;
            Ok(value)
        };
        sides.extreme(bits, budget, value, |side, known, budget| self.lesser(curve, side, known, budget))
    }

    /// Whether the delta or epsilon of this direction is proven to be at most that of the other one. A cheap bound may
    /// decide this. For epsilon one value of the profile decides: if it is at most the target at the lower end of the
    /// other epsilon, this epsilon is no larger.
    fn lesser(&self, curve: &dyn Curve, side: Direction, known: &Value, budget: &Budget) -> Result<bool, Error> {
        let Value::Finite(known) = known else { return Ok(false) };
        let known = known.enclosure(ROUGHLY);
        let Some(at) = known.lower().to_rational().filter(|at| *at > 0) else { return Ok(false) };
        match &self.query.quantity {
            Quantity::Delta { epsilon } => {
                if !self.is_at_most(curve, epsilon, side, &known, budget)? {
                    return Ok(false);
                }
            }
            Quantity::Epsilon { delta } => {
                let (at, few) = (Real::from(at), delta.number(ROUGHLY));
                if !self.is_at_most(curve, &at, side, &few.enclosure(ROUGHLY), budget)? {
                    // Where few bits are dear a value of the other direction may be as well.
                    if curve.sketches() {
                        return Ok(false);
                    }
                    let profile = curve.delta(&at, side, FEW_BITS, budget)?;
                    if !matches!(profile.compare(&few), Some(Ordering::Less | Ordering::Equal)) {
                        return Ok(false);
                    }
                }
            }
            _ => return Ok(false),
        }
        let below = Enclosure::zero(ROUGHLY).hull(&Enclosure::new(known.lower().clone(), known.lower().clone()));
        self.record(false, side, &Value::Finite(Number::Enclosed(below)), (curve.method(), curve.statement()))?;
        Ok(true)
    }

    /// Does the curve say at once that the profile is at most this, or does Chernoff's bound, of what is tiny?
    fn is_at_most(
        &self,
        curve: &dyn Curve,
        epsilon: &Real,
        side: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        if declined(curve.is_at_most(epsilon, side, level, budget))? == Some(true) {
            return Ok(true);
        }
        if self.query.method != Method::Auto || *level.lower() >= TINY {
            return Ok(false);
        }
        let Some(bound) = declined(self.engines.rough(Rough::Chernoff, budget))?.flatten() else { return Ok(false) };
        Ok(declined(bound.is_at_most(epsilon, side, level, budget))? == Some(true))
    }

    /// What a curve says of one direction.
    fn one_side(&self, curve: &dyn Curve, side: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        match &self.query.quantity {
            Quantity::Delta { epsilon } => curve.delta(epsilon, side, bits, budget).map(Value::Finite),
            Quantity::Epsilon { delta } => curve.epsilon(delta, side, bits, budget),
            Quantity::Beta { alpha } => {
                let near = near_one(curve, alpha, side, (self.digits, bits), budget);
                near?.map_or_else(|| curve.beta(alpha, side, bits, budget), Ok).map(Value::Finite)
            }
            Quantity::Tv => curve.delta(&Real::zero(), side, bits, budget).map(Value::Finite),
            other => Err(Error::internal(format!("{} is no value of a curve", other.name()))),
        }
    }

    fn record(&self, symmetric: bool, side: Direction, value: &Value, by: By) -> Result<(), Error> {
        let side = if symmetric { Direction::Worst } else { side };
        self.proven.record(&self.query.quantity, side, value, by)
    }
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

/// The quantities that compose by a sum or a product; the others need the composed curve.
fn divergence_kind(quantity: &Quantity) -> Option<divergence::Kind> {
    match quantity {
        Quantity::Renyi { order } => Some(divergence::Kind::Renyi(order.clone())),
        Quantity::Kl => Some(divergence::Kind::KullbackLeibler),
        Quantity::Chi2 => Some(divergence::Kind::ChiSquared),
        Quantity::Max => Some(divergence::Kind::Max),
        _ => None,
    }
}
