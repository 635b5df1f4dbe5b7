//! Any pair of rational distributions on finitely many outcomes.
//!
//! **Pair.** P and Q as given. The loss of an outcome is `ln(p/q)`, `+infinity` where `q = 0 < p`; outcomes that
//! neither distribution takes are allowed and mean nothing. In general not symmetric.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Integer, Rational};

use super::catalogue::{Arguments, shortened};
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend};
use crate::error::Error;
use crate::pair::{FinitePair, Pair};

/// Custom pair of distributions on finitely many outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finite {
    p: Arc<[Rational]>,
    q: Arc<[Rational]>,
}

/// The largest common denominator of a distribution, in bits.
const MAX_DENOMINATOR: u32 = 1 << 17;

impl Finite {
    pub(super) const ENTRY: Entry = Entry {
        name: "finite",
        aliases: &[],
        summary: "custom pair of distributions on finitely many outcomes, with rational probabilities",
        pair: "P = p; Q = q",
        example: "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "p",
                domain: Domain::Distribution,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "probabilities of P, fractions that sum to 1",
            },
            Parameter {
                name: "q",
                domain: Domain::Distribution,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "probabilities of Q on the same outcomes, fractions that sum to 1",
            },
        ],
        build: Self::build,
    };

    /// The pair `p`, `q`. Domain: lists of one length, no negative entry, each with sum 1.
    pub fn new(p: Vec<Rational>, q: Vec<Rational>) -> Result<Self, Error> {
        distribution("p", &p)?;
        distribution("q", &q)?;
        same_length(p.len(), q.len())?;
        Ok(Finite { p: p.into(), q: q.into() })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let read = |name: &str| {
            let list = rationals(name, given.list(name)?);
            let list = list.and_then(|list| distribution(name, &list).map(|()| list));
            given.checked(name, list)
        };
        let (p, q) = (read("p")?, read("q")?);
        given.checked("q", same_length(p.len(), q.len()))?;
        Ok(Finite { p: p.into(), q: q.into() }.into())
    }

    /// Probabilities under P.
    pub fn p(&self) -> &[Rational] {
        &self.p
    }

    /// Probabilities under Q.
    pub fn q(&self) -> &[Rational] {
        &self.q
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::finite(FinitePair::new(self.p.to_vec(), self.q.to_vec())?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        let list = |values: &[Rational]| Argument::List(values.iter().cloned().map(Real::from).collect());
        vec![("p", list(&self.p)), ("q", list(&self.q))]
    }
}

pub(super) fn rationals(name: &str, values: &[Real]) -> Result<Vec<Rational>, Error> {
    let rational = |(index, value): (usize, &Real)| {
        value.as_rational().cloned().ok_or_else(|| {
            let shown = shortened(&value.to_string());
            Error::input(format!("entry {} of {name} must be rational, not {shown}", index + 1))
        })
    };
    values.iter().enumerate().map(rational).collect()
}

fn same_length(p: usize, q: usize) -> Result<(), Error> {
    if p == q {
        Ok(())
    } else {
        Err(Error::input(format!("p has {p} entries and q has {q}; both need one entry for each outcome")))
    }
}

/// The sum of numbers none of which is negative.
pub(super) fn sum(name: &str, values: &[Rational]) -> Result<Rational, Error> {
    let mut common = Integer::from(1);
    for (index, value) in values.iter().enumerate() {
        if value.cmp0() == Ordering::Less {
            let shown = shortened(&value.to_string());
            return Err(Error::input(format!("entry {} of {name} is negative: {shown}", index + 1)));
        }
        common.lcm_mut(value.denom());
        if common.significant_bits() > MAX_DENOMINATOR {
            return Err(Error::input(format!("the common denominator of {name} has more than {MAX_DENOMINATOR} bits")));
        }
    }
    let mut sum = Integer::new();
    for value in values {
        sum += Integer::from(&common / value.denom()) * value.numer();
    }
    Ok(Rational::from((sum, common)))
}

pub(super) fn distribution(name: &str, values: &[Rational]) -> Result<(), Error> {
    let excess = sum(name, values)? - 1_u32;
    let shown = shortened(&Rational::from(excess.abs_ref()).to_string());
    match excess.cmp0() {
        Ordering::Equal => Ok(()),
        Ordering::Less => Err(Error::input(format!("{name} must sum to 1; the sum is too small by {shown}"))),
        Ordering::Greater => Err(Error::input(format!("{name} must sum to 1; the sum is too large by {shown}"))),
    }
}
