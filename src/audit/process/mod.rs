//! The audited process, which may crash, hang, exhaust memory or print anything without affecting the audit.
//!
//! [`child`] is one life of the process: pipes, threads, limits, a certain death. [`interview`] asks one list of
//! questions over as many lives as that takes; [`stopwatch`] tells the time that is the program's own.

mod child;
mod interview;
mod stopwatch;

pub use child::{Heir, Launch, inherit, kill_all};
pub use interview::{Event, GaveUp, Interview, Limits, interview};
