//! Gaussians, all of them at once.
//!
//! Losses of Gaussian pairs are normal, and their sum over any number of them is the loss of one Gaussian pair:
//! `L ~ N(m/2, m)` under P with `m = sum mu_i^2`. So `M(s) = e^(m (s^2 + s)/2)`, and on a line
//!
//! `M(c + iu) = M(c) e^(-m u^2/2) e^(i m u (c + 1/2))`.
//!
//! From one node to the next the value is multiplied by a ratio, and the ratio by a constant.

use std::cmp::Ordering;

use rug::Rational;
use rug::float::Round::Up;

use super::{Decay, Factor, LossBound, Moments, VerticalContour};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Real};

/// A Gaussian pair, or a product of them.
#[derive(Clone, Debug)]
pub struct GaussianFactor {
    square: Real,
    rough: f64,
}

impl GaussianFactor {
    /// `square = sum (sensitivity_i/sigma_i)^2`, at least 0.
    pub fn new(square: Real) -> Result<Self, Error> {
        match square.sign() {
            Some(Ordering::Less) => Err(Error::input(format!("mu^2 must not be negative, but is {square}"))),
            Some(_) => Ok(GaussianFactor { rough: square.to_f64(), square }),
            None => Err(Error::Undecided("the sign of mu^2 cannot be decided".into())),
        }
    }

    /// `m x`, right to about `2^-bits` in absolute terms.
    fn times(&self, x: &Rational, bits: u32) -> Enclosure {
        let size = (self.rough * x.to_f64()).abs().max(1.0).log2().ceil().min(1e6) as u32;
        let bits = bits.saturating_add(size + 2);
        &self.square.enclosure(bits) * &Enclosure::rational(x, bits)
    }

    /// `e^(m x)` to about `bits` bits.
    fn exponential(&self, x: &Rational, bits: u32) -> Enclosure {
        self.times(x, bits.saturating_add(4)).exp().with_bits(bits)
    }
}

/// `(c^2 + c)/2`.
fn half(c: &Rational) -> Rational {
    c * Rational::from(c + 1u32) / 2u32
}

impl Factor for GaussianFactor {
    fn name(&self) -> String {
        format!("Gaussian (mu^2 = {})", self.square)
    }

    fn range(&self) -> (LossBound, LossBound) {
        (LossBound::Unbounded, LossBound::Unbounded)
    }

    fn decays(&self) -> bool {
        true
    }

    fn log_moment(&self, c: f64) -> f64 {
        self.rough * (c * c + c) / 2.0
    }

    fn moment(&self, c: &Rational, bits: u32, _budget: &Budget) -> Result<Enclosure, Error> {
        Ok(self.exponential(&half(c), bits))
    }

    fn on(&self, line: &VerticalContour, bits: u32, _budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values { factor: self, line: line.clone(), bits, state: None }))
    }

    fn decay(&self, line: &VerticalContour, _budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        Ok(Box::new(Fall { square: self.square.enclosure(64), line: line.clone() }))
    }
}

/// After so many steps of a progression a new one begins: its error grows like the square of their number.
const STEPS: u64 = 1 << 12;

struct State {
    at: u64,
    steps: u64,
    value: Complex,
    ratio: Complex,
    second: Complex,
}

struct Values<'a> {
    factor: &'a GaussianFactor,
    line: VerticalContour,
    bits: u32,
    state: Option<State>,
}

impl Values<'_> {
    /// The progression from the node `k` on.
    fn start(&self, k: u64) -> State {
        // The ratios of up to STEPS steps cost twice 12 bits, and the products of the first some more.
        let bits = self.bits.saturating_add(32);
        let size = (self.factor.rough * (1.0 + self.line.tilt().to_f64().abs())).max(1.0).log2().min(1e6) as u32;
        let reach = self.line.ordinate(k, 16).upper().to_f64().max(1.0).log2().clamp(0.0, 1e6) as u32;
        let wide = bits.saturating_add(size + 2 * reach + 24);
        let square = self.factor.square.enclosure(wide);
        let centre = Enclosure::rational(&(Rational::from(self.line.tilt()) + Rational::from((1, 2))), wide);
        let each = self.line.ordinate(1, wide);
        let u = self.line.ordinate(k, wide);
        let unit = &square * &each;
        let turn = &unit * &centre;
        let fall = &unit * &each;
        let moment = Complex::real(&self.factor.exponential(&half(self.line.tilt()), bits), bits);
        let value = &moment * &Complex::exp(&-(&square * &u.square()).shift(-1), &(&(&square * &u) * &centre), bits);
        // (u + h)^2 - u^2 = h (2u + h).
        let ratio = Complex::exp(&-(&unit * &(&u.shift(1) + &each)).shift(-1), &turn, bits);
        State { at: k, steps: 0, value, ratio, second: Complex::real(&(-fall).exp(), bits) }
    }
}

impl Moments for Values<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        for k in first..first.saturating_add(count as u64) {
            if k % 256 == 0 {
                budget.check()?;
            }
            let state = match self.state.take() {
                Some(state) if state.at == k && state.steps < STEPS => state,
                _ => self.start(k),
            };
            values.push(state.value.clone());
            let value = &state.value * &state.ratio;
            let ratio = &state.ratio * &state.second;
            self.state = Some(State { at: k + 1, steps: state.steps + 1, value, ratio, second: state.second });
        }
        Ok(values)
    }
}

struct Fall {
    square: Enclosure,
    line: VerticalContour,
}

impl Decay for Fall {
    /// `-m u^2/2` at the first ordinate, rounded up.
    fn log_bound(&self, from: u64, _to: u64, _budget: &Budget) -> Result<f64, Error> {
        let fall = -(&self.square * &self.line.ordinate(from, 64).square()).shift(-1);
        Ok(fall.upper().to_f64_round(Up).min(0.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The progression against the exponential, on lines left and right of the axis.
        #[test]
        fn progressions(numer in 1u64..5000, c in -40i64..40, period in 1u64..60, first in 0u64..3000,
            bits in 40u32..300) {
            let square = Rational::from((numer, 1000u32));
            let factor = GaussianFactor::new(Real::from(square.clone())).unwrap();
            let tilt = Rational::from((c, 3));
            let line = VerticalContour::new(tilt.clone(), Real::from(period));
            let budget = Budget::default();
            let list = factor.on(&line, bits, &budget).unwrap().run(first, 120, &budget).unwrap();
            let moment = factor.moment(&tilt, 400, &budget).unwrap();
            let decay = factor.decay(&line, &budget).unwrap();
            for (k, value) in (first..).zip(&list) {
                let wide = 500;
                let u = line.ordinate(k, wide);
                let square = Enclosure::rational(&square, wide);
                let c = Enclosure::rational(&tilt, wide);
                let real = &(&c.square() + &c) - &u.square();
                let imaginary = &u * &(&c.shift(1) + &Enclosure::one(wide));
                let truth = Complex::exp(&(&square * &real).shift(-1), &(&square * &imaginary).shift(-1), wide);
                prop_assert!(value.re().overlaps(&truth.re()) && value.im().overlaps(&truth.im()));
                let narrow = rug::Float::with_val(64, moment.upper() * 8u32) >> bits;
                prop_assert!(value.radius() <= narrow);
                let bound = decay.log_bound(k, u64::MAX, &budget).unwrap();
                // The centre of the disc, less its radius, from below.
                let (re, im) = truth.centre();
                let least = rug::Float::with_val(wide, re.hypot_ref(im)) - truth.radius() - truth.radius();
                let modulus = (&Enclosure::new(least.clone(), least) / &moment).ln();
                prop_assert!(*modulus.lower() <= bound);
            }
        }
    }
}
