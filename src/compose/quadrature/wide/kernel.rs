//! `2^s c/(c + iu)` at the nodes, at most one in modulus, in integers: a quotient of doubles and one correction.
//!
//! With `t = u/c`, `z = 1/(1 + it)`; let z' be a pair of doubles near it and `e = 1 - (1 + it) z'`. Then
//! `z = z'/(1 - e)`, and `|z - z' (1 + e + e^2)| = |z| |e|^3 <= |e|^3`. The code computes e and checks that it is below
//! `2^-42` in modulus.
//!
//! **Errors.** `t = sign 2^x m`, with m of 122 bits behind the point, `1 <= m < 2`. Errors of e, in units of `2^-122`:
//!
//! * m is the product of k and the leading 128 bits of the first ordinate over c, cut off: 1.05, for `|t z'| <= 1.01`;
//! * `2^x z'` is exact in doubles and cut off in each part: 1.42, times `m < 2`;
//! * their product is cut off: 4, a cut;
//! * z' is cut off in each part: 1.42.
//!
//! Together that is less than 3 cuts, and `e^2` adds another one. `2^s z'` is cut off by 1.42 units, and the last
//! product by a cut: less than 6 cuts, for `|2^s z'|^2 <= 1.001`, and `2^-126 2^s |z|` for `e^3`. Eight are counted.
//! See `proofs/paper/points-in-long-integers.md`.

use rug::Float;
use rug::float::Round::Down;

use super::{CUT, ROOM, UNIT};
use enclosure::wide::{BITS, Point};
use enclosure::{Enclosure, Portable, work};

/// The kernel of one line.
pub struct Kernel {
    /// The ordinate of node 1 over `|c|`, `2^128 > mantissa >= 2^127`, times `2^(exponent - 127)`.
    mantissa: u128,
    exponent: i32,
    negative: bool,
    /// The same as a double.
    near: f64,
}

impl Kernel {
    /// What a point is off by: eight cuts.
    pub const ERROR: f64 = 8.0 * CUT;

    /// For the quotient of the first ordinate and the real part; `None` where it is not known well enough.
    pub fn new(quotient: &Enclosure) -> Option<Self> {
        let negative = *quotient.upper() < 0;
        let size = quotient.abs();
        if *size.lower() <= 0 || size.relative_bits()? < 140 {
            return None;
        }
        let exponent = size.lower().get_exp()? - 1;
        let mantissa = Float::with_val(192, size.lower() >> (exponent - 127)).to_integer_round(Down)?.0.to_u128()?;
        let near = size.lower().to_f64();
        (near > 1e-90 && near < 1e90).then_some(Kernel { mantissa, exponent, negative, near })
    }

    /// How often the kernel may be doubled at this node and all after it, about.
    pub fn room(&self, k: u64) -> i32 {
        let t = self.near * k as f64;
        (0.5 * (1.0 + t * t).portable_log2()).floor().clamp(0.0, 500.0) as i32
    }

    /// The point, doubled so often, and at least its modulus; `None` where the doubles are no guess, or it is too
    /// large.
    pub fn at(&self, k: u64, doubled: i32) -> Option<(Point, f64)> {
        if k == 0 {
            return (doubled == 0).then_some((Point::ONE, 1.0));
        }
        work::spend(100);
        // k times the mantissa, its leading 123 bits.
        let low = u128::from(self.mantissa as u64) * u128::from(k);
        let high = (self.mantissa >> 64) * u128::from(k) + (low >> 64);
        // In units of 2^64 of those of the mantissa; at least 2^63.
        let shift = high.leading_zeros();
        let scaled = (high << shift) | ((u128::from(low as u64) << shift) >> 64);
        let m = (scaled >> (127 - BITS)) as i128;
        let x = self.exponent + 64 - shift as i32;
        let t = self.near * k as f64;
        let whole = 1.0 + t * t;
        let (re, im) = (1.0 / whole, -t / whole);
        let (scale, larger) = (power_of_two(x)?, power_of_two(doubled)?);
        let fixed = |x: f64| (x * (1u128 << BITS) as f64) as i128;
        let near = Point { re: fixed(re), im: fixed(im) };
        // t z' = m (2^x re + i 2^x im), and i times that; the guess has the sign of c taken out.
        let turned = Point { re: m, im: 0 }.times(Point { re: fixed(re * scale), im: fixed(im * scale) });
        let e = Point { re: Point::ONE.re - near.re + turned.im, im: -near.im - turned.re };
        const LEAST: u128 = 1 << (BITS - 43);
        if e.re.unsigned_abs() > LEAST || e.im.unsigned_abs() > LEAST {
            return None;
        }
        let square = e.times(e);
        let factor = Point { re: Point::ONE.re + e.re + square.re, im: e.im + square.im };
        let (re, im) = (re * larger, im * larger);
        if !(re * re + im * im <= 1.001) {
            return None;
        }
        let point = Point { re: fixed(re), im: fixed(im) }.times(factor);
        // Operations of IEEE 754 alone, whose rounding is in `ROOM`. What underflows is below the error.
        let (re, im) = (point.re as f64 * UNIT, point.im as f64 * UNIT);
        let size = (re * re + im * im).sqrt() * ROOM + Self::ERROR;
        Some((if self.negative { point.conjugate() } else { point }, size))
    }
}

/// Exactly.
fn power_of_two(x: i32) -> Option<f64> {
    Some(f64::from_bits(u64::try_from(1023 + x).ok().filter(|x| (1..2047).contains(x))? << 52))
}
