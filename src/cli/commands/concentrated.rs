//! `concentrated`: the mean and the subgaussian standard of the privacy loss, held against a mu and a tau.

use std::cmp::Ordering;

use serde_json::json;

use super::super::args::limits::Concentrated;
use super::super::failure::Failure;
use super::{budget, constant, say, say_json, told_mechanism};
use crate::answer::{Meaning, Outcome, Session};
use crate::compare::concentrated;
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Cause, Composition, Mechanism, Standing, check};
use crate::print::{OutcomeLine, Status, direction_text, meaning_text, outcome_text};
use crate::query::{Quantity, Query};
use crate::theorem::functional::{Functional, rhos_add_up};
use enclosure::{Brief, Real, refine};

/// Where a number and its limit overlap, the number is computed again to this many digits.
const MANY: u32 = 60;

/// Precision of comparisons.
const BITS: u32 = 400;

const NAMES: [&str; 2] = ["mean of the privacy loss", "subgaussian parameter of the centred privacy loss"];
const QUANTITIES: [Quantity; 2] = [Quantity::Kl, Quantity::Functional(Functional::Subgaussian)];

/// A number, what it means of the mechanism, and that in words.
struct Found {
    outcome: Outcome,
    meaning: Meaning,
    note: Option<String>,
}

/// `dpcert concentrated`.
pub fn run(typed: &Concentrated) -> Result<Status, Failure> {
    let question = &typed.question;
    let limit = |name: &str, text: &Option<String>| -> Result<Option<Real>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let limit = constant(name, text)?;
        check::nonnegative(name, &limit)?;
        Ok(Some(limit))
    };
    let limits = limit("mu", &typed.mu)?.zip(limit("tau", &typed.tau)?);
    if limits.is_some() {
        question.without_direction("--mu", "a mechanism is concentrated only if both directions are")?;
    }
    let composition = told_mechanism(&question.mechanism)?;
    let (direction, session) = (question.direction.into(), Session::new(composition.clone(), Method::Auto));
    let guarantee = composition.factors().iter().any(|(mechanism, _)| matches!(mechanism, Mechanism::Cdp(_)));
    if guarantee && let Some(cause) = only_dominated(&composition) {
        let reason = format!(
            "a step is given only by a dominating pair, which does not bound the subgaussian parameter: {}",
            cause.reason()
        );
        return Err(Error::Undefined(reason).into());
    }
    let composed = if guarantee { Some(concentrated(&composition)?.parameters()?) } else { None };
    let asked = |which: usize, digits: u32| -> Result<Found, Failure> {
        if let Some((mu, tau)) = &composed {
            let bound = [mu, tau][which];
            let number = refine(digits, &budget(question.limits), |bits| Ok::<_, Error>(bound.number(bits)))?;
            let note = "an upper bound: the composition theorem (Dwork, Rothblum 2016, Theorem 3.4)".to_string();
            return Ok(Found { outcome: Outcome::of(number), meaning: Meaning::UpperBound, note: Some(note) });
        }
        let query = Query::new(QUANTITIES[which].clone(), composition.clone());
        let query = query.with_direction(direction).with_digits(digits).checked()?;
        let answer = session.answer(&query, &budget(question.limits))?;
        let note = meaning_text(answer.meaning, answer.cause);
        // Without a number there is no meaning: it decides nothing.
        Ok(Found { outcome: answer.outcome, meaning: answer.meaning.unwrap_or(Meaning::OfThePair), note })
    };
    let digits = question.digits();
    let found = [asked(0, digits)?, asked(1, digits)?];
    let holds = match &limits {
        None => None,
        Some((mu, tau)) => {
            let mut orders = [None; 2];
            for (which, limit) in [mu, tau].into_iter().enumerate() {
                orders[which] = compared(&found[which], limit);
                if orders[which].is_none() && digits < MANY && found[which].outcome.digits().is_some() {
                    orders[which] = compared(&asked(which, MANY)?, limit);
                }
            }
            if orders[1].is_none() {
                orders[1] = by_squares(&composition, &found[0], tau)?;
            }
            if orders.contains(&Some(false)) { Some(false) } else { (orders == [Some(true); 2]).then_some(true) }
        }
    };
    let mut status = found.iter().fold(Status::Fine, |worst, one| worst.and(Status::from(&one.outcome)));
    if limits.is_some() {
        status = if holds.is_some() { Status::Fine } else { status.and(Status::Undecided) };
    }
    if question.json {
        let [mean, standard] = found.each_ref().map(|one| {
            let mut line = json!(OutcomeLine::of(&one.outcome, digits));
            line["meaning"] = json!(one.meaning);
            line
        });
        let mut line = json!({
            "quantity": "concentrated", "mechanism": composition.to_string(), "direction": direction,
            "kl": mean, "subgaussian": standard,
        });
        if let Some((mu, tau)) = &limits {
            line["at"] = json!({"mu": mu.to_string(), "tau": tau.to_string()});
            line["holds"] = json!(holds);
        }
        say_json(&line)?;
        return Ok(status);
    }
    say(&format!("concentration of {composition:#}{}", direction_text(direction)))?;
    for (name, Found { outcome, note, .. }) in NAMES.into_iter().zip(&found) {
        let number = outcome_text(outcome, digits, digits, question.exact).replace("\n ", "\n   ");
        say(&format!("  {name}\n    {number}"))?;
        if let Some(note) = note {
            say(&format!("    {note}"))?;
        }
    }
    if let Some((mu, tau)) = &limits {
        let what = format!("({}, {})-concentrated", Brief(mu), Brief(tau));
        say(&match holds {
            Some(true) => format!("  the mechanism is {what}"),
            Some(false) => format!("  the mechanism is not {what}"),
            None => format!("  these numbers do not decide whether the mechanism is {what}"),
        })?;
    }
    Ok(status)
}

/// Why a step that is no guarantee is not realised by its pair, if there is one: a pair that only dominates bounds the
/// mean of the loss, and not its standard.
fn only_dominated(composition: &Composition) -> Option<Cause> {
    let steps = composition.factors().iter().filter(|(mechanism, _)| !mechanism.is_guarantee());
    let causes = steps.filter_map(|(mechanism, _)| match mechanism.standing() {
        Standing::Realised => None,
        Standing::WorstOrder(cause) | Standing::Dominates(cause) => Some(cause),
    });
    composition.only().into_iter().chain(causes).next()
}

/// The square of the standard of Gaussian and discrete Gaussian noise is twice the mean, exactly.
fn by_squares(composition: &Composition, mean: &Found, limit: &Real) -> Result<Option<bool>, Failure> {
    let exact = mean.meaning == Meaning::Exact && rhos_add_up(&composition.pairs()?, Direction::Backward);
    let Some(mean) = mean.outcome.number().filter(|_| exact) else { return Ok(None) };
    let twice = &mean + &mean;
    let order = twice.compare(&limit.square().number(BITS));
    Ok(order.map(|order| order != Ordering::Greater))
}

/// Is the number at most the limit? An upper bound that is larger decides nothing, nor does a number of a pair that
/// only dominates the mechanism.
fn compared(found: &Found, limit: &Real) -> Option<bool> {
    if found.meaning == Meaning::OfThePair {
        return None;
    }
    let exact = found.meaning == Meaning::Exact;
    let Some(number) = found.outcome.number() else {
        return (exact && matches!(found.outcome, Outcome::Infinite)).then_some(false);
    };
    match number.compare(&limit.number(BITS)) {
        Some(Ordering::Less | Ordering::Equal) => Some(true),
        Some(Ordering::Greater) if exact => Some(false),
        _ => None,
    }
}
