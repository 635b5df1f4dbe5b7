//! Ledgers as values, for the library.

use std::path::{Path, PathBuf};

use super::{State, level, open, spend, status};
use crate::adaptive::{Decision, Notion};
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// A [`Filter`](crate::Filter) or an [`Odometer`](crate::Odometer) stored in a file. Any number of threads and
/// processes may spend from it; `dpcert filter` uses the same files.
///
/// A granted cost is on disk before [`spend`](Self::spend) returns, even if a process is killed at any moment. Entries
/// are appended and synced under a file lock (`flock`); then the first line, which holds the number of entries, is
/// replaced and synced. A file that is truncated, modified or not a ledger is refused and left unchanged. The meaning
/// of the sum is given by the filter theorem of Smith and Thakurta 2022 for [`Notion::Gdp`], and by the theorems named
/// at [`Notion`] for the other notions.
///
/// ```
/// use dpcert::{Decision, Ledger, Notion};
///
/// let path = std::env::temp_dir().join(format!("dpcert-ledger-{}", std::process::id()));
/// let ledger = Ledger::create(&path, Notion::Gdp, Some(&"1".parse()?), &[])?;
/// assert_eq!(ledger.spend(&"sqrt(3)/2".parse()?, Some("histogram"))?, Decision::Granted);
/// // Another process reads the entry that this one has written.
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
    /// Create a ledger at a path where no file exists. Without a budget it is an odometer and refuses nothing. Budget
    /// and levels are parameters of the notion and cannot be changed later.
    ///
    /// # Errors
    /// [`Error::Input`] if the file already exists or the system reports an error, and those of [`Notion::cost`].
    pub fn create(
        path: impl AsRef<Path>,
        notion: Notion,
        budget: Option<&Real>,
        levels: &[Real],
    ) -> Result<Self, Error> {
        open(path.as_ref(), notion, budget, levels)?;
        Ok(Ledger { path: path.as_ref().to_path_buf(), notion })
    }

    /// Open an existing ledger.
    ///
    /// # Errors
    /// [`Error::Input`] if the file is not a ledger, is damaged (with the line number), or the system reports an error;
    /// [`Error::Undecided`] if another process keeps it locked for a minute.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let notion = status(path.as_ref())?.notion;
        Ok(Ledger { path: path.as_ref().to_path_buf(), notion })
    }

    /// Request a mechanism with this parameter, before it runs. The optional label is one line of at most 200
    /// characters.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) and of [`Notion::cost`]; nothing is spent then. If the system fails to write or to
    /// sync, the entry may or may not be recorded. Both are safe, because a mechanism that is not granted must not run.
    pub fn spend(&self, parameter: &Real, label: Option<&str>) -> Result<Decision, Error> {
        spend(&self.path, self.notion, parameter, label.map(str::to_string)).map(|(decision, _)| decision)
    }

    /// Notion of privacy of the budget.
    pub fn notion(&self) -> Notion {
        self.notion
    }

    /// Current state of the ledger.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn balance(&self) -> Result<Balance, Error> {
        status(&self.path).map(Balance)
    }
}

/// State of a ledger when it was read. Costs are fractions: `mu^2`, `rho` or `epsilon`, by its [`Notion`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance(State);

impl Balance {
    /// Sum of all granted costs.
    pub fn spent(&self) -> Fraction {
        Fraction::new(self.0.spent())
    }

    /// Largest cost that may be spent; `None` for an odometer.
    pub fn budget(&self) -> Option<Fraction> {
        self.0.budget.clone().map(Fraction::new)
    }

    /// Remaining cost; `None` for an odometer.
    pub fn left(&self) -> Option<Fraction> {
        self.0.budget.as_ref().map(|budget| Fraction::new(budget - self.0.spent()))
    }

    /// Smallest level that is at least the sum, as in [`Odometer::level`](crate::Odometer::level); `None` beyond the
    /// last level, or without levels.
    pub fn level(&self) -> Option<Fraction> {
        level(&self.0).cloned().map(Fraction::new)
    }

    /// Granted costs in order, each with its label.
    pub fn entries(&self) -> impl Iterator<Item = (Fraction, Option<&str>)> {
        self.0.entries.iter().map(|entry| (Fraction::new(entry.cost.clone()), entry.label.as_deref()))
    }
}
