//! `vectors`: list, generate, verify, lint.

use std::path::{Path, PathBuf};

use dpcert_vectors::{Case, Finding, VectorFile, VectorSet, embedded, lint_dir, lint_str, load_dir};
use rayon::prelude::*;
use serde::Serialize;

use super::super::args::VectorsCommand;
use super::super::failure::{Failure, Status};
use super::super::progress;
use super::{say, say_json};
use crate::print::in_flags;
use crate::vector::brackets::{self, Brackets, Proven};
use crate::vector::sessions::Sessions;
use crate::vector::verify;
#[cfg(feature = "generate")]
use crate::vector::{generate, suite};

/// `dpcert vectors`.
pub fn run(command: VectorsCommand) -> Result<Status, Failure> {
    match command {
        VectorsCommand::List { data, json } => list(data, json),
        VectorsCommand::Generate { out, only } => generate_all(&out, &only.unwrap_or_default()),
        VectorsCommand::Verify { data, only, grid: false } => verify_all(data, &only.unwrap_or_default()),
        VectorsCommand::Verify { data, only, grid: true } => verify_on_grids(data, &only.unwrap_or_default()),
        VectorsCommand::Lint { paths } => lint(&paths),
    }
}

/// The vectors in a folder; without one those inside of this program.
pub fn load(data: Option<PathBuf>) -> Result<VectorSet, Failure> {
    let Some(folder) = data else { return embedded().map_err(|error| Failure::input(error.to_string())) };
    if !folder.is_dir() {
        return Err(Failure::input(format!(
            "{} is not a folder; give --data a folder of vector files",
            folder.display()
        )));
    }
    let set = load_dir(&folder).map_err(|error| Failure::input(error.to_string()))?;
    if set.files.is_empty() {
        return Err(Failure::input(format!("{} contains no vector files", folder.display())));
    }
    Ok(set)
}

#[derive(Serialize)]
struct ListLine<'a> {
    file: &'a str,
    quantity: dpcert_vectors::Quantity,
    cases: usize,
    title: &'a str,
}

fn list(data: Option<PathBuf>, json: bool) -> Result<Status, Failure> {
    let set = load(data)?;
    let mut total = 0;
    for (name, file) in &set.files {
        total += file.cases.len();
        if json {
            say_json(&ListLine { file: name, quantity: file.quantity, cases: file.cases.len(), title: &file.title })?;
        } else {
            say(&format!("{:5}  {name:34} {}", file.cases.len(), file.title))?;
        }
    }
    if !json {
        say(&format!("{total:5}  cases in total, files: {}", set.files.len()))?;
    }
    Ok(Status::Fine)
}

/// Golden values rest on second routes.
#[cfg(not(feature = "generate"))]
fn generate_all(_out: &Path, _only: &str) -> Result<Status, Failure> {
    Err(Failure::input(
        "this build cannot generate vectors: it lacks the independent computations that confirm them; rebuild with \
        `cargo install --path . --locked --features generate`",
    ))
}

#[cfg(feature = "generate")]
fn generate_all(out: &Path, only: &str) -> Result<Status, Failure> {
    let suites = suite::all();
    let total: usize = suites.iter().filter(|suite| suite.name().contains(only)).map(|suite| suite.cases.len()).sum();
    let bar = progress::bar(total as u64, "vectors");
    let files = generate::generate(&suites, only, &|done| bar.inc(done));
    bar.finish_and_clear();
    let files = files?;
    generate::write(out, &files)?;
    say(&format!(
        "vectors: {total}, files: {}, each vector confirmed by an independent computation, written to {}",
        files.len(),
        out.display()
    ))?;
    Ok(Status::Fine)
}

fn verify_all(data: Option<PathBuf>, only: &str) -> Result<Status, Failure> {
    let set = load(data)?;
    let work = chosen(&set, only)?;
    let sessions = Sessions::default();
    let found = of_each(&work, "verified", |(name, file, case)| {
        let fault = verify::recompute(file, case, &sessions).unwrap_or_else(|error| Some(in_flags(&error)));
        fault.map(|what| format!("{name}: {}: {what}", case.id))
    });
    let faults: Vec<String> = found.into_iter().flatten().collect();
    for fault in &faults {
        say(fault)?;
    }
    say(&format!("{} of {} vectors verified", work.len() - faults.len(), work.len()))?;
    Ok(if faults.is_empty() { Status::Fine } else { Status::Mismatch })
}

/// A case, with its file and the file's name.
type Placed<'a> = (&'a String, &'a VectorFile, &'a Case);

/// Applies a function to all cases, in order, on all processors, with a progress bar.
fn of_each<T: Send>(work: &[Placed], done: &'static str, find: impl Fn(&Placed) -> T + Sync) -> Vec<T> {
    let bar = progress::bar(work.len() as u64, done);
    let one = |case: &Placed| {
        let found = find(case);
        bar.inc(1);
        found
    };
    let found = work.par_iter().with_max_len(1).map(one).collect();
    bar.finish_and_clear();
    found
}

/// The cases of the files whose name contains a text.
fn chosen<'a>(set: &'a VectorSet, only: &str) -> Result<Vec<Placed<'a>>, Failure> {
    let files = set.files.iter().filter(|(name, _)| name.contains(only));
    let work: Vec<_> = files.flat_map(|(name, file)| file.cases.iter().map(move |case| (name, file, case))).collect();
    if work.is_empty() {
        return Err(Failure::input(format!("no vector file name contains `{only}`")));
    }
    Ok(work)
}

fn verify_on_grids(data: Option<PathBuf>, only: &str) -> Result<Status, Failure> {
    let set = load(data)?;
    let mut work = chosen(&set, only)?;
    work.retain(|(_, _, case)| brackets::by_contours_alone(case));
    let grids = Brackets::default();
    let found = of_each(&work, "compared", |(name, file, case)| {
        grids.check(file, case).map_err(|error| format!("{name}: {}: {}", case.id, in_flags(&error)))
    });
    let mut faults = 0;
    for fault in found.iter().filter_map(|found| found.as_ref().err()) {
        faults += 1;
        say(fault)?;
    }
    let count = |what: Proven| found.iter().filter(|found| **found == Ok(what)).count();
    say(&format!(
        "{} vectors are confirmed by contour integrals alone; a grid computation proves at least one digit of {}, \
         less of {}, nothing of {}; {faults} disagree",
        work.len(),
        count(Proven::Digits),
        count(Proven::Little),
        count(Proven::Nothing),
    ))?;
    Ok(if faults == 0 { Status::Fine } else { Status::Mismatch })
}

fn lint(paths: &[PathBuf]) -> Result<Status, Failure> {
    let mut findings: Vec<Finding> = Vec::new();
    for path in paths {
        let more = if path.is_dir() {
            lint_dir(path)
        } else {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text = std::fs::read_to_string(path).map_err(|error| Failure::Io(path.display().to_string(), error))?;
            lint_str(&name, &text)
        };
        findings.extend(more.map_err(|error| Failure::input(error.to_string()))?);
    }
    for finding in &findings {
        say(&finding.to_string())?;
    }
    say(&format!("{} finding{}", findings.len(), if findings.len() == 1 { "" } else { "s" }))?;
    // A file with findings is bad input.
    Ok(if findings.is_empty() { Status::Fine } else { Status::BadInput })
}
