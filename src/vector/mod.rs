//! The golden vectors: which questions ([`suite`]), answered and confirmed by a second route ([`generate`],
//! [`confirm`]), recomputed from the stored files ([`verify`]), and compared with grids ([`brackets`]). Format, loader
//! and lint are the crate `dpcert-vectors`, which needs none of this.

pub mod brackets;
pub mod catalogue;
#[cfg(feature = "generate")]
pub mod confirm;
pub mod convert;
pub mod few;
pub mod floats;
#[cfg(feature = "generate")]
pub mod generate;
pub mod orders;
pub mod question;
pub mod sessions;
pub mod stated;
pub mod suite;
pub mod verify;

/// The decimal digits of a golden number.
pub const DIGITS: u32 = 40;
