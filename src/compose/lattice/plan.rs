//! What a composition will take, before it is begun.

use super::array::{check_size, gcd};
use super::search::Sketches;
use super::tilt::Sketch;
use crate::error::Error;
use enclosure::convolution::Cost;
use enclosure::{Budget, Hint, Limit, Reason, Work};

/// Tilts, over the one before, at which it is asked where the ends of a law are.
const STEP: f64 = 4.0;
/// So many of them to each side.
const TILTS: usize = 8;

/// A law to come: its stride, the logarithms of its moments under the tilt, and the most places it can span.
#[derive(Clone, Copy, Debug)]
struct Expected {
    stride: u64,
    /// At `c` and `-c` for [`TILTS`] values of c, the first of them `least` (per unit).
    logs: [[f64; 2]; TILTS],
    least: f64,
    range: f64,
}

impl Expected {
    /// Units between the ends of what is kept at so many bits, by Chernoff's inequality: a law that has few large
    /// losses, all of them rare, is much wider than its deviation tells.
    fn span(&self, bits: f64) -> f64 {
        let mut c = self.least;
        let mut ends = [f64::INFINITY; 2];
        for logs in &self.logs {
            for (end, log) in ends.iter_mut().zip(logs) {
                *end = end.min((log + std::f64::consts::LN_2 * bits) / c);
            }
            c *= STEP;
        }
        let [above, below] = ends;
        (above + below).clamp(0.0, self.range)
    }

    fn with(&self, other: &Expected) -> Expected {
        let mut logs = self.logs;
        for (logs, other) in logs.iter_mut().flatten().zip(other.logs.iter().flatten()) {
            *logs += other;
        }
        Expected { stride: gcd(self.stride, other.stride), logs, least: self.least, range: self.range + other.range }
    }

    /// Places of the product with another law, before its ends are cut.
    fn places_with(&self, other: &Expected, bits: f64) -> f64 {
        (self.span(bits) + other.span(bits)) / gcd(self.stride, other.stride) as f64 + 1.0
    }
}

/// The longest product of a composition, about, and the seconds of all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    pub places: f64,
    pub seconds: f64,
}

/// A last product is surely no shorter than this part of what it is expected to be.
const SURELY: f64 = 0.8;

/// Go through the products in the order that [`merge`] will take, the last one too if it is to be made.
pub(super) fn estimate(
    sketches: &Sketches,
    strides: &[u64],
    (unit, tilt): (f64, f64),
    width: usize,
    last: bool,
) -> Estimate {
    let bits = 64.0 * width as f64;
    let range = |sketch: &Sketch, times: f64| {
        let (high, low) = sketch.range();
        times * (high - low).max(0.0)
    };
    // Noise without ends is as wide as its deviation tells.
    let wide = |sketch: &Sketch, times: f64| {
        let range = range(sketch, times);
        if range.is_finite() { range } else { 64.0 * (times * sketch.cumulants(tilt).variance).sqrt() }
    };
    let widest = sketches.0.iter().map(|(sketch, times)| wide(sketch, *times)).fold(f64::MIN_POSITIVE, f64::max);
    let mut laws: Vec<Expected> = sketches
        .0
        .iter()
        .zip(strides)
        .map(|((sketch, times), stride)| {
            let here = sketch.cumulants(tilt).log;
            let mut c = 1.0 / widest;
            let logs = [(); TILTS].map(|()| {
                let logs = [c, -c].map(|c| times * (sketch.cumulants(tilt + c).log - here));
                c *= STEP;
                logs
            });
            Expected { stride: *stride, logs, least: unit / widest, range: range(sketch, *times) / unit }
        })
        .collect();
    let mut estimate = Estimate::default();
    for (law, (_, times)) in laws.iter().zip(&sketches.0) {
        // Squarings, each 1.4 times as long as the one before.
        let places = law.places_with(law, bits) / 2.0;
        if *times > 1.0 {
            estimate.places = estimate.places.max(places);
            estimate.seconds += 3.0 * Cost::of(places as u64, width).seconds();
        }
    }
    while laws.len() > 2 {
        let Some((i, j, places)) = cheapest(&laws, |a, b| a.places_with(b, bits)) else { break };
        estimate.places = estimate.places.max(places);
        estimate.seconds += Cost::of(places as u64, width).seconds();
        let other = laws.swap_remove(j);
        laws[i] = laws[i].with(&other);
    }
    if let ([a, b], true) = (laws.as_slice(), last) {
        estimate.places = estimate.places.max(SURELY * a.places_with(b, bits));
    }
    let held: f64 = laws.iter().map(|law| law.span(bits) / law.stride as f64 + 1.0).sum();
    estimate.places = estimate.places.max(held);
    estimate.seconds += held * (width * width) as f64 * 4e-9;
    estimate
}

impl Estimate {
    /// Refuse what does not fit in memory, or certainly not in the time.
    pub fn check(&self, width: usize, budget: &Budget) -> Result<(), Error> {
        let places = if self.places < 1e18 { self.places as u64 } else { u64::MAX };
        check_size(places, width, budget)?;
        match budget.remaining() {
            Some(left) if self.seconds > 4.0 * left.in_seconds() => {
                let reason = Reason::from(format!(
                    "the convolution of {places} lattice points of {} bits takes about {} units of work, and \
                     {left} are left",
                    64 * width,
                    Work::of_seconds(self.seconds)
                ));
                Err(Error::Undecided(reason.hint(Hint::More(Limit::Work))))
            }
            _ => Ok(()),
        }
    }
}

/// The two of at least two items with the least cost, and that.
pub(super) fn cheapest<T>(items: &[T], cost: impl Fn(&T, &T) -> f64) -> Option<(usize, usize, f64)> {
    let mut best: Option<(usize, usize, f64)> = None;
    for (i, a) in items.iter().enumerate() {
        for (j, b) in items.iter().enumerate().skip(i + 1) {
            let cost = cost(a, b);
            if best.is_none_or(|(_, _, least)| cost < least) {
                best = Some((i, j, cost));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Portable;

    /// Eight steps of which each is large with a probability of `2^-13`: at 64 bits four of them may be, at 128 all.
    #[test]
    fn rare_losses_make_a_law_wide() {
        let rare = 2f64.powi(-13);
        let sketch = Sketch::Finite(vec![(0.0, (-rare).portable_ln_1p()), (1.0, rare.portable_ln())]);
        let unit = 2f64.powi(-20);
        let places = |width| estimate(&Sketches(vec![(sketch.clone(), 8.0)]), &[1], (unit, 0.0), width, false).places;
        // The last product is of two halves, whose ends are one of what is estimated.
        assert!(places(1) > 4.0 / unit && places(1) < 7.0 / unit, "{}", places(1));
        assert!(places(2) >= 8.0 / unit, "{}", places(2));
    }

    /// Many equal steps are as wide as their deviation tells.
    #[test]
    fn many_steps_are_as_wide_as_their_deviation() {
        let sketch = Sketch::Finite(vec![(-1.0, 0.5f64.portable_ln()), (1.0, 0.5f64.portable_ln())]);
        let estimate = estimate(&Sketches(vec![(sketch, 1e6)]), &[1], (1.0, 0.0), 2, false);
        let normal = 2.0 * (2.0 * std::f64::consts::LN_2 * 128.0 * 1e6).sqrt();
        assert!(estimate.places > normal && estimate.places < 2.0 * normal, "{} {normal}", estimate.places);
    }
}
