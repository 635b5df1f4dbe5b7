//! A mechanism on a Poisson sample: `(1-r) Q + r P` against Q.
//!
//! With `w = 1 - r + r dP/dQ` the moments are `K(z) = E_Q w^z`, forward of order g `ln K(g)/(g-1)`, backward
//! `ln K(1-g)/(g-1)`; the Kullback-Leibler divergences are `E_Q w ln w` and `E_Q -ln w`. What is a polynomial of the
//! likelihood ratio comes from the divergences of the mechanism inside:
//! `w^n = sum_j C(n,j) (1-r)^(n-j) r^j (dP/dQ)^j`, with `E_Q (dP/dQ)^j = e^((j-1) D_j)`, `D_j` the inner Renyi
//! divergence of order j. Where the losses are finitely many, everything is a sum over them ([`listed`]). What is
//! neither is an integral, enclosed in `normal` for Gaussian noise, continuous or discrete, and in `laplace`; of
//! shuffled reports it is a sum over their counts, in `shuffled`.

mod laplace;
mod listed;
mod normal;
mod shuffled;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::{Integer, Rational};

use self::laplace::Laplace;
pub(super) use self::listed::Listed;
use self::normal::Normal;
use super::{Divergence, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Shuffled};
use enclosure::{Budget, Enclosure, Number, Real, adaptive_precision};

/// A sample of a mechanism whose divergences are known; the rate is strictly between 0 and 1.
pub struct Sampled {
    rate: Real,
    inner: Box<dyn Divergence>,
    law: Option<Law>,
}

/// The law of the likelihood ratio under Q.
enum Law {
    Normal(Normal),
    Laplace(Laplace),
    Shuffled(Shuffled),
}

/// The integrand, a convex function of w that vanishes with its derivative at `w = 1`. Because `E_Q w = 1`, subtracting
/// the line changes an expectation only by a constant.
enum Integrand {
    /// `w^z - 1 - z (w-1)`, `z > 1` or `z < 0`: the expectation is `K(z) - 1`.
    Power(Real),
    /// `w ln w - (w-1)`.
    Forward,
    /// `-ln w + (w-1)`.
    Backward,
}

/// The largest order whose sum is formed.
const MAX_ORDER: u32 = 1 << 12;

fn backward(direction: Direction) -> bool {
    direction == Direction::Backward
}

impl Sampled {
    /// From the rate, strictly between 0 and 1, the pair inside and its divergences.
    ///
    /// # Errors
    /// [`Error::Input`] for another rate, and those of the constants that describe the noise.
    pub fn new(rate: Real, pair: &Pair, inner: Box<dyn Divergence>) -> Result<Self, Error> {
        if [&rate, &Real::one().sub(&rate)].iter().any(|part| part.sign() != Some(Ordering::Greater)) {
            return Err(Error::input(format!("the sampling rate must be strictly between 0 and 1, not {rate}")));
        }
        let law = match pair {
            Pair::Gaussian { mu } => Some(Law::Normal(Normal::continuous(mu.clone()))),
            Pair::DiscreteGaussian { sigma2, sensitivity } => {
                Some(Law::Normal(Normal::integers(sigma2.clone(), *sensitivity)?))
            }
            Pair::Laplace { shift } => Some(Law::Laplace(Laplace::new(shift.clone()))),
            Pair::Shuffled(reports) => Some(Law::Shuffled(reports.clone())),
            _ => None,
        };
        Ok(Sampled { rate, inner, law })
    }

    /// `E_Q` of an integrand, narrow relative to its value.
    fn expectation(&self, integrand: &Integrand, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        adaptive_precision(bits, 32, budget, |working| match &self.law {
            Some(Law::Normal(law)) => law.expectation(&self.rate, integrand, working, budget),
            Some(Law::Laplace(law)) => law.expectation(&self.rate, integrand, working, budget),
            Some(Law::Shuffled(reports)) => shuffled::expectation(reports, &self.rate, integrand, working, budget),
            None => Err(Error::Undecided(
                "dpcert has no formula for this divergence of this subsampled mechanism; it has one for the max \
                 divergence and, in the forward direction, for chi-squared and Renyi divergences of integer order"
                    .into(),
            )),
        })
    }

    /// `K(n) - 1 = sum_(j >= 2) C(n,j) (1-r)^(n-j) r^j (e^((j-1) D_j) - 1)`, all terms positive: for j = 0, 1 the
    /// expectation is 1, and the binomial weights sum to 1. `None` if it is infinite.
    fn excess(&self, n: u32, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let wide = bits.saturating_add(64);
        let rate = self.rate.enclosure(wide);
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
            if !moment.is_bounded() {
                return Err(Error::Undecided("a moment exceeds the exponent range of the arithmetic".into()));
            }
            sum = sum + &weight * &moment;
        }
        Ok(Some(sum))
    }
}

impl Divergence for Sampled {
    fn symmetric(&self) -> bool {
        false
    }

    fn closed(&self) -> bool {
        false
    }

    /// Forward and of integer order the sum of the header, otherwise an integral.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        let integer = order.as_rational().filter(|order| order.is_integer()).and_then(|order| order.numer().to_u32());
        let integer = integer.filter(|order| *order <= MAX_ORDER && !backward(direction));
        let mut infinite = false;
        let value = adaptive_precision(bits, 32, budget, |working| {
            let (_, above) = order_above_one(order, working)?;
            let excess = match integer {
                Some(n) => match self.excess(n, working, budget)? {
                    Some(excess) => excess,
                    None => {
                        infinite = true;
                        return Ok(Enclosure::one(working));
                    }
                },
                None if backward(direction) => {
                    self.expectation(&Integrand::Power(Real::one().sub(order)), working, budget)?
                }
                None => self.expectation(&Integrand::Power(order.clone()), working, budget)?,
            };
            Ok(excess.log1p() / above.enclosure(working))
        })?;
        Ok(if infinite { Value::Infinite } else { Value::Finite(Number::Enclosed(value)) })
    }

    /// `E_Q w ln w`, backward `E_Q -ln w`.
    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let integrand = if backward(direction) { Integrand::Backward } else { Integrand::Forward };
        Ok(Value::Finite(Number::Enclosed(self.expectation(&integrand, bits, budget)?)))
    }

    /// Forward `E_Q (w-1)^2 = r^2 E_Q (dP/dQ - 1)^2`; backward `K(-1) - 1`.
    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if backward(direction) {
            let integrand = Integrand::Power(Real::one().neg());
            return Ok(Value::Finite(Number::Enclosed(self.expectation(&integrand, bits, budget)?)));
        }
        Ok(match self.inner.chi_squared(Direction::Forward, bits, budget)? {
            Value::Infinite => Value::Infinite,
            Value::Finite(inner) => Value::Finite(&self.rate.number(bits).pow(2) * &inner),
        })
    }

    /// Forward `ln(1 + r (e^D - 1))` with D the inner max divergence of P from Q; backward `-ln(1 + r (e^-D - 1))` with
    /// that of Q from P, so that an infinite one becomes `-ln(1-r)`.
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
}
