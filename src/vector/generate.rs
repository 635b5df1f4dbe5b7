//! Writing the vectors: every question of every suite answered, confirmed by a second route, and put into files.
//!
//! Nothing is written before everything is answered and confirmed, and the bytes depend on the suites alone.

use std::collections::BTreeMap;
use std::path::Path;

use dpcert_vectors::{Exact, Factor, Format, License, Other, Parameter, VectorFile, Weight, to_json};
use rayon::prelude::*;
use rug::Rational;

use super::catalogue::catalogue;
use super::question::Question;
use super::sessions::Sessions;
use super::suite::{Case, Flag, Suite, theorems};
use super::{DIGITS, confirm, convert};
use crate::answer::Outcome;
use crate::approximate::Approximation;
use crate::error::Error;
use crate::query::QuantityName;
use crate::statement::{ORDER, Statement};
use crate::write::write_file;
use enclosure::{Budget, Real};

/// A finished file: its name and its bytes.
pub type Finished = (String, String);

/// Answer and confirm the cases of all suites whose file name contains `only`, in parallel.
///
/// `progress` is called for every finished case. The first case that fails, or that no second route confirms, is the
/// error; incomplete files are never written.
pub fn generate(suites: &[Suite], only: &str, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<Finished>, Error> {
    let chosen: Vec<&Suite> = suites.iter().filter(|suite| suite.name().contains(only)).collect();
    if chosen.is_empty() {
        return Err(Error::input(format!("no vector file name contains `{only}`")));
    }
    let asked: Vec<(usize, usize)> =
        (0..chosen.len()).flat_map(|i| (0..chosen[i].cases.len()).map(move |j| (i, j))).collect();
    let mut work: Vec<(String, usize)> = asked
        .par_iter()
        .enumerate()
        .map(|(place, &(i, j))| Ok((asks(chosen[i], j)?.mechanism()?, place)))
        .collect::<Result<_, Error>>()?;
    // Compositions are cached, so all queries of one composition are processed together, from all files.
    work.sort();
    let (sessions, routes) = (Sessions::default(), confirm::Routes::default());
    let mut made: Vec<(usize, dpcert_vectors::Case)> = work
        .par_iter()
        .with_max_len(1)
        .map(|&(_, place)| {
            let (i, j) = asked[place];
            let made = case(chosen[i], j, &sessions, &routes)?;
            progress(1);
            Ok((place, made))
        })
        .collect::<Result<_, Error>>()?;
    made.sort_by_key(|(place, _)| *place);
    let mut cases: Vec<Vec<dpcert_vectors::Case>> = chosen.iter().map(|_| Vec::new()).collect();
    for (place, case) in made {
        cases[asked[place].0].push(case);
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
        .map_err(|error| Error::input(format!("cannot write the schema: {error}")))?;
    Ok(text + "\n")
}

/// The permanent name of a case.
fn id(suite: &Suite, index: usize) -> String {
    format!("{}-{:04}", suite.name(), index + 1)
}

/// Why there is no vector of a case.
fn failed(suite: &Suite, index: usize, what: &str) -> Error {
    let case = &suite.cases[index];
    Error::input(format!("{} ({} at {}): {what}", id(suite, index), case.mechanism, case.at))
}

/// What a case asks.
fn asks(suite: &Suite, index: usize) -> Result<Question, Error> {
    let question = suite.cases[index].question(suite.quantity, DIGITS);
    question.map_err(|error| failed(suite, index, &error.to_string()))
}

fn case(
    suite: &Suite,
    index: usize,
    sessions: &Sessions,
    routes: &confirm::Routes,
) -> Result<dpcert_vectors::Case, Error> {
    let case = &suite.cases[index];
    let id = id(suite, index);
    let failed = |what: &str| failed(suite, index, what);
    let question = asks(suite, index)?;
    // An alarm stays one.
    let named = |error: Error| match &question {
        Question::Query(query) | Question::Few(query, _) | Question::Limit(_, Approximation { query, .. })
            if error.is_alarm() =>
        {
            error.about(query)
        }
        _ if error.is_alarm() => error,
        _ => failed(&error.to_string()),
    };
    if let Question::Order(orders) = &question {
        let verdict = orders.verdict(&Budget::default()).map_err(named)?;
        let confirmed = routes.confirm_order(orders, &verdict).map_err(named)?;
        return Ok(dpcert_vectors::Case {
            other: Some(Other { mechanism: orders.second.to_string(), parameters: convert::factors(&orders.second)? }),
            routes: confirmed.routes,
            witnesses: confirmed.witnesses,
            ..stored(suite, case, &id, &question, ORDER.citation(), dpcert_vectors::Answer::order(verdict.order))?
        });
    }
    let answer = question.answer(sessions, &Budget::default()).map_err(named)?;
    match &answer.outcome {
        Outcome::Undefined(reason) => return Err(failed(reason)),
        Outcome::Short { reason, .. } | Outcome::Undecided(reason) => return Err(failed(&reason.to_string())),
        Outcome::Exact(_) | Outcome::Enclosure(_) | Outcome::Infinite => {}
    }
    let second = match &question {
        Question::Query(query) => routes.confirm(query, &answer.outcome, &answer.method),
        Question::Few(query, ways) => routes.confirm_few(query, &answer.outcome, ways.second),
        Question::Calibration(calibration) => routes.confirm_calibration(calibration, &answer.outcome),
        Question::Limit(limit, asked) => routes.confirm_limit(*limit, &asked.query, &answer.outcome),
        Question::Theorem(stated) => routes.confirm_theorem(stated, &answer.outcome),
        Question::Accuracy(game) => routes.confirm_accuracy(game, &answer.outcome),
        Question::Order(_) => return Err(failed("an order is not a number")),
    };
    let second = second.map_err(named)?;
    let proven = convert::answer(&answer.outcome)
        .ok_or_else(|| failed("no number found"))?
        .map_err(|error| failed(&error.to_string()))?;
    Ok(dpcert_vectors::Case {
        bound: answer.bound.map(convert::bound),
        routes: vec![answer.method.clone(), second],
        ..stored(suite, case, &id, &question, &answer.citation, proven)?
    })
}

/// A case without its routes.
fn stored(
    suite: &Suite,
    case: &Case,
    id: &str,
    question: &Question,
    citation: &str,
    answer: dpcert_vectors::Answer,
) -> Result<dpcert_vectors::Case, Error> {
    Ok(dpcert_vectors::Case {
        id: id.to_string(),
        comment: case.comment.clone(),
        flags: flags(case, suite.quantity, question)?,
        mechanism: question.mechanism()?,
        parameters: question.factors()?,
        other: None,
        at: convert::at(&case.point(suite.quantity)?)?,
        direction: case.direction,
        bound: None,
        limit: case.limit,
        theorem: case.theorem.clone(),
        game: case.game.clone(),
        statement: citation.to_string(),
        routes: Vec::new(),
        witnesses: Vec::new(),
        answer,
    })
}

fn flags(case: &Case, quantity: QuantityName, question: &Question) -> Result<Vec<String>, Error> {
    let mut flags = case.flags.clone();
    let other = match question {
        Question::Order(orders) => convert::factors(&orders.second)?,
        _ => Vec::new(),
    };
    let given = case.theorem.iter().flat_map(|theorem| theorem.given.values());
    let at_doubles =
        case.point(quantity)?.iter().all(|(_, value)| is_double(value)) && given.into_iter().all(is_exact_double);
    if at_doubles && all_doubles(&question.factors()?) && all_doubles(&other) {
        flags.push(Flag::DoubleParameters);
    }
    flags.sort();
    flags.dedup();
    Ok(flags.into_iter().map(|flag| flag.name().to_string()).collect())
}

/// Are all numbers of a composition doubles, so that floating point can be asked the very same?
fn all_doubles(factors: &[Factor]) -> bool {
    factors.iter().all(|factor| {
        let of_parameters = factor.parameters.values().all(|value| match value {
            Parameter::Number(value) => is_exact_double(value),
            Parameter::List(values) => values.iter().all(is_exact_double),
            Parameter::Weights(values) => values.iter().all(|weight| match weight {
                Weight::Number(value) => is_exact_double(value),
                Weight::Unknown | Weight::Rest => true,
            }),
            Parameter::Unknown => true,
        });
        of_parameters && all_doubles(&factor.of)
    })
}

fn is_exact_double(value: &Exact) -> bool {
    value.to_string().parse::<Real>().is_ok_and(|value| is_double(&value))
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
            let meaning = Statement::cited(&case.statement).map(Statement::meaning);
            let named = || case.theorem.as_ref().and_then(|theorem| theorems::meaning(&theorem.name));
            let meaning = meaning
                .or_else(named)
                .ok_or_else(|| Error::input(format!("{} cites a statement that is not in the catalogue", case.id)))?;
            statements.insert(case.statement.clone(), meaning.to_string());
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

    /// A tenth is not a double, and neither is what a nested mechanism or a point says about it.
    #[test]
    fn doubles_are_told_from_what_is_near_them() {
        let doubles = |mechanism: &str| all_doubles(&convert::factors(&mechanism.parse().unwrap()).unwrap());
        assert!(doubles("gaussian(sigma=1/8)^3 * poisson(rate=1/2, laplace(scale=3))"));
        assert!(doubles("gaussian(sigma=f64:0x1.999999999999ap-4)"));
        assert!(!doubles("gaussian(sigma=1/1000)"));
        assert!(!doubles("poisson(rate=1/2, laplace(scale=1/3))"));
        assert!(!doubles("finite(p=[1/3, 2/3], q=[1/2, 1/2])"));
        assert!(!doubles("gdp(mu=sqrt(2))"));
        assert!(!is_double(&"1/10".parse().unwrap()));
        let sought = |template: &str| all_doubles(&convert::sought(&template.parse().unwrap()).unwrap());
        assert!(sought("poisson(rate=1/2, gaussian(sigma=?))") && !sought("poisson(rate=1/3, gaussian(sigma=?))"));
    }
}
