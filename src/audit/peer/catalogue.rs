//! `adapters/peers.toml`, and the files beside it.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::ADAPTERS;

/// The most characters of a version.
const LONGEST_VERSION: usize = 60;

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

impl Peer {
    /// The same package in another version: its pin is replaced, all others stay.
    pub fn in_version(&self, version: &str) -> Result<Peer, Error> {
        let known = |c: char| c.is_ascii_alphanumeric() || ".+!-_".contains(c);
        if version.is_empty() || version.len() > LONGEST_VERSION || !version.chars().all(known) {
            let version = crate::table::quoted(version);
            return Err(Error::input(format!("`{version}` is not a version of {}", self.name)));
        }
        let peer = Peer { version: version.to_string(), ..self.clone() };
        peer.pins().map(|_| peer)
    }

    /// Complete pins, its own that of this version.
    pub fn pins(&self) -> Result<String, Error> {
        let (mut pins, mut found) = (String::new(), false);
        for line in text(&self.requirements)?.lines() {
            if line.split_once("==").is_some_and(|(name, _)| name.trim() == self.name) {
                pins += &format!("{}=={}\n", self.name, self.version);
                found = true;
            } else {
                pins += line;
                pins.push('\n');
            }
        }
        let missing = || Error::input(format!("adapters/{} pins no version of {}", self.requirements, self.name));
        found.then_some(pins).ok_or_else(missing)
    }
}

/// One way of calling a package.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    /// The first argument of the script.
    pub name: String,
    /// The functions it calls, in one line.
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
                _ => format!("known packages: {}", names.join(", ")),
            };
            Error::input(format!("unknown package `{}`; {advice}", crate::table::quoted(name)))
        })
    }
}

/// One of the files.
pub fn text(name: &str) -> Result<&'static str, Error> {
    let file = ADAPTERS.iter().find(|(path, _)| *path == name);
    file.map(|(_, text)| *text).ok_or_else(|| Error::input(format!("adapters/{name} is not included in this build")))
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

    /// The listed version is the pinned one, so that without another the pins are the file; and another one is pinned
    /// in its place.
    #[test]
    fn a_version_is_a_pin() {
        for peer in &Catalogue::embedded().expect("a list").peers {
            let file = text(&peer.requirements).expect("pins");
            assert_eq!(peer.pins().expect("pins"), file, "{}", peer.name);
            let other = peer.in_version("0.0.1rc2").expect("a version");
            let pins = other.pins().expect("pins");
            let changed: Vec<(&str, &str)> = file.lines().zip(pins.lines()).filter(|(a, b)| a != b).collect();
            let (before, after) = (format!("{}=={}", peer.name, peer.version), format!("{}==0.0.1rc2", peer.name));
            assert_eq!((changed, other.version.as_str()), (vec![(before.as_str(), after.as_str())], "0.0.1rc2"));
            for bad in ["", "1 --index-url x", "1\n2", "1;python_version", &"1".repeat(61)] {
                assert!(peer.in_version(bad).is_err(), "{bad}");
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
            Err("unknown package `open-dp`; did you mean `opendp`?".to_string())
        );
    }
}
