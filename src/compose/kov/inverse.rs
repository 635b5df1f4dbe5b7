//! The inverse of the profile: the segment of a level, and where its line reaches it.

use std::cmp::Ordering;

use rug::Rational;

use super::{Kov, above, below, middle};
use crate::alarm;
use crate::compose::infinite_mass::InfiniteMass;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// A level D of the profile of the randomised responses alone, which is in (0, 1).
struct Level<'a> {
    kov: &'a Kov,
    level: Number,
    /// `1 - D`.
    rest: Number,
    work: u32,
    budget: &'a Budget,
}

impl Kov {
    /// The least `eps >= 0` at which the randomised responses alone have profile at most the level, which is in (0, 1).
    pub(in crate::compose) fn invert_with(
        &self,
        leak: &InfiniteMass,
        target: &Real,
        bits: u32,
        budget: &Budget,
    ) -> Result<Number, Error> {
        let work = bits.saturating_add(self.loss_bits()).saturating_add(self.fineness()).saturating_add(40);
        let (level, rest) = leak.level(target, work, 0);
        let level = Level { kov: self, level, rest, work, budget };
        // At eps = 0 the profile is the total variation.
        let zero = match level.order_at_zero()? {
            // A level that is exactly the total variation: decided in fractions if they fit.
            None if self.exactly(0, budget) => {
                let (exact, _) = leak.level(target, work, u64::MAX);
                exact.exact().map_or(Ok(false), |exact| level.exactly_reached(exact))?
            }
            order => above(order),
        };
        if zero {
            return Ok(Number::zero());
        }
        level.inverse(level.segment()?).map(Number::Enclosed)
    }
}

impl Level<'_> {
    /// The last knot at or above zero, `ceil(k/2)`.
    fn last(&self) -> u64 {
        self.kov.times.div_ceil(2)
    }

    /// The order of the level and the total variation, `A_m - B_m` with `m = ceil(k/2)`.
    fn order_at_zero(&self) -> Result<Option<Ordering>, Error> {
        let widest = self.kov.excess(self.last(), &Real::from(0), self.work, self.budget)?;
        Ok(self.level.compare(&Number::Enclosed(widest)))
    }

    /// Is this fraction at least the total variation?
    fn exactly_reached(&self, level: &Rational) -> Result<bool, Error> {
        let (p, q, whole) = self.kov.exact_tails(self.last(), self.budget)?;
        Ok(*level >= Rational::from((p - q, whole)))
    }

    /// About the segment of the level.
    fn segment(&self) -> Result<u64, Error> {
        let (kov, budget) = (self.kov, self.budget);
        let goal = middle(&self.level.enclosure(64 + kov.fineness()));
        let goal_rest = middle(&self.rest.enclosure(64));
        if goal_rest < 0.25 {
            return kov.bisect(0, self.last(), |j| {
                // 1 - A_j + x^(k-2j) B_j against 1 - D.
                let tails = kov.tails(j, 64, budget)?;
                let gap = &tails.rest + &(&kov.loss(j, 64 + kov.loss_bits()).exp() * &tails.b);
                Ok(middle(&gap) <= goal_rest)
            });
        }
        kov.bisect(0, self.last(), |j| Ok(middle(&kov.knot(j, budget)?) >= goal))
    }

    /// The loss at a knot.
    fn knot(&self, j: u64) -> Enclosure {
        self.kov.loss(j, self.work)
    }

    /// `ln((A_j - D)/B_j)`, where the line of the j-th segment reaches the level.
    ///
    /// The numerator is also `(1-D) - (1-A_j)`: both are enclosed, and what they share is kept.
    fn crossing(&self, j: u64) -> Result<Enclosure, Error> {
        let tails = self.kov.tails(j, self.work, self.budget)?;
        let above = &tails.a - &self.level.enclosure(self.work);
        let also = &self.rest.enclosure(self.work) - &tails.rest;
        let above = alarm::meet(&above, &also, "excess of a tail over the level")?;
        Ok((&above / &tails.b).ln())
    }

    /// The epsilon of the level, from the segment j on, which may be some segments off.
    ///
    /// The candidate of segment j is proven right when it lies between the knots j and j-1. When it cannot be told from
    /// a knot, the larger of the candidates of the two segments that meet there is right, because the inverse is the
    /// largest of all candidates and those further off are certainly smaller.
    fn inverse(&self, mut j: u64) -> Result<Enclosure, Error> {
        let last = self.last();
        for _ in 0..8 {
            let value = self.crossing(j)?;
            let low = value.compare(&self.knot(j));
            let high = value.compare(&self.knot(j - 1));
            if above(low) && below(high) {
                return Ok(value.positive_part());
            }
            if !above(low) && !below(low) && below(high) {
                // Perhaps on the lower knot; at the last one, perhaps zero.
                if j == last {
                    return Ok(value.positive_part());
                }
                let next = self.crossing(j + 1)?;
                if above(next.compare(&self.knot(j + 1))) {
                    return Ok(value.max(&next).positive_part());
                }
                j += 1;
            } else if above(low) && !above(high) && !below(high) {
                if j == 1 {
                    // The level is positive, so the answer is below the largest loss.
                    return Ok(value.min(&self.knot(0)).positive_part());
                }
                let previous = self.crossing(j - 1)?;
                if below(previous.compare(&self.knot(j - 2))) {
                    return Ok(value.max(&previous).positive_part());
                }
                j -= 1;
            } else if above(high) && j > 1 {
                j -= 1;
            } else if below(low) && j < last {
                j += 1;
            } else {
                break;
            }
        }
        // The segment is not certain at this precision: every segment gives a lower bound, the largest loss an upper
        // one.
        Ok(Enclosure::zero(self.work).hull(&self.knot(0)))
    }
}
