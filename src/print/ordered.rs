//! The order of two compositions as lines of JSON: the query and its answer.
//!
//! `{"quantity": "order", "mechanism": ..., "other": ...}` with a `direction`, `worst` or `forward`, and
//! `"channel": true` for the stochastic matrix. The default is `worst`, and `forward` with a matrix. The answer has a
//! verdict and both relations, each with its proof, its witness or the reason why there is neither. Where one has a
//! guarantee in it, `guarantees` says which: compared is the worst that keeps it. Where the pair of one only dominates
//! its mechanism for another reason, `dominating` says which and why: a relation of such pairs is not one of the
//! mechanisms.

use serde::{Deserialize, Serialize};

use super::{Numbers, Status, unsaid, with_flags};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Cause, Composition, Standing};
use crate::number::{Fraction, Interval};
use crate::order::{self, Channel, NoiseMap, Order, Place, Quotient, Relation, Witness, alpha_text};
use enclosure::{Budget, Number};

/// The trade-off function of each mechanism that an order compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// `T(P,Q)`.
    Forward,
    /// What holds for both orders of the neighbours.
    Worst,
}

impl Compared {
    /// The default: both orders, or with a matrix the two pairs that the matrix maps.
    pub fn by_default(with_channel: bool) -> Self {
        if with_channel { Compared::Forward } else { Compared::Worst }
    }
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "two mechanisms, as in {\"quantity\": \"order\", \"mechanism\": \"gdp(mu=1)\", \
                                          \"other\": \"laplace(scale=1)\"}"
)]
pub struct OrderQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    other: Composition,
    direction: Option<Compared>,
    #[serde(default)]
    channel: bool,
}

impl OrderQuestion {
    /// The compositions to compare.
    pub fn compositions(&self) -> (&Composition, &Composition) {
        (&self.mechanism, &self.other)
    }

    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`order::order`], and [`Error::Input`] for a matrix in the worst direction.
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let direction = self.direction.unwrap_or(Compared::by_default(self.channel));
        let found = Found::new(&self.mechanism, &self.other, direction, self.channel, budget)?;
        let status = found.status();
        let line = OrderLine {
            id: self.id.clone(),
            quantity: "order",
            mechanism: self.mechanism.to_string(),
            other: self.other.to_string(),
            direction,
            found: found.told(),
        };
        Ok((line, status))
    }
}

/// The JSON object of an answer. The fields are a promise to scripts.
#[derive(Serialize)]
struct OrderLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    other: String,
    direction: Compared,
    #[serde(flatten)]
    found: OrderTold,
}

/// The order of two compositions, with proofs or witnesses.
pub struct Found {
    /// Both relations.
    pub order: Order,
    /// The matrix, where one was wanted and the order is one.
    pub channel: Option<Carried>,
    /// Why there is none.
    pub no_channel: Vec<NoMap>,
    /// Which of both has a guarantee in it, `first` or `second`: its worst pair is compared.
    pub guarantees: Vec<&'static str>,
    /// Which of both is compared by a pair that only dominates the mechanism for another reason, and why.
    pub dominating: Vec<Dominating>,
}

/// A side whose pair only dominates the mechanism: what is found of the pair need not be so of the mechanism.
#[derive(Clone, Debug, Serialize)]
pub struct Dominating {
    /// `first` or `second`.
    pub side: &'static str,
    /// Why, with the source of the bound.
    pub because: &'static str,
}

impl Found {
    /// The order of two compositions, with the matrix that carries one to the other if that is wanted.
    ///
    /// # Errors
    /// Those of [`OrderQuestion::answer`].
    pub fn new(
        first: &Composition,
        second: &Composition,
        direction: Compared,
        with_channel: bool,
        budget: &Budget,
    ) -> Result<Self, Error> {
        if with_channel && direction == Compared::Worst {
            return Err(Error::input("a randomised map requires one direction; omit --direction worst"));
        }
        let order = match direction {
            Compared::Forward => order::order(first, second, budget)?,
            Compared::Worst => order::order_of_both(first, second, budget)?,
        };
        let (channel, no_channel) =
            if with_channel { (channel(first, second, &order)?, no_channel(&order)) } else { (None, Vec::new()) };
        let both = [("first", first), ("second", second)].into_iter();
        let guarantees = both.clone().filter(|(_, side)| side.has_guarantee()).map(|(name, _)| name).collect();
        let dominating = both.filter_map(|(side, composition)| {
            let cause = match composition.standing() {
                Standing::WorstOrder(cause) if direction == Compared::Forward => cause,
                Standing::Dominates(cause) if cause != Cause::Guarantee => cause,
                _ => return None,
            };
            Some(Dominating { side, because: cause.reason() })
        });
        let dominating = dominating.collect();
        Ok(Found { order, channel, no_channel, guarantees, dominating })
    }

    /// Is each relation proven or refuted, and was the matrix made that was wanted?
    pub fn status(&self) -> Status {
        let order = if self.order.is_decided() { Status::Fine } else { Status::Undecided };
        match &self.channel {
            Some(Carried::Unsaid(none)) => order.and(none.status),
            _ => order,
        }
    }

    /// In JSON.
    pub fn told(self) -> OrderTold {
        OrderTold {
            verdict: self.order.verdict(),
            at_least: told(&self.order.at_least),
            at_most: told(&self.order.at_most),
            channel: self.channel,
            no_channel: self.no_channel,
            guarantees: self.guarantees,
            dominating: self.dominating,
        }
    }
}

/// A verdict with what it rests on.
#[derive(Serialize)]
pub struct OrderTold {
    verdict: &'static str,
    at_least: Told,
    at_most: Told,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<Carried>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_channel: Vec<NoMap>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    guarantees: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dominating: Vec<Dominating>,
}

/// Whether one is at least as private as the other, in JSON.
#[derive(Serialize)]
struct Told {
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A type I error, and both type II errors there, or an epsilon, and both deltas.
#[derive(Serialize)]
struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<Direction>,
    smaller: Numbers,
    larger: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    fractions: Option<[String; 2]>,
}

/// Where there is no matrix: there what it would make is less private.
#[derive(Serialize)]
pub struct NoMap {
    /// `first` or `second`.
    pub from: &'static str,
    /// The other one.
    pub to: &'static str,
    /// Both values there.
    pub because: String,
}

/// The matrix, or why it was not made although there is one.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Carried {
    /// It is here.
    By(Map),
    /// Between Gaussian mechanisms it is a factor and noise.
    Noise(Noise),
    /// It is not.
    Unsaid(UnsaidMap),
}

/// A map between normal outcomes: multiply, and add noise.
#[derive(Serialize)]
pub struct Noise {
    /// `first` or `second`.
    pub from: &'static str,
    /// The other one.
    pub to: &'static str,
    /// The mean under Q and the variance before the map; under P the mean is 0.
    pub from_mean: String,
    /// The variance of both.
    pub from_variance: String,
    /// The same behind it.
    pub to_mean: String,
    /// The variance of both.
    pub to_variance: String,
    /// The factor.
    pub factor: String,
    /// The variance of the noise that is added.
    pub added_variance: String,
}

/// Why a matrix was not made.
#[derive(Serialize)]
pub struct UnsaidMap {
    /// `undefined` or `undecided`.
    pub kind: &'static str,
    /// `first` or `second`.
    pub from: &'static str,
    /// The other one.
    pub to: &'static str,
    /// What failed.
    pub reason: String,
    /// How it went.
    #[serde(skip)]
    status: Status,
}

/// The matrix, with the outcomes that it belongs to.
#[derive(Serialize)]
pub struct Map {
    /// `first` or `second`.
    pub from: &'static str,
    /// The other one.
    pub to: &'static str,
    /// The masses of the outcomes on either side.
    pub from_p: Vec<String>,
    /// Under Q.
    pub from_q: Vec<String>,
    /// Of the other.
    pub to_p: Vec<String>,
    /// Under Q.
    pub to_q: Vec<String>,
    /// Of formulas in x: `x = e^unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A row for each outcome of the one, which sums to 1.
    pub rows: Vec<Vec<String>>,
}

fn told(relation: &Relation) -> Told {
    let nothing = Told { holds: None, proof: None, witness: None, reason: None };
    match relation {
        Relation::Proven(how) => Told { holds: Some(true), proof: Some(how), ..nothing },
        Relation::Fails(witness) => Told { holds: Some(false), witness: Some(shown(witness)), ..nothing },
        Relation::Undecided(reason) => Told { reason: Some(with_flags(reason)), ..nothing },
    }
}

fn shown(witness: &Witness) -> Shown {
    let digits = witness.digits();
    let numbers = |interval: Interval| Numbers::of(&Number::from(&interval), digits);
    let fractions = witness.fractions().map(|(smaller, larger)| [smaller.to_string(), larger.to_string()]);
    let (alpha, epsilon, direction) = match witness.place() {
        Place::Alpha(at) => (Some(alpha_text(at)), None, None),
        Place::Epsilon(at, direction) => (None, Some(at.to_string()), Some(*direction)),
    };
    let (smaller, larger) = (numbers(witness.smaller()), numbers(witness.larger()));
    Shown { alpha, epsilon, direction, fractions, smaller, larger }
}

/// A proof of the JSON answer, for people.
fn proof_text(how: &'static str) -> &'static str {
    match how {
        "all vertices of two polylines in fractions" => "at all vertices of both trade-off functions, in fractions",
        "all vertices of two polylines over exponentials" => "at all vertices of both trade-off functions",
        "all lines of a polyline in fractions" => "at all segments of the other trade-off function",
        "each run beside one of the other that is no more private" => {
            "by matching each of its parts with a part of the other that is not more private"
        }
        "what is left beside the runs that both have" => "by comparing the rest, without the runs that both share",
        "runs beside runs of the other" => "by comparing groups of its runs with single runs of the other",
        "Gaussian noise between both, by the fits of parts" => "by a Gaussian mechanism that lies between both",
        "branch and bound over all epsilons" => "by branch and bound over all epsilons",
        other => other,
    }
}

/// One relation, for people.
pub fn relation_text(what: &str, relation: &Relation) -> String {
    match relation {
        Relation::Proven(how) => format!("  {what}: proven, {}", proof_text(how)),
        Relation::Fails(witness) => format!("  {what}: no, {}", witness.told()),
        Relation::Undecided(reason) => format!("  {what}: undecided, {}", with_flags(reason)),
    }
}

/// By data processing no map lowers a trade-off function.
fn no_channel(order: &Order) -> Vec<NoMap> {
    let one = |relation: &Relation, from, to| match relation {
        Relation::Fails(witness) => Some(NoMap { from, to, because: witness.no_channel(from, to) }),
        _ => None,
    };
    [one(&order.at_least, "second", "first"), one(&order.at_most, "first", "second")].into_iter().flatten().collect()
}

fn channel(first: &Composition, second: &Composition, order: &Order) -> Result<Option<Carried>, Error> {
    let ([from, to], [source, target]) = if order.at_least.is_proven() {
        (["second", "first"], [second, first])
    } else if order.at_most.is_proven() {
        (["first", "second"], [first, second])
    } else {
        return Ok(None);
    };
    // The order is reported even if no matrix is found.
    Ok(Some(match carried([from, to], source, target) {
        Ok(carried) => carried,
        Err(error) => {
            let (kind, reason, status) = unsaid(error)?;
            Carried::Unsaid(UnsaidMap { kind, from, to, reason, status })
        }
    }))
}

/// The map between two compositions, of which the second is known to be at least as private: in fractions where both
/// have them, else by formulas, or by noise.
fn carried([from, to]: [&'static str; 2], source: &Composition, target: &Composition) -> Result<Carried, Error> {
    if let Some(NoiseMap { factor, variance, from: [from_mean, from_variance], to: [to_mean, to_variance] }) =
        NoiseMap::between(source, target)?
    {
        return Ok(Carried::Noise(Noise {
            from,
            to,
            from_mean: from_mean.to_string(),
            from_variance: from_variance.to_string(),
            to_mean: to_mean.to_string(),
            to_variance: to_variance.to_string(),
            factor: factor.to_string(),
            added_variance: variance.to_string(),
        }));
    }
    let undefined = match order::carrying(target, source) {
        Ok(channel) => return Ok(Carried::By(map(&channel, from, to))),
        Err(Error::Undefined(reason)) => reason,
        Err(error) => return Err(error),
    };
    let Some(found) = order::formulas(source, target)? else { return Err(Error::Undefined(undefined)) };
    let list = |masses: &[Quotient]| masses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let ([from_p, from_q], [to_p, to_q]) = (found.from, found.to);
    Ok(Carried::By(Map {
        from,
        to,
        from_p: list(&from_p),
        from_q: list(&from_q),
        to_p: list(&to_p),
        to_q: list(&to_q),
        unit: Some(found.unit.to_string()),
        rows: found.rows.iter().map(|row| list(row)).collect(),
    }))
}

fn map(channel: &Channel, from: &'static str, to: &'static str) -> Map {
    let list = |masses: &[Fraction]| masses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let ([from_p, from_q], [to_p, to_q]) = (channel.from(), channel.to());
    Map {
        from,
        to,
        from_p: list(&from_p),
        from_q: list(&from_q),
        to_p: list(&to_p),
        to_q: list(&to_q),
        unit: None,
        rows: channel.matrix().iter().map(|row| list(row)).collect(),
    }
}
