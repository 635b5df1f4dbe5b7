//! (epsilon, delta) mechanisms, and geometric noise at sensitivity 1, by direct convolution of their outcomes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use malachite::Rational as Second;
use rug::{Integer, Rational};

use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::kov::{Bounds, Convolution, Part};
use enclosure::Real;

/// Bits of the convolution beyond the size of what is asked.
const BITS: u64 = 200;

/// The most convolutions kept; each may hold some hundred thousand masses.
type Kept = HashMap<(String, u64), Arc<OnceLock<Result<Convolution, Error>>>>;

/// Convolutions that were made, by composition and precision.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<Kept>,
}

impl Cache {
    pub fn confirm(&self, query: &Query, claim: &Claim) -> Result<(), Error> {
        let needed = BITS + bits_of_answer(query, claim)?;
        // In coarse steps, so that questions share their convolutions.
        let fraction = needed.div_ceil(400) * 400;
        let convolution = self.convolution(&query.mechanism, fraction)?;
        let convolution = match convolution.get() {
            Some(Ok(convolution)) => convolution,
            Some(Err(error)) => return Err(error.clone()),
            None => return Err(Error::input("the convolution was not computed")),
        };
        match &query.quantity {
            Quantity::Delta { epsilon } => {
                let (lower, upper) = numbers::exp_bounds(epsilon, fraction + 64)?;
                let delta = convolution.delta(&Bounds { lower, upper });
                claim.agrees_with(&numbers::first_both(&(delta.lower, delta.upper))?)
            }
            Quantity::Beta { alpha } => {
                let beta = convolution.beta(&numbers::second(numbers::rational(alpha, "alpha")?)?);
                claim.agrees_with(&numbers::first_both(&(beta.lower, beta.upper))?)
            }
            Quantity::Epsilon { delta } => {
                let level = numbers::second(numbers::rational(delta, "delta")?)?;
                match claim {
                    Claim::Within(lower, upper) => {
                        let at = |end: &Rational| -> Result<Bounds, Error> {
                            let (lower, upper) = numbers::exp_bounds(&Real::from(end.clone()), fraction + 64)?;
                            Ok(Bounds { lower, upper })
                        };
                        if level == 0u32 {
                            // The profile is 0 from the largest loss on, and positive just below it.
                            let below = lower - Rational::from((1, Integer::from(1) << 100u32));
                            let tiny = numbers::second(&Rational::from((1, Integer::from(1) << 140u32)))?;
                            let left = lower.is_zero() || convolution.delta(&at(&below)?).lower > 0u32;
                            return require(left && convolution.delta(&at(upper)?).upper <= tiny, "the largest loss");
                        }
                        match convolution.confirms_epsilon(&at(lower)?, &at(upper)?, &level) {
                            Some(right) => require(right, "the delta at both ends"),
                            None => Err(Error::input("the second route is too coarse for this epsilon")),
                        }
                    }
                    Claim::Infinite => {
                        let beyond = Bounds::exact(Second::from(malachite::Natural::from(1u32) << 100_000u64));
                        require(convolution.delta(&beyond).lower > level, "an infinite epsilon")
                    }
                }
            }
            _ => Err(Error::input("not a curve")),
        }
    }

    fn convolution(
        &self,
        composition: &Composition,
        fraction: u64,
    ) -> Result<Arc<OnceLock<Result<Convolution, Error>>>, Error> {
        let slot = {
            let mut kept = self.kept.lock().map_err(|_| Error::input("another confirmation failed"))?;
            Arc::clone(kept.entry((composition.to_string(), fraction)).or_default())
        };
        slot.get_or_init(|| convolve(composition, fraction));
        Ok(slot)
    }
}

/// How many bits finer than one masses have to be for an answer and the point at which it is asked.
pub(super) fn bits_of_answer(query: &Query, claim: &Claim) -> Result<u64, Error> {
    // A tiny answer needs a fixed point that is as much finer.
    let size = match claim {
        Claim::Within(_, upper) => bits_below_one(upper),
        Claim::Infinite => 0,
    };
    let asked = match &query.quantity {
        Quantity::Epsilon { delta } => bits_below_one(numbers::rational(delta, "delta")?),
        Quantity::Beta { alpha } => {
            let alpha = numbers::rational(alpha, "alpha")?;
            bits_below_one(alpha).max(bits_below_one(&Rational::from(1 - alpha)))
        }
        // Masses of Q are multiplied by e^epsilon, and their errors with them.
        Quantity::Delta { epsilon } => bits_of_exp(epsilon)?,
        _ => 0,
    };
    Ok(size.saturating_add(asked).saturating_add(bits_of_largest(claim)?))
}

/// About `log2 e^x`, for `x > 0`.
fn bits_of_exp(x: &Real) -> Result<u64, Error> {
    let above = x.enclosure(64).upper().to_f64() * std::f64::consts::LOG2_E;
    if above < 1e7 {
        Ok(above.max(0.0).ceil() as u64)
    } else {
        Err(Error::input("e^epsilon is too large to multiply out"))
    }
}

/// The same for the epsilon that is claimed; a delta or beta claims less than 1.
fn bits_of_largest(claim: &Claim) -> Result<u64, Error> {
    match claim {
        Claim::Within(_, upper) => bits_of_exp(&Real::from(upper.clone())),
        Claim::Infinite => Ok(0),
    }
}

/// How many bits a positive number is below one.
fn bits_below_one(value: &Rational) -> u64 {
    let bits = |n: &Integer| u64::from(n.significant_bits());
    if value.is_zero() { 0 } else { bits(value.denom()).saturating_sub(bits(value.numer())) }
}

fn convolve(composition: &Composition, fraction: u64) -> Result<Convolution, Error> {
    let mut parts = Vec::new();
    let mut epsilons: Vec<Real> = Vec::new();
    for (mechanism, times) in composition.factors() {
        let (epsilon, delta) = match mechanism {
            Mechanism::ApproxDp(m) => (m.epsilon(), m.delta().clone()),
            Mechanism::RandomizedResponse(m) => (m.epsilon(), Real::zero()),
            // The worst of all that keep the guarantee.
            Mechanism::PureDp(m) => (m.epsilon(), Real::zero()),
            Mechanism::Geometric(m) if m.sensitivity() == 0 => continue,
            // At sensitivity 1 one half-line of outcomes against the other is randomised response.
            Mechanism::Geometric(m) if m.sensitivity() == 1 => (m.epsilon(), Real::zero()),
            _ => return Err(Error::input("no second route for this mechanism")),
        };
        let (lower, upper) = numbers::exp_bounds(epsilon, fraction + 64)?;
        let delta = numbers::second(numbers::rational(&delta, "delta")?)?;
        parts.push(Part { x: Bounds { lower, upper }, delta, times: *times, steps: 0 });
        epsilons.push(epsilon.clone());
    }
    match steps(&epsilons) {
        Some(steps) => {
            for (part, steps) in parts.iter_mut().zip(steps) {
                part.steps = steps;
            }
            Ok(Convolution::new(&parts, Some(fraction)))
        }
        None if parts.iter().map(|part| part.times).sum::<u64>() <= 14 => {
            Ok(Convolution::subsets(&parts, Some(fraction)))
        }
        None => Err(Error::input("too many incommensurable mechanisms for the second route")),
    }
}

/// The epsilons as whole multiples of one unit, if they are.
fn steps(epsilons: &[Real]) -> Option<Vec<usize>> {
    let Some(unit) = epsilons.iter().find(|epsilon| !epsilon.is_zero()) else {
        return Some(vec![0; epsilons.len()]);
    };
    let ratios: Vec<Rational> = epsilons
        .iter()
        .map(|epsilon| if epsilon.is_zero() { Some(Rational::new()) } else { epsilon.ratio(unit) })
        .collect::<Option<_>>()?;
    let mut denominator = Integer::from(1);
    for ratio in &ratios {
        denominator.lcm_mut(ratio.denom());
    }
    ratios
        .iter()
        .map(|ratio| Rational::from(ratio * &denominator).numer().to_usize().filter(|steps| *steps < 1 << 12))
        .collect()
}
