//! The arguments of `risk` and `canonical-noise`.

use clap::Args;

use super::{Account, Engine, Question};

/// Arguments of `risk`.
#[derive(Args, Debug)]
pub struct Risks {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub account: Account,
    /// Compute the true positive rate at false positive rate A, or at several, as in 1e-1..1e-4; repeatable
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub fpr: Vec<String>,
    /// Compute the Bayes risk at prior P of the second data set, or at several, as in 0.1,0.5; repeatable
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub prior: Vec<String>,
}

/// Arguments of `canonical-noise`.
#[derive(Args, Debug)]
pub struct CanonicalNoise {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    /// Compute the distribution function at X, in units of the sensitivity; or at several, as in -2..2:9
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Compute the quantile at probability P, or at several, as in 0.5,0.9,0.975
    #[arg(long, value_name = "P", allow_hyphen_values = true, conflicts_with = "at")]
    pub quantile: Option<String>,
}
