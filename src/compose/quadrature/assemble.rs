//! The factors of a product of pairs.

use std::sync::Arc;

use super::Quadrature;
use super::factor::{
    Atoms, DiscreteGaussians, Draws, Factor, GaussianFactor, Half, LaplaceFactor, Mirrored, PoissonDiscreteGaussian,
    PoissonGaussian, PoissonLaplace, StepNoise,
};
use crate::compose::choose::Refusal;
use crate::error::Error;
use crate::pair::{Derived, Discrete, Law, Pair, Part, Product};
use enclosure::Real;

pub(in crate::compose) type Factors = Vec<(Arc<dyn Factor>, u64)>;

/// A lattice pair, or a sample, of more losses than this is not taken as a list of exponentials.
const MOST_ATOMS: usize = 4096;
/// And geometric or staircase noise of more losses than this is not where few nodes are needed.
const FEW_ATOMS: usize = 256;

impl Quadrature {
    /// The curve of this product, failures left aside.
    pub(in crate::compose) fn of(product: &Product) -> Result<Self, Refusal> {
        Ok(Quadrature::new(factors(product)?, product.symmetric()))
    }
}

/// The factors, of pairs that have one.
pub(in crate::compose) fn factors(product: &Product) -> Result<Factors, Refusal> {
    if product.derived.iter().any(|(pair, _)| half(pair).is_none()) {
        return Err(Refusal::OtherKind);
    }
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
        let factor = DiscreteGaussians::new(merged(draws)).ok_or(Refusal::OtherKind)?;
        all.push((Arc::new(factor), 1));
    }
    let listed = if decays(product) { FEW_ATOMS } else { MOST_ATOMS };
    for (pair, times) in &product.lattice {
        all.push((steps(pair, listed).map_or_else(|| atoms(pair.clone()), Ok)?, *times));
    }
    for (pair, times) in &product.finite {
        all.push((atoms(Discrete::rational(pair.clone()))?, *times));
    }
    for (pair, times) in &product.sampled {
        all.push((sampled(pair)?, *times));
    }
    for (pair, times) in &product.derived {
        let (half, rate, noise) = half(pair).ok_or(Refusal::OtherKind)?;
        let factor = Mirrored::new(&rate, &noise, half, *times)?.ok_or(Refusal::OtherKind)?;
        all.push((Arc::new(factor), *times));
    }
    Ok(all)
}

/// The half of a sample, its rate and its noise, if it is one of two that are mirror images.
fn half(pair: &Derived) -> Option<(Half, Real, Pair)> {
    let right = pair.folded().map(|(rate, noise)| (Half::Right, rate, noise));
    right.or_else(|| pair.larger_of_a_sample().map(|(rate, noise)| (Half::Left, rate, noise)))
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

/// Is there Gaussian noise, beside which few nodes are needed?
fn decays(product: &Product) -> bool {
    let gaussian = |pair: &Pair| matches!(pair, Pair::Sample { inner, .. } if matches!(**inner, Pair::Gaussian { .. }));
    !product.mu_squared.is_zero() || product.sampled.iter().any(|(pair, _)| gaussian(pair))
}

/// Geometric or staircase noise of more losses than are listed.
fn steps(pair: &Discrete, listed: usize) -> Option<Arc<dyn Factor>> {
    let Law::SymmetricLattice { unit, largest, noise, .. } = pair.law() else { return None };
    if usize::try_from(*largest).is_ok_and(|largest| largest < listed / 2) {
        return None;
    }
    Some(Arc::new(StepNoise::new(unit, *largest, noise)?))
}

/// Finitely many losses as exponentials.
fn atoms(pair: Discrete) -> Result<Arc<dyn Factor>, Error> {
    let (name, losses) = (pair.kind(), pair.losses()?);
    let count = losses.len();
    if matches!(pair.law(), Law::SymmetricLattice { .. } | Law::Sample { .. }) && count > MOST_ATOMS {
        return Err(Error::undecided(format!(
            "a pair has {count} privacy losses, more than the limit of {MOST_ATOMS}"
        )));
    }
    let masses = move |bits| {
        let masses = pair.masses(bits)?;
        if masses.p.len() == count {
            Ok(masses)
        } else {
            Err(Error::Undecided("cannot separate a mass from zero".into()))
        }
    };
    Ok(Arc::new(Atoms::new(name, losses, masses)?))
}

/// The sample of a pair.
fn sampled(pair: &Pair) -> Result<Arc<dyn Factor>, Refusal> {
    let (rate, inner) = match pair {
        Pair::Sample { rate, inner } => (rate, inner),
        Pair::Discrete(pair) => return Ok(atoms(pair.clone())?),
        _ => return Err(Refusal::OtherKind),
    };
    Ok(match &**inner {
        Pair::Gaussian { mu } => Arc::new(PoissonGaussian::new(rate.clone(), mu.clone())?),
        Pair::Laplace { shift } => Arc::new(PoissonLaplace::new(rate.clone(), shift.clone())?),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            Arc::new(PoissonDiscreteGaussian::new(rate.clone(), sigma2.clone(), *sensitivity)?)
        }
        _ => return Err(Refusal::OtherKind),
    })
}
