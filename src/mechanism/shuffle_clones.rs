//! Shuffled reports of an epsilon0-DP local mechanism, by the clones of Feldman, McMillan and Talwar 2022.
//!
//! **Pair.** As of [`Shuffle`](super::Shuffle) with two categories, but another report is a clone with probability
//! `e^-epsilon0` only. That the profile of every epsilon0-private local mechanism, adaptively chosen, shuffled, is at
//! most the pair's is their theorem, which is taken from the literature.

use super::catalogue::Arguments;
use super::shuffle::{EPSILON0, REPORTS, reports};
use super::{Argument, Entry, Mechanism, Misfit, Real};
use crate::error::Error;
use crate::pair::{Clones, Pair, Shuffled};

/// Shuffle model, by the clones bound that covers every local mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShuffleClones {
    n: u64,
    epsilon0: Real,
}

impl ShuffleClones {
    pub(super) const ENTRY: Entry = Entry {
        name: "shuffle-clones",
        aliases: &[],
        summary: "shuffle model: n shuffled reports of any epsilon0-DP local mechanism, by the clones of 2022 (a \
                  looser bound than `shuffle`)",
        pair: "P = (A+1, C-A) with probability x/(x+1), else (A, C-A+1), C ~ Bin(n-1, 1/x), A ~ Bin(C, 1/2), x = \
               e^epsilon0; Q = the same with both cases exchanged",
        example: "shuffle-clones(n=10000, epsilon0=2)",
        answers: "Answers are upper bounds for every epsilon0-DP local mechanism (Feldman, McMillan, Talwar 2022).",
        parameters: &[REPORTS, EPSILON0],
        build: Self::build,
    };

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let (n, epsilon0) = reports(given)?;
        Ok(ShuffleClones { n, epsilon0 }.into())
    }

    /// Number of reports and the epsilon of each.
    #[cfg(feature = "cli")]
    pub fn reports(&self) -> (u64, &Real) {
        (self.n, &self.epsilon0)
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::shuffled(Shuffled::new(self.n, self.epsilon0.clone(), Clones::Standard))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("n", Argument::Constant(Real::from(self.n))), ("epsilon0", Argument::Constant(self.epsilon0.clone()))]
    }
}
