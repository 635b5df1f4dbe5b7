//! The table of certified deltas, as it is written and read back.

use std::collections::BTreeMap;

use rug::Rational;

use crate::error::Error;
use crate::read::{read_text, shown};
use crate::table::{Fault, Row, Table, quoted};
use enclosure::Real;

/// The columns of the table.
pub(super) const COLUMNS: [&str; 6] = ["p1", "p2", "delta_zcdp", "epsilon", "delta_lower", "delta_upper"];

/// The largest table that is read, in bytes: a full one of a hundred digits has twelve million.
pub(super) const MAX_FILE: u64 = 1 << 27;

/// Which value: the pair of paths, and the delta of zCDP that its epsilon belongs to.
pub type Key = (u32, u32, Rational);

/// One row: the certified ends, and the epsilon in print, which is cut off and not exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The line in its file.
    pub line: usize,
    /// The leading digits of epsilon.
    pub epsilon: String,
    /// At most the truth.
    pub lower: Rational,
    /// At least the truth.
    pub upper: Rational,
}

/// The certified values in a file that `census pairs` has written.
pub fn read_results(path: &str) -> Result<BTreeMap<Key, Record>, Error> {
    let mut records = BTreeMap::new();
    read(path, &COLUMNS, |line, fields| {
        let [p1, p2, delta, epsilon, lower, upper] = fields else { return Ok(()) };
        let record = Record {
            line,
            epsilon: epsilon.clone(),
            lower: rational(line, "delta_lower", lower)?,
            upper: rational(line, "delta_upper", upper)?,
        };
        if record.lower > record.upper {
            return Err((line, "delta_lower is above delta_upper".to_string()));
        }
        let key = key(line, p1, p2, delta)?;
        match records.insert(key, record) {
            Some(Record { line: before, .. }) => Err((line, format!("duplicate value, first given in line {before}"))),
            None => Ok(()),
        }
    })?;
    Ok(records)
}

/// Read a table row by row; a fault names its line.
pub(super) fn read(
    path: &str,
    columns: &[&str],
    mut row: impl FnMut(usize, &[String]) -> Result<(), Fault>,
) -> Result<(), Error> {
    let text = read_text(path, MAX_FILE)?;
    let rows = Table::parse(&text).and_then(|table| table.columns(columns));
    rows.and_then(|rows| rows.iter().try_for_each(|Row { line, fields }| row(*line, fields)))
        .map_err(|(line, message)| Error::input(format!("{}:{line}: {message}", shown(path))))
}

pub(super) fn key(line: usize, p1: &str, p2: &str, delta: &str) -> Result<Key, Fault> {
    let path = |column: &str, text: &str| {
        text.parse().map_err(|_| (line, format!("{column} must be a path number, not `{}`", quoted(text))))
    };
    Ok((path("p1", p1)?, path("p2", p2)?, rational(line, "delta_zcdp", delta)?))
}

/// A decimal, exactly as it is printed.
pub(super) fn rational(line: usize, column: &str, text: &str) -> Result<Rational, Fault> {
    let value = text.parse::<Real>().ok().and_then(|value| value.as_rational().cloned());
    value.ok_or_else(|| (line, format!("{column} must be a decimal, not `{}`", quoted(text))))
}
