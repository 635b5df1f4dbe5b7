//! Files appear whole or not at all: written beside their place, then renamed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Could a file be written here? Asked before long work, so that its result is not lost at the end.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::input(format!("cannot write {}: it is a folder", path.display())));
    }
    let beside = beside(path);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| failed(path, &error))?;
    }
    fs::write(&beside, b"").and_then(|()| fs::remove_file(&beside)).map_err(|error| failed(path, &error))
}

/// Write a file so that no reader, and no interruption, ever meets half of it.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = beside(path);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| failed(path, &error))?;
    }
    fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).map_err(|error| {
        // What is left of the attempt is of no use to anybody; that it may be gone already does not matter.
        let _ = fs::remove_file(&beside);
        failed(path, &error)
    })
}

/// Where a file is before it is renamed.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    PathBuf::from(beside)
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::input(format!("cannot write {}: {error}", path.display()))
}
