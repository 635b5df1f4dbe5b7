//! The values at the nodes of a line: `K(r + i u_k)` for runs of `k`.
//!
//! The inner nodes `t_j + i a` do not depend on `k`, and from `k` to `k + 1` the term of a node is multiplied by
//! `w(t_j + ia)^(ih)`, `h` the distance of the outer nodes. So a *sheet* takes one logarithm and two exponentials for each
//! inner node, at its first outer node, and one multiplication for each inner and outer node from there on.
//!
//! *Why off the axis.* On the axis the terms of `K(r + iu)` turn faster the larger `u` is, and only a finer step tells
//! them from their aliases. On the line `Im t = a > 0` they fall like `e^(-u arg w)`, `arg w >= 0`, where they turn fast. With
//! the strip between the axis and a line above `a`, the bound of the inner rule's error does not depend on `u`.

use std::f64::consts::{LN_2, PI};
use std::ops::Shr;

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Pair, Power, aliases, dyadic, node};
use super::real::{Nodes, bits_of};
use super::terms::Frame;
use crate::compose::quadrature::factor::progression::{MAX_STEPS, Progressions};
use crate::compose::quadrature::{Line, Moments};
use crate::error::Error;
use crate::number::special::{ln_thin, recip_sqrt_two_pi};
use crate::number::{Budget, Complex, Enclosure};

/// The values of one factor along one line.
pub(super) struct Values<'a> {
    factor: &'a PoissonGaussian,
    /// `1 + tilt`.
    r: Rational,
    line: Line,
    bits: u32,
    /// An enclosure of `K(r)`.
    moment: Enclosure,
    sheet: Option<Sheet>,
}

/// A contour and a step for the inner rule, in doubles.
struct Contour {
    /// The inner nodes have this imaginary part.
    height: f64,
    /// The edges of the strip.
    below: f64,
    above: f64,
    step: f64,
}

struct Sheet {
    /// The outer node it stands at.
    at: u64,
    /// It is good for outer nodes up to this one.
    last: u64,
    terms: Progressions,
    unit: i32,
    /// The inner rule's error and what the sum leaves out.
    error: Float,
}

impl<'a> Values<'a> {
    pub fn new(factor: &'a PoissonGaussian, line: &Line, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let r = Rational::from(line.tilt() + 1u32);
        let moment = factor.power_mean(&r, 64, budget)?;
        Ok(Values { factor, r, line: line.clone(), bits, moment, sheet: None })
    }

    /// `u_k`, in doubles.
    fn ordinate(&self, k: u64) -> f64 {
        2.0 * PI / self.line.period().to_f64() * k as f64
    }

    /// The contour with the fewest nodes for all ordinates up to `most`.
    fn contour(&self, nats: f64, most: f64) -> Contour {
        let r = self.r.to_f64();
        let log_moment = self.factor.shape.log_moment(r);
        let excess = self.factor.excess(r, log_moment);
        let mu = self.factor.shape.mu;
        let widest = (0.98 * self.factor.shape.strip()).min(3.0 * (2.0 * nats).sqrt());
        let cost = |a: f64| nats + a * a / 2.0 + self.factor.gain(r, excess, a);
        let mut best = (0.0, Contour { height: 0.0, below: 0.0, above: 0.0, step: 0.0 });
        for i in 0..16 {
            let height = widest / 2.0 * f64::from(i) / 16.0;
            if r < 0.0 && height * mu > 1.57 {
                break;
            }
            let side = |sign: f64| {
                let mut found = (f64::INFINITY, 0.0);
                for j in 0..48 {
                    // Between the nodes' line and the border of the domain, without its ends.
                    let edge = height + sign * (widest + sign * -height) * (f64::from(j) + 1.0) / 48.0;
                    let cost = cost(edge) + if edge < 0.0 { most * mu * -edge } else { 0.0 };
                    let rate = cost / (edge - height).abs();
                    if rate < found.0 {
                        found = (rate, edge);
                    }
                }
                // The axis itself.
                if sign < 0.0 && height > 0.0 && cost(0.0) / height < found.0 {
                    found = (cost(0.0) / height, 0.0);
                }
                found
            };
            let (below, above) = (side(-1.0), side(1.0));
            let step = 2.0 * PI / below.0.max(above.0);
            // Nodes off the axis cost more to set up.
            let worth = step * if i == 0 { 1.0 } else { 0.9 };
            if worth > best.0 {
                best = (worth, Contour { height, below: below.1, above: above.1, step });
            }
        }
        best.1
    }

    /// A sheet that starts at the outer node `first`, for nodes up to `last`.
    fn sheet(&self, first: u64, last: u64, budget: &Budget) -> Result<Sheet, Error> {
        let factor = self.factor;
        let shape = &factor.shape;
        let size = self.r.to_f64();
        let nats = f64::from(self.bits) * LN_2 + 4.0;
        let log_moment = shape.log_moment(size);
        let contour = self.contour(nats, self.ordinate(last) * 1.000_001);
        let height = dyadic(contour.height, 8);
        let step = dyadic(contour.step, 8);
        let rise = height.to_f64();
        let v = shape.mu * rise;
        let floor = log_moment - nats - 3.0 - rise * rise / 2.0;
        let nodes = Nodes::cover(step.clone(), shape.span(size, v, floor))?;

        // Rounding, counted: some units for each term and each step of it.
        let steps = (last - first + 1).min(u64::from(MAX_STEPS)) as f64;
        let guard = 5 + bits_of(nodes.count() as f64) + bits_of(steps);
        let unit = log_moment / LN_2 - f64::from(self.bits) - f64::from(guard);
        if !(unit.abs() < 1e9) {
            return Err(Error::Undecided(format!("a moment of order {size:.3e} is beyond all exponents")));
        }
        let unit = unit as i32;
        // Bits of the largest term there can be, and some for its roundings; its ratio takes as many.
        let widest = self.bits.saturating_add(guard + 8 + bits_of((rise * rise / 2.0).exp()));
        let mut frame = Frame::new(factor, &self.r, &self.line, first, &nodes, &height, widest)?;
        let y = self.ordinate(first);
        let mut terms = Progressions::new(unit, widest);
        let mut dropped = Float::new(64);
        let threshold = Float::with_val(64, 1u32) << unit;
        for n in nodes.first..=nodes.last {
            if n % 64 == 0 {
                budget.check()?;
            }
            let t = node(n, &step);
            // About how large the term is: small ones need less precision.
            let (log, argument) = shape.off_axis(t.to_f64(), v);
            let size = size * log - y * argument - 0.5 * (t.to_f64().powi(2) - rise * rise);
            let work = (size / LN_2 - f64::from(unit) + 8.0).clamp(32.0, f64::from(widest)) as u32;
            let (start, ratio) = frame.term(&t, work.next_multiple_of(32).min(widest))?;
            frame.advance();
            let modulus = start.modulus_upper();
            if modulus < threshold {
                dropped.add_up(&modulus);
            } else if !terms.push(&start, &ratio) {
                return Err(Error::Undecided("the inner nodes of a subsampled Gaussian lost their precision".into()));
            }
        }

        // What the sum leaves out on both sides.
        let extra = bits_of((size.abs() + 1.0) * (1.0 + shape.mu * nodes.far()) + nodes.far().powi(2));
        let low = factor.pair(96 + extra);
        let tail = self.outside(&low, &nodes, &height, floor, budget)?;
        let scale = &recip_sqrt_two_pi(64) * &Enclosure::rational(&step, 64);
        let tail = Float::with_val_round(64, &tail * scale.upper(), Up).0;
        dropped.add_up(&tail);

        // The inner rule.
        let exact = |x: f64| Rational::from_f64(x).unwrap_or_default();
        let (below, above) = (exact(contour.below), exact(contour.above));
        let most = self.line.ordinate(last, 64);
        let moment = Float::with_val_round(64, self.moment.upper(), Up).0;
        let log_moment = ln_thin(&self.moment.with_bits(64), 64);
        let refused = || Error::Undecided("the strip of the inner rule is too wide".into());
        let upper = low.edge(&self.r, &log_moment, &above, None).ok_or_else(refused)?;
        let lower = low.edge(&self.r, &log_moment, &below, (below < 0).then_some(&most)).ok_or_else(refused)?;
        let mut inner = aliases(&upper, &Rational::from(&above - &height), &step);
        inner.add_up(&aliases(&lower, &Rational::from(&height - &below), &step));
        dropped.add_up(&Float::with_val_round(64, &inner * &moment, Up).0);
        Ok(Sheet { at: first, last, terms, unit, error: dropped })
    }

    /// An upper bound of the sum of `|f(t + ia)| sqrt(2 pi)` over the nodes outside, for all `y >= 0`.
    fn outside(
        &self,
        low: &Pair,
        nodes: &Nodes,
        height: &Rational,
        floor: f64,
        budget: &Budget,
    ) -> Result<Float, Error> {
        let mut gain = low.rational(&Rational::from(height.square_ref())).shift(-1);
        let power = if self.r >= 0 {
            Power::Rising(self.r.clone())
        } else {
            let v_cos = Complex::cis(&(&low.mu * &low.rational(height)), low.bits).re();
            if *v_cos.lower() < 0 {
                return Err(Error::Undecided("the strip of the inner rule is too wide".into()));
            }
            let r = low.rational(&self.r);
            let part = (&Enclosure::one(low.bits) - &v_cos).positive_part();
            gain = &gain + &(&(&r * &part) * &ln_thin(&low.q, low.bits));
            Power::Falling(&r * &v_cos)
        };
        let mut total = Float::new(64);
        for (start, side) in nodes.outside() {
            total.add_up(&low.beyond(&power, &start, side, &nodes.step, floor, budget)?);
        }
        Ok(Float::with_val_round(64, &total * gain.exp().upper(), Up).0)
    }
}

/// The argument of `re + i im`, `re > 0` or `im > 0`, between 0 and pi.
pub(super) fn argument(re: &Enclosure, im: &Enclosure) -> Enclosure {
    if *re.lower() > 0 {
        (im / re).atan()
    } else {
        // arg(z) = pi/2 - arg(z/i) and z/i = im - i re.
        &Enclosure::pi(re.bits()).shift(-1) - &(re / im).atan()
    }
}

impl Moments for Values<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        let end = first.saturating_add(count as u64);
        for k in first..end {
            if k % 64 == 0 {
                budget.check()?;
            }
            let usable = self.sheet.as_ref().is_some_and(|sheet| {
                sheet.at <= k && k <= sheet.last && k - sheet.at <= u64::from(sheet.terms.left()).min(64)
            });
            if !usable {
                self.sheet = Some(self.sheet(k, end - 1, budget)?);
            }
            let Some(sheet) = &mut self.sheet else { continue };
            while sheet.at < k {
                sheet.terms.advance();
                sheet.at += 1;
            }
            values.push(sheet.value(self.bits));
        }
        Ok(values)
    }
}

impl Sheet {
    fn value(&self, bits: u32) -> Complex {
        let (re, im, error) = self.terms.sum();
        let mut radius = Float::with_val_round(64, error << self.unit, Up).0;
        radius.add_up(&self.error);
        let mut part = |x: Integer| {
            let value = Float::with_val(bits + 32, &x) << self.unit;
            // Half a unit in the last place, if it was rounded.
            radius.add_up(&Float::with_val_round(64, value.abs_ref(), Up).0.shr(bits + 32));
            value
        };
        let (re, im) = (part(re), part(im));
        Complex::disc(re, im, &radius)
    }
}
