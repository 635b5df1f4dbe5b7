//! Dong, Roth, Su: *Gaussian Differential Privacy*.

mod algebra;
mod gaussian;
mod groups;
mod limits;
mod subsampling;
mod tradeoff;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] =
    &[tradeoff::CLAIMS, gaussian::CLAIMS, groups::CLAIMS, algebra::CLAIMS, limits::CLAIMS, subsampling::CLAIMS];
