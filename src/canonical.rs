//! Canonical noise: the additive noise whose trade-off function at distance 1 is a given one (Awan, Vadhan 2023).
//!
//! For a symmetric trade-off function f other than `1 - alpha`, with the fixed point `f(c) = c`,
//!
//! ```text
//! F(y) = c (1/2 - y) + (1 - c) (y + 1/2)     for |y| <= 1/2,
//! F(y) = 1 - f(F(y - 1))                     for y > 1/2,       F(-y) = 1 - F(y).
//! ```
//!
//! With noise of this distribution a statistic of sensitivity 1 has a trade-off function of at least f, and exactly f
//! at distance 1: `f(alpha) = F(F^-1(1 - alpha) - 1)`. (Su 2024, Section 3.2, prints it as `F(F^-1(alpha) - 1)`, which
//! increases in alpha, as no trade-off function does; the recursion above is this identity at `alpha = 1 - F(y)`.) For
//! `f_{epsilon,0}` it is the Tulap law. Here f is that of any symmetric composition. As f is
//! symmetric and convex, `alpha + f(alpha)` is least at c, so `c = (1 - TV)/2`, and the middle piece is `1/2 + TV y`:
//! exact wherever the total variation distance is. (`proofs/paper/canonical-noise.md`)

use std::cmp::Ordering;

use rug::{Float, Rational};

use crate::alarm;
use crate::compose::Engines;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::mechanism::check;
use crate::pair::symmetric;
use enclosure::{Budget, Enclosure, Number, Real};

/// Largest number of unit steps from 0.
const MOST_STEPS: u32 = 100_000;

/// The canonical noise of a composition.
pub struct Canonical<'a> {
    engines: &'a Engines,
}

impl<'a> Canonical<'a> {
    /// Of the composition of these engines. Nothing is computed yet.
    pub fn new(engines: &'a Engines) -> Self {
        Canonical { engines }
    }

    /// The distribution function at y, enclosed: of full relative accuracy in both tails as `bits` grow.
    ///
    /// The function does not decrease and is at most 1. Far from 0 the steps stop where it is 1 to all bits, because
    /// `F(y)` lies between that and 1. So an unbounded y may be replaced by a closer one.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a trade-off function that is not symmetric, and for one that is `1 - alpha`.
    pub fn cdf(&self, y: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let right = sign(y)? != Ordering::Less;
        let distance = if right { y.clone() } else { y.neg() };
        // The noise at so many units is 1 to all bits, or not followed so far.
        let far = right && distance.to_f64() > 2.0 * f64::from(MOST_STEPS);
        let distance = if far { Real::from(2 * u64::from(MOST_STEPS)) } else { distance };
        let steps = nearest(&distance)?;
        let within = distance.sub(&Real::from(u64::from(steps)));
        self.engines.ask(budget, |curve, budget| {
            let law = self.law(curve, bits, budget)?;
            // The mass below -|y|: F(-y) = f(F(y - 1)).
            let step = &law.variation * &within.number(bits);
            let half = Number::Exact(Rational::from((1, 2)));
            let mut below = &half + &step;
            if steps == 0 {
                return Ok(if right { below } else { &half - &step });
            }
            for passed in 1..steps {
                budget.check()?;
                if passed > MOST_STEPS {
                    return Err(too_far());
                }
                below = &Number::one() - &law.beta(&below, budget)?;
                // Fractions stay what they are, as far as they are followed.
                if !right || below.exact().is_some() && steps <= MOST_STEPS {
                    continue;
                }
                let one = Enclosure::one(bits);
                let known = below.enclosure(bits).hull(&one);
                if known.relative_bits().is_some_and(|proven| proven > i64::from(bits) - 4) {
                    return Ok(Number::Enclosed(known.min(&one)));
                }
            }
            let tail = law.beta(&below, budget)?;
            Ok(if right { &Number::one() - &tail } else { tail })
        })
    }

    /// The quantile at p in (0, 1): the least y with `F(y) >= p`.
    ///
    /// # Errors
    /// As [`cdf`](Self::cdf), and [`Error::Undefined`] for a p outside of (0, 1).
    pub fn quantile(&self, p: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        check::unit("p", p)?;
        let other = Real::one().sub(p);
        if sign(p)? != Ordering::Greater || sign(&other)? != Ordering::Greater {
            return Err(Error::Undefined(format!("a quantile requires 0 < p < 1, not p = {p}")));
        }
        let lower = p.compare(&other) == Some(Ordering::Less);
        // The mass above: small where the quantile is far.
        let above = if lower { p } else { &other };
        self.engines.ask(budget, |curve, budget| {
            let law = self.law(curve, bits, budget)?;
            let quantile = law.above(above.number(bits), 0, budget)?;
            Ok(if lower { -quantile } else { quantile })
        })
    }

    /// By the curve or by the pairs: either may be seen to be symmetric where the other is not.
    fn law<'b>(&self, curve: &'b dyn Curve, bits: u32, budget: &Budget) -> Result<Law<'b>, Error> {
        let mechanism = self.engines.mechanism();
        if !curve.symmetric() && !symmetric(&mechanism.pairs()?) {
            let which = match mechanism.not_symmetric()? {
                Some(factor) => format!("that of {factor} {}", factor.pair()?.asymmetry()?),
                None => "this one is not known to be symmetric".into(),
            };
            return Err(Error::Undefined(format!(
                "canonical noise requires a symmetric trade-off function, but {which}"
            )));
        }
        Law::new(curve, bits, budget)
    }
}

fn too_far() -> Error {
    Error::undecided(format!("canonical noise is computed up to {MOST_STEPS} units from 0 only"))
}

fn sign(x: &Real) -> Result<Ordering, Error> {
    x.sign().ok_or_else(|| Error::undecided(format!("cannot decide the sign of {x}")))
}

/// The nearest integer to a number that is not negative; of two either.
fn nearest(y: &Real) -> Result<u32, Error> {
    let guess = y.to_f64().round();
    if !(guess <= f64::from(2 * MOST_STEPS)) {
        return Err(too_far());
    }
    let half = Real::from(Rational::from((1, 2)));
    // The double is near; which neighbour it is, is proven.
    let first = (guess as u32).saturating_sub(1);
    for n in first..=first + 2 {
        let beyond = y.sub(&Real::from(u64::from(n))).sub(&half);
        if sign(&beyond)? != Ordering::Greater {
            return Ok(n);
        }
    }
    Err(Error::internal("the nearest integer is not next to its double"))
}

/// The law at a precision.
struct Law<'a> {
    curve: &'a dyn Curve,
    /// `1 - 2c`.
    variation: Number,
    /// `c`.
    fixed: Number,
    bits: u32,
}

impl<'a> Law<'a> {
    fn new(curve: &'a dyn Curve, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let variation = curve.delta(&Real::zero(), Direction::Forward, bits, budget)?;
        match variation.sign() {
            Some(Ordering::Greater) => {}
            Some(_) => {
                return Err(Error::Undefined("canonical noise requires a trade-off function below 1 - alpha".into()));
            }
            None => return Err(Error::undecided("cannot decide whether the trade-off function is below 1 - alpha")),
        }
        let fixed = &(&Number::one() - &variation) * &Number::Exact(Rational::from((1, 2)));
        Ok(Law { curve, variation, fixed, bits })
    }

    /// f at a number, which it decreases in.
    fn beta(&self, alpha: &Number, budget: &Budget) -> Result<Number, Error> {
        let at = |alpha: Rational| self.curve.beta(&Real::from(alpha), Direction::Forward, self.bits, budget);
        let set = match alpha {
            Number::Exact(alpha) => return at(alpha.clone()),
            Number::Enclosed(set) => set,
        };
        let end = |end: &Float| {
            let inside = end.to_rational().map(|end| Ord::clamp(end, Rational::new(), Rational::from(1)));
            at(inside.ok_or_else(|| Error::undecided("a probability has no finite bound"))?)
        };
        let (upper, lower) = (end(set.lower())?, end(set.upper())?);
        let between = alarm::bracket(&lower.enclosure(self.bits), &upper.enclosure(self.bits), "type II error")?;
        Ok(Number::Enclosed(between))
    }

    /// The y with so much mass above it, `tail <= 1/2` or thereabouts, and the units passed so far.
    ///
    /// One unit: where the tail at y is `t < c`, that at y - 1 is `1 - f(t)`, as f is its own inverse where it is
    /// positive. Where it is not told whether `t < c`, both pieces are taken, each for its part of the enclosure.
    fn above(&self, tail: Number, passed: u32, budget: &Budget) -> Result<Number, Error> {
        let (mut tail, mut passed) = (tail, passed);
        let linear = |tail: &Number, passed: u32| {
            let half = Number::Exact(Rational::from((1, 2)));
            &Number::Exact(Rational::from(passed)) + &(&(&half - tail) / &self.variation)
        };
        loop {
            budget.check()?;
            match tail.compare(&self.fixed) {
                Some(Ordering::Less) => {}
                Some(_) => return Ok(linear(&tail, passed)),
                None => {
                    let (set, fixed) = (tail.enclosure(self.bits), self.fixed.enclosure(self.bits));
                    let here = linear(&Number::Enclosed(set.max(&lower_end(&fixed))), passed);
                    let there = Number::Enclosed(set.min(&upper_end(&fixed)));
                    let there = &Number::one() - &self.beta(&there, budget)?;
                    // So little is known that a second unit is possible: more bits will tell.
                    if there.enclosure(self.bits).lower() < fixed.upper() {
                        return Ok(Number::Enclosed(Enclosure::whole(self.bits)));
                    }
                    let beyond = linear(&there, passed + 1);
                    return Ok(Number::Enclosed(here.enclosure(self.bits).hull(&beyond.enclosure(self.bits))));
                }
            }
            if passed >= MOST_STEPS {
                return Err(too_far());
            }
            tail = &Number::one() - &self.beta(&tail, budget)?;
            passed += 1;
        }
    }
}

fn lower_end(set: &Enclosure) -> Enclosure {
    Enclosure::new(set.lower().clone(), set.lower().clone())
}

fn upper_end(set: &Enclosure) -> Enclosure {
    Enclosure::new(set.upper().clone(), set.upper().clone())
}

#[cfg(test)]
mod tests;
