//! Certified privacy arithmetic.

pub mod compose;
pub mod curve;
pub mod error;
pub mod number;

pub use error::Error;
