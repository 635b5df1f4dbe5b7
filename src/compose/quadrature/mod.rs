//! Any composition whose losses have a moment generating function, by a certified trapezoid rule.

mod assemble;
mod bank;
mod contour;
mod engine;
pub mod factor;
pub mod line;
mod plan;
mod sieve;

pub use engine::Quadrature;
pub use factor::{Decay, Factor, Mirror, Moments, Steps};
pub use line::{Line, Turns};
