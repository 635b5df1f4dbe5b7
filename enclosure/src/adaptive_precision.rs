//! Adaptive precision for one value inside a longer computation.
//!
//! [`refine`](super::refine) is the loop around a whole answer. This loop returns an enclosure even if it does not
//! reach the requested bits; a caller that needs them repeats the whole computation.

use super::budget::as_good_as_zero;
use super::{Budget, Enclosure, Number};
use crate::Error;

/// Settings of the loop: the first precision, its growth, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct AdaptivePrecision<'a> {
    bits: u32,
    first: u32,
    attempts: u32,
    multiple: u32,
    fixed_point: bool,
    budget: &'a Budget,
}

impl<'a> AdaptivePrecision<'a> {
    /// Stop when `bits` relative bits are proven; `guard` more bits are expected to be lost. By default at most nine
    /// attempts are made, up to the precision limit of the budget.
    pub fn new(bits: u32, guard: u32, budget: &'a Budget) -> Self {
        let first = bits.saturating_add(guard);
        AdaptivePrecision { bits, first, attempts: 9, multiple: 1, fixed_point: false, budget }
    }

    /// Make at most this many attempts.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Self {
        AdaptivePrecision { attempts, ..self }
    }

    /// Round precisions up to whole limbs.
    #[must_use]
    pub fn in_limbs(self) -> Self {
        AdaptivePrecision { multiple: 64, ..self }
    }

    /// For fixed-point numbers: if a value is only known to be below `2^-n`, the next attempt uses n more bits.
    #[must_use]
    pub fn fixed_point(self) -> Self {
        AdaptivePrecision { fixed_point: true, ..self }
    }

    /// The value: exact, or with the requested bits, or as narrow as the attempts have made it. An attempt returns
    /// `None` if its precision was too low to enclose the value at all.
    ///
    /// # Errors
    /// Those of an attempt; [`Error::Undecided`] if no attempt enclosed the value.
    pub fn run(&self, mut value: impl FnMut(u32) -> Result<Option<Number>, Error>) -> Result<Number, Error> {
        let cap = self.budget.max_bits().max(self.first).max(64);
        let mut next = self.first;
        let mut best = None;
        for _ in 0..self.attempts {
            self.budget.check()?;
            let working = next.checked_next_multiple_of(self.multiple).unwrap_or(next);
            let found = value(working)?;
            let lost = match &found {
                Some(Number::Exact(_)) => None,
                Some(Number::Enclosed(set)) => self.lost(set, working),
                None => Some(working),
            };
            best = found.or(best);
            let Some(lost) = lost.filter(|_| working < cap) else { break };
            // What was lost this time will be lost again: add it, with some more, but never creep.
            next = working.saturating_add(lost.saturating_add(16).max(working / 8)).min(cap);
        }
        best.ok_or_else(|| self.budget.out_of_bits())
    }

    /// Like [`run`](Self::run), for a value that is an enclosure at every precision.
    ///
    /// # Errors
    /// Those of an attempt.
    pub fn enclose(&self, mut value: impl FnMut(u32) -> Result<Enclosure, Error>) -> Result<Enclosure, Error> {
        Ok(self.run(|working| value(working).map(|set| Some(Number::Enclosed(set))))?.enclosure(self.bits))
    }

    /// How many bits an attempt is short of the goal, `None` if no more are needed or none would help.
    fn lost(&self, set: &Enclosure, working: u32) -> Option<u32> {
        match set.relative_bits() {
            Some(proven) if proven >= i64::from(self.bits) => None,
            Some(proven) => Some(u32::try_from(i64::from(self.bits) - proven).unwrap_or(u32::MAX)),
            None if as_good_as_zero(set) => None,
            // All that is known is that it is below the upper end.
            None if self.fixed_point => Some(match set.upper().get_exp() {
                Some(exponent) => exponent.min(0).unsigned_abs().saturating_add(self.bits),
                None => working,
            }),
            None => Some(working),
        }
    }
}

/// Evaluate a value at increasing precision until about `bits` relative bits are proven; `guard` bits are expected to
/// be lost. If the value is undecidable or the budget runs out, the narrowest enclosure so far is returned.
///
/// # Errors
/// Those of an attempt.
pub fn adaptive_precision(
    bits: u32,
    guard: u32,
    budget: &Budget,
    value: impl FnMut(u32) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let set = AdaptivePrecision::new(bits, guard, budget).enclose(value)?;
    let enough = set.relative_bits().is_some_and(|proven| proven >= i64::from(bits));
    Ok(if enough { set.with_bits(bits.saturating_add(8)) } else { set })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// The precisions of the attempts at a number in `[1, 2)` of which so many bits are lost, and the proven ones.
    fn attempts(way: AdaptivePrecision<'_>, lost: u32) -> (Vec<u32>, i64) {
        let asked = RefCell::new(Vec::new());
        let set = way.enclose(|working| {
            asked.borrow_mut().push(working);
            let error = Enclosure::one(64).shift(i64::from(lost) as i32 - working as i32);
            Ok(Enclosure::one(working).widen(error.upper()))
        });
        (asked.into_inner(), set.expect("an enclosure").relative_bits().unwrap_or(0))
    }

    #[test]
    fn what_is_lost_is_added() {
        let budget = Budget::default();
        let way = AdaptivePrecision::new(100, 20, &budget);
        assert_eq!(attempts(way, 10).0, [120]);
        let (asked, proven) = attempts(way, 70);
        assert!(asked.len() == 2 && proven >= 100, "{asked:?} {proven}");
        let (asked, proven) = attempts(way.attempts(1), 70);
        assert!(asked.len() == 1 && proven < 100, "{asked:?} {proven}");
        assert!(attempts(way.in_limbs(), 70).0.iter().all(|working| working.is_multiple_of(64)));
    }

    /// The last attempt is made with all bits of the budget, which may be too few.
    #[test]
    fn the_budget_ends_it() {
        let budget = Budget::new(150, None);
        let (asked, proven) = attempts(AdaptivePrecision::new(100, 20, &budget), 70);
        assert_eq!(asked, [120, 150]);
        assert!(proven < 100);
    }

    /// Zeros before the first digit of a fixed point are seen at once.
    #[test]
    fn small_numbers_in_fixed_point() {
        let budget = Budget::default();
        let asked = RefCell::new(Vec::new());
        let tiny = Enclosure::one(512).shift(-5000);
        let value = |working: u32| {
            asked.borrow_mut().push(working);
            Ok(tiny.widen(Enclosure::one(64).shift(-(working as i32)).upper()))
        };
        let set = AdaptivePrecision::new(100, 0, &budget).fixed_point().enclose(value).expect("an enclosure");
        assert!(set.relative_bits().is_some_and(|proven| proven >= 100));
        assert!(set.contains(&tiny.lower().to_rational().expect("finite")));
        assert!(asked.borrow().len() <= 8, "{asked:?}");
    }

    /// An attempt that tells nothing is made again with more bits; an exact value ends it.
    #[test]
    fn open_and_exact_values() {
        let budget = Budget::new(1 << 12, None);
        let way = AdaptivePrecision::new(64, 0, &budget);
        let value = way.run(|working| Ok((working > 1000).then(Number::one)));
        assert!(value.is_ok_and(|value| value.exact().is_some_and(|exact| *exact == 1)));
        assert!(way.run(|_| Ok(None)).is_err());
    }
}
