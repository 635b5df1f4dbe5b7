//! The arguments as typed. What they mean is decided in `commands/`, one file per command.

mod audit;
mod claim;
mod filter;
pub mod limits;
mod mpc;
mod serve;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::compose::Method;
use crate::curve::Direction;
use crate::mechanism::pair_of_paths;
use crate::picture::Theme;
use crate::query::Query;
use enclosure::Budget;

use super::commands::Overlay;

pub use audit::{Audit, Part, ProtocolFile};
pub use claim::ClaimArguments;
pub use filter::{Amount, FilterCommand};
pub use mpc::Multiparty;
pub use serve::Serve;

const ABOUT: &str = "What is the privacy of this mechanism, exactly?";

const LONG_ABOUT: &str = "What is the privacy of this mechanism, exactly?

Every number printed is exact, or a proven enclosure lower <= truth <= upper, to as many digits as asked for.
Inputs are exact too: 0.1 is 1/10, and 3/2, 1e-11, ln(3/2), sqrt(2) and expressions of them are what they say.

Exit codes: 0 fine, 1 a mismatch or a mistake was found, or a filter has refused, 2 bad input, 3 fewer
digits proven within the budget than asked for.";

/// The headings of options that most questions leave alone.
const ENGINE: &str = "How it is computed";
const BUDGET: &str = "What it may cost";
const TALK: &str = "Everywhere";
const PICTURE: &str = "The picture";

const CURVE_EXAMPLES: &str = "Examples:
  dpcert curve 'gaussian(sigma=1)' 'laplace(scale=1)' --kind tradeoff --out curves.svg
  dpcert curve 'poisson(rate=1/100, gaussian(sigma=1))^1000' --kind profile --log --to 3 --overlay rdp --out profile.pdf
  dpcert curve 'randomized-response(epsilon=1)^10' --kind profile --points 11 --csv points.csv

A picture takes points where it needs them, at corners exactly, until the line is within a tenth of a point of the
curve; the table has evenly spaced points. An enclosure that is wide enough to be seen is drawn as a band.";

/// The most points of a curve: a bound on time and memory that nobody's screen needs to exceed.
const MOST_POINTS: u32 = 100_000;

/// More digits than this would make a table of the census that nobody could read back.
const MOST_CENSUS_DIGITS: u32 = 1000;

/// More threads than this are a mistake.
const MOST_THREADS: u32 = 1024;

/// Where a checkout keeps the paths of the census.
const PATHS: &str = "examples/census/sieve-paths.csv";

/// Where a checkout keeps what has been published about them.
const PUBLISHED: &str = "examples/census/sieve-published.csv";

const EXAMPLES: &str = "Examples:
  dpcert delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30
  dpcert epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11
  dpcert delta 'randomized-response(epsilon=ln(3/2))^4' --epsilon '2*ln(3/2)'
  dpcert beta 'laplace(scale=1)' --alpha 0.1 --json
  dpcert region 'approx-dp(epsilon=0.1, delta=0.001)^30' --bounds
  dpcert calibrate 'gaussian(sigma=?)^10' --epsilon 1 --delta 1e-5

`dpcert help COMMAND` explains a command, `dpcert help mechanisms` lists the mechanisms and their arguments,
`dpcert help numbers` and `dpcert help points` tell how numbers and many points are written.";

const CALIBRATE_EXAMPLES: &str = "Examples:
  dpcert calibrate 'poisson(rate=256/60000, gaussian(sigma=?))^14062' --epsilon 3 --delta 1e-5
  dpcert calibrate 'poisson(rate=256/60000, gaussian(sigma=1.1))^?' --epsilon 3 --delta 1e-5
  dpcert calibrate 'laplace(scale=?)^10' --beta 0.9 --alpha 0.05 --digits 30";

const COMPARE_EXAMPLES: &str = "Examples:
  dpcert compare 'gaussian(sigma=4)^10' --delta 1e-5
  dpcert compare 'randomized-response(epsilon=1/10)^100' --epsilon 2 --csv

Steps with losses of any size have no epsilon of their own. At a delta, the accounts that need one give such steps
half of delta in equal shares, and each step its exact epsilon at its share.";

const THEOREM_EXAMPLES: &str = "Examples:
  dpcert theorem list
  dpcert theorem KOV-3.4 epsilon=1/10 times=30 slack=1e-3
  dpcert theorem DR-4.1 mu=5e-9 tau=1e-4 doublings=3 --digits 30";

const ORDER_EXAMPLES: &str = "Examples:
  dpcert order 'laplace(scale=1)' 'gaussian(sigma=1)'
  dpcert order 'poisson(rate=1/100, gaussian(sigma=2))^1000' 'poisson(rate=1/50, gaussian(sigma=1))^1000'
  dpcert order 'finite(p=[1/2,1/2], q=[1/3,2/3])' 'randomized-response(epsilon=ln(3))' --channel

A mechanism is at least as private as another if its trade-off function, that of tests of P against Q, is nowhere
below: then whatever it shows can be made from what the other one shows. `equal`, `more private`, `less private` and
`incomparable` are proven; what fails is told with a type I error and both type II errors there.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "dpcert", version, about = ABOUT, long_about = LONG_ABOUT, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, arg_required_else_help = false, subcommand_value_name = "COMMAND")]
pub struct Cli {
    /// What to do; nothing shows how to begin.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Say nothing but answers and errors: no progress
    #[arg(long, short, global = true, help_heading = TALK)]
    pub quiet: bool,
    /// Say on standard error how answers to questions were reached
    #[arg(long, short, global = true, help_heading = TALK, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The privacy profile: the least delta for an epsilon
    #[command(after_help = "Example: dpcert delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30")]
    Delta {
        /// Any real constant, such as 1, 0.1, ln(3/2) or '2.56 + 2*sqrt(2.56*ln(1e11))'; or many, as in 0.5,1,2 or 0..5
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        epsilon: String,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        #[command(flatten)]
        account: Account,
    },
    /// The least epsilon >= 0 for a delta
    #[command(after_help = "Example: dpcert epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11")]
    Epsilon {
        /// Between 0 and 1; or many, as in 1e-5,1e-6 or 1e-6..1e-10
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        delta: String,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        #[command(flatten)]
        account: Account,
    },
    /// The trade-off function: the least type II error at a type I error
    #[command(after_help = "Example: dpcert beta 'gaussian(sigma=1)' --alpha 0.05")]
    Beta {
        /// Between 0 and 1; or many, as in 0.01,0.05 or 0..1:11
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        alpha: String,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        #[command(flatten)]
        account: Account,
    },
    /// The number in the place of a `?` that keeps a promise: the least noise, the most steps, the largest rate
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate {
        /// Promise a delta at this epsilon: any real constant
        #[arg(long, value_name = "E", allow_hyphen_values = true, requires = "delta")]
        #[arg(required_unless_present = "beta", conflicts_with_all = ["alpha", "beta"])]
        epsilon: Option<String>,
        /// The delta promised, between 0 and 1
        #[arg(long, value_name = "D", allow_hyphen_values = true, requires = "epsilon")]
        delta: Option<String>,
        /// Promise that tests of type I error alpha have at least this type II error, between 0 and 1
        #[arg(long, value_name = "B", allow_hyphen_values = true, requires = "alpha")]
        beta: Option<String>,
        /// The type I error of the tests, between 0 and 1
        #[arg(long, value_name = "A", allow_hyphen_values = true, requires = "beta")]
        alpha: Option<String>,
        #[command(flatten)]
        inverse: Inverse,
        #[command(flatten)]
        engine: Engine,
    },
    /// What the accounts say of one composition, side by side: which are bounds, and how far each is from the exact
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Contest),
    /// What a theorem says of numbers, once its hypotheses are checked; `list` lists the theorems
    #[command(after_help = THEOREM_EXAMPLES)]
    Theorem(Statement),
    /// The Renyi divergence of an order above 1
    #[command(after_help = "Example: dpcert renyi 'laplace(scale=1)' --order 2")]
    Renyi {
        /// Above 1, not necessarily an integer; or many, as in 2..64
        #[arg(long, value_name = "G", allow_hyphen_values = true)]
        order: String,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        account: Account,
    },
    /// Another divergence: kl, tv, max or chi2
    #[command(after_help = "Example: dpcert divergence kl 'randomized-response(epsilon=1)^10'")]
    Divergence {
        /// Which one
        kind: DivergenceKind,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        #[command(flatten)]
        account: Account,
    },
    /// Which of two mechanisms is the more private, at every type I error: a proof, or where it fails
    #[command(after_help = ORDER_EXAMPLES)]
    Order {
        /// A mechanism, such as 'poisson(rate=1/100, gaussian(sigma=2))^1000', or @file.toml
        first: String,
        /// Another one
        second: String,
        /// Print the stochastic matrix that carries the outcomes of the less private one to those of the other
        #[arg(long)]
        channel: bool,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// All (epsilon_i, delta_i) whose regions intersect in the exact composition region
    #[command(after_help = "Example: dpcert region 'approx-dp(epsilon=0.1, delta=0.001)^30' --bounds")]
    Region {
        #[command(flatten)]
        question: Question,
        /// Put the deltas of KOV's Theorems 3.1, 3.2 and 3.4 beside the exact ones
        #[arg(long)]
        bounds: bool,
        /// Draw the boundary of the region instead: .svg, .pdf or .png
        #[arg(long, value_name = "FILE", visible_alias = "out", conflicts_with_all = ["bounds", "json"])]
        svg: Option<PathBuf>,
    },
    /// The composition region as rational functions of x = e^epsilon
    #[command(after_help = "Example: dpcert symbolic 'randomized-response(epsilon=1)' --k 4")]
    Symbolic {
        /// An (epsilon, delta) mechanism; its epsilon becomes the variable, its delta stays a number
        mechanism: String,
        /// How often it is composed, up to 64
        #[arg(long, allow_hyphen_values = true, value_parser = integer(0, u32::MAX))]
        k: u32,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Replace a finite pair by an antipodal one, and bound its KL divergence (Dwork-Rothblum, Lemma 3.9)
    #[command(after_help = "Example: dpcert antipodal 'finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])'")]
    Antipodal {
        #[command(flatten)]
        question: Question,
    },
    /// A budget for mechanisms chosen as one goes: fully adaptive composition, in a file
    #[command(subcommand, arg_required_else_help = false)]
    Filter(FilterCommand),
    /// What the best attack on one record achieves: advantage, true positive rates, Bayes risks
    #[command(after_help = "Example: dpcert risk 'gaussian(sigma=1)^10' --fpr 1e-3 --prior 1/2")]
    Risk {
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        #[command(flatten)]
        account: Account,
        /// Ask for the true positive rate at this false positive rate; may be given more than once
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        fpr: Vec<String>,
        /// Ask for the least probability of error with this prior of the second data set; may be given more than once
        #[arg(long, value_name = "P", allow_hyphen_values = true)]
        prior: Vec<String>,
    },
    /// The least mu with G_mu below the trade-off function, where they touch, and the gap between them
    #[command(after_help = "Example: dpcert fit 'laplace(scale=1)^3'

The least mu is the same in both directions; alphas and the gap are those of the forward one.")]
    Fit {
        #[command(flatten)]
        question: Question,
    },
    /// The additive noise that is exactly as private as a mechanism (Awan, Vadhan): its distribution function and
    /// quantiles
    #[command(after_help = "Examples:
  dpcert canonical-noise 'randomized-response(epsilon=ln(3))' --at 5/2
  dpcert canonical-noise 'gdp(mu=1)' --quantile 0.975")]
    CanonicalNoise {
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        engine: Engine,
        /// Ask for the distribution function here, in units of the sensitivity
        #[arg(long, value_name = "X", allow_hyphen_values = true, required_unless_present = "quantile")]
        at: Option<String>,
        /// Ask for the quantile at this probability
        #[arg(long, value_name = "P", allow_hyphen_values = true, conflicts_with = "at")]
        quantile: Option<String>,
    },
    /// How well a function of private bits can be computed: the optimal accuracy (Kairouz, Oh, Viswanath, Section 5)
    #[command(after_help = mpc::EXAMPLES)]
    Mpc(Multiparty),
    /// What a theorem says beside the exact value: limits of long compositions, amplification by shuffling
    #[command(after_help = limits::APPROXIMATE_EXAMPLES)]
    Approximate(limits::Approximate),
    /// A functional of the trade-off function: kl, kappa2, kappa3, cumulants, F-divergences
    #[command(after_help = limits::FUNCTIONAL_EXAMPLES)]
    Functional(limits::Functional),
    /// Whole curves, to look at (--out) or to compute with (--csv)
    #[command(after_help = CURVE_EXAMPLES)]
    Curve {
        /// The privacy profile or the trade-off function
        #[arg(long)]
        kind: CurveKind,
        #[command(flatten)]
        drawing: Drawing,
        /// Where it begins: an epsilon or a type I error; 0 unless given
        #[arg(long, value_name = "X", allow_hyphen_values = true)]
        from: Option<String>,
        /// Where it ends; epsilon 5, or type I error 1, unless given
        #[arg(long, value_name = "X", allow_hyphen_values = true)]
        to: Option<String>,
        /// How many points a table has, evenly spaced
        #[arg(long, default_value_t = 101, allow_hyphen_values = true, value_parser = integer(2, MOST_POINTS))]
        points: u32,
        /// Write the points and their enclosures; without --out and --csv they go to standard output
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
        /// Draw a picture: .svg, .pdf or .png; - is SVG on standard output
        #[arg(long, value_name = "FILE", visible_alias = "svg", help_heading = PICTURE)]
        out: Option<PathBuf>,
        /// Draw delta on a logarithmic axis
        #[arg(long, requires = "out", help_heading = PICTURE)]
        log: bool,
        /// On which ground
        #[arg(long, default_value = "light", help_heading = PICTURE)]
        theme: Theme,
        /// The name of a mechanism in the legend, in their order; may be given more than once
        #[arg(long, value_name = "TEXT", requires = "out", help_heading = PICTURE)]
        label: Vec<String>,
        /// Draw bounds of the first mechanism beside it; may be given more than once
        #[arg(long, value_name = "BOUND", requires = "out", value_delimiter = ',', help_heading = PICTURE)]
        overlay: Vec<Overlay>,
        /// Mark somebody's numbers for the first mechanism: a table epsilon,delta or alpha,beta; exit code 1 if some
        /// are unsound
        #[arg(long, value_name = "FILE", requires = "out", help_heading = PICTURE)]
        claims: Option<String>,
        #[command(flatten)]
        engine: Engine,
    },
    /// Read queries as JSON lines on standard input, write answers as JSON lines, in order
    #[command(after_help = "Example: echo \
        '{\"quantity\":\"delta\",\"mechanism\":\"gaussian(sigma=1)\",\"at\":{\"epsilon\":\"1\"}}' | dpcert answer")]
    Answer {
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        account: Account,
    },
    /// The golden vectors
    #[command(subcommand, arg_required_else_help = false)]
    Vectors(VectorsCommand),
    /// The budgets of the 2020 census: levels, pairs of paths, and what has been published about them
    #[command(subcommand, arg_required_else_help = false)]
    Census(CensusCommand),
    /// Tables and figures of papers, computed again: printed numbers beside certified ones
    #[command(after_help = "Examples:\n  dpcert paper list\n  dpcert paper kov/figure-2\n  \
        dpcert paper dwork-rothblum --format latex\n  dpcert paper all --out papers")]
    Paper {
        /// `list`, `all`, a paper, or one of its items
        what: String,
        /// Write each item as Markdown, LaTeX, CSV, JSON, SVG and PDF below this folder, and a summary of `all`
        ///
        /// Items that are finished there are left as they are, so that an interrupted run goes on.
        #[arg(long, value_name = "DIR", conflicts_with = "format")]
        out: Option<PathBuf>,
        /// How it is printed
        #[arg(long, default_value = "text")]
        format: PaperFormat,
        /// A folder of files PAPER/ITEM.toml; those inside of this program unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Compute finished items again
        #[arg(long, requires = "out")]
        again: bool,
        /// Leave out items that take more than some seconds
        #[arg(long)]
        quick: bool,
        /// How many items at a time; one for each core unless given
        #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
        threads: Option<u32>,
    },
    /// Statements of the papers, held against certified arithmetic: proven, holding at the points tried, or failing
    #[command(after_help = claim::EXAMPLES)]
    Claim(ClaimArguments),
    /// Ask other accountants the questions of the vectors, and judge what they claim
    #[command(after_help = audit::EXAMPLES)]
    Audit(Box<Audit>),
    /// Judge the plain f64 implementations of this crate by the golden vectors
    #[command(after_help = "Example: dpcert floats --form textbook")]
    Floats {
        /// A folder of vector files; the ones shipped with dpcert unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Only the careful or only the textbook implementations
        #[arg(long)]
        form: Option<FormName>,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// A page on this machine alone, to type or click a composition together and see what is certified of it
    #[command(after_help = serve::EXAMPLES)]
    Serve(Serve),
    /// Explain a command, or one of the topics: mechanisms, numbers, points
    #[command(after_help = "Examples:\n  dpcert help epsilon\n  dpcert help census levels\n  dpcert help mechanisms")]
    Help {
        /// A command, or mechanisms, numbers or points; all commands unless given
        #[arg(value_name = "COMMAND|TOPIC")]
        topic: Vec<String>,
    },
    /// What completes commands and options in a shell
    #[command(after_help = "Examples:\n  dpcert completions bash > ~/.local/share/bash-completion/completions/dpcert
  dpcert completions zsh > ~/.zfunc/_dpcert\n  dpcert completions fish > ~/.config/fish/completions/dpcert.fish")]
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Pages for man: of one command, or of all into a folder
    #[command(after_help = "Examples:\n  dpcert man epsilon | man -l -\n  dpcert man --out ~/.local/share/man/man1")]
    Man {
        /// A command; the program unless given
        command: Vec<String>,
        /// Write the pages of all commands into this folder
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

/// What is done with vectors.
#[derive(Debug, Subcommand)]
pub enum VectorsCommand {
    /// The files and how many cases they hold
    List {
        /// A folder of vector files; the ones shipped with dpcert unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Compute all vectors, confirm each by a second route, and write them with their schema
    #[command(after_help = "Example: dpcert vectors generate --out /tmp/fresh")]
    Generate {
        /// The folder that gets schema.json and data/
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Only the families or files whose name contains this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Recompute stored vectors and compare
    #[command(
        after_help = "Example: dpcert vectors verify --only kov\n         dpcert vectors verify --grid --only census"
    )]
    Verify {
        /// A folder of vector files; the ones shipped with dpcert unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Only the files whose name contains this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Instead of recomputing: what contours alone confirm must lie in what a grid of few points proves
        #[arg(long)]
        grid: bool,
    },
    /// Check form and meaning of vector files, without computing anything
    Lint {
        /// Files or folders
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
}

/// What is done with the budgets of the census.
#[derive(Debug, Subcommand)]
pub enum CensusCommand {
    /// Epsilon of each level and of the whole: by Bun and Steinke, by Canonne, Kamath and Steinke, and exactly
    #[command(after_help = "Example: dpcert census levels examples/census/dhc-persons-us.csv --delta 1e-10")]
    Levels {
        /// An allocation, with the columns level,query,rho
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
        /// The deltas whose zCDP epsilons are asked for; 5e-1,1e-1, ... 5e-21,1e-21 unless given
        #[arg(long, value_name = "D,D,...", value_delimiter = ',', allow_hyphen_values = true)]
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

/// A mechanism, and how the answer is wanted.
#[derive(Args, Debug)]
pub struct Question {
    /// A mechanism, such as 'gaussian(sigma=2)^10', or @file.toml, or @budgets.csv
    pub mechanism: String,
    /// Which of the two divergences of the pair
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven; 6 to 15, as they come cheaply, unless given
    ///
    /// Where fewer are proven within the budget, the answer is what is proven, with the reason, and exit code 3.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object a line
    ///
    /// `lower` and `upper` are rounded outward to one digit more than was asked for; `f64_lower` and `f64_upper` are
    /// the tightest doubles around what is proven, and may be tighter than these decimals: both pairs enclose the
    /// truth.
    #[arg(long)]
    pub json: bool,
    /// Print an exact fraction in full, however long
    #[arg(long)]
    pub exact: bool,
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

/// A composition on which the accounts are compared.
#[derive(Args, Debug)]
pub struct Contest {
    /// A mechanism, such as 'gaussian(sigma=2)^10', or @file.toml, or @budgets.csv
    pub mechanism: String,
    /// Compare the epsilons at this delta, between 0 and 1, or at many, as in 1e-6..1e-10
    #[arg(long, value_name = "D", allow_hyphen_values = true, required_unless_present = "epsilon")]
    #[arg(conflicts_with = "epsilon")]
    pub delta: Option<String>,
    /// Compare the deltas at this epsilon: any real constant, or many, as in 0.5,1,2
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven
    #[arg(long, value_name = "N", default_value_t = 6, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Print a table with both ends of each number
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

/// A theorem, and the numbers that it is asked about.
#[derive(Args, Debug)]
pub struct Statement {
    /// Its name, or `list`
    #[arg(value_name = "THEOREM")]
    pub id: String,
    /// The numbers, as in epsilon=1/10
    #[arg(value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub values: Vec<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits must be proven
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// A mechanism with a `?`, and how the answer is wanted.
#[derive(Args, Debug)]
pub struct Inverse {
    /// A mechanism with one `?` in the place of a number, such as 'gaussian(sigma=?)^10' or 'gaussian(sigma=2)^?'
    pub mechanism: String,
    /// Which of the two divergences of the pair
    #[arg(long, default_value = "worst")]
    pub direction: DirectionName,
    #[command(flatten)]
    pub limits: Limits,
    /// How many significant digits of the number must be proven; those of two neighbouring doubles, 15, unless given
    ///
    /// Integers are exact.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Question {
    /// Digits, for what has no cheaper ones.
    pub fn digits(&self) -> u32 {
        self.digits.unwrap_or(Query::DEFAULT_DIGITS)
    }
}

/// How a composed curve is computed.
#[derive(Args, Clone, Copy, Debug)]
pub struct Engine {
    /// The kind of engine; different kinds check each other
    #[arg(long, default_value = "auto", help_heading = ENGINE)]
    pub method: Method,
}

/// Whether an answer tells how it was come by.
#[derive(Args, Clone, Copy, Debug)]
pub struct Account {
    /// Tell how the answer was reached: in two sentences, then the engine's choices, each error and its bound,
    /// precision, time
    #[arg(long, help_heading = ENGINE)]
    pub explain: bool,
}

/// What an answer may cost.
#[derive(Args, Clone, Copy, Debug)]
pub struct Limits {
    /// The most bits of working precision
    #[arg(long, help_heading = BUDGET, value_name = "BITS", default_value_t = Budget::DEFAULT_MAX_BITS)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_bits: u32,
    /// The most seconds an answer may take
    #[arg(long, help_heading = BUDGET, value_name = "SECONDS", default_value = "60")]
    #[arg(allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Duration,
    /// The most megabytes of memory for one computation, about
    #[arg(long, help_heading = BUDGET, value_name = "MB", default_value_t = DEFAULT_MEGABYTES)]
    #[arg(allow_hyphen_values = true, value_parser = integer(1, u32::MAX))]
    pub max_memory: u32,
}

const DEFAULT_MEGABYTES: u32 = (Budget::DEFAULT_MAX_BYTES / 1_000_000) as u32;

/// An integer between these two, or what would be one.
fn integer(least: u32, most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("an integer from {least} to {most} is expected")),
    }
}

/// A length of time that a clock can count.
fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    value.ok_or_else(|| "a number of seconds from 0 to 1e19 is expected".to_string())
}

/// [`Direction`] as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DirectionName {
    /// The larger of both divergences; for beta the smaller of both errors
    Worst,
    /// H(P||Q), P the first distribution; for beta: alpha under P, beta under Q
    Forward,
    /// H(Q||P); for beta: alpha under Q, beta under P
    Backward,
}

impl From<DirectionName> for Direction {
    fn from(name: DirectionName) -> Self {
        match name {
            DirectionName::Worst => Direction::Worst,
            DirectionName::Forward => Direction::Forward,
            DirectionName::Backward => Direction::Backward,
        }
    }
}

/// The divergences that need no point.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DivergenceKind {
    /// Kullback-Leibler
    Kl,
    /// Total variation distance
    Tv,
    /// Max divergence
    Max,
    /// Chi-squared
    Chi2,
}

/// Which face of privacy is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CurveKind {
    /// delta against epsilon
    Profile,
    /// beta against alpha
    Tradeoff,
}

/// How an item of a paper is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperFormat {
    /// A table for a terminal, and what differs
    Text,
    /// A page
    Markdown,
    /// A tabular with booktabs
    Latex,
    /// One number a row, with both ends
    Csv,
    /// Everything, as JSON
    Json,
    /// The picture of a figure
    Svg,
}

/// Which form of the f64 implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// Keeps a documented relative error bound
    Careful,
    /// As accountants write it
    Textbook,
}
