//! Questions that are simpler than one that fails, the simplest first.
//!
//! Simpler means: fewer factors, fewer runs, default parameters, numbers of fewer digits, powers of ten. (The shrinking
//! of property-testing libraries makes numbers *smaller*; a person who reads a finding wants them *rounder*, and a
//! sigma near 0 is no simpler than 1.) Every step lowers [`weight`], which is a natural number, so taking steps ends.

use dpcert_vectors::Double;
use enclosure::Portable;
use rug::Rational;

use crate::audit::question::{Asked, Question, Step, Value};

/// How much there is to read in a question.
pub fn weight(question: &Question) -> u64 {
    let numbers: u64 = question.steps.iter().map(step_weight).sum::<u64>()
        + question.at.given().map(|(_, value)| digits_weight(value)).sum::<u64>();
    1000 * question.steps.len() as u64 + numbers
}

fn step_weight(step: &Step) -> u64 {
    let parameters = step.parameters.values().map(|value| match value {
        Value::Number(Double(value)) => 30 + digits_weight(*value),
        Value::List(values) => values.iter().map(|value| 30 + digits_weight(value.0)).sum(),
        Value::Open => 0,
    });
    let times = if step.times == 1 { 0 } else { 20 + 4 * u64::from(step.times.ilog10()) + integer_weight(step.times) };
    parameters.sum::<u64>() + times + step.of.iter().map(step_weight).sum::<u64>()
}

/// A 1 with zeros is lighter than any other digits.
fn integer_weight(value: u64) -> u64 {
    digits_weight(value as f64)
}

/// Significant digits of the shortest decimal; a leading digit other than 1 counts a little; 1 itself nothing.
fn digits_weight(value: f64) -> u64 {
    if value == 0.0 || value == 1.0 {
        return 0;
    }
    let text = format!("{value:e}");
    let mantissa = text.split('e').next().unwrap_or_default().trim_start_matches('-');
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as u64;
    let power_of_ten = mantissa == "1";
    2 * digits + u64::from(!power_of_ten)
}

/// All simpler questions, the biggest steps first.
pub fn simpler(question: &Question) -> Vec<Question> {
    let mut found = Vec::new();
    fewer_factors(question, &mut found);
    for place in 0..question.steps.len() {
        fewer_runs(question, place, &mut found);
        rounder_parameters(question, place, &mut found);
    }
    rounder_point(question, &mut found);
    let before = weight(question);
    found.retain(|simpler| weight(simpler) < before && in_domain(simpler));
    for simpler in &mut found {
        simpler.stored = None;
    }
    found
}

fn in_domain(question: &Question) -> bool {
    let point = question.at.given().all(|(name, value)| match name {
        "delta" | "alpha" => (0.0..=1.0).contains(&value),
        "order" => value > 1.0,
        _ => value >= 0.0,
    });
    // A sample of nobody, or of everybody, is no sample.
    let sampled = question.steps.iter().filter_map(|step| step.number("rate")).all(|rate| 0.0 < rate && rate < 1.0);
    let filled = question.asked != Asked::Noise || question.filled(&Rational::from(1)).is_ok();
    point && sampled && filled && question.subject().is_ok()
}

fn fewer_factors(question: &Question, found: &mut Vec<Question>) {
    if question.steps.len() < 2 {
        return;
    }
    for place in 0..question.steps.len() {
        let mut simpler = question.clone();
        simpler.steps.remove(place);
        found.push(simpler);
    }
}

fn fewer_runs(question: &Question, place: usize, found: &mut Vec<Question>) {
    let times = question.steps[place].times;
    let mut tried: Vec<u64> = vec![1];
    let mut power = 10;
    while power <= times {
        tried.push(power);
        power *= 10;
    }
    tried.extend([2, 3, 5]);
    // One digit, two digits.
    for digits in [1, 2] {
        let unit = 10_u64.pow((times.max(1).ilog10() + 1).saturating_sub(digits));
        tried.push(times / unit * unit);
    }
    for tried in tried.into_iter().filter(|tried| *tried >= 1 && *tried < times) {
        let mut simpler = question.clone();
        simpler.steps[place].times = tried;
        found.push(simpler);
    }
}

fn rounder_parameters(question: &Question, place: usize, found: &mut Vec<Question>) {
    let step = &question.steps[place];
    for (name, value) in &step.parameters {
        let Value::Number(Double(value)) = value else { continue };
        if name == "sensitivity" {
            let mut simpler = question.clone();
            simpler.steps[place].parameters.remove(name);
            found.push(simpler);
        }
        for rounder in rounder(*value) {
            let mut simpler = question.clone();
            simpler.steps[place].parameters.insert(name.clone(), Value::number(rounder));
            found.push(simpler);
        }
    }
    for (inside, inner) in step.of.iter().enumerate() {
        for (name, value) in &inner.parameters {
            let Value::Number(Double(value)) = value else { continue };
            for rounder in rounder(*value) {
                let mut simpler = question.clone();
                simpler.steps[place].of[inside].parameters.insert(name.clone(), Value::number(rounder));
                found.push(simpler);
            }
        }
    }
}

fn rounder_point(question: &Question, found: &mut Vec<Question>) {
    for (name, value) in question.at.given() {
        for rounder in rounder(value) {
            let mut simpler = question.clone();
            let at = &mut simpler.at;
            let place = match name {
                "epsilon" => &mut at.epsilon,
                "delta" => &mut at.delta,
                "alpha" => &mut at.alpha,
                _ => &mut at.order,
            };
            *place = Some(Double(rounder));
            found.push(simpler);
        }
    }
}

/// Numbers near this one with fewer digits, and 1 and 0 themselves.
fn rounder(value: f64) -> Vec<f64> {
    let mut found = vec![1.0, 0.0];
    let read = |text: String| text.parse::<f64>().ok();
    let exponent = value.abs().portable_log10();
    if exponent.is_finite() {
        found.extend([exponent.floor(), exponent.ceil()].into_iter().filter_map(|power| read(format!("1e{power}"))));
    }
    for digits in [0, 1, 2] {
        found.extend(read(format!("{value:.digits$e}")));
    }
    let nine = 1.0 - value;
    if (0.0..0.1).contains(&nine) && nine > 0.0 {
        // 0.99 is a round number too.
        found.extend(read(format!("1e{}", nine.portable_log10().round())).map(|rest| 1.0 - rest));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::hunt::generate::question;
    use crate::audit::hunt::kind::Kind;
    use crate::audit::question::At;

    /// Whatever fails ends as a question that cannot be simpler.
    #[test]
    fn steps_go_down_and_end() {
        let kinds = Kind::all();
        for place in 0..200 {
            let mut question = question(5, place, &kinds).expect("a question");
            let mut steps = 0;
            while let Some(next) = simpler(&question).into_iter().next() {
                assert!(weight(&next) < weight(&question));
                question = next;
                steps += 1;
                assert!(steps < 100);
            }
        }
    }

    /// A sample stays one.
    #[test]
    fn samples_stay_samples() {
        let steps = vec![Step::new("gaussian", &[("sigma", 2.0)]).sampled(0.37)];
        let at = At { epsilon: Some(Double(2.57)), ..At::default() };
        let rates: Vec<f64> = simpler(&Question::new("q", Asked::Delta, steps, at))
            .iter()
            .filter_map(|question| question.steps[0].number("rate"))
            .collect();
        assert!(rates.contains(&0.4) && rates.iter().all(|rate| (0.1..1.0).contains(rate)), "{rates:?}");
    }

    /// If only the number of runs matters, all else becomes 1.
    #[test]
    fn what_does_not_matter_becomes_plain() {
        let steps = vec![
            Step::new("gaussian", &[("sigma", 37.3)]).times(4711),
            Step::new("gaussian", &[("sigma", 3.25)]).times(23),
        ];
        let mut question = Question::new("q", Asked::Delta, steps, At { epsilon: Some(Double(2.57)), ..At::default() });
        let fails = |question: &Question| question.steps.iter().any(|step| step.times >= 1000);
        while let Some(next) = simpler(&question).into_iter().find(fails) {
            question = next;
        }
        assert_eq!(question.mechanism(), "gaussian(sigma=1)^1000");
        assert_eq!(question.at.epsilon, Some(Double(1.0)));
    }
}
