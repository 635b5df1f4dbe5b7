//! `noise`: how accurate an answer with additive noise is.

use super::super::args::NoiseArguments;
use super::super::failure::Failure;
use super::super::points::Scale;
use super::{budget, points_of_all, say, say_json, told_mechanism};
use crate::print::{Accuracies, Status, outcome_text};
use crate::statement::ADDITIVE_NOISE;
use crate::theorem::additive::Noise;
use enclosure::Brief;

/// `dpcert noise`.
pub fn run(typed: &NoiseArguments) -> Result<Status, Failure> {
    let above = points_of_all("tail", &typed.tail, Scale::Linear)?;
    let quantiles = points_of_all("quantile", &typed.quantile, Scale::Logarithmic)?;
    let asked = Accuracies::new(told_mechanism(&typed.mechanism)?, above, quantiles, typed.digits)?;
    let found = asked.answer(&budget(typed.limits))?;
    let status = found.status();
    if typed.json {
        say_json(&asked.line(None, &found))?;
        return Ok(status);
    }
    let (composition, noise) = (format!("{:#}", asked.composition()), asked.noise().to_string());
    let once = matches!(asked.composition().factors(), [(_, 1)]);
    let of = if once { "" } else { "each answer of " };
    say(&format!("noise Z of {of}{composition}"))?;
    let mut numbers = vec![
        ("variance".to_string(), &found.variance),
        ("standard deviation".to_string(), &found.deviation),
        ("mean absolute error E|Z|".to_string(), &found.mean_absolute),
    ];
    numbers.extend(found.tails.iter().map(|(t, tail)| (format!("P[|Z| > {}]", Brief(t)), tail)));
    let quantiles = found.quantiles.iter();
    numbers.extend(quantiles.map(|(u, at)| (format!("smallest T with P[|Z| <= T] >= {}", Brief(u)), at)));
    for (name, outcome) in numbers {
        let text = outcome_text(outcome, typed.digits, typed.digits, typed.exact).replace("\n ", "");
        say(&format!("  {name}\n    {text}"))?;
    }
    let unit = match asked.noise() {
        Noise::Staircase { .. } => "a step (a step has length 1)",
        _ => "the query",
    };
    let law = if composition == noise { String::new() } else { format!("the noise of {noise}, ") };
    say(&format!("  {law}in units of {unit}\n  ({ADDITIVE_NOISE})"))?;
    Ok(status)
}
