//! The two directions of a pair: the opposite one, and curves that cover both.
//!
//! **Pairs**, with `f = T(P,Q)` of the composition inside:
//!
//! * `inverse(M)` is (Q, P), with `f^-1`;
//! * `symmetrize(M)` has `max(f, f^-1)`: the guarantee of a mechanism that is f-DP for all neighbours in both
//!   directions (Dong, Roth, Su, Proposition 2.4);
//! * `hull(M)` has `min(f, f^-1)**`, the largest trade-off function below both: the guarantee of a mechanism whose
//!   directions differ, as for Poisson samples. Its profile is the larger of both, which is the default direction of
//!   queries; its trade-off function is below the smaller of both where that is not convex.
//!
//! The last two are symmetric, and equal M if M is symmetric.

use super::catalogue::Arguments;
use super::{Argument, Composition, Entry, Mechanism, Misfit};
use crate::error::Error;
use crate::pair::Pair;

macro_rules! orders {
    ($(
        $(#[$doc:meta])*
        $kind:ident, $name:literal, $summary:literal, $pair:literal, $example:literal, $answers:literal, $make:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $kind {
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
                parameters: &[super::COMPOSITION_INSIDE],
                build: Self::build,
            };

            /// The operator on this composition.
            pub fn new(inner: Composition) -> Self {
                $kind { inner }
            }

            /// The composition inside.
            pub(crate) fn inner(&self) -> &Composition {
                &self.inner
            }

            fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
                Ok($kind::new(given.composition("mechanism")?).into())
            }

            /// The pair of output distributions.
            pub(super) fn pair(&self) -> Result<Pair, Error> {
                let make: fn(Pair) -> Result<Pair, Error> = $make;
                make(Pair::several(self.inner.pairs()?))
            }

            pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
                vec![("mechanism", Argument::Mechanism(self.inner.clone()))]
            }
        }
    )*};
}

orders! {
    /// A composition with P and Q exchanged.
    Inverse, "inverse", "opposite direction: P and Q exchanged, trade-off function f^-1",
        "P = Q0; Q = P0, of the composition inside",
        "inverse(poisson(rate=1/10, gaussian(sigma=1)))", "Answers are exact if those of the composition inside are.",
        Pair::inverse;
    /// The larger trade-off function of both directions.
    Symmetrize, "symmetrize",
        "guarantee of a mechanism that is f-DP in both directions: trade-off function max(f, f^-1)",
        "P and Q with trade-off function max(f, f^-1)", "symmetrize(finite(p=[1/2,1/2], q=[1/5,4/5]))",
        "Answers are upper bounds for every mechanism that is f-DP in both directions (Dong, Roth, Su, \
         Proposition 2.4).", Pair::symmetrized;
    /// The largest trade-off function below both directions.
    Hull, "hull", "worst case of both directions: trade-off function min(f, f^-1)**",
        "P and Q with the largest convex trade-off function below f and f^-1",
        "hull(poisson(rate=1/10, gaussian(sigma=1)))",
        "Answers are exact in the worst direction for delta, epsilon, beta and mu of the hull alone, if those of the \
         composition inside are. For other divergences, products and single directions they are upper bounds.",
        Pair::hull;
}
