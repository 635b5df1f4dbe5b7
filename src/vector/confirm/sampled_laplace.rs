//! Samples of Laplace noise run a few times, beside Laplace noise and randomised response: one run at a time, in the
//! loss.
//!
//! With the profile g of the noise and the losses `l_a` of the responses, `delta(eps) = sum_a p_a g(eps - l_a)`;
//! backwards `delta'(eps) = 1 - e^eps + e^eps delta(-eps)`. `T(P, Q)(alpha)` is the largest `1 - delta'(eps) - e^eps
//! alpha`, of a function that rises and then falls.

use std::sync::Arc;

use dpcert_vectors::Direction;
use malachite::Integer;
use malachite::base::num::arithmetic::traits::UnsignedAbs;
use malachite::base::num::basic::traits::{One, Two, Zero};
use rug::Rational;

use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Laplace, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::sampled_laplace::{Kind, Profile, Values, exact, responses};
use enclosure::Real;

/// Shifts up to this one: for larger ones interpolation in the loss takes too many nodes.
const MOST_SHIFT: (u32, u32) = (5, 4);
/// Times that a third of where the largest value may be is left out.
const THIRDS: u32 = 240;
/// Bits that values are trusted in besides what two numbers of nodes differ by.
const TRUSTED: u64 = 144;

/// Number of cached profiles.
const KEPT: usize = 32;

/// Cached profiles; no query waits for another one's computation.
pub struct Cache(enclosure::Cache<String, Whole>);

impl Default for Cache {
    fn default() -> Self {
        Cache(enclosure::Cache::new(KEPT))
    }
}

/// A composition: the noise, and losses with masses.
pub struct Whole {
    noise: Profile,
    losses: Vec<(Integer, Integer)>,
}

/// What a composition is made of.
struct Parts {
    kinds: Vec<Kind>,
    responses: Vec<(Real, u32)>,
}

impl Parts {
    fn of(composition: &Composition) -> Option<Self> {
        let mut parts = Parts { kinds: Vec::new(), responses: Vec::new() };
        let kind = |m: &Laplace, rate: Rational, times: u32| {
            let shift = m.sensitivity().div(m.scale()).ok()?.as_rational()?.clone();
            (shift > 0 && shift <= Rational::from(MOST_SHIFT) && rate > 0 && rate <= 1).then_some(Kind {
                shift,
                rate,
                times,
            })
        };
        let mut samples = 0;
        for (mechanism, times) in composition.factors() {
            let times = u32::try_from(*times).ok()?;
            match mechanism {
                Mechanism::Laplace(m) => parts.kinds.push(kind(m, Rational::from(1), times)?),
                Mechanism::Poisson(sample) => {
                    let Mechanism::Laplace(m) = sample.inner() else { return None };
                    parts.kinds.push(kind(m, sample.rate().as_rational()?.clone(), times)?);
                    samples += 1;
                }
                Mechanism::RandomizedResponse(m) => parts.responses.push((m.epsilon().clone(), times)),
                _ => return None,
            }
        }
        let runs = parts.kinds.iter().fold(0u32, |runs, kind| runs.saturating_add(kind.times));
        (samples > 0 && runs <= Profile::MOST).then_some(parts)
    }
}

/// Is there a sample of Laplace noise, and nothing but what the route takes?
pub fn takes(composition: &Composition) -> bool {
    Parts::of(composition).is_some()
}

impl Cache {
    pub fn confirm(&self, query: &Query, claim: &Claim) -> Result<(), Error> {
        let whole = self.whole(&query.mechanism)?;
        let backward = match query.direction {
            Direction::Forward => false,
            Direction::Backward => true,
            Direction::Worst => return Err(Error::input("the second route takes one direction")),
        };
        match &query.quantity {
            Quantity::Delta { epsilon } => {
                claim.agrees_with(&whole.bounds(&whole.delta(&whole.units(epsilon)?, backward)?)?)
            }
            Quantity::Epsilon { delta } => {
                let target = numbers::rational(delta, "delta")?;
                let (lower, upper) = claim.within()?;
                let at =
                    |end: &Rational| whole.bounds(&whole.delta(&whole.units(&Real::from(end.clone()))?, backward)?);
                let left = lower.is_zero() || at(lower)?.1 >= *target;
                require(left && at(upper)?.0 <= *target, "the delta at both ends")
            }
            Quantity::Beta { alpha } => claim.agrees_with(&whole.beta(alpha, backward)?),
            _ => Err(Error::input("not a curve")),
        }
    }

    fn whole(&self, composition: &Composition) -> Result<Arc<Whole>, Error> {
        self.0.get(composition.to_string(), || {
            let parts = Parts::of(composition).ok_or_else(|| Error::input("no second route for this composition"))?;
            Whole::new(&parts)
        })
    }
}

impl Whole {
    fn new(parts: &Parts) -> Result<Self, Error> {
        let noise = Profile::new(&parts.kinds)?;
        let fixed = noise.fixed();
        let mut losses = vec![(Integer::ZERO, fixed.one.clone())];
        for (epsilon, times) in &parts.responses {
            let loss = fixed.real(epsilon)?.low;
            let list = responses(&loss, &fixed.power(&loss)?, *times, fixed);
            let all = losses
                .iter()
                .flat_map(|(one, mass)| list.iter().map(move |(other, part)| (one + other, fixed.product(mass, part))));
            losses = all.collect();
        }
        Ok(Whole { noise, losses })
    }

    fn units(&self, x: &Real) -> Result<Integer, Error> {
        Ok(self.noise.fixed().real(x)?.low)
    }

    fn delta(&self, epsilon: &Integer, backward: bool) -> Result<Values, Error> {
        let fixed = self.noise.fixed();
        let at = if backward { -epsilon } else { epsilon.clone() };
        let mut sum = [Integer::ZERO, Integer::ZERO];
        for (loss, mass) in &self.losses {
            let values = self.noise.at(&(&at - loss))?;
            for (sum, value) in sum.iter_mut().zip(&values) {
                *sum += fixed.product(mass, value);
            }
        }
        if !backward {
            return Ok(sum);
        }
        let power = fixed.power(epsilon)?;
        Ok(sum.map(|value| &fixed.one - &power + fixed.product(&power, &value)))
    }

    /// Bounds from two values.
    fn bounds(&self, [one, other]: &Values) -> Result<(Rational, Rational), Error> {
        let fixed = self.noise.fixed();
        let off = Integer::from((one - other).unsigned_abs()) + (Integer::ONE << (fixed.bits - TRUSTED));
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        Ok((exact(&(low - &off))?, exact(&(high + off))?))
    }

    /// The largest `1 - delta'(eps) - e^eps alpha`, by thirds.
    fn beta(&self, alpha: &Real, backward: bool) -> Result<(Rational, Rational), Error> {
        self.noise.interpolate()?;
        let fixed = self.noise.fixed();
        let alpha = self.units(alpha)?;
        let at = |epsilon: &Integer, which: usize| -> Result<Integer, Error> {
            let delta = self.delta(epsilon, !backward)?;
            Ok(&fixed.one - &delta[which] - fixed.product(&fixed.power(epsilon)?, &alpha))
        };
        let mut best = [Integer::ZERO, Integer::ZERO];
        for (which, best) in best.iter_mut().enumerate() {
            let reach = self.losses.iter().map(|(loss, _)| loss.clone()).max().unwrap_or_default() + self.noise.reach();
            let (mut low, mut high) = (-&reach, reach);
            for _ in 0..THIRDS {
                let third = (&high - &low) / Integer::from(3);
                let (left, right) = (&low + &third, &high - &third);
                if at(&left, which)? < at(&right, which)? { low = left } else { high = right }
            }
            *best = at(&((low + high) / Integer::TWO), which)?;
        }
        self.bounds(&best)
    }
}
