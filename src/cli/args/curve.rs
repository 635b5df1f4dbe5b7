//! The arguments of `curve`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::commands::Overlay;
use super::loss::UnderName;
use super::{DirectionName, Engine, Limits, MOST_POINTS, integer};
use crate::picture::Theme;
use crate::query::Query;

/// The heading of the options of a picture.
const PICTURE: &str = "Picture options";

pub const EXAMPLES: &str = "Examples:
  dpcert curve 'gaussian(sigma=1)' 'laplace(scale=1)' --kind tradeoff --out curves.svg
  dpcert curve 'poisson(rate=1/100, gaussian(sigma=1))^1000' --kind profile --log --to 3 --overlay rdp --out profile.pdf
  dpcert curve 'randomized-response(epsilon=1)^10' --kind profile --points 11 --csv points.csv
  dpcert curve 'gaussian(sigma=1)^4' --kind loss --from -2 --to 6 --log --out loss.svg

A picture chooses its points adaptively, exactly at vertices, until the line is within a tenth of a typographic point
of the curve. A table has evenly spaced points. A tail of the privacy loss need not be convex: its line is drawn
through certified points and proves nothing between them. An enclosure wide enough to be visible is drawn as a band.";

/// Arguments of `curve`.
#[derive(Args, Debug)]
pub struct Curves {
    /// Curve to compute
    #[arg(long)]
    pub kind: CurveKind,
    #[command(flatten)]
    pub drawing: Drawing,
    /// First epsilon, type I error or privacy loss [default: 0, or -5 for a loss]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Last epsilon, type I error or privacy loss [default: epsilon 5, type I error 1, loss 5]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// With --kind loss, use probabilities under this distribution
    #[arg(long, value_enum, default_value = "p")]
    pub under: UnderName,
    /// Number of evenly spaced points in a table
    #[arg(long, default_value_t = 101, allow_hyphen_values = true, value_parser = integer(2, MOST_POINTS))]
    pub points: u32,
    /// Write the points and their enclosures to FILE as CSV [default: standard output, without --out]
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw a picture to FILE: .svg, .pdf or .png; - writes SVG to standard output
    #[arg(long, value_name = "FILE", visible_alias = "svg", help_heading = PICTURE)]
    pub out: Option<PathBuf>,
    /// Draw deltas or probabilities on a logarithmic axis
    #[arg(long, requires = "out", help_heading = PICTURE)]
    pub log: bool,
    /// Colour theme
    #[arg(long, default_value = "light", help_heading = PICTURE)]
    pub theme: Theme,
    /// Legend text of a mechanism; repeatable, in the order of the mechanisms
    #[arg(long, value_name = "TEXT", requires = "out", help_heading = PICTURE)]
    pub label: Vec<String>,
    /// Draw bounds or limit theorems of the first mechanism beside its curve; repeatable
    #[arg(long, value_name = "BOUND", requires = "out", value_delimiter = ',', help_heading = PICTURE)]
    pub overlay: Vec<Overlay>,
    /// Mark claims about the first mechanism; exit with 1 if one is unsound
    ///
    /// FILE is a table with the columns epsilon,delta or alpha,beta, or the output of `dpcert audit` (--out or --json).
    #[arg(long, value_name = "FILE", requires = "out", help_heading = PICTURE)]
    pub claims: Option<String>,
    #[command(flatten)]
    pub engine: Engine,
}

/// Mechanisms and precision of a curve.
#[derive(Args, Debug)]
pub struct Drawing {
    /// Mechanisms, such as 'gaussian(sigma=2)^10' or @file.toml, with one curve each
    #[arg(value_name = "MECHANISM", required = true)]
    pub mechanisms: Vec<String>,
    /// Direction of the divergence between P and Q
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// Prove at least N significant digits in a table [default: 15]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print the points, one JSON object per line
    #[arg(long)]
    pub json: bool,
}

impl Drawing {
    /// Number of digits of the table.
    pub fn digits(&self) -> u32 {
        self.digits.unwrap_or(Query::DEFAULT_DIGITS)
    }
}

/// The curve to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CurveKind {
    /// Privacy profile: delta against epsilon
    Profile,
    /// Trade-off function: beta against alpha
    Tradeoff,
    /// Tail of the privacy loss L: P[L > t] against t
    Loss,
}
