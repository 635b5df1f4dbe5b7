//! Privacy odometer: refuses nothing and reports which of the fixed levels still holds.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::Notion;
use super::notion::Role;
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// Privacy odometer: a running sum of costs, compared with levels that are fixed in advance (Rogers, Roth, Ullman,
/// Vadhan 2016, for (epsilon, delta); here built from filters, one for each level).
///
/// The reading is the smallest level that is at least the sum. For each level, the interaction up to the point where
/// the sum would exceed it is what a [`Filter`](super::Filter) with that budget grants, and so it satisfies the
/// guarantee of the level: by the filter theorem of Smith and Thakurta 2022 for [`Notion::Gdp`], and by Feldman and
/// Zrnic 2021 for [`Notion::Zcdp`]. The sum itself is not a guarantee, because the time to stop may depend on answers.
/// (For pure differential privacy it is one: the sum bounds the privacy loss of every transcript.)
///
/// ```
/// use dpcert::{Notion, Odometer};
///
/// let odometer = Odometer::new(Notion::Zcdp, &["1/2".parse()?, "1".parse()?])?;
/// odometer.spend(&"1/2".parse()?)?;
/// assert_eq!(odometer.level().map(|level| level.to_string()), Some("1/2".into()));
/// odometer.spend(&"1/4".parse()?)?;
/// assert_eq!(odometer.level().map(|level| level.to_string()), Some("1".into()));
/// odometer.spend(&"1".parse()?)?;
/// assert_eq!((odometer.level(), odometer.spent().to_string()), (None, "7/4".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Odometer {
    notion: Notion,
    /// Costs, in order.
    levels: Vec<Rational>,
    spent: Mutex<Rational>,
}

impl Odometer {
    /// An odometer at zero; `levels` are parameters of the notion.
    ///
    /// # Errors
    /// Those of [`Notion::cost`].
    pub fn new(notion: Notion, levels: &[Real]) -> Result<Self, Error> {
        Ok(Odometer { notion, levels: costs(notion, levels)?, spent: Mutex::default() })
    }

    /// Count a mechanism with this parameter, before it runs.
    ///
    /// # Errors
    /// Those of [`Notion::cost`]; nothing is counted then.
    pub fn spend(&self, parameter: &Real) -> Result<(), Error> {
        let cost = self.notion.exact_cost(parameter, Role::Spent)?;
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += cost;
        Ok(())
    }

    /// Sum of all costs.
    pub fn spent(&self) -> Fraction {
        Fraction::new(self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Cost of the smallest level that is at least the sum; `None` beyond the last level.
    pub fn level(&self) -> Option<Fraction> {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        reading(&self.levels, &spent).cloned().map(Fraction::new)
    }
}

/// The costs of levels, in order.
pub(super) fn costs(notion: Notion, levels: &[Real]) -> Result<Vec<Rational>, Error> {
    let mut costs: Vec<Rational> =
        levels.iter().map(|level| notion.exact_cost(level, Role::Limit)).collect::<Result<_, _>>()?;
    costs.sort();
    costs.dedup();
    Ok(costs)
}

/// The least level that is not below the sum.
pub(super) fn reading<'a>(levels: &'a [Rational], spent: &Rational) -> Option<&'a Rational> {
    levels.iter().find(|level| *level >= spent)
}
