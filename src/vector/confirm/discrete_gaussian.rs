//! Discrete Gaussians composed with themselves, by convolution of their masses.

use rug::Rational;

use super::gaussian::nothing_leaks;
use super::{Claim, Inner, leaking, numbers, require};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::discrete_gaussian::{self as route, At, Laws, Pair};

pub fn confirm(laws: &Laws, query: &Query, claim: &Claim) -> Result<(), Error> {
    let inner = Inner::of(&query.mechanism)?;
    let mut parts = leaking(&query.mechanism);
    let (Some((Mechanism::DiscreteGaussian(m), times)), None) = (parts.next(), parts.next()) else {
        return Err(Error::input("no second route for different discrete Gaussians"));
    };
    if m.sensitivity() == 0 {
        return nothing_leaks(query, claim, &inner);
    }
    let pair =
        Pair { sigma2: numbers::second(m.sigma2())?, sensitivity: malachite::Integer::from(m.sensitivity()), times };
    match &query.quantity {
        Quantity::Delta { epsilon } => {
            let at = match epsilon.as_rational() {
                Some(epsilon) => At::Epsilon(numbers::second(epsilon)?),
                None => At::Exp(numbers::second(&epsilon.exp_rational().ok_or_else(|| {
                    Error::input("the second route needs a rational epsilon, or a rational exponential of it")
                })?)?),
            };
            claim.agrees_with(&inner.delta(numbers::first_both(&route::delta(laws, &pair, &at)?)?))
        }
        Quantity::Epsilon { delta } => {
            let target = inner.target(numbers::rational(delta, "delta")?);
            match (claim, target) {
                (Claim::Infinite, target) => require(target.is_none_or(|t| t.is_zero()), "an infinite epsilon"),
                (Claim::Within(lower, upper), Some(target)) => {
                    let (lower, upper) = (numbers::second(lower)?, numbers::second(upper)?);
                    let target = numbers::second(&target)?;
                    require(route::confirms_epsilon(laws, &pair, &target, &lower, &upper)?, "the delta at both ends")
                }
                (Claim::Within(..), None) => require(false, "a finite epsilon below the failure probability"),
            }
        }
        Quantity::Beta { alpha } => {
            let alpha = inner.alpha(numbers::rational(alpha, "alpha")?);
            let whole = match alpha {
                alpha if alpha >= 1 => (Rational::new(), Rational::new()),
                alpha if alpha.is_zero() => (Rational::from(1), Rational::from(1)),
                alpha => numbers::first_both(&route::beta(laws, &pair, &numbers::second(&alpha)?)?)?,
            };
            claim.agrees_with(&inner.beta(whole))
        }
        _ => Err(Error::input("not a curve")),
    }
}
