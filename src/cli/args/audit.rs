//! The arguments of `dpcert audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{DirectionName, MOST_THREADS, integer, seconds};
use crate::audit::gate::FailOn;

/// Shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert audit all --ask 'poisson(rate=256/60000, gaussian(sigma=1.1))^14062' --delta 1e-5
  dpcert audit opacus dp-accounting:pld --ask 'gaussian(sigma=?)^10' --epsilon 1 --delta 1e-5
  dpcert audit --list
  dpcert audit dp-accounting:pld --only gaussian --html report.html
  dpcert audit dp-accounting@0.4.4:pld --part 1/8 --out judged.jsonl
  dpcert audit --adapter 'python3 my_adapter.py' --out judged.jsonl
  dpcert audit --adapter 'python3 my_adapter.py' --fail-on gross --baseline judged.jsonl
  dpcert audit --protocol > protocol.py
  dpcert audit opacus --hunt 5m --seed 1

Exit codes:
  0  no claim reaches the level of --fail-on
  1  a claim reaches it, or a bug in dpcert was found
  2  invalid input, or a package that cannot be queried
  3  interrupted";

/// Arguments of `audit`.
#[derive(Args, Debug)]
pub struct Audit {
    /// Package, or one API of it, as in dp-accounting:pld; `all` for every package that --list shows
    ///
    /// To audit another version, write it before the API, as in dp-accounting@0.4.4:pld.
    #[arg(value_name = "PEER")]
    pub peers: Vec<String>,
    /// Audit a program that implements the protocol, started by this shell command
    #[arg(long, value_name = "CMD", conflicts_with = "peers")]
    pub adapter: Option<String>,
    /// List the packages that can be audited, with their APIs
    #[arg(long, conflicts_with_all = ["peers", "adapter", "hunt", "html", "out"])]
    pub list: bool,
    /// List the stored queries by group, with their purpose; with --only, list only those
    #[arg(long, conflicts_with_all = ["list", "peers", "adapter", "hunt", "html", "out"])]
    pub list_questions: bool,
    /// Print the Python module shared by adapters, or another file about adapters
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "protocol.py", exclusive = true)]
    pub protocol: Option<ProtocolFile>,
    /// Query this mechanism instead of the stored ones; its numbers are rounded to doubles
    ///
    /// The point selects the quantity: --epsilon for delta, --delta for epsilon, both for a noise parameter marked `?`.
    /// A list or range is queried at each point.
    #[arg(long, value_name = "MECHANISM", conflicts_with_all = ["only", "every", "data", "hunt", "list"])]
    pub ask: Option<String>,
    /// With --ask, compute delta at this epsilon, or use it as the target of the noise
    #[arg(long, value_name = "E", requires = "ask", allow_hyphen_values = true)]
    pub epsilon: Vec<String>,
    /// With --ask, compute epsilon at this delta, or use it as the target of the noise
    #[arg(long, value_name = "D", requires = "ask", allow_hyphen_values = true)]
    pub delta: Vec<String>,
    /// With --ask, compute the type II error at this type I error
    #[arg(long, value_name = "A", requires = "ask", allow_hyphen_values = true)]
    pub alpha: Vec<String>,
    /// With --ask, compute the Renyi divergence of this order
    #[arg(long, value_name = "G", requires = "ask", allow_hyphen_values = true)]
    pub order: Vec<String>,
    /// With --ask, use this direction of the divergence between P and Q
    #[arg(long, requires = "ask", default_value = "worst")]
    pub direction: DirectionName,
    /// Read vector files from DIR [default: the vectors shipped with dpcert]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Run only queries whose id contains TEXT; repeatable
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Run only every N-th query
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub every: u32,
    /// Run only the K-th of N parts of the queries, to share an audit among N machines
    #[arg(long, value_name = "K/N", conflicts_with_all = ["ask", "hunt"], value_parser = part)]
    pub part: Option<Part>,
    /// Limit each answer of a package to SECONDS, not counting time spent waiting for a processor
    #[arg(long, value_name = "SECONDS", default_value = "5", allow_hyphen_values = true, value_parser = seconds)]
    pub time_limit: Duration,
    /// Allow a package SECONDS more to start and for its first answer
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_hyphen_values = true, value_parser = seconds)]
    pub start_time: Duration,
    /// Limit the address space of each process of a package to MB megabytes
    #[arg(long, value_name = "MB", default_value_t = 4000, allow_hyphen_values = true,
        value_parser = integer(1, u32::MAX))]
    pub memory: u32,
    /// Limit each certified value of dpcert to SECONDS
    #[arg(long, value_name = "SECONDS", default_value = "20", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Duration,
    /// Query N APIs in parallel [default: one per core]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
    pub jobs: Option<u32>,
    /// Append each judgement to FILE as a JSON line; an interrupted audit resumes from it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the report to FILE as a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Install adapters and packages in DIR [default: dpcert in the user's cache directory]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Exit with 1 if a claim is at least this bad
    #[arg(long, value_name = "WHAT", default_value = "unsound")]
    pub fail_on: FailOnName,
    /// Fail only on regressions from the judgements of an earlier audit (--out or --json)
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Show the N worst unsound claims of each API with code that reproduces them
    #[arg(long, value_name = "N", default_value_t = 3, allow_hyphen_values = true, value_parser = integer(0, u32::MAX))]
    pub worst: u32,
    /// Search for new failing queries for TIME, such as 90s, 5m or 1h, instead of running the stored ones
    ///
    /// All APIs share this time. Simplifying the failing queries takes at most half of TIME in addition.
    #[arg(long, value_name = "TIME", conflicts_with_all = ["only", "every", "data"], allow_hyphen_values = true,
        value_parser = length_of_time)]
    pub hunt: Option<Duration>,
    /// Seed of the queries that --hunt generates
    #[arg(long, value_name = "N", default_value_t = 0, requires = "hunt")]
    pub seed: u64,
    /// Internal: outlive the audit with this mark, and kill the processes it leaves behind
    #[arg(long, value_name = "MARK", hide = true, exclusive = true)]
    pub heir: Option<String>,
    /// Print JSON lines: one per judgement, then a summary
    #[arg(long)]
    pub json: bool,
}

/// [`FailOn`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FailOnName {
    /// False claims with a relative error above 1/1000
    Gross,
    /// False claims with an error above rounding and above a probability of 1e-16
    Unsound,
    /// All false claims
    Rounding,
    /// All false claims and all failed answers
    Failed,
}

impl From<FailOnName> for FailOn {
    fn from(name: FailOnName) -> Self {
        match name {
            FailOnName::Gross => FailOn::Gross,
            FailOnName::Unsound => FailOn::Unsound,
            FailOnName::Rounding => FailOn::Rounding,
            FailOnName::Failed => FailOn::Failed,
        }
    }
}

/// A file for authors of adapters.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProtocolFile {
    /// Python module that reads queries, runs the package and writes claims
    #[value(name = "protocol.py")]
    Shared,
    /// Complete Python adapter that does not use the module
    #[value(name = "minimal.py")]
    Minimal,
    /// Documentation of the protocol, the verdicts, and adapters in Python and Rust
    #[value(name = "README.md")]
    Readme,
}

impl ProtocolFile {
    /// Path of the file, relative to the adapters.
    pub fn path(self) -> &'static str {
        match self {
            ProtocolFile::Shared => "protocol.py",
            ProtocolFile::Minimal => "examples/minimal.py",
            ProtocolFile::Readme => "README.md",
        }
    }
}

/// One of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part, from 1.
    pub number: u32,
    /// Number of parts.
    pub of: u32,
}

/// Parse a part, as in 3/8.
fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) if 1 <= number && number <= of => Ok(Part { number, of }),
        _ => Err("expected a part K/N with 1 <= K <= N, as in 3/8".to_string()),
    }
}

/// Parse a number of seconds, minutes or hours, as in 90s, 5m or 1h.
fn length_of_time(text: &str) -> Result<Duration, String> {
    let (number, factor) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let value: Option<f64> = number.parse().ok();
    let span = value.and_then(|value| Duration::try_from_secs_f64(value * factor).ok());
    span.ok_or_else(|| "expected a duration, as in 90s, 5m or 1h".to_string())
}
