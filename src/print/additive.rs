//! How accurate an answer with additive noise is: the question, and its answer in JSON.
//!
//! `{"quantity": "noise", "mechanism": "laplace(scale=3)", "above": ["10"], "quantiles": ["0.95"]}`.

use serde::{Deserialize, Serialize};

use super::{OutcomeLine, Status};
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::Query;
use crate::statement::ADDITIVE_NOISE;
use crate::supervise;
use crate::theorem::additive::Noise;
use enclosure::{Budget, Number, Real, refine};

/// A question, checked.
#[derive(Clone, Debug)]
pub struct Accuracies {
    composition: Composition,
    noise: Noise,
    above: Vec<Real>,
    quantiles: Vec<Real>,
    digits: u32,
}

/// The results.
pub struct NoiseFound {
    /// `E Z^2`; the noise has mean 0.
    pub variance: Outcome,
    /// Its square root.
    pub deviation: Outcome,
    /// `E|Z|`.
    pub mean_absolute: Outcome,
    /// `P[|Z| > T]` at each T.
    pub tails: Vec<(Real, Outcome)>,
    /// The smallest T with `P[|Z| <= T] >= u` at each u.
    pub quantiles: Vec<(Real, Outcome)>,
}

impl NoiseFound {
    /// How it went.
    pub fn status(&self) -> Status {
        let more = self.tails.iter().chain(&self.quantiles).map(|(_, outcome)| outcome);
        let all = [&self.variance, &self.deviation, &self.mean_absolute].into_iter().chain(more);
        all.fold(Status::Fine, |status, outcome| status.and(outcome.into()))
    }
}

impl Accuracies {
    /// The noise of each answer of a composition, where it is exceeded, and its quantiles.
    ///
    /// # Errors
    /// Those of [`Noise::of`].
    pub fn new(composition: Composition, above: Vec<Real>, quantiles: Vec<Real>, digits: u32) -> Result<Self, Error> {
        let noise = Noise::of(&composition)?;
        Ok(Accuracies { composition, noise, above, quantiles, digits })
    }

    /// The mechanism of the query.
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// The noise of one answer.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// All numbers.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a quantile outside of `(0, 1)`.
    pub fn answer(&self, budget: &Budget) -> Result<NoiseFound, Error> {
        let at = |points: &[Real], of: Measure| {
            let one = |point: &Real| {
                let place = point.clone();
                let found = self.one(budget, move |noise, bits, budget| of(noise, &place, bits, budget))?;
                Ok((point.clone(), found))
            };
            points.iter().map(one).collect::<Result<Vec<_>, Error>>()
        };
        // A quantile that is none is refused before anything is computed.
        let quantiles = at(&self.quantiles, Noise::quantile)?;
        Ok(NoiseFound {
            variance: self.one(budget, Noise::variance)?,
            deviation: self.one(budget, |noise, bits, budget| {
                Ok(noise.variance(bits.saturating_add(8), budget)?.sqrt(bits.saturating_add(8)))
            })?,
            mean_absolute: self.one(budget, Noise::mean_absolute)?,
            tails: at(&self.above, Noise::tail)?,
            quantiles,
        })
    }

    /// One number, to all digits, or as far as it was narrowed down.
    fn one(
        &self,
        budget: &Budget,
        of: impl Fn(&Noise, u32, &Budget) -> Result<Number, Error> + Send + 'static,
    ) -> Result<Outcome, Error> {
        let (noise, digits, own) = (self.noise.clone(), self.digits, budget.clone());
        let found = supervise::within(budget, move || {
            let mut last = None;
            let found = refine(digits, &own, |bits| {
                let number = of(&noise, bits, &own)?;
                last = Some(number.clone());
                Ok(number)
            });
            match (found, last) {
                (Err(Error::Undecided(reason)), Some(Number::Enclosed(set))) if set.is_bounded() => {
                    Ok(Outcome::Short { proven: set.into(), reason })
                }
                (found, _) => found.map(Outcome::of),
            }
        });
        match found {
            Err(Error::Undecided(reason)) => Ok(Outcome::Undecided(reason)),
            found => found,
        }
    }

    /// The answer as an object of JSON.
    pub fn line(&self, id: Option<String>, found: &NoiseFound) -> NoiseLine {
        let line = |outcome| OutcomeLine::of(outcome, self.digits);
        NoiseLine {
            id,
            quantity: "noise",
            mechanism: self.composition.to_string(),
            noise: self.noise.to_string(),
            variance: line(&found.variance),
            standard_deviation: line(&found.deviation),
            mean_absolute_error: line(&found.mean_absolute),
            tails: found.tails.iter().map(|(at, tail)| TailLine { above: at.clone(), tail: line(tail) }).collect(),
            quantiles: found.quantiles.iter().map(|(u, at)| QuantileLine { u: u.clone(), at: line(at) }).collect(),
            statement: ADDITIVE_NOISE.citation(),
            notes: self.composition.notes().to_vec(),
        }
    }
}

/// A number of the noise at a point.
type Measure = fn(&Noise, &Real, u32, &Budget) -> Result<Number, Error>;

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct NoiseLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    /// The mechanism whose noise each answer has.
    noise: String,
    variance: OutcomeLine,
    standard_deviation: OutcomeLine,
    mean_absolute_error: OutcomeLine,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tails: Vec<TailLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quantiles: Vec<QuantileLine>,
    statement: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// `P[|Z| > above]`.
#[derive(Serialize)]
struct TailLine {
    above: Real,
    #[serde(flatten)]
    tail: OutcomeLine,
}

/// The smallest T with `P[|Z| <= T] >= u`.
#[derive(Serialize)]
struct QuantileLine {
    u: Real,
    #[serde(flatten)]
    at: OutcomeLine,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a mechanism that adds noise, as in {\"quantity\": \"noise\", \"mechanism\": \"laplace(scale=3)\", \
                                          \"above\": [\"10\"]}"
)]
pub struct NoiseQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    #[serde(default)]
    above: Vec<Real>,
    #[serde(default)]
    quantiles: Vec<Real>,
    digits: Option<u32>,
}

impl NoiseQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`Accuracies::new`] and [`Accuracies::answer`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        Query::check_digits(digits)?;
        let asked = Accuracies::new(self.mechanism.clone(), self.above.clone(), self.quantiles.clone(), digits)?;
        let found = asked.answer(budget)?;
        Ok((asked.line(self.id.clone(), &found), found.status()))
    }
}
