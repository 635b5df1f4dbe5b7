//! The other order of a pair.

use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Real};

/// `(Q, P)` from the curve of `(P, Q)`.
pub struct Reversed {
    inner: Box<dyn Curve>,
}

/// The same seen from the other side.
pub(super) fn other(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
        Direction::Worst => Direction::Worst,
    }
}

impl Reversed {
    /// Of this curve.
    pub fn new(inner: Box<dyn Curve>) -> Self {
        Reversed { inner }
    }
}

impl Curve for Reversed {
    fn symmetric(&self) -> bool {
        self.inner.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.inner.delta(epsilon, other(direction), bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.inner.epsilon(delta, other(direction), bits, budget)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.inner.beta(alpha, other(direction), bits, budget)
    }

    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        self.inner.is_at_most(epsilon, other(direction), level, budget)
    }

    fn method(&self) -> &'static str {
        "the other order of the curve inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
