//! What papers prove that is no curve: bounds, reductions, limits and optimal protocols, each with its hypotheses.

#[cfg(feature = "cli")]
pub mod additive;
#[cfg(feature = "cli")]
mod antipodal;
#[cfg(feature = "cli")]
pub mod berry_esseen;
#[cfg(feature = "cli")]
pub mod catalogue;
#[cfg(feature = "cli")]
pub mod clt;
#[cfg(feature = "cli")]
pub mod dwork_rothblum;
#[cfg(feature = "cli")]
pub mod edgeworth;
#[cfg(feature = "cli")]
pub mod factors;
pub mod functional;
pub mod guarantee;
mod hypothesis;
#[cfg(feature = "cli")]
pub mod kov;
#[cfg(feature = "cli")]
pub mod kov_noise;
#[cfg(feature = "cli")]
pub mod multiparty;
#[cfg(feature = "cli")]
pub mod near_gaussian;
#[cfg(feature = "cli")]
pub mod one_block;
pub mod pure;
#[cfg(feature = "cli")]
pub mod rate;
pub mod renyi;
#[cfg(feature = "cli")]
pub mod shifted;
#[cfg(feature = "cli")]
pub mod shuffling;
mod surviving;
pub mod two_points;
#[cfg(feature = "cli")]
pub mod zcdp;

#[cfg(feature = "cli")]
pub use antipodal::{Antipodal, Chain, in_fractions};
