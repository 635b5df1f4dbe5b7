//! The Laplace mechanism on a Poisson sample.
//!
//! With `l = sensitivity/scale`, rate `p`, `q = 1 - p`, and the loss `y` of the mechanism inside,
//! `dP/dQ = w(y) = q + p e^y`. Under Q the loss inside is `l` with probability `e^(-l)/2`, `-l` with probability 1/2,
//! and has the density `e^(-(y + l)/2)/4` between. So `M(s) = K(1 + s)` with
//!
//! `K(z) = e^(-l) w(l)^z/2 + w(-l)^z/2 + (e^(-l/2)/4) int_(-l)^l e^(-y/2) w(y)^z dy`.
//!
//! **The inner rule** is Fejer's, on panels of equal length: its nodes and weights are known, and for `f` analytic and
//! at most `m` in modulus in the ellipse with foci -1 and 1 and half-axes `(rho + 1/rho)/2`, `(rho - 1/rho)/2`, n nodes
//! err by at most `8 m rho^(1-n)/(rho - 1)` on `[-1, 1]`. Indeed the coefficients of f in Chebyshev's polynomials are
//! at most `2 m rho^(-k)`; the rule is exact for polynomials of degree below n, its weights are positive with sum 2, so
//! it errs by at most 4 times the rest `sum_(k >= n) 2 m rho^(-k)`.
//!
//! In an ellipse of half-axes `d a` and `d b`, `b < 1/d`, around a panel of half-length d, with real parts between
//! `x_0` and `x_1`: `|e^(-y/2)| <= e^(-x_0/2)`, `|w| <= w(x_1)`, `|w| >= q + p e^(x_0) cos(db) >= (q + p e^(x_0))/2`
//! and `|arg w| <= db`, for `w` lies between 0 and `db` in direction and `cos 1 > 1/2`; for small rates it is far less:
//! `|arg w| <= db (p e^(x_1)/w(x_1))/cos(db)`, as along a vertical line it moves by `Re (p e^y/w)`.
//!
//! As a function on a line, each node's term is a geometric progression, as for the subsampled Gaussian. All of it is
//! proven in `proofs/paper/sampled-laplace.md`.

use std::f64::consts::{LN_2, PI};

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::super::nonuniform::{Inside, SampledLaw, Transformed};
use super::end_series::{self, End, EndSeries};
use super::sampled::{self, Sampled};
use super::two_ends::TwoEnds;
use super::{COARSE_BITS, Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour, log_ratio, positive_rate};
use crate::error::Error;
use enclosure::progression::{MAX_STEPS, Progressions};
use enclosure::special::{exp_thin, ln_thin};
use enclosure::{Budget, Complex, Enclosure, Portable, Real};

/// One draw of the mechanism; forward is (record present, record absent).
#[derive(Clone, Debug)]
pub struct PoissonLaplace {
    rate: Real,
    rest: Real,
    loss: Real,
    p: f64,
    q: f64,
    l: f64,
}

/// More nodes of the inner rule than this are refused.
const MOST_NODES: u64 = 1 << 18;
/// Nodes of one panel, at most: its weights cost the square of their number.
const MOST_IN_PANEL: f64 = 400.0;

/// Half of the abscissas of the rule of Gauss and Legendre with 8 nodes, and their weights: for the search.
pub(super) const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
];

impl PoissonLaplace {
    /// Sampling rate `0 < rate < 1`, `loss = sensitivity/scale > 0`.
    pub fn new(rate: Real, loss: Real) -> Result<Self, Error> {
        let rest = positive_rate(&rate, &loss, "sensitivity/scale")?;
        let (p, q, l) = (rate.to_f64(), rest.to_f64(), loss.to_f64());
        if !(l > 1e-12 && l < 1e4 && p > 1e-30 && q > 1e-30) {
            return Err(Error::Undecided(
                "the subsampled Laplace mechanism requires 1e-12 < sensitivity/scale < 1e4 and a rate from 1e-30 to 1 \
                 - 1e-30"
                    .into(),
            ));
        }
        Ok(PoissonLaplace { rate, rest, loss, p, q, l })
    }

    /// `ln w(y)` in doubles.
    fn log_ratio(&self, y: f64) -> f64 {
        log_ratio(self.p, self.q, y)
    }

    /// `ln w` at an end of the range, exactly.
    fn end(&self, loss: &Real) -> Option<Real> {
        self.rest.add(&self.rate.mul(&loss.exp().ok()?).ok()?).ln().ok()
    }

    fn parts(&self, bits: u32) -> Parts {
        let l = self.loss.enclosure(bits);
        let shrink = exp_thin(&-l.shift(-1), bits);
        Parts { bits, p: self.rate.enclosure(bits), q: self.rest.enclosure(bits), l, shrink }
    }

    /// Bits that exponents of power r and ordinates up to u need beyond those of the results.
    fn surplus(&self, r: f64, u: f64) -> u32 {
        let reach = self.log_ratio(self.l).abs().max(self.log_ratio(-self.l).abs()) + 1.0;
        bits_of((r.abs() + u.abs() + 1.0) * reach + self.l) + 8
    }

    /// The cheapest panels for an error of about `e^-nats K(r)` and ordinates up to `most`.
    fn rule(&self, r: f64, nats: f64, most: f64) -> Result<Rule, Error> {
        let log_moment = self.log_moment(r - 1.0);
        let mut best: Option<(f64, Rule)> = None;
        for panels in (0..12).map(|i| 1u32 << i) {
            let d = self.l / f64::from(panels);
            for i in 1..=24 {
                let rho = 1.0 + f64::from(i * i) / 40.0;
                let (a, b) = (0.5 * (rho + 1.0 / rho), 0.5 * (rho - 1.0 / rho));
                if d * b >= 0.99 {
                    break;
                }
                let modulus = |j: u32| {
                    let centre = self.l * (f64::from(2 * j + 1) / f64::from(panels) - 1.0);
                    let (low, high) = (centre - d * a, centre + d * a);
                    let power = if r >= 0.0 {
                        r * self.log_ratio(high)
                    } else {
                        r * (self.log_ratio(low) + (d * b).portable_cos().portable_ln())
                    };
                    let posterior = (high + self.p.portable_ln() - self.log_ratio(high)).portable_exp();
                    power - low / 2.0 + most * d * b * (posterior / (d * b).portable_cos()).min(1.0)
                };
                // Largest at one of the ends: it is convex in the centre, or nearly.
                let largest = modulus(0).max(modulus(panels - 1)).max(modulus(panels / 2));
                let need = nats + largest - log_moment + (2.0 * self.l).portable_ln() - self.l / 2.0;
                let nodes = ((need - (rho - 1.0).portable_ln()).max(1.0) / rho.portable_ln() + 2.0).ceil();
                if nodes.is_nan() || nodes > MOST_IN_PANEL {
                    continue;
                }
                // Weights cost the square of the number, shared by all panels.
                let cost = nodes * f64::from(panels) + nodes * nodes / 60.0;
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, Rule { panels, nodes: nodes as u32, rho }));
                }
            }
        }
        match best {
            Some((_, rule)) if u64::from(rule.panels) * u64::from(rule.nodes) <= MOST_NODES => Ok(rule),
            _ => Err(Error::Undecided("the inner rule of a subsampled Laplace mechanism needs too many nodes".into())),
        }
    }

    /// The inner rule's error for all ordinates up to `most`, rounded up.
    fn rule_error(&self, rule: &Rule, r: &Rational, most: &Enclosure) -> Result<Float, Error> {
        let refused =
            || Error::Undecided("the panels of the inner rule of a subsampled Laplace mechanism are too wide".into());
        let parts = self.parts(96 + self.surplus(r.to_f64(), most.upper().to_f64()));
        let rho = Rational::from_f64(rule.rho).ok_or_else(refused)?;
        let half = |x: Rational| parts.rational(&(x / 2u32));
        let inverse = Rational::from(rho.recip_ref());
        let (a, b) = (half(Rational::from(&rho + &inverse)), half(Rational::from(&rho - &inverse)));
        let d = &parts.l / &parts.rational(&Rational::from(rule.panels));
        let angle = &d * &b;
        // Where the cosine's bound and the logarithm's domain hold.
        if *angle.upper() >= 1 {
            return Err(refused());
        }
        let cos = Complex::cis(&angle, parts.bits).re();
        let (steep, cos) = (&angle / &cos, ln_thin(&cos, parts.bits));
        let power = parts.rational(r);
        let mut sum = Float::new(64);
        for panel in 0..rule.panels {
            let centre = &parts.l * &parts.rational(&(Rational::from((2 * panel + 1, rule.panels)) - 1u32));
            let (low, high) = (&centre - &(&d * &a), &centre + &(&d * &a));
            let log = parts.log_ratio(&high);
            let modulus = if *r >= 0 { &power * &log } else { &power * &(&parts.log_ratio(&low) + &cos) };
            let posterior = &parts.p * &exp_thin(&(&high - &log), parts.bits);
            let turned = (&steep * &posterior).min(&angle);
            let exponent = &(&modulus - &low.shift(-1)) + &(most * &turned);
            add_up(&mut sum, exp_thin(&exponent, 64).upper());
        }
        // (e^(-l/2)/4) d 8 rho^(1-n)/(rho - 1).
        let fall = parts.rational(&rho).pow(u64::from(rule.nodes.saturating_sub(1)));
        let factor = &(&(&parts.shrink * &d).shift(1) / &fall) / &parts.rational(&Rational::from(&rho - 1u32));
        Ok(Float::with_val_round(64, &sum * factor.upper(), Up).0)
    }

    /// `(weight, ln w)` of the two atoms and of all nodes of the inner rule.
    fn nodes(&self, rule: &Rule, parts: &Parts, budget: &Budget) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
        let one = Enclosure::one(parts.bits);
        let mut nodes = vec![
            (exp_thin(&-&parts.l, parts.bits).shift(-1), parts.log_ratio(&parts.l)),
            (one.shift(-1), parts.log_ratio(&-&parts.l)),
        ];
        let fejer = fejer(rule.nodes, parts.bits, budget)?;
        let scale = &(&parts.shrink * &parts.l).shift(-2) / &parts.rational(&Rational::from(rule.panels));
        for panel in 0..rule.panels {
            budget.check()?;
            let centre = parts.rational(&(Rational::from((2 * panel + 1, rule.panels)) - 1u32));
            for (x, weight) in &fejer {
                let place = &centre + &(x / &parts.rational(&Rational::from(rule.panels)));
                let y = &parts.l * &place;
                let density = &exp_thin(&-y.shift(-1), parts.bits) * &scale;
                nodes.push((&density * weight, parts.log_ratio(&y)));
            }
        }
        Ok(nodes)
    }
}

/// The parameters at one precision.
struct Parts {
    bits: u32,
    p: Enclosure,
    q: Enclosure,
    l: Enclosure,
    /// `e^(-l/2)`.
    shrink: Enclosure,
}

impl Parts {
    fn rational(&self, value: &Rational) -> Enclosure {
        Enclosure::rational(value, self.bits)
    }

    fn log_ratio(&self, y: &Enclosure) -> Enclosure {
        ln_thin(&(&self.q + &(&self.p * &exp_thin(y, self.bits))), self.bits)
    }
}

/// Panels, nodes in each, and the ellipse that bounds the error.
struct Rule {
    panels: u32,
    nodes: u32,
    rho: f64,
}

fn bits_of(x: f64) -> u32 {
    x.abs().max(1.0).portable_log2().ceil().min(1e6) as u32
}

fn add_up(sum: &mut Float, more: &Float) {
    rug::ops::AddAssignRound::add_assign_round(sum, more, Up);
}

/// Fejer's first rule on `[-1, 1]`: nodes `cos t_j`, `t_j = (2j + 1) pi/(2n)`, and weights
/// `(2/n) (1 - 2 sum_(k = 1)^(n/2) cos(2 k t_j)/(4k^2 - 1))`.
fn fejer(n: u32, bits: u32, budget: &Budget) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    let unit = &Enclosure::pi(bits) / &Enclosure::rational(&Rational::from(2 * n), bits);
    // cos(i pi/(2n)) for a quarter of the circle; the rest by symmetry.
    let quarter: Vec<Enclosure> = (0..=n).map(|i| Complex::cis(&unit.mul_u32(i), bits).re()).collect();
    let zero = Enclosure::zero(bits);
    let cosine = |i: u64| {
        let i = (i % u64::from(4 * n)) as u32;
        let i = i.min(4 * n - i);
        let at = |i: u32| quarter.get(i as usize).cloned().unwrap_or(Enclosure::whole(bits));
        match i.cmp(&n) {
            std::cmp::Ordering::Less => at(i),
            std::cmp::Ordering::Equal => zero.clone(),
            std::cmp::Ordering::Greater => -at(2 * n - i),
        }
    };
    let shares: Vec<Enclosure> = (1..=n / 2)
        .map(|k| Enclosure::rational(&Rational::from((2, 4 * u64::from(k) * u64::from(k) - 1)), bits))
        .collect();
    let mut nodes = Vec::new();
    for j in 0..u64::from(n) {
        budget.check()?;
        let mut sum = Enclosure::one(bits);
        for (k, share) in (1u64..).zip(&shares) {
            sum = &sum - &(&cosine(2 * k * (2 * j + 1)) * share);
        }
        nodes.push((cosine(2 * j + 1), (&sum / &Enclosure::rational(&Rational::from(n), bits)).shift(1)));
    }
    Ok(nodes)
}

impl Factor for PoissonLaplace {
    fn name(&self) -> String {
        format!("Poisson-subsampled Laplace (rate {}, sensitivity/scale {})", self.rate, self.loss)
    }

    fn range(&self) -> (LossBound, LossBound) {
        (self.end(&self.loss.neg()).into(), self.end(&self.loss).into())
    }

    fn log_moment(&self, c: f64) -> f64 {
        let (r, l) = (1.0 + c, self.l);
        // Panels on which the integrand changes by a moderate factor.
        let change =
            2.0 * l * (0.5 + r.abs() * (self.p / (self.p + self.q * (-l).portable_exp())).max(self.p).min(1.0));
        let panels = (change / 6.0).ceil().max((l / 2.0).ceil()).clamp(1.0, 400.0);
        let mut logs = vec![r * self.log_ratio(l) - l - LN_2, r * self.log_ratio(-l) - LN_2];
        let d = l / panels;
        for panel in 0..panels as u32 {
            let centre = -l + d * f64::from(2 * panel + 1);
            for (x, weight) in GAUSS {
                for y in [centre - d * x, centre + d * x] {
                    logs.push(r * self.log_ratio(y) - y / 2.0 - l / 2.0 + (d * weight / 4.0).portable_ln());
                }
            }
        }
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + logs.iter().map(|log| (log - top).portable_exp()).sum::<f64>().portable_ln()
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let r = Rational::from(c + 1u32);
        if r.is_zero() || r == 1 {
            return Ok(Enclosure::one(bits));
        }
        let size = r.to_f64();
        let rule = self.rule(size, f64::from(bits) * LN_2 + 4.0, 0.0)?;
        let work = bits.saturating_add(24);
        let parts = self.parts(work.saturating_add(self.surplus(size, 0.0)));
        let power = parts.rational(&r);
        let mut sum = Enclosure::zero(work);
        for (weight, log) in self.nodes(&rule, &parts, budget)? {
            sum = &sum + &(&weight * &exp_thin(&(&power * &log), work)).with_bits(work);
        }
        let error = self.rule_error(&rule, &r, &Enclosure::zero(64))?;
        Ok(sum.widen(&error).with_bits(bits))
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values::new(self, line, bits, budget)?))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let values = Values::new(self, line, sampled::BITS, budget)?;
        let moment = self.moment(line.tilt(), 64, budget)?;
        let far = self.two_ends(line, &moment);
        let near = Sampled::up_to(far.front().clamp(FEWEST, MOST_VALUES), values, moment);
        Ok(Box::new(Fall { far, near }))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let moment = self.moment(line.tilt(), COARSE_BITS, budget)?;
        let law = SampledLaw::new(&self.rate, (&self.loss, Inside::Laplace), &moment);
        Ok(law.map(|law| Box::new(Transformed::new(law, line)) as Box<dyn FixedMoments>))
    }
}

/// The values along a line.
struct Values<'a> {
    factor: &'a PoissonLaplace,
    line: VerticalContour,
    bits: u32,
    r: Rational,
    log_moment: f64,
    sheet: Option<Sheet>,
    /// Far out, once that is asked for.
    series: Option<EndSeries>,
}

/// Progressions from one outer node on.
struct Sheet {
    at: u64,
    /// The inner rule serves outer nodes up to this one.
    last: u64,
    terms: Progressions,
    error: Float,
}

impl<'a> Values<'a> {
    fn new(factor: &'a PoissonLaplace, line: &VerticalContour, bits: u32, _budget: &Budget) -> Result<Self, Error> {
        let log_moment = factor.log_moment(line.tilt().to_f64());
        if log_moment.is_nan() || log_moment.abs() >= 7e8 {
            return Err(Error::Undecided("a moment exceeds the exponent range of the arithmetic".into()));
        }
        let r = Rational::from(line.tilt() + 1u32);
        Ok(Values { factor, line: line.clone(), bits, r, log_moment, sheet: None, series: None })
    }

    /// The series of the ends, if the phase turns by so much between them that it may serve.
    fn series(&mut self, k: u64) -> Option<&mut EndSeries> {
        let factor = self.factor;
        let turned = (factor.log_ratio(factor.l) - factor.log_ratio(-factor.l)) * self.line.ordinates().at(k);
        if turned < LITTLE_TURNED {
            return None;
        }
        if self.series.is_none() {
            let unit = (self.log_moment / LN_2 - f64::from(self.bits)) as i32 - 4;
            let r = self.r.to_f64();
            let ends = factor.ends(&self.r, self.bits.saturating_add(factor.surplus(r, 0.0) + end_series::EXTRA));
            self.series = Some(EndSeries::new(&self.line, &self.r, ends, (unit, self.bits)));
        }
        self.series.as_mut()
    }

    fn sheet(&self, first: u64, count: u64, budget: &Budget) -> Result<Sheet, Error> {
        let ahead = count.max(first).clamp(256, u64::from(MAX_STEPS / 2));
        let last = first.saturating_add(ahead);
        let most = 2.0 * PI / self.line.period().to_f64() * last as f64;
        let r = self.r.to_f64();
        let rule = self.factor.rule(r, f64::from(self.bits) * LN_2 + 4.0, most)?;
        let count = f64::from(rule.panels) * f64::from(rule.nodes) + 2.0;
        let guard = 5 + bits_of(count) + bits_of(ahead as f64);
        let unit = (self.log_moment / LN_2 - f64::from(self.bits) - f64::from(guard)) as i32;
        let work = self.bits.saturating_add(guard + 8);
        let parts = self.factor.parts(work.saturating_add(self.factor.surplus(r, most)));
        let power = parts.rational(&self.r);
        let (start, each) = (self.line.ordinate(first, parts.bits), self.line.ordinate(1, parts.bits));
        let mut terms = Progressions::turning(unit, work);
        let mut error = self.factor.rule_error(&rule, &self.r, &self.line.ordinate(last, 64))?;
        let threshold = Float::with_val(64, 1u32) << unit;
        for (place, (weight, log)) in self.factor.nodes(&rule, &parts, budget)?.into_iter().enumerate() {
            if place % 64 == 0 {
                budget.check()?;
            }
            let modulus = (&weight * &exp_thin(&(&power * &log), work)).with_bits(work);
            if *modulus.upper() < threshold {
                add_up(&mut error, modulus.upper());
                continue;
            }
            let value = &Complex::real(&modulus, work) * &Complex::cis(&(&start * &log), work);
            if !terms.push(&value, &Complex::cis(&(&each * &log), work)) {
                return Err(Error::Undecided(
                    "the inner nodes of a subsampled Laplace mechanism lost their precision".into(),
                ));
            }
        }
        Ok(Sheet { at: first, last, terms, error })
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
            if let Some(series) = self.series(k)
                && series.serves(k)
            {
                values.push(series.value(k));
                continue;
            }
            let usable = self.sheet.as_ref().is_some_and(|sheet| {
                sheet.at <= k && k <= sheet.last && k - sheet.at <= u64::from(sheet.terms.left()).min(GAP)
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

/// Progressions go on over gaps of so many nodes, which costs less than to begin them anew.
const GAP: u64 = 1 << 9;
/// The series of the ends needs more than so many radians between them.
const LITTLE_TURNED: f64 = 30.0;
/// Nodes in front at which the values themselves are the bounds: at least, and at most.
const FEWEST: u64 = 1 << 8;
const MOST_VALUES: u64 = 1 << 13;

impl PoissonLaplace {
    /// The lower and the upper end of the law under Q, tilted to `w^r`.
    fn ends(&self, r: &Rational, bits: u32) -> [End; 2] {
        let parts = self.parts(bits);
        let power = parts.rational(r);
        let odds = &parts.q / &parts.p;
        [-&parts.l, parts.l.clone()].map(|y| {
            let loss = parts.log_ratio(&y);
            let steep = (-&y).exp();
            // The mass is `e^(-(l + y)/2)/2`, the density of y `e^(-(l + y)/2)/4`, and `dy/dl = w e^-y/p`.
            let atom = &(&power * &loss).exp() * &(&parts.shrink * &(-y.shift(-1)).exp()).shift(-1);
            let density = &(&(&atom * &loss.exp()) * &steep).shift(-1) / &parts.p;
            End { atom, density, theta: &odds * &steep, loss }
        })
    }

    /// What is known far out. In `l = ln w` the density is a constant times `w^r g(l)`, `g = w e^(-3y/2)/p`, whose
    /// logarithm is convex: its variation is at most the sum of the values at both ends, and B twice that sum.
    fn two_ends(&self, line: &VerticalContour, moment: &Enclosure) -> TwoEnds {
        let r = Rational::from(line.tilt() + 1u32);
        let [low, high] = self.ends(&r, 64 + self.surplus(r.to_f64(), 0.0));
        let variation = (&low.density + &high.density).shift(1).with_bits(64);
        let [least, largest] = [self.loss.neg(), self.loss.clone()].map(|loss| self.end(&loss));
        let distance = least.zip(largest).map(|(least, largest)| largest.sub(&least));
        let atoms = [low.atom.with_bits(64), high.atom.with_bits(64)];
        TwoEnds::new(line, distance.as_ref(), [&atoms[0], &atoms[1]], moment, &variation)
    }
}

/// The values in front, the two atoms behind, see [`PoissonLaplace::two_ends`].
struct Fall<'a> {
    far: TwoEnds,
    near: Sampled<Values<'a>>,
}

impl Decay for Fall<'_> {
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        self.near.log_bound(from, to, budget, |k| Ok(self.far.log_bound(k, to)))
    }

    fn falling(&self, from: u64, _budget: &Budget) -> Result<f64, Error> {
        Ok(self.far.falling(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(rate, sensitivity/scale, tilt, period, k, re, im)`, from panels of Gauss and Legendre's rule at 110 digits.
    type Row = (&'static str, &'static str, &'static str, &'static str, u64, &'static str, &'static str);
    const VALUES: &[Row] = &[
        ("0.01", "1", "6.5", "25", 0, "1.002129980653112770406449107354265211783", "0.0"),
        (
            "0.01",
            "1",
            "6.5",
            "25",
            3,
            "1.002103890077181230380440773682939667637",
            "0.0004668131267942886751843576092638898197623",
        ),
        (
            "0.01",
            "1",
            "6.5",
            "25",
            157,
            "0.9326445101765330055963411053853564067529",
            "0.0144947539809791746201808207003388399715",
        ),
        (
            "0.3",
            "2",
            "-4.25",
            "12",
            1,
            "2.008423650862836423796391532290356690159",
            "-0.2806704434501543429811844566566649235183",
        ),
        (
            "0.3",
            "2",
            "-4.25",
            "12",
            90,
            "0.1709554562947829219349559980321774680939",
            "-1.42214495639670202496583335367813768978",
        ),
        (
            "1e-9",
            "0.001",
            "3",
            "1",
            2,
            "0.9999999999999999999999270674655032231754",
            "4.396764737645051647328218562083352032528e-23",
        ),
        (
            "1e-9",
            "0.001",
            "3",
            "1",
            9,
            "0.9999999999999999999984076546475748906958",
            "1.978544131939986857794643949954896525089e-22",
        ),
        ("0.999", "6", "0.5", "20", 0, "15.04189686512719867373952554524266138848", "0.0"),
        (
            "0.999",
            "6",
            "0.5",
            "20",
            5,
            "-11.47023404754308082768862489653312425453",
            "2.289292423278822887270475537735690137493",
        ),
        (
            "0.5",
            "20",
            "1",
            "80",
            40,
            "-43179203.06521303521406858267457717368092",
            "-48420220.82002612920831208666286836902456",
        ),
        (
            "0.1",
            "0.05",
            "150",
            "10",
            3,
            "1.29518381619822511216372871406289112242",
            "0.007783195494906239011479492881043857154555",
        ),
    ];

    fn real(text: &str) -> Real {
        Real::parse(text).unwrap()
    }

    /// The decimal and its neighbours one unit in the 38th place.
    fn printed(text: &str) -> Enclosure {
        let value = real(text).enclosure(200);
        let unit = value.abs().upper().clone() * Float::with_val(200, 1e-38);
        value.widen(&unit)
    }

    #[test]
    fn values_and_bounds_on_lines() {
        let budget = Budget::default();
        for &(rate, loss, tilt, period, k, re, im) in VALUES {
            let factor = PoissonLaplace::new(real(rate), real(loss)).unwrap();
            let line = VerticalContour::new(real(tilt).as_rational().unwrap().clone(), real(period));
            let moment = factor.moment(line.tilt(), 200, &budget).unwrap();
            assert!(moment.relative_bits().unwrap() > 190, "{rate} {loss} {tilt}: {moment:?}");
            let searched = factor.log_moment(line.tilt().to_f64());
            let searched = Float::with_val(64, searched);
            let near = Enclosure::new(searched.clone(), searched.clone()).widen(&(searched.abs() * 1e-6 + 1e-7));
            assert!(near.overlaps(&moment.ln()), "{rate} {loss} {tilt}: {near:?}");
            let decay = factor.decay(&line, &budget).unwrap();
            for bits in [60, 150, 350] {
                let direct = factor.on(&line, bits, &budget).unwrap().run(k, 1, &budget).unwrap();
                let list = factor.on(&line, bits, &budget).unwrap().run(0, k as usize + 1, &budget).unwrap();
                for value in [&direct[0], &list[k as usize]] {
                    assert!(value.re().overlaps(&printed(re)), "{rate} {loss} {tilt} {k} {bits}: {value:?}");
                    assert!(value.im().overlaps(&printed(im)), "{rate} {loss} {tilt} {k} {bits}: {value:?}");
                    let narrow = Float::with_val(64, moment.lower() * 4u32) >> bits;
                    assert!(value.radius() <= narrow, "{rate} {loss} {tilt} {k} {bits}: {value:?}");
                }
                assert!(list[0].re().overlaps(&moment));
                for (j, value) in (0u64..).zip(&list) {
                    let least = Float::with_val(400, value.centre().0.hypot_ref(value.centre().1)) - value.radius();
                    let size = (Enclosure::new(least.clone(), least) / &moment).positive_part().ln();
                    for (from, to) in [(j, j), (j / 2, j), (j, u64::MAX), (j / 3, u64::MAX)] {
                        assert!(
                            *size.lower() <= decay.log_bound(from, to, &budget).unwrap(),
                            "{rate} {loss} {tilt} {j}"
                        );
                    }
                    let far = factor.two_ends(&line, &moment);
                    for bound in [far.log_bound(j, j), far.log_bound(j / 2, j), far.falling(j)] {
                        assert!(*size.lower() <= bound, "{rate} {loss} {tilt} {j}");
                    }
                }
            }
        }
    }

    /// The series of the ends against the inner rule at more bits: near where it begins to serve and far from it, in a
    /// run and alone. What it leaves out is a good part of its radius, which it would not meet otherwise.
    #[test]
    fn the_series_of_the_ends() {
        let budget = Budget::default();
        for (rate, loss, tilt, period) in [
            ("0.0512", "0.77", "17.5", "30"),
            ("0.3", "1", "-4.25", "2"),
            ("0.9", "0.3", "-0.5", "1"),
            ("1e-6", "0.5", "3", "1e-5"),
            ("0.001", "2", "90", "1e-2"),
        ] {
            let factor = PoissonLaplace::new(real(rate), real(loss)).unwrap();
            let line = VerticalContour::new(real(tilt).as_rational().unwrap().clone(), real(period));
            let moment = factor.moment(line.tilt(), 64, &budget).unwrap();
            for bits in [40, 64, 90] {
                let mut values = Values::new(&factor, &line, bits, &budget).unwrap();
                let from = (0..).map(|i| 1u64 << i).find(|k| values.series(*k).is_some_and(|series| series.serves(*k)));
                let from = from.unwrap();
                let first =
                    (from / 2..=from).find(|k| values.series(*k).is_some_and(|series| series.serves(*k))).unwrap();
                let rule = Values::new(&factor, &line, bits + 60, &budget).unwrap();
                let mut closest: f64 = 0.0;
                for (k, count) in [(first, 200), (3 * first, 1), (3 * first + 5, 40)] {
                    let found = values.run(k, count, &budget).unwrap();
                    let mut sheet = rule.sheet(k, count as u64, &budget).unwrap();
                    for value in found {
                        let truth = sheet.terms.value(bits + 60, &sheet.error);
                        let apart = (&value - &truth).centre().0.clone().hypot((&value - &truth).centre().1).to_f64();
                        let (radius, own) = (value.radius().to_f64(), truth.radius().to_f64());
                        assert!(apart <= radius + own, "{rate} {loss} {bits} {k}: {apart} {radius}");
                        assert!(
                            radius <= moment.lower().to_f64() * 2.0 * 0.5f64.powi(bits as i32),
                            "{rate} {bits} {k}"
                        );
                        closest = closest.max(apart / radius);
                        sheet.terms.advance();
                    }
                }
                assert!(closest > 1e-3, "{rate} {loss} {bits}: {closest}");
            }
        }
    }

    /// Far out only the atoms are left, and they are not everything.
    #[test]
    fn falls_to_the_atoms() {
        let budget = Budget::default();
        let factor = PoissonLaplace::new(real("0.25"), real("2")).unwrap();
        let line = VerticalContour::new(Rational::from(1), real("1"));
        let decay = factor.decay(&line, &budget).unwrap();
        let far = decay.log_bound(1_000_000_000, u64::MAX, &budget).unwrap();
        assert!(far < -0.3 && far > -1.0, "{far}");
        assert!(decay.log_bound(100, u64::MAX, &budget).unwrap() < -0.2);
    }
}
