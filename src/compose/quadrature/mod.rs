//! Any composition whose losses have a moment generating function, by a certified trapezoid rule.
//!
//! | file | does |
//! |---|---|
//! | `factor/` | each mechanism: its moment generating function on a line, and bounds of its modulus |
//! | `vertical_contour` | the nodes |
//! | `plan` | where the line goes: a search in doubles |
//! | `branch_and_bound` | which nodes matter, and what the others come to |
//! | `almost_periodic` | the same for integrands that never decay, where few nodes matter among many |
//! | `extremal` | a minorant and a majorant of the kernel, of which nothing is left beyond so many nodes |
//! | `swept` | all nodes up to some, in integers, where most of them matter however far out |
//! | `contour` | one line evaluated: its `layout`, the identity and its errors; `values` at the nodes, `aliases` |
//! | `node_values`, `fixed_nodes` | one pass over the nodes, its rounding counted beforehand |
//! | `fixed` | points of the unit disc in integers, where few bits are asked for |
//! | `wide` | the same in integers of 128 bits, for usual digits at many nodes |
//! | `engine` | profile, `inverse` and trade-off function from lines; `chernoff`, a bound without one |
//! | `infinite` | the mass at infinity |
//! | `assemble` | the factors of a composition |
//! | `means/` | means of functions of the loss, each on one line |
//!
//! The proof is `proofs/paper/quadrature.md`; those of the factors are on separate pages.

mod almost_periodic;
mod assemble;
mod branch_and_bound;
mod contour;
mod engine;
mod extremal;
pub mod factor;
mod fixed;
mod fixed_nodes;
mod infinite;
mod means;
mod node_values;
mod nonuniform;
mod plan;
mod swept;
pub mod vertical_contour;
mod wide;

pub(super) use assemble::{Factors, factors};
pub use engine::{Chernoff, Quadrature};
pub use factor::{Decay, Moments};
pub(super) use infinite::infinite;
pub use means::{Below, Means, Overlap};
pub use vertical_contour::{Turns, VerticalContour};

#[cfg(test)]
mod tests;
