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

use self::number::{integer, seconds};
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

const ABOUT: &str = "What is the privacy of this mechanism, exactly?";

const LONG_ABOUT: &str = "What is the privacy of this mechanism, exactly?

Every number printed is exact, or a proven enclosure lower <= truth <= upper, to as many digits as asked for.
Inputs are exact too: 0.1 is 1/10, and 3/2, 1e-11, ln(3/2), sqrt(2) and expressions of them are what they say.

Exit codes: 0 fine, 1 a mismatch or a mistake was found, or a filter has refused, 2 bad input, 3 fewer
digits proven within the budget than asked for.";

/// The heading of options that every command has.
const TALK: &str = "Everywhere";

/// The most points of a curve: a bound on time and memory that nobody's screen needs to exceed.
const MOST_POINTS: u32 = 100_000;

/// More threads than this are a mistake.
const MOST_THREADS: u32 = 1024;

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

With f = T(P,Q), y < 0 and epsilon = ln(-y), f*(y) = delta(epsilon) - 1, where delta is that of the backward direction
for the forward conjugate, and the other way round; the worst one is the larger of both, the conjugate of
min(f, f^-1). For y >= 0 it is y. The conjugate of a conjugate is f again, and f(alpha) = sup of y alpha - f*(y).";

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

A mechanism is at least as private as another if its trade-off function is nowhere below that of the other. By default
that is the trade-off function of both orders of the neighbours, min(f, f^-1)**. With --direction forward it is that of
tests of P against Q: then the outcomes of the more private pair can be made from those of the other one.

`equal`, `more private`, `less private` and `incomparable` are proven. Where a relation fails, the answer names a type I
error and both type II errors there, or an epsilon and both deltas.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "dpcert", version, about = ABOUT, long_about = LONG_ABOUT, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, arg_required_else_help = false, subcommand_value_name = "COMMAND")]
pub struct Cli {
    /// What to do; nothing shows how to begin.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How much is said.
    #[command(flatten)]
    pub talk: Talk,
}

/// How much is said, whatever the command.
#[derive(Clone, Copy, Debug, Args)]
pub struct Talk {
    /// Say nothing but answers and errors: no progress
    #[arg(long, short, global = true, help_heading = TALK)]
    pub quiet: bool,
    /// Say on standard error how answers to questions were reached
    #[arg(long, short, global = true, help_heading = TALK, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl Cli {
    /// What was typed, the name of the program first.
    ///
    /// To define all commands takes longer than many an answer: those that are asked most are read by themselves, and
    /// whatever they do not take is read, or refused, by the whole.
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

/// The command line of what is asked most.
#[derive(Debug, Parser)]
#[command(name = "dpcert")]
struct Brief {
    #[command(subcommand)]
    command: Asked,
    #[command(flatten)]
    talk: Talk,
}

/// What `order` compares, as typed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ComparedName {
    /// T(P,Q), P the first distribution as the mechanism documents it: its own order of the two neighbours
    Forward,
    /// What holds for both orders of the neighbours: the larger of both profiles at every epsilon
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
    /// What is asked most.
    #[command(flatten)]
    Asked(Asked),
    /// The convex conjugate of the trade-off function, f*(y) = sup of y alpha - f(alpha) over alpha, at a slope y
    #[command(after_help = CONJUGATE_EXAMPLES)]
    Conjugate {
        /// Any real constant, such as -3/2 or -exp(1/2); or many, as in -2,-1,0
        #[arg(long, value_name = "Y", allow_hyphen_values = true)]
        slope: String,
        #[command(flatten)]
        of: Asking,
    },
    /// The number in the place of a `?` that keeps a promise: the least noise, the most steps, the largest rate
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate {
        /// Promise a delta at this epsilon: any real constant; or at many, as in 0.5,1,2 or 0..5
        #[arg(long, value_name = "E", allow_hyphen_values = true, requires = "delta")]
        #[arg(required_unless_present_any = ["beta", "mu", "rho", "renyi"], conflicts_with_all = ["alpha", "beta"])]
        epsilon: Option<String>,
        /// The delta promised, between 0 and 1; or many, as in 1e-6..1e-10
        #[arg(long, value_name = "D", allow_hyphen_values = true, requires = "epsilon")]
        delta: Option<String>,
        /// Promise that tests of type I error alpha have at least this type II error, between 0 and 1; or one of many
        #[arg(long, value_name = "B", allow_hyphen_values = true, requires = "alpha")]
        beta: Option<String>,
        /// The type I error of the tests, between 0 and 1; or many, as in 0.01,0.05
        #[arg(long, value_name = "A", allow_hyphen_values = true, requires = "beta")]
        alpha: Option<String>,
        /// Target mu-GDP: a trade-off function of at least that of N(0, 1) against N(mu, 1); or many, as in 0.5,1
        #[arg(long, value_name = "MU", allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta", "rho", "renyi"])]
        mu: Option<String>,
        /// Target rho-zCDP: every Renyi divergence of at most rho times its order; or many, as in 0.1,0.5
        #[arg(long, value_name = "RHO", allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta", "renyi"])]
        rho: Option<String>,
        /// Target a Renyi divergence of this order, greater than 1, of at most this value; or many of each
        #[arg(long, num_args = 2, value_names = ["ORDER", "VALUE"], allow_hyphen_values = true)]
        #[arg(conflicts_with_all = ["epsilon", "delta", "alpha", "beta"])]
        renyi: Option<Vec<String>>,
        #[command(flatten)]
        inverse: Inverse,
        #[command(flatten)]
        engine: Engine,
    },
    /// What the accounts say of one composition, side by side: which are bounds, and how far each is from the exact
    #[command(after_help = compare::EXAMPLES)]
    Compare(Contest),
    /// What a theorem says of numbers, once its hypotheses are checked; `list` lists the theorems
    #[command(after_help = theorem::EXAMPLES)]
    Theorem(Statement),
    /// The Renyi divergence of an order from 1 (kl) to inf (max)
    #[command(after_help = RENYI_EXAMPLES)]
    Renyi {
        /// From 1 on, not necessarily an integer, or inf; or many, as in 2..64,inf
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
        of: Asking,
    },
    /// Which of two mechanisms is the more private, at every type I error: a proof, or where it fails
    #[command(after_help = ORDER_EXAMPLES)]
    Order {
        /// A mechanism, such as 'poisson(rate=1/100, gaussian(sigma=2))^1000', or @file.toml
        first: String,
        /// Another one
        second: String,
        /// What to compare of each mechanism [default: worst, and forward with --channel]
        #[arg(long, value_enum)]
        direction: Option<ComparedName>,
        /// Print the randomised map from outcomes of the less private mechanism to those of the other one, or why there
        /// is none: a stochastic matrix, or added noise
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
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
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
        #[command(flatten)]
        limits: Limits,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Replace a pair by an antipodal one, and bound its KL divergence (Dwork-Rothblum, Lemma 3.9)
    #[command(after_help = "Examples:
  dpcert antipodal 'finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])'
  dpcert antipodal 'laplace(scale=1)^3'")]
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
    Antipodal {
        #[command(flatten)]
        question: Question,
    },
    /// A budget for mechanisms chosen as one goes: fully adaptive composition, in a file
    #[command(subcommand, arg_required_else_help = false)]
    Filter(FilterCommand),
    /// What the best attack on one record achieves: advantage, true positive rates, Bayes risks
    #[command(after_help = "Example: dpcert risk 'gaussian(sigma=1)^10' --fpr 1e-3 --prior 1/2")]
    Risk(Risks),
    /// The least mu with G_mu below the trade-off function, where they touch, and the gap between them
    #[command(after_help = "Example: dpcert fit 'laplace(scale=1)^3'

The least mu is the same in both directions; alphas and the gap are those of the forward one. The gap has
6 digits, or as many as were asked for if these are fewer; where fewer are proven the exit code is 3. An alpha
that is a vertex of a polyline has all digits. Others are told by intervals outside of which nothing touches: as
narrow as the digits of mu make them, which are about half as many where the functions are smooth. Where mu is
known by bounds of the parts alone, the alphas are not.")]
    #[command(mut_arg("direction", |arg| arg.hide(true)))]
    Fit {
        #[command(flatten)]
        question: Question,
    },
    /// The additive noise that is exactly as private as a mechanism (Awan, Vadhan): its distribution function and
    /// quantiles
    #[command(after_help = "Examples:
  dpcert canonical-noise 'randomized-response(epsilon=ln(3))' --at 5/2
  dpcert canonical-noise 'gdp(mu=1)' --quantile 0.975")]
    CanonicalNoise(CanonicalNoise),
    /// How accurate an answer with additive noise is: variance, mean absolute error, tails and quantiles of the noise
    #[command(after_help = noise::EXAMPLES)]
    Noise(NoiseArguments),
    /// How well a function of private bits can be computed: the optimal accuracy (Kairouz, Oh, Viswanath, Section 5)
    #[command(after_help = mpc::EXAMPLES)]
    Mpc(Multiparty),
    /// What a theorem says beside the exact value: limits of long compositions, amplification by shuffling
    #[command(after_help = limits::APPROXIMATE_EXAMPLES)]
    Approximate(limits::Approximate),
    /// A functional of the trade-off function: kl, kappa2, kappa3, cumulants, F-divergences
    #[command(after_help = limits::FUNCTIONAL_EXAMPLES)]
    Functional(limits::Functional),
    /// Is a mechanism (mu, tau)-concentrated? The mean and the subgaussian standard of its privacy loss
    #[command(after_help = limits::CONCENTRATED_EXAMPLES)]
    Concentrated(limits::Concentrated),
    /// The distribution of the privacy loss ln(dP/dQ): tails, distribution function, quantiles, under P or Q
    #[command(after_help = loss::EXAMPLES)]
    #[command(mut_arg("direction", |arg| arg.default_value("forward").help("Order of the pair whose loss it is")))]
    Loss(LossDistribution),
    /// Whole curves, to look at (--out) or to compute with (--csv)
    #[command(after_help = curve::EXAMPLES)]
    Curve(Curves),
    /// The exact corners of a trade-off function that is a polyline, and those of its profile
    #[command(after_help = vertices::EXAMPLES)]
    Vertices(Vertices),
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
    #[command(after_help = paper::EXAMPLES)]
    Paper(Paper),
    /// Statements of the papers, held against certified arithmetic: proven, holding at the points tried, or failing
    #[command(after_help = claim::EXAMPLES)]
    Claim(ClaimArguments),
    /// Ask other accountants the questions of the vectors, and judge what they claim
    #[command(after_help = audit::EXAMPLES)]
    Audit(Box<Audit>),
    /// Judge the plain f64 implementations of this crate by the golden vectors
    #[command(after_help = "Example: dpcert floats --form textbook")]
    Floats(Floats),
    /// A page on this machine alone, to type or click a composition together and see what is certified of it
    #[command(after_help = serve::EXAMPLES)]
    Serve(Serve),
    /// Explain a command, a mechanism, a statement of a paper, or one of the topics: mechanisms, numbers, points
    #[command(after_help = "Examples:\n  dpcert help epsilon\n  dpcert help census levels\n  dpcert help mechanisms")]
    Help {
        /// A command, mechanism, statement of a paper, or mechanisms, numbers or points; all commands unless given
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the few commands read by themselves is what the whole reads; what they do not take is the whole's.
    #[test]
    fn what_is_asked_most_is_read_the_same_by_the_whole() {
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
