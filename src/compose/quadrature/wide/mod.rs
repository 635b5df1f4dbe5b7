//! The integrand in integers of 128 bits, for lines of many nodes and usual digits, at about a hundredth of the cost of
//! discs.
//!
//! Points are fractions of `2^122`. One number, known beforehand, bounds the errors of a list of points, by the rule of
//! [`fixed`](super::fixed) with another cut: `|z~ w~ - z w| <= a + b + a b + CUT` for `|z|, |w| <= 1` off by a and b.
//!
//! | file | has |
//! |---|---|
//! | `rotations` | `e^(i k a)` along the nodes |
//! | `listed` | sums of turning losses |
//! | `kernel` | `c/(c + iu)` |
//! | `nodes` | the values at the nodes, and one pass over them |
//!
//! The products themselves are `enclosure::wide`. See `proofs/paper/points-in-long-integers.md`.

mod kernel;
mod listed;
mod nodes;
mod rotations;

use rug::Float;
use rug::float::Round::{Down, Up};

pub(super) use self::kernel::Kernel;
pub(super) use self::listed::Listed;
pub(super) use self::nodes::{Piece, WideNodes};
pub(super) use self::rotations::Rotations;
use crate::error::Error;
use enclosure::wide::{BITS, CUT, Point, square_all, times_all};
use enclosure::{Budget, Complex, Enclosure};

/// Precision of discs that become points.
pub(super) const DISC_BITS: u32 = 168;
/// A unit.
pub(super) const UNIT: f64 = CUT / 4.0;
/// No error may be larger.
const MOST: f64 = 1.0 / (1u64 << 20) as f64;
/// For what doubles round.
pub(super) const ROOM: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// Points, and what they are off by at most.
pub type Run = (Vec<Point>, f64);

/// A factor's values along one line as parts of the one on the axis.
pub trait WideMoments {
    /// No node beyond this one will be asked for.
    fn reach(&mut self, _last: u64) {}

    /// The points of the nodes `k = first, ..., first + count - 1`, and what they are off by at most; runs come with
    /// rising `first`. `None` where they cannot be had after all.
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Run>, Error>;
}

/// A float as a fraction, cut off; `None` if it is not below 2 in modulus.
fn units(x: &Float) -> Option<i128> {
    let inside = *x < 2 && *x > -2;
    // The scaling is exact, so only the integer part is cut.
    inside.then(|| Float::with_val(x.prec(), x << BITS).to_integer_round(Down)?.0.to_i128()).flatten()
}

/// A point, and how far it is from any point of the disc; `None` if a part of the centre is not below two.
///
/// *Error*: the radius and two units. Each part of the centre is cut off by less than one: `sqrt 2 < 2` for both.
pub(super) fn of_disc(disc: &Complex) -> Option<(Point, f64)> {
    let (re, im) = disc.centre();
    let point = Point { re: units(re)?, im: units(im)? };
    let error = disc.radius().to_f64_round(Up) + 2.0 * UNIT;
    error.is_finite().then_some((point, error * ROOM))
}

/// A nonnegative number of at most one as a fraction, and its error.
///
/// *Error*: the fraction is the lower end, cut off by less than a unit. So it is below each point of the enclosure by
/// at most that unit and the width, and never above.
pub(super) fn fraction(x: &Enclosure) -> Option<(i128, f64)> {
    if *x.lower() < 0 || !x.upper().is_finite() {
        return None;
    }
    let lower = units(x.lower())?;
    let width = Float::with_val_round(53, x.upper() - x.lower(), Up).0.to_f64_round(Up);
    (lower <= Point::ONE.re).then_some((lower, (width + UNIT) * ROOM))
}

/// The error, if it is not too large for integers.
pub(super) fn small(error: f64) -> Option<f64> {
    (error <= MOST).then_some(error)
}

/// What products are off by.
pub(super) fn product(a: f64, b: f64) -> Option<f64> {
    small((a + b + a * b + CUT) * ROOM)
}

/// Every point to a power.
pub(super) fn power(points: &mut [Point], mut exponent: u64) {
    while exponent.is_multiple_of(2) && exponent > 0 {
        square_all(points);
        exponent /= 2;
    }
    if exponent == 1 {
        return;
    }
    let mut results = if exponent == 0 { vec![Point::ONE; points.len()] } else { points.to_vec() };
    while exponent > 1 {
        exponent /= 2;
        square_all(points);
        if exponent % 2 == 1 {
            times_all(&mut results, points);
        }
    }
    points.copy_from_slice(&results);
}

/// What such powers are off by: the same products.
pub(super) fn power_error(mut exponent: u64, error: f64) -> Option<f64> {
    let mut of_squares = small(error)?;
    let mut of_results = None;
    while exponent > 0 {
        if exponent % 2 == 1 {
            of_results = Some(of_results.map_or(Some(of_squares), |before| product(before, of_squares))?);
        }
        exponent /= 2;
        if exponent > 0 {
            of_squares = product(of_squares, of_squares)?;
        }
    }
    Some(of_results.unwrap_or(0.0))
}

#[cfg(test)]
mod tests;
