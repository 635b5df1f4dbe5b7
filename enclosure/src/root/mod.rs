//! Certified roots of decreasing functions.
//!
//! | function | needs | proof |
//! |---|---|---|
//! | [`newton`] | values and slopes, and a point near the root | by one step of interval Newton |
//! | [`bracketed`] | values only | by signs at two points |
//!
//! [`Bracket`] is for searches whose result is proven by other means.

mod bracket;
mod falling;
mod newton;

pub use bracket::Bracket;
pub use falling::{bracketed, bracketed_with};
pub use newton::newton;
