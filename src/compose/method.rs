//! The ways to a composed curve, by name: so that one can be asked for, and checked by another.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use enclosure::{Hint, Reason};

/// The method by which a composition is computed.
///
/// Every method returns proven enclosures, and the methods share little code. If two methods support the same
/// composition, their enclosures must overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Best method for the composition
    #[default]
    Auto,
    /// Closed form: Gaussian, (epsilon, delta) and Laplace mechanisms, also composed with finitely many losses
    ClosedForm,
    /// Lattice convolution: privacy losses that are multiples of one unit, and finite pairs
    Lattice,
    /// Enumeration of all sums of privacy losses, in two sorted halves: finitely many losses
    Enumeration,
    /// Trapezoid rule on a shifted contour: mechanisms with a moment generating function
    Quadrature,
    /// Trapezoid rule on another contour with other nodes, to check the first
    SecondContour,
    /// Privacy losses rounded to a common grid, down for one bound and up for the other
    Grid,
}

impl Method {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::ClosedForm => "closed-form",
            Method::Lattice => "lattice",
            Method::Enumeration => "enumeration",
            Method::Quadrature => "quadrature",
            Method::SecondContour => "second-contour",
            Method::Grid => "grid",
        }
    }

    /// That this method, asked for by name, cannot compose what is `here`: what it `needs` instead.
    pub(crate) fn refuses(self, needs: &str, here: &str) -> Error {
        let reason =
            Reason::from(format!("{} requires {needs}, but the composition contains {here}; try ", self.article()));
        Error::Undecided(reason.hint(Hint::Method(Method::Auto.name())))
    }

    fn article(self) -> &'static str {
        match self {
            Method::Auto => "the default method",
            Method::ClosedForm => "method closed-form",
            Method::Lattice => "method lattice",
            Method::Enumeration => "method enumeration",
            Method::Quadrature | Method::SecondContour => "method quadrature",
            Method::Grid => "method grid",
        }
    }
}
