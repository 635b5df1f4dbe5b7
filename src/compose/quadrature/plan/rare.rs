//! Rare large losses apart, where their tail alone makes the period of a line long: a search in doubles.

use super::{End, Ends, Plan, Reach, Search};
use enclosure::Portable;

/// Draws of one factor with rare large losses, which are apart in the bound of the aliases on one side.
#[derive(Clone, Copy, Debug)]
pub(in crate::compose::quadrature) struct Rare {
    /// Below, or above.
    pub end: End,
    /// Of which factor, counted from 0.
    pub factor: usize,
    /// Where they begin.
    pub cut: f64,
    /// A tilt for Chernoff's bound of the sums with such a draw.
    pub tilt: f64,
}

impl Rare {
    /// Is the tilt of a line well on the near side of that of the bound?
    pub(super) fn admits(self, c: f64) -> bool {
        match self.end {
            End::Upper => c < 0.95 * self.tilt,
            End::Lower => c > 0.95 * self.tilt,
        }
    }
}

/// A period so many times as long as that of a Gaussian loss has to do with rare large losses.
const LONG: f64 = 6.0;

/// Tilts for the bound of sums with rare losses, over that of the line.
const RARE_TILTS: [f64; 5] = [1.15, 1.4, 2.0, 3.0, 5.0];

/// By so much, as a logarithm, rare losses are below the target: periods are short, and their sum is over many.
const RARER: f64 = 6.0;

impl Search<'_> {
    /// A cheaper line than this, with rare losses apart, where their tail alone makes the period long.
    pub(super) fn apart(&self, plan: &Plan, saddle: f64, epsilon: f64, ends: Ends) -> Option<Plan> {
        let usual = 2.0 * (-2.0 * plan.target).max(1.0).sqrt() * self.deviation();
        if self.reach != Reach::Near || !(plan.period > LONG * usual && plan.period.is_finite()) {
            return None;
        }
        let splits =
            (0..self.factors.len()).filter(|&i| self.factors.get(i).is_some_and(|f| f.0.apart(0.0, false).is_some()));
        let factor = splits.max_by_key(|&i| self.factors.get(i).map(|f| f.1))?;
        [End::Lower, End::Upper].into_iter().find_map(|end| {
            let rare = self.rare(plan, (end, factor), epsilon)?;
            let apart = self.with_rare(rare, ends.clone(), epsilon)?;
            let found = self.among(plan.pole_side, saddle, (epsilon, plan.target), (&apart, Some(rare)));
            (found.period < plan.period).then_some(found)
        })
    }

    /// The least cut beyond which draws are so rare that the sums with one of them come to next to nothing on one side
    /// of a line.
    fn rare(&self, plan: &Plan, (end, place): (End, usize), epsilon: f64) -> Option<Rare> {
        let (factor, times) = self.factors.get(place)?;
        let sums = |cut: f64, a: f64| -> Option<f64> {
            if self.is_over() {
                return None;
            }
            let [_, large, _] = factor.apart(cut, false)?.log_moments(a);
            let all = self.log_moment(a) - factor.log_moment(a);
            Some((*times as f64).portable_ln() + large + all - a * epsilon + a.abs() * self.around)
        };
        let least = |a: f64| -> Option<f64> {
            let few = |cut: f64| sums(cut, a).is_some_and(|log| log < plan.target - RARER);
            let (mut low, mut high) = (0.0, 64.0);
            if !few(high) {
                return None;
            }
            while high - low > 0.1 {
                let middle = f64::midpoint(low, high);
                if few(middle) { high = middle } else { low = middle }
            }
            Some(high)
        };
        let tilts = RARE_TILTS.into_iter().map(|times| match end {
            End::Upper => plan.tilt.max(0.25) * times,
            End::Lower => plan.tilt.min(-1.25) * times,
        });
        let all = tilts.filter_map(|tilt| least(tilt).map(|cut| Rare { end, factor: place, cut, tilt }));
        all.min_by(|x, y| x.cut.total_cmp(&y.cut))
    }

    /// These tilts with the moments of all draws but rare ones, on the side of those; and further tilts there.
    pub(super) fn with_rare(&self, rare: Rare, mut ends: Ends, epsilon: f64) -> Option<Ends> {
        let (factor, times) = self.factors.get(rare.factor)?;
        let split = factor.apart(rare.cut, false)?;
        let [below, above] = &mut ends;
        let side = if rare.end == End::Upper { above } else { below };
        for (a, log) in side.iter_mut() {
            if self.is_over() {
                return None;
            }
            let others: f64 = (self.factors.iter().enumerate())
                .filter(|(i, _)| *i != rare.factor)
                .map(|(_, (factor, times))| *times as f64 * factor.log_moment(*a))
                .sum();
            *log = *times as f64 * split.log_moments(*a)[0] + others - *a * epsilon;
        }
        side.retain(|(_, log)| !log.is_nan());
        Some(ends)
    }
}
