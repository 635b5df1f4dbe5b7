//! `audit --list`: the packages, and the ways of calling them.

use super::super::super::failure::{Failure, Status};
use super::super::{say, say_json};
use crate::audit::peer::Catalogue;

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
