//! `curve`: a whole profile or trade-off function, as a table or a picture.
//!
//! Every row of the table is proven. The picture joins the middles of the enclosures, which at the default digits are
//! far narrower than a pixel.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rug::Rational;
use serde::Serialize;

use super::super::args::{CurveKind, Engine, Question};
use super::super::failure::{Failure, Status};
use super::{budget, constant, mechanism, say, say_json};
use crate::answer::{Outcome, Session};
use crate::error::Error;
use crate::paper::{self, Point};
use crate::picture::{Axis, Chart, Place, Series, Style};
use crate::print::Numbers;
use crate::query::{Quantity, Query};
use crate::write::write_file;
use enclosure::decimal::{Side, decimal, double};
use enclosure::{Number, Real};

/// What to draw.
pub struct Plan {
    /// By which kind of engine.
    pub engine: Engine,
    /// Which face of privacy.
    pub kind: CurveKind,
    /// The largest epsilon of a profile.
    pub to: String,
    /// How many points.
    pub points: u32,
    /// Where the picture goes.
    pub svg: Option<PathBuf>,
    /// Where the table goes.
    pub csv: Option<PathBuf>,
}

/// One point of the curve.
#[derive(Serialize)]
struct Row {
    x: String,
    #[serde(flatten)]
    numbers: Numbers,
    #[serde(skip)]
    place: f64,
    #[serde(skip)]
    value: Number,
}

/// `dpcert curve`.
pub fn run(question: &Question, plan: &Plan) -> Result<Status, Failure> {
    let rows = rows(question, plan)?;
    // A picture that cannot be drawn leaves no table behind.
    let picture =
        plan.svg.as_ref().map(|path| Ok::<_, Failure>((path, draw(question, plan.kind, &rows)?))).transpose()?;
    if let Some((path, svg)) = picture {
        write_file(path, svg.as_bytes())?;
    }
    if let Some(path) = &plan.csv {
        write_file(path, table(plan.kind, &rows, question.digits()).as_bytes())?;
    }
    if plan.csv.is_none() && plan.svg.is_none() {
        if question.json {
            rows.iter().try_for_each(say_json)?;
        } else {
            say(table(plan.kind, &rows, question.digits()).trim_end())?;
        }
    }
    Ok(Status::Fine)
}

fn rows(question: &Question, plan: &Plan) -> Result<Vec<Row>, Failure> {
    let composition = mechanism(&question.mechanism)?;
    let end = match plan.kind {
        CurveKind::Tradeoff => Rational::from(1),
        CurveKind::Profile => {
            let to = constant("to", &plan.to)?;
            match to.as_rational() {
                Some(value) if value.cmp0() == std::cmp::Ordering::Greater => value.clone(),
                _ => return Err(Failure::input(format!("--to must be a rational above 0, got {to}"))),
            }
        }
    };
    let session = Session::new(composition.clone(), plan.engine.method);
    let ask = |x: Rational| -> Result<Row, Failure> {
        let point = Real::from(x.clone());
        let quantity = match plan.kind {
            CurveKind::Profile => Quantity::Delta { epsilon: point },
            CurveKind::Tradeoff => Quantity::Beta { alpha: point },
        };
        let query = Query::new(quantity, composition.clone())
            .with_direction(question.direction.into())
            .with_digits(question.digits())
            .with_method(plan.engine.method);
        let value = match session.answer(&query, &budget(question.limits))?.outcome {
            Outcome::Exact(value) => Number::from(&value),
            Outcome::Enclosure(set) => Number::from(&set),
            Outcome::Short { reason, .. } | Outcome::Undecided(reason) => {
                return Err(Error::Undecided(reason.about(format!("at {x}: "))).into());
            }
            Outcome::Undefined(reason) => return Err(Error::Undefined(format!("at {x}: {reason}")).into()),
            Outcome::Infinite => return Err(Failure::input(format!("at {x} the value is infinite"))),
        };
        Ok(Row { numbers: Numbers::of(&value, question.digits()), x: x.to_string(), place: x.to_f64(), value })
    };
    in_parallel(plan.points, |i| ask(&end * Rational::from((i, plan.points - 1))))
}

/// The rows in order, computed by all threads; or the first failure, after which nothing more is begun.
fn in_parallel(points: u32, row: impl Fn(u32) -> Result<Row, Failure> + Sync) -> Result<Vec<Row>, Failure> {
    let progress = super::super::progress::bar(u64::from(points), "points");
    let first_failure = AtomicU32::new(u32::MAX);
    let done = |i: u32| {
        if i > first_failure.load(Ordering::Relaxed) {
            return None;
        }
        let row = row(i);
        if row.is_err() {
            first_failure.fetch_min(i, Ordering::Relaxed);
        }
        progress.inc(1);
        Some(row)
    };
    // The first alone: it builds the curve that the others share.
    let rows = Mutex::new(vec![(0, done(0))]);
    let next = AtomicU32::new(1);
    // Not a pool of threads: these wait for computations that have a limit of time.
    let work = || {
        while let i = next.fetch_add(1, Ordering::Relaxed)
            && i < points
        {
            let row = done(i);
            rows.lock().unwrap_or_else(PoisonError::into_inner).push((i, row));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    progress.finish_and_clear();
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(i, _)| *i);
    rows.into_iter().filter_map(|(_, row)| row).collect()
}

fn names(kind: CurveKind) -> (&'static str, &'static str) {
    match kind {
        CurveKind::Profile => ("epsilon", "delta"),
        CurveKind::Tradeoff => ("alpha", "beta"),
    }
}

fn table(kind: CurveKind, rows: &[Row], digits: u32) -> String {
    let (x, y) = names(kind);
    let mut text = format!("{x},{y}_lower,{y}_upper\n");
    for row in rows {
        let end = |side| decimal(&row.value, digits + 1, side);
        text += &format!("{},{},{}\n", row.x, end(Side::Lower), end(Side::Upper));
    }
    text
}

/// The picture: straight lines between the rows of the table, to hundredths of a point; where the function has corners
/// and is straight between them, between its corners instead.
fn draw(question: &Question, kind: CurveKind, rows: &[Row]) -> Result<String, Failure> {
    let middle = |row: &Row| f64::midpoint(double(&row.value, Side::Lower), double(&row.value, Side::Upper));
    let right = rows.last().map_or(1.0, |row| row.place);
    let top = match kind {
        CurveKind::Tradeoff => 1.0,
        CurveKind::Profile => rows.iter().map(middle).fold(f64::MIN_POSITIVE, f64::max) * 1.05,
    };
    let (x, y) = match kind {
        CurveKind::Profile => ("\u{3b5}", "\u{3b4}"),
        CurveKind::Tradeoff => ("type I error \u{3b1}", "type II error \u{3b2}"),
    };
    let axis = |label: &str, to| Axis { label: label.to_string(), from: 0.0, to, logarithmic: false };
    let corners = match kind {
        CurveKind::Tradeoff => paper::vertices(&mechanism(&question.mechanism)?, &budget(question.limits)).ok(),
        CurveKind::Profile => None,
    };
    let points = match corners {
        Some(corners) => corners.iter().map(Point::place).collect(),
        None => rows.iter().map(|row| (row.place, middle(row))).collect(),
    };
    let chart = Chart {
        title: question.mechanism.clone(),
        x: axis(x, right),
        y: axis(y, top),
        diagonal: kind == CurveKind::Tradeoff,
        series: vec![Series { label: String::new(), points, style: Style::Line }],
        legend: Place::UpperRight,
    };
    chart.svg().map_err(|error| Failure::input(error.to_string()))
}
