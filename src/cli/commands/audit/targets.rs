//! From names to programs that can be started.

use super::super::super::args::Audit;
use super::super::super::failure::Failure;
use super::super::super::progress::aside;
use super::super::super::talk;
use crate::audit::judgement::Party;
use crate::audit::peer::{Cache, Catalogue, Peer};
use crate::audit::process::Launch;
use crate::audit::run::Target;

/// Selects all packages.
const ALL: &str = "all";

/// The programs to audit. Missing packages are installed.
pub fn targets(audit: &Audit, cache: &Cache) -> Result<Vec<Target>, Failure> {
    if let Some(command) = &audit.adapter {
        return Ok(vec![Target {
            party: Party { peer: "adapter".to_string(), version: "-".to_string(), api: "-".to_string() },
            anonymous: true,
            documentation: String::new(),
            launch: Launch::Shell(command.clone()),
        }]);
    }
    let catalogue = Catalogue::embedded()?;
    let mut chosen: Vec<(Peer, Option<&str>)> = Vec::new();
    for name in &audit.peers {
        match name.split_once(':') {
            _ if name == ALL => chosen.extend(catalogue.peers.iter().map(|peer| (peer.clone(), None))),
            Some((peer, api)) => {
                let peer = in_version(&catalogue, peer)?;
                if !peer.apis.iter().any(|known| known.name == api) {
                    let known: Vec<&str> = peer.apis.iter().map(|api| api.name.as_str()).collect();
                    let api = crate::table::quoted(api);
                    return Err(Failure::input(format!(
                        "{} has no API `{api}`; it has {}",
                        peer.name,
                        known.join(", ")
                    )));
                }
                chosen.push((peer, Some(api)));
            }
            None => chosen.push((in_version(&catalogue, name)?, None)),
        }
    }
    let mut targets: Vec<Target> = Vec::new();
    for (peer, only) in &chosen {
        // A package that no longer installs is reported among the others.
        let installed = cache.install(peer, |what| aside(|| talk::say(what)));
        let launch = |api: &str| match &installed {
            Ok(installed) => installed.launch(api),
            Err(error) => Launch::Impossible(error.to_string()),
        };
        for api in peer.apis.iter().filter(|api| only.is_none_or(|only| api.name == *only)) {
            let party = Party { peer: peer.name.clone(), version: peer.version.clone(), api: api.name.clone() };
            if targets.iter().any(|target| target.party == party) {
                continue;
            }
            targets.push(Target {
                party,
                anonymous: false,
                documentation: peer.documentation.clone(),
                launch: launch(&api.name),
            });
        }
    }
    Ok(targets)
}

/// A package as it is typed, `name` or `name@version`.
fn in_version(catalogue: &Catalogue, typed: &str) -> Result<Peer, Failure> {
    Ok(match typed.split_once('@') {
        Some((name, version)) => catalogue.find(name)?.in_version(version)?,
        None => catalogue.find(typed)?.clone(),
    })
}
