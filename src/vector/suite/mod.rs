//! The cases of all vector files. One file per family of mechanisms; regimes are chosen, not gridded.
//!
//! **Cases are only ever appended**: an id is the place of a case in its list, and ids are permanent.

// Without the feature `generate` the cases are unused.
#![cfg_attr(not(feature = "generate"), allow(dead_code))]

mod amplified;
mod calibrate;
mod census;
mod conjugate;
mod counts;
mod cumulants;
mod curve;
mod discrete_gaussian;
mod divergences;
mod enumeration;
mod few_digits;
mod few_samples;
mod finite;
mod fixed_size;
mod flags;
mod functionals;
mod gaussian;
mod guarantee;
mod heterogeneous;
mod kov;
mod laplace;
mod lattice;
mod limits;
mod loss;
mod mixture;
mod multiparty;
mod noisy_cgd;
mod operators;
mod orders;
mod rates;
mod risks;
mod sampled;
mod sampled_gaussian;
mod sampled_laplace;
mod scales;
mod shuffle;
pub mod theorems;

use std::collections::HashSet;

use dpcert_vectors::{Direction, Game, Limit, Stated};

pub use flags::Flag;

use crate::error::Error;
use crate::query::QuantityName;
use crate::vector::few::Ways;
use crate::vector::orders::Orders;
use crate::vector::question::Question;
use crate::vector::stated as vector;
use enclosure::Real;

/// The questions of one vector file.
pub struct Suite {
    /// The family, first part of the file's name.
    pub family: &'static str,
    /// The quantity, second part of the file's name.
    pub quantity: QuantityName,
    /// One line.
    pub title: &'static str,
    /// The errors this file detects that random tests miss.
    pub about: &'static str,
    /// The questions, in the order of their ids.
    pub cases: Vec<Case>,
}

/// One question, with the reason why it is asked.
pub struct Case {
    /// Why.
    pub comment: String,
    /// The regimes it stands for.
    pub flags: Vec<Flag>,
    /// The mechanism as an expression.
    pub mechanism: String,
    /// The coordinate of the point as an expression; empty for a quantity that is taken at no point, and
    /// `epsilon=1, delta=1/10` for one that has two.
    pub at: String,
    /// Of which of the two divergences.
    pub direction: Direction,
    /// Which engine is asked, if it is asked for by name.
    pub ways: Option<Ways>,
    /// What limit theorem is asked, if it is one.
    pub limit: Option<Limit>,
    /// What the mechanism is compared with, if it is.
    pub other: Option<String>,
    /// What theorem is asked of which numbers, if it is one.
    pub theorem: Option<Stated>,
    /// Which function of private bits is computed, if one is.
    pub game: Option<Game>,
}

impl Suite {
    fn new(family: &'static str, quantity: QuantityName, title: &'static str, about: &'static str) -> Self {
        Suite { family, quantity, title, about, cases: Vec::new() }
    }

    /// Append a question about the worst direction.
    fn ask(&mut self, flags: &[Flag], comment: impl Into<String>, mechanism: impl Into<String>, at: impl Into<String>) {
        self.ask_towards(Direction::Worst, flags, comment, mechanism, at);
    }

    /// Append a question about one direction.
    fn ask_towards(
        &mut self,
        direction: Direction,
        flags: &[Flag],
        comment: impl Into<String>,
        mechanism: impl Into<String>,
        at: impl Into<String>,
    ) {
        self.cases.push(Case {
            comment: comment.into(),
            flags: flags.to_vec(),
            mechanism: mechanism.into(),
            at: at.into(),
            direction,
            ways: None,
            limit: None,
            other: None,
            theorem: None,
            game: None,
        });
    }

    /// Append a question about one direction, to one engine.
    fn ask_one(
        &mut self,
        ways: Ways,
        direction: Direction,
        flags: &[Flag],
        comment: impl Into<String>,
        mechanism: impl Into<String>,
        at: impl Into<String>,
    ) {
        self.ask_towards(direction, flags, comment, mechanism, at);
        if let Some(case) = self.cases.last_mut() {
            case.ways = Some(ways);
        }
    }

    /// Append a question about the order of two mechanisms.
    fn ask_order(&mut self, direction: Direction, flags: &[Flag], comment: &str, pair: [&str; 2]) {
        let [first, second] = pair;
        self.ask_towards(direction, flags, comment, first, "");
        if let Some(case) = self.cases.last_mut() {
            case.other = Some(second.to_string());
        }
    }

    /// Append a question about what a limit theorem says.
    fn ask_limit(
        &mut self,
        limit: Limit,
        flags: &[Flag],
        comment: impl Into<String>,
        mechanism: impl Into<String>,
        at: impl Into<String>,
    ) {
        self.ask(flags, comment, mechanism, at);
        if let Some(case) = self.cases.last_mut() {
            case.limit = Some(limit);
        }
    }

    /// Append a question about what a theorem says of numbers.
    fn ask_theorem(&mut self, flags: &[Flag], comment: impl Into<String>, theorem: Stated) {
        self.ask(flags, comment, "", "");
        if let Some(case) = self.cases.last_mut() {
            case.theorem = Some(theorem);
        }
    }

    /// Append a question about a function of private bits.
    fn ask_game(&mut self, flags: &[Flag], comment: impl Into<String>, game: Game) {
        self.ask(flags, comment, "", "");
        if let Some(case) = self.cases.last_mut() {
            case.game = Some(game);
        }
    }

    /// Regimes overlap: a question that an earlier case asks, in whatever words, is not asked again.
    fn without_repetitions(mut self) -> Self {
        let mut asked = HashSet::new();
        let quantity = self.quantity;
        self.cases.retain(|case| match case.question(quantity, 1) {
            Ok(Question::Query(query) | Question::Few(query, _)) => {
                asked.insert((query.to_string(), case.direction, None))
            }
            Ok(Question::Calibration(question)) => asked.insert((question.to_string(), case.direction, None)),
            Ok(Question::Limit(limit, asked_of)) => {
                asked.insert((asked_of.query.to_string(), case.direction, Some(limit)))
            }
            Ok(Question::Order(orders)) => {
                asked.insert((format!("{} {}", orders.first, orders.second), case.direction, None))
            }
            Ok(Question::Theorem(stated)) => asked.insert((format!("{:?}", stated.stored), case.direction, None)),
            Ok(Question::Accuracy(game)) => asked.insert((format!("{:?}", game.stored), case.direction, None)),
            // It is kept, to be refused by name when it is answered.
            Err(_) => true,
        });
        self
    }

    /// The name of the file, without its ending.
    pub fn name(&self) -> String {
        format!("{}-{}", self.family, self.quantity.name())
    }
}

impl Case {
    /// The query about the mechanism.
    pub fn question(&self, quantity: QuantityName, digits: u32) -> Result<Question, Error> {
        if let Some(other) = &self.other {
            return Ok(Question::Order(Orders::new(&self.mechanism, other, self.direction)?));
        }
        if let Some(theorem) = &self.theorem {
            return Ok(Question::Theorem(Box::new(vector::Stated::new(theorem, digits)?)));
        }
        if let Some(game) = &self.game {
            return Ok(Question::Accuracy(Box::new(vector::Game::new(game, digits)?)));
        }
        let asked =
            Question::new(quantity, &self.mechanism, &self.point(quantity)?, self.direction, self.limit, digits)?;
        match (self.ways, asked) {
            (Some(ways), Question::Query(query)) => Ok(Question::Few(query, ways)),
            (Some(_), _) => Err(Error::input("an engine is asked about a curve")),
            (None, asked) => Ok(asked),
        }
    }

    /// The coordinates of the point by name.
    pub fn point(&self, quantity: QuantityName) -> Result<Vec<(&str, Real)>, Error> {
        let read = |text: &str| text.parse::<Real>().map_err(|error| Error::input(error.to_string()));
        if let Some(name) = quantity.coordinate() {
            return Ok(vec![(name, read(&self.at)?)]);
        }
        let named = self.at.split(", ").filter(|part| !part.is_empty()).map(|part| {
            let (name, value) = part.split_once('=').ok_or_else(|| Error::input(format!("{part} is no coordinate")))?;
            Ok((name, read(value)?))
        });
        named.collect()
    }
}

/// All suites, in the order of their files.
pub fn all() -> Vec<Suite> {
    [kov::suites(), heterogeneous::suites(), gaussian::suites(), laplace::suites(), discrete_gaussian::suites()]
        .into_iter()
        .chain([
            finite::suites(),
            lattice::suites(),
            divergences::suites(),
            census::suites(),
            mixture::suites(),
            sampled_gaussian::suites(),
            sampled::suites(),
            enumeration::suites(),
            operators::suites(),
            guarantee::suites(),
            scales::suites(),
            shuffle::suites(),
            noisy_cgd::suites(),
            functionals::suites(),
            risks::suites(),
            calibrate::suites(),
            cumulants::suites(),
            limits::suites(),
            counts::suites(),
            conjugate::suites(),
            few_samples::suites(),
            orders::suites(),
            sampled_laplace::suites(),
            amplified::suites(),
            theorems::suites(),
            multiparty::suites(),
            fixed_size::suites(),
            rates::suites(),
            few_digits::suites(),
            loss::suites(),
        ])
        .flatten()
        .map(Suite::without_repetitions)
        .collect()
}
