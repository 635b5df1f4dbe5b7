//! An audit by the stored questions and the audit's own suites.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::ProgressBar;

use super::super::super::args::{Audit, Part};
use super::super::super::failure::{Failure, Status};
use super::super::super::progress;
use super::super::{say, say_json, vectors};
use super::{own, stop, targets};
use crate::audit::gate::Gate;
use crate::audit::journal::{Journal, Record};
use crate::audit::judgement::{Judgement, Verdict};
use crate::audit::peer::Cache;
use crate::audit::process::Limits;
use crate::audit::question::Question;
use crate::audit::questions;
use crate::audit::report::{Course, Report, answers, finding, findings, gate_text, page, table};
use crate::audit::run::{End, Listener, Settings, heading, run as audit_all};
use crate::print::in_flags;
use crate::write::{check_writable, write_file};

/// Says what is going on, on standard error.
struct Talk {
    bar: ProgressBar,
}

impl Listener for Talk {
    fn begins(&self, wanted: usize, before: usize) {
        if before > 0 {
            eprintln!("dpcert: resuming; {before} of {wanted} answers are already judged");
        }
        self.bar.set_length(wanted as u64);
        self.bar.set_position(before as u64);
    }

    fn settled(&self, judgement: &Judgement) {
        self.bar.inc(1);
        if judgement.verdict != Verdict::Unsupported {
            self.bar.set_message(format!("{} {} {}", judgement.party.peer, judgement.party.api, judgement.id));
        }
    }

    fn finished(&self, course: &Course) {
        if let Some(why) = &course.gave_up {
            let party = &course.party;
            self.bar.suspend(|| eprintln!("dpcert: stopped auditing {} {}: {why}", party.peer, party.api));
        }
    }
}

/// `dpcert audit PEER...`, `dpcert audit --adapter CMD`.
pub fn run(audit: &Audit, gate: &Gate) -> Result<Status, Failure> {
    check_places(audit)?;
    let questions = chosen(audit)?;
    let cache = Cache::new(audit.cache.clone())?;
    let settings = settings(audit);
    let targets = targets::targets(audit, &cache)?;
    let heading = heading(&targets, &questions, &settings, environment());
    let path = audit.out.clone().unwrap_or_else(|| cache.journal(&heading.fingerprint));
    let mut journal = Journal::open(&path, &heading)?;
    let stop: Arc<AtomicBool> = stop::flag()?;
    let talk = Talk { bar: progress::bar(0, "audited") };
    let end = audit_all(targets, questions, settings, &mut journal, &stop, &talk);
    talk.bar.finish_and_clear();
    match end? {
        End::Stopped(judged) => {
            let place = path.display();
            let message =
                format!("interrupted; {judged} judgements are saved in {place}; run the same command to resume");
            Err(crate::error::Error::undecided(message).into())
        }
        End::Complete(report) => {
            let summary = report.summary();
            journal.add(&[Record::Summary(summary.clone())])?;
            show(audit, &report, gate)?;
            if audit.out.is_none() {
                journal.remove()?;
            }
            let status = status(&report, gate);
            match nothing_judged(&report, audit.ask.is_some()) {
                Some((why, failed)) if status == Status::Fine => {
                    eprintln!("dpcert: {why}");
                    Ok(if failed { Status::BadInput } else { Status::Fine })
                }
                _ => Ok(status),
            }
        }
    }
}

/// Can what an audit finds be written where it was asked to? Told before anything is asked.
pub fn check_places(audit: &Audit) -> Result<(), Failure> {
    if audit.out.is_some() && audit.out == audit.html {
        return Err(Failure::input("--out and --html name the same file"));
    }
    for path in [&audit.out, &audit.html].into_iter().flatten() {
        check_writable(path)?;
    }
    Ok(())
}

/// Exit status of an audit. An incomplete audit does not pass.
pub fn status(report: &Report, gate: &Gate) -> Status {
    if report.judgements.iter().any(|judgement| gate.fails(judgement)) {
        Status::Mismatch
    } else if report.courses.iter().any(|course| course.gave_up.is_some()) {
        Status::BadInput
    } else {
        Status::Fine
    }
}

/// For an audit without a judged claim: the reason, and whether answers failed. Unsupported queries alone are reported
/// only for stored queries, not for `--ask`.
fn nothing_judged(report: &Report, own: bool) -> Option<(String, bool)> {
    let count = |verdict| report.judgements.iter().filter(|judgement| judgement.verdict == verdict).count();
    let (failed, unsupported) = (count(Verdict::Failed), count(Verdict::Unsupported));
    let none = failed + unsupported == report.judgements.len() && (failed > 0 || (unsupported > 0 && !own));
    let why = format!("no claim could be judged: {failed} failed, {unsupported} not supported");
    none.then_some((why, failed > 0))
}

/// What the environment chooses of the settings that adapters have (`adapters/README.md`).
fn environment() -> Vec<String> {
    let chosen = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str().filter(|name| name.starts_with("DPCERT_SETTING_"))?;
        Some(format!("{name}={}", value.to_string_lossy()))
    });
    let mut chosen: Vec<String> = chosen.collect();
    chosen.sort();
    chosen
}

/// The limits that were typed.
pub fn settings(audit: &Audit) -> Settings {
    let limits = Limits {
        window: Limits::WINDOW,
        query: audit.time_limit,
        start: audit.start_time,
        hangs: Limits::HANGS,
        megabytes: u64::from(audit.memory),
        deaths: 0,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = audit.jobs.map_or(cores, |jobs| jobs as usize);
    Settings { limits, truth: audit.timeout, jobs, words: in_flags }
}

/// The questions that were chosen.
fn chosen(audit: &Audit) -> Result<Vec<Question>, Failure> {
    match &audit.ask {
        Some(expression) => own::questions(audit, expression),
        None => chosen_of(audit, questions::all(&vectors::load(audit.data.clone())?)?),
    }
}

/// Those of the questions that --only and --every leave.
pub fn chosen_of(audit: &Audit, all: Vec<Question>) -> Result<Vec<Question>, Failure> {
    let mut chosen: Vec<Question> = all
        .into_iter()
        .filter(|question| audit.only.is_empty() || audit.only.iter().any(|only| question.id.contains(only)))
        .collect();
    if chosen.is_empty() {
        let only: Vec<String> = audit.only.iter().map(|only| crate::table::quoted(only)).collect();
        return Err(Failure::input(format!("no query id contains `{}`", only.join("` or `"))));
    }
    let every = audit.every as usize;
    let mut place = 0;
    chosen.retain(|_| {
        place += 1;
        (place - 1) % every == 0
    });
    Ok(match audit.part {
        Some(part) => part_of(part, chosen),
        None => chosen,
    })
}

/// One of several parts of about equal size; it may be empty. Queries of one composition stay together, because
/// programs cache compositions.
fn part_of(part: Part, questions: Vec<Question>) -> Vec<Question> {
    let mut rows: HashMap<String, usize> = HashMap::new();
    for question in &questions {
        *rows.entry(question.expression()).or_default() += 1;
    }
    // A row is in the part in which its first question would be, all rows one after the other.
    let (all, mut before) = (questions.len().max(1) as u64, 0_u64);
    let mut places: HashMap<String, u64> = HashMap::new();
    let mut kept = Vec::new();
    for question in questions {
        let row = question.expression();
        let place = *places.entry(row).or_insert_with_key(|row| {
            let place = before * u64::from(part.of) / all;
            before += rows.get(row).copied().unwrap_or(0) as u64;
            place
        });
        if place + 1 == u64::from(part.number) {
            kept.push(question);
        }
    }
    kept
}

/// The report, as it was asked for.
pub fn show(audit: &Audit, report: &Report, gate: &Gate) -> Result<(), Failure> {
    let summary = report.summary();
    if audit.json {
        for judgement in &report.judgements {
            say_json(&Record::Judgement(Box::new(judgement.clone())))?;
        }
        for course in &report.courses {
            say_json(&Record::Course(course.clone()))?;
        }
        say_json(&Record::Summary(summary))?;
    } else {
        let (head, whole) = match &audit.ask {
            None => (table(&summary), findings(report, audit.worst as usize, gate)),
            // A single query to a single program is shown in full.
            Some(_) if report.judgements.len() <= 1 => {
                (answers(report), report.judgements.iter().map(finding).collect())
            }
            Some(_) => (answers(report), findings(report, audit.worst as usize, gate)),
        };
        let parts = [head, gate_text(report, gate).unwrap_or_default(), whole];
        for part in parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()) {
            say(part)?;
        }
    }
    if let Some(path) = &audit.html {
        write_page(path, report)?;
    }
    Ok(())
}

fn write_page(path: &Path, report: &Report) -> Result<(), Failure> {
    Ok(write_file(path, page(report)?.as_bytes())?)
}
