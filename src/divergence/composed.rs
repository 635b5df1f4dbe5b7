//! The divergence of a composition: each mechanism's own, put together.

use rug::{Integer, Rational};

use super::{Divergence, Gaussian, Laplace, Lattice, RandomizedResponse, Sampled, compose};
use crate::compose::subsampled::{Discrete, Form, reduce};
use crate::compose::{DiscreteGaussian, LatticePair};
use crate::curve::{Direction, FinitePair, Value};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::statement::{self, Statement};
use enclosure::{Budget, Real, Work};

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

/// A composition, ready to be asked for one divergence.
pub struct Composed {
    kind: Kind,
    parts: Vec<(Box<dyn Divergence>, u64)>,
}

/// The divergence of a composition: each mechanism brings its closed form.
pub fn composed(kind: Kind, composition: &Composition) -> Result<Composed, Error> {
    let mut parts = Vec::new();
    for (mechanism, times) in composition.factors() {
        if let Some(pair) = pair(mechanism)? {
            parts.push((pair, *times));
        }
    }
    Ok(Composed { kind, parts })
}

impl Composed {
    /// By which method, for people.
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
        self.parts.iter().all(|(pair, _)| pair.symmetric())
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

/// The divergences of one mechanism; `None` if its two distributions are the same.
fn pair(mechanism: &Mechanism) -> Result<Option<Box<dyn Divergence>>, Error> {
    let short = |sensitivity: u64| {
        Budget::default().afford(&Work {
            what: "different losses of one mechanism",
            count: sensitivity,
            most: u64::from(LONGEST),
            bytes: 0,
            relax: "a smaller sensitivity would do",
        })?;
        Ok::<_, Error>(u32::try_from(sensitivity).unwrap_or(LONGEST))
    };
    Ok(Some(match mechanism {
        Mechanism::ApproxDp(m) => Box::new(RandomizedResponse::new(m.epsilon().clone(), m.delta().clone())?),
        Mechanism::RandomizedResponse(m) => Box::new(RandomizedResponse::new(m.epsilon().clone(), Real::zero())?),
        Mechanism::Geometric(m) if m.epsilon().is_zero() || m.sensitivity() == 0 => return Ok(None),
        Mechanism::Geometric(m) if m.sensitivity() == 1 => {
            Box::new(RandomizedResponse::new(m.epsilon().clone(), Real::zero())?)
        }
        Mechanism::Geometric(m) => {
            let sensitivity = short(m.sensitivity())?;
            Box::new(Lattice::from_pair(LatticePair::geometric(m.epsilon().clone(), sensitivity)?)?)
        }
        Mechanism::Staircase(m) if m.sensitivity() == 0 => return Ok(None),
        Mechanism::Staircase(m) => {
            let sensitivity = short(m.sensitivity())?;
            Box::new(Lattice::from_pair(LatticePair::staircase(m.epsilon().clone(), m.gamma().clone(), sensitivity)?)?)
        }
        Mechanism::Gaussian(m) => Box::new(Gaussian::Mu(m.sensitivity().div(m.sigma())?)),
        Mechanism::Gdp(m) => Box::new(Gaussian::Mu(m.mu().clone())),
        Mechanism::Laplace(m) => Box::new(Laplace::new(m.sensitivity().div(m.scale())?)?),
        Mechanism::DiscreteGaussian(m) => {
            let sensitivity = Integer::from(m.sensitivity());
            Box::new(DiscreteGaussian::new(Rational::clone(m.sigma2()), sensitivity, 1)?)
        }
        Mechanism::Finite(m) => Box::new(FinitePair::new(m.p().to_vec(), m.q().to_vec())?),
        Mechanism::Poisson(m) => match reduce(m)? {
            Form::Nothing => return Ok(None),
            Form::Unsampled(inner) => return pair(&inner),
            Form::Finite(pair) => Box::new(pair),
            Form::Sampled => match (Discrete::of(m)?, pair(m.inner())?) {
                (Some(discrete), _) => Box::new(discrete),
                (None, Some(inner)) => Box::new(Sampled::new(m.rate().clone(), m.inner(), inner)?),
                (None, None) => return Ok(None),
            },
        },
    }))
}

/// More losses than this are not listed one by one.
const LONGEST: u32 = 1 << 16;
