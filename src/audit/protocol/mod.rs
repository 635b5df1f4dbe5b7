//! The line protocol: one query per line to the audited program, one claim per line from it.
//!
//! Parsing is strict about judged content: a claim needs an id and valid numbers. It is lenient otherwise: unknown
//! fields are ignored, numbers may be hexadecimal or decimal, and lines that do not begin with `{` are ignored output.

mod claim;
mod lines;
mod query;

pub use claim::{Claim, Hello, Kind, Reply, read};
pub use lines::{Line, read_lines};
pub use query::line;
