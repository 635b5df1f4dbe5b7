//! The guarantee of zero-concentrated differential privacy (Bun and Steinke 2016): any mechanism with Renyi divergence
//! at most `a rho` at every order `a > 1`, in both directions.
//!
//! **Pair.** None, only the bound is known. Its consequences are in `theorem/guarantee.rs`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Guarantee of rho-zCDP: every mechanism that satisfies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zcdp {
    rho: Real,
}

impl Zcdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "zcdp",
        aliases: &[],
        summary: "zCDP guarantee (zero-concentrated DP): any rho-zCDP mechanism",
        pair: "no single pair: D_a(P||Q) and D_a(Q||P) are at most a rho at every order a > 1",
        example: "zcdp(rho=1/10)",
        answers: "Answers are upper bounds for every rho-zCDP mechanism.",
        parameters: &[Parameter {
            name: "rho",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "rho of the guarantee, at least 0",
        }],
        build: Self::build,
    };

    /// The guarantee. Domain: `rho >= 0`.
    pub fn new(rho: Real) -> Result<Self, Error> {
        check::nonnegative("rho", &rho)?;
        Ok(Zcdp { rho })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let rho = given.real("rho", 0)?;
        Ok(given.checked("rho", Zcdp::new(rho))?.into())
    }

    /// The rho of the guarantee.
    pub fn rho(&self) -> &Real {
        &self.rho
    }

    /// Two equal distributions for `rho = 0`; otherwise an error, because a guarantee has no pair.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        if self.rho.is_zero() { Ok(Pair::Equal) } else { Err(super::no_pair(Self::ENTRY.name)) }
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("rho", Argument::Constant(self.rho.clone()))]
    }
}
