//! Privacy budgets of a census bureau: a zCDP budget for each query of each geographic level.
//!
//! ```text
//! level,query,rho
//! US,sex,73/10000
//! County,sex,31/1000
//! ```
//!
//! **What a row means.** The query is a histogram, and each of its cells gets discrete Gaussian noise with
//! `sigma2 = 1/rho`. Neighbours differ in *one record that changes*: it leaves one cell and enters another, so two
//! cells shift by 1 and the row is `discrete-gaussian(sigma2=1/rho)^2`. That costs `2/(2 sigma2) = rho` of zCDP, which
//! is why the bureau writes rho (2020 Disclosure Avoidance System: `1/sigma2` is the product of the shares of query,
//! level and total). Papers that model a query as one cell with half the variance have the same zCDP and another
//! lattice of losses; such compositions are written as mechanisms in TOML.
//!
//! **Paths.** Where the geography is an optimised spine, records in different places meet different budgets. A file
//!
//! ```text
//! path,level,row,rho
//! 1,US,1,73/10000
//! ```
//!
//! holds many paths. A record that moves from path p to path q leaves one cell of each query on p and enters one of
//! each on q: each row of p and each row of q is one `discrete-gaussian(sigma2=1/rho)`. For p = q that is the
//! composition above.

#[cfg(feature = "cli")]
mod census;

use std::collections::{BTreeMap, HashMap};

use rug::Rational;

use super::catalogue::advice;
use super::file::MAX_FILE;
use super::{Composition, DiscreteGaussian, Mechanism};
use crate::error::Error;
use crate::read::{read_text, shown};
use crate::table::{Fault, Row, Table, quoted, together};
use enclosure::{Meter, Real};

/// The columns of an allocation.
const COLUMNS: [&str; 3] = ["level", "query", "rho"];

/// The columns of a file of paths.
const PATH_COLUMNS: [&str; 4] = ["path", "level", "row", "rho"];

/// Budget of one query of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The geographic level.
    pub level: String,
    /// The query, a name within its level.
    pub query: String,
    /// Its zCDP, greater than 0.
    pub rho: Rational,
}

/// Budgets of the queries of some levels; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    cells: Vec<Cell>,
}

impl Allocation {
    fn read(table: Table) -> Result<Self, Fault> {
        let mut cells = Cells::default();
        let (rows, mut faults) = table.rows(&COLUMNS)?;
        for Row { line, fields } in rows {
            let [level, query, rho] = take(fields);
            faults.extend(cells.add(line, "query", level, query, &rho).err());
        }
        together(faults).map_or(Ok(Allocation { cells: cells.cells }), Err)
    }

    /// The levels, in the order in which they first appear.
    pub fn levels(&self) -> Vec<&str> {
        let mut levels: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !levels.contains(&cell.level.as_str()) {
                levels.push(&cell.level);
            }
        }
        levels
    }

    /// One level alone, if it is there.
    pub fn level(&self, name: &str) -> Option<Allocation> {
        let cells: Vec<Cell> = self.cells.iter().filter(|cell| cell.level == name).cloned().collect();
        (!cells.is_empty()).then_some(Allocation { cells })
    }

    /// The mechanisms that a changed record affects: `discrete-gaussian(sigma2=1/rho)^2` for each query.
    pub fn composition(&self) -> Result<Composition, Error> {
        composed(self.cells.iter().map(|cell| (&cell.rho, 2)))
    }
}

/// Budgets for records in different places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    paths: BTreeMap<u32, Allocation>,
}

impl Paths {
    fn read(table: Table) -> Result<Self, Fault> {
        let mut paths: BTreeMap<u32, Cells> = BTreeMap::new();
        let (rows, mut faults) = table.rows(&PATH_COLUMNS)?;
        for Row { line, fields } in rows {
            let [path, level, row, rho] = take(fields);
            let Some(number) = number(&path) else {
                let message = format!("path must be an integer from 1 to {}, not `{}`", u32::MAX, quoted(&path));
                faults.push((line, message));
                continue;
            };
            faults.extend(paths.entry(number).or_default().add(line, "row", level, row, &rho).err());
        }
        if let Some(fault) = together(faults) {
            return Err(fault);
        }
        let paths = paths.into_iter().map(|(number, cells)| (number, Allocation { cells: cells.cells }));
        Ok(Paths { paths: paths.collect() })
    }

    /// One path.
    pub fn path(&self, number: u32) -> Result<&Allocation, Error> {
        self.paths.get(&number).ok_or_else(|| {
            let ends = (self.paths.keys().next(), self.paths.keys().next_back());
            let (first, last) = (ends.0.copied().unwrap_or(0), ends.1.copied().unwrap_or(0));
            Error::input(format!("there is no path {number}; paths are numbered from {first} to {last}"))
        })
    }

    /// The mechanisms that a record affects when it moves between two paths: one cell of each query on each path.
    pub fn composition(&self, (from, to): (u32, u32)) -> Result<Composition, Error> {
        let cells = self.path(from)?.cells.iter().chain(&self.path(to)?.cells);
        composed(cells.map(|cell| (&cell.rho, 1)))
    }
}

/// Two numbers with this between them: `6+10` or `6,10`.
pub fn pair_of_paths(text: &str, between: char) -> Option<(u32, u32)> {
    let (from, to) = text.split_once(between)?;
    Some((number(from.trim())?, number(to.trim())?))
}

/// A path and a part of it, if this is the name of a CSV file: `file.csv` or `file.csv:part`.
pub(super) fn csv(path: &str) -> Option<(&str, Option<&str>)> {
    const ENDING: &str = ".csv";
    if path.ends_with(ENDING) {
        return Some((path, None));
    }
    let at = path.rfind(".csv:")? + ENDING.len();
    Some((&path[..at], Some(&path[at + 1..])))
}

/// The composition that a part of a CSV file is: a level of an allocation, or two paths of a file of paths.
pub(super) fn composition(path: &str, part: Option<&str>) -> Result<Composition, Error> {
    let text = read_text(path, MAX_FILE)?;
    let located = |fault| located(path, fault);
    let table = Table::parse(&text).map_err(located)?;
    if table.has("path") {
        let paths = Paths::read(table).map_err(located)?;
        let wanted = "append two of its paths, as in :1+2 for a record that moves from path 1 to path 2";
        let Some(part) = part else { return Err(Error::input(format!("{} contains paths; {wanted}", shown(path)))) };
        let Some(pair) = pair_of_paths(part, '+') else {
            return Err(Error::input(format!("`{}` is not a pair of paths; {wanted}", quoted(part))));
        };
        return paths.composition(pair);
    }
    let allocation = Allocation::read(table).map_err(located)?;
    let Some(part) = part else { return allocation.composition() };
    match allocation.level(part) {
        Some(level) => level.composition(),
        None => {
            let advice = advice(part, allocation.levels().into_iter());
            Err(Error::input(format!("{} has no level `{}`{advice}", shown(path), quoted(part))))
        }
    }
}

fn located(path: &str, (line, message): Fault) -> Error {
    Error::input(format!("{}:{line}: {message}", shown(path)))
}

fn number(text: &str) -> Option<u32> {
    // No signs and no blanks, which the standard library would take.
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&number: &u32| plain && number > 0)
}

/// The fields of a row, whose number [`Table::columns`] has checked.
fn take<const N: usize>(fields: Vec<String>) -> [String; N] {
    let mut fields = fields.into_iter();
    std::array::from_fn(|_| fields.next().unwrap_or_default())
}

fn composed<'a>(cells: impl Iterator<Item = (&'a Rational, u64)>) -> Result<Composition, Error> {
    let mechanisms: Result<Vec<(Mechanism, u64)>, Error> = cells
        .map(|(rho, times)| Ok((DiscreteGaussian::new(Rational::from(rho.recip_ref()), 1)?.into(), times)))
        .collect();
    Composition::new(mechanisms?)
}

/// Cells as they are read: each query of a level once, each with a budget.
#[derive(Default)]
struct Cells {
    cells: Vec<Cell>,
    lines: HashMap<(String, String), usize>,
    meter: Meter,
}

impl Cells {
    /// Add one row; `what` is the name of the column that identifies queries.
    fn add(&mut self, line: usize, what: &str, level: String, query: String, rho: &str) -> Result<(), Fault> {
        for (column, name) in [("level", &level), (what, &query)] {
            if name.is_empty() {
                return Err((line, format!("the {column} is empty")));
            }
        }
        let rho = read_rho(rho, &mut self.meter).map_err(|message| (line, message))?;
        if let Some(before) = self.lines.insert((level.clone(), query.clone()), line) {
            let (level, query) = (quoted(&level), quoted(&query));
            return Err((line, format!("the {what} `{query}` of level `{level}` is already in line {before}")));
        }
        self.cells.push(Cell { level, query, rho });
        Ok(())
    }
}

/// A budget: exact, rational, greater than 0.
fn read_rho(text: &str, meter: &mut Meter) -> Result<Rational, String> {
    if text.is_empty() {
        return Err("rho is missing".to_string());
    }
    let shown = quoted(text);
    let value = Real::parse_metered(text, meter).map_err(|error| format!("rho = `{shown}`: {}", error.message()))?;
    match value.as_rational() {
        None => Err(format!("rho must be rational, not `{shown}`, so that privacy losses lie on a lattice")),
        Some(rho) if *rho <= 0 => Err(format!("rho must be greater than 0, not `{shown}`")),
        Some(rho) => Ok(rho.clone()),
    }
}

#[cfg(test)]
mod tests;
