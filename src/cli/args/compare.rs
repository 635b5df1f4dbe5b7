//! The arguments of `compare`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

/// Shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert compare 'gaussian(sigma=4)^10' --delta 1e-5
  dpcert compare 'randomized-response(epsilon=1/10)^100' --epsilon 2 --csv

Each row is marked as a bound, an approximation or exact, with its ratio to the exact value.

A step with unbounded privacy loss has no pure epsilon. With --delta, an accounting method that needs one spends half
of delta on such steps, in equal shares, and uses the exact epsilon of each step at its share.";

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct Contest {
    /// Mechanism, such as 'gaussian(sigma=2)^10', or @file.toml or @budgets.csv
    pub mechanism: String,
    /// Compare epsilons at this delta, between 0 and 1; or at several, as in 1e-6..1e-10
    #[arg(long, value_name = "D", allow_hyphen_values = true, conflicts_with = "epsilon")]
    pub delta: Option<String>,
    /// Compare deltas at this epsilon, any real constant; or at several, as in 0.5,1,2
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// Prove at least N significant digits
    #[arg(long, value_name = "N", default_value_t = 6, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Print a CSV table with the lower and upper bound of each number
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}
