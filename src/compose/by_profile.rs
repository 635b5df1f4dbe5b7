//! The least epsilon and the trade-off function, where nothing is at hand but a profile at any precision.
//!
//! Paper proof: `proofs/paper/mixture.md`, (2) and (3), which do not depend on how the profile is computed.
//! **Termination.** Doubling up to a bound; then the loops of [`bracketed`] and [`concave_maximum`].

use std::cmp::Ordering;

use rug::float::Round::Up;
use rug::{Float, Rational};

use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, concave_maximum, peak, root::bracketed, root::bracketed_with};

/// Bits of the search for a place.
const ROUGH: u32 = 24;
/// Bits that the caller can spare: of the requested bits, 32 cover intermediate losses.
const SPARE: u32 = 12;
/// Bits that the search for a maximum loses of values: those are evaluated to no more, however near to each other.
const LOST: u32 = 8;
/// Guard bits of the search for signs, and for profiles where each bit is expensive.
const GUARD: u32 = 64;
const DEAR_GUARD: u32 = 24;
/// Where the search for an epsilon begins.
const FIRST: f64 = 0.125;
/// An epsilon is rarely smaller by this factor than the first power of two above it.
const NEAR: u32 = 64;
/// Bits of an epsilon that low-precision values determine.
const NEAR_BITS: u32 = 16;
/// Epsilons beyond this are not sought.
const FARTHEST: f64 = 1e9;

/// What values at many precisions cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precisions {
    /// Each what its bits cost.
    Any,
    /// Of many bits much more than of few, at points far from each other.
    Steps,
    /// The first one at a precision nearly all, and the others at the same one nothing: there are to be two of them.
    Two,
}

/// A profile in both directions.
pub(super) struct ByProfile<'a> {
    /// `delta(eps)` without the mass at infinity, for the queried pair or, if the flag is `true`, for the opposite
    /// direction; to this number of relative bits.
    pub finite: &'a dyn Fn(&Real, bool, u32) -> Result<Enclosure, Error>,
    /// The mass at infinity, likewise.
    pub infinite: &'a dyn Fn(bool, u32) -> Number,
}

impl ByProfile<'_> {
    /// The least `eps >= 0` with profile at most the target: 0 from the total variation on, and otherwise the root of a
    /// function that falls strictly, for as long as the profile is above the mass at infinity.
    pub fn epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let Some((high, crosses)) = self.sides_of_epsilon(delta, bits, budget)? else { return Ok(Number::zero()) };
        let value = |at: &Rational, bits: u32| self.excess(delta, &Real::from(at.clone()), bits);
        bracketed(&high, crosses, bits.saturating_add(8), budget, value).map(Number::Enclosed)
    }

    /// The same, where low precision locates the value and high precision is used there only. This applies to
    /// `precisions` other than [`Precisions::Any`].
    pub fn epsilon_by_steps(
        &self,
        delta: &Real,
        bits: u32,
        precisions: Precisions,
        budget: &Budget,
    ) -> Result<Number, Error> {
        let Some((high, crosses)) = self.sides_of_epsilon(delta, bits, budget)? else { return Ok(Number::zero()) };
        let rough = |at: &Rational, _: u32| self.excess(delta, &Real::from(at.clone()), ROUGH);
        match alarm::declined(bracketed(&high, crosses, NEAR_BITS, budget, rough))? {
            Some(near) if near.is_bounded() && *near.lower() > 0 && !near.is_point() => {
                self.epsilon_within(delta, &near, bits, precisions, budget)
            }
            _ => {
                let value = |at: &Rational, bits: u32| self.excess(delta, &Real::from(at.clone()), bits);
                bracketed(&high, crosses, bits.saturating_add(8), budget, value).map(Number::Enclosed)
            }
        }
    }

    /// How far the profile is above the target.
    fn excess(&self, delta: &Real, at: &Real, bits: u32) -> Result<Number, Error> {
        let wide = bits.saturating_add(16);
        let level = &delta.number(wide) - &(self.infinite)(false, wide);
        Ok(&Number::Enclosed((self.finite)(at, false, bits)?) - &level)
    }

    /// A number above the least epsilon, and whether the profile is known to be above the target at 0; none if epsilon
    /// is 0.
    fn sides_of_epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Option<(Float, bool)>, Error> {
        let value = |at: &Rational, bits: u32| self.excess(delta, &Real::from(at.clone()), bits);
        let below = |at: &Float| -> Result<bool, Error> {
            let Some(at) = at.to_rational() else { return Ok(false) };
            Ok(value(&at, ROUGH)?.sign() == Some(Ordering::Less))
        };
        let mut high = Float::with_val(32, FIRST);
        while !below(&high)? {
            budget.check()?;
            high *= 2;
            if high > FARTHEST {
                return Err(Error::undecided("found no epsilon at which the privacy profile is below the target"));
            }
        }
        // Above the target a little further down, or at 0, where losses that are 0 make values dear: there is a root.
        let near = Float::with_val(32, &high / NEAR).to_rational().unwrap_or_default();
        let mut order = Some(Ordering::Greater);
        if value(&near, ROUGH)?.sign() != order {
            order = None;
            for bits in [64, bits.max(64)] {
                if order.is_none() {
                    order = value(&Rational::new(), bits)?.sign();
                }
            }
            if order.is_some_and(Ordering::is_le) {
                return Ok(None);
            }
        }
        Ok(Some((high, order.is_some())))
    }

    /// The least epsilon, where it is known to lie in this set of positive numbers: the root of the same function, so
    /// far from the lower end.
    pub fn epsilon_within(
        &self,
        delta: &Real,
        near: &Enclosure,
        bits: u32,
        precisions: Precisions,
        budget: &Budget,
    ) -> Result<Number, Error> {
        let unbounded = || Error::undecided("found no epsilon at which the privacy profile is below the target");
        let low = near.lower().to_rational().ok_or_else(unbounded)?;
        let width = Float::with_val_round(32, near.upper() - near.lower(), Up).0;
        if !width.is_finite() || width.is_zero() {
            return self.epsilon(delta, bits, budget);
        }
        // What is known of the leading bits need not be found.
        let known = near.relative_bits().unwrap_or(0).max(0);
        let left = bits.saturating_sub(u32::try_from(known).unwrap_or(u32::MAX)).max(ROUGH);
        let sought = left.saturating_add(8);
        let (guard, least) = match precisions {
            Precisions::Two => (DEAR_GUARD, sought.saturating_add(DEAR_GUARD)),
            _ => (GUARD, 0),
        };
        let value =
            |at: &Rational, bits: u32| self.excess(delta, &Real::from(Rational::from(at + &low)), bits.max(least));
        let above = bracketed_with(&(width << 1), false, sought, guard, budget, value)?;
        let wide = above.bits().saturating_add(bits);
        Ok(Number::Enclosed(&Enclosure::rational(&low, wide) + &above.with_bits(wide)))
    }

    /// `T(P,Q)(alpha) = sup_y [1 - y alpha - H_y(Q||P)]`, concave in `y = e^t`: from the profile the other way round
    /// for `t > 0`, and for `t <= 0` as `y (1 - alpha - H_(1/y)(P||Q))`.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let value = |t: &Rational, bits: u32| -> Result<Enclosure, Error> {
            let (point, wide) = (Real::from(t.clone()), bits.saturating_add(16));
            let y = point.exp_number(wide);
            let value = if t.cmp0() == Ordering::Greater {
                let covered = &Number::one() - &(self.infinite)(true, wide);
                let profile = Number::Enclosed((self.finite)(&point, true, bits)?);
                &(&covered - &(&y * &alpha.number(wide))) - &profile
            } else {
                let left = &Real::one().sub(alpha).number(wide) - &(self.infinite)(false, wide);
                &y * &(&left - &Number::Enclosed((self.finite)(&point.neg(), false, bits)?))
            };
            Ok(value.enclosure(bits))
        };
        // Where to look, in doubles; what is found is proven there.
        let height = |t: f64| -> Result<f64, Error> {
            budget.check()?;
            let t =
                Rational::from_f64(t).ok_or_else(|| Error::undecided("the search for the optimal test diverged"))?;
            let height = value(&t, ROUGH)?;
            Ok(f64::midpoint(height.lower().to_f64(), height.upper().to_f64()))
        };
        let place = peak::climbed(0.0, 0.125, 1e-3, height)?;
        let top = height(place)?;
        let mut scale = 1e-3;
        while scale < 1e3 && height(place + scale)?.max(height(place - scale)?) > 0.99 * top {
            scale *= 2.0;
        }
        let range = (Float::with_val(64, place - scale), Float::with_val(64, place + scale));
        let bits = bits.saturating_sub(SPARE).max(ROUGH);
        let most = bits.saturating_add(LOST);
        let greatest = concave_maximum(range, bits, budget, |t, bits| value(t, bits.min(most)))?;
        alarm::probability(&greatest, "type II error from a profile")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// `delta(eps) = (1/2 - eps)_+^2`, known to so many bits after the point, and what the most of them was.
    fn square(loose: u32, most: &Cell<u32>) -> impl Fn(&Real, bool, u32) -> Result<Enclosure, Error> + '_ {
        move |at, _, bits| {
            most.set(most.get().max(bits));
            let gap = (&Enclosure::one(bits + 64).shift(-1) - &at.enclosure(bits + 64)).positive_part();
            let error = Float::with_val(64, Float::i_exp(1, -(bits.min(loose) as i32)));
            Ok(gap.square().widen(&error).positive_part())
        }
    }

    fn epsilon(loose: u32, target: &str, bits: u32, precisions: Precisions) -> Result<Number, Error> {
        let (most, budget) = (Cell::new(0), Budget::new(1 << 12, None));
        let finite = square(loose, &most);
        let profile = ByProfile { finite: &finite, infinite: &|_, _| Number::zero() };
        let target: Real = target.parse().expect("a number");
        match precisions {
            Precisions::Any => profile.epsilon(&target, bits, &budget),
            _ => profile.epsilon_by_steps(&target, bits, precisions, &budget),
        }
    }

    /// By steps or at once, the epsilon is `1/2 - sqrt(delta)`.
    #[test]
    fn steps_come_to_the_same() {
        for (target, truth) in [("1/16", "1/4"), ("1/10^6", "499/1000"), ("1/9", "1/6"), ("1/4", "0"), ("1/3", "0")] {
            let truth: Real = truth.parse().expect("a number");
            for bits in [40, 90, 200] {
                for precisions in [Precisions::Any, Precisions::Steps, Precisions::Two] {
                    let found = epsilon(u32::MAX, target, bits, precisions).expect("an epsilon").enclosure(bits + 16);
                    assert!(found.overlaps(&truth.enclosure(bits + 16)), "{target} {bits}: {found:?}");
                    assert!(truth.is_zero() || found.relative_bits() >= Some(i64::from(bits)), "{target}: {found:?}");
                }
            }
        }
    }

    /// Where few bits tell nothing near the target there is an epsilon all the same, or none: never a wrong one.
    #[test]
    fn few_bits_that_tell_nothing_are_no_answer() {
        for loose in [4, 8, 12, 20, 40] {
            match epsilon(loose, "1/900", 60, Precisions::Steps) {
                Ok(found) => {
                    let found = found.enclosure(80);
                    let truth: Real = "7/15".parse().expect("a number");
                    assert!(found.overlaps(&truth.enclosure(80)), "{loose}: {found:?}");
                }
                Err(error) => assert!(matches!(error, Error::Undecided(_)), "{error:?}"),
            }
        }
    }
}
