//! How an inequality is proven on a whole box of parameters.

mod boxes;
mod edges;
mod numbers;
mod taylor;

pub use boxes::{Range, Search, nowhere_negative};
pub use numbers::Numbers;
#[cfg(test)]
pub use taylor::Taylor;
