//! `vertices`: the corners of a trade-off function that is a polyline, or those of its profile, exactly.

use serde::Serialize;

use super::super::args::{CurveKind, DirectionName, Vertices};
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::mechanism::{Composition, Hull, Inverse, Mechanism};
use crate::print::{Numbers, Table};
use crate::table::field;
use crate::trade_off::TradeOff;
use crate::write::write_file;
use enclosure::decimal::{Side, decimal};
use enclosure::{Number, Real};

/// Digits of what is no fraction.
const DIGITS: u32 = 12;
/// Bits of it.
const BITS: u32 = 96;

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line {
    quantity: &'static str,
    mechanism: String,
    kind: &'static str,
    direction: &'static str,
    /// Each with an `exact` constant and its enclosure.
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<Vertex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakpoints: Option<Vec<Breakpoint>>,
    /// The polyline as a mechanism, where it is in fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Vertex {
    alpha: Coordinate,
    beta: Coordinate,
}

#[derive(Serialize)]
struct Breakpoint {
    epsilon: Coordinate,
    delta: Coordinate,
}

/// A constant, with an enclosure of it.
#[derive(Serialize)]
struct Coordinate {
    exact: String,
    #[serde(flatten)]
    numbers: Numbers,
}

impl Coordinate {
    fn new(value: &Real) -> Self {
        let number = Number::Enclosed(value.enclosure(BITS));
        Coordinate { exact: value.to_string(), numbers: Numbers::of(&number, DIGITS) }
    }
}

/// `dpcert vertices`.
pub fn run(typed: &Vertices) -> Result<Status, Failure> {
    let given = told_mechanism(&typed.mechanism)?;
    // The profile H(P||Q) is that of tests of Q against P.
    let of = |mechanism: Mechanism| Composition::from(mechanism);
    let asked = match (typed.direction, typed.kind) {
        (DirectionName::Worst, _) => of(Hull::new(given.clone()).into()),
        (DirectionName::Forward, CurveKind::Tradeoff) | (DirectionName::Backward, CurveKind::Profile) => given.clone(),
        (DirectionName::Forward, CurveKind::Profile) | (DirectionName::Backward, CurveKind::Tradeoff) => {
            of(Inverse::new(given.clone()).into())
        }
    };
    let f = TradeOff::of(asked);
    let budget = budget(typed.limits);
    let (corners, columns, what, kind) = match typed.kind {
        CurveKind::Tradeoff => {
            (f.vertices(&budget)?, ["alpha", "beta"], "vertices of the trade-off function", "tradeoff")
        }
        CurveKind::Profile => (f.breakpoints(&budget)?, ["epsilon", "delta"], "corners of the profile", "profile"),
    };
    let (direction, shown) = match typed.direction {
        DirectionName::Worst => ("worst", ", hull of both orders"),
        DirectionName::Forward => ("forward", ""),
        DirectionName::Backward => ("backward", ", backward direction"),
    };
    let function = match typed.kind {
        CurveKind::Tradeoff => function(&corners),
        CurveKind::Profile => None,
    };
    if typed.json {
        let pairs = corners.iter().map(|(a, b)| (Coordinate::new(a), Coordinate::new(b)));
        let mut line = Line {
            quantity: "vertices",
            mechanism: given.to_string(),
            kind,
            direction,
            vertices: None,
            breakpoints: None,
            function,
            notes: given.notes().to_vec(),
        };
        match typed.kind {
            CurveKind::Tradeoff => line.vertices = Some(pairs.map(|(alpha, beta)| Vertex { alpha, beta }).collect()),
            CurveKind::Profile => {
                line.breakpoints = Some(pairs.map(|(epsilon, delta)| Breakpoint { epsilon, delta }).collect());
            }
        }
        say_json(&line)?;
    } else if let Some(path) = &typed.csv {
        let mut text = format!("{}\n", columns.join(","));
        for (a, b) in &corners {
            text += &format!("{},{}\n", field(&a.to_string()), field(&b.to_string()));
        }
        write_file(path, text.as_bytes())?;
    } else {
        say(&table(&format!("{what} of {given}{shown}"), columns, &corners, function))?;
    }
    Ok(Status::Fine)
}

/// A fraction by itself, anything else with its decimals beside it.
fn table(title: &str, columns: [&str; 2], corners: &[(Real, Real)], function: Option<String>) -> String {
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
    table.source(
        "by the Neyman-Pearson lemma, piece by piece (proofs/paper/piecewise-linear.md, duality.md)".to_string(),
    );
    if let Some(function) = function {
        table.source(format!("as {function}"));
    }
    table.text()
}

/// The decimals of a constant.
fn about(value: &Real) -> String {
    let number = value.number(BITS);
    let end = |side| decimal(&number, DIGITS, side);
    let (lower, upper) = (end(Side::Lower), end(Side::Upper));
    if lower == upper { lower } else { format!("[{lower}, {upper}]") }
}

/// The polyline as a mechanism, where it is in fractions.
fn function(vertices: &[(Real, Real)]) -> Option<String> {
    let list = |of: fn(&(Real, Real)) -> &Real| -> Option<String> {
        let all = vertices.iter().map(|vertex| Some(of(vertex).as_rational()?.to_string()));
        Some(all.collect::<Option<Vec<_>>>()?.join(", "))
    };
    Some(format!("trade-off(alpha=[{}], beta=[{}])", list(|vertex| &vertex.0)?, list(|vertex| &vertex.1)?))
}
