//! Discrete Gaussians: the formulas stand beside their engine, which shares the theta sums.

use super::Divergence;
use crate::compose::DiscreteGaussian;
use crate::compose::discrete_gaussian::divergence;
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Number, Real};

impl Divergence for DiscreteGaussian {
    fn symmetric(&self) -> bool {
        true
    }

    fn renyi(&self, order: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        divergence::renyi(self, order, bits, budget).map(Value::Finite)
    }

    fn kullback_leibler(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(Number::Exact(divergence::kullback_leibler(self))))
    }

    fn chi_squared(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(divergence::chi_squared(self, bits)))
    }

    fn max(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Ok(divergence::max_divergence(self))
    }
}
