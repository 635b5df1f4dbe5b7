//! Where the contour runs, how long it is, and how many terms of the series are taken off: a search in doubles.
//!
//! It chooses; what it chooses is bounded again in `contour`, by the same formulas in enclosures.

use rug::Float;

use super::knots;
use super::series::{End, Noise};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable};

/// Numbers of derivatives that are tried: few, and more where a contour beside few is long.
const TERMS: [&[usize]; 2] = [&[2, 4, 6, 8, 12, 16, 24, 32, 48], &[64, 96, 128, 192]];
/// Microseconds of a contour that is not worth another look.
const CHEAP: f64 = 5e4;
/// Periods that are tried, in lengths of what the contour serves.
const STRETCHES: [f64; 8] = [1.125, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0];
/// Where the tilt for aliases is tried, between 1/2 and the contour's.
const ASIDE: [f64; 4] = [0.125, 0.25, 0.5, 0.75];
/// More nodes are refused: within the steps of progressions.
const MOST_NODES: f64 = 60_000.0;
/// More products for all knots are refused.
const MOST_PRODUCTS: f64 = 8e6;
/// Microseconds that a contour may take, about, if the work is not limited.
const MOST_COST: f64 = 3e7;
/// The part of the work that is left which it may take.
const SHARE: u64 = 3;
/// Bits beyond those that are needed.
const GUARD: f64 = 40.0;

/// What is chosen.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Derivatives at each end of a sample.
    pub terms: usize,
    /// The real part of z.
    pub tilt: f64,
    /// Another one, for Chernoff's bound of aliases.
    pub aside: f64,
    pub period: f64,
    pub nodes: u64,
    /// The precision.
    pub bits: u32,
}

/// The ends of a kind of noise in doubles; logarithms of what may be far from 1.
#[derive(Clone)]
struct Rough {
    high: f64,
    low: f64,
    up: Vec<f64>,
    down: Vec<f64>,
    times: f64,
    exact: bool,
    backward: bool,
}

fn log(x: &Enclosure) -> f64 {
    let size = x.abs().upper().clone();
    if size.is_zero() { f64::NEG_INFINITY } else { Float::with_val(53, size.ln_ref()).to_f64() }
}

/// `ln(e^a + e^b)`.
fn sum(a: f64, b: f64) -> f64 {
    let (most, least) = (a.max(b), a.min(b));
    if least == f64::NEG_INFINITY { most } else { most + (least - most).portable_exp().portable_ln_1p() }
}

impl Rough {
    fn new(noise: &Noise, backward: bool, terms: usize) -> Self {
        let ends = noise.ends(backward, terms, 64);
        let logs = |end: &End| end.series.iter().map(log).collect();
        Rough {
            high: ends.high.loss.upper().to_f64(),
            low: ends.low.loss.lower().to_f64(),
            up: logs(&ends.high),
            down: logs(&ends.low),
            times: noise.times as f64,
            exact: noise.rate.is_none(),
            backward,
        }
    }

    /// The same with fewer derivatives, which are the first ones.
    fn shortened(&self, terms: usize) -> Self {
        let first = |logs: &[f64]| logs.iter().take(terms + 1).copied().collect();
        Rough { up: first(&self.up), down: first(&self.down), ..self.clone() }
    }

    /// `ln` of both series at real b, about, over `e^(b high)`: few terms are near the largest.
    fn series(&self, b: f64) -> f64 {
        let step = b.portable_ln();
        let part = |logs: &[f64]| {
            let terms = logs.iter().enumerate().map(|(n, log)| log - n as f64 * step);
            terms.fold(f64::NEG_INFINITY, f64::max) + std::f64::consts::LN_2
        };
        sum(part(&self.up), part(&self.down) - b * (self.high - self.low))
    }

    /// `ln` of a bound of `N(b)`, likewise.
    fn moment(&self, b: f64) -> f64 {
        let gap = b * (self.high - self.low);
        let at = |logs: &[f64], n: usize| logs.get(n).copied().unwrap_or(f64::NEG_INFINITY);
        let density = at(&self.up, 1).max(at(&self.down, 1)) + (-(-gap).portable_exp_m1() / b).portable_ln();
        sum(sum(at(&self.up, 0), at(&self.down, 0) - gap), density)
    }

    /// `ln` of what the series may miss at the modulus u, likewise.
    fn missed(&self, u: f64) -> f64 {
        // The last derivative at the least loss of the sample, forwards, bounds it.
        let last = if self.backward { self.up.last() } else { self.down.last() };
        match last {
            Some(fall) if !self.exact => fall - (self.up.len() as f64 - 1.0) * u.portable_ln(),
            _ => f64::NEG_INFINITY,
        }
    }
}

/// All kinds together.
struct All(Vec<Rough>);

impl All {
    fn total(&self, of: impl Fn(&Rough) -> f64) -> f64 {
        self.0.iter().map(|kind| kind.times * of(kind)).sum()
    }

    /// About how many microseconds so many nodes take: the inner rule of a sample has a node for every radian, and some
    /// for the bits; then there are the series.
    fn cost(&self, nodes: f64, ordinate: f64, bits: f64) -> f64 {
        let limbs = bits / 64.0 + 1.0;
        let each = self.0.iter().map(|kind| {
            let inner = if kind.exact { 0.0 } else { 0.6 * ordinate * (kind.high - kind.low) + bits };
            4e-3 * inner * limbs * limbs + 1e-3 * (bits + 300.0) * (kind.up.len() as f64 + 20.0)
        });
        nodes * each.sum::<f64>()
    }

    /// How many sums of ends are within reach of the largest, up to what is too many.
    fn knots(&self, reach: f64) -> f64 {
        let mut gaps = vec![0.0];
        for kind in &self.0 {
            let step = kind.high - kind.low;
            let below = |gap: f64| ((reach - gap) / step).min(kind.times).max(0.0) as u64;
            if gaps.iter().map(|gap| below(*gap) as f64 + 1.0).sum::<f64>() > MOST_PRODUCTS {
                return f64::INFINITY;
            }
            gaps = gaps.iter().flat_map(|gap| (0..=below(*gap)).map(move |j| gap + j as f64 * step)).collect();
        }
        gaps.len() as f64
    }

    /// `ln` of the difference of both products at most, over `e^(a high)`.
    fn missed(&self, a: f64, u: f64) -> f64 {
        let gain = self.total(|kind| (kind.missed(u) - kind.moment(a)).portable_exp().portable_ln_1p());
        self.total(|kind| kind.moment(a)) + gain.portable_exp_m1().portable_ln()
    }
}

impl Plan {
    /// For so many bits after the point of the function of the knots, for t from `top - reach` to `top`, the largest
    /// loss.
    pub fn new(noises: &[Noise], backward: bool, reach: f64, fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let most_cost = budget.remaining().map_or(MOST_COST, |left| (left / SHARE).in_seconds() * 1e6);
        let mut best: Option<(f64, Plan)> = None;
        let mut least_nodes = f64::INFINITY;
        for tier in TERMS {
            if best.as_ref().is_some_and(|(cost, _)| *cost < CHEAP) {
                break;
            }
            let most = tier.last().copied().unwrap_or(1);
            let longest: Vec<Rough> = noises.iter().map(|noise| Rough::new(noise, backward, most)).collect();
            for &terms in tier {
                let all = All(longest.iter().map(|kind| kind.shortened(terms)).collect());
                let (nodes, plan) = Self::beside(&all, terms, reach, fraction, most_cost);
                least_nodes = least_nodes.min(nodes);
                if let Some(plan) = plan
                    && best.as_ref().is_none_or(|(least, _)| plan.0 < *least)
                {
                    best = Some(plan);
                }
            }
        }
        best.map(|(_, plan)| plan).ok_or_else(|| {
            Error::undecided(if least_nodes.is_finite() {
                format!(
                    "besides the series at the ends of the privacy losses, a contour of about {least_nodes:.1e} nodes \
                     is needed, which takes too long; try fewer digits"
                )
            } else {
                "the ends of the privacy losses have too many sums for a closed form, or differ too much for a \
                 contour; try fewer compositions"
                    .to_string()
            })
        })
    }

    /// The cheapest line beside so many derivatives with about its cost, and the fewest nodes of any.
    fn beside(all: &All, terms: usize, reach: f64, fraction: u32, most_cost: f64) -> (f64, Option<(f64, Plan)>) {
        let target = -f64::from(fraction) * std::f64::consts::LN_2;
        let mut best: Option<(f64, Plan)> = None;
        let mut least_nodes = f64::INFINITY;
        let lengths: Vec<(usize, u64)> = all.0.iter().map(|kind| (kind.up.len() - 1, kind.times as u64)).collect();
        let products = knots::work(all.knots(reach), &lengths);
        if products > MOST_PRODUCTS {
            return (f64::INFINITY, None);
        }
        let series = |b: f64| all.total(|kind| kind.series(b));
        let moment = |b: f64| all.total(|kind| kind.moment(b));
        for stretch in STRETCHES {
            let period = reach * stretch;
            for share in ASIDE {
                let fits = |a: f64| {
                    let b = 0.5 + share * (a - 0.5);
                    let size = sum(series(b), moment(b)) - (2.0 * (b - 0.5)).portable_ln() + b * reach;
                    size - (a - b) * period <= target - 2.0
                };
                let tilts = (-12..40).map(|i| 0.5 + (0.25 * f64::from(i)).portable_exp2() / reach);
                let Some(a) = tilts.into_iter().find(|a| fits(*a)) else { continue };
                let ordinate = |n: f64| 2.0 * std::f64::consts::PI * n / period;
                let rest = |n: f64| {
                    let u = ordinate(n);
                    all.missed(a, u) + a * reach - u.portable_ln() <= target - 2.0
                };
                let Some(nodes) = (8..160).map(|i| (f64::from(i) / 4.0).portable_exp2().ceil()).find(|n| rest(*n))
                else {
                    continue;
                };
                least_nodes = least_nodes.min(nodes);
                if nodes > MOST_NODES {
                    continue;
                }
                let large = a * reach + sum(series(a), moment(a)) - (2.0 * (a - 0.5)).portable_ln();
                let bits = f64::from(fraction) + large.max(0.0) / std::f64::consts::LN_2 + GUARD;
                if !(bits < 1e5) {
                    continue;
                }
                let cost = all.cost(nodes, ordinate(nodes), bits) + products * 1e-4 * (bits + 300.0);
                if cost > most_cost {
                    continue;
                }
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let aside = 0.5 + share * (a - 0.5);
                    let nodes = nodes as u64;
                    best = Some((cost, Plan { terms, tilt: a, aside, period, nodes, bits: bits as u32 }));
                }
            }
        }
        (least_nodes, best)
    }
}
