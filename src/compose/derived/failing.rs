//! Groups of mechanisms that fail outright, whose masses at infinity are no constants: the edges, by values.
//!
//! Of the group of k with `F = 1 - f` the second distribution alone has the mass `F^k(0)`, which is an iterate as any
//! other, and no closed form of the parameters. So what [`Edges`](crate::compose::Edges) take from the ends of the
//! pairs is taken from the trade-off function here: `a = 1 - T(Q,P)(0)` for the profile of (P,Q), an epsilon is
//! infinite for `delta < a`, and 0 for `delta = 1`. At `delta = a` it is the largest loss, and not known.
//!
//! **Beyond the largest loss** the profile is `a`: `g(t) = a_k(t) - x t` is concave on `[0, 1]` and greatest at 0,
//! where no search by `ln t` comes. Chords extended beyond their ends are above. That over `[2h, 4h]` bounds what is to
//! its left, `g(t) <= max(g(2h), 2 g(2h) - g(4h))` for `t <= 2h`; that over `[h, 2h]` what is to its right,
//! `g(t) <= g(2h) + s` for `2h <= t <= 1`, if its slope is at most `s >= 0`.

use std::cmp::Ordering;

use rug::Rational;

use super::super::edges::check;
use super::group::{Group, tests};
use super::hull::Hull;
use super::reversed::other;
use super::seek::at_any_epsilon;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::Statement;
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// Around a group, whose trade-off function is right up to both of its ends.
pub struct Failing {
    inner: Group,
}

impl Failing {
    /// Around this curve.
    pub fn new(inner: Group) -> Self {
        Failing { inner }
    }

    /// The profile where it is all but the mass at infinity, at an epsilon that is at least 0; `None` elsewhere.
    fn beyond(&self, epsilon: &Real, tests: Direction, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        let wide = bits.saturating_mul(2).saturating_add(32);
        let x = epsilon.exp_number(wide).enclosure(wide);
        let value = |times: u32| -> Result<(Enclosure, Enclosure), Error> {
            let at = Enclosure::rational(&(Rational::from(times) >> bits), wide);
            let power = self.inner.power(&at, tests, wide, budget)?;
            Ok((&power - &(&x * &at), power))
        };
        let ((one, _), (two, power)) = (value(1)?, value(2)?);
        let rise = (&two - &one).positive_part().shift(i32::try_from(bits).unwrap_or(i32::MAX));
        // At the largest loss itself the slope is 0, which no enclosure tells.
        if rise.upper().get_exp().is_some_and(|exponent| i64::from(exponent) > -i64::from(bits)) {
            return Ok(None);
        }
        // What is paid for by `2 g(2h) - g(4h)` cancels.
        let above = &two.max(&(&power.shift(1) - &value(4)?.1)) + &rise;
        let least = value(0)?.1.max(&one);
        Ok(Some(Number::Enclosed(Enclosure::new(least.lower().clone(), above.upper().clone()))))
    }

    fn both(&self, direction: Direction) -> bool {
        direction == Direction::Worst && !self.inner.symmetric()
    }
}

impl Curve for Failing {
    fn symmetric(&self) -> bool {
        self.inner.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.both(direction) {
            let backward = self.delta(epsilon, Direction::Backward, bits, budget)?;
            return Ok(self.delta(epsilon, Direction::Forward, bits, budget)?.max(&backward));
        }
        let tests = tests(epsilon, direction);
        at_any_epsilon(epsilon, bits, |epsilon| match self.beyond(epsilon, tests, bits, budget)? {
            Some(delta) => Ok(delta),
            None => self.inner.profile(epsilon, tests, bits, budget),
        })
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if self.both(direction) {
            let backward = self.epsilon(delta, Direction::Backward, bits, budget);
            let forward = self.epsilon(delta, Direction::Forward, bits, budget);
            // Where it is infinite in one direction, that of the other does not matter.
            return match (forward, backward) {
                (Ok(Value::Infinite), _) | (_, Ok(Value::Infinite)) => Ok(Value::Infinite),
                (forward, backward) => Ok(forward?.max(&backward?)),
            };
        }
        check(delta, "the target delta", budget)?;
        if delta.compare(&Real::one()) == Some(Ordering::Equal) {
            return Ok(Value::Finite(Number::zero()));
        }
        let wide = bits.saturating_add(64);
        let kept = self.beta(&Real::zero(), other(direction), wide, budget)?;
        let infinite = &Number::one() - &kept;
        match (&delta.number(wide) - &infinite).sign() {
            Some(Ordering::Less) => Ok(Value::Infinite),
            Some(Ordering::Greater) => self.inner.epsilon(delta, direction, bits, budget),
            _ => Err(Error::undecided(format!("cannot decide whether delta = {delta} is below the mass at infinity"))),
        }
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.both(direction) {
            let curve: &dyn Curve = self;
            return Hull::new(curve).beta(alpha, direction, bits, budget);
        }
        check(alpha, "alpha", budget)?;
        self.inner.beta(alpha, direction, bits, budget)
    }

    fn method(&self) -> &'static str {
        self.inner.method()
    }

    fn statement(&self) -> &'static Statement {
        self.inner.statement()
    }

    fn explain(&self) -> Vec<Note> {
        self.inner.explain()
    }
}
