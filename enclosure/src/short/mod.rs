//! Exponential, logarithm, sine and cosine of numbers of a few limbs.
//!
//! MPFR's functions support any precision; at two or three hundred bits, the precision of most answers, their
//! multi-precision overhead dominates. Here numbers are arrays of 64-bit limbs, two tables reduce arguments to less
//! than `2^-16`, and a short series is evaluated.
//!
//! **Contract.** With the unit of rounding `u = 2^-bits` and a result `y~` of `bits` bits for a truth y:
//! `|y~ - y| <= u |y| + 2^-16 u` for [`ln`], sine and cosine ([`sin_cos`]), and `|y~ - y| <= (1 + 2^-16) u |y|` for
//! [`exp`]. Arguments and precisions that the tables do not cover are passed to MPFR and rounded to nearest.
//!
//! *Argument.* Everything is counted in units of the last limb, `2^(-64 N)`; N is chosen so that `64 N >= bits + 32`.
//! Each file gives the units by which its functions err: fewer than `2^13` in all, which is `2^-19 u`. The result is
//! then rounded to nearest. Paper proof: `proofs/paper/short-numbers.md`.

mod circle;
mod constants;
mod exp;
mod limbs;
mod ln;
mod units;

use crate::Portable;
use std::f64::consts::{FRAC_2_PI, LOG2_E};

use rug::float::Round::Down;
use rug::{Assign, Float};

use self::circle::Circle;
use self::constants::Kept;
use self::exp::Powers;
use self::limbs::{Limbs, times};
use self::ln::{Logarithm, excess_of_quarter};
use self::units::Units;
use super::limbs::{KEPT, MOST};
use super::work;

/// Largest precision, in bits, that the tables cover.
pub const MOST_BITS: u32 = 64 * MOST as u32 - SPARE;

/// Bits beyond those of the result.
const SPARE: u32 = 32;

/// Exponents of arguments: `|x| < 2^29` keeps `e^x` within MPFR's exponents.
const LARGEST: i32 = 29;

/// Call a function of the number of limbs.
macro_rules! by_width {
    ($bits:expr, $function:ident($($argument:expr),*)) => {
        match ($bits + SPARE).div_ceil(64) {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            7 => $function::<7>($($argument),*),
            8 => $function::<8>($($argument),*),
            9 => $function::<9>($($argument),*),
            10 => $function::<10>($($argument),*),
            11 => $function::<11>($($argument),*),
            12 => $function::<12>($($argument),*),
            _ => None,
        }
    };
}

/// Is it finite, not zero, and not too large?
fn served(x: &Float, bits: u32) -> bool {
    bits <= MOST_BITS && x.is_normal() && x.get_exp().is_some_and(|exponent| exponent <= LARGEST)
}

/// Count the work of one function.
fn count(bits: u32) {
    if bits <= MOST_BITS {
        let limbs = u64::from((bits + SPARE).div_ceil(64));
        work::spend(200 + 20 * limbs * limbs);
    } else {
        work::spend_function(bits);
    }
}

/// `e^x`.
pub fn exp(x: &Float, bits: u32) -> Float {
    count(bits);
    let value = if served(x, bits) { by_width!(bits, short_exp(x, bits)) } else { None };
    value.unwrap_or_else(|| Float::with_val(bits, x.exp_ref()))
}

/// `sin x` and `cos x`.
pub fn sin_cos(x: &Float, bits: u32) -> (Float, Float) {
    count(bits);
    let value = if served(x, bits) { by_width!(bits, short_sin_cos(x, bits)) } else { None };
    value.unwrap_or_else(|| {
        let (mut sin, mut cos) = (Float::new(bits), Float::new(bits));
        (&mut sin, &mut cos).assign(x.sin_cos_ref());
        (sin, cos)
    })
}

/// `ln x`; NaN for `x < 0`.
pub fn ln(x: &Float, bits: u32) -> Float {
    count(bits);
    let short = bits <= MOST_BITS && x.is_normal() && x.is_sign_positive();
    let value = if short { by_width!(bits, short_ln(x, bits)) } else { None };
    value.unwrap_or_else(|| Float::with_val(bits, x.ln_ref()))
}

/// The limbs of what an argument is reduced in: those of a fraction, one below them, and one for the whole part.
const fn wide(limbs: usize) -> usize {
    limbs + 2
}

/// `x / modulus` in units of `2^(-64 (N + 1))`: the quotient, and the whole part and the fraction of the remainder.
///
/// The remainder is that of a number that is smaller by less than one such unit, by a modulus that is smaller by less
/// than one: with a quotient below `2^31` it is wrong by `2^-32` of the fraction's units, and cut to them.
fn reduce<const N: usize>(x: &Float, modulus: &Units, reciprocal: f64) -> Option<(i32, u64, Limbs<N>)> {
    let limbs = wide(N);
    let mut rest = units::floor(x, x.get_exp()? + 64 * (N as i32 + 1), limbs)?;
    // By a product: a quotient of doubles is right or the next to the right one.
    let mut quotient = (x.to_f64() * reciprocal).floor() as i32;
    let whole = units::times(modulus, quotient.unsigned_abs(), limbs);
    if quotient < 0 {
        units::add(&mut rest, &whole, limbs);
    } else {
        units::subtract(&mut rest, &whole, limbs);
    }
    if units::is_negative(&rest, limbs) {
        units::add(&mut rest, modulus, limbs);
        quotient -= 1;
    }
    let mut less = rest;
    if !units::subtract(&mut less, modulus, limbs) {
        rest = less;
        quotient += 1;
        // The remainder is checked to be one.
        if !units::subtract(&mut less, modulus, limbs) {
            return None;
        }
    }
    let mut fraction = [0; N];
    fraction.copy_from_slice(&rest[1..=N]);
    Some((quotient, rest[N + 1], fraction))
}

/// `x 2^exponent` of a whole number of units.
fn rounded<const N: usize>(units: &Limbs<N>, bits: u32, exponent: i32) -> Float {
    units::to_float(units, bits) << (exponent - 64 * N as i32)
}

/// `x = k ln 2 + r`; `e^r/4` is at least 1/4 and too small by less than 800 units, and r by less than 1.1: less than
/// `2^12` units of the value.
fn short_exp<const N: usize>(x: &Float, bits: u32) -> Option<Float>
where
    Powers<N>: Kept,
{
    let powers = Powers::<N>::kept();
    let (k, _, r) = reduce::<N>(x, powers.ln_2()?, LOG2_E)?;
    Some(rounded(&powers.quarter(&r), bits, k.checked_add(2)?))
}

/// `x = k pi/2 + r`; the halves are wrong by less than 2400 units and r by less than 1.1: less than `2^13` units of 1.
fn short_sin_cos<const N: usize>(x: &Float, bits: u32) -> Option<(Float, Float)>
where
    Circle<N>: Kept,
{
    let circle = Circle::<N>::kept();
    let (k, whole, r) = reduce::<N>(x, circle.half_pi()?, FRAC_2_PI)?;
    let [cos, sin] = circle.halves(whole, &r).map(|half| rounded(&half, bits, 1));
    Some(match k.rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    })
}

/// `x = m 2^e`, `1/2 <= m < 1`: `ln x = g + ln(m e^-g) + e ln 2` for any g, and one just below `ln m` leaves the
/// logarithm of `1 + z` with a small `z >= 0`.
///
/// `m` is cut to units, `e^-g/4` is too small by less than 800 and their product by less than `800 + 0.51 + 1.1`, so z
/// by less than 3210, and the logarithm by less than 3213. That z is small is checked, so nothing rests on the double.
fn short_ln<const N: usize>(x: &Float, bits: u32) -> Option<Float>
where
    Powers<N>: Kept,
    Logarithm<N>: Kept,
{
    /// `g` is a multiple of this power.
    const GRAIN: u32 = 60;
    let powers = Powers::<N>::kept();
    let exponent = x.get_exp()?;
    let mut mantissa = [0; N];
    mantissa.copy_from_slice(&units::floor(x, 64 * N as i32, N + 1)?[..N]);
    // The double and its logarithm are wrong by some 2^-52: less than what is taken off.
    let guess = (x.to_f64_exp_round(Down).0.portable_ln() * (1u64 << GRAIN) as f64).floor() as i64 - (1 << 10);
    let distance = u64::try_from(guess.checked_neg()?).ok()?;
    let mut minus_g = [0; N];
    minus_g[N - 1] = distance.checked_mul(1 << (64 - GRAIN))?;
    let product = times(&mantissa, &powers.quarter(&minus_g));
    let small = Logarithm::<N>::kept().of_one_plus(&excess_of_quarter(&product)?);
    let limbs = wide(N);
    let (mut sum, mut taken) = ([0; KEPT], [0; KEPT]);
    sum[1..=N].copy_from_slice(&small);
    taken[1..=N].copy_from_slice(&minus_g);
    units::subtract(&mut sum, &taken, limbs);
    let whole = units::times(powers.ln_2()?, exponent.unsigned_abs(), limbs);
    if exponent < 0 {
        units::subtract(&mut sum, &whole, limbs);
    } else {
        units::add(&mut sum, &whole, limbs);
    }
    Some(units::signed_to_float(sum, limbs, bits) >> (64 * (N as u32 + 1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::integer::Order;
    use rug::ops::Pow;
    use rug::{Integer, Rational};

    use super::limbs::of_integer;
    use super::*;

    /// `|value - truth| <= u |truth| share + 2^-16 u`, `truth` being MPFR's value with a hundred more bits.
    fn close(value: &Float, truth: &Float, bits: u32, absolute: bool) -> bool {
        let unit = Float::with_val(64, 1) >> bits;
        let small = Float::with_val(64, &unit >> 16u32);
        let size = Float::with_val(64, truth.abs_ref());
        let bound = if absolute { &unit * size + small } else { (unit + small) * size };
        Float::with_val(64, value - truth).abs() <= bound
    }

    /// Numbers of all sizes, near and far from the borders of the tables.
    fn number() -> impl Strategy<Value = Float> {
        let place = prop_oneof![
            (any::<i64>(), -130i32..30).prop_map(|(n, exponent)| Float::with_val(300, n) << (exponent - 63)),
            // Close to a multiple of a row of the tables.
            (-700i32..700, 8u32..17, -1i32..=1, 20u32..290).prop_map(|(i, row, side, near)| {
                (Float::with_val(300, i) >> row) + (Float::with_val(300, side) >> near)
            }),
            // Close to a multiple of ln 2 and of pi/2.
            (-3000i32..3000, any::<bool>(), -1i32..=1, 20u32..290).prop_map(|(k, circle, side, near)| {
                let modulus = if circle {
                    Float::with_val(300, rug::float::Constant::Pi) >> 1u32
                } else {
                    Float::with_val(300, rug::float::Constant::Log2)
                };
                modulus * k + (Float::with_val(300, side) >> near)
            }),
        ];
        place.prop_filter("zero is MPFR's", |x| x.is_normal())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn mpfr_agrees(x in number(), bits in 2u32..MOST_BITS + 40) {
            let wide = bits + 100;
            prop_assert!(close(&exp(&x, bits), &Float::with_val(wide, x.exp_ref()), bits, false));
            let (sin, cos) = sin_cos(&x, bits);
            prop_assert!(close(&sin, &Float::with_val(wide, x.sin_ref()), bits, true));
            prop_assert!(close(&cos, &Float::with_val(wide, x.cos_ref()), bits, true));
            let x = x.abs();
            for x in [x.clone(), x.exp()] {
                prop_assert!(close(&ln(&x, bits), &Float::with_val(wide, x.ln_ref()), bits, true));
            }
        }
    }

    /// The counted units themselves, at every row of the tables and for every width.
    fn units<const N: usize>()
    where
        Powers<N>: Kept,
        Circle<N>: Kept,
    {
        let bits = 64 * N as u32;
        let wide = bits + 128;
        let off = |units: &Limbs<N>, truth: Float| -> f64 {
            let scaled: Float = truth << bits;
            Float::with_val(53, scaled - Integer::from_digits(units, Order::Lsf)).to_f64()
        };
        let spread = Integer::from(Integer::u_pow_u(3, 40)).keep_bits(40);
        for row in 0u32..403 {
            // The row, and digits that fill the rest.
            let rest = (Integer::from(&spread * (row + 1)).pow(13)).keep_bits(bits - 8);
            let place: Integer = (Integer::from(row) << (bits - 8)) + rest;
            let angle = Float::with_val(wide, &place) >> bits;
            let (whole, limbs) = (u64::from(row >> 8), of_integer::<N>(&place));
            if Rational::from((row + 1, 256)) < Rational::from((693, 1000)) {
                let error = off(&Powers::<N>::kept().quarter(&limbs), Float::with_val(wide, angle.exp_ref()) >> 2u32);
                assert!((0.0..800.0).contains(&error), "{N} limbs, row {row}: {error}");
            }
            if row < 402 {
                let [cos, sin] = Circle::<N>::kept().halves(whole, &limbs);
                let (dx, dy) = (off(&cos, angle.clone().cos() >> 1u32), off(&sin, angle.sin() >> 1u32));
                assert!(dx.portable_hypot(dy) < 2400.0, "{N} limbs, row {row}: {dx} {dy}");
            }
        }
    }

    #[test]
    fn the_units_are_counted() {
        units::<1>();
        units::<2>();
        units::<3>();
        units::<4>();
        units::<5>();
        units::<6>();
        units::<7>();
        units::<8>();
        units::<9>();
        units::<10>();
        units::<11>();
        units::<12>();
    }

    #[test]
    fn what_is_not_served_is_mpfrs() {
        assert!(exp(&Float::with_val(60, f64::NEG_INFINITY), 60).is_zero());
        assert!(exp(&Float::with_val(60, f64::INFINITY), 60).is_infinite());
        assert!(exp(&Float::with_val(60, f64::NAN), 60).is_nan());
        assert!(ln(&Float::with_val(60, -1), 60).is_nan());
        assert!(ln(&Float::with_val(60, 0), 60).is_infinite());
        assert!(sin_cos(&Float::with_val(60, f64::INFINITY), 60).0.is_nan());
        assert_eq!(exp(&Float::with_val(60, 0), 60), 1);
        assert_eq!(exp(&(Float::with_val(60, 1) << 29u32), 60), (Float::with_val(60, 1) << 29u32).exp());
    }
}
