//! Where compositions part beyond what a first look sees: at epsilons that grow geometrically, as far as the profiles
//! can be told from zero, however small they are.
//!
//! What is found is shown by the trade-off functions, and both are bounded by their profiles alone, for engines that
//! have a profile at `10^-1000` may not have its inverse there. Write A and B for the profiles, convex in `x = e^eps`,
//! and `m(b)` for the least value of `A(x) + b x`.
//!
//! * **Backward** `f(alpha)` is the supremum of `1 - alpha x - H(x)`: with `alpha = b` the first is at most `1 - m(b)`,
//!   and the second at least `1 - b x - B(x)` at any x.
//! * **Forward** it is the supremum of `(1 - alpha - H(x))/x`: where `1 - alpha` is at most `m(b)` the first is at most
//!   b, and the second at least `(1 - alpha - B(x))/x` at any x.
//!
//! **A lower bound of m(b)** from six points `x_0 < ... < x_5`: `g(x) = A(x) + b x` is convex too, so that between
//! `x_i` and `x_(i+1)` it is above the lines through the two points on the left and through the two on the right, and
//! above each mean of both lines, which is least at an end. Where `g(x_1) >= g(x_2)` all to the left of `x_1` is at
//! least `g(x_1)`, and where `g(x_3) <= g(x_4)` all to the right of `x_4` at least `g(x_4)`. Paper proof:
//! `proofs/paper/order.md`.

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use super::side::Side;
use super::whole::{BITS, Curves, FARTHEST, Point};
use super::{Witness, tails};
use crate::alarm::{self, declined};
use crate::compose::{Engines, Method};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::{Budget, Enclosure, Work};

/// The part of the work that is spent beyond the first look, and the most.
const SHARE: (u32, u32) = (1, 4);
const LONGEST: Work = Work::seconds(15);
/// Bits of the type I error of a witness, its leading zeros or ones apart.
pub(super) const SHORT: u32 = 24;
/// The most zeros, in bits, that the distance of a type II error from 1 may begin with.
const MOST_ZEROS: u32 = 1 << 16;
/// The largest distance of the points about a witness, in epsilon: `2^-WIDE`.
const WIDE: u32 = 6;
/// No witness has its points about an epsilon that is nearer to 0.
const NEAREST: (u32, u32) = (1, 8);
/// Number of points over which a profile decreases by a factor e.
const FEWEST_PARTS: f64 = 16.0;
const MOST_PARTS: f64 = 65536.0;
/// The part of the work that is spent on values that are asked more closely.
const CLOSER: (u32, u32) = (1, 2);
/// Epsilons at which that is, in eighths.
const NEAR: [u32; 5] = [4, 16, 2, 8, 32];

impl Curves<'_> {
    /// A witness at an epsilon beyond this one, not farther than `last`.
    ///
    /// # Errors
    /// Alarms.
    pub(super) fn beyond(
        &self,
        from: &Rational,
        last: &Rational,
        direction: Direction,
    ) -> Result<Option<Witness>, Error> {
        let budget = self.budget.share(SHARE, Some(LONGEST));
        let mut epsilon = Rational::from(from.max(&Rational::from(1)));
        loop {
            epsilon *= Rational::from((3, 2));
            // As short as it may be.
            if epsilon > 16 {
                epsilon = Rational::from(epsilon.floor_ref());
            }
            if epsilon > *last {
                return Ok(None);
            }
            let Some(point) = declined(self.compared(&epsilon, direction, &budget))? else { return Ok(None) };
            if *point.first.lower() > Float::with_val_round(BITS, point.second.upper() * 2u32, Up).0
                && let Some(witness) = declined(self.by_profiles(&epsilon, direction, &budget))?.flatten()
            {
                return Ok(Some(witness));
            }
            // There is nothing to be seen any more.
            if point.first.is_point() && *point.first.upper() == 0 {
                return Ok(None);
            }
        }
    }

    /// A witness far out by what is known to be at least as private as the first: where that is below the second, so is
    /// the first. It is `more`, or Gaussian noise that is found ([`tails::gaussian_below`]).
    ///
    /// # Errors
    /// Those of the pairs.
    pub(super) fn by_what_is_more_private(&self, more: Option<Composition>) -> Result<Option<Witness>, Error> {
        let from = Rational::from(1);
        for direction in [Direction::Forward, Direction::Backward] {
            let gaussian = tails::gaussian_below(self.factors(), direction)?;
            let known = more.clone().map(|more| (more, Rational::new()));
            for (more, moved) in known.into_iter().chain(gaussian) {
                let factors = more.pairs()?;
                let engines = Engines::new(more, Method::Auto);
                let curves = self.beside(&engines, &factors, moved)?;
                if let Some(found) = curves.beyond(&from, &Rational::from(FARTHEST), direction)? {
                    return Ok(Some(found.with_less()));
                }
            }
        }
        Ok(None)
    }

    /// A witness at an epsilon at which the profile of the first is larger, or at a larger one: near to where the
    /// profiles cross there is little to see.
    ///
    /// # Errors
    /// Alarms.
    pub(super) fn onwards(&self, epsilon: &Rational, direction: Direction) -> Result<Option<Witness>, Error> {
        let budget = self.budget.share(SHARE, Some(LONGEST));
        // About 0 there is nothing on one side.
        let least = Rational::from(NEAREST);
        for more in [0, 1, 2, 4] {
            let at = epsilon.max(&least) * Rational::from((16 + more, 16));
            let shown = declined(self.by_profiles(&at, direction, &budget))?.flatten();
            if shown.is_some() {
                return Ok(shown);
            }
        }
        self.beyond(epsilon, &Rational::from(FARTHEST), direction)
    }

    /// A witness at some epsilons that are evaluated more precisely, if a grid does not separate the profiles.
    ///
    /// # Errors
    /// Alarms.
    pub(super) fn closer(&self, directions: &[Direction]) -> Result<Option<Witness>, Error> {
        // Both, for each has values of its own.
        let [first, second] = [&self.first, &self.second].map(Side::look_closer);
        if !first && !second {
            return Ok(None);
        }
        let budget = self.budget.share(CLOSER, None);
        for eighths in NEAR {
            for direction in directions {
                let at = Rational::from((eighths, 8));
                let Some(point) = declined(self.compared(&at, *direction, &budget))? else { continue };
                if point.first.lower() > point.second.upper()
                    && let Some(witness) = declined(self.by_profiles(&at, *direction, &budget))?.flatten()
                {
                    return Ok(Some(witness));
                }
            }
        }
        Ok(None)
    }

    /// A type I error at which the first has the smaller type II error, by both profiles about an epsilon at which that
    /// of the first is the larger one.
    ///
    /// # Errors
    /// Those of the profiles.
    pub(super) fn by_profiles(
        &self,
        epsilon: &Rational,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Witness>, Error> {
        let here = self.compared(epsilon, direction, budget)?;
        let Some(step) = self.step(epsilon, &here, direction, budget)? else { return Ok(None) };
        let mut six = Vec::new();
        for i in [-5_i32, -3, -1, 1, 3, 5] {
            let at = epsilon + Rational::from(&step * i);
            if at < 0 {
                return Ok(None);
            }
            six.push((Enclosure::rational(&at, BITS).exp(), self.first_at(&at, direction, budget)?));
        }
        let Some(b) = short_slope(&six) else { return Ok(None) };
        let slope = Enclosure::rational(&b, BITS);
        let Some(least) = least_sum(&six, &slope) else { return Ok(None) };
        told(&here, &b, &least, direction)
    }

    /// The distance of points around an epsilon. The profile must change little from one to the next, and its curvature
    /// in between, the square of that change, must be small against the distance of the two profiles.
    fn step(
        &self,
        epsilon: &Rational,
        here: &Point,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Rational>, Error> {
        let wide = Rational::from((1, 1_u32 << WIDE));
        let there = self.first_at(&Rational::from(epsilon + &wide), direction, budget)?;
        let apart = &(&here.first - &here.second) / &here.first;
        let parts = (4.0 / apart.lower().to_f64().sqrt()).clamp(FEWEST_PARTS, MOST_PARTS);
        // Of a search: any step will do.
        let parts = if parts.is_finite() { parts } else { FEWEST_PARTS };
        let fall = (&here.first / &there).ln();
        let steps = Float::with_val_round(32, fall.upper() * parts, Up).0.to_rational();
        Ok(steps.map(|steps| wide / steps.max(Rational::from(1))))
    }
}

/// The witness at a slope b, where the sum of `b x` and the profile of the first is at least so much at every x: see
/// the head of the file.
pub(super) fn told(
    Point { x, first, second }: &Point,
    b: &Rational,
    least: &Enclosure,
    direction: Direction,
) -> Result<Option<Witness>, Error> {
    let slope = Enclosure::rational(b, BITS);
    let shown = |witness: Witness| (witness.smaller.upper() < witness.larger.lower()).then_some(witness);
    if direction == Direction::Backward {
        // Both type II errors are near 1 where the profile is small.
        let zeros = least.lower().get_exp().map_or(0, i32::unsigned_abs);
        if *b >= 1 || zeros > MOST_ZEROS {
            return Ok(None);
        }
        let one = Enclosure::one(BITS + zeros);
        let line = |profile: &Enclosure| (&(&one - &(&slope * x)) - profile).positive_part();
        let smaller = between(&line(first), &(&one - least))?;
        return Ok(shown(Witness::new(b.clone(), smaller, between(&line(second), &(&one - &slope))?)));
    }
    // Where the profiles are nearly alike, to round is to lose what they differ by.
    for bits in [SHORT, 2 * SHORT] {
        let Some(power) = Float::with_val_round(bits, least.lower(), Down).0.to_rational() else {
            return Ok(None);
        };
        if power <= 0 || power >= 1 {
            return Ok(None);
        }
        let gap = Enclosure::rational(&power, BITS);
        let line = |profile: &Enclosure| (&(&gap - profile) / x).positive_part();
        let witness = Witness::new(1 - power, between(&line(first), &slope)?, between(&line(second), &gap)?);
        if let Some(witness) = shown(witness) {
            return Ok(Some(witness));
        }
    }
    Ok(None)
}

/// A probability between two bounds of it.
fn between(lower: &Enclosure, upper: &Enclosure) -> Result<Enclosure, Error> {
    alarm::probability(&alarm::bracket(lower, upper, "a trade-off function by its profile")?, "a type II error")
}

/// A short fraction near to the slope in the middle, without its sign.
fn short_slope(six: &[(Enclosure, Enclosure)]) -> Option<Rational> {
    let [_, _, (x, a), (y, b), ..] = six else { return None };
    let slope = &(a - b) / &(y - x);
    let middle = Float::with_val(SHORT, slope.lower() + slope.upper()) / 2u32;
    middle.to_rational().filter(|slope| *slope > 0)
}

/// A lower bound of `A(x) + b x` over all x, from six points of A; `None` where they do not surround the least one.
fn least_sum(six: &[(Enclosure, Enclosure)], b: &Enclosure) -> Option<Enclosure> {
    let g: Vec<Enclosure> = six.iter().map(|(x, a)| a + &(b * x)).collect();
    let (Some(g1), Some(g2), Some(g3), Some(g4)) = (g.get(1), g.get(2), g.get(3), g.get(4)) else { return None };
    if g1.lower() < g2.upper() || g4.lower() < g3.upper() {
        return None;
    }
    // The line through two of the points, at a third one.
    let line = |i: usize, j: usize, at: usize| -> Option<Enclosure> {
        let ((x, _), (y, _), (z, _)) = (six.get(i)?, six.get(j)?, six.get(at)?);
        let (one, other) = (g.get(i)?, g.get(j)?);
        Some(one + &(&(&(other - one) / &(y - x)) * &(z - x)))
    };
    let mut least = g1.min(g4);
    for i in 1..4 {
        let left = [line(i - 1, i, i)?, line(i - 1, i, i + 1)?];
        let right = [line(i + 1, i + 2, i)?, line(i + 1, i + 2, i + 1)?];
        least = least.min(&above_both(&left, &right)?);
    }
    Some(least)
}

/// A lower bound, between two points, of the larger one of two lines with these values there: the least value of a mean
/// of both, the one that is about as large at both points.
fn above_both([a, b]: &[Enclosure; 2], [c, d]: &[Enclosure; 2]) -> Option<Enclosure> {
    let middle = |set: &Enclosure| Float::with_val(BITS, set.lower() + set.upper()) / 2u32;
    let (left, right) = (middle(&(a - b)), middle(&(d - c)));
    let total = Float::with_val(BITS, &left + &right);
    let share = if total > 0 { right / total } else { Float::with_val(BITS, 1) / 2u32 };
    let share = share.clamp(&Float::new(BITS), &Float::with_val(BITS, 1)).to_rational()?;
    let share = Enclosure::rational(&share, BITS);
    let rest = &Enclosure::one(BITS) - &share;
    let mean = |one: &Enclosure, other: &Enclosure| &(&share * one) + &(&rest * other);
    Some(mean(a, c).min(&mean(b, d)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;
    use crate::order::{Relation, order};

    fn number(numer: i64, denom: i64) -> Enclosure {
        Enclosure::rational(&Rational::from((numer, denom)), BITS)
    }

    /// Of `1/x + x/4` the least value is 1, at 2: a bound is below it, and near to it for points that are near, while
    /// the least of the values at the points is above it.
    #[test]
    fn a_bound_of_the_least_value() {
        let six = |tenths: [i64; 6]| -> Vec<(Enclosure, Enclosure)> {
            tenths.map(|x| (number(x, 1000), number(1000, x))).to_vec()
        };
        let b = number(1, 4);
        for (points, near) in [
            ([1000, 1300, 1700, 2200, 2800, 3300], number(95, 100)),
            ([1970, 1985, 1995, 2005, 2015, 2030], number(9999, 10000)),
        ] {
            let points = six(points);
            let least = least_sum(&points, &b).expect("they surround it");
            let one = Enclosure::one(BITS);
            assert!(least.upper() < one.lower() && near.upper() < least.lower(), "{least:?}");
            assert!(points.iter().all(|(x, a)| (a + &(&b * x)).lower() > one.upper()));
        }
        // Between the two points in the middle neither line alone is a bound of all of it.
        assert!(least_sum(&six([2100, 2200, 2300, 2400, 2500, 2600]), &b).is_none());
        assert!(least_sum(&six([1100, 1200, 1300, 1400, 1500, 1600]), &b).is_none());
    }

    /// The larger of two lines is above each mean of both, and the mean that is taken is no more than where they cross.
    #[test]
    fn a_bound_of_the_larger_line() {
        let pair = |a: i64, b: i64| [number(a, 1), number(b, 1)];
        // From 4 to 0 and from 1 to 3: they cross at 2.
        assert!(above_both(&pair(4, 0), &pair(1, 3)).expect("a bound").contains(&Rational::from(2)));
        // One above the other: not more than the larger one's least.
        assert!(above_both(&pair(4, 3), &pair(1, 0)).is_some_and(|bound| *bound.upper() <= 3));
    }

    /// What is far out has witnesses that the trade-off functions confirm.
    #[test]
    fn witnesses_far_out() {
        for (first, second, confirmed) in [
            ("poisson(rate=1/100, gaussian(sigma=1))^100", "gdp(mu=1)", true),
            ("poisson(rate=1/100, gaussian(sigma=1))^100", "poisson(rate=1/50, gaussian(sigma=1))^50", false),
            ("poisson(rate=1/100, gaussian(sigma=1))^1000", "gdp(mu=1)", true),
            ("poisson(rate=1/100, gaussian(sigma=1))^100 * laplace(scale=2)", "gdp(mu=1)", false),
        ] {
            let of = |text: &str| text.parse::<Composition>().expect(text);
            let budget = Budget::default();
            let found = order(&of(first), &of(second), &budget).expect("an order");
            assert_eq!(found.verdict(), "incomparable", "{first}, {second}");
            let Relation::Fails(witness) = &found.at_least else { panic!("{found:?}") };
            assert!(witness.smaller.upper() < witness.larger.lower());
            let beta = |text: &str| {
                let alpha = witness.alpha().expect("a type I error").value().clone();
                let quantity = crate::Quantity::Beta { alpha: enclosure::Real::from(alpha) };
                let query = crate::Query::new(quantity, of(text)).with_direction(Direction::Forward).with_digits(6);
                crate::answer(&query, &budget).expect("an answer").outcome.number().expect("a number").enclosure(BITS)
            };
            if confirmed {
                for (text, set) in [(first, &witness.smaller), (second, &witness.larger)] {
                    let value = beta(text);
                    assert!(set.lower() <= value.lower() && value.upper() <= set.upper(), "{text}: {value:?} {set:?}");
                }
            }
        }
    }

    /// Samples of a fixed share by Poisson samples, and samples of discrete noise by Gaussian noise: what is known to
    /// be at least as private is enough.
    #[test]
    fn witnesses_by_what_is_more_private() {
        for first in ["subsample(rate=1/10, gaussian(sigma=1))^9", "poisson(rate=1/4, discrete-gaussian(sigma2=4))^12"]
        {
            let of = |text: &str| text.parse::<Composition>().expect(text);
            let found = order(&of(first), &of("gdp(mu=1)"), &Budget::default()).expect("an order");
            assert!(matches!(found.at_least, Relation::Fails(_)), "{first}: {found:?}");
        }
    }
}
