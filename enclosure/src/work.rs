//! Work: counted operations instead of time, so that a query has the same answer on every machine.
//!
//! Each operation on enclosures and discs adds its cost, by its kind and precision, to a counter of its thread. Other
//! loops add theirs with [`spend`]. Costs are estimates. They decide which attempts are made, never whether an
//! enclosure is right. The counts must be the same on every machine, whatever its load and its number of threads:
//!
//! - Work on several threads is counted by [`Budget::map`](crate::Budget::map) and
//!   [`Budget::join`](crate::Budget::join).
//! - A [`Cache`](crate::Cache) adds the cost of a value when it computes the value. In parallel work the order of
//!   accesses is not known, so each access adds a cost ([`learn`], [`recall`]).
//! - Tables that are computed once per process cost nothing ([`uncounted`]).

use std::cell::Cell;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// An amount of work in units; one takes about two nanoseconds on one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(u64);

impl Work {
    /// None.
    pub const NONE: Work = Work(0);

    /// Units per second of one core, about.
    const PER_SECOND: u64 = 500_000_000;

    /// This number of units.
    pub const fn units(units: u64) -> Self {
        Work(units)
    }

    /// The work of one core in this number of seconds, about.
    pub const fn seconds(seconds: u64) -> Self {
        Work(seconds.saturating_mul(Self::PER_SECOND))
    }

    /// The work of one core in this number of milliseconds, about.
    pub const fn milliseconds(milliseconds: u64) -> Self {
        Work(milliseconds.saturating_mul(Self::PER_SECOND / 1000))
    }

    /// The work of one core in this number of seconds, about; none for NaN and negative numbers.
    pub fn of_seconds(seconds: f64) -> Self {
        Work((seconds * Self::PER_SECOND as f64) as u64)
    }

    /// The number of units.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The seconds of one core that this takes, about.
    pub fn in_seconds(self) -> f64 {
        self.0 as f64 / Self::PER_SECOND as f64
    }

    /// Is it none?
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or none.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Work(self.0.saturating_sub(other.0))
    }

    /// `n self`.
    #[must_use]
    pub const fn saturating_mul(self, n: u64) -> Self {
        Work(self.0.saturating_mul(n))
    }

    /// `self numer / denom`.
    #[must_use]
    pub fn part(self, (numer, denom): (u32, u32)) -> Self {
        Work(self.0 / u64::from(denom.max(1)) * u64::from(numer))
    }
}

impl Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work(self.0.saturating_add(other.0))
    }
}

impl Sub for Work {
    type Output = Work;
    fn sub(self, other: Work) -> Work {
        self.saturating_sub(other)
    }
}

impl Mul<u64> for Work {
    type Output = Work;
    fn mul(self, n: u64) -> Work {
        self.saturating_mul(n)
    }
}

impl Div<u64> for Work {
    type Output = Work;
    fn div(self, n: u64) -> Work {
        Work(self.0 / n.max(1))
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        *self = *self + other;
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(all: I) -> Work {
        all.fold(Work::NONE, Add::add)
    }
}

/// Prints three digits: `8e9`, `1.25e10`.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2e}", self.0 as f64);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        write!(f, "{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

thread_local! {
    /// The units that this thread has counted.
    static COUNTED: Cell<u64> = const { Cell::new(0) };
    /// The part of them that budgets have already added to their accounts.
    static SEEN: Cell<u64> = const { Cell::new(0) };
    /// The number of items that run in parallel with this one, with itself; 0 outside of parallel work.
    static ITEMS: Cell<u64> = const { Cell::new(0) };
    /// Do budgets see nothing for now?
    static HIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Count this number of units.
#[inline]
pub fn spend(units: u64) {
    COUNTED.with(|counted| counted.set(counted.get().wrapping_add(units)));
}

/// Count an operation of linear cost, such as a sum, at this precision.
#[inline]
pub(crate) fn spend_linear(bits: u32) {
    spend(50 + u64::from(bits / 32));
}

/// Count a product at this precision.
#[inline]
pub(crate) fn spend_product(bits: u32) {
    spend(50 + product(bits));
}

/// Count this number of products of integers of this many bits.
pub fn spend_products(count: usize, bits: u32) {
    spend((count as u64).saturating_mul(20 + product(bits)));
}

/// Count an elementary function at this precision.
#[inline]
pub(crate) fn spend_function(bits: u32) {
    spend(1000 + 30 * product(bits));
}

/// The cost of a product: the square of the number of limbs, and less for long numbers.
fn product(bits: u32) -> u64 {
    let limbs = u64::from(bits / 64) + 1;
    if limbs <= 32 { limbs * limbs / 2 } else { limbs * (10 + limbs.isqrt()) }
}

/// Do work, and return the units that it counted.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNTED.get();
    let done = work();
    (done, COUNTED.get().wrapping_sub(before))
}

/// Do work that this thread does not count, and return the units that it would have counted.
pub fn apart<T>(work: impl FnOnce() -> T) -> (T, u64) {
    beside(0, false, work)
}

/// The same for one of several items in parallel.
pub(crate) fn in_parallel<T>(items: u64, work: impl FnOnce() -> T) -> (T, u64) {
    beside(items, false, work)
}

fn beside<T>(items: u64, hidden: bool, work: impl FnOnce() -> T) -> (T, u64) {
    let (before, seen) = (COUNTED.replace(0), SEEN.replace(0));
    let (around, shown) = (ITEMS.replace(items), HIDDEN.replace(hidden));
    let done = work();
    SEEN.set(seen);
    ITEMS.set(around);
    HIDDEN.set(shown);
    (done, COUNTED.replace(before))
}

/// The number of items that run in parallel with this one; 0 outside of parallel work.
pub(crate) fn items() -> u64 {
    ITEMS.get()
}

/// Who needs a value that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All items of parallel work, such as a table: each counts its share of the cost.
    ForAll,
    /// Few of them, such as the value at a point: each counts the whole cost.
    ForOne,
}

impl Kept {
    fn cost(self, units: u64) -> u64 {
        match self {
            Kept::ForAll => units / ITEMS.get().max(1),
            Kept::ForOne => units,
        }
    }
}

/// Compute a value that is kept, and return it with its units for [`recall`].
pub fn learn<T>(kept: Kept, compute: impl FnOnce() -> T) -> (T, u64) {
    let items = ITEMS.get();
    if items == 0 {
        return counted(compute);
    }
    // Another item may have the value already, so that budgets must not see the work itself.
    let (value, units) = beside(items, true, compute);
    spend(kept.cost(units));
    (value, units)
}

/// Count the use of a value that is kept: in parallel work as if it was computed, otherwise nothing.
pub fn recall(kept: Kept, units: u64) {
    if ITEMS.get() > 0 {
        spend(kept.cost(units));
    }
}

/// Do work that is not counted at all, such as a table that is computed once per process.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    apart(work).0
}

/// The units that this thread counted since the last call.
pub(crate) fn unseen() -> u64 {
    if HIDDEN.get() {
        return 0;
    }
    let counted = COUNTED.get();
    counted.wrapping_sub(SEEN.replace(counted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits() {
        for (units, text) in [(0, "0e0"), (8_000_000_000, "8e9"), (12_500_000_000, "1.25e10"), (123_456, "1.23e5")] {
            assert_eq!(Work::units(units).to_string(), text);
        }
    }

    #[test]
    fn work_apart_is_not_counted() {
        let (inner, outer) = counted(|| {
            spend(3);
            let (_, inner) = apart(|| spend(5));
            uncounted(|| spend(7));
            inner
        });
        assert_eq!((inner, outer), (5, 3));
    }
}
