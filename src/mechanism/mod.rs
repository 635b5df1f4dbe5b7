//! Mechanisms, each with its pair of distributions, and the expression language that composes them.
//!
//! A mechanism and a pair of neighbours give two output distributions: P, the *first*, and Q. Each file here documents
//! the pair, the privacy loss `ln(dP/dQ)` and the parameter domains of one mechanism. It defines the pair once, in
//! [`Mechanism::pair`], and its name and parameters once, in an [`Entry`] that the parsers, their error messages and
//! the help share. A new mechanism is one file and one row of `mechanisms!` below.
//!
//! A [`Composition`] lists mechanisms and the number of runs of each. Its grammar is
//!
//! ```text
//! composition = repeated { "*" repeated }
//! repeated    = single [ "^" count ]
//! single      = mechanism | "(" composition ")" | "@" file [ ":" part ]
//! mechanism   = name "(" [ argument { "," argument } ] ")"
//! argument    = parameter "=" value | inner | weight ":" inner
//! value       = constant | "[" constant { "," constant } "]" | inner
//! weight      = constant | "rest"
//! inner       = composition
//! ```
//!
//! where a constant is what [`Real`] parses, and a count is a constant that is an integer from 0 to 2^63. A file is
//! TOML, or an [`Allocation`] of budgets in CSV, of which a part may be named. The pair of a composition is the pair of
//! product distributions.
//!
//! Operators such as `poisson`, `group` and `subsample` act on a composition, which is given without a name,
//! `poisson(rate=1/100, gaussian(sigma=1))`, or by the name `mechanism`. `mixture` takes several compositions, each
//! with its weight: `mixture(1/3: gdp(mu=1), 2/3: laplace(scale=1)^2)`. One weight may be `rest`, the remainder.
//!
//! A shorthand expands to a composition: `dp-sgd(...)` to Poisson samples (`dp_sgd.rs`), `noisy-gd(...)` and
//! `noisy-sgd(...)` to bounds of a last iterate (`noisy_gd.rs`, `noisy_sgd.rs`). The expansion is described by a note
//! that is stored with the composition.
//!
//! In a [`Template`] one constant of a parameter, one count, or one weight beside a `rest`, is a `?`, the unknown of a
//! calibration.

mod abbreviation;
mod allocation;
mod approx_dp;
mod argument;
mod biconjugate;
mod build;
mod catalogue;
mod cdp;
pub(crate) mod check;
mod composition;
mod discrete_gaussian;
mod dp_sgd;
mod f_dp;
mod file;
mod finite;
mod gaussian;
mod gdp;
mod geometric;
mod group;
mod heading;
mod json;
mod k_randomized_response;
mod laplace;
mod meaning;
mod mixture;
mod noisy_cgd;
mod noisy_gd;
mod noisy_sgd;
mod orders;
mod parse;
mod points;
mod poisson;
mod pure_dp;
mod randomized_response;
mod rdp;
mod shuffle;
mod shuffle_clones;
mod staircase;
mod subsample;
mod template;
mod words;
mod zcdp;

use std::fmt;

pub use self::abbreviation::abbreviations;
#[cfg(feature = "cli")]
pub use self::allocation::{Allocation, Cell, Paths, pair_of_paths};
pub use self::approx_dp::ApproxDp;
pub use self::argument::Argument;
pub use self::catalogue::{Domain, Entry, Parameter, Presence, Trend};
pub use self::cdp::Cdp;
pub use self::composition::Composition;
pub use self::discrete_gaussian::DiscreteGaussian;
pub use self::f_dp::FDp;
#[cfg(feature = "cli")]
pub use self::file::levels as steps_by_level;
pub use self::finite::Finite;
pub use self::gaussian::Gaussian;
pub use self::gdp::Gdp;
pub use self::geometric::Geometric;
pub use self::group::{Group, GroupOneWay};
pub use self::k_randomized_response::KRandomizedResponse;
pub use self::laplace::Laplace;
pub(crate) use self::meaning::{Cause, Standing};
pub use self::mixture::Mixture;
pub use self::noisy_cgd::NoisyCgd;
pub use self::orders::{Hull, Inverse, Symmetrize};
pub use self::points::{ProfilePoints, TradeOffPoints};
pub use self::poisson::Poisson;
pub use self::pure_dp::PureDp;
pub use self::randomized_response::RandomizedResponse;
pub use self::rdp::Rdp;
pub use self::shuffle::Shuffle;
pub use self::shuffle_clones::ShuffleClones;
pub use self::staircase::Staircase;
pub use self::subsample::Subsample;
pub use self::template::{Place, Template};
#[cfg(feature = "cli")]
pub use self::words::elsewhere;
pub use self::zcdp::Zcdp;

use self::catalogue::Misfit;
use crate::error::Error;
use crate::pair::Pair;
use enclosure::Real;

macro_rules! mechanisms {
    ($($(#[$doc:meta])* $variant:ident),* $(,)?) => {
        /// One mechanism, run once.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Mechanism {
            $($(#[$doc])* $variant($variant),)*
        }

        impl Mechanism {
            /// The catalogue of all mechanisms: names, parameters and descriptions.
            pub fn catalogue() -> &'static [Entry] {
                &[$($variant::ENTRY),*]
            }

            /// The entry of this mechanism.
            pub fn entry(&self) -> &'static Entry {
                match self {
                    $(Mechanism::$variant(_) => &$variant::ENTRY,)*
                }
            }

            /// The arguments in the order of the catalogue, those at their default included.
            pub fn arguments(&self) -> Vec<(&'static str, Argument)> {
                match self {
                    $(Mechanism::$variant(mechanism) => mechanism.arguments(),)*
                }
            }

            /// The pair of output distributions.
            ///
            /// # Errors
            /// Those of constants that are computed from the parameters.
            pub fn pair(&self) -> Result<Pair, Error> {
                match self {
                    $(Mechanism::$variant(mechanism) => mechanism.pair(),)*
                }
            }
        }

        $(impl From<$variant> for Mechanism {
            fn from(mechanism: $variant) -> Self {
                Mechanism::$variant(mechanism)
            }
        })*
    };
}

mechanisms! {
    /// Worst-case (epsilon, delta)-DP mechanism.
    ApproxDp,
    /// Randomized response on one bit.
    RandomizedResponse,
    /// Randomized response on one of k answers.
    KRandomizedResponse,
    /// Gaussian noise.
    Gaussian,
    /// Gaussian differential privacy.
    Gdp,
    /// Laplace noise.
    Laplace,
    /// Two-sided geometric noise.
    Geometric,
    /// Staircase noise.
    Staircase,
    /// Discrete Gaussian noise.
    DiscreteGaussian,
    /// Custom finite pair.
    Finite,
    /// Shuffled reports.
    Shuffle,
    /// Shuffled reports, by the clones bound for every local mechanism.
    ShuffleClones,
    /// Last iterate of noisy cyclic gradient descent.
    NoisyCgd,
    /// Poisson subsampling of another mechanism.
    Poisson,
    /// Guarantee of epsilon-DP.
    PureDp,
    /// Guarantee of f-DP.
    FDp,
    /// Guarantee of rho-zCDP.
    Zcdp,
    /// Guarantee of (order, epsilon)-RDP.
    Rdp,
    /// Guarantee of (mu, tau)-CDP.
    Cdp,
    /// Subsampling without replacement.
    Subsample,
    /// Group privacy for records that are each added or removed.
    Group,
    /// Group privacy for records that are all added or all removed.
    GroupOneWay,
    /// A composition with P and Q exchanged.
    Inverse,
    /// The larger trade-off function of both directions.
    Symmetrize,
    /// The worse of both directions.
    Hull,
    /// One of several compositions, drawn at random; the output shows which.
    Mixture,
    /// Trade-off function given by points.
    TradeOffPoints,
    /// Several (epsilon, delta) guarantees at once.
    ProfilePoints,
}

/// The parameter of operators: any composition.
const COMPOSITION_INSIDE: Parameter = Parameter {
    name: "mechanism",
    domain: Domain::Mechanism,
    presence: Presence::Required,
    loss: Trend::Unknown,
    meaning: "mechanism or composition to act on, such as gaussian(sigma=1)^10; written without `mechanism=`",
};

impl Mechanism {
    /// The name in expressions.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// Is it a guarantee rather than a mechanism? Answers are then bounds for every mechanism that satisfies it.
    pub fn is_guarantee(&self) -> bool {
        match self {
            Mechanism::PureDp(_) | Mechanism::FDp(_) => true,
            Mechanism::Zcdp(_) | Mechanism::Rdp(_) | Mechanism::Cdp(_) => true,
            // An operator on a guarantee is a guarantee.
            other => other.arguments().iter().any(|(_, argument)| match argument {
                Argument::Mechanism(inside) => inside.has_guarantee(),
                Argument::Mechanisms(inside) => inside.iter().any(Composition::has_guarantee),
                Argument::Constant(_) | Argument::List(_) => false,
            }),
        }
    }

    /// A `rho` such that every Renyi divergence of order a is at most `a rho` in both directions, for noise whose
    /// privacy loss is not monotone in its parameter; `None` if none is known.
    pub(crate) fn concentration(&self) -> Option<rug::Rational> {
        match self {
            Mechanism::DiscreteGaussian(mechanism) => Some(mechanism.concentration()),
            _ => None,
        }
    }

    /// The arguments that differ from their default, which are printed.
    pub fn explicit_arguments(&self) -> Vec<(&'static str, Argument)> {
        let mut arguments = self.arguments();
        arguments.retain(|(name, value)| !self.entry().is_default(name, value));
        arguments
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name())?;
        if let Mechanism::Mixture(mixture) = self {
            return write!(f, "{mixture})");
        }
        for (index, (name, value)) in self.explicit_arguments().iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            match value {
                // The one argument that needs no name.
                Argument::Mechanism(inner) => write!(f, "{comma}{inner}")?,
                Argument::Constant(_) | Argument::List(_) | Argument::Mechanisms(_) => {
                    write!(f, "{comma}{name}={value}")?;
                }
            }
        }
        write!(f, ")")
    }
}

/// The error for a guarantee where a pair is needed.
fn no_pair(name: &str) -> Error {
    Error::Undefined(format!("{name} is a guarantee without a pair of distributions, so this quantity has no value"))
}

#[cfg(test)]
mod tests;
