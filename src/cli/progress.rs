//! Progress on long work: on a terminal only, and on standard error, so that data stays data.
//!
//! Whatever takes more than two seconds shows that it is alive: work that is counted by a bar, anything else by a line
//! with its time, which makes room for what is answered and is gone with the last answer.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::talk;

/// Nobody wonders about less than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the line changes.
const TICK: Duration = Duration::from_millis(200);

/// A bar over `total` things called `what`. It hides itself when standard error is not a terminal.
pub fn bar(total: u64, what: &str) -> ProgressBar {
    let bar = shown(ProgressBar::new(total));
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:32} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_string());
    bar
}

/// A line that changes, for work without a known end.
pub fn spinner() -> ProgressBar {
    let bar = shown(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// In the place of the line that only waits; nothing where nothing is to be said.
fn shown(bar: ProgressBar) -> ProgressBar {
    stop_waiting();
    if talk::is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// The line of work that nobody counts.
static WAITING: Mutex<Option<Waiting>> = Mutex::new(None);

struct Waiting {
    /// Dropped to end it.
    over: Sender<()>,
    line: JoinHandle<()>,
    shared: Arc<Shared>,
}

/// What both sides of it look at.
struct Shared {
    /// What is going on.
    what: Mutex<String>,
    /// Held by whoever writes to the terminal; the line, once it is there.
    shown: Mutex<Option<ProgressBar>>,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, a line after two seconds says for how long this has been going on.
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

/// Something else is going on now, in the same work.
pub fn now(what: &str) {
    if let Some(waiting) = held(&WAITING).as_ref() {
        *held(&waiting.shared.what) = what.to_string();
    }
}

/// Write to the terminal while the line is out of the way; it comes back, for the work goes on.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let shared = held(&WAITING).as_ref().map(|waiting| Arc::clone(&waiting.shared));
    let Some(shared) = shared else { return write() };
    let shown = held(&shared.shown);
    match shown.as_ref() {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

/// The line is gone when this returns: something else is about to be said.
pub fn stop_waiting() {
    let waiting = held(&WAITING).take();
    if let Some(Waiting { over, line, .. }) = waiting {
        drop(over);
        // It has nothing to tell, not even that it failed.
        let _ = line.join();
    }
}

fn console_is_there() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
