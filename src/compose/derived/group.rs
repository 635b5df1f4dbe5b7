//! Groups: `1 - (1-f)^(o k)`, for chains of k neighbours that are all bounded by f in the order of the chain. Where f
//! is symmetric, as the hull that `group` takes is, that bounds every chain.
//!
//! **Trade-off function.** With `a_0 = alpha` and `a_(i+1) = 1 - f(a_i)` it is `1 - a_k`. f falls, so that an enclosure
//! of `a_i` gives one of the next by two values.
//!
//! **Backward** the chain is walked the other way: the inverse of `1 - (1-f)^(o k)` is `1 - (1-f^-1)^(o k)`. With
//! `F = 1 - f` and the reflection `r(a) = 1 - a`, `1 - f^-1 = r F^-1 r`, whose iterate is `r F^(-k) r`.
//!
//! **Profile.** `H_x(Q,P) = sup_a [a_k(a) - x a]`, where `a_k` is concave and increasing, as iterates of such functions
//! are; with the same powers `e^eps = sup_a (a_k(a) - delta)/a`.

use super::reversed::other;
use super::seek::{at_any_epsilon, beta_on, inverse_of_power, profile_of_power};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// The ends of a chain of neighbours.
pub struct Group {
    inner: Box<dyn Curve>,
    size: u64,
}

impl Group {
    /// Of so many, at least one, each two of which are told apart as this curve says.
    pub fn new(inner: Box<dyn Curve>, size: u64) -> Self {
        Group { inner, size }
    }

    /// `a_k`, from all points of an enclosure.
    pub(super) fn power(
        &self,
        alpha: &Enclosure,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let mut level = alpha.clone();
        for _ in 0..self.size {
            budget.check()?;
            level = self.next_level(&level, direction, bits, budget)?;
        }
        Ok(level)
    }

    /// `1 - f(a)` at all points of an enclosure, from one value: it increases with a, and `(1 - f(a))/a` falls, for it
    /// is concave and not negative at 0.
    fn next_level(
        &self,
        level: &Enclosure,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let power = |beta: &Enclosure| (&Enclosure::one(bits) - beta).positive_part();
        let low = level.lower().to_rational().filter(|low| *low > 0 && *low <= 1 && !level.is_point());
        let Some(low) = low else {
            return Ok(power(&beta_on(self.inner.as_ref(), level, direction, bits, budget)?));
        };
        let beta = self.inner.beta(&Real::from(low), direction, bits, budget)?.enclosure(bits);
        let least = power(&beta);
        let [above, below] = [level.upper(), level.lower()].map(|end| Enclosure::new(end.clone(), end.clone()));
        let growth = &above / &below;
        let most = (&least * &growth.with_bits(bits)).min(&Enclosure::one(bits));
        Ok(Enclosure::new(least.lower().clone(), most.upper().clone()))
    }

    /// The profile of the pair whose powers these are, backward, at an epsilon that is at least 0.
    pub(super) fn profile(
        &self,
        epsilon: &Real,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Number, Error> {
        profile_of_power(epsilon, bits, budget, |alpha, bits| self.power(alpha, direction, bits, budget))
    }
}

/// Whose powers a profile in this direction has: tests of the first against the second distribution have the other's,
/// and below 0 the order changes.
pub(super) fn tests(epsilon: &Real, direction: Direction) -> Direction {
    let negative = epsilon.sign() == Some(std::cmp::Ordering::Less);
    if negative { direction } else { other(direction) }
}

impl Curve for Group {
    fn symmetric(&self) -> bool {
        self.inner.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let tests = tests(epsilon, direction);
        at_any_epsilon(epsilon, bits, |epsilon| self.profile(epsilon, tests, bits, budget))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        inverse_of_power(delta, bits, budget, |alpha, bits| self.power(alpha, other(direction), bits, budget))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(16);
        let mut level = alpha.number(wide);
        for _ in 1..self.size {
            budget.check()?;
            let beta = match level.exact() {
                Some(exact) => self.inner.beta(&Real::from(exact.clone()), direction, wide, budget)?,
                None => beta_on(self.inner.as_ref(), &level.enclosure(wide), direction, wide, budget)?.into(),
            };
            level = &Number::one() - &beta;
        }
        match level.exact() {
            Some(exact) => self.inner.beta(&Real::from(exact.clone()), direction, wide, budget),
            None => Ok(beta_on(self.inner.as_ref(), &level.enclosure(wide), direction, wide, budget)?.into()),
        }
    }

    fn method(&self) -> &'static str {
        "the trade-off function inside, iterated"
    }

    fn statement(&self) -> &'static Statement {
        &statement::GROUPS
    }

    fn explain(&self) -> Vec<Note> {
        let links = if self.inner.symmetric() { "each added or removed" } else { "all added, or all removed" };
        vec![Note::new("records in the group", self.size), Note::new("records are", links)]
    }
}
