//! What goes over the pipes: a query a line to the audited program, a claim a line from it.
//!
//! Reading is strict about what is judged (a claim without an id, or with a number that is none, is no claim) and
//! patient about the rest: unknown fields are passed over, numbers may be written in hex or decimal, and lines that do
//! not begin with `{` are talk.

mod claim;
mod lines;
mod query;

pub use claim::{Claim, Hello, Kind, Reply, read};
pub use lines::{Line, read_lines};
pub use query::line;
