//! One mechanism on a Poisson sample, run once: through the second route of the mechanism inside, and the definition.
//!
//! With `P' = (1-p) Q + p P`, for every `x >= 0`
//!
//! `H_x(P', Q) = p H_y(P, Q)`, `y = (x-1+p)/p`, and `H_x(Q, P') = w H_z(Q, P)`, `w = 1 - (1-p) x`, `z = x p/w` where
//! `w > 0`, 0 elsewhere; `T(Q, P') = p T(Q, P) + (1-p) Id`, which `T(P', Q)` inverts.
//!
//! Everything here is in rational bounds of `e^epsilon` and of what the route says, each falling or rising in the
//! other.

use dpcert_vectors::Direction;
use rug::Rational;

use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Poisson};
use crate::query::{Quantity, Query};
use crate::route::discrete_gaussian::{self, At, Laws, Pair};
use crate::route::{gaussian, laplace};
use enclosure::Real;

/// Digits of the route inside.
const DIGITS: u32 = 45;
/// Bits of `e^epsilon`.
const BITS: u64 = 400;

type Bounds = (Rational, Rational);

/// A mechanism that is its own mirror image, known by its profile and its trade-off function.
pub(super) enum Inside {
    /// By the square of mu.
    Gaussian(Real),
    /// By its shift.
    Laplace(Real),
    DiscreteGaussian(Pair),
}

pub(super) struct Sample {
    /// Between 0 and 1.
    pub(super) rate: Rational,
    pub(super) inside: Inside,
}

/// The sample that a composition is, if it is one that has a second route.
pub fn takes(composition: &Composition) -> bool {
    sample(composition).is_some()
}

fn sample(composition: &Composition) -> Option<Sample> {
    let [(Mechanism::Poisson(poisson), 1)] = composition.factors() else { return None };
    Sample::of(poisson)
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let sample = sample(&query.mechanism).ok_or_else(|| Error::input("no second route for this sample"))?;
    match &query.quantity {
        Quantity::Delta { epsilon } => claim
            .agrees_with(&sample.delta(query.direction, &numbers::first_both(&numbers::exp_bounds(epsilon, BITS)?)?)?),
        Quantity::Epsilon { delta } => {
            let target = numbers::rational(delta, "delta")?;
            let (lower, upper) = claim.within()?;
            let at = |end: &Rational| -> Result<Bounds, Error> {
                let x = numbers::first_both(&numbers::exp_bounds(&end.clone().into(), BITS)?)?;
                sample.delta(query.direction, &x)
            };
            let left = lower.is_zero() || at(lower)?.1 >= *target;
            require(left && at(upper)?.0 <= *target, "the delta at both ends")
        }
        Quantity::Beta { alpha } => sample.confirm_beta(query.direction, numbers::rational(alpha, "alpha")?, claim),
        _ => Err(Error::input("not a curve")),
    }
}

impl Sample {
    pub(super) fn of(poisson: &Poisson) -> Option<Self> {
        let rate = poisson.rate().as_rational().filter(|rate| **rate > 0 && **rate < 1)?.clone();
        Some(Sample { rate, inside: Inside::of(poisson.inner())? })
    }

    /// Bounds of the profile for bounds of `e^epsilon`.
    fn delta(&self, direction: Direction, (low, high): &Bounds) -> Result<Bounds, Error> {
        let both = |at: &dyn Fn(&Rational) -> Result<Bounds, Error>| -> Result<Bounds, Error> {
            let above = at(low)?;
            if low == high { Ok(above) } else { Ok((at(high)?.0, above.1)) }
        };
        match direction {
            Direction::Forward => both(&|x| self.forward(x)),
            Direction::Backward => both(&|x| self.backward(x)),
            Direction::Worst => {
                let (forward, backward) = (both(&|x| self.forward(x))?, both(&|x| self.backward(x))?);
                Ok((forward.0.max(backward.0), forward.1.max(backward.1)))
            }
        }
    }

    pub(super) fn forward(&self, x: &Rational) -> Result<Bounds, Error> {
        let y = Rational::from(x - 1u32) / &self.rate + 1u32;
        Ok(scaled(self.inside.delta(&y)?, &self.rate))
    }

    pub(super) fn backward(&self, x: &Rational) -> Result<Bounds, Error> {
        let w = 1 - Rational::from(1 - &self.rate) * x;
        if w <= 0 {
            return Ok((Rational::new(), Rational::new()));
        }
        let z = Rational::from(x * &self.rate) / &w;
        Ok(scaled(self.inside.delta(&z)?, &w))
    }

    /// `p T(Q, P) + (1-p) Id`.
    pub(super) fn mixed(&self, alpha: &Rational) -> Result<Bounds, Error> {
        let rest = Rational::from(1 - alpha) * Rational::from(1 - &self.rate);
        let (low, high) = scaled(self.inside.beta(alpha)?, &self.rate);
        Ok((low + &rest, high + rest))
    }

    /// Forward beta is the point where the mixed function, which falls, comes down to alpha.
    pub(super) fn confirm_beta(&self, direction: Direction, alpha: &Rational, claim: &Claim) -> Result<(), Error> {
        match direction {
            Direction::Backward => claim.agrees_with(&self.mixed(alpha)?),
            Direction::Forward => {
                let (lower, upper) = claim.within()?;
                let (zero, one) = (Rational::new(), Rational::from(1));
                let left = *lower <= zero || self.mixed(lower)?.1 >= *alpha;
                require(left && (*upper >= one || self.mixed(upper)?.0 <= *alpha), "the alpha at both ends")
            }
            Direction::Worst => Err(Error::input("the second route takes the trade-off function of one direction")),
        }
    }
}

impl Inside {
    /// A mechanism run once, if it leaks anything and is one of these.
    pub(super) fn of(mechanism: &Mechanism) -> Option<Self> {
        let inside = match mechanism {
            Mechanism::Gaussian(m) => Inside::Gaussian(m.sensitivity().div(m.sigma()).ok()?.square()),
            Mechanism::Gdp(m) => Inside::Gaussian(m.mu().square()),
            Mechanism::Laplace(m) => Inside::Laplace(m.sensitivity().div(m.scale()).ok()?),
            Mechanism::DiscreteGaussian(m) if m.sensitivity() > 0 => Inside::DiscreteGaussian(Pair {
                sigma2: numbers::second(m.sigma2()).ok()?,
                sensitivity: malachite::Integer::from(m.sensitivity()),
                times: 1,
            }),
            _ => return None,
        };
        match &inside {
            Inside::Gaussian(leak) | Inside::Laplace(leak) if leak.is_zero() => None,
            _ => Some(inside),
        }
    }

    /// `H_x(P, Q)`, for any rational x.
    pub(super) fn delta(&self, x: &Rational) -> Result<Bounds, Error> {
        if *x <= 0 {
            let all = Rational::from(1 - x);
            return Ok((all.clone(), all));
        }
        match self {
            Inside::Gaussian(mu_squared) => gaussian::delta(mu_squared, &Real::from(x.clone()).ln()?, DIGITS),
            Inside::Laplace(shift) => {
                let bits = 4 * BITS;
                let epsilon = numbers::bounds(&Real::from(x.clone()).ln()?, bits)?;
                numbers::first_both(&laplace::profile(&[(numbers::bounds(shift, bits)?, 1)], &epsilon, BITS)?)
            }
            Inside::DiscreteGaussian(pair) => {
                numbers::first_both(&discrete_gaussian::delta(&Laws::default(), pair, &At::Exp(numbers::second(x)?))?)
            }
        }
    }

    /// The trade-off function, for `0 <= alpha <= 1`.
    pub(super) fn beta(&self, alpha: &Rational) -> Result<Bounds, Error> {
        if alpha.is_zero() || *alpha == 1 {
            let rest = Rational::from(1 - alpha);
            return Ok((rest.clone(), rest));
        }
        match self {
            Inside::Gaussian(mu_squared) => gaussian::beta(mu_squared, alpha, DIGITS),
            Inside::Laplace(shift) => {
                let shift = numbers::bounds(shift, 2 * BITS)?;
                numbers::first_both(&laplace::trade_off(&[(shift, 1)], &numbers::second(alpha)?, BITS / 2)?)
            }
            Inside::DiscreteGaussian(pair) => {
                numbers::first_both(&discrete_gaussian::beta(&Laws::default(), pair, &numbers::second(alpha)?)?)
            }
        }
    }
}

fn scaled((low, high): Bounds, by: &Rational) -> Bounds {
    (low * by, high * by)
}
