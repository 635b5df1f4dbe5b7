//! Recomputing stored vectors: the stored enclosure must hold the enclosure that is computed now, to more digits.

use dpcert_vectors::{Kind, Truth, VectorFile};

use super::question::Question;
use super::sessions::Sessions;
use super::{DIGITS, convert};
use crate::answer::Outcome;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Digits computed beyond the stored ones, so that the new enclosure is the narrower.
const MORE_DIGITS: u32 = 12;

/// Recompute one stored case; `Ok(None)` if it holds, else what was found instead.
pub fn recompute(file: &VectorFile, case: &dpcert_vectors::Case, sessions: &Sessions) -> Result<Option<String>, Error> {
    let question = question(file, case)?;
    if question.mechanism()? != case.mechanism || question.factors()? != case.parameters {
        return Ok(Some("`mechanism` and `parameters` are not the same composition in canonical form".to_string()));
    }
    let found = question.answer(sessions, &Budget::default())?.outcome;
    let stored = case.answer.truth();
    Ok(match (&stored, &found) {
        (Some(Truth::Infinite), Outcome::Infinite) => None,
        (Some(Truth::Within { lower, .. }), Outcome::Exact(found)) if case.answer.kind == Kind::Exact => {
            (convert::rational(lower)? != *found.value()).then(|| format!("computed now: exactly {found}"))
        }
        (Some(Truth::Within { lower, upper }), Outcome::Exact(_) | Outcome::Enclosure(_)) => {
            let set = match &found {
                Outcome::Exact(value) => Enclosure::rational(value.value(), 8 * DIGITS),
                Outcome::Enclosure(set) => set.set().clone(),
                _ => Enclosure::whole(8 * DIGITS),
            };
            let inside = *set.lower() >= convert::rational(lower)? && *set.upper() <= convert::rational(upper)?;
            (!inside).then(|| format!("the enclosure computed now, {set:?}, is not inside the stored one"))
        }
        _ => Some(format!("computed now: {found:?}")),
    })
}

/// The question that a stored case asks.
pub fn question(file: &VectorFile, case: &dpcert_vectors::Case) -> Result<Question, Error> {
    let mut at = Vec::new();
    for (name, value) in case.at.given() {
        at.push((name, value.to_string().parse::<Real>().map_err(|error| Error::input(error.to_string()))?));
    }
    let mut question =
        Question::new(file.quantity, &case.mechanism, &at, case.direction, case.limit, DIGITS + MORE_DIGITS)?;
    match &mut question {
        Question::Query(query) => query.id = Some(case.id.clone()),
        Question::Calibration(calibration) => calibration.id = Some(case.id.clone()),
        Question::Limit(_, asked) => asked.query.id = Some(case.id.clone()),
    }
    Ok(question)
}
