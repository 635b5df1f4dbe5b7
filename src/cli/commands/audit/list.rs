//! `audit --list`, `--list-questions`, `--protocol`: who can be asked, what is asked, and how one's own is asked.

use std::io::Write;

use super::super::super::args::{Audit, ProtocolFile};
use super::super::super::failure::{Failure, Status};
use super::super::{say, say_json, vectors};
use super::stored::chosen_of;
use crate::audit::peer::{Catalogue, text};
use crate::audit::questions;

/// The packages, and the ways of calling them.
pub fn run(json: bool) -> Result<Status, Failure> {
    for peer in Catalogue::embedded()?.peers {
        if json {
            say_json(&peer)?;
            continue;
        }
        say(&format!("{} {}", peer.name, peer.version))?;
        let width = peer.apis.iter().map(|api| api.name.len()).max().unwrap_or(0);
        for api in &peer.apis {
            say(&format!("    {:width$}  {}", api.name, api.about))?;
        }
    }
    Ok(Status::Fine)
}

/// The groups of questions, and what they are for.
pub fn questions(audit: &Audit) -> Result<Status, Failure> {
    let set = vectors::load(audit.data.clone())?;
    let chosen = chosen_of(audit, questions::all(&set)?)?;
    let groups = questions::groups(&set, &chosen);
    for group in &groups {
        if audit.json {
            say_json(group)?;
            continue;
        }
        let questions::Group { name, questions, title, about, .. } = group;
        say(&format!("{name} ({questions}): {title}\n    {about}"))?;
    }
    if !audit.json {
        say(&format!(
            "queries: {}, groups: {}; --only selects the queries whose id contains a string",
            chosen.len(),
            groups.len()
        ))?;
    }
    Ok(Status::Fine)
}

/// One of the files about adapters, as it is.
pub fn file(file: ProtocolFile) -> Result<Status, Failure> {
    let text = text(file.path())?;
    std::io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::output)?;
    Ok(Status::Fine)
}
