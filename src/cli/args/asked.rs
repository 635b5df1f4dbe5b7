//! The commands that are asked most, which are read without defining the others.

use clap::Subcommand;

use super::Asking;

/// Values of a curve.
#[derive(Debug, Subcommand)]
pub enum Asked {
    /// The privacy profile: the least delta for an epsilon
    #[command(after_help = "Example: dpcert delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30")]
    Delta {
        /// Any real constant, such as 1, 0.1, ln(3/2) or '2.56 + 2*sqrt(2.56*ln(1e11))'; or many, as in 0.5,1,2 or 0..5
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        epsilon: String,
        #[command(flatten)]
        of: Asking,
    },
    /// The least epsilon >= 0 for a delta
    #[command(after_help = "Example: dpcert epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11")]
    Epsilon {
        /// Between 0 and 1; or many, as in 1e-5,1e-6 or 1e-6..1e-10
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta: String,
        #[command(flatten)]
        of: Asking,
    },
    /// The trade-off function: the least type II error at a type I error
    #[command(after_help = "Example: dpcert beta 'gaussian(sigma=1)' --alpha 0.05")]
    Beta {
        /// Between 0 and 1; or many, as in 0.01,0.05 or 0..1:11
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        alpha: String,
        #[command(flatten)]
        of: Asking,
    },
}
