//! The engines that compose: each turns a composition of mechanisms into one [`Curve`](crate::curve::Curve).

mod atoms;

pub use atoms::{Atoms, Factor, Limits};
mod binomial;
mod halves;
pub mod heterogeneous;
pub mod kov;
pub mod lattice;
mod leak;
#[cfg(test)]
mod reference;
mod signs;

pub use heterogeneous::{Heterogeneous, Part};
pub use kov::Kov;
pub mod discrete_gaussian;
pub use lattice::{Lattice, LatticePair};
pub mod laplace;

pub use laplace::Laplace;
pub mod gaussian;
