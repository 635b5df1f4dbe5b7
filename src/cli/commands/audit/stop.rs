//! Ctrl-C, and worse: what is judged is kept, and no process is left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::super::super::failure::{Failure, Status};
use super::super::super::itself;
use crate::audit::process::{Heir, inherit, kill_all};

/// A flag that a signal raises. A second signal ends the program at once, and with it whatever it has started.
pub fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]);
    let mut signals = signals.map_err(|error| Failure::Io("signal handler".to_string(), error))?;
    let raised = Arc::clone(&flag);
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if raised.swap(true, Ordering::Relaxed) {
                kill_all();
                std::process::exit(130);
            }
        }
    });
    Ok(flag)
}

/// The process that cleans up if this one is killed; `None` if it cannot be started or cannot find leftovers.
pub fn heir() -> Option<Heir> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    Heir::start(itself()?.args(["audit", "--heir"])).ok()
}

/// `dpcert audit --heir MARK`, for internal use.
pub fn be_heir(mark: &str) -> Status {
    inherit(mark, std::io::stdin().lock());
    Status::Fine
}
