//! A curve beside mechanisms that do nothing but fail: with probability `d` everything is revealed.
//!
//! Dong, Roth and Su's scaling rule (remark after equation 11): `(f (x) f_{0,d})(alpha) = (1-d) f(alpha/(1-d))` for
//! `alpha <= 1-d`, and 0 beyond; dually `delta(eps) = 1 - (1-d)(1-delta_f(eps)) = d + (1-d) delta_f(eps)`, a sum of
//! positive terms. Several failures are one with `1-d = prod (1-d_i)^{n_i}`.

use super::infinite_mass::check_probability;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::Statement;
use enclosure::{Brief, Budget, Enclosure, Note, Number, Real};

/// `f (x) f_{0,d}`.
pub struct WithFailure {
    inner: Box<dyn Curve>,
    /// `1 - d`.
    survival: Real,
}

impl WithFailure {
    /// A curve, and the `(delta, times)` of the failures beside it.
    ///
    /// # Errors
    /// [`Error::Input`] for a delta that is no probability, [`Error::Undecided`] when a power of an irrational `1 -
    /// delta` is beyond what constants can hold.
    pub fn new(inner: Box<dyn Curve>, failures: &[(Real, u64)]) -> Result<Self, Error> {
        let mut survival = Real::one();
        for (delta, times) in failures {
            check_probability(delta, "the probability of a failure", &Budget::default())?;
            let once = Real::one().sub(delta);
            let power = once.pow(&Real::from(*times)).map_err(|error| Error::undecided(error.to_string()))?;
            survival = survival.mul(&power).map_err(|error| Error::undecided(error.to_string()))?;
        }
        Ok(WithFailure { inner, survival })
    }

    fn failure(&self) -> Real {
        Real::one().sub(&self.survival)
    }
}

impl Curve for WithFailure {
    fn symmetric(&self) -> bool {
        self.inner.symmetric()
    }

    fn sketches(&self) -> bool {
        self.inner.sketches()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let inner = self.inner.delta(epsilon, direction, bits, budget)?;
        Ok(self.failure().number(bits) + self.survival.number(bits) * inner)
    }

    /// `delta <= D` iff `delta_f <= (D-d)/(1-d)`, for `d < D < 1`: see [`Edges`](super::Edges) for others.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let left = delta.sub(&self.failure()).div(&self.survival)?;
        self.inner.epsilon(&left, direction, bits, budget)
    }

    /// For `0 < alpha < 1-d`: see [`Edges`](super::Edges) for others.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let inside = alpha.div(&self.survival)?;
        Ok(self.survival.number(bits) * self.inner.beta(&inside, direction, bits, budget)?)
    }

    /// `d + (1-d) delta_f <= D` iff `delta_f <= (D-d)/(1-d)`.
    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let bits = level.bits();
        let left = &(level - &self.failure().enclosure(bits)) / &self.survival.enclosure(bits);
        self.inner.is_at_most(epsilon, direction, &left, budget)
    }

    fn is_apt(&self, epsilon: &Real, budget: &Budget) -> bool {
        self.inner.is_apt(epsilon, budget)
    }

    fn method(&self) -> &'static str {
        self.inner.method()
    }

    fn statement(&self) -> &'static Statement {
        self.inner.statement()
    }

    fn explain(&self) -> Vec<Note> {
        let mut notes = self.inner.explain();
        notes.push(Note::new("probability of a finite privacy loss", Brief(&self.survival)));
        notes
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::compose::Kov;
    use crate::compose::reference::{edged, edged_kov};
    use crate::pair::Pair;

    /// Splitting off delta from the KOV curve and putting it back is the KOV curve: two routes, exact.
    #[test]
    fn failure_beside_randomised_response_is_approximate_dp() {
        let budget = Budget::default();
        let (x, d): (Real, Real) = ("ln(3/2)".parse().expect("a constant"), "1/10".parse().expect("a constant"));
        for times in [1u64, 2, 5] {
            let whole = Kov::new(x.clone(), d.clone(), times).expect("a curve");
            let pure = Kov::new(x.clone(), Real::zero(), times).expect("a curve");
            let split = WithFailure::new(Box::new(pure), &[(d.clone(), times)]).expect("a curve");
            let pair = Pair::response(x.clone(), d.clone()).expect("a pair");
            let (whole, split) = (edged_kov(&whole), edged(split, [(pair, times)]));
            for text in ["0", "ln(5/4)", "ln(3/2)", "2*ln(3/2)", "3"] {
                let at: Real = text.parse().expect("a constant");
                let both = [&whole as &dyn Curve, &split]
                    .map(|curve| curve.delta(&at, Direction::Forward, 200, &budget).expect("a number").enclosure(200));
                assert!(both[0].overlaps(&both[1]), "{text}: {both:?}");
            }
            for (numer, denom) in [(0, 1), (1, 10), (1, 2), (4, 5), (9, 10), (1, 1)] {
                let alpha = Real::from(Rational::from((numer, denom)));
                let both = [&whole as &dyn Curve, &split].map(|curve| {
                    let beta = curve.beta(&alpha, Direction::Forward, 200, &budget).expect("a number");
                    beta.exact().cloned().expect("rational data")
                });
                assert_eq!(both[0], both[1], "{alpha}");
            }
        }
    }

    #[test]
    fn what_is_no_probability_is_no_failure() {
        for delta in ["3/2", "-1/10", "sqrt(2)"] {
            let inner = Kov::new(Real::one(), Real::zero(), 1).expect("a curve");
            let made = WithFailure::new(Box::new(inner), &[(delta.parse().expect("a constant"), 1)]);
            assert!(matches!(made, Err(Error::Input(_))), "{delta}");
        }
    }
}
