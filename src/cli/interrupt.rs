//! Ctrl-C: the answer is what has been proven so far.
//!
//! Every command that computes an answer listens from the start. Ctrl-C ends its budgets, and its loops over points. A
//! command that writes files ends at once instead: each file is written completely or not at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

use super::failure::Failure;
use enclosure::Budget;

/// Exit status of a program ended by Ctrl-C, as shells report it.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Set by Ctrl-C, after `listen`.
static RAISED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Was a point skipped because of Ctrl-C?
static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// Record a first Ctrl-C from now on; a second one ends the program.
pub fn listen() -> Result<(), Failure> {
    LEFT_OUT.store(false, Ordering::Relaxed);
    if let Some(raised) = RAISED.get() {
        raised.store(false, Ordering::Relaxed);
        return Ok(());
    }
    let raised = Arc::new(AtomicBool::new(false));
    // In this order: the first signal finds the flag down, and raises it.
    register_conditional_shutdown(SIGINT, ENDED_BY_INTERRUPT, Arc::clone(&raised))
        .and_then(|_| register(SIGINT, Arc::clone(&raised)))
        .map_err(|error| Failure::Io("cannot listen for Ctrl-C".to_string(), error))?;
    let _ = RAISED.set(raised);
    Ok(())
}

/// The same budget, which Ctrl-C ends after `listen`.
pub fn ends(budget: Budget) -> Budget {
    match RAISED.get() {
        Some(raised) => budget.until(Arc::clone(raised)),
        None => budget,
    }
}

/// The items up to the first Ctrl-C.
pub fn until<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().take_while(|_| {
        let raised = RAISED.get().is_some_and(|raised| raised.load(Ordering::Relaxed));
        LEFT_OUT.fetch_or(raised, Ordering::Relaxed);
        !raised
    })
}

/// Did Ctrl-C skip a requested point?
pub fn left_out() -> bool {
    LEFT_OUT.load(Ordering::Relaxed)
}
