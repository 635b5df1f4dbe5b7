//! No part of the library: the program, and those of its parts that tests and examples take one by one.
//!
//! The program is in this crate, so that what it prints is what the library says; a test that hands a journal or a page
//! of the census to one of its parsers cannot do that through [`crate::answer`]. What stands here may change at any time.

pub use crate::audit::journal::Record;
pub use crate::audit::protocol;
pub use crate::audit::report::{Report, page};
pub use crate::census::compare::{Cause, Verdict, judge, read_published};
pub use crate::census::{Level, Workload, read_results};
pub use crate::cli::run;
pub use crate::float::registry;
pub use crate::mechanism::{Allocation, Cell, Paths};
pub use crate::vector::{convert, floats, generate, suite, verify};
