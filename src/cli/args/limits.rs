//! The arguments of `approximate` and `functional`.

use clap::{Args, ValueEnum};

use super::{Question, integer};
use crate::approximate::{FormName, Theorem};
use crate::theorem::edgeworth;

pub const APPROXIMATE_EXAMPLES: &str = "Examples:
  dpcert approximate edgeworth 'poisson(rate=1/100, gaussian(sigma=1))^1000' --delta 1e-5 --order 2
  dpcert approximate berry-esseen 'randomized-response(epsilon=0.1)^100' --alpha 0.1
  dpcert approximate clt-rate 'randomized-response(epsilon=0.1)^100' --alpha 0.1
  dpcert approximate clt 'subsample(rate=1/100, gaussian(sigma=1))^1000' --form uniform --epsilon 1

Central limit theorems and Edgeworth expansions are approximations: an answer marks them `not certified`.";

pub const FUNCTIONAL_EXAMPLES: &str = "Examples:
  dpcert functional kappa3bar 'laplace(scale=1)'
  dpcert functional cumulant 'poisson(rate=1/100, gaussian(sigma=1))' --order 4
  dpcert functional renyi 'geometric(epsilon=1)' --order inf
  dpcert functional zcdp 'laplace(scale=1)^10'";

pub const CONCENTRATED_EXAMPLES: &str = "Examples:
  dpcert concentrated 'laplace(scale=1)^10'
  dpcert concentrated 'gaussian(sigma=1)' --mu 1/2 --tau 1
  dpcert concentrated 'cdp(mu=1/2, tau=1)^10 * cdp(mu=1/8, tau=1/2)'

A mechanism is (mu, tau)-concentrated (Dwork, Rothblum 2016) if, in both directions, its privacy loss L satisfies
E[L] <= mu, and L - E[L] has a subgaussian parameter of at most tau. X has a subgaussian parameter of at most tau
if E[e^(t X)] <= e^(t^2 tau^2/2) for all real t. Under composition, mu and tau^2 add up.";

/// `dpcert concentrated`.
#[derive(Args, Debug)]
pub struct Concentrated {
    #[command(flatten)]
    pub question: Question,
    /// Check that the mean is at most MU, and the subgaussian parameter at most that of --tau
    #[arg(long, value_name = "MU", allow_hyphen_values = true, requires = "tau")]
    pub mu: Option<String>,
    /// With --mu, check that the subgaussian parameter is at most TAU
    #[arg(long, value_name = "TAU", allow_hyphen_values = true, requires = "mu")]
    pub tau: Option<String>,
}

/// `dpcert approximate`.
#[derive(Args, Debug)]
pub struct Approximate {
    /// Theorem
    pub kind: Theorem,
    #[command(flatten)]
    pub question: Question,
    /// Compute delta at this epsilon, or at several, as in 0.5,1,2
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["delta", "alpha"])]
    pub epsilon: Option<String>,
    /// Compute epsilon at this delta between 0 and 1, or at several, as in 1e-6..1e-10
    #[arg(long, value_name = "D", allow_hyphen_values = true, conflicts_with = "alpha")]
    pub delta: Option<String>,
    /// Compute the type II error at this type I error between 0 and 1, or at several
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub alpha: Option<String>,
    /// Order of the Edgeworth expansion [default: 2]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(0, edgeworth::HIGHEST))]
    pub order: Option<u32>,
    /// Form of the central limit theorem [default: chosen by the mechanisms]
    #[arg(long)]
    pub form: Option<FormName>,
    /// Omit the exact value
    #[arg(long)]
    pub alone: bool,
}

/// `dpcert functional`.
#[derive(Args, Debug)]
pub struct Functional {
    /// Functional
    pub kind: Kind,
    #[command(flatten)]
    pub question: Question,
    /// Order of a cumulant (1 to 5) or of a Renyi divergence (at least 1, or inf); or several, as in 1..5
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub order: Option<String>,
}

/// The functionals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Mean of the privacy loss L
    Kl,
    /// Mean of L^2
    Kappa2,
    /// Mean of |L|^3
    Kappa3,
    /// Mean of |L - kl|^3
    Kappa3bar,
    /// kappa2 - kl^2
    Variance,
    /// Cumulant of L of order --order
    Cumulant,
    /// Integral of (|f'| - 1)_+^2, for a symmetric trade-off function f
    #[value(name = "chi2-plus")]
    PositiveChi2,
    /// Total variation distance
    Tv,
    /// Squared Hellinger distance
    Hellinger,
    /// Jensen-Shannon divergence
    JensenShannon,
    /// Vincze-Le Cam divergence
    LeCam,
    /// KL divergence of the antipodal pair: epsilon times total variation
    AntipodalKl,
    /// Subgaussian parameter of L - E[L]: the tau of (mu, tau)-concentration
    Subgaussian,
    /// Smallest rho for which the mechanism is rho-zCDP
    Zcdp,
    /// Renyi divergence of an order from 1 (kl) to inf (max)
    Renyi,
    /// Max divergence
    Max,
    /// Chi-squared divergence
    Chi2,
}

/// Name of a value on the command line.
pub fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}
