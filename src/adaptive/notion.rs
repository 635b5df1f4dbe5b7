//! The three guarantees whose costs add up under fully adaptive composition.

use std::cmp::Ordering;
use std::fmt;

use rug::Rational;

use crate::error::Error;
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Number, Real};

/// Notion of privacy of a budget.
///
/// Each notion has a parameter and a *cost* that adds up under fully adaptive composition. Costs are fractions, so sums
/// and comparisons are exact: rounding never overspends the budget and never refuses a mechanism that fits.
///
/// ```
/// use dpcert::{Notion, Real};
///
/// let mu: Real = "sqrt(1/3)".parse()?;
/// assert_eq!(Notion::Gdp.cost(&mu)?.to_string(), "1/3");
/// // The square of this mu is irrational.
/// assert!(Notion::Gdp.cost(&"1 + sqrt(2)".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notion {
    /// Gaussian differential privacy: the squares of mu add up (Smith, Thakurta 2022).
    Gdp,
    /// Zero-concentrated differential privacy: rho adds up (Feldman, Zrnic 2021, at every Renyi order).
    Zcdp,
    /// Pure differential privacy: epsilon adds up (Rogers, Roth, Ullman, Vadhan 2016).
    Pure,
}

/// What an amount is for: rounding is safe upward for what is spent, downward for what may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is spent.
    Spent,
    /// It is the most that may be spent, or a level.
    Limit,
}

/// Bits of a cost, numerator and denominator together: sums of thousands stay quick.
const MOST_BITS: u32 = 2048;

/// Digits of the decimal that is proposed for what is no fraction.
const DIGITS: u32 = 12;

impl Notion {
    /// All of them.
    pub(crate) const ALL: [Notion; 3] = [Notion::Gdp, Notion::Zcdp, Notion::Pure];

    /// The parameter's name.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Notion::Gdp => "mu",
            Notion::Zcdp => "rho",
            Notion::Pure => "epsilon",
        }
    }

    /// The name of what adds up.
    pub(crate) fn cost_name(self) -> &'static str {
        match self {
            Notion::Gdp => "mu^2",
            Notion::Zcdp => "rho",
            Notion::Pure => "epsilon",
        }
    }

    /// Cost of a mechanism with this parameter: `mu^2`, `rho` or `epsilon`, as a fraction.
    ///
    /// # Errors
    /// [`Error::Input`] for a negative parameter, and for a cost that is irrational or a very long fraction; for an
    /// irrational cost the message names a safe decimal. [`Error::Undecided`] if the sign of the parameter cannot be
    /// decided.
    pub fn cost(self, parameter: &Real) -> Result<crate::number::Fraction, Error> {
        self.exact_cost(parameter, Role::Spent).map(crate::number::Fraction::new)
    }

    /// [`cost`](Self::cost), as a rational.
    pub(crate) fn exact_cost(self, parameter: &Real, role: Role) -> Result<Rational, Error> {
        let name = self.parameter();
        match parameter.sign() {
            Some(Ordering::Less) => {
                return Err(Error::input(format!("{name} must be at least 0, not {}", Brief(parameter))));
            }
            Some(_) => {}
            None => {
                return Err(Error::undecided(format!(
                    "cannot decide whether {name} = {} is negative",
                    Brief(parameter)
                )));
            }
        }
        let cost = match self {
            Notion::Gdp => parameter.square(),
            Notion::Zcdp | Notion::Pure => parameter.clone(),
        };
        let Some(cost) = cost.as_rational() else {
            let what = if self == Notion::Gdp { "the square of mu" } else { name };
            let (side, next) = match role {
                Role::Spent => (Side::Upper, "larger"),
                Role::Limit => (Side::Lower, "smaller"),
            };
            let near = decimal(&Number::Enclosed(parameter.enclosure(128)), DIGITS, side);
            return Err(Error::input(format!(
                "{what} must be a fraction so that sums are exact, but {name} = {} makes it irrational; use the next \
                 {next} decimal, {near}, which is safe",
                Brief(parameter)
            )));
        };
        let bits = cost.numer().significant_bits().saturating_add(cost.denom().significant_bits());
        if bits > MOST_BITS {
            return Err(Error::input(format!(
                "{name} = {} costs a fraction of {bits} bits; the limit is {MOST_BITS} bits",
                Brief(parameter)
            )));
        }
        Ok(cost.clone())
    }

    /// The parameter of a cost: the square root for [`Notion::Gdp`].
    #[cfg(feature = "cli")]
    pub(crate) fn parameter_of(self, cost: &Rational) -> Result<Real, Error> {
        let cost = Real::from(cost.clone());
        match self {
            Notion::Gdp => cost.sqrt(),
            Notion::Zcdp | Notion::Pure => Ok(cost),
        }
    }
}

impl fmt::Display for Notion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Notion::Gdp => "gdp",
            Notion::Zcdp => "zcdp",
            Notion::Pure => "pure",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(notion: Notion, text: &str, role: Role) -> Result<Rational, String> {
        let parameter: Real = text.parse().expect("a constant");
        notion.exact_cost(&parameter, role).map_err(|error| error.to_string())
    }

    #[test]
    fn costs_are_fractions_or_refused() {
        let spent = |notion, text| cost(notion, text, Role::Spent);
        assert_eq!(spent(Notion::Gdp, "sqrt(2/3)"), Ok(Rational::from((2, 3))));
        assert_eq!(spent(Notion::Gdp, "0.1"), Ok(Rational::from((1, 100))));
        assert_eq!(spent(Notion::Gdp, "sqrt(2)*sqrt(3)"), Ok(Rational::from(6)));
        assert_eq!(spent(Notion::Zcdp, "1/2"), Ok(Rational::from((1, 2))));
        assert_eq!(spent(Notion::Pure, "0"), Ok(Rational::new()));
        for notion in [Notion::Gdp, Notion::Zcdp, Notion::Pure] {
            assert!(spent(notion, "-1/7").is_err_and(|error| error.ends_with("must be at least 0, not -1/7")));
            assert!(spent(notion, "-sqrt(2)").is_err_and(|error| error.contains("must be at least 0, not -")));
            assert!(spent(notion, "1e-700").is_err_and(|error| error.ends_with("the limit is 2048 bits")));
        }
    }

    /// The decimal that is proposed lies on the safe side, and is taken.
    #[test]
    fn what_is_proposed_is_safe() {
        for notion in [Notion::Gdp, Notion::Zcdp, Notion::Pure] {
            for (text, role) in [("ln(3)", Role::Spent), ("ln(3)", Role::Limit), ("1 + sqrt(2)", Role::Spent)] {
                let error = cost(notion, text, role).expect_err("irrational");
                let near = error.split("decimal, ").nth(1).and_then(|rest| rest.split(',').next()).expect("a decimal");
                assert!(cost(notion, near, role).is_ok());
                let (near, wanted): (Real, Real) = (near.parse().expect("near"), text.parse().expect("wanted"));
                let safe = if role == Role::Spent { Ordering::Greater } else { Ordering::Less };
                assert_eq!(near.compare(&wanted), Some(safe), "{error}");
            }
        }
    }
}
