//! `vertices`: the corners of a trade-off function that is a polyline, or those of its profile, exactly.

use super::super::args::Vertices;
use super::super::failure::{Failure, Status};
use super::super::talk;
use super::{budget, say, say_json, told_mechanism};
use crate::curve::Direction;
use crate::print::{CORNER_BITS, CORNER_DIGITS, Corners, Face, Table, meaning_text};
use crate::table::field;
use crate::write::write_file;
use enclosure::Real;
use enclosure::decimal::{Side, decimal};

/// `dpcert vertices`.
pub fn run(typed: &Vertices) -> Result<Status, Failure> {
    let mechanism = told_mechanism(&typed.mechanism)?;
    let asked = Corners { mechanism, kind: typed.kind.into(), direction: typed.direction.into() };
    let corners = asked.answer(&budget(typed.limits))?;
    let (columns, what) = match asked.kind {
        Face::Tradeoff => (["alpha", "beta"], "vertices of the trade-off function"),
        Face::Profile => (["epsilon", "delta"], "vertices of the profile"),
    };
    if typed.json {
        say_json(&asked.line(None, &corners))?;
    } else if let Some(path) = &typed.csv {
        let mut text = format!("{}\n", columns.join(","));
        for (a, b) in &corners {
            text += &format!("{},{}\n", field(&a.to_string()), field(&b.to_string()));
        }
        write_file(path, text.as_bytes())?;
    } else {
        let shown = match asked.direction {
            Direction::Worst if asked.is_of_both()? => ", convex hull of both directions",
            Direction::Worst => "",
            Direction::Forward => ", forward direction",
            Direction::Backward => ", backward direction",
        };
        let title = format!("{what} of {:#}{shown}", asked.mechanism);
        say(&table(&title, columns, &corners, &asked))?;
    }
    Ok(Status::Fine)
}

/// A fraction by itself, anything else with its decimals beside it.
fn table(title: &str, columns: [&str; 2], corners: &[(Real, Real)], asked: &Corners) -> String {
    let coordinates = || corners.iter().flat_map(|(a, b)| [a, b]);
    let all_short = coordinates().all(|value| value.as_rational().is_some());
    let [one, two] = columns;
    let wide = [one, two, &format!("{one} in"), &format!("{two} in")];
    let mut table = Table::new(title, if all_short { &wide[..2] } else { &wide });
    for (a, b) in corners {
        let exact = [a.to_string(), b.to_string()];
        if all_short {
            table.row(exact);
        } else {
            table.row(exact.into_iter().chain([about(a), about(b)]));
        }
    }
    let (meaning, cause) = asked.meaning();
    if let Some(text) = meaning_text(Some(meaning), cause) {
        table.source(text);
    }
    if talk::is_verbose() {
        table.source(
            "by the Neyman-Pearson lemma on each segment (proofs/paper/piecewise-linear.md, duality.md)".into(),
        );
    }
    if let Some(function) = asked.function(corners) {
        table.source(format!("as {function}"));
    }
    table.text()
}

/// The decimals of a constant.
fn about(value: &Real) -> String {
    let number = value.number(CORNER_BITS);
    let end = |side| decimal(&number, CORNER_DIGITS, side);
    let (lower, upper) = (end(Side::Lower), end(Side::Upper));
    if lower == upper { lower } else { format!("[{lower}, {upper}]") }
}
