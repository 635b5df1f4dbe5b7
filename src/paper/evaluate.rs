//! An item, computed.

use serde::{Deserialize, Serialize};

use super::data::{Column, Data, Figure, Line, MOST_DIGITS, Named, Names, Scale, Side, Table, rational};
use super::fill::filled;
use super::judge::{Verdict, judge};
use super::library::Item;
use super::printed::Printed;
use super::sample::{Frame, Point, ends, sample};
use super::source::{Asker, Value};
use crate::error::Error;
use crate::picture::{Axis, Chart, Series, Style};
use crate::query::QuantityName;
use enclosure::Number;
use enclosure::decimal::{Side as End, decimal};

/// Digits that are shown where the data do not say how many.
const SHOWN: u32 = 8;
/// Digits beyond those that are shown or printed.
const SPARE: u32 = 2;

/// Result of an item.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// What the table says, and what may be read back.
    pub report: Report,
    /// The picture.
    pub chart: Option<Chart>,
    /// The points of its curves, with both ends.
    pub curves: Vec<(String, Vec<Point>)>,
}

/// The numbers of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its id.
    pub id: String,
    /// The version of this program.
    pub version: String,
    /// Of which data.
    pub fingerprint: String,
    /// Its title.
    pub title: String,
    /// Where it is from.
    pub source: String,
    /// Description.
    pub about: String,
    /// Is there a picture?
    pub figure: bool,
    /// Why nothing of it can be computed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_reproducible: Option<String>,
    /// What the rows are; nothing without a table.
    pub rows: String,
    /// The columns that are shown, name and header.
    pub columns: Vec<(String, String)>,
    /// The rows.
    pub lines: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What stands before it.
    pub name: String,
    /// A cell for each column that is shown.
    pub cells: Vec<Cell>,
}

/// One number, and what is printed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Rounded to nearest, or `infinite`; nothing where it is undefined.
    pub value: String,
    /// Both ends, with a digit more.
    pub lower: Option<String>,
    /// Both ends, with a digit more.
    pub upper: Option<String>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undefined: Option<String>,
    /// As in the paper.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub printed: Option<String>,
    /// Whether that is right.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
    /// Why that cannot be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_reproducible: Option<String>,
    /// Remark.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remark: Option<String>,
}

/// Compute an item; `tick` is called after each number and each curve.
pub fn evaluate(item: &Item, tick: &dyn Fn()) -> Result<Evaluated, Error> {
    let asker = Asker::default();
    let data = &item.data;
    let about = |what: &str, error: Error| named(&format!("{}, {what}", item.id), error);
    let mut report = Report {
        id: item.id.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        fingerprint: item.fingerprint.clone(),
        title: data.title.clone(),
        source: data.source.clone(),
        about: filled(&data.about, &numbers(data, &asker).map_err(|(what, error)| about(&what, error))?),
        figure: data.figure.is_some(),
        not_reproducible: data.not_reproducible.clone(),
        rows: String::new(),
        columns: Vec::new(),
        lines: Vec::new(),
    };
    if let Some(table) = &data.table {
        let shown = || table.columns.iter().map(|column| column.get_ref()).filter(|column| !column.hidden);
        report.rows = table.rows.clone();
        report.columns =
            shown().map(|column| (column.name.clone(), column.label.clone().unwrap_or(column.name.clone()))).collect();
        for line in &table.lines {
            let line = line.get_ref();
            let mut cells = Vec::new();
            for column in shown() {
                let what = format!("row `{}`, column `{}`", line.name, column.name);
                cells.push(cell(table, line, column, &asker).map_err(|error| about(&what, error))?);
                tick();
            }
            report.lines.push(Row { name: line.name.clone(), cells });
        }
    }
    let (mut chart, mut curves) = (None, Vec::new());
    if let Some(figure) = &data.figure {
        chart = Some(draw(figure, &data.title, &asker, &mut curves, tick, &about)?);
    }
    Ok(Evaluated { report, chart, curves })
}

/// The numbers of the text, as they are shown; or which of them there is none of, and why.
fn numbers(data: &Data, asker: &Asker) -> Result<Names, (String, Error)> {
    let mut names = Names::new();
    for number in &data.numbers {
        let number = number.get_ref();
        let shown = shown(number, asker).map_err(|error| (format!("number `{}`", number.name), error))?;
        names.insert(number.name.clone(), shown);
    }
    Ok(names)
}

fn shown(number: &Named, asker: &Asker) -> Result<String, Error> {
    let mut digits = number.digits + SPARE;
    while digits <= 2 * MOST_DIGITS {
        let none = |name: &str, _| Err(Error::input(format!("there is no [{name}]")));
        match number.source.value(&Names::new(), digits, asker, &none)? {
            Value::Number(value) => {
                if let Some(text) = nearest(&value, number.digits) {
                    return Ok(text);
                }
            }
            Value::Infinite => return Ok("infinite".to_string()),
            Value::Undefined(reason) => return Err(Error::Undefined(reason)),
        }
        digits *= 2;
    }
    Err(Error::undecided("the number is too close to a rounding boundary"))
}

/// The same error, with the place where it came up.
fn named(place: &str, error: Error) -> Error {
    match error {
        Error::Input(what) => Error::input(format!("{place}: {what}")),
        Error::Undefined(what) => Error::Undefined(format!("{place}: {what}")),
        Error::Undecided(reason) => Error::Undecided(reason.about(format!("{place}: "))),
        other => other,
    }
}

/// The number of a column in a row.
fn value(table: &Table, line: &Line, column: &Column, digits: u32, asker: &Asker) -> Result<Value, Error> {
    let columns = |name: &str, digits: u32| {
        let other = table.columns.iter().map(|column| column.get_ref()).find(|column| column.name == name);
        let other = other.ok_or_else(|| Error::input(format!("there is no [{name}]")))?;
        value(table, line, other, digits, asker)
    };
    column.source.value(&line.names, digits, asker, &columns)
}

fn cell(table: &Table, line: &Line, column: &Column, asker: &Asker) -> Result<Cell, Error> {
    let get = |names: &Names| names.get(&column.name).cloned();
    let text = line.printed.get(&column.name).map(|printed| printed.get_ref().clone());
    let mut cell = Cell {
        printed: text.clone(),
        not_reproducible: get(&line.not_reproducible),
        remark: get(&line.remark),
        ..Cell::default()
    };
    let printed = match &text {
        Some(text) => Some(Printed::parse(text).map_err(Error::input)?),
        None => None,
    };
    let shown = column.digits.unwrap_or(SHOWN);
    let mut digits = shown.max(printed.as_ref().map_or(0, Printed::digits)) + SPARE;
    loop {
        let number = match value(table, line, column, digits, asker)? {
            Value::Number(number) => number,
            Value::Infinite => {
                cell.value = "infinite".into();
                return Ok(cell);
            }
            Value::Undefined(reason) => {
                cell.undefined = Some(reason);
                return Ok(cell);
            }
        };
        let side = column.safe.unwrap_or_else(|| match column.source.quantity() {
            Some(QuantityName::Beta) => Side::Below,
            _ => Side::Above,
        });
        // Values that cannot be reproduced are not judged.
        let to_judge = printed.as_ref().filter(|_| cell.not_reproducible.is_none());
        let verdict = to_judge.map(|printed| judge(printed, column.rounding, side, &number));
        if let (Some(value), None | Some(Some(_))) = (nearest(&number, shown), &verdict) {
            cell.value = match number.exact() {
                Some(fraction) if column.fraction => fraction.to_string(),
                _ => value,
            };
            cell.lower = Some(decimal(&number, shown + 2, End::Lower));
            cell.upper = Some(decimal(&number, shown + 2, End::Upper));
            cell.verdict = verdict.flatten();
            return Ok(cell);
        }
        digits *= 2;
        if digits > 2 * MOST_DIGITS {
            return Err(Error::undecided("the number is too close to a rounding boundary"));
        }
    }
}

/// The number rounded to `digits` digits, if both ends round to the same value.
pub fn nearest(number: &Number, digits: u32) -> Option<String> {
    let round = |number: &Number| {
        let [down, up] = [End::Lower, End::Upper].map(|side| decimal(number, digits, side));
        let [low, high] = [&down, &up].map(|text| Printed::parse(text).ok().map(|printed| printed.value));
        let (low, high, value) = (low?, high?, number.exact()?);
        Some(if value - low < high - value { down } else { up })
    };
    match number {
        Number::Exact(_) => round(number),
        Number::Enclosed(set) => {
            let (lower, upper) = enclosure::decimal::rational_bounds(set)?;
            let (lower, upper) = (round(&Number::Exact(lower))?, round(&Number::Exact(upper))?);
            (lower == upper).then_some(lower)
        }
    }
}

/// An axis as it is drawn.
fn axis(scale: &Scale) -> Result<Axis, Error> {
    let (from, to) = (rational(&scale.from)?.to_f64(), rational(&scale.to)?.to_f64());
    Ok(Axis { label: scale.label.clone(), from, to, logarithmic: scale.logarithmic })
}

fn draw(
    figure: &Figure,
    title: &str,
    asker: &Asker,
    curves: &mut Vec<(String, Vec<Point>)>,
    tick: &dyn Fn(),
    about: &dyn Fn(&str, Error) -> Error,
) -> Result<Chart, Error> {
    let (x, y) = (axis(&figure.x)?, axis(&figure.y)?);
    let mut series = Vec::new();
    let mut thin = figure.thin.as_ref();
    for curve in &figure.curves {
        let curve = curve.get_ref();
        let of_curve = |error| about(&format!("curve `{}`", curve.label), error);
        let frame = Frame { x: &x, y: &y, ends: ends(curve, &figure.x).map_err(of_curve)? };
        let points = sample(curve, &frame, asker).map_err(of_curve)?;
        let style = match curve {
            curve if curve.thin => Style::Thin,
            curve if curve.dashed => Style::Dashed,
            _ => Style::Line,
        };
        // All that are thin have one name in the legend.
        let label = if curve.thin { thin.take().cloned().unwrap_or_default() } else { curve.label.clone() };
        // A knot may be the only point of an invisible step; only proven points are drawn.
        let places = points.iter().map(Point::place).collect();
        series.push(Series { label, points: places, style });
        curves.push((curve.label.clone(), points));
        tick();
    }
    for marks in &figure.marks {
        let marks = marks.get_ref();
        let mut points = Vec::new();
        for [x, y] in &marks.at {
            points.push((rational(x)?.to_f64(), rational(y)?.to_f64()));
        }
        series.push(Series { label: marks.label.clone(), points, style: Style::Marks });
    }
    let (title, diagonal, legend) = (title.to_string(), figure.diagonal, figure.legend);
    // A theorem's dashed line has the colour of the curve that it bounds.
    Ok(Chart { title, x, y, diagonal, series, legend, paired: true })
}

/// How many numbers and curves an item has.
pub fn size(item: &Item) -> u64 {
    let table =
        item.data.table.as_ref().map_or(0, |table| {
            table.lines.len() * table.columns.iter().filter(|column| !column.get_ref().hidden).count()
        });
    let figure = item.data.figure.as_ref().map_or(0, |figure| figure.curves.len());
    (table + figure) as u64
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let exact = |numer: i64, denom: i64| Number::Exact(Rational::from((numer, denom)));
        assert_eq!(nearest(&exact(2, 3), 3).unwrap(), "0.667");
        assert_eq!(nearest(&exact(1, 3), 3).unwrap(), "0.333");
        assert_eq!(nearest(&exact(-2, 3), 3).unwrap(), "-0.667");
        assert_eq!(nearest(&exact(5, 1), 3).unwrap(), "5");
        assert_eq!(nearest(&exact(99_999, 100_000), 3).unwrap(), "1");
        let set = enclosure::Enclosure::rational(&Rational::from((2, 3)), 40);
        assert_eq!(nearest(&Number::Enclosed(set.clone()), 6).unwrap(), "0.666667");
        assert_eq!(nearest(&Number::Enclosed(set), 30), None);
    }
}
