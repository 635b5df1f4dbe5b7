//! A composition in order: what leaks, by family.
//!
//! What leaks nothing is dropped, for it changes no curve. The part of an approx-dp mechanism that fails outright with
//! probability delta is kept apart from what has an epsilon (Dong, Roth and Su, equation 11:
//! `f_{eps,delta} = f_{eps,0} (x) f_{0,delta}`).

use rug::{Integer, Rational};

use super::subsampled::{self, Form};
use super::{LatticePair, Part};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Poisson};
/// The memory that one listed mass takes, about.
const BYTES_OF_A_MASS: u64 = 400;
use enclosure::{Budget, Real, Work};

/// More lattice points than this are not taken on.
const LONGEST_LATTICE: u64 = 1 << 20;

/// The families of mechanisms that one engine composes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Kov,
    Gaussian,
    Laplace,
    DiscreteGaussian,
    Lattice,
    Finite,
    Sampled,
}

impl Family {
    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Kov => "(epsilon, delta) mechanisms",
            Family::Gaussian => "Gaussian mechanisms",
            Family::Laplace => "Laplace mechanisms",
            Family::DiscreteGaussian => "discrete Gaussian mechanisms",
            Family::Lattice => "staircase or geometric mechanisms",
            Family::Finite => "finite pairs",
            Family::Sampled => "subsampled mechanisms",
        }
    }
}

/// A composition in order: what leaks, by family.
#[derive(Default)]
pub(super) struct Parts {
    /// The (epsilon, delta) mechanisms, failures included.
    pub(super) kov: Vec<Part>,
    /// `(delta, times)` of the mechanisms that do nothing but fail.
    pub(super) failures: Vec<(Real, u64)>,
    /// The squares of all mu, summed.
    pub(super) mu_squared: Real,
    pub(super) laplace: Vec<(Real, u64)>,
    pub(super) discrete_gaussian: Vec<(Rational, Integer, u64)>,
    pub(super) lattice: Vec<(LatticePair, u64)>,
    pub(super) finite: Vec<(Vec<Rational>, Vec<Rational>, u64)>,
    pub(super) sampled: Vec<(Poisson, u64)>,
}

impl Parts {
    pub(super) fn of(composition: &Composition) -> Result<Self, Error> {
        let mut parts = Parts::default();
        for (mechanism, times) in composition.factors() {
            parts.add(mechanism, *times)?;
        }
        // Pure failures have epsilon = 0: the engine for (epsilon, delta) mechanisms takes them as they are.
        let continuous = !parts.mu_squared.is_zero() || !parts.laplace.is_empty() || !parts.sampled.is_empty();
        if !continuous && parts.discrete_gaussian.is_empty() {
            let failures = std::mem::take(&mut parts.failures);
            parts.kov.extend(failures.into_iter().map(|(delta, times)| Part { epsilon: Real::zero(), delta, times }));
        }
        Ok(parts)
    }

    /// Is there room for the masses of all that is listed? About: a mass, its two ends and what is made of it.
    pub(super) fn affordable(&self, budget: &Budget) -> Result<(), Error> {
        let count = self.lattice.iter().fold(0_u64, |sum, (pair, _)| sum.saturating_add(pair.places()));
        budget.afford(&Work {
            what: "different losses",
            count,
            most: u64::MAX,
            bytes: count.saturating_mul(BYTES_OF_A_MASS),
            relax: "a smaller sensitivity would do",
        })
    }

    fn add(&mut self, mechanism: &Mechanism, times: u64) -> Result<(), Error> {
        match mechanism {
            Mechanism::ApproxDp(m) if m.epsilon().is_zero() => {
                if !m.delta().is_zero() {
                    self.failures.push((m.delta().clone(), times));
                }
            }
            Mechanism::ApproxDp(m) => {
                self.kov.push(Part { epsilon: m.epsilon().clone(), delta: m.delta().clone(), times });
            }
            Mechanism::RandomizedResponse(m) => self.pure(m.epsilon(), times),
            Mechanism::Geometric(m) => match m.sensitivity() {
                0 => {}
                // Kairouz, Oh and Viswanath, section 4.4: at sensitivity 1 the curve is that of randomised response.
                1 => self.pure(m.epsilon(), times),
                sensitivity => {
                    if !m.epsilon().is_zero() {
                        let sensitivity = short(sensitivity, times)?;
                        self.lattice.push((LatticePair::geometric(m.epsilon().clone(), sensitivity)?, times));
                    }
                }
            },
            Mechanism::Staircase(m) => {
                if m.sensitivity() > 0 {
                    let sensitivity = short(m.sensitivity(), times)?;
                    let pair = LatticePair::staircase(m.epsilon().clone(), m.gamma().clone(), sensitivity)?;
                    self.lattice.push((pair, times));
                }
            }
            Mechanism::Gaussian(m) => {
                let mu = m.sensitivity().div(m.sigma())?;
                self.gaussian(&mu, times);
            }
            Mechanism::Gdp(m) => self.gaussian(m.mu(), times),
            Mechanism::Laplace(m) => {
                let shift = m.sensitivity().div(m.scale())?;
                if !shift.is_zero() {
                    match self.laplace.iter_mut().find(|(known, _)| *known == shift) {
                        Some((_, count)) => *count = count.saturating_add(times),
                        None => self.laplace.push((shift, times)),
                    }
                }
            }
            Mechanism::DiscreteGaussian(m) => {
                if m.sensitivity() > 0 {
                    let sensitivity = Integer::from(m.sensitivity());
                    self.discrete_gaussian.push((m.sigma2().clone(), sensitivity, times));
                }
            }
            Mechanism::Finite(m) => {
                if m.p() != m.q() {
                    self.finite.push((m.p().to_vec(), m.q().to_vec(), times));
                }
            }
            Mechanism::Poisson(m) => match subsampled::reduce(m)? {
                Form::Nothing => {}
                Form::Unsampled(inner) => self.add(&inner, times)?,
                Form::Finite(pair) => self.finite.push((pair.p().to_vec(), pair.q().to_vec(), times)),
                Form::Sampled => self.sampled.push((m.clone(), times)),
            },
        }
        Ok(())
    }

    fn pure(&mut self, epsilon: &Real, times: u64) {
        if !epsilon.is_zero() {
            self.kov.push(Part { epsilon: epsilon.clone(), delta: Real::zero(), times });
        }
    }

    fn gaussian(&mut self, mu: &Real, times: u64) {
        self.mu_squared = self.mu_squared.add(&mu.square().mul_rational(&Rational::from(times)));
    }

    pub(super) fn families(&self) -> Vec<Family> {
        [
            (!self.kov.is_empty(), Family::Kov),
            (!self.mu_squared.is_zero(), Family::Gaussian),
            (!self.laplace.is_empty(), Family::Laplace),
            (!self.discrete_gaussian.is_empty(), Family::DiscreteGaussian),
            (!self.lattice.is_empty(), Family::Lattice),
            (!self.finite.is_empty(), Family::Finite),
            (!self.sampled.is_empty(), Family::Sampled),
        ]
        .into_iter()
        .filter_map(|(present, family)| present.then_some(family))
        .collect()
    }
}

/// A sensitivity whose lattice of losses fits in memory, as a composition that is run `times` times.
fn short(sensitivity: u64, times: u64) -> Result<u32, Error> {
    match u32::try_from(sensitivity) {
        Ok(short) if sensitivity.saturating_mul(times) <= LONGEST_LATTICE => Ok(short),
        _ => Err(Error::undecided(format!(
            "a sensitivity of {sensitivity}, {times} times, takes more than {LONGEST_LATTICE} different losses"
        ))),
    }
}
