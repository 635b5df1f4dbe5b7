//! How well a function of private bits can be computed, as a line of JSON: the question, and its answer.
//!
//! `{"quantity": "accuracy", "function": "xor", "parties": 3, "epsilon": ["ln(3)"]}` with a `delta`, an `observer` and
//! the `bits`, as the answer has them: what was answered may be asked again. A `score` is a matrix of constants, and
//! `"rule": true` asks for the best guess after each transcript.

use std::sync::{Arc, OnceLock};

use rug::Rational;
use serde::{Deserialize, Serialize};

use super::{Numbers, OutcomeLine, Status, with_flags};
use crate::alarm::{self, declined};
use crate::answer::Outcome;
use crate::error::Error;
use crate::query::Query;
use crate::statement::MULTIPARTY;
use crate::supervise;
use crate::theorem::multiparty::{
    Function, Guess, Observer, Privacy, Row, Seen, accuracy, check, formula, rule, worst_accuracy, worst_blind,
    worst_rule,
};
use enclosure::{Budget, Enclosure, Number, RationalFunction, Real, Reason, Work, bits_of_digits, refine};

/// Precision of bounds.
const BITS: u32 = 64;

/// Digits of the average accuracy where it is a bound, and the work of the search for it, at most.
const ROUGH: u32 = 4;
const MOMENT: Work = Work::seconds(1);

/// Over the bits of all parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bits {
    /// Each as likely as every other.
    #[default]
    Average,
    /// Those that are hardest to guess from.
    Worst,
}

/// A question, checked.
#[derive(Clone, Debug)]
pub struct Game {
    name: String,
    function: Function,
    epsilons: Vec<Real>,
    deltas: Vec<Real>,
    observer: Observer,
    bits: Bits,
    digits: u32,
    score: Option<Vec<Vec<Rational>>>,
    with_rule: bool,
}

/// The results.
pub struct Accuracy {
    /// The best accuracy, or the largest score.
    pub outcome: Outcome,
    /// That of a guess without the transcript.
    pub blind: Rational,
    /// As a function of x, where it is one.
    pub formula: Option<RationalFunction>,
    /// The best guess after each transcript where it was asked for, or why it was not found.
    pub rule: Option<Result<Vec<Row>, Reason>>,
}

impl Accuracy {
    /// How it went.
    pub fn status(&self) -> Status {
        let rule = if matches!(self.rule, Some(Err(_))) { Status::Undecided } else { Status::Fine };
        Status::from(&self.outcome).and(rule)
    }
}

impl Game {
    /// A function by its name or table, the epsilons and deltas of all parties or of each, and who guesses: 0 has the
    /// transcript alone.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no function, and for lists of another length.
    pub fn new(
        (name, parties): (&str, Option<usize>),
        epsilons: Vec<Real>,
        deltas: Vec<Real>,
        observer: usize,
        bits: Bits,
        digits: u32,
    ) -> Result<Self, Error> {
        let several = [epsilons.len(), deltas.len()].into_iter().find(|count| *count > 1);
        let function = Function::parse(name, parties.or(several))?;
        let epsilons = for_each("epsilon", epsilons, function.parties())?;
        let deltas = for_each("delta", deltas, function.parties())?;
        let observer = if observer == 0 { Observer::Central } else { Observer::Party(observer) };
        let name = name.to_string();
        Ok(Game { name, function, epsilons, deltas, observer, bits, digits, score: None, with_rule: false })
    }

    /// The same with scores of guesses, a row for each value of the function in increasing order; without any, right
    /// guesses count.
    ///
    /// # Errors
    /// [`Error::Input`] for a matrix of another shape, and for entries that are not rational.
    pub fn scored(self, score: &[Vec<Real>]) -> Result<Self, Error> {
        if score.is_empty() {
            return Ok(self);
        }
        let entry = |value: &Real| {
            let rational = value.as_rational().cloned();
            rational.ok_or_else(|| Error::input(format!("a score must be a rational number, not {value}")))
        };
        let row = |row: &Vec<Real>| row.iter().map(entry).collect::<Result<Vec<_>, _>>();
        let score = score.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        Ok(Game { function: self.function.scored(score.clone())?, score: Some(score), ..self })
    }

    /// The same, with the best guess after each transcript.
    #[must_use]
    pub fn with_rule(self, wanted: bool) -> Self {
        Game { with_rule: wanted, ..self }
    }

    /// The epsilon of each party.
    pub fn epsilons(&self) -> &[Real] {
        &self.epsilons
    }

    /// The delta of each party.
    pub fn deltas(&self) -> &[Real] {
        &self.deltas
    }

    /// How many there are.
    pub fn parties(&self) -> usize {
        self.function.parties()
    }

    /// Who guesses.
    pub fn observer(&self) -> Observer {
        self.observer
    }

    /// The best accuracy.
    ///
    /// # Errors
    /// [`Error::Undefined`] for what is no privacy, [`Error::Input`] for what is no party.
    pub fn answer(&self, budget: &Budget) -> Result<Accuracy, Error> {
        let privacies = self.epsilons.iter().zip(&self.deltas);
        let privacies: Vec<Privacy> =
            privacies.map(|(epsilon, delta)| Privacy { epsilon: epsilon.clone(), delta: delta.clone() }).collect();
        check(&self.function, &privacies, self.observer)?;
        let worst = self.bits == Bits::Worst;
        let equal = self.deltas.iter().all(Real::is_zero).then(|| self.epsilons.first()).flatten();
        // At the worst bits the best guess is at random, and no formula is looked for.
        let equal = equal.filter(|first| !worst && self.epsilons.iter().all(|other| other == *first)).cloned();
        let (asked, observer, digits, own) = (self.function.clone(), self.observer, self.digits, budget.clone());
        let with_rule = self.with_rule;
        // Whatever is guessed, at the worst bits it is right no more often than on average: what that comes to is
        // sought first, and is there soon if the other one is.
        let most = Arc::new(OnceLock::new());
        let board = Arc::clone(&most);
        let found = supervise::within(budget, move || {
            if worst {
                let share = own.share((1, 4), Some(MOMENT));
                let average = refine(ROUGH, &share, |bits| accuracy(&asked, &privacies, observer, bits, &share));
                if let Some(average) = declined(average)? {
                    board.get_or_init(|| average.enclosure(BITS).upper().clone());
                }
            }
            let best = if worst { worst_accuracy } else { accuracy };
            let number = refine(digits, &own, |bits| best(&asked, &privacies, observer, bits, &own))?;
            // Where which guess is the likelier one is not found, there is the number alone.
            let formula = match equal.map(|epsilon| formula(&asked, &epsilon, observer, &own)).transpose() {
                Err(Error::Undecided(_)) => None,
                formula => formula?,
            };
            let rows = || {
                if worst {
                    return worst_rule(&asked, &privacies, observer, &own);
                }
                rule(&asked, &privacies, observer, bits_of_digits(digits), &own)
            };
            let rule = match with_rule.then(rows) {
                Some(Err(Error::Undecided(reason))) => Some(Err(reason)),
                Some(rows) => Some(Ok(rows?)),
                None => None,
            };
            Ok::<(Number, _, _), Error>((number, formula, rule))
        });
        let blind = if worst { worst_blind(&self.function, observer)? } else { self.function.blind(observer) };
        let (outcome, formula, rule) = match found {
            Ok((number, formula, rule)) => (Outcome::of(number), formula, rule),
            // A guess may ignore the transcript.
            Err(Error::Undecided(reason)) => {
                let least = Enclosure::rational(&blind, BITS).lower().clone();
                let largest = Enclosure::rational(&self.function.largest_score(), BITS);
                let most = most.get().cloned().unwrap_or_else(|| largest.upper().clone());
                let ends = [least, most].map(|end| Enclosure::new(end.clone(), end));
                let proven =
                    alarm::bracket(&ends[0], &ends[1], "accuracy between that of a guess and the average one")?;
                let rule = with_rule.then(|| Err(reason.clone()));
                (Outcome::Short { proven: proven.into(), reason }, None, rule)
            }
            Err(other) => return Err(other),
        };
        Ok(Accuracy { outcome, blind, formula, rule })
    }

    /// The answer as an object of JSON.
    pub fn line(&self, id: Option<String>, found: &Accuracy) -> AccuracyLine {
        AccuracyLine {
            id,
            quantity: "accuracy",
            function: self.name.clone(),
            parties: self.parties(),
            epsilon: self.epsilons.clone(),
            delta: self.deltas.clone(),
            observer: match self.observer {
                Observer::Central => "central".to_string(),
                Observer::Party(party) => party.to_string(),
            },
            bits: self.bits,
            score: self
                .score
                .as_ref()
                .map(|score| score.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()),
            outcome: OutcomeLine::of(&found.outcome, self.digits),
            blind: found.blind.to_string(),
            formula: found.formula.as_ref().map(ToString::to_string),
            rule: match &found.rule {
                Some(Ok(rows)) => Some(rows.iter().map(|row| RowLine::of(row, self.digits)).collect()),
                _ => None,
            },
            rule_reason: match &found.rule {
                Some(Err(reason)) => Some(with_flags(reason)),
                _ => None,
            },
            statement: MULTIPARTY.citation(),
        }
    }
}

/// The observation of one party: `1`, `1!` for a bit that is known, `[1]` for the own bit.
pub fn seen_text(seen: Seen) -> String {
    match seen {
        Seen::Answer(bit) => u8::from(bit).to_string(),
        Seen::Known(bit) => format!("{}!", u8::from(bit)),
        Seen::Own(bit) => format!("[{}]", u8::from(bit)),
    }
}

/// A row of a rule.
#[derive(Serialize)]
struct RowLine {
    transcript: Vec<String>,
    transcripts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<Numbers>,
    guesses: Vec<GuessLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posterior: Option<Numbers>,
}

/// A guess of a rule.
#[derive(Serialize)]
struct GuessLine {
    value: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<String>,
}

impl RowLine {
    fn of(row: &Row, digits: u32) -> Self {
        let numbers = |i: usize| row.posterior.as_ref().map(|numbers| Numbers::of(&numbers[i], digits));
        let guess = |guess: &Guess| GuessLine {
            value: guess.value,
            probability: guess.probability.as_ref().map(ToString::to_string),
        };
        RowLine {
            transcript: row.seen.iter().map(|seen| seen_text(*seen)).collect(),
            transcripts: row.alike.to_u64().unwrap_or(u64::MAX),
            probability: numbers(0),
            guesses: row.guesses.iter().map(guess).collect(),
            posterior: numbers(1),
        }
    }
}

/// One for all, or one for each.
fn for_each(name: &str, values: Vec<Real>, parties: usize) -> Result<Vec<Real>, Error> {
    match values.as_slice() {
        [one] => Ok(vec![one.clone(); parties]),
        all if all.len() == parties => Ok(values),
        all => Err(Error::input(format!(
            "give {name} once for all parties or once for each of the {parties} parties, not {} times",
            all.len()
        ))),
    }
}

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct AccuracyLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    function: String,
    parties: usize,
    epsilon: Vec<Real>,
    delta: Vec<Real>,
    observer: String,
    /// Over the bits: their average, or at the worst.
    bits: Bits,
    /// What a guess is worth, if it is not 1 for the true value: a row for each value.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Vec<Vec<String>>>,
    #[serde(flatten)]
    outcome: OutcomeLine,
    /// The accuracy of a guess without the transcript.
    blind: String,
    /// As a function of x, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// The best guess after each transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Vec<RowLine>>,
    /// Why it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_reason: Option<String>,
    statement: &'static str,
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a function of private bits, as in {\"quantity\": \"accuracy\", \"function\": \"xor\", \
                                          \"parties\": 3, \"epsilon\": [\"ln(3)\"]}"
)]
pub struct AccuracyQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    function: String,
    parties: Option<usize>,
    epsilon: OneOrMore,
    #[serde(default)]
    delta: Option<OneOrMore>,
    #[serde(default)]
    observer: Option<String>,
    #[serde(default)]
    bits: Bits,
    digits: Option<u32>,
    #[serde(default)]
    score: Vec<Vec<Real>>,
    #[serde(default)]
    rule: bool,
}

/// One number for all, or a list.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a number as a string, such as \"ln(3)\", or a list of them")]
enum OneOrMore {
    One(Real),
    More(Vec<Real>),
}

impl OneOrMore {
    fn list(self) -> Vec<Real> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

/// The most parties there are.
const MOST_PARTIES: usize = 12;

impl AccuracyQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`Game::new`] and [`Game::answer`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let observer = match self.observer.as_deref() {
            None | Some("central") => 0,
            Some(party) => match party.parse::<usize>() {
                Ok(party) if (1..=MOST_PARTIES).contains(&party) => party,
                _ => {
                    return Err(Error::input(
                        "the observer must be \"central\" or the number of a party, such as \"1\"",
                    ));
                }
            },
        };
        if !self.parties.is_none_or(|parties| (1..=MOST_PARTIES).contains(&parties)) {
            return Err(Error::input(format!("parties must be an integer from 1 to {MOST_PARTIES}")));
        }
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        Query::check_digits(digits)?;
        let deltas = self.delta.clone().map_or_else(|| vec![Real::zero()], OneOrMore::list);
        let name = (self.function.as_str(), self.parties);
        let game = Game::new(name, self.epsilon.clone().list(), deltas, observer, self.bits, digits)?;
        let game = game.scored(&self.score)?.with_rule(self.rule);
        let found = game.answer(budget)?;
        let status = found.status();
        Ok((game.line(self.id.clone(), &found), status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(name: &str, epsilons: &[&str], bits: Bits) -> Game {
        let epsilons = epsilons.iter().map(|epsilon| epsilon.parse().expect("a constant")).collect();
        Game::new((name, None), epsilons, vec![Real::zero()], 0, bits, 10).expect("a game")
    }

    /// The bounds of what takes too long: without the transcript, and on average; what takes no time is between both.
    #[test]
    fn without_time_there_are_bounds() {
        let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::ZERO));
        for (name, epsilons) in [("majority", ["1", "2", "1"]), ("and", ["1", "1/2", "1"]), ("xor", ["1", "2", "3"])] {
            let of = |bits, budget: &Budget| game(name, &epsilons, bits).answer(budget).expect("an answer");
            let whole = Budget::default();
            let (worst, average) = (of(Bits::Worst, &whole), of(Bits::Average, &whole));
            let ends = |found: &Accuracy| {
                (found.outcome.lower_f64().expect("a number"), found.outcome.upper_f64().expect("a number"))
            };
            // An invalid query is refused.
            let nobody = Game { observer: Observer::Party(4), ..game(name, &epsilons, Bits::Worst) };
            assert!(matches!(nobody.answer(&none), Err(Error::Input(_))), "{name}");
            assert!(ends(&worst).0 <= ends(&average).1 && ends(&worst).1 >= worst.blind.to_f64(), "{name}");
            for (bits, truth) in [(Bits::Worst, &worst), (Bits::Average, &average)] {
                let short = of(bits, &none);
                assert!(matches!(short.outcome, Outcome::Short { .. }), "{name}");
                let ((low, high), (least, most)) = (ends(&short), ends(truth));
                assert!(low <= most && high >= least && low > 0.0 && high <= 1.0, "{name}: {low} {high}");
            }
        }
    }
}
