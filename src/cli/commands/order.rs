//! `order`: compares two compositions.

use serde::Serialize;

use super::super::args::Limits;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::mechanism::Composition;
use crate::order::{self, Order};
use crate::print::{Carried, Compared, Dominating, Found, Map, NoMap, Noise, OrderTold, UnsaidMap, relation_text};

/// The JSON object.
#[derive(Serialize)]
struct Line {
    first: String,
    second: String,
    direction: Compared,
    #[serde(flatten)]
    found: OrderTold,
}

/// `dpcert order`.
pub fn run(
    texts: [&str; 2],
    direction: Option<Compared>,
    with_channel: bool,
    limits: Limits,
    json: bool,
) -> Result<Status, Failure> {
    let [first, second] = texts;
    let (first, second) = (told_mechanism(first)?, told_mechanism(second)?);
    let limits = budget(limits);
    let direction = direction.unwrap_or(Compared::by_default(with_channel));
    let found = Found::new(&first, &second, direction, with_channel, &limits)?;
    let status = found.status();
    if json {
        say_json(&Line { first: first.to_string(), second: second.to_string(), direction, found: found.told() })?;
        return Ok(status);
    }
    let Found { order, channel, no_channel, guarantees, dominating } = found;
    say(&format!("{first:#}\n  is {} {second:#}", verdict(&order)))?;
    say(&relation_text("the first is at least as private", &order.at_least))?;
    say(&relation_text("the second is at least as private", &order.at_most))?;
    for line in [compared(&first, &second, direction)?].into_iter().flatten() {
        say(line)?;
    }
    for which in guarantees {
        say(&format!(
            "  the {which} contains a guarantee: the comparison uses the least private mechanism that satisfies it"
        ))?;
    }
    for Dominating { side, because } in dominating {
        say(&format!(
            "  the {side} is represented by a dominating pair; the mechanism itself may be more private: {because}"
        ))?;
    }
    for NoMap { from, to, because } in &no_channel {
        say(&format!("  no randomised map from the {from} to the {to} exists: {because}"))?;
    }
    if with_channel && channel.is_none() && no_channel.is_empty() {
        say("  undecided whether a randomised map from one to the other exists")?;
    }
    match channel {
        Some(Carried::By(map)) => say(&matrix(&map))?,
        Some(Carried::Noise(noise)) => say(&sum(&noise))?,
        Some(Carried::Unsaid(UnsaidMap { kind, from, to, reason, .. })) => {
            say(&format!("  the randomised map from the {from} to the {to} is {kind}: {reason}"))?;
        }
        None => {}
    }
    Ok(status)
}

/// Describes the compared direction where both differ.
fn compared(first: &Composition, second: &Composition, direction: Compared) -> Result<Option<&'static str>, Failure> {
    if order::is_symmetric(first)? && order::is_symmetric(second)? {
        return Ok(None);
    }
    Ok(Some(match direction {
        Compared::Forward => {
            "  compares T(P,Q) of both, with P and Q as documented for each mechanism; --direction worst compares both \
             directions"
        }
        Compared::Worst => {
            "  compares both directions: min(f, f^-1)**, whose profile is the larger of the two directions"
        }
    }))
}

/// The verdict with its preposition; of half an order no more than what was found.
fn verdict(order: &Order) -> String {
    match order.verdict() {
        "undecided" => "not decided against".to_string(),
        "not at least as private" => "less private at some point than, with the converse not decided,".to_string(),
        "not at most as private" => "more private at some point than, with the converse not decided,".to_string(),
        "equal" => "equal to".to_string(),
        "incomparable" => "incomparable with".to_string(),
        known @ ("more private" | "less private") => format!("{known} than"),
        known => format!("{known} as"),
    }
}

fn sum(map: &Noise) -> String {
    let Noise { from, to, factor, added_variance, .. } = map;
    let pair = |mean: &str, variance: &str| format!("P = N(0, {variance}), Q = N({mean}, {variance})");
    let [before, behind] = [pair(&map.from_mean, &map.from_variance), pair(&map.to_mean, &map.to_variance)];
    format!(
        "  from the {from}, {before}\n  to the {to}, {behind}: multiply by {factor} and add independent noise \
         N(0, {added_variance})"
    )
}

fn matrix(map: &Map) -> String {
    let list = |values: &[String]| values.join(", ");
    let Map { from, to, .. } = map;
    let mut text = format!(
        "  from the {from}, P = [{}], Q = [{}]\n  to the {to}, P = [{}], Q = [{}], by the stochastic matrix",
        list(&map.from_p),
        list(&map.from_q),
        list(&map.to_p),
        list(&map.to_q)
    );
    if let Some(unit) = &map.unit {
        text += &format!(" in x = exp({unit})");
    }
    let width = map.rows.iter().flatten().map(String::len).max().unwrap_or(0);
    for row in &map.rows {
        let row: Vec<String> = row.iter().map(|entry| format!("{entry:>width$}")).collect();
        text += &format!("\n    {}", row.join("  "));
    }
    text
}
