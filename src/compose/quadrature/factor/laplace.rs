//! The Laplace mechanism.
//!
//! With `l = sensitivity/scale` the loss lies in `[-l, l]`, has atoms at both ends and a density between them, and
//! `M(s) = ((s + 1) e^(sl) + s e^(-(s+1)l))/(2s + 1)`. In `z = s + 1/2` this is
//!
//! `M = e^(-l/2) (cosh(zl) + sinh(zl)/(2z))`,
//!
//! entire and even: both directions are one. Because of the atoms it does not decay to zero.

use std::cmp::Ordering;

use rug::Rational;
use rug::float::Round::Up;

use super::sampled::{self, Sampled};
use super::{Decay, Factor, LossBound, Moments, VerticalContour};
use crate::compose::quadrature::Turns;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Real};

/// A Laplace pair.
#[derive(Clone, Debug)]
pub struct LaplaceFactor {
    loss: Real,
    rough: f64,
}

impl LaplaceFactor {
    /// `loss = sensitivity/scale > 0`.
    pub fn new(loss: Real) -> Result<Self, Error> {
        match loss.sign() {
            Some(Ordering::Greater) => Ok(LaplaceFactor { rough: loss.to_f64(), loss }),
            Some(_) => Err(Error::input(format!("sensitivity/scale must be positive, but is {loss}"))),
            None => Err(Error::Undecided("the sign of sensitivity/scale cannot be decided".into())),
        }
    }
}

/// `c + 1/2`.
fn from_centre(c: &Rational) -> Rational {
    Rational::from(c) + Rational::from((1, 2))
}

/// Bits that `sinh(zl)/z` loses to cancellation, for `|z| l` about this large.
fn cancelled(size: f64) -> u32 {
    (-size.log2()).clamp(0.0, 1e6) as u32 + 2
}

impl Factor for LaplaceFactor {
    fn name(&self) -> String {
        format!("Laplace (sensitivity/scale = {})", self.loss)
    }

    fn range(&self) -> (LossBound, LossBound) {
        (LossBound::At(self.loss.neg()), LossBound::At(self.loss.clone()))
    }

    fn log_moment(&self, c: f64) -> f64 {
        let (l, z) = (self.rough, (c + 0.5).abs());
        let x = 2.0 * z * l;
        let slope = if x < 1e-8 { 1.0 } else { -(-x).exp_m1() / x };
        l * (z - 0.5) + (0.5 * (1.0 + (-x).exp()) + 0.5 * l * slope).ln()
    }

    fn moment(&self, c: &Rational, bits: u32, _budget: &Budget) -> Result<Enclosure, Error> {
        let z = from_centre(c);
        let size = (z.to_f64() * self.rough).abs();
        let extra = size.max(self.rough).max(1.0).log2().clamp(0.0, 1e6) as u32;
        let wide = bits.saturating_add(extra + cancelled(size.max(1e-300)) + 12);
        let l = self.loss.enclosure(wide);
        let shrink = (-l.shift(-1)).exp();
        if z.is_zero() {
            return Ok((&shrink * &(&Enclosure::one(wide) + &l.shift(-1))).with_bits(bits));
        }
        let z = Enclosure::rational(&z, wide);
        let (up, down) = ((&z * &l).exp(), (-(&z * &l)).exp());
        let quotient = &(&up - &down).shift(-1) / &z;
        Ok((&shrink * &(&up + &(&down + &quotient))).shift(-1).with_bits(bits))
    }

    fn on(&self, line: &VerticalContour, bits: u32, _budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values::new(self, line, bits)))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let values = Values::new(self, line, sampled::BITS);
        let moment = self.moment(line.tilt(), 64, budget)?;
        let atoms = &values.up.re().with_bits(64) + &values.down.re().with_bits(64);
        Ok(Box::new(Fall { line: line.clone(), atoms, near: Sampled::new(values, moment) }))
    }
}

/// The atoms do not decay, but they are not all of the mass: `|M| <= (X + Y)(1 + 1/(2|z|))`, see [`Values`].
struct Fall<'a> {
    line: VerticalContour,
    /// `X + Y`.
    atoms: Enclosure,
    near: Sampled<Values<'a>>,
}

impl Fall<'_> {
    fn beyond(&self, k: u64) -> f64 {
        let centre = Enclosure::rational(&from_centre(self.line.tilt()), 64);
        let distance = (&centre.square() + &self.line.ordinate(k, 64).square()).sqrt();
        let factor = &Enclosure::one(64) + &distance.shift(1).recip();
        let bound = &(&self.atoms * &factor) / self.near.moment();
        bound.ln().upper().to_f64_round(Up).min(0.0)
    }
}

impl Decay for Fall<'_> {
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        self.near.log_bound(from, to, budget, |k| Ok(self.beyond(k)))
    }
}

/// A rotation that has taken so many steps is computed afresh.
const STEPS: u64 = 1 << 10;

/// `M = X + Y + (X - Y)/(2z)` with `X = e^(-l/2 + z l)/2`, `Y = e^(-l/2 - z l)/2`: two sizes that do not depend on the
/// node, and a rotation that does.
struct Values<'a> {
    factor: &'a LaplaceFactor,
    line: VerticalContour,
    bits: u32,
    wide: u32,
    turns: Turns,
    up: Complex,
    down: Complex,
    /// The rotation from node to node.
    step: Complex,
    /// The rotation at a node, and after how many steps.
    state: Option<(u64, u64, Complex)>,
}

impl<'a> Values<'a> {
    fn new(factor: &'a LaplaceFactor, line: &VerticalContour, bits: u32) -> Self {
        let z = from_centre(line.tilt());
        let extra = (z.to_f64().abs() + 1.0) * (factor.rough + 1.0);
        // |z| is at least the first ordinate, at all nodes but the one on the axis, which is not computed here.
        let wide = bits.saturating_add(28 + cancelled(2.0 / line.period().to_f64()));
        let exponent = wide.saturating_add(extra.log2().clamp(0.0, 1e6) as u32 + 4);
        let l = factor.loss.enclosure(exponent);
        let z = Enclosure::rational(&z, exponent);
        let half = Enclosure::one(exponent).shift(-1);
        let size = |z: &Enclosure| Complex::real(&(&l * &(z - &half)).exp().shift(-1), wide);
        let (up, down) = (size(&z), size(&-&z));
        let turns = line.turns(&factor.loss);
        let step = Complex::cis(&turns.angle(1, wide), wide);
        Values { factor, line: line.clone(), bits, wide, turns, up, down, step, state: None }
    }

    fn value(&self, k: u64, turn: &Complex) -> Complex {
        let (x, y) = (&self.up * turn, &self.down * &turn.conjugate());
        let z = Enclosure::rational(&from_centre(self.line.tilt()), self.wide).shift(1);
        let recip = Complex::from_parts(&z, &self.line.ordinate(k, self.wide).shift(1), self.wide).recip();
        &(&x + &y) + &(&(&x - &y) * &recip)
    }
}

impl Moments for Values<'_> {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        for k in first..first.saturating_add(count as u64) {
            if k % 256 == 0 {
                budget.check()?;
            }
            if k == 0 {
                let moment = self.factor.moment(self.line.tilt(), self.bits.saturating_add(2), budget)?;
                values.push(Complex::real(&moment, self.bits.saturating_add(2)));
                continue;
            }
            let (steps, turn) = match self.state.take() {
                Some((at, steps, turn)) if at == k && steps < STEPS => (steps, turn),
                _ => (0, Complex::cis(&self.turns.angle(k, self.wide), self.wide)),
            };
            values.push(self.value(k, &turn));
            self.state = Some((k + 1, steps + 1, &turn * &self.step));
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against the first formula, which knows nothing of `z`.
        #[test]
        fn values_of_the_other_form(l in 1u64..9000, c in -40i64..40, period in 1u64..60, first in 1u64..3000,
            bits in 40u32..300) {
            let loss = Rational::from((l, 1000u32));
            let factor = LaplaceFactor::new(Real::from(loss.clone())).unwrap();
            let tilt = Rational::from((c, 6));
            let line = VerticalContour::new(tilt.clone(), Real::from(period));
            let budget = Budget::default();
            let mut values = factor.on(&line, bits, &budget).unwrap();
            let moment = factor.moment(&tilt, bits, &budget).unwrap();
            prop_assert!(moment.relative_bits().is_some_and(|proven| proven > i64::from(bits) - 4));
            prop_assert!((moment.lower().to_f64().ln() - factor.log_moment(tilt.to_f64())).abs() < 1e-9);
            let on_axis = values.run(0, 1, &budget).unwrap();
            prop_assert!(on_axis[0].re().overlaps(&moment));
            let list = values.run(first, 40, &budget).unwrap();
            let decay = factor.decay(&line, &budget).unwrap();
            let wide = 500;
            let l = Enclosure::rational(&loss, wide);
            let c = Enclosure::rational(&tilt, wide);
            let one = Enclosure::one(wide);
            for (k, value) in (first..).zip(&list) {
                let u = line.ordinate(k, wide);
                let a = Complex::exp(&(&c * &l), &(&u * &l), wide);
                let b = Complex::exp(&-(&(&c + &one) * &l), &-(&u * &l), wide);
                let s = Complex::from_parts(&c, &u, wide);
                let next = &s + &Complex::one(wide);
                let truth = &(&(&next * &a) + &(&s * &b)) * &(&s + &next).recip();
                prop_assert!(value.re().overlaps(&truth.re()) && value.im().overlaps(&truth.im()), "{:?} {:?}", value,
                    truth);
                let (re, im) = truth.centre();
                let least = rug::Float::with_val(wide, re.hypot_ref(im)) - truth.radius() - truth.radius();
                let size = (&Enclosure::new(least.clone(), least) / &moment).positive_part().ln();
                let ranges = [(k, k), (k / 2, k), (k, u64::MAX), (k / 3 + 1, u64::MAX)];
                for (from, to) in ranges.into_iter().filter(|_| k < first + 3) {
                    prop_assert!(*size.lower() <= decay.log_bound(from, to, &budget).unwrap());
                }
                let narrow = rug::Float::with_val(64, moment.upper() * 8u32) >> bits;
                prop_assert!(value.radius() <= narrow, "{:?}", value);
            }
        }
    }

    /// Near and at the centre, where the first formula divides by zero, the moment is smooth.
    #[test]
    fn the_removable_singularity() {
        let factor = LaplaceFactor::new(Real::from(Rational::from((7, 5)))).unwrap();
        let budget = Budget::default();
        let at = |c: Rational| factor.moment(&c, 200, &budget).unwrap();
        let centre = at(Rational::from((-1, 2)));
        for shift in [10u32, 60, 150, 900] {
            let small = Rational::from((1, rug::Integer::from(1) << shift));
            let near = at(Rational::from((-1, 2)) + &small);
            // M is even in z, and M(z)/M(0) - 1 is positive and below (l z)^2.
            assert!(near.overlaps(&at(Rational::from((-1, 2)) - &small)));
            let excess = &near - &centre;
            assert!(*excess.upper() >= 0);
            let bound = rug::Float::with_val(64, 4) >> (2 * shift);
            assert!(*excess.lower() <= bound);
            assert!(near.relative_bits().is_some_and(|bits| bits > 190));
        }
        // Far out only the atoms are left: X + Y = e^(-l/2) cosh(zl).
        let line = VerticalContour::new(Rational::from(1), Real::from(1u64));
        let decay = factor.decay(&line, &budget).unwrap();
        assert!(decay.log_bound(1_000_000, u64::MAX, &budget).unwrap() < -0.2);
        // M(0) = 1 whatever the pair is.
        assert!(at(Rational::new()).contains(&Rational::from(1)));
    }
}
