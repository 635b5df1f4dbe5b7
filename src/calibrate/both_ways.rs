//! A parameter with which the loss grows and falls: the least value from which on all are safe.
//!
//! There is one if a bound goes one way ([`concentrated`]). A value below it that fails encloses it from the other
//! side; and where the promise is bounded on whole intervals ([`Descent`]) all of them from the one to the other are
//! gone through, until both are neighbours. Below the one that fails there may be values that are safe.

use rug::Rational;

use super::descent::Descent;
use super::oracle::{FEW, Oracle, Point};
use super::question::{Calibration, Target};
use super::scale::{Axis, Scale};
use super::search::Search;
use super::{Calibrated, DOUBLE_DIGITS, between, concentrated, meant, not_monotone};
use crate::answer::{Answer, Meaning, Outcome};
use crate::error::Error;
use crate::statement::{PEAKED, Statement};
use enclosure::{Budget, Enclosure, Reason, bits_of_digits};

/// Search for the threshold. When the budget ends, return what was proven until then.
pub(super) fn solved(question: &Calibration, budget: &Budget, told: &mut dyn FnMut(&str)) -> Result<Calibrated, Error> {
    let name = question.template.place().name();
    let undecided = |reason| Calibrated::none(question, Outcome::Undecided(reason));
    if !question.target.is_a_point() {
        return Ok(Calibrated::none(question, Outcome::Undefined(not_monotone(question.template.place()))));
    }
    let above = match concentrated::all_above(question, budget, told) {
        Err(Error::Undecided(reason)) => return Ok(undecided(reason)),
        above => above?,
    };
    let Some(above) = above else {
        return Ok(Calibrated::none(question, Outcome::Undefined(not_monotone(question.template.place()))));
    };
    let axis = Axis::of(&question.template, budget)?;
    let falls = matches!(question.target, Target::Tradeoff { .. });
    let search = Search::new(Oracle::new(question, budget, told), false, falls).both_ways();
    let descent = Descent::new(question, &above.at, budget)?;
    let mut found = Found { question, axis, search, descent, far: None, near: None, by: above.by };
    let why = match found.steps(&above.at, budget) {
        Err(Error::Undecided(reason)) => Some(reason),
        Err(Error::Undefined(reason)) => return Ok(Calibrated::none(question, Outcome::Undefined(reason))),
        other => other?,
    };
    Ok(found.result(why).unwrap_or_else(|why| {
        undecided(why.unwrap_or_else(|| format!("found no value of {name} that misses the target").into()))
    }))
}

/// What has been proven about the values so far.
struct Found<'a> {
    question: &'a Calibration,
    axis: Axis,
    search: Search<'a>,
    /// Where intervals can be told.
    descent: Option<Descent<'a>>,
    /// A value that is safe, and all above it.
    far: Option<Point>,
    /// Such a value and one that fails next to it, both doubles.
    near: Option<[Point; 2]>,
    /// What proves that of the first such value.
    by: &'static Statement,
}

impl Found<'_> {
    fn steps(&mut self, above: &Rational, budget: &Budget) -> Result<Option<Reason>, Error> {
        self.search.look(above, FEW)?;
        self.far.clone_from(&self.search.safe);
        if self.far.is_none() || !concentrated::fails_below(&mut self.search, above, budget)? {
            return Ok(None);
        }
        let Some(descent) = &mut self.descent else {
            // The other end is not so near that more digits of this one said anything.
            return self.search.narrow(Scale::Binary(bits_of_digits(FEW)), FEW);
        };
        let mut reason = self.search.narrow(self.axis.scale(), DOUBLE_DIGITS + 2)?;
        let digits = self.question.digits;
        reason = descent.down(&mut self.search, self.axis.scale(), DOUBLE_DIGITS + 2)?.or(reason);
        self.near = self.search.safe.clone().zip(self.search.fails.clone()).map(<[Point; 2]>::from);
        if reason.is_none() && digits > DOUBLE_DIGITS {
            let scale = Scale::Binary(bits_of_digits(digits));
            reason = self.search.narrow(scale, digits + 2)?;
            reason = descent.down(&mut self.search, scale, digits + 2)?.or(reason);
        }
        Ok(reason)
    }

    /// The answer, or why there is none.
    fn result(self, why: Option<Reason>) -> Result<Calibrated, Option<Reason>> {
        let (Some(far), Some(fails)) = (self.far, self.search.fails) else { return Err(why) };
        let name = self.question.template.place().name();
        let ends = |safe: &Rational| {
            [safe, &fails.at]
                .map(|at| Enclosure::rational(at, bits_of_digits(self.question.digits.max(DOUBLE_DIGITS)) + 64))
        };
        // Is it so from the safe end on by intervals?
        let by_intervals = self.descent.as_ref().is_some_and(|descent| descent.top < far.at);
        let (outcome, [safe, fails]) = match (self.descent, self.near, self.search.safe) {
            (Some(descent), Some(near), Some(safe)) if descent.top <= safe.at => {
                (between(self.question, &self.axis, &safe, &fails, why), near)
            }
            (Some(descent), near, _) => {
                let [safe, low] = ends(&descent.top);
                let reason = why.unwrap_or_else(|| "the values below could not be decided".into());
                (Outcome::Short { proven: safe.hull(&low).into(), reason }, near.unwrap_or([far, fails.clone()]))
            }
            (None, ..) => {
                let reason = format!(
                    "the privacy loss may not be monotone in {name}: every value from the upper end on meets the \
                     target, by a decreasing bound, and the lower end misses it; to check a value between them, \
                     compute its delta"
                );
                let [safe, low] = ends(&far.at);
                (Outcome::Short { proven: safe.hull(&low).into(), reason: reason.into() }, [far, fails.clone()])
            }
        };
        let order = if by_intervals || matches!(outcome, Outcome::Enclosure(_)) { &PEAKED } else { self.by };
        let Answer { method, statement, .. } = safe.answer.clone();
        let [safe, fails] = [Some(safe), Some(fails)];
        let (meaning, cause) = meant(self.question, [&safe, &fails]);
        let bound = meaning.and_then(Meaning::bound);
        let [safe, fails] = [safe, fails].map(|point| point.map(|point| point.trial(true)));
        Ok(Calibrated { parameter: name, outcome, safe, fails, method, statement, order, meaning, bound, cause })
    }
}
