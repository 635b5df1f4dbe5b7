//! What a run has finished, kept as it goes: one block of lines for each pair, with a line that says it is whole.
//!
//! ```text
//! # dpcert census pairs 6c62272e07bb0142
//! 1,1,5e-1,8.67,0.075,0.076
//! # done 1,1
//! ```
//!
//! A run may be cut off at any moment, in the middle of a line too. What stands after the last `# done` is then of no
//! use, and is cut off when the journal is opened again. Everything before it was written by one call and is checked: a
//! journal that says something else was not left by an interruption, and is refused.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Workload;
use crate::error::Error;

/// Suffix of the journal's file name.
const ENDING: &str = ".partial";

/// The journal of one workload.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    finished: BTreeMap<(u32, u32), String>,
}

impl Journal {
    /// Open the journal of these results, or begin it.
    pub fn open(results: &Path, workload: &Workload) -> Result<Self, Error> {
        let mut path = results.as_os_str().to_owned();
        path.push(ENDING);
        let path = PathBuf::from(path);
        let failed = |error: std::io::Error| Error::input(format!("cannot write {}: {error}", path.display()));
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let heading = format!("# dpcert census pairs {:016x}\n", workload.fingerprint());
        let mut finished = BTreeMap::new();
        let whole;
        // A heading cut short was written by a run that had no time for more.
        if heading.as_bytes().starts_with(&bytes) && bytes.len() < heading.len() {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(failed)?;
            file.write_all(heading.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)?;
            whole = heading.len();
        } else if bytes.starts_with(heading.as_bytes()) {
            let blocks = &bytes[heading.len()..];
            let taken = read(blocks, workload, &mut finished).map_err(|(line, what)| {
                Error::input(format!(
                    "{}:{}: {what}; the file is corrupt, remove it to start again",
                    path.display(),
                    line + 1
                ))
            })?;
            whole = heading.len() + taken;
        } else {
            return Err(Error::input(format!(
                "{} belongs to a run with other paths, pairs, deltas or digits; repeat that run, or remove the file",
                path.display()
            )));
        }
        let end = u64::try_from(whole).unwrap_or(u64::MAX);
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(failed)?;
        Ok(Journal { path, file, finished })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lines of the pairs that are finished.
    pub fn finished(&self) -> &BTreeMap<(u32, u32), String> {
        &self.finished
    }

    /// Add the lines of a pair. When this returns they are on the disk.
    pub fn add(&mut self, pair: (u32, u32), lines: String) -> Result<(), Error> {
        let block = format!("{lines}# done {},{}\n", pair.0, pair.1);
        self.file
            .write_all(block.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Error::input(format!("cannot write {}: {error}", self.path.display())))?;
        self.finished.insert(pair, lines);
        Ok(())
    }

    /// Remove it, when its results stand elsewhere.
    pub fn remove(self) -> Result<(), Error> {
        std::fs::remove_file(&self.path)
            .map_err(|error| Error::input(format!("cannot remove {}: {error}", self.path.display())))
    }
}

/// Take in the whole blocks of these bytes; how many bytes they have. A fault knows its line, from 1.
fn read(
    bytes: &[u8],
    workload: &Workload,
    finished: &mut BTreeMap<(u32, u32), String>,
) -> Result<usize, (usize, String)> {
    let (mut whole, mut at, mut block) = (0, 0, 0);
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = index + 1;
        at += line.len();
        let Some(done) = line.strip_prefix(b"# done ").and_then(|rest| rest.strip_suffix(b"\n")) else { continue };
        let fault = |what: &str| Err((number, what.to_string()));
        let pair = std::str::from_utf8(done).ok().and_then(|text| crate::mechanism::pair_of_paths(text, ','));
        let Some(pair) = pair.filter(|pair| workload.pairs().binary_search(pair).is_ok()) else {
            return fault("this pair is not part of the run");
        };
        let Ok(lines) = std::str::from_utf8(&bytes[block..at - line.len()]) else { return fault("invalid UTF-8") };
        let expected = workload.levels().iter().map(|level| format!("{},{},{},", pair.0, pair.1, level.text));
        let same = lines.lines().count() == workload.levels().len()
            && lines.lines().zip(expected).all(|(line, start)| {
                line.starts_with(&start) && line.split(',').count() == super::results::COLUMNS.len()
            });
        if !same {
            return fault("the lines above do not belong to this pair");
        }
        if finished.insert(pair, lines.to_string()).is_some() {
            return fault("duplicate pair");
        }
        (whole, block) = (at, at);
    }
    Ok(whole)
}
