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

use super::super::fixed::{BITS, Kernel, Point, Rotations, fraction};
use super::atoms::FIXED_BITS;
use super::sampled::{self, Sampled};
use super::two_ends::TwoEnds;
use super::{Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour};
use crate::compose::quadrature::Turns;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Portable, Real};

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
            Some(_) => Err(Error::input(format!("sensitivity/scale must be positive, not {loss}"))),
            None => Err(Error::Undecided("cannot decide the sign of sensitivity/scale".into())),
        }
    }
}

/// `c + 1/2`.
fn from_centre(c: &Rational) -> Rational {
    Rational::from(c) + Rational::from((1, 2))
}

/// Bits that `sinh(zl)/z` loses to cancellation, for `|z| l` about this large.
fn cancelled(size: f64) -> u32 {
    (-size.portable_log2()).clamp(0.0, 1e6) as u32 + 2
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
        let slope = if x < 1e-8 { 1.0 } else { -(-x).portable_exp_m1() / x };
        l * (z - 0.5) + (0.5 * (1.0 + (-x).portable_exp()) + 0.5 * l * slope).portable_ln()
    }

    fn moment(&self, c: &Rational, bits: u32, _budget: &Budget) -> Result<Enclosure, Error> {
        let z = from_centre(c);
        let size = (z.to_f64() * self.rough).abs();
        let extra = size.max(self.rough).max(1.0).portable_log2().clamp(0.0, 1e6) as u32;
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

    fn fixed(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let values = FixedValues::new(self, line, budget)?;
        Ok(values.map(|values| Box::new(values) as Box<dyn FixedMoments>))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let values = Values::new(self, line, sampled::BITS);
        let moment = self.moment(line.tilt(), 64, budget)?;
        let [up, down] = [values.up.re().with_bits(64), values.down.re().with_bits(64)];
        let distance = self.loss.mul_rational(&Rational::from(2));
        let far = TwoEnds::new(line, Some(&distance), [&up, &down], &moment, &(&up + &down).shift(-1));
        let near = Sampled::up_to(far.front().clamp(FEWEST, MOST_VALUES), values, moment);
        Ok(Box::new(Fall { far, near }))
    }
}

/// Nodes in front at which the values themselves are the bounds: at least, and at most.
const FEWEST: u64 = 1 << 8;
const MOST_VALUES: u64 = 1 << 13;

/// The values in front, the two atoms behind: there `|M| <= |X + Y| + (X + Y)/(2u)`, see [`Values`] and [`TwoEnds`].
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
        let exponent = wide.saturating_add(extra.portable_log2().clamp(0.0, 1e6) as u32 + 4);
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

/// `M(s_k)/M(c) = x e^(iul) + y e^(-iul) + (x' e^(iul) - y' e^(-iul)) z_0/z`, with `x, y` the sizes of X and Y over
/// `M(c)` and `x', y'` the same over `2 z_0`, `z_0 = c + 1/2`; only where none of the four is above one, nor the last
/// two together above 3/2, as far from the axis between the poles.
///
/// **Error**: each of the four terms has that of its rotation, two of them that of the kernel too, and products of
/// points of modulus at most two are cut off six times: `4 2^-57 + 2 (2^-49 + 2^-60) + 6 2^-61`, below `2^-47`; and the
/// errors of the four weights.
struct FixedValues {
    line: VerticalContour,
    rotations: Rotations,
    kernel: Kernel,
    /// The sizes, and the sign of `z_0`.
    weights: [i64; 4],
    sign: i128,
    error: f64,
}

impl FixedValues {
    fn new(factor: &LaplaceFactor, line: &VerticalContour, budget: &Budget) -> Result<Option<Self>, Error> {
        let z = from_centre(line.tilt());
        let sign = match z.cmp0() {
            Ordering::Greater => 1,
            Ordering::Less => -1,
            Ordering::Equal => return Ok(None),
        };
        let moment = factor.moment(line.tilt(), FIXED_BITS, budget)?;
        let extra = (z.to_f64().abs() + 1.0) * (factor.rough + 1.0);
        let wide = FIXED_BITS + extra.portable_log2().clamp(0.0, 1e6) as u32 + 4;
        let l = factor.loss.enclosure(wide);
        let whole = Enclosure::rational(&z, wide);
        let half = Enclosure::one(wide).shift(-1);
        let size = |z: &Enclosure| &(&l * &(z - &half)).exp().shift(-1) / &moment;
        let (x, y) = (size(&whole), size(&-&whole));
        let far = whole.abs().shift(1);
        let mut weights = [0; 4];
        let mut error = 1.0 / (1u64 << 47) as f64;
        for (place, size) in weights.iter_mut().zip([x.clone(), y.clone(), &x / &far, &y / &far]) {
            let Some((weight, width)) = fraction(&size) else { return Ok(None) };
            *place = weight;
            error += width;
        }
        // Their sum is what the parts of the third and fourth term come to before the kernel.
        let [.., far_x, far_y] = weights;
        if i128::from(far_x) + i128::from(far_y) > 3 << (BITS - 1) {
            return Ok(None);
        }
        let rotations = Rotations::new(&line.turns(&factor.loss));
        let Some((rotations, kernel)) = rotations.zip(Kernel::new(z.to_f64())) else { return Ok(None) };
        Ok(Some(FixedValues { line: line.clone(), rotations, kernel, weights, sign, error: error * (1.0 + 1e-9) }))
    }
}

impl FixedMoments for FixedValues {
    fn error(&self) -> f64 {
        self.error
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        budget.check()?;
        let Some(mut points) = self.rotations.run(first, count) else { return Ok(None) };
        let ordinates = self.line.ordinates();
        let [x, y, far_x, far_y] = self.weights;
        for (k, point) in (first..).zip(&mut points) {
            let (up, down) = (*point, point.conjugate());
            let (a, b, c, d) = (up.weighed(x), down.weighed(y), up.weighed(far_x), down.weighed(far_y));
            // At most one and a half in modulus: it fits.
            let (kernel, _) = self.kernel.at(ordinates.at(k));
            let (re, im) = Point { re: c.re - d.re, im: c.im - d.im }.whole_product(kernel);
            let sum = |a: i64, b: i64, c: i128| {
                let all = i128::from(a) + i128::from(b) + self.sign * (c >> BITS);
                i64::try_from(all).ok()
            };
            let (Some(re), Some(im)) = (sum(a.re, b.re, re), sum(a.im, b.im, im)) else { return Ok(None) };
            *point = Point { re, im };
        }
        Ok(Some(points))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The points against the discs.
    #[test]
    fn points_are_within_their_error() {
        for (l, c) in [((1, 10), (7, 2)), ((3, 1), (-9, 4)), ((1, 250), (30, 1)), ((2, 5), (1, 3))] {
            let factor = LaplaceFactor::new(Real::from(Rational::from(l))).unwrap();
            let tilt = Rational::from(c);
            let line = VerticalContour::new(tilt.clone(), Real::from(5u64));
            let budget = Budget::default();
            let moment = Complex::real(&factor.moment(&tilt, 200, &budget).unwrap().recip(), 200);
            for first in [0u64, 1000, 1 << 30] {
                let mut values = factor.fixed(&line, &budget).unwrap().expect("far from the axis");
                let points = values.run(first, 1100, &budget).unwrap().unwrap();
                let truths = factor.on(&line, 200, &budget).unwrap().run(first, 1100, &budget).unwrap();
                assert!(values.error() < 1e-13);
                for (point, truth) in points.iter().zip(&truths) {
                    let truth = truth * &moment;
                    let part = |x: i64, truth: &rug::Float| {
                        rug::Float::with_val(200, (rug::Float::with_val(200, x) >> 62u32) - truth)
                    };
                    let (re, im) = truth.centre();
                    let distance = part(point.re, re).hypot(&part(point.im, im)).to_f64();
                    assert!(distance <= values.error(), "{l:?} {c:?} {first}: {distance} {}", values.error());
                }
            }
        }
    }

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
            prop_assert!((moment.lower().to_f64().portable_ln() - factor.log_moment(tilt.to_f64())).abs() < 1e-9);
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
