//! The arguments of `compare`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

/// What is shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert compare 'gaussian(sigma=4)^10' --delta 1e-5
  dpcert compare 'randomized-response(epsilon=1/10)^100' --epsilon 2 --csv

Steps with losses of any size have no epsilon of their own. At a delta, the accounts that need one give such steps
half of delta in equal shares, and each step its exact epsilon at its share.";

/// A composition on which the accounts are compared.
#[derive(Args, Debug)]
pub struct Contest {
    /// A mechanism, such as 'gaussian(sigma=2)^10', or @file.toml, or @budgets.csv
    pub mechanism: String,
    /// Compare the epsilons at this delta, between 0 and 1, or at many, as in 1e-6..1e-10
    #[arg(long, value_name = "D", allow_hyphen_values = true, required_unless_present = "epsilon")]
    #[arg(conflicts_with = "epsilon")]
    pub delta: Option<String>,
    /// Compare the deltas at this epsilon: any real constant, or many, as in 0.5,1,2
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven
    #[arg(long, value_name = "N", default_value_t = 6, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Print a table with both ends of each number
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}
