//! `mpc`: how well a function of private bits can be computed.

use super::super::args::Multiparty;
use super::super::failure::Failure;

use super::super::points::pieces;
use super::super::talk;
use super::{budget, constant, say, say_json};
use crate::answer::Outcome;
use crate::print::{Accuracy, Bits, Game, Status, Table, ends, outcome_text, seen_text, with_flags};
use crate::statement::MULTIPARTY;
use crate::theorem::multiparty::{Observer, Row, Seen};
use enclosure::{Brief, Real};

/// A fraction with more characters than this is shown by its decimals in a table.
const LONG_CELL: usize = 16;

/// `dpcert mpc`.
pub fn run(typed: &Multiparty) -> Result<Status, Failure> {
    let epsilons = constants("epsilon", &typed.epsilon)?;
    let deltas = constants("delta", &typed.delta)?;
    let name = (typed.function.as_str(), typed.parties.map(|parties| parties as usize));
    let bits = if typed.worst_case { Bits::Worst } else { Bits::Average };
    let game = Game::new(name, epsilons, deltas, typed.observer as usize, bits, typed.digits)?;
    let game = game.scored(&score(typed.score.as_deref())?)?.with_rule(typed.rule);
    let found = game.answer(&budget(typed.limits))?;
    let status = found.status();
    if typed.json {
        say_json(&game.line(None, &found))?;
        return Ok(status);
    }
    let Accuracy { outcome, blind, formula, rule } = found;
    let who = match game.observer() {
        Observer::Central => "a central observer".to_string(),
        Observer::Party(party) => format!("party {party}"),
    };
    let at = if typed.worst_case { ", for the worst-case bits" } else { "" };
    let what = if typed.score.is_some() { "largest score" } else { "best accuracy" };
    let bits = if game.parties() == 1 { "bit" } else { "bits" };
    say(&format!("{what} of {who} for {} of {} {bits}{at}", typed.function, game.parties()))?;
    let list = |name: &str, values: &[Real]| {
        let equal = values.iter().all(|value| Some(value) == values.first());
        let shown = if equal { &values[..values.len().min(1)] } else { values };
        let shown: Vec<String> = shown.iter().map(|value| Brief(value).to_string()).collect();
        format!("{name} = {}", shown.join(", "))
    };
    say(&format!("  {}; {}", list("epsilon", game.epsilons()), list("delta", game.deltas())))?;
    say(&format!("  {}", outcome_text(&outcome, typed.digits, typed.digits, false)))?;
    if let Some(formula) = formula {
        say(&format!("  as a function of x = e^epsilon near this point: {formula}"))?;
    }
    say(&format!("  without the transcript: {blind}"))?;
    if talk::is_verbose() {
        say(&format!("  each party uses randomized response once ({MULTIPARTY})"))?;
    }
    match rule {
        Some(Ok(rows)) => say(&table(&rows, typed).text())?,
        Some(Err(reason)) => say(&format!("best rule undecided: {}", with_flags(&reason)))?,
        None => {}
    }
    Ok(status)
}

/// The matrix that was typed; without rows if there is none.
fn score(typed: Option<&str>) -> Result<Vec<Vec<Real>>, Failure> {
    let row = |row: &str| pieces(row).into_iter().map(|entry| constant("score", entry)).collect();
    typed.map_or_else(|| Ok(Vec::new()), |text| text.split(';').map(row).collect())
}

/// The best rule for people.
fn table(rows: &[Row], typed: &Multiparty) -> Table {
    let seen = || rows.iter().flat_map(|row| &row.seen);
    let grouped = rows.iter().any(|row| row.alike != 1);
    let tied = !typed.worst_case && rows.iter().any(|row| row.guesses.len() > 1);
    let (title, last): (_, &[&str]) = match (typed.worst_case, typed.score.is_some()) {
        (true, _) => ("a best rule for the worst-case bits", &[]),
        (false, true) => ("best rule", &["probability", "score"]),
        (false, false) => ("best rule", &["probability", "accuracy"]),
    };
    let first: &[&str] = if grouped { &["transcript", "count", "guess"] } else { &["transcript", "guess"] };
    let mut table = Table::new(title, &[first, last].concat());
    for row in rows {
        let transcript: Vec<String> = row.seen.iter().map(|seen| seen_text(*seen)).collect();
        let guesses = row.guesses.iter().map(|guess| match &guess.probability {
            Some(share) if *share != 1 => format!("{} with {share}", guess.value),
            _ => guess.value.to_string(),
        });
        let separator = if typed.worst_case { ", " } else { " or " };
        let mut cells = vec![transcript.join(" ")];
        cells.extend(grouped.then(|| row.alike.to_string()));
        cells.push(guesses.collect::<Vec<_>>().join(separator));
        for number in row.posterior.iter().flatten() {
            let [lower, upper] = ends(&Outcome::of(number.clone()), typed.digits);
            let fraction = number.exact().map(ToString::to_string).filter(|text| text.len() <= LONG_CELL);
            cells.push(fraction.unwrap_or_else(|| format!("[{lower}, {upper}]")));
        }
        table.row(cells);
    }
    let mut legend = vec!["0 and 1 are reports"];
    if seen().any(|seen| matches!(seen, Seen::Known(_))) {
        legend.push("0! and 1! are reports that reveal the bit");
    }
    if seen().any(|seen| matches!(seen, Seen::Own(_))) {
        legend.push("[0] and [1] are the observer's own bit");
    }
    table.source(legend.join("; "));
    if grouped {
        table.source(
            "`count` is the number of transcripts equal up to a permutation of parties with equal parameters".into(),
        );
    }
    if tied {
        table.source("`or` marks a tie: each of these guesses is optimal".into());
    }
    table
}

fn constants(option: &str, texts: &[String]) -> Result<Vec<Real>, Failure> {
    texts.iter().map(|text| constant(option, text)).collect()
}
