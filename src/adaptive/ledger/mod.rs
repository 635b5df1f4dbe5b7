//! A filter or an odometer in a file: any number of processes may spend from it, and any of them may be killed at any
//! moment. (`proofs/paper/adaptive.md`)
//!
//! A process that spends holds the lock of the file from before it reads until its entry is synced, so decisions never
//! use an outdated sum. Locks are those of the system (`flock`) and end with the process.

mod format;
mod handle;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rug::Rational;

pub use format::{Entry, State};
#[cfg(feature = "cli")]
pub use format::{parse, written};
pub use handle::{Balance, Ledger};

use super::filter::{Decision, decide};
use super::notion::Role;
use super::{Notion, odometer};
use crate::error::Error;
use crate::read::shown;
use enclosure::Real;

/// Largest size of a ledger, in bytes.
const MOST_BYTES: u64 = 1 << 28;

/// Longest wait for a lock of another process.
const PATIENCE: Duration = Duration::from_secs(60);

/// Largest number of characters of a label.
const MOST_LABEL: usize = 200;

/// Open a new ledger; without a budget it refuses nothing.
///
/// The file is written under a temporary name and then linked to its path, so it appears complete or not at all, and
/// never replaces another file.
///
/// # Errors
/// [`Error::Input`] for amounts that are not exact costs, for an existing file, and for errors of the system.
pub fn open(path: &Path, notion: Notion, budget: Option<&Real>, levels: &[Real]) -> Result<State, Error> {
    let budget = budget.map(|budget| notion.exact_cost(budget, Role::Limit)).transpose()?;
    let levels = odometer::costs(notion, levels)?;
    let text = format::opened(notion, budget.as_ref(), &levels);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let written = (|| {
        let mut file = File::create_new(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::hard_link(&beside, path)
    })();
    // Its name is of no use any more, whether it was linked or not.
    let _ = fs::remove_file(&beside);
    written.and_then(|()| sync_folder(path)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::input(format!("'{}' already exists", name(path))),
        _ => failed(path, "open", &error),
    })?;
    format::parse(text.as_bytes(), &name(path))
}

/// The state of a ledger.
///
/// # Errors
/// [`Error::Input`] for a file that is not a ledger, for a damaged ledger, and for errors of the system.
pub fn status(path: &Path) -> Result<State, Error> {
    let mut file = opened(path, OpenOptions::new().read(true))?;
    lock(path, || file.try_lock_shared())?;
    read(&mut file, path)
}

/// Request a mechanism with this parameter, before it runs. A granted cost is on disk.
///
/// # Errors
/// As [`status`], and those of [`Notion::cost`]; nothing is spent then. If the system fails to write or to sync, the
/// entry may or may not be recorded; both are safe, because nothing was granted.
pub fn spend(path: &Path, notion: Notion, parameter: &Real, label: Option<String>) -> Result<(Decision, State), Error> {
    let cost = notion.exact_cost(parameter, Role::Spent)?;
    check_label(label.as_deref())?;
    let mut file = opened(path, OpenOptions::new().read(true).write(true))?;
    lock(path, || file.try_lock())?;
    let mut state = read(&mut file, path)?;
    if state.notion != notion {
        return Err(Error::input(format!(
            "'{}' tracks {}, not {}",
            name(path),
            state.notion.cost_name(),
            notion.cost_name()
        )));
    }
    let (_, decision) = decide(&state.spent(), &cost, state.budget.as_ref());
    if decision == Decision::Refused {
        return Ok((decision, state));
    }
    let entry = Entry { cost, label };
    let (line, head, chain) = format::appended(&state, &entry);
    if state.end + line.len() as u64 > MOST_BYTES {
        return Err(Error::input(format!("'{}' is full: the limit is {MOST_BYTES} bytes", name(path))));
    }
    append(&mut file, &state, &line, &head).map_err(|error| failed(path, "write", &error))?;
    (state.end, state.chain) = (state.end + line.len() as u64, chain);
    state.torn = false;
    state.entries.push(entry);
    state.committed = state.entries.len();
    Ok((decision, state))
}

/// An entry, and then the line that commits it, each synced before the next.
fn append(file: &mut File, state: &State, line: &str, head: &str) -> io::Result<()> {
    // What a process that was killed has left: a beginning goes, a whole entry is committed before another follows it.
    file.set_len(state.end)?;
    if state.committed < state.entries.len() {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format::head(state.entries.len(), state.chain).as_bytes())?;
        file.sync_data()?;
    }
    file.seek(SeekFrom::Start(state.end))?;
    file.write_all(line.as_bytes())?;
    file.sync_data()?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(head.as_bytes())?;
    file.sync_data()
}

/// A regular file.
fn opened(path: &Path, how: &OpenOptions) -> Result<File, Error> {
    // Asked before it is opened, for opening a pipe would wait.
    let kind = fs::metadata(path).map_err(|error| failed(path, "read", &error))?;
    if !kind.is_file() {
        return Err(Error::input(format!("'{}' is not a regular file", name(path))));
    }
    how.open(path).map_err(|error| failed(path, "read", &error))
}

/// Wait for a lock.
fn lock(path: &Path, try_lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), Error> {
    let started = Instant::now();
    loop {
        match try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(failed(path, "lock", &error)),
            Err(TryLockError::WouldBlock) if started.elapsed() >= PATIENCE => {
                let seconds = PATIENCE.as_secs();
                return Err(Error::undecided(format!(
                    "'{}' has been locked by another process for {seconds} s; nothing was changed",
                    name(path)
                )));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// All of a locked file.
fn read(file: &mut File, path: &Path) -> Result<State, Error> {
    let mut bytes = Vec::new();
    let length = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(path, "read", &error))?;
    if length as u64 > MOST_BYTES {
        return Err(Error::input(format!("'{}' exceeds the limit of {MOST_BYTES} bytes", name(path))));
    }
    format::parse(&bytes, &name(path))
}

/// A new name is on the disk once its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

fn check_label(label: Option<&str>) -> Result<(), Error> {
    match label {
        Some(label) if label.chars().count() > MOST_LABEL => {
            Err(Error::input(format!("a label must have at most {MOST_LABEL} characters")))
        }
        Some(label) if label.chars().any(char::is_control) => {
            Err(Error::input("a label must be one line without control characters"))
        }
        _ => Ok(()),
    }
}

/// The level that a sum has reached.
pub fn level(state: &State) -> Option<&Rational> {
    odometer::reading(&state.levels, &state.spent())
}

/// The path for a message.
fn name(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn failed(path: &Path, verb: &str, error: &io::Error) -> Error {
    Error::input(format!("cannot {verb} '{}': {error}", name(path)))
}

#[cfg(test)]
mod tests;
