//! Discrete Gaussian noise on a Poisson sample: `(1-r) Q + r P` against Q, `P = N_Z(0, s)`, `Q = N_Z(D, s)`.
//!
//! With `m = D - j` of the outcome j, Q has the mass `q_m = e^(-m^2/(2s))/theta` and `P/Q = e^a`,
//! `a_m = D (2m - D)/(2s)`: the loss is `l_m = ln W_m`, `W_m = 1 - r + r e^(a_m)`, and
//!
//! `M(z) = sum_m q_m W_m^(1+z)`, entire.
//!
//! The sum is taken over as many m as matter on the line, the rest is bounded. With `e = 1 + c`:
//!
//! * right, from `m = n` on: W rises by at most as much as `e^a`, `W_m <= W_n e^(a_m - a_n)`, and for `e <= 0` its
//!   power falls, so that the first term is `e^(-n^2/(2s)) W_n^e/theta` and from one to the next they fall at least by
//!   the factor `e^(-(2m+1)/(2s) + max(e, 0) D/s)`, itself falling: the rest is at most its first term over one minus
//!   the first factor;
//! * left, from `m = -n <= 0` on: for `e >= 0`, `W_m^e <= W_(-n)^e`, else `W_m^e <= (1-r)^e`: the first term is at most
//!   `e^(-n^2/(2s))` times that over theta, and the others fall by `e^(-(2n+1)/(2s))` at least.
//!
//! On the line `|W^(1+z)| = W^e`, so the bound holds for each node. `theta >= 1` is its own sum, with the same rest.
//!
//! Of the outcomes *below* some m alone it is a measure of less than one; both distributions' masses of the others are
//! then masses at infinity.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use rug::Rational;
use rug::float::Round::Up;

use super::atoms::{FIXED_BITS, Values, pairs};
use super::fixed_values::FixedValues;
use super::listed_decay::ListedDecay;
use super::{Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour, coarse_list, positive_rate};
use crate::compose::quadrature::wide::{Listed, WideMoments};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Number, Portable, Real, work};

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// Precision of weights in integers of 128 bits.
const WIDE_BITS: u32 = 144;
/// More terms than this take too long at each node.
const MOST_TERMS: i64 = 4096;
/// Every so many outcomes somebody looks at the time.
const LOOKS: usize = 64;
/// Terms on either side in a search, in standard deviations.
const DEVIATIONS: f64 = 40.0;

/// One sample of one discrete Gaussian.
pub struct PoissonDiscreteGaussian {
    rate: Real,
    rest: Real,
    sigma2: Rational,
    sensitivity: u64,
    /// All of it in doubles, for searches: variance, sensitivity, rate.
    about: [f64; 3],
    /// About the logarithm of the masses' sum.
    log_theta: OnceLock<f64>,
    /// No outcome from here on.
    end: Option<i64>,
}

/// The terms that matter on a line.
struct Terms {
    first: i64,
    last: i64,
    /// `q_m W_m^e`, listed.
    weights: Vec<Enclosure>,
    /// At least all others together.
    left_out: Enclosure,
}

impl PoissonDiscreteGaussian {
    /// For `0 < rate < 1`.
    ///
    /// # Errors
    /// [`Error::Input`] for other rates, [`Error::Undecided`] for one whose place is not found.
    pub fn new(rate: Real, sigma2: Rational, sensitivity: u64) -> Result<Self, Error> {
        let rest = positive_rate(&rate, &Real::from(sigma2.clone()), "sigma2")?;
        let about = [sigma2.to_f64(), sensitivity as f64, rate.to_f64()];
        let log_theta = OnceLock::new();
        Ok(PoissonDiscreteGaussian { rate, rest, sigma2, sensitivity, about, log_theta, end: None })
    }

    /// Of the outcomes below this one alone, which is positive.
    #[must_use]
    pub fn before(&self, end: i64) -> Self {
        let end = end.max(1);
        let (rate, rest, sigma2) = (self.rate.clone(), self.rest.clone(), self.sigma2.clone());
        let log_theta = self.log_theta.clone();
        let (sensitivity, about) = (self.sensitivity, self.about);
        PoissonDiscreteGaussian { rate, rest, sigma2, sensitivity, about, log_theta, end: Some(end) }
    }

    /// The masses `q_m W_m^e` of these outcomes: under the sample for `e = 1`, under the noise alone for `e = 0`.
    ///
    /// # Errors
    /// [`Error::Undecided`] where the masses' sum is out of reach.
    pub fn masses(&self, outcomes: RangeInclusive<i64>, e: u32, bits: u32) -> Result<Vec<Enclosure>, Error> {
        let wide = bits.saturating_add(16);
        let theta = self.theta(wide)?;
        let mass = |m: i64| &(&self.bell(m, wide) * &self.ratio(m, wide).pow(e.into())) / &theta;
        Ok(outcomes.map(|m| mass(m).with_bits(bits)).collect())
    }

    /// At least the mass of all outcomes from `m >= 0` on under the sample; `None` where that is not known.
    #[must_use]
    pub fn mass_from(&self, m: i64) -> Option<Enclosure> {
        self.right(m, &Enclosure::one(BOUND_BITS))
    }

    /// The mass of all outcomes from this one on, with `W^e`.
    fn mass_beyond(&self, end: i64, e: u32, bits: u32) -> Result<Enclosure, Error> {
        let e_enclosed = Enclosure::integer(&e.into(), BOUND_BITS);
        let least = self.sketch(end as f64, e.into()) - f64::from(bits.saturating_add(8)) * std::f64::consts::LN_2;
        let mut last = end.max(self.ends(e.into(), 8).1);
        while self.sketch(last as f64, e.into()) > least && last - end < MOST_TERMS {
            last += 1;
        }
        let sum = self.masses(end..=last, e, bits)?.iter().fold(Enclosure::zero(bits), |sum, mass| &sum + mass);
        let rest = self.right(last + 1, &e_enclosed);
        let rest = rest.ok_or_else(|| Error::undecided("the masses of a discrete Gaussian do not fall fast enough"))?;
        Ok(sum.hull(&(&sum + &rest)))
    }

    /// About the standard deviation of the noise.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.about[0].sqrt()
    }

    /// About the loss of an outcome, and the logarithm of its mass under the sample.
    #[must_use]
    pub fn sketched(&self, m: i64) -> (f64, f64) {
        let [of_noise, of_sample] = [0.0, 1.0].map(|e| self.sketch(m as f64, e));
        (of_sample - of_noise, of_sample - self.log_theta())
    }

    /// `a_m`.
    fn inner_loss(&self, m: i64) -> Rational {
        let d = Rational::from(self.sensitivity);
        let place = Rational::from(m) * 2u32 - &d;
        place * d / (Rational::from(2) * &self.sigma2)
    }

    /// `l_m`, exactly.
    ///
    /// # Errors
    /// Those of logarithms.
    pub fn loss(&self, m: i64) -> Result<Real, Error> {
        self.rest.add(&self.rate.mul(&Real::from(self.inner_loss(m)).exp()?)?).ln()
    }

    /// `W_m`.
    fn ratio(&self, m: i64, bits: u32) -> Enclosure {
        let a = Enclosure::rational(&self.inner_loss(m), bits.saturating_add(32));
        (&self.rest.enclosure(bits) + &(&self.rate.enclosure(bits) * &a.exp().with_bits(bits))).with_bits(bits)
    }

    /// `e^(-m^2/(2s))`.
    fn bell(&self, m: i64, bits: u32) -> Enclosure {
        let square = Rational::from(m) * Rational::from(m);
        (-Enclosure::rational(&(square / (Rational::from(2) * &self.sigma2)), bits.saturating_add(32)))
            .exp()
            .with_bits(bits)
    }

    /// About `ln (e^(-m^2/(2s)) W_m^e)`.
    fn sketch(&self, m: f64, e: f64) -> f64 {
        let [s, d, r] = self.about;
        work::spend(50);
        let a = d * (2.0 * m - d) / (2.0 * s);
        let loss = if a > 30.0 {
            a + (r + (1.0 - r) * (-a).portable_exp()).portable_ln()
        } else {
            (r * a.portable_exp_m1()).portable_ln_1p()
        };
        -m * m / (2.0 * s) + e * loss
    }

    /// The mass at infinity, with `W^e`.
    fn beyond(&self, e: u32, bits: u32) -> Number {
        let Some(end) = self.end else { return Number::zero() };
        Number::Enclosed(self.mass_beyond(end, e, bits).unwrap_or_else(|_| Enclosure::whole(bits)))
    }

    /// About the logarithm of the sum of `e^(-m^2/(2s)) W_m^e` up to this m: of a smooth sum, some hundred terms tell
    /// enough.
    fn log_sum(&self, e: f64, last: f64) -> f64 {
        let [s, d, _] = self.about;
        let side = DEVIATIONS * s.sqrt() + 2.0;
        // Where there is a last one it is among them.
        let low = if last.is_finite() { -side.ceil() } else { -side };
        let high = (e.max(0.0) * d + d + side).min(last);
        let step = ((high - low) / 800.0).max(1.0).floor();
        let count = ((high - low) / step) as i64;
        let logs: Vec<f64> = (0..=count).map(|i| self.sketch((low + i as f64 * step).round(), e)).collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + logs.iter().map(|log| (log - top).portable_exp()).sum::<f64>().portable_ln() + step.portable_ln()
    }

    fn log_theta(&self) -> f64 {
        *self.log_theta.get_or_init(|| self.log_sum(0.0, f64::INFINITY))
    }

    /// What is left of the sum right of `n`, from `n` on: at most this.
    fn right(&self, n: i64, e: &Enclosure) -> Option<Enclosure> {
        let s = Enclosure::rational(&self.sigma2, BOUND_BITS);
        let first = &self.bell(n, BOUND_BITS) * &self.power(n, e);
        let fall = Enclosure::rational(&Rational::from((2 * n + 1, 2)), BOUND_BITS);
        let rise = &e.positive_part() * &Enclosure::rational(&self.sensitivity.into(), BOUND_BITS);
        geometric(&first, &(&(&rise - &fall) / &s))
    }

    /// The same of the left, from `-n` on.
    fn left(&self, n: i64, e: &Enclosure) -> Option<Enclosure> {
        let s = Enclosure::rational(&self.sigma2, BOUND_BITS);
        let most = if *e.lower() >= 0 {
            self.power(-n, e)
        } else {
            (&-&self.rest.enclosure(BOUND_BITS).ln() * &(-e).positive_part()).exp()
        };
        let fall = &-Enclosure::rational(&Rational::from((2 * n + 1, 2)), BOUND_BITS) / &s;
        geometric(&(&self.bell(n, BOUND_BITS) * &most), &fall)
    }

    /// `W_m^e`.
    fn power(&self, m: i64, e: &Enclosure) -> Enclosure {
        (e * &self.ratio(m, BOUND_BITS + 32).ln()).exp().with_bits(BOUND_BITS)
    }

    /// The least and the largest m that matter to `bits` bits at this power, by doubles; of outcomes before an end none
    /// from it on is looked at, but for the masses' sum, at the power 0.
    fn ends(&self, e: f64, bits: u32) -> (i64, i64) {
        let (s, d) = (self.sigma2.to_f64(), self.sensitivity as f64);
        // The masses' sum is that of all of them.
        let end = self.end.filter(|_| e != 0.0).map_or(f64::INFINITY, |end| end as f64);
        let farthest = (end - 1.0).min(e.max(0.0) * d);
        let peak = (0..=64).map(|i| self.sketch(farthest * f64::from(i) / 64.0, e)).fold(f64::MIN, f64::max);
        let floor = peak - f64::from(bits) * std::f64::consts::LN_2;
        let step = (s.sqrt() / 8.0).max(1.0).floor();
        let mut right = (e.max(0.0) * d).max(d / 2.0).ceil() + 1.0;
        // Beyond the end there is nothing, however large it would be.
        while self.sketch(right, e) > floor && right < end.min(1e9) {
            right += step;
        }
        // On the left what counts is the bound of what is left out.
        let most = e.min(0.0) * (-self.rate.to_f64()).portable_ln_1p();
        let bound = |m: f64| (-m * m / (2.0 * s) + most).max(self.sketch(m, e));
        let mut left = -1.0;
        while bound(left) > floor && left > -1e9 {
            left -= step;
        }
        (left as i64, right as i64)
    }

    /// The terms at `e = 1 + c`, to about `bits` bits.
    fn terms(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Terms, Error> {
        let e = Rational::from(c + 1u32);
        let (first, last) = self.ends(e.to_f64(), bits.saturating_add(8));
        // Nothing is left out on the right where all that there is is listed.
        let (last, ends) = match self.end {
            Some(end) if end <= last => (end - 1, true),
            _ => (last, false),
        };
        let first = first.min(last);
        if last.saturating_sub(first) >= MOST_TERMS {
            return Err(Error::undecided(format!(
                "a discrete Gaussian on a sample has more than {MOST_TERMS} masses that contribute"
            )));
        }
        let wide = bits.saturating_add(16);
        let power = Enclosure::rational(&e, wide.saturating_add(64));
        let weigh = |m: i64| &self.bell(m, wide) * &(&power * &self.ratio(m, wide.saturating_add(64)).ln()).exp();
        let nothing = || Error::undecided("the masses of a discrete Gaussian on a sample do not fall fast enough");
        let bounds = |e: &Enclosure| {
            let left = self.left(1 - first, e)?;
            Some(if ends { left } else { &left + &self.right(last + 1, e)? })
        };
        let theta = self.theta(wide)?;
        let left_out = bounds(&power.with_bits(BOUND_BITS)).ok_or_else(nothing)?;
        let weights = looking(first..=last, budget, |m| Ok((&weigh(m) / &theta).with_bits(bits)))?;
        Ok(Terms { first, last, weights, left_out })
    }

    /// `theta`.
    fn theta(&self, bits: u32) -> Result<Enclosure, Error> {
        let (first, last) = self.ends(0.0, bits.saturating_add(8));
        let sum = (first..=last).fold(Enclosure::zero(bits), |sum, m| &sum + &self.bell(m, bits));
        let none = Enclosure::zero(BOUND_BITS);
        let (Some(left), Some(right)) = (self.left(1 - first, &none), self.right(last + 1, &none)) else {
            return Err(Error::undecided("the masses of a discrete Gaussian do not fall fast enough"));
        };
        Ok(sum.hull(&(&(&sum + &left) + &right)))
    }
}

/// Something of each outcome, with a look at the time now and then.
fn looking<T>(
    outcomes: RangeInclusive<i64>,
    budget: &Budget,
    of: impl Fn(i64) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let each = outcomes.enumerate().map(|(i, m)| {
        if i % LOOKS == 0 {
            budget.check()?;
        }
        of(m)
    });
    each.collect()
}

/// `first (1 + x + x^2 + ...)` at least, for a factor `x = e^fall` below 1.
fn geometric(first: &Enclosure, fall: &Enclosure) -> Option<Enclosure> {
    let rest = -fall.expm1();
    (*rest.lower() > 0).then(|| first / &rest)
}

impl Factor for PoissonDiscreteGaussian {
    fn name(&self) -> String {
        "discrete Gaussian on a Poisson sample".into()
    }

    fn range(&self) -> (LossBound, LossBound) {
        // ln(1-r) is approached, never reached.
        let bound = |loss: Result<Real, Error>| loss.map_or(LossBound::Unknown, LossBound::At);
        let largest = self.end.map_or(LossBound::Unbounded, |end| bound(self.loss(end - 1)));
        (bound(self.rest.ln()), largest)
    }

    fn infinite_p(&self, bits: u32) -> Number {
        self.beyond(1, bits)
    }

    fn infinite_q(&self, bits: u32) -> Number {
        self.beyond(0, bits)
    }

    fn log_moment(&self, c: f64) -> f64 {
        let end = self.end.map_or(f64::INFINITY, |end| (end - 1) as f64);
        self.log_sum(c + 1.0, end) - self.log_theta()
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let Terms { weights, left_out, .. } = self.terms(c, bits, budget)?;
        let sum = weights.iter().fold(Enclosure::zero(bits), |sum, weight| &sum + weight);
        Ok(sum.hull(&(&sum + &left_out)))
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), bits, budget)?;
        let losses = looking(first..=last, budget, |m| self.loss(m))?;
        let values = Values::new(line, &losses, &weights, bits);
        Ok(Box::new(Truncated { values, left_out }))
    }

    fn fixed(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), FIXED_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        // Values are parts of all of the moment: the terms listed are enlarged by no more than is left out.
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = looking(first..=last, budget, |m| Ok(line.turns(&self.loss(m)?)))?;
        let values = FixedValues::new(turns.into_iter(), &weights, (&total, left_out));
        Ok(values.map(|values| Box::new(values) as Box<dyn FixedMoments>))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), FIXED_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = looking(first..=last, budget, |m| Ok(line.turns(&self.loss(m)?)))?;
        Ok(coarse_list(line, turns, &weights, (&total, left_out)))
    }

    fn wide(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), WIDE_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(WIDE_BITS), |sum, weight| &sum + weight);
        // As in `fixed`.
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = looking(first..=last, budget, |m| Ok(line.turns(&self.loss(m)?)))?;
        let values = Listed::new(turns.into_iter(), &weights, (&total, left_out));
        Ok(values.map(|values| Box::new(values) as Box<dyn WideMoments>))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let Terms { first, weights, left_out, .. } = self.terms(line.tilt(), BOUND_BITS, budget)?;
        let total = weights.iter().fold(left_out, |sum, weight| &sum + weight);
        let loss = |index: usize| self.loss(first + index as i64);
        Ok(Box::new(pairs(line, &weights, &total, loss)?))
    }

    fn close_decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let Terms { first, weights, left_out, .. } = self.terms(line.tilt(), BOUND_BITS, budget)?;
        let sum = weights.iter().fold(Enclosure::zero(BOUND_BITS), |sum, weight| &sum + weight);
        let total = sum.hull(&(&sum + &left_out));
        match ListedDecay::new(line, &weights, &total, |index| self.loss(first + index as i64))? {
            Some(listed) => Ok(Box::new(listed)),
            None => self.decay(line, budget),
        }
    }
}

/// The sum over the terms that are listed, and what the others may add.
struct Truncated {
    values: Values,
    left_out: Enclosure,
}

impl Moments for Truncated {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let sums = self.values.run(first, count, budget)?;
        Ok(sums.into_iter().map(|sum| sum.widen(self.left_out.upper())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of noise that is wider than what can be counted there are too many masses, and no overflow.
    #[test]
    fn noise_wider_than_all_that_is_counted() {
        let sigma2 = Rational::from(1) << 1000u32;
        let factor = PoissonDiscreteGaussian::new(Real::from(Rational::from((1, 4))), sigma2, 1).expect("a factor");
        assert!(factor.terms(&Rational::from(1), 64, &Budget::default()).is_err());
    }

    /// Far from the axis, where the aliases are bounded, a moment is known as well as near it; of some outcomes alone,
    /// too.
    #[test]
    fn moments_are_known_at_any_tilt() {
        let rate: Real = "0.015".parse().expect("a number");
        let whole = PoissonDiscreteGaussian::new(rate, Rational::from((57, 10)), 1).expect("a factor");
        let few = [1, 2, 9, 32, 33].map(|end| whole.before(end));
        // Nobody walks to where the power is largest, beyond the end.
        assert_eq!(few[2].ends(1e8, 64).1, 100_000_001);
        // The masses' sum is as narrow as that of all.
        assert!(few[2].theta(80).expect("a sum").relative_bits() > Some(70));
        for factor in std::iter::once(&whole).chain(&few) {
            for tilt in [-3000, -768, -100, -10, -1, 0, 1, 10, 100, 768, 3000] {
                let moment = factor.moment(&Rational::from(tilt), 64, &Budget::default()).expect("a moment");
                let about = moment.ln().upper().to_f64();
                let bits = moment.relative_bits();
                assert!(bits > Some(40), "{:?} {tilt}: {moment:?} {about}", factor.end);
                let sketch = factor.log_moment(f64::from(tilt));
                let end = factor.end;
                assert!((about - sketch).abs() < 1e-6 * sketch.abs().max(1.0), "{end:?} {tilt}: {about} {sketch}");
            }
        }
    }

    /// The outcomes before some one, and what is then a mass at infinity of either distribution, are all of it; the
    /// moments are sums of them.
    #[test]
    fn outcomes_before_an_end() {
        let budget = Budget::default();
        let rate = Real::from(Rational::from((1, 7)));
        let whole = PoissonDiscreteGaussian::new(rate, Rational::from((5, 2)), 2).expect("a factor");
        for end in [1, 3, 12] {
            let factor = whole.before(end);
            for (tilt, infinite) in [(0, factor.infinite_p(80)), (-1, factor.infinite_q(80))] {
                let finite = factor.moment(&Rational::from(tilt), 80, &budget).expect("a moment");
                let all = &finite + &infinite.enclosure(80);
                let one = all.contains(&Rational::from(1)) && all.relative_bits() > Some(60);
                assert!(one && infinite.enclosure(80).relative_bits() > Some(60), "{end} {tilt}: {all:?} {infinite:?}");
            }
            let masses = whole.masses(-40..=end - 1, 1, 120).expect("masses");
            for tilt in [-9, 2, 40] {
                let tilted = (-40..end).zip(&masses).map(|(m, mass)| {
                    let c = Enclosure::rational(&Rational::from(tilt), 120);
                    mass * &(&c * &whole.loss(m).expect("a loss").enclosure(120)).exp()
                });
                let sum = tilted.fold(Enclosure::zero(120), |sum, next| &sum + &next);
                let found = factor.moment(&Rational::from(tilt), 80, &budget).expect("a moment");
                let meet = found.lower() <= sum.upper() && sum.lower() <= found.upper();
                assert!(meet && found.relative_bits() > Some(60), "{end} {tilt}: {found:?} {sum:?}");
            }
            // Where masses do not fall yet there is no bound.
            let (p, rest) = (factor.infinite_p(80).enclosure(80), factor.mass_from(end));
            let near = |rest: &Enclosure| rest.upper().to_f64() < 40.0 * p.upper().to_f64();
            let bounded = rest.as_ref().is_some_and(|rest| rest.upper() >= p.lower() && near(rest));
            assert!(if end == 1 { rest.is_none() } else { bounded }, "{end}: {rest:?} {p:?}");
        }
    }

    /// Lists of masses end with the time.
    #[test]
    fn lists_end_with_the_time() {
        let rate: Real = "0.015".parse().expect("a number");
        let factor = PoissonDiscreteGaussian::new(rate, Rational::from((57, 10)), 1).expect("a factor");
        let over = Budget::new(1 << 20, Some(std::time::Duration::ZERO));
        for budget in [Budget::default(), over] {
            let found = factor.moment(&Rational::from(2), 64, &budget);
            assert_eq!(found.is_ok(), budget.check().is_ok(), "{found:?}");
        }
    }
}
