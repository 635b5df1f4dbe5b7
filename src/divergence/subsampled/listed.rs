//! Samples with finitely many losses: sums over them.

use std::cmp::Ordering;

use super::super::{Divergence, order_above_one};
use super::backward;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Discrete, Outcomes};
use enclosure::{Budget, Enclosure, Number, Real, adaptive_precision};

/// A sample with finitely many losses.
///
/// The masses under both distributions total 1, under Q without an infinite loss: so each sum below is written with the
/// terms that vanish with the loss.
pub struct Listed(pub Discrete);

impl Listed {
    /// `sum mass (e^(c loss) - 1)` with the masses of the first distribution of the direction, `c` a multiple of its
    /// loss.
    fn excess(&self, c: &Enclosure, direction: Direction, bits: u32) -> Result<Enclosure, Error> {
        let mut sum = Enclosure::zero(bits);
        for outcome in self.0.outcomes(bits)?.finite {
            let (mass, loss) = if backward(direction) { (outcome.q, -outcome.loss) } else { (outcome.p, outcome.loss) };
            sum = sum + mass.enclosure(bits) * (&loss * c).expm1();
        }
        Ok(sum)
    }

    /// Is the first distribution found where the second has nothing?
    fn escapes(&self, direction: Direction, bits: u32) -> Result<bool, Error> {
        Ok(!backward(direction) && self.0.outcomes(bits)?.infinite_p.sign() != Some(Ordering::Equal))
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
        Ok(Value::Finite(Number::Enclosed(adaptive_precision(bits, 32, budget, value)?)))
    }
}

impl Divergence for Listed {
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
            for outcome in self.0.outcomes(working)?.finite {
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
        let Outcomes { finite, .. } = self.0.outcomes(bits)?;
        let losses = finite.into_iter().map(|outcome| if backward(direction) { -outcome.loss } else { outcome.loss });
        let largest = losses.reduce(|a, b| a.max(&b)).unwrap_or_else(|| Enclosure::zero(bits));
        Ok(Value::Finite(Number::Enclosed(largest)))
    }
}
