//! All nodes up to some, in integers of 128 bits, of an integrand that may never decay, and what lies beyond them.
//!
//! Where a law has many atoms of a size, most nodes matter however far out, and to search for those that do not is in
//! vain. Values in integers cost some ten nanoseconds for each atom and node, so that a million nodes in a row are a
//! matter of seconds. They are also all that the bound of what lies beyond wants: with `n` nodes looked at and
//! `Psi(k) = prod |phi_i(k)|^(2 floor(T_i/2))`, as in [`almost_periodic`](super::almost_periodic),
//!
//! `sum_(k >= n) w(k) prod |phi_i(k)|^(T_i) <= S scale pi^2/(6 n^2)`, `S = 1 + 2 sum_(1 <= k < n) Psi(k)`,
//!
//! where `Psi(k)` is at most the modulus of the point that stands for the even powers, and the error of that. (Besides,
//! a minorant and a majorant of the kernel want no nodes beyond: [`extremal`](super::extremal).) Nodes are doubled
//! until that is small enough, there are as many as may be, or the work that is left would not do for twice as many:
//! whatever n is, it is a bound.
//!
//! See `proofs/paper/swept.md`.

use std::sync::Arc;

use super::factor::{Factor, Moments};
use super::vertical_contour::VerticalContour;
use super::wide::{DISC_BITS, Run, WideMoments, of_disc, power, power_error, product, small};
use crate::error::Error;
use enclosure::wide::{CUT, Point, times_all};
use enclosure::{Budget, Complex};

/// Nodes of the first round.
const FIRST: usize = 1 << 14;
/// Nodes at most.
pub(super) const MOST_NODES: usize = 1 << 20;
/// Nodes that are evaluated at once.
const RUN: usize = 4096;
/// Another round takes as much work as all before it; this many times that must be left.
const SPARE: u64 = 3;
/// `pi^2/6`, rounded up, with room for ten roundings.
const ZETA: f64 = 1.644_935;
/// For what doubles round in sums of at most `2^23` nonnegative terms, and in moduli.
const ROOM: f64 = 1.0 + 1e-6;

type Factors = [(Arc<dyn Factor>, u64)];

/// The values of the product at the nodes `0, 1, ..., n - 1`, as parts of the one on the axis; n is a power of two.
pub(super) struct Swept {
    pub points: Vec<Point>,
    /// No point is farther from its value.
    pub error: f64,
    /// The sum of the moduli at all nodes from n on, each with its weight, is at most this.
    pub beyond: f64,
}

/// A factor's values, how often it is run, and what they were off by at most so far.
struct Values<'a> {
    moments: Box<dyn WideMoments + 'a>,
    times: u64,
    error: f64,
}

/// Values from discs, where a factor has none in integers.
struct Discs<'a> {
    moments: Box<dyn Moments + 'a>,
    /// One over the moment at the tilt.
    size: Complex,
}

impl WideMoments for Discs<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Run>, Error> {
        let (mut points, mut worst) = (Vec::with_capacity(count), 0.0f64);
        for disc in self.moments.run(first, count, budget)? {
            let Some((point, error)) = of_disc(&(&disc * &self.size)) else { return Ok(None) };
            worst = worst.max(error);
            points.push(point);
        }
        Ok(Some((points, worst)))
    }
}

impl<'a> Values<'a> {
    fn of(factor: &'a dyn Factor, times: u64, line: &VerticalContour, budget: &Budget) -> Result<Self, Error> {
        let moments = match factor.wide(line, budget)? {
            Some(moments) => moments,
            None => {
                let size = Complex::real(&factor.moment(line.tilt(), DISC_BITS, budget)?.recip(), DISC_BITS);
                Box::new(Discs { moments: factor.on(line, DISC_BITS, budget)?, size })
            }
        };
        Ok(Values { moments, times, error: 0.0 })
    }
}

/// What the points of a product, and those of its even powers, are off by.
struct Off {
    all: f64,
    even: f64,
}

impl Off {
    /// From what the values are off by: the products are those of [`Sweep::run`].
    fn of(values: &[Values]) -> Option<Self> {
        let (mut even, mut odd): (Option<f64>, Option<f64>) = (None, None);
        let times = |all: Option<f64>, error: f64| all.map_or(Some(error), |before| product(before, error));
        for Values { times: runs, error, .. } in values {
            if *runs >= 2 {
                even = Some(times(even, power_error(runs - runs % 2, *error)?)?);
            }
            if runs % 2 == 1 {
                odd = Some(times(odd, small(*error)?)?);
            }
        }
        let all = match (even, odd) {
            (Some(even), Some(odd)) => product(even, odd)?,
            (one, other) => one.or(other).unwrap_or(0.0),
        };
        Some(Off { all, even: even.unwrap_or(0.0) })
    }
}

/// Points of the product, and the moduli of those of its even powers.
#[derive(Default)]
struct Sweep {
    points: Vec<Point>,
    /// `sum_(1 <= k < n)` of these, without their errors.
    moduli: f64,
}

/// The product of lists of points, of which the first may be missing.
fn multiply(all: &mut Option<Vec<Point>>, by: Vec<Point>) {
    match all {
        None => *all = Some(by),
        Some(all) => times_all(all, &by),
    }
}

/// The modulus of a point, rounded to nearest a few times.
fn modulus(point: &Point) -> f64 {
    let (re, im) = (point.re as f64, point.im as f64);
    (re * re + im * im).sqrt() * (CUT / 4.0)
}

impl Sweep {
    /// The next nodes; `None` where they cannot be had.
    fn run(&mut self, values: &mut [Values], count: usize, budget: &Budget) -> Result<Option<()>, Error> {
        let first = self.points.len();
        let (mut even, mut odd) = (None, None);
        for Values { moments, times, error } in values.iter_mut() {
            let run = moments.run(first as u64, count, budget)?.filter(|(run, _)| run.len() == count);
            // Nothing overflows while errors are small.
            let Some((mut run, off)) = run.filter(|(_, off)| small(*off).is_some()) else { return Ok(None) };
            *error = error.max(off);
            if *times % 2 == 1 {
                multiply(&mut odd, run.clone());
            }
            if *times >= 2 {
                if power_error(*times, off).is_none() {
                    return Ok(None);
                }
                power(&mut run, *times - *times % 2);
                multiply(&mut even, run);
            }
        }
        let skipped = usize::from(first == 0);
        self.moduli += match &even {
            Some(even) => even.iter().skip(skipped).map(modulus).sum::<f64>(),
            None => (count - skipped) as f64,
        };
        if let Some(odd) = odd {
            multiply(&mut even, odd);
        }
        self.points.extend(even.unwrap_or_default());
        Ok(Some(()))
    }

    /// `S scale pi^2/(6 n^2)`, rounded up.
    fn beyond(&self, scale: f64, off: &Off) -> f64 {
        let n = self.points.len() as f64;
        let all = 1.0 + 2.0 * (self.moduli + n * off.even) * ROOM;
        all * scale / n / n * ZETA * ROOM
    }
}

/// The values at so many nodes that what lies beyond comes to `enough`, or at as many as there may be. The weight of
/// node k is `scale/k^2` at most.
///
/// # Errors
/// [`Error::Undecided`] where there are no values in integers, or no work is left for the first of them.
pub(super) fn swept(
    factors: &Factors,
    line: &VerticalContour,
    (scale, enough): (f64, f64),
    budget: &Budget,
) -> Result<Swept, Error> {
    let none = || Error::undecided("the values of these factors cannot be computed in integers");
    let mut values = Vec::new();
    for (factor, times) in factors {
        values.push(Values::of(factor.as_ref(), *times, line, budget)?);
    }
    let mut sweep = Sweep::default();
    let mut end = FIRST;
    let before = budget.spent();
    loop {
        values.iter_mut().for_each(|values| values.moments.reach(end as u64 - 1));
        while sweep.points.len() < end {
            budget.check()?;
            sweep.run(&mut values, RUN.min(end - sweep.points.len()), budget)?.ok_or_else(none)?;
        }
        let off = Off::of(&values).ok_or_else(none)?;
        let beyond = sweep.beyond(scale, &off);
        let passed = budget.spent() - before;
        let late = budget.remaining().is_some_and(|left| left < passed * SPARE);
        if late || end >= MOST_NODES || beyond <= enough {
            return Ok(Swept { points: sweep.points, error: off.all, beyond });
        }
        end *= 2;
    }
}

#[cfg(test)]
mod tests;
