//! One step in two: the small steps and the large ones.
//!
//! With `W(t) = erfc(s (x - t))/2`, a weight that rises from 0 to 1 around the *cut* x within about `1/s`, the law of
//! one step is the sum of two positive measures, and so is its moment generating function:
//!
//! `M = A + B`, `B(z) = int phi(t) w(t)^r W(t) dt` and A the same with `1 - W`, where `r = 1 + z`, or `r = -z` for the
//! pair the other way round. Steps beyond a second cut y may be apart from the large ones, *huge*: with
//! `V(t) = erfc(s (y - t))/2` the weights are `1 - W`, `W (1 - V)` and `W V`, and `M = A + B + H`.
//!
//! *Off the axis.* `|erfc(a + ib)| <= e^(b^2) erfc(a)`, for `erfc(a + ib) = (2/sqrt pi) int_a^inf e^(-(x+ib)^2) dx`. So
//! on the line `Im t = b` the weight W, and `1 - W = erfc(s (t - x))/2` as well, is at most `e^(s^2 b^2)` times what it
//! is on the axis, and a product of two weights at most `e^(2 s^2 b^2)` times. With `v = mu |b| < pi`, E the part of w
//! that turns and `E + q = w`: `|w(t + ib)|^2 - cos^2(v/2) w(t)^2 = (q - E)^2 (1 - cos v)/2 >=
//! 0`. Hence, for A for B and for H alike, n the number of cuts,
//!
//! `int |f(t + ib)| dt <= e^(edge) e^(|Im r| v) B(Re r)`, `edge = b^2/2 + n s^2 b^2 + max(0, -Re r) ln(1/cos(v/2))`,
//!
//! and the inner trapezoid rule of step g on the axis is wrong by at most
//! `2 e^(edge + |Im r| v)/(e^(2 pi b/g) - 1)` times `B(Re r)`. See `proofs/paper/large-steps.md`.

use std::cmp::Ordering;
use std::f64::consts::{LN_2, PI};

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::pair::{AddUp, Pair, Power, Side, dyadic};
use super::real::{Nodes, bits_of};
use crate::compose::quadrature::VerticalContour;
use crate::error::Error;
use enclosure::progression::{MAX_STEPS, Progressions};
use enclosure::special::{exp_thin, ln_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Complex, Enclosure, Portable};

/// One draw of the mechanism, split.
#[derive(Clone, Debug)]
pub struct Split {
    factor: PoissonGaussian,
    /// Is it the pair the other way round?
    backward: bool,
    /// Where the weight is a half, x.
    cut: Rational,
    /// `s`, positive.
    steepness: Rational,
    /// The second cut y, if there is one.
    huge: Option<Rational>,
    /// Times that the inner step is longer than it should be, and by how much larger terms are left out.
    #[cfg(test)]
    spoilt: (f64, f64),
}

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// The bits of weights in bounds.
const BOUND: (f64, f64) = (24.0, 24.0);
/// A weight below `e^-FAR` is bounded by `e^(-x^2)`.
const FAR: f64 = 5000.0;
/// Cells of the bound that falls, around the cut and elsewhere.
const FINE: f64 = 0.2;
const COARSE: f64 = 0.125;
/// More cells are refused.
const MOST_CELLS: f64 = 20_000.0;

/// In searches the cells of a weight are at most so many times as narrow as the others: from one of those on the cells
/// are narrow already.
const NARROWER: f64 = 4096.0;

/// A rule on the real axis.
struct Rule {
    nodes: Nodes,
    /// What it is wrong by, relative to each measure.
    error: Float,
    /// The precision of logarithms and exponents.
    bits: u32,
    low: Pair,
    /// About `ln` of what the terms left out may come to.
    floor: f64,
}

fn lost() -> Error {
    Error::undecided("the inner nodes of a split step lost their precision")
}

/// Small, large and huge.
type Sizes<T> = [T; 3];

impl Split {
    /// `cut` in units of the noise, `steepness > 0` in their inverse.
    pub fn new(factor: &PoissonGaussian, backward: bool, cut: f64, steepness: f64) -> Option<Self> {
        let (cut, steepness) = (Float::with_val(12, cut).to_rational()?, dyadic(steepness, 8));
        (steepness > 0).then(|| Split {
            factor: factor.clone(),
            backward,
            cut,
            steepness,
            huge: None,
            #[cfg(test)]
            spoilt: (1.0, 0.0),
        })
    }

    /// The same with huge steps apart, beyond a second cut.
    pub fn with_huge(&self, at: f64) -> Option<Self> {
        Some(Split { huge: Some(Float::with_val(12, at).to_rational()?), ..self.clone() })
    }

    /// The cut, about.
    pub fn cut(&self) -> f64 {
        self.cut.to_f64()
    }

    /// The same with inner rules whose errors matter.
    #[cfg(test)]
    pub fn spoilt(self, coarser: f64, shorter: f64) -> Self {
        Split { spoilt: (coarser, shorter), ..self }
    }

    /// Are huge steps apart?
    pub fn has_huge(&self) -> bool {
        self.huge.is_some()
    }

    /// `n s^2`, n the number of cuts.
    fn steep(&self) -> Rational {
        Rational::from(self.steepness.square_ref()) * (1u32 + u32::from(self.has_huge()))
    }

    /// `r` at a real point.
    fn power(&self, c: &Rational) -> Rational {
        if self.backward { -c.clone() } else { Rational::from(c + 1u32) }
    }

    /// The half-width of the strip and the step with which the rule errs by about `e^-nats`, up to this ordinate.
    fn strip(&self, r: f64, ordinate: f64, nats: f64) -> (f64, f64) {
        let (mu, steep) = (self.factor.shape.mu, self.steep().to_f64());
        let widest = (0.95 * self.factor.shape.strip()).min(3.0 * (2.0 * nats).sqrt());
        let mut best = (f64::INFINITY, widest);
        for i in 1..=96 {
            let b = widest * (f64::from(i) / 96.0).powi(2);
            let edge = b * b * (0.5 + steep) + (-r).max(0.0) * -(mu * b / 2.0).portable_cos().portable_ln();
            let rate = (nats + edge + ordinate * mu * b) / b;
            if rate < best.0 {
                best = (rate, b);
            }
        }
        (best.1, 2.0 * PI / best.0)
    }

    /// A rule for ordinates up to this one, whose errors are expected to be `2^-bits` of each measure.
    fn rule(&self, r: &Rational, ordinate: &Float, bits: u32) -> Result<Rule, Error> {
        let size = r.to_f64();
        let [small, large, huge] = self.log_moments_at(size);
        // Along lines huge steps are not asked for.
        let huge = if self.has_huge() && ordinate.is_zero() { huge } else { f64::INFINITY };
        let least = small.min(large).min(huge);
        self.rule_over(r, (ordinate, least), bits, |floor| self.factor.shape.span(size, 0.0, floor))
    }

    /// The same for measures of about this logarithm, over a range that is left where terms are below a floor.
    fn rule_over(
        &self,
        r: &Rational,
        (ordinate, least): (&Float, f64),
        bits: u32,
        range: impl Fn(f64) -> (f64, f64),
    ) -> Result<Rule, Error> {
        let (shape, size) = (&self.factor.shape, r.to_f64());
        let nats = f64::from(bits) * LN_2 + 6.0;
        let (b, g) = self.strip(size, ordinate.to_f64(), nats);
        #[cfg(test)]
        let g = g * self.spoilt.0;
        let (b, step) = (dyadic(b, 8), dyadic(g, 8));
        let floor = least - nats - (1.0 + 2.0 / g).portable_ln();
        #[cfg(test)]
        let floor = floor + self.spoilt.1;
        if !(floor.abs() < 5e8) {
            return Err(Error::undecided(format!("cannot compute a moment of order {size:.3e} of a split step")));
        }
        let nodes = Nodes::cover(step.clone(), range(floor))?;
        let ends = [nodes.first as f64 * g, nodes.last as f64 * g];
        let largest = ends
            .map(|t| ((size.abs() + 1.0) * shape.log_ratio(t).abs()).max(size.abs()).max(t * t))
            .into_iter()
            .fold(1.0, f64::max);
        let extra = bits_of(largest) + bits_of(nodes.count() as f64) + bits_of(shape.mu * (nodes.far() + shape.mu));
        let error = self.error(r, ordinate, &b, &step).ok_or_else(lost)?;
        let low = self.factor.pair(96 + extra);
        Ok(Rule { nodes, error, bits: bits.saturating_add(24 + extra), low, floor })
    }

    /// `2 e^(edge + y v)/(e^(2 pi b/g) - 1)`, rounded up.
    fn error(&self, r: &Rational, ordinate: &Float, b: &Rational, step: &Rational) -> Option<Float> {
        let exact = |x: &Rational| Enclosure::rational(x, BOUND_BITS);
        let v = &exact(b) * &self.factor.mu.enclosure(BOUND_BITS);
        let square = exact(&Rational::from(b.square_ref()));
        let mut edge = &square.shift(-1) + &(&square * &exact(&self.steep()));
        let half = Complex::cis(&v.shift(-1), BOUND_BITS).re();
        if !(*half.lower() > 0 && *v.upper() < 3) {
            return None;
        }
        if *r < 0 {
            edge = &edge - &(&exact(&-r.clone()) * &half.ln());
        }
        let most = Enclosure::new(ordinate.clone(), ordinate.clone());
        edge = &edge + &(&most * &v);
        let turns = &Enclosure::pi(BOUND_BITS).shift(1) * &exact(&Rational::from(b / step));
        let bound = (&edge.exp() / &turns.expm1()).shift(1);
        bound.upper().is_finite().then(|| bound.upper().clone())
    }

    /// `erfc(s (cut - t))/2`, which rises with t, and 1 less that; the smaller one to so many bits, the larger one to
    /// so many after the point.
    ///
    /// `0 < erfc(x) <= e^(-x^2)` for `x >= 0`.
    fn step(&self, cut: &Rational, t: &Rational, (small, large): (f64, f64)) -> [Enclosure; 2] {
        let x = (cut - t.clone()) * &self.steepness;
        let falls = x >= 0;
        let x = x.abs();
        let nats = x.to_f64() * x.to_f64();
        let bits = small.max(large - nats / LN_2);
        let whole = large.clamp(16.0, 1e7) as u32 + 16;
        let less = if bits > 0.0 && nats < FAR {
            let wide = bits.clamp(16.0, 1e7) as u32 + 16;
            let [mut lower, mut upper] = [Up, Down].map(|round| Float::with_val_round(wide, &x, round).0);
            let exact = lower == upper;
            let below = lower.erfc_round(Down).is_lt();
            if exact {
                // Of one number both ends are the same or neighbours.
                upper.clone_from(&lower);
                if below {
                    upper.next_up();
                }
            } else {
                upper.erfc_round(Up);
            }
            Enclosure::new(lower, upper).shift(-1)
        } else {
            let bound = (-Enclosure::rational(&x.square(), BOUND_BITS)).exp();
            Enclosure::new(Float::new(BOUND_BITS), bound.upper().clone()).shift(-1)
        };
        let more = &Enclosure::one(whole) - &less.with_bits(whole);
        if falls { [less, more] } else { [more, less] }
    }

    /// The weights, `1 - W`, `W (1 - V)` and `W V`, of a term of about this logarithm: so that what is made of it is
    /// known to about the logarithms of the floors.
    fn weights(&self, t: &Rational, height: f64, floors: &Sizes<f64>) -> Sizes<Enclosure> {
        let s = self.steepness.to_f64();
        let x = |cut: &Rational| s * (cut.to_f64() - t.to_f64());
        let bits = |weight: f64, floor: f64| (height + weight - floor) / LN_2 + 8.0;
        let [low, middle, high] = *floors;
        let far = x(&self.cut);
        let above_floor = if self.has_huge() { middle.min(high) } else { middle };
        let wanted = |far: f64, below: f64, above: f64| {
            if far >= 0.0 {
                (bits(-far * far, above), bits(0.0, below))
            } else {
                (bits(-far * far, below), bits(0.0, above))
            }
        };
        let [above, below] = self.step(&self.cut, t, wanted(far, low, above_floor));
        match &self.huge {
            None => [below, above, Enclosure::zero(BOUND_BITS)],
            Some(huge) => {
                let [beyond, before] = self.step(huge, t, wanted(x(huge), middle, high));
                [below, &above * &before, &above * &beyond]
            }
        }
    }

    /// Upper bounds of the weights on one side of t.
    fn outside(&self, t: &Rational, side: Side) -> Sizes<Enclosure> {
        let one = Enclosure::one(BOUND_BITS);
        let [above, below] = self.step(&self.cut, t, BOUND);
        let [beyond, before] = match &self.huge {
            Some(huge) => self.step(huge, t, BOUND),
            None => [Enclosure::zero(BOUND_BITS), one.clone()],
        };
        match side {
            Side::Left => [one, above.clone(), &above * &beyond],
            Side::Right if self.has_huge() => [below, before, one],
            Side::Right => [below, one, beyond],
        }
    }

    /// Upper bounds of what the sums leave out on both sides, with the factor `g/sqrt(2 pi)`.
    fn left_out(&self, r: &Rational, rule: &Rule, budget: &Budget) -> Result<Sizes<Float>, Error> {
        let low = &rule.low;
        let power = if *r >= 0 { Power::Rising(r.clone()) } else { Power::Falling(low.rational(r)) };
        let scale = &recip_sqrt_two_pi(BOUND_BITS) * &Enclosure::rational(&rule.nodes.step, BOUND_BITS);
        let mut total = [Float::new(64), Float::new(64), Float::new(64)];
        for (start, side) in rule.nodes.outside() {
            let all = low.beyond(&power, &start, side, &rule.nodes.step, rule.floor, budget)?;
            let all = Float::with_val_round(64, &all * scale.upper(), Up).0;
            for (total, weight) in total.iter_mut().zip(self.outside(&start, side)) {
                total.add_up(&Float::with_val_round(64, &all * weight.upper(), Up).0);
            }
        }
        Ok(total)
    }

    /// Every node: `t`, about the logarithm of its unweighed term, `ln w` and the unweighed term with the factor
    /// `g/sqrt(2 pi)`, both to so many bits.
    fn each(
        &self,
        r: &Rational,
        rule: &Rule,
        bits: u32,
        budget: &Budget,
        mut visit: impl FnMut(&Rational, f64, &Enclosure, &Enclosure) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let pair = self.factor.pair(rule.bits);
        let power = pair.rational(r);
        let scale = &recip_sqrt_two_pi(bits + 16) * &Enclosure::rational(&rule.nodes.step, bits + 16);
        let (shape, size) = (&self.factor.shape, r.to_f64());
        rule.nodes.each(&pair, budget, |_, t, shifted| {
            let ratio = ln_thin(&(&pair.q + shifted), pair.bits);
            let height = &(&power * &ratio) - &pair.rational(&(Rational::from(t.square_ref()) / 2u32));
            let term = &exp_thin(&height, bits + 16) * &scale;
            let x = t.to_f64();
            visit(t, size * shape.log_ratio(x) - 0.5 * x * x, &ratio, &term)
        })
    }

    /// `A(c)`, `B(c)` and `H(c)` to about so many bits.
    pub fn moments(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Sizes<Enclosure>, Error> {
        let r = self.power(c);
        let rule = self.rule(&r, &Float::new(64), bits)?;
        let rest = self.left_out(&r, &rule, budget)?;
        self.sums(&r, (&rule, rest), self.log_moments_at(r.to_f64()), bits, budget)
    }

    /// `A(c)` alone, to about so many bits: where r is large, most of what there is of the others is far from it.
    pub fn small(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let r = self.power(c);
        let (shape, size, s, cut) = (&self.factor.shape, r.to_f64(), self.steepness.to_f64(), self.cut.to_f64());
        let least = self.log_moments_at(size)[0];
        // Terms fall from where this is positive, see `left_out_of_small`.
        let fall = |t: f64| t + 2.0 * s * s * (t - cut) - size * shape.mu;
        let term = |t: f64| size * shape.log_ratio(t) - 0.5 * t * t - (s * (t - cut)).powi(2);
        let rule = self.rule_over(&r, (&Float::new(64), least), bits, |floor| {
            let (low, high) = shape.span(size, 0.0, floor);
            let mut end = cut.max(low) + 0.25;
            while end < high && !(fall(end) > 0.1 && term(end) < floor) {
                end += 0.25;
            }
            (low, end.min(high))
        })?;
        let rest = match self.left_out_of_small(&r, &rule, budget)? {
            Some(rest) => [rest, Float::new(64), Float::new(64)],
            None => self.left_out(&r, &rule, budget)?,
        };
        let logs = [least, f64::INFINITY, f64::INFINITY];
        let [small, ..] = self.sums(&r, (&rule, rest), logs, bits, budget)?;
        Ok(small)
    }

    /// What the sum for A leaves out, if the range ends beyond the cut where its terms fall.
    ///
    /// With `h(t) = -t^2/2 + r ln w(t)`, `r >= 0`, and the weight at most `e^(-s^2 (t-x)^2)/2` for `t >= x`: as `ln w`
    /// rises by at most mu a unit, the term at `t_0 + z` is at most half of
    /// `e^(h(t_0) - s^2 (t_0-x)^2) e^(-dz - z^2/2)`, `d = t_0 + 2 s^2 (t_0-x) - r mu`; and if `d >= 0`, their sum over
    /// steps g is at most that at `t_0` times `1 + sqrt(pi/2)/g`, `sqrt(pi/2) < 2`.
    fn left_out_of_small(&self, r: &Rational, rule: &Rule, budget: &Budget) -> Result<Option<Float>, Error> {
        let low = &rule.low;
        let [(left, _), (start, _)] = rule.nodes.outside();
        let beyond = Rational::from(&start - &self.cut);
        let steep = Rational::from(self.steepness.square_ref());
        let slope = low.rational(&(&start + Rational::from(&steep * &beyond) * 2u32));
        let falls = &slope - &(&low.rational(r) * &low.mu);
        if *r < 0 || beyond < 0 || *falls.lower() < 0 {
            return Ok(None);
        }
        let scale = &recip_sqrt_two_pi(BOUND_BITS) * &Enclosure::rational(&rule.nodes.step, BOUND_BITS);
        let power = Power::Rising(r.clone());
        let mut total = low.beyond(&power, &left, Side::Left, &rule.nodes.step, rule.floor, budget)?;
        let log = ln_thin(&(&low.q + &low.shifted(&start)), low.bits);
        let squares = Rational::from(start.square_ref()) / 2u32 + steep * beyond.square();
        let height = &(&low.rational(r) * &log) - &low.rational(&squares);
        let all = Enclosure::rational(&(Rational::from(2) / &rule.nodes.step + 1u32), BOUND_BITS);
        let right = (&height.exp().with_bits(BOUND_BITS) * &all).shift(-1);
        total.add_up(&Float::with_val_round(64, right.upper(), Up).0);
        Ok(Some(Float::with_val_round(64, total * scale.upper(), Up).0))
    }

    /// The sums over the nodes of a rule with what they leave out, for measures of about these logarithms.
    fn sums(
        &self,
        r: &Rational,
        (rule, rest): (&Rule, Sizes<Float>),
        logs: Sizes<f64>,
        bits: u32,
        budget: &Budget,
    ) -> Result<Sizes<Enclosure>, Error> {
        let mut sums = [(); 3].map(|()| Enclosure::zero(bits + 16));
        let spare = f64::from(bits + 8) * LN_2 + (rule.nodes.count() as f64).portable_ln();
        let floors = logs.map(|log| log - spare);
        self.each(r, rule, bits, budget, |t, height, _, term| {
            for (sum, weight) in sums.iter_mut().zip(self.weights(t, height, &floors)) {
                *sum = &*sum + &(term * &weight);
            }
            Ok(())
        })?;
        if rule.error >= 1 {
            return Err(lost());
        }
        // |S - B| <= error B.
        let both = Enclosure::new(
            Float::with_val_round(bits + 16, 1u32 - &rule.error, Down).0,
            Float::with_val_round(bits + 16, 1u32 + &rule.error, Up).0,
        );
        let mut rest = rest.into_iter();
        Ok(sums.map(|sum| {
            // What is left out is positive.
            let rest = rest.next().unwrap_or_else(|| Float::new(64));
            let sum = Enclosure::new(sum.lower().clone(), sum.widen(&rest).upper().clone());
            (&sum / &both).with_bits(bits)
        }))
    }

    /// Discs that hold `A` and `B` at the nodes `0, ..., last` of a line, to about so many bits of `A(c)` and `B(c)`.
    pub fn along(
        &self,
        line: &VerticalContour,
        last: u64,
        bits: u32,
        budget: &Budget,
    ) -> Result<Vec<[Complex; 2]>, Error> {
        if last >= u64::from(MAX_STEPS) {
            return Err(Error::undecided("a split step needs too many nodes"));
        }
        let r = self.power(line.tilt());
        let most = line.ordinate(last, BOUND_BITS).upper().clone();
        let rule = self.rule(&r, &most, bits)?;
        let [small, large, _] = self.moments(line.tilt(), BOUND_BITS, budget)?;
        let moments = [small, large];
        let guard = 6 + bits_of(rule.nodes.count() as f64) + bits_of(last as f64);
        let wide = bits.saturating_add(guard + 8);
        let units = moments.each_ref().map(|moment| moment.upper().get_exp().unwrap_or(0) - (bits + guard) as i32);
        let mut terms = units.map(|unit| Progressions::turning(unit, wide));
        let [small, large, _] = self.left_out(&r, &rule, budget)?;
        let mut errors = [small, large];
        for (error, moment) in errors.iter_mut().zip(&moments) {
            error.add_up(&Float::with_val_round(64, moment.upper() * &rule.error, Up).0);
        }
        let each = line.ordinate(1, rule.bits);
        let each = if self.backward { -each } else { each };
        let thresholds = units.map(|unit| Float::with_val(64, Float::i_exp(1, unit)));
        let floors = [f64::from(units[0]) * LN_2, f64::from(units[1]) * LN_2, f64::INFINITY];
        self.each(&r, &rule, wide, budget, |t, height, ratio, term| {
            let mut turn = None;
            for (i, weight) in self.weights(t, height, &floors).iter().take(2).enumerate() {
                let start = term * weight;
                if *start.upper() < thresholds[i] {
                    errors[i].add_up(&Float::with_val_round(64, start.upper(), Up).0);
                    continue;
                }
                let turn = turn.get_or_insert_with(|| Complex::cis(&(&each * ratio), wide));
                if !terms[i].push(&Complex::real(&start, wide), turn) {
                    return Err(lost());
                }
            }
            Ok(())
        })?;
        let mut values = Vec::with_capacity(last as usize + 1);
        for k in 0..=last {
            if k % 16 == 0 {
                budget.check()?;
            }
            values.push([terms[0].value(bits, &errors[0]), terms[1].value(bits, &errors[1])]);
            terms.iter_mut().for_each(Progressions::advance);
        }
        Ok(values)
    }

    /// An upper bound of `|B|` at all points of the line `Re z = c` whose ordinates are at least `u`.
    ///
    /// With the contour moved to `Im t = a > 0`, `v = mu a <= 3/2`, where `|w|` and `arg w` rise with t and
    /// `0 <= arg w <= v`: `|B| <= e^((1/2 + n s^2) a^2) int phi W |w(t + ia)|^r e^(-u arg w(t + ia))
    /// dt`, which falls with u. (For the pair the other way round B is conjugated, no more.) The integral is at most
    /// the sum over cells of their widths times the largest value of each of the factors: at one end of the cell.
    /// Beyond the cells, `int_x^inf e^(-t^2/2) dt/sqrt(2 pi) <= e^(-x^2/2)/2` for `x >= 0`; on the left `W` and, for
    /// `r >= 0`, `|w|^r` are at most what they are at the end, and `|w| >= q`; on the right, beyond `r mu`, `ln |w|`
    /// rises by less than mu per unit.
    pub fn fall(&self, c: &Rational, u: &Float, a: f64, budget: &Budget) -> Result<Float, Error> {
        let r = self.power(c);
        let (shape, size, s) = (&self.factor.shape, r.to_f64(), self.steepness.to_f64());
        let a = dyadic(a, 8);
        let cut = self.cut.to_f64();
        let (first, second) = shape.span(size, 0.0, self.log_moments_at(size)[1] - 80.0);
        let (first, last) = (first.min(-1.0), second.max(1.0).max(size * shape.mu + 0.1));
        // Their number is bounded, and they rise.
        let mut ends = vec![first];
        let near = (cut - 8.0 / s, cut + 8.0 / s);
        let mut t = first;
        if !((last - first) / COARSE < MOST_CELLS) {
            return Err(Error::undecided("the bound for a split step needs too many cells"));
        }
        while t < last {
            let fine = t + COARSE > near.0 && t < near.1;
            t += if fine { (FINE / s).min(COARSE) } else { COARSE };
            ends.push(t.min(last));
        }
        let ends: Vec<Rational> = ends.into_iter().filter_map(|t| Float::with_val(40, t).to_rational()).collect();
        let extra = bits_of((size.abs() + 1.0) * (1.0 + shape.mu * last.abs().max(first.abs())));
        let bits = BOUND_BITS + extra;
        let pair = self.factor.pair(bits);
        let v = &pair.mu * &pair.rational(&a);
        if *v.upper() > 1.5 || a <= 0 {
            return Err(lost());
        }
        let turn = Complex::cis(&v, bits);
        let (cos, sin) = (turn.re(), turn.im());
        // What the argument needs of both ends.
        let ordered = ends.first().is_some_and(|t| *t <= 0)
            && ends.last().is_some_and(|t| {
                *t >= 0 && pair.rational(t).compare(&(&pair.rational(&r) * &pair.mu)).is_some_and(Ordering::is_ge)
            });
        if !ordered {
            return Err(lost());
        }
        let (power, u) = (pair.rational(&r), Enclosure::new(u.clone(), u.clone()));
        let q_squared = pair.q.square();
        // At each end: r ln |w|, u arg w, -t^2/2, and the weight.
        let mut total = Float::new(64);
        let mut before: Option<(Rational, [Enclosure; 3])> = None;
        let exponential = |x: &Enclosure| Float::with_val_round(64, x.exp().upper(), Up).0;
        let falls = r < 0;
        let count = ends.len();
        for (i, t) in ends.into_iter().enumerate() {
            if i % 64 == 0 {
                budget.check()?;
            }
            let shifted = pair.shifted(&t);
            let across = &(&shifted * &pair.q) * &cos;
            let square = &(&q_squared + &shifted.square()) + &across.shift(1);
            let log = &power * &ln_thin(&square, bits).shift(-1);
            let argument = &u * &(&(&shifted * &sin) / &(&pair.q + &(&shifted * &cos))).atan();
            let [weight, _] = self.step(&self.cut, &t, BOUND);
            let before_huge = match &self.huge {
                Some(huge) => self.step(huge, &t, BOUND)[1].clone(),
                None => Enclosure::one(BOUND_BITS),
            };
            let half_square = |t: &Rational| pair.rational(&(Rational::from(t.square_ref()) / 2u32));
            if i == 0 {
                let size = if falls { &power * &ln_thin(&pair.q, bits) } else { log.clone() };
                let tail = exponential(&(&size - &half_square(&t)));
                total.add_up(&Float::with_val_round(64, &tail * weight.upper(), Up).0);
            }
            if let Some((start, [log_before, argument_before, not_huge])) = &before {
                let log = if falls { log_before } else { &log };
                let nearest =
                    if *start < 0 && t > 0 { Rational::new() } else { start.clone().abs().min(t.clone().abs()) };
                let height = &(log - argument_before) - &half_square(&nearest);
                let width = &(&pair.rational(&Rational::from(&t - start)) * &weight) * not_huge;
                let cell = Float::with_val_round(64, exponential(&height) * width.upper(), Up).0;
                total.add_up(&cell);
            }
            if i + 1 == count {
                let tail = exponential(&(&(&log - &argument) - &half_square(&t)));
                total.add_up(&Float::with_val_round(64, &tail * before_huge.upper(), Up).0);
            }
            before = Some((t, [log, argument, before_huge]));
        }
        // 1/sqrt(2 pi) < 1/2 of the cells; the tails have the factor 1/2.
        let square = Enclosure::rational(&Rational::from(a.square_ref()), BOUND_BITS);
        let steep = Enclosure::rational(&self.steep(), BOUND_BITS);
        let rise = (&square.shift(-1) + &(&square * &steep)).exp();
        Ok(Float::with_val_round(64, &total * rise.upper(), Up).0 / 2u32)
    }

    /// About `ln A(c)`, `ln B(c)` and `ln H(c)`: for searches, it proves nothing.
    pub fn log_moments(&self, c: f64) -> Sizes<f64> {
        self.log_moments_at(if self.backward { -c } else { 1.0 + c })
    }

    fn log_moments_at(&self, r: f64) -> Sizes<f64> {
        let shape = &self.factor.shape;
        let mut sums = [Sum::default(); 3];
        self.cells(r, |t, width, weights| {
            let height = r * shape.log_ratio(t) - 0.5 * t * t + width.portable_ln();
            for (sum, weight) in sums.iter_mut().zip(weights) {
                sum.add(height + weight);
            }
        });
        sums.map(|sum| sum.ln() - 0.5 * (2.0 * PI).portable_ln())
    }

    /// The height of the contour at which `|B|` is bounded best at an ordinate, and about the logarithm of the bound.
    pub fn log_fall(&self, c: f64, u: f64) -> (f64, f64) {
        let (shape, steep) = (&self.factor.shape, self.steep().to_f64());
        let r = if self.backward { -c } else { 1.0 + c };
        const HEIGHTS: usize = 9;
        let widest = (1.5 / shape.mu).min(40.0) * 0.999;
        let heights: [f64; HEIGHTS] = std::array::from_fn(|i| widest * 0.66_f64.powi(i as i32));
        let mut sums = [Sum::default(); HEIGHTS];
        self.cells(r, |t, width, [_, large, _]| {
            if large < -200.0 {
                return;
            }
            for (sum, a) in sums.iter_mut().zip(heights) {
                let (size, argument) = shape.off_axis(t, shape.mu * a);
                let rise = a * a * (0.5 + steep);
                sum.add(r * size - u * argument + rise - 0.5 * t * t + width.portable_ln() + large);
            }
        });
        let best = heights.iter().zip(sums).map(|(a, sum)| (*a, sum.ln() - 0.5 * (2.0 * PI).portable_ln()));
        best.min_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((widest, f64::INFINITY))
    }

    /// Midpoints of cells with their widths, and the logarithms of both weights there.
    pub(super) fn cells(&self, r: f64, mut visit: impl FnMut(f64, f64, Sizes<f64>)) {
        let (shape, s, cut) = (&self.factor.shape, self.steepness.to_f64(), self.cut.to_f64());
        let (first, second) = shape.maxima(r);
        let huge = self.huge.as_ref().map(Rational::to_f64);
        // Beyond the last cut, too.
        let last = huge.map_or(cut, |huge| huge.max(cut));
        let (low, high) = (first.min(cut).min(0.0) - 9.0, second.unwrap_or(first).max(first).max(last) + 9.0);
        let narrow = if r < 0.0 { (1.0 - r * shape.mu * shape.mu / 4.0).sqrt().recip() } else { 1.0 };
        // The midpoint rule errs by `e^(-2 pi^2/h^2)` of a Gaussian, by `e^(-2 pi^2/(mu h))` for the likelihood ratio,
        // and by `e^(-pi^2/(s h)^2)` for a weight.
        let coarse = (0.5 * narrow).min(1.0 / shape.mu.max(1.0)).max((high - low) / 4000.0);
        let near = (cut - 7.0 / s, cut + 7.0 / s);
        let huge = huge.unwrap_or(f64::INFINITY);
        let near_huge = (huge - 7.0 / s, huge + 7.0 / s);
        let fine = (0.7 / s).max(coarse / NARROWER).min(coarse);
        let mut t = low;
        while t < high {
            let is_near = |(from, to): (f64, f64)| t + coarse > from && t < to;
            let step = if is_near(near) || is_near(near_huge) { fine } else { coarse };
            let middle = t + step / 2.0;
            let [above, below] = ln_step(s * (cut - middle));
            let [beyond, before] = if huge.is_finite() { ln_step(s * (huge - middle)) } else { NEVER };
            visit(middle, step, [below, above + before, above + beyond]);
            t += step;
        }
    }

    /// How many inner nodes a line up to this ordinate takes, about.
    pub fn inner_nodes(&self, c: f64, ordinate: f64, bits: f64) -> f64 {
        let r = if self.backward { -c } else { 1.0 + c };
        let nats = bits * LN_2 + 6.0;
        let [small, large, _] = self.log_moments_at(r);
        let (low, high) = self.factor.shape.span(r, 0.0, small.min(large) - nats);
        (high - low) / self.strip(r, ordinate, nats).1
    }
}

/// `k B (A + B)^(k-1)`, an upper bound of `(A + B)^k - A^k`, all positive.
pub fn some_of(steps: u64, small: &Enclosure, large: &Enclosure) -> Enclosure {
    let times = Enclosure::rational(&Rational::from(steps), BOUND_BITS);
    &(&times * large) * &(small + large).pow(steps.saturating_sub(1))
}

/// A sum of exponentials of any size.
#[derive(Clone, Copy)]
struct Sum {
    top: f64,
    sum: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Sum { top: f64::NEG_INFINITY, sum: 0.0 }
    }
}

impl Sum {
    fn add(&mut self, x: f64) {
        if x > self.top + 40.0 {
            *self = Sum { top: x, sum: 1.0 };
        } else if x > self.top {
            self.sum = self.sum * (self.top - x).portable_exp() + 1.0;
            self.top = x;
        } else if x > self.top - 40.0 {
            self.sum += (x - self.top).portable_exp();
        }
    }

    fn ln(self) -> f64 {
        self.top + self.sum.portable_ln()
    }
}

/// The logarithms of 0 and 1.
const NEVER: [f64; 2] = [f64::NEG_INFINITY, 0.0];

/// About `ln(erfc(x)/2)` and `ln(erfc(-x)/2)`: for searches.
fn ln_step(x: f64) -> [f64; 2] {
    if x > 6.0 {
        return [-x * x - (3.5449 * x).portable_ln(), 0.0];
    }
    if x < -6.0 {
        return [0.0, -x * x - (-3.5449 * x).portable_ln()];
    }
    let log = ln_erfc(x.abs());
    let [less, more] = [log - LN_2, (-0.5 * log.portable_exp()).portable_ln_1p()];
    if x >= 0.0 { [less, more] } else { [more, less] }
}

/// About `ln erfc(x)` for `x >= 0`, by a fit of Numerical Recipes: for searches.
fn ln_erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x);
    let coefficients = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    t.portable_ln() - x * x + coefficients.iter().rev().fold(0.0, |sum, c| sum * t + c)
}
