//! The arguments of `curve`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::commands::Overlay;
use super::loss::UnderName;
use super::{DirectionName, Engine, Limits, MOST_POINTS, integer};
use crate::picture::Theme;
use crate::query::Query;

/// The heading of what is drawn and how.
const PICTURE: &str = "The picture";

pub const EXAMPLES: &str = "Examples:
  dpcert curve 'gaussian(sigma=1)' 'laplace(scale=1)' --kind tradeoff --out curves.svg
  dpcert curve 'poisson(rate=1/100, gaussian(sigma=1))^1000' --kind profile --log --to 3 --overlay rdp --out profile.pdf
  dpcert curve 'randomized-response(epsilon=1)^10' --kind profile --points 11 --csv points.csv
  dpcert curve 'gaussian(sigma=1)^4' --kind loss --from -2 --to 6 --log --out loss.svg

A picture takes points where it needs them, at corners exactly, until the line is within a tenth of a point of the
curve; the table has evenly spaced points. A tail of the privacy loss need not be convex: its points are chosen by how
the curve bends, and promise nothing between them. An enclosure that is wide enough to be seen is drawn as a band.";

/// What is drawn, or written as a table.
#[derive(Args, Debug)]
pub struct Curves {
    /// The privacy profile, the trade-off function, or the tail of the privacy loss
    #[arg(long)]
    pub kind: CurveKind,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Where it begins: an epsilon, a type I error or a loss; 0 unless given, and a loss of -5
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where it ends; epsilon 5, type I error 1 or a loss of 5 unless given
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Of a tail: probabilities under this distribution
    #[arg(long, value_enum, default_value = "p")]
    pub under: UnderName,
    /// How many points a table has, evenly spaced
    #[arg(long, default_value_t = 101, allow_hyphen_values = true, value_parser = integer(2, MOST_POINTS))]
    pub points: u32,
    /// Write the points and their enclosures; without --out and --csv they go to standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw a picture: .svg, .pdf or .png; - is SVG on standard output
    #[arg(long, value_name = "FILE", visible_alias = "svg", help_heading = PICTURE)]
    pub out: Option<PathBuf>,
    /// Draw deltas or probabilities of losses on a logarithmic axis
    #[arg(long, requires = "out", help_heading = PICTURE)]
    pub log: bool,
    /// On which ground
    #[arg(long, default_value = "light", help_heading = PICTURE)]
    pub theme: Theme,
    /// The name of a mechanism in the legend, in their order; may be given more than once
    #[arg(long, value_name = "TEXT", requires = "out", help_heading = PICTURE)]
    pub label: Vec<String>,
    /// Draw bounds of the first mechanism beside it, or its limit theorem; may be given more than once
    #[arg(long, value_name = "BOUND", requires = "out", value_delimiter = ',', help_heading = PICTURE)]
    pub overlay: Vec<Overlay>,
    /// Mark somebody's numbers for the first mechanism: a table epsilon,delta or alpha,beta, or what an audit has
    /// written (--out, --json), of which those about this mechanism are taken; exit code 1 if some are unsound
    #[arg(long, value_name = "FILE", requires = "out", help_heading = PICTURE)]
    pub claims: Option<String>,
    #[command(flatten)]
    pub engine: Engine,
}

/// Mechanisms whose curves are drawn, and how well.
#[derive(Args, Debug)]
pub struct Drawing {
    /// Mechanisms, such as 'gaussian(sigma=2)^10', or @file.toml: each has its curve
    #[arg(value_name = "MECHANISM", required = true)]
    pub mechanisms: Vec<String>,
    /// Which of the two divergences of the pair
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits of a table must be proven; 15 unless given
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print the points as JSON lines
    #[arg(long)]
    pub json: bool,
}

impl Drawing {
    /// Digits of the table.
    pub fn digits(&self) -> u32 {
        self.digits.unwrap_or(Query::DEFAULT_DIGITS)
    }
}

/// Which face of privacy is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CurveKind {
    /// delta against epsilon
    Profile,
    /// beta against alpha
    Tradeoff,
    /// The probability that the privacy loss exceeds t, against t
    Loss,
}
