//! `census`: levels, pairs, compare, tradeoff.

mod compare;
mod levels;
mod pairs;
mod tradeoff;

use rug::Rational;

use super::super::args::CensusCommand;
use super::super::failure::{Failure, Status};
use super::super::points::{Scale, pieces};
use super::{constant, points};
use crate::census::tradeoff::Thresholds;
use crate::census::{Level, Workload};
use crate::mechanism::Paths;
use enclosure::Budget;

/// `dpcert census`.
pub fn run(command: CensusCommand) -> Result<Status, Failure> {
    match command {
        CensusCommand::Levels { file, delta, digits, limits, json, csv } => {
            let form = match (json, csv) {
                (true, _) => levels::Form::Json,
                (_, true) => levels::Form::Csv,
                _ => levels::Form::Text,
            };
            levels::run(&file, &delta, digits, limits, form)
        }
        CensusCommand::Pairs { paths, out, only, delta_zcdp, digits, threads, max_bits, timeout, published } => {
            let levels = if delta_zcdp.is_empty() { Level::published()? } else { levels_of(&delta_zcdp)? };
            let workload = Workload::new(Paths::load(&paths.file)?, &only, levels, digits)?;
            pairs::run(&workload, &out, threads, || Budget::new(max_bits, Some(timeout)))?;
            match published {
                Some(published) => compare::run(&out, &published, false),
                None => Ok(Status::Fine),
            }
        }
        CensusCommand::Compare { results, published, json } => compare::run(&results, &published, json),
        CensusCommand::Tradeoff { pair, paths, points, reach, digits, limits, out } => {
            let reach = reach.map(|text| rational("reach", &text)).transpose()?;
            let paths = Paths::load(&paths.file)?;
            tradeoff::run(&paths, &Thresholds { pair, points, reach, digits }, limits, out.as_deref())
        }
    }
}

/// The levels that were typed: each as it is written, those of a range as they are.
fn levels_of(texts: &[String]) -> Result<Vec<Level>, Failure> {
    let mut levels = Vec::new();
    for piece in texts.iter().flat_map(|text| pieces(text)) {
        let written = match piece.contains("..") {
            true => points("delta-zcdp", piece, Scale::Logarithmic)?.iter().map(ToString::to_string).collect(),
            false => vec![piece.to_string()],
        };
        let read = |text: &String| Level::new(text).map_err(|error| Failure::input(format!("--delta-zcdp: {error}")));
        levels.extend(written.iter().map(read).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(levels)
}

fn rational(option: &str, text: &str) -> Result<Rational, Failure> {
    match constant(option, text)?.as_rational() {
        Some(value) if *value > 0 => Ok(value.clone()),
        _ => Err(Failure::input(format!("--{option} must be rational and positive"))),
    }
}
