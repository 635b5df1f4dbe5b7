//! Abandons work when its time limit expires, and turns panics into errors.
//!
//! Long computations check their budget between operations ([`Budget::check`]). One operation on numbers of a million
//! digits takes minutes and cannot be interrupted. Work with a time limit therefore runs on a separate thread, and the
//! caller waits at most the [`grace`] period after the limit. An abandoned computation finishes its operation, notices
//! the expired limit and ends. At most [`MOST_GIVEN_UP`] such computations exist; further queries wait for one to end.
//!
//! A panic is a bug in dpcert. It ends only its own computation, with [`Error::Internal`].

mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use enclosure::{Budget, work};

/// Computations that may still run after they were given up.
const MOST_GIVEN_UP: usize = 4;

/// Number of items computed ahead of the consumer.
const AHEAD: usize = 64;

/// Digits that are had soon where there are many, and how many times more are sought next.
#[cfg(feature = "cli")]
const SOON: u32 = 15;
#[cfg(feature = "cli")]
const NEXT: u32 = 16;

/// Computations that were given up and still run.
static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);

/// Where the last panic was, and what it said.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Interval at which the waiting caller checks for cancellation.
const NOW_AND_THEN: Duration = Duration::from_millis(50);

/// How much longer than its budget a computation is waited for: it may just be about to say how far it came.
fn grace(budget: Duration) -> Duration {
    (budget / 20).max(Duration::from_millis(250))
}

/// Message from a computation to the waiting caller.
enum Message<I, T> {
    Item(I),
    Done(Result<T, Error>),
}

/// Do the work, and return the time that it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (work(), started.elapsed())
}

/// Do the work within the budget's time.
///
/// # Errors
/// Those of the work; [`Error::Undecided`] if its time is over, [`Error::Internal`] if it panics.
pub(crate) fn within<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    items_within(budget, |_: &dyn Fn(()) -> Result<(), Error>| work(), |()| Ok(()))
}

/// Do the work for few digits, then for more, up to all that are asked for, within the budget's time: the last that was
/// done, and where that is not for all digits, why. What comes before the last costs a small part of it.
///
/// # Errors
/// As for [`within`], where not even few digits came in time.
#[cfg(feature = "cli")]
pub(crate) fn by_digits<T: Send + 'static>(
    digits: u32,
    budget: &Budget,
    work: impl Fn(u32) -> Result<T, Error> + Send + 'static,
) -> Result<(T, Option<enclosure::Reason>), Error> {
    let mut best = None;
    let climb = move |hand: &dyn Fn(T) -> Result<(), Error>| {
        let mut fewer = SOON;
        while fewer < digits / 4 {
            hand(work(fewer)?)?;
            fewer = fewer.saturating_mul(NEXT);
        }
        work(digits)
    };
    let all = items_within(budget, climb, |item| {
        best = Some(item);
        Ok::<(), Error>(())
    });
    match (all, best) {
        (Err(Error::Undecided(reason)), Some(best)) => Ok((best, Some(reason))),
        (all, _) => Ok((all?, None)),
    }
}

/// Do work that produces items one by one, each of which is handed to `each` on the thread that waits.
///
/// In a pool of threads the work is done where it is asked: a thread that only waited would be missed by the others,
/// and by the work itself if it is shared among them. So it is without a limit of time.
///
/// # Errors
/// Those of the work and of `each`, which ends the work; and as for [`within`].
pub(crate) fn items_within<I: Send + 'static, T: Send + 'static, E: From<Error>>(
    budget: &Budget,
    work: impl FnOnce(&dyn Fn(I) -> Result<(), Error>) -> Result<T, Error> + Send + 'static,
    mut each: impl FnMut(I) -> Result<(), E>,
) -> Result<T, E> {
    let mut deadline = budget.time_left().map(|left| Instant::now() + left + grace(left));
    let waits = deadline.is_some() || budget.is_watched();
    if !waits || rayon::current_thread_index().is_some() {
        // Runs on the calling thread: items are passed on directly, and an error of `each` is returned after the work.
        let refused = std::cell::RefCell::new(None);
        let each = std::cell::RefCell::new(each);
        let hand = |item| {
            each.borrow_mut()(item).map_err(|error| {
                *refused.borrow_mut() = Some(error);
                nobody_waits()
            })
        };
        let done = caught(|| work(&hand));
        return match refused.into_inner() {
            Some(error) => Err(error),
            None => Ok(done?),
        };
    }
    admitted(deadline, budget)?;
    let (say, hear) = sync_channel(AHEAD);
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&ended);
    let own = budget.clone();
    worker::run(Box::new(move || {
        // The budget counts all work of this computation, and no other work of this thread.
        let (done, _) = work::apart(|| {
            let done = caught(|| work(&|item| say.send(Message::Item(item)).map_err(|_| nobody_waits())));
            own.spent();
            done
        });
        Box::new(move || finish(&say, done, &ends))
    }))?;
    let mut enough = None;
    loop {
        let left = deadline.map_or(NOW_AND_THEN, |deadline| deadline.saturating_duration_since(Instant::now()));
        let slice = if budget.is_watched() { left.min(NOW_AND_THEN) } else { left };
        match hear.recv_timeout(slice) {
            Ok(Message::Item(item)) => {
                if let Err(error) = each(item) {
                    give_up(&ended);
                    return Err(error);
                }
            }
            Ok(Message::Done(result)) => return Ok(result?),
            Err(RecvTimeoutError::Timeout) if slice < left || deadline.is_none() => {
                // The computation sees that too, and may be about to say how far it came.
                if enough.is_none()
                    && let Err(error) = wanted(budget)
                {
                    enough = Some(error);
                    let soon = Instant::now() + grace(Duration::ZERO);
                    deadline = Some(deadline.map_or(soon, |deadline| deadline.min(soon)));
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                give_up(&ended);
                if let Some(error) = enough {
                    return Err(error.into());
                }
                let out = budget.check().err();
                return Err(out.unwrap_or_else(|| Error::Undecided("the time budget ran out".into())).into());
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::internal("a computation ended without a result").into());
            }
        }
    }
}

/// Is the answer still wanted? The time is not asked for, because there is some grace after it, nor is the work, which
/// the computation itself counts.
fn wanted(budget: &Budget) -> Result<(), Error> {
    if budget.is_wanted() { Ok(()) } else { Err(Error::undecided("interrupted")) }
}

/// The process is a child that a fork made: it has none of the threads of its parent, and makes its own.
///
/// # Errors
/// [`Error::Input`] where something was being computed when the process was forked: what it held is held for ever.
pub fn forked() -> Result<(), Error> {
    GIVEN_UP.store(0, Ordering::Release);
    worker::forked()
}

/// Error for a computation whose consumer is gone.
fn nobody_waits() -> Error {
    Error::Undecided("the caller no longer waits for results".into())
}

/// The last act of a computation's thread.
fn finish<I, T>(say: &SyncSender<Message<I, T>>, done: Result<T, Error>, ended: &AtomicBool) {
    // The receiver may be gone, which is not an error.
    let _ = say.send(Message::Done(done));
    if ended.swap(true, Ordering::AcqRel) {
        GIVEN_UP.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Count a computation among those given up, until it ends.
fn give_up(ended: &AtomicBool) {
    GIVEN_UP.fetch_add(1, Ordering::AcqRel);
    // The second of both parties subtracts.
    if ended.swap(true, Ordering::AcqRel) {
        GIVEN_UP.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Wait until few enough of the computations that were given up still run.
fn admitted(deadline: Option<Instant>, budget: &Budget) -> Result<(), Error> {
    while GIVEN_UP.load(Ordering::Acquire) >= MOST_GIVEN_UP {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) || !budget.is_wanted() {
            return Err(Error::Undecided(
                "the time budget ran out while earlier computations that timed out were still running".into(),
            ));
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Do the work; a panic is an error.
///
/// What a panic leaves behind is whole: the caches of sessions take a value when it is finished, and not before.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let told = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
        let said = || {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
        };
        Err(Error::internal(told.unwrap_or_else(said)))
    })
}

/// Reports panics of this process through the resulting error instead of standard error, unless `RUST_BACKTRACE`
/// requests a backtrace. For programs, not for libraries: it is a setting of the whole process.
pub fn quiet_panics() {
    let loud = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &std::panic::PanicHookInfo| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(told(info));
        if loud {
            before(info);
        }
    }));
}

/// `attempt to add with overflow (kov.rs:17)`.
fn told(info: &std::panic::PanicHookInfo) -> String {
    let text = info.payload().downcast_ref::<String>().map(String::as_str);
    let said = text.or(info.payload().downcast_ref::<&str>().copied()).unwrap_or("a panic");
    match info.location() {
        Some(place) => {
            let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{} ({file}:{})", said.lines().next().unwrap_or_default(), place.line())
        }
        None => said.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn brief() -> Budget {
        Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_millis(20)))
    }

    #[test]
    fn work_that_does_not_end_is_given_up_and_its_place_is_free_when_it_ends() {
        let (end, wait) = channel::<()>();
        let given_up = within(&brief(), move || {
            let _ = wait.recv();
            Ok(1)
        });
        assert!(matches!(given_up, Err(Error::Undecided(reason)) if reason.to_string().contains("time budget")));
        assert!(GIVEN_UP.load(Ordering::Acquire) >= 1);
        end.send(()).expect("it still runs");
        while GIVEN_UP.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn a_panic_is_an_error_with_and_without_a_limit_of_time() {
        let budget = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(600)));
        for budget in [Budget::default(), budget] {
            let panicked = within(&budget, || -> Result<(), Error> { panic!("a slip of {}", "ours") });
            assert!(matches!(panicked, Err(Error::Internal { what, .. }) if what.contains("a slip of ours")));
            assert_eq!(within(&budget, || Ok(7)), Ok(7));
        }
    }

    /// Without a limit of time too; and the computation ends, for it asks its budget.
    #[test]
    fn who_waits_may_have_enough() {
        for timeout in [None, Some(Duration::from_secs(600))] {
            let (asked, (end, ended)) = (Arc::new(AtomicUsize::new(0)), channel());
            let count = Arc::clone(&asked);
            let budget = Budget::new(64, timeout).while_wanted(move || count.fetch_add(1, Ordering::AcqRel) < 2);
            let own = budget.clone();
            let stopped = within(&budget, move || -> Result<(), Error> {
                let why = loop {
                    if let Err(error) = own.check() {
                        break error;
                    }
                };
                let _ = end.send(());
                Err(why)
            });
            let Err(Error::Undecided(reason)) = stopped else { panic!("{stopped:?}") };
            assert!(
                ["interrupted", "the caller no longer waits for results"].contains(&reason.to_string().as_str()),
                "{reason}"
            );
            assert_eq!((ended.recv(), asked.load(Ordering::Acquire)), (Ok(()), 3));
        }
    }

    /// Fewer digits than were asked for are kept, with the reason; none at all are an error, and so is any other fault.
    #[cfg(feature = "cli")]
    #[test]
    fn fewer_digits_are_kept() {
        let long = |digits: u32, most: u32| {
            by_digits(digits, &Budget::default(), move |asked| {
                if asked <= most { Ok(asked) } else { Err(Error::undecided(format!("{asked} are too many"))) }
            })
        };
        for (digits, most, found, reason) in [
            (15, 15, 15, None),
            (1_000_000, 1_000_000, 1_000_000, None),
            (1_000_000, 5000, 3840, Some("61440 are too many")),
        ] {
            let (best, why) = long(digits, most).expect("some digits");
            assert_eq!((best, why.map(|why| why.to_string())), (found, reason.map(str::to_string)));
        }
        assert!(matches!(long(1000, 14), Err(Error::Undecided(_))));
        let wrong = by_digits(1000, &Budget::default(), |digits| {
            if digits < 20 { Ok(digits) } else { Err(Error::input("no such question")) }
        });
        assert_eq!(wrong, Err(Error::input("no such question")));
    }

    /// Results completed in time are returned even if the rest never ends.
    #[cfg(feature = "cli")]
    #[test]
    fn fewer_digits_are_kept_of_what_never_ends() {
        let (end, wait) = channel::<()>();
        let given_up = by_digits(100, &brief(), move |digits| {
            if digits == 100 {
                let _ = wait.recv();
            }
            Ok(digits)
        });
        assert!(matches!(given_up, Ok((15, Some(reason))) if reason.to_string().contains("time budget")));
        drop(end);
    }

    #[test]
    fn items_come_in_order_and_whoever_takes_them_may_stop() {
        let budget = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(600)));
        for budget in [Budget::default(), budget] {
            let mut taken = Vec::new();
            let all = items_within(
                &budget,
                |hand: &dyn Fn(u32) -> Result<(), Error>| (0..1000).try_for_each(hand),
                |item| {
                    taken.push(item);
                    Ok::<(), Error>(())
                },
            );
            assert_eq!((all, taken.len(), taken.is_sorted()), (Ok(()), 1000, true));
            // Endless, but for whoever takes.
            let stopped = items_within(
                &budget,
                |hand: &dyn Fn(u32) -> Result<(), Error>| (0..).try_for_each(hand),
                |item| if item < 10 { Ok(()) } else { Err(Error::input("enough")) },
            );
            assert_eq!(stopped, Err(Error::input("enough")));
        }
    }
}
