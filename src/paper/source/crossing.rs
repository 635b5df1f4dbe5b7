//! Where a query passes a level.

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Integer, Rational};
use serde::Deserialize;

use super::super::data::Names;
use super::super::fill::filled;
use super::{Asker, Question, Value, columns, readable, real, unknown};
use crate::error::Error;
use enclosure::decimal::{Side, double};
use enclosure::{Enclosure, Number, Portable};

/// Number of digits that usually decides the side.
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
    #[serde(default = "zero")]
    level: String,
    #[serde(flatten)]
    of: Of,
}

/// What passes the level.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Of {
    /// What `answer` says.
    Query(Question),
    /// A formula without columns.
    Formula(String),
}

fn zero() -> String {
    "0".to_string()
}

impl Crossing {
    /// All texts in which names are filled in, and the name that is its own.
    pub fn texts(&self) -> (Vec<&str>, &str) {
        let own = [&self.from, &self.to, &self.level].map(String::as_str);
        let of = match &self.of {
            Of::Query(query) => query.texts(),
            Of::Formula(text) => vec![text.as_str()],
        };
        (own.into_iter().chain(of).collect(), &self.over)
    }

    /// Can it be read, whatever is filled in?
    pub fn check(&self) -> Result<(), String> {
        match &self.of {
            Of::Query(query) => query.check(),
            Of::Formula(text) if !columns(text).is_empty() => Err("a crossing cannot use columns".into()),
            Of::Formula(text) => readable(text),
        }
    }

    /// On which side of the level the query is, is proven at both ends of what is kept, and differs; so by continuity
    /// there is a crossing between them. Where the query is the level, that is one. The place that is tried next is the
    /// middle, or where a chord of rounded numbers passes the level: a guess, that no proof needs.
    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let end = |what: &str, text: &str| -> Result<Rational, Error> {
            let real = real(what, text, given)?;
            real.as_rational().cloned().ok_or_else(|| Error::input(format!("{what} must be rational, not {real}")))
        };
        let (mut low, mut high) = (end("from", &self.from)?, end("to", &self.to)?);
        let (below, left) = self.side(&low, given, digits)?;
        let (above, right) = self.side(&high, given, digits)?;
        let mut chord = Chord::new(left, right);
        let exact = |at: Rational| Ok(Value::Number(Number::Exact(at)));
        match (below, above) {
            (Ordering::Equal, _) => return exact(low),
            (_, Ordering::Equal) => return exact(high),
            _ if below == above => {
                let reason = format!("the query is on the same side of the level at {low} and at {high}");
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
                return Err(Error::undecided(format!("no crossing near 0 found in {HALVINGS} halvings")));
            }
            let wanted = Rational::from(low.abs_ref()) * &width;
            let place = chord.next(&low, &high, &wanted);
            let (side, lean) = self.side(&place, given, digits)?;
            match side {
                Ordering::Equal => return exact(place),
                side if side == below => {
                    low = place;
                    chord.left(lean);
                }
                _ => {
                    high = place;
                    chord.right(lean);
                }
            }
        }
        let bits = enclosure::bits_of_digits(digits) + 64;
        let ends = [low, high].map(|end| Enclosure::rational(&end, bits));
        Ok(Value::Number(Number::Enclosed(ends[0].hull(&ends[1]))))
    }

    /// Is the query at this place less than the level, or greater? And by how much, about: for guesses.
    fn side(&self, at: &Rational, given: &Names, digits: u32) -> Result<(Ordering, f64), Error> {
        let level = real("level", &self.level, given)?.number(enclosure::bits_of_digits(2 * digits + FEW));
        // What the row says may have the name of the place in it, too.
        let own = Names::from([(self.over.clone(), at.to_string())]);
        let mut names: Names = given.iter().map(|(name, text)| (name.clone(), filled(text, &own))).collect();
        names.extend(own);
        // Each point is a different mechanism, so nothing is cached.
        let asker = Asker::default();
        let value = |digits: u32| match &self.of {
            Of::Query(query) => query.filled(&names)?.ask(digits, &asker),
            Of::Formula(text) => asker.formula(&filled(text, &names), digits, &|name, _| Err(unknown(name))),
        };
        // Close to the crossing, more digits are needed to decide the side.
        for more in [FEW, FEW + 2, digits + FEW, 2 * digits + FEW] {
            match value(more)? {
                Value::Number(number) => {
                    if let Some(order) = number.compare(&level) {
                        return Ok((order, lean(&number, &level)));
                    }
                }
                Value::Infinite => return Ok((Ordering::Greater, f64::INFINITY)),
                Value::Undefined(reason) => return Err(Error::Undefined(reason)),
            }
        }
        Err(Error::undecided(format!("at {at} the query is too close to the level")))
    }
}

/// How far a number is from the level: the logarithm of their ratio where there is one, for deltas of all sizes.
fn lean(number: &Number, level: &Number) -> f64 {
    let [number, level] = [number, level].map(|it| f64::midpoint(double(it, Side::Lower), double(it, Side::Upper)));
    if number > 0.0 && level > 0.0 { (number / level).portable_ln() } else { number - level }
}

/// Guesses where the level is passed: the chord between both ends, of which one that stays counts half (the Illinois
/// method), and the middle where that does not get on.
struct Chord {
    /// How far the query is from the level at both ends.
    ends: (f64, f64),
    /// Which end was moved last.
    moved: Option<Ordering>,
    /// How far apart the ends were when there was a middle last, and guesses since.
    since: Option<(Rational, u32)>,
}

/// Maximum number of consecutive guesses that do not halve the bracket; then the middle is tried.
const GUESSES: u32 = 3;

impl Chord {
    fn new(left: f64, right: f64) -> Self {
        Chord { ends: (left, right), moved: None, since: None }
    }

    /// The left end was moved.
    fn left(&mut self, lean: f64) {
        self.ends.0 = lean;
        if self.moved == Some(Ordering::Less) {
            self.ends.1 /= 2.0;
        }
        self.moved = Some(Ordering::Less);
    }

    /// The right end was moved.
    fn right(&mut self, lean: f64) {
        self.ends.1 = lean;
        if self.moved == Some(Ordering::Greater) {
            self.ends.0 /= 2.0;
        }
        self.moved = Some(Ordering::Greater);
    }

    /// A place between both ends, at least half of what is wanted away from each, and with no more digits than that.
    fn next(&mut self, low: &Rational, high: &Rational, wanted: &Rational) -> Rational {
        let span = Rational::from(high - low);
        let middle = || Rational::from(low + high) / 2u32;
        let guesses = match &self.since {
            Some((before, guesses)) if Rational::from(&span * 2u32).abs() > Rational::from(before.abs_ref()) => {
                *guesses
            }
            _ => 0,
        };
        if guesses == 0 {
            self.since = Some((span.clone(), 0));
        }
        let share = self.ends.0 / (self.ends.0 - self.ends.1);
        let (span_size, wanted_size) = (span.to_f64().abs(), wanted.to_f64());
        let least = wanted_size / 2.0 / span_size;
        // Eight steps of the grid are what is wanted.
        let grid = (wanted_size / 8.0).portable_log2().floor();
        if guesses >= GUESSES || !share.is_finite() || !least.is_finite() || !grid.is_finite() || least >= 0.5 {
            self.since = None;
            return middle();
        }
        self.since = self.since.take().map(|(before, guesses)| (before, guesses + 1));
        let Some(share) = Rational::from_f64(share.clamp(least, 1.0 - least)) else { return middle() };
        let step = if grid < 0.0 { Rational::from((1, Integer::from(1) << -grid as u32)) } else { Rational::from(1) };
        let steps = ((low + span * share) / &step).round();
        steps * step
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

    /// Beside queries, formulas: `s^2` passes 2 at the square root of 2.
    #[test]
    fn formulas_pass_a_level() {
        let text = "over = \"s\"\nfrom = \"1\"\nto = \"2\"\nlevel = \"2\"\nformula = \"({s})^2\"";
        let crossing: Crossing = toml::from_str(text).expect(text);
        let Ok(Value::Number(number)) = crossing.ask(&Names::new(), 12) else { panic!("no number") };
        let (set, truth) = (number.enclosure(200), Enclosure::rational(&Rational::from(2), 200).sqrt());
        assert!(set.lower() < truth.lower() && truth.upper() < set.upper(), "{set:?}");
    }

    /// A crossing is of a query or of a formula, and has no other fields.
    #[test]
    fn crossings_have_no_unknown_fields() {
        let known = "over = \"s\"\nfrom = \"1\"\nto = \"2\"\n";
        let formula = "formula = \"{s}\"";
        assert!(toml::from_str::<Crossing>(&format!("{known}{formula}")).is_ok());
        for other in ["", "levl = \"1\"", "query = { quantity = \"tv\", mechanism = \"gdp(mu={s})\" }"] {
            let formula = if other.is_empty() { "" } else { formula };
            assert!(toml::from_str::<Crossing>(&format!("{known}{formula}\n{other}")).is_err(), "{other}");
        }
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

    /// Whatever the guesses are, each place is between both ends, and they come together: soon where the query is
    /// nearly a power of the place, and after three times as many guesses as there are halvings at the most.
    #[test]
    fn guesses_come_together() {
        let places = |lean: &dyn Fn(f64) -> f64| {
            let (mut low, mut high) = (Rational::from((1, 2)), Rational::from(1));
            let mut chord = Chord::new(lean(0.5), lean(1.0));
            let wanted = Rational::from((1, 10_i64.pow(9)));
            let mut count = 0;
            while Rational::from(&high - &low) > wanted {
                let place = chord.next(&low, &high, &wanted);
                assert!(low < place && place < high, "{low} {place} {high}");
                let there = lean(place.to_f64());
                if there > 0.0 {
                    low = place;
                    chord.left(there);
                } else {
                    high = place;
                    chord.right(there);
                }
                count += 1;
                assert!(count <= 4 * 31, "{low} {high}");
            }
            count
        };
        assert!(places(&|x| -30.0 * (x / 0.838_119).portable_ln()) <= 8);
        assert!(places(&|x| 5.0 / x.sqrt() - 5.5 + x) <= 8);
        for rough in [
            &(|x: f64| if x < 0.7 { 1.0 } else { -1e-9 }) as &dyn Fn(f64) -> f64,
            &|x| if x < 0.5000001 { 1e300 } else { -1.0 },
            &|x| if x < 0.7 { f64::INFINITY } else { -1.0 },
            &|x| if x < 0.7 { f64::NAN } else { f64::NEG_INFINITY },
        ] {
            // A missing number counts as the other side here.
            places(rough);
        }
    }

    #[test]
    fn what_is_on_one_side_has_no_crossing() {
        assert!(matches!(asked("1", "3", "1/3"), Err(Error::Undefined(reason)) if reason.contains("same side")));
    }
}
