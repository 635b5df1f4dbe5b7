//! Certified privacy arithmetic.

pub mod compose;
pub mod curve;
pub mod divergence;
pub mod error;
pub mod mechanism;
pub mod number;
pub mod route;
pub mod theorem;

pub use error::Error;
