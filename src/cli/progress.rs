//! Progress on long work: on a terminal only, and on standard error, so that data stays data.
//!
//! Whatever takes more than two seconds shows that it is alive: work that is counted by a bar, anything else by a line
//! with its time, which is gone when the answer comes.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
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
}

/// From now on, a line after two seconds says for how long this has been going on.
pub fn wait_for(what: &str) {
    if talk::is_quiet() || !console_is_there() {
        return;
    }
    stop_waiting();
    let (over, ended) = channel::<()>();
    let what = what.to_string();
    let line = thread::spawn(move || {
        let started = Instant::now();
        if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let line = ProgressBar::new_spinner();
        loop {
            line.set_message(format!("{} s: {what}", started.elapsed().as_secs()));
            line.tick();
            if ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        line.finish_and_clear();
    });
    if let Ok(mut waiting) = WAITING.lock() {
        *waiting = Some(Waiting { over, line });
    }
}

/// The line is gone when this returns: something else is about to be said.
pub fn stop_waiting() {
    let waiting = WAITING.lock().ok().and_then(|mut waiting| waiting.take());
    if let Some(Waiting { over, line }) = waiting {
        drop(over);
        // It has nothing to tell, not even that it failed.
        let _ = line.join();
    }
}

fn console_is_there() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
