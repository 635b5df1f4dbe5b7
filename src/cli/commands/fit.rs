//! `fit`: the best Gaussian guarantee.

use rug::Float;
use serde::Serialize;

use super::super::args::Question;
use super::super::failure::Failure;
use super::{budget, say, say_json, told_mechanism};
use crate::answer::Outcome;
use crate::attack::{Fit, Touch, fit};
use crate::error::Error;
use crate::print::{OutcomeLine, Status, outcome_text};
use crate::query::{Quantity, Query};
use crate::statement::GAUSSIAN_FIT;
use crate::supervise;
use enclosure::decimal::{Side, decimal};
use enclosure::{Enclosure, Number};

/// Digits of the ends of intervals of alphas, and of the gap.
const FEW: u32 = 6;

/// Digits of a fit where more are out of reach.
const ROUGH: u32 = 2;

/// An interval of alphas.
#[derive(Serialize)]
struct Alphas {
    lower: String,
    upper: String,
}

/// A fit as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct FitLine {
    quantity: &'static str,
    mechanism: String,
    #[serde(flatten)]
    outcome: OutcomeLine,
    /// `everywhere`, `limit` or `within`.
    #[serde(skip_serializing_if = "Option::is_none")]
    touches: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alphas: Vec<Alphas>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<OutcomeLine>,
    /// Why no mu does.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    statement: &'static str,
}

/// `dpcert fit`.
pub fn run(question: &Question) -> Result<Status, Failure> {
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits.unwrap_or(FEW);
    Query::new(Quantity::Tv, composition.clone()).with_digits(digits).checked()?;
    let (limits, asked) = (budget(question.limits), composition.clone());
    let own = limits.clone();
    let found = supervise::within(&limits, move || match fit(&asked, digits, FEW.min(digits), &own) {
        // An answer is never nothing: where the profile has few digits, the fit has a few less.
        Err(Error::Undecided(reason)) if digits > ROUGH && own.check().is_ok() => {
            let rough = fit(&asked, ROUGH, ROUGH, &own).map_err(|_| Error::Undecided(reason.clone()))?;
            Ok((rough, Some(reason)))
        }
        found => Ok((found?, None)),
    });
    let (outcome, why, touch, gap) = match found {
        Ok((Fit::Least { mu, touch, gap }, reason)) => {
            let outcome = match (Outcome::of(mu), reason) {
                (Outcome::Enclosure(proven), Some(reason)) => Outcome::Short { proven, reason },
                (outcome, _) => outcome,
            };
            (outcome, None, Some(touch), gap)
        }
        Ok((Fit::Infinite(why), _)) => (Outcome::Infinite, Some(why), None, None),
        Err(Error::Undefined(reason)) => (Outcome::Undefined(reason), None, None, None),
        Err(Error::Undecided(reason)) => (Outcome::Undecided(reason), None, None, None),
        Err(error) => return Err(error.into()),
    };
    let status = Status::from(&outcome);
    let sets: &[(Float, Float)] = match &touch {
        Some(Touch::Within(sets)) => sets,
        _ => &[],
    };
    let alphas = sets.iter().map(|(low, high)| {
        let set = Number::Enclosed(Enclosure::new(low.clone(), high.clone()));
        let end = |side| decimal(&set, FEW, side);
        Alphas { lower: end(Side::Lower), upper: end(Side::Upper) }
    });
    let alphas: Vec<Alphas> = alphas.collect();
    let gap = gap.map(Outcome::of);
    if question.json {
        say_json(&FitLine {
            quantity: "gdp-fit",
            mechanism: composition.to_string(),
            outcome: OutcomeLine::of(&outcome, digits),
            touches: touch.as_ref().map(|touch| match touch {
                Touch::Everywhere => "everywhere",
                Touch::Limit => "limit",
                Touch::Within(_) => "within",
            }),
            alphas,
            gap: gap.map(|gap| OutcomeLine::of(&gap, FEW)),
            why,
            statement: GAUSSIAN_FIT.citation(),
        })?;
        return Ok(status);
    }
    say(&format!("least mu with G_mu below the trade-off function of {composition}"))?;
    say(&format!("  {}", outcome_text(&outcome, digits, digits, question.exact)))?;
    if let Some(why) = &why {
        say(&format!("  {why}: f(0) is below 1, and G_mu(0) is 1"))?;
    }
    let where_to = match touch {
        None => return Ok(status),
        Some(Touch::Everywhere) => "it is this Gaussian's: they touch everywhere".to_string(),
        Some(Touch::Limit) => "they touch in the limit of a type I or type II error next to 0".to_string(),
        Some(Touch::Within(_)) => {
            let sets: Vec<String> = alphas.iter().map(|set| format!("[{}, {}]", set.lower, set.upper)).collect();
            format!("they touch at alphas in {}", sets.join(", "))
        }
    };
    say(&format!("  {where_to}"))?;
    say(&match gap {
        Some(gap) => format!("  largest gap between them {}", outcome_text(&gap, FEW, FEW, false).replace("\n ", "")),
        None => "  the largest gap between them was not decided within the budget".to_string(),
    })?;
    Ok(status)
}
