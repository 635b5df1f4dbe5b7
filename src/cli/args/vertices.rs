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

With f = T(P,Q), P and Q as the mechanism documents them: worst is the hull of both orders, min(f, f^-1)**, whose
profile is the larger one; forward is f, with the profile H(P||Q), and backward f^-1, with H(Q||P). Between its corners
the profile is straight in e^epsilon: it begins at delta = 1 where that is 0, and stays after the last one. Either list
gives the other one back.";

/// Which corners.
#[derive(Args, Debug)]
pub struct Vertices {
    /// A mechanism whose trade-off function is a polyline, such as 'randomized-response(epsilon=1)^4', or @file.toml
    pub mechanism: String,
    /// The trade-off function (alpha, beta) or the profile (epsilon, delta)
    #[arg(long, default_value = "tradeoff")]
    pub kind: FaceName,
    /// Which order of the pair; all are the same where its curve is symmetric
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Write them as a table; - is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// [`Face`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FaceName {
    /// delta against epsilon
    Profile,
    /// beta against alpha
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
