//! `serve`: a page on this machine alone.

use std::sync::Arc;

use super::super::args::Serve;
use super::super::failure::{Failure, Status};
use super::super::talk;
use super::say;
use crate::serve::{self, Served};

/// `dpcert serve`: says where the page is, and answers until it is interrupted.
pub fn run(arguments: &Serve) -> Result<Status, Failure> {
    let limits = arguments.limits;
    let limits = serve::Limits { timeout: limits.timeout, fresh: Arc::new(move || limits.budget()) };
    let page = Served::open(arguments.port, limits)?;
    say(&page.address())?;
    if !talk::is_quiet() {
        talk::say("open this address in a browser on this machine; press Ctrl-C to stop");
    }
    page.run()?;
    Ok(Status::Fine)
}
