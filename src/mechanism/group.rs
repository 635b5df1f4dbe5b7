//! Group privacy: what a composition reveals about `k` records at once.
//!
//! Data sets that differ in k records are the ends of a chain of k links, each between two neighbours. Let `f = T(P,Q)`
//! for the pair (P, Q) of the composition inside. There are two operators, because a link may go either way:
//!
//! * `group(k, M)` holds for every chain whose links are each bounded by f or by `f^-1`, in any order. A record that is
//!   replaced is such a chain: one record is removed, and another one is added. Each link is bounded by the hull
//!   `h = min(f, f^-1)**`, which is symmetric, so the chain is bounded by `1 - (1-h)^(o k)` (Dong, Roth, Su,
//!   Theorem 2.14, which assumes a symmetric trade-off function). Where f is symmetric h is f, and the bound cannot be
//!   improved for f-DP mechanisms. Otherwise it cannot be improved for h-DP mechanisms, and it is an upper bound for
//!   chains of which more is known.
//! * `group-one-way(k, M)` holds if all k links go the same way: k records are added, or k records are removed. Its
//!   trade-off function is `1 - (1-f)^(o k)`, and `1 - (1-f^-1)^(o k)` in the backward direction. The argument of
//!   Theorem 2.14 gives this without symmetry: it composes the bounds of the links in their order.
//!
//! With `k = 0` nothing is revealed. With `k = 1` both are the composition inside: the only link goes one way or the
//! other, and the direction of the query says which (`worst` takes both).
//!
//! A group of Gaussian noise is Gaussian noise moved k times as far, Laplace noise too; a group of randomized response
//! is *more* private than randomized response of k epsilon, and tends to Laplace noise for `epsilon = mu/k`
//! (Proposition 2.15).
//!
//! `group(k, M)` is symmetric for `k >= 2`, `group-one-way(k, M)` if M is. `group(j, group(k, M))` is `group(j*k, M)`
//! for `k >= 2`, and so is `group-one-way(j, group(k, M))`; `group-one-way(j, group-one-way(k, M))` is
//! `group-one-way(j*k, M)`; `group(j, group-one-way(k, M))` takes the hull of the one-way chain, and is neither.
//! Paper proof: `proofs/paper/operators.md`, groups.

use super::catalogue::Arguments;
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

macro_rules! groups {
    ($(
        $(#[$doc:meta])*
        $kind:ident, $name:literal, $summary:literal, $pair:literal, $example:literal, $answers:literal, $make:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $kind {
            k: u64,
            inner: Composition,
        }

        impl $kind {
            pub(super) const ENTRY: Entry = Entry {
                name: $name,
                aliases: &[],
                summary: $summary,
                pair: $pair,
                example: $example,
                answers: $answers,
                parameters: &[
                    Parameter {
                        name: "k",
                        domain: Domain::Integer { least: 0 },
                        presence: Presence::Required,
                        loss: Trend::Grows,
                        meaning: "group size, an integer from 0 to 2^63",
                    },
                    super::COMPOSITION_INSIDE,
                ],
                build: Self::build,
            };

            /// Group privacy of `inner` for k records.
            pub fn new(k: u64, inner: Composition) -> Self {
                Self { k, inner }
            }

            fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
                let k = given.checked("k", check::count("k", &given.real("k", 1)?))?;
                Ok(Self::new(k, given.composition("mechanism")?).into())
            }

            /// The size and the composition inside.
            pub(crate) fn parts(&self) -> (u64, &Composition) {
                (self.k, &self.inner)
            }

            /// The pair of the ends of the chain.
            pub(super) fn pair(&self) -> Result<Pair, Error> {
                let make: fn(Pair, u64) -> Result<Pair, Error> = $make;
                make(Pair::several(self.inner.pairs()?), self.k)
            }

            pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
                vec![
                    ("k", Argument::Constant(Real::from(self.k))),
                    ("mechanism", Argument::Mechanism(self.inner.clone())),
                ]
            }
        }
    )*};
}

groups! {
    /// Group privacy of a composition for records that are each added or removed.
    Group, "group",
        "group privacy for k records, each added or removed: trade-off function 1 - (1-h)^(o k), h = min(f, f^-1)**",
        "P and Q at the ends of a chain of k neighbours, each step bounded by f or by f^-1; for k = 1 the pair inside",
        "group(k=3, randomized-response(epsilon=ln(3/2))^2)",
        "Answers are upper bounds, for the worst chain of any mechanism with trade-off function h (Dong, Roth, Su, \
         Theorem 2.14). They are exact for k = 0, \
         for k = 1 if those of the composition inside are, for one query with additive noise, and for Gaussian noise.",
        Pair::group;
    /// Group privacy of a composition for records that are all added or all removed.
    GroupOneWay, "group-one-way",
        "group privacy for k records, all added or all removed: trade-off function 1 - (1-f)^(o k)",
        "P and Q at the ends of a chain of k neighbours, each step bounded by f in the direction of the chain",
        "group-one-way(k=2, poisson(rate=1/10, laplace(scale=1)))",
        "Answers are upper bounds, for the worst one-way chain of any mechanism with trade-off function f (Dong, \
         Roth, Su, Theorem 2.14). They are exact for k = 0, \
         for k = 1 if those of the composition inside are, for one query with additive noise, and for Gaussian noise.",
        Pair::group_one_way;
}
