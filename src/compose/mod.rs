//! The engines that compose: each turns a composition of mechanisms into one [`Curve`](crate::curve::Curve).

mod atoms;

pub use atoms::{Atoms, Factor, Limits};
mod binomial;
pub mod kov;
mod leak;
#[cfg(test)]
mod reference;
mod signs;

pub use kov::Kov;
pub mod discrete_gaussian;
