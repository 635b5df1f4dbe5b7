//! Bounds on elementary functions of rationals, from integer arithmetic alone.
//!
//! **What is certified.** Each function returns a pair of dyadic rationals `lower <= f(x) <= upper` with
//! `upper - lower <= 2^-bits |f(x)|`. Everything is a sum or product of integers that stand for multiples of `2^-w`
//! (`w` is `bits` with guard bits), each rounded down, with a count of the units that may have been lost.
//!
//! **Why the loops end.** A term of a series is a nonnegative integer that shrinks at least by half each time, so it
//! becomes zero after at most `w` terms; the true rest is then bounded by a geometric series. Only the logarithm near 1
//! needs its precision raised by what the argument shows beforehand.

use std::cell::RefCell;
use std::collections::HashMap;
use std::thread::LocalKey;

use malachite::base::num::arithmetic::traits::{Abs, Ceiling, DivRound, Floor, FloorSqrt, ShrRound, UnsignedAbs};
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::{Ceiling as Up, Floor as Down};
use malachite::rational::Rational;
use malachite::{Integer, Natural};

/// Two ends of an interval that holds the true value.
pub type Bounds = (Rational, Rational);

/// `e^x`.
///
/// # Panics
/// Only if the result fits into no memory: it has about `1.44 |x|` bits, so callers keep `|x|` to a few millions.
pub fn exp_bounds(x: &Rational, bits: u64) -> Bounds {
    let (lower, upper, exponent) = exp_parts(x, bits);
    (scaled(lower, exponent), scaled(upper, exponent))
}

/// The same as two integers times a power of two, for any x whose integer part fits into memory.
///
/// # Panics
/// Only if that power has no place in an integer of the machine.
pub fn exp_parts(x: &Rational, bits: u64) -> (Natural, Natural, i64) {
    if *x == 0u32 {
        return (Natural::ONE, Natural::ONE, 0);
    }
    // x = n ln 2 + r: the divisor is taken on the side that makes n too small rather than too large, hence r >= 0, and
    // its precision exceeds the magnitude of x by 32 bits, hence r < ln 2 + 2^-30.
    let coarse = 34 + magnitude(x).max(0) as u64;
    let (ln2_low, ln2_high) = ln_2_bounds(coarse);
    let divisor = if *x > 0u32 { ceiling_at(&ln2_high, coarse + 8) } else { floor_at(&ln2_low, coarse + 8) };
    let n = floor_at(x, coarse + 8).div_round(divisor, Down).0;
    let shift = i64::try_from(&n).expect("an exponent that fits into memory");
    let halvings = (bits.floor_sqrt() / 2 + 2).min(256);
    let w = bits + 2 * halvings + guard(bits);
    // ln 2 so precise that n times its error is below a unit. Numbers of units are no fractions, which are reduced.
    let more = n.significant_bits() + 2;
    let (low, high) = ln_2_bounds(w + more + 2);
    let (low, high) = (floor_at(&low, w + more), ceiling_at(&high, w + more));
    let (low, high) = if n < 0 { (&n * high, n * low) } else { (&n * low, n * high) };
    let at = floor_at(x, w);
    let r_low = &at - high.shr_round(more, Up).0;
    let r_high = at + Integer::ONE - (low >> more);
    let (lower, upper) = exp_fraction(&positive(r_low), &positive(r_high), w, halvings);
    (lower, upper, shift - w as i64)
}

/// Natural logarithm of a positive rational.
///
/// # Panics
/// If `x` is not positive.
pub fn ln_bounds(x: &Rational, bits: u64) -> Bounds {
    assert!(*x > 0u32, "the logarithm of a number that is not positive");
    if *x == 1u32 {
        return (Rational::ZERO, Rational::ZERO);
    }
    // x = 2^n m with m in [3/4, 3/2), so that no cancellation is possible between n ln 2 and ln m.
    let n = magnitude(x);
    ln_of_parts(shifted(x, -n), n, bits)
}

/// `ln(2^n m)`, m between 1/2 and 4.
pub fn ln_of_parts(mut m: Rational, mut n: i64, bits: u64) -> Bounds {
    if m < Rational::from_naturals(Natural::from(3u32), Natural::from(4u32)) {
        m <<= 1u64;
        n -= 1;
    }
    while m >= Rational::from_naturals(Natural::from(3u32), Natural::TWO) {
        m >>= 1u64;
        n += 1;
    }
    // ln m = 2 artanh z, z = (m - 1)/(m + 1) in [-1/7, 1/5).
    let z = (&m - Rational::ONE) / (&m + Rational::ONE);
    if n == 0 && z == 0u32 {
        return (Rational::ZERO, Rational::ZERO);
    }
    if n == 0 {
        // All digits come from z, which may be tiny: work relative to it.
        let w = bits + below_one(&z);
        let w = w + guard(w);
        return artanh_bounds(&z, w);
    }
    let w = bits + guard(bits);
    let (ln2_low, ln2_high) = ln_2_bounds(w + 64);
    let n = Rational::from(n);
    let (low, high) = ordered(&n * ln2_low, &n * ln2_high);
    if z == 0u32 {
        return (low, high);
    }
    let (m_low, m_high) = artanh_bounds(&z, w);
    let (low, high) = (low + m_low, high + m_high);
    (scaled_down(&low, w), scaled_up(&high, w))
}

/// A constant at so many bits, kept for the next one who asks on this thread: every exponential does.
fn kept(known: &'static LocalKey<Known>, bits: u64, compute: fn(u64) -> Bounds) -> Bounds {
    known.with_borrow_mut(|known| {
        if known.len() >= KEPT {
            known.clear();
        }
        known.entry(bits).or_insert_with(|| compute(bits)).clone()
    })
}

/// Bounds by their bits.
type Known = RefCell<HashMap<u64, Bounds>>;

/// So many are kept of each constant.
const KEPT: usize = 1 << 10;

thread_local! {
    static LN_2: Known = RefCell::default();
    static PI: Known = RefCell::default();
}

/// `ln 2`.
pub fn ln_2_bounds(bits: u64) -> Bounds {
    kept(&LN_2, bits, ln_2)
}

/// pi.
pub fn pi_bounds(bits: u64) -> Bounds {
    kept(&PI, bits, pi)
}

/// `ln 2 = 18 artanh(1/26) - 2 artanh(1/4801) + 8 artanh(1/8749)`.
fn ln_2(bits: u64) -> Bounds {
    let w = bits + guard(bits);
    let (mut low, mut high) = (Integer::ZERO, Integer::ZERO);
    for (factor, q) in [(18i64, 26u64), (-2, 4801), (8, 8749)] {
        let (sum, error) = artanh_reciprocal(q, w);
        let (a, b) = (Integer::from(&sum), Integer::from(&sum + Natural::from(error)));
        let factor = Integer::from(factor);
        let (a, b) = if factor > 0 { (a, b) } else { (b, a) };
        low += &factor * a;
        high += &factor * b;
    }
    (dyadic(low, w), dyadic(high, w))
}

/// pi, by Machin's `16 arctan(1/5) - 4 arctan(1/239)`.
fn pi(bits: u64) -> Bounds {
    let w = bits + guard(bits);
    let (a, a_error) = arctan_reciprocal(5, w);
    let (b, b_error) = arctan_reciprocal(239, w);
    let (a_error, b_error) = (Integer::from(a_error), Integer::from(b_error));
    let (sixteen, four) = (Integer::from(16), Integer::from(4));
    let low = &sixteen * (&a - &a_error) - &four * (&b + &b_error);
    let high = sixteen * (a + a_error) - four * (b - b_error);
    (dyadic(low, w), dyadic(high, w))
}

/// Square root of a rational that is not negative.
///
/// # Panics
/// If `x` is negative.
pub fn sqrt_bounds(x: &Rational, bits: u64) -> Bounds {
    assert!(*x >= 0u32, "the square root of a negative number");
    if *x == 0u32 {
        return (Rational::ZERO, Rational::ZERO);
    }
    // x 4^w >= 4^bits, so that one unit of the root is relatively below 2^-bits.
    let w = bits as i64 + 2 - magnitude(x).div_euclid(2);
    let square = shifted(x, 2 * w).floor();
    let root = positive(square).floor_sqrt();
    let next = &root + Natural::ONE;
    (scaled(root, -w), scaled(next, -w))
}

/// The error function, from its alternating series at the rational `x`; meant for moderate `|x|`, since the terms grow
/// to `e^(x^2)` before they shrink.
pub fn erf_bounds(x: &Rational, bits: u64) -> Bounds {
    if *x == 0u32 {
        return (Rational::ZERO, Rational::ZERO);
    }
    // erf x = (2/sqrt(pi)) e^(-x^2) sum_n 2^n x^(2n+1)/(1 3 5 ... (2n+1)): all terms have the sign of x.
    let square = x * x;
    let w = bits + 16 + guard(bits);
    let unit = w + below_one(x);
    let x_abs = x.abs();
    let mut term = positive(floor_at(&x_abs, unit));
    let ratio = &square << 1u64;
    let ratio_low = positive(floor_at(&ratio, unit));
    let ratio_high = scaled_up(&ratio, 64);
    let mut sum = term.clone();
    let mut n = 0u64;
    // Terms rounded down; the loss of a term is below 1 unit plus what it inherits, which the running bound counts: in
    // few bits, upward.
    let mut loss = Rational::ONE;
    let mut lost = Rational::ONE;
    let small = Rational::from_naturals(Natural::ONE, Natural::TWO);
    loop {
        n += 1;
        let divisor = 2 * n + 1;
        let factor = &ratio_high / Rational::from(divisor);
        let inherited = &loss * &factor + Rational::from(&term >> unit) + Rational::TWO;
        term = ((&term * &ratio_low) >> unit) / Natural::from(divisor);
        loss = scaled_up(&inherited, 8);
        sum += &term;
        lost += &loss;
        if term == 0u32 && factor <= small {
            break;
        }
    }
    // What follows is at most the last true term, below `loss` units, times 1/2 + 1/4 + ...
    lost += loss;
    let low = Rational::from(sum) * scaled(Natural::ONE, -(unit as i64));
    let high = &low + lost * scaled(Natural::ONE, -(unit as i64));
    let (exp_low, exp_high) = exp_bounds(&-square, w);
    let (pi_low, pi_high) = pi_bounds(w);
    let (root_low, _) = sqrt_bounds(&pi_low, w);
    let (_, root_high) = sqrt_bounds(&pi_high, w);
    let two = Rational::TWO;
    let (low, high) = (&two * low * exp_low / root_high, two * high * exp_high / root_low);
    let digits = bits + 8 + below_one(&low);
    let (low, high) = (scaled_down(&low, digits), scaled_up(&high, digits));
    if *x > 0u32 { (low, high) } else { (-high, -low) }
}

/// `2 artanh z` for `|z| <= 1/5`, within a few units of `2^-w`.
fn artanh_bounds(z: &Rational, w: u64) -> Bounds {
    let magnitude = z.abs();
    let z_low = positive(floor_at(&magnitude, w));
    let square = (&z_low * &z_low) >> w;
    let mut power = z_low;
    let mut sum = Natural::ZERO;
    let mut n = 0u64;
    while power != 0u32 {
        sum += &power / Natural::from(2 * n + 1);
        power = (&power * &square) >> w;
        n += 1;
    }
    // With z and z^2 rounded down by a unit (z^2 by at most 1 + 2z < 2) and every power by one more, a power z^(2n+1)
    // is low by at most e_n, e_(n+1) <= e_n/25 + 2 z^(2n+1) + 1 < 2; every quotient loses one more, and the
    // rest after the last term is below the two units that the last power may have been low.
    let error = Natural::from(3 * n + 4) << 1u64;
    let low = sum << 1u64;
    let high = &low + error;
    let (low, high) = (dyadic(Integer::from(low), w), dyadic(Integer::from(high), w));
    if *z > 0u32 { (low, high) } else { (-high, -low) }
}

/// `artanh(1/q)` in units of `2^-w`, rounded down, and how many units it may be low.
fn artanh_reciprocal(q: u64, w: u64) -> (Natural, u64) {
    let square = Natural::from(q * q);
    let mut power = (Natural::ONE << w) / Natural::from(q);
    let mut sum = Natural::ZERO;
    let mut n = 0u64;
    while power != 0u32 {
        sum += &power / Natural::from(2 * n + 1);
        power /= &square;
        n += 1;
    }
    // Each power is low by less than 2 units, each quotient by one more, and the rest by less than 2.
    (sum, 3 * n + 2)
}

/// `arctan(1/q)` in units of `2^-w`, and the error in units, of either sign.
fn arctan_reciprocal(q: u64, w: u64) -> (Integer, u64) {
    let square = Natural::from(q * q);
    let mut power = (Natural::ONE << w) / Natural::from(q);
    let mut sum = Integer::ZERO;
    let mut n = 0u64;
    while power != 0u32 {
        let term = Integer::from(&power / Natural::from(2 * n + 1));
        if n.is_multiple_of(2) {
            sum += term;
        } else {
            sum -= term;
        }
        power /= &square;
        n += 1;
    }
    (sum, 3 * n + 2)
}

/// `e^r` for every `r` between `low` and `high` (`0 <= low <= high <= 1`, in units of `2^-w`), in the same units.
fn exp_fraction(low: &Natural, high: &Natural, w: u64, halvings: u64) -> (Natural, Natural) {
    let u = low >> halvings;
    let one = Natural::ONE << w;
    let mut term = one.clone();
    let mut sum = one.clone();
    let mut n = 0u64;
    loop {
        n += 1;
        term = ((&term * &u) >> w) / Natural::from(n);
        if term == 0u32 {
            break;
        }
        sum += &term;
    }
    // u <= 1/2 here. A term inherits at most half of its predecessor's loss, so each is low by less than 2 units, the
    // rest by less than 4; rounding u itself down by a unit loses less than e^u < 2 units.
    let mut lower = sum;
    let mut off = Natural::from(2 * n + 6);
    for _ in 0..halvings {
        // (l + d)^2 <= l^2 + (2 l + d) d, whose first part is rounded down and whose second part is rounded up.
        off = ((((&lower << 1u64) + &off) * off) >> w) + Natural::TWO;
        lower = (&lower * &lower) >> w;
    }
    let mut upper = &lower + off;
    // e^(low + d) <= e^low (1 + 2 d) for d <= 1.
    let gap = high - low;
    let rise = ((&upper * (gap << 1u64)) >> w) + Natural::ONE;
    upper += rise;
    (lower, upper)
}

/// Guard bits that outweigh the lost units of any loop here: their number is a small multiple of the working bits.
fn guard(bits: u64) -> u64 {
    16 + bits.significant_bits()
}

/// The integer `e` with `2^e < |x| < 2^(e+2)`, for `x` not 0.
fn magnitude(x: &Rational) -> i64 {
    x.numerator_ref().significant_bits() as i64 - x.denominator_ref().significant_bits() as i64 - 1
}

/// How many bits below 1 the number begins, 0 if it does not.
pub fn below_one(x: &Rational) -> u64 {
    (-magnitude(x)).max(0) as u64
}

/// `x 2^n`.
fn shifted(x: &Rational, n: i64) -> Rational {
    if n >= 0 { x << (n as u64) } else { x >> (n.unsigned_abs()) }
}

/// `floor(x 2^w)`.
pub fn floor_at(x: &Rational, w: u64) -> Integer {
    (x << w).floor()
}

/// `ceiling(x 2^w)`.
pub fn ceiling_at(x: &Rational, w: u64) -> Integer {
    (x << w).ceiling()
}

/// The largest multiple of `2^-w` that is at most `x`.
pub fn scaled_down(x: &Rational, w: u64) -> Rational {
    dyadic(floor_at(x, w), w)
}

/// The smallest multiple of `2^-w` that is at least `x`.
pub fn scaled_up(x: &Rational, w: u64) -> Rational {
    dyadic(ceiling_at(x, w), w)
}

/// `n 2^-w`.
fn dyadic(n: Integer, w: u64) -> Rational {
    Rational::from(n) >> w
}

/// `n 2^e`.
fn scaled(n: Natural, e: i64) -> Rational {
    shifted(&Rational::from(n), e)
}

/// The two in ascending order.
fn ordered(a: Rational, b: Rational) -> Bounds {
    if a <= b { (a, b) } else { (b, a) }
}

/// An integer as a natural number, 0 if it is negative.
fn positive(n: Integer) -> Natural {
    if n > 0 { n.unsigned_abs() } else { Natural::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    use rug::float::Round;

    fn rational(text: &str) -> Rational {
        Rational::from_str(text).unwrap()
    }

    /// The bounds must hold MPFR's two roundings between them or overlap them, and be as narrow as promised.
    fn check(bounds: &Bounds, mpfr: impl Fn(Round) -> rug::Float, bits: u64) {
        let exact = |value: rug::Float| rational(&value.to_rational().unwrap().to_string());
        let (low, high) = (exact(mpfr(Round::Down)), exact(mpfr(Round::Up)));
        assert!(bounds.0 <= high && low <= bounds.1, "no overlap: {bounds:?} with [{low}, {high}]");
        let width = &bounds.1 - &bounds.0;
        assert!((width << bits) <= (&bounds.0).abs(), "too wide");
    }

    fn mpfr(text: &str, f: impl Fn(&mut rug::Float, Round)) -> impl Fn(Round) -> rug::Float {
        let exact = rug::Rational::from_str(text).unwrap();
        move |round| {
            // The argument itself is rounded far below the precision compared.
            let mut x = rug::Float::with_val_round(4000, &exact, round).0;
            f(&mut x, round);
            x
        }
    }

    const ARGUMENTS: [&str; 12] = [
        "1",
        "-1",
        "1/2",
        "3/7",
        "-22/7",
        "100",
        "-1000/3",
        "123456789/1000",
        "1/1000000000000000000000000000000000",
        "-1/340282366920938463463374607431768211456",
        "65536",
        "-99999/7",
    ];

    #[test]
    fn exponential_overlaps_mpfr() {
        for text in ARGUMENTS {
            for bits in [1, 20, 64, 200, 1500] {
                let bounds = exp_bounds(&rational(text), bits);
                check(
                    &bounds,
                    mpfr(text, |x, round| {
                        x.exp_round(round);
                    }),
                    bits,
                );
            }
        }
    }

    #[test]
    fn logarithm_overlaps_mpfr() {
        for text in ARGUMENTS.iter().filter(|text| !text.starts_with('-')).chain(&[
            "1000000000000000000001/1000000000000000000000",
            "999999999/1000000000",
            "3/2",
            "3/4",
            "2",
            "7/4",
            "15/8",
            "1/1267650600228229401496703205376",
        ]) {
            for bits in [1, 20, 64, 200, 1500] {
                if *text != "1" {
                    check(
                        &ln_bounds(&rational(text), bits),
                        mpfr(text, |x, round| {
                            x.ln_round(round);
                        }),
                        bits,
                    );
                }
            }
        }
        assert_eq!(ln_bounds(&Rational::ONE, 10), (Rational::ZERO, Rational::ZERO));
    }

    #[test]
    fn square_root_and_error_function_overlap_mpfr() {
        for text in ["1", "2", "1/3", "1/100000000000000000000", "123456789123456789"] {
            for bits in [1, 20, 64, 200, 1500] {
                check(
                    &sqrt_bounds(&rational(text), bits),
                    mpfr(text, |x, round| {
                        x.sqrt_round(round);
                    }),
                    bits,
                );
            }
        }
        for text in ["1", "-1/2", "1/3", "-1/100000000000000000000", "5", "12"] {
            for bits in [1, 20, 64, 200, 1500] {
                check(
                    &erf_bounds(&rational(text), bits),
                    mpfr(text, |x, round| {
                        x.erf_round(round);
                    }),
                    bits,
                );
            }
        }
    }

    #[test]
    fn constants_overlap_mpfr() {
        for bits in [1, 30, 200, 3000] {
            let constant = |which| move |round| rug::Float::with_val_round(4000, which, round).0;
            check(&ln_2_bounds(bits), constant(rug::float::Constant::Log2), bits);
            check(&pi_bounds(bits), constant(rug::float::Constant::Pi), bits);
        }
    }
}
