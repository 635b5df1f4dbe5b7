//! The arguments of `census`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Limits, MOST_POINTS, MOST_THREADS, integer, seconds};
use crate::mechanism::pair_of_paths;
use crate::query::Query;
use enclosure::Budget;

/// More digits than this would make a table of the census that nobody could read back.
const MOST_CENSUS_DIGITS: u32 = 1000;

/// Where a checkout keeps the paths of the census.
const PATHS: &str = "examples/census/sieve-paths.csv";

/// Where a checkout keeps what has been published about them.
const PUBLISHED: &str = "examples/census/sieve-published.csv";

/// What is done with the budgets of the census.
#[derive(Debug, Subcommand)]
pub enum CensusCommand {
    /// Epsilon of each level and of the whole: by Bun and Steinke, by Canonne, Kamath and Steinke, and exactly
    #[command(after_help = "Examples:
  dpcert census levels examples/census/dhc-persons-us.csv --delta 1e-10
  dpcert census levels examples/census/ssw24-2022-08-25.toml --delta 1e-10")]
    Levels {
        /// An allocation in CSV, with the columns level,query,rho; or a composition in TOML whose steps name their
        /// level
        file: String,
        /// Between 0 and 1; or many, as in 1e-6..1e-10
        #[arg(long, value_name = "D", default_value = "1e-10", allow_hyphen_values = true)]
        delta: String,
        /// How many significant digits must be proven
        #[arg(long, value_name = "N", default_value_t = 10, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
        /// Print a table with both ends of each number
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
    /// Delta of all pairs of paths at many epsilons, into a table; goes on where it was interrupted
    #[command(after_help = "Example: dpcert census pairs --out results.csv --digits 15")]
    Pairs {
        #[command(flatten)]
        paths: PathsFile,
        /// The table; until it is complete, what is finished is kept beside it with the ending .partial
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Only this pair; may be given more than once
        #[arg(long, value_name = "P,Q", value_parser = pair)]
        only: Vec<(u32, u32)>,
        /// The deltas whose zCDP epsilons are asked for, as in 1e-6,1e-7 or 1e-6..1e-10; 5e-1,1e-1, ... 5e-21,1e-21
        /// unless given
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta_zcdp: Vec<String>,
        /// How many significant digits must be proven
        #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, MOST_CENSUS_DIGITS))]
        digits: u32,
        /// How many threads; one for each core unless given
        #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
        threads: Option<u32>,
        /// The most bits of working precision
        #[arg(long, value_name = "BITS", default_value_t = Budget::DEFAULT_MAX_BITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, u32::MAX))]
        max_bits: u32,
        /// The most seconds that one pair may take
        #[arg(long, value_name = "SECONDS", default_value = "600", allow_hyphen_values = true)]
        #[arg(value_parser = seconds)]
        timeout: Duration,
        /// Compare the table with these published values when it is complete
        #[arg(long, value_name = "FILE")]
        published: Option<PathBuf>,
    },
    /// Published deltas beside certified ones: which differ, by how much, and what that may come from
    #[command(after_help = "Example: dpcert census compare results.csv")]
    Compare {
        /// A table that `census pairs` has written
        results: PathBuf,
        /// A table with the columns p1,p2,delta_zcdp,epsilon,delta
        #[arg(long, value_name = "FILE", default_value = PUBLISHED)]
        published: PathBuf,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// The trade-off function of a pair of paths at evenly spaced thresholds of the likelihood ratio
    #[command(after_help = "Example: dpcert census tradeoff 13,13 --points 901 --out tradeoff.csv")]
    Tradeoff {
        /// The two paths
        #[arg(value_name = "P,Q", value_parser = pair)]
        pair: (u32, u32),
        #[command(flatten)]
        paths: PathsFile,
        /// How many thresholds
        #[arg(long, default_value_t = 901, allow_hyphen_values = true, value_parser = integer(2, MOST_POINTS))]
        points: u32,
        /// The thresholds go from -Z to Z, in units of rho; as far as the published ones unless given
        #[arg(long, value_name = "Z", allow_hyphen_values = true)]
        reach: Option<String>,
        /// How many significant digits must be proven
        #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
        #[arg(value_parser = integer(1, MOST_CENSUS_DIGITS))]
        digits: u32,
        #[command(flatten)]
        limits: Limits,
        /// The table; without it it goes to standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// The file that holds the paths.
#[derive(Args, Debug)]
pub struct PathsFile {
    /// A file with the columns path,level,row,rho
    #[arg(long = "paths", value_name = "FILE", default_value = PATHS)]
    pub file: String,
}

/// Two paths, as in 6,10.
fn pair(text: &str) -> Result<(u32, u32), String> {
    pair_of_paths(text, ',').ok_or_else(|| "two numbers of paths are expected, as in 6,10".to_string())
}
