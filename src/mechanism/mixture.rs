//! Mixture with a visible index: one of several compositions, drawn at random; the output shows which one.
//!
//! **Pair.** `P = sum_i w_i P_i` and `Q = sum_i w_i Q_i` on outcomes *with the index i*: the output shows which
//! composition was run. Then `H_x(P,Q) = sum_i w_i H_x(P_i,Q_i)`, and a most powerful test spends its type I
//! error where it is worth most: `T(P,Q)(alpha) = min { sum w_i f_i(alpha_i) : sum w_i alpha_i = alpha
//! }`. If the index is *not* visible, outputs of different compositions may coincide. The hockey-stick divergence is
//! jointly convex, so such a mechanism is at least as private as this pair; how much more private depends on the
//! outputs, which a trade-off function does not describe. (Su's inequality 4.1 is the same convexity, at equal
//! thresholds.)
//!
//! Symmetric if all parts are.
//!
//! One weight may be `rest`, the remainder. For calibration one may be a `?`, and then another one is `rest`.

use rug::Rational;

use super::catalogue::{Arguments, shortened};
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check, finite};
use crate::error::Error;
use crate::pair::Pair;

/// One of several compositions, drawn at random; the output shows which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mixture {
    weights: Vec<Real>,
    parts: Vec<Composition>,
}

impl Mixture {
    pub(super) const ENTRY: Entry = Entry {
        name: "mixture",
        aliases: &[],
        summary: "mixture: runs one of several compositions, drawn with given probabilities; the output shows which",
        pair: "P = sum w_i P_i; Q = sum w_i Q_i, with the index i visible in the output",
        example: "mixture(1/3: gaussian(sigma=1), 2/3: laplace(scale=2)^2)",
        answers: "Answers are exact if those of all parts are.",
        parameters: &[
            Parameter {
                name: "weights",
                domain: Domain::Distribution,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "probabilities that sum to 1, each written before its composition, as in 1/3: gdp(mu=1); \
                          one may be `rest`, which takes the remainder",
            },
            Parameter {
                name: "mechanisms",
                domain: Domain::Mechanisms,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "compositions, one for each weight",
            },
        ],
        build: Self::build,
    };

    /// These compositions with these probabilities. Domain: non-negative fractions with sum 1.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain, or if the two lists differ in length.
    pub fn new(weights: Vec<Real>, parts: Vec<Composition>) -> Result<Self, Error> {
        if weights.len() != parts.len() {
            let (weights, parts) = (weights.len(), parts.len());
            return Err(Error::input(format!(
                "there are {weights} weights for {parts} mechanisms; give one weight for each mechanism"
            )));
        }
        finite::distribution("weights", &finite::rationals("weights", &weights)?)?;
        Ok(Mixture { weights, parts })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let mixture = Mixture::new(given.list("weights")?.to_vec(), given.compositions("mechanisms")?.to_vec());
        Ok(given.checked("weights", mixture)?.into())
    }

    /// The compositions with their weights.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Real, &Composition)> {
        self.weights.iter().zip(&self.parts)
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        let parts = self.parts().map(|(weight, part)| Ok((weight.clone(), Pair::several(part.pairs()?))));
        Pair::mixture(parts.collect::<Result<_, Error>>()?)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("weights", Argument::List(self.weights.clone())),
            ("mechanisms", Argument::Mechanisms(self.parts.clone())),
        ]
    }
}

/// Name of the weight that is the remainder.
pub(super) const REST: &str = "rest";

/// A weight as it is written.
#[derive(Clone, Debug)]
pub(super) enum Weight {
    /// A constant.
    Number(Real),
    /// The remainder.
    Rest,
    /// The unknown of a calibration.
    Sought,
}

/// As it stands before a composition.
impl std::fmt::Display for Weight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Weight::Number(value) => value.fmt(f),
            Weight::Rest => f.write_str(REST),
            Weight::Sought => f.write_str("?"),
        }
    }
}

/// The weights as numbers. `sought` returns the value of the unknown weight, given the remainder that it shares with
/// `rest`.
///
/// # Errors
/// The index of a weight, and what is wrong with it.
pub(super) fn numbers(
    weights: &[Weight],
    sought: &mut dyn FnMut(&Rational) -> Result<Real, String>,
) -> Result<Vec<Real>, (usize, String)> {
    let place = |wanted: fn(&Weight) -> bool| weights.iter().position(wanted);
    let open = place(|weight| matches!(weight, Weight::Sought));
    let Some(rest) = place(|weight| matches!(weight, Weight::Rest)) else {
        if let Some(open) = open {
            let told = "a weight `?` needs another part with the weight `rest`, as in mixture(?: gaussian(sigma=1), \
                        rest: gaussian(sigma=2))";
            return Err((open, told.into()));
        }
        let number = |weight: &Weight| if let Weight::Number(value) = weight { Some(value.clone()) } else { None };
        return Ok(weights.iter().filter_map(number).collect());
    };
    let mut given = Vec::new();
    for (at, weight) in weights.iter().enumerate() {
        match weight {
            Weight::Number(value) => {
                check::unit("a weight", value).map_err(|error| (at, error.to_string()))?;
                let shown = || format!("a weight must be rational, not {}", shortened(&value.to_string()));
                given.push(value.as_rational().cloned().ok_or_else(|| (at, shown()))?);
            }
            Weight::Rest if at > rest => {
                return Err((at, "a second `rest`: only one weight can be the remainder".into()));
            }
            Weight::Rest | Weight::Sought => {}
        }
    }
    let sum = finite::sum("weights", &given).map_err(|error| (rest, error.to_string()))?;
    let left = Rational::from(1 - &sum);
    let none =
        if open.is_some() { "nothing is left for `?` and `rest`" } else { "the weight `rest` would be negative" };
    if left < 0 || left.is_zero() && open.is_some() {
        let shown = shortened(&sum.to_string());
        return Err((rest, format!("the other weights sum to {shown}: {none}")));
    }
    let found = match open {
        Some(open) => sought(&left).map_err(|told| (open, told))?,
        None => Real::zero(),
    };
    let remaining = Real::from(left).sub(&found);
    let number = |weight: &Weight| match weight {
        Weight::Number(value) => value.clone(),
        Weight::Rest => remaining.clone(),
        Weight::Sought => found.clone(),
    };
    Ok(weights.iter().map(number).collect())
}

/// A mixture one of whose weights is a `?`, and another one `rest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weighed {
    /// The sum of both weights.
    pub left: Rational,
    mixture: Mixture,
    sought: usize,
    rest: usize,
}

impl Weighed {
    /// The one of these weights that are numbers, and of these compositions.
    pub(super) fn new(weights: &[Weight], numbers: &[Real], parts: &[Composition]) -> Option<Self> {
        let sought = weights.iter().position(|weight| matches!(weight, Weight::Sought))?;
        let rest = weights.iter().position(|weight| matches!(weight, Weight::Rest))?;
        let both = [sought, rest].map(|at| numbers.get(at).and_then(Real::as_rational));
        let left = Rational::from(both[0]? + both[1]?);
        let mixture = Mixture { weights: numbers.to_vec(), parts: parts.to_vec() };
        Some(Weighed { left, mixture, sought, rest })
    }

    /// The compositions with their weights, those that stood for the words as a sample.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Real, &Composition)> {
        self.mixture.parts()
    }

    /// The composition of the unknown weight, and that of the remainder.
    pub(crate) fn both(&self) -> Option<[&Composition; 2]> {
        Some([self.mixture.parts.get(self.sought)?, self.mixture.parts.get(self.rest)?])
    }

    /// Is it all of this composition, run once, when its sample is?
    pub(super) fn is_all(&self, sample: &Composition) -> bool {
        matches!(sample.single(), Some((Mechanism::Mixture(mixture), 1)) if *mixture == self.mixture)
    }
}

/// The parts, as they stand between the parentheses.
impl std::fmt::Display for Mixture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (weight, part)) in self.parts().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{weight}: {part}")?;
        }
        Ok(())
    }
}
