//! Where to put the line, and how many nodes: a search in doubles.
//!
//! Nothing here is part of an answer. Every tilt, period and second tilt is valid; a bad choice costs digits or time, which
//! [`contour`](super::contour) notices because it bounds each error afresh with certified arithmetic.

use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::{LN_2, PI};
use std::sync::Arc;

use super::factor::Factor;

/// Where the line crosses the real axis, which decides what it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// `tilt > 0`: the expectation of `(1 - e^(eps-L))_+`.
    Right,
    /// `-1 < tilt < 0`: the expectation of `min(1, e^(eps-L))`.
    Middle,
}

/// What is integrated against the law of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// The profile's `(1 - e^(eps-L))_+`, or `min(1, e^(eps-L))`.
    Profile,
    /// The indicator of `L >= eps`, or of `L < eps`.
    Tail,
}

/// The choices for one line.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub zone: Zone,
    pub tilt: f64,
    /// A tilt further out, for Chernoff's bound on the aliases of that side.
    pub alias_tilt: f64,
    /// The period that keeps all aliases below the target.
    pub period: f64,
    /// About `ln` of the value.
    pub log_value: f64,
    /// About `ln` of the integrand where the line crosses the real axis.
    pub log_peak: f64,
}

/// `sum times ln M` of all factors, remembered.
pub(super) struct Search<'a> {
    factors: &'a [(Arc<dyn Factor>, u64)],
    strip: (f64, f64),
    known: RefCell<HashMap<u64, f64>>,
}

impl<'a> Search<'a> {
    pub fn new(factors: &'a [(Arc<dyn Factor>, u64)]) -> Self {
        let mut strip = (f64::NEG_INFINITY, f64::INFINITY);
        for (factor, _) in factors {
            let (low, high) = factor.strip();
            strip = (strip.0.max(low), strip.1.min(high));
        }
        Search { factors, strip, known: RefCell::new(HashMap::new()) }
    }

    /// `ln M(c)` of the composition.
    pub fn log_moment(&self, c: f64) -> f64 {
        if let Some(value) = self.known.borrow().get(&c.to_bits()) {
            return *value;
        }
        let value = if c <= self.strip.0 || c >= self.strip.1 {
            f64::INFINITY
        } else {
            self.factors.iter().map(|(factor, times)| *times as f64 * factor.log_moment(c)).sum()
        };
        let value = if value.is_nan() { f64::INFINITY } else { value };
        self.known.borrow_mut().insert(c.to_bits(), value);
        value
    }

    /// `ln` of the integrand on the real axis.
    fn log_integrand(&self, kernel: Kernel, c: f64, epsilon: f64) -> f64 {
        let kernel = match kernel {
            Kernel::Profile => (c * (c + 1.0)).abs(),
            Kernel::Tail => c.abs(),
        };
        self.log_moment(c) - c * epsilon - kernel.ln()
    }

    /// The least of the integrand on the real axis of the zone, and about the logarithm of the integral.
    pub fn saddle(&self, kernel: Kernel, zone: Zone, epsilon: f64) -> (f64, f64) {
        // Right: c = e^x; middle: c = -1/(1 + e^x). Convex in c, so unimodal in x.
        let tilt = |x: f64| match zone {
            Zone::Right => x.exp(),
            Zone::Middle => -1.0 / (1.0 + x.exp()),
        };
        let f = |x: f64| self.log_integrand(kernel, tilt(x), epsilon);
        // A coarse walk finds the valley, golden section its bottom.
        let (from, to) = match zone {
            Zone::Right => (-34, 34),
            Zone::Middle => (-34, 34),
        };
        let coarse = |x: i32| f(f64::from(x));
        let (mut low, mut high) = (from, to);
        while high - low > 3 {
            let (a, b) = (low + (high - low) / 3, high - (high - low) / 3);
            let (fa, fb) = (coarse(a), coarse(b));
            // Outside the strip it is infinite, which is always to the right in the right zone.
            if fa < fb || (fa == fb && fa.is_infinite()) {
                high = b;
            } else {
                low = a;
            }
        }
        let (mut low, mut high) = (f64::from(low), f64::from(high));
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut fa, mut fb) = (f(a), f(b));
        while high - low > 0.01 {
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
        let c = tilt(f64::midpoint(low, high));
        let step = 0.02 * c.abs().min(c + 1.0);
        let here = self.log_integrand(kernel, c, epsilon);
        let curvature = (self.log_integrand(kernel, c + step, epsilon) + self.log_integrand(kernel, c - step, epsilon) - 2.0 * here)
            / (step * step);
        let value = here - 0.5 * (2.0 * PI * curvature.max(1e-300)).ln();
        (c, value.min(0.0))
    }

    /// About `ln delta(epsilon)`.
    pub fn log_delta(&self, epsilon: f64) -> f64 {
        let right = self.saddle(Kernel::Profile, Zone::Right, epsilon).1;
        if right < -1.0 {
            return right;
        }
        let middle = self.saddle(Kernel::Profile, Zone::Middle, epsilon).1.exp();
        if middle < 0.5 { (-middle).ln_1p() } else { right }
    }

    /// The epsilon with about this `ln delta`.
    pub fn epsilon_at(&self, log_delta: f64) -> f64 {
        falling_root(|epsilon| self.log_delta(epsilon) - log_delta)
    }

    /// The loss that is exceeded (right zone), or not reached (middle zone), with about this logarithm of the probability.
    pub fn quantile(&self, zone: Zone, log_tail: f64) -> f64 {
        let tail = |loss: f64| self.saddle(Kernel::Tail, zone, loss).1;
        match zone {
            Zone::Right => falling_root(|loss| tail(loss) - log_tail),
            Zone::Middle => falling_root(|loss| log_tail - tail(loss)),
        }
    }

    /// A line that should give the profile to `bits` relative bits at `epsilon`, with room to serve neighbours from whose own
    /// best line it is `spare` bits away.
    pub fn plan(&self, epsilon: f64, bits: f64) -> Plan {
        let (right, log_right) = self.saddle(Kernel::Profile, Zone::Right, epsilon);
        let (zone, saddle, log_value) = if log_right < -1.0 {
            (Zone::Right, right, log_right)
        } else {
            let (middle, log_middle) = self.saddle(Kernel::Profile, Zone::Middle, epsilon);
            if log_middle < -1.0 { (Zone::Middle, middle, log_middle) } else { (Zone::Right, right, log_right) }
        };
        self.plan_in(zone, saddle, log_value, epsilon, bits)
    }

    /// The same in a given zone, for relative accuracy of *its* value.
    pub fn plan_zone(&self, zone: Zone, epsilon: f64, bits: f64) -> Plan {
        let (saddle, log_value) = self.saddle(Kernel::Profile, zone, epsilon);
        self.plan_in(zone, saddle, log_value, epsilon, bits)
    }

    fn plan_in(&self, zone: Zone, saddle: f64, log_value: f64, epsilon: f64, bits: f64) -> Plan {
        let target = log_value - bits * LN_2 - 3.0;
        let scale = |i: i32| 2f64.powf(f64::from(i) / 4.0);
        // Candidates on both sides of the saddle, ordered outward from the nearest pole at zero.
        let tilts: Vec<f64> = match zone {
            Zone::Right => (-8..40).map(|i| saddle * scale(i)).filter(|&c| c < self.strip.1).collect(),
            Zone::Middle => {
                let odds = -saddle / (1.0 + saddle);
                (-8..40).map(|i| odds * scale(i)).map(|odds| -odds / (1.0 + odds)).collect()
            }
        };
        let logs: Vec<f64> = tilts.iter().map(|&c| self.log_moment(c) - c * epsilon).collect();
        let mut best: Option<(f64, Plan)> = None;
        for (i, (&c, &log)) in tilts.iter().zip(&logs).enumerate().take(20) {
            let log_peak = log - (c * (c + 1.0)).abs().ln();
            if !log_peak.is_finite() {
                continue;
            }
            // Aliases towards the pole at zero: at most one each. Aliases of the other side: Chernoff.
            let near = -target / c.abs();
            let far = (i + 1..tilts.len())
                .filter_map(|j| {
                    let need = (logs.get(j)? - target) / (tilts.get(j)? - c).abs();
                    need.is_finite().then_some((need, *tilts.get(j)?))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((far, alias_tilt)) = far else { continue };
            let period = near.max(far).max(1e-300);
            let cost = period * (log_peak - target).max(1.0).sqrt() * (bits + (log_peak - log_value) / LN_2 + 100.0);
            if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Plan { zone, tilt: c, alias_tilt, period, log_value, log_peak }));
            }
        }
        best.map(|(_, plan)| plan).unwrap_or(Plan {
            zone,
            tilt: saddle,
            alias_tilt: f64::NAN,
            period: f64::INFINITY,
            log_value,
            log_peak: f64::INFINITY,
        })
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
