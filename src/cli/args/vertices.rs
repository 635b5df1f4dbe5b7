//! The arguments of `vertices`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DirectionName, Limits};
use crate::print::Face;

pub const EXAMPLES: &str = "Examples:
  dpcert vertices 'randomized-response(epsilon=ln(3))^2'
  dpcert vertices 'group(k=2, randomized-response(epsilon=1))' --kind profile
  dpcert vertices 'poisson(rate=1/4, geometric(epsilon=ln(2)))' --direction backward --csv -
  dpcert vertices 'biconjugate(alpha=[0,1/4,1/2,1], beta=[9/10,3/5,1/10,0])'

For f = T(P,Q), with P and Q as documented by the mechanism:
  worst     min(f, f^-1)**, whose profile is the larger of H(P||Q) and H(Q||P)
  forward   f, with the profile H(P||Q)
  backward  f^-1, with the profile H(Q||P)

The profile is linear in e^epsilon between vertices. It starts with delta = 1 at e^epsilon = 0, and is constant after
the last vertex. Each list determines the other.";

/// Arguments of `vertices`.
#[derive(Args, Debug)]
pub struct Vertices {
    /// Mechanism with a piecewise-linear trade-off function, such as 'randomized-response(epsilon=1)^4', or @file.toml
    pub mechanism: String,
    /// List the vertices of the trade-off function (alpha, beta) or the profile (epsilon, delta)
    #[arg(long, default_value = "tradeoff")]
    pub kind: FaceName,
    /// Direction of the divergence between P and Q
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Write the vertices to FILE as CSV; - writes to standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// [`Face`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FaceName {
    /// Privacy profile: delta against epsilon
    Profile,
    /// Trade-off function: beta against alpha
    Tradeoff,
}

impl From<FaceName> for Face {
    fn from(name: FaceName) -> Self {
        match name {
            FaceName::Profile => Face::Profile,
            FaceName::Tradeoff => Face::Tradeoff,
        }
    }
}
