//! Where a query passes a level.

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Integer, Rational};
use serde::Deserialize;

use super::super::data::Names;
use super::super::fill::filled;
use super::{Asker, Question, Value, real};
use crate::error::Error;
use enclosure::{Enclosure, Number};

/// Digits that tell a side, mostly.
const FEW: u32 = 4;

/// More halvings than this are not tried.
const HALVINGS: u32 = 2000;

/// Where a query that is continuous in a number passes a level, between two numbers with the level between their
/// values. There is such a place; that there is no other is not claimed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossing {
    /// What the number is called in the query.
    over: String,
    from: String,
    to: String,
    level: String,
    query: Question,
}

impl Crossing {
    /// All texts in which names are filled in, and the name that is its own.
    pub fn texts(&self) -> (Vec<&str>, &str) {
        let own = [&self.from, &self.to, &self.level].map(String::as_str);
        (own.into_iter().chain(self.query.texts()).collect(), &self.over)
    }

    /// What is asked.
    pub fn query(&self) -> &Question {
        &self.query
    }

    /// By halving: on which side of the level the query is, is proven at both ends of what is kept, and differs; so by
    /// continuity there is a crossing between them. Where the query is the level, that is one.
    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let end = |what: &str, text: &str| -> Result<Rational, Error> {
            let real = real(what, text, given)?;
            real.as_rational().cloned().ok_or_else(|| Error::input(format!("{what} must be rational, got {real}")))
        };
        let (mut low, mut high) = (end("from", &self.from)?, end("to", &self.to)?);
        let (below, above) = (self.side(&low, given, digits)?, self.side(&high, given, digits)?);
        let exact = |at: Rational| Ok(Value::Number(Number::Exact(at)));
        match (below, above) {
            (Ordering::Equal, _) => return exact(low),
            (_, Ordering::Equal) => return exact(high),
            _ if below == above => {
                let reason = format!("at {low} and at {high} the query is on the same side of the level");
                return Err(Error::Undefined(reason));
            }
            _ => {}
        }
        let width = Rational::from((1, Integer::from(10).pow(digits + 1)));
        let near = |low: &Rational, high: &Rational| {
            Rational::from(high - low).abs() <= Rational::from(low.abs_ref()) * &width
        };
        let mut halvings = 0;
        while !near(&low, &high) {
            halvings += 1;
            if halvings > HALVINGS {
                return Err(Error::undecided(format!("a crossing near 0 was not found in {HALVINGS} halvings")));
            }
            let middle = Rational::from(&low + &high) / 2u32;
            match self.side(&middle, given, digits)? {
                Ordering::Equal => return exact(middle),
                side if side == below => low = middle,
                _ => high = middle,
            }
        }
        let bits = enclosure::bits_of_digits(digits) + 64;
        let ends = [low, high].map(|end| Enclosure::rational(&end, bits));
        Ok(Value::Number(Number::Enclosed(ends[0].hull(&ends[1]))))
    }

    /// Is the query at this place less than the level, or greater?
    fn side(&self, at: &Rational, given: &Names, digits: u32) -> Result<Ordering, Error> {
        let level = real("level", &self.level, given)?.number(enclosure::bits_of_digits(2 * digits + FEW));
        // What the row says may have the name of the place in it, too.
        let own = Names::from([(self.over.clone(), at.to_string())]);
        let mut names: Names = given.iter().map(|(name, text)| (name.clone(), filled(text, &own))).collect();
        names.extend(own);
        let query = self.query.filled(&names)?;
        // Each place is a mechanism of its own, of no use for the next.
        let asker = Asker::default();
        // Near the crossing more digits are wanted to tell the side.
        for more in [FEW, digits + FEW, 2 * digits + FEW] {
            match query.clone().ask(more, &asker)? {
                Value::Number(number) => {
                    if let Some(order) = number.compare(&level) {
                        return Ok(order);
                    }
                }
                Value::Infinite => return Ok(Ordering::Greater),
                Value::Undefined(reason) => return Err(Error::Undefined(reason)),
            }
        }
        Err(Error::undecided(format!("at {at} the query is too close to the level")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(from: &str, to: &str, level: &str) -> Result<Value, Error> {
        let text = format!(
            "over = \"s\"\nfrom = \"{from}\"\nto = \"{to}\"\nlevel = \"{level}\"\n\
             query = {{ quantity = \"delta\", mechanism = \"{{m}}\", at = {{ epsilon = \"0\" }} }}"
        );
        let crossing: Crossing = toml::from_str(&text).expect(&text);
        let names = Names::from([("m".to_string(), "randomized-response(epsilon={s})".to_string())]);
        crossing.ask(&names, 12)
    }

    /// At `epsilon = 0` delta is `tanh(s/2)`, which is 1/3 at `s = ln 2` and 0 at 0.
    #[test]
    fn crossings_hold_the_place() {
        for (from, to) in [("1/10", "3"), ("3", "1/10")] {
            let Ok(Value::Number(number)) = asked(from, to, "1/3") else { panic!("{from}, {to}") };
            let (set, truth) = (number.enclosure(200), Enclosure::rational(&Rational::from(2), 200).ln());
            assert!(set.lower() < truth.lower() && truth.upper() < set.upper(), "{set:?}");
            let width = set.upper().to_rational().unwrap() - set.lower().to_rational().unwrap();
            assert!(width < Rational::from((1, 10_i64.pow(12))), "{set:?}");
        }
        assert!(matches!(asked("0", "1", "0"), Ok(Value::Number(Number::Exact(zero))) if zero == 0));
    }

    #[test]
    fn what_is_on_one_side_has_no_crossing() {
        assert!(matches!(asked("1", "3", "1/3"), Err(Error::Undefined(reason)) if reason.contains("same side")));
    }
}
