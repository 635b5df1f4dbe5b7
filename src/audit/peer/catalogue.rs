//! `adapters/peers.toml`, and the files beside it.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::ADAPTERS;

/// The list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The packages.
    #[serde(rename = "peer", default)]
    pub peers: Vec<Peer>,
}

/// One package.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its name, as its registry has it.
    pub name: String,
    /// The version that is audited.
    pub version: String,
    /// The file with complete pins.
    pub requirements: String,
    /// The adapter.
    pub script: String,
    /// Where it is documented.
    #[serde(default)]
    pub documentation: String,
    /// Where its source is.
    #[serde(default)]
    pub source: String,
    /// The ways of calling it, each audited by itself.
    #[serde(rename = "api")]
    pub apis: Vec<Api>,
}

/// One way of calling a package.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    /// The first argument of the script.
    pub name: String,
    /// What it calls, in one line.
    pub about: String,
}

impl Catalogue {
    /// The list inside of this program.
    pub fn embedded() -> Result<Self, Error> {
        let text = text("peers.toml")?;
        toml::from_str(text).map_err(|error| Error::input(format!("adapters/peers.toml: {error}")))
    }

    /// The peer of this name.
    pub fn find(&self, name: &str) -> Result<&Peer, Error> {
        self.peers.iter().find(|peer| peer.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.peers.iter().map(|peer| peer.name.as_str()).collect();
            let nearest = names.iter().min_by_key(|known| strsim::damerau_levenshtein(name, known));
            let advice = match nearest {
                Some(known) if strsim::damerau_levenshtein(name, known) <= 3 => format!("did you mean `{known}`?"),
                _ => format!("there are {}", names.join(", ")),
            };
            Error::input(format!("unknown peer `{}`, {advice}", crate::table::quoted(name)))
        })
    }
}

/// One of the files.
pub fn text(name: &str) -> Result<&'static str, Error> {
    let file = ADAPTERS.iter().find(|(path, _)| *path == name);
    file.map(|(_, text)| *text).ok_or_else(|| Error::input(format!("adapters/{name} is not in this program")))
}

/// The names of all scripts: an adapter may import its neighbours.
pub fn scripts() -> Vec<&'static str> {
    let beside = |name: &&str| name.ends_with(".py") && !name.contains('/');
    ADAPTERS.iter().map(|(name, _)| *name).filter(beside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the list names is there, and pins are complete.
    #[test]
    fn the_list_is_whole() {
        let catalogue = Catalogue::embedded().expect("a list");
        for peer in &catalogue.peers {
            assert!(!peer.apis.is_empty(), "{}", peer.name);
            text(&peer.script).expect("a script");
            let pins = text(&peer.requirements).expect("pins");
            for line in pins.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                assert!(line.contains("=="), "{}: {line} is not pinned", peer.requirements);
            }
        }
    }

    #[test]
    fn names_that_are_near_are_offered() {
        let catalogue = Catalogue {
            peers: vec![Peer {
                name: "opendp".into(),
                version: String::new(),
                requirements: String::new(),
                script: String::new(),
                documentation: String::new(),
                source: String::new(),
                apis: Vec::new(),
            }],
        };
        assert_eq!(
            catalogue.find("open-dp").map_err(|error| error.to_string()),
            Err("unknown peer `open-dp`, did you mean `opendp`?".to_string())
        );
    }
}
