//! Dwork and Rothblum's Lemma 3.9 on a pair with bounded losses: the question, and its answer in JSON.
//!
//! `{"quantity": "antipodal", "mechanism": "finite(...)"}`.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{Numbers, Status};
use crate::answer::{Meaning, Outcome, Session};
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Cause, Composition};
use crate::query::{Quantity, Query};
use crate::supervise;
use crate::theorem::functional::Functional;
use crate::theorem::{Antipodal, Chain, in_fractions};
use enclosure::{Budget, Enclosure, Number, bits_of_digits};

/// A mechanism, its antipodal replacement, and the chain of divergences.
pub struct Replaced {
    mechanism: Composition,
    /// The replacement, of masses in fractions.
    pub antipodal: Option<Antipodal>,
    /// The chain, to the digits that were asked for.
    pub chain: Chain,
    /// Which of `KL(P||Q) <= KL(M||N) <= epsilon tanh(epsilon/2) <= epsilon (e^epsilon - 1)/2` are strict; `None` where
    /// that is not told from an equality.
    pub strict: [Option<bool>; 3],
    /// What the numbers say about the mechanism, and why if they are not exact.
    pub meaning: (Option<Meaning>, Option<Cause>),
    digits: u32,
    /// Are all digits there?
    pub status: Status,
}

impl Replaced {
    /// The replacement of a composition.
    ///
    /// # Errors
    /// [`Error::Undefined`] where losses have no bound; [`Error::Undecided`] beyond the budget.
    pub fn new(mechanism: Composition, digits: u32, budget: &Budget) -> Result<Self, Error> {
        Query::check_digits(digits)?;
        if mechanism.has_guarantee() {
            return Err(Error::input(format!("{mechanism} contains a guarantee, which has no pair (P, Q) to replace")));
        }
        let meaning = Meaning::of(&Quantity::Kl, &mechanism, Direction::Forward);
        let meaning = (Some(meaning.0), meaning.1);
        let Some(pair) = in_fractions(&mechanism)? else {
            let (chain, status) = asked(&mechanism, digits, budget)?;
            let less = |one: &Number, other: &Number| (one.compare(other) == Some(Ordering::Less)).then_some(true);
            let strict = [
                less(&chain.forward, &chain.antipodal),
                less(&chain.antipodal, &chain.sharp),
                less(&chain.sharp, &chain.printed),
            ];
            return Ok(Replaced { mechanism, antipodal: None, chain, strict, meaning, digits, status });
        };
        let antipodal = Antipodal::new(pair)?;
        let (whole, own) = (antipodal.clone(), budget.clone());
        let chain = supervise::within(budget, move || whole.chain(digits, &own))?;
        let strict = antipodal.strict().map(Some);
        let status = Status::Fine;
        Ok(Replaced { mechanism, antipodal: Some(antipodal), chain, strict, meaning, digits, status })
    }

    /// The answer as an object of JSON.
    pub fn line(&self, asked: Option<Asked>) -> impl Serialize + use<> {
        let numbers = |number| Numbers::of(number, self.digits);
        Line {
            asked,
            mechanism: self.mechanism.to_string(),
            meaning: self.meaning.0,
            because: self.meaning.1.map(Cause::reason),
            replacement: self.antipodal.clone(),
            epsilon: numbers(&self.chain.epsilon),
            tv: numbers(&self.chain.total_variation),
            kl_forward: numbers(&self.chain.forward),
            kl_backward: numbers(&self.chain.backward),
            epsilon_times_tv: numbers(&self.chain.antipodal),
            epsilon_times_tanh: numbers(&self.chain.sharp),
            printed_bound: numbers(&self.chain.printed),
            strict: self.strict,
        }
    }
}

/// The chain of a mechanism whose outcomes are no list of fractions, each member as a separate query.
fn asked(mechanism: &Composition, digits: u32, budget: &Budget) -> Result<(Chain, Status), Error> {
    let session = Session::new(mechanism.clone(), Method::Auto);
    let mut status = Status::Fine;
    let mut number = |quantity: Quantity, direction, digits| -> Result<Number, Error> {
        let query = Query::new(quantity, mechanism.clone()).with_direction(direction).with_digits(digits);
        let answer = session.answer(&query, &budget.share((1, 3), None))?;
        status = status.and((&answer.outcome).into());
        match answer.outcome {
            Outcome::Infinite => Err(Error::Undefined(format!(
                "the privacy loss of {mechanism} is unbounded, so no antipodal pair dominates it"
            ))),
            Outcome::Undefined(reason) => Err(Error::Undefined(reason)),
            Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
            outcome => outcome.number().ok_or_else(|| Error::internal("an answer without a number")),
        }
    };
    // The last members are functions of epsilon, and lose a digit or two to it.
    let largest = number(Quantity::Max, Direction::Worst, digits.saturating_add(3).min(Query::MAX_DIGITS))?;
    let chain = Chain {
        total_variation: number(Quantity::Tv, Direction::Worst, digits)?,
        forward: number(Quantity::Kl, Direction::Forward, digits)?,
        backward: number(Quantity::Kl, Direction::Backward, digits)?,
        antipodal: number(Quantity::Functional(Functional::Antipodal), Direction::Worst, digits)?,
        sharp: of_epsilon(&largest, digits, |epsilon| epsilon * &epsilon.shift(-1).tanh()),
        printed: of_epsilon(&largest, digits, |epsilon| (epsilon * &epsilon.expm1()).shift(-1)),
        epsilon: largest,
    };
    Ok((chain, status))
}

/// A function of an epsilon.
fn of_epsilon(epsilon: &Number, digits: u32, function: impl Fn(&Enclosure) -> Enclosure) -> Number {
    Number::Enclosed(function(&epsilon.enclosure(bits_of_digits(digits).saturating_add(64))))
}

/// What a line of JSON asked.
#[derive(Serialize)]
pub struct Asked {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
}

/// The JSON object: the exact replacement, then the chain of enclosures. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    asked: Option<Asked>,
    mechanism: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Meaning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(flatten)]
    replacement: Option<Antipodal>,
    epsilon: Numbers,
    tv: Numbers,
    kl_forward: Numbers,
    kl_backward: Numbers,
    epsilon_times_tv: Numbers,
    epsilon_times_tanh: Numbers,
    printed_bound: Numbers,
    strict: [Option<bool>; 3],
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a mechanism, as in {\"quantity\": \"antipodal\", \
                                          \"mechanism\": \"finite(p=[1/2,1/2], q=[1/3,2/3])\"}"
)]
pub struct AntipodalQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    digits: Option<u32>,
}

impl AntipodalQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`Replaced::new`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let digits = self.digits.unwrap_or(Query::DEFAULT_DIGITS);
        let found = Replaced::new(self.mechanism.clone(), digits, budget)?;
        let asked = Asked { id: self.id.clone(), quantity: "antipodal" };
        Ok((found.line(Some(asked)), found.status))
    }
}
