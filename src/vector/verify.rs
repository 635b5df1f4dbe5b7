//! Recomputing stored vectors: the stored enclosure must hold the enclosure that is computed now, to more digits; one
//! of few digits has to meet it.

use dpcert_vectors::{Answer, At, Kind, Truth, VectorFile};

use super::orders::Orders;
use super::question::Question;
use super::sessions::Sessions;
use super::stated::{Game, Stated};
use super::{DIGITS, convert, few};
use crate::answer::Outcome;
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Real};

/// Digits computed beyond the stored ones, so that the new enclosure is the narrower.
const MORE_DIGITS: u32 = 12;

/// Recompute one stored case; `Ok(None)` if it holds, else what was found instead.
pub fn recompute(file: &VectorFile, case: &dpcert_vectors::Case, sessions: &Sessions) -> Result<Option<String>, Error> {
    let question = question(file, case)?;
    if question.mechanism()? != case.mechanism || question.factors()? != case.parameters {
        return Ok(Some("`mechanism` and `parameters` differ, or `mechanism` is not in canonical form".to_string()));
    }
    if let Question::Order(orders) = &question {
        return recompute_order(orders, case, sessions);
    }
    let found = question.answer(sessions, &Budget::default())?.outcome;
    differs(&case.answer, &found)
}

/// An order: the verdict, and both values at each witness, which the lint has found apart.
fn recompute_order(orders: &Orders, case: &dpcert_vectors::Case, sessions: &Sessions) -> Result<Option<String>, Error> {
    let other = case.other.as_ref().ok_or_else(|| Error::input("an order needs two mechanisms"))?;
    if orders.second.to_string() != other.mechanism || convert::factors(&orders.second)? != other.parameters {
        return Ok(Some("`mechanism` and `parameters` of `other` differ".to_string()));
    }
    let verdict = orders.verdict(&Budget::default())?;
    if case.answer.order != Some(verdict.order) {
        return Ok(Some(format!("computed now: {}", verdict.order.name())));
    }
    for witness in &case.witnesses {
        let at = coordinates(&witness.at)?;
        let quantity = match at.as_slice() {
            [("alpha", alpha)] => Quantity::Beta { alpha: alpha.clone() },
            [("epsilon", epsilon)] => Quantity::Delta { epsilon: epsilon.clone() },
            _ => return Err(Error::input("a witness needs an alpha or an epsilon")),
        };
        let values = orders.at(&quantity, witness.direction, DIGITS + MORE_DIGITS, sessions, &Budget::default())?;
        for (stored, found) in [&witness.first, &witness.second].into_iter().zip(&values.outcomes) {
            if let Some(what) = differs(stored, found)? {
                return Ok(Some(format!("witness against {}: {what}", witness.against.name())));
            }
        }
    }
    Ok(None)
}

/// The computed answer, if it contradicts the stored one.
fn differs(answer: &Answer, found: &Outcome) -> Result<Option<String>, Error> {
    let stored = answer.truth();
    Ok(match (&stored, found) {
        (Some(Truth::Infinite), Outcome::Infinite) => None,
        (Some(Truth::Within { lower, .. }), Outcome::Exact(found)) if answer.kind == Kind::Exact => {
            (convert::rational(lower)? != *found.value()).then(|| format!("computed now: exactly {found}"))
        }
        (Some(Truth::Within { lower, upper }), Outcome::Enclosure(set) | Outcome::Short { proven: set, .. })
            if few::is_of_few(answer)? =>
        {
            // Two enclosures of few digits: both hold the truth.
            let set = set.set();
            let apart = *set.lower() > convert::rational(upper)? || *set.upper() < convert::rational(lower)?;
            apart.then(|| format!("the enclosure computed now, {set:?}, is disjoint from the stored one"))
        }
        (Some(Truth::Within { lower, upper }), Outcome::Exact(_) | Outcome::Enclosure(_)) => {
            let set = match found {
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
    if let Some(other) = &case.other {
        return Ok(Question::Order(Orders::new(&case.mechanism, &other.mechanism, case.direction)?));
    }
    let digits = DIGITS + MORE_DIGITS;
    if let Some(theorem) = &case.theorem {
        return Ok(Question::Theorem(Box::new(Stated::new(theorem, digits)?)));
    }
    if let Some(game) = &case.game {
        return Ok(Question::Accuracy(Box::new(Game::new(game, digits)?)));
    }
    let at = coordinates(&case.at)?;
    let mut question = Question::new(file.quantity, &case.mechanism, &at, case.direction, case.limit, digits)?;
    if let (Question::Query(query), true) = (&mut question, few::is_of_few(&case.answer)?) {
        // The cheap digits suffice.
        (query.digits, query.enough) = (Query::DEFAULT_DIGITS, Query::LEAST_DIGITS);
    }
    match &mut question {
        Question::Query(query) | Question::Few(query, _) => query.id = Some(case.id.clone()),
        Question::Calibration(calibration) => calibration.id = Some(case.id.clone()),
        Question::Limit(_, asked) => asked.query.id = Some(case.id.clone()),
        Question::Order(_) | Question::Theorem(_) | Question::Accuracy(_) => {}
    }
    Ok(question)
}

/// The coordinates of a stored point.
fn coordinates(at: &At) -> Result<Vec<(&'static str, Real)>, Error> {
    let read = |text: String| text.parse::<Real>().map_err(|error| Error::input(error.to_string()));
    at.given().map(|(name, value)| Ok((name, read(value.to_string())?))).collect()
}
