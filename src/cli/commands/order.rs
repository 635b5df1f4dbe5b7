//! `order`: which of two compositions is the more private.

use rug::Rational;
use serde::Serialize;

use super::super::args::Limits;
use super::super::failure::{Failure, Status};
use super::{interruptible, say, say_json, told_mechanism};
use crate::mechanism::Composition;
use crate::order::{self, Channel, Order, Relation, Witness};
use crate::pair::FinitePair;
use crate::print::{Numbers, with_flags};
use enclosure::Number;

/// Digits of the type II errors of a witness.
const DIGITS: u32 = 12;

/// Whether one is at least as private as the other, in JSON.
#[derive(Serialize)]
struct Told {
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A type I error, and both type II errors there.
#[derive(Serialize)]
struct Shown {
    alpha: String,
    smaller: Numbers,
    larger: Numbers,
}

/// The matrix, with the outcomes that it belongs to.
#[derive(Serialize)]
struct Map {
    from: &'static str,
    to: &'static str,
    from_p: Vec<String>,
    from_q: Vec<String>,
    to_p: Vec<String>,
    to_q: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The JSON object.
#[derive(Serialize)]
struct Line {
    first: String,
    second: String,
    verdict: &'static str,
    at_least: Told,
    at_most: Told,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<Map>,
}

/// `dpcert order`.
pub fn run(texts: [&str; 2], with_channel: bool, limits: Limits, json: bool) -> Result<Status, Failure> {
    let [first, second] = texts;
    let (first, second) = (told_mechanism(first)?, told_mechanism(second)?);
    let order = order::order(&first, &second, &interruptible(limits)?)?;
    let channel = if with_channel { channel(&first, &second, &order)? } else { None };
    if json {
        say_json(&Line {
            first: first.to_string(),
            second: second.to_string(),
            verdict: order.verdict(),
            at_least: told(&order.at_least),
            at_most: told(&order.at_most),
            channel,
        })?;
    } else {
        say(&format!("{first}\n  is {} {} {second}", verdict(&order), preposition(&order)))?;
        say(&relation("the first is at least as private", &order.at_least))?;
        say(&relation("the second is at least as private", &order.at_most))?;
        if let Some(map) = channel {
            say(&matrix(&map))?;
        }
    }
    Ok(if order.is_decided() { Status::Fine } else { Status::Undecided })
}

fn verdict(order: &Order) -> &'static str {
    match order.verdict() {
        "undecided" => "not compared",
        known => known,
    }
}

fn preposition(order: &Order) -> &'static str {
    match order.verdict() {
        "equal" => "to",
        "incomparable" | "undecided" => "with",
        "more private" | "less private" => "than",
        _ => "as",
    }
}

fn told(relation: &Relation) -> Told {
    let nothing = Told { holds: None, proof: None, witness: None, reason: None };
    match relation {
        Relation::Proven(how) => Told { holds: Some(true), proof: Some(how), ..nothing },
        Relation::Fails(witness) => Told { holds: Some(false), witness: Some(shown(witness)), ..nothing },
        Relation::Undecided(reason) => Told { reason: Some(with_flags(reason)), ..nothing },
    }
}

fn shown(witness: &Witness) -> Shown {
    let numbers = |interval: crate::number::Interval| Numbers::of(&Number::from(&interval), DIGITS);
    Shown { alpha: witness.alpha().to_string(), smaller: numbers(witness.smaller()), larger: numbers(witness.larger()) }
}

fn relation(what: &str, relation: &Relation) -> String {
    match relation {
        Relation::Proven(how) => format!("  {what}: proven, by {how}"),
        Relation::Fails(witness) => {
            let (alpha, smaller, larger) = (witness.alpha(), witness.smaller(), witness.larger());
            format!(
                "  {what}: no, at alpha = {alpha} the type II error is at most {}, that of the other at least {}",
                smaller.upper(DIGITS),
                larger.lower(DIGITS)
            )
        }
        Relation::Undecided(reason) => format!("  {what}: undecided, {}", with_flags(reason)),
    }
}

fn channel(first: &Composition, second: &Composition, order: &Order) -> Result<Option<Map>, Failure> {
    let (made, from, to) = if order.at_least.is_proven() {
        (order::channel(first, second)?, "second", "first")
    } else if order.at_most.is_proven() {
        (order::channel(second, first)?, "first", "second")
    } else {
        return Ok(None);
    };
    let Some((source, target, channel)) = made else {
        return Err(Failure::input(
            "a matrix is made of two mechanisms in fractions, such as finite(p=[1/2,1/2], q=[1/3,2/3])",
        ));
    };
    Ok(Some(map(&source, &target, &channel, from, to)))
}

fn map(source: &FinitePair, target: &FinitePair, channel: &Channel, from: &'static str, to: &'static str) -> Map {
    let list = |masses: &[Rational]| masses.iter().map(ToString::to_string).collect::<Vec<_>>();
    Map {
        from,
        to,
        from_p: list(source.p()),
        from_q: list(source.q()),
        to_p: list(target.p()),
        to_q: list(target.q()),
        rows: channel.rows().iter().map(|row| list(row)).collect(),
    }
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
    let width = map.rows.iter().flatten().map(String::len).max().unwrap_or(0);
    for row in &map.rows {
        let row: Vec<String> = row.iter().map(|entry| format!("{entry:>width$}")).collect();
        text += &format!("\n    {}", row.join("  "));
    }
    text
}
