//! The ways to a composed curve, by name: so that one can be asked for, and checked by another.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use enclosure::{Hint, Reason};

/// By which kind of engine a composition is computed.
///
/// All of them certify what they answer, and they share little: where two can do the same composition, their enclosures
/// must overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The best one for the composition
    #[default]
    Auto,
    /// A formula: Gaussians, (epsilon, delta) mechanisms, Laplace noise, beside finitely many losses too
    ClosedForm,
    /// All losses with their masses: mechanisms whose losses are multiples of one unit, finite pairs
    Lattice,
    /// All sums of losses, in two sorted halves: mechanisms with finitely many losses
    Enumeration,
    /// The trapezoid rule on a shifted contour: what has a moment generating function
    Quadrature,
    /// The same on another contour with other nodes: it checks the first
    SecondContour,
    /// Losses rounded to a common grid, down for one bound and up for the other
    Grid,
}

impl Method {
    /// Its name on the command line and in JSON.
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
        let reason = Reason::from(format!("{} needs {needs}; here are {here}; try ", self.article()));
        Error::Undecided(reason.hint(Hint::Method(Method::Auto.name())))
    }

    fn article(self) -> &'static str {
        match self {
            Method::Auto => "an engine",
            Method::ClosedForm => "the closed form",
            Method::Lattice => "a lattice",
            Method::Enumeration => "the enumeration",
            Method::Quadrature | Method::SecondContour => "the quadrature",
            Method::Grid => "the grid",
        }
    }
}
