//! How fast `|K(r + iu)|` falls.
//!
//! **Claim.** For `0 < a < pi/mu` and `u >= 0`,
//!
//! `|K(r + iu)| <= B(u, a) = e^(a^2/2) int phi(t) |w(t + ia)|^r e^(-u arg w(t + ia)) dt`,
//!
//! for the contour may be moved to `Im t = a`; and `B(u, a)` falls with `u`, because `0 <= arg w(t + ia) < pi`. So a bound at
//! one ordinate holds at all larger ones, and the table below is filled where it is asked.
//!
//! The integral has a positive integrand and is taken by the trapezoid rule once more. With `l(t) = ln w(t + ia)` and its
//! mirror image, the integrand's continuation to `t + ib` has the modulus `phi(t) e^((a^2 + b^2)/2) |w(t + i(a+b))|^(r/2)
//! |w(t + i(a-b))|^(r/2) e^(-(u/2)(arg w(t + i(a+b)) + arg w(t + i(a-b))))`. The last factor is at most 1 for `|b| <= a`, and
//! for `mu (a + |b|) <= pi/2`, as `arg w(t + ix)` is odd in x and rises for `0 <= mu x <= pi/2`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::f64::consts::PI;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::nodes::argument;
use super::pair::{AddUp, Power, aliases, dyadic};
use super::real::{Nodes, bits_of};
use crate::compose::quadrature::{Decay, Line};
use crate::error::Error;
use crate::number::special::{exp_thin, ln_thin, recip_sqrt_two_pi};
use crate::number::{Budget, Complex, Enclosure};

/// Bounds at ordinates of few bits.
pub(super) struct Table<'a> {
    factor: &'a PoissonGaussian,
    r: Rational,
    line: Line,
    moment: Enclosure,
    log_moment: f64,
    /// By the bits of the ordinate, which sort as the ordinates do.
    entries: RefCell<BTreeMap<u64, f64>>,
}

/// Ordinates of the table have so many bits: neighbours differ by 3 to 6 percent.
const ORDINATE_BITS: u32 = 5;

/// The relative error of a bound is about `e^-SLACK`.
const SLACK: f64 = 18.0;

impl<'a> Table<'a> {
    pub fn new(factor: &'a PoissonGaussian, line: &Line, budget: &Budget) -> Result<Self, Error> {
        let r = Rational::from(line.tilt() + 1u32);
        let moment = factor.power_mean(&r, 64, budget)?;
        let log_moment = factor.shape.log_moment(r.to_f64());
        Ok(Table { factor, r, line: line.clone(), moment, log_moment, entries: RefCell::default() })
    }

    /// The largest half-width of the strip of the integrand of `B(u, a)`.
    fn strip(&self, a: f64) -> f64 {
        let shape = &self.factor.shape;
        let quarter = 0.49 * shape.strip();
        (quarter - a).max(a.min(0.98 * shape.strip() - a))
    }

    /// About `ln B(u, a)`.
    fn estimate(&self, u: f64, a: f64, span: (f64, f64), step: f64) -> f64 {
        let shape = &self.factor.shape;
        let (r, v) = (self.r.to_f64(), shape.mu * a);
        let mut top = f64::NEG_INFINITY;
        let mut sum = 0.0;
        let mut t = span.0;
        while t < span.1 {
            let (size, argument) = shape.off_axis(t, v);
            let height = r * size - t * t / 2.0 - u * argument;
            if height > top {
                sum = sum * (top - height).exp() + 1.0;
                top = height;
            } else {
                sum += (height - top).exp();
            }
            t += step;
        }
        a * a / 2.0 + top + (sum * step).ln() - 0.5 * (2.0 * PI).ln()
    }

    /// The best `a` that a short search finds, and `ln B(u, a)` there.
    fn search(&self, u: f64) -> (f64, f64) {
        let shape = &self.factor.shape;
        let r = self.r.to_f64();
        let widest = (0.95 * shape.strip()).min(40.0);
        // On lines far from the axis the integrand for r < 0 is wider than on it.
        let span =
            shape.span(r, if r < 0.0 { (0.5 * shape.mu * widest).min(1.5) } else { 0.0 }, self.log_moment - 60.0);
        let step = ((span.1 - span.0) / 24.0).min(0.5).min(1.0 / shape.mu).max((span.1 - span.0) / 2000.0);
        let mut best = (f64::INFINITY, widest);
        let mut at = |a: f64| {
            let value = self.estimate(u, a, span, step);
            if value < best.0 {
                best = (value, a);
            }
            value
        };
        let mut a = widest;
        let mut last = f64::INFINITY;
        for _ in 0..40 {
            let value = at(a);
            if value > last && a < widest / 4.0 {
                break;
            }
            last = value;
            a *= 0.6;
        }
        let centre = best.1;
        let (mut low, mut high) = (centre * 0.6, (centre / 0.6).min(widest));
        let golden = 0.618_034;
        let (mut x, mut y) = (high - golden * (high - low), low + golden * (high - low));
        let mut at = |a: f64| {
            let value = self.estimate(u, a, span, step);
            if value < best.0 {
                best = (value, a);
            }
            value
        };
        let (mut f, mut g) = (at(x), at(y));
        for _ in 0..8 {
            if f < g {
                (high, y, g) = (y, x, f);
                x = high - golden * (high - low);
                f = at(x);
            } else {
                (low, x, f) = (x, y, g);
                y = low + golden * (high - low);
                g = at(y);
            }
        }
        (best.1, best.0)
    }

    /// `ln(B(u, a)/K(r))` for a good `a`, rounded up.
    fn bound(&self, u: &Rational, budget: &Budget) -> Result<f64, Error> {
        let factor = self.factor;
        let shape = &factor.shape;
        let size = self.r.to_f64();
        let (a, log_bound) = self.search(u.to_f64());
        let a_exact = dyadic(a, 8);
        let a = a_exact.to_f64();
        // How far below K(r) the bound is expected: the rule's error must be smaller still.
        let nats = SLACK + (self.log_moment - log_bound).max(0.0) + a * a / 2.0;
        let excess = factor.excess(size, self.log_moment);
        let mut best = (f64::INFINITY, 0.0);
        let widest = self.strip(a).min(3.0 * (2.0 * nats).sqrt());
        for i in 1..=16 {
            let b = widest * f64::from(i) / 16.0;
            let rate = (nats + b * b / 2.0 + factor.gain(size, excess, a + b)) / b;
            if rate < best.0 {
                best = (rate, b);
            }
        }
        let (b, step) = (dyadic(best.1, 8), dyadic(2.0 * PI / best.0, 8));
        let v = shape.mu * a;
        let floor = log_bound - SLACK - a * a / 2.0;
        let nodes = Nodes::cover(step.clone(), shape.span(size, v, floor))?;
        let g = step.to_f64();
        let far = [nodes.first as f64 * g, nodes.last as f64 * g];
        let log_ratio = far.map(|t| shape.log_ratio(t).abs()).into_iter().fold(0.0, f64::max);
        let square = far.map(|t| t * t).into_iter().fold(1.0, f64::max);
        let extra = bits_of((size.abs() + 1.0) * (log_ratio + 1.0) + u.to_f64() + square);
        let pair = factor.pair(64 + extra + bits_of(nodes.count() as f64));

        let turn = Complex::cis(&(&pair.mu * &pair.rational(&a_exact)), pair.bits);
        let (v_cos, v_sin) = (turn.re(), turn.im());
        let (power, ordinate) = (pair.rational(&self.r), pair.rational(u));
        let a_square = Rational::from(a_exact.square_ref());
        let mut sum = Float::new(64);
        nodes.each(&pair, budget, |_, t, shifted| {
            let (re, im) = (&pair.q + &(shifted * &v_cos), shifted * &v_sin);
            let size = ln_thin(&(&re.square() + &im.square()), pair.bits).shift(-1);
            let square = pair.rational(&Rational::from(&a_square - Rational::from(t.square_ref()))).shift(-1);
            let height = &(&square + &(&power * &size)) - &(&ordinate * &argument(&re, &im));
            sum.add_up(exp_thin(&height, 64).upper());
            Ok(())
        })?;
        let gain = Enclosure::rational(&a_square, 64).shift(-1);
        let (tail_power, gain) = if self.r >= 0 {
            (Power::Rising(self.r.clone()), gain)
        } else {
            // With a right angle or more there is only |w| >= q sin v; cos v = 0 and the factor sin^r say so.
            let cos = v_cos.positive_part();
            let part = (&Enclosure::one(pair.bits) - &cos).positive_part();
            let mut gain = &gain + &(&(&power * &part) * &ln_thin(&pair.q, pair.bits)).with_bits(64);
            if *v_cos.lower() < 0 {
                if *v_sin.lower() <= 0 {
                    return Ok(0.0);
                }
                gain = &gain + &(&power * &ln_thin(&v_sin, pair.bits)).with_bits(64);
            }
            (Power::Falling(&power * &cos), gain)
        };
        let mut tail = Float::new(64);
        for (start, side) in nodes.outside() {
            tail.add_up(&pair.beyond(&tail_power, &start, side, &step, floor, budget)?);
        }
        sum.add_up(&Float::with_val_round(64, &tail * gain.exp().upper(), Up).0);
        let scale = &recip_sqrt_two_pi(64) * &Enclosure::rational(&step, 64);
        let sum = &Enclosure::new(sum.clone(), sum) * &scale;
        let relative = &sum / &self.moment.with_bits(64);
        let mut bound = Float::with_val_round(64, relative.upper(), Up).0;

        let log_moment = ln_thin(&self.moment.with_bits(64), 64);
        let Some(edge) = pair.edge(&self.r, &log_moment, &Rational::from(&a_exact + &b), None) else {
            return Ok(0.0);
        };
        // e^((a^2 + b^2)/2), not e^((a+b)^2/2).
        let edge = &edge - &Enclosure::rational(&Rational::from(&a_exact * &b), 64);
        bound.add_up(&aliases(&(&edge + &Enclosure::ln_2(64)), &b, &step));
        // Is the strip one of those that were argued for?
        let quarter = Enclosure::pi(64).shift(-1);
        let angle = &pair.mu.with_bits(64) * &Enclosure::rational(&Rational::from(&a_exact + &b), 64);
        if b > a_exact && *angle.upper() > *quarter.lower() {
            return Ok(0.0);
        }
        let logarithm = Enclosure::new(bound.clone(), bound).ln();
        Ok(logarithm.upper().to_f64_round(Up).min(0.0))
    }
}

impl Decay for Table<'_> {
    fn log_bound(&self, from: u64, _to: u64, budget: &Budget) -> Result<f64, Error> {
        if from == 0 {
            return Ok(0.0);
        }
        let ordinate = self.line.ordinate(from, 64);
        let (short, _) = Float::with_val_round(ORDINATE_BITS, ordinate.lower(), Down);
        let key = short.to_f64().to_bits();
        if let Some(&known) = self.entries.borrow().get(&key) {
            return Ok(known);
        }
        let Some(u) = short.to_rational() else { return Ok(0.0) };
        let mut value = self.bound(&u, budget)?;
        // What holds at smaller ordinates holds here.
        let mut entries = self.entries.borrow_mut();
        if let Some((_, &before)) = entries.range(..key).next_back() {
            value = value.min(before);
        }
        entries.insert(key, value);
        Ok(value)
    }
}
