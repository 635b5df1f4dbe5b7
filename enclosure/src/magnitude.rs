//! Upper bounds of sizes: what is carried beside a number to say how wrong it may be.
//!
//! **Contract.** Every operation returns a bound of the exact result for all values bounded by the operands. Mantissas
//! are doubles, on which IEEE 754 rounds `+`, `*` and `sqrt` to nearest: the next double up is then never below the
//! exact result. The exponent is apart, because values here are as small as `2^-1000000000`. See
//! `proofs/paper/discs.md`.

use rug::Float;
use rug::float::Round::Up;
use rug::float::Special;

/// A bound `mantissa * 2^exponent`, the mantissa zero, infinite, or between 1/2 and 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Magnitude {
    mantissa: f64,
    exponent: i64,
}

/// Bits of magnitudes as floats.
const BITS: u32 = 64;

/// The least exponent of a float is below this one.
const NEAR_ZERO: i32 = -(1 << 24);

/// Exponents are no farther from zero, so that their sums and differences are numbers of 64 bits.
const FARTHEST: i64 = 1 << 48;

impl Magnitude {
    pub(super) const ZERO: Magnitude = Magnitude { mantissa: 0.0, exponent: 0 };
    pub(super) const INFINITE: Magnitude = Magnitude { mantissa: f64::INFINITY, exponent: 0 };

    /// A bound of `|x|`; infinite for what is not a number.
    pub(super) fn of(x: &Float) -> Self {
        if x.is_zero() {
            return Self::ZERO;
        }
        if !x.is_finite() {
            return Self::INFINITE;
        }
        let (mantissa, exponent) = x.to_f64_exp();
        Self::scaled(mantissa.abs().next_up(), i64::from(exponent))
    }

    /// At least half a unit in the last place of a rounded result; infinity where it overflowed.
    ///
    /// There are no subnormal numbers: below the least positive one, `2^(e-1)` with `e` the least exponent, a result is
    /// that number or zero, and may be wrong by all of it in both cases, however many bits it has.
    pub(super) fn rounding(x: &Float) -> Self {
        let least = Magnitude { mantissa: 0.5, exponent: i64::from(rug::float::exp_min()) };
        match x.get_exp() {
            // Next to zero what was rounded may have been below the least positive number.
            Some(exponent) if exponent < NEAR_ZERO && i64::from(exponent) <= least.exponent => least,
            Some(exponent) => Magnitude { mantissa: 0.5, exponent: i64::from(exponent) - i64::from(x.prec()) },
            None if x.is_zero() => least,
            None => Self::INFINITE,
        }
    }

    /// `sqrt(a^2 + b^2)`.
    pub(super) fn hypot(self, other: Self) -> Self {
        let (large, small) = if self.at_least(other) { (self, other) } else { (other, self) };
        if small.mantissa == 0.0 || !large.is_finite() {
            return large;
        }
        // Squares far apart do not meet in a double.
        let gap = (large.exponent - small.exponent).min(60);
        let small = small.mantissa * power_of_two(-gap);
        let (a, b) = ((large.mantissa * large.mantissa).next_up(), (small * small).next_up());
        Self::scaled((a + b).next_up().sqrt().next_up(), large.exponent)
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    pub(super) fn is_finite(self) -> bool {
        self.mantissa.is_finite()
    }

    /// The bound as a float, rounded up.
    pub(super) fn float(self) -> Float {
        if !self.is_finite() {
            return Float::with_val(BITS, Special::Infinity);
        }
        let shift = i32::try_from(self.exponent).unwrap_or(if self.exponent < 0 { i32::MIN } else { i32::MAX });
        let mut value = Float::with_val_round(BITS, Float::with_val(BITS, self.mantissa) << shift, Up).0;
        if value.is_zero() && self.mantissa > 0.0 {
            value.next_up();
        }
        value
    }

    fn at_least(self, other: Self) -> bool {
        if self.mantissa == 0.0 || other.mantissa == 0.0 || !self.is_finite() || !other.is_finite() {
            return self.mantissa >= other.mantissa;
        }
        (self.exponent, self.mantissa) >= (other.exponent, other.mantissa)
    }

    /// From a mantissa between 1/8 and 8, or zero or infinite.
    fn scaled(mantissa: f64, exponent: i64) -> Self {
        if mantissa == 0.0 || !mantissa.is_finite() {
            return if mantissa == 0.0 { Self::ZERO } else { Self::INFINITE };
        }
        // Multiplying by a power of two is exact.
        let (mut mantissa, mut exponent) = (mantissa, exponent);
        while mantissa >= 1.0 {
            (mantissa, exponent) = (mantissa * 0.5, exponent + 1);
        }
        while mantissa < 0.5 {
            (mantissa, exponent) = (mantissa * 2.0, exponent - 1);
        }
        // Far beyond what a float can be. Too large is right, and so is without bound.
        if exponent > FARTHEST {
            return Self::INFINITE;
        }
        Magnitude { mantissa, exponent: exponent.max(-FARTHEST) }
    }
}

/// `2^n` for `-60 <= n <= 0`.
fn power_of_two(n: i64) -> f64 {
    1.0 / (1u64 << -n) as f64
}

impl std::ops::Add for Magnitude {
    type Output = Magnitude;
    fn add(self, other: Magnitude) -> Magnitude {
        let (large, small) = if self.at_least(other) { (self, other) } else { (other, self) };
        if small.mantissa == 0.0 || !large.is_finite() {
            return large;
        }
        // A small one is raised to 2^-60 of the large one: too large is right.
        let gap = (large.exponent - small.exponent).min(60);
        Self::scaled((large.mantissa + small.mantissa * power_of_two(-gap)).next_up(), large.exponent)
    }
}

impl std::ops::AddAssign for Magnitude {
    fn add_assign(&mut self, other: Magnitude) {
        *self = *self + other;
    }
}

impl std::ops::Mul for Magnitude {
    type Output = Magnitude;
    /// Zero times an infinite bound is zero: a bound of zero is exact.
    fn mul(self, other: Magnitude) -> Magnitude {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        Self::scaled((self.mantissa * other.mantissa).next_up(), self.exponent.saturating_add(other.exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rug::Rational;

    fn exact(x: Magnitude) -> Rational {
        x.float().to_rational().expect("finite")
    }

    proptest! {
        #[test]
        fn bounds_are_bounds(a in 0.0f64..1e9, b in 0.0f64..1e9, i in -300i32..300, j in -300i32..300) {
            let (x, y) = (Float::with_val(90, a) << i, Float::with_val(90, b) << j);
            let (m, n) = (Magnitude::of(&x), Magnitude::of(&y));
            let (p, q) = (x.to_rational().expect("finite"), y.to_rational().expect("finite"));
            prop_assert!(exact(m) >= p && exact(n) >= q);
            let sum = Rational::from(&p + &q);
            prop_assert!(exact(m + n) >= sum);
            prop_assert!(exact(m * n) >= Rational::from(&p * &q));
            let hypot = exact(m.hypot(n));
            let square = |x: &Rational| Rational::from(x.square_ref());
            prop_assert!(Rational::from(hypot.square_ref()) >= square(&p) + square(&q));
            // And not much too large.
            let little = Rational::from((1_000_001, 1_000_000));
            prop_assert!(exact(m + n) <= sum * &little);
            prop_assert!(exact(m * n) <= Rational::from(&p * &q) * little);
        }
    }

    /// A result next to zero may have been rounded by half of itself, whatever its precision.
    #[test]
    fn rounding_next_to_zero() {
        let least = Float::with_val(64, 0.5) << rug::float::exp_min();
        let rounded = Float::with_val(64, &least * 0.75_f64);
        assert_eq!(rounded, least);
        let scale = Float::with_val(64, 1) << 200;
        let error = (Magnitude::rounding(&rounded) * Magnitude::of(&scale)).float();
        assert!(error >= Float::with_val(64, &least * 0.25_f64) * scale);
    }

    /// Powers far beyond the exponents of floats are bounds all the same.
    #[test]
    fn exponents_do_not_run_over() {
        let mut large = Magnitude::of(&(Float::with_val(64, 1) << 1_000_000_000));
        let mut small = Magnitude::of(&(Float::with_val(64, 1) >> 1_000_000_000));
        for _ in 0..70 {
            (large, small) = (large * large, small * small);
        }
        assert!(!large.is_finite() && !small.is_zero());
        assert!(!(large * small).is_finite());
        assert!(!(large + small).is_finite() && !large.hypot(small).is_finite());
    }
}
