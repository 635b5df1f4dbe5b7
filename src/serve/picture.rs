//! Trade-off function of a query, as SVG. Straight lines join certified points; a piecewise-linear function is drawn
//! through its vertices.

use rug::Rational;

use super::desk::Question;
use crate::answer::{Outcome, Session};
use crate::compose::Method;
use crate::error::Error;
use crate::paper::{Point, vertices};
use crate::picture::{Axis, Chart, Place, Series, Style};
use crate::query::{Quantity, Query};
use enclosure::decimal::{Side, double};
use enclosure::{Budget, Number, Real};

/// Number of points of a curve. The error of linear interpolation is below a pixel for most curves.
const POINTS: u32 = 61;

/// Digits of each point, far more than a pixel shows.
const DIGITS: u32 = 5;

/// Longest title that fits above the picture, in characters.
const LONGEST_TITLE: usize = 60;

/// Draw the picture. All points share one budget.
pub fn draw(question: &Question, budget: &Budget) -> Result<Vec<u8>, Error> {
    let composition = &question.composition;
    let points = match vertices(composition, budget) {
        Ok(corners) if !corners.is_empty() => corners.iter().map(Point::place).collect(),
        _ => {
            let session = Session::new(composition.clone(), Method::Auto);
            (0..POINTS)
                .map(|i| {
                    let alpha = Rational::from((i, POINTS - 1));
                    let quantity = Quantity::Beta { alpha: Real::from(alpha.clone()) };
                    let query = Query::new(quantity, composition.clone())
                        .with_direction(question.direction)
                        .with_digits(DIGITS);
                    let value = match session.answer(&query, budget)?.outcome {
                        Outcome::Exact(value) => Number::from(&value),
                        Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => Number::from(&set),
                        Outcome::Undecided(reason) => return Err(Error::Undecided(reason)),
                        Outcome::Undefined(reason) => return Err(Error::Undefined(reason)),
                        Outcome::Infinite => return Err(Error::input("the type II error is infinite")),
                    };
                    Ok((alpha.to_f64(), f64::midpoint(double(&value, Side::Lower), double(&value, Side::Upper))))
                })
                .collect::<Result<Vec<_>, Error>>()?
        }
    };
    let axis = |label: &str| Axis { label: label.to_string(), from: 0.0, to: 1.0, logarithmic: false };
    let title = composition.to_string();
    let title = if title.chars().count() > LONGEST_TITLE {
        title.chars().take(LONGEST_TITLE).chain("...".chars()).collect()
    } else {
        title
    };
    let chart = Chart {
        title,
        x: axis("type I error \u{3b1}"),
        y: axis("type II error \u{3b2}"),
        diagonal: true,
        series: vec![Series { label: String::new(), points, style: Style::Line }],
        legend: Place::UpperRight,
        paired: true,
    };
    chart.svg_on(question.theme).map(String::into_bytes).map_err(|error| Error::input(error.to_string()))
}
