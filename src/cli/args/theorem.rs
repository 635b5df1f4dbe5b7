//! The arguments of `theorem`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

/// What is shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert theorem list
  dpcert theorem KOV-3.3
  dpcert theorem KOV-3.4 epsilon=1/10 times=30 slack=1e-3
  dpcert theorem KOV-3.4 epsilon=1/10 times=10,30,100 slack=1e-3..1e-6
  dpcert theorem DR-4.1 mu=5e-9 tau=1e-4 doublings=3 --digits 30";

/// A theorem, and the numbers that it is asked about.
#[derive(Args, Debug)]
pub struct Statement {
    /// A theorem to evaluate, `list`, or the name of any statement to find the command that answers it
    #[arg(value_name = "THEOREM")]
    pub id: String,
    /// The numbers, as in epsilon=1/10; of a list or a range each is asked about, as in slack=1e-3..1e-6
    #[arg(value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}
