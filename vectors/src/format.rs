//! The vector file, field by field. Reading refuses every field that is not here; writing keeps the order of
//! declaration, so equal values give equal bytes.

use std::collections::BTreeMap;
use std::fmt;

#[cfg(feature = "schema")]
use schemars::generate::SchemaSettings;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::answer::{Answer, Order};
use crate::exact::{Exact, ExactVisitor};
use crate::number::quote;

/// One file of vectors: one quantity of one family of mechanisms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    /// The format and its version.
    pub format: Format,
    /// What the answers of this file are about.
    pub quantity: Quantity,
    /// A short slug, such as `kov`. The file is called `<family>-<quantity>.json`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")))]
    pub family: String,
    /// One line.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: String,
    /// What this file catches that random tests miss.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub about: String,
    /// The licence of the data.
    pub license: License,
    /// Each statement that a case rests on, and what it says.
    #[serde(deserialize_with = "unique_keys")]
    pub statements: BTreeMap<String, String>,
    /// Each flag that a case carries, and what it means.
    #[serde(deserialize_with = "unique_keys")]
    pub flags: BTreeMap<String, String>,
    /// The vectors.
    pub cases: Vec<Case>,
}

/// One vector: a query, and its proven answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `<family>-<quantity>-0017`: permanent, unique, never given to another case.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*-([0-9]{4}|[1-9][0-9]{4,})$"))
    )]
    pub id: String,
    /// Why this case is here.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub comment: String,
    /// Flags from the dictionary of the file.
    pub flags: Vec<String>,
    /// The mechanism as a canonical expression, for people: `approx-dp(epsilon=1/10, delta=1/1000)^30`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub mechanism: String,
    /// The same mechanism for programs: the factors of the composition.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub parameters: Vec<Factor>,
    /// What the mechanism is compared with, of orders alone.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Other"))]
    pub other: Option<Other>,
    /// Where the quantity is asked for; empty for quantities that are numbers rather than curves.
    pub at: At,
    /// Which of the two neighbouring data sets comes first.
    pub direction: Direction,
    /// Which bound of the quantity the answer is, where a guarantee is all that is known of the mechanism. Without it
    /// the answer is the quantity itself. A bound is no truth to judge others by: what follows may be known better.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Bound"))]
    pub bound: Option<Bound>,
    /// What limit theorem says this of a long composition, of limit-delta, limit-epsilon and limit-beta alone. It is no
    /// truth to judge others by, but those who compute what the same theorem says.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Limit"))]
    pub limit: Option<Limit>,
    /// What theorem says the answer of which numbers, of theorem alone: a bound of the mechanism or a conversion. Like
    /// a bound it is no truth to judge others by, but those who compute what the same theorem says.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Stated"))]
    pub theorem: Option<Stated>,
    /// Which function of private bits is computed from what the mechanism publishes, of accuracy alone.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Game"))]
    pub game: Option<Game>,
    /// The statement the answer comes from, such as `KOV Theorem 3.3`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub statement: String,
    /// The independent routes that agreed on the answer, at least two.
    #[cfg_attr(feature = "schema", schemars(length(min = 2)))]
    pub routes: Vec<String>,
    /// Of an order: a point where it is seen for each relation that does not hold, the one that would make the
    /// mechanism at least as private first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<Witness>,
    /// The proven answer.
    pub answer: Answer,
}

/// The second of two compositions that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// As a canonical expression, for people.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub mechanism: String,
    /// The same for programs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub parameters: Vec<Factor>,
}

/// A point at which one of two compositions is certainly less private than the other: the two enclosures do not meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The relation that does not hold, for this.
    pub against: Relation,
    /// A type I error, and the values are type II errors; or an epsilon, and the values are deltas.
    pub at: At,
    /// Of which order of the two distributions.
    pub direction: Direction,
    /// The value of the first.
    pub first: Answer,
    /// The value of the second.
    pub second: Answer,
}

/// What may hold of the first of two compositions beside the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is at least as private.
    AtLeast,
    /// It is at most as private.
    AtMost,
}

impl Relation {
    /// Both of them.
    pub const BOTH: [Self; 2] = [Self::AtLeast, Self::AtMost];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtLeast => "at-least",
            Self::AtMost => "at-most",
        }
    }

    /// Does it hold with this order?
    pub fn holds(self, order: Order) -> bool {
        match self {
            Self::AtLeast => order.at_least(),
            Self::AtMost => order.at_most(),
        }
    }
}

/// A theorem, and of which numbers it says what.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Its name, such as `KOV-3.4`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub name: String,
    /// The numbers that it takes, all of them.
    #[serde(deserialize_with = "unique_keys")]
    pub given: BTreeMap<String, Exact>,
    /// Which of the numbers that it says the answer is, such as `epsilon`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub says: String,
}

/// A function of private bits, one of each party, and who computes it: each party publishes one draw of what is
/// `(epsilon, delta)`-private in its bit. The answer is the best probability to be right.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// `xor`, `and`, `or` or `majority`, or a table of digits such as `0110`: the values at 00, 01, 10 and 11.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^(xor|and|or|majority|[0-9]{2,4096})$")))]
    pub function: String,
    /// How many parties there are.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 12)))]
    pub parties: u32,
    /// The epsilon of each.
    pub epsilon: Vec<Exact>,
    /// The delta of each.
    pub delta: Vec<Exact>,
    /// `central` for who has only what is published, or the number of a party, from 1, which has its own bit too.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^(central|[1-9][0-9]?)$")))]
    pub observer: String,
    /// Over which bits.
    pub bits: Bits,
}

/// Over which bits of the parties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bits {
    /// Each as likely as every other.
    Average,
    /// Those that are hardest to guess from.
    Worst,
}

/// A limit theorem, and what of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "theorem", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Limit {
    /// A central limit theorem.
    Clt {
        /// Which.
        form: LimitForm,
    },
    /// The theorem of Berry and Esseen.
    BerryEsseen {
        /// Which of its two bounds of the quantity: they hold of the mechanism itself.
        bound: Bound,
    },
    /// The rate of the central limit theorem, of runs of one (epsilon, delta) mechanism.
    CltRate {
        /// Which of its two bounds of the quantity: they hold of the mechanism itself.
        bound: Bound,
    },
    /// An Edgeworth expansion.
    Edgeworth {
        /// Its order.
        #[cfg_attr(feature = "schema", schemars(range(max = 3)))]
        order: u32,
    },
    /// Amplification by shuffling in closed form, of one shuffle: an upper bound of the mechanism itself. Feldman,
    /// McMillan and Talwar 2022, Theorem 3.1.
    Clones,
    /// A smaller one: the same 2023, Theorem 1.1.
    StrongerClones,
}

/// Which central limit theorem, by the mu of its Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LimitForm {
    /// `2 sum kl/sqrt(sum (kappa_2 - kl^2))`, of symmetric mechanisms.
    Centred,
    /// `2 sum kl/sqrt(sum kappa_2)`, of the same.
    Printed,
    /// `sqrt(sum epsilon^2)` of (epsilon, delta) mechanisms, which fail with probability `1 - e^(-sum delta)`.
    Worst,
    /// `sqrt(sum r^2 chi^2)` of Poisson samples of rate r.
    Poisson,
    /// `sqrt(2 sum r^2 chi^2_+)` of batches of a fixed size, a share r of the records, one of them replaced.
    Uniform,
}

/// A mechanism that is run `times` times.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// The name of the mechanism, such as `gaussian`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")))]
    pub mechanism: String,
    /// Its parameters by name.
    #[serde(deserialize_with = "unique_keys")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The mechanism inside, for one that acts on another, such as `poisson`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Factor>,
    /// How often it is run, at least once.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub times: u64,
    /// Whether that is what a calibration looks for; `times` is 1 then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sought: bool,
}

/// The value of a parameter: a number, or a list of them for the probabilities of a finite distribution, or the one
/// that a calibration looks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// One number.
    Number(Exact),
    /// A list of numbers.
    List(Vec<Exact>),
    /// The weights of a mixture, one of which is looked for.
    Weights(Vec<Weight>),
    /// The number that is looked for: `"?"`.
    Unknown,
}

/// One of the weights of a mixture.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Weight {
    /// One number.
    Number(Exact),
    /// The one that is looked for: `"?"`.
    Unknown,
    /// What the others leave: `"rest"`.
    Rest,
}

/// What stands in the place of a number that is looked for.
const UNKNOWN: &str = "?";
/// What stands in the place of the weight that the others leave.
const REST: &str = "rest";

/// As the expression language writes it.
impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Weight::Number(value) => value.fmt(f),
            Weight::Unknown => f.write_str(UNKNOWN),
            Weight::Rest => f.write_str(REST),
        }
    }
}

/// The point at which a quantity is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct At {
    /// For delta, and for calibrate beside a delta: the epsilon.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub epsilon: Option<Exact>,
    /// For epsilon: the delta. For calibrate: the one that is promised at an epsilon.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub delta: Option<Exact>,
    /// For beta, and for calibrate beside a beta: the type I error.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub alpha: Option<Exact>,
    /// For calibrate, beside alpha: the least type II error that is promised.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub beta: Option<Exact>,
    /// For renyi and cumulant: the order.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub order: Option<Exact>,
    /// For true-positive-rate: the false positive rate.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub fpr: Option<Exact>,
    /// For bayes-risk: the prior probability of Q.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub prior: Option<Exact>,
    /// For conjugate: the slope.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub slope: Option<Exact>,
    /// For canonical-cdf: the place.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub x: Option<Exact>,
    /// For canonical-quantile: the probability.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub p: Option<Exact>,
    /// For loss-above-p, loss-above-q, loss-up-to-p and loss-up-to-q: the privacy loss t.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub loss: Option<Exact>,
    /// For loss-quantile-p and loss-quantile-q: the probability.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub u: Option<Exact>,
}

impl At {
    /// The coordinates that are given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &Exact)> {
        [
            ("epsilon", &self.epsilon),
            ("delta", &self.delta),
            ("alpha", &self.alpha),
            ("beta", &self.beta),
            ("order", &self.order),
            ("fpr", &self.fpr),
            ("prior", &self.prior),
            ("slope", &self.slope),
            ("x", &self.x),
            ("p", &self.p),
            ("loss", &self.loss),
            ("u", &self.u),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
    }

    /// The place of the coordinate of a name.
    pub fn named(&mut self, name: &str) -> Option<&mut Option<Exact>> {
        Some(match name {
            "epsilon" => &mut self.epsilon,
            "delta" => &mut self.delta,
            "alpha" => &mut self.alpha,
            "beta" => &mut self.beta,
            "order" => &mut self.order,
            "fpr" => &mut self.fpr,
            "prior" => &mut self.prior,
            "slope" => &mut self.slope,
            "x" => &mut self.x,
            "p" => &mut self.p,
            "loss" => &mut self.loss,
            "u" => &mut self.u,
            _ => return None,
        })
    }
}

/// The format of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum Format {
    /// The first version.
    #[default]
    #[serde(rename = "dpcert-vectors/1")]
    V1,
}

/// The licence of the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum License {
    /// Public domain, so that anyone can vendor the vectors.
    #[default]
    #[serde(rename = "CC0-1.0")]
    Cc0,
}

/// What is measured. `P` and `Q` are the distributions of the output on the two neighbouring data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The least delta at a given epsilon: the hockey-stick divergence.
    Delta,
    /// The least epsilon >= 0 at a given delta.
    Epsilon,
    /// The trade-off function: the least type II error at a given type I error alpha.
    Beta,
    /// The Renyi divergence of a given order.
    Renyi,
    /// The Kullback-Leibler divergence.
    Kl,
    /// The total variation distance.
    Tv,
    /// The chi-squared divergence.
    Chi2,
    /// The max-divergence: the least epsilon of pure differential privacy.
    Max,
    /// The membership advantage: the largest difference of true and false positive rate.
    Advantage,
    /// The true positive rate at a given false positive rate.
    TruePositiveRate,
    /// The least probability of error with a given prior of Q.
    BayesRisk,
    /// The convex conjugate of the trade-off function f at a given slope y: the supremum of y alpha - f(alpha).
    Conjugate,
    /// The mean square of the privacy loss L under P.
    Kappa2,
    /// The mean of the cube of |L|.
    Kappa3,
    /// The mean of the cube of |L - kl|.
    Kappa3bar,
    /// The variance of L.
    Variance,
    /// The cumulant of L of a given order.
    Cumulant,
    /// The integral of (|f'| - 1)_+^2, f the trade-off function.
    Chi2Plus,
    /// The squared Hellinger distance, 1 - sum sqrt(pq).
    Hellinger,
    /// The Jensen-Shannon divergence.
    JensenShannon,
    /// The Vincze-Le Cam divergence, (1/2) sum (p-q)^2/(p+q).
    LeCam,
    /// The KL divergence of the antipodal replacement: epsilon times the total variation distance, epsilon the
    /// largest |L|.
    AntipodalKl,
    /// The least tau with which the loss about its mean is tau-subgaussian under P.
    Subgaussian,
    /// The least rho of zero-concentrated privacy.
    Zcdp,
    /// The least mu with G_mu below the trade-off function.
    GdpFit,
    /// The distribution function of canonical noise, in units of the sensitivity.
    CanonicalCdf,
    /// Its quantiles.
    CanonicalQuantile,
    /// P(L > t), the probability under P that the privacy loss L = ln(dP/dQ) exceeds t.
    LossAboveP,
    /// Q(L > t).
    LossAboveQ,
    /// P(L <= t).
    LossUpToP,
    /// Q(L <= t).
    LossUpToQ,
    /// The smallest t with P(L <= t) >= u.
    LossQuantileP,
    /// The smallest t with Q(L <= t) >= u.
    LossQuantileQ,
    /// The number in the place of a `?`: the end of those with which a delta at an epsilon, or a beta at an alpha, is
    /// kept.
    Calibrate,
    /// What a limit theorem says of delta.
    LimitDelta,
    /// What it says of epsilon.
    LimitEpsilon,
    /// What it says of beta.
    LimitBeta,
    /// Which of two compositions is the more private.
    Order,
    /// What a theorem says of numbers.
    Theorem,
    /// The best probability to compute a function of private bits.
    Accuracy,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 40] = [
        Self::Delta,
        Self::Epsilon,
        Self::Beta,
        Self::Renyi,
        Self::Kl,
        Self::Tv,
        Self::Chi2,
        Self::Max,
        Self::Advantage,
        Self::TruePositiveRate,
        Self::BayesRisk,
        Self::Conjugate,
        Self::Kappa2,
        Self::Kappa3,
        Self::Kappa3bar,
        Self::Variance,
        Self::Cumulant,
        Self::Chi2Plus,
        Self::Hellinger,
        Self::JensenShannon,
        Self::LeCam,
        Self::AntipodalKl,
        Self::Subgaussian,
        Self::Zcdp,
        Self::GdpFit,
        Self::CanonicalCdf,
        Self::CanonicalQuantile,
        Self::LossAboveP,
        Self::LossAboveQ,
        Self::LossUpToP,
        Self::LossUpToQ,
        Self::LossQuantileP,
        Self::LossQuantileQ,
        Self::Calibrate,
        Self::LimitDelta,
        Self::LimitEpsilon,
        Self::LimitBeta,
        Self::Order,
        Self::Theorem,
        Self::Accuracy,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Epsilon => "epsilon",
            Self::Beta => "beta",
            Self::Renyi => "renyi",
            Self::Kl => "kl",
            Self::Tv => "tv",
            Self::Chi2 => "chi2",
            Self::Max => "max",
            Self::Advantage => "advantage",
            Self::TruePositiveRate => "true-positive-rate",
            Self::BayesRisk => "bayes-risk",
            Self::Conjugate => "conjugate",
            Self::Kappa2 => "kappa2",
            Self::Kappa3 => "kappa3",
            Self::Kappa3bar => "kappa3bar",
            Self::Variance => "variance",
            Self::Cumulant => "cumulant",
            Self::Chi2Plus => "chi2-plus",
            Self::Hellinger => "hellinger",
            Self::JensenShannon => "jensen-shannon",
            Self::LeCam => "le-cam",
            Self::AntipodalKl => "antipodal-kl",
            Self::Subgaussian => "subgaussian",
            Self::Zcdp => "zcdp",
            Self::GdpFit => "gdp-fit",
            Self::CanonicalCdf => "canonical-cdf",
            Self::CanonicalQuantile => "canonical-quantile",
            Self::LossAboveP => "loss-above-p",
            Self::LossAboveQ => "loss-above-q",
            Self::LossUpToP => "loss-up-to-p",
            Self::LossUpToQ => "loss-up-to-q",
            Self::LossQuantileP => "loss-quantile-p",
            Self::LossQuantileQ => "loss-quantile-q",
            Self::Calibrate => "calibrate",
            Self::LimitDelta => "limit-delta",
            Self::LimitEpsilon => "limit-epsilon",
            Self::LimitBeta => "limit-beta",
            Self::Order => "order",
            Self::Theorem => "theorem",
            Self::Accuracy => "accuracy",
        }
    }

    /// The coordinate it is asked at, as named in [`At`].
    pub fn coordinate(self) -> Option<&'static str> {
        match self {
            Self::Delta | Self::LimitDelta => Some("epsilon"),
            Self::Epsilon | Self::LimitEpsilon => Some("delta"),
            Self::Beta | Self::LimitBeta => Some("alpha"),
            Self::Renyi | Self::Cumulant => Some("order"),
            Self::TruePositiveRate => Some("fpr"),
            Self::BayesRisk => Some("prior"),
            Self::Conjugate => Some("slope"),
            Self::CanonicalCdf => Some("x"),
            Self::CanonicalQuantile => Some("p"),
            Self::LossAboveP | Self::LossAboveQ | Self::LossUpToP | Self::LossUpToQ => Some("loss"),
            Self::LossQuantileP | Self::LossQuantileQ => Some("u"),
            _ => None,
        }
    }

    /// The coordinates it is asked at, where there is more than one: which belong together, as named in [`At`].
    pub fn points(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Calibrate => &[&["epsilon", "delta"], &["alpha", "beta"]],
            _ => &[],
        }
    }

    /// How it goes with that coordinate.
    pub fn along(self) -> Option<Trend> {
        match self {
            Self::Delta | Self::Epsilon | Self::Beta => Some(Trend::Falls),
            Self::Renyi | Self::TruePositiveRate | Self::Conjugate => Some(Trend::Grows),
            Self::CanonicalCdf | Self::CanonicalQuantile => Some(Trend::Grows),
            Self::LossAboveP | Self::LossAboveQ => Some(Trend::Falls),
            Self::LossUpToP | Self::LossUpToQ | Self::LossQuantileP | Self::LossQuantileQ => Some(Trend::Grows),
            Self::BayesRisk | Self::Cumulant => Some(Trend::Unknown),
            // An expansion may rise where what it expands falls.
            Self::LimitDelta | Self::LimitEpsilon | Self::LimitBeta => Some(Trend::Unknown),
            _ => None,
        }
    }

    /// How it goes with the privacy loss: there is more where errors are fewer. Moments of the loss are no divergences:
    /// less loss may have more of them.
    pub fn with_loss(self) -> Trend {
        match self {
            Self::Beta | Self::BayesRisk => Trend::Falls,
            Self::Kappa2 | Self::Kappa3 | Self::Kappa3bar | Self::Variance | Self::Cumulant => Trend::Unknown,
            Self::CanonicalCdf | Self::CanonicalQuantile | Self::Calibrate => Trend::Unknown,
            Self::LimitDelta | Self::LimitEpsilon | Self::LimitBeta | Self::Order => Trend::Unknown,
            Self::Theorem | Self::Accuracy => Trend::Unknown,
            _ if self.is_of_loss() => Trend::Unknown,
            _ => Trend::Grows,
        }
    }

    /// Whether it is a probability, hence never above 1.
    pub fn is_probability(self) -> bool {
        matches!(
            self,
            Self::Delta
                | Self::Beta
                | Self::Tv
                | Self::Advantage
                | Self::TruePositiveRate
                | Self::BayesRisk
                | Self::Hellinger
                | Self::LeCam
                | Self::CanonicalCdf
                | Self::LossAboveP
                | Self::LossAboveQ
                | Self::LossUpToP
                | Self::LossUpToQ
                | Self::Accuracy
        )
    }

    /// Whether it may be below 0.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Conjugate | Self::Cumulant | Self::CanonicalQuantile | Self::LimitDelta | Self::LimitBeta)
            || matches!(self, Self::LossQuantileP | Self::LossQuantileQ)
    }

    /// The direction of a question that names none. The loss distribution of one order is not that of the other, so
    /// that no larger one of both exists.
    pub fn default_direction(self) -> Direction {
        if self.is_of_loss() { Direction::Forward } else { Direction::Worst }
    }

    /// Whether it is a value of the distribution of the privacy loss, which belongs to one order of the pair.
    pub fn is_of_loss(self) -> bool {
        matches!(self, Self::LossAboveP | Self::LossAboveQ | Self::LossUpToP | Self::LossUpToQ)
            || matches!(self, Self::LossQuantileP | Self::LossQuantileQ)
    }

    /// Whether it is what a limit theorem says, and no truth about the mechanism.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::LimitDelta | Self::LimitEpsilon | Self::LimitBeta)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where something goes as a number grows. Of a parameter it says where the whole trade-off function goes, which is
/// known where the more private of two mechanisms is the other one with something done to its output or its input:
/// noise added, answers mixed with uniform ones, records left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Up, or nowhere.
    Grows,
    /// Down, or nowhere.
    Falls,
    /// Nothing is claimed.
    Unknown,
}

/// The order of the two distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Both orders together: the larger number of both, and for `beta` `min(f, f^-1)**`, the convex hull of both
    /// errors.
    Worst,
    /// P against Q.
    Forward,
    /// Q against P.
    Backward,
}

/// Which bound of a quantity a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The quantity of everything that keeps the guarantee is at most that.
    Upper,
    /// It is at least that.
    Lower,
}

/// The JSON Schema (draft 2020-12) of [`VectorFile`].
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<VectorFile>().to_value()
}

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Parameter::Number(number) => number.serialize(serializer),
            Parameter::List(list) => list.serialize(serializer),
            Parameter::Weights(list) => list.serialize(serializer),
            Parameter::Unknown => serializer.serialize_str(UNKNOWN),
        }
    }
}

impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParameterVisitor;
        impl<'de> Visitor<'de> for ParameterVisitor {
            type Value = Parameter;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                ExactVisitor.expecting(f)?;
                f.write_str(", or a list of these, or \"?\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Parameter, E> {
                if text == UNKNOWN {
                    return Ok(Parameter::Unknown);
                }
                ExactVisitor.visit_str(text).map(Parameter::Number)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parameter, A::Error> {
                Exact::deserialize(MapAccessDeserializer::new(map)).map(Parameter::Number)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parameter, A::Error> {
                let mut list: Vec<Weight> = Vec::new();
                while let Some(value) = seq.next_element()? {
                    list.push(value);
                }
                if list.iter().any(|entry| !matches!(entry, Weight::Number(_))) {
                    return Ok(Parameter::Weights(list));
                }
                let number = |entry| if let Weight::Number(value) = entry { Some(value) } else { None };
                Ok(Parameter::List(list.into_iter().filter_map(number).collect()))
            }
        }
        deserializer.deserialize_any(ParameterVisitor)
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Weight::Number(number) => number.serialize(serializer),
            Weight::Unknown => serializer.serialize_str(UNKNOWN),
            Weight::Rest => serializer.serialize_str(REST),
        }
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WeightVisitor;
        impl<'de> Visitor<'de> for WeightVisitor {
            type Value = Weight;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                ExactVisitor.expecting(f)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Weight, E> {
                match text {
                    UNKNOWN => Ok(Weight::Unknown),
                    REST => Ok(Weight::Rest),
                    _ => ExactVisitor.visit_str(text).map(Weight::Number),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Weight, A::Error> {
                Exact::deserialize(MapAccessDeserializer::new(map)).map(Weight::Number)
            }
        }
        deserializer.deserialize_any(WeightVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Parameter {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Parameter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let exact = generator.subschema_for::<Exact>();
        json_schema!({
            "description": "A number, a list of them for the probabilities of a finite distribution, or the one that \
                is looked for; among the weights of a mixture one may be looked for, and another one is what is left.",
            "anyOf": [
                &exact,
                { "type": "array", "items": { "anyOf": [&exact, { "enum": [UNKNOWN, REST] }] } },
                { "const": UNKNOWN },
            ],
        })
    }
}

/// An optional field is left out or has a value; `null` is neither.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A map that refuses a key given twice, of which serde would silently keep the last.
fn unique_keys<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct UniqueKeys<V>(std::marker::PhantomData<V>);
    impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueKeys<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = access.next_key::<String>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format!("duplicate key {}", quote(&key))));
                }
                map.insert(key, access.next_value()?);
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(UniqueKeys(std::marker::PhantomData))
}
