//! Progress of long computations, on standard error and only on a terminal.
//!
//! A computation of more than two seconds shows a bar if its steps are counted, or else a line with the elapsed time.
//! The line is hidden while answers are printed, and removed after the last one.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::talk;

/// Time before the line appears.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time between updates of the line.
const TICK: Duration = Duration::from_millis(200);

/// A bar of `total` steps named `what`, hidden if standard error is not a terminal.
pub fn bar(total: u64, what: &str) -> ProgressBar {
    let bar = shown(ProgressBar::new(total));
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:32} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_string());
    bar
}

/// A changing line, for work of unknown length.
pub fn spinner() -> ProgressBar {
    let bar = shown(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// Show a bar instead of the waiting line; hide it with --quiet.
fn shown(bar: ProgressBar) -> ProgressBar {
    stop_waiting();
    if talk::is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// The line for work without a bar.
static WAITING: Mutex<Option<Waiting>> = Mutex::new(None);

struct Waiting {
    /// Dropped to end it.
    over: Sender<()>,
    line: JoinHandle<()>,
    shared: Arc<Shared>,
}

/// State shared with the thread that updates the line.
struct Shared {
    /// Description of the current work.
    what: Mutex<String>,
    /// The line, once it is shown; locked while something is written to the terminal.
    shown: Mutex<Option<ProgressBar>>,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// After two seconds, show a line with this description and the elapsed time.
pub fn wait_for(what: &str) {
    if talk::is_quiet() || !console_is_there() {
        return;
    }
    stop_waiting();
    let (over, ended) = channel::<()>();
    let shared = Arc::new(Shared { what: Mutex::new(what.to_string()), shown: Mutex::new(None) });
    let own = Arc::clone(&shared);
    let line = thread::spawn(move || {
        let started = Instant::now();
        if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        loop {
            let line = held(&own.shown).get_or_insert_with(ProgressBar::new_spinner).clone();
            line.set_message(format!("{} s: {}", started.elapsed().as_secs(), held(&own.what)));
            line.tick();
            if ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                line.finish_and_clear();
                return;
            }
        }
    });
    *held(&WAITING) = Some(Waiting { over, line, shared });
}

/// Change the description of the current work.
pub fn now(what: &str) {
    if let Some(waiting) = held(&WAITING).as_ref() {
        *held(&waiting.shared.what) = what.to_string();
    }
}

/// Write to the terminal while the line is hidden.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let shared = held(&WAITING).as_ref().map(|waiting| Arc::clone(&waiting.shared));
    let Some(shared) = shared else { return write() };
    let shown = held(&shared.shown);
    match shown.as_ref() {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

/// Remove the line; it is gone when this returns.
pub fn stop_waiting() {
    let waiting = held(&WAITING).take();
    if let Some(Waiting { over, line, .. }) = waiting {
        drop(over);
        // A failure of the thread has no consequence.
        let _ = line.join();
    }
}

fn console_is_there() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
