//! Where to look: saddle points in doubles. Nothing here is part of a proof.
//!
//! With `K = ln M`, a tail of the loss at `K'(c)` is about `e^(K(c) - c K'(c)) B(c s)`, s the deviation under the tilt
//! and `B(w) = e^(w^2/2) Q(w)`; the profile has `B(cs) - B((c+1)s)` instead.

use enclosure::Portable;
use rug::Rational;

use super::tilt::{Cumulants, Sketch};

/// Börjesson and Sundberg's approximation of `e^(w^2/2) Q(w)`, `w >= 0`.
fn mills(w: f64) -> f64 {
    0.398_942_280_4 / (0.661 * w + 0.339 * (w * w + 5.51).sqrt())
}

/// All parts in doubles, with their numbers.
#[derive(Clone, Debug)]
pub(super) struct Sketches(pub Vec<(Sketch, f64)>);

impl Sketches {
    pub fn cumulants(&self, c: f64) -> Cumulants {
        self.0.iter().fold(Cumulants::default(), |sum, (sketch, times)| {
            let one = sketch.cumulants(c);
            Cumulants {
                log: sum.log + times * one.log,
                mean: sum.mean + times * one.mean,
                variance: sum.variance + times * one.variance,
            }
        })
    }

    /// The same for minus the loss under Q: its law with tilt c is that of the loss under P with tilt `-1-c`.
    pub fn backward(&self) -> Self {
        Sketches(self.0.iter().map(|(sketch, times)| (sketch.backward(), *times)).collect())
    }

    /// The tilt at which a decreasing function of `c = sign s`, `s >= 0`, takes a value; 0 if it is below even there.
    fn solve(&self, sign: f64, value: impl Fn(f64, Cumulants) -> f64, goal: f64) -> f64 {
        let at = |s: f64| value(s, self.cumulants(sign * s));
        if !(at(0.0) > goal) {
            return 0.0;
        }
        let mut high = 1.0;
        while at(high) > goal && high < 1e9 {
            high *= 4.0;
        }
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = if low > 0.0 && high / low > 4.0 { (low * high).sqrt() } else { (low + high) / 2.0 };
            if at(middle) > goal {
                low = middle
            } else {
                high = middle
            }
            if high - low < 1e-9 * high {
                break;
            }
        }
        (low + high) / 2.0
    }

    /// The tilt at least zero under which the loss has this mean, or zero.
    pub fn tilt_for_loss(&self, loss: f64) -> f64 {
        self.solve(1.0, |_, k| -k.mean, -loss)
    }

    /// The tilt at which the profile is about `e^log_delta`.
    pub fn tilt_for_delta(&self, log_delta: f64) -> f64 {
        let profile = |c: f64, k: Cumulants| {
            let s = k.variance.sqrt();
            k.log - c * k.mean + (mills(c * s) - mills((c + 1.0) * s)).max(1e-300).portable_ln()
        };
        self.solve(1.0, profile, log_delta)
    }

    /// The tilt, with its sign, at which the upper or the lower tail of the loss is about `e^log_tail`.
    pub fn tilt_for_tail(&self, log_tail: f64, upper: bool) -> f64 {
        let sign = if upper { 1.0 } else { -1.0 };
        let tail = |s: f64, k: Cumulants| k.log - sign * s * k.mean + mills(s * k.variance.sqrt()).portable_ln();
        sign * self.solve(sign, tail, log_tail)
    }

    /// A tilt of few bits near this one, near enough that a tail loses a few bits at most: points close to each other
    /// get the same one.
    pub fn rounded(&self, c: f64) -> Rational {
        let c = if c.is_finite() { c.max(0.0) } else { 0.0 };
        let spread = self.cumulants(c).variance.sqrt();
        let grain = if spread > 0.0 {
            (2.0 / spread).portable_log2().floor().portable_exp2()
        } else {
            c.max(1.0).portable_log2().floor().portable_exp2()
        };
        let grain = grain.clamp(1e-12, 1e12);
        Rational::from_f64((c / grain).round() * grain).unwrap_or_default()
    }
}
