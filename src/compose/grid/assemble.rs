//! The laws of a product of pairs.

use super::{Commensurable, Finite, Gaussian, Grid, Laplace, LossLaw, Poisson};
use crate::compose::LatticePair;
use crate::compose::choose::Refusal;
use crate::pair::{Discrete, Pair, Part, Product};

type Laws = Vec<(Box<dyn LossLaw>, u64)>;

impl Grid {
    /// The curve of this product, failures left aside.
    pub(in crate::compose) fn of(product: &Product) -> Result<Self, Refusal> {
        Ok(Grid::new(laws(product)?)?)
    }
}

fn laws(product: &Product) -> Result<Laws, Refusal> {
    if !product.derived.is_empty() {
        return Err(Refusal::OtherKind);
    }
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
        all.push((sampled(pair)?, *times));
    }
    if all.is_empty() { Err(Refusal::OtherKind) } else { Ok(all) }
}

fn sampled(pair: &Pair) -> Result<Box<dyn LossLaw>, Refusal> {
    let (rate, inner) = match pair {
        Pair::Discrete(sample) => return Ok(Box::new(Finite(sample.clone()))),
        Pair::Sample { rate, inner } => (rate.clone(), &**inner),
        _ => return Err(Refusal::OtherKind),
    };
    Ok(match inner {
        Pair::Laplace { shift } => Box::new(Poisson::new(rate, Laplace::new(shift.clone())?)?),
        Pair::Gaussian { mu } => Box::new(Poisson::new(rate, Gaussian::new(mu.square())?)?),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let inner = Commensurable::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?;
            Box::new(Poisson::new(rate, inner)?)
        }
        _ => return Err(Refusal::OtherKind),
    })
}
