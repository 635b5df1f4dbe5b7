//! Fully adaptive composition: mechanisms *and their parameters* are chosen as answers come in, within a budget that
//! was fixed beforehand. (`proofs/paper/adaptive.md`)
//!
//! `notion` says what is added up, exactly; a [`Filter`] grants or refuses, an [`Odometer`] counts against levels;
//! `ledger` is a filter or an odometer in a file, for any number of processes; `simulator` is the reduction to one
//! draw.

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
