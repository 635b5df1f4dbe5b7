//! The accounts that are set side by side: what each says of one composition, and whether that is a bound.

mod limits;
mod steps;

use std::cmp::Ordering;
use std::fmt;

use self::limits::Limit;
#[cfg(feature = "cli")]
pub(crate) use self::steps::concentrated;
use self::steps::{Own, concentration, gaussian};
use crate::answer::{Answer, Meaning, Outcome, answer};
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed, of_pairs};
use crate::error::Error;
use crate::mechanism::{Cause, Composition};
use crate::query::{Quantity, Query};
use crate::supervise;
use crate::theorem::guarantee::{At, AtOrder, Conversion, Guarantee, Nearby};
use crate::theorem::kov::{Steps, Theorem, delta_at, epsilon_at};
use crate::theorem::kov_noise::gaussian_epsilon;
use crate::theorem::renyi::{Best, Start, best_delta_from, best_epsilon_from, least_in_doubles};
use crate::theorem::zcdp::Zcdp;
use enclosure::{Budget, Enclosure, Number, Real, Reason, refine};

/// The quantity to compare.
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
    /// The quantity to compute for the composition itself.
    pub fn quantity(&self) -> Quantity {
        match self {
            Goal::Epsilon { delta } => Quantity::Epsilon { delta: delta.clone() },
            Goal::Delta { epsilon } => Quantity::Delta { epsilon: epsilon.clone() },
        }
    }
}

impl Goal {
    /// The point, as a conversion takes it.
    fn at(&self) -> At<'_> {
        match self {
            Goal::Epsilon { delta } => At::Delta(delta),
            Goal::Delta { epsilon } => At::Epsilon(epsilon),
        }
    }
}

/// What a number states about the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// An upper bound.
    Bound,
    /// An approximation, which may be above or below the true value.
    Approximation,
    /// The true value.
    Exact,
}

/// Why an accountant has no number.
#[derive(Clone, Debug)]
pub enum Missing {
    /// A hypothesis fails.
    Undefined(String),
    /// The budget was exhausted.
    Undecided(Reason),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Undefined(reason) => f.write_str(reason),
            Missing::Undecided(reason) => write!(f, "undecided: {reason}"),
        }
    }
}

/// The result of one accountant.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub account: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// What its number is.
    pub standing: Standing,
    /// The number, or why there is none.
    pub value: Result<Value, Missing>,
    /// The delta assigned to each step that has no epsilon at delta 0.
    pub step_delta: Option<Real>,
    /// An enclosure of the best order of a conversion, where that is what it is about.
    pub order: Option<Enclosure>,
    /// Why the number of the composition itself is a bound, where it is one.
    pub cause: Option<Cause>,
}

/// The question, for all accounts.
#[derive(Clone)]
pub struct Comparison {
    pub composition: Composition,
    pub goal: Goal,
    pub digits: u32,
    /// Where the accounts that look for a good order look.
    pub nearby: Nearby,
}

/// An account.
#[derive(Clone, Copy, Debug)]
enum Which {
    Theorem(Theorem),
    Optimal,
    Other(Other),
    Limit(Limit),
    Exact,
}

/// Concentration and Renyi divergences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Gaussian,
    Cdp,
    Zcdp,
    BestZcdp,
    Mironov,
    BestRdp,
    Asoodeh,
}

impl Other {
    const ALL: [Other; 7] =
        [Other::Gaussian, Other::Cdp, Other::Zcdp, Other::BestZcdp, Other::Mironov, Other::BestRdp, Other::Asoodeh];

    fn name(self) -> (&'static str, &'static str) {
        match self {
            Other::Gaussian => ("Gaussian noise, simplified", "KOV appendix B"),
            Other::Cdp => ("CDP", "Dwork-Rothblum, Corollary 3.1"),
            Other::Zcdp => ("zCDP", "Bun-Steinke"),
            Other::BestZcdp => ("zCDP, best order", "Canonne-Kamath-Steinke, Corollary 13"),
            Other::Mironov => ("RDP, by Markov's inequality", "Mironov, Proposition 3, at a good order"),
            Other::BestRdp => ("RDP, best order", "Canonne-Kamath-Steinke, Proposition 12"),
            Other::Asoodeh => ("RDP, by a tangent", "Asoodeh et al. 2020, Lemma 1, at a good order"),
        }
    }
}

/// The exact answer gets at most this part of the time. Every other accountant gets an equal share of the rest.
const EXACT: (u32, u32) = (1, 2);
const SHARES: usize = 6;

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
    let comparison = Comparison { composition: composition.clone(), goal, digits: DRAWN, nearby: Nearby::default() };
    let own = match which {
        Bound::Theorem(_) => Own::of(composition, &comparison.goal, &budget()),
        Bound::Zcdp | Bound::Rdp => Ok(Own::default()),
    };
    let which = match which {
        Bound::Theorem(theorem) => Which::Theorem(theorem),
        Bound::Zcdp => Which::Other(Other::BestZcdp),
        Bound::Rdp => Which::Other(Other::BestRdp),
    };
    let row = comparison.row(which, &own, &budget())?;
    match row.value {
        Ok(Value::Finite(delta)) => Ok(delta),
        Ok(Value::Infinite) => Ok(Number::one()),
        Err(reason) => Err(Error::Undefined(format!("{}: {reason}", row.account))),
    }
}

/// The worst mechanisms with the promises of the steps, whose composition is the optimal one.
///
/// # Errors
/// [`Error::Undefined`] if a step has no epsilon at delta 0.
pub fn worst_steps(composition: &Composition, budget: &Budget) -> Result<Composition, Error> {
    Own::of(composition, &Goal::Delta { epsilon: Real::zero() }, budget)?.worst()
}

impl Comparison {
    /// All rows; the exact answer is the last one, and computed first.
    ///
    /// An accountant that does not finish in its share of the time has a reason instead of a number. This does not
    /// affect the others.
    pub fn rows(&self, budget: &Budget) -> Result<Vec<Row>, Error> {
        let none = Ok(Own::default());
        let exact = self.supervised(Which::Exact, &none, &budget.share(EXACT, None))?;
        let own = {
            let (all, share) = (self.clone(), budget.share((1, 4), None));
            let clock = share.clone();
            supervise::within(&share, move || Own::of(&all.composition, &all.goal, &clock))
        };
        let mut accounts: Vec<Which> = Theorem::ALL.into_iter().map(Which::Theorem).collect();
        accounts.push(Which::Optimal);
        accounts.extend(Other::ALL.map(Which::Other));
        accounts.extend(Limit::ALL.map(Which::Limit));
        let shared = own.as_ref().ok().and_then(|own| own.share.clone());
        let mut rows = Vec::new();
        let mut left = accounts.len();
        for which in accounts {
            let parts = u32::try_from(left.min(SHARES)).unwrap_or(1);
            let mut row = self.supervised(which, &own, &budget.share((1, parts), None))?;
            if matches!(which, Which::Theorem(_) | Which::Optimal) {
                row.step_delta.clone_from(&shared);
            }
            rows.push(row);
            left -= 1;
        }
        rows.push(exact);
        Ok(rows)
    }

    /// A row, given up when its time is over.
    fn supervised(&self, which: Which, own: &Result<Own, Error>, budget: &Budget) -> Result<Row, Error> {
        let (all, own, clock) = (self.clone(), own.clone(), budget.clone());
        match supervise::within(budget, move || all.row(which, &own, &clock)) {
            Err(Error::Undecided(reason)) => {
                let (account, source, standing) = named(which, &self.composition);
                let value = Err(Missing::Undecided(reason));
                Ok(Row { account, source, standing, value, step_delta: None, order: None, cause: None })
            }
            row => row,
        }
    }

    /// The row of an account.
    fn row(&self, which: Which, own: &Result<Own, Error>, budget: &Budget) -> Result<Row, Error> {
        let (account, source, standing) = named(which, &self.composition);
        let row = |value| Row { account, source, standing, value, step_delta: None, order: None, cause: None };
        let ordered = |(value, order)| Row { order, ..row(value) };
        Ok(match which {
            Which::Exact => return self.exact(budget),
            Which::Optimal => row(match own.as_ref().map_err(Clone::clone).and_then(Own::worst) {
                Err(Error::Undefined(reason)) => Err(Missing::Undefined(reason)),
                Err(Error::Undecided(reason)) => Err(Missing::Undecided(reason)),
                Err(other) => return Err(other),
                Ok(worst) => value(&self.ask(&worst, budget)?),
            }),
            Which::Theorem(theorem) => {
                let steps = own.as_ref().map_err(Clone::clone).and_then(|own| Steps::new(own.parts.clone()));
                ordered(self.refined(budget, &|bits| match &self.goal {
                    Goal::Epsilon { delta } => {
                        Ok(epsilon_at(theorem, steps.as_ref().map_err(Clone::clone)?, delta, bits)?.into())
                    }
                    Goal::Delta { epsilon } => {
                        let delta = delta_at(theorem, steps.as_ref().map_err(Clone::clone)?, epsilon, bits)?;
                        Ok(delta.unwrap_or_else(Number::one).into())
                    }
                })?)
            }
            Which::Other(other) => ordered(self.refined(budget, &|bits| self.other(other, bits, budget))?),
            Which::Limit(limit) => {
                let ask = |bits| Ok(limit.ask(&self.composition, &self.goal, bits, budget)?.into());
                ordered(self.refined(budget, &ask)?)
            }
        })
    }

    /// By concentration or Renyi divergences.
    fn other(&self, other: Other, bits: u32, budget: &Budget) -> Result<AtOrder, Error> {
        let Comparison { composition, goal, .. } = self;
        let number = match (other, goal) {
            (Other::Gaussian, Goal::Epsilon { delta }) => gaussian_epsilon(&gaussian(composition)?, delta, bits)?,
            (Other::Gaussian, Goal::Delta { .. }) => {
                gaussian(composition)?;
                return Err(Error::Undefined("this method gives an epsilon at a delta only".into()));
            }
            (Other::Cdp, Goal::Epsilon { delta }) => concentrated(composition)?.epsilon(delta, bits)?,
            (Other::Cdp, Goal::Delta { epsilon }) => concentrated(composition)?.delta(epsilon, bits)?,
            (Other::Zcdp, Goal::Epsilon { delta }) => {
                Zcdp::new(concentration(composition)?)?.bun_steinke(delta)?.number(bits)
            }
            (Other::Zcdp, Goal::Delta { epsilon }) => {
                Zcdp::new(concentration(composition)?)?.bun_steinke_delta(epsilon, bits)?
            }
            (Other::BestZcdp, Goal::Epsilon { delta }) => {
                return Ok(Zcdp::new(concentration(composition)?)?.epsilon_at_best(delta, bits, budget)?.into());
            }
            (Other::BestZcdp, Goal::Delta { epsilon }) => {
                return Ok(Zcdp::new(concentration(composition)?)?.delta_at_best(epsilon, bits, budget)?.into());
            }
            (Other::BestRdp, _) => {
                // Of a guarantee both directions have one bound.
                let bounds = Guarantee::bounds(composition)?.searched_near(&self.nearby);
                if composition.has_guarantee() || bounds.fails() {
                    return bounds.converted_at_best(goal.at(), Conversion::Standard, bits, budget);
                }
                let symmetric = composed(Kind::KullbackLeibler, composition)?.symmetric();
                let near = self.nearby.excess();
                let forward = renyi(composition, goal, (Direction::Forward, near), bits, budget)?;
                if symmetric {
                    return Ok(forward.into());
                }
                return Ok(larger(forward, renyi(composition, goal, (Direction::Backward, near), bits, budget)?).into());
            }
            (Other::Mironov, _) => {
                let bounds = Guarantee::bounds(composition)?.searched_near(&self.nearby);
                return bounds.converted_at_best(goal.at(), Conversion::Mironov, bits, budget);
            }
            (Other::Asoodeh, _) => {
                let bounds = Guarantee::bounds(composition)?.searched_near(&self.nearby);
                return bounds.converted_at_best(goal.at(), Conversion::Asoodeh, bits, budget);
            }
        };
        Ok(number.into())
    }

    /// A number, refined, or why there is none; and the best order that came with it.
    fn refined(&self, budget: &Budget, ask: &dyn Fn(u32) -> Result<AtOrder, Error>) -> Result<Refined, Error> {
        let (mut infinite, mut last) = (false, None);
        let found = refine(self.digits, budget, |bits| {
            let AtOrder { value, order } = ask(bits)?;
            last = order;
            match value {
                Value::Finite(number) => Ok(number),
                Value::Infinite => {
                    infinite = true;
                    Ok(Number::zero())
                }
            }
        });
        match found {
            Ok(_) if infinite => Ok((Ok(Value::Infinite), None)),
            Ok(number) => Ok((Ok(Value::Finite(number)), last)),
            Err(Error::Undefined(reason)) => Ok((Err(Missing::Undefined(reason)), None)),
            Err(Error::Undecided(reason)) => Ok((Err(Missing::Undecided(reason)), None)),
            Err(other) => Err(other),
        }
    }

    /// The truth; what `epsilon` and `delta` answer, where the pair of the composition only dominates the mechanism.
    fn exact(&self, budget: &Budget) -> Result<Row, Error> {
        let found = self.ask(&self.composition, budget)?;
        let (_, cause) = Meaning::of(&self.goal.quantity(), &self.composition, Direction::Worst);
        let (account, standing) = match cause {
            Some(Cause::Guarantee) => ("bound from the guarantee", Standing::Bound),
            Some(_) => ("bound by a dominating pair", Standing::Bound),
            None => ("exact", Standing::Exact),
        };
        let (source, value) = (found.citation(), value(&found));
        Ok(Row { account, source, standing, value, step_delta: None, order: None, cause })
    }

    fn ask(&self, composition: &Composition, budget: &Budget) -> Result<Answer, Error> {
        let query = Query::new(self.goal.quantity(), composition.clone()).with_digits(self.digits);
        answer(&query, budget)
    }
}

/// What an account says, and the best order that came with it.
type Refined = (Result<Value, Missing>, Option<Enclosure>);

/// The larger of two numbers, with its order; where they are not told apart, with both.
fn larger(a: Best, b: Best) -> Best {
    let order = match a.value.compare(&b.value) {
        Some(Ordering::Greater) => a.order,
        Some(Ordering::Less) => b.order,
        _ => a.order.zip(b.order).map(|(a, b)| a.hull(&b)),
    };
    Best { value: a.value.max(&b.value), order }
}

/// The name, the source and the standing of an account.
fn named(which: Which, composition: &Composition) -> (&'static str, &'static str, Standing) {
    let bound = |name, source| (name, source, Standing::Bound);
    match which {
        Which::Theorem(theorem) => bound(
            match theorem {
                Theorem::Basic => "basic composition",
                Theorem::Advanced => "advanced composition",
                Theorem::Refined => "refined advanced composition",
                Theorem::Simplified => "simplified optimal composition",
                Theorem::HighPrivacy => "simplified optimal, high privacy",
                Theorem::Heterogeneous => "heterogeneous composition",
            },
            theorem.citation(),
        ),
        Which::Optimal => bound("optimal composition of the steps", "KOV Theorem 3.3, Murtagh-Vadhan Theorem 1.5"),
        Which::Other(other) => {
            let (name, source) = other.name();
            bound(name, source)
        }
        Which::Limit(limit) => {
            let (name, source) = limit.name(composition);
            (name, source, limit.standing())
        }
        Which::Exact => ("exact", "", Standing::Exact),
    }
}

/// By the best of all orders, in one direction.
fn renyi(
    composition: &Composition,
    goal: &Goal,
    (side, near): (Direction, Option<f64>),
    bits: u32,
    budget: &Budget,
) -> Result<Best, Error> {
    // What pairs keep serves all orders.
    let pairs = composition.pairs()?;
    let orders = |order: &Real, bits: u32| -> Result<Enclosure, Error> {
        match of_pairs(Kind::Renyi(order.clone()), &pairs)?.value(side, bits, budget)? {
            Value::Finite(value) => Ok(value.enclosure(bits)),
            Value::Infinite => Err(Error::Undefined("the Renyi divergences are infinite".into())),
        }
    };
    let place = match goal {
        Goal::Epsilon { delta } => Ok(delta.enclosure(64).ln().upper().to_f64()),
        Goal::Delta { epsilon } => Err(epsilon.to_f64()),
    };
    let whole = of_pairs(Kind::KullbackLeibler, &pairs)?;
    let value = |t: f64| Some(Conversion::Standard.about(t, whole.renyi_sketch(1.0 + t, side)?, place));
    let start = match (least_in_doubles(&value), near) {
        (Some(t), _) => Start::At(t),
        (None, Some(t)) => Start::Near(t),
        (None, None) => Start::Usual,
    };
    match goal {
        Goal::Epsilon { delta } => best_epsilon_from(&orders, delta, start, bits, budget),
        Goal::Delta { epsilon } => {
            // Beyond all losses the bound of order a vanishes as a grows.
            let largest = composed(Kind::Max, composition)?.value(side, bits, budget)?;
            match (largest, epsilon.number(bits)) {
                (Value::Finite(largest), epsilon) if matches!(epsilon.compare(&largest), Some(Ordering::Greater)) => {
                    Ok(Best { value: Number::zero(), order: None })
                }
                _ => best_delta_from(&orders, epsilon, start, bits, budget),
            }
        }
    }
}

/// The number of an answer, or why there is none.
fn value(answer: &Answer) -> Result<Value, Missing> {
    match &answer.outcome {
        Outcome::Infinite => Ok(Value::Infinite),
        Outcome::Undefined(reason) => Err(Missing::Undefined(reason.clone())),
        Outcome::Undecided(reason) => Err(Missing::Undecided(reason.clone())),
        number => {
            number.number().map(Value::Finite).ok_or_else(|| Missing::Undefined("there is no number".to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(mechanism: &str, goal: &Goal) -> Vec<Row> {
        let composition: Composition = mechanism.parse().expect("a composition");
        Comparison { composition, goal: goal.clone(), digits: 6, nearby: Nearby::default() }
            .rows(&Budget::default())
            .expect("accounts")
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

    /// The source is that of the number: 3.5 is about no failures, and neither is its mu the one that is used.
    #[test]
    fn the_central_limit_theorem_cites_what_it_uses() {
        let [_, deltas] = goals();
        for (mechanism, source) in [
            ("laplace(scale=5)^10", "mu of Dong-Roth-Su, Theorem 3.4"),
            ("randomized-response(epsilon=1/10)^10", "mu of Dong-Roth-Su, Theorem 3.4"),
            (
                "approx-dp(epsilon=1/10, delta=1/1000)^10",
                "mu of Dong-Roth-Su, Theorem 3.4, beside a failure as in Theorem 3.6",
            ),
            ("poisson(rate=1/10, gaussian(sigma=1))^10", "Bu-Dong-Long-Su"),
        ] {
            let rows = rows(mechanism, &deltas);
            let row = rows.iter().find(|row| row.account == "central limit theorem").expect("an account");
            assert_eq!(row.source, source, "{mechanism}");
        }
    }

    /// Where delta is positive there is no CDP, and that is known.
    #[test]
    fn infinite_losses_have_no_cdp() {
        let [_, deltas] = goals();
        for mechanism in ["approx-dp(epsilon=1/10, delta=1/1000)^10", "finite(p=[1/2,1/2,0], q=[1/3,1/3,1/3])"] {
            for row in rows(mechanism, &deltas).iter().filter(|row| ["CDP", "zCDP"].contains(&row.account)) {
                let Err(Missing::Undefined(reason)) = &row.value else { panic!("{mechanism}: {row:?}") };
                assert!(reason.contains("parameter of") && reason.contains("is infinite"), "{reason}");
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
