//! `N(0,1)` against `N(mu,1)`.

use std::cmp::Ordering;

use super::{Divergence, not_negative, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Number, Real};

/// The pair of a Gaussian mechanism, by `mu = sensitivity/sigma >= 0`.
#[derive(Clone, Debug)]
pub struct Gaussian(pub Real);

impl Gaussian {
    fn parameter(&self) -> Result<&Real, Error> {
        not_negative(&self.0, "mu")?;
        Ok(&self.0)
    }

    /// `mu^2`.
    fn square(&self, bits: u32) -> Result<Number, Error> {
        Ok(self.parameter()?.number(bits).pow(2))
    }
}

impl Divergence for Gaussian {
    fn symmetric(&self) -> bool {
        true
    }

    /// `g mu^2/2`, exactly rational if `g` and `mu^2` are.
    fn renyi(&self, order: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        let (g, _) = order_above_one(order, bits)?;
        Ok(Value::Finite(&(&g * &self.square(bits)?) / &Number::Exact(2.into())))
    }

    #[cfg(feature = "cli")]
    fn renyi_sketch(&self, order: f64, _: Direction) -> Option<f64> {
        Some(order * self.0.to_f64().powi(2) / 2.0)
    }

    /// `mu^2/2`.
    fn kullback_leibler(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(&self.square(bits)? / &Number::Exact(2.into())))
    }

    /// `e^(mu^2) - 1`.
    fn chi_squared(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(match self.square(bits)? {
            Number::Exact(square) if square.is_zero() => Number::zero(),
            square => Number::Enclosed(square.enclosure(bits).expm1()),
        }))
    }

    /// Infinite, unless `mu = 0`.
    fn max(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Ok(match self.parameter()?.sign() {
            Some(Ordering::Equal) => Value::Finite(Number::zero()),
            _ => Value::Infinite,
        })
    }
}
