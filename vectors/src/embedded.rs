//! The vectors that were shipped with this crate, inside of the program that uses it.

use rust_embed::RustEmbed;

use crate::load::{LoadError, VectorSet, load_str};

#[derive(RustEmbed)]
#[folder = "data/"]
#[include = "*.json"]
struct Files;

/// The vector files of this version, as [`load_dir`](crate::load_dir) reads them from `data/`.
pub fn embedded() -> Result<VectorSet, LoadError> {
    let mut set = VectorSet::default();
    for name in Files::iter() {
        let bytes = Files::get(&name).map(|file| file.data).unwrap_or_default();
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| LoadError::NotUtf8 { path: name.to_string(), valid_up_to: error.valid_up_to() })?;
        set.files.insert(name.to_string(), load_str(&name, text)?);
    }
    Ok(set)
}
