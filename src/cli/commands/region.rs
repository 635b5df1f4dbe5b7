//! `region`: all (epsilon_i, delta_i) of an exact composition region.

use std::path::Path;

use serde::Serialize;

use super::super::args::Question;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::compose::region::{self, Pair};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::Part;
use crate::paper;
use crate::picture::{Axis, Chart, Format, Place, Series, Style, Theme};
use crate::print::{Numbers, number_text};
use crate::query::Query;
use crate::supervise;
use crate::theorem::kov::{Steps, Theorem, delta_at};
use crate::write::write_file;
use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Number, Real, refine};

/// One pair of the region as a JSON line.
#[derive(Serialize)]
struct Line {
    i: u64,
    epsilon: Real,
    delta: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
}

/// What the closed-form theorems promise at the same epsilon: the upper ends of their deltas, when they say anything.
#[derive(Serialize)]
struct Bounds {
    basic: Option<String>,
    advanced: Option<String>,
    simplified: Option<String>,
}

/// Digits of a bound in the table: it is there to be compared with.
const BOUND_DIGITS: u32 = 6;

/// `dpcert region`.
pub fn run(question: &Question, with_bounds: bool, svg: Option<&Path>) -> Result<Status, Failure> {
    let composition = told_mechanism(&question.mechanism)?;
    if let Some(path) = svg {
        let format = Format::of(path).map_err(Failure::input)?;
        write_file(path, &picture(question, &composition, format)?)?;
        return Ok(Status::Fine);
    }
    let equal = region::homogeneous(&composition);
    if with_bounds && equal.is_none() {
        return Err(Failure::input("--bounds needs the composition of one (epsilon, delta) mechanism with itself"));
    }
    let limits = budget(question.limits);
    let (digits, own) = (question.digits(), limits.clone());
    // The digits are checked by the same rule as everywhere.
    Query::new(crate::query::Quantity::Tv, composition.clone()).with_digits(question.digits()).checked()?;
    let title = format!("the region of {composition} is the intersection of these (epsilon, delta) regions");
    let compute = move |hand: &dyn Fn((Pair, Option<Bounds>)) -> Result<(), Error>| {
        region::pairs(&composition, digits, &own, &mut |pair| {
            let beside = match (&equal, with_bounds) {
                (Some(equal), true) => Some(beside(equal, &pair.epsilon, &own)?),
                _ => None,
            };
            hand((pair, beside))
        })
    };
    let mut index = 0;
    supervise::items_within(&limits, compute, |(pair, bounds)| {
        // The title waits for the first pair: a refusal then leaves standard output empty.
        if index == 0 && !question.json {
            say(&title)?;
        }
        if question.json {
            let delta = Numbers::of(&pair.delta, question.digits());
            say_json(&Line { i: index, epsilon: pair.epsilon, delta, bounds })?;
        } else {
            say(&text(index, &pair, bounds.as_ref(), question))?;
        }
        index += 1;
        Ok::<(), Failure>(())
    })?;
    Ok(Status::Fine)
}

/// The lower boundary of the region, straight between its corners.
fn picture(question: &Question, composition: &Composition, format: Format) -> Result<Vec<u8>, Failure> {
    let corners = paper::vertices(composition, &budget(question.limits))?;
    let axis = |label: &str| Axis { label: label.to_string(), from: 0.0, to: 1.0, logarithmic: false };
    let points = corners.iter().map(paper::Point::place).collect();
    let chart = Chart {
        title: question.mechanism.clone(),
        x: axis("type I error \u{3b1}"),
        y: axis("type II error \u{3b2}"),
        diagonal: true,
        series: vec![Series { label: String::new(), points, style: Style::Line }],
        legend: Place::UpperRight,
        paired: true,
    };
    format.written(&chart, Theme::Light).map_err(|error| Failure::input(error.to_string()))
}

fn text(index: u64, pair: &Pair, bounds: Option<&Bounds>, question: &Question) -> String {
    let number = number_text(&pair.delta, question.digits(), question.exact).replace("\n ", "");
    let mut line = format!("i = {index:2}  epsilon = {:8}  delta {number}", pair.epsilon.to_string());
    if let Some(bounds) = bounds {
        let show = |bound: &Option<String>| bound.clone().unwrap_or_else(|| "-".to_string());
        line += &format!(
            "\n        theorem 3.1 promises {}, theorem 3.2 {}, theorem 3.4 {}",
            show(&bounds.basic),
            show(&bounds.advanced),
            show(&bounds.simplified)
        );
    }
    line
}

fn beside((epsilon, delta, times): &(Real, Real, u64), at: &Real, budget: &Budget) -> Result<Bounds, Error> {
    let steps = Steps::new([Part { epsilon: epsilon.clone(), delta: delta.clone(), times: *times }])?;
    // A theorem that says nothing at this epsilon has nothing in its column.
    let refined = |theorem: Theorem| -> Result<Option<String>, Error> {
        let mut silent = false;
        let number = refine(BOUND_DIGITS, budget, |bits| {
            let promised = delta_at(theorem, &steps, at, bits)?;
            silent = promised.is_none();
            Ok(promised.unwrap_or_else(Number::zero))
        })?;
        Ok((!silent).then(|| decimal(&number, BOUND_DIGITS, Side::Upper)))
    };
    Ok(Bounds {
        basic: refined(Theorem::Basic)?,
        advanced: refined(Theorem::Advanced)?,
        simplified: refined(Theorem::Simplified)?,
    })
}
