//! Strict reader of vector files. An unknown field, a number in another spelling or a truncated file is an error: one
//! line that begins with path, line and column.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::format::{Case, VectorFile};

/// Maximum file size, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Error while reading a vector file.
#[derive(Debug, Error)]
pub enum LoadError {
    /// An operating system error.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{path}: larger than {MAX_FILE_BYTES} bytes")]
    TooLarge {
        /// The file.
        path: String,
    },
    /// The file is not valid UTF-8.
    #[error("{path}: invalid UTF-8 after byte {valid_up_to}")]
    NotUtf8 {
        /// The file.
        path: String,
        /// Number of valid bytes before the error.
        valid_up_to: usize,
    },
    /// The text is not a valid vector file.
    #[error("{path}:{line}:{column}: {message}")]
    Format {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1; 0 at the end of a line.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// The folder contains no vector files.
    #[error("{path}: contains no .json files")]
    Empty {
        /// The folder.
        path: String,
    },
}

/// The vector files of a folder, by file name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorSet {
    /// The files.
    pub files: BTreeMap<String, VectorFile>,
}

impl VectorSet {
    /// Iterates over all cases with their files, by file name, then in file order.
    pub fn cases(&self) -> impl Iterator<Item = (&VectorFile, &Case)> {
        self.files.values().flat_map(|file| file.cases.iter().map(move |case| (file, case)))
    }

    /// Finds a case by id.
    pub fn case(&self, id: &str) -> Option<(&VectorFile, &Case)> {
        self.cases().find(|(_, case)| case.id == id)
    }
}

/// Reads a vector file from its text; `name` only appears in errors.
pub fn load_str(name: &str, text: &str) -> Result<VectorFile, LoadError> {
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(LoadError::TooLarge { path: name.to_owned() });
    }
    serde_json::from_str(text).map_err(|error| format_error(name, &error))
}

/// Reads a vector file of at most [`MAX_FILE_BYTES`] bytes.
pub fn load_file(path: impl AsRef<Path>) -> Result<VectorFile, LoadError> {
    let path = path.as_ref();
    load_str(&path.display().to_string(), &read_text(path)?)
}

/// Reads all `.json` files of a folder, without subfolders.
pub fn load_dir(path: impl AsRef<Path>) -> Result<VectorSet, LoadError> {
    let path = path.as_ref();
    let mut files = BTreeMap::new();
    for file in json_files(path)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, load_file(&file)?);
    }
    Ok(VectorSet { files })
}

/// The text of a vector file: pretty JSON and a final newline, the same bytes for equal values.
pub fn to_json(file: &VectorFile) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(file).map(|text| text + "\n")
}

/// The `.json` files of a folder, sorted; an error when there is none.
pub(crate) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let io = |source| LoadError::Io { path: folder.display().to_string(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let file = entry.map_err(io)?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(LoadError::Empty { path: folder.display().to_string() });
    }
    files.sort();
    Ok(files)
}

pub(crate) fn read_text(path: &Path) -> Result<String, LoadError> {
    let name = path.display().to_string();
    let io = |source| LoadError::Io { path: name.clone(), source };
    let mut bytes = Vec::new();
    // One byte more than allowed identifies a file that is too large; the recorded size may be wrong or absent.
    File::open(path).map_err(io)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(LoadError::TooLarge { path: name });
    }
    String::from_utf8(bytes)
        .map_err(|error| LoadError::NotUtf8 { path: name, valid_up_to: error.utf8_error().valid_up_to() })
}

fn format_error(name: &str, error: &serde_json::Error) -> LoadError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    // The place comes first in our errors; serde_json puts it last.
    let message = full.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&full);
    LoadError::Format { path: name.to_owned(), line, column, message: one_line(message) }
}

/// On one line, and no longer than an error message should be: a file can put anything into a field name.
fn one_line(message: &str) -> String {
    const SHOWN: usize = 400;
    let mut line: String = message.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if message.chars().nth(SHOWN).is_some() {
        line.push_str("...");
    }
    line
}
