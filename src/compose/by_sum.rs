//! Curves whose profile is a sum that is right to so many bits after the point.
//!
//! What is small is asked for with more bits after the point, and all else follows from the profile
//! ([`ByProfile`]). Why it ends: so many tries; what they tell is kept.

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

    /// The profile without the mass at infinity, forwards or backwards, to about so many bits after the point.
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

    /// What is enclosed more than once, to be told in an alarm.
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

    /// The sum with so many bits relative to what comes out, or what a few more precisions tell; it is expected to be
    /// small by so many bits.
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

    /// What follows from the profile in this direction and in the other.
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
