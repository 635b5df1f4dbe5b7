//! Files appear whole or not at all: written beside their place, then renamed.

use std::fs;
use std::path::Path;

use crate::error::Error;

/// Write a file so that no reader, and no interruption, ever meets half of it.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::input(format!("cannot write {}: {error}", path.display()));
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = Path::new(&beside);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    fs::write(beside, bytes).and_then(|()| fs::rename(beside, path)).map_err(|error| {
        // What is left of the attempt is of no use to anybody; that it may be gone already does not matter.
        let _ = fs::remove_file(beside);
        failed(error)
    })
}
