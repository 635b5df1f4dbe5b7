//! One value of the parameter: is it certainly safe, does it certainly fail, or can that not be told?
//!
//! The delta or beta of the composition is computed to few digits first, and to more while they do not separate the
//! answer from the target. The comparison uses proven ends, so a verdict is a proof. The rest guides the search.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::question::{Calibration, Target};
use crate::alarm::{self, declined};
use crate::answer::{Answer, Bound, Outcome, PROMISES, Session, answer, in_place};
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::Fraction;
use crate::pair::{LossBound, Pair};
use crate::query::{Quantity, Query};
use crate::statement::{BEST_ORDER, TWO_OUTCOMES};
use crate::theorem::guarantee::{Guarantee, Known};
use enclosure::{Brief, Budget, Enclosure, Number, Real, Reason, Work, refine};

/// Number of digits that decide on which side of the target a value far from it lies.
pub(super) const FEW: u32 = 3;

/// Work of a rough answer, at most.
const SOON: Work = Work::milliseconds(1500);

/// Precision of the target, beside that of the value.
const BITS: u32 = 128;

/// Largest number of digits computed to separate a value from the target. Beyond this the two are treated as equal.
const MOST_DIGITS: u32 = 90;

/// One value of the parameter, with the answer there.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub at: Rational,
    pub answer: Answer,
    /// The logarithm of what is asked over the target, or for type II errors the reverse: above 0 where the promise is
    /// broken. A guide, in floating point.
    pub gap: Option<f64>,
}

/// Where a value lies.
pub(super) enum Verdict {
    Safe,
    Fails,
    /// Not told, with the reason.
    Open(Reason),
}

/// Who answers.
pub(super) struct Oracle<'a> {
    question: &'a Calibration,
    budget: &'a Budget,
    told: &'a mut dyn FnMut(&str),
    /// More digits than these are not within reach of the engines.
    reach: u32,
    /// By which bound guarantees are answered.
    by: By,
    /// Are the answers bounds that follow from a guarantee?
    bounds: bool,
}

/// Which bound is computed for a composition that contains guarantees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The bound of its Renyi divergences, which goes as the guarantees do.
    Divergences,
    /// The same composition with finitely many promises in the place of each guarantee.
    Promises,
}

/// The guarantee of which only bounds of single orders are known, with what stands beside it.
fn of_several(composition: &Composition) -> Result<Option<Guarantee>, Error> {
    match Guarantee::of(composition) {
        // A mixture may have a bound of each part where there is none of the whole.
        Err(Error::Undefined(_)) => Ok(None),
        found => Ok(found?.filter(|guarantee| guarantee.known() == Known::Sum)),
    }
}

impl<'a> Oracle<'a> {
    pub fn new(question: &'a Calibration, budget: &'a Budget, told: &'a mut dyn FnMut(&str)) -> Self {
        Oracle { question, budget, told, reach: u32::MAX, by: By::Divergences, bounds: false }
    }

    /// The same, by another bound.
    pub fn by(self, by: By) -> Self {
        Oracle { by, ..self }
    }

    /// Is there work left?
    pub fn check(&self) -> Result<(), Error> {
        self.budget.check()
    }

    /// Report progress to the caller.
    pub fn tell(&mut self, what: &str) {
        (self.told)(what);
    }

    /// The verdict on a value of the parameter, from answers of this number of digits or more.
    pub fn look(&mut self, at: &Rational, digits: u32) -> Result<(Point, Verdict), Error> {
        let composition = self.question.template.with(Real::from(at.clone()))?;
        let (answer, verdict) = self.judged(&composition, digits)?;
        let gap = answer.outcome.number().and_then(|number| self.gap(&number));
        Ok((Point { at: at.clone(), answer, gap }, verdict))
    }

    /// The verdict on a composition.
    ///
    /// Far from the target a rough answer will do: it is asked for first, and soon.
    pub fn judged(&mut self, composition: &Composition, digits: u32) -> Result<(Answer, Verdict), Error> {
        if digits <= FEW {
            let answer = self.ask(composition, digits, Some(SOON))?;
            if let Some(verdict) = answer.outcome.number().and_then(|number| self.verdict(&number)) {
                return Ok((answer, verdict));
            }
        }
        let most = MOST_DIGITS.max(self.question.digits.saturating_mul(5) / 2).min(self.reach);
        let mut digits = digits.min(self.reach);
        loop {
            let answer = self.ask(composition, digits, None)?;
            let verdict = match &answer.outcome {
                Outcome::Undefined(reason) => return Err(Error::Undefined(reason.clone())),
                Outcome::Undecided(reason) => return Ok((answer.clone(), Verdict::Open(reason.clone()))),
                // No mu is enough, or the divergence is infinite.
                Outcome::Infinite => return Ok((answer, Verdict::Fails)),
                outcome => outcome.number().and_then(|number| self.verdict(&number)),
            };
            if let Some(verdict) = verdict {
                return Ok((answer, verdict));
            }
            match &answer.outcome {
                Outcome::Short { proven, reason } => {
                    if digits > FEW {
                        self.reach = self.reach.min(proven.digits().max(FEW));
                    }
                    return Ok((answer.clone(), Verdict::Open(reason.clone())));
                }
                _ if digits >= most => {
                    let what = self.quantity_text();
                    let reason = format!("{digits} digits do not separate {what} from the target");
                    return Ok((answer, Verdict::Open(reason.into())));
                }
                _ => digits = (2 * digits).max(20).min(most),
            }
        }
    }

    /// An answer of this number of digits, within a part of the remaining work; or of fewer digits, within `soon`.
    fn ask(&mut self, composition: &Composition, digits: u32, soon: Option<Work>) -> Result<Answer, Error> {
        self.budget.check()?;
        if self.by == By::Promises {
            return self.promised(composition, digits, soon);
        }
        // A bound that is that of one good order, and not of the best, need not go as the guarantee does.
        if self.question.target.is_a_point()
            && let Some(guarantee) = of_several(composition)?
        {
            self.bounds = true;
            return self.converted(&guarantee, digits, &self.budget.share((1, 4), soon));
        }
        let query = Query::new(self.question.target.quantity(), composition.clone())
            .with_digits(digits)
            .with_direction(self.question.direction)
            .with_method(self.question.method);
        // What is short of one digit is bounded all the same.
        let query = if soon.is_some() { Query { enough: 1, ..query } } else { query };
        // Promises do not go as the guarantee does, either, for those that are asked for go with it: they have a search
        // of their own.
        let session = Session::by_divergences(query.mechanism.clone(), query.method);
        let answer = session.answer(&query, &self.budget.share((1, 4), soon))?;
        self.bounds |= answer.bound.is_some();
        Ok(answer)
    }

    /// The bound by promises: what is answered of the composition with these in the place of each guarantee.
    fn promised(&mut self, composition: &Composition, digits: u32, soon: Option<Work>) -> Result<Answer, Error> {
        let budget = &self.budget.share((1, 4), soon);
        let (small, bound) = match &self.question.target {
            Target::Profile { delta: level, .. }
            | Target::Gdp { mu: level }
            | Target::Zcdp { rho: level }
            | Target::Renyi { value: level, .. } => (level, Bound::Upper),
            Target::Tradeoff { alpha, .. } => (alpha, Bound::Lower),
        };
        let replaced = match in_place(composition, small, budget) {
            Ok(replaced) => replaced,
            Err(Error::Undecided(reason)) => return Ok(Answer::from(Outcome::Undecided(reason))),
            Err(error) => return Err(error),
        };
        self.bounds = true;
        let query = Query::new(self.question.target.quantity(), replaced)
            .with_digits(digits)
            .with_direction(self.question.direction);
        let query = if soon.is_some() { Query { enough: 1, ..query } } else { query };
        let found = answer(&query, budget)?;
        let (method, statement) = PROMISES;
        let by = (method.to_string(), Some(statement), Some(bound));
        Ok(Answer { method: by.0, statement: by.1, bound: by.2, ..found })
    }

    /// The bound that goes as the guarantee does: of delta by the standard conversion at the best order, of beta by two
    /// outcomes at the best one of a list.
    fn converted(&self, guarantee: &Guarantee, digits: u32, budget: &Budget) -> Result<Answer, Error> {
        if self.question.method != Method::Auto {
            return Err(Error::input("a guarantee supports only the default method; omit the method"));
        }
        let side = self.question.direction;
        let (what, method, statement, bound) = match &self.question.target {
            Target::Profile { .. } | Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => {
                let what = "delta that follows from a guarantee";
                (what, "Renyi divergences, converted at the best order", &BEST_ORDER, Bound::Upper)
            }
            Target::Tradeoff { .. } => {
                let what = "beta that follows from a guarantee";
                (what, "Renyi divergences, by two outcomes at the best of listed orders", &TWO_OUTCOMES, Bound::Lower)
            }
        };
        let found = refine(digits, budget, |bits| match &self.question.target {
            Target::Profile { epsilon, .. } => guarantee.standard_delta(epsilon, side, bits, budget),
            Target::Tradeoff { alpha, .. } => guarantee.listed_beta(alpha, bits, budget),
            Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => {
                Err(Error::Undefined("this target has no conversion".into()))
            }
        });
        let outcome = match found {
            Ok(Number::Exact(value)) => Outcome::Exact(Fraction::new(value)),
            Ok(Number::Enclosed(set)) => Outcome::Enclosure(alarm::probability(&set, what)?.into()),
            Err(Error::Undefined(reason)) => Outcome::Undefined(reason),
            Err(Error::Undecided(reason)) => Outcome::Undecided(reason),
            Err(error) => return Err(error),
        };
        let (method, statement, bound) = (method.to_string(), Some(statement), Some(bound));
        Ok(Answer { method, statement, bound, ..Answer::from(outcome) })
    }

    /// Whether the total variation distance at this value is proven to be positive.
    pub fn tells(&mut self, at: &Rational) -> Result<bool, Error> {
        let composition = self.question.template.with(Real::from(at.clone()))?;
        // What follows from a guarantee is a bound of that distance from the other side.
        if composition.has_guarantee() {
            return Ok(false);
        }
        let answer = answer(&Query::new(Quantity::Tv, composition).with_digits(FEW), &self.budget.share((1, 4), None))?;
        Ok(answer.outcome.number().is_some_and(|number| *number.enclosure(BITS).lower() > 0))
    }

    /// Is the profile of a composition above this delta at every epsilon, because its losses are unbounded? With the
    /// mass m at infinity beside finite losses beyond every epsilon it is above m.
    pub fn unbounded(&mut self, at: &Rational, delta: &Real) -> Result<bool, Error> {
        let composition = self.question.template.with(Real::from(at.clone()))?;
        if delta.is_zero() {
            let query = Query::new(Quantity::Max, composition).with_digits(3).with_direction(self.question.direction);
            return Ok(matches!(answer(&query, &self.budget.share((1, 4), None))?.outcome, Outcome::Infinite));
        }
        let Some(pairs) = declined(composition.pairs())? else { return Ok(false) };
        let Some(ends) = declined(Pair::several(pairs).ends())? else { return Ok(false) };
        let Some((least, largest)) = ends.losses else { return Ok(false) };
        let sides =
            [(Direction::Forward, largest, ends.infinite_p), (Direction::Backward, least.reversed(), ends.infinite_q)];
        Ok(sides.into_iter().any(|(side, bound, mass)| {
            (self.question.direction == side || self.question.direction == Direction::Worst)
                && matches!(bound, LossBound::Unbounded)
                && delta.compare(&mass).is_some_and(Ordering::is_le)
        }))
    }

    /// `delta at epsilon = 1`, `beta at alpha = 1/10`, or the bound of it.
    pub fn quantity_text(&self) -> String {
        let what = if self.bounds { "the bound on " } else { "" };
        match &self.question.target {
            Target::Profile { epsilon, .. } => format!("{what}delta at epsilon = {}", Brief(epsilon)),
            Target::Tradeoff { alpha, .. } => format!("{what}beta at alpha = {}", Brief(alpha)),
            Target::Gdp { .. } => format!("{what}mu"),
            Target::Zcdp { .. } => format!("{what}rho"),
            Target::Renyi { order, .. } => format!("{what}Renyi divergence of order {}", Brief(order)),
        }
    }

    /// What the ends of a number prove.
    fn verdict(&self, number: &Number) -> Option<Verdict> {
        let level = self.question.target.level().number(self.bits(number));
        let order = number.compare(&level);
        // Ends that touch prove that the promise is kept, but not that it is broken.
        let (value, level) = (number.enclosure(self.bits(number)), level.enclosure(self.bits(number)));
        match self.question.target {
            Target::Tradeoff { .. } if order == Some(Ordering::Less) => Some(Verdict::Fails),
            Target::Tradeoff { .. } if order.is_some() || value.lower() >= level.upper() => Some(Verdict::Safe),
            Target::Tradeoff { .. } => None,
            _ if order == Some(Ordering::Greater) => Some(Verdict::Fails),
            _ if order.is_some() || value.upper() <= level.lower() => Some(Verdict::Safe),
            _ => None,
        }
    }

    fn bits(&self, number: &Number) -> u32 {
        match number {
            Number::Exact(_) => BITS,
            Number::Enclosed(set) => set.bits().max(BITS),
        }
    }

    /// The gap of a number.
    pub fn gap(&self, number: &Number) -> Option<f64> {
        let bits = self.bits(number);
        let middle = |set: &Enclosure| Float::with_val(bits + 2, set.lower() + set.upper()) / 2u32;
        let value = middle(&number.enclosure(bits));
        let level = middle(&self.question.target.level().enclosure(bits));
        let (above, below) = match self.question.target {
            Target::Tradeoff { .. } => (level, value),
            _ => (value, level),
        };
        if !(above > 0 && below > 0) {
            return None;
        }
        let excess = Float::with_val(bits, &above - &below) / &below;
        let gap = excess.ln_1p().to_f64();
        gap.is_finite().then_some(gap)
    }
}
