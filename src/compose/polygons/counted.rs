//! Polygons of what has one vertex for each integer, as good as exact: those of discrete Gaussian noise.

use rug::{Integer, Rational};

use super::round::{BITS, fraction, lowered, raised};
use crate::compose::DiscreteGaussian;
use crate::error::Error;
use crate::pair::{TradeOff, Vertex};
use enclosure::{Budget, Cache, Enclosure};

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
        // A tail is about e^(-k^2/(2 sigma2)). Any cut is right: doubles say only where the tails are small.
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
            let shift = i64::try_from(self.sensitivity).unwrap_or(i64::MAX);
            // P(S < k - D) = P(S >= D + 1 - k), and the largest k has the smallest type I error.
            let first = shift + 1 - self.last;
            let vertices = budget.map(first..=self.last, |k, budget| {
                budget.check()?;
                let tail = |k: i64| noise.survival(&Integer::from(k), BITS, budget);
                Ok((tail(k)?, tail(shift + 1 - k)?))
            })?;
            let ends = |upper: bool| -> Result<Vec<Vertex>, Error> {
                let end = |set: &Enclosure| fraction(if upper { set.upper() } else { set.lower() }, upper);
                vertices.iter().rev().map(|(a, b)| Ok((end(a)?, end(b)?))).collect()
            };
            Ok([raised(&ends(true)?)?, lowered(&ends(false)?)?])
        })?;
        Ok(polygons.as_ref().clone())
    }
}
