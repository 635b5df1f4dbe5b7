//! The values at the nodes of a line: `K(r + i u_k)` for runs of `k`.
//!
//! The inner nodes `t_j + i a` do not depend on `k`, and from `k` to `k + 1` the term of a node is multiplied by
//! `w(t_j + ia)^(ih)`, `h` the distance of the outer nodes. So a *sheet* takes one logarithm and two exponentials for
//! each inner node, at its first outer node, and one multiplication for each inner and outer node from there on.
//!
//! *Why off the axis.* On the axis the terms of `K(r + iu)` turn faster the larger `u` is, and only a finer step tells
//! them from their aliases. On the line `Im t = a > 0` they fall like `e^(-u arg w)`, `arg w >= 0`, where they turn
//! fast. With the strip between the axis and a line above `a`, the bound of the inner rule's error does not depend on
//! `u`.

use std::f64::consts::{LN_2, PI};

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Pair, Power, aliases, dyadic, node};
use super::real::{Nodes, bits_of};
use super::terms::Frame;
use crate::compose::quadrature::{Moments, VerticalContour};
use crate::error::Error;
use enclosure::progression::{MAX_STEPS, Progressions};
use enclosure::special::{ln_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Complex, Enclosure, Portable};

/// The values of one factor along one line.
pub(super) struct Values<'a> {
    factor: &'a PoissonGaussian,
    /// `1 + tilt`.
    r: Rational,
    line: VerticalContour,
    bits: u32,
    /// An enclosure of `K(r)`.
    moment: Enclosure,
    sheet: Option<Sheet>,
}

/// A contour and a step for the inner rule, in doubles.
pub(super) struct Contour {
    /// The inner nodes have this imaginary part.
    height: f64,
    /// The edges of the strip.
    below: f64,
    above: f64,
    step: f64,
    /// About the work, in units of one product.
    cost: f64,
}

/// A contour with the nodes of its inner rule.
pub(super) struct Rule {
    contour: Contour,
    /// The error is bounded for outer nodes up to this one.
    last: u64,
    height: Rational,
    step: Rational,
    nodes: Nodes,
    /// About `ln` of what the terms left out may come to.
    floor: f64,
}

impl Rule {
    /// Bits by which terms may be larger than on the axis.
    pub fn rise_bits(&self) -> u32 {
        let rise = self.height.to_f64();
        bits_of((rise * rise / 2.0).portable_exp())
    }
}

/// With how many bits the terms of a sheet are computed: `spare` more than the units `2^unit` that they have, `widest`
/// at most. Those below a unit are left out.
pub(super) struct Rounding {
    pub unit: i32,
    pub spare: u32,
    pub widest: u32,
}

pub(super) fn lost() -> Error {
    Error::Undecided("the inner nodes of a subsampled Gaussian lost their precision".into())
}

struct Sheet {
    /// The outer node it stands at.
    at: u64,
    /// It is good for outer nodes up to this one.
    last: u64,
    terms: Progressions,
    /// The inner rule's error and what the sum leaves out.
    error: Float,
}

impl<'a> Values<'a> {
    pub fn new(factor: &'a PoissonGaussian, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let r = Rational::from(line.tilt() + 1u32);
        let moment = factor.kept_moment(&r, 64, budget)?;
        Ok(Values { factor, r, line: line.clone(), bits, moment, sheet: None })
    }

    /// `K(r)`, at low precision.
    pub fn moment(&self) -> &Enclosure {
        &self.moment
    }

    /// `r`.
    pub(super) fn order(&self) -> &Rational {
        &self.r
    }

    /// `u_k`, in doubles.
    pub(super) fn ordinate(&self, k: u64) -> f64 {
        2.0 * PI / self.line.period().to_f64() * k as f64
    }

    /// The cheapest contour for `count` outer nodes with ordinates between `from` and `to`, not above `highest`.
    pub(super) fn contour(&self, nats: f64, (from, to): (f64, f64), count: f64, highest: f64) -> Contour {
        let shape = &self.factor.shape;
        let r = self.r.to_f64();
        let log_moment = shape.log_moment(r);
        let excess = self.factor.excess(r, log_moment);
        let mu = shape.mu;
        let widest = (0.98 * shape.strip()).min(3.0 * (2.0 * nats).sqrt());
        let nats_at = |a: f64| nats + a * a / 2.0 + self.factor.gain(r, excess, a);
        let span = shape.span(r, 0.0, log_moment - nats - 3.0);
        let mut best = Contour { height: 0.0, below: 0.0, above: 0.0, step: 0.0, cost: f64::INFINITY };
        for i in 0..8 {
            let height = widest / 2.0 * f64::from(i) / 8.0;
            if r < 0.0 && height * mu > 1.57 || height > highest {
                break;
            }
            // The fewest turns in the step that keep the aliases of one edge small, and the edge.
            let side = |sign: f64| {
                let mut found = (f64::INFINITY, 0.0);
                let mut consider = |edge: f64| {
                    let nats = nats_at(edge) + if edge < 0.0 { to * mu * -edge } else { 0.0 };
                    let rate = nats / (edge - height).abs();
                    if rate < found.0 {
                        found = (rate, edge);
                    }
                };
                for j in 1..=32 {
                    consider(height + sign * (widest - sign * height) * f64::from(j) / 32.0);
                }
                if sign < 0.0 && height > 0.0 {
                    consider(0.0);
                }
                found
            };
            let (below, above) = (side(-1.0), side(1.0));
            let step = 2.0 * PI / below.0.max(above.0);
            // What part of the nodes matters at the first ordinate.
            let samples = 32;
            let kept = (0..samples)
                .filter(|&j| {
                    let t = span.0 + (span.1 - span.0) * (f64::from(j) + 0.5) / f64::from(samples);
                    let (log, argument) = shape.off_axis(t, mu * height);
                    let size = r * log - from * argument - 0.5 * (t * t - height * height);
                    size > log_moment - nats - 3.0
                })
                .count() as f64;
            let nodes = (span.1 - span.0) / step;
            // In units of one term's product: a node on the axis needs fewer elementary functions.
            let cost = nodes * (kept / f64::from(samples) * (count + if i == 0 { 70.0 } else { 110.0 }) + 20.0);
            if cost < best.cost {
                best = Contour { height, below: below.1, above: above.1, step, cost };
            }
        }
        best
    }

    /// A contour for the outer nodes from `first` on, of which `count` are asked for now, and the last node it is good
    /// for.
    ///
    /// On the axis steps are long as long as ordinates are small, off the axis terms are few when they are large: so
    /// the first of the nodes may be worth a sheet of their own.
    fn plan(&self, nats: f64, first: u64, count: u64) -> (Contour, u64) {
        let ahead = count.clamp(32, u64::from(MAX_STEPS / 4));
        let ordinates = |from: u64, to: u64| (self.ordinate(from), self.ordinate(to) * 1.000_001);
        let mut best: Option<(f64, Contour, u64)> = None;
        for part in [1, 2, 4, 8] {
            let middle = first.saturating_add(ahead / part);
            let contour = self.contour(nats, ordinates(first, middle), (ahead / part) as f64, f64::INFINITY);
            let mut cost = contour.cost;
            if part > 1 {
                let rest = ahead - ahead / part;
                cost +=
                    self.contour(nats, ordinates(middle, first.saturating_add(ahead)), rest as f64, f64::INFINITY).cost;
            }
            if best.as_ref().is_none_or(|best| cost < best.0) {
                // Off the axis there is no end.
                let last = if contour.below >= 0.0 { first.saturating_add(4 * ahead) } else { middle };
                best = Some((cost, contour, last));
            }
        }
        match best {
            Some((_, contour, last)) => (contour, last),
            None => (self.contour(nats, ordinates(first, first), 1.0, f64::INFINITY), first),
        }
    }

    /// The inner rule of a contour, for the outer nodes up to `last`.
    pub(super) fn rule(&self, nats: f64, (contour, last): (Contour, u64)) -> Result<Rule, Error> {
        let (shape, size) = (&self.factor.shape, self.r.to_f64());
        let (height, step) = (dyadic(contour.height, 8), dyadic(contour.step, 8));
        let rise = height.to_f64();
        let log_moment = shape.log_moment(size);
        let floor = log_moment - nats - rise * rise / 2.0 - (1.0 + 2.0 / contour.step).portable_ln();
        let nodes = Nodes::cover(step.clone(), shape.span(size, shape.mu * rise, floor))?;
        Ok(Rule { contour, last, height, step, nodes, floor })
    }

    /// A sheet that starts at the outer node `first`, when `count` are asked for.
    fn sheet(&self, first: u64, count: u64, budget: &Budget) -> Result<Sheet, Error> {
        let nats = f64::from(self.bits) * LN_2 + 4.0;
        let log_moment = self.factor.shape.log_moment(self.r.to_f64());
        let rule = self.rule(nats, self.plan(nats, first, count))?;

        // Rounding, counted: some units for each term and each step of it.
        let steps = (rule.last - first + 1).min(u64::from(MAX_STEPS)) as f64;
        let guard = 5 + bits_of(rule.nodes.count() as f64) + bits_of(steps);
        let unit = log_moment / LN_2 - f64::from(self.bits) - f64::from(guard);
        if unit.is_nan() || unit.abs() >= 1e9 {
            let size = self.r.to_f64();
            return Err(Error::undecided(format!(
                "a moment of order {size:.3e} exceeds the exponent range of the \
                                                 arithmetic"
            )));
        }
        let unit = unit as i32;
        // Bits of the largest term there can be, and some for its roundings; its ratio takes as many.
        let widest = self.bits.saturating_add(guard + 8 + rule.rise_bits());
        // On the axis terms only turn.
        let progressions = if rule.height == 0 { Progressions::turning } else { Progressions::new };
        let mut terms = progressions(unit, widest);
        let error = self.terms(&rule, first, Rounding { unit, spare: 8, widest }, budget, &mut |start, ratio| {
            if terms.push(start, ratio) { Ok(()) } else { Err(lost()) }
        })?;
        Ok(Sheet { at: first, last: rule.last, terms, error })
    }

    /// Every term of a sheet that starts at the outer node `first`, and its ratio; what the inner rule errs by and the
    /// sum leaves out, up to the last node of the rule.
    pub(super) fn terms(
        &self,
        rule: &Rule,
        first: u64,
        Rounding { unit, spare, widest }: Rounding,
        budget: &Budget,
        push: &mut dyn FnMut(&Complex, &Complex) -> Result<(), Error>,
    ) -> Result<Float, Error> {
        let Rule { contour, last, height, step, nodes, floor } = rule;
        let factor = self.factor;
        let shape = &factor.shape;
        let size = self.r.to_f64();
        let rise = height.to_f64();
        let v = shape.mu * rise;
        let ordinates = |bits| (self.line.ordinate(first, bits), self.line.ordinate(1, bits));
        let mut frame = Frame::new(factor, &self.r, ordinates, nodes, height, widest)?;
        let y = self.ordinate(first);
        let mut dropped = Float::new(64);
        let threshold = Float::with_val(64, 1u32) << unit;
        for n in nodes.first..=nodes.last {
            if n % 64 == 0 {
                budget.check()?;
            }
            let t = node(n, step);
            // About how large the term is: small ones need less precision.
            let (log, argument) = shape.off_axis(t.to_f64(), v);
            let size = size * log - y * argument - 0.5 * (t.to_f64().powi(2) - rise * rise);
            let work = (size / LN_2 - f64::from(unit) + f64::from(spare)).clamp(32.0, f64::from(widest)) as u32;
            let (start, ratio) = frame.term(&t, work.next_multiple_of(32).min(widest))?;
            frame.advance();
            let modulus = start.modulus_upper();
            if modulus < threshold {
                dropped.add_up(&modulus);
            } else {
                push(&start, &ratio)?;
            }
        }

        // What the sum leaves out on both sides.
        let extra = bits_of((size.abs() + 1.0) * (1.0 + shape.mu * nodes.far()) + nodes.far().powi(2));
        let low = factor.pair(96 + extra);
        let tail = self.outside(&low, nodes, height, *floor, budget)?;
        let scale = &recip_sqrt_two_pi(64) * &Enclosure::rational(step, 64);
        let tail = Float::with_val_round(64, &tail * scale.upper(), Up).0;
        dropped.add_up(&tail);

        // The inner rule.
        let exact = |x: f64| Rational::from_f64(x).unwrap_or_default();
        let (below, above) = (exact(contour.below), exact(contour.above));
        let most = self.line.ordinate(*last, 64);
        let moment = Float::with_val_round(64, self.moment.upper(), Up).0;
        let log_moment = ln_thin(&self.moment.with_bits(64), 64);
        let refused = || Error::Undecided("the strip of the inner rule is too wide".into());
        let upper = low.edge(&self.r, &log_moment, &above, None).ok_or_else(refused)?;
        let lower = low.edge(&self.r, &log_moment, &below, (below < 0).then_some(&most)).ok_or_else(refused)?;
        let mut inner = aliases(&upper, &Rational::from(&above - height), step);
        inner.add_up(&aliases(&lower, &Rational::from(height - &below), step));
        dropped.add_up(&Float::with_val_round(64, &inner * &moment, Up).0);
        Ok(dropped)
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
                self.sheet = Some(self.sheet(k, end - k, budget)?);
            }
            let Some(sheet) = &mut self.sheet else { continue };
            while sheet.at < k {
                sheet.terms.advance();
                sheet.at += 1;
            }
            values.push(sheet.terms.value(self.bits, &sheet.error));
        }
        Ok(values)
    }
}
