//! Groups: what another composition shows of `k` records at once.
//!
//! **Pair.** The ends of a chain of k neighbours, each two of which are told apart by the composition inside as its
//! pair (P, Q) says, in the worst such chain: the trade-off function is `1 - (1-f)^(o k)` with `f = T(P,Q)` (Dong,
//! Roth, Su, Theorem 2.14, which cannot be improved for f-DP mechanisms). With one record it is the pair inside, with
//! none nothing is shown. A group of Gaussian noise is Gaussian noise moved k times as far, Laplace noise too; a group
//! of randomised response is *more* private than randomised response of k epsilon, and tends to Laplace noise for
//! `epsilon = mu/k` (Proposition 2.15).
//!
//! Symmetric if the pair inside is. A group of a group of j is a group of `jk`.

use super::catalogue::Arguments;
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// A composition, and a group of records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    k: u64,
    inner: Composition,
}

impl Group {
    pub(super) const ENTRY: Entry = Entry {
        name: "group",
        aliases: &[],
        summary: "a composition, for groups of k records: 1 - (1-f)^(o k)",
        pair: "the ends of the worst chain of k neighbours",
        example: "group(k=3, randomized-response(epsilon=ln(3/2))^2)",
        answers: "Answers are upper bounds: the worst chain of all f-DP mechanisms (Dong, Roth, Su, Theorem 2.14). \
                  They are exact for k = 0 and 1, one query with additive noise, and Gaussian noise.",
        parameters: &[
            Parameter {
                name: "k",
                domain: Domain::Integer { least: 0 },
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "the size of the group, an integer from 0 to 2^63",
            },
            super::COMPOSITION_INSIDE,
        ],
        build: Self::build,
    };

    /// A group of so many.
    pub fn new(k: u64, inner: Composition) -> Self {
        Group { k, inner }
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let k = given.checked("k", check::count("k", &given.real("k", 1)?))?;
        Ok(Group::new(k, given.composition("mechanism")?).into())
    }

    /// The size and what is inside.
    pub(crate) fn parts(&self) -> (u64, &Composition) {
        (self.k, &self.inner)
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Pair::several(self.inner.pairs()?).group(self.k)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("k", Argument::Constant(Real::from(self.k))), ("mechanism", Argument::Mechanism(self.inner.clone()))]
    }
}
