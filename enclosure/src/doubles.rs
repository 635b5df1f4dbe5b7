//! Exponential and logarithm of doubles with proven error bounds, for millions of points where enclosures would be too
//! slow.
//!
//! They use only `+ - * /` of IEEE 754 (round to nearest) and exact conversions, never `libm`, so results are identical
//! on every machine. `u = 2^-53` is the relative error of one operation.
//!
//! **Exponential.** `x = k ln 2 + r` with k the integer nearest to `x/ln 2`, so that `|r| <= 0.3467`. `ln 2 = H + L +
//! e`, H with 32 bits, `|e| < 2^-86`, `|L| < 2^-32`: `k H` is exact for `|k| < 2^11`. Both differences and the product
//! `k L` are rounded: r is off by at most `0.7 u + 2^-32 |k| u + |k| 2^-86 < 0.72 u`. The Taylor polynomial of degree
//! 14 leaves out less than `3e-19`; by Horner's rule as `q_j = 1 + (r/j) q_(j+1)` its errors obey `e_j <= (|r|/j)
//! (e_(j+1) + 2.1 u q_(j+1)) + 1.1 u q_j`, so that `e_1 < 3.1 u`, and the polynomial is at least 0.7. In all less than
//! `3.1 u/0.7 + 0.72 u < 6 u`, relatively. The power of two is exact: results are normal numbers.
//!
//! **Logarithm.** `ln(1 + y) = 2 artanh(t)`, `t = y/(2 + y)`, for `|y| <= 1/4`: t is off by 2.1 u relatively, the
//! series in `t^2 <= 0.0205` by less than u after a first term that is exact, and the last products by 2 u: below 6 u.
//! Else `1 + y` (one rounding) is `2^k (1 + f)` with `3/4 <= 1 + f < 3/2`, f exact, and `k ln 2 + ln(1 + f)`: the
//! series in `t^2 <= 0.0401` leaves out less than `0.0401^14/29 < 1e-21`. The rounding of `1 + y` moves the logarithm
//! by at most 1.01 u, the product by `1.4 u |k|`, ln(1+f) is off by 6 u of at most 0.41, the sum by u of itself. Its
//! modulus is at least 0.22, and at least `0.28 |k|`: below 24 u in all.

/// Bound on the relative error of [`exp`].
pub const EXP_ERROR: f64 = 1.0 / (1u64 << 50) as f64;
/// Bound on the relative error of [`ln_1p`].
pub const LN_ERROR: f64 = 1.0 / (1u64 << 48) as f64;

/// Arguments below this give 0; the true value is less than `2^-1009`.
pub const LEAST: f64 = -700.0;
/// Arguments above this give infinity.
pub const MOST: f64 = 700.0;

/// The first 32 bits of `ln 2`, and what they lack, to nearest.
const LN_2: (f64, f64) = (f64::from_bits(0x3FE6_2E42_FEE0_0000), f64::from_bits(0x3DEA_39EF_3579_3C76));

/// `e^x`, within a factor `1 +- 2^-50`, for `-700 <= x <= 700`; zero below, infinite above and for NaN.
#[must_use]
#[inline]
pub fn exp(x: f64) -> f64 {
    if x < LEAST {
        return 0.0;
    }
    if !(x <= MOST) {
        return f64::INFINITY;
    }
    let k = (x * std::f64::consts::LOG2_E).round();
    let r = (x - k * LN_2.0) - k * LN_2.1;
    let mut sum = 1.0;
    for j in RECIPROCALS {
        sum = 1.0 + r / j * sum;
    }
    // |k| <= 1010: the exponent of a normal number.
    sum * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// 14, 13, ..., 1.
const RECIPROCALS: [f64; 14] = [14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0];

/// `ln(1 + y)`, within a factor `1 +- 2^-48`, for `-1 < y <= 2^1000`; NaN otherwise.
#[must_use]
#[inline]
pub fn ln_1p(y: f64) -> f64 {
    if !(y > -1.0 && y <= f64::from_bits((1023 + 1000) << 52)) {
        return f64::NAN;
    }
    if y.abs() <= 0.25 {
        return artanh_series(y);
    }
    // At least 2^-53, for y is at least one step above -1.
    logarithm(1.0 + y)
}

/// `ln x` for a normal x of at most `2^1000`; the error is at most `2^-48` relative plus `2^-52` absolute. NaN
/// otherwise.
#[must_use]
pub fn ln(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 && x <= f64::from_bits((1023 + 1000) << 52) { logarithm(x) } else { f64::NAN }
}

/// `k ln 2 + ln(1 + f)`.
#[inline]
fn logarithm(all: f64) -> f64 {
    let bits = all.to_bits();
    let mut k = (bits >> 52) as i64 - 1023;
    let mut part = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000);
    if part >= 1.5 {
        part *= 0.5;
        k += 1;
    }
    k as f64 * std::f64::consts::LN_2 + artanh_series(part - 1.0)
}

/// `2 artanh(y/(2 + y))`, for `-1/4 <= y <= 1/2`.
#[inline]
fn artanh_series(y: f64) -> f64 {
    let t = y / (2.0 + y);
    let square = t * t;
    let mut sum = 0.0;
    for j in ODD {
        sum = square * (1.0 / j + sum);
    }
    // 2t (1 + sum), the small part added last.
    let twice = 2.0 * t;
    twice + twice * sum
}

/// 29, 27, ..., 3.
const ODD: [f64; 14] = [29.0, 27.0, 25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Portable;
    use proptest::prelude::*;
    use rug::Float;

    /// Is a double within a factor `1 +- error` of a number of many bits?
    fn near(double: f64, truth: &Float, error: f64) -> bool {
        let apart = Float::with_val(200, double) - truth;
        apart.abs() <= Float::with_val(200, truth.clone().abs() * error)
    }

    proptest! {
        #[test]
        fn exponentials_are_within_their_error(x in prop_oneof![-700.0..700.0f64, -1.0..1.0f64, -1e-9..1e-9f64]) {
            prop_assert!(near(exp(x), &Float::with_val(200, x).exp(), EXP_ERROR), "{x}");
        }

        #[test]
        fn logarithms_are_within_their_error(y in prop_oneof![
            -1.0..1.0f64, -0.26..-0.24f64, 0.24..0.26f64, 0.49..0.51f64, -1e-12..1e-12f64, 1.0..1e9f64,
            (-1000.0..700.0f64).prop_map(|x| x.portable_exp2().min(1e300)),
            (-52.0..-1.0f64).prop_map(|x| x.portable_exp2() - 1.0),
        ]) {
            prop_assume!(y > -1.0);
            prop_assert!(near(ln_1p(y), &Float::with_val(200, y).ln_1p(), LN_ERROR), "{y}");
        }

        #[test]
        fn logarithms_of_any_size(x in prop_oneof![0.5..2.0f64, (-1000.0..1000.0f64).prop_map(f64::portable_exp2)]) {
            let truth = Float::with_val(200, x).ln();
            let apart = Float::with_val(200, ln(x) - &truth).abs();
            prop_assert!(apart <= truth.abs() * LN_ERROR + 1.0 / (1u64 << 52) as f64, "{x}");
        }
    }

    /// The two parts of `ln 2` are what the proof says of them.
    #[test]
    fn the_logarithm_of_two_is_in_two_parts() {
        let apart = Float::with_val(300, rug::float::Constant::Log2) - LN_2.0 - LN_2.1;
        assert!(apart.abs() < Float::with_val(64, Float::i_exp(1, -86)));
        assert!(LN_2.0.to_bits().trailing_zeros() >= 21 && LN_2.1 < f64::from_bits((1023 - 32) << 52));
    }

    /// Where there is nothing to say.
    #[test]
    fn ends_of_the_ranges() {
        assert_eq!((exp(-701.0), exp(701.0), exp(f64::NAN)), (0.0, f64::INFINITY, f64::INFINITY));
        assert!(ln_1p(-1.0).is_nan() && ln_1p(f64::NAN).is_nan() && ln_1p(f64::INFINITY).is_nan());
        assert!(ln(0.0).is_nan() && ln(-1.0).is_nan() && ln(f64::INFINITY).is_nan());
        assert_eq!((exp(0.0), ln_1p(0.0), ln(1.0)), (1.0, 0.0, 0.0));
    }
}
