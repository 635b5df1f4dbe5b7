//! One of several curves, drawn and told.
//!
//! On disjoint outcomes sums are sums: `H_x(P,Q) = sum_i w_i H_x(P_i,Q_i)`. The trade-off function comes from the
//! profile.

use super::reversed::other;
use super::seek::{inverse_profile, trade_off_of_profile};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Real};

/// One of several, with these probabilities.
pub struct Revealed {
    parts: Vec<(Real, Box<dyn Curve>)>,
    symmetric: bool,
}

impl Revealed {
    /// Of these curves; the weights sum to 1. `symmetric` promises that both directions are the same, as they are
    /// where all parts are symmetric, and where each part has the weight of its inverse.
    pub fn new(parts: Vec<(Real, Box<dyn Curve>)>, symmetric: bool) -> Self {
        Revealed { parts, symmetric }
    }
}

impl Curve for Revealed {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let mut sum = Number::zero();
        for (weight, part) in &self.parts {
            sum = &sum + &(&weight.number(bits) * &part.delta(epsilon, direction, bits, budget)?);
        }
        Ok(sum)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if delta.is_zero() {
            // Where all profiles are nothing.
            let mut largest = Value::Finite(Number::zero());
            for (_, part) in &self.parts {
                largest = largest.max(&part.epsilon(delta, direction, bits, budget)?);
            }
            return Ok(largest);
        }
        inverse_profile(delta, bits, budget, |epsilon, bits| self.delta(epsilon, direction, bits, budget))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if alpha.is_zero() {
            // What the first distribution never has is so in each part.
            let mut sum = Number::zero();
            for (weight, part) in &self.parts {
                sum = &sum + &(&weight.number(bits) * &part.beta(alpha, direction, bits, budget)?);
            }
            return Ok(sum);
        }
        let forward = |epsilon: &Real, bits: u32| self.delta(epsilon, direction, bits, budget);
        let backward = |epsilon: &Real, bits: u32| self.delta(epsilon, other(direction), bits, budget);
        trade_off_of_profile(alpha, bits, budget, forward, backward)
    }

    /// A mean is at most what none of its parts is above.
    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        for (_, part) in &self.parts {
            if !part.is_at_most(epsilon, direction, level, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn method(&self) -> &'static str {
        "the profiles of all parts, weighted"
    }

    fn statement(&self) -> &'static Statement {
        &statement::REVEALED_MIXTURE
    }
}
