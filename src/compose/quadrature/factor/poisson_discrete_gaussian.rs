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

use std::sync::OnceLock;

use rug::Rational;
use rug::float::Round::Up;

use super::atoms::{FIXED_BITS, Values, pairs};
use super::fixed_values::FixedValues;
use super::listed_decay::ListedDecay;
use super::{Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour, coarse_list, positive_rate};
use crate::compose::quadrature::wide::{Listed, WideMoments};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Real};

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// Precision of weights in integers of 128 bits.
const WIDE_BITS: u32 = 144;
/// More terms than this take too long at each node.
const MOST_TERMS: i64 = 4096;
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
        Ok(PoissonDiscreteGaussian { rate, rest, sigma2, sensitivity, about, log_theta: OnceLock::new() })
    }

    /// `a_m`.
    fn inner_loss(&self, m: i64) -> Rational {
        let d = Rational::from(self.sensitivity);
        let place = Rational::from(m) * 2u32 - &d;
        place * d / (Rational::from(2) * &self.sigma2)
    }

    /// `l_m`, exactly.
    fn loss(&self, m: i64) -> Result<Real, Error> {
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
        let a = d * (2.0 * m - d) / (2.0 * s);
        let loss = if a > 30.0 { a + (r + (1.0 - r) * (-a).exp()).ln() } else { (r * a.exp_m1()).ln_1p() };
        -m * m / (2.0 * s) + e * loss
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

    /// The least and the largest m that matter to `bits` bits at this power, by doubles.
    fn ends(&self, e: f64, bits: u32) -> (i64, i64) {
        let (s, d) = (self.sigma2.to_f64(), self.sensitivity as f64);
        let peak = (0..=64).map(|i| self.sketch((e.max(0.0) * d) * f64::from(i) / 64.0, e)).fold(f64::MIN, f64::max);
        let floor = peak - f64::from(bits) * std::f64::consts::LN_2;
        let step = (s.sqrt() / 8.0).max(1.0).floor();
        let mut right = (e.max(0.0) * d).max(d / 2.0).ceil() + 1.0;
        while self.sketch(right, e) > floor && right < 1e9 {
            right += step;
        }
        // On the left what counts is the bound of what is left out.
        let most = e.min(0.0) * (-self.rate.to_f64()).ln_1p();
        let bound = |m: f64| (-m * m / (2.0 * s) + most).max(self.sketch(m, e));
        let mut left = -1.0;
        while bound(left) > floor && left > -1e9 {
            left -= step;
        }
        (left as i64, right as i64)
    }

    /// The terms at `e = 1 + c`, to about `bits` bits.
    fn terms(&self, c: &Rational, bits: u32) -> Result<Terms, Error> {
        let e = Rational::from(c + 1u32);
        let (first, last) = self.ends(e.to_f64(), bits.saturating_add(8));
        if last.saturating_sub(first) >= MOST_TERMS {
            return Err(Error::undecided(format!(
                "a discrete Gaussian on a sample has more than {MOST_TERMS} masses that matter"
            )));
        }
        let wide = bits.saturating_add(16);
        let power = Enclosure::rational(&e, wide.saturating_add(64));
        let weigh = |m: i64| &self.bell(m, wide) * &(&power * &self.ratio(m, wide.saturating_add(64)).ln()).exp();
        let nothing = || Error::undecided("the masses of a discrete Gaussian on a sample do not fall fast enough");
        let bounds = |e: &Enclosure| {
            let (left, right) = (self.left(1 - first, e)?, self.right(last + 1, e)?);
            Some(&left + &right)
        };
        let theta = self.theta(wide)?;
        let left_out = bounds(&power.with_bits(BOUND_BITS)).ok_or_else(nothing)?;
        let weights = (first..=last).map(|m| (&weigh(m) / &theta).with_bits(bits)).collect();
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
        (self.rest.ln().map_or(LossBound::Unknown, LossBound::At), LossBound::Unbounded)
    }

    fn log_moment(&self, c: f64) -> f64 {
        let e = c + 1.0;
        let [s, d, _] = self.about;
        let side = DEVIATIONS * s.sqrt() + 2.0;
        let terms = |e: f64| {
            // Of a smooth sum, some hundred terms tell enough.
            let (low, high) = (-side, e.max(0.0) * d + d + side);
            let step = ((high - low) / 800.0).max(1.0).floor();
            let count = ((high - low) / step) as i64;
            let logs: Vec<f64> = (0..=count).map(|i| self.sketch((low + i as f64 * step).round(), e)).collect();
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln() + step.ln()
        };
        terms(e) - self.log_theta.get_or_init(|| terms(0.0))
    }

    fn moment(&self, c: &Rational, bits: u32, _budget: &Budget) -> Result<Enclosure, Error> {
        let Terms { weights, left_out, .. } = self.terms(c, bits)?;
        let sum = weights.iter().fold(Enclosure::zero(bits), |sum, weight| &sum + weight);
        Ok(sum.hull(&(&sum + &left_out)))
    }

    fn on(&self, line: &VerticalContour, bits: u32, _budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), bits)?;
        let losses = (first..=last).map(|m| self.loss(m)).collect::<Result<Vec<_>, _>>()?;
        let values = Values::new(line, &losses, &weights, bits);
        Ok(Box::new(Truncated { values, left_out }))
    }

    fn fixed(&self, line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), FIXED_BITS)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        // Values are parts of all of the moment: the terms listed are enlarged by no more than is left out.
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = (first..=last).map(|m| Ok(line.turns(&self.loss(m)?))).collect::<Result<Vec<_>, Error>>()?;
        let values = FixedValues::new(turns.into_iter(), &weights, (&total, left_out));
        Ok(values.map(|values| Box::new(values) as Box<dyn FixedMoments>))
    }

    fn coarse(&self, line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), FIXED_BITS)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = (first..=last).map(|m| Ok(line.turns(&self.loss(m)?))).collect::<Result<Vec<_>, Error>>()?;
        Ok(coarse_list(line, turns, &weights, (&total, left_out)))
    }

    fn wide(&self, line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        let Terms { first, last, weights, left_out } = self.terms(line.tilt(), WIDE_BITS)?;
        let total = weights.iter().fold(Enclosure::zero(WIDE_BITS), |sum, weight| &sum + weight);
        // As in `fixed`.
        let left_out = (&left_out / &total).upper().to_f64_round(Up) * 2.0;
        let turns = (first..=last).map(|m| Ok(line.turns(&self.loss(m)?))).collect::<Result<Vec<_>, Error>>()?;
        let values = Listed::new(turns.into_iter(), &weights, (&total, left_out));
        Ok(values.map(|values| Box::new(values) as Box<dyn WideMoments>))
    }

    fn decay(&self, line: &VerticalContour, _budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let Terms { first, weights, left_out, .. } = self.terms(line.tilt(), BOUND_BITS)?;
        let total = weights.iter().fold(left_out, |sum, weight| &sum + weight);
        let loss = |index: usize| self.loss(first + index as i64);
        Ok(Box::new(pairs(line, &weights, &total, loss)?))
    }

    fn close_decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let Terms { first, weights, left_out, .. } = self.terms(line.tilt(), BOUND_BITS)?;
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
        assert!(factor.terms(&Rational::from(1), 64).is_err());
    }

    /// Far from the axis, where the aliases are bounded, a moment is known as well as near it.
    #[test]
    fn moments_are_known_at_any_tilt() {
        let rate: Real = "0.015".parse().expect("a number");
        let factor = PoissonDiscreteGaussian::new(rate, Rational::from((57, 10)), 1).expect("a factor");
        for tilt in [-3000, -768, -100, -10, -1, 0, 1, 10, 100, 768, 3000] {
            let moment = factor.moment(&Rational::from(tilt), 64, &Budget::default()).expect("a moment");
            let about = moment.ln().upper().to_f64();
            let bits = moment.relative_bits();
            assert!(bits > Some(40), "{tilt}: {moment:?} {about}");
            let sketch = factor.log_moment(f64::from(tilt));
            assert!((about - sketch).abs() < 1e-6 * sketch.abs().max(1.0), "{tilt}: {about} {sketch}");
        }
    }
}
