//! Limit theorems among the accounts: approximations, and one bound.

use super::{Goal, Standing};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::theorem::berry_esseen;
use crate::theorem::clt::{Clt, Form};
use crate::theorem::edgeworth::Edgeworth;
use crate::theorem::factors::Factors;
use enclosure::{Budget, Number, Real};

/// The source of the central limit theorem for a composition.
fn central(composition: &Composition) -> &'static str {
    let fails = Factors::of(composition).is_ok_and(|factors| factors.survival != Real::one());
    match (Form::Auto.used(composition).unwrap_or(Form::Auto), fails) {
        (Form::Poisson, _) => "Bu-Dong-Long-Su",
        (Form::Auto, _) => "Bu-Dong-Long-Su for samples; mu of Dong-Roth-Su, Theorem 3.4, for the rest",
        (_, false) => "mu of Dong-Roth-Su, Theorem 3.4",
        (_, true) => "mu of Dong-Roth-Su, Theorem 3.4, beside a failure as in Theorem 3.6",
    }
}

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

    /// Its name and its source, for a composition.
    pub fn name(self, composition: &Composition) -> (&'static str, &'static str) {
        match self {
            Limit::Central => ("central limit theorem", central(composition)),
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
