//! `order`: which of two compositions is the more private.

use rug::Rational;
use serde::Serialize;

use super::super::args::{Compared, Limits};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    fractions: Option<[String; 2]>,
}

/// Where there is no matrix: at this type I error what it would make has the smaller type II error.
#[derive(Serialize)]
struct NoMap {
    from: &'static str,
    to: &'static str,
    because: String,
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
    direction: &'static str,
    verdict: &'static str,
    at_least: Told,
    at_most: Told,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<Map>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_channel: Vec<NoMap>,
}

/// `dpcert order`.
pub fn run(
    texts: [&str; 2],
    direction: Compared,
    with_channel: bool,
    limits: Limits,
    json: bool,
) -> Result<Status, Failure> {
    let [first, second] = texts;
    let (first, second) = (told_mechanism(first)?, told_mechanism(second)?);
    let limits = interruptible(limits)?;
    let order = match direction {
        Compared::Forward => order::order(&first, &second, &limits)?,
        Compared::Worst => order::order_of_both(&first, &second, &limits)?,
    };
    let (channel, no_channel) = match with_channel {
        true if direction == Compared::Worst => {
            return Err(Failure::input("a matrix is made for the pairs themselves, without --direction worst"));
        }
        true => (channel(&first, &second, &order)?, no_channel(&order)),
        false => (None, Vec::new()),
    };
    if json {
        say_json(&Line {
            first: first.to_string(),
            second: second.to_string(),
            direction: match direction {
                Compared::Forward => "forward",
                Compared::Worst => "worst",
            },
            verdict: order.verdict(),
            at_least: told(&order.at_least),
            at_most: told(&order.at_most),
            channel,
            no_channel,
        })?;
    } else {
        say(&format!("{first}\n  is {} {second}", verdict(&order)))?;
        say(&relation("the first is at least as private", &order.at_least))?;
        say(&relation("the second is at least as private", &order.at_most))?;
        for line in [compared(&first, &second, direction)?].into_iter().flatten() {
            say(line)?;
        }
        for NoMap { from, to, because } in &no_channel {
            say(&format!("  no stochastic matrix carries the {from} to the {to}: {because}"))?;
        }
        if with_channel && channel.is_none() && no_channel.is_empty() {
            say("  whether a stochastic matrix carries one to the other is undecided")?;
        }
        if let Some(map) = channel {
            say(&matrix(&map))?;
        }
    }
    Ok(if order.is_decided() { Status::Fine } else { Status::Undecided })
}

/// What was compared, where that makes a difference.
fn compared(first: &Composition, second: &Composition, direction: Compared) -> Result<Option<&'static str>, Failure> {
    if order::is_symmetric(first)? && order::is_symmetric(second)? {
        return Ok(None);
    }
    Ok(Some(match direction {
        Compared::Forward => {
            "  compared are T(P,Q) of both, with P and Q as the mechanisms document them; --direction worst compares \
             what holds for both orders of the neighbours"
        }
        Compared::Worst => {
            "  compared is what holds for both orders of the neighbours: min(f, f^-1)**, the larger of both profiles"
        }
    }))
}

/// The verdict with its preposition; of half an order no more than what was found.
fn verdict(order: &Order) -> String {
    match order.verdict() {
        "undecided" => "not compared with".to_string(),
        "not at least as private" => "somewhere less private than, and not known to be so everywhere,".to_string(),
        "not at most as private" => "somewhere more private than, and not known to be so everywhere,".to_string(),
        "equal" => "equal to".to_string(),
        "incomparable" => "incomparable with".to_string(),
        known @ ("more private" | "less private") => format!("{known} than"),
        known => format!("{known} as"),
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
    let fractions = witness.fractions().map(|(smaller, larger)| [smaller.to_string(), larger.to_string()]);
    Shown {
        alpha: witness.alpha().to_string(),
        fractions,
        smaller: numbers(witness.smaller()),
        larger: numbers(witness.larger()),
    }
}

fn relation(what: &str, relation: &Relation) -> String {
    match relation {
        Relation::Proven(how) => format!("  {what}: proven, by {how}"),
        Relation::Fails(witness) => {
            let (alpha, smaller, larger) = (witness.alpha(), witness.smaller(), witness.larger());
            if let Some((smaller, larger)) = witness.fractions() {
                return format!(
                    "  {what}: no, at alpha = {alpha} the type II error is {smaller}, that of the other {larger}"
                );
            }
            format!(
                "  {what}: no, at alpha = {alpha} the type II error is at most {}, that of the other at least {}",
                smaller.upper(DIGITS),
                larger.lower(DIGITS)
            )
        }
        Relation::Undecided(reason) => format!("  {what}: undecided, {}", with_flags(reason)),
    }
}

/// By data processing no map lowers a trade-off function.
fn no_channel(order: &Order) -> Vec<NoMap> {
    let one = |relation: &Relation, from, to| match relation {
        Relation::Fails(witness) => {
            let alpha = witness.alpha();
            let because = match witness.fractions() {
                Some((smaller, larger)) => format!("f({alpha}) = {smaller} of the {to} < {larger} of the {from}"),
                None => format!(
                    "f({alpha}) <= {} of the {to} < {} <= that of the {from}",
                    witness.smaller().upper(DIGITS),
                    witness.larger().lower(DIGITS)
                ),
            };
            Some(NoMap { from, to, because })
        }
        _ => None,
    };
    [one(&order.at_least, "second", "first"), one(&order.at_most, "first", "second")].into_iter().flatten().collect()
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
