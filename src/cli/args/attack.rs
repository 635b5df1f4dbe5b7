//! The arguments of `risk` and `canonical-noise`.

use clap::Args;

use super::{Account, Engine, Question};

/// Whose risks, and at which rates and priors.
#[derive(Args, Debug)]
pub struct Risks {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub account: Account,
    /// Ask for the true positive rate at this false positive rate, or at many, as in 1e-1..1e-4; may be given more than
    /// once
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub fpr: Vec<String>,
    /// Ask for the least probability of error with this prior of the second data set, or with many; may be given more
    /// than once
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub prior: Vec<String>,
}

/// For which mechanism, and where.
#[derive(Args, Debug)]
pub struct CanonicalNoise {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub engine: Engine,
    /// Ask for the distribution function here, in units of the sensitivity; or at many places, as in -2..2:9
    #[arg(long, value_name = "X", allow_hyphen_values = true, required_unless_present = "quantile")]
    pub at: Option<String>,
    /// Ask for the quantile at this probability, or at many, as in 0.5,0.9,0.975
    #[arg(long, value_name = "P", allow_hyphen_values = true, conflicts_with = "at")]
    pub quantile: Option<String>,
}
