//! Privacy filter: decides before each mechanism runs whether the budget still covers it.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::Notion;
use super::notion::Role;
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// Decision of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a refused mechanism must not run"]
pub enum Decision {
    /// The cost is spent and the mechanism may run.
    Granted,
    /// The cost exceeds the remaining budget: nothing is spent, and the mechanism must not run.
    Refused,
}

/// Privacy filter: a fixed budget for adaptively chosen mechanisms, including adaptively chosen parameters.
///
/// A mechanism is granted if and only if `spent + cost <= budget`, in exact fractions. Threads may share a filter;
/// requests are decided one after the other.
///
/// * [`Notion::Gdp`]: the filter theorem of Smith and Thakurta 2022. If on every path of an interaction the costs
///   `mu_i^2` sum to at most `mu^2`, and each mechanism is `mu_i`-GDP given everything before it, the whole interaction
///   is `mu`-GDP.
/// * [`Notion::Zcdp`]: the Renyi filter of Feldman and Zrnic 2021 at all orders at once.
/// * [`Notion::Pure`]: basic composition, which holds on every path (Rogers, Roth, Ullman, Vadhan 2016).
///
/// ```
/// use dpcert::{Decision, Filter, Notion};
///
/// let filter = Filter::new(Notion::Gdp, &"1".parse()?)?;
/// // Three costs of 1/3 use up the budget exactly.
/// for _ in 0..3 {
///     assert_eq!(filter.spend(&"sqrt(1/3)".parse()?)?, Decision::Granted);
/// }
/// assert_eq!(filter.spend(&"1e-100".parse()?)?, Decision::Refused);
/// assert_eq!((filter.spent().to_string(), filter.left().to_string()), ("1".into(), "0".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Filter {
    notion: Notion,
    budget: Rational,
    spent: Mutex<Rational>,
}

impl Filter {
    /// A filter with nothing spent.
    ///
    /// # Errors
    /// Those of [`Notion::cost`].
    pub fn new(notion: Notion, budget: &Real) -> Result<Self, Error> {
        Ok(Filter { notion, budget: notion.exact_cost(budget, Role::Limit)?, spent: Mutex::default() })
    }

    /// Request a mechanism with this parameter, before it runs.
    ///
    /// # Errors
    /// Those of [`Notion::cost`]; nothing is spent then.
    pub fn spend(&self, parameter: &Real) -> Result<Decision, Error> {
        let cost = self.notion.exact_cost(parameter, Role::Spent)?;
        // A thread that panicked while it held the lock left the sum as it was: it is assigned at once.
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let (sum, decision) = decide(&spent, &cost, Some(&self.budget));
        *spent = sum;
        Ok(decision)
    }

    /// Notion of privacy of the budget.
    pub fn notion(&self) -> Notion {
        self.notion
    }

    /// The cost spent so far.
    pub fn spent(&self) -> Fraction {
        Fraction::new(self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The remaining cost.
    pub fn left(&self) -> Fraction {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        Fraction::new(Rational::from(&self.budget - &*spent))
    }
}

/// The rule, for filters in memory and in files: the sum after a request, and whether it was granted. Without a budget
/// everything is.
pub(super) fn decide(spent: &Rational, cost: &Rational, budget: Option<&Rational>) -> (Rational, Decision) {
    let sum = Rational::from(spent + cost);
    match budget {
        Some(budget) if sum > *budget => (spent.clone(), Decision::Refused),
        _ => (sum, Decision::Granted),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    /// Where doubles overspend, and where they refuse: ten times 0.1 is 1, and a hair more is more.
    #[test]
    fn nothing_is_overspent_or_refused_by_a_rounding() {
        for notion in [Notion::Zcdp, Notion::Pure] {
            let filter = Filter::new(notion, &real("1")).expect("a budget");
            for _ in 0..10 {
                assert_eq!(filter.spend(&real("0.1")), Ok(Decision::Granted));
            }
            assert_eq!(filter.spend(&real("1e-300")), Ok(Decision::Refused));
            assert_eq!(filter.spend(&real("0")), Ok(Decision::Granted));
        }
        // 0.1 + 0.1 + 0.1 of doubles is above 0.3.
        let filter = Filter::new(Notion::Pure, &real("0.3")).expect("a budget");
        assert!((0..3).all(|_| filter.spend(&real("0.1")) == Ok(Decision::Granted)));
        assert!([0.1; 3].iter().sum::<f64>() > 0.3);
    }

    /// What fails spends nothing.
    #[test]
    fn bad_amounts_spend_nothing() {
        let filter = Filter::new(Notion::Gdp, &real("1")).expect("a budget");
        for bad in ["-1", "1 + sqrt(2)", "ln(2)"] {
            assert!(matches!(filter.spend(&real(bad)), Err(Error::Input(_))), "{bad}");
        }
        assert_eq!(filter.spent().to_string(), "0");
        assert!(Filter::new(Notion::Gdp, &real("-1")).is_err());
        assert!(Filter::new(Notion::Pure, &real("sqrt(2)")).is_err());
    }

    /// Eight threads ask for 800 hundredths of a budget: exactly 100 get them.
    #[test]
    fn threads_cannot_overspend() {
        let filter = Filter::new(Notion::Gdp, &real("1")).expect("a budget");
        let granted: usize = std::thread::scope(|scope| {
            let ask = || (0..100).filter(|_| filter.spend(&real("0.1")) == Ok(Decision::Granted)).count();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!((granted, filter.left().to_string()), (100, "0".to_string()));
    }

    proptest! {
        /// The sum of what was granted never exceeds the budget, and what was refused would have.
        #[test]
        fn granted_exactly_if_it_fits(costs in prop::collection::vec((0u32..50, 1u32..60), 1..40), budget in 1u32..9) {
            let filter = Filter::new(Notion::Zcdp, &Real::from(u64::from(budget))).expect("a budget");
            let mut sum = Rational::new();
            for (numer, denom) in costs {
                let cost = Rational::from((numer, denom));
                let fits = Rational::from(&sum + &cost) <= budget;
                let decision = filter.spend(&Real::from(cost.clone())).expect("a cost");
                prop_assert_eq!(decision == Decision::Granted, fits);
                if fits {
                    sum += cost;
                }
                prop_assert_eq!(filter.spent().to_string(), sum.to_string());
            }
        }
    }
}
