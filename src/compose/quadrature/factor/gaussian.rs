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

use super::super::fixed::{Errors, Point, Rotations, cut, fraction};
use super::{Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Portable, Real};

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
            Some(Ordering::Less) => Err(Error::input(format!("mu^2 must be at least 0, not {square}"))),
            Some(_) => Ok(GaussianFactor { rough: square.to_f64(), square }),
            None => Err(Error::Undecided("cannot decide the sign of mu^2".into())),
        }
    }

    /// `m x`, right to about `2^-bits` in absolute terms.
    fn times(&self, x: &Rational, bits: u32) -> Enclosure {
        let size = (self.rough * x.to_f64()).abs().max(1.0).portable_log2().ceil().min(1e6) as u32;
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

    fn fixed(&self, line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let centre = line.tilt() + Rational::from((1, 2));
        let rotations = Rotations::new(&line.turns(&self.square.mul_rational(&centre)));
        Ok(rotations.map(|rotations| {
            Box::new(FixedValues { factor: self, line: line.clone(), rotations, error: 0.0 }) as Box<dyn FixedMoments>
        }))
    }

    fn decay(&self, line: &VerticalContour, _budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let each = line.ordinate(1, 64);
        let fall = -(&self.square.enclosure(64) * &each.square()).shift(-1);
        Ok(Box::new(Fall(fall.upper().to_f64_round(Up).min(0.0))))
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
        let size =
            (self.factor.rough * (1.0 + self.line.tilt().to_f64().abs())).max(1.0).portable_log2().min(1e6) as u32;
        let reach = self.line.ordinate(k, 16).upper().to_f64().max(1.0).portable_log2().clamp(0.0, 1e6) as u32;
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

/// After so many nodes the fall is computed afresh.
const AFRESH: usize = 32;

/// `M(s_k)/M(c) = e^(-m u^2/2) e^(i m u (c + 1/2))`: a fall and a rotation.
///
/// From node to node the fall g is multiplied by r, and that by q: `q = e^(-m h^2)`, h the step of the ordinates. The
/// points of all three are below them by at most a, and at most one, so that products do not enlarge errors. After j
/// steps r is off by at most `(j + 1) a + j 2^-62`, and g by `a + sum_(i < j) (i + 1) (a + 2^-62)`. For 32 steps that
/// is `529 a + 528 2^-62`, at most 793 a: a is at least `2^-61` ([`fraction`]).
struct FixedValues<'a> {
    factor: &'a GaussianFactor,
    line: VerticalContour,
    rotations: Rotations,
    error: f64,
}

impl FixedValues<'_> {
    /// The falls of a few nodes from k on.
    fn falls(&mut self, k: u64) -> Option<[i64; AFRESH]> {
        const BITS: u32 = 128;
        let square = self.factor.square.enclosure(BITS);
        let (each, u) = (self.line.ordinate(1, BITS), self.line.ordinate(k, BITS));
        let fall = |area: &Enclosure| fraction(&(-(&square * area).shift(-1)).exp());
        let (mut g, a) = fall(&u.square())?;
        let (mut r, b) = fall(&(&each * &(&u.shift(1) + &each)))?;
        let (q, c) = fall(&each.square().shift(1))?;
        self.error = self.error.max(1060.0 * a.max(b).max(c));
        let product = |x: i64, y: i64| cut(i128::from(x) * i128::from(y));
        Some(std::array::from_fn(|_| {
            let value = g;
            (g, r) = (product(g, r), product(r, q));
            value
        }))
    }
}

impl FixedMoments for FixedValues<'_> {
    fn error(&self) -> f64 {
        Errors::product(self.error, Rotations::ERROR).unwrap_or(f64::INFINITY)
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        budget.check()?;
        let Some(mut points) = self.rotations.run(first, count) else { return Ok(None) };
        for (block, points) in points.chunks_mut(AFRESH).enumerate() {
            let Some(falls) = self.falls(first + (block * AFRESH) as u64) else { return Ok(None) };
            for (point, fall) in points.iter_mut().zip(falls) {
                *point = point.weighed(fall);
            }
        }
        Ok(Some(points))
    }
}

/// `-m h^2/2` for the step h of the ordinates, rounded up.
struct Fall(f64);

impl Decay for Fall {
    /// `-m u^2/2` at the first ordinate: a few roundings of doubles of one sign, which neither underflow nor, cut off,
    /// overflow.
    fn log_bound(&self, from: u64, _to: u64, _budget: &Budget) -> Result<f64, Error> {
        let k = from as f64;
        Ok(if self.0 < -1e-280 { (self.0 * k * k * (1.0 - 1e-12)).max(-1e300) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The points against the exponential, over the seams.
    #[test]
    fn points_are_within_their_error() {
        for (square, c) in [((1, 7), (3, 2)), ((1, 1 << 20), (-9, 4)), ((40, 1), (1, 3))] {
            let (square, tilt) = (Rational::from(square), Rational::from(c));
            let factor = GaussianFactor::new(Real::from(square.clone())).unwrap();
            let line = VerticalContour::new(tilt.clone(), Real::from(9u64));
            let budget = Budget::default();
            for first in [0u64, 77, 1 << 20] {
                let mut values = factor.fixed(&line, &budget).unwrap().unwrap();
                let points = values.run(first, 1100, &budget).unwrap().unwrap();
                assert!(values.error() < 1e-14);
                for k in [0usize, 1, 31, 32, 33, 63, 1023, 1024, 1099] {
                    let wide = 300;
                    let u = line.ordinate(first + k as u64, wide);
                    let m = Enclosure::rational(&square, wide);
                    let centre = Enclosure::rational(&(&tilt + Rational::from((1, 2))), wide);
                    let truth = Complex::exp(&-(&m * &u.square()).shift(-1), &(&(&m * &u) * &centre), wide);
                    let part = |x: i64, truth: &rug::Float| {
                        rug::Float::with_val(wide, (rug::Float::with_val(wide, x) >> 62u32) - truth)
                    };
                    let (re, im) = truth.centre();
                    let distance = part(points[k].re, re).hypot(&part(points[k].im, im)).to_f64();
                    assert!(distance <= values.error(), "{square} {first} {k}: {distance} {}", values.error());
                }
            }
        }
    }

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
