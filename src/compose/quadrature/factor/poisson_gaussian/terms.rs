//! The terms of a sheet, computed by operations rounded to nearest under one bound of their error.
//!
//! A term is `A = (g/sqrt(2 pi)) e^(X + iY)` with `X = (a^2 - t^2)/2 + r l - y theta` and `Y = r theta + y l - at`,
//! where `l + i theta = ln w(t + ia)`; its ratio is `e^(-h theta + i h l)`. Intervals would take two elementary
//! functions for each that is needed here; so the roundings are counted instead.
//!
//! **Claim.** With `u = 2^-bits` the unit of rounding of a term, if `|l| <= reach`, then the complex logarithm is wrong
//! by at most `C u`, `C = logarithm()`, and the term and its ratio relatively by `start()` and `turn()`.
//!
//! *Proof.* (Bounds to first order; the factor `SECOND` takes in the products of errors, which are below `2^-16` of
//! them.) Each parameter is an end of an enclosure whose width is checked to be at most `u` of its size, and rounded:
//! `2u`. `E = p e^(mu t - mu^2/2)` comes from a progression; first term and ratio have `2u` each, each product rounds
//! once, and the result is rounded to the term's precision: `(3n + 3) u` for n nodes. `e^(iv)` has `3u`, two products
//! round: `E e^(iv)` is wrong by `(3n + 8) u E`, and q by `2u q`. By the sine rule q and E are at most `|w|/s`,
//! `s = sin v` if `v` may exceed a right angle and 1 otherwise. Both sums round: `2u |w|`. So `w` is wrong by
//! `((3n + 10)/s + 2) u |w|`, and its logarithm by `((3n + 10)/s + 2) u` absolutely. The square of the modulus and its
//! logarithm round: `2u + u reach`. For the argument, `w` is turned back by an exact double near it: `2u` of sine and
//! cosine, `2u` of the products, and one each of the quotient, the terms of the arc tangent's series (`|x| < 2^-30`),
//! what is left out of it, and the sum, which is at most 4: `12u` in all. So `C = (3n + 10)/s + 16 + reach`. In X and
//! in Y there are at most three products of rounded numbers, `4u` of each with the product's own rounding, one exact
//! number, rounded, and two sums, `2u` of the sizes added up: X and Y together are wrong by at most
//! `2 (|r| + |y|) C u + 6 u size`, where `size = a^2 + t^2 + (|r| + |y|)(reach + 4)`, for `|theta| < 4` and
//! `2 |a t| <= a^2 + t^2`. A complex exponential is relatively wrong by at most 1.1 times that, if it is below 1/100;
//! the roundings of `e^X`, of sine and cosine, of the scale and of the products are `8` units of the precision of the
//! results.

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::PoissonGaussian;
use super::pair::node;
use super::real::{Nodes, bits_of};
use crate::error::Error;
use enclosure::special::{exp_thin, recip_sqrt_two_pi};
use enclosure::{Complex, Enclosure, Portable, products, short};

/// Takes in all products of errors.
const SECOND: f64 = 1.01;

/// What the terms of a sheet have in common.
pub(super) struct Frame {
    /// The precision of the parameters.
    bits: u32,
    r: Float,
    q: Float,
    cos: Float,
    sin: Float,
    start: Float,
    each: Float,
    scale: Float,
    /// `E` at the present node, and from node to node.
    shifted: Float,
    ratio: Float,
    height: Rational,
    square_height: Rational,
    on_axis: bool,
    /// `C` of the claim without `reach`.
    logarithm: f64,
    /// Bounds of `|ln |w||`, of `t^2 + a^2`, of `|r|`, `y` and `h`.
    reach: f64,
    square: f64,
    power: f64,
    ordinate: f64,
    spacing: f64,
}

/// A double that is no smaller than the modulus, if that is not absurd.
fn above(x: &Float) -> f64 {
    x.to_f64().abs() * 1.000_001
}

/// The middle of an enclosure, if the radius is at most `2^-bits` of it.
fn centre(value: &Enclosure, bits: u32) -> Result<Float, Error> {
    if value.relative_bits().is_some_and(|proven| proven >= i64::from(bits)) {
        return Ok(Float::with_val(bits, value.lower()));
    }
    Err(unknown())
}

/// Is the number far from the ends of MPFR's exponents? There a rounded result is wrong by a relative unit, as the
/// claim counts; at the ends it is not.
fn relatively_rounded(x: &Float) -> bool {
    x.get_exp().is_some_and(|exponent| exponent.unsigned_abs() < 1 << 29)
}

fn out_of_range() -> Error {
    Error::Undecided("an inner node of a subsampled Gaussian is out of range".into())
}

fn unknown() -> Error {
    Error::Undecided("a parameter of a subsampled Gaussian is not known precisely enough".into())
}

impl Frame {
    /// For `nodes` on the line `Im t = height`; `ordinates` gives `y` and `h` to so many bits.
    ///
    /// `work` is the precision that the largest term asks of its result.
    pub fn new(
        factor: &PoissonGaussian,
        r: &Rational,
        ordinates: impl Fn(u32) -> (Enclosure, Enclosure),
        nodes: &Nodes,
        height: &Rational,
        work: u32,
    ) -> Result<Self, Error> {
        let (g, a) = (nodes.step.to_f64(), height.to_f64());
        let ends = [nodes.first as f64 * g, nodes.last as f64 * g];
        let square = (ends.map(|t| t * t).into_iter().fold(0.0, f64::max) + a * a) * 1.000_001;
        let v = factor.shape.mu * a;
        // A guess; it is checked at each node. Beyond a right angle |w| may be as small as q sin v between the ends.
        let dip = if v > 1.5 { factor.shape.ln_q.abs() + v.portable_sin().abs().portable_ln().abs() } else { 0.0 };
        let reach = ends.map(|t| factor.shape.off_axis(t, v).0.abs()).into_iter().fold(dip, f64::max) * 1.01
            + factor.shape.off_axis(0.0, v).0.abs().max(1.0);
        let (y, h) = ordinates(64);
        let (spacing, ordinate) = (above(h.upper()), above(y.upper()));
        let power = r.to_f64().abs() * 1.000_001;
        let on_axis = height.is_zero();

        let count = nodes.count() as f64;
        let turn = Complex::cis(&(&factor.mu.enclosure(64) * &Enclosure::rational(height, 64)), 64);
        let sine = if on_axis || *turn.re().lower() > 0 { 1.0 } else { turn.im().lower().to_f64() * 0.999_999 };
        let logarithm = (3.0 * count + 10.0) / sine + 16.0 + reach;
        let mut frame = Frame {
            bits: 0,
            r: Float::new(64),
            q: Float::new(64),
            cos: Float::new(64),
            sin: Float::new(64),
            start: Float::new(64),
            each: Float::new(64),
            scale: Float::new(64),
            shifted: Float::new(64),
            ratio: Float::new(64),
            height: height.clone(),
            square_height: Rational::from(height.square_ref()),
            on_axis,
            logarithm,
            reach,
            square,
            power,
            ordinate,
            spacing,
        };
        // NaN is refused as well.
        if !(sine > 0.0 && frame.start_error() < 1e15 && frame.turn_error() < 1e15) {
            return Err(Error::Undecided("the inner rule of a subsampled Gaussian needs too many bits".into()));
        }
        let bits = work.saturating_add(frame.surplus());
        let pair = factor.pair(bits.saturating_add(16));
        frame.bits = bits;
        frame.r = Float::with_val(bits, r);
        frame.q = centre(&pair.q, bits)?;
        let turn = Complex::cis(&(&pair.mu * &pair.rational(height)), bits + 8);
        if Float::with_val(64, turn.radius() << bits) > 1 {
            return Err(unknown());
        }
        frame.cos = Float::with_val(bits, turn.centre().0);
        frame.sin = Float::with_val(bits, turn.centre().1);
        let (y, h) = ordinates(bits.saturating_add(16));
        frame.start = centre(&y, bits)?;
        frame.each = centre(&h, bits)?;
        frame.scale = centre(&(&recip_sqrt_two_pi(bits + 16) * &pair.rational(&nodes.step)), bits)?;
        // Their exponents cost some bits.
        let extra = bits_of(factor.shape.mu * (square.sqrt() + factor.shape.mu)) + 16;
        let pair = factor.pair(bits.saturating_add(extra));
        frame.shifted = centre(&pair.shifted(&node(nodes.first, &nodes.step)), bits)?;
        frame.ratio = centre(&exp_thin(&(&pair.mu * &pair.rational(&nodes.step)), pair.bits), bits)?;
        Ok(frame)
    }

    /// `1.1 (2 (|r| + |y|) C + 6 size)`.
    fn start_error(&self) -> f64 {
        let slope = self.power + self.ordinate;
        let size = self.square + slope * (self.reach + 4.0);
        1.1 * SECOND * (2.0 * slope * self.logarithm + 6.0 * size)
    }

    /// The same for the ratio.
    fn turn_error(&self) -> f64 {
        1.1 * SECOND * self.spacing * (2.0 * self.logarithm + 6.0 * (self.reach + 4.0))
    }

    /// Bits that the exponents need beyond those of the results.
    fn surplus(&self) -> u32 {
        bits_of(self.start_error().max(self.turn_error())) + 1
    }

    /// The node's place in the progression of `E` is the caller's: this is the number there, and the step to the next.
    pub fn advance(&mut self) {
        self.shifted *= &self.ratio;
    }

    /// `ln |w|` at the present node, and the argument unless it is zero.
    fn logarithm(&self, bits: u32) -> Result<(Float, Option<Float>), Error> {
        let (log, argument) = if self.on_axis {
            let ratio = Float::with_val(bits, &self.q + &self.shifted);
            (short::ln(&ratio, bits), None)
        } else {
            let shifted = Float::with_val(bits, &self.shifted);
            let re = Float::with_val(bits, &shifted * &self.cos) + &self.q;
            let im = Float::with_val(bits, &shifted * &self.sin);
            let square = products::sum(bits, (&re, &re), (&im, &im));
            if !relatively_rounded(&square) {
                return Err(out_of_range());
            }
            (short::ln(&square, bits) >> 1u32, Some(argument(&re, &im)))
        };
        if !(log.is_finite() && above(&log) <= self.reach) {
            return Err(out_of_range());
        }
        Ok((log, argument))
    }

    /// `A` and `R` at the node `t`, with results of `work` bits; the node's `E` is the present one.
    pub fn term(&self, t: &Rational, work: u32) -> Result<(Complex, Complex), Error> {
        let bits = work.saturating_add(self.surplus()).min(self.bits);
        let (log, argument) = self.logarithm(bits)?;
        let half_square = &self.square_height - Rational::from(t.square_ref());
        let mut real = Float::with_val(bits, &half_square) >> 1u32;
        real += Float::with_val(bits, &self.r * &log);
        let mut angle = Float::with_val(bits, &self.start * &log);
        let turn = Float::with_val(bits, &self.each * &log);
        let mut damping = None;
        if let Some(argument) = &argument {
            real -= Float::with_val(bits, &self.start * argument);
            angle += Float::with_val(bits, &self.r * argument);
            angle -= Float::with_val(bits, &Rational::from(&self.height * t));
            damping = Some(short::exp(&-Float::with_val(bits, &self.each * argument), work));
        }
        let unit = |error: f64| units(error, bits, work);
        let size = short::exp(&real, work) * &self.scale;
        if !relatively_rounded(&size) {
            return Err(out_of_range());
        }
        let (sin, cos) = short::sin_cos(&angle, work);
        let radius = Float::with_val_round(64, &size * &unit(self.start_error()), Up).0 * 1.000_001;
        let start = Complex::disc(cos * &size, sin * &size, &radius);
        let (mut sin, mut cos) = short::sin_cos(&turn, work);
        if let Some(damping) = damping {
            sin *= &damping;
            cos *= &damping;
        }
        Ok((start, Complex::disc(cos, sin, &unit(self.turn_error()))))
    }

    /// Upper bounds of the moduli `e^X` at the node `t`, for ordinates of at most `y`.
    pub fn moduli<const N: usize>(&self, t: &Rational, ordinates: &[f64; N], work: u32) -> Result<[Float; N], Error> {
        let bits = work.saturating_add(self.surplus()).min(self.bits);
        let (log, argument) = self.logarithm(bits)?;
        let half_square = &self.square_height - Rational::from(t.square_ref());
        let mut real = Float::with_val(bits, &half_square) >> 1u32;
        real += Float::with_val(bits, &self.r * &log);
        let factor = units(self.start_error(), bits, work) + 1u32;
        Ok(ordinates.each_ref().map(|&u| {
            let exponent = match &argument {
                Some(argument) => Float::with_val(bits, &real - Float::with_val(bits, argument * u)),
                None => real.clone(),
            };
            let modulus = short::exp(&exponent, work);
            // A modulus that underflowed is below the smallest positive number.
            let bound = Float::with_val_round(64, &modulus * &factor, Up).0;
            if bound.is_zero() { Float::with_val(64, Float::i_exp(1, rug::float::exp_min())) } else { bound }
        }))
    }
}

/// `error` units of the precision `bits` and 8 of the precision `work`, rounded up.
fn units(error: f64, bits: u32, work: u32) -> Float {
    let relative = Float::with_val_round(64, error, Up).0 >> bits;
    relative + (Float::with_val(64, 8) >> work) * 1.000_001
}

/// The argument of `re + i im`, between 0 and pi, by one sine and cosine instead of one arc tangent.
fn argument(re: &Float, im: &Float) -> Float {
    let bits = re.prec();
    let guess = im.to_f64().portable_atan2(re.to_f64());
    let whole = |(sin, cos): (Float, Float)| {
        // (re + i im)(cos - i sin).
        let real = products::sum(bits, (re, &cos), (im, &sin));
        let x = products::difference(bits, (im, &cos), (re, &sin)) / &real;
        (real > 0 && x.get_exp().is_none_or(|exponent| exponent <= -30)).then_some(x)
    };
    let turned =
        (0.0..=3.2).contains(&guess).then(|| whole(short::sin_cos(&Float::with_val(53, guess), bits))).flatten();
    let Some(x) = turned else {
        // Out of a double's exponents.
        return Float::with_val(bits, im.atan2_ref(re));
    };
    let square = Float::with_val(bits, x.square_ref());
    let mut sum = x.clone();
    let mut power = x;
    for n in 1u32.. {
        power *= &square;
        let small = power.get_exp().is_none_or(|exponent| i64::from(exponent) < -i64::from(bits));
        if small {
            break;
        }
        let part = Float::with_val(bits, &power / (2 * n + 1));
        if n % 2 == 1 { sum -= part } else { sum += part }
    }
    sum + guess
}
