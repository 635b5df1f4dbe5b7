//! Where panels end, in doubles: what is proposed here is proven by the panel, or proposed again.

use super::boundary::{Boundary, COARSE};
use enclosure::Portable;

/// Parts of the sides of the rectangle that are looked at.
const PARTS: u32 = 4;
/// Heights of the rectangle that are tried, in lengths of the panel.
const HEIGHTS: [f64; 4] = [0.25, 0.4, 0.65, 1.0];
/// The rectangle reaches so far, at most, towards the singularities that are `pi/mu` away.
const NEAREST: f64 = 2.9;
/// Where `r e^(mu x - mu^2/2)` is so small a part of `1 - r`, those are no concern.
const FAR: f64 = 0.125;
/// No rectangle is higher.
const HIGHEST: f64 = 4.0;
/// Lengths that are tried differ by this factor.
const FINER: f64 = 1.25;
/// So many of them.
const TRIES: u32 = 60;

/// The boundary of a test in doubles, with logarithms of what may be large.
pub(super) struct Search {
    mu: [f64; 2],
    rate: [f64; 2],
    rest: [f64; 2],
    log_level: f64,
    /// The logarithm of what the level is of the least likelihood ratio.
    whole: f64,
    backward: bool,
}

impl Search {
    /// Of this one.
    pub fn new(boundary: &Boundary) -> Self {
        let [one, other] = &boundary.samples;
        let both = |a: &enclosure::Enclosure, b: &enclosure::Enclosure| [a.lower().to_f64(), b.lower().to_f64()];
        Search {
            mu: both(&one.mu, &other.mu),
            rate: both(&one.rate, &other.rate),
            rest: both(&one.rest, &other.rest),
            log_level: boundary.level.with_bits(COARSE).ln().lower().to_f64(),
            whole: boundary.above_least().lower().to_f64(),
            backward: boundary.backward,
        }
    }

    /// About the logarithm of the bound of a strip at `x + ih`; infinite where there is none.
    pub fn log_bound(&self, side: usize, x: f64, h: f64) -> f64 {
        let (mu, other) = (self.mu[side], self.mu[1 - side]);
        let log_grown = mu * x - mu * mu / 2.0 + self.rate[side].portable_ln();
        let turn = mu * h;
        // R_1/(1 - r_1), and ln R_1.
        let odds = (log_grown - self.rest[side].portable_ln()).portable_exp();
        let (log_part, angle) = if odds < 1e15 {
            let (re, im) = (odds * turn.portable_cos(), odds * turn.portable_sin());
            let log = if odds < 0.5 {
                0.5 * (2.0 * re + odds * odds).portable_ln_1p()
            } else {
                (1.0 + re).portable_hypot(im).portable_ln()
            };
            (log, im.portable_atan2(1.0 + re).abs())
        } else {
            (odds.portable_ln(), turn.portable_sin().portable_atan2(turn.portable_cos()).abs())
        };
        let log_ratio = log_part + self.rest[side].portable_ln();
        // D/E, which may be tiny: 1 - part e^(i angle).
        let fallen = log_part - self.whole;
        let part = fallen.portable_exp();
        let half = (angle / 2.0).portable_sin();
        let (re, im) = (2.0 * part * half * half - fallen.portable_exp_m1(), part * angle.portable_sin());
        if !(re.is_finite() && (re > 0.0 || im > 0.0)) {
            return f64::INFINITY;
        }
        let log_d = self.log_level + re.portable_hypot(im).portable_ln();
        let log_s = log_ratio + self.rate[1 - side].portable_ln();
        let up = (angle + im.portable_atan2(re)) / other;
        let y = (log_d - log_s) / other + other / 2.0;
        let grows = (up * up + h * h - x * x) / 2.0;
        let term = |log: f64, a: f64| log + grows - a.max(0.0).powi(2) / 2.0;
        if self.backward {
            let far = log_d.max(log_ratio + self.rest[1 - side].portable_ln());
            term(far, -y).max(term(log_s, other - y)) - self.log_level
        } else {
            term(log_d.max(self.log_level), y).max(term(log_s, y - other))
        }
    }

    /// About the logarithm of the error of the rule with so many nodes on a panel, with a rectangle of this height.
    fn log_error(&self, side: usize, (low, high): (f64, f64), height: f64, count: u32) -> f64 {
        let half = (high - low) / 2.0;
        let eta = (height / half).portable_asinh();
        let beyond = half * (eta.portable_cosh() - 1.0);
        let (low, high) = (low - beyond, high + beyond);
        // To the left of a singularity the right end says enough.
        if !self.log_bound(side, high, 0.0).is_finite() {
            return f64::INFINITY;
        }
        let mut most = f64::NEG_INFINITY;
        for part in 0..=PARTS {
            let share = f64::from(part) / f64::from(PARTS);
            let at = [
                self.log_bound(side, low + share * (high - low), height),
                self.log_bound(side, low, share * height),
                self.log_bound(side, high, share * height),
            ];
            most = at.into_iter().fold(most, f64::max);
        }
        let error = most + half.portable_ln() + 2.0
            - 2.0 * f64::from(count) * eta
            - (-(-2.0 * eta).portable_exp_m1()).portable_ln();
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// The height with which a panel of this length has an error of this logarithm at most.
    fn height(&self, side: usize, high: f64, length: f64, count: u32, goal: f64) -> Option<f64> {
        HEIGHTS.iter().find_map(|share| {
            let height = (length * share).min(HIGHEST);
            let beyond = length / 2.0 * ((2.0 * height / length).portable_asinh().portable_cosh() - 1.0);
            let mu = self.mu[side];
            let grown = mu * (high + beyond) - mu * mu / 2.0 + self.rate[side].portable_ln();
            let far = grown < (FAR * self.rest[side]).portable_ln();
            let height = if far { height } else { height.min(NEAREST / mu) };
            (self.log_error(side, (high - length, high), height, count) <= goal).then_some(height)
        })
    }

    /// About the longest panel up to a place whose error has this logarithm at most, found from a length nearby, and
    /// no longer than so much; and the height of its rectangle.
    pub fn panel(&self, side: usize, high: f64, (from, most): (f64, f64), count: u32, goal: f64) -> Option<(f64, f64)> {
        let at = |length: f64| self.height(side, high, length, count, goal).map(|height| (length, height));
        let mut best = at(from);
        let longer = best.is_some();
        let mut length = from;
        for _ in 0..TRIES {
            length = if longer { length * FINER } else { length / FINER };
            if length > most {
                break;
            }
            match (at(length), longer) {
                (Some(found), true) => best = Some(found),
                (Some(found), false) => return Some(found),
                (None, true) => break,
                (None, false) => {}
            }
        }
        best
    }
}
