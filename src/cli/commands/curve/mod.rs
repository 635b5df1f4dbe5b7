//! `curve`: whole profiles and trade-off functions, as a table or a picture.
//!
//! Every row of the table is proven, at points that are evenly spaced. A picture takes points where it needs them: see
//! `sample`. Enclosures that are visibly wide are drawn as a band.

mod claims;
mod overlay;
mod parallel;
mod sample;

use clap::ValueEnum;
use rug::Rational;
use serde::Serialize;

use super::super::args::{CurveKind, Curves as Plan, Drawing};
use super::super::failure::{Failure, Status};
use super::super::talk;
use super::{budget, constant, say, say_json, told_mechanism};
use crate::answer::{Bound, Meaning, Outcome, Session};
use crate::error::Error;
use crate::mechanism::{Cause, Composition};
use crate::picture::{Axis, Chart, Format, Place, Series, Style, has_glyph};
use crate::print::Numbers;
use crate::query::{Quantity, Query, Under};
use crate::table::field;
use crate::write::write_file;
use enclosure::decimal::{Side, decimal};
use enclosure::{Number, Portable, Real};

use self::claims::Claims;
use self::parallel::in_parallel;
use self::sample::{Frame, Spot};

pub use self::overlay::Overlay;

/// The largest epsilon of a profile, and the largest loss, unless another one is given.
const FARTHEST: &str = "5";

/// The least loss.
const LEAST_LOSS: &str = "-5";

/// Longer names are cut in a legend.
const LONGEST: usize = 52;

/// One mechanism's curve, open for questions.
struct Curve<'a> {
    composition: Composition,
    session: Session,
    drawing: &'a Drawing,
    plan: &'a Plan,
}

/// One point of the table.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<&'a str>,
    x: String,
    #[serde(flatten)]
    numbers: Numbers,
    /// What the numbers say about the mechanism, and why if they are not exact.
    meaning: Meaning,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// Of bounds: which bound they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(skip)]
    value: Number,
}

/// `dpcert curve`.
pub fn run(plan: &Plan) -> Result<Status, Failure> {
    let drawing = &plan.drawing;
    let format = plan.out.as_deref().map(Format::of).transpose().map_err(Failure::input)?;
    if plan.log && plan.kind == CurveKind::Tradeoff {
        return Err(Failure::input("--log applies only to --kind profile and --kind loss"));
    }
    if plan.kind == CurveKind::Loss && (!plan.overlay.is_empty() || plan.claims.is_some()) {
        return Err(Failure::input("--overlay and --claims apply only to --kind profile and --kind tradeoff"));
    }
    if plan.kind != CurveKind::Loss && Under::from(plan.under) != Under::P {
        return Err(Failure::input("--under applies only to --kind loss"));
    }
    if plan.label.len() > drawing.mechanisms.len() {
        let (labels, mechanisms) = (plan.label.len(), drawing.mechanisms.len());
        return Err(Failure::input(format!(
            "--label is given {labels} times, but at most once per mechanism (mechanisms: {mechanisms})"
        )));
    }
    if let Some(letter) = plan.label.iter().flat_map(|label| label.chars()).find(|letter| !has_glyph(*letter)) {
        return Err(Failure::input(format!(
            "--label: the picture font has no glyph for `{}`; use ASCII or a Greek letter such as \u{3b5} or \u{3bc}",
            crate::table::quoted(&letter.to_string())
        )));
    }
    let curves = drawing.mechanisms.iter().map(|text| {
        let composition = told_mechanism(text)?;
        let session = Session::new(composition.clone(), plan.engine.method);
        Ok(Curve { composition, session, drawing, plan })
    });
    let curves = curves.collect::<Result<Vec<_>, Failure>>()?;
    let ends = ends(plan)?;
    let mut status = Status::Fine;
    // A picture that cannot be drawn leaves no table behind.
    let picture = match (&plan.out, format) {
        (Some(path), Some(format)) => {
            let (chart, judged) = chart(&curves, &ends)?;
            status = judged;
            Some((path, format.written(&chart, plan.theme).map_err(|error| Failure::input(error.to_string()))?))
        }
        _ => None,
    };
    let wants_table = plan.csv.is_some() || picture.is_none();
    let texts: Vec<String> = curves.iter().map(|curve| curve.composition.to_string()).collect();
    let mut rows = Vec::new();
    if wants_table {
        for (curve, text) in curves.iter().zip(&texts) {
            rows.extend(curve.rows(&ends, (curves.len() > 1).then_some(text.as_str()))?);
        }
    }
    if let Some((path, bytes)) = picture {
        write_file(path, &bytes)?;
    }
    let digits = drawing.digits();
    if let Some(path) = &plan.csv {
        write_file(path, table(plan.kind, &rows, digits).as_bytes())?;
    } else if wants_table {
        if drawing.json {
            rows.iter().try_for_each(say_json)?;
        } else {
            say(table(plan.kind, &rows, digits).trim_end())?;
        }
    }
    Ok(status)
}

/// Both ends of the axis to the right.
fn ends(plan: &Plan) -> Result<(Rational, Rational), Failure> {
    let end = |option: &str, text: &str| {
        let value = constant(option, text)?;
        match value.as_rational() {
            Some(value) => Ok(value.clone()),
            None => Err(Failure::input(format!("--{option} must be rational, not {value}"))),
        }
    };
    let (first, last) = match plan.kind {
        CurveKind::Tradeoff => ("0", "1"),
        CurveKind::Profile => ("0", FARTHEST),
        CurveKind::Loss => (LEAST_LOSS, FARTHEST),
    };
    let from = end("from", plan.from.as_deref().unwrap_or(first))?;
    let to = end("to", plan.to.as_deref().unwrap_or(last))?;
    if from >= to {
        return Err(Failure::input(format!("--to must be greater than --from = {from}, not {to}")));
    }
    if plan.kind == CurveKind::Tradeoff && (from < 0 || to > 1) {
        return Err(Failure::input(format!(
            "--from and --to must be between 0 and 1 for a trade-off function, not {from} and {to}"
        )));
    }
    Ok((from, to))
}

impl Curve<'_> {
    /// The quantity at a point.
    fn quantity(&self, point: Real) -> Quantity {
        match self.plan.kind {
            CurveKind::Profile => Quantity::Delta { epsilon: point },
            CurveKind::Tradeoff => Quantity::Beta { alpha: point },
            CurveKind::Loss => Quantity::LossAbove { threshold: point, under: self.plan.under.into() },
        }
    }

    fn asked(&self, x: &Real, digits: u32) -> Result<Outcome, Failure> {
        let quantity = self.quantity(x.clone());
        let query = Query::new(quantity, self.composition.clone())
            .with_direction(self.drawing.direction.into())
            .with_digits(digits)
            .with_method(self.plan.engine.method);
        let at = || format!("at {x}: ");
        match self.session.answer(&query, &budget(self.drawing.limits))?.outcome {
            Outcome::Undecided(reason) => Err(Error::Undecided(reason.about(at())).into()),
            Outcome::Undefined(reason) => Err(Error::Undefined(at() + &reason).into()),
            Outcome::Infinite => Err(Failure::input(format!("the value at {x} is infinite"))),
            number => Ok(number),
        }
    }

    /// The rows of the table: proven to all digits, or none.
    fn rows<'a>(&self, (from, to): &(Rational, Rational), name: Option<&'a str>) -> Result<Vec<Row<'a>>, Failure> {
        let digits = self.drawing.digits();
        let (meaning, because) = self.meaning();
        let row = |i: u32| {
            let x = from + Rational::from((i, self.plan.points - 1)) * Rational::from(to - from);
            let value = match self.asked(&Real::from(x.clone()), digits)? {
                Outcome::Exact(value) => Number::from(&value),
                Outcome::Enclosure(set) => Number::from(&set),
                Outcome::Short { reason, .. } => return Err(Error::Undecided(reason.about(format!("at {x}: "))).into()),
                _ => return Err(Failure::input(format!("there is no value at {x}"))),
            };
            let (numbers, x) = (Numbers::of(&value, digits), x.to_string());
            Ok(Row { mechanism: name, numbers, x, meaning, because, bound: meaning.bound(), value })
        };
        in_parallel(self.plan.points, "points", row)
    }

    /// What the curve says about the mechanism, and why if it is not exact: of a bound tests err no less, and deltas
    /// are no larger.
    fn meaning(&self) -> (Meaning, Option<&'static str>) {
        let quantity = self.quantity(Real::zero());
        let (meaning, cause) = Meaning::of(&quantity, &self.composition, self.drawing.direction.into());
        (meaning, cause.map(Cause::reason))
    }

    /// What the legend says of that.
    fn mark(&self) -> &'static str {
        match self.meaning().0 {
            Meaning::Exact => "",
            Meaning::UpperBound => ", upper bound",
            Meaning::LowerBound => ", lower bound",
            Meaning::OfThePair => ", of a dominating pair",
        }
    }

    /// A point of the picture.
    fn spot(&self, x: &Real) -> Result<Spot, Failure> {
        let outcome = self.asked(x, sample::DIGITS)?;
        let ends = outcome.lower_f64().zip(outcome.upper_f64());
        let (lower, upper) = ends.ok_or_else(|| Failure::input(format!("there is no value at {x}")))?;
        Ok(Spot { place: sample::place(x), lower, upper })
    }

    /// How high it is at places between two others.
    fn heights(&self, from: &Rational, to: &Rational) -> Result<Vec<f64>, Failure> {
        const PLACES: u32 = 16;
        let at = |i: u32| Real::from(from + Rational::from((i, PLACES)) * Rational::from(to - from));
        (1..PLACES).map(|i| Ok(self.spot(&at(i))?.middle())).collect()
    }

    /// Where the curve has corners, inside of the picture, if they are known.
    fn knots(&self, (from, to): &(Rational, Rational)) -> Vec<Real> {
        let budget = budget(self.drawing.limits);
        let mut knots = Vec::new();
        match self.plan.kind {
            CurveKind::Profile => {
                let most = crate::compose::region::pairs(&self.composition, sample::DIGITS, &budget, &mut |pair| {
                    knots.push(pair.epsilon);
                    if knots.len() > sample::MOST { Err(Error::undecided("too many vertices")) } else { Ok(()) }
                });
                if most.is_err() {
                    return Vec::new();
                }
            }
            // Where it jumps is found by its bends.
            CurveKind::Loss => {}
            CurveKind::Tradeoff => {
                let corners = crate::paper::vertices(&self.composition, &budget).unwrap_or_default();
                if corners.len() > sample::MOST {
                    return Vec::new();
                }
                // A corner that is no fraction is met as nearly as doubles are.
                let at = corners.iter().filter_map(|corner| Rational::from_f64(corner.place().0));
                knots.extend(at.map(Real::from));
            }
        }
        let inside = |knot: &Real| {
            let place = sample::place(knot);
            place > from.to_f64() && place < to.to_f64()
        };
        knots.retain(inside);
        knots
    }
}

/// The picture, and how claims stand.
fn chart(curves: &[Curve<'_>], (from, to): &(Rational, Rational)) -> Result<(Chart, Status), Failure> {
    let Some(first) = curves.first() else { return Err(Failure::input("nothing to draw")) };
    let plan = first.plan;
    let tradeoff = plan.kind == CurveKind::Tradeoff;
    let (left, right) = (Real::from(from.clone()), Real::from(to.clone()));
    let claims = match &plan.claims {
        Some(path) => claims::read(path, first)?,
        None => Claims::default(),
    };
    // Profiles, trade-off functions and tails fall: their ends are their largest and smallest values.
    let mut ends = Vec::new();
    for curve in curves {
        ends.push((curve.spot(&left)?, curve.spot(&right)?));
    }
    let highest = ends.iter().map(|(start, _)| start.upper).chain(claims.heights());
    let highest = highest.fold(f64::MIN_POSITIVE, f64::max);
    let mut lows: Vec<f64> = ends.iter().map(|(_, end)| end.middle()).chain(claims.heights()).collect();
    if plan.log {
        // A profile that ends at a last loss is shown down to where it ends, and not to what is left of it at the end.
        for (curve, _) in curves.iter().zip(&ends).filter(|(_, (_, end))| end.middle() <= 0.0) {
            lows.extend(curve.heights(from, to)?);
        }
    }
    let lowest = lows.into_iter().filter(|y| *y > 0.0).fold(highest / 10.0, f64::min);
    let (x, y) = match plan.kind {
        CurveKind::Profile => ("\u{3b5}", "\u{3b4}"),
        CurveKind::Tradeoff => ("type I error \u{3b1}", "type II error \u{3b2}"),
        CurveKind::Loss => ("privacy loss t", tail(plan)),
    };
    let x = Axis { label: x.into(), from: from.to_f64(), to: to.to_f64(), logarithmic: false };
    let (bottom, top) = match (tradeoff, plan.log) {
        (true, _) => (0.0, 1.0),
        (false, false) if plan.kind == CurveKind::Loss => (0.0, 1.0),
        (false, true) => (
            10f64.portable_powf(lowest.max(LEAST).portable_log10().floor()),
            10f64.portable_powf(highest.portable_log10().ceil()).min(1.0),
        ),
        (false, false) => (0.0, highest * 1.05),
    };
    let y = Axis {
        label: y.into(),
        from: bottom,
        to: if top > bottom { top } else { bottom * 10.0 },
        logarithmic: plan.log,
    };
    let frame = Frame { x: &x, y: &y, kind: plan.kind };
    let names: Vec<String> = (0..curves.len()).map(|i| name(curves, i)).collect();
    let alone = curves.len() == 1 && plan.overlay.is_empty() && claims.is_empty() && plan.label.is_empty();
    let mut series = Vec::new();
    for ((curve, name), (start, end)) in curves.iter().zip(&names).zip(ends) {
        let ask = |x: &Real| curve.spot(x);
        let (spots, farthest) = sample::sample(start, end, curve.knots(&(from.clone(), to.clone())), &ask, &frame)?;
        if talk::is_verbose() {
            talk::say(&format!("{name}: {} points; the line is within {farthest:.2} pt of the curve", spots.len()));
        }
        if let Some(points) = sample::band(&spots, &frame) {
            series.push(Series { label: String::new(), points, style: Style::Band });
        }
        let points = spots.iter().map(|spot| (spot.place, spot.middle())).collect();
        series.push(Series { label: if alone { String::new() } else { name.clone() }, points, style: Style::Line });
    }
    for what in &plan.overlay {
        series.push(what.series(first, &frame).map_err(|failure| of_overlay(*what, failure))?);
    }
    let (marks, status) = claims.judged(first)?;
    series.extend(marks);
    let title = if alone { shortened(&first.drawing.mechanisms[0]) + first.mark() } else { String::new() };
    let chart = Chart { title, x, y, diagonal: tradeoff, series, legend: Place::Free, paired: false };
    Ok((chart, status))
}

/// The label of the probability axis of a loss.
fn tail(plan: &Plan) -> &'static str {
    match Under::from(plan.under) {
        Under::P => "P[loss > t]",
        Under::Q => "Q[loss > t]",
    }
}

/// Smaller deltas than this are not looked for unless --to goes there: the axis would show nothing else.
const LEAST: f64 = 1e-20;

/// Which overlay cannot be drawn.
fn of_overlay(what: Overlay, failure: Failure) -> Failure {
    let name = what.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default();
    match failure {
        Failure::Error(Error::Undefined(reason)) => Error::Undefined(format!("--overlay {name}: {reason}")).into(),
        other => other,
    }
}

/// What a curve is called in the legend.
fn name(curves: &[Curve<'_>], index: usize) -> String {
    let given = curves.get(index).and_then(|curve| curve.plan.label.get(index));
    given.cloned().unwrap_or_else(|| {
        curves.get(index).map_or(String::new(), |curve| shortened(&curve.composition.to_string()) + curve.mark())
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_string(),
    }
}

fn table(kind: CurveKind, rows: &[Row<'_>], digits: u32) -> String {
    let (x, y) = match kind {
        CurveKind::Profile => ("epsilon", "delta"),
        CurveKind::Tradeoff => ("alpha", "beta"),
        CurveKind::Loss => ("loss", "above"),
    };
    let many = rows.first().is_some_and(|row| row.mechanism.is_some());
    let bounds = rows.iter().any(|row| row.bound.is_some());
    let first = if many { "mechanism," } else { "" };
    let last = if bounds { ",bound" } else { "" };
    let mut text = format!("{first}{x},{y}_lower,{y}_upper{last}\n");
    for row in rows {
        let end = |side| decimal(&row.value, digits + 1, side);
        let name = row.mechanism.map_or(String::new(), |name| field(name) + ",");
        let bound = match row.bound {
            _ if !bounds => "",
            None => ",",
            Some(Bound::Upper) => ",upper",
            Some(Bound::Lower) => ",lower",
        };
        text += &format!("{name}{},{},{}{bound}\n", row.x, end(Side::Lower), end(Side::Upper));
    }
    text
}
