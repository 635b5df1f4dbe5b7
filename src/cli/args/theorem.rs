//! The arguments of `theorem`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

/// Shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert theorem list
  dpcert theorem KOV-3.3
  dpcert theorem KOV-3.4 epsilon=1/10 times=30 slack=1e-3
  dpcert theorem KOV-3.4 epsilon=1/10 times=10,30,100 slack=1e-3..1e-6
  dpcert theorem DR-4.1 mu=5e-9 tau=1e-4 doublings=3 --digits 30";

/// Arguments of `theorem`.
#[derive(Args, Debug)]
pub struct Statement {
    /// Theorem to evaluate; `list` for all theorems; or a statement, to show the command that evaluates it
    #[arg(value_name = "THEOREM")]
    pub id: String,
    /// Parameters, as in epsilon=1/10; or a list or range of values, as in slack=1e-3..1e-6
    #[arg(value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// Prove at least N significant digits
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}
