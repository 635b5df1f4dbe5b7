//! Many questions at once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::super::failure::Failure;
use super::super::super::progress;

/// The answers in order, computed by all threads; or the first failure, after which nothing more is begun.
pub fn in_parallel<T: Send>(
    count: u32,
    what: &str,
    ask: impl Fn(u32) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let progress = progress::bar(u64::from(count), what);
    let first_failure = AtomicU32::new(u32::MAX);
    let done = |i: u32| {
        if i > first_failure.load(Ordering::Relaxed) {
            return None;
        }
        let answer = ask(i);
        if answer.is_err() {
            first_failure.fetch_min(i, Ordering::Relaxed);
        }
        progress.inc(1);
        Some(answer)
    };
    // The first alone: it builds the curve that the others share.
    let answers = Mutex::new(vec![(0, done(0))]);
    let next = AtomicU32::new(1);
    // Not a pool of threads: these wait for computations that have a limit of time.
    let work = || {
        while let i = next.fetch_add(1, Ordering::Relaxed)
            && i < count
        {
            let answer = done(i);
            answers.lock().unwrap_or_else(PoisonError::into_inner).push((i, answer));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    progress.finish_and_clear();
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|(i, _)| *i);
    answers.into_iter().filter_map(|(_, answer)| answer).collect()
}
