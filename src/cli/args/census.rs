//! The arguments of `census`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Limits, MOST_POINTS, MOST_THREADS, integer, seconds};
use crate::mechanism::pair_of_paths;
use crate::query::Query;
use enclosure::Budget;

/// Largest number of digits in a census table, so that the table can be read back.
const MOST_CENSUS_DIGITS: u32 = 1000;

/// Default path of the file of census paths.
const PATHS: &str = "examples/census/sieve-paths.csv";

/// Default path of the file of published census values.
const PUBLISHED: &str = "examples/census/sieve-published.csv";

/// Subcommands of `census`.
#[derive(Debug, Subcommand)]
pub enum CensusCommand {
    /// Compute epsilon for each level and for the whole release, by zCDP and exactly
    ///
    /// The zCDP conversions are those of Bun and Steinke, and of Canonne, Kamath and Steinke.
    #[command(after_help = "Examples:
  dpcert census levels examples/census/dhc-persons-us.csv --delta 1e-10
  dpcert census levels examples/census/ssw24-2022-08-25.toml --delta 1e-10")]
    Levels {
        /// CSV file with the columns level,query,rho, or TOML composition whose steps name their level
        file: String,
        /// Delta between 0 and 1; or several, as in 1e-6..1e-10
        #[arg(long, value_name = "D", default_value = "1e-10", allow_hyphen_values = true)]
        delta: String,
        /// Prove at least N significant digits
        #[arg(long, value_name = "N", default_value_t = 10, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
        /// Print a CSV table with the lower and upper bound of each number
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
    /// Compute delta for all pairs of paths at many epsilons, and write a table
    ///
    /// An interrupted run resumes where it stopped.
    #[command(after_help = "Example: dpcert census pairs --out results.csv --digits 15")]
    Pairs {
        #[command(flatten)]
        paths: PathsFile,
        /// Write the table to FILE; finished pairs are kept in FILE.partial until it is complete
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Compute only this pair; repeatable
        #[arg(long, value_name = "P,Q", value_parser = pair)]
        only: Vec<(u32, u32)>,
        /// Use the zCDP epsilons at these deltas, as in 1e-6..1e-10 [default: 5e-1,1e-1, ..., 5e-21,1e-21]
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta_zcdp: Vec<String>,
        /// Prove at least N significant digits
        #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, MOST_CENSUS_DIGITS))]
        digits: u32,
        /// Use N threads [default: one per core]
        #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
        threads: Option<u32>,
        /// Use at most BITS bits of working precision
        #[arg(long, value_name = "BITS", default_value_t = Budget::DEFAULT_MAX_BITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, u32::MAX))]
        max_bits: u32,
        /// Stop the computation of one pair after SECONDS
        #[arg(long, value_name = "SECONDS", default_value = "600", allow_hyphen_values = true)]
        #[arg(value_parser = seconds)]
        timeout: Duration,
        /// Compare the complete table with the published values in FILE
        #[arg(long, value_name = "FILE")]
        published: Option<PathBuf>,
    },
    /// Compare published deltas with certified ones, with possible causes of each difference
    #[command(after_help = "Example: dpcert census compare results.csv")]
    Compare {
        /// Table written by `census pairs`
        results: PathBuf,
        /// Read published values from FILE, a table with the columns p1,p2,delta_zcdp,epsilon,delta
        #[arg(long, value_name = "FILE", default_value = PUBLISHED)]
        published: PathBuf,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Compute the trade-off function of a pair of paths at evenly spaced likelihood-ratio thresholds
    #[command(after_help = "Example: dpcert census tradeoff 13,13 --points 901 --out tradeoff.csv")]
    Tradeoff {
        /// Numbers of the two paths, as in 6,10
        #[arg(value_name = "P,Q", value_parser = pair)]
        pair: (u32, u32),
        #[command(flatten)]
        paths: PathsFile,
        /// Number of thresholds
        #[arg(long, default_value_t = 901, allow_hyphen_values = true, value_parser = integer(2, MOST_POINTS))]
        points: u32,
        /// Place thresholds from -Z to Z, in units of rho [default: the published range]
        #[arg(long, value_name = "Z", allow_hyphen_values = true)]
        reach: Option<String>,
        /// Prove at least N significant digits
        #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, MOST_CENSUS_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// Write the table to FILE [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// The file that holds the paths.
#[derive(Args, Debug)]
pub struct PathsFile {
    /// Read the paths from FILE, a table with the columns path,level,row,rho
    #[arg(long = "paths", value_name = "FILE", default_value = PATHS)]
    pub file: String,
}

/// Parse two paths, as in 6,10.
fn pair(text: &str) -> Result<(u32, u32), String> {
    pair_of_paths(text, ',').ok_or_else(|| "expected two path numbers, as in 6,10".to_string())
}
