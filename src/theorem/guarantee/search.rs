//! A good order, among fractions. Any order is a bound: which one is found is no part of what is certified.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rug::Rational;

use crate::error::Error;
use enclosure::{Portable, Real};

/// Orders are `1 + n 2^e`, n from 16 to 31: this is the place of `1 + 8`.
const START: i32 = 48;
/// The first step, which is by a factor of 16.
const STEP: i32 = 64;
/// The places that are looked at: from `1 + 2^-24` to `1 + 2^31`.
const PLACES: std::ops::RangeInclusive<i32> = -384..=496;

/// `t = n 2^e` of a place.
fn excess(place: i32) -> Rational {
    Rational::from(16 + place.rem_euclid(16)) << (place.div_euclid(16) - 4)
}

/// The first step where a search nearby has ended.
const NEARBY_STEP: i32 = 4;

/// Where the last search ended, for those of other conversions of the same bounds: good orders are near each other.
#[derive(Clone, Debug, Default)]
pub struct Nearby(Arc<Mutex<Option<i32>>>);

impl Nearby {
    fn place(&self) -> Option<i32> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The order less one, about, where one was found.
    #[cfg(feature = "cli")]
    pub fn excess(&self) -> Option<f64> {
        self.place().map(|place| excess(place).to_f64())
    }
}

/// An order whose value is about the least.
pub(super) fn good_order(value: &dyn Fn(&Real) -> Result<f64, Error>) -> Result<Real, Error> {
    good_order_near(&Nearby::default(), value)
}

/// The same, starting where the last search ended.
pub(super) fn good_order_near(near: &Nearby, value: &dyn Fn(&Real) -> Result<f64, Error>) -> Result<Real, Error> {
    let order = |place: i32| Real::from(excess(place) + 1u32);
    let mut known = BTreeMap::new();
    let mut look = |place: i32| -> Result<f64, Error> {
        if let Some(found) = known.get(&place) {
            return Ok(*found);
        }
        let found = value(&order(place))?;
        let found = if found.is_nan() { f64::INFINITY } else { found };
        known.insert(place, found);
        Ok(found)
    };
    let (start, mut step) = near.place().map_or((START, STEP), |place| (place, NEARBY_STEP));
    let mut best = (look(start)?, start);
    while step > 0 {
        let mut better = false;
        for place in [best.1 + step, best.1 - step] {
            if !PLACES.contains(&place) {
                continue;
            }
            let found = look(place)?;
            if found < best.0 {
                best = (found, place);
                better = true;
                break;
            }
        }
        if !better {
            step /= 2;
        }
    }
    *near.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(best.1);
    Ok(order(best.1))
}

/// About `ln(e^x - 1)`, also where the exponential is larger than any double: so it is at the good orders of bounded
/// losses.
pub(super) fn ln_exp_m1(x: f64) -> f64 {
    if x > LARGE { x } else { x.portable_exp_m1().portable_ln() }
}

/// Beside the exponential of this, 1 is nothing in doubles.
pub(super) const LARGE: f64 = 40.0;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A search that begins where another ended finds the same, and looks at less.
    #[test]
    fn nearby_searches_are_short() {
        for least in [0.01, 0.7, 3.0, 8.0, 300.0, 2e6] {
            let looks = Cell::new(0_u32);
            let value = |order: &Real| {
                looks.set(looks.get() + 1);
                Ok(((order.to_f64() - 1.0) / least).portable_ln().powi(2))
            };
            let near = Nearby::default();
            let first = good_order_near(&near, &value).expect("an order");
            let far = looks.replace(0);
            assert!((near.excess().expect("a place") / least - 1.0).abs() < 0.04, "{least}: {first}");
            let again = good_order_near(&near, &value).expect("an order");
            assert_eq!(first, again);
            assert!(looks.get() <= 7 && far <= 40, "{least}: {} {far}", looks.get());
            // From somewhere else nearby, too.
            *near.0.lock().expect("a place") = near.place().map(|place| place + 5);
            assert_eq!(good_order_near(&near, &value).expect("an order"), first);
        }
    }
}
