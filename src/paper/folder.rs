//! A folder of results. Results of the same data and version are kept.

use std::fs;
use std::path::{Path, PathBuf};

use super::evaluate::{Evaluated, Report};
use super::judge::{Difference, Verdict};
use super::latex::latex;
use super::library::Item;
use super::render;
use super::sample::DIGITS;
use crate::error::Error;
use crate::picture::Undrawn;
use crate::read::shown;
use crate::write::{check_writable, write_file};

/// Where results go.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// This one.
    pub fn new(path: &Path) -> Self {
        Folder { path: path.to_path_buf() }
    }

    /// Can files be written here? Asked before long work.
    ///
    /// # Errors
    /// [`Error::Input`] if not.
    pub fn check(&self) -> Result<(), Error> {
        if self.path.is_file() {
            let path = shown(&self.path.to_string_lossy());
            return Err(Error::input(format!("cannot write into '{path}': it is a file, not a folder")));
        }
        check_writable(&self.path.join("README.md"))
    }

    fn file(&self, id: &str, ending: &str) -> PathBuf {
        self.path.join(format!("{id}.{ending}"))
    }

    /// The report of an item that is finished here: the last file that is written, of the same data and version, and
    /// all others there.
    pub fn finished(&self, item: &Item) -> Option<Report> {
        let text = fs::read_to_string(self.file(&item.id, "json")).ok()?;
        let report: Report = serde_json::from_str(&text).ok()?;
        let same = report.fingerprint == item.fingerprint && report.id == item.id;
        let all = endings(&report).iter().all(|ending| self.file(&item.id, ending).is_file());
        (same && all).then_some(report)
    }

    /// The files of an item.
    pub fn write(&self, evaluated: &Evaluated) -> Result<(), Error> {
        for (ending, bytes) in files(evaluated)? {
            write_file(&self.file(&evaluated.report.id, ending), &bytes)?;
        }
        Ok(())
    }

    /// The summary of all.
    pub fn summarize(&self, reports: &[Report]) -> Result<(), Error> {
        write_file(&self.path.join("README.md"), summary(reports).as_bytes())
    }
}

fn endings(report: &Report) -> Vec<&'static str> {
    let mut endings = vec!["md"];
    if report.figure {
        endings.extend(["svg", "pdf", "curves.csv"]);
    }
    if !report.lines.is_empty() {
        endings.extend(["tex", "csv"]);
    }
    endings
}

/// The files of an item, by their endings; the report last, for it says that all others are there.
pub fn files(evaluated: &Evaluated) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let report = &evaluated.report;
    let drawn = |error: Undrawn| Error::input(format!("{}: {error}", report.id));
    let mut files = Vec::new();
    for ending in endings(report) {
        let bytes = match (ending, &evaluated.chart) {
            ("svg", Some(chart)) => chart.svg().map_err(drawn)?.into_bytes(),
            ("pdf", Some(chart)) => chart.pdf().map_err(drawn)?,
            ("curves.csv", _) => render::curves(&evaluated.curves, DIGITS).into_bytes(),
            ("tex", _) => latex(report).into_bytes(),
            ("csv", _) => render::csv(report).into_bytes(),
            _ => render::markdown(report).into_bytes(),
        };
        files.push((ending, bytes));
    }
    let json = serde_json::to_string_pretty(report).map_err(|error| Error::input(error.to_string()))?;
    files.push(("json", (json + "\n").into_bytes()));
    Ok(files)
}

/// Text above the list.
const HEAD: &str = include_str!("summary.md");

/// Counts of verdicts.
#[derive(Default)]
struct Count {
    right: usize,
    short: usize,
    safe: usize,
    unsafe_: usize,
    neither: usize,
    untold: usize,
}

impl Count {
    fn of(report: &Report) -> Self {
        let mut count = Count { untold: usize::from(report.not_reproducible.is_some()), ..Count::default() };
        for cell in report.lines.iter().flat_map(|row| &row.cells).filter(|cell| cell.printed.is_some()) {
            match &cell.verdict {
                Some(Verdict::Right) => count.right += 1,
                Some(Verdict::RightUnsafe) => count.short += 1,
                Some(Verdict::Wrong(Difference { safe: Some(true), .. })) => count.safe += 1,
                Some(Verdict::Wrong(Difference { safe: Some(false), .. })) => count.unsafe_ += 1,
                Some(Verdict::Wrong(_)) => count.neither += 1,
                None => count.untold += 1,
            }
        }
        count
    }

    fn cells(&self) -> [usize; 6] {
        [self.right, self.short, self.safe, self.unsafe_, self.neither, self.untold]
    }
}

/// All items, their agreements and their disagreements.
pub fn summary(reports: &[Report]) -> String {
    let mut out = HEAD.to_string();
    out += "\n| item | shows | right | right, rounded to the unsafe side ";
    out += "| valid bound, not tight | wrong, not safe | wrong, not a bound | not reproducible |\n";
    out += "|---|---|---:|---:|---:|---:|---:|---:|\n";
    let mut total = [0; 6];
    for report in reports {
        let counts = Count::of(report).cells();
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        let counts = counts.map(|count| if count == 0 { String::new() } else { count.to_string() });
        out += &format!("| [{}]({}.md) | {} | {} |\n", report.id, report.id, report.title, counts.join(" | "));
    }
    out += &format!("| **all** | | {} |\n", total.map(|count| format!("**{count}**")).join(" | "));
    out += "\n## Differences and remarks\n";
    for report in reports {
        let findings = render::findings(report);
        if findings.is_empty() {
            continue;
        }
        out += &format!("\n### [{}]({}.md): {}\n\n", report.id, report.id, report.title);
        for finding in findings {
            out += &format!("* {finding}\n");
        }
    }
    out
}
