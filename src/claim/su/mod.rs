//! Su: *A Statistical Viewpoint on Differential Privacy*.

mod accounting;
mod links;
mod renyi;
mod shuffling;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] = &[renyi::CLAIMS, links::CLAIMS, accounting::CLAIMS, shuffling::CLAIMS];
