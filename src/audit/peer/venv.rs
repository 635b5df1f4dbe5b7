//! Where packages are installed: a virtual environment for each set of pins.
//!
//! ```text
//! CACHE/adapters/<hash of all scripts>/dp_accounting_adapter.py ...
//! CACHE/venv/dp-accounting-<hash of the pins>/bin/python
//! ```
//!
//! An environment is made beside its place and renamed when everything is installed, so one that stands there is whole;
//! it is used as long as the pins are the same. Pins are complete, so nothing is resolved: packages are installed
//! without what they say they need, and what only an unused part of one needs can be left out of the pins.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::catalogue::{Peer, scripts, text};
use crate::audit::process::Launch;
use crate::error::Error;
use crate::write::write_file;

/// Number of pip's last output lines shown on failure.
const LAST_LINES: usize = 12;

/// The folder of everything that can be made again.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// A package that can be asked.
#[derive(Clone, Debug)]
pub struct Installed {
    python: PathBuf,
    scripts: PathBuf,
    script: String,
}

impl Cache {
    /// This folder; unless given the user's cache folder, as the XDG rules have it.
    pub fn new(folder: Option<PathBuf>) -> Result<Self, Error> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = folder
            .or_else(|| absolute("XDG_CACHE_HOME").map(|cache| cache.join("dpcert")))
            .or_else(|| absolute("HOME").map(|home| home.join(".cache").join("dpcert")));
        let folder = folder.ok_or_else(|| Error::input("no cache folder found; give one with --cache DIR"))?;
        let folder = std::path::absolute(&folder)
            .map_err(|error| Error::input(format!("cannot use {}: {error}", folder.display())))?;
        Ok(Cache { folder })
    }

    /// A place for the journal of an audit that names none.
    pub fn journal(&self, fingerprint: &str) -> PathBuf {
        self.folder.join("journal").join(format!("{fingerprint}.jsonl"))
    }

    /// Install a package, unless that has been done; `talk` hears what takes long.
    pub fn install(&self, peer: &Peer, talk: impl Fn(&str)) -> Result<Installed, Error> {
        let scripts = self.scripts()?;
        let pins = &peer.pins()?;
        // Named after the pins: packages that share them share the environment.
        let stem = Path::new(&peer.requirements).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let place = self.folder.join("venv").join(format!("{stem}-{}", hash(&[pins])));
        let python = place.join("bin").join("python");
        if !python.exists() {
            talk(&format!("installing {} {} into {}", peer.name, peer.version, place.display()));
            self.make(&place, pins, peer)?;
        }
        Ok(Installed { python, scripts, script: peer.script.clone() })
    }

    /// The folder with the scripts of this program.
    fn scripts(&self) -> Result<PathBuf, Error> {
        let names = scripts();
        let texts = names.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<&str> = names.iter().chain(&texts).copied().collect();
        let folder = self.folder.join("adapters").join(hash(&parts));
        for (name, text) in names.iter().zip(&texts) {
            let path = folder.join(name);
            if std::fs::read_to_string(&path).ok().as_deref() != Some(*text) {
                write_file(&path, text.as_bytes())?;
            }
        }
        Ok(folder)
    }

    fn make(&self, place: &Path, pins: &str, peer: &Peer) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::input(format!("cannot install into {}: {error}", place.display()));
        let mut beside = place.as_os_str().to_owned();
        beside.push(format!(".{}.tmp", std::process::id()));
        let beside = PathBuf::from(beside);
        let pins_file = beside.with_extension("pins.txt");
        std::fs::create_dir_all(beside.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let _ = std::fs::remove_dir_all(&beside);
        write_file(&pins_file, pins.as_bytes())?;
        let made = step("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&beside)).and_then(|()| {
            let mut pip = Command::new(beside.join("bin").join("python"));
            pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps", "-r"]);
            step("pip", pip.arg(&pins_file))
        });
        let _ = std::fs::remove_file(&pins_file);
        let made =
            made.map_err(|error| Error::input(format!("cannot install {} {}: {error}", peer.name, peer.version)));
        let made = made.and_then(|()| match std::fs::rename(&beside, place) {
            // Somebody else was quicker, with the same pins.
            Err(_) if place.join("bin").join("python").exists() => Ok(()),
            other => other.map_err(failed),
        });
        if made.is_err() || beside.exists() {
            let _ = std::fs::remove_dir_all(&beside);
        }
        made
    }
}

impl Installed {
    /// How one of its APIs is started.
    pub fn launch(&self, api: &str) -> Launch {
        Launch::Program {
            words: vec![self.python.clone().into(), self.script.clone().into(), api.into()],
            folder: self.scripts.clone(),
        }
    }
}

/// Variables of the environment by which Python finds packages elsewhere, and by which pip installs them elsewhere.
const ELSEWHERE: [&str; 5] = ["PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"];

/// Runs one step of an installation; an error contains its last lines. Packages outside the environment are ignored.
fn step(what: &str, command: &mut Command) -> Result<(), Error> {
    for variable in ELSEWHERE {
        command.env_remove(variable);
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::input(format!("cannot run {what}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let mut last = VecDeque::new();
    for stream in [&output.stdout, &output.stderr] {
        for line in String::from_utf8_lossy(stream).lines().filter(|line| !line.trim().is_empty()) {
            last.push_back(line.chars().take(400).collect::<String>());
            if last.len() > LAST_LINES {
                last.pop_front();
            }
        }
    }
    Err(Error::input(format!("{what} failed:\n  {}", Vec::from(last).join("\n  "))))
}

/// A name for some texts.
fn hash(texts: &[&str]) -> String {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}
