//! Shuffled reports of an epsilon0-DP local mechanism, by the stronger clones (Feldman, McMillan and Talwar 2023).
//!
//! **Pair.** [`Shuffled`]: the counts of two kinds of reports. With `categories = k` it is exactly what n shuffled
//! reports of k-ary randomized response reveal of one of them. With `k = 2` it is the pair of the stronger clones.
//! Their theorem, taken from the literature, says that the profile of a shuffled epsilon0-private local mechanism is at
//! most the pair's. An erratum of its authors (arXiv 2208.04591) restricts it from every such mechanism to a class,
//! which contains randomized response; `proofs/axioms.md` states the class. The pair is symmetric, its losses go from
//! `-epsilon0` to `epsilon0`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Clones, Pair, Shuffled};

/// Shuffle model: shuffled reports of a local mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shuffle {
    n: u64,
    epsilon0: Real,
    categories: u64,
}

pub(super) const REPORTS: Parameter = Parameter {
    name: "n",
    domain: Domain::Integer { least: 1 },
    presence: Presence::Required,
    loss: Trend::Falls,
    meaning: "number of shuffled reports, an integer of at least 1",
};

pub(super) const EPSILON0: Parameter = Parameter {
    name: "epsilon0",
    domain: Domain::NonNegative,
    presence: Presence::Required,
    loss: Trend::Grows,
    meaning: "local epsilon of each report, at least 0",
};

impl Shuffle {
    pub(super) const ENTRY: Entry = Entry {
        name: "shuffle",
        aliases: &[],
        summary: "shuffle model: n shuffled reports of an epsilon0-DP local mechanism, by the stronger clones or by \
                  k-ary randomized response",
        pair: "P = (A+1, C-A) with probability x/(x+k-1), (A, C-A+1) with 1/(x+k-1), else (A, C-A), C ~ Bin(n-1, \
               2/(x+k-1)), A ~ Bin(C, 1/2), x = e^epsilon0, k = categories; Q = the same with the first two cases \
               exchanged",
        example: "shuffle(n=10000, epsilon0=40/9)",
        answers: "Answers are upper bounds with categories=2, for randomized response and the other local mechanisms \
                  in the class of Feldman, McMillan, Talwar 2023 and its erratum; `shuffle-clones` covers every \
                  local mechanism. With 3 or more categories they are exact for k-ary randomized response.",
        parameters: &[
            REPORTS,
            EPSILON0,
            Parameter {
                name: "categories",
                domain: Domain::Integer { least: 2 },
                presence: Presence::Default("2"),
                loss: Trend::Falls,
                meaning: "number k of answers of k-ary randomized response; 2 gives the stronger-clones bound",
            },
        ],
        build: Self::build,
    };

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let (n, epsilon0) = reports(given)?;
        let categories = check::count("categories", &given.real("categories", 2)?);
        let categories = given.checked("categories", categories.and_then(|k| at_least("categories", 2, k)))?;
        Ok(Shuffle { n, epsilon0, categories }.into())
    }

    /// Number of answers of the randomized response; 2 for the stronger-clones bound.
    pub fn categories(&self) -> u64 {
        self.categories
    }

    /// Number of reports and the epsilon of each.
    #[cfg(feature = "cli")]
    pub fn reports(&self) -> (u64, &Real) {
        (self.n, &self.epsilon0)
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::shuffled(Shuffled::new(self.n, self.epsilon0.clone(), Clones::Response { categories: self.categories }))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("n", Argument::Constant(Real::from(self.n))),
            ("epsilon0", Argument::Constant(self.epsilon0.clone())),
            ("categories", Argument::Constant(Real::from(self.categories))),
        ]
    }
}

/// `n` and `epsilon0`.
pub(super) fn reports(given: &Arguments) -> Result<(u64, Real), Misfit> {
    let n = check::count("n", &given.real("n", 0)?);
    let n = given.checked("n", n.and_then(|n| at_least("n", 1, n)))?;
    let epsilon0 = given.real("epsilon0", 0)?;
    given.checked("epsilon0", check::nonnegative("epsilon0", &epsilon0))?;
    Ok((n, epsilon0))
}

fn at_least(name: &str, least: u64, value: u64) -> Result<u64, Error> {
    if value < least {
        return Err(Error::input(format!("{name} must be at least {least}, not {value}")));
    }
    Ok(value)
}
