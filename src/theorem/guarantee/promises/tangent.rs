//! A promise by one order: a line that no errors of two outcomes cross which keep the bound of that order.
//!
//! Let `D_a(P||Q) <= D`, `t = a - 1`, `M = e^(t D)`. A test that rejects with probabilities p and q is two outcomes
//! with the same bound (`two_points.rs`): with `g(p, q) = p^a q^(-t)`, which is convex and grows like its arguments,
//!
//! `g(p, q) + g(1-p, 1-q) <= M`.
//!
//! For any `lambda > 0` and `0 < w < 1` let `mu = -lambda a w^t`, `nu = lambda t w^a`, and
//!
//! `x = t ((1-mu)/a)^(a/t) lambda^(-1/t) - nu`.
//!
//! Then `(1-mu) s - (x+nu) - lambda s^a <= 0` for all `s >= 0`, for x is such that the left side is 0 where it is
//! largest, `s^t = (1-mu)/(lambda a)`; and `-mu s - nu - lambda s^a <= 0`, for `s^a` is convex, and this is
//! `lambda` times its tangent at w less itself. Multiplied by q with `s = p/q`, by `1-q` with `s = (1-p)/(1-q)`, and
//! added, `p - x q <= mu + nu + lambda M`: so `delta(ln x) <= mu + nu + lambda M`, if `x >= 1`, and likewise of any
//! larger x.
//!
//! With the w and the lambda of the best two outcomes this is the best that follows from the bound of this order: they
//! are `(p, q)` with `p = s q`, `1-p = w (1-q)`, and `lambda = 1/(a (s^t - w^t))`. Which they are is found in doubles.

use rug::float::Round;
use rug::{Float, Rational};

use enclosure::{Enclosure, Portable, Real};

/// Precision of intermediate numbers, in bits. Mechanisms that reveal little give differences of nearly equal numbers.
const BITS: u32 = 256;

/// Bits of the promise, rounded up.
const DELTA_BITS: u32 = 24;
const POWER_BITS: u32 = 24;

/// Logarithms of this and more are compared as they are.
const LARGE: f64 = 30.0;

/// Halvings of an interval of doubles.
const HALVINGS: u32 = 44;

/// Two outcomes, in logarithms: those of `s > 1`, `w < 1`, lambda, x and delta.
#[derive(Clone, Copy, Debug)]
pub struct Sketch {
    t: f64,
    log_w: f64,
    log_lambda: f64,
    /// The logarithm of x, about.
    pub epsilon: f64,
    /// The logarithm of delta, about.
    pub log_delta: f64,
}

impl Sketch {
    /// The two outcomes of the order `1 + t`, with the bound d, whose x is about `e^epsilon`.
    pub fn of(t: f64, d: f64, epsilon: f64) -> Option<Self> {
        // `x < s`, and where s is `e^d` nothing is left for w. All of it may be small.
        let (mut low, mut high) = (d, 2.0 * d.max(epsilon));
        while Self::at(t, d, high)?.epsilon < epsilon {
            high *= 2.0;
            if !high.is_finite() {
                return None;
            }
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match Self::at(t, d, middle) {
                Some(found) if found.epsilon >= epsilon => high = middle,
                _ => low = middle,
            }
        }
        let found = Self::at(t, d, high)?;
        let close = (found.epsilon - epsilon).abs() <= 0.01 * epsilon.abs() + 1e-9 * d.min(1.0);
        (close && found.log_delta.is_finite()).then_some(found)
    }

    /// The same of an s.
    fn at(t: f64, d: f64, log_s: f64) -> Option<Self> {
        let a = 1.0 + t;
        let q = |log_w: f64| -log_w.portable_exp_m1() / (log_s.portable_exp_m1() - log_w.portable_exp_m1());
        // `q s^a + (1-q) w^a`, which rises as w falls, less M, or the logarithms of both where they are large.
        let above = |log_w: f64| {
            let q = q(log_w);
            if a * log_s > LARGE {
                (q + (1.0 - q) * (a * (log_w - log_s)).portable_exp()).portable_ln() + a * log_s - t * d
            } else {
                q * (a * log_s).portable_exp_m1() + (1.0 - q) * (a * log_w).portable_exp_m1()
                    - (t * d).portable_exp_m1()
            }
        };
        let (mut low, mut high) = (-log_s.min(1.0), 0.0_f64);
        while above(low) < 0.0 {
            low *= 2.0;
            if low < -700.0 {
                return None;
            }
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if above(middle) >= 0.0 { low = middle } else { high = middle }
        }
        let log_w = low;
        let far = log_w - log_s;
        let apart = (-(t * far).portable_exp_m1()).portable_ln();
        let epsilon = (t / a).portable_ln() + log_s + (-(a * far).portable_exp_m1()).portable_ln() - apart;
        let log_delta = q(log_w).portable_ln() + log_s + (-(epsilon - log_s).portable_exp_m1()).portable_ln();
        Some(Sketch { t, log_w, log_lambda: -a.portable_ln() - t * log_s - apart, epsilon, log_delta })
    }

    /// The promise `(x, delta)` of the order `1 + t`, in fractions, with the bound of that order; `None` where nothing
    /// is promised.
    pub fn promise(&self, bound: impl FnOnce(&Real) -> Option<Enclosure>) -> Option<(Rational, Rational)> {
        let constant = |value: f64| Rational::from_f64(value).map(|value| Enclosure::rational(&value, BITS));
        let order = Real::from(Rational::from_f64(self.t)? + 1u32);
        let (t, log_w, log_lambda) = (constant(self.t)?, constant(self.log_w)?, constant(self.log_lambda)?);
        let (one, a) = (Enclosure::one(BITS), &Enclosure::one(BITS) + &t);
        let d = bound(&order)?.with_bits(BITS);
        // -mu, nu and lambda M.
        let below = &a * &(&log_lambda + &(&t * &log_w)).exp();
        let nu = &t * &(&log_lambda + &(&a * &log_w)).exp();
        let most = (&log_lambda + &(&t * &d)).exp();
        let power = &(&a * &(&(&one + &below) / &a).ln()) - &log_lambda;
        let x = &(&t * &(&power / &t).exp()) - &nu;
        let delta = &(&most + &nu) - &below;
        let up = |set: &Enclosure, bits: u32| Float::with_val_round(bits, set.upper(), Round::Up).0.to_rational();
        let above = up(&(&x - &one), POWER_BITS)?.max(Rational::new());
        up(&delta, DELTA_BITS).filter(|delta| *delta > 0 && *delta < 1).map(|delta| (above + 1u32, delta))
    }
}
