//! The arguments of `filter`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Limits, integer};
use crate::adaptive::Notion;
use crate::query::Query;

const OPEN: &str = "Examples:
  dpcert filter open study.ledger --mu 1
  dpcert filter open study.ledger --rho 1/2 --level 1/8 --level 1/4
  dpcert filter open study.ledger --odometer gdp --level 1/2 --level 1

Budgets are exact: what is added up (mu^2, rho or epsilon) has to be a fraction, and equality is granted.";

const SPEND: &str = "Example: dpcert filter spend study.ledger --mu 'sqrt(1/10)' --label histogram

Ask before the mechanism runs, and run it only if this says granted. Exit code 1: refused, and nothing is spent.";

const STATUS: &str = "Example: dpcert filter status study.ledger --delta 1e-6

What was spent is a guarantee of the levels and of the budget, which were fixed beforehand: the whole interaction keeps
the budget's, and the part of it before the sum passes a level keeps that level's.";

const SIMULATOR: &str = "Example: dpcert filter simulator 1/2 1/3 2/5

The answers are W_i = (mu_i/mu) W_0 + sum_j L_ij V_j with W_0 ~ N(b, 1) and V_j ~ N(0, 1); row i depends on the mu up to
its own. What L L^T misses of I - m m^T is computed exactly, and beside it for the recursion as the paper prints it.";

/// What is done with a ledger.
#[derive(Debug, Subcommand)]
pub enum FilterCommand {
    /// Begin a ledger, with a budget (a filter) or without one (an odometer)
    #[command(after_help = OPEN)]
    Open {
        /// The file, which is not there yet
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        #[command(flatten)]
        budget: Amount,
        /// Count without a budget, and refuse nothing
        #[arg(long, value_name = "KIND", conflicts_with_all = ["mu", "rho", "epsilon"])]
        odometer: Option<Kind>,
        /// A level to read the sum against, in the parameter of the budget, or many, as in 1/8,1/4; may be given more
        /// than once
        #[arg(long, value_name = "L", allow_hyphen_values = true)]
        level: Vec<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Ask for a mechanism before it runs
    #[command(after_help = SPEND)]
    Spend {
        /// The file
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        #[command(flatten)]
        amount: Amount,
        /// What it is for: kept beside the amount
        #[arg(long, value_name = "TEXT")]
        label: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// What is spent and left, and which epsilon and beta that means
    #[command(after_help = STATUS)]
    Status {
        /// The file
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        /// Ask for the least epsilon at this delta, or at many; 1e-5 if neither this nor --alpha is given
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta: Option<String>,
        /// Ask for the least type II error at this type I error, or at many
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        alpha: Option<String>,
        /// How many significant digits must be proven
        #[arg(long, value_name = "N", default_value_t = 10, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// The rows of the online simulator: any adaptive interaction within a GDP budget, from one Gaussian draw
    #[command(after_help = SIMULATOR)]
    Simulator {
        /// The budget, whose square is a fraction
        #[arg(long, value_name = "MU", allow_hyphen_values = true, default_value = "1")]
        budget: String,
        /// The mu of each mechanism in turn
        #[arg(value_name = "MU", required = true)]
        mu: Vec<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// An amount in one of the three notions.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct Amount {
    /// Gaussian differential privacy: an exact constant whose square is a fraction, such as 1/2 or 'sqrt(1/3)'
    #[arg(long, value_name = "MU", allow_hyphen_values = true)]
    pub mu: Option<String>,
    /// Zero-concentrated differential privacy: a fraction
    #[arg(long, value_name = "RHO", allow_hyphen_values = true)]
    pub rho: Option<String>,
    /// Pure differential privacy: a fraction
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
}

impl Amount {
    /// The one that was given.
    pub fn given(&self) -> Option<(Notion, &'static str, &str)> {
        let all =
            [(Notion::Gdp, "mu", &self.mu), (Notion::Zcdp, "rho", &self.rho), (Notion::Pure, "epsilon", &self.epsilon)];
        all.into_iter().find_map(|(notion, name, text)| Some((notion, name, text.as_deref()?)))
    }
}

/// [`Notion`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    /// Gaussian differential privacy: mu^2 adds up
    Gdp,
    /// Zero-concentrated differential privacy: rho adds up
    Zcdp,
    /// Pure differential privacy: epsilon adds up
    Pure,
}

impl From<Kind> for Notion {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Gdp => Notion::Gdp,
            Kind::Zcdp => Notion::Zcdp,
            Kind::Pure => Notion::Pure,
        }
    }
}
