//! The arguments as typed. What they mean is decided in `commands/`, one file per command.

mod asked;
mod attack;
mod audit;
mod census;
mod claim;
mod compare;
mod curve;
mod filter;
pub mod limits;
mod loss;
mod mpc;
mod noise;
mod number;
mod paper;
mod question;
mod serve;
mod theorem;
mod vectors;
mod vertices;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use self::number::{integer, seconds, work};
use crate::print::Compared;

pub use self::asked::Asked;
pub use self::attack::{CanonicalNoise, Risks};
pub use self::audit::{Audit, Part, ProtocolFile};
pub use self::census::CensusCommand;
pub use self::claim::ClaimArguments;
pub use self::compare::Contest;
pub use self::curve::{CurveKind, Curves, Drawing};
pub use self::filter::{Amount, FilterCommand};
pub use self::loss::LossDistribution;
pub use self::mpc::Multiparty;
pub use self::noise::NoiseArguments;
pub use self::paper::{Paper, PaperFormat};
pub use self::question::{Account, Asking, DirectionName, DivergenceKind, Engine, Inverse, Limits, Question};
pub use self::serve::Serve;
pub use self::theorem::Statement;
pub use self::vectors::{Floats, FormName, VectorsCommand};
pub use self::vertices::Vertices;

const ABOUT: &str = "Compute certified differential-privacy guarantees";

const LONG_ABOUT: &str = "Compute certified differential-privacy guarantees

Every number printed is exact, or a proven enclosure lower <= value <= upper with the requested number of digits.
Inputs are exact as well: 0.1 means 1/10, and 3/2, 1e-11, ln(3/2) and sqrt(2) are not rounded.

Exit codes:
  0  success
  1  a check failed, or a filter refused an amount
  2  invalid input, or an undefined quantity
  3  fewer digits were proven within the budget than required";

/// The heading of options that every command has.
const TALK: &str = "Global options";

/// Largest number of points of a curve, which bounds time and memory.
const MOST_POINTS: u32 = 100_000;

/// Largest number of threads accepted.
const MOST_THREADS: u32 = 1024;

const EXAMPLES: &str = "Examples:
  dpcert delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30
  dpcert epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11
  dpcert delta 'randomized-response(epsilon=ln(3/2))^4' --epsilon '2*ln(3/2)'
  dpcert beta 'laplace(scale=1)' --alpha 0.1 --json
  dpcert region 'approx-dp(epsilon=0.1, delta=0.001)^30' --bounds
  dpcert calibrate 'gaussian(sigma=?)^10' --epsilon 1 --delta 1e-5

`dpcert help` groups the commands by purpose, and `dpcert help COMMAND` explains one.
`dpcert help mechanisms` lists the mechanisms and their parameters.
`dpcert help numbers` and `dpcert help points` explain how to write numbers, lists and ranges.";

const CALIBRATE_EXAMPLES: &str = "Examples:
  dpcert calibrate 'poisson(rate=256/60000, gaussian(sigma=?))^14062' --epsilon 3 --delta 1e-5
  dpcert calibrate 'poisson(rate=256/60000, gaussian(sigma=1.1))^?' --epsilon 3 --delta 1e-5
  dpcert calibrate 'laplace(scale=?)^10' --beta 0.9 --alpha 0.05 --digits 30
  dpcert calibrate 'gaussian(sigma=?)^10' --mu 1
  dpcert calibrate 'laplace(scale=?)^10' --rho 1/2
  dpcert calibrate 'laplace(scale=?)^10' --renyi 8 1/2
  dpcert calibrate 'mixture(?: gaussian(sigma=5), rest: gaussian(sigma=20))^10' --epsilon 1 --delta 1e-3
  dpcert calibrate 'gaussian(sigma=?)^10' --epsilon 0.5,1,2 --delta 1e-5,1e-6";

const CONJUGATE_EXAMPLES: &str = "Examples:
  dpcert conjugate 'randomized-response(epsilon=ln(3))^2' --slope -2
  dpcert conjugate 'gaussian(sigma=1)^10' --slope '-exp(1)' --digits 30
  dpcert conjugate 'poisson(rate=1/10, gdp(mu=1))' --slope -4..0 --direction forward

For f = T(P,Q), y < 0 and epsilon = ln(-y), f*(y) = delta(epsilon) - 1. The forward conjugate uses the delta of the
backward direction, and the backward conjugate that of the forward direction. The default is the larger of both, the
conjugate of min(f, f^-1). For y >= 0, f*(y) = y. The biconjugate is f: f(alpha) = sup over y of y alpha - f*(y).";

const RENYI_EXAMPLES: &str = "Examples:
  dpcert renyi 'laplace(scale=1)' --order 2
  dpcert renyi 'laplace(scale=1)' --order 1,3/2,2..64,inf";

const ORDER_EXAMPLES: &str = "Examples:
  dpcert order 'laplace(scale=1)' 'gaussian(sigma=1)'
  dpcert order 'poisson(rate=1/100, gaussian(sigma=2))^1000' 'poisson(rate=1/50, gaussian(sigma=1))^1000'
  dpcert order 'finite(p=[1/2,1/2], q=[1/3,2/3])' 'randomized-response(epsilon=ln(3))' --channel
  dpcert order 'randomized-response(epsilon=1)' 'k-randomized-response(epsilon=2, categories=4)' --channel
  dpcert order 'gaussian(sigma=2)' 'gaussian(sigma=1)' --channel
  dpcert order 'poisson(rate=1/10, gdp(mu=1))' 'subsample(rate=1/10, gdp(mu=1))' --direction forward

The default compares both directions, by min(f, f^-1)**. With --direction forward it compares T(P,Q): the outcomes of
the more private pair can then be generated from those of the other pair.

`equal`, `more private`, `less private` and `incomparable` are proven. If a relation fails, the answer prints a
counterexample: a type I error with both type II errors, or an epsilon with both deltas.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "dpcert", version, about = ABOUT, long_about = LONG_ABOUT, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, arg_required_else_help = false, subcommand_value_name = "COMMAND")]
pub struct Cli {
    /// The command; without one, examples are printed.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options about the amount of output.
    #[command(flatten)]
    pub talk: Talk,
}

/// Options about the amount of output, which every command has.
#[derive(Clone, Copy, Debug, Args)]
pub struct Talk {
    /// Print only answers and errors, no progress
    #[arg(long, short, global = true, help_heading = TALK)]
    pub quiet: bool,
    /// Print the method and its source with each answer, and details on standard error
    #[arg(long, short, global = true, help_heading = TALK, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl Cli {
    /// Parse a command line, the name of the program first.
    ///
    /// Defining all commands takes longer than computing many answers. The most frequent commands are therefore parsed
    /// alone first; a line that they do not accept is parsed by the full definition.
    pub fn typed(words: &[OsString]) -> Result<Self, clap::Error> {
        let name = words.get(1).and_then(|word| word.to_str());
        if name.is_some_and(Asked::has_subcommand)
            && let Ok(Brief { command, talk }) = Brief::try_parse_from(words)
        {
            return Ok(Cli { command: Some(Command::Asked(command)), talk });
        }
        Cli::try_parse_from(words)
    }
}

/// The command line of the most frequent commands.
#[derive(Debug, Parser)]
#[command(name = "dpcert")]
struct Brief {
    #[command(subcommand)]
    command: Asked,
    #[command(flatten)]
    talk: Talk,
}

/// The direction that `order` compares, as typed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ComparedName {
    /// T(P,Q), with P and Q as documented by the mechanism
    Forward,
    /// Both directions: the larger of the two profiles at every epsilon
    Worst,
}

impl From<ComparedName> for Compared {
    fn from(name: ComparedName) -> Self {
        match name {
            ComparedName::Forward => Compared::Forward,
            ComparedName::Worst => Compared::Worst,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The most frequent commands.
    #[command(flatten)]
    Asked(Asked),
    /// Compute the convex conjugate of the trade-off function at a slope
    ///
    /// f*(y) = sup over alpha of y alpha - f(alpha)
    #[command(after_help = CONJUGATE_EXAMPLES)]
    Conjugate {
        /// Slope y: any real constant, such as -3/2 or -exp(1/2); or several, as in -2,-1,0
        #[arg(long, value_name = "Y", allow_hyphen_values = true)]
        slope: String,
        #[command(flatten)]
        of: Asking,
    },
    /// Compute a parameter marked `?` that meets a privacy target
    ///
    /// The answer is the smallest noise, the largest number of steps or the largest rate that meets the target.
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate {
        /// Epsilon of an (epsilon, delta) target: any real constant; or several, as in 0.5,1,2 or 0..5
        #[arg(long, value_name = "E", allow_hyphen_values = true, requires = "delta")]
        #[arg(conflicts_with_all = ["alpha", "beta"])]
        epsilon: Option<String>,
        /// Delta of an (epsilon, delta) target, between 0 and 1; or several, as in 1e-6..1e-10
        #[arg(long, value_name = "D", allow_hyphen_values = true, requires = "epsilon")]
        delta: Option<String>,
        /// Target a type II error of at least B at type I error --alpha, between 0 and 1; or several
        #[arg(long, value_name = "B", allow_hyphen_values = true, requires = "alpha")]
        beta: Option<String>,
        /// Type I error of the target --beta, between 0 and 1; or several, as in 0.01,0.05
        #[arg(long, value_name = "A", allow_hyphen_values = true, requires = "beta")]
        alpha: Option<String>,
        /// Target mu-GDP: a trade-off function of at least that of N(0, 1) against N(mu, 1); or several, as in 0.5,1
        #[arg(long, value_name = "MU", allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta", "rho", "renyi"])]
        mu: Option<String>,
        /// Target rho-zCDP: every Renyi divergence at most rho times its order; or several, as in 0.1,0.5
        #[arg(long, value_name = "RHO", allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta", "renyi"])]
        rho: Option<String>,
        /// Target a Renyi divergence of at most VALUE at ORDER, greater than 1; or several of each
        #[arg(long, num_args = 2, value_names = ["ORDER", "VALUE"], allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta"])]
        renyi: Option<Vec<String>>,
        #[command(flatten)]
        inverse: Inverse,
        #[command(flatten)]
        engine: Engine,
    },
    /// Compare accounting methods with the exact value of a composition
    #[command(after_help = compare::EXAMPLES)]
    Compare(Contest),
    /// Evaluate a published theorem at given parameters
    ///
    /// The hypotheses of the theorem are checked first.
    #[command(after_help = theorem::EXAMPLES)]
    Theorem(Statement),
    /// Compute the Renyi divergence of an order from 1 (kl) to inf (max)
    ///
    /// D_a(P||Q) = ln(E_Q[(dP/dQ)^a])/(a - 1)
    #[command(after_help = RENYI_EXAMPLES)]
    Renyi {
        /// Order: a real number of at least 1, or inf; or several, as in 2..64,inf
        #[arg(long, value_name = "G", allow_hyphen_values = true)]
        order: String,
        #[command(flatten)]
        question: Question,
        #[command(flatten)]
        account: Account,
    },
    /// Compute another divergence: kl, tv, max or chi2
    #[command(after_help = "Example: dpcert divergence kl 'randomized-response(epsilon=1)^10'")]
    Divergence {
        /// Divergence
        kind: DivergenceKind,
        #[command(flatten)]
        of: Asking,
    },
    /// Decide which of two mechanisms is more private
    ///
    /// A mechanism is at least as private as another if its trade-off function is nowhere below that of the other.
    #[command(after_help = ORDER_EXAMPLES)]
    Order {
        /// Mechanism, such as 'poisson(rate=1/100, gaussian(sigma=2))^1000', or @file.toml
        first: String,
        /// Mechanism to compare it with
        second: String,
        /// Direction to compare [default: worst, or forward with --channel]
        #[arg(long, value_enum)]
        direction: Option<ComparedName>,
        /// Print a randomised map from the less private mechanism to the other: a stochastic matrix, or added noise
        ///
        /// If there is none, the answer prints the reason.
        #[arg(long)]
        channel: bool,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the (epsilon_i, delta_i) that define the exact composition region
    ///
    /// The region is the intersection of the (epsilon_i, delta_i) regions.
    #[command(after_help = "Example: dpcert region 'approx-dp(epsilon=0.1, delta=0.001)^30' --bounds")]
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
    Region {
        #[command(flatten)]
        question: Question,
        /// Print the deltas of KOV's Theorems 3.1, 3.2 and 3.4 beside the exact ones
        #[arg(long)]
        bounds: bool,
        /// Draw the boundary of the region to FILE instead: .svg, .pdf or .png
        #[arg(long, value_name = "FILE", visible_alias = "out", conflicts_with_all = ["bounds", "json"])]
        svg: Option<PathBuf>,
    },
    /// Derive the composition region as rational functions of x = e^epsilon
    #[command(after_help = "Example: dpcert symbolic 'randomized-response(epsilon=1)' --k 4")]
    Symbolic {
        /// An (epsilon, delta) mechanism: its epsilon becomes the variable, its delta stays fixed
        mechanism: String,
        /// Number of compositions, at most 64
        #[arg(long, allow_hyphen_values = true, value_parser = integer(0, u32::MAX))]
        k: u32,
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Replace a pair by an antipodal pair, and bound its KL divergence (Dwork-Rothblum, Lemma 3.9)
    ///
    /// The antipodal pair (M, N) has the epsilon and the total variation of (P, Q).
    /// KL(P||Q) and KL(Q||P) are at most KL(M||N) <= epsilon tanh(epsilon/2).
    #[command(verbatim_doc_comment)]
    #[command(after_help = "Examples:
  dpcert antipodal 'finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])'
  dpcert antipodal 'laplace(scale=1)^3'")]
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
    Antipodal {
        #[command(flatten)]
        question: Question,
    },
    /// Track the budget of a fully adaptive composition in a ledger file
    #[command(subcommand, arg_required_else_help = false)]
    Filter(FilterCommand),
    /// Compute the success of the best attack on one record: advantage, true positive rates, Bayes risks
    ///
    /// For a trade-off function f:
    ///   advantage           max over alpha of 1 - alpha - f(alpha)
    ///   true positive rate  1 - f(alpha), at a false positive rate alpha
    ///   Bayes risk          min over alpha of (1 - p) alpha + p f(alpha), at a prior p of the second data set
    #[command(verbatim_doc_comment)]
    #[command(after_help = "Example: dpcert risk 'gaussian(sigma=1)^10' --fpr 1e-3 --prior 1/2")]
    Risk(Risks),
    /// Compute the smallest mu for which a mechanism is mu-GDP
    ///
    /// It is the smallest mu with G_mu below the trade-off function. The answer also prints the alphas where both
    /// functions touch, and the largest gap between them.
    #[command(verbatim_doc_comment)]
    #[command(after_help = "Example: dpcert fit 'laplace(scale=1)^3'

The smallest mu is the same in both directions. The alphas and the gap are those of the forward direction.

The gap is proven to 6 digits, or to N if --digits N is less. An alpha at a vertex of a piecewise-linear trade-off
function is proven to all requested digits. Any other alpha is printed as an interval, and the functions touch at no
other alpha. Where both functions are smooth, such an interval has about half as many digits as mu. If mu follows from
bounds for the parts of a composition, the alphas are unknown.")]
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
    Fit {
        #[command(flatten)]
        question: Question,
    },
    /// Compute the canonical noise distribution of a mechanism (Awan, Vadhan)
    ///
    /// Canonical noise is additive noise that is exactly as private as the mechanism.
    #[command(after_help = "Examples:
  dpcert canonical-noise 'randomized-response(epsilon=ln(3))' --at 5/2
  dpcert canonical-noise 'gdp(mu=1)' --quantile 0.975")]
    CanonicalNoise(CanonicalNoise),
    /// Compute the error of additive noise: variance, mean absolute error, tails and quantiles
    #[command(after_help = noise::EXAMPLES)]
    Noise(NoiseArguments),
    /// Compute the optimal accuracy of a function of private bits (Kairouz, Oh, Viswanath, Section 5)
    #[command(after_help = mpc::EXAMPLES)]
    Mpc(Multiparty),
    /// Evaluate limit and shuffling theorems beside the exact value
    #[command(after_help = limits::APPROXIMATE_EXAMPLES)]
    Approximate(limits::Approximate),
    /// Compute a functional of the trade-off function: kl, kappa2, kappa3, cumulants, F-divergences
    #[command(after_help = limits::FUNCTIONAL_EXAMPLES)]
    Functional(limits::Functional),
    /// Compute the mean and the subgaussian parameter of the privacy loss
    #[command(after_help = limits::CONCENTRATED_EXAMPLES)]
    Concentrated(limits::Concentrated),
    /// Compute tails, the distribution function and quantiles of the privacy loss
    ///
    /// The privacy loss is L = ln(dP/dQ) at a random output.
    #[command(after_help = loss::EXAMPLES)]
    #[command(mut_arg("direction", |arg| arg.default_value("forward").help("Direction of the loss")))]
    Loss(LossDistribution),
    /// Compute a whole curve as a picture (--out) or a table (--csv)
    #[command(after_help = curve::EXAMPLES)]
    Curve(Curves),
    /// List the exact vertices of a piecewise-linear trade-off function or of its profile
    #[command(after_help = vertices::EXAMPLES)]
    Vertices(Vertices),
    /// Answer queries from standard input, in order, as JSON lines
    #[command(after_help = "Example: echo \
        '{\"quantity\":\"delta\",\"mechanism\":\"gaussian(sigma=1)\",\"at\":{\"epsilon\":\"1\"}}' | dpcert answer")]
    Answer {
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        account: Account,
    },
    /// List, generate and verify golden test vectors
    #[command(subcommand, arg_required_else_help = false)]
    Vectors(VectorsCommand),
    /// Compute the privacy budgets of the 2020 US census, and check published values
    #[command(subcommand, arg_required_else_help = false)]
    Census(CensusCommand),
    /// Recompute tables and figures of papers, with printed and certified numbers side by side
    #[command(after_help = paper::EXAMPLES)]
    Paper(Paper),
    /// Check statements of papers in certified arithmetic
    ///
    /// A statement is proven, holds at the points tested, or fails.
    #[command(after_help = claim::EXAMPLES)]
    Claim(ClaimArguments),
    /// Check the claims of other accountants against certified values
    #[command(after_help = audit::EXAMPLES)]
    Audit(Box<Audit>),
    /// Check the f64 implementations of dpcert against the golden vectors
    #[command(after_help = "Example: dpcert floats --form textbook")]
    Floats(Floats),
    /// Serve a local web page to build and query compositions
    #[command(after_help = serve::EXAMPLES)]
    Serve(Serve),
    /// Explain a command, a mechanism, a statement of a paper, or one of the topics: mechanisms, numbers, points
    #[command(after_help = "Examples:\n  dpcert help epsilon\n  dpcert help census levels\n  dpcert help mechanisms")]
    Help {
        /// Command, mechanism, statement or topic [default: an overview of the commands]
        #[arg(value_name = "COMMAND|TOPIC")]
        topic: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  dpcert completions bash > ~/.local/share/bash-completion/completions/dpcert
  dpcert completions zsh > ~/.zfunc/_dpcert\n  dpcert completions fish > ~/.config/fish/completions/dpcert.fish")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of a command, or write all pages to a directory
    #[command(after_help = "Examples:\n  dpcert man epsilon | man -l -\n  dpcert man --out ~/.local/share/man/man1")]
    Man {
        /// Command [default: dpcert itself]
        command: Vec<String>,
        /// Write the pages of all commands to DIR
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The brief definition parses a line like the full one, or leaves the line to it.
    #[test]
    fn brief_and_full_definitions_parse_alike() {
        for (line, taken) in [
            ("dpcert delta gdp(mu=1) --epsilon -1 --digits 30 --json -q", true),
            ("dpcert epsilon gdp(mu=1) --delta 1e-5 --method grid --explain --verbose", true),
            ("dpcert beta gdp(mu=1) --alpha=0.5 --timeout 3 --direction forward", true),
            ("dpcert delta gdp(mu=1)", false),
            ("dpcert delta gdp(mu=1) --epsilon 1 --quiet --verbose", false),
            ("dpcert delta --help", false),
            ("dpcert --quiet delta gdp(mu=1) --epsilon 1", true),
            ("dpcert renyi gdp(mu=1) --order 2", true),
            ("dpcert delt gdp(mu=1) --epsilon 1", false),
            ("dpcert", true),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let told = |read: Result<Cli, clap::Error>| match read {
                Ok(cli) => (true, format!("{cli:?}")),
                Err(error) => (false, error.to_string()),
            };
            let read = told(Cli::typed(&words));
            assert_eq!(read.0, taken, "{line}");
            assert_eq!(read, told(Cli::try_parse_from(&words)), "{line}");
        }
    }
}
