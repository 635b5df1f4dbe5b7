//! Ctrl-C: what is judged is kept, and no process is left behind.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::super::super::failure::Failure;

/// A flag that a signal raises. A second signal ends the program at once.
pub fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, raises it, and only the next one ends the program.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
            .map_err(|error| Failure::Io("a signal".to_string(), error))?;
    }
    Ok(flag)
}
