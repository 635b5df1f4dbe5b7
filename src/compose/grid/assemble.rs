//! The laws of a composition's parts.

use super::{Commensurable, FinitePair, Gaussian, Grid, Laplace, LossLaw, Poisson, TwoPoints};
use crate::compose::parts::Parts;
use crate::compose::subsampled::Discrete;
use crate::compose::{LatticePair, Part};
use crate::error::Error;
use crate::mechanism::{self, Mechanism};
use enclosure::Real;

type Laws = Vec<(Box<dyn LossLaw>, u64)>;

impl Grid {
    /// The curve of these parts, failures left aside; `None` if some part has no law here.
    pub(in crate::compose) fn of(parts: &Parts) -> Option<Result<Self, Error>> {
        laws(parts).transpose().map(|laws| laws.and_then(Grid::new))
    }
}

fn laws(parts: &Parts) -> Result<Option<Laws>, Error> {
    let mut all = Laws::new();
    for Part { epsilon, delta, times } in &parts.kov {
        all.push((Box::new(TwoPoints::new(epsilon.clone(), delta.clone())?), *times));
    }
    if !parts.mu_squared.is_zero() {
        all.push((Box::new(Gaussian::new(parts.mu_squared.clone())?), 1));
    }
    for (shift, times) in &parts.laplace {
        all.push((Box::new(Laplace::new(shift.clone())?), *times));
    }
    // What shares a lattice that is not too long is composed on it first, so that the sum is rounded once.
    let mut pairs = parts.lattice.clone();
    for (sigma2, sensitivity, times) in &parts.discrete_gaussian {
        pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), sensitivity.clone())?, *times));
    }
    for group in Commensurable::grouped(pairs, true)? {
        all.push((Box::new(group), 1));
    }
    for (p, q, times) in &parts.finite {
        all.push((Box::new(FinitePair::new(p, q)?), *times));
    }
    for (poisson, times) in &parts.sampled {
        match sampled(poisson)? {
            Some(law) => all.push((law, *times)),
            None => return Ok(None),
        }
    }
    Ok((!all.is_empty()).then_some(all))
}

fn sampled(poisson: &mechanism::Poisson) -> Result<Option<Box<dyn LossLaw>>, Error> {
    let rate: Real = poisson.rate().clone();
    Ok(match poisson.inner() {
        Mechanism::Laplace(m) => {
            let inner = Laplace::new(m.sensitivity().div(m.scale())?)?;
            Some(Box::new(Poisson::new(rate, inner)?))
        }
        Mechanism::Gaussian(m) => {
            let mu = m.sensitivity().div(m.sigma())?;
            Some(Box::new(Poisson::new(rate, Gaussian::new(mu.square())?)?))
        }
        Mechanism::Gdp(m) => Some(Box::new(Poisson::new(rate, Gaussian::new(m.mu().square())?)?)),
        Mechanism::DiscreteGaussian(m) => {
            let inner = Commensurable::discrete_gaussian(m.sigma2().clone(), m.sensitivity().into())?;
            Some(Box::new(Poisson::new(rate, inner)?))
        }
        _ => match Discrete::of(poisson)? {
            Some(sample) => Some(Box::new(FinitePair::sample(sample))),
            None => None,
        },
    })
}
