//! The engines that compose: each turns a product of pairs into one [`Curve`](crate::curve::Curve), and [`curve`]
//! chooses among them.

pub mod atoms;
mod between_knots;
mod binomial;
mod by_profile;
mod by_sum;
mod choose;
pub mod derived;
pub mod discrete_gaussian;
mod edges;
mod engine;
pub mod enumeration;
mod exact_atoms;
mod failure;
pub mod gauss_legendre;
pub mod gaussian;
pub mod geometric;
pub mod grid;
pub mod heterogeneous;
mod in_turn;
mod infinite_mass;
mod integral;
pub mod kov;
pub mod laplace;
mod large_losses;
mod large_steps;
pub mod lattice;
mod listed;
mod majorized;
mod meet_in_the_middle;
mod method;
pub mod mixture;
mod polygons;
pub mod quadrature;
#[cfg(test)]
pub(crate) mod reference;
#[cfg(feature = "cli")]
pub mod region;
pub mod shuffle;
mod staircase;
mod staircases;
pub mod subsampled;
mod supports;
pub(crate) mod switches;
mod two_samples;
mod units;

pub use choose::Rough;
#[cfg(feature = "cli")]
pub use choose::bracket;
pub(crate) use choose::common_lattice;
pub use choose::curve;
#[cfg(feature = "generate")]
pub use choose::second_for_samples;
pub use derived::{Hull, Revealed, Reversed, by_any, fixed_point};
pub use discrete_gaussian::{DiscreteGaussian, Tails};
pub use edges::Edges;
pub use enumeration::Enumeration;
pub use failure::WithFailure;
pub use gaussian::Gaussian;
pub use geometric::Geometric;
pub use grid::Grid;
pub use heterogeneous::Heterogeneous;
pub use in_turn::Engines;
#[cfg(feature = "cli")]
pub use kov::Kov;
pub use laplace::Laplace;
pub use large_losses::LargeLosses;
pub use large_steps::LargeSteps;
pub use lattice::{Lattice, LatticePair};
pub use majorized::Majorized;
pub use method::Method;
pub use mixture::Mixture;
pub use polygons::Polygons;
pub use quadrature::{Below, Chernoff, Means, Overlap, Quadrature};
pub use shuffle::Shuffle;
pub use staircase::Staircase;
pub use staircases::Staircases;
pub use subsampled::Subsampled;
