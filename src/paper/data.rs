//! The file of an item.

mod figure;
mod table;

use std::collections::BTreeMap;

use rug::Rational;
use serde::Deserialize;
use toml::Spanned;

use super::fill::names;
use super::source::Source;
use crate::error::Error;
use crate::read::shown;
use enclosure::Real;

pub use figure::{Curve, Figure, Sampling, Scale};
pub use table::{Column, Line, MOST_DIGITS, Rounding, Side, Table};

/// Names and what stands for them.
pub type Names = BTreeMap<String, String>;

/// Byte offset and description of an error.
type Fault = (usize, String);

/// A table, a figure, or a figure with a table of the numbers in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// Title, one line.
    pub title: String,
    /// The paper, and where in it.
    pub source: String,
    /// Description of the computation and its parameters, in Markdown. `{name}` is one of the numbers.
    #[serde(default)]
    pub about: String,
    /// The computed numbers that the text has.
    #[serde(default, rename = "number")]
    pub numbers: Vec<Spanned<Named>>,
    /// Whether it takes more than some seconds.
    #[serde(default)]
    pub slow: bool,
    /// The numbers.
    #[serde(default)]
    pub table: Option<Table>,
    /// The picture.
    #[serde(default)]
    pub figure: Option<Figure>,
    /// Why nothing of it can be computed, in place of both.
    #[serde(default)]
    pub not_reproducible: Option<String>,
}

/// A computed number in the text of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Named {
    /// The text calls it `{name}`.
    pub name: String,
    /// Where it comes from.
    #[serde(rename = "value")]
    pub source: Source,
    /// How many significant digits it has in the text.
    pub digits: u32,
}

/// Significant digits of the longest decimal that a text may have: a longer one would be a result typed by hand.
const TYPED: usize = 5;

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
    fn check(&self) -> Result<(), Fault> {
        for (what, text) in [("title", &self.title), ("source", &self.source)] {
            one_line(what, text)?;
        }
        self.check_numbers()?;
        let empty = self.table.is_none() && self.figure.is_none();
        match &self.not_reproducible {
            Some(_) if !empty => {
                return Err((0, "an item that is not reproducible must have no [table] and no [figure]".into()));
            }
            Some(why) => one_line("not-reproducible", why)?,
            None if empty => return Err((0, "give a [table] or a [figure]".into())),
            None => {}
        }
        if let Some(table) = &self.table {
            table.check()?;
        }
        if let Some(figure) = &self.figure {
            figure::named(&self.title)?;
            figure.check()?;
        }
        Ok(())
    }

    /// Checks that each name in the text is one of the numbers, and that no long decimal is typed by hand.
    fn check_numbers(&self) -> Result<(), Fault> {
        for number in &self.numbers {
            let (at, number) = (number.span().start, number.get_ref());
            let fault = |what: String| (at, format!("number `{}`: {what}", number.name));
            if !(1..=MOST_DIGITS).contains(&number.digits) {
                return Err(fault(format!("digits must be from 1 to {MOST_DIGITS}")));
            }
            number.source.check().map_err(fault)?;
            if let Some(name) = number.source.columns().first() {
                return Err(fault(format!("there is no column `{name}`")));
            }
            if let Some(name) = number.source.names().first() {
                return Err(fault(format!("{{{name}}} has no value")));
            }
        }
        let known = |name: &String| self.numbers.iter().any(|number| number.get_ref().name == *name);
        if let Some(name) = names(&self.about)
            .into_iter()
            .find(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()) && !known(name))
        {
            return Err((0, format!("`about` uses an undefined number {{{name}}}")));
        }
        let remarks = self.table.iter().flat_map(|table| &table.lines).flat_map(|line| line.get_ref().remark.values());
        match [&self.title, &self.about].into_iter().chain(remarks).find_map(|text| long_decimal(text)) {
            Some(typed) => Err((0, format!("`{typed}` is a literal number: define it with a [[number]]"))),
            None => Ok(()),
        }
    }
}

/// The first decimal of more than [`TYPED`] significant digits in a text.
fn long_decimal(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).skip_while(|&byte| byte == b'0').count();
        word.trim_matches('.').contains('.') && digits > TYPED
    })
}

/// What stands in a line of a table has no end of a line in it.
fn one_line(what: &str, text: &str) -> Result<(), Fault> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err((0, format!("`{what}` must be one line of text, not {:?}", crate::table::quoted(text))));
    }
    Ok(())
}

/// A number that a picture needs.
fn constant(text: &Spanned<String>) -> Result<Rational, Fault> {
    rational(text).map_err(|error| (text.span().start, error.to_string()))
}

/// A rational number.
pub fn rational(text: &Spanned<String>) -> Result<Rational, Error> {
    let real: Real = text.get_ref().parse()?;
    let rational = real.as_rational().cloned();
    rational.ok_or_else(|| Error::input(format!("expected a rational, got {real}")))
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
            ("source = \"s\"", "source = \"s\"\nabout = \"is 4.811388\"", 1, "`4.811388` is a literal number"),
            ("source = \"s\"", "source = \"s\"\nabout = \"is {root}\"", 1, "`about` uses an undefined number {root}"),
            ("title = \"t\"", "titel = \"t\"", 1, "unknown field `titel`"),
            ("source = \"s\"", "", 1, "missing field `source`"),
            ("name = \"b\"", "name = \"a\"", 11, "duplicate column `a`"),
            ("2*[a]", "2*[c]", 11, "no earlier column `c`"),
            ("2*[a]", "2*[b]", 11, "no earlier column `b`"),
            ("2*[a] +", "2*[a] +*", 11, "unexpected '*'"),
            ("let = { mu", "let = { nu", 15, "row `one` gives no value for {mu}"),
            ("a = \"0.127\"", "c = \"0.127\"", 15, "uses an unknown column `c`"),
            ("\"0.127\"", "\"0,127\"", 18, "`0,127` is not a decimal"),
            ("1 - {x}", "1 - {z}", 24, "{z} has no value"),
            ("1 - {x}", "1 - [a]", 24, "cannot use columns"),
            ("label = \"y\", from = \"0\"", "label = \"y\", from = \"zero\"", 22, "zero"),
            ("envelope = 20", "envelop = 20", 27, "unknown variant `envelop`"),
            ("quantity = \"delta\"", "quantity = \"gamma\"", 9, "unknown variant `gamma`"),
            ("value.formula = \"1", "value.formula = 1 #", 26, "invalid type"),
            ("title = \"t\"", "title = \"t\\nu\"", 1, "`title` must be one line of text"),
            ("source = \"s\"", "source = \"\"", 1, "`source` must be one line of text"),
            ("name = \"one\"", "name = \"a\\nb\"", 15, "`name` must be one line of text"),
            ("name = \"b\"", "name = \"b\"\ndigits = 4000000000", 11, "digits must be from 1 to 200"),
            ("name = \"b\"", "name = \"b\"\ndigits = 0", 11, "digits must be from 1 to 200"),
            (
                "from = \"0\", to = \"1\" }\ny",
                "from = \"1\", to = \"1\" }\ny",
                21,
                "the x axis must be increasing and finite, not from 1 to 1",
            ),
            (
                "to = \"1\" }\ny",
                "to = \"1e400\" }\ny",
                21,
                "the x axis must be increasing and finite, not from 0 to 1000",
            ),
            ("to = \"1\" }\ny", "to = \"1\", logarithmic = true }\ny", 21, "the logarithmic x axis"),
            ("envelope = 20", "envelope = 4000000000", 24, "an envelope must have 1 to 5000 lines"),
            ("{ envelope = 20 }", "{ steps = 0 }", 24, "steps must be 1 to 5000"),
            ("{ envelope = 20 }", "{ at = [\"0\", \"1\", \"1\"] }", 24, "places must be increasing"),
            ("{ envelope = 20 }", "{ at = [\"0\", \"one\"] }", 27, "one"),
            ("{ envelope = 20 }", "{ lines = [\"ln(0)\"] }", 27, "ln"),
            ("{ envelope = 20 }", "\"knots\"\nfrom = \"2\"", 24, "must be increasing, not from 2 to 1"),
            ("title = \"t\"", "title = \"\u{221a}\"", 1, "the picture font has no glyph for '\u{221a}'"),
            ("label = \"c\"", "label = \"\u{4e2d}\"", 24, "the picture font has no glyph for"),
            ("source = \"s\"", "source = \"s\"\nnot-reproducible = \"r\"", 1, "must have no [table] and no [figure]"),
            ("epsilon = \"1\"", "epsilom = \"1\"", 7, "`at` has epsilon, delta, alpha, order, not `epsilom`"),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let fault = fault_of(&WHOLE.replacen(from, to, 1));
            assert!(fault.starts_with(&format!("p/i.toml:{line}: ")) && fault.contains(what), "{to}: {fault}");
            assert!(!fault.contains('\n'), "{fault}");
        }
        let empty = "title = \"t\"\nsource = \"s\"";
        assert!(fault_of(empty).contains("give a [table] or a [figure]"));
        assert!(fault_of(&format!("{empty}\nnot-reproducible = \"\"")).contains("`not-reproducible` must be one line"));
        let why = Data::parse("p/i.toml", &format!("{empty}\nnot-reproducible = \"why\"")).expect("a file");
        assert_eq!(why.not_reproducible.as_deref(), Some("why"));
    }
}
