//! What is asked of a composition, by which engine, and what it may cost: arguments of most commands.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::super::failure::Failure;
use super::{integer, seconds};
use crate::compose::Method;
use crate::curve::Direction;
use crate::query::Query;
use enclosure::Budget;

/// The headings of options that most questions leave alone.
const ENGINE: &str = "How it is computed";
const BUDGET: &str = "What it may cost";

/// A mechanism, and how the answer is wanted.
#[derive(Args, Debug)]
pub struct Question {
    /// A mechanism, such as 'gaussian(sigma=2)^10', or @file.toml, or @budgets.csv
    pub mechanism: String,
    /// Which of the two divergences of the pair
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven; 6 to 15, as they come cheaply, unless given
    ///
    /// Where fewer are proven within the budget, the answer is what is proven, with the reason, and exit code 3.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object a line
    ///
    /// `lower` and `upper` are rounded outward to one digit more than was asked for; `f64_lower` and `f64_upper` are
    /// the tightest doubles around what is proven, and may be tighter than these decimals: both pairs enclose the
    /// truth.
    #[arg(long)]
    pub json: bool,
    /// Print an exact fraction in full, however long
    #[arg(long)]
    pub exact: bool,
}

impl Question {
    /// Digits, for what has no cheaper ones.
    pub fn digits(&self) -> u32 {
        self.digits.unwrap_or(Query::DEFAULT_DIGITS)
    }

    /// Refuses a direction, for a command whose answer is the same in both.
    ///
    /// # Errors
    /// One line with the command and the reason.
    pub fn without_direction(&self, command: &str, because: &str) -> Result<(), Failure> {
        match self.direction {
            DirectionName::Worst => Ok(()),
            DirectionName::Forward | DirectionName::Backward => {
                Err(Failure::input(format!("{command} takes no --direction: {because}")))
            }
        }
    }
}

/// A mechanism, how the answer is wanted, by which engine, and with what account of it.
#[derive(Args, Debug)]
pub struct Asking {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub account: Account,
}

/// A mechanism with a `?`, and how the answer is wanted.
#[derive(Args, Debug)]
pub struct Inverse {
    /// A mechanism with one `?` in the place of a number, such as 'gaussian(sigma=?)^10' or 'gaussian(sigma=2)^?'
    pub mechanism: String,
    /// Which of the two divergences of the pair
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits of the number must be proven; those of two neighbouring doubles, 15, unless given
    ///
    /// Integers are exact.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How a composed curve is computed.
#[derive(Args, Clone, Copy, Debug)]
pub struct Engine {
    /// The kind of engine; different kinds check each other
    #[arg(long, default_value = "auto", help_heading = ENGINE)]
    pub method: Method,
}

/// Whether an answer tells how it was come by.
#[derive(Args, Clone, Copy, Debug)]
pub struct Account {
    /// Tell how the answer was reached: in two sentences, then the engine's choices, each error and its bound,
    /// precision, time
    #[arg(long, help_heading = ENGINE)]
    pub explain: bool,
}

/// What an answer may cost.
#[derive(Args, Clone, Copy, Debug)]
pub struct Limits {
    /// The most bits of working precision
    #[arg(long, help_heading = BUDGET, value_name = "BITS", default_value_t = Budget::DEFAULT_MAX_BITS)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_bits: u32,
    /// The most seconds an answer may take
    #[arg(long, help_heading = BUDGET, value_name = "SECONDS", default_value = "60")]
    #[arg(allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Duration,
    /// The most megabytes of memory for one computation, about
    #[arg(long, help_heading = BUDGET, value_name = "MB", default_value_t = DEFAULT_MEGABYTES)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_memory: u32,
}

const DEFAULT_MEGABYTES: u32 = (Budget::DEFAULT_MAX_BYTES / 1_000_000) as u32;

/// [`Direction`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DirectionName {
    /// Both orders together: the larger divergence, and for beta min(f, f^-1)**, the convex hull of both errors
    Worst,
    /// H(P||Q), P the first distribution; for beta: alpha under P, beta under Q
    Forward,
    /// H(Q||P); for beta: alpha under Q, beta under P
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

/// The divergences that need no point.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DivergenceKind {
    /// Kullback-Leibler
    Kl,
    /// Total variation distance
    Tv,
    /// Max divergence
    Max,
    /// Chi-squared
    Chi2,
}
