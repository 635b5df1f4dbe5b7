//! What papers prove that is no curve: bounds, reductions and optimal protocols, each with its hypotheses.

mod antipodal;
pub mod berry_esseen;
pub mod clt;
pub mod edgeworth;
pub mod factors;
pub mod functional;
pub mod kov;
pub mod multiparty;
pub mod zcdp;

pub use antipodal::Antipodal;
