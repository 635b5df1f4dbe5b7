//! Where to put the line, and how many nodes: a search in doubles.
//!
//! Nothing here is part of an answer. Every tilt, period and second tilt is valid; a bad choice costs digits or time,
//! which [`contour`](super::contour) notices because it bounds each error afresh with certified arithmetic.

mod rare;

use std::collections::HashMap;
use std::f64::consts::{LN_2, PI};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use self::rare::Rare;
use super::factor::Factor;
use enclosure::work::{self, Kept};
use enclosure::{Budget, Portable};

/// Where the line crosses the real axis, which decides what it computes (of finite losses).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoleSide {
    /// `tilt > 0`: the expectation of `(1 - e^(eps-L))_+`, or `P(L >= loss)`.
    Right,
    /// `-1 < tilt < 0`: the expectation of `min(1, e^(eps-L))`, or `P(L < loss)`.
    Middle,
    /// `tilt < -1`: the expectation of `(e^(eps-L) - 1)_+`, or `P(L < loss)`.
    Left,
}

/// Which end of the law of the loss a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Large losses: right of both poles.
    Upper,
    /// Small losses: left of 0.
    Lower,
}

impl PoleSide {
    /// The tilts of a side by one real parameter that grows away from the pole at its near end.
    fn tilt(self, x: f64) -> f64 {
        match self {
            PoleSide::Right => x.portable_exp(),
            PoleSide::Middle => -x.portable_exp() / (1.0 + x.portable_exp()),
            PoleSide::Left => -1.0 - x.portable_exp(),
        }
    }

    /// The parameter of a tilt on this side.
    fn parameter(self, tilt: f64) -> f64 {
        match self {
            PoleSide::Right => tilt.portable_ln(),
            PoleSide::Middle => (-tilt / (1.0 + tilt)).portable_ln(),
            PoleSide::Left => (-1.0 - tilt).portable_ln(),
        }
    }
}

/// What is integrated against the law of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// The profile's `(1 - e^(eps-L))_+`, or `min(1, e^(eps-L))`.
    Profile,
    /// The indicator of `L >= eps`, or of `L < eps`.
    Tail,
}

/// How far out the nodes are looked at, which decides what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// As far as the integrand decays, or its kernel.
    Near,
    /// Far out, where nodes are so many that what is there on the axis counts, and not the period.
    Scattered,
    /// Far out, all of them.
    Swept,
    /// All of them in doubles, as many as the period is long.
    Row,
}

/// Tilts below and above, with `ln` of the integrand there but for the kernel.
type Ends = [Vec<(f64, f64)>; 2];

/// The choices for one line.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub pole_side: PoleSide,
    pub tilt: f64,
    /// Tilts on both sides, for Chernoff's bounds of what is not known of the aliases there.
    pub alias_tilts: [f64; 2],
    /// What is apart from the law in these bounds.
    pub rare: Option<Rare>,
    /// The period that keeps what is not known of the aliases below the target.
    pub period: f64,
    /// `ln` of the error that is aimed at.
    pub target: f64,
    /// About `ln` of the integrand where the line crosses the real axis.
    pub log_peak: f64,
    /// About how much work it is.
    pub cost: f64,
}

/// `sum times ln M` of all factors, remembered.
pub(super) struct Search<'a> {
    factors: &'a [(Arc<dyn Factor>, u64)],
    strip: (f64, f64),
    /// How far from the point that is planned for a line must serve.
    around: f64,
    /// Does no factor decay for good, nor have all a lattice?
    persistent: bool,
    reach: Reach,
    known: Known,
    /// Of whom the time is, where one moment may take some of it.
    budget: Option<&'a Budget>,
}

/// Logarithms of the moments of a composition by tilt, with the work of each: one search asks for those of another
/// again.
pub(super) type Known = Arc<Mutex<HashMap<u64, (f64, u64)>>>;

/// So many are remembered.
const MOST_KNOWN: usize = 1 << 14;

impl<'a> Search<'a> {
    pub fn new(factors: &'a [(Arc<dyn Factor>, u64)]) -> Self {
        let mut strip = (f64::NEG_INFINITY, f64::INFINITY);
        for (factor, _) in factors {
            let (low, high) = factor.strip();
            strip = (strip.0.max(low), strip.1.min(high));
        }
        let lasts = |(factor, _): &(Arc<dyn Factor>, u64)| !factor.decays();
        let persistent = factors.iter().all(lasts) && factors.iter().any(|(factor, _)| factor.span().is_none());
        Search { factors, strip, around: 0.0, persistent, reach: Reach::Near, known: Known::default(), budget: None }
    }

    /// With what another search of the same factors found, and for others.
    pub fn remembering(self, known: &Known) -> Self {
        Search { known: Arc::clone(known), ..self }
    }

    /// For lines that serve all points so near.
    pub fn serving(self, around: f64) -> Self {
        Search { around, ..self }
    }

    /// For lines that are looked at so far out.
    pub fn reaching(self, reach: Reach) -> Self {
        Search { reach, ..self }
    }

    /// For somebody whose time may run out: from then on no moment is known any more, so that the search ends soon,
    /// with whatever it has by then. Who asked looks at the budget before anything is made of that.
    pub fn within(self, budget: &'a Budget) -> Self {
        Search { budget: Some(budget), ..self }
    }

    /// Has the time run out?
    fn is_over(&self) -> bool {
        self.budget.is_some_and(|budget| budget.check().is_err())
    }

    /// `ln M(c)` of the composition.
    pub fn log_moment(&self, c: f64) -> f64 {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((value, units)) = known().get(&c.to_bits()) {
            work::recall(Kept::ForOne, *units);
            return *value;
        }
        if self.is_over() {
            return f64::INFINITY;
        }
        let (value, units) = work::learn(Kept::ForOne, || {
            if c <= self.strip.0 || c >= self.strip.1 {
                f64::INFINITY
            } else {
                self.factors.iter().map(|(factor, times)| *times as f64 * factor.log_moment(c)).sum()
            }
        });
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(c.to_bits(), (value, units));
        value
    }

    /// About the standard deviation of the loss, from the curvature of `ln M` half way between both distributions; zero
    /// if that fails.
    pub fn deviation(&self) -> f64 {
        let curvature = (self.log_moment(-0.25) + self.log_moment(-0.75) - 2.0 * self.log_moment(-0.5)) * 16.0;
        if curvature.is_finite() { curvature.max(0.0).sqrt() } else { 0.0 }
    }

    /// `ln` of the integrand on the real axis.
    fn log_integrand(&self, kernel: Kernel, c: f64, epsilon: f64) -> f64 {
        let kernel = match kernel {
            Kernel::Profile => (c * (c + 1.0)).abs(),
            Kernel::Tail => c.abs(),
        };
        self.log_moment(c) - c * epsilon - kernel.portable_ln()
    }

    /// The least of the integrand over the tilts of a family, convex in the tilt, and about the logarithm of the
    /// integral there.
    fn saddle_among(&self, kernel: Kernel, tilt: impl Fn(f64) -> f64, epsilon: f64) -> (f64, f64) {
        let f = |x: f64| self.log_integrand(kernel, tilt(x), epsilon);
        // A coarse walk finds the valley, golden section its bottom. What is outside the strip is far from the pole.
        let (mut low, mut high) = (-34, 34);
        while high - low > 3 {
            let (a, b) = (low + (high - low) / 3, high - (high - low) / 3);
            let (fa, fb) = (f(f64::from(a)), f(f64::from(b)));
            if fa < fb || fb.is_infinite() {
                high = b;
            } else {
                low = a;
            }
        }
        let (mut low, mut high) = (f64::from(low), f64::from(high));
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut fa, mut fb) = (f(a), f(b));
        while high - low > 0.02 {
            if fa < fb || fb.is_infinite() {
                high = b;
                (b, fb) = (a, fa);
                a = high - ratio * (high - low);
                fa = f(a);
            } else {
                low = a;
                (a, fa) = (b, fb);
                b = low + ratio * (high - low);
                fb = f(b);
            }
        }
        let x = f64::midpoint(low, high);
        let c = tilt(x);
        let step = (tilt(x + 0.02) - c).abs().min((c - tilt(x - 0.02)).abs());
        let at = |c: f64| self.log_integrand(kernel, c, epsilon);
        let here = at(c);
        let curvature = (at(c + step) + at(c - step) - 2.0 * here) / (step * step);
        (x, here - 0.5 * (2.0 * PI * curvature.max(1e-300)).portable_ln())
    }

    /// The saddle of the profile on a side of the poles: the side's parameter, and about the logarithm of what it
    /// computes.
    fn saddle(&self, pole_side: PoleSide, epsilon: f64) -> (f64, f64) {
        self.saddle_among(Kernel::Profile, |x| pole_side.tilt(x), epsilon)
    }

    /// About `ln delta(epsilon)`.
    pub fn log_delta(&self, epsilon: f64) -> f64 {
        let right = self.saddle(PoleSide::Right, epsilon).1;
        if right < -1.0 {
            return right;
        }
        let middle = self.saddle(PoleSide::Middle, epsilon).1.portable_exp();
        if middle < 0.6 { (-middle).portable_ln_1p() } else { right.min(-0.01) }
    }

    /// About the tilt on the right of both poles.
    pub fn tilt(&self, epsilon: f64) -> f64 {
        PoleSide::Right.tilt(self.saddle(PoleSide::Right, epsilon).0)
    }

    /// The epsilon with about this `ln delta`.
    pub fn epsilon_at(&self, log_delta: f64) -> f64 {
        falling_root(|epsilon| self.log_delta(epsilon) - log_delta)
    }

    /// The loss that is exceeded, or not reached, with about this logarithm of the probability.
    pub fn quantile(&self, end: End, log_tail: f64) -> f64 {
        let sign = if end == End::Upper { 1.0 } else { -1.0 };
        let tail = |loss: f64| self.saddle_among(Kernel::Tail, |x| sign * x.portable_exp(), loss).1;
        match end {
            End::Upper => falling_root(|loss| tail(loss) - log_tail),
            End::Lower => falling_root(|loss| log_tail - tail(loss)),
        }
    }

    /// The cheapest line that should give the profile to `bits` relative bits at an epsilon.
    pub fn plan(&self, epsilon: f64, bits: f64) -> Plan {
        let right = self.saddle(PoleSide::Right, epsilon);
        let target = right.1.min(-0.5) - bits * LN_2 - 3.0;
        let plan = self.plan_in(PoleSide::Right, right.0, epsilon, target);
        if right.1 < -1.5 {
            return plan;
        }
        self.cheapest([PoleSide::Middle, PoleSide::Left], epsilon, target, plan)
    }

    /// A line at one end of the law, to `bits` bits relative to what is computed there.
    pub fn plan_end(&self, end: End, epsilon: f64, bits: f64) -> Plan {
        let pole_side = if end == End::Upper { PoleSide::Right } else { PoleSide::Middle };
        let (x, log_value) = self.saddle(pole_side, epsilon);
        let target = log_value.min(0.0) - bits * LN_2 - 3.0;
        let plan = self.plan_in(pole_side, x, epsilon, target);
        match end {
            End::Upper => plan,
            End::Lower => self.cheapest([PoleSide::Left], epsilon, target, plan),
        }
    }

    fn cheapest<const N: usize>(&self, sides: [PoleSide; N], epsilon: f64, target: f64, first: Plan) -> Plan {
        sides.into_iter().fold(first, |best, pole_side| {
            let other = self.plan_in(pole_side, self.saddle(pole_side, epsilon).0, epsilon, target);
            if other.cost < best.cost { other } else { best }
        })
    }

    /// Another line for the same question, to check the first: a fifth further from the near pole, or nearer where that
    /// leaves the strip, and with a period that is longer than it need be, so that both have no node in common.
    pub fn moved(&self, plan: &Plan, epsilon: f64) -> Plan {
        let x = plan.pole_side.parameter(plan.tilt);
        let mut ends = self.ends(plan.pole_side, x, plan.target, epsilon);
        if let Some(rare) = plan.rare
            && let Some(apart) = self.with_rare(rare, ends.clone(), epsilon)
        {
            ends = apart;
        }
        for step in [1.2, 0.8] {
            let c = plan.pole_side.tilt(x + f64::portable_ln(step));
            if plan.rare.is_none_or(|rare| rare.admits(c))
                && let Some(moved) = self.line(plan.pole_side, epsilon, plan.target, c, &ends)
            {
                return Plan { period: 1.15 * moved.period, rare: plan.rare, ..moved };
            }
        }
        Plan { period: 1.15 * plan.period, ..plan.clone() }
    }

    /// Tilts for Chernoff's bounds, on both sides, and `ln` of the integrand's part without the kernel at each: the
    /// ends of the sides, those that are best for a Gaussian loss, and some further out than the parameter of the side
    /// of the poles.
    fn ends(&self, pole_side: PoleSide, x: f64, target: f64, epsilon: f64) -> Ends {
        let far = (-2.0 * target).max(1.0).sqrt() / self.deviation().max(1e-300);
        let steps = || (-10..6).map(|i| far * (f64::from(i) * LN_2 / 2.0).portable_exp()).filter(|x| x.is_finite());
        let outward = |of: PoleSide| {
            (0..20).filter(move |_| pole_side == of).map(move |i| of.tilt(x + f64::from(i) * LN_2 / 2.0))
        };
        let at = |c: f64| (c, self.log_moment(c) - c * epsilon);
        let left = steps().map(|x| -1.0 - x).chain(outward(PoleSide::Left));
        let right = steps().chain(outward(PoleSide::Right));
        [
            std::iter::once((-1.0, epsilon)).chain(left.map(at)).collect(),
            std::iter::once((0.0, 0.0)).chain(right.map(at)).collect(),
        ]
    }

    fn plan_in(&self, pole_side: PoleSide, saddle: f64, epsilon: f64, target: f64) -> Plan {
        let ends = self.ends(pole_side, saddle, target, epsilon);
        let plan = self.among(pole_side, saddle, (epsilon, target), (&ends, None));
        match self.apart(&plan, saddle, epsilon, ends) {
            Some(apart) if apart.cost < plan.cost => apart,
            _ => plan,
        }
    }

    /// The cheapest line near the saddle, by these tilts for the aliases.
    fn among(
        &self,
        pole_side: PoleSide,
        saddle: f64,
        (epsilon, target): (f64, f64),
        (ends, rare): (&Ends, Option<Rare>),
    ) -> Plan {
        let mut best = Plan {
            pole_side,
            tilt: pole_side.tilt(saddle),
            alias_tilts: [f64::NAN; 2],
            rare: None,
            period: f64::INFINITY,
            target,
            log_peak: f64::INFINITY,
            cost: f64::INFINITY,
        };
        // Candidates on both sides of the saddle, in steps of a quarter of a bit.
        for i in -8..12 {
            let c = pole_side.tilt(saddle + f64::from(i) * LN_2 / 4.0);
            if rare.is_none_or(|rare| rare.admits(c))
                && let Some(plan) = self.line(pole_side, epsilon, target, c, ends)
                && plan.cost < best.cost
            {
                best = Plan { rare, ..plan };
            }
        }
        best
    }

    /// The line at a tilt: its period is such that what is not known of the aliases is below the target.
    fn line(&self, pole_side: PoleSide, epsilon: f64, target: f64, c: f64, [left, right]: &Ends) -> Option<Plan> {
        let log_peak = self.log_integrand(Kernel::Profile, c, epsilon);
        if !log_peak.is_finite() {
            return None;
        }
        let side = |tilts: &[(f64, f64)], inside: fn(f64, f64) -> bool| {
            let needs = tilts.iter().filter(|(a, _)| inside(*a, c));
            let needs = needs.map(|(a, log)| ((log + a.abs() * self.around - target) / (a - c).abs(), *a));
            needs.filter(|(need, _)| need.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let (below, above) = (side(left, |a, c| a < c)?, side(right, |a, c| a > c)?);
        let period = below.0.max(above.0).max(1e-9 / c.abs());
        let depth = (log_peak - target).max(1.0);
        // A line far from the saddle needs a precision that pays for what cancels.
        // What does not decay is summed until the kernel, `1/u^2`, has made up for the modulus on the axis; or nothing
        // more is asked of what lies beyond than that it is rare, and that falls like M(c) e^(-c eps)/n^2.
        let reach = log_peak + (c * (c + 1.0)).abs().portable_ln() - target;
        let near = period * depth.sqrt() * (depth / LN_2 + 50.0).powi(3);
        let cost = match (self.reach, self.persistent) {
            (Reach::Scattered, _) => period.sqrt() * (0.5 * reach).portable_exp(),
            // All nodes are evaluated, and what lies beyond them is bounded by what there is on the axis, or near the
            // kink whatever that is.
            (Reach::Swept, _) => period * (0.25 * depth).portable_exp(),
            (Reach::Row, _) => period * (0.1 * depth).portable_exp(),
            (Reach::Near, true) => near * period * reach.clamp(0.0, 600.0).portable_exp(),
            (Reach::Near, false) => near,
        };
        let alias_tilts = [below.1, above.1];
        let rare = None;
        cost.is_finite().then_some(Plan { pole_side, tilt: c, alias_tilts, rare, period, target, log_peak, cost })
    }
}

/// A root of a falling function, to a few digits.
fn falling_root(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-1.0, 1.0);
    while f(low) < 0.0 && low > -1e12 {
        low *= 4.0;
    }
    while f(high) > 0.0 && high < 1e12 {
        high *= 4.0;
    }
    // Secants of the bracket's ends, kept going by bisection.
    let (mut at_low, mut at_high) = (f(low), f(high));
    for round in 0..60 {
        if high - low < 1e-4 * (high.abs() + low.abs()).max(1e-3) {
            break;
        }
        let secant = low + (high - low) * at_low / (at_low - at_high);
        let inside = secant > low && secant < high && round % 3 != 2;
        let middle = if inside { secant } else { f64::midpoint(low, high) };
        let value = f(middle);
        if value.abs() < 1e-3 {
            return middle;
        }
        if value > 0.0 {
            (low, at_low) = (middle, value);
        } else {
            (high, at_high) = (middle, value);
        }
    }
    f64::midpoint(low, high)
}
