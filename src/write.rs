//! Files appear whole or not at all: written beside their place, then renamed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Could a file be written here? Asked before long work, so that its result is not lost at the end.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::input(format!("cannot write {}: it is a folder", path.display())));
    }
    if is_standard_output(path) || is_special(path) {
        return Ok(());
    }
    let beside = beside(&place(path)?);
    fs::write(&beside, b"").and_then(|()| fs::remove_file(&beside)).map_err(|error| failed(path, &error))
}

/// Write a file so that no reader, and no interruption, ever meets half of it. Where a symbolic link leads to a file,
/// that is replaced, not the link; a device or a pipe has nothing that could be kept whole, and is written to; `-` is
/// standard output.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if is_standard_output(path) {
        return match std::io::stdout().lock().write_all(bytes) {
            // The reader closed the pipe.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Error::input(format!("cannot write to standard output: {error}"))),
        };
    }
    if is_special(path) {
        let open = fs::OpenOptions::new().write(true).open(path);
        return open.and_then(|mut file| file.write_all(bytes)).map_err(|error| failed(path, &error));
    }
    let place = place(path)?;
    let beside = beside(&place);
    fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &place)).map_err(|error| {
        // Remove the incomplete file; it may be gone already.
        let _ = fs::remove_file(&beside);
        failed(path, &error)
    })
}

/// Is this what stands for standard output?
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Is there something that is neither a file nor a folder?
fn is_special(path: &Path) -> bool {
    path.exists() && !path.is_file() && !path.is_dir()
}

/// The path without symbolic links; its folder is made where there is none.
fn place(path: &Path) -> Result<PathBuf, Error> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| failed(path, &error))?;
    }
    Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()))
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = std::env::temp_dir().join(format!("dpcert-write-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "before").expect("a file");
        std::os::unix::fs::symlink("file", &link).expect("a link");
        check_writable(&link).and_then(|()| write_file(&link, b"after")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_eq!(fs::read(&file).expect("a file"), b"after");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
        fs::remove_dir_all(&folder).expect("the folder goes");
        let nothing = Path::new("/dev/null");
        check_writable(nothing).and_then(|()| write_file(nothing, b"text")).expect("written");
        assert!(is_special(nothing));
        let error = write_file(Path::new("/dev/full"), b"text").expect_err("no space");
        assert!(error.to_string().starts_with("cannot write /dev/full: "), "{error}");
    }
}
