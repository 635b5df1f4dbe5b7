//! Mean losses, the Kullback-Leibler divergences in both directions.
//!
//! `E_P[L] = int phi w ln w` and `E_Q[-L] = -int phi ln w`. Since `int phi (w - 1) = 0`, they are the integrals of
//! `w ln w - w + 1` and `w - 1 - ln w`, which are never negative and keep small divergences from cancelling.
//!
//! *The inner rule.* For `v = mu |Im t| <= pi/2`: `q <= |w| <= w(Re t)`, `ln w(Re t) <= w(Re t)` and `|arg w| < 2`, so
//! `|ln w| <= w(Re t) - ln q + 2`, and the integrands are at most `w^2 + (3 - ln q) w + 1` and `2w + 3 - ln q`, with `w` at the real
//! part. With `K(0) = K(1) = 1` and `K(2) = 1 + p^2 (e^(mu^2) - 1)` that bounds the integrals along the strip's edges by
//! `e^(a^2/2)` times `K(2) + 4 - ln q` and `5 - ln q`.
//!
//! *Nodes left out.* By `ln w <= w - 1` the first integrand is at most `(w - 1)^2 <= w^2 + 1`, and by `w >= q` the second at most
//! `w - ln q`.

use std::f64::consts::{FRAC_PI_2, LN_2, PI};

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Power, aliases, dyadic};
use super::real::{Nodes, bits_of};
use crate::error::Error;
use enclosure::special::{exp_thin, ln_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Enclosure};

/// Which mean of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mean {
    Forward,
    Backward,
}

impl PoissonGaussian {
    /// `E_P[L]`, the Kullback-Leibler divergence of P from Q, to about `bits` bits.
    pub fn mean_loss(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.mean(Mean::Forward, bits, budget)
    }

    /// `E_Q[-L]`, the Kullback-Leibler divergence of Q from P, to about `bits` bits.
    pub fn mean_loss_backward(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.mean(Mean::Backward, bits, budget)
    }

    /// About the logarithm of the mean.
    fn log_mean(&self, mean: Mean) -> f64 {
        let shape = &self.shape;
        let (low, high) = (shape.span(0.0, 0.0, -42.0).0, shape.span(2.0, 0.0, -42.0).1);
        let step = (1.0 / shape.mu).min(0.25).max((high - low) / 1e5);
        let mut top = f64::NEG_INFINITY;
        let mut sum = 0.0;
        let mut t = low;
        while t < high {
            let y = shape.log_ratio(t);
            // With y = ln w: e^y y - e^y + 1 and e^y - 1 - y, whose logarithms do not overflow.
            let log = match mean {
                _ if y.abs() < 1e-3 => 2.0 * y.abs().ln() - LN_2,
                Mean::Forward if y > 1.0 => y + (y - 1.0 + (-y).exp()).ln(),
                Mean::Forward => (y.exp() * y - y.exp_m1()).ln(),
                Mean::Backward if y > 1.0 => y + (1.0 - (1.0 + y) * (-y).exp()).ln(),
                Mean::Backward => (y.exp_m1() - y).ln(),
            } - t * t / 2.0;
            if log > top {
                sum = sum * (top - log).exp() + 1.0;
                top = log;
            } else {
                sum += (log - top).exp();
            }
            t += step;
        }
        top + (sum * step).ln() - 0.5 * (2.0 * PI).ln()
    }

    fn mean(&self, mean: Mean, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let shape = &self.shape;
        let log_mean = self.log_mean(mean);
        let square = shape.mu * shape.mu;
        // ln K(2), without overflow.
        let second = match mean {
            Mean::Forward => (2.0 * shape.p.ln() + square).max(0.0) + LN_2,
            Mean::Backward => 0.0,
        };
        let log_edge = second + (5.0 - shape.ln_q).ln();
        let nats = f64::from(bits) * LN_2 + 4.0 - log_mean;
        if nats.is_nan() || nats.abs() >= 1e9 {
            return Err(Error::Undecided("a mean loss is beyond all exponents".into()));
        }
        let widest = 0.99 * FRAC_PI_2 / shape.mu;
        let a = widest.min((2.0 * (nats + log_edge)).sqrt());
        let g = 2.0 * PI * a / (nats + log_edge + a * a / 2.0);
        let (a, step) = (dyadic(a, 8), dyadic(g, 8));
        let power = if mean == Mean::Forward { 2u32 } else { 1 };
        let floor = log_edge.min(0.0) - nats - (1.0 + 2.0 / g).ln();
        let span = (shape.span(0.0, 0.0, floor).0, shape.span(f64::from(power), 0.0, floor).1);
        let nodes = Nodes::cover(step.clone(), span)?;
        let largest = shape.mu * nodes.far() + nodes.far().powi(2) + 2.0 - shape.ln_q;
        let extra = bits_of(largest) + bits_of(nodes.count() as f64) + ((log_edge - log_mean).max(0.0) / LN_2) as u32;
        let work = bits.saturating_add(extra + 24);
        let pair = self.pair(work);
        let one = Enclosure::one(work);
        let mut sum = Enclosure::zero(work);
        nodes.each(&pair, budget, |_, t, shifted| {
            let ratio = &pair.q + shifted;
            let log = ln_thin(&ratio, work);
            let part = match mean {
                Mean::Forward => &(&(&ratio * &log) - &ratio) + &one,
                Mean::Backward => &(&ratio - &one) - &log,
            };
            let half = pair.rational(&(Rational::from(t.square_ref()) / 2u32));
            sum = &sum + &(&part.positive_part() * &exp_thin(&-half, work));
            Ok(())
        })?;
        let low = self.pair(96 + extra);
        let log_q = ln_thin(&low.q, 64);
        let mut rest = Float::new(64);
        for (start, side) in nodes.outside() {
            let beyond = |r: u32| low.beyond(&Power::Rising(Rational::from(r)), &start, side, &step, floor, budget);
            rest.add_up(&beyond(power)?);
            let constant = if mean == Mean::Forward { Enclosure::one(64) } else { -&log_q };
            rest.add_up(&Float::with_val_round(64, &beyond(0)? * constant.upper(), Up).0);
        }
        let sum = Enclosure::new(sum.lower().clone(), sum.widen(&rest).upper().clone());
        let sum = &sum * &(&recip_sqrt_two_pi(work) * &pair.rational(&step));
        // The edges.
        let angle = &low.mu.with_bits(64) * &Enclosure::rational(&a, 64);
        if *angle.upper() > *Enclosure::pi(64).shift(-1).lower() {
            return Err(Error::Undecided("the strip of the inner rule is too wide".into()));
        }
        let number = |n: u32| Enclosure::rational(&Rational::from(n), 64);
        let bound = match mean {
            Mean::Forward => {
                let second = &(&low.p.square() * &low.mu.square().expm1()).with_bits(64) + &number(1);
                &(&second + &number(4)) - &log_q
            }
            Mean::Backward => &number(5) - &log_q,
        };
        let edge = &bound.ln() + &Enclosure::rational(&a, 64).square().shift(-1);
        let mut error = aliases(&edge, &a, &step);
        error <<= 1;
        let value = sum.widen(&error).positive_part();
        Ok(value.with_bits(bits))
    }
}
