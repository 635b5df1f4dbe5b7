//! A mechanism on a Poisson sample: `(1-r) Q + r P` against Q.
//!
//! With `w = 1 - r + r dP/dQ` the moments are `K(z) = E_Q w^z`, forward of order g `ln K(g)/(g-1)`, backward
//! `ln K(1-g)/(g-1)`. What is a polynomial of the likelihood ratio comes from the divergences of the mechanism inside:
//! `w^n = sum_j C(n,j) (1-r)^(n-j) r^j (dP/dQ)^j`, with `E_Q (dP/dQ)^j = e^((j-1) D_j)`, `D_j` the inner Renyi divergence of
//! order j. Where the losses are finitely many, everything is a sum over them. What is neither is undecided.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::{Divergence, order_above_one};
use crate::compose::subsampled::{Discrete, Outcomes};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::number::{Budget, Enclosure, Number, Real, settle};

/// A sample of a mechanism whose divergences are known; the rate is strictly between 0 and 1.
pub struct Sampled {
    rate: Real,
    inner: Box<dyn Divergence>,
}

/// The largest order whose sum is formed.
const MAX_ORDER: u32 = 1 << 16;

fn backward(direction: Direction) -> bool {
    direction == Direction::Backward
}

fn unknown(what: &str) -> Error {
    Error::Undecided(format!(
        "no closed form here for the {what} of this subsampled mechanism (there is one for the max and, forward, for \
         chi-squared and Renyi of integer orders)"
    ))
}

impl Sampled {
    /// From the rate, strictly between 0 and 1, and the divergences of the mechanism inside.
    pub fn new(rate: Real, inner: Box<dyn Divergence>) -> Self {
        Sampled { rate, inner }
    }

    /// `K(n) - 1 = sum_(j >= 2) C(n,j) (1-r)^(n-j) r^j (e^((j-1) D_j) - 1)`, all terms positive: for j = 0, 1 the
    /// expectation is 1, and the binomial weights sum to 1. `None` if it is infinite.
    fn excess(&self, n: u32, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let wide = bits.saturating_add(64);
        let rate = self.rate.enclosure(wide);
        // Horner in (1-r) would need the powers backwards: keep the odds r/(1-r), and (1-r)^n for the end.
        let rest = Real::one().sub(&self.rate).enclosure(wide);
        let odds = &rate / &rest;
        let mut weight = rest.pow(u64::from(n));
        let mut sum = Enclosure::zero(wide);
        for j in 1..=n {
            budget.check()?;
            weight = &(&weight * &odds) * &Enclosure::rational(&Rational::from((n - j + 1, j)), wide);
            if j == 1 {
                continue;
            }
            let order = Real::from(Integer::from(j));
            let Value::Finite(inner) = self.inner.renyi(&order, Direction::Forward, wide, budget)? else {
                return Ok(None);
            };
            let moment = (&inner.enclosure(wide) * &Enclosure::integer(&Integer::from(j - 1), wide)).expm1();
            sum = sum + &weight * &moment;
        }
        Ok(Some(sum))
    }
}

impl Divergence for Sampled {
    fn symmetric(&self) -> bool {
        false
    }

    /// Forward and of integer order: the sum of the header.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        let integer = order.as_rational().filter(|order| order.is_integer());
        let Some(integer) = integer.filter(|_| !backward(direction)) else { return Err(unknown("Renyi divergence")) };
        let n = integer.numer().to_u32().filter(|n| *n <= MAX_ORDER).ok_or_else(|| {
            Error::Undecided(format!("a sum over {integer} orders is too long (at most {MAX_ORDER} are summed)"))
        })?;
        let mut infinite = false;
        let value = settle(bits, 32, budget, |working| {
            let Some(excess) = self.excess(n, working, budget)? else {
                infinite = true;
                return Ok(Enclosure::one(working));
            };
            Ok(excess.log1p() / Enclosure::integer(&Integer::from(n - 1), working))
        })?;
        Ok(if infinite { Value::Infinite } else { Value::Finite(Number::Enclosed(value)) })
    }

    /// No closed form.
    fn kullback_leibler(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Err(unknown("Kullback-Leibler divergence"))
    }

    /// Forward `E_Q (w-1)^2 = r^2 E_Q (dP/dQ - 1)^2`.
    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if backward(direction) {
            return Err(unknown("chi-squared divergence"));
        }
        Ok(match self.inner.chi_squared(Direction::Forward, bits, budget)? {
            Value::Infinite => Value::Infinite,
            Value::Finite(inner) => Value::Finite(&self.rate.number(bits).pow(2) * &inner),
        })
    }

    /// Forward `ln(1 + r (e^D - 1))` with D the inner max divergence of P from Q; backward `-ln(1 + r (e^-D - 1))` with that
    /// of Q from P, so that an infinite one becomes `-ln(1-r)`.
    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(32);
        let rate = self.rate.enclosure(wide);
        Ok(match self.inner.max(direction, wide, budget)? {
            Value::Infinite if backward(direction) => Value::Finite(Number::Enclosed(-(-rate).log1p())),
            Value::Infinite => Value::Infinite,
            Value::Finite(inner) => {
                let inner = inner.enclosure(wide);
                let log = |loss: Enclosure| (&rate * &loss.expm1()).log1p();
                Value::Finite(Number::Enclosed(if backward(direction) { -log(-inner) } else { log(inner) }))
            }
        })
    }

    /// `r` times that of the mechanism inside.
    fn total_variation(&self, bits: u32, budget: &Budget) -> Result<Number, Error> {
        Ok(&self.rate.number(bits) * &self.inner.total_variation(bits, budget)?)
    }
}

/// A sample with finitely many losses.
///
/// The masses under both distributions total 1, under Q without an infinite loss: so each sum below is written with the
/// terms that vanish with the loss.
impl Discrete {
    /// `sum mass (e^(c loss) - 1)` with the masses of the first distribution of the direction, `c` a multiple of its loss.
    fn excess(&self, c: &Enclosure, direction: Direction, bits: u32) -> Result<Enclosure, Error> {
        let mut sum = Enclosure::zero(bits);
        for outcome in self.outcomes(bits)?.finite {
            let (mass, loss) = if backward(direction) { (outcome.q, -outcome.loss) } else { (outcome.p, outcome.loss) };
            sum = sum + mass.enclosure(bits) * (&loss * c).expm1();
        }
        Ok(sum)
    }

    /// Is the first distribution found where the second has nothing?
    fn escapes(&self, direction: Direction, bits: u32) -> Result<bool, Error> {
        Ok(!backward(direction) && self.outcomes(bits)?.infinite.sign() != Some(Ordering::Equal))
    }

    fn settled(
        &self,
        direction: Direction,
        bits: u32,
        budget: &Budget,
        value: impl FnMut(u32) -> Result<Enclosure, Error>,
    ) -> Result<Value, Error> {
        if self.escapes(direction, 64)? {
            return Ok(Value::Infinite);
        }
        Ok(Value::Finite(Number::Enclosed(settle(bits, 32, budget, value)?)))
    }
}

impl Divergence for Discrete {
    fn symmetric(&self) -> bool {
        false
    }

    /// `ln(1 + sum p (e^((g-1) l) - 1))/(g-1)`.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        self.settled(direction, bits, budget, |working| {
            let (_, above) = order_above_one(order, working)?;
            let above = above.enclosure(working);
            Ok(self.excess(&above, direction, working)?.log1p() / above)
        })
    }

    /// `sum p l`.
    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.settled(direction, bits, budget, |working| {
            let mut sum = Enclosure::zero(working);
            for outcome in self.outcomes(working)?.finite {
                sum = match direction {
                    Direction::Backward => sum - outcome.q.enclosure(working) * outcome.loss,
                    Direction::Forward | Direction::Worst => sum + outcome.p.enclosure(working) * outcome.loss,
                };
            }
            Ok(sum)
        })
    }

    /// `sum p (e^l - 1)`.
    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.settled(direction, bits, budget, |working| self.excess(&Enclosure::one(working), direction, working))
    }

    fn max(&self, direction: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        if self.escapes(direction, 64)? {
            return Ok(Value::Infinite);
        }
        let Outcomes { finite, .. } = self.outcomes(bits)?;
        let losses = finite.into_iter().map(|outcome| if backward(direction) { -outcome.loss } else { outcome.loss });
        let largest = losses.reduce(|a, b| a.max(&b)).unwrap_or_else(|| Enclosure::zero(bits));
        Ok(Value::Finite(Number::Enclosed(largest)))
    }

    /// `sum (p - q)` over the positive losses, and what escapes.
    fn total_variation(&self, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let value = settle(bits, 32, budget, |working| {
            let Outcomes { finite, infinite } = self.outcomes(working)?;
            let excess = |outcome: &crate::compose::subsampled::Outcome| {
                (outcome.p.enclosure(working) - outcome.q.enclosure(working)).positive_part()
            };
            Ok(finite.iter().map(excess).fold(infinite.enclosure(working), |sum, part| sum + part))
        })?;
        Ok(Number::Enclosed(value))
    }
}
