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

/// The most significant digits that are shown or tried.
pub const MOST_DIGITS: u32 = 200;

/// The most lines of an envelope, and the most steps of a curve.
const MOST_POINTS: u32 = 5000;

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
    /// The upper envelope of those lines at these epsilons, from small to large: the function itself, where they are
    /// all those at which its profile bends.
    Lines(Vec<Spanned<String>>),
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
        for (what, text) in [("title", &self.title), ("source", &self.source)] {
            one_line(what, text)?;
        }
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
        one_line("rows", &self.rows)?;
        for (index, column) in self.columns.iter().enumerate() {
            let (at, column) = (column.span().start, column.get_ref());
            one_line("label", column.label.as_ref().unwrap_or(&column.name)).map_err(|(_, what)| (at, what))?;
            if column.digits.is_some_and(|digits| !(1..=MOST_DIGITS).contains(&digits)) {
                return Err((at, format!("column `{}`: digits are from 1 to {MOST_DIGITS}", column.name)));
            }
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
            one_line("name", &line.name).map_err(|(_, what)| (at, what))?;
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
        for (scale, what) in [(&self.x, "x"), (&self.y, "y")] {
            one_line("label", &scale.label)?;
            let (at, ends) = (scale.from.span().start, (constant(&scale.from)?, constant(&scale.to)?));
            if ends.0 >= ends.1 || !ends.0.to_f64().is_finite() || !ends.1.to_f64().is_finite() {
                return Err((at, format!("the {what} axis goes from {} to {}", ends.0, ends.1)));
            }
            if scale.logarithmic && (ends.0 <= 0 || ends.0.to_f64() == 0.0) {
                return Err((at, format!("the {what} axis is logarithmic and goes from {}", ends.0)));
            }
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
            one_line("label", &curve.label).map_err(|(_, what)| (at, what))?;
            let from = constant(curve.from.as_ref().unwrap_or(&self.x.from))?;
            let to = constant(curve.to.as_ref().unwrap_or(&self.x.to))?;
            if from >= to {
                return Err(wrong(format!("it goes from {from} to {to}")));
            }
            match &curve.sample {
                Sampling::Smooth | Sampling::Knots => {}
                Sampling::Envelope(lines) if (1..=MOST_POINTS).contains(lines) => {}
                Sampling::Envelope(_) => return Err(wrong(format!("an envelope has 1 to {MOST_POINTS} lines"))),
                Sampling::Steps(step) if *step > 0 && (to - from) / *step <= MOST_POINTS => {}
                Sampling::Steps(_) => return Err(wrong(format!("there are 1 to {MOST_POINTS} steps"))),
                Sampling::Lines(epsilons) => {
                    for text in epsilons {
                        let real = text.get_ref().parse::<Real>();
                        real.map_err(|error| (text.span().start, error.to_string()))?;
                    }
                }
            }
        }
        for marks in &self.marks {
            one_line("label", &marks.get_ref().label)?;
            for place in marks.get_ref().at.iter().flatten() {
                constant(place)?;
            }
        }
        Ok(())
    }
}

/// What stands in a line of a table has no end of a line in it.
fn one_line(what: &str, text: &str) -> Result<(), (usize, String)> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err((0, format!("`{what}` is one line of text, not {:?}", crate::table::quoted(text))));
    }
    Ok(())
}

/// A number that a picture needs.
fn constant(text: &Spanned<String>) -> Result<Rational, (usize, String)> {
    rational(text).map_err(|error| (text.span().start, error.to_string()))
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
            ("title = \"t\"", "title = \"t\\nu\"", 1, "`title` is one line of text"),
            ("source = \"s\"", "source = \"\"", 1, "`source` is one line of text"),
            ("name = \"one\"", "name = \"a\\nb\"", 15, "`name` is one line of text"),
            ("name = \"b\"", "name = \"b\"\ndigits = 4000000000", 11, "digits are from 1 to 200"),
            ("name = \"b\"", "name = \"b\"\ndigits = 0", 11, "digits are from 1 to 200"),
            ("from = \"0\", to = \"1\" }\ny", "from = \"1\", to = \"1\" }\ny", 21, "the x axis goes from 1 to 1"),
            ("to = \"1\" }\ny", "to = \"1e400\" }\ny", 21, "the x axis goes from 0 to 1000"),
            ("to = \"1\" }\ny", "to = \"1\", logarithmic = true }\ny", 21, "the x axis is logarithmic"),
            ("envelope = 20", "envelope = 4000000000", 24, "an envelope has 1 to 5000 lines"),
            ("{ envelope = 20 }", "{ steps = 0 }", 24, "there are 1 to 5000 steps"),
            ("{ envelope = 20 }", "{ lines = [\"ln(0)\"] }", 27, "ln"),
            ("{ envelope = 20 }", "\"knots\"\nfrom = \"2\"", 24, "it goes from 2 to 1"),
            ("epsilon = \"1\"", "epsilom = \"1\"", 7, "`at` has epsilon, delta, alpha, order, not `epsilom`"),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let fault = fault_of(&WHOLE.replacen(from, to, 1));
            assert!(fault.starts_with(&format!("p/i.toml:{line}: ")) && fault.contains(what), "{to}: {fault}");
            assert!(!fault.contains('\n'), "{fault}");
        }
        assert!(fault_of("title = \"t\"\nsource = \"s\"").contains("neither a [table] nor a [figure]"));
    }
}
