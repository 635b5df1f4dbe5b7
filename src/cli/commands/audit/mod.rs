//! `audit`: other programs, asked and judged.

mod hunt;
mod list;
mod own;
mod stop;
mod stored;
mod targets;

use super::super::args::Audit;
use super::super::failure::{Failure, Status};
use crate::audit::gate::{Baseline, Gate};

/// `dpcert audit`.
pub fn run(audit: &Audit) -> Result<Status, Failure> {
    if let Some(mark) = &audit.heir {
        return Ok(stop::be_heir(mark));
    }
    if audit.list {
        return list::run(audit.json);
    }
    if audit.list_questions {
        return list::questions(audit);
    }
    if let Some(file) = audit.protocol {
        return list::file(file);
    }
    if audit.peers.is_empty() && audit.adapter.is_none() {
        return Err(Failure::input("name a package to audit (see --list), or give a program with --adapter CMD"));
    }
    let gate = gate(audit)?;
    let _heir = stop::heir();
    match audit.hunt {
        Some(time) => hunt::run(audit, time, &gate),
        None => stored::run(audit, &gate),
    }
}

/// What the audit fails on.
fn gate(audit: &Audit) -> Result<Gate, Failure> {
    // It is read before it can be written.
    let baseline = audit.baseline.as_deref().map(Baseline::read).transpose()?;
    Ok(Gate { fail_on: audit.fail_on.into(), baseline })
}
