//! Geometric and staircase noise of any sensitivity, in closed form.
//!
//! Staircase noise is one of two kinds of noise on the integers, and the place within a step, which is seen, tells
//! which (`proofs/paper/calibration.md`, H): with `b = e^-epsilon` *whole* noise, with masses as `b^|n|`, and *half*
//! noise, as `b^|n+1/2|`. Geometric noise is whole noise. For a sensitivity of D steps, `l = D epsilon`, `z = s + 1/2`,
//! `X = e^(-l/2 + zl)`, `Y = e^(-l/2 - zl)` and `W = e^(2 z epsilon) - 1`, sums of geometric progressions are
//!
//! | noise | `M(s)` |
//! |---|---|
//! | whole | `[X + b Y + (1-b) (X-Y)/W]/(1+b)` |
//! | half | `[X + Y + (1-b) e^(epsilon/2) e^(z epsilon) (X-Y)/W]/2` |
//!
//! entire and even in z, however small W is: both directions are one. The two ends of the losses are atoms, so that it
//! does not decay to zero; there is no list, and the number of losses does not matter: `proofs/paper/staircases.md`,
//! which says what the values next to zeros of W are.

use std::cmp::Ordering;

use rug::Rational;

use super::{Decay, Factor, LossBound, Moments, NoDecay, VerticalContour};
use crate::compose::quadrature::Turns;
use crate::error::Error;
use crate::pair::Noise;
use enclosure::{Budget, Complex, Enclosure, Portable, Real};

/// Geometric or staircase noise.
#[derive(Clone, Debug)]
pub struct StepNoise {
    epsilon: Real,
    steps: u64,
    /// `D epsilon`.
    loss: Real,
    /// Where in a step the density falls, and if that is before the middle; `None` of geometric noise.
    gamma: Option<(Real, bool)>,
    /// For the search: epsilon, the loss, and the weights of whole and half noise.
    rough: [f64; 4],
}

/// What does not depend on s.
struct Weights {
    /// `b`.
    b: Enclosure,
    /// `1 - b`.
    rest: Enclosure,
    /// The share of whole noise over `1 + b`.
    whole: Enclosure,
    /// Half of the share of half noise.
    half: Enclosure,
    /// `(1 - b) e^(epsilon/2)` times that.
    inner: Enclosure,
}

impl StepNoise {
    /// Steps of height `epsilon > 0`, and `steps >= 1` of them; `None` of noise of another kind.
    pub fn new(epsilon: &Real, steps: u64, noise: &Noise) -> Option<Self> {
        let gamma = match noise {
            Noise::Geometric => None,
            Noise::Staircase { gamma, narrow } => Some((gamma.clone(), *narrow)),
            _ => return None,
        };
        if epsilon.sign() != Some(Ordering::Greater) || steps == 0 {
            return None;
        }
        let loss = epsilon.mul_rational(&Rational::from(steps));
        let mut factor = StepNoise { epsilon: epsilon.clone(), steps, loss, gamma, rough: [0.0; 4] };
        let weights = factor.weights(64);
        let [whole, half] = [&weights.whole, &weights.half].map(|weight| weight.lower().to_f64());
        factor.rough = [factor.epsilon.to_f64(), factor.loss.to_f64(), whole, half];
        Some(factor)
    }

    /// The shares: with `V = gamma + b (1-gamma)` half noise has `b (1 - 2 gamma)/V` for `gamma <= 1/2` and `(2 gamma -
    /// 1)/V` above, and whole noise the rest.
    fn weights(&self, bits: u32) -> Weights {
        let epsilon = self.epsilon.enclosure(bits);
        let one = Enclosure::one(bits);
        let b = (-&epsilon).exp();
        let rest = -(-&epsilon).expm1();
        let (whole, half) = match &self.gamma {
            None => ((&one + &b).recip(), Enclosure::zero(bits)),
            Some((gamma, narrow)) => {
                let other = Real::one().sub(gamma).enclosure(bits);
                let apart = gamma.mul_rational(&Rational::from(2)).sub(&Real::one()).enclosure(bits);
                let gamma = gamma.enclosure(bits);
                let all = &gamma + &(&b * &other);
                if *narrow {
                    (&gamma / &all, (&(&b * &-&apart) / &all).shift(-1))
                } else {
                    (&other / &all, (&apart / &all).shift(-1))
                }
            }
        };
        let inner = &(&rest * &half) * &epsilon.shift(-1).exp();
        Weights { b, rest, whole, half, inner }
    }
}

/// `c + 1/2`.
fn from_centre(c: &Rational) -> Rational {
    Rational::from(c) + Rational::from((1, 2))
}

/// Bits of the whole part of a number of about this size.
fn size_bits(size: f64) -> u32 {
    size.abs().max(1.0).portable_log2().clamp(0.0, 1e6) as u32 + 4
}

/// Bits that a difference loses whose value is about this small.
fn cancelled(size: f64) -> u32 {
    (-size.portable_log2()).clamp(0.0, 1e6) as u32 + 2
}

impl Factor for StepNoise {
    fn name(&self) -> String {
        format!("steps of {}, {} of them", self.epsilon, self.steps)
    }

    fn range(&self) -> (LossBound, LossBound) {
        (LossBound::At(self.loss.neg()), LossBound::At(self.loss.clone()))
    }

    fn log_moment(&self, c: f64) -> f64 {
        let [epsilon, l, whole, half] = self.rough;
        let z = (c + 0.5).abs();
        let down = (-2.0 * z * l).portable_exp();
        let (rest, b) = (-(-epsilon).portable_exp_m1(), (-epsilon).portable_exp());
        // 1 - e^(-2 z l) over e^(2 z epsilon) - 1, and that times e^(z epsilon).
        let (sum, turned) = if 2.0 * z * epsilon < 1e-300 {
            (self.steps as f64, self.steps as f64)
        } else {
            let apart = -(-2.0 * z * l).portable_exp_m1();
            (apart / (2.0 * z * epsilon).portable_exp_m1(), apart / (2.0 * (z * epsilon).portable_sinh()))
        };
        let of_whole = whole * (1.0 + b * down + rest * sum);
        let of_half = half * (1.0 + down + rest * (epsilon / 2.0).portable_exp() * turned);
        l * (z - 0.5) + (of_whole + of_half).portable_ln()
    }

    fn moment(&self, c: &Rational, bits: u32, _budget: &Budget) -> Result<Enclosure, Error> {
        let z = from_centre(c);
        let [_, rough, ..] = self.rough;
        let wide = bits.saturating_add(size_bits(z.to_f64() * rough) + size_bits(rough) + 16);
        let weights = self.weights(wide);
        let (l, epsilon) = (self.loss.enclosure(wide), self.epsilon.enclosure(wide));
        let at = Enclosure::rational(&z, wide);
        let half = l.shift(-1);
        let up = (&(&at * &l) - &half).exp();
        let down = (-&(&(&at * &l) + &half)).exp();
        // (X - Y)/W, which is D X on the axis of symmetry.
        let sum = if z.is_zero() {
            &up * &Enclosure::rational(&Rational::from(self.steps), wide)
        } else {
            let apart = &down * &(&at * &l).shift(1).expm1();
            &apart / &(&at * &epsilon).shift(1).expm1()
        };
        let turned = &(&at * &epsilon).exp() * &sum;
        let of_whole = &weights.whole * &(&(&up + &(&weights.b * &down)) + &(&weights.rest * &sum));
        let of_half = &(&weights.half * &(&up + &down)) + &(&weights.inner * &turned);
        Ok((&of_whole + &of_half).with_bits(bits))
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values::new(self, line, bits, budget)?))
    }

    /// What is beside it has to decay.
    fn decay(&self, _line: &VerticalContour, _budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        Ok(Box::new(NoDecay))
    }
}

/// Nodes after which rotations are computed afresh.
const STEPS: usize = 256;

/// `M = (p + q) X + (p b + q) Y + (p (1-b) + q' E) (X-Y)/W`, `E = e^(z epsilon)`, `W = E^2 - 1`, with the sizes of X,
/// Y and E, which do not depend on the node, and two rotations that do.
struct Values {
    /// The value on the axis, which bounds all moduli.
    moment: Enclosure,
    wide: u32,
    /// The rotations of X and of E.
    turns: [Turns; 2],
    steps: [Complex; 2],
    /// The sizes of X, Y and E.
    sizes: [Complex; 3],
    /// The weights of X, Y, and of `(X-Y)/W` without E and with it.
    weights: [Complex; 4],
    /// D.
    count: Complex,
    /// Whole turns of `E^2` from node to node, on the axis of symmetry, where they are zeros of W.
    whole: Option<Rational>,
}

impl Values {
    fn new(factor: &StepNoise, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let z = from_centre(line.tilt());
        let [epsilon, rough, ..] = factor.rough;
        // |z| is at least the first ordinate, at all nodes but the one on the axis, which is not computed here.
        let first = 6.0 / line.period().to_f64();
        let wide = bits.saturating_add(32 + cancelled(first * epsilon) + cancelled(first * rough));
        let extra = size_bits(z.to_f64() * rough) + size_bits(rough);
        let exponent = wide.saturating_add(extra);
        let at = Enclosure::rational(&z, exponent);
        let (l, height) = (factor.loss.enclosure(exponent), factor.epsilon.enclosure(exponent));
        let half = l.shift(-1);
        let real = |value: &Enclosure| Complex::real(value, wide);
        let sizes = [&(&at * &l) - &half, -&(&(&at * &l) + &half), &at * &height].map(|log| real(&log.exp()));
        let Weights { b, rest, whole, half, inner } = factor.weights(exponent);
        let weights = [&whole + &half, &(&whole * &b) + &half, &whole * &rest, inner].map(|weight| real(&weight));
        let turns = [line.turns(&factor.loss), line.turns(&factor.epsilon)];
        let steps = [&turns[0], &turns[1]].map(|turns| Complex::cis(&turns.angle(1, wide), wide));
        let moment = factor.moment(line.tilt(), bits.saturating_add(2), budget)?;
        let count = real(&Enclosure::rational(&Rational::from(factor.steps), wide));
        let whole = match &turns[1] {
            Turns::Exact(turns) if z.is_zero() => Some(Rational::from(turns * 2u32)),
            _ => None,
        };
        Ok(Values { moment, wide, turns, steps, sizes, weights, count, whole })
    }

    /// The value where X and E have turned so far.
    fn value(&self, k: u64, [turn, inner]: &[Complex; 2]) -> Complex {
        let [up, down, height] = &self.sizes;
        let [of_up, of_down, plain, turned] = &self.weights;
        let (x, y, e) = (up * turn, down * &turn.conjugate(), height * inner);
        // At a zero of W, X and Y are one number, and the quotient tends to D of it.
        let sum = if self.whole.as_ref().is_some_and(|turns| Rational::from(turns * k).is_integer()) {
            &self.count * &x
        } else {
            let w = &(&e * &e) - &Complex::one(self.wide);
            &(&x - &y) * &w.recip()
        };
        let value = &(&(of_up * &x) + &(of_down * &y)) + &(&(plain + &(turned * &e)) * &sum);
        let (re, im) = value.centre();
        if re.is_finite() && im.is_finite() && value.radius().is_finite() {
            return value;
        }
        // Too near to a zero of W for so few bits: no modulus is larger than on the axis.
        let zero = rug::Float::new(self.wide);
        Complex::disc(zero.clone(), zero, self.moment.upper())
    }
}

impl Moments for Values {
    /// Rotations by multiplication: each node adds two roundings, and 256 nodes are 9 bits.
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        let mut state = [Complex::zero(self.wide), Complex::zero(self.wide)];
        for offset in 0..count {
            let k = first.saturating_add(offset as u64);
            if offset % STEPS == 0 {
                budget.check()?;
                state =
                    [&self.turns[0], &self.turns[1]].map(|turns| Complex::cis(&turns.angle(k, self.wide), self.wide));
            } else {
                let [turn, inner] = &state;
                state = [turn * &self.steps[0], inner * &self.steps[1]];
            }
            values.push(if k == 0 { Complex::real(&self.moment, self.wide) } else { self.value(k, &state) });
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::factor::Atoms;
    use super::*;
    use crate::mechanism::Composition;
    use crate::pair::{Law, Pair};

    /// The noise of a text, in closed form and as a list of losses.
    fn both(text: &str) -> (StepNoise, Atoms) {
        let composition: Composition = text.parse().expect(text);
        let [(mechanism, 1)] = composition.factors() else { panic!("{text}") };
        let Pair::Discrete(pair) = mechanism.pair().expect(text) else { panic!("{text}") };
        let Law::SymmetricLattice { unit, largest, noise, .. } = pair.law() else { panic!("{text}") };
        let closed = StepNoise::new(unit, *largest, noise).expect(text);
        let losses = pair.losses().expect(text);
        let masses = pair.clone();
        (closed, Atoms::new("listed", losses, move |bits| masses.masses(bits)).expect(text))
    }

    const TEXTS: [&str; 7] = [
        "geometric(epsilon=1/10, sensitivity=7)",
        "geometric(epsilon=3, sensitivity=2)",
        "geometric(epsilon=1/1000, sensitivity=300)",
        "staircase(epsilon=1/3, gamma=1/5, sensitivity=6)",
        "staircase(epsilon=1/3, gamma=4/5, sensitivity=5)",
        "staircase(epsilon=2, gamma=1/100, sensitivity=3)",
        "staircase(epsilon=1/50, gamma=9/10, sensitivity=40)",
    ];

    /// On the axis, on both sides of its centre and there, to all bits that are asked for.
    #[test]
    fn moments_are_those_of_the_list() {
        let budget = Budget::default();
        for text in TEXTS {
            let (closed, listed) = both(text);
            for c in [(-1, 2), (-3, 1), (1, 7), (4, 1), (30, 1), (-500_001, 1_000_000)] {
                let c = Rational::from(c);
                for bits in [60, 300] {
                    let [one, other] = [&closed as &dyn Factor, &listed].map(|f| f.moment(&c, bits, &budget).unwrap());
                    assert!(one.overlaps(&other), "{text} {c}: {one:?} {other:?}");
                    assert!(one.relative_bits().is_some_and(|known| known > i64::from(bits) - 4), "{text} {c}");
                }
                let rough = closed.moment(&c, 64, &budget).unwrap().ln().lower().to_f64();
                assert!((closed.log_moment(c.to_f64()) - rough).abs() < 1e-9 * (1.0 + rough.abs()), "{text} {c}");
            }
        }
    }

    /// At nodes of lines, the axis of symmetry and whole turns of a step included.
    #[test]
    fn values_are_those_of_the_list() {
        let budget = Budget::default();
        for text in TEXTS {
            let (closed, listed) = both(text);
            for (c, period) in [((-1, 2), "7"), ((1, 3), "50"), ((-9, 4), "1/5"), ((6, 1), "3"), ((1, 3), "2/3")] {
                let line = VerticalContour::new(Rational::from(c), period.parse().expect("a constant"));
                for first in [0, 1000, 1 << 30] {
                    let [one, other] = [&closed as &dyn Factor, &listed]
                        .map(|f| f.on(&line, 120, &budget).unwrap().run(first, 300, &budget).unwrap());
                    let largest = closed.moment(line.tilt(), 64, &budget).unwrap().upper().to_f64();
                    for (k, (one, other)) in (first..).zip(one.iter().zip(&other)) {
                        assert!(one.re().overlaps(&other.re()) && one.im().overlaps(&other.im()), "{text} {c:?} {k}");
                        let far = one.radius().to_f64();
                        assert!(far < 1e-24 * largest, "{text} {c:?} {period} {k}: {far}");
                    }
                }
            }
        }
    }
}
