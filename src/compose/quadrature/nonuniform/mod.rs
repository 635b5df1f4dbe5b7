//! Values of moment generating functions at all nodes of a line at once, by a transform of doubles: for contours of few
//! bits, where sums over many losses or an inner rule at every node would be dear.
//!
//! A law tilted to the line is a list of losses `l_j` with weights `w_j >= 0` of sum about one, and what is to be
//! computed is `F_k = sum_j w_j e^(i u_k l_j)`, `u_k = 2 pi k/period`, for `0 <= k <= K`. Each loss is spread over an
//! array of N places, a power of two with `N >= 6 K`: with `x_j = N l_j/period`,
//!
//! `g_n = sum_j w_j psi(n - x_j)`, `psi(x) = e^(-x^2/(2 s^2))`, `n` modulo N,
//!
//! and the transform of g is, by Poisson's summation formula, `sum_m Psi(k/N + m) sum_j w_j e^(2 pi i (k/N + m) x_j)`
//! with `Psi(v) = s sqrt(2 pi) e^(-2 pi^2 s^2 v^2)`. The term `m = 0` is `Psi(k/N) F_k`.
//!
//! **Errors**, as parts of the sum of the weights, with `A = Psi(0)/Psi(K/N)`:
//! * *aliases*, the terms `m != 0`: `2.1 Psi(1 - K/N)/Psi(K/N) = 2.1 e^(-2 pi^2 s^2 (1 - 2K/N))`;
//! * *the kernel is cut off* W places from the place next to `x_j`: at most `2 sum_(i > W) psi(i - 1/2) <= 2.2 e^(-(W
//!   + 1/2)^2/(2 s^2))` for `W >= s^2`, over `Psi(K/N)`; s and W are such that both are below `2^-50`;
//! * *its values*: an exponential each for `f^2/(2 s^2)` and `f/s^2`, `|f| <= 1/2` the distance from the next place,
//!   powers of the latter by m products, and a table: `|m| + 4 + m^2/s^2` times `2^-50`, which weighs `E|m| + 4 + 1 <
//!   8` on average, so `2^-47 A`;
//! * *sums*: every place is a pair of doubles, summed by TwoSum (the error of n such terms is that of one rounding and
//!   `n^2 u^2` for `n < 2^27`): `2^-50 A`;
//! * *the transform*: `fft::ERROR` for each stage, times A; and to divide by `Psi(k/N)`, `2^-48`.
//!
//! What the losses and weights are off by is told by who lists them. See `proofs/paper/nonuniform.md`.

mod fft;
mod finite;
mod gauss;
mod sampled;

use std::f64::consts::PI;

use rug::float::Round::Up;

use super::factor::FixedMoments;
use super::fixed::Point;
use super::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::doubles::exp;
use enclosure::{Budget, Need, work};

pub use finite::FiniteLaw;
pub use sampled::{Inside, Part, SampledLaw};

/// Places at most.
const MOST_PLACES: usize = 1 << 23;
/// Places at least: a short array is not worth its own accuracy.
const FEWEST: usize = 1 << 10;
/// What the kernel's aliases and its ends are to come to, in nats: `2^-50` and some.
const NATS: f64 = 37.0;
/// `2^-50`.
const UNIT: f64 = 1.0 / (1u64 << 50) as f64;

/// What a list is off by in all, as a part of the moment: at the ordinate u `fixed + u turning` at most.
#[derive(Clone, Copy, Debug)]
pub struct Off {
    pub fixed: f64,
    pub turning: f64,
}

/// A law that can be listed.
pub trait Listed {
    /// Spread its losses, tilted to the line and divided by the moment there; what they are off by at ordinates up to
    /// `most`. `None` where the list would be too long, or is not known well enough.
    fn list(&self, line: &VerticalContour, most: f64, to: &mut Spread, budget: &Budget) -> Result<Option<Off>, Error>;
}

/// The array over which losses are spread.
pub struct Spread {
    places: Vec<[f64; 2]>,
    last: u64,
    /// `N/period`.
    scale: f64,
    /// `s^2`.
    square: f64,
    /// `e^(-m^2/(2 s^2))` for `m = 0, 1, ..., W`.
    table: Vec<f64>,
    /// The sum of the weights, about.
    total: f64,
}

impl Spread {
    /// For the nodes up to `last`; `None` if they are too many.
    fn new(line: &VerticalContour, last: u64, budget: &Budget) -> Result<Option<Self>, Error> {
        let Some(count) = last.checked_mul(6).and_then(|least| usize::try_from(least).ok()) else { return Ok(None) };
        let count = count.max(FEWEST).next_power_of_two();
        if count > MOST_PLACES {
            return Ok(None);
        }
        budget.afford(&Need {
            what: "places of a transform",
            count: count as u64,
            most: MOST_PLACES as u64,
            bytes: 48 * count as u64,
            relax: "try fewer digits",
        })?;
        let part = last as f64 / count as f64;
        let square = NATS / (2.0 * PI * PI * (1.0 - 2.0 * part));
        let reach = (2.0 * square * (NATS + 2.0)).sqrt().ceil() as i32;
        let table = (0..=reach).map(|m| exp(-f64::from(m * m) / (2.0 * square))).collect();
        let scale = count as f64 / line.period().enclosure(64).lower().to_f64();
        Ok(Some(Spread { places: vec![[0.0; 2]; count], last, scale, square, table, total: 0.0 }))
    }

    /// One loss, known to within `2^-51` of itself beside what its own law says.
    #[inline]
    pub fn add(&mut self, loss: f64, weight: f64) {
        let place = loss * self.scale;
        let whole = place.round();
        self.add_at(whole as i64, place - whole, weight);
    }

    /// One loss at a place and a part, at most a half, of the way to the next.
    pub fn add_at(&mut self, place: i64, part: f64, weight: f64) {
        let last = self.places.len() as i64 - 1;
        work::spend(50 + 6 * self.table.len() as u64);
        // A power of two: the modulus is a mask, of negative numbers too.
        let mut put = |m: i64, value: f64| {
            if let Some([sum, rest]) = self.places.get_mut(((place + m) & last) as usize) {
                let next = *sum + value;
                let back = next - *sum;
                *rest += (*sum - (next - back)) + (value - back);
                *sum = next;
            }
        };
        let centre = weight * exp(-part * part / (2.0 * self.square));
        let (up, down) = (exp(part / self.square), exp(-part / self.square));
        put(0, centre);
        let (mut right, mut left) = (centre, centre);
        for (m, fall) in (1i64..).zip(self.table.iter().skip(1)) {
            (right, left) = (right * up, left * down);
            put(m, right * fall);
            put(-m, left * fall);
        }
        self.total += weight;
    }

    /// How many places there are.
    fn count(&self) -> usize {
        self.places.len()
    }

    /// The sum of the weights so far, about.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// `F_k` for `k = 0, ..., last`, and what they are off by beside what the list is; `None` where they are not
    /// within the unit disc.
    fn transformed(self, budget: &Budget) -> Result<Option<(Vec<Point>, f64)>, Error> {
        let Spread { places, last, square, table, total, .. } = self;
        let count = places.len() as f64;
        let mut values: Vec<fft::Double> = places.iter().map(|[sum, rest]| [sum + rest, 0.0]).collect();
        drop(places);
        if fft::transform(&mut values, budget)?.is_none() {
            return Ok(None);
        }
        let slope = 2.0 * PI * PI * square / (count * count);
        let size = (2.0 * PI * square).sqrt();
        let rise = |k: u64| exp(slope * (k as f64) * (k as f64));
        let most = rise(last) * (1.0 + 1e-9);
        let part = last as f64 / count;
        let reach = table.len() as f64 - 0.5;
        let aliases = 2.1 * exp(-2.0 * PI * PI * square * (1.0 - 2.0 * part) * (1.0 - 1e-9));
        let cut = 2.2 * exp(-reach * reach / (2.0 * square) * (1.0 - 1e-9)) / size * most;
        let stages = f64::from(values.len().trailing_zeros());
        let relative = aliases + cut + most * (9.0 * UNIT + stages * fft::ERROR) + 4.0 * UNIT;
        let error = relative * total * (1.0 + 1e-6);
        let one = Point::ONE.re as f64;
        let limit = 1.0 + 1.0 / (1u64 << 30) as f64;
        let points = values.into_iter().zip(0..=last).map(|([re, im], k)| {
            let rise = rise(k) / size;
            let (re, im) = (re * rise, im * rise);
            (re.abs() <= limit && im.abs() <= limit).then_some(Point { re: (re * one) as i64, im: (im * one) as i64 })
        });
        Ok(points.collect::<Option<Vec<_>>>().map(|points| (points, error)))
    }
}

/// The values along a line, computed at once when they are first asked for.
pub struct Transformed<L> {
    law: L,
    line: VerticalContour,
    last: u64,
    points: Vec<Point>,
    /// Of all runs so far.
    off: Off,
}

impl<L: Listed> Transformed<L> {
    /// Nothing is computed yet.
    pub fn new(law: L, line: &VerticalContour) -> Self {
        Transformed { law, line: line.clone(), last: 0, points: Vec::new(), off: Off { fixed: 0.0, turning: 0.0 } }
    }

    fn compute(&mut self, last: u64, budget: &Budget) -> Result<Option<()>, Error> {
        let Some(mut spread) = Spread::new(&self.line, last, budget)? else { return Ok(None) };
        let most = self.line.ordinate(last, 64).upper().to_f64_round(Up);
        let Some(Off { fixed, turning }) = self.law.list(&self.line, most, &mut spread, budget)? else {
            return Ok(None);
        };
        let Some((points, error)) = spread.transformed(budget)? else { return Ok(None) };
        self.points = points;
        // Of runs so far, too.
        let Off { fixed: before, turning: turned } = self.off;
        self.off = Off { fixed: before.max((error + fixed) * (1.0 + 1e-9)), turning: turned.max(turning) };
        Ok((self.off.fixed + self.off.turning * most).is_finite().then_some(()))
    }
}

impl<L: Listed> FixedMoments for Transformed<L> {
    fn error(&self) -> f64 {
        self.error_before(self.points.len() as u64)
    }

    fn error_before(&self, end: u64) -> f64 {
        let most = self.line.ordinate(end, 64).upper().to_f64_round(Up);
        (self.off.fixed + self.off.turning * most) * (1.0 + 1e-9)
    }

    fn reach(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        let end = first.saturating_add(count as u64);
        if end > self.points.len() as u64 {
            let last = self.last.max(end - 1);
            if self.compute(last, budget)?.is_none() {
                return Ok(None);
            }
        }
        Ok(self.points.get(first as usize..end as usize).map(<[Point]>::to_vec))
    }
}

#[cfg(test)]
mod tests;
