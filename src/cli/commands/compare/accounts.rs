//! The accounts that are set side by side: what each says of one composition, and whether that is a bound.

use std::cmp::Ordering;

use super::limits::Limit;
use super::steps::{Own, concentrated, concentration, gaussian};
use crate::answer::{Answer, Outcome, answer};
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::print::with_flags;
use crate::query::{Quantity, Query};
use crate::theorem::kov::{Steps, Theorem, delta_at, epsilon_at};
use crate::theorem::kov_noise::gaussian_epsilon;
use crate::theorem::renyi::{best_delta, best_epsilon};
use crate::theorem::zcdp::Zcdp;
use enclosure::{Budget, Enclosure, Number, Real, refine};

/// What is compared.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Epsilons at a delta.
    Epsilon {
        /// The delta.
        delta: Real,
    },
    /// Deltas at an epsilon.
    Delta {
        /// The epsilon.
        epsilon: Real,
    },
}

impl Goal {
    fn quantity(&self) -> Quantity {
        match self {
            Goal::Epsilon { delta } => Quantity::Epsilon { delta: delta.clone() },
            Goal::Delta { epsilon } => Quantity::Delta { epsilon: epsilon.clone() },
        }
    }
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// At least the truth.
    Bound,
    /// Near the truth perhaps, on no known side.
    Approximation,
    /// The truth.
    Exact,
}

/// What one account says.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub account: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// What its number is.
    pub standing: Standing,
    /// The number, or why there is none.
    pub value: Result<Value, String>,
    /// The delta that was given to each step without an epsilon of its own.
    pub step_delta: Option<Real>,
}

/// The question, for all accounts.
pub struct Comparison<'a> {
    pub composition: &'a Composition,
    pub goal: Goal,
    pub digits: u32,
    /// A fresh clock for each account.
    pub budget: &'a dyn Fn() -> Budget,
}

/// The accounts that stand beside a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What a theorem says of the promises of the steps.
    Theorem(Theorem),
    /// zCDP, best order.
    Zcdp,
    /// RDP, best order.
    Rdp,
}

/// Digits of a bound that is drawn.
const DRAWN: u32 = 4;

/// The delta of one account at an epsilon, at most 1.
///
/// # Errors
/// [`Error::Undefined`] if the account has none, with its reason.
pub fn bound(
    which: Bound,
    composition: &Composition,
    epsilon: &Real,
    budget: impl Fn() -> Budget,
) -> Result<Number, Error> {
    let goal = Goal::Delta { epsilon: epsilon.clone() };
    let comparison = Comparison { composition, goal, digits: DRAWN, budget: &budget };
    let row = match which {
        Bound::Theorem(theorem) => {
            let own = Own::of(composition, &comparison.goal, &budget())?;
            let steps = Steps::new(own.parts)?;
            let account = |bits: u32, _: &Budget| {
                Ok(Value::Finite(delta_at(theorem, &steps, epsilon, bits)?.unwrap_or_else(Number::one)))
            };
            comparison.row("theorem", theorem.citation(), Standing::Bound, Box::new(account))?
        }
        Bound::Zcdp | Bound::Rdp => {
            let name = if which == Bound::Zcdp { ZCDP } else { RDP };
            let Some((name, source, account)) = comparison.others().into_iter().find(|(known, ..)| *known == name)
            else {
                return Err(Error::Undefined(format!("there is no account {name}")));
            };
            comparison.row(name, source, Standing::Bound, account)?
        }
    };
    match row.value {
        Ok(Value::Finite(delta)) => Ok(delta),
        Ok(Value::Infinite) => Ok(Number::one()),
        Err(reason) => Err(Error::Undefined(format!("{}: {reason}", row.account))),
    }
}

/// The worst mechanisms with the promises of the steps, whose composition is the optimal one.
///
/// # Errors
/// [`Error::Undefined`] where a step has no epsilon of its own.
pub fn worst_steps(composition: &Composition, budget: &Budget) -> Result<Composition, Error> {
    Own::of(composition, &Goal::Delta { epsilon: Real::zero() }, budget)?.worst()
}

/// Names of accounts that are asked for alone.
const ZCDP: &str = "zCDP, best order";
const RDP: &str = "RDP, best order";

/// An account: its number at a precision.
type Account<'a> = Box<dyn Fn(u32, &Budget) -> Result<Value, Error> + 'a>;

impl Comparison<'_> {
    /// All rows, each computed when it is asked for; the exact answer is the last one.
    pub fn rows(&self) -> Result<Vec<Row>, Error> {
        let own = Own::of(self.composition, &self.goal, &(self.budget)());
        let steps = own.clone().and_then(|own| Steps::new(own.parts));
        let mut rows = Vec::new();
        for theorem in Theorem::ALL {
            let name = match theorem {
                Theorem::Basic => "basic composition",
                Theorem::Advanced => "advanced composition",
                Theorem::Refined => "refined advanced composition",
                Theorem::Simplified => "simplified optimal composition",
                Theorem::HighPrivacy => "the same, high privacy",
                Theorem::Heterogeneous => "heterogeneous composition",
            };
            let steps = steps.clone();
            let account = |bits: u32, _: &Budget| match &self.goal {
                Goal::Epsilon { delta } => epsilon_at(theorem, steps.as_ref().map_err(Clone::clone)?, delta, bits),
                Goal::Delta { epsilon } => {
                    let delta = delta_at(theorem, steps.as_ref().map_err(Clone::clone)?, epsilon, bits)?;
                    Ok(Value::Finite(delta.unwrap_or_else(Number::one)))
                }
            };
            rows.push(self.row(name, theorem.citation(), Standing::Bound, Box::new(account))?);
        }
        let share = own.as_ref().ok().and_then(|own| own.share.clone());
        rows.push(self.optimal(own)?);
        for row in &mut rows {
            row.step_delta.clone_from(&share);
        }
        for (name, source, account) in self.others() {
            rows.push(self.row(name, source, Standing::Bound, account)?);
        }
        for limit in Limit::ALL {
            let (name, source) = limit.name();
            let account = move |bits: u32, budget: &Budget| limit.ask(self.composition, &self.goal, bits, budget);
            rows.push(self.row(name, source, limit.standing(), Box::new(account))?);
        }
        rows.push(self.exact()?);
        Ok(rows)
    }

    /// Concentration and Renyi divergences.
    fn others(&self) -> Vec<(&'static str, &'static str, Account<'_>)> {
        let composition = self.composition;
        let goal = &self.goal;
        vec![
            (
                "Gaussian noise, simplified",
                "KOV appendix B",
                Box::new(move |bits, _| {
                    let square = gaussian(composition)?;
                    match goal {
                        Goal::Epsilon { delta } => Ok(Value::Finite(gaussian_epsilon(&square, delta, bits)?)),
                        Goal::Delta { .. } => Err(Error::Undefined("it says no delta at an epsilon".into())),
                    }
                }),
            ),
            (
                "CDP",
                "Dwork-Rothblum, Corollary 3.1",
                Box::new(move |bits, _| {
                    let cdp = concentrated(composition)?;
                    Ok(Value::Finite(match goal {
                        Goal::Epsilon { delta } => cdp.epsilon(delta, bits)?,
                        Goal::Delta { epsilon } => cdp.delta(epsilon, bits)?,
                    }))
                }),
            ),
            (
                "zCDP",
                "Bun-Steinke",
                Box::new(move |bits, _| {
                    let zcdp = Zcdp::new(concentration(composition)?)?;
                    Ok(Value::Finite(match goal {
                        Goal::Epsilon { delta } => zcdp.bun_steinke(delta)?.number(bits),
                        Goal::Delta { epsilon } => zcdp.bun_steinke_delta(epsilon, bits)?,
                    }))
                }),
            ),
            (
                ZCDP,
                "Canonne-Kamath-Steinke, Corollary 13",
                Box::new(move |bits, budget| {
                    let zcdp = Zcdp::new(concentration(composition)?)?;
                    Ok(Value::Finite(match goal {
                        Goal::Epsilon { delta } => zcdp.canonne_kamath_steinke(delta, bits, budget)?,
                        Goal::Delta { epsilon } => zcdp.best_delta(epsilon, bits, budget)?,
                    }))
                }),
            ),
            (
                RDP,
                "Canonne-Kamath-Steinke, Proposition 12",
                Box::new(move |bits, budget| {
                    let forward = renyi(composition, goal, Direction::Forward, bits, budget)?;
                    let backward = renyi(composition, goal, Direction::Backward, bits, budget)?;
                    Ok(Value::Finite(forward.max(&backward)))
                }),
            ),
        ]
    }

    /// The number of an account, refined, or why it has none.
    fn row(&self, account: &'static str, source: &'static str, standing: Standing, ask: Account) -> Result<Row, Error> {
        let budget = (self.budget)();
        let mut infinite = false;
        let found = refine(self.digits, &budget, |bits| match ask(bits, &budget)? {
            Value::Finite(number) => Ok(number),
            Value::Infinite => {
                infinite = true;
                Ok(Number::zero())
            }
        });
        let value = match found {
            Ok(_) if infinite => Ok(Value::Infinite),
            Ok(number) => Ok(Value::Finite(number)),
            Err(Error::Undefined(reason)) => Err(reason),
            Err(Error::Undecided(reason)) => Err(format!("undecided: {}", with_flags(&reason))),
            Err(other) => return Err(other),
        };
        Ok(Row { account, source, standing, value, step_delta: None })
    }

    /// The optimal composition of what each step promises alone.
    fn optimal(&self, own: Result<Own, Error>) -> Result<Row, Error> {
        let (account, source) =
            ("optimal composition of the steps' own", "KOV Theorem 3.3, Murtagh-Vadhan Theorem 1.5");
        let value = match own.and_then(|own| own.worst()) {
            Err(error @ (Error::Undefined(_) | Error::Undecided(_))) => Err(told(&error)),
            Err(other) => return Err(other),
            Ok(worst) => value(&self.ask(&worst)?),
        };
        Ok(Row { account, source, standing: Standing::Bound, value, step_delta: None })
    }

    /// The truth; the best bound where the composition has a guarantee in it.
    fn exact(&self) -> Result<Row, Error> {
        let found = self.ask(self.composition)?;
        let (account, standing) = match found.bound {
            Some(_) => ("all that follows from the guarantee", Standing::Bound),
            None => ("exact", Standing::Exact),
        };
        Ok(Row { account, source: found.citation(), standing, value: value(&found), step_delta: None })
    }

    fn ask(&self, composition: &Composition) -> Result<Answer, Error> {
        let query = Query::new(self.goal.quantity(), composition.clone()).with_digits(self.digits);
        answer(&query, &(self.budget)())
    }
}

/// By the best of all orders, in one direction.
fn renyi(composition: &Composition, goal: &Goal, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let orders = |order: &Real, bits: u32| -> Result<Enclosure, Error> {
        match composed(Kind::Renyi(order.clone()), composition)?.value(side, bits, budget)? {
            Value::Finite(value) => Ok(value.enclosure(bits)),
            Value::Infinite => Err(Error::Undefined("its Renyi divergences are infinite".into())),
        }
    };
    match goal {
        Goal::Epsilon { delta } => best_epsilon(&orders, delta, bits, budget),
        Goal::Delta { epsilon } => {
            // Beyond all losses the bound of order a vanishes as a grows.
            let largest = composed(Kind::Max, composition)?.value(side, bits, budget)?;
            match (largest, epsilon.number(bits)) {
                (Value::Finite(largest), epsilon) if matches!(epsilon.compare(&largest), Some(Ordering::Greater)) => {
                    Ok(Number::zero())
                }
                _ => best_delta(&orders, epsilon, bits, budget),
            }
        }
    }
}

/// The number of an answer, or why there is none.
fn value(answer: &Answer) -> Result<Value, String> {
    match &answer.outcome {
        Outcome::Infinite => Ok(Value::Infinite),
        Outcome::Undefined(reason) => Err(reason.clone()),
        Outcome::Undecided(reason) => Err(format!("undecided: {}", with_flags(reason))),
        number => number.number().map(Value::Finite).ok_or_else(|| "no number".to_string()),
    }
}

fn told(error: &Error) -> String {
    match error {
        Error::Undefined(reason) => reason.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(mechanism: &str, goal: &Goal) -> Vec<Row> {
        let composition: Composition = mechanism.parse().expect("a composition");
        let (goal, budget) = (goal.clone(), Budget::default);
        Comparison { composition: &composition, goal, digits: 6, budget: &budget }.rows().expect("accounts")
    }

    fn goals() -> [Goal; 2] {
        [
            Goal::Epsilon { delta: "1e-3".parse().expect("a delta") },
            Goal::Delta { epsilon: "1/2".parse().expect("an epsilon") },
        ]
    }

    /// What is called a bound is one, whatever is composed and asked, and the last row is the answer itself.
    #[test]
    fn bounds_are_above_what_is_exact() {
        for (mechanism, least) in [
            ("randomized-response(epsilon=1/10)^100", 8),
            ("laplace(scale=5)^30", 8),
            ("gaussian(sigma=4)^10", 2),
            ("poisson(rate=1/10, gaussian(sigma=1))^20", 1),
            ("approx-dp(epsilon=1/10, delta=1/1000000)^30", 4),
            ("discrete-gaussian(sigma2=9)^4", 2),
        ] {
            for goal in goals() {
                let rows = rows(mechanism, &goal);
                let (exact, others) = rows.split_last().expect("rows");
                assert_eq!(exact.standing, Standing::Exact, "{mechanism}");
                let Ok(truth) = &exact.value else { panic!("{mechanism}: {exact:?}") };
                let query = Query::new(goal.quantity(), mechanism.parse().expect("a composition"));
                let answer = answer(&query, &Budget::default()).expect("an answer").outcome;
                let (Value::Finite(told), Some(asked)) = (truth, answer.number()) else { panic!("{mechanism}") };
                assert!(told.enclosure(80).overlaps(&asked.enclosure(80)), "{mechanism}");
                let bounds = others.iter().filter(|row| row.standing == Standing::Bound);
                let mut count = 0;
                for row in bounds {
                    let Ok(value) = &row.value else { continue };
                    assert_ne!(value.compare(truth), Some(Ordering::Less), "{mechanism}: {row:?} {truth:?}");
                    count += 1;
                }
                assert!(count >= least, "{mechanism}: {count} bounds");
            }
        }
    }

    /// By hand: the sum of the epsilons.
    #[test]
    fn basic_composition_adds_up() {
        let [epsilons, _] = goals();
        let rows = rows("randomized-response(epsilon=1/10)^100", &epsilons);
        let basic = rows.iter().find(|row| row.account == "basic composition").expect("an account");
        let Ok(Value::Finite(Number::Exact(sum))) = &basic.value else { panic!("{basic:?}") };
        assert_eq!(*sum, 10);
        assert_eq!(basic.standing, Standing::Bound);
    }
}
