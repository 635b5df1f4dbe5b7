//! The laws of a product of pairs.

use super::{ByProfile, Commensurable, Counts, Finite, Gaussian, Grid, Laplace, LossLaw, Poisson};
use crate::compose::LatticePair;
use crate::compose::choose::Refusal;
use crate::compose::derived;
use crate::pair::{Discrete, Factors, Law, Operator, Pair, Part, Product};

type Laws = Vec<(Box<dyn LossLaw>, u64)>;

impl Grid {
    /// The curve of this product, failures left aside.
    pub(in crate::compose) fn of(product: &Product) -> Result<Self, Refusal> {
        let grid = Grid::new(laws(product)?)?;
        // Each of them, or all of them together.
        Ok(Grid { symmetric: grid.symmetric || product.symmetric(), ..grid })
    }
}

fn laws(product: &Product) -> Result<Laws, Refusal> {
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
    for (pair, times) in &product.derived {
        all.push((by_profile(&Pair::Derived(pair.clone()))?, *times));
    }
    if all.is_empty() { Err(Refusal::OtherKind) } else { Ok(all) }
}

/// Is nothing known of its losses but the profile, nor of those that it is a sample of?
pub(in crate::compose) fn is_by_profile(pair: &Pair) -> bool {
    let listed = |pair: &Pair| match pair {
        Pair::Shuffled(pair) => pair.is_countable(LISTED),
        Pair::Laplace { .. } | Pair::Gaussian { .. } | Pair::DiscreteGaussian { .. } => true,
        _ => false,
    };
    match pair {
        Pair::Discrete(_) => false,
        Pair::Sample { inner, .. } => !listed(inner),
        pair => !listed(pair),
    }
}

fn sampled(pair: &Pair) -> Result<Box<dyn LossLaw>, Refusal> {
    if is_by_profile(pair) {
        return by_profile(pair);
    }
    let (rate, inner) = match pair {
        Pair::Discrete(sample) => return Ok(Box::new(Finite(sample.clone()))),
        Pair::Sample { rate, inner } => (rate.clone(), &**inner),
        Pair::Shuffled(pair) => return Ok(Box::new(Counts::new(pair.clone()))),
        _ => return Err(Refusal::OtherKind),
    };
    Ok(match inner {
        Pair::Laplace { shift } => Box::new(Poisson::new(rate, Laplace::new(shift.clone())?)?),
        Pair::Gaussian { mu } => Box::new(Poisson::new(rate, Gaussian::new(mu.square())?)?),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let inner = Commensurable::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?;
            Box::new(Poisson::new(rate, inner)?)
        }
        Pair::Shuffled(pair) => Box::new(Poisson::new(rate, Counts::new(pair.clone()))?),
        _ => return Err(Refusal::OtherKind),
    })
}

/// Bits to which the counts of shuffled reports have to be few enough for a list.
const LISTED: u32 = 128;

/// Points of a profile that is a formula, through formulas.
const FORMULA: u32 = 1 << 16;
/// Points of one that is sought, or a sum.
const SOUGHT: u32 = 1 << 10;

/// A pair by its own profile, through the curves of what is inside.
fn by_profile(pair: &Pair) -> Result<Box<dyn LossLaw>, Refusal> {
    let (name, most) = match pair {
        Pair::Derived(derived) => (derived.kind(), if closed(pair) { FORMULA } else { SOUGHT }),
        Pair::Shuffled(_) => ("shuffled mechanism", SOUGHT),
        _ => ("subsampled mechanism", if closed(pair) { FORMULA } else { SOUGHT }),
    };
    Ok(Box::new(ByProfile::new(format!("one {name}"), derived::by_itself(pair)?, pair.ends()?, most)))
}

/// Is a profile of these known by itself alone, and sought: a greatest value, or a long sum, point by point?
pub(in crate::compose) fn is_sought(product: &Product) -> bool {
    let derived = product.derived.iter().map(|(pair, _)| Pair::Derived(pair.clone()));
    product
        .sampled
        .iter()
        .map(|(pair, _)| pair.clone())
        .chain(derived)
        .any(|pair| is_by_profile(&pair) && !closed(&pair))
}

/// Is a value of the profile a few values of special functions?
fn closed(pair: &Pair) -> bool {
    let one = |factors: &Factors| match factors.as_slice() {
        [] => true,
        [(pair, 1)] => closed(pair),
        factors => factors.iter().all(|(pair, _)| matches!(pair, Pair::Gaussian { .. })),
    };
    match pair {
        Pair::Equal | Pair::Gaussian { .. } | Pair::Laplace { .. } => true,
        Pair::Discrete(pair) => matches!(pair.law(), Law::Response { .. }),
        Pair::Sample { inner, .. } => closed(inner),
        Pair::Several(factors) => one(factors),
        Pair::Derived(derived) => {
            !matches!(derived.operator(), Operator::Group(_) | Operator::Larger) && derived.parts().iter().all(one)
        }
        Pair::DiscreteGaussian { .. } | Pair::Shuffled(_) => false,
    }
}
