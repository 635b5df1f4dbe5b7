//! The laws of a product of pairs.

use super::{Commensurable, Finite, Gaussian, Grid, Laplace, LossLaw, Poisson};
use crate::compose::LatticePair;
use crate::error::Error;
use crate::pair::{Discrete, Pair, Part, Product};

type Laws = Vec<(Box<dyn LossLaw>, u64)>;

impl Grid {
    /// The curve of this product, failures left aside; `None` if some pair has no law here.
    pub(in crate::compose) fn of(product: &Product) -> Option<Result<Self, Error>> {
        laws(product).transpose().map(|laws| laws.and_then(Grid::new))
    }
}

fn laws(product: &Product) -> Result<Option<Laws>, Error> {
    let mut all = Laws::new();
    for Part { epsilon, delta, times } in &product.responses {
        all.push((Box::new(Finite(Discrete::response(epsilon.clone(), delta.clone())?)), *times));
    }
    if !product.mu_squared.is_zero() {
        all.push((Box::new(Gaussian::new(product.mu_squared.clone())?), 1));
    }
    for (shift, times) in &product.laplace {
        all.push((Box::new(Laplace::new(shift.clone())?), *times));
    }
    // What shares a lattice that is not too long is composed on it first, so that the sum is rounded once.
    let mut pairs = Vec::new();
    for (pair, times) in &product.lattice {
        pairs.extend(LatticePair::of(pair)?.map(|pair| (pair, *times)));
    }
    for (sigma2, sensitivity, times) in &product.discrete_gaussian {
        pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?, *times));
    }
    for group in Commensurable::grouped(pairs, true)? {
        all.push((Box::new(group), 1));
    }
    for (pair, times) in &product.finite {
        all.push((Box::new(Finite(Discrete::rational(pair.clone()))), *times));
    }
    for (pair, times) in &product.sampled {
        match sampled(pair)? {
            Some(law) => all.push((law, *times)),
            None => return Ok(None),
        }
    }
    Ok((!all.is_empty()).then_some(all))
}

fn sampled(pair: &Pair) -> Result<Option<Box<dyn LossLaw>>, Error> {
    let (rate, inner) = match pair {
        Pair::Discrete(sample) => return Ok(Some(Box::new(Finite(sample.clone())))),
        Pair::Sample { rate, inner } => (rate.clone(), &**inner),
        _ => return Ok(None),
    };
    Ok(match inner {
        Pair::Laplace { shift } => Some(Box::new(Poisson::new(rate, Laplace::new(shift.clone())?)?)),
        Pair::Gaussian { mu } => Some(Box::new(Poisson::new(rate, Gaussian::new(mu.square())?)?)),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let inner = Commensurable::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?;
            Some(Box::new(Poisson::new(rate, inner)?))
        }
        _ => None,
    })
}
