//! The refinement loop and the budget that ends it.
//!
//! The loop terminates because each round either proves enough digits or raises the precision by at least half. The
//! precision is capped by [`Budget::max_bits`], and long computations check the time with [`Budget::check`]. Work that
//! would not fit into memory is refused before it begins ([`Budget::afford`]). An exhausted budget returns
//! [`Error::Undecided`], never a wrong number.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::{Duration, Instant};

use rug::{Float, float};

use super::notes::{Note, Notebook};
use super::{Enclosure, Number};
use crate::{Error, Hint, Limit, Reason};

/// Limits on the time, precision and memory of a computation. It can also collect notes on how the answer was computed.
#[derive(Clone, Debug)]
pub struct Budget {
    max_bits: u32,
    max_bytes: u64,
    timeout: Option<Duration>,
    started: Instant,
    /// The whole time, where this is a share of it.
    whole: Option<Duration>,
    /// What is allowed beside that, by the lesser of two clocks.
    patience: Option<Patience>,
    notes: Option<Notebook>,
    watch: Option<Watch>,
}

/// Time that is counted while there is a processor to work on, and when it is over.
#[derive(Clone, Copy, Debug)]
struct Patience {
    clock: Stopwatch,
    most: Duration,
    /// What `most` is a share of; nothing where the time that was left was less than that.
    whole: Option<Duration>,
}

/// How many times as long as it was told to whoever is patient waits at most, however busy the machine is.
const MOST_PATIENT: u32 = 4;

/// Time that was spent: by the clock on the wall, or by that of the processors where it went less far. So what else the
/// machine does is not counted, nor is it what several threads do at once; where others compute in the same process it
/// is the clock on the wall again.
#[derive(Clone, Copy, Debug)]
struct Stopwatch {
    started: Instant,
    /// Of all threads, at the start; nothing where it is not known.
    worked: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Self {
        Stopwatch { started: Instant::now(), worked: processor_time() }
    }

    fn spent(&self) -> Duration {
        let passed = self.started.elapsed();
        let worked = self.worked.and_then(|before| processor_time()?.checked_sub(before));
        worked.map_or(passed, |worked| worked.clamp(passed / MOST_PATIENT, passed))
    }

    /// Was so much spent? The processors are asked only where the wall says so.
    fn passed(&self, most: Duration) -> bool {
        self.started.elapsed() >= most && self.spent() >= most
    }
}

/// The processor time of all threads of this process, where that can be had.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().ok()
}

/// Not here.
#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
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

/// Estimated cost of a computation before it begins.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
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
    pub fn new(max_bits: u32, timeout: Option<Duration>) -> Self {
        Budget {
            max_bits: max_bits.min(Self::MOST_BITS),
            max_bytes: Self::DEFAULT_MAX_BYTES,
            timeout,
            started: Instant::now(),
            whole: None,
            patience: None,
            notes: None,
            watch: None,
        }
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
        if let Some(Watch { wanted, over }) = &self.watch
            && !wanted()
        {
            over.store(true, atomic::Ordering::Relaxed);
        }
        self.check()
    }

    /// Limit on the working precision, in bits.
    pub fn max_bits(&self) -> u32 {
        self.max_bits
    }

    /// Limit on the memory of a computation, in bytes; approximate, because allocations of libraries are not counted.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Check that time is left. Long loops call this every few milliseconds.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_unwanted() {
            return Err(Error::undecided("interrupted"));
        }
        let over = |reason: String, limit| Err(Error::Undecided(Reason::from(reason).hint(Hint::More(limit))));
        let set_apart = |whole: &str| format!("the share of {whole} for this attempt ran out");
        let late = self.timeout.filter(|timeout| self.started.elapsed() >= *timeout);
        let whole = match (late, self.patience) {
            // All of it, or a part that was left for this.
            (Some(timeout), Some(_)) => self.whole.filter(|whole| *whole != timeout).ok_or(timeout),
            (Some(timeout), None) => self.whole.ok_or(timeout),
            (None, Some(patience)) if patience.clock.passed(patience.most) => match patience.whole {
                Some(whole) => {
                    return over(set_apart(&format!("the default time of {} s", whole.as_secs_f64())), Limit::Patience);
                }
                None => self.whole.ok_or(patience.most),
            },
            (None, _) => return Ok(()),
        };
        match whole {
            Err(whole) => over(budget_ran_out(whole), Limit::Time),
            Ok(whole) => over(set_apart(&format!("the time budget of {} s", whole.as_secs_f64())), Limit::Time),
        }
    }

    /// Remaining time, if there is a limit.
    pub fn remaining(&self) -> Option<Duration> {
        let patience = self.patience.map(|patience| patience.most.saturating_sub(patience.clock.spent()));
        let wall = self.timeout.map(|timeout| timeout.saturating_sub(self.started.elapsed()));
        wall.into_iter().chain(patience).min()
    }

    /// Time spent, measured by the same clock as [`remaining`](Self::remaining); for extrapolating the time still
    /// needed.
    pub fn spent(&self) -> Duration {
        self.patience.map_or_else(|| self.started.elapsed(), |patience| patience.clock.spent())
    }

    /// The same budget with the time limit `most` in the smaller of wall-clock and processor time, so that a busy
    /// machine may take longer, up to four times. An earlier wall-clock limit remains in force.
    #[must_use]
    pub fn patient(&self, most: Duration) -> Self {
        let left = self.remaining().filter(|left| *left <= most);
        let own = if left.is_some() { None } else { Some(most) };
        let patience = Patience { clock: Stopwatch::start(), most: left.unwrap_or(most), whole: own };
        Budget { patience: Some(patience), whole: self.whole.or(self.timeout), ..self.clone() }
    }

    /// The same budget with only `numer / denom` of the remaining time, and at most `most`, so that later attempts have
    /// time left. Without a time limit, `most` is the limit.
    #[must_use]
    pub fn share(&self, (numer, denom): (u32, u32), most: Option<Duration>) -> Self {
        let part = self.remaining().map(|left| left / denom.max(1) * numer);
        let Some(part) = part.into_iter().chain(most).min() else { return self.clone() };
        if let Some(patience) = self.patience {
            let most = patience.clock.spent() + part;
            return Budget { patience: Some(Patience { most, ..patience }), ..self.clone() };
        }
        let whole = self.whole.or(self.timeout).or(most);
        Budget { timeout: Some(self.started.elapsed() + part), whole, ..self.clone() }
    }

    /// Check that this work fits into the budget.
    pub fn afford(&self, work: &Work) -> Result<(), Error> {
        let Work { what, count, most, bytes, relax } = *work;
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

/// Why nothing more is tried.
fn budget_ran_out(timeout: Duration) -> String {
    format!("the time budget of {} s ran out", timeout.as_secs_f64())
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
        let work = Work { what: "lattice points", count: 5_000, most: 1_000_000, bytes: 3_000_000, relax: "try fewer" };
        assert_eq!(Budget::default().afford(&work), Ok(()));
        let small = Budget::default().with_max_bytes(2_000_000);
        assert_eq!(
            small.afford(&work).map_err(|error| error.to_string()),
            Err("undecided: this needs 5000 lattice points in about 3 MB, but the memory budget is 2 MB; try fewer"
                .to_string())
        );
        let long = Work { count: 123_000_000, ..work };
        assert_eq!(
            long_message(&Budget::default(), &long),
            "undecided: this needs 1.2e8 lattice points, but the limit is 1000000; try fewer"
        );
    }

    /// A share ends before the whole does, says of what it is one, and has no more than its most.
    #[test]
    fn shares_end_first() {
        let whole = Budget::new(64, Some(Duration::from_secs(100)));
        assert!(whole.share((1, 4), None).remaining() <= Some(Duration::from_secs(25)));
        assert!(whole.share((1, 2), Some(Duration::from_secs(1))).remaining() <= Some(Duration::from_secs(1)));
        assert_eq!(Budget::default().share((1, 2), None).remaining(), None);
        let none = whole.share((0, 1), None).share((1, 2), None);
        assert_eq!(
            none.check().map_err(|error| error.to_string()),
            Err("undecided: the share of the time budget of 100 s for this attempt ran out".to_string())
        );
    }

    /// Patience is at an end when both clocks say so, or the one on the wall four times; a share of it ends first.
    #[test]
    fn patience_counts_what_is_worked() {
        let most = Duration::from_millis(20);
        // Looked at before the budget's own clock begins: whoever has to wait for a processor may wait in between.
        let started = Instant::now();
        let budget = Budget::default().patient(most);
        while budget.check().is_ok() {}
        assert!(started.elapsed() >= most && budget.spent() >= most);
        assert!(budget.spent() <= started.elapsed());
        assert_eq!(budget.remaining(), Some(Duration::ZERO));
        // Asleep nothing is worked (but by other tests, in the same process), and yet it ends.
        let budget = Budget::default().patient(most);
        std::thread::sleep(4 * most);
        assert!(budget.check().is_err());
        let budget = Budget::default().patient(Duration::from_secs(100));
        let share = budget.share((1, 4), None);
        assert!(share.remaining() <= Some(Duration::from_secs(25)) && budget.remaining() > share.remaining());
        let told = |budget: Budget| match budget.share((0, 1), None).check() {
            Err(Error::Undecided(reason)) => (reason.to_string(), reason.limits().collect::<Vec<_>>()),
            other => panic!("{other:?}"),
        };
        // More patience helps, or more time, whichever there is less of.
        let patience =
            ("the share of the default time of 100 s for this attempt ran out".to_string(), vec![Limit::Patience]);
        assert_eq!(told(share), patience);
        let hour = Budget::new(64, Some(Duration::from_secs(3600)));
        assert_eq!(told(hour.patient(Duration::from_secs(100))), patience);
        let time = ("the share of the time budget of 50 s for this attempt ran out".to_string(), vec![Limit::Time]);
        assert_eq!(told(Budget::new(64, Some(Duration::from_secs(50))).patient(Duration::from_secs(100))), time);
    }

    /// A limit of time is one for whoever is patient, too.
    #[test]
    fn patience_does_not_outlast_the_time() {
        let budget = Budget::new(64, Some(Duration::ZERO)).patient(Duration::from_secs(9));
        assert_eq!(budget.remaining(), Some(Duration::ZERO));
        assert_eq!(
            budget.share((1, 1), None).check().map_err(|error| error.to_string()),
            Err("undecided: the time budget of 0 s ran out".to_string())
        );
        let short = Budget::new(64, Some(Duration::from_secs(9))).patient(Duration::from_secs(100));
        assert!(short.remaining() <= Some(Duration::from_secs(9)));
    }

    /// Whoever stops waiting ends all that shares the budget.
    #[test]
    fn what_nobody_waits_for_ends() {
        let asked = Arc::new(AtomicBool::new(true));
        let answer = Arc::clone(&asked);
        let budget = Budget::default().while_wanted(move || answer.load(atomic::Ordering::Relaxed));
        let share = budget.share((1, 2), Some(Duration::from_secs(9)));
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

    fn long_message(budget: &Budget, work: &Work) -> String {
        budget.afford(work).map_err(|error| error.to_string()).expect_err("too much")
    }
}
