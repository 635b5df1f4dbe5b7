//! Ctrl-C: what was proven until then is the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

use super::failure::Failure;
use enclosure::Budget;

/// What a shell says of a program that Ctrl-C ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Ctrl-C, heard.
pub struct Interrupt {
    raised: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on a first Ctrl-C is kept here, and a second one ends the program.
    pub fn listen() -> Result<Self, Failure> {
        let raised = Arc::new(AtomicBool::new(false));
        // In this order: the first signal finds the flag down, and raises it.
        register_conditional_shutdown(SIGINT, ENDED_BY_INTERRUPT, Arc::clone(&raised))
            .and_then(|_| register(SIGINT, Arc::clone(&raised)))
            .map_err(|error| Failure::Io("a signal".to_string(), error))?;
        Ok(Interrupt { raised })
    }

    /// The same budget, which Ctrl-C ends.
    pub fn ends(&self, budget: Budget) -> Budget {
        let raised = Arc::clone(&self.raised);
        budget.while_wanted(move || !raised.load(Ordering::Relaxed))
    }

    /// Was it pressed?
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }
}
