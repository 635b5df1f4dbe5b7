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

Central limit theorems and Edgeworth expansions are no bounds: `no certificate` is said of them.";

pub const FUNCTIONAL_EXAMPLES: &str = "Examples:
  dpcert functional kappa3bar 'laplace(scale=1)'
  dpcert functional cumulant 'poisson(rate=1/100, gaussian(sigma=1))' --order 4
  dpcert functional renyi 'geometric(epsilon=1)' --order inf
  dpcert functional zcdp 'laplace(scale=1)^10'";

pub const CONCENTRATED_EXAMPLES: &str = "Examples:
  dpcert concentrated 'laplace(scale=1)^10'
  dpcert concentrated 'gaussian(sigma=1)' --mu 1/2 --tau 1
  dpcert concentrated 'cdp(mu=1/2, tau=1)^10 * cdp(mu=1/8, tau=1/2)'

A mechanism is (mu, tau)-concentrated (Dwork, Rothblum 2016) if its privacy loss has a mean of at most mu and, less the
mean, a subgaussian standard of at most tau, in both orders of the neighbours. X has a standard of at most tau if
E e^(t X) <= e^(t^2 tau^2/2) for all real t. Of guarantees the mu add up, and so do the squares of the tau.";

/// `dpcert concentrated`.
#[derive(Args, Debug)]
pub struct Concentrated {
    #[command(flatten)]
    pub question: Question,
    /// Ask whether the mean is at most MU and the standard at most that of --tau
    #[arg(long, value_name = "MU", allow_hyphen_values = true, requires = "tau")]
    pub mu: Option<String>,
    /// The largest standard that is allowed beside --mu
    #[arg(long, value_name = "TAU", allow_hyphen_values = true, requires = "mu")]
    pub tau: Option<String>,
}

/// `dpcert approximate`.
#[derive(Args, Debug)]
pub struct Approximate {
    /// Which theorem
    pub kind: Theorem,
    #[command(flatten)]
    pub question: Question,
    /// Ask for a delta at this epsilon, or at many, as in 0.5,1,2
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    #[arg(required_unless_present_any = ["delta", "alpha"], conflicts_with_all = ["delta", "alpha"])]
    pub epsilon: Option<String>,
    /// Ask for an epsilon at this delta, between 0 and 1, or at many, as in 1e-6..1e-10
    #[arg(long, value_name = "D", allow_hyphen_values = true, conflicts_with = "alpha")]
    pub delta: Option<String>,
    /// Ask for a type II error at this type I error, between 0 and 1, or at many
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub alpha: Option<String>,
    /// The order of an Edgeworth expansion; 2 unless given
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(0, edgeworth::HIGHEST))]
    pub order: Option<u32>,
    /// Which central limit theorem; by what the mechanisms are unless given
    #[arg(long)]
    pub form: Option<FormName>,
    /// Leave the exact value out
    #[arg(long)]
    pub alone: bool,
}

/// `dpcert functional`.
#[derive(Args, Debug)]
pub struct Functional {
    /// Which functional
    pub kind: Kind,
    #[command(flatten)]
    pub question: Question,
    /// The order of a cumulant, from 1 to 5, or of a Renyi divergence: from 1 on, or inf; or many, as in 1..5
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub order: Option<String>,
}

/// The functionals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The mean of the loss
    Kl,
    /// The mean of its square
    Kappa2,
    /// The mean of its absolute cube
    Kappa3,
    /// The mean of the absolute cube of loss minus kl
    Kappa3bar,
    /// kappa2 - kl^2
    Variance,
    /// A cumulant of the loss
    Cumulant,
    /// int (|f'| - 1)_+^2, of a symmetric trade-off function
    #[value(name = "chi2-plus")]
    PositiveChi2,
    /// Total variation
    Tv,
    /// The squared Hellinger distance
    Hellinger,
    /// The Jensen-Shannon divergence
    JensenShannon,
    /// The Vincze-Le Cam divergence
    LeCam,
    /// The KL divergence of the antipodal replacement, epsilon times total variation
    AntipodalKl,
    /// The subgaussian standard of the loss about its mean: the tau of (mu, tau)-concentration
    Subgaussian,
    /// The least rho of zero-concentrated privacy
    Zcdp,
    /// The Renyi divergence of an order from 1 (kl) to inf (max)
    Renyi,
    /// The max divergence
    Max,
    /// Chi-squared
    Chi2,
}

/// As typed.
pub fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}
