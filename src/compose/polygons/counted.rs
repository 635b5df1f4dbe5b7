//! Polygons of what has one vertex for each integer, as good as exact: those of discrete Gaussian noise.

use rayon::prelude::*;
use rug::{Float, Integer, Rational};

use crate::compose::DiscreteGaussian;
use crate::error::Error;
use crate::pair::{TradeOff, Vertex};
use enclosure::{Budget, Cache, Enclosure};

/// Bits of tails, and bits behind the point of what is rounded.
const BITS: u32 = 192;
/// Tails below about `2^-CUT` are left out.
const CUT: f64 = 128.0;
/// No more vertices than this.
const LONGEST: f64 = 512.0;

/// One discrete Gaussian against itself, moved.
pub struct Counted {
    sigma2: Rational,
    sensitivity: u64,
    /// The last vertex on either side, counted from the middle.
    last: i64,
    kept: Cache<(), [TradeOff; 2]>,
}

impl Counted {
    /// Of so much noise; `None` where that has too many vertices.
    pub fn of(sigma2: &Rational, sensitivity: u64) -> Option<Self> {
        // A tail is about e^(-k^2/(2 sigma2)).
        let last = (2.0 * CUT * std::f64::consts::LN_2 * sigma2.to_f64()).sqrt().ceil() + 1.0;
        let far = last + sensitivity as f64;
        (far * 2.0 <= LONGEST).then(|| Counted {
            sigma2: sigma2.clone(),
            sensitivity,
            last: far as i64,
            kept: Cache::new(1),
        })
    }

    /// How many vertices there are at most.
    pub fn size(&self) -> usize {
        usize::try_from(2 * self.last).unwrap_or(usize::MAX)
    }

    /// A polygon nowhere below the trade-off function, and one nowhere above it.
    ///
    /// Its vertices are `(P(S >= k), P(S < k - D))`, for all integers k (Neyman-Pearson: the loss falls as the outcome
    /// grows). That through some of them, rounded up, is nowhere below it; see [`lowered`] for the other.
    pub fn polygons(&self, budget: &Budget) -> Result<[TradeOff; 2], Error> {
        let polygons = self.kept.get((), || {
            let noise = DiscreteGaussian::new(self.sigma2.clone(), Integer::from(self.sensitivity), 1)?;
            let tail = |k: i64| noise.survival(&Integer::from(k), BITS, budget);
            let shift = i64::try_from(self.sensitivity).unwrap_or(i64::MAX);
            // P(S < k - D) = P(S >= D + 1 - k), and the largest k has the smallest type I error.
            let first = shift + 1 - self.last;
            let vertices: Result<Vec<(Enclosure, Enclosure)>, Error> = (first..=self.last)
                .into_par_iter()
                .map(|k| {
                    budget.check()?;
                    Ok((tail(k)?, tail(shift + 1 - k)?))
                })
                .collect();
            let vertices = vertices?;
            let ends = |upper: bool| -> Result<Vec<Vertex>, Error> {
                let end = |set: &Enclosure| fraction(if upper { set.upper() } else { set.lower() }, upper);
                vertices.iter().rev().map(|(a, b)| Ok((end(a)?, end(b)?))).collect()
            };
            Ok([raised(&ends(true)?)?, lowered(&ends(false)?)?])
        })?;
        Ok(polygons.as_ref().clone())
    }
}

/// The polygon through vertices of a trade-off function, or points nowhere below them, and the corners of the unit
/// square; rounded up.
pub fn raised(vertices: &[Vertex]) -> Result<TradeOff, Error> {
    let up = |x: &Rational| (-rounded(&Rational::from(-x))).min(Rational::from(1));
    TradeOff::below(&vertices.iter().map(|(alpha, beta)| (up(alpha), up(beta))).collect::<Vec<_>>())
}

/// A polygon nowhere above the trade-off function f that has these vertices, the largest type I error last, or some of
/// them in the middle and others on both sides, or points that are nowhere above them: rounded down.
///
/// Each vertex v of f has a point w here with no larger coordinates: itself rounded; for those left of the first one
/// `(0, beta_1)`, which is there; for those right of the last one `(alpha_n, 0)`. A point of f is a mean of two
/// vertices, and the same mean of their points w has no larger coordinates; the lower hull of these is nowhere above
/// it, and falls, so that it is nowhere above f.
pub fn lowered(vertices: &[Vertex]) -> Result<TradeOff, Error> {
    let down = |x: &Rational| rounded(x).max(Rational::new());
    let mut points: Vec<Vertex> = vertices.iter().map(|(alpha, beta)| (down(alpha), down(beta))).collect();
    if let Some((_, beta)) = points.first().cloned() {
        points.push((Rational::new(), beta));
    }
    if let Some((alpha, _)) = vertices.last() {
        points.push((down(alpha), Rational::new()));
    }
    TradeOff::below(&points)
}

/// A probability as a fraction of few bits: what is smaller than any that is rounded is 0, or the least of these.
pub fn fraction(end: &Float, upper: bool) -> Result<Rational, Error> {
    let least = Float::with_val(BITS, Float::i_exp(1, -(BITS as i32)));
    if *end < least {
        return Ok(if upper && *end > 0 { Rational::from(1) >> BITS } else { Rational::new() });
    }
    end.to_rational().ok_or_else(|| Error::undecided("a probability out of range"))
}

/// To so many bits, down.
pub fn rounded(value: &Rational) -> Rational {
    let scaled = Rational::from(value << BITS).floor();
    Rational::from((scaled.numer().clone(), Integer::from(1) << BITS))
}
