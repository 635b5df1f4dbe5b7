//! `mpc`: how well a function of private bits can be computed.

use rug::Rational;
use serde::Serialize;

use super::super::args::Multiparty;
use super::super::failure::Failure;

use super::{constant, interruptible, say, say_json};
use crate::answer::Outcome;
use crate::error::Error;
use crate::print::{OutcomeLine, Status, outcome_text};
use crate::statement::MULTIPARTY;
use crate::supervise;
use crate::theorem::multiparty::{Function, Observer, Privacy, accuracy, formula, worst_accuracy, worst_blind};
use enclosure::{Brief, Number, Real, refine};

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line<'a> {
    quantity: &'static str,
    function: &'a str,
    parties: usize,
    epsilon: &'a [Real],
    delta: &'a [Real],
    observer: String,
    /// Over the bits: their average, or at the worst.
    bits: &'static str,
    #[serde(flatten)]
    outcome: OutcomeLine,
    /// The accuracy of a guess without the transcript.
    blind: String,
    /// As a function of x, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    statement: &'static str,
}

/// `dpcert mpc`.
pub fn run(typed: &Multiparty) -> Result<Status, Failure> {
    let epsilons = constants("epsilon", &typed.epsilon)?;
    let deltas = constants("delta", &typed.delta)?;
    let several = [epsilons.len(), deltas.len()].into_iter().find(|count| *count > 1);
    let parties = typed.parties.map(|parties| parties as usize).or(several);
    let function = Function::parse(&typed.function, parties)?;
    let epsilons = for_each("epsilon", epsilons, function.parties())?;
    let deltas = for_each("delta", deltas, function.parties())?;
    let observer = match typed.observer {
        0 => Observer::Central,
        party => Observer::Party(party as usize),
    };
    let privacies: Vec<Privacy> = epsilons
        .iter()
        .zip(&deltas)
        .map(|(epsilon, delta)| Privacy { epsilon: epsilon.clone(), delta: delta.clone() })
        .collect();
    let equal = deltas.iter().all(Real::is_zero).then(|| epsilons.first()).flatten();
    // At the worst bits the best guess is at random, and no formula is looked for.
    let equal = equal.filter(|first| !typed.worst_case && epsilons.iter().all(|other| other == *first)).cloned();
    let (limits, asked, digits, worst) =
        (interruptible(typed.limits)?, function.clone(), typed.digits, typed.worst_case);
    let own = limits.clone();
    let (number, formula) = supervise::within(&limits, move || {
        let best = if worst { worst_accuracy } else { accuracy };
        let number = refine(digits, &own, |bits| best(&asked, &privacies, observer, bits, &own))?;
        // Where which guess is the likelier one is not found, there is the number alone.
        let formula = match equal.map(|epsilon| formula(&asked, &epsilon, observer, &own)).transpose() {
            Err(Error::Undecided(_)) => None,
            formula => formula?,
        };
        Ok::<(Number, _), Error>((number, formula))
    })?;
    let outcome = Outcome::of(number);
    let blind = if worst { worst_blind(&function, observer) } else { function.blind(observer) };
    let who = match observer {
        Observer::Central => "a central observer".to_string(),
        Observer::Party(party) => format!("party {party}"),
    };
    if typed.json {
        say_json(&Line {
            quantity: "accuracy",
            function: &typed.function,
            parties: function.parties(),
            epsilon: &epsilons,
            delta: &deltas,
            observer: match observer {
                Observer::Central => "central".to_string(),
                Observer::Party(party) => party.to_string(),
            },
            bits: if worst { "worst" } else { "average" },
            outcome: OutcomeLine::of(&outcome, digits),
            blind: blind.to_string(),
            formula: formula.map(|formula| formula.to_string()),
            statement: MULTIPARTY.citation(),
        })?;
        return Ok(Status::Fine);
    }
    let at = if worst { ", at the worst bits" } else { "" };
    say(&format!("best accuracy of {who} for {} of {} bits{at}", typed.function, function.parties()))?;
    let list = |name: &str, values: &[Real]| {
        let equal = values.iter().all(|value| Some(value) == values.first());
        let shown = if equal { &values[..values.len().min(1)] } else { values };
        let shown: Vec<String> = shown.iter().map(|value| Brief(value).to_string()).collect();
        format!("{name} = {}", shown.join(", "))
    };
    say(&format!("  {}; {}", list("epsilon", &epsilons), list("delta", &deltas)))?;
    say(&format!("  {}", outcome_text(&outcome, digits, digits, false)))?;
    if let Some(formula) = formula {
        say(&format!("  as a function of x = e^epsilon there: {formula}"))?;
    }
    say(&format!("  without the transcript {}", Rational::from(&blind)))?;
    say(&format!("  by one draw of randomised response of each party ({MULTIPARTY})"))?;
    Ok(Status::Fine)
}

fn constants(option: &str, texts: &[String]) -> Result<Vec<Real>, Failure> {
    texts.iter().map(|text| constant(option, text)).collect()
}

/// One for all, or one for each.
fn for_each(option: &str, values: Vec<Real>, parties: usize) -> Result<Vec<Real>, Failure> {
    match values.as_slice() {
        [one] => Ok(vec![one.clone(); parties]),
        all if all.len() == parties => Ok(values),
        all => Err(Failure::input(format!(
            "--{option} is given once for all parties or once for each of {parties}, not {} times",
            all.len()
        ))),
    }
}
