//! Orders of two compositions for vectors: the verdict, the proof of each relation, and a point for each that fails.

use dpcert_vectors::{Direction, Relation};

use super::sessions::Sessions;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::Fraction;
use crate::order::{self, Place, Relation as Found};
use crate::query::{Quantity, Query};
use enclosure::{Budget, Real};

/// The two compositions, and what is compared of them.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The first.
    pub first: Composition,
    /// The second.
    pub second: Composition,
    /// `forward`, or `worst` for both orders of the neighbours.
    pub direction: Direction,
}

/// The result.
pub struct Verdict {
    /// In a word.
    pub order: dpcert_vectors::Order,
    /// How, for each relation that holds.
    pub proofs: Vec<(Relation, &'static str)>,
    /// For each that does not, what shows it: both curves in this direction, asked for this.
    pub failures: Vec<(Relation, (Direction, Quantity))>,
}

/// Both values at one point.
pub struct Values {
    pub queries: [Query; 2],
    pub outcomes: [Outcome; 2],
    pub methods: [String; 2],
}

impl Orders {
    /// Of these texts.
    ///
    /// # Errors
    /// [`Error::Input`] where one of them is no composition, or for a direction that orders do not have.
    pub fn new(first: &str, second: &str, direction: Direction) -> Result<Self, Error> {
        let read = |text: &str| Composition::parse_closed(text).map_err(|error| Error::input(error.to_string()));
        if direction == Direction::Backward {
            return Err(Error::input("direction of an order must be forward or worst"));
        }
        Ok(Orders { first: read(first)?, second: read(second)?, direction })
    }

    /// The verdict.
    ///
    /// # Errors
    /// Those of [`order::order`], and [`Error::Undecided`] where a relation is neither proven nor refuted.
    pub fn verdict(&self, budget: &Budget) -> Result<Verdict, Error> {
        let found = match self.direction {
            Direction::Worst => order::order_of_both(&self.first, &self.second, budget)?,
            _ => order::order(&self.first, &self.second, budget)?,
        };
        let (mut proofs, mut failures) = (Vec::new(), Vec::new());
        for (relation, found) in [(Relation::AtLeast, found.at_least), (Relation::AtMost, found.at_most)] {
            match found {
                Found::Proven(how) => proofs.push((relation, how)),
                Found::Fails(witness) => {
                    let real = |of: &Fraction| Real::from(of.value().clone());
                    let point = match witness.place() {
                        Place::Alpha(alpha) => (Direction::Forward, Quantity::Beta { alpha: real(alpha) }),
                        Place::Epsilon(epsilon, side) => (*side, Quantity::Delta { epsilon: real(epsilon) }),
                    };
                    failures.push((relation, point));
                }
                Found::Undecided(reason) => return Err(Error::Undecided(reason)),
            }
        }
        let holds = |wanted: Relation| proofs.iter().any(|(relation, _)| *relation == wanted);
        let order = dpcert_vectors::Order::of(holds(Relation::AtLeast), holds(Relation::AtMost));
        Ok(Verdict { order, proofs, failures })
    }

    /// Both curves at a point, by whatever is known from earlier questions.
    ///
    /// # Errors
    /// Those of an answer, and where one of them ends without all digits.
    pub fn at(
        &self,
        quantity: &Quantity,
        direction: Direction,
        digits: u32,
        sessions: &Sessions,
        budget: &Budget,
    ) -> Result<Values, Error> {
        let ask = |of: &Composition| -> Result<(Query, Outcome, String), Error> {
            let query = Query::new(quantity.clone(), of.clone()).with_direction(direction).with_digits(digits);
            let answer = sessions.answer(&query, budget)?;
            match answer.outcome {
                Outcome::Short { reason, .. } | Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
                Outcome::Undefined(reason) => Err(Error::input(reason)),
                outcome => Ok((query, outcome, answer.method)),
            }
        };
        let ((one, first, how), (two, second, other)) = (ask(&self.first)?, ask(&self.second)?);
        Ok(Values { queries: [one, two], outcomes: [first, second], methods: [how, other] })
    }
}
