//! Dong, Roth, Su: *Gaussian Differential Privacy*.

mod algebra;
mod berry_esseen;
mod duality;
mod f_divergences;
mod gaussian;
mod groups;
mod limits;
mod subsampling;
mod tradeoff;
mod training;

pub use tradeoff::above;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] = &[
    tradeoff::CLAIMS,
    duality::CLAIMS,
    gaussian::CLAIMS,
    groups::CLAIMS,
    algebra::CLAIMS,
    limits::CLAIMS,
    subsampling::CLAIMS,
    training::CLAIMS,
    f_divergences::CLAIMS,
];
