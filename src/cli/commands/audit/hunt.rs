//! `audit --hunt`: random questions, and the simplest that fail.

use std::time::Duration;

use indicatif::ProgressBar;

use super::super::super::args::Audit;
use super::super::super::failure::{Failure, Status};
use super::super::super::progress;
use super::super::{say, say_json};
use super::{stop, stored, targets};
use crate::audit::hunt::{Catch, Listener, Plan, hunt, unsound};
use crate::audit::journal::Record;
use crate::audit::peer::Cache;
use crate::audit::report::{Report, finding, page, table};
use crate::audit::run::Target;
use crate::audit::truth::Oracle;
use crate::write::{check_writable, write_file};

struct Talk {
    bar: ProgressBar,
}

impl Listener for Talk {
    fn hunts(&self, target: &Target) {
        self.bar.set_prefix(format!("{} {}", target.party.peer, target.party.api));
    }

    fn asked(&self, doing: &str, questions: usize, failures: usize) {
        self.bar.set_message(format!("{doing}; {questions} questions, {failures} kinds of failures"));
        self.bar.tick();
    }
}

/// `dpcert audit PEER --hunt TIME`.
pub fn run(audit: &Audit, time: Duration) -> Result<Status, Failure> {
    if let Some(out) = audit.out.as_deref().filter(|out| out.exists()) {
        let message = format!("{} exists already, and a hunt begins a file of its own", out.display());
        return Err(Failure::input(message));
    }
    for path in [&audit.out, &audit.html].into_iter().flatten() {
        check_writable(path)?;
    }
    let cache = Cache::new(audit.cache.clone())?;
    let targets = targets::targets(audit, &cache)?;
    let settings = stored::settings(audit);
    let share = time / u32::try_from(targets.len().max(1)).unwrap_or(u32::MAX);
    let plan = Plan { time: share, seed: audit.seed, settings };
    let oracle = Oracle::new(settings.truth);
    let stop = stop::flag()?;
    let talk = Talk { bar: progress::spinner() };
    let mut catches: Vec<Catch> = Vec::new();
    for target in &targets {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        catches.push(hunt(target, &plan, &oracle, &stop, &talk));
    }
    talk.bar.finish_and_clear();
    show(audit, catches)
}

fn show(audit: &Audit, catches: Vec<Catch>) -> Result<Status, Failure> {
    let found = unsound(&catches);
    let mut report = Report::new();
    let mut simplest = Vec::new();
    for catch in catches {
        report.courses.push(catch.course);
        report.judgements.extend(catch.judgements);
        simplest.extend(catch.simplest);
    }
    let summary = report.summary();
    if audit.json {
        for judgement in report.judgements.iter().chain(&simplest) {
            say_json(&Record::Judgement(Box::new(judgement.clone())))?;
        }
        for course in &report.courses {
            say_json(&Record::Course(course.clone()))?;
        }
        say_json(&Record::Summary(summary.clone()))?;
    } else {
        say(table(&summary).trim_end())?;
        for judgement in &simplest {
            say(finding(judgement).trim_end())?;
        }
    }
    report.judgements.extend(simplest);
    if let Some(path) = &audit.out {
        let mut lines = String::new();
        for judgement in &report.judgements {
            let record = Record::Judgement(Box::new(judgement.clone()));
            lines += &serde_json::to_string(&record).map_err(|error| Failure::input(error.to_string()))?;
            lines.push('\n');
        }
        write_file(path, lines.as_bytes())?;
    }
    if let Some(path) = &audit.html {
        write_file(path, page(&report)?.as_bytes())?;
    }
    Ok(if found > 0 { Status::Mismatch } else { stored::status(&summary) })
}
