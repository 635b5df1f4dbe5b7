//! Files are read whole, and only if they have a sensible size.

use std::fs::File;
use std::io::Read;

use crate::error::Error;

/// The text of the file at this path, of at most `most` bytes.
pub fn read_text(path: &str, most: u64) -> Result<String, Error> {
    let shown = shown(path);
    let failed = |error: std::io::Error| Error::input(format!("cannot read '{shown}': {error}"));
    let file = File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(Error::input(format!("'{shown}' exceeds the limit of {most} bytes")));
    }
    Ok(text)
}

/// The path for a message of one line.
pub fn shown(path: &str) -> String {
    let printable = path.replace(|c: char| c.is_control(), "?");
    match printable.char_indices().nth(200) {
        Some((at, _)) => format!("{}...", printable.split_at(at).0),
        None => printable,
    }
}
