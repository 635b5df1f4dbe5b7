//! The inner rule on the real axis: moments at real points.

use std::f64::consts::FRAC_PI_2;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Pair, Power, Side, aliases, dyadic, node};
use crate::error::Error;
use enclosure::special::{exp_thin, ln_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Enclosure, Portable};

/// More nodes than this are refused.
pub(super) const MAX_NODES: f64 = 4e6;

/// The sum over nodes `n step`, `first <= n <= last`.
pub(super) struct Nodes {
    pub step: Rational,
    pub first: i64,
    pub last: i64,
}

impl Nodes {
    /// Nodes that cover an interval.
    pub fn cover(step: Rational, (low, high): (f64, f64)) -> Result<Self, Error> {
        let g = step.to_f64();
        let count = (high - low) / g;
        // NaN is refused as well.
        if !(count < MAX_NODES && low.abs().max(high.abs()) / g < 1e15) {
            return Err(Error::undecided(format!(
                "the inner rule of a subsampled Gaussian needs {count:.1e} nodes, more than the limit of \
                 {MAX_NODES:.0e}"
            )));
        }
        Ok(Nodes { step, first: (low / g).floor() as i64, last: (high / g).ceil() as i64 })
    }

    pub fn count(&self) -> u64 {
        self.last.abs_diff(self.first) + 1
    }

    /// About the largest of their distances from 0.
    pub fn far(&self) -> f64 {
        self.first.unsigned_abs().max(self.last.unsigned_abs()) as f64 * self.step.to_f64()
    }

    /// The first nodes left out, on both sides.
    pub fn outside(&self) -> [(Rational, Side); 2] {
        [(node(self.first - 1, &self.step), Side::Left), (node(self.last + 1, &self.step), Side::Right)]
    }

    /// `(t, p e^(mu t - mu^2/2))` at each node: a geometric progression.
    pub fn each(
        &self,
        pair: &Pair,
        budget: &Budget,
        mut visit: impl FnMut(i64, &Rational, &Enclosure) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut shifted = pair.shifted(&node(self.first, &self.step));
        let ratio = exp_thin(&(&pair.mu * &pair.rational(&self.step)), pair.bits);
        for n in self.first..=self.last {
            if n % 64 == 0 {
                budget.check()?;
            }
            visit(n, &node(n, &self.step), &shifted)?;
            shifted = &shifted * &ratio;
        }
        Ok(())
    }
}

/// Bits that hold a number of this size, at least 0.
pub(super) fn bits_of(x: f64) -> u32 {
    x.abs().max(1.0).portable_log2().ceil().min(1e6) as u32
}

impl PoissonGaussian {
    /// `(q^r/K(r))`'s logarithm where that matters, in doubles.
    pub(super) fn excess(&self, r: f64, log_moment: f64) -> f64 {
        if r < 0.0 { (r * self.shape.ln_q - log_moment).max(0.0) } else { 0.0 }
    }

    /// The logarithm of `gain` in doubles; infinite where there is no bound.
    pub(super) fn gain(&self, r: f64, excess: f64, a: f64) -> f64 {
        let v = self.shape.mu * a.abs();
        if v >= 3.1 {
            f64::INFINITY
        } else if r >= 0.0 {
            0.0
        } else if v < FRAC_PI_2 - 1e-4 {
            (1.0 - v.portable_cos()) * excess
        } else {
            excess + r * v.portable_sin().portable_ln()
        }
    }

    /// A half-width of the strip and a step for which the inner rule errs by about `e^-nats K(r)` on the real axis.
    fn symmetric_strip(&self, r: f64, excess: f64, nats: f64) -> (f64, f64) {
        let widest = (0.98 * self.shape.strip()).min(3.0 * (2.0 * nats).sqrt());
        let mut best = (f64::INFINITY, widest);
        for i in 1..=64 {
            let a = widest * f64::from(i) / 64.0;
            let rate = (nats + a * a / 2.0 + self.gain(r, excess, a)) / a;
            if rate < best.0 {
                best = (rate, a);
            }
        }
        (best.1, 2.0 * std::f64::consts::PI / best.0)
    }

    /// `K(r)` to about `bits` bits.
    ///
    /// With the sum `S = (g/sqrt(2 pi)) sum_n e^(h(n g))`, what of it is left out, and `C` the error's bound of
    /// `aliases` for a certain `K_0` in the place of `K(r)`: `|K - S| <= C K`, if `K >= K_0`. The bound of the error
    /// is, as a function of K, a constant times `K^(1-l)`, `0 <= l <= 1`. So `K + C K_0^l K^(1-l) >= S`, whose left
    /// side rises with K: if `K_0 (1 + C) <= S`, then indeed `K >= K_0`.
    pub(super) fn power_mean(&self, r: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if r.is_zero() || *r == 1 {
            return Ok(Enclosure::one(bits));
        }
        let size = r.to_f64();
        let log_moment = self.shape.log_moment(size);
        // MPFR's exponents end near e^(7.4e8).
        if log_moment.is_nan() || log_moment >= 7e8 {
            return Err(Error::undecided(format!(
                "a moment of order {size:.3e} exceeds the exponent range of the \
                                                 arithmetic"
            )));
        }
        let nats = f64::from(bits) * std::f64::consts::LN_2 + 4.0;
        let (a, g) = self.symmetric_strip(size, self.excess(size, log_moment), nats);
        let (a, step) = (dyadic(a, 8), dyadic(g, 8));
        let nodes =
            Nodes::cover(step.clone(), self.shape.span(size, 0.0, log_moment - nats - (1.0 + 2.0 / g).portable_ln()))?;
        let (low, high) = (nodes.first as f64 * g, nodes.last as f64 * g);
        let largest = [low, high]
            .map(|t| (size * self.shape.log_ratio(t)).abs().max(size.abs()).max(t * t))
            .into_iter()
            .fold(1.0, f64::max);
        let pair = self.pair(bits.saturating_add(16 + bits_of(largest) + bits_of(nodes.count() as f64)));
        let power = pair.rational(r);
        let mut sum = Enclosure::zero(bits + 16);
        nodes.each(&pair, budget, |_, t, shifted| {
            let ratio = ln_thin(&(&pair.q + shifted), pair.bits);
            let height = &(&power * &ratio) - &pair.rational(&(Rational::from(t.square_ref()) / 2u32));
            sum = &sum + &exp_thin(&height, bits + 16);
            Ok(())
        })?;
        // What is left out is positive.
        let low_bits = self.pair(96 + bits_of(largest));
        let power = if *r >= 0 { Power::Rising(r.clone()) } else { Power::Falling(low_bits.rational(r)) };
        let mut rest = Float::new(64);
        for (start, side) in nodes.outside() {
            rest.add_up(&low_bits.beyond(&power, &start, side, &step, log_moment - nats, budget)?);
        }
        let sum = Enclosure::new(sum.lower().clone(), sum.widen(&rest).upper().clone());
        let scale = &recip_sqrt_two_pi(bits + 16) * &Enclosure::rational(&step, bits + 16);
        let sum = &sum * &scale;
        let guess = Float::with_val(64, log_moment - 1.0);
        let guess = Enclosure::new(guess.clone(), guess);
        let Some(edge) = low_bits.edge(r, &guess, &a, None) else {
            return Err(Error::Undecided("the strip of the inner rule is too wide".into()));
        };
        let error = Enclosure::new(Float::new(64), aliases(&edge, &a, &step)).shift(1);
        let one = Enclosure::one(bits + 16);
        let low = &guess.exp() * &(&one + &error);
        if *low.upper() > *sum.lower() || *error.upper() >= 1 {
            return Err(Error::undecided(format!("the search misjudged a moment of order {size:.3e}")));
        }
        let both = Enclosure::new(
            Float::with_val_round(bits + 16, 1u32 - error.upper(), Down).0,
            Float::with_val_round(bits + 16, 1u32 + error.upper(), Up).0,
        );
        Ok((&sum / &both).with_bits(bits))
    }
}
