//! What can keep a query from having a number.

pub use enclosure::Error;
