//! `min(f, f^-1)**`: the largest trade-off function below those of both orders.
//!
//! The conjugate of the largest convex function below two functions is the larger one of their conjugates. So the
//! profile is the larger one of both profiles, at every epsilon, and so is its inverse.
//!
//! The trade-off function at alpha is at most the type II error of each order, and at least every line
//! `1 - H_x - x alpha` below both curves. At most points a tangent of the smaller error is such a line: two type II
//! errors next to alpha give its slope, and one value of each profile proves that it is below both. Elsewhere that line
//! cuts the other curve, and alpha lies below a common tangent, whose slope is sought between those of the two
//! tangents. Paper proof: `proofs/paper/answers.md`.

use std::cmp::Ordering;
use std::ops::Deref;

use rug::{Float, Rational};

use super::reversed::other;
use super::seek::{line_below, trade_off_of_profile};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Number, Real};

/// Steps of the bisection towards the common tangent of two polylines.
const HALVINGS: u32 = 64;

/// A line may fall by the error of the values, less this many bits.
const SPARE: u32 = 8;

/// What alarms call the value.
const WHAT: &str = "type II error of both orders";

/// The curve of both orders of a curve.
pub struct Hull<C> {
    inner: C,
}

impl<C: Deref<Target: Curve>> Hull<C> {
    /// Of this curve.
    pub fn new(inner: C) -> Self {
        Hull { inner }
    }

    fn profile(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.inner.delta(epsilon, Direction::Forward, bits, budget)?;
        Ok(forward.max(&self.inner.delta(epsilon, Direction::Backward, bits, budget)?))
    }

    /// The height at alpha of the line of slope `-x` below both curves.
    fn line(&self, x: &Rational, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        line_below(x, alpha, bits, |epsilon| self.profile(epsilon, bits, budget))
    }

    /// The height at alpha of the highest line below both curves, sought among all slopes.
    fn highest_line(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let profile = |epsilon: &Real, bits: u32| self.profile(epsilon, bits, budget);
        trade_off_of_profile(alpha, bits, budget, profile, profile)
    }

    /// A lower bound of the trade-off function of both orders, from upper bounds of both profiles.
    ///
    /// The type II errors that a curve of bounds returns may be below its own lines, so that they prove nothing here.
    ///
    /// # Errors
    /// Those of the curve.
    pub fn by_lines(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if alpha.is_zero() {
            let forward = self.inner.beta(alpha, Direction::Forward, bits, budget)?;
            return Ok(forward.min(&self.inner.beta(alpha, Direction::Backward, bits, budget)?));
        }
        self.highest_line(alpha, bits, budget)
    }

    /// About the slope of the trade-off function of one order at alpha, its sign turned; `None` where it seems to be 0.
    /// Nothing rests on it. Of exact values it is exact, which makes it the slope of an edge of a polyline.
    ///
    /// The curve is evaluated at `alpha - h` and at `alpha + h`. The error of the quotient is of the order of `h^2`,
    /// and that of the values divided by h. So h is about the cube root of the error of the values.
    fn slope(
        &self,
        alpha: &Real,
        side: Direction,
        value: &Number,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Rational>, Error> {
        let Some(centre) = middle(&alpha.number(bits)) else { return Ok(None) };
        let room = Rational::from(1 - &centre).min(centre.clone());
        let known = match value {
            Number::Exact(_) => bits,
            Number::Enclosed(set) => set.relative_bits().map_or(0, |known| known.clamp(0, i64::from(bits)) as u32),
        };
        let h = room >> (known / 3).max(2);
        let errors = [Rational::from(&centre - &h), Rational::from(&centre + &h)]
            .map(|at| self.inner.beta(&Real::from(at), side, bits, budget));
        let [left, right] = errors;
        let (left, right) = (left?, right?);
        let (Some(high), Some(low)) = (middle(&left), middle(&right)) else { return Ok(None) };
        let slope = Rational::from(&high - &low) / (h * 2u32);
        if left.exact().is_some() && right.exact().is_some() {
            return Ok(Some(slope).filter(|slope| *slope > 0));
        }
        // Where the values do not differ by more than their error, a line that falls by that error loses no more.
        let slope = if left.compare(&right) == Some(Ordering::Greater) {
            slope
        } else {
            (Rational::from(1) >> known.saturating_add(SPARE)) / centre
        };
        Ok(Float::with_val(bits.max(64), &slope).to_rational())
    }

    /// The exact value below a common tangent of two polylines, which touches them at one slope between these two.
    /// `None` where values are not exact, or corners too close together.
    ///
    /// The line of slope `-x` is concave in x at alpha, and linear between two corners of the profiles. The slope is
    /// that at which both profiles agree. Where a concave function is the mean of two values in the middle between
    /// them, it is linear there. So a value between two linear pieces that is not below their other ends is the
    /// greatest value of all, and the trade-off function is the greatest height of these lines.
    fn common_tangent(
        &self,
        alpha: &Real,
        side: Direction,
        (mut near, mut far): (Rational, Rational),
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Number>, Error> {
        let profile = |x: &Rational, direction| -> Result<Option<Rational>, Error> {
            budget.check()?;
            Ok(self.inner.delta(&Real::from(x.clone()).ln()?, direction, bits, budget)?.exact().cloned())
        };
        // A line is bounded by the profile of the other order: the tests of T(P,Q) have the profile of (Q,P).
        let excess = |x: &Rational| -> Result<Option<Rational>, Error> {
            Ok(profile(x, other(side))?.zip(profile(x, side)?).map(|(own, other)| own - other))
        };
        let height = |x: &Rational| -> Result<Option<Rational>, Error> {
            Ok(self.line(x, alpha, bits, budget)?.exact().cloned())
        };
        let (Some(mut below), Some(mut above)) = (excess(&near)?, excess(&far)?) else { return Ok(None) };
        for _ in 0..HALVINGS {
            if below >= 0 || above <= 0 {
                return Ok(None);
            }
            // Where both excesses are linear that is the slope.
            let share = &below / Rational::from(&below - &above);
            let x = Rational::from(&far - &near) * share + &near;
            let Some(at) = excess(&x)? else { return Ok(None) };
            if at == 0 {
                let middle = |a: &Rational, b: &Rational| Rational::from(a + b) / 2u32;
                let places = [near.clone(), middle(&near, &x), x.clone(), middle(&x, &far), far.clone()];
                let heights = places.iter().map(height).collect::<Result<Option<Vec<_>>, Error>>()?;
                if let Some([first, between, top, beyond, last]) = heights.as_deref()
                    && *between == middle(first, top)
                    && *beyond == middle(top, last)
                    && top >= first
                    && top >= last
                {
                    return Ok(Some(Number::Exact(top.clone())));
                }
            }
            let halfway = Rational::from(&near + &far) / 2u32;
            for at in [x, halfway] {
                // Only what lies between both ends makes the interval smaller.
                let inside = (at > near && at < far) || (at < near && at > far);
                let Some(value) = (if inside { excess(&at)? } else { continue }) else { return Ok(None) };
                match value.cmp0() {
                    Ordering::Less => (near, below) = (at, value),
                    Ordering::Greater => (far, above) = (at, value),
                    Ordering::Equal => {}
                }
            }
        }
        Ok(None)
    }
}

/// A number, or the middle of its enclosure.
fn middle(number: &Number) -> Option<Rational> {
    match number {
        Number::Exact(value) => Some(value.clone()),
        Number::Enclosed(set) => Some((set.lower().to_rational()? + set.upper().to_rational()?) / 2u32),
    }
}

impl<C: Deref<Target: Curve> + Send + Sync> Curve for Hull<C> {
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
        if let Some(value) = self.inner.beta_of_both(alpha, bits, budget)? {
            return Ok(value);
        }
        let forward = self.inner.beta(alpha, Direction::Forward, bits, budget)?;
        let backward = self.inner.beta(alpha, Direction::Backward, bits, budget)?;
        let least = forward.min(&backward);
        // At 0 both are continuous: from any point below both values a line that is steep enough is below both.
        if alpha.is_zero() || least.sign() == Some(Ordering::Equal) {
            return Ok(least);
        }
        let (side, own, beyond) = match forward.compare(&backward) {
            Some(Ordering::Greater) => (Direction::Backward, &backward, &forward),
            _ => (Direction::Forward, &forward, &backward),
        };
        let upper = least.enclosure(bits);
        let mut known = Number::zero().enclosure(bits).hull(&upper);
        if let Some(near) = self.slope(alpha, side, own, bits, budget)? {
            let line = self.line(&near, alpha, bits, budget)?;
            if line.compare(&least) == Some(Ordering::Equal) {
                return Ok(least);
            }
            known = alarm::bracket(&line.enclosure(bits).positive_part(), &upper, WHAT)?;
            // The line and the error are the same as far as both are known, or as far as they are asked for.
            let enough = known.relative_bits().is_some_and(|found| found >= i64::from(bits));
            if enough || line.compare(&least).is_none() {
                return Ok(Number::Enclosed(known));
            }
            if let Some(far) = self.slope(alpha, other(side), beyond, bits, budget)?
                && let Some(value) = self.common_tangent(alpha, side, (near, far), bits, budget)?
            {
                return Ok(value);
            }
        }
        let sought = self.highest_line(alpha, bits, budget)?;
        alarm::meet(&known, &sought.enclosure(bits), WHAT).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "the larger one of both profiles of the curve inside"
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}
