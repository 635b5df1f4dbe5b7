//! Ctrl-C: what was proven until then is the answer.
//!
//! Every command that computes listens, from its first moment on; what it asks a budget for ends with Ctrl-C, and so
//! does what it asks about one by one. A command that writes files ends at once instead: they appear whole or not at
//! all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

use super::failure::Failure;
use enclosure::Budget;

/// What a shell says of a program that Ctrl-C ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Raised by Ctrl-C, once somebody listens.
static RAISED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Was something not asked about any more?
static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// From now on a first Ctrl-C is kept here, and a second one ends the program.
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
        .map_err(|error| Failure::Io("a signal".to_string(), error))?;
    let _ = RAISED.set(raised);
    Ok(())
}

/// The same budget, which Ctrl-C ends if somebody listens.
pub fn ends(budget: Budget) -> Budget {
    match RAISED.get() {
        Some(raised) => budget.until(Arc::clone(raised)),
        None => budget,
    }
}

/// All of these, or those until Ctrl-C.
pub fn until<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().take_while(|_| {
        let raised = RAISED.get().is_some_and(|raised| raised.load(Ordering::Relaxed));
        LEFT_OUT.fetch_or(raised, Ordering::Relaxed);
        !raised
    })
}

/// Did Ctrl-C leave something out that was asked for?
pub fn left_out() -> bool {
    LEFT_OUT.load(Ordering::Relaxed)
}
