//! `min(f, f^-1)**`: the greatest trade-off function below both orders.
//!
//! The conjugate of the greatest convex function below two is the larger one of their conjugates: the profile is the
//! larger one of both profiles, at every epsilon, and so is its inverse. The trade-off function comes from the profile.

use super::seek::trade_off_of_profile;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Number, Real};

/// The worse one of both orders.
pub struct Hull {
    inner: Box<dyn Curve>,
}

impl Hull {
    /// Of this curve.
    pub fn new(inner: Box<dyn Curve>) -> Self {
        Hull { inner }
    }

    fn profile(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.inner.delta(epsilon, Direction::Forward, bits, budget)?;
        Ok(forward.max(&self.inner.delta(epsilon, Direction::Backward, bits, budget)?))
    }
}

impl Curve for Hull {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.profile(epsilon, bits, budget)
    }

    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let forward = self.inner.epsilon(delta, Direction::Forward, bits, budget)?;
        Ok(forward.max(&self.inner.epsilon(delta, Direction::Backward, bits, budget)?))
    }

    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if alpha.is_zero() {
            // Both are continuous: from any point below both values a line that is steep enough is below both.
            let forward = self.inner.beta(alpha, Direction::Forward, bits, budget)?;
            return Ok(forward.min(&self.inner.beta(alpha, Direction::Backward, bits, budget)?));
        }
        let profile = |epsilon: &Real, bits: u32| self.profile(epsilon, bits, budget);
        trade_off_of_profile(alpha, bits, budget, profile, profile)
    }

    fn method(&self) -> &'static str {
        "the larger one of both profiles of the curve inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
