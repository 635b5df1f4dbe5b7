//! The guarantee of zero-concentrated differential privacy (Bun and Steinke 2016): whatever has Renyi divergences of at
//! most `a rho` at every order `a > 1`, in both directions.
//!
//! **Pair.** None: what is known is the bound alone. What follows from it is in `theorem/guarantee.rs`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Whatever is rho-zCDP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zcdp {
    rho: Real,
}

impl Zcdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "zcdp",
        aliases: &[],
        summary: "a guarantee: whatever is rho-zCDP; answered by bounds",
        pair: "none: D_a(P||Q) and D_a(Q||P) are at most a rho at every order a > 1",
        example: "zcdp(rho=1/10)",
        answers: "Answers are upper bounds: they hold for every mechanism that is rho-zCDP.",
        parameters: &[Parameter {
            name: "rho",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "the Renyi divergence of order a is at most a rho, at least 0",
        }],
        build: Self::build,
    };

    /// The guarantee. Domain: `rho`: at least 0.
    pub fn new(rho: Real) -> Result<Self, Error> {
        check::nonnegative("rho", &rho)?;
        Ok(Zcdp { rho })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let rho = given.real("rho", 0)?;
        Ok(given.checked("rho", Zcdp::new(rho))?.into())
    }

    /// Its rho.
    pub fn rho(&self) -> &Real {
        &self.rho
    }

    /// It has none, unless nothing is revealed.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        if self.rho.is_zero() { Ok(Pair::Equal) } else { Err(super::no_pair(Self::ENTRY.name)) }
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("rho", Argument::Constant(self.rho.clone()))]
    }
}
