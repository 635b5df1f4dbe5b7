//! The audited side: a process of its own that may crash, hang, eat memory or write what it likes, and never takes the
//! audit with it.
//!
//! [`child`] is one life of the process: pipes, threads, limits, a certain death. [`interview`] asks one list of
//! questions over as many lives as that takes; [`stopwatch`] tells the time that is the program's own.

mod child;
mod interview;
mod stopwatch;

pub use child::{Heir, Launch, inherit, kill_all};
pub use interview::{Event, GaveUp, Interview, Limits, interview};
