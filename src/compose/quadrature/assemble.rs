//! The factors of a product of pairs.

use std::sync::Arc;

use super::Quadrature;
use super::factor::{
    Atoms, DiscreteGaussians, Draws, Factor, GaussianFactor, LaplaceFactor, PoissonGaussian, PoissonLaplace,
};
use crate::error::Error;
use crate::pair::{Discrete, Law, Pair, Part, Product};

type Factors = Vec<(Arc<dyn Factor>, u64)>;

/// A lattice pair of more losses than this is not taken as a list of exponentials.
const MOST_ATOMS: usize = 4096;

impl Quadrature {
    /// The curve of this product, failures left aside; `None` if some pair has no factor here.
    pub(in crate::compose) fn of(product: &Product) -> Option<Result<Self, Error>> {
        factors(product).transpose().map(|factors| Ok(Quadrature::new(factors?, product.symmetric())))
    }
}

/// The factors; `None` if some pair has none.
pub(super) fn factors(product: &Product) -> Result<Option<Factors>, Error> {
    let mut all = Factors::new();
    for Part { epsilon, delta, times } in &product.responses {
        all.push((atoms(Discrete::response(epsilon.clone(), delta.clone())?)?, *times));
    }
    if !product.mu_squared.is_zero() {
        all.push((Arc::new(GaussianFactor::new(product.mu_squared.clone())?), 1));
    }
    for (shift, times) in &product.laplace {
        all.push((Arc::new(LaplaceFactor::new(shift.clone())?), *times));
    }
    if !product.discrete_gaussian.is_empty() {
        let draws = product.discrete_gaussian.iter().map(|(sigma2, sensitivity, times)| Draws {
            sigma2: sigma2.clone(),
            sensitivity: (*sensitivity).into(),
            times: *times,
        });
        let Some(factor) = DiscreteGaussians::new(merged(draws)) else { return Ok(None) };
        all.push((Arc::new(factor), 1));
    }
    for (pair, times) in &product.lattice {
        all.push((atoms(pair.clone())?, *times));
    }
    for (pair, times) in &product.finite {
        all.push((atoms(Discrete::rational(pair.clone()))?, *times));
    }
    for (pair, times) in &product.sampled {
        let Some(factor) = sampled(pair)? else { return Ok(None) };
        all.push((factor, *times));
    }
    Ok(Some(all))
}

/// Draws of the same kind counted together.
fn merged(draws: impl Iterator<Item = Draws>) -> Vec<Draws> {
    let mut kinds: Vec<Draws> = Vec::new();
    for draw in draws {
        match kinds.iter_mut().find(|kind| kind.sigma2 == draw.sigma2 && kind.sensitivity == draw.sensitivity) {
            Some(kind) => kind.times = kind.times.saturating_add(draw.times),
            None => kinds.push(draw),
        }
    }
    kinds
}

/// Finitely many losses as exponentials.
fn atoms(pair: Discrete) -> Result<Arc<dyn Factor>, Error> {
    let (name, losses) = (pair.kind(), pair.losses()?);
    let count = losses.len();
    if matches!(pair.law(), Law::Mirrored { .. }) && count > MOST_ATOMS {
        return Err(Error::undecided(format!("a pair of {count} losses, more than {MOST_ATOMS}")));
    }
    let masses = move |bits| {
        let masses = pair.masses(bits)?;
        if masses.p.len() == count {
            Ok(masses)
        } else {
            Err(Error::Undecided("a mass cannot be told from zero".into()))
        }
    };
    Ok(Arc::new(Atoms::new(name, losses, masses)?))
}

/// The sample of a pair; `None` if there is no factor for it.
fn sampled(pair: &Pair) -> Result<Option<Arc<dyn Factor>>, Error> {
    let Pair::Sample { rate, inner } = pair else { return Ok(None) };
    Ok(match &**inner {
        Pair::Gaussian { mu } => Some(Arc::new(PoissonGaussian::new(rate.clone(), mu.clone())?)),
        Pair::Laplace { shift } => Some(Arc::new(PoissonLaplace::new(rate.clone(), shift.clone())?)),
        _ => None,
    })
}
