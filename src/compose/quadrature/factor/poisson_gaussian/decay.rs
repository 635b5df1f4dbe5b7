//! How fast `|K(r + iu)|` falls.
//!
//! **Claim.** For `0 < a < pi/mu` and `u >= 0`,
//!
//! `|K(r + iu)| <= B(u, a) = e^(a^2/2) int phi(t) |w(t + ia)|^r e^(-u arg w(t + ia)) dt`,
//!
//! for the contour may be moved to `Im t = a`; and `B(u, a)` falls with `u`, because `0 <= arg w(t + ia) < pi`. So a
//! bound at one ordinate holds at all larger ones, and the table below is filled where it is asked.
//!
//! The integral has a positive integrand and is taken by the trapezoid rule once more. With `l(t) = ln w(t + ia)` and
//! its mirror image, the integrand's continuation to `t + ib` has the modulus
//! `phi(t) e^((a^2 + b^2)/2) |w(t + i(a+b))|^(r/2) |w(t + i(a-b))|^(r/2) e^(-s u/2)`, where
//! `s = arg w(t + i(a+b)) + arg w(t + i(a-b))`. The last factor is at most 1 for `|b| <= a`, and for
//! `mu (a + |b|) <= pi/2`, as `arg w(t + ix)` is odd in x and rises for `0 <= mu x <= pi/2`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::f64::consts::PI;

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::nodes::Values;
use super::pair::{AddUp, Pair, Power, aliases, dyadic, node};
use super::real::{Nodes, bits_of};
use super::terms::Frame;
use crate::compose::quadrature::factor::sampled::{self, Sampled};
use crate::compose::quadrature::{Decay, Moments, VerticalContour};
use crate::error::Error;
use enclosure::special::{ln_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Complex, Enclosure, Portable};

/// Bounds along one line.
pub(super) struct Table<'a> {
    factor: &'a PoissonGaussian,
    r: Rational,
    line: VerticalContour,
    log_moment: f64,
    near: Sampled<Values<'a>>,
    /// By twice the logarithm of the ordinate to base 2.
    far: RefCell<BTreeMap<i32, Segment>>,
    /// The best `a` of the last search.
    found: Cell<Option<f64>>,
}

/// `ln(B(u, a)/K(r))` at two ordinates, rounded up. It is convex in u, as `B` is a mixture of exponentials in u. It may
/// be above 0: a chord from 0 instead would be too low.
#[derive(Clone, Copy)]
struct Segment {
    from: f64,
    to: f64,
    at_from: f64,
    at_to: f64,
}

/// Precision of the bound that falls.
const WORK: u32 = 48;

/// The relative error of a bound is about `e^-SLACK`.
const SLACK: f64 = 18.0;

/// The trapezoid rule of one `B(u, a)`.
struct Rule {
    a: Rational,
    /// Half the width of the strip.
    b: Rational,
    step: Rational,
    nodes: Nodes,
    /// About `ln` of what the terms left out may come to.
    floor: f64,
}

impl Segment {
    /// The chord, rounded up, for `u` in the segment.
    fn at(&self, u: f64) -> f64 {
        let part = ((u - self.from) / (self.to - self.from)).clamp(0.0, 1.0) * (1.0 - 1e-14);
        // Less than ten roundings, each of at most 2^-53 of these sizes.
        let value = self.at_from + (self.at_to - self.at_from) * part;
        (value + 4e-15 * (self.at_from.abs() + self.at_to.abs())).min(0.0)
    }
}

/// The ordinates between segments, `2^(i/2)` but for a few percent, exactly.
fn border(i: i32) -> f64 {
    let octave = 2f64.powi(i.div_euclid(2));
    if i.rem_euclid(2) == 0 { octave } else { 1.5 * octave }
}

impl<'a> Table<'a> {
    pub fn new(factor: &'a PoissonGaussian, line: &VerticalContour, budget: &Budget) -> Result<Self, Error> {
        let values = Values::new(factor, line, sampled::BITS, budget)?;
        let r = Rational::from(line.tilt() + 1u32);
        let log_moment = factor.shape.log_moment(r.to_f64());
        let moment = values.moment().clone();
        let near = Sampled::new(values, moment);
        Ok(Table { factor, r, line: line.clone(), log_moment, near, far: RefCell::default(), found: Cell::default() })
    }

    /// The ordinate of the node `k`, rounded down.
    fn below(&self, k: u64) -> f64 {
        self.line.ordinate(k, 64).lower().to_f64_round(rug::float::Round::Down)
    }

    /// Where doubles do for a search.
    fn in_range(u: f64) -> bool {
        u > 1e-200 && u < 1e200
    }

    /// A bound at the node `k` and all after it.
    fn far(&self, k: u64, budget: &Budget) -> Result<f64, Error> {
        let u = self.below(k);
        if !Self::in_range(u) {
            return Ok(0.0);
        }
        let mut i = (2.0 * u.portable_log2()).floor() as i32;
        while border(i) > u {
            i -= 1;
        }
        while border(i + 1) <= u {
            i += 1;
        }
        if let Some(segment) = self.far.borrow().get(&i) {
            return Ok(segment.at(u));
        }
        let (from, to) = (border(i), border(i + 1));
        let [at_from, at_to] = self.bounds([from, to], budget)?;
        let segment = Segment { from, to, at_from, at_to };
        self.far.borrow_mut().insert(i, segment);
        Ok(segment.at(u))
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
                sum = sum * (top - height).portable_exp() + 1.0;
                top = height;
            } else {
                sum += (height - top).portable_exp();
            }
            t += step;
        }
        a * a / 2.0 + top + (sum * step).portable_ln() - 0.5 * (2.0 * PI).portable_ln()
    }

    /// The best `a` that a short search finds, from the last one on, and `ln B(u, a)` there.
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
        let known = self.found.get();
        if let Some(known) = known {
            a = known.min(widest);
            last = at(a);
            while a < widest {
                let more = (a / 0.6).min(widest);
                let value = at(more);
                if value >= last {
                    break;
                }
                (a, last) = (more, value);
            }
            a *= 0.6;
        }
        for _ in 0..40 {
            let value = at(a);
            if value > last && (known.is_some() || a < widest / 4.0) {
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
        for _ in 0..if known.is_some() { 4 } else { 8 } {
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
        self.found.set(Some(best.1));
        (best.1, best.0)
    }

    /// `ln(B(u, a)/K(r))` at two ordinates, for one `a` that is good between them, rounded up.
    fn bounds(&self, ordinates: [f64; 2], budget: &Budget) -> Result<[f64; 2], Error> {
        let (a, log_bound) = self.search((ordinates[0] * ordinates[1]).sqrt());
        // At the smaller ordinate B is larger, at the larger one smaller: by as much, nearly.
        let log_bound = log_bound - (self.log_moment - log_bound).max(0.0) * 0.5;
        self.bounds_at(a, log_bound, ordinates, budget)
    }

    /// The same for this `a`; `log_bound` is about the least `ln B` at the ordinates.
    fn bounds_at(&self, a: f64, log_bound: f64, ordinates: [f64; 2], budget: &Budget) -> Result<[f64; 2], Error> {
        let rule = self.rule(a, log_bound)?;
        let sums = self.sums(&rule, ordinates, budget)?;
        let (size, far) = (self.r.to_f64(), rule.nodes.far());
        let extra = bits_of((size.abs() + 1.0) * (1.0 + self.factor.shape.mu * far) + far.powi(2));
        let pair = self.factor.pair(96 + extra);
        let Some(tail) = self.left_out(&rule, &pair, budget)? else { return Ok([0.0; 2]) };
        let Some(error) = self.error(&rule, &pair) else { return Ok([0.0; 2]) };
        let scale = &recip_sqrt_two_pi(64) * &Enclosure::rational(&rule.step, 64);
        Ok(sums.map(|mut sum| {
            sum.add_up(&tail);
            let sum = &Enclosure::new(sum.clone(), sum) * &scale;
            let mut bound = Float::with_val_round(64, (&sum / &self.near.moment().with_bits(64)).upper(), Up).0;
            bound.add_up(&error);
            bound.ln_round(Up);
            bound.to_f64_round(Up)
        }))
    }

    /// A rule whose error is expected to be below a bound of about this logarithm.
    fn rule(&self, a: f64, log_bound: f64) -> Result<Rule, Error> {
        let (shape, size) = (&self.factor.shape, self.r.to_f64());
        let a_exact = dyadic(a, 8);
        let a = a_exact.to_f64();
        // How far below K(r) the bound is expected: the rule's error must be smaller still.
        let nats = SLACK + (self.log_moment - log_bound).max(0.0) + a * a / 2.0;
        let excess = self.factor.excess(size, self.log_moment);
        let mut best = (f64::INFINITY, 0.0);
        let widest = self.strip(a).min(3.0 * (2.0 * nats).sqrt());
        for i in 1..=16 {
            let b = widest * f64::from(i) / 16.0;
            let rate = (nats + b * b / 2.0 + self.factor.gain(size, excess, a + b)) / b;
            if rate < best.0 {
                best = (rate, b);
            }
        }
        let (b, step) = (dyadic(best.1, 8), dyadic(2.0 * PI / best.0, 8));
        let floor = log_bound - SLACK - a * a / 2.0;
        let nodes = Nodes::cover(step.clone(), shape.span(size, shape.mu * a, floor))?;
        Ok(Rule { a: a_exact, b, step, nodes, floor })
    }

    /// The sums over the nodes, rounded up.
    fn sums(&self, rule: &Rule, ordinates: [f64; 2], budget: &Budget) -> Result<[Float; 2], Error> {
        let largest = ordinates[0].max(ordinates[1]);
        let ordinate = |bits| (Enclosure::double(largest, bits), Enclosure::zero(bits));
        let mut frame = Frame::new(self.factor, &self.r, ordinate, &rule.nodes, &rule.a, WORK)?;
        let mut sums = [Float::new(64), Float::new(64)];
        for n in rule.nodes.first..=rule.nodes.last {
            if n % 64 == 0 {
                budget.check()?;
            }
            let moduli = frame.moduli(&node(n, &rule.step), &ordinates, WORK)?;
            frame.advance();
            for (sum, modulus) in sums.iter_mut().zip(&moduli) {
                sum.add_up(modulus);
            }
        }
        Ok(sums)
    }

    /// At most the sum over the nodes left out, by bounds for all ordinates; `None` where there is no such bound.
    fn left_out(&self, rule: &Rule, pair: &Pair, budget: &Budget) -> Result<Option<Float>, Error> {
        let (a_square, power) = (Rational::from(rule.a.square_ref()), pair.rational(&self.r));
        let turn = Complex::cis(&(&pair.mu * &pair.rational(&rule.a)), pair.bits);
        let (v_cos, v_sin) = (turn.re(), turn.im());
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
                    return Ok(None);
                }
                gain = &gain + &(&power * &ln_thin(&v_sin, pair.bits)).with_bits(64);
            }
            (Power::Falling(&power * &cos), gain)
        };
        let mut tail = Float::new(64);
        for (start, side) in rule.nodes.outside() {
            tail.add_up(&pair.beyond(&tail_power, &start, side, &rule.step, rule.floor, budget)?);
        }
        Ok(Some(Float::with_val_round(64, &tail * gain.exp().upper(), Up).0))
    }

    /// At most the error of the rule; `None` if its strip is none of those that were argued for.
    fn error(&self, rule: &Rule, pair: &Pair) -> Option<Float> {
        let both = Rational::from(&rule.a + &rule.b);
        let right = Enclosure::pi(64).shift(-1);
        let angle = &pair.mu.with_bits(64) * &Enclosure::rational(&both, 64);
        let log_moment = ln_thin(&self.near.moment().with_bits(64), 64);
        let edge = pair.edge(&self.r, &log_moment, &both, None);
        let edge = edge.filter(|_| rule.b <= rule.a || *angle.upper() <= *right.lower())?;
        // e^((a^2 + b^2)/2), not e^((a+b)^2/2).
        let edge = &edge - &Enclosure::rational(&Rational::from(&rule.a * &rule.b), 64);
        Some(aliases(&(&edge + &Enclosure::ln_2(64)), &rule.b, &rule.step))
    }
}

impl Decay for Table<'_> {
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        self.near.log_bound(from, to, budget, |k| self.far(k, budget))
    }

    fn falling(&self, from: u64, budget: &Budget) -> Result<f64, Error> {
        let u = self.below(from);
        if !Self::in_range(u) {
            return Ok(0.0);
        }
        let (a, log_bound) = self.search(u);
        Ok(self.bounds_at(a, log_bound, [u, u], budget)?[0].min(0.0))
    }

    fn is_dear(&self) -> bool {
        true
    }

    fn alone(&self, node: u64, budget: &Budget) -> Result<f64, Error> {
        let moduli = Values::new(self.factor, &self.line, sampled::BITS, budget)?.run(node, 1, budget)?;
        let modulus = moduli.first().map_or(Float::new(64), Complex::modulus_upper);
        Ok((modulus.ln().to_f64() - self.log_moment).min(0.0))
    }

    fn about(&self, from: u64, _budget: &Budget) -> Result<f64, Error> {
        let u = self.below(from);
        Ok(if Self::in_range(u) { (self.search(u).1 - self.log_moment).min(0.0) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::quadrature::factor::Factor;
    use enclosure::Real;

    /// `(rate, sigma, tilt, a, ordinates, ln(B/K) there)`, from panels of Gauss and Legendre's rule at 40 digits.
    type Row = (&'static str, &'static str, &'static str, f64, [f64; 2], [&'static str; 2]);
    const BOUNDS: &[Row] = &[
        ("0.01", "1", "6.5", 0.25, [16.0, 24.0], ["-0.014639308166502619694", "-0.035003247031386286993"]),
        ("0.01", "1", "-5.5", 0.5, [32.0, 48.0], ["-0.0012902279263216389116", "-0.060138732647013408518"]),
        ("0.5", "0.5", "0.75", 0.5, [3.0, 4.0], ["-2.2204637957545167151", "-2.6792205229995913081"]),
        ("0.1", "1", "3.0", 2.5, [128.0, 192.0], ["-0.24010077756194525764", "-0.86401728575483717589"]),
    ];

    fn table<T>(rate: &str, sigma: &str, tilt: &str, period: &str, test: impl Fn(Table, &VerticalContour) -> T) -> T {
        let mu = Real::parse(sigma).unwrap().pow(&Real::parse("-1").unwrap()).unwrap();
        let factor = PoissonGaussian::new(Real::parse(rate).unwrap(), mu).unwrap();
        let tilt = Real::parse(tilt).unwrap().as_rational().unwrap().clone();
        let line = VerticalContour::new(tilt, Real::parse(period).unwrap());
        test(Table::new(&factor, &line, &Budget::default()).unwrap(), &line)
    }

    /// Never below the true integral, and not above it by more than the slack that the rule is given.
    #[test]
    fn the_integral_itself() {
        for &(rate, sigma, tilt, a, ordinates, logs) in BOUNDS {
            let bounds = table(rate, sigma, tilt, "25", |table, _| {
                let about = table.log_moment + logs[1].parse::<f64>().unwrap();
                table.bounds_at(a, about, ordinates, &Budget::default()).unwrap()
            });
            for (bound, truth) in bounds.into_iter().zip(logs) {
                let truth = Real::parse(truth).unwrap().as_rational().unwrap().clone();
                assert!(bound > truth, "{rate} {tilt} {a}: {bound} {truth}");
                assert!(bound < truth + Rational::from((1, 1_000_000)), "{rate} {tilt} {a}: {bound}");
            }
        }
    }

    /// Where B is above K at the lower ordinate, the chord begins above 0.
    #[test]
    fn chords_begin_above_zero() {
        let &(rate, sigma, tilt, a, [middle, to], [truth, end]) = &BOUNDS[1];
        let from = middle / 2.0;
        let [at_from, at_to] = table(rate, sigma, tilt, "25", |table, _| {
            let about = table.log_moment + end.parse::<f64>().unwrap();
            table.bounds_at(a, about, [from, to], &Budget::default()).unwrap()
        });
        assert!(at_from > 0.0 && at_to < 0.0, "{at_from} {at_to}");
        let truth = Real::parse(truth).unwrap().as_rational().unwrap().clone();
        assert!(Segment { from, to, at_from, at_to }.at(middle) > truth);
    }

    /// The bound that falls is above the values, and falls.
    #[test]
    fn beyond_the_values() {
        let budget = Budget::default();
        for (rate, sigma, tilt) in
            [("0.01", "1", "6.5"), ("0.01", "1", "-5.5"), ("0.5", "2", "3"), ("1e-6", "0.5", "2")]
        {
            table(rate, sigma, tilt, "20", |table, line| {
                let values = table.factor.on(line, 120, &budget).unwrap().run(0, 300, &budget).unwrap();
                let mut before = 0.0;
                for (k, value) in values.iter().enumerate().skip(1) {
                    let bound = table.far(k as u64, &budget).unwrap();
                    let (re, im) = value.centre();
                    let least = Float::with_val(200, re.hypot_ref(im)) - value.radius();
                    let size = &Enclosure::new(least.clone(), least) / table.near.moment();
                    assert!(*size.positive_part().ln().lower() <= bound, "{rate} {sigma} {tilt} {k}: {bound}");
                    // At least as far down as at a tenth of the ordinate.
                    if k % 10 == 0 {
                        assert!(bound <= table.far(k as u64 / 10, &budget).unwrap());
                        assert!(bound <= before, "{rate} {sigma} {tilt} {k}");
                        before = bound;
                    }
                }
            });
        }
    }
}
