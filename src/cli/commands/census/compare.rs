//! `census compare`: published deltas beside certified ones.

use std::collections::BTreeMap;
use std::path::Path;

use rug::Rational;
use serde::Serialize;

use super::super::super::failure::{Failure, Status};
use super::super::{say, say_json};
use crate::census::compare::{Cause, Difference, Published, Verdict, judge, read_published};
use crate::census::read_results;
use crate::number::Number;
use crate::number::decimal::{Side, decimal};

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
    cause: String,
}

/// `dpcert census compare`.
pub fn run(results: &Path, published: &Path, json: bool) -> Result<Status, Failure> {
    let certified = read_results(&results.to_string_lossy())?;
    let published = read_published(&published.to_string_lossy())?;
    let (mut holds, mut unknown, mut other) = (0_usize, 0_usize, 0_usize);
    let mut causes: BTreeMap<Cause, (usize, usize)> = BTreeMap::new();
    for value in &published {
        match judge(value, &certified) {
            Verdict::Holds => holds += 1,
            Verdict::Unknown => unknown += 1,
            Verdict::OtherEpsilon => {
                other += 1;
                let (p1, p2, delta) = &value.key;
                say(&format!(
                    "{p1},{p2} at {}: the published epsilon {} is another",
                    decimal_of(delta),
                    value.epsilon
                ))?;
            }
            Verdict::Differs(difference) => {
                let count = causes.entry(difference.cause).or_default();
                if difference.too_small {
                    count.0 += 1
                } else {
                    count.1 += 1
                }
                if let Some(record) = certified.get(&value.key) {
                    let ends = (&record.lower, &record.upper);
                    if json {
                        say_json(&difference_line(value, ends, &difference))?;
                    } else {
                        say(&difference_text(value, ends, &difference))?;
                    }
                }
            }
        }
    }
    let differ: usize = causes.values().map(|(low, high)| low + high).sum();
    if !json {
        say(&format!("{holds} of {} published values hold, {differ} differ", published.len()))?;
        for (cause, (low, high)) in &causes {
            say(&format!("  {low} too small, {high} too large: {cause}"))?;
        }
        if other > 0 {
            say(&format!("  {other} belong to another epsilon"))?;
        }
        if unknown > 0 {
            say(&format!("  {unknown} have no certified value to compare with"))?;
        }
    }
    Ok(if differ + other > 0 { Status::Mismatch } else { Status::Fine })
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

fn difference_line<'a>(value: &'a Published, ends: (&Rational, &Rational), difference: &Difference) -> Line<'a> {
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
        cause: difference.cause.to_string(),
    }
}

fn difference_text(value: &Published, ends: (&Rational, &Rational), difference: &Difference) -> String {
    let (lower, upper) = ends_of(ends);
    format!(
        "{},{} at {}: published {}, certified [{lower}, {upper}]: {} too {} (relative {}): {}",
        value.key.0,
        value.key.1,
        decimal_of(&value.key.2),
        value.delta,
        about(&difference.distance),
        if difference.too_small { "small" } else { "large" },
        about(&difference.relative),
        difference.cause
    )
}
