//! `mpc`: how well a function of private bits can be computed.

use super::super::args::Multiparty;
use super::super::failure::Failure;

use super::{budget, constant, say, say_json};
use crate::print::{Accuracy, Bits, Game, Status, outcome_text};
use crate::statement::MULTIPARTY;
use crate::theorem::multiparty::Observer;
use enclosure::{Brief, Real};

/// `dpcert mpc`.
pub fn run(typed: &Multiparty) -> Result<Status, Failure> {
    let epsilons = constants("epsilon", &typed.epsilon)?;
    let deltas = constants("delta", &typed.delta)?;
    let name = (typed.function.as_str(), typed.parties.map(|parties| parties as usize));
    let bits = if typed.worst_case { Bits::Worst } else { Bits::Average };
    let game = Game::new(name, epsilons, deltas, typed.observer as usize, bits, typed.digits)?;
    let found = game.answer(&budget(typed.limits))?;
    let status = Status::from(&found.outcome);
    if typed.json {
        say_json(&game.line(None, &found))?;
        return Ok(status);
    }
    let Accuracy { outcome, blind, formula } = found;
    let who = match game.observer() {
        Observer::Central => "a central observer".to_string(),
        Observer::Party(party) => format!("party {party}"),
    };
    let at = if typed.worst_case { ", at the worst bits" } else { "" };
    say(&format!("best accuracy of {who} for {} of {} bits{at}", typed.function, game.parties()))?;
    let list = |name: &str, values: &[Real]| {
        let equal = values.iter().all(|value| Some(value) == values.first());
        let shown = if equal { &values[..values.len().min(1)] } else { values };
        let shown: Vec<String> = shown.iter().map(|value| Brief(value).to_string()).collect();
        format!("{name} = {}", shown.join(", "))
    };
    say(&format!("  {}; {}", list("epsilon", game.epsilons()), list("delta", game.deltas())))?;
    say(&format!("  {}", outcome_text(&outcome, typed.digits, typed.digits, false)))?;
    if let Some(formula) = formula {
        say(&format!("  as a function of x = e^epsilon there: {formula}"))?;
    }
    say(&format!("  without the transcript {blind}"))?;
    say(&format!("  by one draw of randomised response of each party ({MULTIPARTY})"))?;
    Ok(status)
}

fn constants(option: &str, texts: &[String]) -> Result<Vec<Real>, Failure> {
    texts.iter().map(|text| constant(option, text)).collect()
}
