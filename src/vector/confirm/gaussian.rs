//! Gaussian compositions, by quadrature.

use rug::Rational;

use super::operators::Arguments;
use super::{Claim, Inner, leaking, numbers, require};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::gaussian;
use enclosure::Real;

/// Digits of the second route.
const DIGITS: u32 = 45;
/// The most steps of a descent.
const MOST_STEPS: u64 = 1 << 9;

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let inner = Inner::of(&query.mechanism)?;
    let mut mu_squared = Real::zero();
    for (mechanism, times) in leaking(&query.mechanism) {
        let square = match mechanism {
            Mechanism::Gaussian(m) => m.sensitivity().div(m.sigma())?.square(),
            Mechanism::Gdp(m) => m.mu().square(),
            Mechanism::NoisyCgd(_) => Real::from(last_iterate(&Arguments(mechanism.arguments()))?),
            _ => return Err(Error::input("not a Gaussian")),
        };
        mu_squared = mu_squared.add(&square.mul_rational(&Rational::from(times)));
    }
    if mu_squared.is_zero() {
        return nothing_leaks(query, claim, &inner);
    }
    match &query.quantity {
        Quantity::Delta { epsilon } => claim.agrees_with(&inner.delta(gaussian::delta(&mu_squared, epsilon, DIGITS)?)),
        Quantity::Epsilon { delta } => {
            let target = inner.target(numbers::rational(delta, "delta")?);
            match (claim, target) {
                // The loss of a Gaussian is unbounded, so only delta = 0 inside, or less, needs infinity.
                (Claim::Infinite, target) => require(target.is_none_or(|t| t.is_zero()), "an infinite epsilon"),
                (Claim::Within(lower, upper), Some(target)) => {
                    require(gaussian::brackets_epsilon(&mu_squared, lower, upper, &target)?, "the delta at both ends")
                }
                (Claim::Within(..), None) => require(false, "a finite epsilon below the failure probability"),
            }
        }
        Quantity::Beta { alpha } => {
            let alpha = inner.alpha(numbers::rational(alpha, "alpha")?);
            let whole = match alpha {
                alpha if alpha >= 1 => (Rational::new(), Rational::new()),
                alpha if alpha.is_zero() => (Rational::from(1), Rational::from(1)),
                alpha => gaussian::beta(&mu_squared, &alpha, DIGITS)?,
            };
            claim.agrees_with(&inner.beta(whole))
        }
        _ => Err(Error::input("not a curve")),
    }
}

/// `mu^2` of noisy cyclic gradient descent, by sums instead of quotients of powers of the contraction c: with l batches
/// and E epochs `(1-c^2)/(1-c^l)^2` is `(1+c)/((1-c) S^2)`, `S = 1 + c + ... + c^(l-1)`, and `1 - c^(l(E-1))` is
/// `1 - c` times such a sum.
fn last_iterate(given: &Arguments) -> Result<Rational, Error> {
    let c = numbers::rational(given.constant("contraction")?, "contraction")?;
    let ratio = numbers::rational(given.constant("ratio")?, "ratio")?;
    let (epochs, batches) = (given.count("epochs")?, given.count("batches")?);
    if epochs.saturating_mul(batches) > MOST_STEPS {
        return Err(Error::input("too many steps for powers in fractions"));
    }
    let (mut sum, mut power) = (Rational::new(), Rational::from(1));
    let mut first = Rational::from(1);
    let mut before = Rational::from(1);
    for step in 0..batches * (epochs - 1) {
        if step == batches - 1 {
            before = power.clone();
        }
        sum += &power;
        power *= c;
        if step + 1 == batches {
            first = sum.clone();
        }
    }
    let more = before.square() * Rational::from(1 + c) / first.square() * sum / (1 + power);
    Ok(ratio.clone().square() * (1 + more))
}

/// Perfect privacy inside: delta is max(0, 1 - e^epsilon), beta is 1 - alpha.
pub fn nothing_leaks(query: &Query, claim: &Claim, inner: &Inner) -> Result<(), Error> {
    match &query.quantity {
        Quantity::Delta { epsilon } if epsilon.sign() != Some(std::cmp::Ordering::Less) => {
            claim.agrees_with(&inner.delta((Rational::new(), Rational::new())))
        }
        Quantity::Epsilon { delta } => match inner.target(numbers::rational(delta, "delta")?) {
            Some(_) => claim.agrees_with(&(Rational::new(), Rational::new())),
            None => require(matches!(claim, Claim::Infinite), "a finite epsilon below the failure probability"),
        },
        Quantity::Beta { alpha } => {
            let alpha = inner.alpha(numbers::rational(alpha, "alpha")?);
            let left = Rational::from(1 - &alpha).max(Rational::new());
            claim.agrees_with(&inner.beta((left.clone(), left)))
        }
        _ => Err(Error::input("no second route at a negative epsilon")),
    }
}
