//! Ledgers as values, for the library.

use std::path::{Path, PathBuf};

use super::{State, level, open, spend, status};
use crate::adaptive::{Decision, Notion};
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// A [`Filter`](crate::Filter) or an [`Odometer`](crate::Odometer) in a file, which any number of threads and processes
/// may spend from; `dpcert filter` keeps the same files.
///
/// What is granted is on the disk before [`spend`](Self::spend) returns, whoever is killed whenever: entries are
/// appended and synced under the lock of the file (`flock`), and the first line, which tells how many of them there
/// are, is replaced and synced before anybody is told. A file that is cut, changed or no ledger is refused, and left as
/// it is. What the sum means is the filter theorem of Smith and Thakurta 2022 for [`Notion::Gdp`], and what [`Notion`]
/// names for the others.
///
/// ```
/// use dpcert::{Decision, Ledger, Notion};
///
/// let path = std::env::temp_dir().join(format!("dpcert-ledger-{}", std::process::id()));
/// let ledger = Ledger::create(&path, Notion::Gdp, Some(&"1".parse()?), &[])?;
/// assert_eq!(ledger.spend(&"sqrt(3)/2".parse()?, Some("histogram"))?, Decision::Granted);
/// // Another process reads what this one has written.
/// let other = Ledger::open(&path)?;
/// assert_eq!(other.spend(&"2/3".parse()?, None)?, Decision::Refused);
/// let balance = other.balance()?;
/// let left = balance.left().ok_or("an odometer")?;
/// assert_eq!((balance.spent().to_string(), left.to_string()), ("3/4".into(), "1/4".into()));
/// assert_eq!(balance.entries().next(), Some((balance.spent(), Some("histogram"))));
/// std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    path: PathBuf,
    notion: Notion,
}

impl Ledger {
    /// A new ledger at a place where there is no file; without a budget it is an odometer and refuses nothing. Levels
    /// are parameters, as the budget is, and fixed here.
    ///
    /// # Errors
    /// [`Error::Input`] where a file is there already, for what the system says, and those of [`Notion::cost`].
    pub fn create(
        path: impl AsRef<Path>,
        notion: Notion,
        budget: Option<&Real>,
        levels: &[Real],
    ) -> Result<Self, Error> {
        open(path.as_ref(), notion, budget, levels)?;
        Ok(Ledger { path: path.as_ref().to_path_buf(), notion })
    }

    /// The ledger of a file.
    ///
    /// # Errors
    /// [`Error::Input`] for whatever is no ledger, for a damaged one, with the line where that shows, and for what the
    /// system says; [`Error::Undecided`] where another process keeps it locked for a minute.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let notion = status(path.as_ref())?.notion;
        Ok(Ledger { path: path.as_ref().to_path_buf(), notion })
    }

    /// Ask for a mechanism with this parameter, before it runs, and say what it is for in a line of at most 200
    /// characters.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) and of [`Notion::cost`]; nothing is spent then. Where the system fails to write or
    /// to sync, the entry may be there or not: what is not granted must not run, and both are safe.
    pub fn spend(&self, parameter: &Real, label: Option<&str>) -> Result<Decision, Error> {
        spend(&self.path, self.notion, parameter, label.map(str::to_string)).map(|(decision, _)| decision)
    }

    /// In which notion it counts.
    pub fn notion(&self) -> Notion {
        self.notion
    }

    /// What it says now.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn balance(&self) -> Result<Balance, Error> {
        status(&self.path).map(Balance)
    }
}

/// What a ledger said when it was read: costs, as fractions, `mu^2`, `rho` or `epsilon` by its [`Notion`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance(State);

impl Balance {
    /// The sum of all that was granted.
    pub fn spent(&self) -> Fraction {
        Fraction::new(self.0.spent())
    }

    /// The most that may be spent; none of an odometer.
    pub fn budget(&self) -> Option<Fraction> {
        self.0.budget.clone().map(Fraction::new)
    }

    /// What is left of that.
    pub fn left(&self) -> Option<Fraction> {
        self.0.budget.as_ref().map(|budget| Fraction::new(budget - self.0.spent()))
    }

    /// The least level that is not below the sum, as [`Odometer::level`](crate::Odometer::level) has it; none beyond
    /// the last, or without levels.
    pub fn level(&self) -> Option<Fraction> {
        level(&self.0).cloned().map(Fraction::new)
    }

    /// What was granted, in order: each cost with its label.
    pub fn entries(&self) -> impl Iterator<Item = (Fraction, Option<&str>)> {
        self.0.entries.iter().map(|entry| (Fraction::new(entry.cost.clone()), entry.label.as_deref()))
    }
}
