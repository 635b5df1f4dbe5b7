//! Structural test for symmetric pairs: is `f = f^-1`?
//!
//! Noise that looks the same from both sides is symmetric, and so is a product of symmetric pairs. A product is
//! symmetric as a whole wherever it has each of its pairs as often as the inverse of it: with `P = P_1 x P_2 x ...` and
//! `Q` likewise, `(Q, P)` is the product of the inverses, which are the same pairs in another order, and the order of
//! independent pairs changes no test. So `M * inverse(M)` is, whatever M is. A mixture of parts with the weights `w_i`
//! has the inverses of its parts with the same weights for its inverse; parts with one trade-off function may be
//! merged, because profiles are added with their weights. So it is symmetric wherever each part has the weight of its
//! inverse. An inverse or a group of what is symmetric is: `1 - (1-f^-1)^(o k)` is the inverse of
//! `1 - (1-f)^(o k)`. Paper proof: `proofs/paper/operators.md`, symmetry.
//!
//! Two pairs are the same here where they have the same structure with the same constants. Equal pairs
//! with different structures are not recognised, and then the pair counts as asymmetric.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Derived, Factors, FinitePair, Law, Noise, Operator, Pair, Product, TradeOff};
use enclosure::Real;

impl Pair {
    /// Is it known to be its own mirror image: is `f = f^-1`?
    pub fn symmetric(&self) -> bool {
        match self {
            Pair::Equal
            | Pair::Gaussian { .. }
            | Pair::Laplace { .. }
            | Pair::DiscreteGaussian { .. }
            | Pair::Shuffled(_) => true,
            Pair::Discrete(pair) => match pair.law() {
                Law::Rational(pair) => TradeOff::from_pair(pair).is_symmetric(),
                _ => pair.symmetric(),
            },
            Pair::Sample { .. } => false,
            Pair::Derived(derived) => derived.symmetric(),
            Pair::Several(factors) => symmetric(factors),
        }
    }
}

impl Derived {
    /// Is it certainly its own mirror image?
    pub fn symmetric(&self) -> bool {
        match self.operator() {
            Operator::Larger | Operator::Hull | Operator::Subsample(_) => true,
            Operator::Inverse | Operator::Group(_) => self.parts().iter().all(|part| symmetric(part)),
            Operator::Mixture(weights) => self.parts().iter().all(|part| {
                symmetric(part)
                    || inverse(part).is_some_and(|inverse| {
                        same_weight(weight(weights, self.parts(), part), weight(weights, self.parts(), &inverse))
                    })
            }),
        }
    }
}

impl Product {
    /// Are both directions certainly the same?
    pub fn symmetric(&self) -> bool {
        // All that is nowhere here is symmetric pair by pair.
        let finite = self.finite.iter().map(|(pair, times)| (Pair::finite(pair.clone()), *times));
        let derived = self.derived.iter().map(|(pair, times)| (Pair::Derived(pair.clone()), *times));
        symmetric(&self.sampled.iter().cloned().chain(derived).chain(finite).collect::<Factors>())
    }
}

/// Is the product of these pairs with multiplicities known to be its own mirror image?
pub fn symmetric(factors: &[(Pair, u64)]) -> bool {
    factors.iter().all(|(pair, _)| {
        pair.symmetric() || pair.clone().inverse().is_ok_and(|inverse| times(factors, pair) == times(factors, &inverse))
    })
}

/// How often a pair is among these.
fn times(factors: &[(Pair, u64)], pair: &Pair) -> u128 {
    factors.iter().filter(|(other, _)| same(other, pair)).map(|(_, times)| u128::from(*times)).sum()
}

/// All of these pairs, each the other way round.
fn inverse(factors: &Factors) -> Option<Factors> {
    Pair::several(factors.clone()).inverse().map(Pair::into_factors).ok()
}

/// With which weight such a part is in a mixture.
fn weight(weights: &[Real], parts: &[Factors], part: &Factors) -> Real {
    let own = weights.iter().zip(parts).filter(|(_, other)| same_factors(other, part));
    own.fold(Real::zero(), |sum, (weight, _)| sum.add(weight))
}

fn same_weight(a: Real, b: Real) -> bool {
    a.compare(&b) == Some(Ordering::Equal)
}

/// The same pairs, each as often: as many in all, and each of the first ones as often in both.
fn same_factors(a: &Factors, b: &Factors) -> bool {
    let all = |factors: &Factors| factors.iter().map(|(_, times)| u128::from(*times)).sum::<u128>();
    all(a) == all(b) && a.iter().all(|(pair, _)| times(a, pair) == times(b, pair))
}

/// Are these seen to be one pair?
fn same(a: &Pair, b: &Pair) -> bool {
    match (a, b) {
        (Pair::Equal, Pair::Equal) => true,
        (Pair::Gaussian { mu: a }, Pair::Gaussian { mu: b })
        | (Pair::Laplace { shift: a }, Pair::Laplace { shift: b }) => a == b,
        (
            Pair::DiscreteGaussian { sigma2: a, sensitivity: one },
            Pair::DiscreteGaussian { sigma2: b, sensitivity: other },
        ) => a == b && one == other,
        (Pair::Shuffled(a), Pair::Shuffled(b)) => a == b,
        (Pair::Discrete(a), Pair::Discrete(b)) => same_law(a.law(), b.law()),
        (Pair::Sample { rate: a, inner: one }, Pair::Sample { rate: b, inner: other }) => a == b && same(one, other),
        (Pair::Derived(a), Pair::Derived(b)) => same_derived(a, b),
        (Pair::Several(a), Pair::Several(b)) => same_factors(a, b),
        _ => false,
    }
}

fn same_law(a: &Law, b: &Law) -> bool {
    match (a, b) {
        (Law::Response { epsilon: a, delta: one }, Law::Response { epsilon: b, delta: other }) => {
            a == b && one == other
        }
        (
            Law::SymmetricLattice { unit: a, largest: one, noise, masses, .. },
            Law::SymmetricLattice { unit: b, largest: other, noise: noise2, masses: masses2, .. },
        ) => a == b && one == other && (Arc::ptr_eq(masses, masses2) || same_noise(noise, noise2)),
        (Law::Rational(a), Law::Rational(b)) => {
            let sorted = |pair: &FinitePair| {
                let mut outcomes: Vec<_> = pair.outcomes().map(|(p, q)| (p.clone(), q.clone())).collect();
                outcomes.sort();
                outcomes
            };
            a == b || a.p().len() == b.p().len() && sorted(a) == sorted(b)
        }
        (Law::Sample { rate: a, inner: one }, Law::Sample { rate: b, inner: other }) => {
            a == b && same_law(one.law(), other.law())
        }
        (Law::Listed(a), Law::Listed(b)) => Arc::ptr_eq(a, b) || a == b,
        _ => false,
    }
}

/// Noise that is more than its list has one list where unit and largest loss are the same.
fn same_noise(a: &Noise, b: &Noise) -> bool {
    match (a, b) {
        (Noise::Geometric, Noise::Geometric) => true,
        (Noise::Staircase { gamma: a, narrow: one }, Noise::Staircase { gamma: b, narrow: other }) => {
            a == b && one == other
        }
        (
            Noise::Share { rate: a, epsilon: b, delta: c, gamma: d },
            Noise::Share { rate: e, epsilon: f, delta: g, gamma: h },
        ) => (a, b, c, d) == (e, f, g, h),
        _ => false,
    }
}

fn same_derived(a: &Derived, b: &Derived) -> bool {
    let of_one = || match (a.parts(), b.parts()) {
        ([a], [b]) => same_factors(a, b),
        _ => false,
    };
    match (a.operator(), b.operator()) {
        (Operator::Inverse, Operator::Inverse)
        | (Operator::Larger, Operator::Larger)
        | (Operator::Hull, Operator::Hull) => of_one(),
        (Operator::Group(a), Operator::Group(b)) => a == b && of_one(),
        (Operator::Subsample(a), Operator::Subsample(b)) => a == b && of_one(),
        // The weights of either sum to 1, so that those of all parts of the one are all that there is in the other.
        (Operator::Mixture(own), Operator::Mixture(others)) => {
            a.parts().iter().all(|part| same_weight(weight(own, a.parts(), part), weight(others, b.parts(), part)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
