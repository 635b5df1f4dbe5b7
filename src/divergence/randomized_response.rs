//! Randomised response, and its extension to the worst (epsilon, delta)-DP pair.
//!
//! P has masses `delta, (1-delta) x/(1+x), (1-delta)/(1+x), 0` and Q the reverse, `x = e^epsilon`. The geometric
//! mechanism with sensitivity one has the same divergences at `delta = 0`: its likelihood ratios are `x` and `1/x` with
//! these masses.

use std::cmp::Ordering;

use super::{Divergence, is_large, not_negative, order_above_one, probability};
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// The pair of an (epsilon, delta)-DP mechanism at its worst.
#[derive(Clone, Debug)]
pub struct RandomizedResponse {
    epsilon: Real,
    delta: Real,
}

impl RandomizedResponse {
    /// Domain `epsilon >= 0`, `0 <= delta <= 1`.
    pub fn new(epsilon: Real, delta: Real) -> Result<Self, Error> {
        not_negative(&epsilon, "epsilon")?;
        probability(&delta, "delta")?;
        Ok(RandomizedResponse { epsilon, delta })
    }

    /// Mass of P where Q has none makes all divergences infinite but total variation.
    fn finite(&self, value: impl FnOnce() -> Result<Number, Error>) -> Result<Value, Error> {
        match self.delta.sign() {
            Some(Ordering::Equal) => value().map(Value::Finite),
            _ => Ok(Value::Infinite),
        }
    }

    /// `tanh(epsilon/2) = (x-1)/(x+1)`.
    fn tanh(&self, bits: u32) -> Number {
        match self.epsilon.exp_rational() {
            Some(x) => Number::Exact((x.clone() - 1) / (x + 1)),
            None => Number::Enclosed(self.epsilon.enclosure(bits).shift(-1).tanh()),
        }
    }
}

impl Divergence for RandomizedResponse {
    fn symmetric(&self) -> bool {
        true
    }

    /// `(1/(g-1)) ln( cosh((2g-1) epsilon/2) / cosh(epsilon/2) )`.
    ///
    /// The quotient is `1 + (e^((g-1) epsilon) - 1)(1 - e^(-g epsilon))/(1 + e^-epsilon)`, a sum of positive terms; for
    /// large `(g-1) epsilon` the divergence is `epsilon + ( ln(1 + e^(-(2g-1) epsilon)) - ln(1 + e^-epsilon) )/(g-1)`.
    fn renyi(&self, order: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        let (g, above) = order_above_one(order, bits)?;
        self.finite(|| {
            if self.epsilon.sign() == Some(Ordering::Equal) {
                return Ok(Number::zero());
            }
            let epsilon = self.epsilon.enclosure(bits);
            let (g, above) = (g.enclosure(bits), above.enclosure(bits));
            let growth = &above * &epsilon;
            let one = Enclosure::one(bits);
            Ok(Number::Enclosed(if is_large(&growth) {
                let high = (-(&(&g + &above) * &epsilon)).exp().log1p();
                let low = (-&epsilon).exp().log1p();
                &epsilon + &(&(high - low) / &above)
            } else {
                let rise = &growth.expm1() * &-(-(&g * &epsilon)).expm1();
                (&rise / &(&one + &(-epsilon).exp())).log1p() / above
            }))
        })
    }

    /// `epsilon tanh(epsilon/2)`.
    fn kullback_leibler(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        self.finite(|| Ok(&self.epsilon.number(bits) * &self.tanh(bits)))
    }

    /// `(x-1)^2/x`.
    fn chi_squared(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        self.finite(|| {
            Ok(match self.epsilon.exp_rational() {
                Some(x) => {
                    let above = rug::Rational::from(&x - 1u32);
                    Number::Exact(above.clone() * above / x)
                }
                // (x - 1)(1 - 1/x), both factors free of cancellation.
                None => {
                    let epsilon = self.epsilon.enclosure(bits);
                    Number::Enclosed(&epsilon.expm1() * &-(-&epsilon).expm1())
                }
            })
        })
    }

    /// `epsilon`.
    fn max(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        self.finite(|| Ok(self.epsilon.number(bits)))
    }
}
