//! `canonical-noise`: noise that is exactly as private as it has to be.

use serde::Serialize;

use super::super::args::CanonicalNoise;
use super::super::failure::Failure;
use super::super::points::Scale;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::Outcome;
use crate::canonical::Canonical;
use crate::error::Error;
use crate::print::{OutcomeLine, Status, Table, ends, outcome_text, shortfall};
use crate::query::{Quantity, Query};
use crate::statement::CANONICAL_NOISE;
use crate::supervise;
use enclosure::{Brief, Real, refine};

/// Where it is asked for.
#[derive(Clone, Serialize)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Real>,
}

impl Place {
    /// What is asked, the name of the place, and the place.
    fn named(&self) -> (&'static str, &'static str, String) {
        match (&self.x, &self.p) {
            (Some(x), _) => ("distribution function", "x", Brief(x).to_string()),
            (None, Some(p)) => ("quantile", "p", Brief(p).to_string()),
            (None, None) => ("", "", String::new()),
        }
    }
}

/// A value of canonical noise as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct NoiseLine {
    quantity: &'static str,
    mechanism: String,
    at: Place,
    #[serde(flatten)]
    outcome: OutcomeLine,
    statement: &'static str,
}

/// `dpcert canonical-noise`.
pub fn run(typed: &CanonicalNoise) -> Result<Status, Failure> {
    let CanonicalNoise { question, engine, at, quantile } = typed;
    let places: Vec<Place> = match (at, quantile) {
        (Some(at), _) => points("at", at, Scale::Linear)?.into_iter().map(|x| Place { x: Some(x), p: None }).collect(),
        (None, Some(quantile)) => {
            let all = points("quantile", quantile, Scale::Logarithmic)?;
            all.into_iter().map(|p| Place { x: None, p: Some(p) }).collect()
        }
        (None, None) => return Err(Failure::input("--at or --quantile says what is asked")),
    };
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits();
    Query::new(Quantity::Tv, composition.clone()).with_digits(digits).checked()?;
    let mut table = places.first().filter(|_| places.len() > 1).map(|first| {
        let (what, coordinate, _) = first.named();
        Table::new(format!("canonical noise for {composition}, {what}"), &[coordinate, "lower", "upper"])
    });
    let mut worst = Status::Fine;
    for place in places {
        let limits = budget(question.limits);
        let (own, noise) = (limits.clone(), Canonical::new(composition.clone(), engine.method));
        let asked = place.clone();
        let number = supervise::within(&limits, move || {
            refine(digits, &own, |bits| match (&asked.x, &asked.p) {
                (Some(x), _) => noise.cdf(x, bits, &own),
                (None, Some(p)) => noise.quantile(p, bits, &own),
                (None, None) => Err(Error::input("--at or --quantile says what is asked")),
            })
        });
        let outcome = match number {
            Ok(number) => Outcome::of(number),
            Err(Error::Undefined(reason)) => Outcome::Undefined(reason),
            Err(Error::Undecided(reason)) => Outcome::Undecided(reason),
            Err(error) => return Err(error.into()),
        };
        worst = worst.and(Status::from(&outcome));
        let (what, coordinate, shown) = place.named();
        if question.json {
            say_json(&NoiseLine {
                quantity: if place.x.is_some() { "canonical-cdf" } else { "canonical-quantile" },
                mechanism: composition.to_string(),
                at: place,
                outcome: OutcomeLine::of(&outcome, digits),
                statement: CANONICAL_NOISE.citation(),
            })?;
        } else if let Some(table) = &mut table {
            if let Some(why) = shortfall(&outcome, digits, question.exact) {
                table.remark(format!("at {coordinate} = {shown}: {why}"));
            }
            let [lower, upper] = ends(&outcome, digits);
            table.row([shown, lower, upper]);
        } else {
            say(&format!("canonical noise for {composition}, {what} at {shown}"))?;
            say(&format!("  {}", outcome_text(&outcome, digits, digits, question.exact)))?;
            say(&format!("  ({CANONICAL_NOISE})"))?;
        }
    }
    if let Some(mut table) = table.filter(|_| !question.json) {
        table.source(format!("({CANONICAL_NOISE})"));
        say(&table.text())?;
    }
    Ok(worst)
}
