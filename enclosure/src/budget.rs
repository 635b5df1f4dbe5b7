//! The refinement loop and the budget that ends it.
//!
//! The loop terminates because each round either proves enough digits or raises the precision by at least half. The
//! precision is capped by [`Budget::max_bits`], and long computations check the work with [`Budget::check`]. What would
//! not fit into memory is refused before it begins ([`Budget::afford`]). An exhausted budget returns
//! [`Error::Undecided`], never a wrong number.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rug::{Float, float};

use super::notes::{Note, Notebook};
use super::work::{self, Work};
use super::{Enclosure, Number};
use crate::{Error, Hint, Limit, Reason};

/// Limits on the work, precision and memory of a computation. It can also collect notes on how the answer was computed.
///
/// Attempts share out [`Work`], which is counted, so what is tried and what is found do not depend on the machine or on
/// how busy it is. A time limit is a hard stop besides: it also limits the work.
#[derive(Clone, Debug)]
pub struct Budget {
    max_bits: u32,
    max_bytes: u64,
    deadline: Option<Deadline>,
    /// The work so far, as counted by everyone who shares this budget.
    account: Arc<AtomicU64>,
    allowance: Option<Allowance>,
    notes: Option<Notebook>,
    watch: Option<Watch>,
}

/// A hard stop by the clock.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    started: Instant,
    timeout: Duration,
}

/// Work that may be done.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    /// The account at which it is used up.
    most: Work,
    /// The limit of the user.
    whole: Whole,
    /// Is it only a share of that limit?
    share: bool,
}

/// A limit that a user can change.
#[derive(Clone, Copy, Debug)]
enum Whole {
    /// By the time limit.
    Time(Duration),
    /// By a limit on the work.
    Work(Work),
    /// By the limit of queries without requested digits.
    Default(Work),
}

/// Whoever waits for an answer, and may have enough of it.
#[derive(Clone)]
struct Watch {
    wanted: Arc<dyn Fn() -> bool + Send + Sync>,
    over: Arc<AtomicBool>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("over", &self.over).finish_non_exhaustive()
    }
}

/// Units of a check: of what a loop did since the last one, at least.
const CHECK: u64 = 100;

/// The part of a time limit whose work is planned.
const PLANNED: (u32, u32) = (1, 2);

/// Items that are computed in parallel before their work is added up, at least and at most.
const LEAST_CHUNK: u64 = 2;
const MOST_CHUNK: u64 = 1 << 12;

/// A chunk is expected to take at most one part in this many of the work that is left.
const AHEAD: u64 = 8;

/// Bytes that the system is asked for before they are needed.
const MUCH_MEMORY: u64 = 1 << 26;

/// Estimated cost of a computation before it begins.
#[derive(Clone, Copy, Debug)]
pub struct Need<'a> {
    /// What is counted, such as `lattice points`.
    pub what: &'a str,
    /// Number of them.
    pub count: u64,
    /// Largest number that is attempted, because more would take hours.
    pub most: u64,
    /// Memory for all of them, in bytes.
    pub bytes: u64,
    /// Advice that reduces the cost: `try a coarser unit or fewer compositions`.
    pub relax: &'a str,
}

impl Budget {
    /// Default limit on the working precision in bits: enough for a million digits.
    pub const DEFAULT_MAX_BITS: u32 = 1 << 23;
    /// Default limit on the memory of one computation in bytes: 2 GB.
    pub const DEFAULT_MAX_BYTES: u64 = 2_000_000_000;

    /// Largest limit on the precision in bits: precisions plus guard bits then fit into 32 bits.
    const MOST_BITS: u32 = 1 << 28;

    /// A budget of at most `max_bits` (and at most `2^28`) bits whose clock starts now.
    ///
    /// The timeout is a hard stop. It also limits the work to what one core does in half of that time, about, so that
    /// the plan ends before the clock does on a slow or busy machine, too.
    pub fn new(max_bits: u32, timeout: Option<Duration>) -> Self {
        Budget {
            max_bits: max_bits.min(Self::MOST_BITS),
            max_bytes: Self::DEFAULT_MAX_BYTES,
            deadline: timeout.map(|timeout| Deadline { started: Instant::now(), timeout }),
            account: Arc::default(),
            allowance: timeout.map(|timeout| Allowance {
                most: Work::of_seconds(timeout.as_secs_f64()).part(PLANNED),
                whole: Whole::Time(timeout),
                share: false,
            }),
            notes: None,
            watch: None,
        }
    }

    /// The same budget with at most this work from now on, whatever the timeout is.
    #[must_use]
    pub fn with_work(self, most: Work) -> Self {
        let allowance = Allowance { most: self.spent() + most, whole: Whole::Work(most), share: false };
        Budget { allowance: Some(allowance), ..self }
    }

    /// The same budget with another memory limit, in bytes.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Budget { max_bytes, ..self }
    }

    /// The same budget with at most `max_bits` bits of working precision.
    #[must_use]
    pub fn with_max_bits(self, max_bits: u32) -> Self {
        Budget { max_bits: self.max_bits.min(max_bits), ..self }
    }

    /// The same budget, collecting notes on how the answer is computed.
    #[must_use]
    pub fn taking_notes(self) -> Self {
        Budget { notes: Some(Notebook::default()), ..self }
    }

    /// The same budget with a cancellation callback. The computation calls it through
    /// [`still_wanted`](Budget::still_wanted); once it returns `false`, the budget has run out for all copies.
    #[must_use]
    pub fn while_wanted(self, wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Budget { watch: Some(Watch { wanted: Arc::new(wanted), over: Arc::default() }), ..self }
    }

    /// The same budget with a cancellation flag: it has run out as soon as the flag is set.
    #[must_use]
    pub fn until(self, raised: Arc<AtomicBool>) -> Self {
        let over = Arc::clone(&raised);
        Budget {
            watch: Some(Watch { wanted: Arc::new(move || !raised.load(atomic::Ordering::Relaxed)), over }),
            ..self
        }
    }

    /// Can the computation be cancelled?
    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Has the computation been cancelled?
    pub fn is_unwanted(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.over.load(atomic::Ordering::Relaxed))
    }

    /// Call the cancellation callback and check the time.
    ///
    /// # Errors
    /// Those of [`check`](Budget::check).
    pub fn still_wanted(&self) -> Result<(), Error> {
        self.is_wanted();
        self.check()
    }

    /// Call the cancellation callback: is the answer still wanted?
    pub fn is_wanted(&self) -> bool {
        if let Some(Watch { wanted, over }) = &self.watch
            && !wanted()
        {
            over.store(true, atomic::Ordering::Relaxed);
        }
        !self.is_unwanted()
    }

    /// Limit on the working precision, in bits.
    pub fn max_bits(&self) -> u32 {
        self.max_bits
    }

    /// Limit on the memory of a computation, in bytes; approximate, because allocations of libraries are not counted.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Check that work and time are left. Long loops call this every few milliseconds.
    pub fn check(&self) -> Result<(), Error> {
        work::spend(CHECK);
        if self.is_unwanted() {
            return Err(Error::undecided("interrupted"));
        }
        let over = |reason: String, limit| Err(Error::Undecided(Reason::from(reason).hint(Hint::More(limit))));
        if let Some(Deadline { started, timeout }) = self.deadline
            && started.elapsed() >= timeout
        {
            return over(format!("the time budget of {} s ran out", timeout.as_secs_f64()), Limit::Time);
        }
        let Some(Allowance { most, whole, share }) = self.allowance else { return Ok(()) };
        if self.spent() < most {
            return Ok(());
        }
        let (name, limit) = match whole {
            Whole::Time(timeout) => (format!("the work for a time budget of {} s", timeout.as_secs_f64()), Limit::Time),
            Whole::Work(most) => (format!("the work budget of {most} units"), Limit::Work),
            Whole::Default(most) => (format!("the default work of {most} units"), Limit::Work),
        };
        over(
            if share { format!("the share of {name} for this attempt ran out") } else { format!("{name} ran out") },
            limit,
        )
    }

    /// Remaining work, if there is a limit.
    pub fn remaining(&self) -> Option<Work> {
        self.allowance.map(|allowance| allowance.most - self.spent())
    }

    /// Remaining time, if there is a limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|Deadline { started, timeout }| timeout.saturating_sub(started.elapsed()))
    }

    /// Work spent; for extrapolating the work still needed.
    pub fn spent(&self) -> Work {
        let unseen = work::unseen();
        Work::units(self.account.fetch_add(unseen, atomic::Ordering::Relaxed) + unseen)
    }

    /// The same budget with at most the work `most`, unless a limit on the work was [set](Budget::with_work).
    #[must_use]
    pub fn by_default(&self, most: Work) -> Self {
        let is_set = self.allowance.is_some_and(|allowance| matches!(allowance.whole, Whole::Work(_)));
        if is_set { self.clone() } else { self.patient(most) }
    }

    /// The same budget with at most the work `most`.
    #[must_use]
    pub fn patient(&self, most: Work) -> Self {
        if self.remaining().is_some_and(|left| left <= most) {
            return self.clone();
        }
        let allowance = Allowance { most: self.spent() + most, whole: Whole::Default(most), share: false };
        Budget { allowance: Some(allowance), ..self.clone() }
    }

    /// The same budget with only `numer / denom` of the remaining work, and at most `most`, so that later attempts have
    /// some left. Without a limit, `most` is the limit.
    #[must_use]
    pub fn share(&self, part: (u32, u32), most: Option<Work>) -> Self {
        let part = self.remaining().map(|left| left.part(part));
        let Some(part) = part.into_iter().chain(most).min() else { return self.clone() };
        let whole = self.allowance.map_or(Whole::Default(part), |allowance| allowance.whole);
        let allowance = Allowance { most: self.spent() + part, whole, share: true };
        Budget { allowance: Some(allowance), ..self.clone() }
    }

    /// The same budget with a separate account, which starts at the same reading. It does not count the work that other
    /// threads do at the same time.
    #[must_use]
    pub fn apart(&self) -> Self {
        let reading = self.account.load(atomic::Ordering::Relaxed);
        Budget { account: Arc::new(AtomicU64::new(reading)), ..self.clone() }
    }

    /// Do work with a separate account, and then add that work to this budget. Work that the thread did before for
    /// other budgets is not included.
    pub fn alone<T>(&self, work: impl FnOnce(&Budget) -> T) -> T {
        let own = self.apart();
        let before = own.account.load(atomic::Ordering::Relaxed);
        let ((done, after), _) = work::apart(|| {
            let done = work(&own);
            (done, own.spent().count())
        });
        work::spend(after.saturating_sub(before));
        done
    }

    /// Map in parallel. Results and counted work are the same for every number of threads: each item sees the account
    /// as it was before its chunk, and its own work. Chunks are short where items take much of the work that is left,
    /// because the items of a chunk do not see each other's work.
    ///
    /// # Errors
    /// The error of the first item that has one.
    pub fn map<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = T>,
        f: impl Fn(T, &Budget) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let mut items = items.into_iter();
        let mut results = Vec::with_capacity(items.size_hint().0);
        let mut length = LEAST_CHUNK;
        loop {
            let chunk: Vec<T> = items.by_ref().take(length as usize).collect();
            if chunk.is_empty() {
                return Ok(results);
            }
            self.spent();
            let count = chunk.len() as u64;
            let parallel = work::items().max(1).saturating_mul(count);
            let one = |item: T| {
                let own = self.apart();
                work::in_parallel(parallel, || f(item, &own))
            };
            let (done, _) = work::apart(|| chunk.into_par_iter().map(one).collect::<Vec<_>>());
            let counted: u64 = done.iter().map(|(_, counted)| counted).sum();
            work::spend(counted);
            for (result, _) in done {
                results.push(result?);
            }
            let each = (counted / count).max(1);
            let most = self.remaining().map_or(u64::MAX, |left| left.count() / AHEAD / each);
            length = (2 * length).min(most).clamp(LEAST_CHUNK, MOST_CHUNK);
        }
    }

    /// Do two things in parallel; otherwise as [`map`](Budget::map).
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce(&Budget) -> A + Send,
        b: impl FnOnce(&Budget) -> B + Send,
    ) -> (A, B) {
        self.spent();
        let (own, other) = (self.apart(), self.apart());
        let parallel = work::items().max(1).saturating_mul(2);
        let (((a, first), (b, second)), _) = work::apart(|| {
            rayon::join(|| work::in_parallel(parallel, || a(&own)), || work::in_parallel(parallel, || b(&other)))
        });
        work::spend(first + second);
        (a, b)
    }

    /// Check that this work fits into the budget.
    pub fn afford(&self, work: &Need) -> Result<(), Error> {
        let Need { what, count, most, bytes, relax } = *work;
        if count > most {
            return Err(Error::undecided(format!(
                "this needs {} {what}, but the limit is {}; {relax}",
                Amount(count),
                Amount(most)
            )));
        }
        if bytes > self.max_bytes {
            let reason = Reason::from(format!(
                "this needs {} {what} in about {} MB, but the memory budget is {} MB",
                Amount(count),
                Amount(bytes.div_ceil(1_000_000)),
                Amount(self.max_bytes / 1_000_000)
            ));
            return Err(Error::Undecided(reason.hint(Hint::More(Limit::Memory)).then(format!("; {relax}"))));
        }
        // A program whose allocation fails is aborted, so the system is asked first where much is needed.
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes >= MUCH_MEMORY && Vec::<u8>::new().try_reserve_exact(length).is_err() {
            return Err(Error::undecided(format!(
                "this needs {} {what} in about {} MB, and the system does not give that much memory; {relax}",
                Amount(count),
                Amount(bytes.div_ceil(1_000_000)),
            )));
        }
        Ok(())
    }

    /// The error for an exhausted precision budget.
    pub fn out_of_bits(&self) -> Error {
        let reason = Reason::from(format!("the precision budget of {} bits ran out", self.max_bits));
        Error::Undecided(reason.hint(Hint::More(Limit::Precision)))
    }

    /// Note how the answer is computed. A later note with the same label replaces an earlier one.
    pub fn note(&self, label: &str, value: impl fmt::Display) {
        if let Some(notes) = &self.notes {
            notes.write(label, value);
        }
    }

    /// The same budget, with notes under a heading.
    #[must_use]
    pub fn under(&self, heading: impl fmt::Display) -> Self {
        Budget { notes: self.notes.as_ref().map(|notes| notes.under(heading)), ..self.clone() }
    }

    /// Are notes collected?
    pub fn takes_notes(&self) -> bool {
        self.notes.is_some()
    }

    /// The collected notes.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.as_ref().map(Notebook::read).unwrap_or_default()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(Self::DEFAULT_MAX_BITS, None)
    }
}

/// Results so near to the smallest exponent are zero, or rounded as if they had no digits: no precision helps.
const LAST_EXPONENTS: i32 = 64;

/// Does it hold zero, and nothing beside it that more precision would tell from zero?
pub(crate) fn as_good_as_zero(set: &Enclosure) -> bool {
    let last = float::exp_min().saturating_add(LAST_EXPONENTS);
    let tiny = |end: &Float| end.is_zero() || end.get_exp().is_some_and(|exponent| exponent <= last);
    *set.lower() <= 0 && *set.upper() >= 0 && tiny(set.lower()) && tiny(set.upper())
}

/// A count as people read it: in full up to seven digits, then about.
struct Amount(u64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            count if count < 10_000_000 => write!(f, "{count}"),
            u64::MAX => f.write_str("more than 1e19"),
            count => write!(f, "{:.1e}", count as f64),
        }
    }
}

/// Precision in bits for `digits` significant decimal digits, with two spare digits for printing.
pub fn bits_of_digits(digits: u32) -> u32 {
    // log2(10) < 3.3220
    let bits = (u64::from(digits) + 2) * 33220 / 10000 + 1;
    u32::try_from(bits).unwrap_or(u32::MAX)
}

/// Evaluate `value` at increasing precision until `digits` significant digits are proven or the value is exact.
///
/// `value(bits)` must return an enclosure of the same real number for every `bits`. The loop returns the first
/// enclosure whose relative width is below `10^-(digits + 2)`, so small values such as `1e-4000` get their digits too.
/// A value that is zero, but not known to be exactly zero, ends as undecided. An enclosure that contains only zero is
/// exactly zero.
pub fn refine(
    digits: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let goal = i64::from(bits_of_digits(digits));
    let mut bits = bits_of_digits(digits).saturating_add(32);
    let mut rounds = 0_u32;
    loop {
        if bits > budget.max_bits {
            return Err(budget.out_of_bits());
        }
        budget.check()?;
        rounds += 1;
        let number = value(bits);
        budget.note("rounds of refinement", rounds);
        let number = number?;
        let proven = match &number {
            Number::Exact(_) => {
                budget.note("proven", "exactly");
                return Ok(number);
            }
            Number::Enclosed(set) if set.sign() == Some(Ordering::Equal) => {
                budget.note("proven", "exactly");
                return Ok(Number::zero());
            }
            Number::Enclosed(set) => set.relative_bits(),
        };
        budget.note("working precision of the method", format_args!("{bits} bits"));
        match proven {
            // A point that is not known to be rational.
            Some(i64::MAX) => budget.note("proven", "all bits"),
            proven => {
                budget.note("proven", format_args!("{} bits, of which {goal} are needed", proven.unwrap_or(0).max(0)));
            }
        }
        if proven.is_some_and(|proven| proven >= goal) {
            return Ok(number);
        }
        if let Number::Enclosed(set) = &number
            && as_good_as_zero(set)
        {
            return Err(Error::undecided(format!(
                "the value differs from zero by less than 2^{}, and smaller numbers cannot be distinguished from zero",
                float::exp_min().saturating_add(LAST_EXPONENTS)
            )));
        }
        // What was lost this time will be lost again: add it, with some more, but never creep.
        let lost = proven.map_or(i64::from(bits), |proven| goal - proven);
        let more = u32::try_from(lost.saturating_add(16)).unwrap_or(u32::MAX).max(bits / 8 + 32);
        let next = bits.saturating_add(more);
        // The last try is made at the cap itself.
        bits = if bits < budget.max_bits { next.min(budget.max_bits) } else { next };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beyond_the_budget_is_refused_before_it_begins() {
        let work = Need { what: "lattice points", count: 5_000, most: 1_000_000, bytes: 3_000_000, relax: "try fewer" };
        assert_eq!(Budget::default().afford(&work), Ok(()));
        let small = Budget::default().with_max_bytes(2_000_000);
        assert_eq!(
            small.afford(&work).map_err(|error| error.to_string()),
            Err("undecided: this needs 5000 lattice points in about 3 MB, but the memory budget is 2 MB; try fewer"
                .to_string())
        );
        let long = Need { count: 123_000_000, ..work };
        assert_eq!(
            long_message(&Budget::default(), &long),
            "undecided: this needs 1.2e8 lattice points, but the limit is 1000000; try fewer"
        );
    }

    /// The budget may allow more memory than the system gives.
    #[test]
    fn memory_that_the_system_does_not_give_is_refused() {
        let budget = Budget::default().with_max_bytes(u64::MAX);
        let work = Need { what: "points of a grid", count: 9, most: 10, bytes: u64::MAX, relax: "try fewer digits" };
        assert_eq!(
            long_message(&budget, &work),
            "undecided: this needs 9 points of a grid in about 1.8e13 MB, and the system does not give that much \
             memory; try fewer digits"
        );
        assert_eq!(budget.afford(&Need { bytes: MUCH_MEMORY, ..work }), Ok(()));
    }

    /// A share ends before the whole does, says of what it is one, and has no more than its most.
    #[test]
    fn shares_end_first() {
        let seconds = Work::seconds;
        let whole = Budget::new(64, Some(Duration::from_secs(100)));
        assert_eq!(whole.remaining(), Some(seconds(50)));
        assert_eq!(whole.share((1, 5), None).remaining(), Some(seconds(10)));
        assert_eq!(whole.share((1, 2), Some(seconds(1))).remaining(), Some(seconds(1)));
        assert_eq!(Budget::default().share((1, 2), None).remaining(), None);
        assert_eq!(Budget::default().share((1, 2), Some(seconds(1))).remaining(), Some(seconds(1)));
        work::spend(seconds(20).count());
        assert_eq!((whole.spent(), whole.remaining()), (seconds(20), Some(seconds(30))));
        assert_eq!(
            told(&whole.share((0, 1), None).share((1, 2), None)).0,
            "the share of the work for a time budget of 100 s"
        );
    }

    /// The start of the message for a budget that ran out, and the limit to raise.
    fn told(budget: &Budget) -> (String, Vec<Limit>) {
        match budget.check() {
            Err(Error::Undecided(reason)) => {
                let text = reason.to_string();
                let text = text.strip_suffix(" ran out").expect("why");
                let text = text.strip_suffix(" for this attempt").unwrap_or(text);
                (text.to_string(), reason.limits().collect())
            }
            other => panic!("{other:?}"),
        }
    }

    /// The lesser of two limits holds, and is named.
    #[test]
    fn the_lesser_limit_is_named() {
        let all = Work::seconds(100);
        let default = ("the default work of 5e10 units".to_string(), vec![Limit::Work]);
        let shared = ("the share of the default work of 5e10 units".to_string(), vec![Limit::Work]);
        let budget = Budget::default().patient(all);
        assert_eq!(told(&budget.share((0, 1), None)), shared);
        work::spend(all.count());
        assert_eq!(told(&budget), default);
        assert_eq!(budget.remaining(), Some(Work::NONE));
        let time = |seconds| Budget::new(64, Some(Duration::from_secs(seconds))).patient(all).share((0, 1), None);
        assert_eq!(told(&time(3600)), shared);
        assert_eq!(told(&time(50)), ("the share of the work for a time budget of 50 s".to_string(), vec![Limit::Time]));
        assert_eq!(told(&time(0)), ("the time budget of 0 s".to_string(), vec![Limit::Time]));
        let few = Budget::new(64, Some(Duration::from_secs(50))).with_work(Work::units(7)).patient(all);
        assert_eq!(few.by_default(Work::NONE).remaining(), Some(Work::units(7)));
        assert_eq!(budget.by_default(Work::NONE).remaining(), Some(Work::NONE));
        assert_eq!(few.remaining(), Some(Work::units(7)));
        work::spend(7);
        assert_eq!(told(&few), ("the work budget of 7e0 units".to_string(), vec![Limit::Work]));
    }

    /// Time that is asleep is no work, but ends a time limit.
    #[test]
    fn a_time_limit_is_a_hard_stop() {
        let most = Duration::from_millis(20);
        let (timed, patient) = (Budget::new(64, Some(most)), Budget::default().patient(Work::milliseconds(20)));
        std::thread::sleep(most);
        assert_eq!((timed.time_left(), patient.check()), (Some(Duration::ZERO), Ok(())));
        assert_eq!(told(&timed).1, [Limit::Time]);
    }

    /// Items of a parallel map see their own work alone, beside what was counted before, with any number of threads.
    #[test]
    fn parallel_work_is_counted_as_if_in_turn() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let budget = Budget::default().patient(Work::seconds(1));
                work::spend(10);
                let seen = budget.map(0..200_u64, |n, own| {
                    work::spend(n);
                    // Within, too, and other work on the same threads.
                    let inner = own.map(0..100_u64, |m, own| {
                        work::spend(m);
                        Budget::default().alone(|other| {
                            work::spend(1000);
                            assert_eq!(other.spent(), Work::units(1000));
                        });
                        Ok(own.spent())
                    })?;
                    Ok((inner, own.spent()))
                });
                let both = budget.join(
                    |own| {
                        work::spend(5);
                        own.spent()
                    },
                    |own| own.spent(),
                );
                (seen, both, budget.spent())
            })
        };
        let (seen, both, all) = run(1);
        let inner = 99 * 100 / 2 + 100 * 1000;
        assert_eq!(all, Work::units(10 + 199 * 200 / 2 + 200 * inner + 5));
        assert_eq!(both, (all, all - Work::units(5)));
        // Item 7 is in the third chunk: it sees the six items of the first two.
        let before = 10 + (1 + 2 + 3 + 4 + 5) + 6 * inner;
        assert_eq!(seen.as_ref().map(|seen| seen[7].1), Ok(Work::units(before + 7 + inner)));
        for threads in [2, 5] {
            assert_eq!(run(threads), (seen.clone(), both, all));
        }
    }

    /// The error of the first item is returned, even if another item fails earlier.
    #[test]
    fn the_first_error_is_told() {
        let found = Budget::default()
            .map(0..1000_u32, |n, _| if n >= 77 { Err(Error::undecided(format!("{n}"))) } else { Ok(n) });
        assert_eq!(found, Err(Error::undecided("77")));
    }

    /// Whoever stops waiting ends all that shares the budget.
    #[test]
    fn what_nobody_waits_for_ends() {
        let asked = Arc::new(AtomicBool::new(true));
        let answer = Arc::clone(&asked);
        let budget = Budget::default().while_wanted(move || answer.load(atomic::Ordering::Relaxed));
        let share = budget.share((1, 2), Some(Work::seconds(9)));
        assert_eq!((budget.still_wanted(), share.check(), budget.is_watched()), (Ok(()), Ok(()), true));
        asked.store(false, atomic::Ordering::Relaxed);
        // Nobody has asked yet.
        assert_eq!(share.check(), Ok(()));
        for told in [budget.still_wanted(), share.check()] {
            assert!(matches!(told, Err(Error::Undecided(reason)) if reason.to_string() == "interrupted"));
        }
    }

    /// What is raised ends all at once, though nobody asks whether it is still wanted.
    #[test]
    fn what_is_raised_ends() {
        let raised = Arc::new(AtomicBool::new(false));
        let budget = Budget::default().until(Arc::clone(&raised));
        assert_eq!((budget.check(), budget.is_watched()), (Ok(()), true));
        raised.store(true, atomic::Ordering::Relaxed);
        assert!(
            matches!(budget.share((1, 2), None).check(), Err(Error::Undecided(why)) if why.to_string() == "interrupted")
        );
    }

    fn long_message(budget: &Budget, work: &Need) -> String {
        budget.afford(work).map_err(|error| error.to_string()).expect_err("too much")
    }
}
