//! The arguments of `approximate` and `functional`.

use clap::{Args, ValueEnum};

use super::{Question, integer};
use crate::theorem::clt::Form;
use crate::theorem::{edgeworth, functional};

pub const APPROXIMATE_EXAMPLES: &str = "Examples:
  dpcert approximate edgeworth 'poisson(rate=1/100, gaussian(sigma=1))^1000' --delta 1e-5 --order 2
  dpcert approximate berry-esseen 'randomized-response(epsilon=0.1)^100' --alpha 0.1
  dpcert approximate clt 'poisson(rate=1/100, gaussian(sigma=1))^1000' --form uniform --epsilon 1

Central limit theorems and Edgeworth expansions are no bounds: `no certificate` is said of them.";

pub const FUNCTIONAL_EXAMPLES: &str = "Examples:
  dpcert functional kappa3bar 'laplace(scale=1)'
  dpcert functional cumulant 'poisson(rate=1/100, gaussian(sigma=1))' --order 4
  dpcert functional renyi 'geometric(epsilon=1)' --order inf";

/// Digits of approximations, unless more are asked for.
pub const DIGITS: u32 = 6;

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

/// The theorems about long compositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theorem {
    /// The limit, a Gaussian mechanism: no bound
    Clt,
    /// Bounds on both sides of the limit
    BerryEsseen,
    /// The limit with corrections: no bound
    Edgeworth,
    /// Upper bounds for `shuffle` by the closed form of 2022
    Clones,
    /// Upper bounds for `shuffle` by the closed form of 2023
    StrongerClones,
    /// An upper bound for `noisy-cgd` by Renyi divergences
    ShiftedRenyi,
}

/// [`Form`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// mu = 2 sum kl/sqrt(sum (kappa_2 - kl^2))
    Centred,
    /// mu = 2 sum kl/sqrt(sum kappa_2)
    Printed,
    /// mu^2 = sum epsilon^2 for (epsilon, delta) mechanisms, and failure 1 - e^(-sum delta)
    Worst,
    /// mu^2 = sum r^2 chi^2 for Poisson samples
    Poisson,
    /// mu^2 = 2 sum r^2 chi^2_+ for batches of a fixed size, one record replaced
    Uniform,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Centred => Form::Centred,
            FormName::Printed => Form::Printed,
            FormName::Worst => Form::Worst,
            FormName::Poisson => Form::Poisson,
            FormName::Uniform => Form::Uniform,
        }
    }
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
    /// The Renyi divergence of an order from 1 (kl) to inf (max)
    Renyi,
    /// The max divergence
    Max,
    /// Chi-squared
    Chi2,
}

impl Kind {
    /// Does no map of the outcomes raise it? So it is with all that are divergences.
    pub fn is_divergence(self) -> bool {
        !matches!(self, Kind::Kappa2 | Kind::Kappa3 | Kind::Kappa3bar | Kind::Variance | Kind::Cumulant)
    }

    /// Where it is a functional of the loss; `None` for the others.
    pub fn of_loss(self, order: u32) -> Option<functional::Functional> {
        use functional::Functional;
        Some(match self {
            Kind::Kl | Kind::Tv | Kind::Renyi | Kind::Max | Kind::Chi2 => return None,
            Kind::Kappa2 => Functional::Kappa2,
            Kind::Kappa3 => Functional::Kappa3,
            Kind::Kappa3bar => Functional::Kappa3Bar,
            Kind::Variance => Functional::Variance,
            Kind::Cumulant => Functional::Cumulant(order),
            Kind::PositiveChi2 => Functional::PositiveChiSquared,
            Kind::Hellinger => Functional::Hellinger,
            Kind::JensenShannon => Functional::JensenShannon,
            Kind::LeCam => Functional::LeCam,
        })
    }
}

/// As typed.
pub fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}
