//! The usual conversions of bounds on Renyi divergences, each at an order that is good for it: for those who compare.

use std::cmp::Ordering;

use super::super::renyi::{Best, OneOrder, Start, best_delta_from, best_epsilon_from};
use super::collect::Parts;
use super::search::{LARGE, Nearby, good_order_near, ln_exp_m1};
use super::{Guarantee, Known, SEARCH};
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, of_pairs};
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// Bits of the divergences among which a good order is looked for: steps of orders are far coarser.
const SKETCH: u32 = 32;

/// Where a conversion is asked.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// For the epsilon at a delta.
    Delta(&'a Real),
    /// For the delta at an epsilon.
    Epsilon(&'a Real),
}

/// What a conversion says.
#[derive(Clone, Debug)]
pub struct AtOrder {
    /// The number.
    pub value: Value,
    /// An enclosure of the best order, where that was looked for among all.
    pub order: Option<Enclosure>,
}

impl From<Value> for AtOrder {
    fn from(value: Value) -> Self {
        AtOrder { value, order: None }
    }
}

impl From<Number> for AtOrder {
    fn from(number: Number) -> Self {
        Value::Finite(number).into()
    }
}

impl From<Best> for AtOrder {
    fn from(Best { value, order }: Best) -> Self {
        AtOrder { value: Value::Finite(value), order }
    }
}

/// A conversion at one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Markov's inequality: Mironov 2017, Proposition 3.
    Mironov,
    /// Canonne, Kamath and Steinke 2020, Proposition 12.
    Standard,
    /// Asoodeh, Liao, Calmon, Kosut and Sankar 2020, Lemma 1.
    Asoodeh,
}

impl Conversion {
    /// About the logarithm of the delta at an epsilon, or the epsilon at the logarithm of a delta: where the search
    /// looks.
    pub fn about(self, t: f64, r: f64, at: Result<f64, f64>) -> f64 {
        let a = 1.0 + t;
        match (self, at) {
            (Conversion::Mironov, Ok(log)) => r - log / t,
            (Conversion::Standard, Ok(log)) => r - (1.0 / t).portable_ln_1p() - (a.portable_ln() + log) / t,
            (Conversion::Asoodeh, Ok(log)) => ln_one_more(ln_exp_m1(t * r) - a.portable_ln() - log) / t,
            (Conversion::Mironov, Err(epsilon)) => t * (r - epsilon),
            (Conversion::Standard, Err(epsilon)) => t * (r - epsilon) + t * t.portable_ln() - a * a.portable_ln(),
            (Conversion::Asoodeh, Err(epsilon)) => ln_exp_m1(t * r) - a.portable_ln() - ln_exp_m1(t * epsilon),
        }
    }

    /// The number of a bound.
    fn of(self, one: &OneOrder, at: At, bits: u32) -> Result<Number, Error> {
        match (self, at) {
            (Conversion::Mironov, At::Delta(delta)) => one.mironov(delta, bits),
            (Conversion::Standard, At::Delta(delta)) => one.standard_epsilon(delta, bits),
            (Conversion::Asoodeh, At::Delta(delta)) => one.asoodeh(delta, bits),
            (Conversion::Mironov, At::Epsilon(epsilon)) => Ok(one.mironov_delta(epsilon, bits)),
            (Conversion::Standard, At::Epsilon(epsilon)) => Ok(one.standard_delta(epsilon, bits)),
            (Conversion::Asoodeh, At::Epsilon(epsilon)) => one.asoodeh_delta(epsilon, bits),
        }
    }
}

/// About `ln(1 + e^x)`, likewise.
fn ln_one_more(x: f64) -> f64 {
    if x > LARGE { x } else { x.portable_exp().portable_ln_1p() }
}

impl Guarantee {
    /// The bounds of any composition: its own, where everything in it has a pair.
    ///
    /// # Errors
    /// As [`Guarantee::of`].
    pub fn bounds(composition: &Composition) -> Result<Self, Error> {
        Guarantee::from_parts(Parts::of(composition)?)
    }

    /// The same, for which a good order is looked for where others were found.
    #[must_use]
    pub fn searched_near(self, nearby: &Nearby) -> Self {
        Guarantee { nearby: nearby.clone(), ..self }
    }

    /// Does something fail outright, so that the divergences of the whole are infinite?
    pub fn fails(&self) -> bool {
        !self.failure().is_zero()
    }

    /// The number of a conversion, in the worse direction: at the order of the guarantee; at the best order of the
    /// standard conversion, which is returned; or at a good order, which is not.
    ///
    /// # Errors
    /// [`Error::Undefined`] where divergences are infinite, or the conversion is not about this epsilon.
    pub fn converted_at_best(&self, at: At, how: Conversion, bits: u32, budget: &Budget) -> Result<AtOrder, Error> {
        if self.is_nothing() {
            let number = match at {
                At::Delta(_) => Number::zero(),
                At::Epsilon(_) => self.failure().number(bits),
            };
            return Ok(number.into());
        }
        match at {
            At::Delta(delta) => {
                let left = delta.sub(&self.failure());
                if !matches!(left.sign(), Some(Ordering::Greater)) {
                    return Ok(Value::Infinite.into());
                }
                let delta = left.div(&self.survival)?;
                if delta == Real::one() {
                    return Ok(Number::zero().into());
                }
                Ok(self.of_kept(At::Delta(&delta), how, bits, budget)?.into())
            }
            At::Epsilon(epsilon) => {
                let Best { value, order } = self.of_kept(At::Epsilon(epsilon), how, bits, budget)?;
                let kept = &self.survival.number(bits) * &value.min(&Number::one());
                Ok(AtOrder { value: Value::Finite(&self.failure().number(bits) + &kept), order })
            }
        }
    }

    /// The same of what does not fail.
    fn of_kept(&self, at: At, how: Conversion, bits: u32, budget: &Budget) -> Result<Best, Error> {
        let orders = |order: &Real, bits: u32| self.finite(order, Direction::Worst, bits, budget);
        let order = match (&self.one_order, self.known()) {
            (Some((order, _)), Known::OneOrder) => order.clone(),
            (None, Known::Line) if how == Conversion::Standard => {
                return match at {
                    At::Delta(delta) => best_epsilon_from(&orders, delta, Start::Usual, bits, budget),
                    At::Epsilon(epsilon) => best_delta_from(&orders, epsilon, Start::Usual, bits, budget),
                };
            }
            _ => {
                let place = match at {
                    At::Delta(delta) => Ok(delta.enclosure(SEARCH).ln().upper().to_f64()),
                    At::Epsilon(epsilon) => Err(epsilon.to_f64()),
                };
                let rest = of_pairs(Kind::KullbackLeibler, &self.rest)?;
                let line = (self.line.0.to_f64(), self.line.1.to_f64());
                good_order_near(&self.nearby, &|order| {
                    let t = order.sub(&Real::one()).to_f64();
                    let sketch = rest.renyi_sketch(1.0 + t, Direction::Worst).filter(|_| self.one_order.is_none());
                    let r = match sketch {
                        Some(own) => line.0 + line.1 * t + own,
                        None => self.finite(order, Direction::Worst, SKETCH, budget)?.upper().to_f64(),
                    };
                    Ok(how.about(t, r, place))
                })?
            }
        };
        // Each rises with the bound.
        let set = self.finite(&order, Direction::Worst, bits, budget)?.positive_part();
        let end = |end: &rug::Float| -> Result<Number, Error> {
            let exact = end.to_rational().ok_or_else(|| Error::undecided("the bound is too large"))?;
            how.of(&OneOrder::new(order.clone(), Real::from(exact))?, at, bits)
        };
        let (low, high) = (end(set.lower())?, end(set.upper())?);
        let hull = || Number::Enclosed(low.enclosure(bits).hull(&high.enclosure(bits)));
        Ok(Best { value: if set.is_point() { high } else { hull() }, order: None })
    }
}
