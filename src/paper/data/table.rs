//! Rows and columns, and what is printed in them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::super::printed::Printed;
use super::super::source::Source;
use super::{Fault, Names, one_line};

/// The most significant digits that are shown or tried.
pub const MOST_DIGITS: u32 = 200;

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

impl Table {
    /// What the type cannot say.
    pub(super) fn check(&self) -> Result<(), Fault> {
        one_line("rows", &self.rows)?;
        for (index, column) in self.columns.iter().enumerate() {
            let (at, column) = (column.span().start, column.get_ref());
            one_line("label", column.label.as_ref().unwrap_or(&column.name)).map_err(|(_, what)| (at, what))?;
            if column.digits.is_some_and(|digits| !(1..=MOST_DIGITS).contains(&digits)) {
                return Err((at, format!("column `{}`: digits must be from 1 to {MOST_DIGITS}", column.name)));
            }
            if self.columns[..index].iter().any(|other| other.get_ref().name == column.name) {
                return Err((at, format!("duplicate column `{}`", column.name)));
            }
            column.source.check().map_err(|what| (at, format!("column `{}`: {what}", column.name)))?;
            for name in column.source.columns() {
                if !self.columns[..index].iter().any(|other| other.get_ref().name == name) {
                    let what = format!("column `{}`: no earlier column `{name}`", column.name);
                    return Err((at, what));
                }
            }
            for line in &self.lines {
                let missing = column.source.names().into_iter().find(|name| !line.get_ref().names.contains_key(name));
                if let Some(missing) = missing {
                    let what = format!("row `{}` gives no value for {{{missing}}}", line.get_ref().name);
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
                    return Err((at, format!("row `{}` uses an unknown column `{name}`", line.name)));
                }
            }
            for printed in line.printed.values() {
                Printed::parse(printed.get_ref()).map_err(|what| (printed.span().start, what))?;
            }
        }
        Ok(())
    }
}
