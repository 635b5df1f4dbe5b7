//! The slow lane: random questions asked in several ways, audits of programs that fail, and all vectors made again.

#[path = "../support/mod.rs"]
mod support;

mod answers_agree;
mod audit;
mod vectors;
