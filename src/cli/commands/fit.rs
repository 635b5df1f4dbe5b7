//! `fit`: the best Gaussian guarantee.

use super::super::args::Question;
use super::super::failure::Failure;
use super::{budget, say, say_json, told_mechanism};
use crate::answer::answer;
use crate::print::{Status, answer_line, fitted_text, meaning_text, outcome_text};
use crate::query::{Quantity, Query};

/// Digits, unless more are asked for.
const FEW: u32 = 6;

/// `dpcert fit`.
pub fn run(question: &Question) -> Result<Status, Failure> {
    question.without_direction("fit", "the smallest mu is the same in both directions")?;
    let composition = told_mechanism(&question.mechanism)?;
    let digits = question.digits.unwrap_or(FEW);
    let query = Query::new(Quantity::GaussianFit, composition).with_digits(digits);
    let answer = answer(&query, &budget(question.limits))?;
    let status = Status::from(&answer);
    if question.json {
        say_json(&answer_line(&query, &answer))?;
        return Ok(status);
    }
    say(&format!("smallest mu with G_mu below the trade-off function of {:#}", query.mechanism))?;
    say(&format!("  {}", outcome_text(&answer.outcome, digits, digits, question.exact)))?;
    if let Some(text) = meaning_text(answer.meaning, answer.cause) {
        say(&format!("  {text}"))?;
    }
    for line in answer.fit.as_deref().map(|fit| fitted_text(fit, digits)).unwrap_or_default() {
        say(&format!("  {line}"))?;
    }
    Ok(status)
}
