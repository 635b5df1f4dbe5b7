//! `max(f, f^-1)`: what f-privacy in both orders comes to.
//!
//! The trade-off function is the larger one of two values. Its profile is that of the power `1 - max(f, f^-1)`, which
//! is the smaller one of two concave functions, and so concave. The pair is symmetric.

use std::cmp::Ordering;

use rug::Rational;

use super::seek::{at_any_epsilon, beta_on, inverse_of_power, profile_of_power};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Number, Portable, Real, peak};

/// Bits of values that are compared, beyond those that the profile has before its first digit.
const ROUGH: u32 = 48;
/// Half the lengths of the intervals of logarithms of type I errors, one after the other, that may hold the best test.
const AROUND: [f64; 2] = [0.25, 0.0625];
/// How precisely the best test is sought.
const WIDTH: f64 = 0.02;

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

    /// The profile at an epsilon that is at least 0, where it is that of one order: one value, and few bits of some
    /// type II errors. `None` where that is not seen.
    ///
    /// With the powers F and G of both orders, `h(a) = F(a) - x a` has the greatest value H, the profile of the order,
    /// say the smaller one of both. Where `a1 < m < a2` and h is larger at m than at `a1` and at `a2`, the concave h is
    /// greatest between these two. Where `G(a) - x a >= H` at both, it is so between them, for G is concave: then
    /// `F <= G` there, and the greatest value of `min(F, G) - x a`, which is nowhere above h, is H as well.
    fn by_one_order(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        let profile = |direction| self.inner.delta(epsilon, direction, ROUGH, budget);
        let (backward, forward) = (profile(Direction::Backward)?, profile(Direction::Forward)?);
        // Which profile, and by which orders the powers go: the tests of T(P,Q) have the profile of (Q,P).
        let (least, of, own, other) = match backward.compare(&forward) {
            Some(Ordering::Less) => (backward, Direction::Backward, Direction::Forward, Direction::Backward),
            Some(Ordering::Greater) => (forward, Direction::Forward, Direction::Backward, Direction::Forward),
            _ => return Ok(None),
        };
        let most = least.enclosure(ROUGH);
        let size = most.lower().to_f64();
        if !(size.is_normal() && size > 0.0) {
            return Ok(None);
        }
        let wide = ROUGH.saturating_add((-size.portable_log2()).ceil().max(0.0) as u32);
        let x = epsilon.exp_number(wide).enclosure(wide);
        let height = |direction: Direction, t: f64| -> Result<Option<Enclosure>, Error> {
            budget.check()?;
            let Some(alpha) = Rational::from_f64(t.portable_exp()).filter(|alpha| *alpha > 0 && *alpha < 1) else {
                return Ok(None);
            };
            let alpha = Real::from(alpha);
            let power = &Number::one() - &self.inner.beta(&alpha, direction, wide, budget)?;
            Ok(Some(&power.enclosure(wide) - &(&x * &alpha.enclosure(wide))))
        };
        let seen = |t: f64| -> Result<f64, Error> {
            let value = height(own, t)?.map(|value| f64::midpoint(value.lower().to_f64(), value.upper().to_f64()));
            // Downhill from what is no type I error.
            Ok(value.unwrap_or(-1.0 - t.abs()))
        };
        let middle = peak::climbed(size.portable_ln().min(-1.0), 1.0, WIDTH, seen)?;
        let Some(top) = height(own, middle)? else { return Ok(None) };
        for half in AROUND {
            let mut holds = true;
            for end in [middle - half, middle + half] {
                let beside =
                    |value: Option<Enclosure>, holds: &dyn Fn(&Enclosure) -> bool| value.is_some_and(|v| holds(&v));
                holds = holds
                    && beside(height(own, end)?, &|value| value.upper() < top.lower())
                    && beside(height(other, end)?, &|value| value.lower() >= most.upper());
            }
            if holds {
                return self.inner.delta(epsilon, of, bits, budget).map(Some);
            }
        }
        Ok(None)
    }
}

impl Curve for Larger {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        at_any_epsilon(epsilon, bits, |epsilon| {
            if let Some(value) = alarm::declined(self.by_one_order(epsilon, bits, budget))?.flatten() {
                return Ok(value);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::reference::real;
    use crate::compose::{self, Method};
    use crate::mechanism::Composition;

    /// The profile of one order is what is found on the power, and near 0, where both orders matter, it is not taken.
    #[test]
    fn one_order_says_what_both_do() {
        let budget = Budget::default();
        for (inner, epsilons, taken) in [
            ("poisson(rate=0.879, gaussian(sigma=1.636))", ["0", "1/100", "1/2", "1.684", "2"], 3),
            ("poisson(rate=1/10, gaussian(sigma=1))", ["0", "1/100", "1/20", "1/15", "1/10"], 1),
            ("poisson(rate=1/3, laplace(scale=2))", ["0", "1/100", "1/20", "1/10", "1/8"], 0),
        ] {
            let composition: Composition = inner.parse().expect(inner);
            let larger = Larger::new(compose::curve(&composition, Method::Auto, &budget).expect(inner));
            let mut count = 0;
            for epsilon in epsilons {
                let power = |alpha: &Enclosure, bits: u32| larger.power(alpha, bits, &budget);
                let sought = profile_of_power(&real(epsilon), 64, &budget, power).expect("a profile");
                let found = larger.by_one_order(&real(epsilon), 64, &budget).expect("values");
                count += u32::from(found.is_some());
                let agrees = found.is_none_or(|found| found.enclosure(128).overlaps(&sought.enclosure(128)));
                assert!(agrees, "{inner} {epsilon}: {sought:?}");
            }
            assert!(count >= taken && count < 5, "{inner}: {count}");
        }
    }
}
