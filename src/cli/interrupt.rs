//! Ctrl-C: what was proven until then is the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

use super::failure::Failure;
use enclosure::Budget;

/// What a shell says of a program that Ctrl-C ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// The same budget, which a first Ctrl-C ends. A second one ends the program.
pub fn until_interrupted(budget: Budget) -> Result<Budget, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: the first signal finds the flag down, and raises it.
    register_conditional_shutdown(SIGINT, ENDED_BY_INTERRUPT, Arc::clone(&interrupted))
        .and_then(|_| register(SIGINT, Arc::clone(&interrupted)))
        .map_err(|error| Failure::Io("a signal".to_string(), error))?;
    Ok(budget.while_wanted(move || !interrupted.load(Ordering::Relaxed)))
}
