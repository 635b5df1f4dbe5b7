//! The second route of every golden number: no vector is written before it agrees.
//!
//! One file per family. Each takes the claim apart into questions that [`crate::route`] answers from definitions, with
//! malachite's integers instead of GMP and MPFR, and asks that the answers are narrow and share a point with the claim.
//! Where a quantity has no direct second route, it is checked through its definition: an epsilon by the delta at both
//! of its ends. Compositions that no route takes are asked of a second engine, or of the quadrature on a second contour
//! (`engines`).

mod calibration;
mod canonical;
mod cut;
mod derived;
mod discrete_gaussian;
mod divergence;
mod engines;
mod enumeration;
mod finite;
mod functional;
mod gaussian;
mod guarantee;
mod kov;
mod laplace;
mod limits;
mod loss;
mod multiparty;
mod numbers;
mod operators;
mod order;
mod poisson;
mod risk;
mod sampled_laplace;
mod samples;
mod theorems;

use rug::Rational;

use super::convert;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::vector::few::{self, Second};
use crate::vector::sessions::Sessions;
use enclosure::Contradiction;

/// What a vector is about to say.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The truth lies between.
    Within(Rational, Rational),
    /// The truth is infinite.
    Infinite,
}

/// The second routes; composed distributions are kept, for many questions are asked of each.
#[derive(Default)]
pub struct Routes {
    convolutions: kov::Cache,
    engines: Sessions,
    laws: crate::route::discrete_gaussian::Laws,
    lists: finite::Cache,
    moments: limits::Moments,
    samples: sampled_laplace::Cache,
    gaussian_samples: samples::Cache,
}

/// Which second route serves a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Kov,
    Gaussian,
    Laplace,
    DiscreteGaussian,
    Finite,
    Sample,
    SampledLaplace,
    Derived,
    Enumeration,
    Mixture,
}

impl Routes {
    /// The name of the second route that agrees with what the method `first` says.
    ///
    /// # Errors
    /// When the routes disagree, which is an alarm where two enclosures do not meet, or when there is no second route.
    pub fn confirm(&self, query: &Query, outcome: &Outcome, first: &str) -> Result<String, Error> {
        self.agrees(query, &Claim::of(outcome)?, first)
    }

    /// The name of the second route that agrees with what one engine says.
    ///
    /// # Errors
    /// As for [`confirm`](Routes::confirm).
    pub fn confirm_few(&self, query: &Query, outcome: &Outcome, second: Second) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        match second {
            Second::Outcomes => {
                cut::confirm(query, &claim)?;
                Ok("malachite, all outcomes but for next to nothing, count by count".to_string())
            }
            Second::Engine(engine) => {
                let told = few::told(query, engine)?;
                let bounds = enclosure::decimal::rational_bounds(told.set.set());
                let bounds = bounds.ok_or_else(|| disagree("the second route has no bound"))?;
                claim.agrees_to(&bounds, few::LEAST_DIGITS)?;
                Ok(told.method.to_string())
            }
        }
    }

    /// The same of a claim.
    fn agrees(&self, query: &Query, claim: &Claim, first: &str) -> Result<String, Error> {
        if let Some((query, claim)) = risk::inner(query, claim)? {
            return self.agrees(&query, &claim, first);
        }
        if guarantee::takes(&query.mechanism) {
            guarantee::confirm(query, claim)?;
            return Ok("malachite, two outcomes that keep the bounds and two that do not".to_string());
        }
        let name = match &query.quantity {
            Quantity::Functional(_) => {
                functional::confirm(query, claim)?;
                "malachite, from the definition of the functional"
            }
            Quantity::LossAbove { .. } | Quantity::LossUpTo { .. } | Quantity::LossQuantile { .. } => {
                loss::confirm(query, claim)?;
                "malachite, from the definition of the privacy loss"
            }
            Quantity::GaussianFit => {
                canonical::confirm(query, claim)?;
                "malachite, by the vertices of the polygon"
            }
            Quantity::CanonicalCdf { .. } | Quantity::CanonicalQuantile { .. } => {
                canonical::confirm(query, claim)?;
                "malachite, from the definition of canonical noise and a route for the trade-off function"
            }
            Quantity::Renyi { .. } | Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => {
                divergence::confirm(query, claim)?;
                "malachite, from the definition of the divergence"
            }
            _ => match family(&query.mechanism) {
                Family::Kov => {
                    self.convolutions.confirm(query, claim)?;
                    "malachite, direct convolution of randomised responses"
                }
                Family::Gaussian => {
                    gaussian::confirm(query, claim)?;
                    "malachite, midpoint quadrature of the normal tails"
                }
                Family::Laplace => {
                    laplace::confirm(query, claim)?;
                    "malachite, piecewise convolution of the densities"
                }
                Family::DiscreteGaussian => {
                    discrete_gaussian::confirm(&self.laws, query, claim)?;
                    "malachite, convolution of the truncated masses"
                }
                Family::Finite => {
                    self.lists.confirm(query, claim)?;
                    "malachite, enumeration of all outcomes"
                }
                Family::Sample => {
                    poisson::confirm(query, claim)?;
                    "malachite, the sample's definition and a route for what is inside"
                }
                Family::SampledLaplace => {
                    self.samples.confirm(query, claim)?;
                    "malachite, one run after the other by interpolation in the loss, with two numbers of nodes"
                }
                Family::Derived => {
                    derived::confirm(query, claim)?;
                    "malachite, the operator's definition and a route for what is inside"
                }
                Family::Enumeration => {
                    enumeration::confirm(query, claim)?;
                    "malachite, the definition count by count"
                }
                Family::Mixture => {
                    return match self.gaussian_samples.confirm(query, claim, first)? {
                        Some(name) => Ok(name),
                        None => engines::confirm(&self.engines, query, claim, first),
                    };
                }
            },
        };
        Ok(name.to_string())
    }
}

impl Claim {
    fn of(outcome: &Outcome) -> Result<Self, Error> {
        match outcome {
            Outcome::Exact(value) => Ok(Claim::Within(value.value().clone(), value.value().clone())),
            Outcome::Enclosure(set) => match enclosure::decimal::rational_bounds(&convert::stored(set.set())) {
                Some((lower, upper)) => Ok(Claim::Within(lower, upper)),
                None => Err(Error::input("the enclosure is unbounded")),
            },
            Outcome::Infinite => Ok(Claim::Infinite),
            Outcome::Undefined(reason) => Err(Error::input(reason.clone())),
            Outcome::Short { reason, .. } | Outcome::Undecided(reason) => Err(Error::input(reason.to_string())),
        }
    }

    /// A finite claim.
    fn within(&self) -> Result<(&Rational, &Rational), Error> {
        match self {
            Claim::Within(lower, upper) => Ok((lower, upper)),
            Claim::Infinite => Err(disagree("the claim is infinite")),
        }
    }

    /// A second enclosure must be narrow, and share a point with the claim.
    fn agrees_with(&self, second: &(Rational, Rational)) -> Result<(), Error> {
        self.agrees_to(second, NARROW)
    }

    /// The same, narrow to `digits` digits, for queries that request few.
    fn agrees_to(&self, second: &(Rational, Rational), digits: u32) -> Result<(), Error> {
        let (lower, upper) = self.within()?;
        let (low, high) = second;
        let width = Rational::from(high - low);
        // An exact zero is confirmed by what cannot be told from it: no relative width can be asked there.
        let tiny = Rational::from((1, rug::Integer::from(1) << 300u32));
        if lower.is_zero() && upper.is_zero() && low.cmp0().is_le() && *high <= tiny {
            return Ok(());
        }
        // Or the agreement would mean little.
        let narrow = width * rug::Integer::from(rug::Integer::u_pow_u(10, digits)) <= Rational::from(high.abs_ref());
        if !narrow {
            return Err(Error::input(format!("the second route is too coarse: {}", numbers::show(second))));
        }
        if lower > high || low > upper {
            let (one, other) = (numbers::show(&(lower.clone(), upper.clone())), numbers::show(second));
            return Err(Contradiction { what: "golden value, by two routes,".to_string(), one, other }.into());
        }
        Ok(())
    }
}

/// Minimum number of digits proven by a second route.
const NARROW: u32 = 30;

fn disagree(what: &str) -> Error {
    Error::input(format!("the routes disagree: {what}"))
}

fn require(holds: bool, what: &str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(disagree(what)) }
}

/// Working precisions of routes whose values are differences of nearly equal numbers.
const SHARPER: [u64; 3] = [400, 1600, 4800];

/// A route at one precision after the other, until it agrees; what contradicts the claim does so at each.
fn sharper<T>(precisions: &[T], route: impl Fn(&T) -> Result<(), Error>) -> Result<(), Error> {
    let mut failure = Error::internal("no precision was tried");
    for bits in precisions {
        match route(bits) {
            Ok(()) => return Ok(()),
            Err(error) if error.is_alarm() => return Err(error),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// The family of a composition; mechanisms that only fail go with every other.
fn family(composition: &Composition) -> Family {
    if poisson::takes(composition) {
        return Family::Sample;
    }
    if sampled_laplace::takes(composition) {
        return Family::SampledLaplace;
    }
    if finite::takes_samples(composition) {
        return Family::Finite;
    }
    if derived::takes(composition) {
        return Family::Derived;
    }
    let mut parts = leaking(composition).map(|(mechanism, _)| match mechanism {
        Mechanism::ApproxDp(_) | Mechanism::RandomizedResponse(_) | Mechanism::PureDp(_) => Family::Kov,
        Mechanism::Geometric(m) if m.sensitivity() <= 1 => Family::Kov,
        Mechanism::Geometric(_) | Mechanism::Staircase(_) => Family::Finite,
        Mechanism::Gaussian(_) | Mechanism::Gdp(_) | Mechanism::NoisyCgd(_) => Family::Gaussian,
        Mechanism::Laplace(_) => Family::Laplace,
        Mechanism::DiscreteGaussian(_) => Family::DiscreteGaussian,
        Mechanism::Finite(_) => Family::Finite,
        // No separate route: another method, or another contour.
        _ => Family::Mixture,
    });
    let first = parts.next().unwrap_or(Family::Kov);
    let alone = match first {
        // One mechanism, any number of times.
        Family::DiscreteGaussian => true,
        Family::Laplace => !laplace::takes(composition),
        _ => false,
    };
    let family = if parts.any(|next| next != first || alone) { Family::Mixture } else { first };
    if family == Family::Mixture && enumeration::takes(composition) { Family::Enumeration } else { family }
}

/// `1 - prod (1 - delta_i)^{n_i}` over the mechanisms that only fail; an exact rational.
fn failure(composition: &Composition) -> Result<Rational, Error> {
    let mut kept = Rational::from(1);
    for (mechanism, times) in composition.factors() {
        if let Mechanism::ApproxDp(m) = mechanism
            && m.epsilon().is_zero()
        {
            let delta = m.delta().as_rational().ok_or_else(|| Error::input("an irrational probability of failure"))?;
            let times = u32::try_from(*times).map_err(|_| Error::input("too many failures"))?;
            kept *= Rational::from(rug::ops::Pow::pow(&Rational::from(1 - delta), times));
        }
    }
    Ok(1 - kept)
}

/// The sole leaking mechanism of a composition, all its factors being equal in what matters.
fn leaking(composition: &Composition) -> impl Iterator<Item = (&Mechanism, u64)> {
    composition
        .factors()
        .iter()
        .filter(|(mechanism, _)| !matches!(mechanism, Mechanism::ApproxDp(m) if m.epsilon().is_zero()))
        .map(|(mechanism, times)| (mechanism, *times))
}

/// Ask about the part that does not fail: the claim on the whole, with the failure probability `d` taken out.
/// `delta = d + (1-d) delta_f`, `beta = (1-d) f(alpha/(1-d))`, and an epsilon keeps its value at `(delta-d)/(1-d)`.
struct Inner {
    kept: Rational,
    failed: Rational,
}

impl Inner {
    fn of(composition: &Composition) -> Result<Self, Error> {
        let failed = failure(composition)?;
        Ok(Inner { kept: Rational::from(1 - &failed), failed })
    }

    /// The whole delta from the inner one.
    fn delta(&self, inner: (Rational, Rational)) -> (Rational, Rational) {
        let whole = |inner: Rational| Rational::from(&self.failed + &(inner * &self.kept));
        (whole(inner.0), whole(inner.1))
    }

    /// The inner target of an epsilon; `None` if the whole target is below the failure probability.
    fn target(&self, delta: &Rational) -> Option<Rational> {
        (delta >= &self.failed && !self.kept.is_zero()).then(|| Rational::from(delta - &self.failed) / &self.kept)
    }

    /// The inner alpha; above 1 where the whole beta is zero.
    fn alpha(&self, alpha: &Rational) -> Rational {
        if self.kept.is_zero() { Rational::from(2) } else { Rational::from(alpha / &self.kept) }
    }

    /// The whole beta from the inner one.
    fn beta(&self, inner: (Rational, Rational)) -> (Rational, Rational) {
        (inner.0 * &self.kept, inner.1 * &self.kept)
    }
}
