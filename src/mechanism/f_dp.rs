//! The guarantee of f-differential privacy: any mechanism whose trade-off function is nowhere below f.
//!
//! **Pair.** The worst case of all mechanisms that satisfy the guarantee, the pair with trade-off function f. Every
//! pair that is at least as hard to distinguish is a post-processing of it (Blackwell 1953; Dong, Roth, Su, Theorem
//! 2.10). So its numbers bound all of these mechanisms, alone, on a Poisson sample and in any composition (Theorem
//! 3.2), and the bound is tight.

use super::catalogue::Arguments;
use super::points::list;
use super::{Argument, Entry, Mechanism, Misfit, Real, TradeOffPoints};
use crate::error::Error;
use crate::pair::Pair;

/// Guarantee of f-DP, for the piecewise-linear f through given points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FDp {
    f: TradeOffPoints,
}

impl FDp {
    pub(super) const ENTRY: Entry = Entry {
        name: "f-dp",
        aliases: &["f"],
        summary: "f-DP guarantee: any mechanism whose trade-off function is at least f, the piecewise-linear function \
                  through given points",
        pair: "P and Q with trade-off function f, the worst case",
        example: "f-dp(alpha=[0,1/4,1], beta=[1,1/4,0])",
        answers: "Answers are upper bounds for every f-DP mechanism.",
        parameters: &[
            list("alpha", "type I errors, fractions that increase from 0 to 1"),
            list("beta", "values of f there (smallest type II errors), fractions, the last one 0"),
        ],
        build: Self::build,
    };

    /// The guarantee for the function through these points. Domain: fractions that are points of a trade-off function.
    ///
    /// # Errors
    /// Those of [`TradeOffPoints::new`].
    pub fn new(alpha: Vec<Real>, beta: Vec<Real>) -> Result<Self, Error> {
        Ok(FDp { f: TradeOffPoints::new(alpha, beta)? })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let promised = FDp::new(given.list("alpha")?.to_vec(), given.list("beta")?.to_vec());
        Ok(given.checked("beta", promised)?.into())
    }

    /// The worst-case pair.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        self.f.pair()
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        self.f.arguments()
    }
}
