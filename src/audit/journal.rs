//! Journal of judgements, one per line, from which an interrupted audit resumes.
//!
//! The first line identifies the audit: its queries, programs and limits. Each line after it is one
//! [`Record`]. An audit may be cut off in the middle of a line; an incomplete last line is removed when the journal is
//! opened again. A journal of another audit is refused, never overwritten. When the audit is complete its last line is
//! the summary.
//!
//! A hunt cannot be resumed. Its [`Findings`] are records, each written when it is found, so they survive an abrupt
//! end.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use super::judgement::Judgement;
use super::report::{Course, Summary};
use crate::error::Error;

/// One line of a journal, and of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Record {
    /// Which audit it is.
    Audit(Heading),
    /// One claim, judged.
    Judgement(Box<Judgement>),
    /// An API was asked everything.
    Course(Course),
    /// All counts.
    Summary(Summary),
}

/// What makes two audits the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The version of `dpcert`.
    pub dpcert: String,
    /// Who is asked.
    pub targets: Vec<String>,
    /// How many questions.
    pub questions: usize,
    /// All questions and limits, hashed.
    pub fingerprint: String,
}

/// The journal of one audit.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    judgements: Vec<Judgement>,
    courses: Vec<Course>,
}

impl Journal {
    /// Open the journal of this audit, or begin it.
    pub fn open(path: &Path, heading: &Heading) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::input(format!("cannot write {}: {error}", path.display()));
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        // Anything else may never end, or takes no second look.
        if path.exists() && !path.is_file() {
            return Err(Error::input(format!("{} is not a regular file; give --out a file", path.display())));
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        // Two audits that write to one file would lose both.
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            Error::input(format!("{} is in use by another audit; give another file with --out", path.display()))
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let first = line_of(&Record::Audit(heading.clone()))?;
        let mut journal = Journal { path: path.to_path_buf(), file, judgements: Vec::new(), courses: Vec::new() };
        let whole = if first.as_bytes().starts_with(&bytes) {
            // Nothing, or a heading cut short.
            journal.file.set_len(0).and_then(|()| journal.file.seek(SeekFrom::Start(0))).map_err(failed)?;
            journal.file.write_all(first.as_bytes()).map_err(failed)?;
            first.len()
        } else if bytes.starts_with(first.as_bytes()) {
            first.len() + journal.read(&bytes[first.len()..])?
        } else {
            return Err(Error::input(format!(
                "{} is the journal of another audit (other queries, packages, limits or version, or the audited \
                 program has changed); repeat that audit, give another file, or remove this one",
                path.display()
            )));
        };
        let end = u64::try_from(whole).unwrap_or(u64::MAX);
        journal.file.set_len(end).and_then(|()| journal.file.seek(SeekFrom::Start(end))).map_err(failed)?;
        Ok(journal)
    }

    /// Take in the whole lines; how many bytes are kept.
    fn read(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let mut whole = 0;
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            if !line.ends_with(b"\n") {
                break;
            }
            match serde_json::from_slice(line) {
                Ok(Record::Judgement(judgement)) => self.judgements.push(*judgement),
                Ok(Record::Course(course)) => self.courses.push(course),
                // The summary is made again.
                Ok(Record::Summary(_)) => break,
                Ok(Record::Audit(_)) | Err(_) => {
                    return Err(Error::input(format!(
                        "{}:{}: corrupt line; remove the file to start again",
                        self.path.display(),
                        index + 2
                    )));
                }
            }
            whole += line.len();
        }
        Ok(whole)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The judgements read from the journal.
    pub fn judgements(&self) -> &[Judgement] {
        &self.judgements
    }

    /// The APIs that were asked everything before. One that was given up was not, and is asked again.
    pub fn courses(&self) -> impl Iterator<Item = &Course> {
        self.courses.iter().filter(|course| course.gave_up.is_none())
    }

    /// The questions that an API has answered before.
    pub fn answered(&self, is_it: impl Fn(&Judgement) -> bool) -> HashSet<String> {
        self.judgements.iter().filter(|judgement| is_it(judgement)).map(|judgement| judgement.id.clone()).collect()
    }

    /// Add some lines in one write: an interruption leaves all of them, or a part that is cut off.
    pub fn add(&mut self, records: &[Record]) -> Result<(), Error> {
        add(&self.path, &mut self.file, records)
    }

    /// Remove it.
    pub fn remove(self) -> Result<(), Error> {
        std::fs::remove_file(&self.path)
            .map_err(|error| Error::input(format!("cannot remove {}: {error}", self.path.display())))
    }
}

/// What a hunt finds, written as it is found.
#[derive(Debug)]
pub struct Findings {
    path: PathBuf,
    file: File,
    /// When it was last made sure that the lines are on the disk.
    safe: Instant,
}

impl Findings {
    /// How much of what was found a power cut may take along.
    const UNSAFE: Duration = Duration::from_secs(1);

    /// Can a file be begun? One that is there already is refused.
    pub fn check(path: &Path) -> Result<(), Error> {
        if path.exists() {
            let message = format!("{} already exists; --hunt needs a new file for --out", path.display());
            return Err(Error::input(message));
        }
        Ok(())
    }

    /// Begin a file.
    pub fn begin(path: &Path) -> Result<Self, Error> {
        Self::check(path)?;
        let failed = |error: std::io::Error| Error::input(format!("cannot write {}: {error}", path.display()));
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
        Ok(Findings { path: path.to_path_buf(), file, safe: Instant::now() })
    }

    /// Add some lines in one write.
    pub fn add(&mut self, records: &[Record]) -> Result<(), Error> {
        add(&self.path, &mut self.file, records)?;
        if self.safe.elapsed() >= Self::UNSAFE {
            // Not every file system can.
            let _ = self.file.sync_data();
            self.safe = Instant::now();
        }
        Ok(())
    }
}

/// Add some lines in one write.
fn add(path: &Path, file: &mut File, records: &[Record]) -> Result<(), Error> {
    let lines = records.iter().map(line_of).collect::<Result<String, _>>()?;
    let written = file.write_all(lines.as_bytes());
    written.map_err(|error| Error::input(format!("cannot write {}: {error}", path.display())))
}

/// The records of a text that an audit has written (`--out`, `--json`), in order. A last line without an end was cut
/// off, and is passed over.
///
/// # Errors
/// [`Error::Input`] if there are lines of another kind.
pub fn records(path: &Path, text: &str) -> Result<Vec<Record>, Error> {
    let mut all = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str(line) {
            Ok(record) => all.push(record),
            Err(_) if !line.ends_with('\n') => {}
            Err(error) => {
                let (shown, place) = (path.display(), index + 1);
                return Err(Error::input(format!(
                    "{shown}:{place}: not a line written by `dpcert audit --out`: {error}"
                )));
            }
        }
    }
    Ok(all)
}

/// A record with the end of its line.
fn line_of(record: &Record) -> Result<String, Error> {
    let line = serde_json::to_string(record).map_err(|error| Error::input(error.to_string()))?;
    Ok(line + "\n")
}
