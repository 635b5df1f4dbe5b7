//! Errors of queries.

pub use enclosure::Error;
