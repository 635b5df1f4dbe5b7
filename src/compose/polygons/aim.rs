//! Where points are set: what the answer depends on, as far as doubles tell. Nothing rests on that.

use crate::curve::Direction;
use crate::pair::TradeOff;
use enclosure::Portable;

/// A polygon in doubles, and how many times it is run.
pub struct Part {
    /// P-mass and Q-mass of the outcomes that have both.
    masses: Vec<(f64, f64)>,
    times: f64,
}

/// How much the masses of an outcome with `p` under P and `q` under Q count: `p (p/q)^tilt`, or `q (q/p)^tilt`
/// backward.
#[derive(Clone, Debug, PartialEq)]
pub struct Aim {
    /// `None` for both directions, and no tilt.
    to: Option<(bool, f64)>,
    /// And what they count the other way round.
    both: bool,
}

/// No more tilt than this: points are set near the largest losses then.
const MOST: f64 = 1024.0;
/// Halvings on the way to a tilt.
const HALVINGS: u32 = 40;

impl Part {
    /// Of a polygon.
    pub fn of(f: &TradeOff, times: u64) -> Self {
        let ends = f.vertices().windows(2).map(|ends| {
            let p = rug::Rational::from(&ends[1].0 - &ends[0].0).to_f64();
            let q = rug::Rational::from(&ends[0].1 - &ends[1].1).to_f64();
            (p, q)
        });
        Part { masses: ends.filter(|(p, q)| *p > 0.0 && *q > 0.0).collect(), times: times as f64 }
    }

    /// The logarithm of the moment generating function of all runs, and its slope.
    fn cumulant(&self, tilt: f64, backward: bool) -> (f64, f64) {
        let logs = self.masses.iter().map(|(p, q)| {
            let (mass, loss) = if backward { (*q, (q / p).portable_ln()) } else { (*p, (p / q).portable_ln()) };
            (mass.portable_ln() + tilt * loss, loss)
        });
        let logs: Vec<(f64, f64)> = logs.collect();
        let top = logs.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut moment) = (0.0, 0.0);
        for (log, loss) in logs {
            let weight = (log - top).portable_exp();
            sum += weight;
            moment += weight * loss;
        }
        (self.times * (top + sum.portable_ln()), self.times * moment / sum)
    }
}

impl Aim {
    /// All losses.
    pub fn everywhere() -> Self {
        Aim { to: None, both: false }
    }

    /// The tilt at which something of the cumulant and its slope, which falls with the tilt, is zero.
    fn tilted(parts: &[Part], direction: Direction, falls: impl Fn(f64, f64, f64) -> f64) -> Self {
        let backward = direction == Direction::Backward;
        let value = |tilt: f64| {
            let (cumulant, slope) = parts
                .iter()
                .map(|part| part.cumulant(tilt, backward))
                .fold((0.0, 0.0), |(cumulant, slope), (c, s)| (cumulant + c, slope + s));
            falls(tilt, cumulant, slope)
        };
        let mut high = 1.0;
        while high < MOST && value(high) > 0.0 {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if value(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        // Nearly the same aim is the same.
        Aim { to: Some((backward, (low * 8.0).round() / 8.0)), both: false }
    }

    /// Losses that add up to this.
    pub fn at_epsilon(parts: &[Part], epsilon: f64, direction: Direction) -> Self {
        Self::tilted(parts, direction, |_, _, slope| epsilon - slope)
    }

    /// Losses that add up to what is exceeded with about this probability.
    pub fn at_delta(parts: &[Part], delta: f64, direction: Direction) -> Self {
        Self::tilted(parts, direction, |tilt, cumulant, slope| cumulant - tilt * slope - delta.portable_ln())
    }

    /// The same of the pair the other way round.
    #[must_use]
    pub fn turned(&self) -> Self {
        Aim { to: self.to.map(|(backward, tilt)| (!backward, tilt)), both: self.both }
    }

    /// The same of a pair that is its own mirror image.
    #[must_use]
    pub fn both(&self) -> Self {
        Aim { both: true, ..self.clone() }
    }

    /// What the masses of an outcome count.
    pub fn weight(&self, p: f64, q: f64) -> f64 {
        let one = self.one_way(p, q);
        if self.both { one + self.one_way(q, p) } else { one }
    }

    fn one_way(&self, p: f64, q: f64) -> f64 {
        if !(p > 0.0 && q > 0.0) {
            return p.max(q).max(0.0);
        }
        match self.to {
            None => p + q,
            Some((false, tilt)) => p * (p / q).portable_powf(tilt),
            Some((true, tilt)) => q * (q / p).portable_powf(tilt),
        }
    }
}
