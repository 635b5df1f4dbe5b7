//! Normal form of a product of independent pairs, by family.
//!
//! Pairs that reveal nothing are dropped, because they change no curve. A pair that reveals everything with probability
//! delta, and nothing otherwise, is kept apart (Dong, Roth and Su, equation 11: `f_{eps,delta} = f_{eps,0} (x)
//! f_{0,delta}`).

use rug::Rational;

use super::{Derived, Discrete, FinitePair, Law, Operator, Pair};
use crate::error::Error;
use enclosure::{Budget, Need, Real};

/// Approximate memory of one listed mass, in bytes.
const BYTES_OF_A_MASS: u64 = 400;

/// Several runs of an (epsilon, delta)-DP mechanism.
#[derive(Clone, Debug)]
pub struct Part {
    /// The epsilon of each run.
    pub epsilon: Real,
    /// The delta of each run.
    pub delta: Real,
    /// Number of runs.
    pub times: u64,
}

/// The families of pairs that one engine composes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Worst (epsilon, delta) pairs.
    Response,
    /// Gaussian noise.
    Gaussian,
    /// Laplace noise.
    Laplace,
    /// Discrete Gaussian noise.
    DiscreteGaussian,
    /// Finitely many losses on a lattice.
    Lattice,
    /// Finitely many rational masses.
    Finite,
    /// Poisson samples, and shuffled reports.
    Sampled,
    /// Results of operators on curves.
    Derived,
}

/// A product of pairs in order.
#[derive(Clone, Debug, Default)]
pub struct Product {
    /// The worst (epsilon, delta) pairs, failures included where no noise without a lattice is beside them.
    pub responses: Vec<Part>,
    /// `(delta, times)` of the pairs that do nothing but fail.
    pub failures: Vec<(Real, u64)>,
    /// The squares of all mu, summed.
    pub mu_squared: Real,
    /// Shifts of Laplace noise, each once.
    pub laplace: Vec<(Real, u64)>,
    /// `(sigma2, sensitivity, times)`.
    pub discrete_gaussian: Vec<(Rational, u64, u64)>,
    /// Symmetric lattices.
    pub lattice: Vec<(Discrete, u64)>,
    /// Rational masses.
    pub finite: Vec<(FinitePair, u64)>,
    /// Poisson samples without a simpler form, and shuffled reports.
    pub sampled: Vec<(Pair, u64)>,
    /// Results of operators without a simpler form.
    pub derived: Vec<(Derived, u64)>,
}

impl Product {
    /// The normal form of these pairs with multiplicities.
    ///
    /// It lists no losses; see [`affordable`](Self::affordable).
    pub fn new(pairs: impl IntoIterator<Item = (Pair, u64)>) -> Self {
        let mut product = Product::default();
        for (pair, times) in pairs {
            product.add(pair, times);
        }
        // Pure failures have epsilon = 0: the engine for (epsilon, delta) mechanisms takes them as they are.
        let continuous = !product.mu_squared.is_zero() || !product.laplace.is_empty() || !product.sampled.is_empty();
        if !continuous && product.derived.is_empty() && product.discrete_gaussian.is_empty() {
            let failures = std::mem::take(&mut product.failures).into_iter();
            let parts = failures.map(|(delta, times)| Part { epsilon: Real::zero(), delta, times });
            product.responses.extend(parts);
        }
        product
    }

    /// Check that the listed masses fit into memory, approximately.
    ///
    /// # Errors
    /// [`Error::Undecided`] for lattices that are too long, or take more memory than the budget has.
    pub fn affordable(&self, budget: &Budget) -> Result<(), Error> {
        let mut count = 0_u64;
        for (pair, _) in &self.lattice {
            pair.check_length()?;
            count = count.saturating_add(pair.places());
        }
        budget.afford(&Need {
            what: "different privacy losses",
            count,
            most: u64::MAX,
            bytes: count.saturating_mul(BYTES_OF_A_MASS),
            relax: "try a smaller sensitivity",
        })
    }

    /// The product the other way round, without what fails outright, if all that operators made of curves here are
    /// inverses: then it is made of what is inside of them.
    pub fn turned(&self) -> Option<Self> {
        let inverse = |(pair, _): &(Derived, u64)| matches!(pair.operator(), Operator::Inverse);
        if self.derived.is_empty() || !self.derived.iter().all(inverse) || !self.sampled.is_empty() {
            return None;
        }
        let finite = self.finite.iter().map(|(pair, times)| (pair.swapped(), *times)).collect();
        let mut turned = Product { derived: Vec::new(), failures: Vec::new(), finite, ..self.clone() };
        for (derived, times) in &self.derived {
            for (pair, count) in derived.parts().iter().flatten() {
                turned.add(pair.clone(), count.saturating_mul(*times));
            }
        }
        Some(turned)
    }

    fn add(&mut self, pair: Pair, times: u64) {
        match pair {
            Pair::Equal => {}
            Pair::Gaussian { mu } => {
                self.mu_squared = self.mu_squared.add(&mu.square().mul_rational(&Rational::from(times)));
            }
            Pair::Laplace { shift } => match self.laplace.iter_mut().find(|(known, _)| *known == shift) {
                Some((_, count)) => *count = count.saturating_add(times),
                None => self.laplace.push((shift, times)),
            },
            Pair::DiscreteGaussian { sigma2, sensitivity } => self.discrete_gaussian.push((sigma2, sensitivity, times)),
            Pair::Sample { .. } | Pair::Shuffled(_) => self.sampled.push((pair, times)),
            Pair::Derived(derived) => self.derived.push((derived, times)),
            Pair::Several(factors) => {
                for (pair, count) in factors {
                    self.add(pair, count.saturating_mul(times));
                }
            }
            Pair::Discrete(pair) => match pair.law() {
                Law::Response { epsilon, delta } if epsilon.is_zero() => self.failures.push((delta.clone(), times)),
                Law::Response { epsilon, delta } => {
                    self.responses.push(Part { epsilon: epsilon.clone(), delta: delta.clone(), times });
                }
                Law::SymmetricLattice { .. } => self.lattice.push((pair, times)),
                Law::Rational(pair) => self.finite.push((pair.clone(), times)),
                Law::Sample { .. } | Law::Listed(_) => self.sampled.push((Pair::Discrete(pair), times)),
            },
        }
    }

    /// The pairs with finitely many losses, with multiplicities: in the order of the families, samples last.
    ///
    /// # Errors
    /// Those of the pairs.
    pub fn discrete(&self) -> Result<Vec<(Discrete, u64)>, Error> {
        let mut all = Vec::new();
        for Part { epsilon, delta, times } in &self.responses {
            all.push((Discrete::response(epsilon.clone(), delta.clone())?, *times));
        }
        all.extend(self.lattice.iter().cloned());
        all.extend(self.finite.iter().map(|(pair, times)| (Discrete::rational(pair.clone()), *times)));
        all.extend(self.sampled.iter().filter_map(|(pair, times)| match pair {
            Pair::Discrete(pair) => Some((pair.clone(), *times)),
            _ => None,
        }));
        Ok(all)
    }

    /// The families of the product, in the order of messages.
    pub fn families(&self) -> Vec<Family> {
        [
            (!self.responses.is_empty(), Family::Response),
            (!self.mu_squared.is_zero(), Family::Gaussian),
            (!self.laplace.is_empty(), Family::Laplace),
            (!self.discrete_gaussian.is_empty(), Family::DiscreteGaussian),
            (!self.lattice.is_empty(), Family::Lattice),
            (!self.finite.is_empty(), Family::Finite),
            (!self.sampled.is_empty(), Family::Sampled),
            (!self.derived.is_empty(), Family::Derived),
        ]
        .into_iter()
        .filter_map(|(present, family)| present.then_some(family))
        .collect()
    }

    /// The names of the families, for messages.
    pub fn names(&self) -> String {
        let mut kinds: Vec<&str> = Vec::new();
        for family in self.families() {
            match family {
                Family::Response => kinds.push("(epsilon, delta) mechanism"),
                Family::Gaussian => kinds.push("Gaussian mechanism"),
                Family::Laplace => kinds.push("Laplace mechanism"),
                Family::DiscreteGaussian => kinds.push("discrete Gaussian mechanism"),
                Family::Lattice => kinds.extend(self.lattice.iter().map(|(pair, _)| pair.kind())),
                Family::Finite => kinds.push("finite pair"),
                Family::Sampled => kinds.extend(self.sampled.iter().map(|(pair, _)| match pair {
                    Pair::Shuffled(_) => "shuffled mechanism",
                    _ => "subsampled mechanism",
                })),
                Family::Derived => kinds.extend(self.derived.iter().map(|(pair, _)| pair.kind())),
            }
        }
        let mut names: Vec<String> = Vec::new();
        for kind in kinds {
            let plural = format!("{kind}s");
            if !names.contains(&plural) {
                names.push(plural);
            }
        }
        if names.is_empty() { "no mechanisms that leak".to_string() } else { names.join(" and ") }
    }
}
