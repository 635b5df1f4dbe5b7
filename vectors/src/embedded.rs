//! The vectors of this crate, compiled into the program.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::load::{LoadError, VectorSet, load_str};

/// What `build.rs` has packed: for each file its name in a line, its length in a line, and its text.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vectors.gz"));

/// The vector files of this version, as [`load_dir`](crate::load_dir) reads them from `data/`.
pub fn embedded() -> Result<VectorSet, LoadError> {
    let packed = |source| LoadError::Io { path: "embedded vectors".into(), source };
    let mut all = String::new();
    GzDecoder::new(PACKED).read_to_string(&mut all).map_err(packed)?;
    let cut = || packed(std::io::ErrorKind::UnexpectedEof.into());
    let (mut set, mut rest) = (VectorSet::default(), all.as_str());
    while !rest.is_empty() {
        let (name, after) = rest.split_once('\n').ok_or_else(cut)?;
        let (length, after) = after.split_once('\n').ok_or_else(cut)?;
        let length = length.parse().map_err(|_| cut())?;
        let (text, after) = after.split_at_checked(length).ok_or_else(cut)?;
        set.files.insert(name.to_string(), load_str(name, text)?);
        rest = after;
    }
    Ok(set)
}
