//! Curves whose profile is a sum with a given absolute precision.
//!
//! Small values are computed at a higher absolute precision, and all other quantities follow from the profile
//! ([`ByProfile`]). Termination: the number of tries is fixed, and their results are stored.

use super::by_profile::{ByProfile, Precisions};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::Statement;
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// A profile with absolute errors.
pub(super) trait Summed: Send + Sync {
    /// Is the composition its own mirror image?
    fn symmetric(&self) -> bool;

    /// The profile without the mass at infinity, forward or backward, to about this number of bits after the point.
    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error>;

    /// The mass of the one distribution where the other has none, forwards or backwards.
    fn infinite(&self, _backward: bool, _bits: u32) -> Number {
        Number::zero()
    }

    /// Times that a value is sought with more bits, for it was small.
    fn tries(&self) -> u32 {
        5
    }

    /// A set of positive numbers that holds the least epsilon, where values far from it cost too much.
    ///
    /// # Errors
    /// Alarms.
    fn near(&self, _delta: &Real, _direction: Direction, _budget: &Budget) -> Result<Option<Enclosure>, Error> {
        Ok(None)
    }

    /// What values at many precisions cost.
    fn precisions(&self) -> Precisions {
        Precisions::Any
    }

    /// The name of the quantity that is enclosed more than once, for alarms.
    fn what(&self) -> &'static str;

    /// As of a [`Curve`].
    fn method(&self) -> &'static str;

    /// As of a [`Curve`].
    fn statement(&self) -> &'static Statement;

    /// As of a [`Curve`].
    fn explain(&self) -> Vec<Note>;
}

/// The curve of a sum.
pub struct BySum<S>(pub S);

impl<S: Summed> BySum<S> {
    fn backward(&self, direction: Direction) -> bool {
        !self.0.symmetric() && direction == Direction::Backward
    }

    /// The sum with this number of relative bits, or what a few higher precisions prove. It is expected to be about
    /// `2^-expected`.
    fn finite(
        &self,
        epsilon: &Real,
        backward: bool,
        bits: u32,
        expected: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let mut known = Enclosure::zero(2).hull(&Enclosure::one(2));
        let mut work = bits.saturating_add(8).saturating_add(expected).min(budget.max_bits().max(bits));
        for _ in 0..self.0.tries() {
            known = alarm::meet(&known, &self.0.sum(epsilon, backward, work, budget)?, self.0.what())?;
            let reached = known.relative_bits().unwrap_or(0);
            if reached >= i64::from(bits) || known.upper().is_zero() || work >= budget.max_bits() {
                break;
            }
            // As many more bits as the sum is small, which is known about by now.
            let small = known.upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
            work = work.saturating_add(small.clamp(32, work)).min(budget.max_bits());
        }
        Ok(known)
    }

    /// The quantities that follow from the profile in both directions.
    fn by_profile<T>(
        &self,
        direction: Direction,
        expected: u32,
        budget: &Budget,
        question: impl FnOnce(&ByProfile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let side = |reversed: bool| !self.0.symmetric() && self.backward(direction) != reversed;
        let finite = |at: &Real, reversed: bool, bits: u32| self.finite(at, side(reversed), bits, expected, budget);
        let infinite = |reversed: bool, bits: u32| self.0.infinite(side(reversed), bits);
        question(&ByProfile { finite: &finite, infinite: &infinite })
    }
}

impl<S: Summed> Curve for BySum<S> {
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    /// At any real epsilon. See [`Edges`](super::Edges) for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let finite = self.finite(epsilon, backward, bits.saturating_add(4), 0, budget)?;
        Ok(&self.0.infinite(backward, bits.saturating_add(16)) + &Number::Enclosed(finite))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let near = self.0.near(delta, direction, budget)?;
        let precisions = self.0.precisions();
        // Next to the epsilon the profile is the delta.
        let expected = match precisions {
            Precisions::Two => delta.enclosure(32).upper().get_exp().map_or(0, |size| size.min(0).unsigned_abs()),
            _ => 0,
        };
        self.by_profile(direction, expected, budget, |profile| match (&near, precisions) {
            (Some(near), _) => profile.epsilon_within(delta, near, bits, precisions, budget),
            (None, Precisions::Any) => profile.epsilon(delta, bits, budget),
            (None, _) => profile.epsilon_by_steps(delta, bits, precisions, budget),
        })
        .map(Value::Finite)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.by_profile(direction, 0, budget, |profile| profile.beta(alpha, bits, budget)).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        self.0.method()
    }

    fn statement(&self) -> &'static Statement {
        self.0.statement()
    }

    fn explain(&self) -> Vec<Note> {
        self.0.explain()
    }
}
