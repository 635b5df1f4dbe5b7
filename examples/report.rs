//! Write the HTML report of an audit from saved judgements: the JSON lines of `dpcert audit --json` or `--out`.
//!
//! `cargo run --release --example report -- judgements.jsonl report.html`

use std::path::Path;

use dpcert::internals::Record;
use dpcert::internals::{Report, page};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [judgements, html] = arguments.as_slice() else {
        return Err("usage: report JUDGEMENTS.jsonl REPORT.html".into());
    };
    let mut report = Report::new();
    // Skip a last line without a newline: the audit was interrupted while it wrote that line.
    for line in std::fs::read_to_string(judgements)?.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        match serde_json::from_str(line)? {
            Record::Judgement(judgement) => report.judgements.push(*judgement),
            Record::Course(course) => report.courses.push(course),
            Record::Audit(_) | Record::Summary(_) => {}
        }
    }
    std::fs::write(Path::new(html), page(&report)?)?;
    Ok(())
}
