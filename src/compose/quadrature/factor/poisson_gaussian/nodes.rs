//! The values at the nodes of a line: `K(r + i u_k)` for runs of `k`.
//!
//! The inner nodes `t_j + i a` do not depend on `k`, and from `k` to `k + 1` the term of a node is multiplied by
//! `w(t_j + ia)^(ih)`, `h` the distance of the outer nodes. So a *sheet* takes one logarithm and two exponentials for each
//! inner node, at its first outer node, and one multiplication for each inner and outer node from there on.
//!
//! *Why off the axis.* On the axis the terms of `K(r + iu)` turn faster the larger `u` is, and only a finer step tells
//! them from their aliases. On the line `Im t = a > 0` they fall like `e^(-u arg w)`, `arg w >= 0`, where they turn fast. With
//! the strip between the axis and a line above `a`, the bound of the inner rule's error does not depend on `u`.

use std::f64::consts::PI;
use std::ops::Shr;

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Pair, Power, aliases, dyadic};
use super::real::{Nodes, bits_of};
use crate::compose::quadrature::factor::progression::Progressions;
use crate::compose::quadrature::{Line, Moments};
use crate::error::Error;
use crate::number::special::{exp_thin, ln_thin, recip_sqrt_two_pi};
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
        let nats = f64::from(self.bits) * std::f64::consts::LN_2 + 4.0;
        let log_moment = shape.log_moment(size);
        let contour = self.contour(nats, self.ordinate(last) * 1.000_001);
        let height = dyadic(contour.height, 8);
        let step = dyadic(contour.step, 8);
        let rise = height.to_f64();
        let v = shape.mu * rise;
        let floor = log_moment - nats - 3.0 - rise * rise / 2.0;
        let nodes = Nodes::cover(step.clone(), shape.span(size, v, floor))?;

        // Precision: exponents must be right to 2^-bits or so.
        let g = step.to_f64();
        let far = [nodes.first as f64 * g, nodes.last as f64 * g];
        let log_ratio = far.map(|t| shape.log_ratio(t).abs()).into_iter().fold(0.0, f64::max);
        let square = far.map(|t| t * t).into_iter().fold(1.0, f64::max);
        let slow = self.ordinate(first) + size.abs() + 1.0;
        let extra = bits_of(slow * (1.0 + log_ratio) + square) + bits_of(nodes.count() as f64);
        let guard = 24 + bits_of(nodes.count() as f64);
        // The terms may be larger than their sum.
        let work = self.bits.saturating_add(guard + bits_of((rise * rise / 2.0).exp()));
        let pair = factor.pair(work.saturating_add(extra + 8));
        let low = factor.pair(96 + extra);
        let unit = log_moment / std::f64::consts::LN_2 - f64::from(self.bits) - f64::from(guard);
        if !(unit.abs() < 1e9) {
            return Err(Error::Undecided(format!("a moment of order {size:.3e} is beyond all exponents")));
        }
        let unit = unit as i32;

        let start = self.line.ordinate(first, pair.bits);
        let each = self.line.ordinate(1, pair.bits);
        let moment = Float::with_val_round(64, self.moment.upper(), Up).0;
        let log_moment = ln_thin(&self.moment.with_bits(64), 64);

        let scale = &recip_sqrt_two_pi(work) * &pair.rational(&step);
        let rise_square = Rational::from(height.square_ref());
        let (v_cos, v_sin) = {
            let turn = Complex::cis(&(&pair.mu * &pair.rational(&height)), pair.bits);
            (turn.re(), turn.im())
        };
        let power = pair.rational(&self.r);
        let on_axis = height.is_zero();
        let mut terms = Progressions::new(unit, work);
        let mut dropped = Float::new(64);
        let threshold = Float::with_val(64, 1u32) << unit;
        nodes.each(&pair, budget, |_, t, shifted| {
            let (size, argument) = if on_axis {
                (ln_thin(&(&pair.q + shifted), pair.bits), Enclosure::zero(pair.bits))
            } else {
                let re = &pair.q + &(shifted * &v_cos);
                let im = shifted * &v_sin;
                let square = &re.square() + &im.square();
                (ln_thin(&square, pair.bits).shift(-1), argument(&re, &im))
            };
            let square = pair.rational(&Rational::from(&rise_square - Rational::from(t.square_ref()))).shift(-1);
            let real = &(&square + &(&power * &size)) - &(&start * &argument);
            let imaginary = &(&(&power * &argument) + &(&start * &size)) - &pair.rational(&Rational::from(&height * t));
            let modulus = &exp_thin(&real.with_bits(work + 8), work) * &scale;
            if *modulus.upper() < threshold {
                dropped.add_up(modulus.upper());
                return Ok(());
            }
            let first = &Complex::real(&modulus, work) * &Complex::cis(&imaginary, work);
            let turn = Complex::cis(&(&each * &size), work);
            let turn =
                if on_axis { turn } else { &Complex::real(&exp_thin(&-(&each * &argument), work), work) * &turn };
            if !terms.push(&first, &turn) {
                return Err(Error::Undecided("the inner nodes of a subsampled Gaussian lost their precision".into()));
            }
            Ok(())
        })?;

        // What the sum leaves out on both sides.
        let tail = self.outside(&low, &nodes, &height, &v_cos, floor, budget)?;
        let tail = Float::with_val_round(64, &tail * scale.upper(), Up).0;
        dropped.add_up(&tail);

        // The inner rule.
        let exact = |x: f64| Rational::from_f64(x).unwrap_or_default();
        let (below, above) = (exact(contour.below), exact(contour.above));
        let most = self.line.ordinate(last, 64);
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
        v_cos: &Enclosure,
        floor: f64,
        budget: &Budget,
    ) -> Result<Float, Error> {
        let mut gain = low.rational(&Rational::from(height.square_ref())).shift(-1);
        let power = if self.r >= 0 {
            Power::Rising(self.r.clone())
        } else {
            if *v_cos.lower() < 0 {
                return Err(Error::Undecided("the strip of the inner rule is too wide".into()));
            }
            let r = low.rational(&self.r);
            let part = (&Enclosure::one(low.bits) - v_cos).positive_part();
            gain = &gain + &(&(&r * &part) * &ln_thin(&low.q, low.bits));
            Power::Falling(&r * &v_cos.with_bits(low.bits))
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
