//! The most frequent commands, which are parsed without defining the others.

use clap::Subcommand;

use super::Asking;

/// Commands that evaluate one curve.
#[derive(Debug, Subcommand)]
pub enum Asked {
    /// Compute delta for a given epsilon (the privacy profile)
    ///
    /// delta(epsilon) = sup over events S of P(S) - e^epsilon Q(S)
    #[command(after_help = "Example: dpcert delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30")]
    Delta {
        /// Any real constant, such as 1, ln(3/2) or '2.56 + 2*sqrt(2.56*ln(1e11))'; or several, as in 0.5,1,2 or 0..5
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        epsilon: String,
        #[command(flatten)]
        of: Asking,
    },
    /// Compute the smallest epsilon >= 0 for a given delta
    ///
    /// epsilon(delta) = min { epsilon >= 0 : sup over events S of P(S) - e^epsilon Q(S) <= delta }
    #[command(after_help = "Example: dpcert epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11")]
    Epsilon {
        /// Delta between 0 and 1; or several, as in 1e-5,1e-6 or 1e-6..1e-10
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta: String,
        #[command(flatten)]
        of: Asking,
    },
    /// Compute the type II error for a given type I error (the trade-off function)
    ///
    /// f(alpha) = smallest type II error of a test of P against Q with type I error at most alpha
    #[command(after_help = "Example: dpcert beta 'gaussian(sigma=1)' --alpha 0.05")]
    Beta {
        /// Type I error between 0 and 1; or several, as in 0.01,0.05 or 0..1:11
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        alpha: String,
        #[command(flatten)]
        of: Asking,
    },
}
