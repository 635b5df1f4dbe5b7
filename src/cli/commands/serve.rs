//! `serve`: a page on this machine alone.

use super::super::args::{Limits, Serve};
use super::super::failure::{Failure, Status};
use super::super::talk;
use super::say;
use crate::serve::{self, Served};

/// `dpcert serve`: says where the page is, and answers until it is interrupted.
pub fn run(arguments: &Serve) -> Result<Status, Failure> {
    let Limits { max_bits, timeout, max_memory } = arguments.limits;
    let limits = serve::Limits { timeout, max_bits, max_bytes: u64::from(max_memory) * 1_000_000 };
    let page = Served::open(arguments.port, limits)?;
    say(&page.address())?;
    if !talk::is_quiet() {
        talk::say("open this address in a browser on this machine; press Ctrl-C to stop");
    }
    page.run()?;
    Ok(Status::Fine)
}
