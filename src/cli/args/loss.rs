//! The arguments of `loss`.

use clap::{Args, ValueEnum};

use super::Asking;
use crate::query::Under;

pub const EXAMPLES: &str = "Examples:
  dpcert loss 'gaussian(sigma=1)^10' --above 1
  dpcert loss 'poisson(rate=1/100, gaussian(sigma=1))^1000' --above 0..2:5 --under q
  dpcert loss 'randomized-response(epsilon=1)^20' --quantile 0.5,0.9,0.99
  dpcert loss 'laplace(scale=1)^3' --up-to 1 --direction backward --digits 20

The privacy loss is L = ln(dP/dQ) at a random output. Outcomes that only P has count as L = infinity, and outcomes that
only Q has as L = -infinity. The loss of the other order is -L, with P and Q exchanged, so there is no larger one of
both orders: the default is --direction forward, and `worst` is for symmetric pairs.

A pair that only bounds a mechanism does not bound the distribution of its loss. The answer then says that the number
is that of the pair. What a guarantee such as zcdp allows has no single loss distribution.";

/// Which values of the loss distribution.
#[derive(Args, Debug)]
pub struct LossDistribution {
    /// Print P[L > T] for any real constant T; or for many, as in 0.5,1,2 or 0..5
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["up_to", "quantile"])]
    pub above: Option<String>,
    /// Print P[L <= T], the distribution function, at T or at many
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with = "quantile")]
    pub up_to: Option<String>,
    /// Print the smallest t with P[L <= t] >= U, for U strictly between 0 and 1, or for many
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
    /// The numerator of the likelihood ratio: P forward
    P,
    /// Its denominator: Q forward
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
