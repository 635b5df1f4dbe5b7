//! A good order, among fractions. Any order is a bound: which one is found is no part of what is certified.

use rug::Rational;

use crate::error::Error;
use enclosure::Real;

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

/// An order whose value is about the least.
pub(super) fn good_order(value: &dyn Fn(&Real) -> Result<f64, Error>) -> Result<Real, Error> {
    let order = |place: i32| Real::from(excess(place) + 1u32);
    let look = |place: i32| -> Result<f64, Error> {
        let found = value(&order(place))?;
        Ok(if found.is_nan() { f64::INFINITY } else { found })
    };
    let mut best = (look(START)?, START);
    let mut step = STEP;
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
    Ok(order(best.1))
}
