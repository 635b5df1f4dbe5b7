//! The divergence of a composition: each pair's own, put together.

#[cfg(feature = "cli")]
use super::derived::sketched;
use super::derived::{ByEnds, ByValues, Fold, Several, Told, Turned};
use super::moments::folded::Folded;
use super::shuffled::Counted;
use super::subsampled::Listed;
use super::{Divergence, Gaussian, Laplace, Lattice, RandomizedResponse, Sampled, compose};
use crate::compose::{DiscreteGaussian, Geometric};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Law, Operator, Pair, symmetric};
use crate::statement::{self, Statement};
use enclosure::{Budget, Need, Real};

/// Which divergence. Total variation is not here: under composition it is the privacy profile at epsilon 0.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Renyi, of an order above 1.
    Renyi(Real),
    /// Kullback-Leibler.
    KullbackLeibler,
    /// Chi-squared.
    ChiSquared,
    /// Max.
    Max,
}

/// A composition, prepared for one divergence.
pub struct Composed {
    kind: Kind,
    parts: Vec<(Box<dyn Divergence>, u64)>,
    symmetric: bool,
}

/// The divergence of a composition: each pair brings its closed form.
pub fn composed(kind: Kind, composition: &Composition) -> Result<Composed, Error> {
    of_pairs(kind, &composition.pairs()?)
}

/// The same for pairs, each with its number of runs.
///
/// # Errors
/// Those of the pairs.
pub fn of_pairs(kind: Kind, pairs: &[(Pair, u64)]) -> Result<Composed, Error> {
    let mut parts = Vec::new();
    for (pair, times) in pairs {
        if let Some(divergence) = divergence(pair)? {
            parts.push((divergence, *times));
        }
    }
    Ok(Composed { kind, symmetric: alike(&parts) || symmetric(pairs), parts })
}

/// The same of one pair.
///
/// # Errors
/// Those of the pair.
#[cfg(feature = "cli")]
pub fn of_pair(kind: Kind, pair: &Pair) -> Result<Composed, Error> {
    of_pairs(kind, &[(pair.clone(), 1)])
}

impl Composed {
    /// The name of the method, for display.
    pub fn method(&self) -> &'static str {
        let closed = self.parts.iter().all(|(pair, _)| pair.closed());
        match (&self.kind, closed) {
            (Kind::ChiSquared, true) => "closed forms, multiplied",
            (Kind::ChiSquared, false) => "closed forms and enclosed integrals, multiplied",
            (_, true) => "closed forms, added",
            (_, false) => "closed forms and enclosed integrals, added",
        }
    }

    /// From which statement.
    pub fn statement(&self) -> &'static Statement {
        match self.kind {
            Kind::Renyi(_) => &statement::RENYI,
            Kind::KullbackLeibler => &statement::KULLBACK_LEIBLER,
            Kind::ChiSquared => &statement::CHI_SQUARED,
            Kind::Max => &statement::MAX_DIVERGENCE,
        }
    }

    /// Do the directions agree?
    pub fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// About the Renyi divergence of an order, in doubles, if that is cheap: for searches.
    #[cfg(feature = "cli")]
    pub fn renyi_sketch(&self, order: f64, direction: Direction) -> Option<f64> {
        sketched(&self.parts, order, direction)
    }

    /// The divergence in one direction, narrow relative to its value.
    pub fn value(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let mut values = Vec::with_capacity(self.parts.len());
        for (pair, times) in &self.parts {
            budget.check()?;
            let value = match &self.kind {
                Kind::Renyi(order) => pair.renyi(order, direction, bits, budget)?,
                Kind::KullbackLeibler => pair.kullback_leibler(direction, bits, budget)?,
                Kind::ChiSquared => pair.chi_squared(direction, bits, budget)?,
                Kind::Max => pair.max(direction, bits, budget)?,
            };
            values.push((value, *times));
        }
        Ok(match self.kind {
            Kind::ChiSquared => compose::chi_squared(&values, bits),
            _ => compose::sum(&values, bits),
        })
    }
}

/// Are the directions of each the same?
fn alike(parts: &[(Box<dyn Divergence>, u64)]) -> bool {
    parts.iter().all(|(pair, _)| pair.symmetric())
}

/// The divergences of one pair; `None` if its two distributions are the same.
fn divergence(pair: &Pair) -> Result<Option<Box<dyn Divergence>>, Error> {
    Ok(Some(match pair {
        Pair::Equal => return Ok(None),
        Pair::Gaussian { mu } => Box::new(Gaussian(mu.clone())),
        Pair::Laplace { shift } => Box::new(Laplace::new(shift.clone())?),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            Box::new(DiscreteGaussian::new(sigma2.clone(), (*sensitivity).into(), 1)?)
        }
        Pair::Discrete(pair) => match pair.law() {
            Law::Response { epsilon, delta } => Box::new(RandomizedResponse::new(epsilon.clone(), delta.clone())?),
            Law::SymmetricLattice { largest, .. } => match pair.as_geometric() {
                Some((rate, sensitivity)) => Box::new(Geometric::new(rate.clone(), sensitivity)?),
                None => {
                    Budget::default().afford(&Need {
                        what: "different losses of one mechanism",
                        count: *largest,
                        most: LONGEST,
                        bytes: 0,
                        relax: "try a smaller sensitivity",
                    })?;
                    Box::new(Lattice::of(pair)?)
                }
            },
            Law::Rational(pair) => Box::new(pair.clone()),
            Law::Sample { .. } | Law::Listed(_) => Box::new(Listed(pair.clone())),
        },
        Pair::Several(factors) => Box::new(several(factors)?),
        Pair::Derived(derived) => match (derived.operator(), derived.parts()) {
            (Operator::Inverse, [part]) => Box::new(Turned(several(part)?)),
            (Operator::Mixture(weights), parts) => {
                let parts = weights.iter().zip(parts).map(|(weight, part)| Ok((weight.clone(), several(part)?)));
                Box::new(Told(parts.collect::<Result<_, Error>>()?))
            }
            _ => match Folded::of(derived) {
                Some(folded) => Box::new(Fold(
                    folded,
                    ByEnds(
                        derived.ends()?,
                        "dpcert has no formula for this \
                                                                               divergence",
                    ),
                )),
                None => Box::new(ByValues::new(pair.clone())?),
            },
        },
        Pair::Shuffled(pair) => Box::new(Counted::new(pair.clone())?),
        Pair::Sample { rate, inner } => match divergence(inner)? {
            Some(divergence) => Box::new(Sampled::new(rate.clone(), inner, divergence)?),
            None => return Ok(None),
        },
    }))
}

/// Of independent pairs.
fn several(factors: &[(Pair, u64)]) -> Result<Several, Error> {
    let mut all = Vec::new();
    for (pair, times) in factors {
        all.extend(divergence(pair)?.map(|divergence| (divergence, *times)));
    }
    Ok(Several(all))
}

/// More losses than this are not listed one by one.
const LONGEST: u64 = 1 << 16;
