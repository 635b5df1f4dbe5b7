//! The factors of a composition.

use std::sync::Arc;

use rug::Rational;

use super::Quadrature;
use super::factor::{
    Atoms, DiscreteGaussians, Draws, Factor, GaussianFactor, LaplaceFactor, PoissonGaussian, PoissonLaplace,
};
use crate::compose::masses::{FinitePair, Masses};
use crate::compose::parts::Parts;
use crate::compose::{LatticePair, Part};
use crate::error::Error;
use crate::mechanism::{Mechanism, Poisson};
use enclosure::{Number, Real};

type Factors = Vec<(Arc<dyn Factor>, u64)>;

/// A lattice pair of more losses than this is not taken as a list of exponentials.
const MOST_ATOMS: usize = 4096;

impl Quadrature {
    /// The curve of these parts, failures left aside; `None` if some part has no factor here.
    pub(in crate::compose) fn of(parts: &Parts) -> Option<Result<Self, Error>> {
        factors(parts).map(|factors| match factors {
            Ok((factors, symmetric)) => Ok(Quadrature::new(factors, symmetric)),
            Err(error) => Err(error),
        })
    }
}

/// The factors, and whether both directions are the same function.
pub(super) fn factors(parts: &Parts) -> Option<Result<(Factors, bool), Error>> {
    let mut all = Factors::new();
    macro_rules! push {
        ($factor:expr, $times:expr) => {
            match $factor {
                Ok(factor) => all.push((Arc::new(factor), $times)),
                Err(error) => return Some(Err(error)),
            }
        };
    }
    for Part { epsilon, delta, times } in &parts.kov {
        push!(Atoms::approximate_dp(epsilon.clone(), delta.clone()), *times);
    }
    if !parts.mu_squared.is_zero() {
        push!(GaussianFactor::new(parts.mu_squared.clone()), 1);
    }
    for (shift, times) in &parts.laplace {
        push!(LaplaceFactor::new(shift.clone()), *times);
    }
    if !parts.discrete_gaussian.is_empty() {
        let draws = parts.discrete_gaussian.iter().map(|(sigma2, sensitivity, times)| Draws {
            sigma2: sigma2.clone(),
            sensitivity: sensitivity.clone(),
            times: *times,
        });
        all.push((Arc::new(DiscreteGaussians::new(merged(draws))?), 1));
    }
    for (pair, times) in &parts.lattice {
        push!(on_lattice(pair), *times);
    }
    for (p, q, times) in &parts.finite {
        push!(finite(p, q), *times);
    }
    let symmetric = parts.finite.is_empty() && parts.sampled.is_empty();
    for (poisson, times) in &parts.sampled {
        match sampled(poisson)? {
            Ok(factor) => all.push((factor, *times)),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok((all, symmetric)))
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

fn on_lattice(pair: &LatticePair) -> Result<Atoms, Error> {
    let losses = pair.losses(64)?;
    if losses.len() > MOST_ATOMS {
        return Err(Error::undecided(format!("a pair of {} losses, more than {MOST_ATOMS}", losses.len())));
    }
    let unit = pair.unit().clone();
    let places: Vec<Real> = losses.iter().map(|(step, _)| unit.mul_rational(&Rational::from(*step))).collect();
    let count = places.len();
    let pair = pair.clone();
    Atoms::new("staircase or geometric noise", places, move |bits| {
        let p: Vec<Number> = pair.losses(bits)?.into_iter().map(|(_, mass)| mass).collect();
        if p.len() != count {
            return Err(Error::Undecided("a mass cannot be told from zero".into()));
        }
        Ok(Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() })
    })
}

fn finite(p: &[Rational], q: &[Rational]) -> Result<Atoms, Error> {
    let (losses, masses) = FinitePair::new(p, q)?.into_parts();
    Atoms::new("finite pair", losses, move |_| Ok(masses.clone()))
}

/// A mechanism on a Poisson sample; `None` if there is no factor for it.
fn sampled(poisson: &Poisson) -> Option<Result<Arc<dyn Factor>, Error>> {
    let rate = || poisson.rate().clone();
    let gaussian = |mu: Result<Real, Error>| -> Result<Arc<dyn Factor>, Error> {
        Ok(Arc::new(PoissonGaussian::new(rate(), mu?)?))
    };
    let laplace = |loss: Result<Real, Error>| -> Result<Arc<dyn Factor>, Error> {
        Ok(Arc::new(PoissonLaplace::new(rate(), loss?)?))
    };
    match poisson.inner() {
        Mechanism::Gaussian(m) => Some(gaussian(m.sensitivity().div(m.sigma()))),
        Mechanism::Gdp(m) => Some(gaussian(Ok(m.mu().clone()))),
        Mechanism::Laplace(m) => Some(laplace(m.sensitivity().div(m.scale()))),
        _ => None,
    }
}
