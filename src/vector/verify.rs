//! Recomputing stored vectors: the stored enclosure must hold the enclosure that is computed now, to more digits.

use dpcert_vectors::{Exact, Kind, Truth, VectorFile};

use super::sessions::Sessions;
use super::{DIGITS, convert};
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::{Point, Quantity, Query};
use enclosure::{Budget, Enclosure, Real};

/// Digits computed beyond the stored ones, so that the new enclosure is the narrower.
const MORE_DIGITS: u32 = 12;

/// Recompute one stored case; `Ok(None)` if it holds, else what was found instead.
pub fn recompute(file: &VectorFile, case: &dpcert_vectors::Case, sessions: &Sessions) -> Result<Option<String>, Error> {
    let query = query(file, case)?;
    if query.mechanism.to_string() != case.mechanism || convert::factors(&query.mechanism)? != case.parameters {
        return Ok(Some("`mechanism` and `parameters` are not the same composition in canonical form".to_string()));
    }
    let found = sessions.answer(&query, &Budget::default())?.outcome;
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
pub fn query(file: &VectorFile, case: &dpcert_vectors::Case) -> Result<Query, Error> {
    let constant = |value: &Option<Exact>| -> Result<Option<Real>, Error> {
        let parse = |value: &Exact| value.to_string().parse::<Real>().map_err(|error| Error::input(error.to_string()));
        value.as_ref().map(parse).transpose()
    };
    let point = Point {
        epsilon: constant(&case.at.epsilon)?,
        delta: constant(&case.at.delta)?,
        alpha: constant(&case.at.alpha)?,
        order: constant(&case.at.order)?,
        fpr: constant(&case.at.fpr)?,
        prior: constant(&case.at.prior)?,
        x: constant(&case.at.x)?,
        p: constant(&case.at.p)?,
    };
    let mechanism = Composition::parse_closed(&case.mechanism).map_err(|error| Error::input(error.to_string()))?;
    let query = Query::new(Quantity::at(file.quantity, point)?, mechanism);
    let query = query.with_direction(case.direction).with_digits(DIGITS + MORE_DIGITS);
    Ok(Query { id: Some(case.id.clone()), ..query })
}
