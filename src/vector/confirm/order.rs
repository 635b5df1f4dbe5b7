//! Orders of two compositions: second routes check every verdict.
//!
//! **A failing relation** has a point where both curves are proven apart, a type I error or an epsilon. Both values
//! there are confirmed as any golden number, so the failure rests on two routes.
//!
//! **A relation that holds** rests on its proof. In addition, both profiles are compared at some epsilons with
//! confirmed values; the name of the route states that this is only a check at points.

use std::collections::BTreeSet;

use dpcert_vectors::{Answer, Direction, Relation, Witness};
use rug::Rational;

use super::{Claim, Routes, engines};
use crate::error::Error;
use crate::order;
use crate::query::{Quantity, Query};
use crate::vector::orders::{Orders, Values, Verdict};
use crate::vector::{DIGITS, convert};
use enclosure::{Budget, Real};

/// The exponentials of the epsilons at which profiles are compared: some routes need them to be fractions.
const EXPONENTIALS: [(u32, u32); 6] = [(1, 1), (5, 4), (3, 2), (5, 2), (7, 1), (20, 1)];

/// Digits of values that are compared in addition to a proof, enough to check that it concerns these curves.
const BESIDE: u32 = 20;

/// Digits of values that show where both curves differ in the other sense.
const GLANCE: u32 = 6;

/// Where witnesses are looked for besides: profiles may part far out, and the farther, the more a digit costs.
const FAR: [(u32, u32); 4] = [(100, 1), (1000, 1), (100_000, 1), (50_000_000, 1)];

/// The witnesses, and the two routes.
pub struct Confirmed {
    pub witnesses: Vec<Witness>,
    pub routes: Vec<String>,
}

impl Routes {
    /// The second route that agrees with a verdict, and what shows it where a relation fails.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_order(&self, orders: &Orders, verdict: &Verdict) -> Result<Confirmed, Error> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (relation, how) in &verdict.proofs {
            first.push(format!("{}: {how}", relation.name()));
            second.push(format!("{}: {}", relation.name(), self.at_points(orders, *relation)?));
        }
        let mut witnesses = Vec::new();
        for (relation, point) in &verdict.failures {
            first.push(format!("not {}: a point where both are apart", relation.name()));
            let (witness, names) = self.witness(orders, *relation, point)?;
            witnesses.push(witness);
            second.push(format!("not {}: both values there, by {names}", relation.name()));
        }
        Ok(Confirmed { witnesses, routes: vec![first.join("; "), second.join("; ")] })
    }

    /// A point at which this relation is seen to fail, and the routes that confirm both values there.
    fn witness(
        &self,
        orders: &Orders,
        relation: Relation,
        found: &(Direction, Quantity),
    ) -> Result<(Witness, String), Error> {
        let epsilons = [epsilons(&EXPONENTIALS)?, epsilons(&FAR)?].concat();
        let directions = directions(orders)?;
        let at_epsilons = directions.iter().flat_map(|direction| {
            epsilons.iter().map(|epsilon| (*direction, Quantity::Delta { epsilon: epsilon.clone() }))
        });
        // A type I error of both orders together is no point of their hull.
        let is_point = orders.direction != Direction::Worst || matches!(found.1, Quantity::Delta { .. });
        let mut failure = None;
        for (direction, quantity) in is_point.then(|| found.clone()).into_iter().chain(at_epsilons) {
            if self.is_apart_otherwise(orders, relation, direction, &quantity)? {
                continue;
            }
            let values = match self.values(orders, &quantity, direction, DIGITS) {
                Ok(values) => values,
                Err(error) if error.is_alarm() => return Err(error),
                Err(error) => {
                    failure = Some(error);
                    continue;
                }
            };
            let [one, two] = values.claims()?;
            if !apart(&quantity, relation, &one, &two) {
                continue;
            }
            match self.names(&values) {
                Ok(names) => return Ok((stored(relation, direction, &quantity, &values)?, names)),
                Err(error) if error.is_alarm() => return Err(error),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| Error::input(format!("no point refutes {}", relation.name()))))
    }

    /// Whether few digits of both profiles show that the relation does not fail at this epsilon. They are cheap and
    /// usually suffice.
    fn is_apart_otherwise(
        &self,
        orders: &Orders,
        relation: Relation,
        direction: Direction,
        quantity: &Quantity,
    ) -> Result<bool, Error> {
        if !matches!(quantity, Quantity::Delta { .. }) {
            return Ok(false);
        }
        match self.values(orders, quantity, direction, GLANCE) {
            Ok(values) => {
                let [one, two] = values.claims()?;
                Ok(apart(quantity, relation, &two, &one))
            }
            Err(error) if error.is_alarm() => Err(error),
            // All digits are asked for nevertheless.
            Err(_) => Ok(false),
        }
    }

    /// The routes by which the profiles are as this relation says at some epsilons.
    fn at_points(&self, orders: &Orders, relation: Relation) -> Result<String, Error> {
        let mut names = BTreeSet::new();
        let (epsilons, directions) = (epsilons(&EXPONENTIALS)?, directions(orders)?);
        for direction in &directions {
            for epsilon in &epsilons {
                let quantity = Quantity::Delta { epsilon: epsilon.clone() };
                let values = self.values(orders, &quantity, *direction, BESIDE)?;
                let [one, two] = values.claims()?;
                super::require(
                    !apart(&quantity, relation, &one, &two),
                    &format!("{} is proven, and fails at epsilon = {epsilon}", relation.name()),
                )?;
                names.insert(self.names(&values)?);
            }
        }
        let times = epsilons.len() * directions.len();
        let names: Vec<String> = names.into_iter().collect();
        Ok(format!("{times} values of both profiles beside the proof, by {}", names.join(" or ")))
    }

    fn values(&self, orders: &Orders, quantity: &Quantity, direction: Direction, digits: u32) -> Result<Values, Error> {
        orders.at(quantity, direction, digits, &self.engines, &Budget::default())
    }

    /// The routes that confirm both values.
    fn names(&self, values: &Values) -> Result<String, Error> {
        let [first, second] = values.claims()?;
        let ([one, two], [how, other]) = (&values.queries, &values.methods);
        let (first, second) = (self.name(one, &first, how)?, self.name(two, &second, other)?);
        Ok(if first == second { first } else { format!("{first} and {second}") })
    }
}

impl Routes {
    /// The route that confirms a value: one of another arithmetic, or else another engine.
    fn name(&self, query: &Query, claim: &Claim, first: &str) -> Result<String, Error> {
        match self.agrees(query, claim, first) {
            Err(error) if !error.is_alarm() => engines::confirm(&self.engines, query, claim, first).map_err(|_| error),
            found => found,
        }
    }
}

impl Values {
    fn claims(&self) -> Result<[Claim; 2], Error> {
        let [first, second] = &self.outcomes;
        Ok([Claim::of(first)?, Claim::of(second)?])
    }
}

fn epsilons(exponentials: &[(u32, u32)]) -> Result<Vec<Real>, Error> {
    let ln = |x: &(u32, u32)| Real::from(Rational::from(*x)).ln().map_err(|error| Error::input(error.to_string()));
    exponentials.iter().map(ln).collect()
}

/// The directions in which profiles say all that is compared.
fn directions(orders: &Orders) -> Result<Vec<Direction>, Error> {
    Ok(match orders.direction {
        Direction::Worst => vec![Direction::Worst],
        _ if order::is_symmetric(&orders.first)? && order::is_symmetric(&orders.second)? => vec![Direction::Forward],
        _ => vec![Direction::Forward, Direction::Backward],
    })
}

/// Do these values show that the relation fails? Where it is at least as private the first errs no less, and loses no
/// more.
fn apart(quantity: &Quantity, relation: Relation, first: &Claim, second: &Claim) -> bool {
    let (Claim::Within(low, high), Claim::Within(lower, upper)) = (first, second) else { return false };
    let first_is_larger = matches!(quantity, Quantity::Delta { .. }) == (relation == Relation::AtLeast);
    if first_is_larger { low > upper } else { high < lower }
}

fn stored(relation: Relation, direction: Direction, quantity: &Quantity, values: &Values) -> Result<Witness, Error> {
    let answer = |outcome| -> Result<Answer, Error> {
        let stored = convert::answer(outcome).ok_or_else(|| Error::internal("a value without a number"))?;
        stored.map_err(|error| Error::input(error.to_string()))
    };
    let [first, second] = &values.outcomes;
    let at = match quantity {
        Quantity::Beta { alpha } => convert::at(&[("alpha", alpha.clone())])?,
        Quantity::Delta { epsilon } => convert::at(&[("epsilon", epsilon.clone())])?,
        _ => return Err(Error::internal("a witness is at an alpha or an epsilon")),
    };
    Ok(Witness { against: relation, at, direction, first: answer(first)?, second: answer(second)? })
}
