//! `risk`, `fit` and `canonical-noise`: what an attacker can do, and noise that is exactly as private as it has to be.

use rug::Float;
use serde::Serialize;

use super::super::args::{Account, Engine, Question};
use super::super::failure::Failure;
use super::{budget, constant, mechanism, noting_budget, say, say_json};
use crate::answer::{Answer, Bound, Outcome, Session};
use crate::attack::{Fit, Risk, Touch, fit};
use crate::canonical::Canonical;
use crate::curve::Direction;
use crate::error::Error;
use crate::print::{OutcomeLine, Status, bound_text, outcome_text};
use crate::query::{Quantity, Query};
use crate::statement::{CANONICAL_NOISE, GAUSSIAN_FIT};
use crate::supervise;
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Enclosure, Number, Real, refine};

/// Digits of the ends of intervals of alphas, and of the gap.
const FEW: u32 = 6;

/// Digits of a fit where more are out of reach.
const ROUGH: u32 = 2;

/// Where a risk is taken.
#[derive(Serialize)]
struct At<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    fpr: Option<&'a Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<&'a Real>,
}

/// A risk as one JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct RiskLine<'a> {
    quantity: &'static str,
    mechanism: String,
    at: At<'a>,
    direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(flatten)]
    outcome: OutcomeLine,
    method: String,
    statement: &'static str,
}

/// `dpcert risk`.
pub fn risk(
    question: &Question,
    engine: Engine,
    account: Account,
    fpr: &[String],
    prior: &[String],
) -> Result<Status, Failure> {
    let mut risks = vec![Risk::Advantage];
    for text in fpr {
        risks.push(Risk::Power { rate: constant("fpr", text)? });
    }
    for text in prior {
        risks.push(Risk::Bayes { prior: constant("prior", text)? });
    }
    risks.iter().try_for_each(Risk::check)?;
    let composition = mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), engine.method);
    let query =
        Query::new(Quantity::Tv, composition).with_direction(question.direction.into()).with_method(engine.method);
    let query = match question.digits {
        Some(digits) => query.with_digits(digits),
        None => query,
    };
    let mut worst = Status::Fine;
    if !question.json {
        let direction = match query.direction {
            Direction::Worst => "",
            Direction::Forward => ", forward direction",
            Direction::Backward => ", backward direction",
        };
        say(&format!("risk of {}{direction}", query.mechanism))?;
    }
    for risk in &risks {
        let answer = risk.answer(&session, &query, &noting_budget(question.limits, account))?;
        worst = worst.and(Status::from(&answer.outcome));
        let (at, what) = match risk {
            Risk::Advantage => (At { fpr: None, prior: None }, "membership advantage".to_string()),
            Risk::Power { rate } => {
                let what = format!("true positive rate at a false positive rate of {}", Brief(rate));
                (At { fpr: Some(rate), prior: None }, what)
            }
            Risk::Bayes { prior } => {
                (At { fpr: None, prior: Some(prior) }, format!("Bayes risk at a prior of {}", Brief(prior)))
            }
        };
        let Answer { outcome, method, notes, .. } = &answer;
        if question.json {
            say_json(&RiskLine {
                quantity: risk.name(),
                mechanism: query.mechanism.to_string(),
                at,
                direction: query.direction,
                bound: answer.bound,
                outcome: OutcomeLine::of(outcome, query.digits),
                method: method.clone(),
                statement: answer.citation(),
            })?;
            continue;
        }
        say(&format!("  {what}\n    {}", inline(outcome, query.digits, query.enough, question.exact)))?;
        if let Some(bound) = answer.bound {
            say(&format!("    {}", bound_text(bound)))?;
        }
        for note in notes {
            say(&format!("      {}  {}", note.label, note.value))?;
        }
    }
    Ok(worst)
}

/// An outcome on one line.
fn inline(outcome: &Outcome, asked: u32, enough: u32, full: bool) -> String {
    outcome_text(outcome, asked, enough, full).replace("\n ", "")
}

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
pub fn fitted(question: &Question) -> Result<Status, Failure> {
    let composition = mechanism(&question.mechanism)?;
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
        Some(gap) => format!("  largest gap between them {}", inline(&gap, FEW, FEW, false)),
        None => "  the largest gap between them was not decided within the budget".to_string(),
    })?;
    Ok(status)
}

/// Where canonical noise is asked for.
#[derive(Serialize)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Real>,
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
pub fn canonical(question: &Question, engine: Engine, at: Option<&str>, p: Option<&str>) -> Result<Status, Failure> {
    let place = Place {
        x: at.map(|text| constant("at", text)).transpose()?,
        p: p.map(|text| constant("quantile", text)).transpose()?,
    };
    let composition = mechanism(&question.mechanism)?;
    let digits = question.digits();
    Query::new(Quantity::Tv, composition.clone()).with_digits(digits).checked()?;
    let limits = budget(question.limits);
    let (own, noise) = (limits.clone(), Canonical::new(composition.clone(), engine.method));
    let (x, p) = (place.x.clone(), place.p.clone());
    let number = supervise::within(&limits, move || {
        refine(digits, &own, |bits| match (&x, &p) {
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
    let status = Status::from(&outcome);
    if question.json {
        say_json(&NoiseLine {
            quantity: if place.x.is_some() { "canonical-cdf" } else { "canonical-quantile" },
            mechanism: composition.to_string(),
            at: place,
            outcome: OutcomeLine::of(&outcome, digits),
            statement: CANONICAL_NOISE.citation(),
        })?;
        return Ok(status);
    }
    let what = match (&place.x, &place.p) {
        (Some(x), _) => format!("distribution function at {}", Brief(x)),
        (None, Some(p)) => format!("quantile at {}", Brief(p)),
        (None, None) => String::new(),
    };
    say(&format!("canonical noise for {composition}, {what}"))?;
    say(&format!("  {}", outcome_text(&outcome, digits, digits, question.exact)))?;
    say(&format!("  ({CANONICAL_NOISE})"))?;
    Ok(status)
}
