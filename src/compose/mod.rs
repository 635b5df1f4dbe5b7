//! The engines that compose: each turns a composition of mechanisms into one [`Curve`](crate::curve::Curve).

mod atoms;

pub use atoms::{Atoms, Factor, Limits};
