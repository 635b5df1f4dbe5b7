//! Rational functions of several variables, exactly: what holds for them holds for all parameters at once.

mod fraction;
mod polynomial;

pub use fraction::{Exact, Fraction};
pub use polynomial::Polynomial;
