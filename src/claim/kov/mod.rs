//! Kairouz, Oh, Viswanath: *The Composition Theorem for Differential Privacy*.

mod applications;
mod bounds;
mod composition;
mod converse;
mod protocol;
mod regions;

use super::record::Claim;

/// By section.
pub const CLAIMS: &[&[Claim]] =
    &[regions::CLAIMS, composition::CLAIMS, bounds::CLAIMS, applications::CLAIMS, protocol::CLAIMS, converse::CLAIMS];
