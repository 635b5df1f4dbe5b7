//! Alarms: what proves a mistake of ours is said loudly, in every build.
//!
//! Two enclosures of one number share that number. If they do not meet, one of them is wrong, and with it any answer
//! that would be made of either: so there is none, but an [`Error::Contradiction`] that names the query to report. The
//! same holds of an enclosure that lies wholly outside of a range that a theorem gives (a probability outside of
//! `[0, 1]`), and of a lower bound above an upper one.
//!
//! Whoever compares two results asks here. Whoever goes on after an error, to another engine or to fewer digits, asks
//! [`declined`], which knows a refusal from an alarm: no second answer covers up a proven mistake.
//!
//! What lies outside of its range where nothing is claimed proves nothing: searches in between may see such values, and
//! do not come here.

use std::borrow::Cow;

use crate::error::Error;
use enclosure::Enclosure;

/// The points that two enclosures of one number share.
///
/// # Errors
/// The alarm, if there are none.
pub(crate) fn meet(one: &Enclosure, other: &Enclosure, what: &'static str) -> Result<Enclosure, Error> {
    Ok(one.meet(&suspect(other, what), what)?)
}

/// The points within `[0, 1]` of an enclosure of a probability.
///
/// # Errors
/// The alarm, if there are none.
pub(crate) fn probability(set: &Enclosure, what: &'static str) -> Result<Enclosure, Error> {
    let set = suspect(set, what);
    if *set.lower() >= 0 && *set.upper() <= 1 {
        return Ok(set.into_owned());
    }
    Ok(set.within(&Enclosure::zero(2).hull(&Enclosure::one(2)), what)?)
}

/// The points of an enclosure of what is never negative that are not.
///
/// Unlike [`Enclosure::positive_part`], which is a function: the largest of a number and 0.
///
/// # Errors
/// The alarm, if there are none.
pub(crate) fn not_negative(set: &Enclosure, what: &'static str) -> Result<Enclosure, Error> {
    let set = suspect(set, what);
    if *set.lower() >= 0 {
        return Ok(set.into_owned());
    }
    Ok(set.within(&Enclosure::bracket(&Enclosure::zero(2), &Enclosure::whole(2), what)?, what)?)
}

/// From a lower bound of a number to an upper bound of it.
///
/// # Errors
/// The alarm, if the bounds cross.
pub(crate) fn bracket(lower: &Enclosure, upper: &Enclosure, what: &'static str) -> Result<Enclosure, Error> {
    Ok(Enclosure::bracket(lower, &suspect(upper, what), what)?)
}

/// What was answered, or `None` where it was declined for whatever reason: then another way may be tried.
///
/// # Errors
/// The alarm, which is no refusal.
pub(crate) fn declined<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_alarm() => Err(error),
        Err(_) => Ok(None),
    }
}

/// What is about to be compared.
#[cfg(not(test))]
fn suspect<'a>(set: &'a Enclosure, _: &'static str) -> Cow<'a, Enclosure> {
    Cow::Borrowed(set)
}

#[cfg(test)]
pub(crate) use fault::injected;
#[cfg(test)]
use fault::suspect;

/// Wrong enclosures, put in the place of right ones to hear the alarm.
#[cfg(test)]
mod fault {
    use std::cell::Cell;

    use rug::Float;

    use super::*;

    thread_local! {
        /// The comparison of which one side is to be wrong, and how often it was made.
        static WRONG: Cell<Option<&'static str>> = const { Cell::new(None) };
        static MADE: Cell<u32> = const { Cell::new(0) };
    }

    /// Run with a wrong enclosure in each comparison of this name, in this thread; and say how many there were.
    pub(crate) fn injected<T>(what: &'static str, run: impl FnOnce() -> T) -> (T, u32) {
        struct Off;
        impl Drop for Off {
            fn drop(&mut self) {
                WRONG.set(None);
            }
        }
        let off = Off;
        WRONG.set(Some(what));
        MADE.set(0);
        let result = run();
        drop(off);
        (result, MADE.get())
    }

    /// The set; or, where it is to be wrong, a translate of it below zero, each time further down, so that wrong ones
    /// do not meet each other either. A set without bounds cannot be wrong.
    pub(super) fn suspect<'a>(set: &'a Enclosure, what: &'static str) -> Cow<'a, Enclosure> {
        if WRONG.get() != Some(what) || !set.is_bounded() {
            return Cow::Borrowed(set);
        }
        MADE.set(MADE.get() + 1);
        let size = Float::with_val(64, set.abs().upper()) + 1u32;
        let step = Enclosure::new(size.clone(), size).mul_u32(4 * MADE.get());
        Cow::Owned(set - &step)
    }
}

#[cfg(test)]
mod tests;
