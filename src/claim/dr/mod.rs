//! Dwork, Rothblum: *Concentrated Differential Privacy*.

mod divergences;
mod groups;
mod moments;
mod subgaussian;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] = &[subgaussian::CLAIMS, moments::CLAIMS, divergences::CLAIMS, groups::CLAIMS];
