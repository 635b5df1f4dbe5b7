//! The vector file format. The reader refuses unknown fields; the writer keeps the order of declaration, so equal
//! values give equal bytes.

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
    /// The quantity of the answers in this file.
    pub quantity: Quantity,
    /// A short slug such as `kov`. The file name is `<family>-<quantity>.json`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")))]
    pub family: String,
    /// Title in one line.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: String,
    /// The errors this file detects that random tests miss.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub about: String,
    /// The licence of the data.
    pub license: License,
    /// Dictionary of the statements that cases cite.
    #[serde(deserialize_with = "unique_keys")]
    pub statements: BTreeMap<String, String>,
    /// Dictionary of the flags that cases carry.
    #[serde(deserialize_with = "unique_keys")]
    pub flags: BTreeMap<String, String>,
    /// The vectors.
    pub cases: Vec<Case>,
}

/// One vector: a query and its proven answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `<family>-<quantity>-0017`: permanent, unique, never reused.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*-([0-9]{4}|[1-9][0-9]{4,})$"))
    )]
    pub id: String,
    /// Purpose of this case.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub comment: String,
    /// Flags from the dictionary of the file.
    pub flags: Vec<String>,
    /// The mechanism as a canonical expression: `approx-dp(epsilon=1/10, delta=1/1000)^30`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub mechanism: String,
    /// The same mechanism as structured data: the factors of the composition.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub parameters: Vec<Factor>,
    /// For `order`: the composition that the mechanism is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Other"))]
    pub other: Option<Other>,
    /// The point at which the quantity is evaluated; empty for quantities that are numbers rather than curves.
    pub at: At,
    /// The direction: which of the two neighbouring data sets comes first.
    pub direction: Direction,
    /// For a mechanism given only by a guarantee: whether the answer is an upper or a lower bound of the quantity.
    /// Without it the answer is the quantity itself. Do not judge accountants by a bound: a tighter one may be valid.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Bound"))]
    pub bound: Option<Bound>,
    /// For limit-delta, limit-epsilon and limit-beta: the limit theorem evaluated. It only tests programs that evaluate
    /// the same theorem.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Limit"))]
    pub limit: Option<Limit>,
    /// For `theorem`: the theorem and its parameters, a bound of the mechanism or a conversion. It only tests programs
    /// that evaluate the same theorem.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Stated"))]
    pub theorem: Option<Stated>,
    /// For `accuracy`: the function of private bits that is computed from the published reports.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Game"))]
    pub game: Option<Game>,
    /// The statement that gives the answer, such as `KOV Theorem 3.3`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub statement: String,
    /// The independent computations that agreed on the answer, at least two.
    #[cfg_attr(feature = "schema", schemars(length(min = 2)))]
    pub routes: Vec<String>,
    /// For `order`: a witness for each relation that fails, `at-least` first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<Witness>,
    /// The proven answer.
    pub answer: Answer,
}

/// The second of two compared compositions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// The composition as a canonical expression.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub mechanism: String,
    /// The same as structured data.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub parameters: Vec<Factor>,
}

/// A point at which one of two compositions is proven less private than the other: the two enclosures are disjoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The relation that this point refutes.
    pub against: Relation,
    /// A type I error, with type II errors as values; or an epsilon, with deltas as values.
    pub at: At,
    /// The direction of both values.
    pub direction: Direction,
    /// The value of the first composition.
    pub first: Answer,
    /// The value of the second composition.
    pub second: Answer,
}

/// A relation of the first of two compositions to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// At least as private.
    AtLeast,
    /// At most as private.
    AtMost,
}

impl Relation {
    /// Both relations.
    pub const BOTH: [Self; 2] = [Self::AtLeast, Self::AtMost];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtLeast => "at-least",
            Self::AtMost => "at-most",
        }
    }

    /// Whether it holds for this order.
    pub fn holds(self, order: Order) -> bool {
        match self {
            Self::AtLeast => order.at_least(),
            Self::AtMost => order.at_most(),
        }
    }
}

/// A theorem, its parameters and the result that is the answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// The name, such as `KOV-3.4`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub name: String,
    /// All parameters of the theorem.
    #[serde(deserialize_with = "unique_keys")]
    pub given: BTreeMap<String, Exact>,
    /// The result that is the answer, such as `epsilon`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub says: String,
}

/// A function of private bits, one bit per party, and its observer. Each party publishes one `(epsilon, delta)`-private
/// report of its bit. The answer is the largest probability that the observer computes the function correctly.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// `xor`, `and`, `or` or `majority`, or a table of digits such as `0110`: the values at 00, 01, 10 and 11.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^(xor|and|or|majority|[0-9]{2,4096})$")))]
    pub function: String,
    /// Number of parties.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 12)))]
    pub parties: u32,
    /// The epsilon of each party.
    pub epsilon: Vec<Exact>,
    /// The delta of each party.
    pub delta: Vec<Exact>,
    /// `central` for an observer of the reports alone, or the number of a party, from 1, which also knows its own bit.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^(central|[1-9][0-9]?)$")))]
    pub observer: String,
    /// The distribution of the bits.
    pub bits: Bits,
}

/// The distribution of the parties' bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bits {
    /// Uniform bits.
    Average,
    /// Worst-case bits.
    Worst,
}

/// A limit theorem and its variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "theorem", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Limit {
    /// The central limit theorem.
    Clt {
        /// The form.
        form: LimitForm,
    },
    /// The Berry-Esseen theorem.
    BerryEsseen {
        /// The side of the bound; both bounds hold for the mechanism itself.
        bound: Bound,
    },
    /// The rate of the central limit theorem, for compositions of one (epsilon, delta) mechanism.
    CltRate {
        /// The side of the bound; both bounds hold for the mechanism itself.
        bound: Bound,
    },
    /// An Edgeworth expansion.
    Edgeworth {
        /// The order of the expansion.
        #[cfg_attr(feature = "schema", schemars(range(max = 3)))]
        order: u32,
    },
    /// Closed-form amplification by shuffling, for one shuffle: an upper bound for the mechanism itself. Feldman,
    /// McMillan and Talwar 2022, Theorem 3.1.
    Clones,
    /// A smaller upper bound: the same authors 2023, Theorem 1.1.
    StrongerClones,
}

/// The form of the central limit theorem, given by the mu of its Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LimitForm {
    /// `2 sum kl/sqrt(sum (kappa_2 - kl^2))`, for symmetric mechanisms.
    Centred,
    /// `2 sum kl/sqrt(sum kappa_2)`, for symmetric mechanisms.
    Printed,
    /// `sqrt(sum epsilon^2)` for (epsilon, delta) mechanisms, which fail with probability `1 - e^(-sum delta)`.
    Worst,
    /// `sqrt(sum r^2 chi^2)` for Poisson sampling at rate r.
    Poisson,
    /// `sqrt(2 sum r^2 chi^2_+)` for batches of a fixed size, a fraction r of the records, under replacement of one
    /// record.
    Uniform,
}

/// A mechanism that runs `times` times.
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
    /// The inner mechanism, for a mechanism that acts on another, such as `poisson`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Factor>,
    /// Number of runs, at least 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub times: u64,
    /// Whether a calibration solves for `times`; `times` is then 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sought: bool,
}

/// The value of a parameter: a number, a list of numbers for the probabilities of a finite distribution, or the unknown
/// of a calibration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// One number.
    Number(Exact),
    /// A list of numbers.
    List(Vec<Exact>),
    /// The weights of a mixture, one of which is unknown.
    Weights(Vec<Weight>),
    /// The unknown of a calibration: `"?"`.
    Unknown,
}

/// One of the weights of a mixture.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Weight {
    /// One number.
    Number(Exact),
    /// The unknown weight: `"?"`.
    Unknown,
    /// The remaining weight, 1 minus the sum of the others: `"rest"`.
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

/// The point at which a quantity is evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct At {
    /// For delta: the epsilon. For calibrate: the epsilon of the target.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub epsilon: Option<Exact>,
    /// For epsilon: the delta. For calibrate: the delta of the target.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub delta: Option<Exact>,
    /// For beta: the type I error. For calibrate: the type I error of the target.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Exact"))]
    pub alpha: Option<Exact>,
    /// For calibrate: the smallest type II error that meets the target.
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
    /// For canonical-cdf: the argument.
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
    /// The given coordinates, by name.
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

    /// Mutable access to a coordinate by name.
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
    /// Version 1.
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

/// The quantity. `P` and `Q` are the output distributions on two neighbouring data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The smallest delta at a given epsilon: the hockey-stick divergence.
    Delta,
    /// The smallest epsilon >= 0 at a given delta.
    Epsilon,
    /// The trade-off function: the smallest type II error at a given type I error alpha.
    Beta,
    /// The Renyi divergence of a given order.
    Renyi,
    /// The Kullback-Leibler divergence.
    Kl,
    /// The total variation distance.
    Tv,
    /// The chi-squared divergence.
    Chi2,
    /// The max-divergence: the smallest epsilon of pure differential privacy.
    Max,
    /// The membership advantage: the largest difference of true and false positive rate.
    Advantage,
    /// The true positive rate at a given false positive rate.
    TruePositiveRate,
    /// The smallest probability of error for a given prior of Q.
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
    /// The KL divergence of the antipodal replacement: the largest |L| times the total variation distance.
    AntipodalKl,
    /// The smallest tau for which the centered privacy loss is tau-subgaussian under P.
    Subgaussian,
    /// The smallest rho of zero-concentrated differential privacy (zCDP).
    Zcdp,
    /// The smallest mu with G_mu below the trade-off function.
    GdpFit,
    /// The distribution function of canonical noise, in units of the sensitivity.
    CanonicalCdf,
    /// The quantile function of canonical noise.
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
    /// The threshold value of the parameter marked `?` that meets a target: a delta at an epsilon, or a beta at an
    /// alpha.
    Calibrate,
    /// The delta that a limit theorem gives.
    LimitDelta,
    /// The epsilon that a limit theorem gives.
    LimitEpsilon,
    /// The beta that a limit theorem gives.
    LimitBeta,
    /// The order of two compositions.
    Order,
    /// The result of a theorem for given parameters.
    Theorem,
    /// The largest probability of computing a function of private bits correctly.
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

    /// The coordinate at which it is evaluated, as named in [`At`].
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

    /// For several coordinates: the sets of coordinates that are given together, as named in [`At`].
    pub fn points(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Calibrate => &[&["epsilon", "delta"], &["alpha", "beta"]],
            _ => &[],
        }
    }

    /// Monotonicity in that coordinate.
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

    /// Monotonicity in the privacy loss. Moments of the privacy loss are not divergences and have no such monotonicity.
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

    /// Whether it is a probability, hence at most 1.
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

    /// Whether it can be negative.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Conjugate | Self::Cumulant | Self::CanonicalQuantile | Self::LimitDelta | Self::LimitBeta)
            || matches!(self, Self::LossQuantileP | Self::LossQuantileQ)
    }

    /// The default direction. Privacy loss distributions of the two directions have no common worst case.
    pub fn default_direction(self) -> Direction {
        if self.is_of_loss() { Direction::Forward } else { Direction::Worst }
    }

    /// Whether it is a value of the privacy loss distribution, which depends on the direction.
    pub fn is_of_loss(self) -> bool {
        matches!(self, Self::LossAboveP | Self::LossAboveQ | Self::LossUpToP | Self::LossUpToQ)
            || matches!(self, Self::LossQuantileP | Self::LossQuantileQ)
    }

    /// Whether it is the result of a limit theorem rather than a property of the mechanism.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::LimitDelta | Self::LimitEpsilon | Self::LimitBeta)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Monotonicity in a number. For a parameter, it is the monotonicity of the whole trade-off function; it is known if
/// one mechanism is a post-processing or subsampling of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Nondecreasing.
    Grows,
    /// Nonincreasing.
    Falls,
    /// Not stated.
    Unknown,
}

/// The direction: the order of the two distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Both directions: the larger value, and for `beta` `min(f, f^-1)**`, the convex hull of both.
    Worst,
    /// P against Q.
    Forward,
    /// Q against P.
    Backward,
}

/// The side of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Upper bound on the quantity for every mechanism that satisfies the guarantee.
    Upper,
    /// Lower bound on the quantity for every mechanism that satisfies the guarantee.
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
            "description": "A number, a list of numbers for the probabilities of a finite distribution, or the \
                            unknown of a calibration; among the weights of a mixture one may be unknown, and another \
                            one is the remaining weight.",
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
