//! Where the line of a one-sided mean goes: a search in doubles, which proves nothing.

use enclosure::Portable;
use std::f64::consts::{LN_2, PI};
use std::sync::Arc;

use super::Below;
use crate::compose::quadrature::factor::Factor;
use crate::compose::quadrature::plan::Search;

/// The choices for one line.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The real part of the line.
    pub tilt: f64,
    /// Tilts below and above it, for Chernoff's bounds of what is not known of the aliases.
    pub sides: [f64; 2],
    pub period: f64,
    /// `ln` of the error that is aimed at.
    pub target: f64,
    /// About `ln` of the integrand where the line crosses the real axis.
    pub log_peak: f64,
    /// About how many nodes there are before the kernel has fallen to the target, where nothing else falls.
    pub nodes: f64,
    /// About how much work it is.
    pub cost: f64,
}

impl Below {
    /// The first pole to the right of the line.
    pub(super) fn pole(&self) -> f64 {
        match self {
            Below::Cube(_) => 0.0,
            Below::Square => -2.0,
        }
    }

    /// About `ln` of the kernel on the real axis.
    fn log_kernel(&self, a: f64) -> f64 {
        match self {
            Below::Cube(_) => 6f64.portable_ln() - 4.0 * (-a).portable_ln(),
            Below::Square => LN_2 - (-a).portable_ln() - (-a - 1.0).portable_ln() - (-a - 2.0).portable_ln(),
        }
    }

    /// The power of 1/u with which the kernel falls.
    pub(super) fn power(&self) -> u32 {
        match self {
            Below::Cube(_) => 4,
            Below::Square => 3,
        }
    }

    /// About `ln` of the constant of Chernoff's bound at a tilt.
    fn log_constant(&self, tilt: f64) -> f64 {
        match self {
            Below::Cube(_) => 3.0 * (3.0 / tilt.abs()).portable_ln() - 3.0,
            Below::Square => 0.0,
        }
    }
}

/// The cheapest line for an error of `e^target`.
pub(super) fn plan(factors: &[(Arc<dyn Factor>, u64)], of: &Below, centre: f64, target: f64) -> Option<Plan> {
    let search = Search::new(factors);
    let tilt = |x: f64| of.pole() - x.portable_exp();
    let at = |a: f64| search.log_moment(a) - a * centre;
    let integrand = |x: f64| at(tilt(x)) + of.log_kernel(tilt(x));
    let saddle = lowest(integrand);
    // Those that would be best for a normal loss, and steps from the saddle outward.
    let far = (-2.0 * (target - integrand(saddle).max(0.0))).max(2.0).sqrt() / search.deviation().max(1e-300);
    let steps = || (-16..10).map(|i| far * (f64::from(i) * LN_2 / 3.0).portable_exp());
    let outward = (1..24).map(|i| tilt(saddle + f64::from(i) * LN_2 / 2.0));
    let bound = |c: f64| (c, at(c) + of.log_constant(c));
    let below: Vec<_> = steps().map(|x| of.pole() - x).chain(outward).map(bound).collect();
    let above: Vec<_> = steps().map(bound).collect();
    let lasts = factors.iter().all(|(factor, _)| !factor.decays());
    let mut best: Option<Plan> = None;
    for i in -8..12 {
        let a = tilt(saddle + f64::from(i) * LN_2 / 4.0);
        let log_peak = at(a) + of.log_kernel(a);
        let need = |all: &[(f64, f64)], right: bool| {
            let all = all.iter().filter(|(c, _)| if right { *c > a } else { *c < a });
            let all = all.map(|(c, log)| ((log - target) / (a - c).abs(), *c)).filter(|(need, _)| need.is_finite());
            all.min_by(|x, y| x.0.total_cmp(&y.0))
        };
        let (Some(left), Some(right)) = (need(&below, false), need(&above, true)) else { continue };
        let period = left.0.max(right.0).max(1e-9 / a.abs());
        let depth = (log_peak - target).max(1.0);
        let near = period * depth.sqrt() * (depth / LN_2 + 50.0).powi(3);
        // Without decay the kernel alone falls, `(a period/2 pi n)^power`.
        let power = f64::from(of.power());
        let reach = log_peak + power * (a.abs() * period / (2.0 * PI)).portable_ln() - period.portable_ln() - target;
        let nodes = if lasts { (reach / (power - 1.0)).portable_exp() } else { 0.0 };
        let cost = if lasts { near * (reach / (power - 1.0)).clamp(0.0, 600.0).portable_exp() } else { near };
        if cost.is_finite() && best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Plan { tilt: a, sides: [left.1, right.1], period, target, log_peak, nodes, cost });
        }
    }
    best
}

/// About where a convex function is least, between two far ends.
fn lowest(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    while high - low > 0.02 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (fa, fb) = (f(a), f(b));
        if fa < fb || !fb.is_finite() {
            high = b;
        } else {
            low = a;
        }
    }
    f64::midpoint(low, high)
}
