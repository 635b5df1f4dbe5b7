//! Access to census files for the `census` commands, beyond compositions.

use rug::Rational;

use super::{Allocation, Cell, Fault, MAX_FILE, Paths, located};
use crate::error::Error;
use crate::read::read_text;
use crate::table::Table;

impl Allocation {
    /// The allocation in the file at this path. A fault names its line.
    pub fn load(path: &str) -> Result<Self, Error> {
        load(path, |table| {
            if table.has("path") {
                return Err((1, "this file contains paths; append two of them, as in :1+2".to_string()));
            }
            Allocation::read(table)
        })
    }

    /// The allocation that a text is, or the line of the fault and what it is.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        Self::read(Table::parse(text)?)
    }

    /// The queries, in the order of the file.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The zCDP of all queries together.
    pub fn rho(&self) -> Rational {
        self.cells.iter().map(|cell| &cell.rho).sum()
    }
}

impl Paths {
    /// The paths in the file at this path. A fault names its line.
    pub fn load(path: &str) -> Result<Self, Error> {
        load(path, Paths::read)
    }

    /// The paths that a text holds, or the line of the fault and what it is.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        Self::read(Table::parse(text)?)
    }

    /// The numbers of the paths, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.paths.keys().copied()
    }

    /// All unordered pairs of paths, in order; a path is paired with itself too.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let numbers: Vec<u32> = self.numbers().collect();
        numbers.iter().flat_map(|&p| numbers.iter().filter(move |&&q| p <= q).map(move |&q| (p, q))).collect()
    }

    /// The zCDP of such a move: half of each path's.
    pub fn rho(&self, (from, to): (u32, u32)) -> Result<Rational, Error> {
        Ok((self.path(from)?.rho() + self.path(to)?.rho()) / 2)
    }
}

fn load<T>(path: &str, read: impl FnOnce(Table) -> Result<T, Fault>) -> Result<T, Error> {
    let text = read_text(path, MAX_FILE)?;
    Table::parse(&text).and_then(read).map_err(|fault| located(path, fault))
}
