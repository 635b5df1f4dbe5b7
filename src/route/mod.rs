//! Independent recomputations, used only to confirm golden values.
//!
//! A golden number is written only when two routes that share neither the algorithm nor the arithmetic enclose it. The
//! engines of this crate compute with MPFR; everything in this folder computes with malachite's integers and rationals
//! alone, from definitions rather than from the formulas that the engines use, and never calls an engine.

pub mod cut;
pub mod discrete_gaussian;
pub mod divergence;
pub mod dyadic;
pub mod elementary;
pub mod enumeration;
pub mod finite;
mod fixed;
pub mod gaussian;
pub mod kov;
pub mod laplace;
pub mod limits;
pub mod moments;
pub mod polygon;
pub mod sampled;
pub mod sampled_laplace;
mod words;
