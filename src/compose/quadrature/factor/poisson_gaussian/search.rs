//! The integrand in doubles: where it lives, how large it is, how fast it falls. It proves nothing.
//!
//! In units of the noise, `t = x/sigma` and `mu = 1/sigma`, the likelihood ratio is `w(t) = q + p e^(mu t - mu^2/2)`,
//! and `K(r) = int phi(t) w(t)^r dt`. The share `theta(t) = p e^(...)/w(t)` of the shifted Gaussian rises from 0 to 1,
//! and `ln w` has slope `mu theta` and curvature `mu^2 theta (1 - theta)`. So `h(t) = -t^2/2 + r ln w(t)` has one
//! maximum, or, where `r mu^2 > 4`, perhaps two: one near 0 and one near `r mu`.

use enclosure::Portable;
use std::f64::consts::PI;

/// The two parameters, in doubles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub mu: f64,
    pub p: f64,
    pub q: f64,
    ln_p: f64,
    pub ln_q: f64,
}

/// `h` this far below its maximum does not matter to a double.
const FALL: f64 = 42.0;

/// Beyond this a double does not tell neighbouring values of `h` from each other.
const HUGE: f64 = 1e15;

/// Steps from a maximum at most: the noise of a tiny sigma would take millions of them.
const MOST_STEPS: u32 = 1 << 14;

impl Shape {
    pub fn new(mu: f64, p: f64, q: f64) -> Self {
        Shape { mu, p, q, ln_p: p.portable_ln(), ln_q: q.portable_ln() }
    }

    /// The half-width of the strip in which `ln w` is analytic.
    pub fn strip(&self) -> f64 {
        PI / self.mu
    }

    fn lean(&self, t: f64) -> f64 {
        self.mu * (t - self.mu / 2.0)
    }

    /// `ln w(t)`, relatively accurate where `w` is near 1.
    pub fn log_ratio(&self, t: f64) -> f64 {
        let s = self.lean(t);
        if s + self.ln_p - self.ln_q > 3.0 {
            self.ln_p + s + (self.ln_q - self.ln_p - s).portable_exp().portable_ln_1p()
        } else if self.p > 0.5 && s < -0.5 {
            (self.q + self.p * s.portable_exp()).portable_ln()
        } else {
            (self.p * s.portable_exp_m1()).portable_ln_1p()
        }
    }

    /// `ln |w(t + iv/mu)|` and the argument there, `0 <= v < pi`.
    pub fn off_axis(&self, t: f64, v: f64) -> (f64, f64) {
        let s = self.lean(t);
        let (sin, cos) = v.portable_sin_cos();
        if s + self.ln_p - self.ln_q > 3.0 {
            let u = (self.ln_q - self.ln_p - s).portable_exp();
            let size = self.ln_p + s + 0.5 * (2.0 * u * cos + u * u).portable_ln_1p();
            return (size, v - (u * sin).portable_atan2(1.0 + u * cos));
        }
        if self.p > 0.5 && s < -0.5 {
            let (re, im) = (self.q + self.p * s.portable_exp() * cos, self.p * s.portable_exp() * sin);
            return (0.5 * (re * re + im * im).portable_ln(), im.portable_atan2(re));
        }
        let half = (v / 2.0).portable_sin();
        let re = self.p * (s.portable_exp_m1() * cos - 2.0 * half * half);
        let im = self.p * s.portable_exp() * sin;
        (0.5 * (2.0 * re + re * re + im * im).portable_ln_1p(), im.portable_atan2(1.0 + re))
    }

    /// `theta(t)`.
    fn share(&self, t: f64) -> f64 {
        1.0 / (1.0 + (self.ln_q - self.ln_p - self.lean(t)).portable_exp())
    }

    /// `h(t)`.
    fn height(&self, r: f64, t: f64) -> f64 {
        r * self.log_ratio(t) - t * t / 2.0
    }

    /// The maxima of `h`, one or two.
    ///
    /// They solve `f(t) = r mu theta(t) - t = 0`. For `r <= 0` f falls. For `r > 0` it is convex where `theta < 1/2`
    /// and concave beyond, which leaves one root in each part that can be a maximum.
    pub fn maxima(&self, r: f64) -> (f64, Option<f64>) {
        let slope = r * self.mu;
        let f = |t: f64| slope * self.share(t) - t;
        // The root of f between a and b, where f falls from positive to negative.
        let root = |mut a: f64, mut b: f64| {
            for _ in 0..60 {
                let t = 0.5 * (a + b);
                if f(t) > 0.0 {
                    a = t
                } else {
                    b = t
                }
                if (b - a).abs() <= 1e-3 {
                    break;
                }
            }
            0.5 * (a + b)
        };
        if r <= 0.0 {
            return (root(slope, 0.0), None);
        }
        let turn = self.mu / 2.0 + (self.ln_q - self.ln_p) / self.mu;
        let discriminant = 1.0 - 4.0 / (slope * self.mu);
        if !(turn > 0.0 && turn < slope && discriminant > 0.0) {
            return (root(0.0, slope), None);
        }
        // Where theta (1 - theta) = 1/(r mu^2): f falls before, rises between, falls after.
        let half = discriminant.sqrt().portable_atanh() * 2.0 / self.mu;
        let (low, high) = (turn - half, turn + half);
        let first = (low > 0.0 && f(low) < 0.0).then(|| root(0.0, low));
        let second = (f(high) > 0.0).then(|| root(high.max(0.0), slope));
        match (first, second) {
            (Some(first), second) => (first, second),
            (None, Some(second)) => (second, None),
            (None, None) => (root(0.0, slope), None),
        }
    }

    /// About `ln K(r)`.
    pub fn log_moment(&self, r: f64) -> f64 {
        if !r.is_finite() {
            return f64::NAN;
        }
        let (first, second) = self.maxima(r);
        let top = self.height(r, first).max(second.map_or(f64::NEG_INFINITY, |t| self.height(r, t)));
        if top.abs() > HUGE {
            return top;
        }
        let mut sum = 0.0;
        let mut reached = f64::NEG_INFINITY;
        for centre in [Some(first), second].into_iter().flatten() {
            if centre <= reached || self.height(r, centre) < top - FALL {
                continue;
            }
            let theta = self.share(centre);
            let narrow = (1.0 - (r * self.mu * self.mu * theta * (1.0 - theta)).min(0.0)).sqrt().recip();
            let step = if r < 0.0 { (0.35 * narrow).min(0.5 / self.mu) } else { 0.6_f64.min(1.0 / self.mu) };
            let mut part = 0.0;
            let before = reached;
            for sign in [1.0, -1.0] {
                let mut t = if sign > 0.0 { centre } else { centre - step };
                // Rising again towards the other maximum counts.
                for _ in 0..MOST_STEPS {
                    let height = self.height(r, t);
                    part += (height - top).portable_exp();
                    if height.is_nan() || height < top - FALL || t <= before {
                        break;
                    }
                    t += sign * step;
                }
                if sign > 0.0 {
                    reached = t;
                }
            }
            sum += part * step;
        }
        top + sum.portable_ln() - 0.5 * (2.0 * PI).portable_ln()
    }

    /// An interval outside of which the bound of the integrand of `K(r)` on the line `Im t = v/mu`, without
    /// `e^(a^2/2)`, is below `e^floor`: `w^r`, or `w^(r cos v) q^(r (1 - cos v))` for `r < 0`.
    pub fn span(&self, r: f64, v: f64, floor: f64) -> (f64, f64) {
        let part = if r < 0.0 { v.portable_cos().max(0.0) } else { 1.0 };
        let constant = if r < 0.0 { (1.0 - part) * r * self.ln_q } else { 0.0 };
        let height = |t: f64| constant + r * part * self.log_ratio(t) - t * t / 2.0;
        let (first, second) = self.maxima(r);
        let reach = |centre: f64, sign: f64| {
            let mut far = 1.0;
            while height(centre + sign * far) > floor && far < 1e9 {
                far *= 2.0;
            }
            let mut near = 0.0;
            while far - near > 0.05 {
                let middle = 0.5 * (near + far);
                if height(centre + sign * middle) > floor { near = middle } else { far = middle }
            }
            centre + sign * far
        };
        let second = second.unwrap_or(first);
        let (low, high) = match (height(first) > floor, height(second) > floor) {
            (true, false) => (first, first),
            (false, true) => (second, second),
            _ => (first, second),
        };
        (reach(low, -1.0), reach(high, 1.0))
    }
}
