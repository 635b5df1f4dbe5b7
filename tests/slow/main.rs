//! The slow lane: random questions asked in several ways, audits of programs that fail, all vectors made again,
//! the longer tables of papers, and orders of what has few digits.

// Tests compare with the C library's functions, too.
#![allow(clippy::disallowed_methods)]

#[path = "../support/mod.rs"]
mod support;

mod answers_agree;
mod audit;
mod orders;
mod papers;
mod vectors;
