//! Fully adaptive composition: mechanisms *and their parameters* may depend on earlier answers, within a budget that is
//! fixed in advance. (`proofs/paper/adaptive.md`)
//!
//! `notion` defines the costs, which add up exactly. A [`Filter`] grants or refuses; an [`Odometer`] counts against
//! levels; `ledger` is a filter or an odometer in a file, for any number of processes; `simulator` reduces an adaptive
//! interaction to one Gaussian draw.

mod filter;
pub mod ledger;
mod notion;
mod odometer;
pub mod simulator;

pub use filter::{Decision, Filter};
pub use ledger::{Balance, Ledger};
pub use notion::Notion;
pub use odometer::Odometer;
pub use simulator::{Simulator, SimulatorRow};
