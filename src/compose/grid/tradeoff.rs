//! The trade-off function between a grid's and a little more.
//!
//! `beta(alpha) = sup_eps v(eps)`, `v(eps) = e^(-eps) (1 - alpha - delta(eps))`, over the whole line, and v is concave
//! as a function of `y = e^(-eps)`. With the grid's profile in the place of delta, which is never below it, the
//! supremum is the grid's trade-off function: a lower bound.
//!
//! Above: let `e_0` be where the grid's supremum is attained, and `e_1 < e_0 < e_2` points at which `v(e_i)` is
//! certainly not above `v(e_0)`. A concave function does not rise again: beyond the `e_i` it is at most
//! `v(e_i) <= v(e_0)`. Between them `v <= v_grid + e^(-e_1) s`, s a bound of the excess of the grid's profile on all of
//! `[e_1, e_2]`. So `beta <= beta_grid + e^(-e_1) s`.

use rug::Float;

use super::Rounded;
use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// How often the interval is widened.
const WIDENINGS: u32 = 14;

impl Rounded {
    /// Bounds of the trade-off function.
    pub(super) fn least_mass(&self, alpha: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let bits = self.law.bits();
        let infinite = self.law.infinite(bits + 64)?.0;
        let accepted = &Number::one() - &alpha.number(bits + 64);
        let rest = (&accepted - &infinite).enclosure(bits + 64);
        let trivial = Enclosure::new(Float::new(bits), accepted.enclosure(bits).upper().clone());
        // All of it is accepted for nothing.
        if *rest.upper() <= 0 {
            return Ok(Enclosure::zero(bits));
        }
        if *rest.lower() <= 0 {
            return Ok(trivial);
        }
        let Some((grid, knot)) = self.law.least_mass(&rest, budget)? else { return Ok(trivial) };
        let upper = match self.above(&rest, &knot, budget)? {
            Some(excess) => &grid + &excess,
            None => trivial.clone(),
        };
        Ok(alarm::bracket(&grid, &upper.min(&trivial), "type II error on a grid")?.positive_part())
    }

    /// `v(eps)`, from below and from above.
    fn value(&self, rest: &Enclosure, epsilon: &Real, budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        let profile = self.profile(epsilon, budget)?;
        let factor = (-epsilon.enclosure(rest.bits())).exp();
        let set = &factor * &(rest - &profile);
        let point = |x: &Float| Enclosure::new(x.clone(), x.clone());
        Ok((point(set.lower()), point(set.upper())))
    }

    /// `e^(-e_1) s`; `None` if no interval is found.
    fn above(&self, rest: &Enclosure, knot: &Real, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let centre = self.value(rest, knot, budget)?.0;
        let mut reach = self.reach() * 2_u32;
        for _ in 0..WIDENINGS {
            budget.check()?;
            let by = Real::from(reach.clone());
            let (low, high) = (knot.sub(&by), knot.add(&by));
            let (left, right) = (self.value(rest, &low, budget)?.1, self.value(rest, &high, budget)?.1);
            if *left.upper() <= *centre.lower() && *right.upper() <= *centre.lower() {
                let here = self.law.profile(knot, budget)?.positive_part();
                let excess = self.excess_between(&low, &high, &here, budget)?;
                return Ok(Some(&excess * &(-low.enclosure(64)).exp()));
            }
            reach *= 2_u32;
            if reach > 64 {
                break;
            }
        }
        Ok(None)
    }
}
