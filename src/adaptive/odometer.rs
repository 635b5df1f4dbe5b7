//! The odometer: nothing is refused, and it says which of the levels fixed beforehand still holds.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::Notion;
use super::notion::Role;
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// A running sum of costs, read against levels that were fixed beforehand (odometers: Rogers, Roth, Ullman, Vadhan
/// 2016, for (epsilon, delta); here by filters, one for each level).
///
/// For each level the part of the interaction before the sum would pass it is what a [`Filter`](super::Filter) of that
/// budget lets through, and so as private as the level says: by Smith and Thakurta 2022, the filter theorem, for
/// [`Notion::Gdp`], by Feldman and Zrnic 2021 for [`Notion::Zcdp`]. A sum that is read when one likes is no such
/// guarantee by itself: where to stop was chosen by looking at answers. So the reading is a level, the least one that
/// is not below the sum. (For pure differential privacy the sum is one too: it bounds the privacy loss of every
/// transcript.)
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
    /// An odometer at zero, with these parameters as levels.
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

    /// The sum of all costs.
    pub fn spent(&self) -> Fraction {
        Fraction::new(self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The cost of the least level that still holds; none beyond the last.
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
