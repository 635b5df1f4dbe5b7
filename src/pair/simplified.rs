//! Simplification of products with derived pairs.
//!
//! * A derived pair whose trade-off function is a short polyline is the pair of its pieces ([`List`](super::List)), and
//!   engines for finitely many losses take it.
//! * A product with a mixture of `A_i` with visible index and probabilities `w_i`, run n times, is the mixture of the
//!   products with `A_i` run `n_i` times, with the probabilities `n!/(n_1! n_2! ...) w_1^(n_1) w_2^(n_2) ...`, for all
//!   `n_1 + n_2 + ... = n`. The order of the draws reveals nothing about the data, and products that differ in the
//!   order of their factors are equal pairs.

use rug::Rational;

use super::{Derived, Discrete, Factors, Operator, Pair, Part, Polyline, Product};
use crate::error::Error;
use enclosure::{Budget, Real};

/// The most pieces of a polyline that are listed: constants are evaluated for each of them.
const MOST_PIECES: usize = 64;
/// Largest number of parts of a mixture: each is evaluated separately.
const MOST_PARTS: usize = 64;

impl Product {
    /// The simplified product. A single derived pair that is run once stays, because it has its own engine.
    ///
    /// # Errors
    /// Those of constants that grow too large.
    pub fn simplified(self) -> Result<Self, Error> {
        if self.derived.is_empty() || self.is_one_derived() {
            return Ok(self);
        }
        let mut rest = Product { derived: Vec::new(), ..self.clone() };
        let mut mixtures = Vec::new();
        for (derived, times) in self.derived {
            let pair = Pair::Derived(derived.clone());
            match Polyline::of_pairs([&pair], &Budget::default()).and_then(|[f]| f.list(MOST_PIECES)) {
                Some(list) => rest.sampled.push((Pair::Discrete(Discrete::listed(derived.kind(), list)), times)),
                None if matches!(derived.operator(), Operator::Mixture(_)) => mixtures.push((derived, times)),
                None => rest.derived.push((derived, times)),
            }
        }
        let Some(parts) = draws(&mixtures).filter(|parts| !parts.is_empty()) else {
            rest.derived.extend(mixtures);
            return Ok(rest);
        };
        let others = rest.factors()?;
        let (weights, parts) =
            parts.into_iter().map(|(weight, part)| (weight, [others.clone(), part].concat())).unzip();
        Ok(Product::new([(Derived::of(Operator::Mixture(weights), parts)?, 1)]))
    }

    /// Is it one derived pair, run once?
    fn is_one_derived(&self) -> bool {
        matches!(self.derived.as_slice(), [(_, 1)]) && self.families().len() == 1 && self.failures.is_empty()
    }

    /// The pairs of which it is the product.
    fn factors(self) -> Result<Factors, Error> {
        let mut all = Factors::new();
        for Part { epsilon, delta, times } in self.responses {
            all.push((Pair::Discrete(Discrete::response(epsilon, delta)?), times));
        }
        for (delta, times) in self.failures {
            all.push((Pair::Discrete(Discrete::response(Real::zero(), delta)?), times));
        }
        if !self.mu_squared.is_zero() {
            all.push((Pair::gaussian(self.mu_squared.sqrt()?), 1));
        }
        all.extend(self.laplace.into_iter().map(|(shift, times)| (Pair::laplace(shift), times)));
        for (sigma2, sensitivity, times) in self.discrete_gaussian {
            all.push((Pair::discrete_gaussian(sigma2, sensitivity), times));
        }
        all.extend(self.lattice.into_iter().map(|(pair, times)| (Pair::Discrete(pair), times)));
        all.extend(self.finite.into_iter().map(|(pair, times)| (Pair::finite(pair), times)));
        all.extend(self.sampled);
        all.extend(self.derived.into_iter().map(|(pair, times)| (Pair::Derived(pair), times)));
        Ok(all)
    }
}

/// The possible draws of some mixtures with multiplicities, each with its probability; `None` if there are too many.
fn draws(mixtures: &[(Derived, u64)]) -> Option<Vec<(Real, Factors)>> {
    let mut all = if mixtures.is_empty() { Vec::new() } else { vec![(Real::one(), Factors::new())] };
    for (mixture, times) in mixtures {
        let Operator::Mixture(weights) = mixture.operator() else { return None };
        if usize::try_from(*times).map_or(true, |times| times >= MOST_PARTS) {
            return None;
        }
        // Part by part, with how many draws are left: `n!/(n_1! n_2! ...)` is a product of binomial coefficients.
        let mut open: Vec<(Real, Factors, u64)> =
            all.into_iter().map(|(weight, part)| (weight, part, *times)).collect();
        for (at, (weight, part)) in weights.iter().zip(mixture.parts()).enumerate() {
            let last = at + 1 == weights.len();
            let mut next = Vec::new();
            for (so_far, chosen, left) in open {
                let least = if last { left } else { 0 };
                if usize::try_from(left - least).map_or(true, |more| next.len() + more >= MOST_PARTS) {
                    return None;
                }
                let mut power = so_far;
                for _ in 0..least {
                    power = power.mul(weight).ok()?;
                }
                let mut ways = Rational::from(1);
                for count in least..=left {
                    let draws = part.iter().map(|(pair, inside)| (pair.clone(), inside.saturating_mul(count)));
                    let draws = draws.filter(|(_, count)| *count > 0);
                    let chosen: Factors = chosen.iter().cloned().chain(draws).collect();
                    next.push((power.mul_rational(&ways), chosen, left - count));
                    power = power.mul(weight).ok()?;
                    ways = ways * (left - count) / (count + 1);
                }
            }
            open = next;
        }
        all = open.into_iter().map(|(weight, part, _)| (weight, part)).collect();
    }
    Some(all)
}
