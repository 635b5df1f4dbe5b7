//! `max(f, f^-1)`: what f-privacy in both orders comes to.
//!
//! The trade-off function is the larger one of two values. Its profile is that of the power `1 - max(f, f^-1)`, which
//! is the smaller one of two concave functions, and so concave. The pair is symmetric.

use super::seek::{at_any_epsilon, beta_on, inverse_of_power, profile_of_power};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Real};

/// The larger one of both orders.
pub struct Larger {
    inner: Box<dyn Curve>,
}

impl Larger {
    /// Of this curve.
    pub fn new(inner: Box<dyn Curve>) -> Self {
        Larger { inner }
    }

    fn power(&self, alpha: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let forward = beta_on(self.inner.as_ref(), alpha, Direction::Forward, bits, budget)?;
        let backward = beta_on(self.inner.as_ref(), alpha, Direction::Backward, bits, budget)?;
        Ok(&Enclosure::one(bits) - &forward.max(&backward))
    }
}

impl Curve for Larger {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        at_any_epsilon(epsilon, bits, |epsilon| {
            profile_of_power(epsilon, bits, budget, |alpha, bits| self.power(alpha, bits, budget))
        })
    }

    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        inverse_of_power(delta, bits, budget, |alpha, bits| self.power(alpha, bits, budget))
    }

    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.inner.beta(alpha, Direction::Forward, bits, budget)?;
        Ok(forward.max(&self.inner.beta(alpha, Direction::Backward, bits, budget)?))
    }

    fn method(&self) -> &'static str {
        "the larger one of both orders of the curve inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
