//! k-ary randomized response: the true one of k answers with odds of `e^epsilon` against each other answer.
//!
//! **Pair.** With `x = e^epsilon`, P reports the true answer with probability `x/(x+k-1)` and each other one with
//! `1/(x+k-1)`; Q does so with another true answer. The loss is `epsilon` on P's true answer, `-epsilon` on Q's and 0
//! on the others, with masses `x/(x+k-1)`, `1/(x+k-1)` and `(k-2)/(x+k-1)` under P. The pair is symmetric. With two
//! categories it is that of [`RandomizedResponse`](super::RandomizedResponse).

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Discrete, Pair};
use enclosure::Number;

/// k-ary randomized response: the true one of k answers with odds of `e^epsilon` against each other answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KRandomizedResponse {
    epsilon: Real,
    categories: u64,
}

impl KRandomizedResponse {
    pub(super) const ENTRY: Entry = Entry {
        name: "k-randomized-response",
        aliases: &["k-randomised-response"],
        summary: "k-ary randomized response: reports the true one of k answers with probability x/(x+k-1), \
                  x = e^epsilon, and each other answer with probability 1/(x+k-1)",
        pair: "P = (x, 1, 1, ..., 1)/(x+k-1) on k = categories answers; Q = (1, x, 1, ..., 1)/(x+k-1)",
        example: "k-randomized-response(epsilon=ln(3), categories=5)^10",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "epsilon of pure (local) DP, the largest privacy loss, at least 0",
            },
            Parameter {
                name: "p",
                domain: Domain::Probability,
                presence: Presence::InsteadOf("epsilon"),
                loss: Trend::Grows,
                meaning: "probability of the true answer, at least 1/k and less than 1; replaces epsilon, which is \
                          ln(p (k-1)/(1-p))",
            },
            Parameter {
                name: "categories",
                domain: Domain::Integer { least: 2 },
                presence: Presence::Required,
                loss: Trend::Falls,
                meaning: "number k of answers, an integer of at least 2",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon >= 0`, `categories >= 2`.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain.
    pub fn new(epsilon: Real, categories: u64) -> Result<Self, Error> {
        check::nonnegative("epsilon", &epsilon)?;
        enough(categories)?;
        Ok(KRandomizedResponse { epsilon, categories })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let categories = check::count("categories", &given.real("categories", 0)?);
        let categories = given.checked("categories", categories.and_then(|k| enough(k).map(|()| k)))?;
        Ok(KRandomizedResponse { epsilon: epsilon(given, categories)?, categories }.into())
    }

    /// The epsilon of pure DP.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Number of answers.
    pub fn categories(&self) -> u64 {
        self.categories
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        let KRandomizedResponse { epsilon, categories } = self.clone();
        if epsilon.is_zero() {
            return Ok(Pair::Equal);
        }
        if categories == 2 {
            return Pair::response(epsilon, Real::zero());
        }
        let (unit, inside) = (epsilon.clone(), epsilon.clone());
        let lattice = Discrete::symmetric_lattice("k-ary randomized response", unit, 1, move |bits| {
            masses(&epsilon, categories, bits)
        })?;
        Ok(Pair::Discrete(lattice.with_constants(move || constants(&inside, categories))))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("epsilon", Argument::Constant(self.epsilon.clone())),
            ("categories", Argument::Constant(Real::from(self.categories))),
        ]
    }
}

/// The epsilon that is given, or that of `p`, the probability of the true one of this many answers.
pub(super) fn epsilon(given: &Arguments, categories: u64) -> Result<Real, Misfit> {
    if given.has("p") {
        let p = given.real("p", 0)?;
        given.checked("p", check::truth("p", &p, categories))?;
        let odds = p.mul_rational(&(categories - 1).into()).div(&Real::one().sub(&p));
        return given.checked("p", odds.and_then(|odds| odds.ln()));
    }
    let epsilon = given.real("epsilon", 0)?;
    given.checked("epsilon", check::nonnegative("epsilon", &epsilon))?;
    Ok(epsilon)
}

fn enough(categories: u64) -> Result<(), Error> {
    check::count("categories", &Real::from(categories))?;
    if categories < 2 {
        return Err(Error::input(format!("categories must be at least 2, not {categories}")));
    }
    Ok(())
}

/// P-masses of the losses `-epsilon`, 0 and epsilon: `y`, `(k-2) y` and 1, over `1 + (k-1) y`, `y = e^-epsilon`.
fn masses(epsilon: &Real, categories: u64, bits: u32) -> Vec<Number> {
    let y = &Number::one() / &epsilon.exp_number(bits);
    let times = |n: u64| &Number::Exact(n.into()) * &y;
    let all = &Number::one() + &times(categories - 1);
    [y.clone(), times(categories - 2), Number::one()].iter().map(|mass| mass / &all).collect()
}

/// The same as constants.
fn constants(epsilon: &Real, categories: u64) -> Result<Vec<Real>, Error> {
    let y = epsilon.neg().exp()?;
    let times = |n: u64| y.mul_rational(&n.into());
    let all = Real::one().add(&times(categories - 1));
    [y.clone(), times(categories - 2), Real::one()].iter().map(|mass| mass.div(&all)).collect()
}

#[cfg(test)]
mod tests;
