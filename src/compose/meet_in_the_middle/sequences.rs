//! Few draws of many kinds: all multisets, each made from one with a draw less.
//!
//! Kinds are drawn in an order, so that each multiset is formed once: by its last draw, of a kind that is drawn m times
//! then. With t draws before it, `mass = mass before * p (t + 1)/m`, for there are `(t + 1)!/(m_1! m_2! ...)` orders.
//!
//! **Error.** Masses are in units of `2^-(F + GUARD)`, rounded down. Where one draw is at most 2 of these units too
//! small and what t draws come to at most `e_t`, with masses of at most 1,
//!
//! ```text
//! e_(t+1) <= (e_t + 2 + 1) (t + 1) + 1,       e_1 = 2,      e_8 = 317,441 < 2^GUARD,
//! ```
//!
//! one unit for the product and one for the quotient. Rounded to units of `2^-F` a mass is then less than two of these
//! too small. What came to nothing has only what comes to nothing after it, and is as much too small at most.

use rug::Integer;

use super::half::{Keyed, too_large};
use super::list::{Atom, List};
use crate::error::Error;
use enclosure::words::Word;
use enclosure::{Budget, work};

/// Bits beyond those that are kept.
pub(in crate::compose) const GUARD: u32 = 24;
/// Draws, at most.
pub(in crate::compose) const MOST: u64 = 8;

/// Sums between two looks at the clock.
const PACE: usize = 1 << 12;

/// Multisets of so many of these kinds.
pub(super) fn list<W: Word>(kinds: &[Keyed], times: u64, fraction: u32, budget: &Budget) -> Result<List<W>, Error> {
    let times = u32::try_from(times).ok().filter(|times| u64::from(*times) <= MOST).ok_or_else(too_large)?;
    let word = |kind: &Keyed| Some(Atom { key: W::of(&kind.key)?, p: W::of(&kind.p)?, q: W::of(&kind.q)? });
    let kinds = kinds.iter().map(word).collect::<Option<Vec<Atom<W>>>>().ok_or_else(too_large)?;
    let one = W::of(&(Integer::from(1) << fraction.saturating_add(GUARD))).ok_or_else(too_large)?;
    let mut sums = Sums { kinds, times, fraction, budget, all: Vec::new() };
    sums.extend(0, (0, 0), &Atom { key: W::zero(), p: one.clone(), q: one })?;
    Ok(List::new(sums.all))
}

/// What the masses of the list miss together, at most, in units: two each of all `C(k + n - 1, n)` multisets.
pub(super) fn missing(kinds: usize, times: u64) -> Integer {
    let n = u32::try_from(times).unwrap_or(u32::MAX);
    2 * (Integer::from(kinds) + n - 1u32).binomial(n)
}

struct Sums<'a, W> {
    kinds: Vec<Atom<W>>,
    times: u32,
    fraction: u32,
    budget: &'a Budget,
    all: Vec<Atom<W>>,
}

impl<W: Word> Sums<'_, W> {
    /// After so many draws, of which the last so many were of kind `last`, and none of a later one.
    fn extend(&mut self, last: usize, (drawn, same): (u32, u32), sum: &Atom<W>) -> Result<(), Error> {
        if drawn == self.times {
            if self.all.len().is_multiple_of(PACE) {
                self.budget.check()?;
            }
            self.all.push(Atom { p: sum.p.shifted(GUARD), q: sum.q.shifted(GUARD), key: sum.key.clone() });
            return Ok(());
        }
        for index in last..self.kinds.len() {
            let kind = &self.kinds[index];
            let times = if index == last { same + 1 } else { 1 };
            work::spend_products(4, self.fraction);
            let mass = |mass: &W, of_kind: &W| mass.product(of_kind, self.fraction + GUARD).scaled(drawn + 1, times);
            let (p, q) = (mass(&sum.p, &kind.p), mass(&sum.q, &kind.q));
            if !(p.is_zero() && q.is_zero()) {
                self.extend(index, (drawn + 1, times), &Atom { key: sum.key.plus(&kind.key), p, q })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of the draws by the recursion above.
    #[test]
    fn guards_hold_the_errors_of_all_draws() {
        let mut error = 2u64;
        for drawn in 1..MOST {
            error = (error + 3) * (drawn + 1) + 1;
        }
        assert_eq!(error, 317_441);
        assert!(error < 1 << GUARD);
    }
}
