//! `region`: all (epsilon_i, delta_i) of an exact composition region.

use std::path::Path;

use super::super::args::Question;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::mechanism::Composition;
use crate::paper;
use crate::picture::{Axis, Chart, Format, Place, Series, Style, Theme};
use crate::print::{Region, RegionPair, kind_text, number_text};
use crate::write::write_file;

/// `dpcert region`.
pub fn run(question: &Question, with_bounds: bool, svg: Option<&Path>) -> Result<Status, Failure> {
    question.without_direction("region", "a region covers both directions")?;
    let composition = told_mechanism(&question.mechanism)?;
    if let Some(path) = svg {
        let format = Format::of(path).map_err(Failure::input)?;
        write_file(path, &picture(question, &composition, format)?)?;
        return Ok(Status::Fine);
    }
    let title = format!("privacy region of {composition:#}: intersection of these (epsilon, delta) regions");
    let asked = Region::new(composition, with_bounds, question.digits())?;
    asked.pairs(&budget(question.limits), |pair| {
        if question.json {
            return say_json(&asked.pair_line(pair));
        }
        // The title waits for the first pair: a refusal then leaves standard output empty.
        if pair.i == 0 {
            say(&title)?;
            if let (meaning, Some(reason)) = asked.meaning() {
                say(&format!("  {}: {reason}", kind_text(meaning)))?;
            }
        }
        say(&text(&pair, question))
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

fn text(pair: &RegionPair, question: &Question) -> String {
    let number = number_text(&pair.delta, question.digits(), question.exact).replace("\n ", "");
    let mut line = format!("i = {:2}  epsilon = {:8}  delta {number}", pair.i, pair.epsilon.to_string());
    if let Some(bounds) = &pair.bounds {
        let show = |bound: &Option<String>| bound.clone().unwrap_or_else(|| "-".to_string());
        line += &format!(
            "\n        bound of Theorem 3.1: {}, Theorem 3.2: {}, Theorem 3.4: {}",
            show(&bounds.basic),
            show(&bounds.advanced),
            show(&bounds.simplified)
        );
    }
    line
}
