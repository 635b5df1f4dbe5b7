//! The quick lane: what the program and the library do, in a few minutes. What takes longer is in `tests/slow`.

// Tests compare with the C library's functions, too.
#![allow(clippy::disallowed_methods)]

#[path = "../support/mod.rs"]
mod support;

mod catalogue;
mod census;
mod claims;
mod cli;
mod curves;
mod enclosure_contract;
mod examples;
mod floats;
mod fuzz;
mod hostile;
mod interrupted;
mod ledger;
mod meaning;
mod papers;
mod proofs;
mod readme;
mod reference_values;
mod serve;
mod simulator;
mod source;
mod statements;
