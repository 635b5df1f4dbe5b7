//! What papers prove that is not an equality: bounds and reductions, each with its hypotheses.

mod antipodal;

pub use antipodal::{Antipodal, Chain};
//! Bounds and approximations that are not equalities, one file per paper, each with its hypotheses.

pub mod kov;
