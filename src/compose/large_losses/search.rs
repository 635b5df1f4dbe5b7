//! Which losses are large: a search in doubles.
//!
//! Nothing here is part of an answer: any cut is right, a bad one costs digits or time.

use enclosure::Portable;
use std::ops::RangeInclusive;

use crate::compose::large_steps::law::LogRest;
use crate::compose::quadrature::factor::PoissonDiscreteGaussian;

/// Tilts of Chernoff's bounds, as powers of the root of two.
const TILTS: std::ops::Range<i32> = -12..64;
/// Steeper ones leave the exponents of floats.
const STEEPEST: f64 = 1e8;
/// Outcomes that are looked at, at most.
const MOST: i64 = 4096;
/// On the left so many standard deviations of them.
const LEFT: f64 = 12.0;
/// What is so many nats below the rest does not matter.
const NOTHING: f64 = 60.0;
const LITTLE: f64 = 40.0;
/// Large losses of one sum that are listed: of more the law is no sum of few.
pub(super) const MOST_LARGE: u64 = 16;
/// Cuts that are tried, about.
const CUTS: i64 = 32;
/// Tilted by what counts most, losses of a band differ by so many nats at most.
const WIDE: f64 = 3.0;
/// A higher cut is better where the bounds are so little worse.
const NEARLY: f64 = 0.7;

/// What is known of the outcomes of one run.
pub(super) struct Search {
    runs: u64,
    epsilon: f64,
    first: i64,
    /// Losses and logarithms of masses.
    outcomes: Vec<(f64, f64)>,
    tilts: Vec<f64>,
    rest: Vec<f64>,
    /// By outcome and tilt, about the logarithms of the moments of all up to it, and from it on.
    up_to: Vec<Vec<f64>>,
    from: Vec<Vec<f64>>,
}

/// What is cut where.
pub(super) struct Plan {
    /// The outcomes of large losses in bands, first and last, from the least up: those before are small.
    pub bands: Vec<RangeInclusive<i64>>,
    /// About the logarithm of what Chernoff's bounds of all parts come to, and of that of the whole.
    pub log_parts: f64,
    pub log_whole: f64,
    /// By band and tilt, about the logarithms of the moments; and of the masses.
    moments: Vec<Vec<f64>>,
    masses: Vec<f64>,
    /// Of small losses.
    small: Vec<f64>,
}

impl Plan {
    /// The first outcome that is not small.
    pub fn cut(&self) -> i64 {
        self.bands.first().map_or(i64::MAX, |band| *band.start())
    }

    /// The last one that is listed.
    pub fn last(&self) -> i64 {
        self.bands.last().map_or(i64::MAX, |band| *band.end())
    }
}

/// Some runs with losses in these bands, the others without large ones.
pub(super) struct Term {
    pub bands: Vec<usize>,
    /// About the logarithm of its bound.
    pub log: f64,
    pub tilt: f64,
}

/// `ln(e^x + e^y)`.
pub(super) fn log_add(x: f64, y: f64) -> f64 {
    let (low, high) = if x < y { (x, y) } else { (y, x) };
    if high == f64::NEG_INFINITY { high } else { high + (low - high).portable_exp().portable_ln_1p() }
}

/// `ln C(n, j)` for small j.
fn log_choose(n: u64, j: u64) -> f64 {
    (0..j).map(|i| ((n - i) as f64 / (i + 1) as f64).portable_ln()).sum()
}

impl Search {
    /// `None` where there are too many outcomes.
    pub fn new(step: &PoissonDiscreteGaussian, runs: u64, rest: &LogRest, epsilon: f64) -> Option<Self> {
        let first = -(LEFT * step.deviation()).ceil() as i64 - 1;
        let mut outcomes = Vec::new();
        let mut far = f64::NEG_INFINITY;
        for m in first.. {
            let (loss, log) = step.sketched(m);
            if outcomes.len() as i64 >= MOST || loss.is_nan() || log.is_nan() {
                return None;
            }
            outcomes.push((loss, log));
            if m > 0 && loss >= epsilon {
                far = far.max(log);
                if log < far - NOTHING {
                    break;
                }
            }
        }
        let within = |c: &f64| c * epsilon.max(1.0) < STEEPEST && rest.at(*c).is_finite();
        let tilts: Vec<f64> = TILTS.map(|i| (f64::from(i) / 2.0).portable_exp2()).filter(within).collect();
        let of_rest = tilts.iter().map(|c| rest.at(*c)).collect();
        let add = |sum: &mut Vec<f64>, (loss, log): (f64, f64)| {
            sum.iter_mut().zip(&tilts).for_each(|(sum, c)| *sum = log_add(*sum, log + c * loss));
            Some(sum.clone())
        };
        let none = vec![f64::NEG_INFINITY; tilts.len()];
        let up_to = outcomes.iter().scan(none.clone(), |sum, outcome| add(sum, *outcome)).collect();
        let mut from: Vec<Vec<f64>> = outcomes.iter().rev().scan(none, |sum, outcome| add(sum, *outcome)).collect();
        from.reverse();
        (!tilts.is_empty()).then_some(Search { runs, epsilon, first, outcomes, tilts, rest: of_rest, up_to, from })
    }

    fn at(&self, m: i64) -> usize {
        (m - self.first) as usize
    }

    fn last(&self) -> i64 {
        self.first + self.outcomes.len() as i64 - 1
    }

    /// About the logarithm of the least bound at epsilon of what has these moments beside the rest, `ln M(c)` and
    /// `ln M(0)`, and its tilt.
    fn least(&self, moments: impl Iterator<Item = f64>, mass: f64) -> (f64, f64) {
        let logs = moments.zip(&self.rest).zip(&self.tilts).map(|((m, r), c)| (m + r - c * self.epsilon, *c));
        logs.fold((mass, 0.0), |best, next| if next.0 < best.0 { next } else { best })
    }

    /// About the sum of the bounds of no large loss, of one, and of more, where all from this outcome on are large; and
    /// the tilt of the largest single one.
    fn parts(&self, cut: i64) -> (f64, f64) {
        let small = &self.up_to[self.at(cut) - 1];
        let runs = self.runs as f64;
        let none = self.least(small.iter().map(|a| runs * a), 0.0).0;
        let mut sum = f64::NEG_INFINITY;
        let mut best = (f64::NEG_INFINITY, 0.0);
        for &(loss, mass) in &self.outcomes[self.at(cut)..] {
            let moments = small.iter().zip(&self.tilts).map(|(a, c)| (runs - 1.0) * a + c * loss + mass);
            let (log, tilt) = self.least(moments, mass);
            sum = log_add(sum, log);
            if log > best.0 {
                best = (log, tilt);
            }
        }
        let (from, all) = (&self.from[self.at(cut)], &self.up_to[self.at(self.last())]);
        let two = from.iter().zip(all).map(|(large, all)| 2.0 * large + (runs - 2.0) * all + log_choose(self.runs, 2));
        let more = if self.runs > 1 { self.least(two, f64::INFINITY).0 } else { f64::NEG_INFINITY };
        (log_add(log_add(none, sum + runs.portable_ln()), more), best.1)
    }

    /// The best cut.
    ///
    /// What counts most is one large loss. The bounds tell where that is so; the tilt there tells how wide a band may
    /// be, and how large small losses are: so many nats.
    pub fn plan(&self, small: f64) -> Option<Plan> {
        let last = self.last();
        let runs = self.runs as f64;
        let all = &self.up_to[self.at(last)];
        let log_whole = self.least(all.iter().map(|a| runs * a), 0.0).0;
        let positive = (1..=last).find(|m| self.outcomes[self.at(*m)].0 > 0.0)?;
        let stride = ((last - positive) / CUTS).max(1);
        let cuts = (0..).map(|i| positive + i * stride).take_while(|cut| *cut <= last);
        let known: Vec<_> = cuts.map(|cut| (cut, self.parts(cut))).collect();
        let log_parts = known.iter().map(|(_, found)| found.0).min_by(f64::total_cmp)?;
        let (cut, (_, tilt)) = *known.iter().rev().find(|(_, found)| found.0 <= log_parts + NEARLY)?;
        let tilt = tilt.max(self.tilts[0]);
        // Of what is far out only the mass matters.
        let most = |m: &i64| runs.portable_ln() + self.outcomes[self.at(*m)].1 > log_parts - LITTLE;
        let last = (cut..=last).rev().find(most).unwrap_or(cut);
        let cut = (positive..cut).find(|m| self.outcomes[self.at(*m)].0 * tilt >= small).unwrap_or(cut);
        let mut bands: Vec<RangeInclusive<i64>> = Vec::new();
        for m in cut..=last {
            let loss = |m: i64| self.outcomes[self.at(m)].0;
            match bands.last_mut() {
                Some(band) if (loss(m) - loss(*band.start())) * tilt <= WIDE => *band = *band.start()..=m,
                _ => bands.push(m..=m),
            }
        }
        let moments = bands.iter().map(|band| self.moments(band)).collect();
        let masses = bands.iter().map(|band| self.of(band).map(|(_, mass)| mass).fold(f64::NEG_INFINITY, log_add));
        let (masses, small) = (masses.collect(), self.up_to[self.at(cut) - 1].clone());
        Some(Plan { bands, log_parts, log_whole, moments, masses, small })
    }

    fn of(&self, band: &RangeInclusive<i64>) -> impl Iterator<Item = (f64, f64)> {
        self.outcomes[self.at(*band.start())..=self.at(*band.end())].iter().copied()
    }

    fn moments(&self, band: &RangeInclusive<i64>) -> Vec<f64> {
        let at = |c: &f64| self.of(band).map(|(loss, log)| log + c * loss).fold(f64::NEG_INFINITY, log_add);
        self.tilts.iter().map(at).collect()
    }

    /// The bound of sums with at least so many large losses, and its tilt.
    pub fn many(&self, plan: &Plan, large: u64) -> (f64, f64) {
        if large > self.runs {
            return (f64::NEG_INFINITY, 1.0);
        }
        let of_large = |t: usize| plan.moments.iter().map(|band| band[t]).fold(f64::NEG_INFINITY, log_add);
        let (j, others) = (large as f64, (self.runs - large) as f64);
        let at = |t: usize| {
            let of_large = of_large(t);
            j * of_large + others * log_add(plan.small[t], of_large) + self.rest[t] - self.tilts[t] * self.epsilon
        };
        let best = (0..self.tilts.len()).map(|t| (at(t), self.tilts[t])).min_by(|x, y| x.0.total_cmp(&y.0));
        let (log, tilt) = best.unwrap_or((0.0, 1.0));
        (log + log_choose(self.runs, large), tilt)
    }

    /// How many large losses are to be listed, so that sums of more have a bound of about this logarithm, if lists are
    /// not longer than so much, nor the sums.
    pub fn listed(&self, plan: &Plan, log: f64, longest: u64) -> u64 {
        let bands = plan.bands.len() as u64;
        let (mut large, mut length) = (1, bands);
        while large < MOST_LARGE && self.many(plan, large + 1).0 > log {
            length = length.saturating_mul(bands + large) / (large + 1);
            if length > longest {
                break;
            }
            large += 1;
        }
        large.min(self.runs)
    }

    /// All terms of at most so many large losses.
    pub fn terms(&self, plan: &Plan, large: u64) -> Vec<Term> {
        let mut all = Vec::new();
        let none = vec![0.0; self.tilts.len()];
        self.extend(plan, &mut all, &mut Vec::new(), (large.min(self.runs), 0.0, &none));
        all
    }

    /// Those that begin with these bands, of this logarithm of the mass and these of the moments.
    fn extend(
        &self,
        plan: &Plan,
        all: &mut Vec<Term>,
        bands: &mut Vec<usize>,
        (more, mass, moments): (u64, f64, &[f64]),
    ) {
        let others = (self.runs - bands.len() as u64) as f64;
        let (log, tilt) = self.least(moments.iter().zip(&plan.small).map(|(m, a)| m + others * a), mass);
        all.push(Term { bands: bands.clone(), log, tilt });
        if more == 0 {
            return;
        }
        for band in bands.last().copied().unwrap_or(0)..plan.bands.len() {
            // Equal ones are interchangeable.
            let alike = bands.iter().filter(|other| **other == band).count() as f64 + 1.0;
            let ways = (others / alike).portable_ln();
            let longer: Vec<f64> = moments.iter().zip(&plan.moments[band]).map(|(m, b)| m + b + ways).collect();
            bands.push(band);
            self.extend(plan, all, bands, (more - 1, mass + plan.masses[band] + ways, &longer));
            bands.pop();
        }
    }
}
