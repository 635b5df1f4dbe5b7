//! All (epsilon_i, delta_i) of an exact composition region: the question, and its answer in JSON.
//!
//! `{"quantity": "region", "mechanism": ...}`, with `"bounds": true` where the deltas of the closed-form theorems are
//! wanted beside the exact ones. The answer has all `pairs`.

use serde::{Deserialize, Serialize};

use super::{Numbers, Status, with_flags};
use crate::answer::Meaning;
use crate::compose::region::{self, Pair};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Cause, Composition};
use crate::pair::Part;
use crate::query::{Quantity, Query};
use crate::supervise;
use crate::theorem::kov::{Steps, Theorem, delta_at};
use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Number, Real, refine};

/// Digits of a bound beside the exact delta: it is there to be compared with.
const BOUND_DIGITS: u32 = 6;

/// A question, checked.
#[derive(Clone, Debug)]
pub struct Region {
    mechanism: Composition,
    /// The mechanism that is composed with itself; the closed-form bounds need it.
    bounded: Option<(Real, Real, u64)>,
    digits: u32,
}

/// One pair of the region.
pub struct RegionPair {
    /// Its place.
    pub i: u64,
    /// The epsilon, a value that the loss takes.
    pub epsilon: Real,
    /// The least delta at it.
    pub delta: Number,
    /// What theorems promise there, where that is wanted.
    pub bounds: Option<Bounds>,
}

/// What the closed-form theorems promise at the same epsilon: the upper ends of their deltas, when they say anything.
#[derive(Clone, Serialize)]
pub struct Bounds {
    /// KOV's Theorem 3.1.
    pub basic: Option<String>,
    /// KOV's Theorem 3.2.
    pub advanced: Option<String>,
    /// KOV's Theorem 3.4.
    pub simplified: Option<String>,
}

impl Region {
    /// The region of a composition, each delta to this number of digits.
    ///
    /// # Errors
    /// [`Error::Input`] for digits out of range, and for bounds of what is no composition of one mechanism with itself.
    pub fn new(mechanism: Composition, with_bounds: bool, digits: u32) -> Result<Self, Error> {
        let equal = region::homogeneous(&mechanism);
        if with_bounds && equal.is_none() {
            return Err(Error::input(
                "bounds need one (epsilon, delta) mechanism composed with itself, such as approx-dp(epsilon=1, \
                 delta=0)^10",
            ));
        }
        Query::check_digits(digits)?;
        Ok(Region { mechanism, bounded: equal.filter(|_| with_bounds), digits })
    }

    /// The pairs by decreasing epsilon, handed to `each` as they come.
    ///
    /// # Errors
    /// Those of [`region::pairs`] and of `each`.
    pub fn pairs<E: From<Error>>(
        &self,
        budget: &Budget,
        mut each: impl FnMut(RegionPair) -> Result<(), E>,
    ) -> Result<(), E> {
        let (asked, own) = (self.clone(), budget.clone());
        let compute = move |hand: &dyn Fn((Pair, Option<Bounds>)) -> Result<(), Error>| {
            region::pairs(&asked.mechanism, asked.digits, &own, &mut |pair| {
                let bounds = asked.bounded.as_ref().map(|equal| beside(equal, &pair.epsilon, &own)).transpose()?;
                hand((pair, bounds))
            })
        };
        let mut i = 0;
        supervise::items_within(budget, compute, |(Pair { epsilon, delta }, bounds)| {
            each(RegionPair { i, epsilon, delta, bounds })?;
            i += 1;
            Ok::<(), E>(())
        })
    }

    /// What the deltas say about the mechanism, and why if they are not exact.
    pub fn meaning(&self) -> (Meaning, Option<&'static str>) {
        let (meaning, cause) =
            Meaning::of(&Quantity::Delta { epsilon: Real::zero() }, &self.mechanism, Direction::Worst);
        (meaning, cause.map(Cause::reason))
    }

    /// A pair as an object of JSON.
    pub fn pair_line(&self, pair: RegionPair) -> PairLine {
        let RegionPair { i, epsilon, delta, bounds } = pair;
        let (meaning, because) = self.meaning();
        PairLine { i, epsilon, delta: Numbers::of(&delta, self.digits), bounds, meaning, because }
    }
}

/// What the theorems promise at an epsilon. One that says nothing there has nothing in its column.
fn beside((epsilon, delta, times): &(Real, Real, u64), at: &Real, budget: &Budget) -> Result<Bounds, Error> {
    let steps = Steps::new([Part { epsilon: epsilon.clone(), delta: delta.clone(), times: *times }])?;
    let refined = |theorem: Theorem| -> Result<Option<String>, Error> {
        let mut silent = false;
        let number = refine(BOUND_DIGITS, budget, |bits| {
            let promised = delta_at(theorem, &steps, at, bits)?;
            silent = promised.is_none();
            Ok(promised.unwrap_or_else(Number::zero))
        })?;
        Ok((!silent).then(|| decimal(&number, BOUND_DIGITS, Side::Upper)))
    };
    Ok(Bounds {
        basic: refined(Theorem::Basic)?,
        advanced: refined(Theorem::Advanced)?,
        simplified: refined(Theorem::Simplified)?,
    })
}

/// One pair of the region as a JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct PairLine {
    i: u64,
    epsilon: Real,
    delta: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    /// What the delta says about the mechanism, and why if it is not exact.
    meaning: Meaning,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
}

/// The JSON object of an answer.
#[derive(Serialize)]
struct RegionLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    pairs: Vec<PairLine>,
    /// Why the last pairs are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a composition with a piecewise-linear trade-off function, as in {\"quantity\": \"region\", \
                                          \"mechanism\": \"approx-dp(epsilon=1/10, delta=1/1000)^30\"}"
)]
pub struct RegionQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    #[serde(default)]
    bounds: bool,
    digits: Option<u32>,
}

impl RegionQuestion {
    /// The answer, with how it went: the pairs that came in time.
    ///
    /// # Errors
    /// Those of [`Region::new`] and [`Region::pairs`]; [`Error::Undecided`] only where no pair came.
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        let asked = Region::new(self.mechanism.clone(), self.bounds, digits)?;
        let mut pairs = Vec::new();
        let all = asked.pairs(budget, |pair| {
            pairs.push(asked.pair_line(pair));
            Ok::<(), Error>(())
        });
        let reason = match all {
            Err(Error::Undecided(reason)) if !pairs.is_empty() => Some(with_flags(&reason)),
            all => all.map(|()| None)?,
        };
        let status = if reason.is_some() { Status::Undecided } else { Status::Fine };
        let line = RegionLine {
            id: self.id.clone(),
            quantity: "region",
            mechanism: self.mechanism.to_string(),
            pairs,
            reason,
            notes: self.mechanism.notes().to_vec(),
        };
        Ok((line, status))
    }
}
