//! Finite pairs of rationals: the formulas stand with the pair, which the antipodal replacement uses too.

use super::Divergence;
use crate::curve::{Direction, Value, chi_squared, finite_kl, max_divergence, renyi};
use crate::error::Error;
use crate::pair::FinitePair;
use enclosure::{Budget, Real};

impl FinitePair {
    /// The pair with the first distribution of this direction first.
    fn towards(&self, direction: Direction) -> Self {
        match direction {
            Direction::Backward => self.swapped(),
            Direction::Forward | Direction::Worst => self.clone(),
        }
    }
}

impl Divergence for FinitePair {
    fn symmetric(&self) -> bool {
        false
    }

    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        renyi(&self.towards(direction), order, bits, budget)
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(finite_kl(&self.towards(direction), bits))
    }

    fn chi_squared(&self, direction: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Ok(chi_squared(&self.towards(direction)))
    }

    fn max(&self, direction: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(max_divergence(&self.towards(direction), bits))
    }
}
