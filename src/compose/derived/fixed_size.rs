//! A sample of fixed size: `C_p(f) = min(f_p, f_p^-1)**`, for symmetric f.
//!
//! `f_p = p f + (1-p) Id` is the trade-off function of the Poisson sample with the same rate, backward, and `f_p^-1`
//! that forward, so that [`Subsampled`] knows both. The hull is, with the fixed point `a* = f(a*)`,
//!
//! ```text
//! C_p(f)(a) = f_p(a)               for a <= a*,
//!             a* + f_p(a*) - a     for a* <= a <= f_p(a*),
//!             f_p^-1(a)            beyond
//! ```
//!
//! (Dong, Roth, Su, after Theorem 4.2). Of `f_(epsilon,delta)` the middle piece is the line
//! `1 - p delta - p (1-delta) (e^epsilon - 1)/(e^epsilon + 1) - a`; prints of it that lack the factor `1 - delta` have
//! a line below this one wherever `delta > 0`, a bound that is not tight. For symmetric f the total variation is
//! `1 - 2 a*`, which gives the fixed point, and `a* + f_p(a*) = 1 - p (1 - 2 a*)`. Where alpha cannot be told from an
//! end of a piece, both pieces are taken: they are equal there.
//!
//! The profile at `eps >= 0` is that of the Poisson sample forward, `p delta(ln(1 + (e^eps - 1)/p))`, which is the
//! larger of both; below 0 it follows from symmetry.

use std::cmp::Ordering;

use super::seek::at_any_epsilon;
use crate::compose::Subsampled;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Note, Number, Real};

/// A symmetric curve on a sample of fixed size.
pub struct FixedSize {
    rate: Real,
    poisson: Subsampled,
}

/// The last two places between pieces: before the first, between both, after the second, or too near to tell.
fn piece(alpha: &Number, at: &Number) -> Option<Ordering> {
    alpha.compare(at)
}

impl FixedSize {
    /// With a rate strictly between 0 and 1, and a curve that is symmetric.
    ///
    /// # Errors
    /// [`Error::Input`] for another rate.
    pub fn new(rate: Real, inner: Box<dyn Curve>) -> Result<Self, Error> {
        Ok(FixedSize { rate: rate.clone(), poisson: Subsampled::new(rate, inner)? })
    }
}

impl Curve for FixedSize {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        at_any_epsilon(epsilon, bits, |epsilon| self.poisson.delta(epsilon, Direction::Forward, bits, budget))
    }

    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.poisson.epsilon(delta, Direction::Forward, bits, budget)
    }

    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(16);
        // p (1 - 2 a*), the total variation of the sample.
        let variation = self.poisson.delta(&Real::zero(), Direction::Forward, wide, budget)?;
        let one = Number::one();
        let inside = &variation / &self.rate.number(wide);
        let first = &(&one - &inside) * &Number::Exact(rug::Rational::from((1, 2)));
        let second = &(&one - &variation) - &first;
        let here = alpha.number(wide);
        let low = || self.poisson.beta(alpha, Direction::Backward, wide, budget);
        let line = || &(&one - &variation) - &here;
        let high = || self.poisson.beta(alpha, Direction::Forward, wide, budget);
        let either = |a: Number, b: Number| Number::Enclosed(a.enclosure(wide).hull(&b.enclosure(wide)));
        match (piece(&here, &first), piece(&here, &second)) {
            (Some(Ordering::Less | Ordering::Equal), _) => low(),
            (_, Some(Ordering::Greater | Ordering::Equal)) => high(),
            (Some(Ordering::Greater), Some(Ordering::Less)) => Ok(line()),
            (None, Some(_)) => Ok(either(low()?, line())),
            (Some(_), None) => Ok(either(line(), high()?)),
            // Both ends are one where the total variation is nearly nothing.
            (None, None) => Ok(either(either(low()?, line()), high()?)),
        }
    }

    fn method(&self) -> &'static str {
        "one sample of fixed size, through the curve of what is inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::FIXED_SIZE_SAMPLE
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("share of the records in the sample", &self.rate)]
    }
}
