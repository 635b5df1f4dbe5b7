//! `census compare`: published deltas beside certified ones.

use std::collections::BTreeMap;
use std::path::Path;

use rug::Rational;
use serde::Serialize;

use super::super::super::failure::{Failure, Status};
use super::super::{say, say_json};
use crate::census::compare::{Cause, Difference, Published, Verdict, judge, read_published};
use crate::census::read_results;
use enclosure::Number;
use enclosure::decimal::{Side, decimal};

/// A published value that differs, as a JSON object.
#[derive(Serialize)]
struct Line<'a> {
    p1: u32,
    p2: u32,
    delta_zcdp: String,
    published: &'a str,
    lower: String,
    upper: String,
    too_small: bool,
    distance: String,
    relative: String,
    cause: &'static str,
}

/// What differs for one cause.
#[derive(Default)]
struct Tally {
    too_small: usize,
    too_large: usize,
    /// The largest relative difference, and where.
    worst: Option<(Rational, String)>,
}

impl Tally {
    fn add(&mut self, place: String, difference: &Difference) {
        if difference.too_small {
            self.too_small += 1;
        } else {
            self.too_large += 1;
        }
        if self.worst.as_ref().is_none_or(|(worst, _)| *worst < difference.relative) {
            self.worst = Some((difference.relative.clone(), place));
        }
    }
}

/// `dpcert census compare`.
pub fn run(results: &Path, published: &Path, json: bool) -> Result<Status, Failure> {
    let certified = read_results(&results.to_string_lossy())?;
    let published = read_published(&published.to_string_lossy())?;
    let (mut holds, mut unknown, mut other) = (0_usize, 0_usize, 0_usize);
    let mut tallies: BTreeMap<Cause, Tally> = BTreeMap::new();
    for value in &published {
        match (judge(value, &certified), certified.get(&value.key)) {
            (Verdict::Holds, _) => holds += 1,
            (Verdict::OtherEpsilon, _) => {
                other += 1;
                say(&format!("{}: the published epsilon {} belongs to another query", place(value), value.epsilon))?;
            }
            (Verdict::Differs(difference), Some(record)) => {
                tallies.entry(difference.cause).or_default().add(place(value), &difference);
                let ends = (&record.lower, &record.upper);
                if json {
                    say_json(&line(value, ends, &difference))?;
                } else {
                    say(&text(value, ends, &difference))?;
                }
            }
            (Verdict::Unknown, _) | (_, None) => unknown += 1,
        }
    }
    let differ: usize = tallies.values().map(|tally| tally.too_small + tally.too_large).sum();
    if !json {
        say(&format!("{holds} of {} published values are correct, {differ} differ", published.len()))?;
        for (cause, Tally { too_small, too_large, worst }) in &tallies {
            let worst = worst.as_ref().map_or(String::new(), |(by, place)| {
                format!(" (largest relative difference {}, for {place})", about(by))
            });
            say(&format!("  {}: {too_small} too small, {too_large} too large{worst}: {cause}", cause.name()))?;
        }
        if other > 0 {
            say(&format!("  published for another epsilon: {other}"))?;
        }
        if unknown > 0 {
            say(&format!("  without a certified value to compare with: {unknown}"))?;
        }
    }
    Ok(if differ + other > 0 { Status::Mismatch } else { Status::Fine })
}

/// Which value, for people.
fn place(value: &Published) -> String {
    let (p1, p2, delta) = &value.key;
    format!("{p1},{p2} at {}", decimal_of(delta))
}

fn decimal_of(value: &Rational) -> String {
    decimal(&Number::Exact(value.clone()), 17, Side::Lower)
}

/// Two digits, to say how much.
fn about(value: &Rational) -> String {
    decimal(&Number::Exact(value.clone()), 2, Side::Upper)
}

/// The ends of an enclosure in full: they were read from decimals.
fn ends_of((lower, upper): (&Rational, &Rational)) -> (String, String) {
    let full = |value: &Rational, side| decimal(&Number::Exact(value.clone()), 1001, side);
    (full(lower, Side::Lower), full(upper, Side::Upper))
}

fn line<'a>(value: &'a Published, ends: (&Rational, &Rational), difference: &Difference) -> Line<'a> {
    let (lower, upper) = ends_of(ends);
    Line {
        p1: value.key.0,
        p2: value.key.1,
        delta_zcdp: decimal_of(&value.key.2),
        published: &value.delta,
        lower,
        upper,
        too_small: difference.too_small,
        distance: about(&difference.distance),
        relative: about(&difference.relative),
        cause: difference.cause.name(),
    }
}

fn text(value: &Published, ends: (&Rational, &Rational), difference: &Difference) -> String {
    let (lower, upper) = ends_of(ends);
    format!(
        "{}: published {}, certified [{lower}, {upper}]: {} too {} (relative error {}; {})",
        place(value),
        value.delta,
        about(&difference.distance),
        if difference.too_small { "small" } else { "large" },
        about(&difference.relative),
        difference.cause.name()
    )
}
