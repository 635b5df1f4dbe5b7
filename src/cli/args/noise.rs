//! The arguments of `noise`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

pub const EXAMPLES: &str = "Examples:
  dpcert noise 'laplace(scale=3)' --tail 10
  dpcert noise 'gaussian(sigma=2)^10' --quantile 0.95
  dpcert noise 'discrete-gaussian(sigma2=120000/1729)^9' --tail 0..40:5 --digits 20
  dpcert noise 'dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=60)'

The noise is that of gaussian, laplace, geometric, staircase or discrete-gaussian. It has mean 0 and does not depend on
the sensitivity. Numbers are in units of the query; for staircase the unit is the length of a step. For a power, a
product with equal noise, a sample or a group, the numbers are those of each single answer.

--tail is strict: P[|Z| > T]. For integer noise, P[|Z| >= 10] is --tail 9.";

/// Arguments of `noise`.
#[derive(Args, Debug)]
pub struct NoiseArguments {
    /// Mechanism that adds noise, such as 'laplace(scale=3)' or 'gaussian(sigma=2)^10'
    pub mechanism: String,
    /// Compute P[|Z| > T] for any real constant T; or for several, as in 1,2,3 or 0..10:6
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub tail: Vec<String>,
    /// Compute the smallest T with P[|Z| <= T] >= U, for U strictly between 0 and 1; or for several
    #[arg(long, value_name = "U", allow_hyphen_values = true)]
    pub quantile: Vec<String>,
    /// Prove at least N significant digits
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    #[command(flatten)]
    pub limits: Limits,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print exact fractions in full, whatever their length
    #[arg(long)]
    pub exact: bool,
}
