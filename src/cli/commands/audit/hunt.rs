//! `audit --hunt`: random questions, and the simplest that fail.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::super::super::args::Audit;
use super::super::super::failure::{Failure, Status};
use super::super::super::progress;
use super::super::{say, say_json};
use super::{stop, stored, targets};
use crate::audit::gate::Gate;
use crate::audit::hunt::{Catch, Example, Listener, Plan, hunt};
use crate::audit::journal::{Findings, Record};
use crate::audit::judgement::Judgement;
use crate::audit::peer::Cache;
use crate::audit::report::{Report, finding, gate_text, page, table};
use crate::audit::run::Target;
use crate::audit::truth::Oracle;
use crate::error::Error;
use crate::write::write_file;

struct Talk {
    bar: ProgressBar,
    /// Whom it hunts, and when that was last said where no bar is shown.
    said: Mutex<(String, Option<Instant>)>,
    /// The file of findings, and the first error while writing it, which ends the search.
    kept: Mutex<Option<Findings>>,
    failed: Mutex<Option<Error>>,
    stop: Arc<AtomicBool>,
}

/// How often a line is written where no bar is shown.
const NEWS: Duration = Duration::from_secs(15);

impl Listener for Talk {
    fn hunts(&self, target: &Target) {
        let name = format!("{} {}", target.party.peer, target.party.api);
        self.bar.set_prefix(name.clone());
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = (name, None);
    }

    fn asked(&self, doing: &str, questions: usize, failures: usize) {
        let news = format!("{doing}; queries: {questions}, kinds of failures: {failures}");
        if self.bar.is_hidden() {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            if said.1.is_none_or(|last| last.elapsed() >= NEWS) {
                eprintln!("dpcert: {}: {news}", said.0);
                said.1 = Some(Instant::now());
            }
        }
        self.bar.set_message(news);
        self.bar.tick();
    }

    fn says(&self, what: &str) {
        self.bar.suspend(|| eprintln!("dpcert: {what}"));
    }

    fn found(&self, judgements: &[Judgement]) {
        let records: Vec<Record> =
            judgements.iter().map(|judgement| Record::Judgement(Box::new(judgement.clone()))).collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = kept.as_mut().map(|kept| kept.add(&records)) {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// `dpcert audit PEER --hunt TIME`.
pub fn run(audit: &Audit, time: Duration, gate: &Gate) -> Result<Status, Failure> {
    audit.out.as_deref().map_or(Ok(()), Findings::check)?;
    stored::check_places(audit)?;
    let cache = Cache::new(audit.cache.clone())?;
    let targets = targets::targets(audit, &cache)?;
    let kept = audit.out.as_deref().map(Findings::begin).transpose()?;
    let settings = stored::settings(audit);
    let share = time / u32::try_from(targets.len().max(1)).unwrap_or(u32::MAX);
    let plan = Plan { time: share, seed: audit.seed, settings };
    let oracle = Oracle::new(settings.truth).in_words(settings.words);
    let stop = stop::flag()?;
    let talk = Talk {
        bar: progress::spinner(),
        said: Mutex::default(),
        kept: Mutex::new(kept),
        failed: Mutex::default(),
        stop: Arc::clone(&stop),
    };
    let mut catches: Vec<Catch> = Vec::new();
    for target in &targets {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        catches.push(hunt(target, &plan, &oracle, &stop, &talk));
    }
    talk.bar.finish_and_clear();
    let status = show(audit, catches, gate)?;
    if let Some(alarm) = oracle.alarm() {
        return Err(alarm.into());
    }
    if let Some(error) = talk.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    if stop.load(Ordering::Relaxed) {
        let place = audit.out.as_ref().map(|out| format!(", and saved in {}", out.display())).unwrap_or_default();
        return Err(Error::undecided(format!("interrupted; findings so far are shown{place}")).into());
    }
    Ok(status)
}

fn show(audit: &Audit, catches: Vec<Catch>, gate: &Gate) -> Result<Status, Failure> {
    let mut report = Report::new();
    let mut examples: Vec<Example> = Vec::new();
    for catch in catches {
        report.courses.push(catch.course);
        report.judgements.extend(catch.judgements);
        examples.extend(catch.examples);
    }
    let summary = report.summary();
    if audit.json {
        for judgement in report.judgements.iter().chain(examples.iter().map(|example| &example.simplest)) {
            say_json(&Record::Judgement(Box::new(judgement.clone())))?;
        }
        for course in &report.courses {
            say_json(&Record::Course(course.clone()))?;
        }
        say_json(&Record::Summary(summary.clone()))?;
    } else {
        say(table(&summary).trim_end())?;
        if let Some(line) = gate_text(&report, gate) {
            say(&line)?;
        }
        for Example { simplest, worst } in &examples {
            say(finding(simplest).trim_end())?;
            // The simplest case is rarely the worst; both help to fix the error.
            if let Some(worst) = worst {
                say(&format!("\nworst case of this kind:{}", finding(worst).trim_end()))?;
            }
        }
    }
    report.judgements.extend(examples.into_iter().map(|example| example.simplest));
    if let Some(path) = &audit.html {
        write_file(path, page(&report)?.as_bytes())?;
    }
    Ok(stored::status(&report, gate))
}
