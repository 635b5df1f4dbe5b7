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

Amounts add up exactly as mu^2, rho or epsilon, which must be fractions. An amount that uses up the budget exactly is
granted.";

const SPEND: &str = "Example: dpcert filter spend study.ledger --mu 'sqrt(1/10)' --label histogram

Run this before the mechanism, and run the mechanism only if the amount is granted. Exit code 1 means that the amount
is refused and nothing is spent.";

const STATUS: &str = "Example: dpcert filter status study.ledger --delta 1e-6

The levels and the budget are fixed in advance, and are guarantees. The whole interaction satisfies the guarantee of the
budget. The part before the sum exceeds a level satisfies the guarantee of that level.";

const SIMULATOR: &str = "Example: dpcert filter simulator 1/2 1/3 2/5

The answers are W_i = (mu_i/mu) W_0 + sum_j L_ij V_j with W_0 ~ N(b, 1) and V_j ~ N(0, 1). Row i depends only on
mu_1, ..., mu_i. The output checks L L^T = I - m m^T exactly, and prints the error of the recursion in the paper.";

/// Subcommands of `filter`.
#[derive(Debug, Subcommand)]
pub enum FilterCommand {
    /// Create a ledger with a budget (a filter) or without one (an odometer)
    #[command(after_help = OPEN)]
    Open {
        /// New ledger file
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        #[command(flatten)]
        budget: Amount,
        /// Track the sum without a budget, and refuse nothing
        #[arg(long, value_name = "KIND", conflicts_with_all = ["mu", "rho", "epsilon"])]
        odometer: Option<Kind>,
        /// Report whether the sum exceeds L, in the parameter of the budget; or several, as in 1/8,1/4; repeatable
        #[arg(long, value_name = "L", allow_hyphen_values = true)]
        level: Vec<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Request an amount of the budget for a mechanism before it runs
    #[command(after_help = SPEND)]
    Spend {
        /// Ledger file
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        #[command(flatten)]
        amount: Amount,
        /// Store TEXT with the amount
        #[arg(long, value_name = "TEXT")]
        label: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the amounts spent and left, with the epsilon and beta they imply
    #[command(after_help = STATUS)]
    Status {
        /// Ledger file
        #[arg(value_name = "LEDGER")]
        ledger: PathBuf,
        /// Compute the smallest epsilon at this delta, or at several [default: 1e-5, without --alpha]
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta: Option<String>,
        /// Compute the type II error at this type I error, or at several
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        alpha: Option<String>,
        /// Prove at least N significant digits
        #[arg(long, value_name = "N", default_value_t = 10, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Compute the rows of the online simulator
    ///
    /// The simulator reproduces any adaptive interaction within a GDP budget from one Gaussian draw.
    #[command(after_help = SIMULATOR)]
    Simulator {
        /// GDP budget, whose square is a fraction
        #[arg(long, value_name = "MU", allow_hyphen_values = true, default_value = "1")]
        budget: String,
        /// mu of each mechanism, in order
        #[arg(value_name = "MU", required = true)]
        mu: Vec<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// An amount of GDP, zCDP or pure DP.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct Amount {
    /// Amount of mu-GDP: an exact constant whose square is a fraction, such as 1/2 or 'sqrt(1/3)'
    #[arg(long, value_name = "MU", allow_hyphen_values = true)]
    pub mu: Option<String>,
    /// Amount of rho-zCDP: a fraction
    #[arg(long, value_name = "RHO", allow_hyphen_values = true)]
    pub rho: Option<String>,
    /// Amount of pure epsilon-DP: a fraction
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
}

impl Amount {
    /// The amount that was given.
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
