//! The arguments of `loss`.

use clap::{Args, ValueEnum};

use super::Asking;
use crate::query::Under;

pub const EXAMPLES: &str = "Examples:
  dpcert loss 'gaussian(sigma=1)^10' --above 1
  dpcert loss 'poisson(rate=1/100, gaussian(sigma=1))^1000' --above 0..2:5 --under q
  dpcert loss 'randomized-response(epsilon=1)^20' --quantile 0.5,0.9,0.99
  dpcert loss 'laplace(scale=1)^3' --up-to 1 --direction backward --digits 20

Outcomes that only P has count as L = infinity, and outcomes that only Q has as L = -infinity. The loss of the backward
direction is -L, with P and Q exchanged. The default is --direction forward, since neither loss is the larger one.
--direction worst requires a symmetric pair.

If the pair only dominates the mechanism, the numbers are those of the dominating pair, not bounds for the mechanism.
A guarantee such as zcdp has no single loss distribution.";

/// Arguments of `loss`.
#[derive(Args, Debug)]
pub struct LossDistribution {
    /// Compute P[L > T] for any real constant T; or for several, as in 0.5,1,2 or 0..5
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["up_to", "quantile"])]
    pub above: Option<String>,
    /// Compute the distribution function P[L <= T] at T; or at several
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with = "quantile")]
    pub up_to: Option<String>,
    /// Compute the smallest t with P[L <= t] >= U, for U strictly between 0 and 1; or for several
    #[arg(long, value_name = "U", allow_hyphen_values = true)]
    pub quantile: Option<String>,
    /// Use probabilities under this distribution
    #[arg(long, value_enum, default_value = "p")]
    pub under: UnderName,
    #[command(flatten)]
    pub of: Asking,
}

/// [`Under`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum UnderName {
    /// Numerator of the likelihood ratio: P in the forward direction
    P,
    /// Denominator of the likelihood ratio: Q in the forward direction
    Q,
}

impl From<UnderName> for Under {
    fn from(name: UnderName) -> Self {
        match name {
            UnderName::P => Under::P,
            UnderName::Q => Under::Q,
        }
    }
}
