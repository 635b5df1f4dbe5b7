//! `floats`: the plain f64 implementations of this crate, judged by the vectors.

use std::path::PathBuf;

use dpcert_vectors::Truth;
use rayon::prelude::*;
use serde::Serialize;

use super::super::args::FormName;
use super::super::failure::{Failure, Status};
use super::super::progress;
use super::{say, say_json, vectors};
use crate::answer::Outcome;
use crate::error::Error;
use crate::float::registry::{IMPLEMENTATIONS, Implementation};
use crate::number::Fraction;
use crate::vector::{convert, floats, verify};
use enclosure::{Budget, Enclosure};

/// How many case ids a row names.
const NAMED: usize = 4;

/// What came of one implementation.
#[derive(Serialize)]
struct Row {
    implementation: &'static str,
    cases: usize,
    worst_relative_error: f64,
    worst_case: Option<String>,
    faults: Vec<String>,
}

/// `dpcert floats`.
pub fn run(data: Option<PathBuf>, form: Option<FormName>, json: bool) -> Result<Status, Failure> {
    let set = vectors::load(data)?;
    let chosen: Vec<&Implementation> = IMPLEMENTATIONS
        .iter()
        .filter(|implementation| {
            form.is_none_or(|form| (form == FormName::Careful) == floats::is_careful(implementation))
        })
        .collect();
    let bar = progress::bar(chosen.len() as u64, "implementations");
    let rows = chosen
        .par_iter()
        .with_max_len(1)
        .map(|implementation| {
            let row = row(implementation, &set);
            bar.inc(1);
            row
        })
        .collect::<Result<Vec<Row>, Error>>()?;
    bar.finish_and_clear();
    let mut broken = false;
    for (implementation, row) in chosen.iter().zip(&rows) {
        broken |= floats::is_careful(implementation) && !row.faults.is_empty();
        if json {
            say_json(row)?;
        } else {
            say(&text(implementation, row))?;
        }
    }
    Ok(if broken { Status::Mismatch } else { Status::Fine })
}

fn row(implementation: &Implementation, set: &dpcert_vectors::VectorSet) -> Result<Row, Error> {
    let mut row = Row {
        implementation: implementation.name,
        cases: 0,
        worst_relative_error: 0.0,
        worst_case: None,
        faults: Vec::new(),
    };
    for (file, case) in set.cases() {
        let question = verify::question(file, case)?;
        let Some(query) = question.query() else { continue };
        let Some(computed) = floats::ask(implementation, query) else { continue };
        let judged = floats::judge(implementation, query, &stored(case)?, computed, &Budget::default())?;
        row.cases += 1;
        if row.worst_case.is_none() || judged.relative_error > row.worst_relative_error {
            row.worst_relative_error = judged.relative_error;
            row.worst_case = Some(case.id.clone());
        }
        if judged.fault {
            row.faults.push(case.id.clone());
        }
    }
    Ok(row)
}

/// The stored answer as an outcome.
fn stored(case: &dpcert_vectors::Case) -> Result<Outcome, Error> {
    match case.answer.truth() {
        Some(Truth::Infinite) => Ok(Outcome::Infinite),
        Some(Truth::Within { lower, upper }) if lower == upper => {
            Ok(Outcome::Exact(Fraction::new(convert::rational(&lower)?)))
        }
        Some(Truth::Within { lower, upper }) => {
            // The ends are dyadic: at this precision they are exact.
            let end = |value| Ok::<_, Error>(Enclosure::rational(&convert::rational(value)?, 4096));
            Ok(Outcome::Enclosure(end(&lower)?.hull(&end(&upper)?).into()))
        }
        None => Err(Error::input(format!("{}: the stored answer is inconsistent", case.id))),
    }
}

fn text(implementation: &Implementation, row: &Row) -> String {
    let verdict = match (floats::is_careful(implementation), row.faults.len()) {
        _ if row.cases == 0 => "no applicable case".to_string(),
        (true, 0) => "within its bound".to_string(),
        (true, n) => format!("EXCEEDS ITS BOUND in {n}: {}", ids(&row.faults)),
        (false, 0) => "no error found".to_string(),
        (false, n) => format!("wrong in {n}: {}", ids(&row.faults)),
    };
    format!("{:36} {:4} cases  worst error {:8.1e}  {verdict}", row.implementation, row.cases, row.worst_relative_error)
}

fn ids(ids: &[String]) -> String {
    let more = if ids.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", ids[..ids.len().min(NAMED)].join(", "))
}
