//! Double-double arithmetic: an unevaluated sum of two doubles, about 106 bits.
//!
//! What is claimed. With u = 2^-53, sums, products, quotients and square roots of normal numbers have a relative error
//! of at most 16 u^2 (Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic", 2017: 3, 5 and 10 u^2 for the first three). `exp`, `exp_m1` and `ln_1p` are relative to
//! 2^-98. These are not the errors of a result in `float`: there they only have to vanish beside the last rounding to
//! a double.
//!
//! Two limits. The low half of a number below 2^-969 is subnormal and carries fewer bits, so that there the claim
//! fades to that of plain doubles. And an infinity makes the low half NaN, so callers deal with infinities first.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, with `hi` the double nearest to the sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleDouble {
    pub hi: f64,
    pub lo: f64,
}

/// `mantissa * 2^exponent`, for what would leave the range of doubles on the way to the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub mantissa: DoubleDouble,
    pub exponent: i32,
}

/// The sum of two doubles and its rounding error, exactly.
fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    let b_part = hi - a;
    DoubleDouble { hi, lo: (a - (hi - b_part)) + (b - b_part) }
}

/// The same for `|a| >= |b|`.
fn fast_two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    DoubleDouble { hi, lo: b - (hi - a) }
}

impl DoubleDouble {
    pub const ZERO: Self = Self::new(0.0, 0.0);
    pub const ONE: Self = Self::new(1.0, 0.0);
    pub const LN_2: Self = Self::new(core::f64::consts::LN_2, 2.3190468138462996e-17);
    pub const PI: Self = Self::new(core::f64::consts::PI, 1.2246467991473532e-16);
    pub const SQRT_HALF_PI: Self = Self::new(1.2533141373155003, -9.164289990229583e-17);
    pub const INV_SQRT_TWO_PI: Self = Self::new(0.3989422804014327, -2.49232720227773e-17);

    pub const fn new(hi: f64, lo: f64) -> Self {
        Self { hi, lo }
    }

    /// `a + b`, exactly.
    pub fn sum(a: f64, b: f64) -> Self {
        two_sum(a, b)
    }

    /// `a * b`, exactly unless the product is below 2^-969.
    pub fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Self { hi, lo: a.mul_add(b, -hi) }
    }

    pub fn is_positive(self) -> bool {
        self.hi > 0.0
    }

    /// Multiplies by 2^n; exact while both halves stay normal.
    pub fn ldexp(self, n: i32) -> Self {
        Self { hi: libm::ldexp(self.hi, n), lo: libm::ldexp(self.lo, n) }
    }

    pub fn square(self) -> Self {
        self * self
    }

    /// The square root of a positive number, by one Newton step from that of the high half.
    pub fn sqrt(self) -> Self {
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        fast_two_sum(root, rest.hi / (2.0 * root))
    }

    /// The largest integer not above; both halves of the answer are integers.
    pub fn floor(self) -> Self {
        let hi = self.hi.floor();
        if hi == self.hi { fast_two_sum(hi, self.lo.floor()) } else { Self::from(hi) }
    }

    /// `e^self - 1`, for |self| <= 0.36. Scaling by 2^-5 leaves an argument below 0.0113, where thirteen terms of the
    /// Taylor series reach 2^-115; each of the five doublings `s -> s (2 + s)` then adds a few u^2.
    fn exp_m1_reduced(self) -> Self {
        const TERMS: u32 = 13;
        const DOUBLINGS: i32 = 5;
        let x = self.ldexp(-DOUBLINGS);
        let mut sum = Self::ONE;
        for n in (2..=TERMS).rev() {
            sum = Self::ONE + x * sum / f64::from(n);
        }
        let mut s = x * sum;
        for _ in 0..DOUBLINGS {
            s = s * (s + 2.0);
        }
        s
    }

    /// `e^self` for |self| <= 2^20, never out of range.
    pub fn exp(self) -> Scaled {
        const LN_2_THIRD: f64 = 5.707708438416212e-34;
        let n = (self.hi * core::f64::consts::LOG2_E).round();
        // Three doubles of ln 2: with two, n times the error of the constant would be the largest of all.
        let rest =
            self - Self::product(n, Self::LN_2.hi) - Self::product(n, Self::LN_2.lo) - Self::from(n * LN_2_THIRD);
        Scaled { mantissa: rest.exp_m1_reduced() + 1.0, exponent: n as i32 }
    }

    /// `e^self` for self <= 700, and zero where even the double would be.
    pub fn exp_in_range(self) -> Self {
        if self.hi < -760.0 { Self::ZERO } else { self.exp().unscale() }
    }

    /// `e^self - 1` for self <= 700.
    pub fn exp_m1(self) -> Self {
        if self.hi.abs() <= 0.35 { self.exp_m1_reduced() } else { self.exp_in_range() - Self::ONE }
    }

    /// `ln(1 + self)` for finite self > -1: the double's logarithm, improved by one Newton step, which squares its
    /// error.
    pub fn ln_1p(self) -> Self {
        let start = libm::log1p(self.hi);
        let image = Self::from(start).exp_m1();
        let ratio = (self - image) / (image + 1.0);
        (ratio - ratio.square() * 0.5) + start
    }

    /// The logarithm of a positive number.
    pub fn ln(self) -> Self {
        let (_, exponent) = libm::frexp(self.hi);
        (self.ldexp(-exponent) - Self::ONE).ln_1p() + Self::LN_2 * f64::from(exponent)
    }
}

impl Scaled {
    pub fn new(mantissa: DoubleDouble, exponent: i32) -> Self {
        Self { mantissa, exponent }
    }

    /// A positive double as a mantissa in [1/2, 1) and an exponent.
    pub fn split(x: f64) -> Self {
        let (mantissa, exponent) = libm::frexp(x);
        Self { mantissa: mantissa.into(), exponent }
    }

    /// The value as a double-double; low bits are lost below 2^-969.
    pub fn unscale(self) -> DoubleDouble {
        self.mantissa.ldexp(self.exponent)
    }

    /// The value as a double: correct to half an ulp and a little, also among the subnormals, where there is a second
    /// rounding.
    pub fn to_f64(self) -> f64 {
        libm::ldexp(self.mantissa.hi, self.exponent)
    }
}

impl From<f64> for DoubleDouble {
    fn from(x: f64) -> Self {
        Self::new(x, 0.0)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.hi, -self.lo)
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.hi, other.hi);
        let low = two_sum(self.lo, other.lo);
        let middle = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(middle.hi, low.lo + middle.lo)
    }
}

impl Add<f64> for DoubleDouble {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        let high = two_sum(self.hi, other);
        fast_two_sum(high.hi, self.lo + high.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.hi, other.hi);
        let cross = self.hi.mul_add(other.lo, self.lo * other.hi);
        fast_two_sum(high.hi, high.lo + cross)
    }
}

impl Mul<f64> for DoubleDouble {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        let high = Self::product(self.hi, other);
        fast_two_sum(high.hi, self.lo.mul_add(other, high.lo))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        fast_two_sum(first, second) + rest.hi / other.hi
    }
}

impl Div<f64> for DoubleDouble {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        let first = self.hi / other;
        let rest = self - Self::product(first, other);
        fast_two_sum(first, rest.hi / other)
    }
}
