//! The file of an item.

use std::collections::BTreeMap;

use rug::Rational;
use serde::Deserialize;
use toml::Spanned;

use super::source::Source;
use crate::error::Error;
use crate::picture::Place;
use crate::read::shown;
use enclosure::Real;

/// Names and what stands for them.
pub type Names = BTreeMap<String, String>;

/// A table, a figure, or a figure with a table of the numbers in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// What it shows, in a line.
    pub title: String,
    /// The paper, and where in it.
    pub source: String,
    /// What is computed and with which parameters, for whoever compares; Markdown.
    #[serde(default)]
    pub about: String,
    /// Whether it takes more than some seconds.
    #[serde(default)]
    pub slow: bool,
    /// The numbers.
    #[serde(default)]
    pub table: Option<Table>,
    /// The picture.
    #[serde(default)]
    pub figure: Option<Figure>,
}

/// Rows and columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// What the rows are.
    pub rows: String,
    /// From left to right.
    #[serde(rename = "column")]
    pub columns: Vec<Spanned<Column>>,
    /// From top to bottom.
    #[serde(rename = "row")]
    pub lines: Vec<Spanned<Line>>,
}

/// One column: where its numbers come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Column {
    /// Formulas, `printed` and `remark` call it by this.
    pub name: String,
    /// Its header; the name unless given.
    #[serde(default)]
    pub label: Option<String>,
    /// Where a number comes from; `{name}` stands for what the row says.
    #[serde(rename = "value")]
    pub source: Source,
    /// How many significant digits are shown.
    #[serde(default)]
    pub digits: Option<u32>,
    /// How the paper made decimals of its numbers.
    #[serde(default)]
    pub rounding: Rounding,
    /// On which side of the truth a printed value promises too little rather than too much.
    #[serde(default)]
    pub safe: Option<Side>,
    /// Are exact numbers shown as fractions?
    #[serde(default)]
    pub fraction: bool,
    /// Is it only there for formulas?
    #[serde(default)]
    pub hidden: bool,
}

/// How decimals were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// To the nearest.
    #[default]
    Nearest,
    /// Upward.
    Up,
    /// Downward, or cut off.
    Down,
}

/// A side of the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Larger values are safe: epsilons and deltas that are promised.
    Above,
    /// Smaller values are safe: errors of tests, lower bounds.
    Below,
    /// There is no promise in it.
    Neither,
}

/// One row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Line {
    /// What stands before it.
    pub name: String,
    /// What stands for the names in the columns.
    #[serde(default, rename = "let")]
    pub names: Names,
    /// What the paper prints, by column.
    #[serde(default)]
    pub printed: BTreeMap<String, Spanned<String>>,
    /// What a disagreement comes from, by column, or what else is to be said.
    #[serde(default)]
    pub remark: Names,
    /// Why a printed value cannot be computed from what the paper says, by column.
    #[serde(default)]
    pub not_reproducible: Names,
}

/// A picture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Figure {
    /// To the right.
    pub x: Scale,
    /// Upward.
    pub y: Scale,
    /// Is perfect privacy drawn?
    #[serde(default)]
    pub diagonal: bool,
    /// Where the legend is.
    #[serde(default)]
    pub legend: Place,
    /// The curves.
    #[serde(default, rename = "curve")]
    pub curves: Vec<Spanned<Curve>>,
    /// Printed points.
    #[serde(default, rename = "marks")]
    pub marks: Vec<Spanned<Marks>>,
}

/// An axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// What is along it, with its unit.
    pub label: String,
    /// Where it begins.
    pub from: Spanned<String>,
    /// Where it ends.
    pub to: Spanned<String>,
    /// Are powers of ten equidistant?
    #[serde(default)]
    pub logarithmic: bool,
}

/// A curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// Where its numbers come from; `{x}` stands for the place on the axis.
    #[serde(rename = "value")]
    pub source: Source,
    /// Where it begins, unless with the axis.
    #[serde(default)]
    pub from: Option<Spanned<String>>,
    /// Where it ends, unless with the axis.
    #[serde(default)]
    pub to: Option<Spanned<String>>,
    /// Where it is taken.
    #[serde(default)]
    pub sample: Sampling,
    /// Is it dashed?
    #[serde(default)]
    pub dashed: bool,
    /// Is it thin and grey?
    #[serde(default)]
    pub thin: bool,
}

/// Where a curve is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// As close as it bends.
    #[default]
    Smooth,
    /// At the knots of the piecewise-linear trade-off function, and nowhere else.
    Knots,
    /// The upper envelope of the supporting lines `1 - delta - e^epsilon alpha`, and those of the other direction, of
    /// these many epsilons: for what is known as a profile. The last epsilon is the end of the range.
    Envelope(u32),
    /// At each integer, or each step of this many.
    Steps(u32),
}

/// Printed points, or what else is a point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Marks {
    /// Their name.
    pub label: String,
    /// Where they are.
    pub at: Vec<[Spanned<String>; 2]>,
}

/// A place in a text, and what is wrong there.
pub fn fault(file: &str, text: &str, at: usize, what: impl std::fmt::Display) -> Error {
    let line = text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1;
    Error::input(format!("{}:{line}: {what}", shown(file)))
}

impl Data {
    /// The data of a file of this name; a fault knows its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let data: Data = toml::from_str(text).map_err(|error| {
            let what = error.message().lines().next().unwrap_or("unreadable").to_string();
            fault(file, text, error.span().map_or(0, |span| span.start), what)
        })?;
        data.check().map_err(|(at, what)| fault(file, text, at, what))?;
        Ok(data)
    }

    /// What the type cannot say: names that are used are there, sources are sources.
    fn check(&self) -> Result<(), (usize, String)> {
        if self.table.is_none() && self.figure.is_none() {
            return Err((0, "there is neither a [table] nor a [figure]".into()));
        }
        if let Some(table) = &self.table {
            table.check()?;
        }
        if let Some(figure) = &self.figure {
            figure.check()?;
        }
        Ok(())
    }
}

impl Table {
    fn check(&self) -> Result<(), (usize, String)> {
        for (index, column) in self.columns.iter().enumerate() {
            let (at, column) = (column.span().start, column.get_ref());
            if self.columns[..index].iter().any(|other| other.get_ref().name == column.name) {
                return Err((at, format!("there are two columns `{}`", column.name)));
            }
            column.source.check().map_err(|what| (at, format!("column `{}`: {what}", column.name)))?;
            for name in column.source.columns() {
                if !self.columns[..index].iter().any(|other| other.get_ref().name == name) {
                    let what = format!("column `{}`: there is no column `{name}` before it", column.name);
                    return Err((at, what));
                }
            }
            for line in &self.lines {
                let missing = column.source.names().into_iter().find(|name| !line.get_ref().names.contains_key(name));
                if let Some(missing) = missing {
                    let what = format!("row `{}` does not say what {{{missing}}} is", line.get_ref().name);
                    return Err((line.span().start, what));
                }
            }
        }
        for line in &self.lines {
            let (at, line) = (line.span().start, line.get_ref());
            let named = line.printed.keys().chain(line.remark.keys()).chain(line.not_reproducible.keys());
            for name in named {
                if !self.columns.iter().any(|column| column.get_ref().name == *name) {
                    return Err((at, format!("row `{}` names a column `{name}` that is not there", line.name)));
                }
            }
            for printed in line.printed.values() {
                super::printed::Printed::parse(printed.get_ref()).map_err(|what| (printed.span().start, what))?;
            }
        }
        Ok(())
    }
}

impl Figure {
    fn check(&self) -> Result<(), (usize, String)> {
        for end in [&self.x.from, &self.x.to, &self.y.from, &self.y.to] {
            constant(end)?;
        }
        for curve in &self.curves {
            let (at, curve) = (curve.span().start, curve.get_ref());
            let wrong = |what: String| (at, format!("curve `{}`: {what}", curve.label));
            curve.source.check().map_err(wrong)?;
            if let Some(name) = curve.source.names().into_iter().find(|name| name != "x") {
                return Err(wrong(format!("nothing stands for {{{name}}}, only for {{x}}")));
            }
            if !curve.source.columns().is_empty() {
                return Err(wrong("a curve has no columns that its formula could name".into()));
            }
            for end in curve.from.iter().chain(&curve.to) {
                constant(end)?;
            }
        }
        for marks in &self.marks {
            for place in marks.get_ref().at.iter().flatten() {
                constant(place)?;
            }
        }
        Ok(())
    }
}

/// A number that a picture needs.
fn constant(text: &Spanned<String>) -> Result<(), (usize, String)> {
    rational(text).map(drop).map_err(|error| (text.span().start, error.to_string()))
}

/// A rational number.
pub fn rational(text: &Spanned<String>) -> Result<Rational, Error> {
    let real: Real = text.get_ref().parse()?;
    let rational = real.as_rational().cloned();
    rational.ok_or_else(|| Error::input(format!("a rational is expected, got {real}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"title = "t"
source = "s"

[table]
rows = "k"

[[table.column]]
name = "a"
value.query = { quantity = "delta", mechanism = "gdp(mu={mu})", at = { epsilon = "1" } }

[[table.column]]
name = "b"
value.formula = "2*[a] + {mu}"

[[table.row]]
name = "one"
let = { mu = "1" }
printed = { a = "0.127" }

[figure]
x = { label = "x", from = "0", to = "1" }
y = { label = "y", from = "0", to = "1" }

[[figure.curve]]
label = "c"
value.formula = "1 - {x}"
sample = { envelope = 20 }
"#;

    fn fault_of(text: &str) -> String {
        Data::parse("p/i.toml", text).expect_err(text).to_string()
    }

    #[test]
    fn a_file_is_read() {
        let data = Data::parse("p/i.toml", WHOLE).expect("a file");
        let table = data.table.expect("a table");
        assert_eq!(table.columns[1].get_ref().source.columns(), ["a"]);
        assert_eq!(data.figure.expect("a figure").curves[0].get_ref().sample, Sampling::Envelope(20));
    }

    /// Each fault names its line.
    #[test]
    fn faults_know_their_line() {
        for (from, to, line, what) in [
            ("title = \"t\"", "titel = \"t\"", 1, "unknown field `titel`"),
            ("source = \"s\"", "", 1, "missing field `source`"),
            ("name = \"b\"", "name = \"a\"", 11, "there are two columns `a`"),
            ("2*[a]", "2*[c]", 11, "there is no column `c` before it"),
            ("2*[a]", "2*[b]", 11, "there is no column `b` before it"),
            ("2*[a] +", "2*[a] +*", 11, "unexpected '*'"),
            ("let = { mu", "let = { nu", 15, "row `one` does not say what {mu} is"),
            ("a = \"0.127\"", "c = \"0.127\"", 15, "names a column `c` that is not there"),
            ("\"0.127\"", "\"0,127\"", 18, "`0,127` is not a decimal"),
            ("1 - {x}", "1 - {z}", 24, "nothing stands for {z}"),
            ("1 - {x}", "1 - [a]", 24, "a curve has no columns"),
            ("label = \"y\", from = \"0\"", "label = \"y\", from = \"zero\"", 22, "zero"),
            ("envelope = 20", "envelop = 20", 27, "unknown variant `envelop`"),
            ("quantity = \"delta\"", "quantity = \"gamma\"", 9, "unknown variant `gamma`"),
            ("value.formula = \"1", "value.formula = 1 #", 26, "invalid type"),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let fault = fault_of(&WHOLE.replacen(from, to, 1));
            assert!(fault.starts_with(&format!("p/i.toml:{line}: ")) && fault.contains(what), "{to}: {fault}");
            assert!(!fault.contains('\n'), "{fault}");
        }
        assert!(fault_of("title = \"t\"\nsource = \"s\"").contains("neither a [table] nor a [figure]"));
    }
}
