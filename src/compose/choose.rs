//! Which engine for which composition. One place: a new engine is one more arm here; [`Method`] names the kinds of
//! engines, and each arm says to which kind it belongs.
//!
//! A composition is first put in order. What leaks nothing is dropped, for it changes no curve. The part of an
//! approx-dp mechanism that fails outright with probability delta is split off (Dong, Roth and Su, equation 11:
//! `f_{eps,delta} = f_{eps,0} (x) f_{0,delta}`) whenever an engine has no room for it, and put back by [`WithFailure`].

use rug::{Integer, Rational};

use super::atoms::{self, Atoms};
use super::heterogeneous::common_unit;
use super::{DiscreteGaussian, Gaussian, Heterogeneous, Laplace, Lattice, LatticePair, Method, Part, WithFailure};
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::number::{Budget, Real};

/// The curve of a composition, by the engine that computes it exactly, or by an engine of the kind that is asked for.
///
/// # Errors
/// [`Error::Undecided`] when no engine (of this kind) composes these mechanisms with each other within the budget; the
/// reason names them and says what would help.
pub fn curve(composition: &Composition, method: Method, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    use Method::{Auto, ClosedForm, Grid, Quadrature};
    let parts = Parts::of(composition)?;
    match (method, parts.families().as_slice()) {
        (Auto, [] | [Family::Kov]) => Ok(Box::new(Heterogeneous::new(&parts.kov, budget)?)),
        (ClosedForm, [] | [Family::Kov]) => Ok(Box::new(Heterogeneous::by_formula(&parts.kov, budget)?)),
        (Auto | ClosedForm, [Family::Gaussian]) => {
            with_failure(Box::new(Gaussian::new(parts.mu_squared)?), &parts.failures)
        }
        (Auto | ClosedForm, [Family::Laplace]) if parts.laplace.len() == 1 => {
            let (shift, times) = parts.laplace[0].clone();
            with_failure(Box::new(Laplace::new(shift, times)?), &parts.failures)
        }
        (Auto | Quadrature, [Family::DiscreteGaussian]) if parts.discrete_gaussian.len() == 1 => {
            let (sigma2, sensitivity, times) = parts.discrete_gaussian[0].clone();
            with_failure(Box::new(DiscreteGaussian::new(sigma2, sensitivity, times)?), &parts.failures)
        }
        (Auto, [Family::Lattice] | [Family::Kov, Family::Lattice])
        | (Method::Lattice, [] | [Family::Kov] | [Family::Lattice] | [Family::Kov, Family::Lattice]) => lattice(&parts),
        (Auto | Method::Lattice, [Family::Finite] | [Family::Kov, Family::Finite]) => finite(&parts, budget),
        (Auto, [family]) => Err(Error::Undecided(format!(
            "no exact engine here composes {} of different noise levels; ask for one level at a time",
            family.name()
        ))),
        (Auto, families) => Err(Error::Undecided(format!(
            "no exact engine here composes {} with each other; ask for one family at a time",
            names(families)
        ))),
        (ClosedForm, families) => Err(ClosedForm.refuses(
            "Gaussian mechanisms alone, Laplace mechanisms of one scale alone, or (epsilon, delta) mechanisms alone",
            &names(families),
        )),
        (Method::Lattice, families) => Err(Method::Lattice.refuses(
            "staircase or geometric mechanisms, or finite pairs, alone or with (epsilon, delta) mechanisms",
            &names(families),
        )),
        (Quadrature, families) => Err(Quadrature.refuses("discrete Gaussian mechanisms of one kind", &names(families))),
        (Grid, families) => Err(Grid.refuses("mechanisms that it knows how to round", &names(families))),
    }
}

/// More lattice points than this are not taken on.
const LONGEST_LATTICE: u64 = 1 << 20;

/// The families of mechanisms that one engine composes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Kov,
    Gaussian,
    Laplace,
    DiscreteGaussian,
    Lattice,
    Finite,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Kov => "(epsilon, delta) mechanisms",
            Family::Gaussian => "Gaussian mechanisms",
            Family::Laplace => "Laplace mechanisms",
            Family::DiscreteGaussian => "discrete Gaussian mechanisms",
            Family::Lattice => "staircase or geometric mechanisms",
            Family::Finite => "finite pairs",
        }
    }
}

/// A composition in order: what leaks, by family.
#[derive(Default)]
struct Parts {
    /// The (epsilon, delta) mechanisms, failures included.
    kov: Vec<Part>,
    /// `(delta, times)` of the mechanisms that do nothing but fail.
    failures: Vec<(Real, u64)>,
    /// The squares of all mu, summed.
    mu_squared: Real,
    laplace: Vec<(Real, u64)>,
    discrete_gaussian: Vec<(Rational, Integer, u64)>,
    lattice: Vec<(LatticePair, u64)>,
    finite: Vec<(Vec<Rational>, Vec<Rational>, u64)>,
}

impl Parts {
    fn of(composition: &Composition) -> Result<Self, Error> {
        let mut parts = Parts::default();
        for (mechanism, times) in composition.factors() {
            parts.add(mechanism, *times)?;
        }
        // Pure failures have epsilon = 0: the engine for (epsilon, delta) mechanisms takes them as they are.
        if parts.mu_squared.is_zero() && parts.laplace.is_empty() && parts.discrete_gaussian.is_empty() {
            let failures = std::mem::take(&mut parts.failures);
            parts.kov.extend(failures.into_iter().map(|(delta, times)| Part { epsilon: Real::zero(), delta, times }));
        }
        Ok(parts)
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

    fn families(&self) -> Vec<Family> {
        [
            (!self.kov.is_empty(), Family::Kov),
            (!self.mu_squared.is_zero(), Family::Gaussian),
            (!self.laplace.is_empty(), Family::Laplace),
            (!self.discrete_gaussian.is_empty(), Family::DiscreteGaussian),
            (!self.lattice.is_empty(), Family::Lattice),
            (!self.finite.is_empty(), Family::Finite),
        ]
        .into_iter()
        .filter_map(|(present, family)| present.then_some(family))
        .collect()
    }
}

fn names(families: &[Family]) -> String {
    let names: Vec<_> = families.iter().map(|family| family.name()).collect();
    if names.is_empty() { "no mechanisms that leak".to_string() } else { names.join(" and ") }
}

fn with_failure(inner: Box<dyn Curve>, failures: &[(Real, u64)]) -> Result<Box<dyn Curve>, Error> {
    if failures.is_empty() { Ok(inner) } else { Ok(Box::new(WithFailure::new(inner, failures)?)) }
}

/// A sensitivity whose lattice of losses fits in memory, as a composition that is run `times` times.
fn short(sensitivity: u64, times: u64) -> Result<u32, Error> {
    match u32::try_from(sensitivity) {
        Ok(short) if sensitivity.saturating_mul(times) <= LONGEST_LATTICE => Ok(short),
        _ => Err(Error::Undecided(format!(
            "a sensitivity of {sensitivity}, {times} times, takes more than {LONGEST_LATTICE} different losses"
        ))),
    }
}

/// Staircase and geometric mechanisms, with (epsilon, delta) mechanisms of commensurable epsilons.
fn lattice(parts: &Parts) -> Result<Box<dyn Curve>, Error> {
    let mut pairs = parts.lattice.clone();
    for part in &parts.kov {
        if part.epsilon.is_zero() {
            // Nothing but failure: on any lattice.
            let unit = pairs.first().map_or_else(Real::one, |(pair, _)| pair.unit().clone());
            pairs.push((LatticePair::two_points(unit, 0, part.delta.clone())?, part.times));
        } else {
            pairs.push((LatticePair::randomized_response(part.epsilon.clone(), part.delta.clone())?, part.times));
        }
    }
    if pairs.is_empty() {
        // Nothing leaks: all mass at loss zero.
        pairs.push((LatticePair::two_points(Real::one(), 0, Real::zero())?, 1));
    }
    let units: Vec<(Real, u64)> = pairs.iter().map(|(pair, times)| (pair.unit().clone(), *times)).collect();
    let Some((unit, steps)) = common_unit(&units) else {
        return Err(Error::Undecided(
            "the epsilons are not whole multiples of a common unit, so their losses share no lattice".to_string(),
        ));
    };
    let refined: Result<Vec<_>, Error> =
        pairs.iter().zip(&steps).map(|((pair, times), steps)| Ok((pair.refined(&unit, *steps)?, *times))).collect();
    // Each pair is its own mirror image, and so is their composition.
    Ok(Box::new(Lattice::new(refined?, true)?))
}

/// Finite pairs, with (epsilon, delta) mechanisms that are finite pairs of rationals themselves.
fn finite(parts: &Parts, budget: &Budget) -> Result<Box<dyn Curve>, Error> {
    let mut factors = Vec::new();
    for (p, q, times) in &parts.finite {
        factors.push(atoms::Factor::new(p.clone(), q.clone(), *times)?);
    }
    for Part { epsilon, delta, times } in &parts.kov {
        let (Some(x), Some(delta)) = (epsilon.exp_rational(), delta.as_rational()) else {
            return Err(Error::Undecided(format!(
                "finite pairs compose with (epsilon, delta) mechanisms only if e^epsilon and delta are rational, as with \
                 epsilon = ln(3/2); here epsilon = {epsilon}, delta = {delta}"
            )));
        };
        let pair = crate::curve::FinitePair::approximate_dp(&x, delta)?;
        factors.push(atoms::Factor { pair, times: *times });
    }
    Ok(Box::new(Atoms::new(&factors, atoms::Limits::of(budget), budget)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Direction;

    /// A failure beside a lattice mechanism keeps all its mass: `delta = d + (1-d) delta_f`, exactly.
    #[test]
    fn failures_beside_lattices_keep_their_mass() {
        let budget = Budget::default();
        let delta = |text: &str| {
            let composition: Composition = text.parse().expect("a composition");
            let curve = curve(&composition, Method::Auto, &budget).expect("a curve");
            let delta = curve.delta(&Real::zero(), Direction::Forward, 100, &budget).expect("a number");
            delta.exact().cloned().expect("rational data")
        };
        for pair in ["geometric(epsilon=ln(2), sensitivity=2)", "staircase(epsilon=ln(2), gamma=1/3)"] {
            let whole = delta(&format!("{pair} * approx-dp(epsilon=0, delta=1/10)^2"));
            let kept = Rational::from((81, 100));
            assert_eq!(whole, 1 - kept.clone() + kept * delta(pair), "{pair}");
        }
    }
}
