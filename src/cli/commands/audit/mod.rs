//! `audit`: other programs, asked and judged.

mod hunt;
mod list;
mod stop;
mod stored;
mod targets;

use super::super::args::Audit;
use super::super::failure::{Failure, Status};

/// `dpcert audit`.
pub fn run(audit: &Audit) -> Result<Status, Failure> {
    if let Some(mark) = &audit.heir {
        return Ok(stop::be_heir(mark));
    }
    if audit.list {
        return list::run(audit.json);
    }
    if audit.peers.is_empty() && audit.adapter.is_none() {
        return Err(Failure::input("name a package to audit (--list lists them), or a program with --adapter CMD"));
    }
    let _heir = stop::heir();
    match audit.hunt {
        Some(time) => hunt::run(audit, time),
        None => stored::run(audit),
    }
}
