//! The slow lane: random questions asked in several ways, audits of programs that fail, all vectors made again,
//! and the longer tables of papers.

#[path = "../support/mod.rs"]
mod support;

mod answers_agree;
mod audit;
mod papers;
mod vectors;
