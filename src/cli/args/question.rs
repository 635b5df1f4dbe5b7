//! Arguments that most commands share: mechanism, precision, method and budget.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::super::failure::Failure;
use super::{integer, seconds, work};
use crate::compose::Method;
use crate::curve::Direction;
use crate::query::Query;
use enclosure::{Budget, Work};

/// The headings of less frequent options.
const ENGINE: &str = "Method options";
const BUDGET: &str = "Budget options";

/// A mechanism and the form of the answer.
#[derive(Args, Debug)]
pub struct Question {
    /// Mechanism, such as 'gaussian(sigma=2)^10', @file.toml or @budgets.csv
    pub mechanism: String,
    /// Direction of the divergence between P and Q
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// Prove at least N significant digits [default: as many as are cheap, 6 to 15]
    ///
    /// If fewer are proven within the budget, the answer prints these and the reason, with exit code 3.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object per line
    ///
    /// Both `lower`, `upper` (decimals) and `f64_lower`, `f64_upper` (doubles) enclose the exact value.
    #[arg(long)]
    pub json: bool,
    /// Print exact fractions in full, whatever their length
    #[arg(long)]
    pub exact: bool,
}

impl Question {
    /// Number of digits, for commands without cheap digits.
    pub fn digits(&self) -> u32 {
        self.digits.unwrap_or(Query::DEFAULT_DIGITS)
    }

    /// Refuse --direction in a command whose answer does not depend on it.
    ///
    /// # Errors
    /// One line with the command and the reason.
    pub fn without_direction(&self, command: &str, because: &str) -> Result<(), Failure> {
        match self.direction {
            DirectionName::Worst => Ok(()),
            DirectionName::Forward | DirectionName::Backward => {
                Err(Failure::input(format!("`{command}` takes no --direction: {because}")))
            }
        }
    }
}

/// A mechanism, the form of the answer, the method, and whether it is explained.
#[derive(Args, Debug)]
pub struct Asking {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub account: Account,
}

/// A mechanism with a parameter marked `?`, and the form of the answer.
#[derive(Args, Debug)]
pub struct Inverse {
    /// Mechanism with one parameter marked `?`, such as 'gaussian(sigma=?)^10' or 'gaussian(sigma=2)^?'
    pub mechanism: String,
    /// Direction of the divergence between P and Q
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// Prove at least N significant digits of the parameter [default: 15, between two neighbouring doubles]
    ///
    /// Integer parameters are exact.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The method that computes a composed curve.
#[derive(Args, Clone, Copy, Debug)]
pub struct Engine {
    /// Compute with this method; independent methods can check each other
    #[arg(long, default_value = "auto", help_heading = ENGINE)]
    pub method: Method,
}

/// Whether an answer is explained.
#[derive(Args, Clone, Copy, Debug)]
pub struct Account {
    /// Explain how the answer was computed: method, error bounds, precision, work and time
    #[arg(long, help_heading = ENGINE)]
    pub explain: bool,
}

/// The budget of an answer.
#[derive(Args, Clone, Copy, Debug)]
pub struct Limits {
    /// Use at most BITS bits of working precision
    #[arg(long, help_heading = BUDGET, value_name = "BITS", default_value_t = Budget::DEFAULT_MAX_BITS)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_bits: u32,
    /// Stop an answer after N units of work, about two nanoseconds each [default: 3e10, without --digits 4e9]
    #[arg(long, help_heading = BUDGET, value_name = "N", allow_hyphen_values = true, value_parser = work)]
    pub work: Option<Work>,
    /// Stop an answer after SECONDS by the clock, and plan no more work than fits
    #[arg(long, help_heading = BUDGET, value_name = "SECONDS", default_value = "600")]
    #[arg(allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Duration,
    /// Use at most about MB megabytes of memory for one computation
    #[arg(long, help_heading = BUDGET, value_name = "MB", default_value_t = DEFAULT_MEGABYTES)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_memory: u32,
}

/// The work of an answer if it is not limited.
const WORK: Work = Work::seconds(60);

impl Limits {
    /// A budget whose clock starts now.
    pub fn budget(self) -> Budget {
        let budget = Budget::new(self.max_bits, Some(self.timeout));
        let budget = match self.work {
            Some(work) => budget.with_work(work),
            None => budget.patient(WORK),
        };
        budget.with_max_bytes(u64::from(self.max_memory) * 1_000_000)
    }
}

const DEFAULT_MEGABYTES: u32 = (Budget::DEFAULT_MAX_BYTES / 1_000_000) as u32;

/// [`Direction`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DirectionName {
    /// Both directions: the larger divergence; for beta, min(f, f^-1)**
    Worst,
    /// P against Q, H(P||Q); for beta, alpha is under P and beta under Q
    Forward,
    /// Q against P, H(Q||P); for beta, alpha is under Q and beta under P
    Backward,
}

impl From<DirectionName> for Direction {
    fn from(name: DirectionName) -> Self {
        match name {
            DirectionName::Worst => Direction::Worst,
            DirectionName::Forward => Direction::Forward,
            DirectionName::Backward => Direction::Backward,
        }
    }
}

/// The divergences without a parameter.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DivergenceKind {
    /// Kullback-Leibler divergence, E_P[ln(dP/dQ)]
    Kl,
    /// Total variation distance, sup of P(S) - Q(S)
    Tv,
    /// Max divergence, the supremum of ln(dP/dQ)
    Max,
    /// Chi-squared divergence, E_Q[(dP/dQ - 1)^2]
    Chi2,
}
