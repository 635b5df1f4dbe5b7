//! Where to put the contour: a search in doubles.
//!
//! Nothing here is part of an answer. Each number that comes out is a free choice of the method (any tilt `c > 0`, any
//! number of nodes, any `c' > c` for the bound on the aliases is valid), and a bad choice costs digits or time, which
//! [`tail`](super::tail) notices because it bounds every error afresh with certified arithmetic.

use enclosure::Portable;

/// The choices for one tail `P(S >= k)`.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The real part of the contour.
    pub tilt: f64,
    /// A larger real part, for Chernoff's bound on the aliases to the right.
    pub alias_tilt: f64,
    /// How many nodes a whole period would have: odd, as a double.
    pub period: f64,
    /// How many nodes on each side of the real axis are evaluated.
    pub nodes: f64,
    /// Bits that cancel in the sum, because the contour does not pass through the saddle point.
    pub lost_bits: f64,
    /// About `ln P(S >= k)`, rather too small than too large.
    pub log_tail: f64,
}

/// The sum of `n` draws, as the search sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub sigma2: f64,
    pub n: f64,
}

/// At and above this variance the dual of the theta sum is used, below it the sum itself. Any value would be valid.
pub(super) const DUAL_FROM: (u32, u32) = (4, 25);

impl Shape {
    fn dual(self) -> bool {
        self.sigma2 >= f64::from(DUAL_FROM.0) / f64::from(DUAL_FROM.1)
    }

    /// About `ln E e^(cX)`.
    fn log_moment(self, c: f64) -> f64 {
        let s2 = self.sigma2;
        if self.dual() {
            let pi = std::f64::consts::PI;
            let theta = |phase: f64| {
                1.0 + 2.0
                    * (1..4)
                        .map(|m| {
                            (-2.0 * pi * pi * s2 * f64::from(m * m)).portable_exp()
                                * (f64::from(m) * phase).portable_cos()
                        })
                        .sum::<f64>()
            };
            let phase = if s2 > 50.0 { 0.0 } else { 2.0 * pi * s2 * c };
            c * c * s2 / 2.0 + (theta(phase) / theta(0.0)).portable_ln()
        } else {
            let sum = |c: f64| {
                let centre = (c * s2).round();
                let tilt = c - centre / s2;
                let side = (1..8)
                    .map(|i| {
                        let i = f64::from(i);
                        let weight = -i * i / (2.0 * s2);
                        (weight + tilt * i).portable_exp() + (weight - tilt * i).portable_exp()
                    })
                    .sum::<f64>();
                centre * centre / (2.0 * s2) + tilt * centre + side.portable_ln_1p()
            };
            sum(c) - sum(0.0)
        }
    }

    /// `ln` of the integrand's modulus where the contour crosses the real axis.
    fn log_peak(self, c: f64, k: f64) -> f64 {
        self.n * self.log_moment(c) - c * k - (-(-c).portable_exp_m1()).portable_ln()
    }

    /// The least of [`log_peak`](Self::log_peak), by golden section over `ln c`: it is convex in `c`.
    fn saddle(self, k: f64) -> f64 {
        let v = self.n * self.sigma2;
        let smooth = (k + (k * k + 4.0 * v).sqrt()) / (2.0 * v);
        let smooth = if k < 0.0 { 2.0 / ((k * k + 4.0 * v).sqrt() - k) } else { smooth };
        let last = (k.max(0.0) / self.n + 2.0) / self.sigma2;
        let (mut low, mut high) = if self.dual() {
            ((smooth / 8.0).portable_ln(), (smooth * 8.0).portable_ln())
        } else {
            ((smooth.min(last) / 100.0).portable_ln(), (smooth.max(last) * 4.0).portable_ln())
        };
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let f = |x: f64| self.log_peak(x.portable_exp(), k);
        let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut fa, mut fb) = (f(a), f(b));
        for _ in 0..70 {
            if fa < fb {
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
        ((low + high) / 2.0).portable_exp()
    }

    /// A contour that should give `bits` relative bits of `P(S >= k)`, `k >= 1`; `slack` nats are kept in reserve.
    pub fn plan(self, k: f64, bits: f64, slack: f64) -> Plan {
        let pi = std::f64::consts::PI;
        let ln2 = std::f64::consts::LN_2;
        let saddle = self.saddle(k);
        let curvature = self.n * (self.sigma2 + if self.dual() { 0.0 } else { 1.0 }) + 1.0 + 1.0 / (saddle * saddle);
        let log_tail = self.log_peak(saddle, k) - 0.5 * (2.0 * pi * curvature).portable_ln() - 1.0;
        let target = log_tail - bits * ln2 - slack;

        const FIRST: i32 = -8;
        let tilts: Vec<f64> = (FIRST..44).map(|i| saddle * 2f64.portable_powf(f64::from(i) / 4.0)).collect();
        let logs: Vec<f64> = tilts.iter().map(|&c| self.n * self.log_moment(c) - c * k).collect();
        let mut best: Option<(f64, Plan)> = None;
        for (i, &c) in tilts.iter().enumerate() {
            let left = -target / c;
            let Some((right, alias_tilt)) = (i + 1..tilts.len())
                .map(|j| ((logs[j] - target) / (tilts[j] - c), tilts[j]))
                .filter(|(need, _)| need.is_finite())
                .min_by(|a, b| a.0.total_cmp(&b.0))
            else {
                continue;
            };
            let period = 2.0 * (left.max(right).max(1.0) / 2.0).ceil() + 1.0;
            let half = (period - 1.0) / 2.0;
            let peak = self.log_peak(c, k);
            let nodes = if self.dual() { self.truncated(c, k, target, period).min(half) } else { half };
            let lost_bits = ((peak - log_tail) / ln2).max(0.0);
            let cost = (nodes + 1.0) * (bits + lost_bits + 100.0);
            if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Plan { tilt: c, alias_tilt, period, nodes, lost_bits, log_tail }));
            }
        }
        best.map(|(_, plan)| plan).unwrap_or(Plan {
            tilt: saddle,
            alias_tilt: 2.0 * saddle,
            period: f64::INFINITY,
            nodes: f64::INFINITY,
            lost_bits: 0.0,
            log_tail,
        })
    }

    /// The number of nodes after which the periodised Gaussian that bounds `|M|^n` is below the target.
    fn truncated(self, c: f64, k: f64, target: f64, period: f64) -> f64 {
        let pi = std::f64::consts::PI;
        let v = self.n * self.sigma2;
        let excess = v * c * c / 2.0 - c * k - (-(-c).portable_exp_m1()).portable_ln() - target;
        let mut u = (2.0 * excess.max(0.0) / v).sqrt();
        // The neighbouring periods matter for small variances only: two corrections are plenty for a search.
        for _ in 0..4 {
            if u >= pi {
                return f64::INFINITY;
            }
            let neighbours = (-2.0 * pi * self.sigma2 * (pi - u)).portable_exp().portable_ln_1p() * self.n;
            u = (2.0 * (excess.max(0.0) + neighbours) / v).sqrt();
        }
        if u >= pi { f64::INFINITY } else { (u * period / (2.0 * pi)).ceil() + 1.0 }
    }
}
