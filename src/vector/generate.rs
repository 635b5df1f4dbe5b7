//! Writing the vectors: every question of every suite answered, confirmed by a second route, and put into files.
//!
//! Nothing is written before everything is answered and confirmed, and the bytes depend on the suites alone.

use std::collections::BTreeMap;
use std::path::Path;

use dpcert_vectors::{Format, License, VectorFile, to_json};
use rayon::prelude::*;
use rug::Rational;

use super::catalogue::catalogue;
use super::sessions::Sessions;
use super::suite::{Case, Flag, Suite};
use super::{DIGITS, confirm, convert};
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::{Argument, Composition};
use crate::query::Query;
use crate::statement::Statement;
use crate::write::write_file;
use enclosure::{Budget, Real};

/// A finished file: its name and its bytes.
pub type Finished = (String, String);

/// Answer and confirm the cases of all suites whose file name contains `only`, in parallel.
///
/// `progress` is told of every finished case. The first case that fails, or that no second route confirms, is the
/// error: a file with a hole in it is never made.
pub fn generate(suites: &[Suite], only: &str, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<Finished>, Error> {
    let chosen: Vec<&Suite> = suites.iter().filter(|suite| suite.name().contains(only)).collect();
    if chosen.is_empty() {
        return Err(Error::input(format!("no vector file has `{only}` in its name")));
    }
    let work: Vec<(usize, usize)> =
        (0..chosen.len()).flat_map(|i| (0..chosen[i].cases.len()).map(move |j| (i, j))).collect();
    let (sessions, routes) = (Sessions::default(), confirm::Routes::default());
    let mut cases: Vec<Vec<dpcert_vectors::Case>> = chosen.iter().map(|_| Vec::new()).collect();
    let made: Vec<dpcert_vectors::Case> = work
        .par_iter()
        .with_max_len(1)
        .map(|&(i, j)| {
            let made = case(chosen[i], j, &sessions, &routes);
            progress(1);
            made
        })
        .collect::<Result<_, _>>()?;
    for (&(i, _), case) in work.iter().zip(made) {
        cases[i].push(case);
    }
    chosen.iter().zip(cases).map(|(suite, cases)| file(suite, cases)).collect()
}

/// Write the finished files, their schema and the catalogue below a folder.
pub fn write(folder: &Path, files: &[Finished]) -> Result<(), Error> {
    write_file(&folder.join("schema.json"), schema()?.as_bytes())?;
    write_file(&folder.join("catalogue.json"), catalogue()?.as_bytes())?;
    for (name, text) in files {
        write_file(&folder.join("data").join(name), text.as_bytes())?;
    }
    Ok(())
}

/// The JSON Schema of a vector file, as it is stored.
pub fn schema() -> Result<String, Error> {
    let text = serde_json::to_string_pretty(&dpcert_vectors::schema())
        .map_err(|error| Error::input(format!("the schema cannot be written: {error}")))?;
    Ok(text + "\n")
}

fn case(
    suite: &Suite,
    index: usize,
    sessions: &Sessions,
    routes: &confirm::Routes,
) -> Result<dpcert_vectors::Case, Error> {
    let case = &suite.cases[index];
    let id = format!("{}-{:04}", suite.name(), index + 1);
    let failed = |what: &str| Error::input(format!("{id} ({} at {}): {what}", case.mechanism, case.at));
    let query = case.query(suite.quantity, DIGITS).map_err(|error| failed(&error.to_string()))?;
    let budget = Budget::default();
    // An alarm stays one.
    let named = |error: Error| if error.is_alarm() { error.about(&query) } else { failed(&error.to_string()) };
    let answer = sessions.answer(&query, &budget).map_err(named)?;
    match &answer.outcome {
        Outcome::Undefined(reason) => return Err(failed(reason)),
        Outcome::Short { reason, .. } | Outcome::Undecided(reason) => return Err(failed(&reason.to_string())),
        Outcome::Exact(_) | Outcome::Enclosure(_) | Outcome::Infinite => {}
    }
    let second = routes.confirm(&query, &answer.outcome, &answer.method).map_err(named)?;
    let stored = convert::answer(&answer.outcome)
        .ok_or_else(|| failed("there is no number"))?
        .map_err(|error| failed(&error.to_string()))?;
    Ok(dpcert_vectors::Case {
        id: id.clone(),
        comment: case.comment.clone(),
        flags: flags(case, &query),
        mechanism: query.mechanism.to_string(),
        parameters: convert::factors(&query.mechanism)?,
        at: convert::at(&query.quantity.point())?,
        direction: query.direction,
        bound: answer.bound.map(convert::bound),
        statement: answer.citation().to_string(),
        routes: vec![answer.method.clone(), second],
        answer: stored,
    })
}

fn flags(case: &Case, query: &Query) -> Vec<String> {
    let mut flags = case.flags.clone();
    if all_doubles(query) {
        flags.push(Flag::DoubleParameters);
    }
    flags.sort();
    flags.dedup();
    flags.into_iter().map(|flag| flag.name().to_string()).collect()
}

/// Are all numbers of a question doubles, so that floating point can be asked the very same?
fn all_doubles(query: &Query) -> bool {
    fn doubles(composition: &Composition) -> bool {
        composition.factors().iter().all(|(mechanism, _)| {
            mechanism.explicit_arguments().iter().all(|(_, value)| match value {
                Argument::Constant(value) => is_double(value),
                Argument::List(values) => values.iter().all(is_double),
                Argument::Mechanism(inner) => doubles(inner),
                Argument::Mechanisms(all) => all.iter().all(doubles),
            })
        })
    }
    let point = query.quantity.point().coordinates();
    point.iter().filter_map(|(_, value)| value.as_ref()).all(is_double) && doubles(&query.mechanism)
}

fn is_double(value: &Real) -> bool {
    value.as_rational().is_some_and(|value| Rational::from_f64(value.to_f64()).as_ref() == Some(value))
}

fn file(suite: &Suite, cases: Vec<dpcert_vectors::Case>) -> Result<Finished, Error> {
    let flags: BTreeMap<String, String> = suite
        .cases
        .iter()
        .flat_map(|case| &case.flags)
        .chain([&Flag::DoubleParameters])
        .map(|flag| (flag.name().to_string(), flag.meaning().to_string()))
        .filter(|(name, _)| cases.iter().any(|case| case.flags.contains(name)))
        .collect();
    let mut statements = BTreeMap::new();
    for case in &cases {
        if !statements.contains_key(&case.statement) {
            let statement = Statement::cited(&case.statement)
                .ok_or_else(|| Error::input(format!("{} cites no statement of the catalogue", case.id)))?;
            statements.insert(case.statement.clone(), statement.meaning().to_string());
        }
    }
    let file = VectorFile {
        format: Format::V1,
        quantity: suite.quantity,
        family: suite.family.to_string(),
        title: suite.title.to_string(),
        about: suite.about.to_string(),
        license: License::Cc0,
        statements,
        flags,
        cases,
    };
    let text = to_json(&file).map_err(|error| Error::input(format!("{}: {error}", suite.name())))?;
    Ok((format!("{}.json", suite.name()), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Quantity;

    /// A tenth is not a double, and neither is what a nested mechanism or a point says about it.
    #[test]
    fn doubles_are_told_from_what_is_near_them() {
        let doubles = |mechanism: &str, epsilon: &str| {
            let epsilon = epsilon.parse().unwrap();
            all_doubles(&Query::new(Quantity::Delta { epsilon }, mechanism.parse().unwrap()))
        };
        assert!(doubles("gaussian(sigma=1/8)^3 * poisson(rate=1/2, laplace(scale=3))", "1/1024"));
        assert!(doubles("gaussian(sigma=1)", "f64:0x1.999999999999ap-4"));
        assert!(!doubles("gaussian(sigma=1)", "1/10"));
        assert!(!doubles("gaussian(sigma=1/1000)", "1"));
        assert!(!doubles("poisson(rate=1/2, laplace(scale=1/3))", "1"));
        assert!(!doubles("finite(p=[1/3, 2/3], q=[1/2, 1/2])", "1"));
        assert!(!doubles("gdp(mu=sqrt(2))", "1"));
    }
}
