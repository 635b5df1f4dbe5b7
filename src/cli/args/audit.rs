//! The arguments of `dpcert audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{MOST_THREADS, integer, seconds};

/// What is shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert audit --list
  dpcert audit dp-accounting:pld --only gaussian --html report.html
  dpcert audit --adapter 'python3 my_adapter.py' --out judged.jsonl
  dpcert audit opacus --hunt 5m --seed 1

Exit codes: 0 nothing unsound, 1 an unsound claim, or a mistake of ours, was found, 2 bad input or a \
package that cannot be asked, 3 interrupted.";

/// Who is asked what by an audit.
#[derive(Args, Debug)]
pub struct Audit {
    /// A package, or one API of it as in dp-accounting:pld; `all` for every package listed by --list
    #[arg(value_name = "PEER")]
    pub peers: Vec<String>,
    /// Audit any program that speaks the protocol: a command line for the shell
    #[arg(long, value_name = "CMD", conflicts_with = "peers")]
    pub adapter: Option<String>,
    /// List the packages that can be audited, and their APIs
    #[arg(long, conflicts_with_all = ["peers", "adapter", "hunt", "html", "out"])]
    pub list: bool,
    /// A folder of vector files; the ones shipped with dpcert unless given
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Only the questions whose id contains this; may be given more than once
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Only every N-th question, for a quick look
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub every: u32,
    /// The most seconds that a package may take for an answer
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
