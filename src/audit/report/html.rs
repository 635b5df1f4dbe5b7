//! The report as a page: the place where it will be written.

use super::Report;
use crate::error::Error;

/// One self-contained page.
///
/// # Errors
/// [`Error::Input`] until there is one.
pub fn page(_report: &Report) -> Result<String, Error> {
    Err(Error::input("the report as a page is not written yet: use --json"))
}
