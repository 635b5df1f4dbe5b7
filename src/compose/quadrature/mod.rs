//! Any composition whose losses have a moment generating function, by a certified trapezoid rule.

pub mod factor;
pub mod line;

pub use factor::{Decay, Factor, Mirror, Moments, Steps};
pub use line::{Line, Turns};
