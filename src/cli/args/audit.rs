//! The arguments of `dpcert audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{DirectionName, MOST_THREADS, integer, seconds};
use crate::audit::gate::FailOn;

/// What is shown below the options.
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

Exit codes: 0 nothing that --fail-on names, 1 such a claim, or a mistake of ours, was found, 2 bad input or a \
package that cannot be asked, 3 interrupted.";

/// Who is asked what by an audit.
#[derive(Args, Debug)]
pub struct Audit {
    /// A package, or one API of it as in dp-accounting:pld; `all` for every package listed by --list. Another version
    /// than the one that is listed stands before the API, as in dp-accounting@0.4.4:pld
    #[arg(value_name = "PEER")]
    pub peers: Vec<String>,
    /// Audit any program that speaks the protocol: a command line for the shell
    #[arg(long, value_name = "CMD", conflicts_with = "peers")]
    pub adapter: Option<String>,
    /// List the packages that can be audited, and their APIs
    #[arg(long, conflicts_with_all = ["peers", "adapter", "hunt", "html", "out"])]
    pub list: bool,
    /// List the questions, group by group, and what they are for; with --only those that it chooses
    #[arg(long, conflicts_with_all = ["list", "peers", "adapter", "hunt", "html", "out"])]
    pub list_questions: bool,
    /// Print what adapters in Python share, to be kept beside one's own; or another file about adapters
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "protocol.py", exclusive = true)]
    pub protocol: Option<ProtocolFile>,
    /// Ask this instead of the stored questions: an expression, its numbers rounded to doubles. The point says what is
    /// asked: --epsilon for delta, --delta for epsilon, both for the noise written ?. Lists and ranges ask at each
    #[arg(long, value_name = "MECHANISM", conflicts_with_all = ["only", "every", "data", "hunt", "list"])]
    pub ask: Option<String>,
    /// With --ask: the epsilon at which delta is asked for, or which the noise is to keep
    #[arg(long, value_name = "E", requires = "ask", allow_hyphen_values = true)]
    pub epsilon: Vec<String>,
    /// With --ask: the delta at which epsilon is asked for, or which the noise is to keep
    #[arg(long, value_name = "D", requires = "ask", allow_hyphen_values = true)]
    pub delta: Vec<String>,
    /// With --ask: the type I error at which the type II error is asked for
    #[arg(long, value_name = "A", requires = "ask", allow_hyphen_values = true)]
    pub alpha: Vec<String>,
    /// With --ask: the order of the Renyi divergence asked for
    #[arg(long, value_name = "G", requires = "ask", allow_hyphen_values = true)]
    pub order: Vec<String>,
    /// With --ask: which order of the pair
    #[arg(long, requires = "ask", default_value = "worst")]
    pub direction: DirectionName,
    /// A folder of vector files; the ones shipped with dpcert unless given
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Only the questions whose id contains this; may be given more than once
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Only every N-th question, for a quick look
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub every: u32,
    /// Only the K-th of N parts, which together are all: for N machines. Questions about one composition are in one
    /// part
    #[arg(long, value_name = "K/N", conflicts_with_all = ["ask", "hunt"], value_parser = part)]
    pub part: Option<Part>,
    /// The most seconds that a package may take for an answer. Time in which it waits for a processor does not count
    #[arg(long, value_name = "SECONDS", default_value = "5", allow_hyphen_values = true, value_parser = seconds)]
    pub time_limit: Duration,
    /// So many more until it introduces itself, or for its first answer, while it is being loaded
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_hyphen_values = true, value_parser = seconds)]
    pub start_time: Duration,
    /// The most megabytes of address space for each process of a package
    #[arg(long, value_name = "MB", default_value_t = 4000, allow_hyphen_values = true,
        value_parser = integer(1, u32::MAX))]
    pub memory: u32,
    /// The most seconds that dpcert's own answer may take
    #[arg(long, value_name = "SECONDS", default_value = "20", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Duration,
    /// How many APIs are asked at the same time; one for each core unless given
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
    pub jobs: Option<u32>,
    /// Keep the judgements in this file, as JSON lines, each when it is made; an interrupted audit goes on from it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the report as a page that needs nothing but a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Where adapters and packages are installed; dpcert in the user's cache folder unless given
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Exit with 1 if there is a claim as bad as this
    #[arg(long, value_name = "WHAT", default_value = "unsound")]
    pub fail_on: FailOnName,
    /// The judgements of an earlier audit (--out or --json): only what is new, or worse than there, fails
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// How many unsound claims of each API are shown with what reproduces them
    #[arg(long, value_name = "N", default_value_t = 3, allow_hyphen_values = true, value_parser = integer(0, u32::MAX))]
    pub worst: u32,
    /// Instead of the stored questions, look for new ones that fail, for so long: 90s, 5m, 1h.
    /// All APIs share it; making what was found simpler takes half as much again at most
    #[arg(long, value_name = "TIME", conflicts_with_all = ["only", "every", "data"], allow_hyphen_values = true,
        value_parser = length_of_time)]
    pub hunt: Option<Duration>,
    /// Which questions a hunt tries: the same seed, the same ones
    #[arg(long, value_name = "N", default_value_t = 0, requires = "hunt")]
    pub seed: u64,
    /// Outlive the audit whose processes are marked so, and kill what it leaves behind; it starts this itself
    #[arg(long, value_name = "MARK", hide = true, exclusive = true)]
    pub heir: Option<String>,
    /// Print JSON lines: judgements, then one summary
    #[arg(long)]
    pub json: bool,
}

/// [`FailOn`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FailOnName {
    /// A false claim that is off by more than a thousandth
    Gross,
    /// A false claim that is off by more than a rounding, and than a probability of 1e-16
    Unsound,
    /// Any false claim
    Rounding,
    /// Any false claim, and any answer that has failed
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

/// A file for those who write adapters.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProtocolFile {
    /// What adapters in Python share: queries read, the package run, claims written
    #[value(name = "protocol.py")]
    Shared,
    /// A whole adapter in Python, without it
    #[value(name = "minimal.py")]
    Minimal,
    /// The protocol, the verdicts, and adapters in Python and Rust
    #[value(name = "README.md")]
    Readme,
}

impl ProtocolFile {
    /// Its place among the adapters.
    pub fn path(self) -> &'static str {
        match self {
            ProtocolFile::Shared => "protocol.py",
            ProtocolFile::Minimal => "examples/minimal.py",
            ProtocolFile::Readme => "README.md",
        }
    }
}

/// One of so many parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// A part, as in 3/8.
fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) if 1 <= number && number <= of => Ok(Part { number, of }),
        _ => Err("a part is expected, as in 3/8: its number from 1, and how many there are".to_string()),
    }
}

/// A number of seconds, minutes or hours, as in 90s, 5m or 1h.
fn length_of_time(text: &str) -> Result<Duration, String> {
    let (number, factor) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let value: Option<f64> = number.parse().ok();
    let span = value.and_then(|value| Duration::try_from_secs_f64(value * factor).ok());
    span.ok_or_else(|| "a length of time is expected, as in 90s, 5m or 1h".to_string())
}
