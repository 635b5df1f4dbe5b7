//! One mechanism on a Poisson sample, run once: the curve of the pair `((1-p) Q + p P, Q)` from the curve of (P, Q).
//!
//! With `x = e^eps`, H the hockey-stick divergence and T the trade-off function,
//!
//! ```text
//! forward   H_x(P', Q) = sup p P(S) - (x-1+p) Q(S)     = p H_y(P, Q),   y = (x-1+p)/p,   or 1 - x  where y <= 0
//! backward  H_x(Q, P') = sup w Q(S) - x p P(S)         = w H_z(Q, P),   z = x p/w,  or 0  where w = 1 - (1-p) x <= 0
//!           T(Q, P')   = p T(Q, P) + (1-p) Id,         and T(P', Q) is its inverse.
//! ```
//!
//! All four hold for every pair, so whatever engine knows the inner curve answers for the sample as well, with its
//! accuracy: no formula here subtracts what may cancel. (The profile is the "advanced joint convexity" of Balle, Barthe
//! and Gaboardi 2018, the trade-off function Dong, Roth and Su's and Bu, Dong, Long and Su's.)
//!
//! Forward, the inverse of the profile is closed: `eps = ln(1 + p (e^(eps_in) - 1))` with `eps_in` the inner inverse at
//! `delta/p`. Backward it is a root, as is the forward trade-off function: functions that fall, enclosed by signs
//! (`root`). Paper proof: `proofs/paper/poisson-subsampling.md`.
//!
//! What is not a single step goes elsewhere: [`Pair::sampled`](crate::pair::Pair::sampled) finds the samples that are
//! finite pairs of rationals, or no samples at all, and lists the losses of those with finitely many.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::float::Round::Up;
use rug::{Float, Rational};

use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Real, root::bracketed};

/// One mechanism on a Poisson sample, run once.
pub struct Subsampled {
    rate: Real,
    /// `1 - rate`.
    rest: Real,
    inner: Box<dyn Curve>,
}

/// The inner epsilon that belongs to an epsilon of the sample.
enum Inside {
    At(Real),
    /// There is none: the likelihood ratio of the mixture is never so small.
    Below,
    /// Too near the end to tell.
    Unclear,
}

fn undecided(error: Error) -> Error {
    match error {
        Error::Input(message) => Error::undecided(message),
        other => other,
    }
}

impl Subsampled {
    /// The curve of a sample with rate strictly between 0 and 1, from the curve of the mechanism inside.
    ///
    /// # Errors
    /// [`Error::Input`] for another rate.
    pub fn new(rate: Real, inner: Box<dyn Curve>) -> Result<Self, Error> {
        let rest = Real::one().sub(&rate);
        if [&rate, &rest].iter().any(|part| part.sign() != Some(Ordering::Greater)) {
            return Err(Error::input(format!("the sampling rate must be strictly between 0 and 1, not {rate}")));
        }
        Ok(Subsampled { rate, rest, inner })
    }

    /// `ln((e^epsilon - 1 + p)/p)`: the inner epsilon whose likelihood ratio a sample makes `e^epsilon`.
    fn inside(&self, epsilon: &Real) -> Result<Inside, Error> {
        if epsilon.is_zero() {
            return Ok(Inside::At(Real::zero()));
        }
        if let (Some(x), Some(p)) = (epsilon.exp_rational(), self.rate.as_rational()) {
            let y = (x - 1u32 + p) / p;
            return if y <= 0 { Ok(Inside::Below) } else { Ok(Inside::At(Real::from(y).ln()?)) };
        }
        if epsilon.sign() == Some(Ordering::Greater) {
            // eps - ln p + ln(1 - (1-p) e^-eps), which takes any epsilon.
            let part = self.rest.mul(&epsilon.neg().exp()?)?;
            return Ok(Inside::At(epsilon.sub(&self.rate.ln()?).add(&Real::one().sub(&part).ln()?)));
        }
        let y = epsilon.exp()?.sub(&self.rest);
        match y.sign() {
            Some(Ordering::Greater) => Ok(Inside::At(y.ln()?.sub(&self.rate.ln()?))),
            Some(_) => Ok(Inside::Below),
            None => Ok(Inside::Unclear),
        }
    }

    /// `p H_y(P, Q)`. Where y cannot be told from 0, `p (1-y) = 1 - x <= p H_y <= p`.
    fn forward(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let whole = || match epsilon.exp_rational() {
            Some(x) => Number::Exact(1 - x),
            None => Number::Enclosed(-epsilon.enclosure(bits.saturating_add(8)).expm1()),
        };
        match self.inside(epsilon).map_err(undecided)? {
            Inside::At(inner) => {
                Ok(&self.rate.number(bits) * &self.inner.delta(&inner, Direction::Forward, bits, budget)?)
            }
            Inside::Below => Ok(whole()),
            Inside::Unclear => {
                Ok(Number::Enclosed(whole().enclosure(bits).hull(&self.rate.enclosure(bits)).positive_part()))
            }
        }
    }

    /// `w H_z(Q, P)`; between 0 and w where w cannot be told from 0.
    fn backward(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        // 1/z = (1/x - 1 + p)/p: the forward map, mirrored.
        let inside = self.inside(&epsilon.neg()).map_err(undecided)?;
        if matches!(inside, Inside::Below) {
            return Ok(Number::zero());
        }
        let x = epsilon.exp().and_then(|x| x.mul(&self.rest)).map_err(undecided)?;
        let weight = Real::one().sub(&x).number(bits);
        match inside {
            Inside::At(inner) => Ok(&weight * &self.inner.delta(&inner.neg(), Direction::Backward, bits, budget)?),
            _ => Ok(Number::Enclosed(weight.positive_part().enclosure(bits).hull(&Enclosure::zero(bits)))),
        }
    }

    /// `ln(1 + p (e^inner - 1))`, for `inner >= 0`.
    fn outside(&self, inner: &Number, bits: u32) -> Number {
        if inner.exact().is_some_and(Rational::is_zero) {
            return Number::zero();
        }
        let bits = bits.saturating_add(16);
        let (p, inner) = (self.rate.enclosure(bits), inner.enclosure(bits));
        Number::Enclosed(if *inner.lower() > 1e6 {
            &inner + &(&p + &(&self.rest.enclosure(bits) * &(-&inner).exp())).ln()
        } else {
            (&p * &inner.expm1()).log1p()
        })
    }

    fn forward_epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Value, Error> {
        // p H_1 <= p.
        match delta.compare(&self.rate) {
            Some(Ordering::Less) => {}
            Some(_) => return Ok(Value::Finite(Number::zero())),
            None => return Err(Error::Undecided("cannot decide whether delta is below the sampling rate".into())),
        }
        let inner = delta.div(&self.rate).map_err(undecided)?;
        Ok(match self.inner.epsilon(&inner, Direction::Forward, bits, budget)? {
            Value::Infinite => Value::Infinite,
            Value::Finite(inner) => Value::Finite(self.outside(&inner, bits)),
        })
    }

    /// With `e^t = 1 + s` the inner likelihood ratio `z`, `delta = p h(t)/(1 + (1-p) s)` and
    /// `eps = -ln(1 - p s/(1+s))`: find the s with `p h(ln(1+s)) = delta (1 + (1-p) s)`. The left side falls, being p
    /// times a convex function of s, the right side rises and passes p at `s = p/(delta (1-p))`.
    fn backward_epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let top = |bits: u32| -> Result<Number, Error> {
            Ok(&self.rate.number(bits) * &self.inner.delta(&Real::zero(), Direction::Backward, bits, budget)?)
        };
        let mut order = None;
        for bits in [64, bits.max(64)] {
            order = order.or(delta.number(bits).compare(&top(bits)?));
        }
        if order.is_some_and(Ordering::is_ge) {
            return Ok(Value::Finite(Number::zero()));
        }
        let value = |s: &Rational, bits: u32| -> Result<Number, Error> {
            let t = Real::from(Rational::from(s + 1u32)).ln()?;
            let left = &self.rate.number(bits) * &self.inner.delta(&t, Direction::Backward, bits, budget)?;
            let scale = &Number::one() + &(&self.rest.number(bits) * &Number::Exact(s.clone()));
            Ok(&left - &(&delta.number(bits) * &scale))
        };
        let high = &self.rate.enclosure(64) / &(&delta.enclosure(64) * &self.rest.enclosure(64));
        let high = Float::with_val_round(32, high.upper(), Up).0;
        if !high.is_finite() {
            return Err(Error::Undecided("delta is too small for the search for epsilon".into()));
        }
        let s = bracketed(&high, order.is_some(), bits.saturating_add(8), budget, value)?;
        let bits = bits.saturating_add(16);
        let part = &self.rate.enclosure(bits) / &(&Enclosure::one(bits) + &s.with_bits(bits).recip());
        // 1/s is unbounded where s may be 0.
        let part = if s.lower().is_zero() { part.hull(&Enclosure::zero(bits)) } else { part };
        Ok(Value::Finite(Number::Enclosed(-(-part).log1p())))
    }

    /// `p T(Q, P) + (1-p) Id`.
    fn mixed_beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let inner = self.inner.beta(alpha, Direction::Backward, bits, budget)?;
        let rest = &self.rest.number(bits) * &Real::one().sub(alpha).number(bits);
        Ok(&(&self.rate.number(bits) * &inner) + &rest)
    }

    /// The inverse of the function above, which falls strictly from at most 1 to 0.
    fn inverse_beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let value = |t: &Rational, bits: u32| -> Result<Number, Error> {
            let mixed = self.mixed_beta(&Real::from(t.clone()), bits, budget)?;
            Ok(&mixed - &alpha.number(bits))
        };
        let mut order = None;
        for bits in [64, bits.max(64)] {
            order = order.or(value(&Rational::new(), bits)?.sign());
        }
        if order.is_some_and(Ordering::is_le) {
            return Ok(Number::zero());
        }
        let root = bracketed(&Float::with_val(32, 1), order.is_some(), bits.saturating_add(8), budget, value)?;
        Ok(Number::Enclosed(root))
    }
}

impl Curve for Subsampled {
    fn symmetric(&self) -> bool {
        false
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        match direction {
            Direction::Forward | Direction::Worst => self.forward(epsilon, bits, budget),
            Direction::Backward => self.backward(epsilon, bits, budget),
        }
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        match direction {
            Direction::Forward | Direction::Worst => self.forward_epsilon(delta, bits, budget),
            Direction::Backward => self.backward_epsilon(delta, bits, budget),
        }
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        match direction {
            Direction::Forward | Direction::Worst => self.inverse_beta(alpha, bits, budget),
            Direction::Backward => self.mixed_beta(alpha, bits, budget),
        }
    }

    /// Where the inner epsilon is a constant: `p H_y` is at most the level iff `H_y` is at most a part of it, and
    /// `w H_z` likewise.
    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let bits = level.bits();
        let backward = direction == Direction::Backward;
        let at = if backward { self.inside(&epsilon.neg()) } else { self.inside(epsilon) };
        let Inside::At(inner) = at.map_err(undecided)? else { return Ok(false) };
        if !backward {
            return self.inner.is_at_most(&inner, Direction::Forward, &(level / &self.rate.enclosure(bits)), budget);
        }
        let x = epsilon.exp().and_then(|x| x.mul(&self.rest)).map_err(undecided)?;
        let weight = Real::one().sub(&x).enclosure(bits);
        if weight.sign() != Some(Ordering::Greater) {
            return Ok(false);
        }
        self.inner.is_at_most(&inner.neg(), Direction::Backward, &(level / &weight), budget)
    }

    fn method(&self) -> &'static str {
        "one Poisson sample, through the curve of the mechanism inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::SAMPLE
    }
}
