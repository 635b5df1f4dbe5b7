//! Independent recomputations, used only to confirm golden values.
//!
//! A golden number is written only when two routes that share neither the algorithm nor the arithmetic enclose it. The
//! engines of this crate compute with MPFR; everything in this folder computes with malachite's integers and rationals
//! alone, from definitions rather than from the formulas that the engines use, and never calls an engine.

pub mod elementary;
//! Nothing here shares an algorithm, or where it can be helped the arithmetic, with what it confirms.

pub mod finite;
//! A golden number is never accepted from one code path. The modules here share neither the algorithm nor the
//! arithmetic of the engines: integers and rationals of another library, slow and direct sums. No query is ever
//! answered from here.

pub mod discrete_gaussian;
//! A route shares neither the algorithm nor, where it can, the arithmetic with the engine it confirms: here numbers
//! are malachite integers scaled by a power of two, rounded outward, and every elementary function is its own.

mod fixed;
pub mod gaussian;
//! A golden value is accepted when a second route reaches it that shares neither the algorithm nor the arithmetic of the
//! first. These modules use `malachite` integers only and none of `number/`; they are slow and simple on purpose.

pub mod kov;
