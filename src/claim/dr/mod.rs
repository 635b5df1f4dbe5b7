//! Dwork, Rothblum: *Concentrated Differential Privacy*.

mod divergences;
mod groups;
mod subgaussian;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] = &[subgaussian::CLAIMS, divergences::CLAIMS, groups::CLAIMS];
