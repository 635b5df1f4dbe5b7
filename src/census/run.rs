//! Many pairs in parallel, into one file.
//!
//! **Guarantee.** The file of results appears whole or not at all, and its bytes depend on the workload alone: not on
//! the number of threads, and not on how often the run was interrupted before it came to its end. Each pair is computed
//! by itself, in one thread, by one curve that is asked in one order; what is finished waits in the [`Journal`]; and
//! only when all pairs are there are they put in order and written.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{Journal, Workload};
use crate::error::Error;
use crate::write::write_file;

/// Progress events of a run.
pub trait Listener: Sync {
    /// Before any work: the work, and how many of its pairs an earlier run has finished.
    fn begins(&self, workload: &Workload, finished: usize);
    /// After the first pair: how long it took, and how many are left.
    fn first(&self, took: Duration, left: usize);
    /// After every pair.
    fn one_more(&self);
}

/// Compute what the journal does not have, and write the results.
///
/// `lines` computes one pair, as [`Workload::lines`] does.
///
/// # Errors
/// [`Error::Undecided`] if some pairs were undecided: the others are kept in the journal, and no results are written.
/// [`Error::Input`] when a file cannot be written.
pub fn run(
    workload: &Workload,
    results: &Path,
    listener: &impl Listener,
    lines: impl Fn((u32, u32)) -> Result<String, Error> + Sync,
) -> Result<(), Error> {
    if results.is_dir() {
        return Err(Error::input(format!("cannot write {}: it is a folder", results.display())));
    }
    let journal = Journal::open(results, workload)?;
    let left: Vec<(u32, u32)> =
        workload.pairs().iter().filter(|pair| !journal.finished().contains_key(pair)).copied().collect();
    listener.begins(workload, journal.finished().len());
    let place = journal.path().to_path_buf();
    let journal = Mutex::new(journal);
    let finish = |pair| {
        let lines = lines(pair)?;
        // A thread that panics takes the process with it; a poisoned lock is never met.
        journal.lock().map_err(|_| Error::input("another thread has failed"))?.add(pair, lines)?;
        listener.one_more();
        Ok::<(), Error>(())
    };
    let mut undecided: Vec<((u32, u32), Error)> = Vec::new();
    if let Some((&first, rest)) = left.split_first() {
        let started = Instant::now();
        // If the first cannot be done, many cannot: say so now, not after hours.
        if let Err(error) = finish(first) {
            if let Ok(journal) = journal.into_inner()
                && journal.finished().is_empty()
            {
                journal.remove()?;
            }
            return Err(named(first, error));
        }
        listener.first(started.elapsed(), rest.len());
        undecided = rest
            .par_iter()
            .with_max_len(1)
            .filter_map(|&pair| match finish(pair) {
                Ok(()) => None,
                Err(error @ Error::Undecided(_)) => Some(Ok((pair, error))),
                Err(other) => Some(Err(other)),
            })
            .collect::<Result<_, Error>>()?;
    }
    if let Some((pair, error)) = undecided.first() {
        let Error::Undecided(reason) = error else { return Err(error.clone()) };
        let (count, all) = (undecided.len(), workload.pairs().len());
        let first = format!("{count} of {all} pairs undecided; first {},{}: ", pair.0, pair.1);
        let others = format!("; the others are saved in {}", place.display());
        return Err(Error::Undecided(reason.clone().about(first).then(others)));
    }
    let journal = journal.into_inner().map_err(|_| Error::input("another thread has failed"))?;
    write_results(workload, results, &journal)?;
    journal.remove()
}

fn write_results(workload: &Workload, results: &Path, journal: &Journal) -> Result<(), Error> {
    let mut text = Workload::header();
    for pair in workload.pairs() {
        match journal.finished().get(pair) {
            Some(lines) => text += lines,
            None => return Err(Error::input(format!("pair {},{} is missing", pair.0, pair.1))),
        }
    }
    write_file(results, text.as_bytes())
}

/// An error of one pair, with its name.
fn named((p, q): (u32, u32), error: Error) -> Error {
    match error {
        Error::Undecided(reason) => Error::Undecided(reason.about(format!("pair {p},{q}: "))),
        Error::Undefined(reason) => Error::Undefined(format!("pair {p},{q}: {reason}")),
        other => other,
    }
}

#[cfg(test)]
mod tests;
