//! The guarantee of Renyi differential privacy (Mironov 2017): any mechanism with Renyi divergence at most epsilon at
//! one order above 1, in both directions.
//!
//! **Pair.** None, only the bound is known. Its consequences are in `theorem/guarantee.rs`.

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Guarantee of (order, epsilon)-RDP: every mechanism that satisfies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rdp {
    order: Real,
    epsilon: Real,
}

impl Rdp {
    pub(super) const ENTRY: Entry = Entry {
        name: "rdp",
        aliases: &[],
        summary: "RDP guarantee (Renyi DP) at one order: any (order, epsilon)-RDP mechanism",
        pair: "no single pair: D_order(P||Q) and D_order(Q||P) are at most epsilon",
        example: "rdp(order=8, epsilon=1/4)^10",
        answers: "Answers are upper bounds for every (order, epsilon)-RDP mechanism.",
        parameters: &[
            Parameter {
                name: "order",
                domain: Domain::AboveOne,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "order of the Renyi divergence, greater than 1",
            },
            Parameter {
                name: "epsilon",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "upper bound on the divergence of this order, at least 0",
            },
        ],
        build: Self::build,
    };

    /// The guarantee. Domain: `order > 1`, `epsilon >= 0`.
    pub fn new(order: Real, epsilon: Real) -> Result<Self, Error> {
        check::above_one("order", &order)?;
        check::nonnegative("epsilon", &epsilon)?;
        Ok(Rdp { order, epsilon })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let (order, epsilon) = (given.real("order", 0)?, given.real("epsilon", 0)?);
        given.checked("order", check::above_one("order", &order))?;
        Ok(given.checked("epsilon", Rdp::new(order, epsilon))?.into())
    }

    /// Order of the Renyi divergence.
    pub fn order(&self) -> &Real {
        &self.order
    }

    /// Upper bound on the divergence.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Two equal distributions for `epsilon = 0`; otherwise an error, because a guarantee has no pair.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        if self.epsilon.is_zero() { Ok(Pair::Equal) } else { Err(super::no_pair(Self::ENTRY.name)) }
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("order", Argument::Constant(self.order.clone())), ("epsilon", Argument::Constant(self.epsilon.clone()))]
    }
}
