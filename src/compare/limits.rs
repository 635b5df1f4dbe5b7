//! Limit theorems among the accounts: approximations, and one bound.

use super::{Goal, Standing};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::theorem::berry_esseen;
use crate::theorem::clt::{Clt, Form};
use crate::theorem::edgeworth::Edgeworth;
use enclosure::{Budget, Number};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The Gaussian that a long composition is near.
    Central,
    /// The upper bound of the same with its error.
    BerryEsseen,
    /// The expansion up to an order.
    Edgeworth(u32),
}

impl Limit {
    /// All, with the orders that are told.
    pub const ALL: [Limit; 5] =
        [Limit::Central, Limit::BerryEsseen, Limit::Edgeworth(1), Limit::Edgeworth(2), Limit::Edgeworth(3)];

    /// Its name and its source.
    pub fn name(self) -> (&'static str, &'static str) {
        match self {
            Limit::Central => ("central limit theorem", "Dong-Roth-Su, Theorem 3.5; Bu-Dong-Long-Su for samples"),
            Limit::BerryEsseen => ("Berry-Esseen, upper bound", "Dong-Roth-Su, Theorem 3.4"),
            Limit::Edgeworth(1) => ("Edgeworth expansion, order 1", "Wang-Gao-Zhang-Su-Shen 2022"),
            Limit::Edgeworth(2) => ("Edgeworth expansion, order 2", "Wang-Gao-Zhang-Su-Shen 2022"),
            Limit::Edgeworth(_) => ("Edgeworth expansion, order 3", "Wang-Gao-Zhang-Su-Shen 2022"),
        }
    }

    /// What it is.
    pub fn standing(self) -> Standing {
        if matches!(self, Limit::BerryEsseen) { Standing::Bound } else { Standing::Approximation }
    }

    /// What it says.
    pub fn ask(self, composition: &Composition, goal: &Goal, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let finite = |set| Value::Finite(Number::Enclosed(set));
        let worst = Direction::Worst;
        match (self, goal) {
            (Limit::Central, Goal::Epsilon { delta }) => {
                Clt::of(composition, Form::Auto, bits, budget)?.epsilon(delta, bits, budget)
            }
            (Limit::Central, Goal::Delta { epsilon }) => {
                Clt::of(composition, Form::Auto, bits, budget)?.delta(epsilon, bits, budget).map(finite)
            }
            (Limit::BerryEsseen, Goal::Epsilon { delta }) => {
                let [_, upper] = berry_esseen::bounds(composition, bits, budget)?.epsilon(delta, bits, budget)?;
                Ok(upper)
            }
            (Limit::BerryEsseen, Goal::Delta { epsilon }) => {
                let [_, upper] = berry_esseen::bounds(composition, bits, budget)?.delta(epsilon, bits, budget)?;
                Ok(finite(upper))
            }
            (Limit::Edgeworth(order), Goal::Epsilon { delta }) => {
                Edgeworth::of(composition, order, bits, budget)?.epsilon(delta, worst, bits, budget)
            }
            (Limit::Edgeworth(order), Goal::Delta { epsilon }) => {
                Edgeworth::of(composition, order, bits, budget)?.delta(epsilon, worst, bits, budget).map(finite)
            }
        }
    }
}
