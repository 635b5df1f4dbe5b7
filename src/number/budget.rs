//! The one refinement loop, and the budget that ends it.
//!
//! Why it ends: each round either proves enough digits, or raises the precision by at least half; the precision is
//! capped by [`Budget::max_bits`] and long computations ask [`Budget::check`] for the time. Running out is an answer of
//! its own ([`Error::Undecided`]), never a wrong number.

use std::time::{Duration, Instant};

use super::Number;
use crate::error::Error;

/// How much work an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    max_bits: u32,
    timeout: Option<Duration>,
    started: Instant,
}

impl Budget {
    /// The default cap on the working precision: enough for a million digits.
    pub const DEFAULT_MAX_BITS: u32 = 1 << 23;

    /// A budget whose clock starts now.
    pub fn new(max_bits: u32, timeout: Option<Duration>) -> Self {
        Budget { max_bits, timeout, started: Instant::now() }
    }

    /// The cap on the working precision.
    pub fn max_bits(&self) -> u32 {
        self.max_bits
    }

    /// Is there time left? Long loops ask every few milliseconds of work.
    pub fn check(&self) -> Result<(), Error> {
        match self.timeout {
            Some(timeout) if self.started.elapsed() >= timeout => Err(Error::Undecided(format!(
                "the time budget of {} s ran out (--timeout gives more)",
                timeout.as_secs_f64()
            ))),
            _ => Ok(()),
        }
    }

    /// The error that says that the precision budget ran out.
    pub fn out_of_bits(&self) -> Error {
        Error::Undecided(format!("the precision budget of {} bits ran out (--max-bits gives more)", self.max_bits))
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(Self::DEFAULT_MAX_BITS, None)
    }
}

/// Bits that carry `digits` significant decimal digits, with two digits to spare for printing.
pub fn bits_of_digits(digits: u32) -> u32 {
    // log2(10) < 3.3220
    let bits = (u64::from(digits) + 2) * 33220 / 10000 + 1;
    u32::try_from(bits).unwrap_or(u32::MAX)
}

/// Evaluate `value` at growing precision until `digits` significant digits are proven, or it is exact.
///
/// `value(bits)` must return an enclosure of one and the same real number for every `bits`; the loop returns the
/// first one whose relative width is below `10^-(digits + 2)`. Relative, so a value of `1e-4000` gets its digits too;
/// a value that is zero without being exactly known as zero ends as undecided.
pub fn refine(
    digits: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let goal = i64::from(bits_of_digits(digits));
    let mut bits = bits_of_digits(digits).saturating_add(32);
    loop {
        if bits > budget.max_bits {
            return Err(budget.out_of_bits());
        }
        budget.check()?;
        let number = value(bits)?;
        let proven = match &number {
            Number::Exact(_) => return Ok(number),
            Number::Enclosed(set) => set.relative_bits(),
        };
        if proven.is_some_and(|proven| proven >= goal) {
            return Ok(number);
        }
        // What was lost this time will be lost again: add it, with some more, but never creep.
        let lost = proven.map_or(i64::from(bits), |proven| goal - proven);
        let more = u32::try_from(lost.saturating_add(16)).unwrap_or(u32::MAX).max(bits / 8 + 32);
        let next = bits.saturating_add(more);
        // The last try is made at the cap itself.
        bits = if bits < budget.max_bits { next.min(budget.max_bits) } else { next };
    }
}
