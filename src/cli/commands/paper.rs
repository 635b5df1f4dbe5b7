//! `paper`: tables and figures of papers, computed again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::args::{Paper, PaperFormat};
use super::super::card::Card;
use super::super::failure::{Failure, Status};
use super::super::progress;
use super::{say, theorem};
use crate::error::Error;
use crate::paper::{self, Folder, Item, Library, Report};

/// `dpcert paper`.
pub fn run(plan: &Paper) -> Result<Status, Failure> {
    let library = match &plan.data {
        Some(path) => Library::folder(path)?,
        None => Library::embedded()?,
    };
    if plan.what == "list" {
        return list(&library, plan.format);
    }
    let mut items = match library.chosen(&plan.what) {
        Ok(items) => items,
        // A statement is no table: its card names the commands that answer it.
        Err(error) => match Card::find(&plan.what)? {
            Some(card) if plan.out.is_none() && matches!(plan.format, PaperFormat::Text | PaperFormat::Json) => {
                theorem::show(&card, plan.format == PaperFormat::Json)?;
                return Ok(Status::Fine);
            }
            _ => return Err(error.into()),
        },
    };
    if plan.quick {
        items.retain(|item| !item.data.slow);
    }
    match &plan.out {
        None => {
            if let Some(lacking) = items.iter().find_map(|item| lacks(item, plan.format)) {
                return Err(Failure::input(lacking));
            }
            items.into_iter().try_for_each(|item| print(item, plan.format))?;
        }
        Some(out) => {
            let folder = Folder::new(out);
            folder.check()?;
            let reports = write(&items, &folder, plan)?;
            // A summary of some would say that there are no others.
            if plan.what == "all" && !plan.quick {
                folder.summarize(&reports)?;
            }
        }
    }
    Ok(Status::Fine)
}

fn list(library: &Library, format: PaperFormat) -> Result<Status, Failure> {
    let widest = library.items.iter().map(|item| item.id.len()).max().unwrap_or(0);
    for Item { id, data, .. } in &library.items {
        if format == PaperFormat::Json {
            let (title, source, slow) = (&data.title, &data.source, data.slow);
            say(&serde_json::json!({ "id": id, "title": title, "source": source, "slow": slow }).to_string())?;
        } else {
            say(&format!("{id:widest$}  {}", data.title))?;
        }
    }
    Ok(Status::Fine)
}

/// What an item has not that is asked of it.
fn lacks(item: &Item, format: PaperFormat) -> Option<String> {
    let (id, data) = (&item.id, &item.data);
    let (picture, table) = (data.figure.is_some(), data.table.is_some());
    match format {
        PaperFormat::Svg if !picture && table => Some(format!("{id} is a table and has no picture")),
        PaperFormat::Svg if !picture => Some(format!("{id} is not reproducible and has no picture")),
        PaperFormat::Latex | PaperFormat::Csv if !table && picture => {
            Some(format!("{id} is a picture and has no table"))
        }
        PaperFormat::Latex | PaperFormat::Csv if !table => Some(format!("{id} is not reproducible and has no table")),
        _ => None,
    }
}

fn print(item: &Item, format: PaperFormat) -> Result<(), Failure> {
    let bar = progress::bar(paper::size(item), &item.id);
    let evaluated = paper::evaluate(item, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let report = &evaluated.report;
    let text = match format {
        PaperFormat::Text => paper::text(report),
        PaperFormat::Markdown => paper::markdown(report),
        PaperFormat::Latex => paper::latex(report),
        PaperFormat::Csv => paper::csv(report),
        PaperFormat::Json => serde_json::to_string(report).map_err(|error| Failure::input(error.to_string()))?,
        PaperFormat::Svg => match &evaluated.chart {
            Some(chart) => chart.svg().map_err(|error| Failure::input(error.to_string()))?,
            None => return Err(Failure::input(format!("{} is a table and has no picture", item.id))),
        },
    };
    say(text.trim_end())
}

/// The reports of these items, in order, with their files written as each is finished.
fn write(items: &[&Item], folder: &Folder, plan: &Paper) -> Result<Vec<Report>, Failure> {
    let bar = progress::bar(items.iter().map(|item| paper::size(item)).sum(), "papers");
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<(usize, Result<Report, Error>)>> = Mutex::new(Vec::new());
    // Each item by one thread: what it asks waits for computations that have a limit of time.
    let work = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
            && !failed.load(Ordering::Relaxed)
        {
            bar.set_message(item.id.clone());
            let report = match folder.finished(item).filter(|_| !plan.again) {
                Some(report) => {
                    bar.inc(paper::size(item));
                    Ok(report)
                }
                None => paper::evaluate(item, &|| bar.inc(1)).and_then(|evaluated| {
                    folder.write(&evaluated)?;
                    Ok(evaluated.report)
                }),
            };
            failed.fetch_or(report.is_err(), Ordering::Relaxed);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, report));
        }
    };
    let threads =
        plan.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |threads| threads as usize);
    thread::scope(|scope| (0..threads.min(items.len())).for_each(|_| drop(scope.spawn(work))));
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, report)| report).collect::<Result<_, _>>()?)
}
