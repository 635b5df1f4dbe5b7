//! The trade-off function from brackets of the profile: the highest of all lines below it.
//!
//! `beta(alpha) = sup_y h(y)` with `h(y) = y (1 - alpha - delta(eps))` at `y = e^-eps`, concave in y.

use std::cmp::Ordering;

use rug::Float;
use rug::float::Round::{Down, Up};

use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// The name of the quantity with two bounds, for alarms.
const TYPE_II: &str = "type II error from brackets of the profile";

/// The lines at one alpha.
pub(super) struct Supports<'a> {
    pub alpha: &'a Real,
    pub bits: u32,
    /// An enclosure of the profile.
    pub profile: &'a dyn Fn(&Real) -> Result<Enclosure, Error>,
}

impl Supports<'_> {
    /// `y` and `y (1 - alpha - delta(eps))`: of all lines below the trade-off function that of slope `-y`, at alpha.
    pub fn at(&self, point: &Real) -> Result<(Enclosure, Enclosure), Error> {
        let y = (-point.enclosure(self.bits)).exp();
        let rest = &Enclosure::one(self.bits) - &self.alpha.enclosure(self.bits);
        let height = &rest - &(self.profile)(point)?;
        Ok((y.clone(), &y * &height))
    }
}

/// The highest of the supports, which is sought around a place and at this distance from it. At `y1 > y2 > y3` with
/// `h2` the highest, concavity bounds what lies between by the secants prolonged, whichever values within their
/// enclosures the supports have: `h2 <= beta <= h2 + max((y1-y2)(h2-h3)/(y2-y3), (y2-y3)(h2-h1)/(y1-y2))`. Where no
/// such points are found it is between 0 and 1.
pub(super) fn highest(
    supports: &Supports,
    place: &Float,
    spacing: f64,
    tries: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    let (bits, mut middle, mut width) = (supports.bits, place.clone(), spacing);
    for _ in 0..tries {
        budget.check()?;
        let points = [
            Float::with_val_round(bits, &middle - width, Down).0,
            middle.clone(),
            Float::with_val_round(bits, &middle + width, Up).0,
        ];
        let at = |point: &Float| {
            let point = point.to_rational().ok_or_else(|| Error::undecided("the search for a support diverged"))?;
            supports.at(&Real::from(point))
        };
        let [(y1, h1), (y2, h2), (y3, h3)] = [at(&points[0])?, at(&points[1])?, at(&points[2])?];
        if h1.compare(&h2) == Some(Ordering::Less) && h3.compare(&h2) == Some(Ordering::Less) {
            let above = &(&(&y1 - &y2) * &(&h2 - &h3)) / &(&y2 - &y3);
            let below = &(&(&y2 - &y3) * &(&h2 - &h1)) / &(&y1 - &y2);
            let top = &h2 + &above.max(&below);
            return alarm::not_negative(&h2.hull(&top), TYPE_II);
        }
        // The vertex of the parabola through the middles, or wider.
        let [a, b, c] = [&h1, &h2, &h3].map(|h| f64::midpoint(h.lower().to_f64(), h.upper().to_f64()));
        let bend = a - 2.0 * b + c;
        let move_by = if bend < 0.0 { (0.5 * (a - c) / bend).clamp(-8.0, 8.0) } else { f64::from(i8::from(c > a)) };
        if move_by.abs() < 0.5 {
            width *= 2.0;
        } else {
            middle += move_by * width;
        }
    }
    Ok(Enclosure::zero(2).hull(&Enclosure::one(2)))
}
