//! What papers prove that is not an equality: bounds and reductions, each with its hypotheses.

mod antipodal;
pub mod kov;
pub mod zcdp;

pub use antipodal::Antipodal;
