//! The bounds proven on an answer so far, by any engine, at any precision and in any direction.
//!
//! It outlives the computation, so an answer that is cancelled, or stops short of the requested digits, has the best
//! bound that was proven. Every record is an enclosure of the quantity itself, in one direction or in both, never of an
//! intermediate value. So any two records contain the true value, and if they are disjoint there is an alarm.

use std::sync::{Mutex, PoisonError};

use super::{Answer, Outcome};
use crate::alarm;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::number::Interval;
use crate::query::{Quantity, Query};
use crate::statement::Statement;
use enclosure::{Enclosure, Number, Reason};

/// Precision of a bound that is exact where it was found.
const BITS: u32 = 128;

/// The name of the quantity that every engine encloses, for alarms.
const ANSWERS: &str = "answer, by two computations,";

/// By which method, from which statement.
pub(super) type By = (&'static str, &'static Statement);

/// Shared between a computation and its caller.
#[derive(Default)]
pub(super) struct Proven {
    /// Forward and backward.
    sides: Mutex<[Option<Found>; 2]>,
}

/// An enclosure, and who made it as narrow as it is.
#[derive(Clone)]
struct Found {
    set: Enclosure,
    by: By,
}

impl Proven {
    /// Take in what was proven of one direction, or with [`Direction::Worst`] of both, which agree.
    ///
    /// # Errors
    /// The alarm if it does not meet what was proven before.
    pub fn record(&self, quantity: &Quantity, side: Direction, value: &Value, by: By) -> Result<(), Error> {
        // An infinite value is an answer at once.
        let Value::Finite(number) = value else { return Ok(()) };
        let set = match number {
            Number::Exact(_) => number.enclosure(BITS),
            Number::Enclosed(set) => set.clone(),
        };
        let set = within_range(quantity, &set)?;
        let mut sides = self.sides.lock().unwrap_or_else(PoisonError::into_inner);
        for (known, here) in sides.iter_mut().zip([Direction::Forward, Direction::Backward]) {
            if side != Direction::Worst && side != here {
                continue;
            }
            *known = Some(match known.take() {
                None => Found { set: set.clone(), by },
                Some(found) => {
                    let both = alarm::meet(&found.set, &set, ANSWERS)?;
                    // From 0 on no bits are known, and a smaller upper end is all there is.
                    let narrower = both.relative_bits() > found.set.relative_bits()
                        || *found.set.lower() == 0 && both.upper() < found.set.upper();
                    Found { set: both, by: if narrower { by } else { found.by } }
                }
            });
        }
        Ok(())
    }

    /// The best enclosure of what is asked: of the worse of both directions, what is not known is whatever it may be.
    /// `None` without an upper bound.
    pub fn best(&self, query: &Query) -> Result<Option<(Interval, By)>, Error> {
        let [forward, backward] = self.sides.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(by) = author(query, forward.as_ref(), backward.as_ref()) else { return Ok(None) };
        let [forward, backward] = [forward, backward].map(|side| side.map(|found| found.set));
        let anything = || within_range(&query.quantity, &Enclosure::whole(BITS));
        let or_anything = |side: Option<Enclosure>| side.map_or_else(anything, Ok);
        let set = match query.direction {
            Direction::Forward => or_anything(forward)?,
            Direction::Backward => or_anything(backward)?,
            Direction::Worst => {
                let (forward, backward) = (or_anything(forward)?, or_anything(backward)?);
                let least = matches!(query.quantity, Quantity::Beta { .. });
                if least { forward.min(&backward) } else { forward.max(&backward) }
            }
        };
        Ok(set.is_bounded().then(|| (set.into(), by)))
    }

    /// How many digits are proven.
    pub fn digits(&self, query: &Query) -> Result<u32, Error> {
        Ok(self.best(query)?.map_or(0, |(set, _)| set.digits()))
    }

    /// The answer when there will be no other: enough digits, fewer, or none at all.
    pub fn answer(&self, query: &Query, reason: Reason) -> Result<Answer, Error> {
        let Some((proven, (method, statement))) = self.best(query)? else {
            return Ok(Answer::from(Outcome::Undecided(reason)));
        };
        let outcome = if proven.digits() >= query.enough {
            Outcome::Enclosure(proven)
        } else {
            Outcome::Short { proven, reason }
        };
        Ok(Answer { method: method.to_string(), statement: Some(statement), ..Answer::from(outcome) })
    }
}

/// Who proved the direction that decides the answer: of both the one with the worse end, the larger upper one or for
/// beta the smaller lower one.
fn author(query: &Query, forward: Option<&Found>, backward: Option<&Found>) -> Option<By> {
    let (Some(one), Some(other)) = (forward, backward) else {
        return forward.or(backward).map(|found| found.by);
    };
    let least = matches!(query.quantity, Quantity::Beta { .. });
    let second = match query.direction {
        Direction::Forward => false,
        Direction::Backward => true,
        Direction::Worst if least => (other.set.lower(), other.set.upper()) < (one.set.lower(), one.set.upper()),
        Direction::Worst => (other.set.upper(), other.set.lower()) > (one.set.upper(), one.set.lower()),
    };
    Some(if second { other.by } else { one.by })
}

/// What lies within the range of the quantity: probabilities, numbers that are not negative, or any.
fn within_range(quantity: &Quantity, set: &Enclosure) -> Result<Enclosure, Error> {
    if quantity.name().is_signed() {
        Ok(set.clone())
    } else if quantity.is_probability() {
        alarm::probability(set, "probability that was asked for")
    } else {
        alarm::not_negative(set, "number that was asked for")
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::alarm::injected;
    use crate::statement;

    const BY: By = ("a test", &statement::GAUSSIAN);

    fn value(lower: f64, upper: f64) -> Value {
        let end = |x| Float::with_val(53, x);
        Value::Finite(Number::Enclosed(Enclosure::new(end(lower), end(upper))))
    }

    fn query(direction: Direction, line: &str) -> Query {
        let query: Query = serde_json::from_str(line).expect("a query");
        query.with_direction(direction)
    }

    const DELTA: &str = r#"{"quantity":"delta","mechanism":"gdp(mu=1)","at":{"epsilon":"1"}}"#;
    const EPSILON: &str = r#"{"quantity":"epsilon","mechanism":"gdp(mu=1)","at":{"delta":"1/10"}}"#;

    fn ends(proven: &Proven, query: &Query) -> Option<(f64, f64)> {
        let best = proven.best(query).expect("no alarm");
        best.map(|(set, _)| (set.lower_f64(), set.upper_f64()))
    }

    /// The author is that of the direction which the answer is of.
    #[test]
    fn worst_answers_name_the_author_of_the_worse_direction() {
        const OTHER: By = ("another test", &statement::LAPLACE);
        const BETA: &str = r#"{"quantity":"beta","mechanism":"gdp(mu=1)","at":{"alpha":"1/10"}}"#;
        for line in [DELTA, EPSILON, BETA] {
            for backward_is_larger in [false, true] {
                let asked = query(Direction::Worst, line);
                let proven = Proven::default();
                let (small, large) = (value(0.25, 0.3125), value(0.5, 0.5625));
                let (forward, backward) = if backward_is_larger { (small, large) } else { (large, small) };
                proven.record(&asked.quantity, Direction::Forward, &forward, BY).expect("no alarm");
                proven.record(&asked.quantity, Direction::Backward, &backward, OTHER).expect("no alarm");
                let author = |direction| {
                    let best = proven.best(&asked.clone().with_direction(direction)).expect("no alarm");
                    best.map(|(_, (method, _))| method)
                };
                let of_backward = backward_is_larger != (line == BETA);
                assert_eq!(author(Direction::Worst), Some(if of_backward { OTHER.0 } else { BY.0 }), "{line}");
                assert_eq!(author(Direction::Forward), Some(BY.0));
                assert_eq!(author(Direction::Backward), Some(OTHER.0));
            }
        }
    }

    /// What one direction proves says something of the worse of both, and no more than that.
    #[test]
    fn one_direction_bounds_the_worse_of_both_on_one_side() {
        let (delta, epsilon) = (query(Direction::Worst, DELTA), query(Direction::Worst, EPSILON));
        let proven = Proven::default();
        assert_eq!(ends(&proven, &delta), None);
        proven.record(&delta.quantity, Direction::Forward, &value(0.25, 0.5), BY).expect("no alarm");
        assert_eq!(ends(&proven, &delta), Some((0.25, 1.0)));
        assert_eq!(ends(&proven, &delta.clone().with_direction(Direction::Forward)), Some((0.25, 0.5)));
        assert_eq!(ends(&proven, &delta.clone().with_direction(Direction::Backward)), Some((0.0, 1.0)));
        proven.record(&delta.quantity, Direction::Backward, &value(0.375, 0.4375), BY).expect("no alarm");
        assert_eq!(ends(&proven, &delta), Some((0.375, 0.5)));
        // Without an upper bound of the other direction there is none of the worse one.
        let proven = Proven::default();
        proven.record(&epsilon.quantity, Direction::Backward, &value(1.0, 2.0), BY).expect("no alarm");
        assert_eq!(ends(&proven, &epsilon), None);
        proven.record(&epsilon.quantity, Direction::Worst, &value(0.5, 1.5), BY).expect("no alarm");
        assert_eq!(ends(&proven, &epsilon), Some((1.0, 1.5)));
    }

    /// Enough digits are an answer, fewer fall short, none are undecided.
    #[test]
    fn digits_decide_what_kind_of_answer_it_is() {
        let asked = query(Direction::Forward, EPSILON);
        let proven = Proven::default();
        let outcome = |proven: &Proven, asked: &Query| proven.answer(asked, "time".into()).expect("no alarm").outcome;
        assert!(matches!(outcome(&proven, &asked), Outcome::Undecided(_)));
        proven.record(&asked.quantity, Direction::Forward, &value(1.0, 1.0 + 2f64.powi(-21)), BY).expect("no alarm");
        assert!(matches!(outcome(&proven, &asked), Outcome::Enclosure(_)));
        assert!(matches!(outcome(&proven, &asked.clone().with_digits(7)), Outcome::Short { .. }));
        assert_eq!(outcome(&proven, &asked.clone().with_digits(7)).digits(), Some(6));
    }

    /// Who lowered the upper end is named, where there is no lower one.
    #[test]
    fn whoever_made_it_narrower_is_named() {
        let asked = query(Direction::Forward, DELTA);
        let proven = Proven::default();
        proven.record(&asked.quantity, Direction::Worst, &value(0.0, 1.0), BY).expect("no alarm");
        proven.record(&asked.quantity, Direction::Forward, &value(0.0, 0.5), ("another", BY.1)).expect("no alarm");
        let named = |proven: &Proven| proven.best(&asked).expect("no alarm").map(|(_, (method, _))| method);
        assert_eq!(named(&proven), Some("another"));
        proven.record(&asked.quantity, Direction::Worst, &value(0.0, 0.75), BY).expect("no alarm");
        assert_eq!(named(&proven), Some("another"));
    }

    #[test]
    fn answers_that_do_not_meet_are_an_alarm() {
        let asked = query(Direction::Forward, DELTA);
        let (found, _) = injected(ANSWERS, || {
            let proven = Proven::default();
            proven.record(&asked.quantity, Direction::Forward, &value(0.25, 0.5), BY)?;
            proven.record(&asked.quantity, Direction::Forward, &value(0.25, 0.5), BY)
        });
        assert!(found.expect_err("a contradiction").is_alarm());
    }
}
