//! A value in [0, 1] known to full relative accuracy at whichever end it is near, and the search for where a profile
//! crosses a delta.

use super::double_double::{DoubleDouble, Scaled};

/// A probability, held by itself or by what it lacks to 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Probability {
    Value(Scaled),
    Complement(Scaled),
}

impl Probability {
    pub const ZERO: Self = Self::Value(Scaled { mantissa: DoubleDouble::ZERO, exponent: 0 });
    pub const ONE: Self = Self::Complement(Scaled { mantissa: DoubleDouble::ZERO, exponent: 0 });

    /// The number it is held by.
    pub fn parts(self) -> Scaled {
        match self {
            Self::Value(parts) | Self::Complement(parts) => parts,
        }
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Self::Value(value) => value.to_f64(),
            Self::Complement(rest) => (DoubleDouble::ONE - rest.unscale()).hi,
        }
    }

    /// Is it larger than the double `delta` in (0, 1) by more than the error of the double-double? So that equality
    /// counts as equal.
    pub fn exceeds(self, delta: f64) -> bool {
        const SLACK: f64 = 1e-26;
        match self {
            // A target that overflows here is far above the value, and neither -inf nor NaN is above it.
            Self::Value(value) => {
                let target = libm::ldexp(delta, -value.exponent);
                (value.mantissa + -target).hi > target * SLACK
            }
            // `1 - delta` is exact as a double-double, and at least 2^-53: what underflows is nothing beside it.
            Self::Complement(rest) => {
                let target = DoubleDouble::sum(1.0, -delta);
                (target - rest.unscale()).hi > target.hi * SLACK
            }
        }
    }

    /// The profile of a symmetric pair at -epsilon, from this one at epsilon >= 0: `1 - e^-epsilon + e^-epsilon
    /// delta(epsilon)`, a sum of positive terms.
    pub fn at_negative(self, epsilon: f64) -> f64 {
        let decay = DoubleDouble::from(-epsilon);
        let value = match self {
            Self::Value(value) => value.unscale(),
            Self::Complement(rest) => DoubleDouble::ONE - rest.unscale(),
        };
        (decay.exp_in_range() * value - decay.exp_m1()).hi
    }
}

/// The profile of the pair of equal distributions, (1 - e^epsilon)_+.
pub(super) fn trivial(epsilon: f64) -> f64 {
    Probability::ZERO.to_f64().max(-libm::expm1(epsilon))
}

/// The least double epsilon >= 0 at which a decreasing profile is no longer `above` the target, infinite if there is
/// none. Doubles of one sign are ordered as their bits, so sixty-four halvings reach neighbours whatever the scale.
pub(super) fn crossing(above: impl Fn(f64) -> bool) -> f64 {
    if !above(0.0) {
        return 0.0;
    }
    if above(f64::MAX) {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0_u64, f64::MAX.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if above(f64::from_bits(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::from_bits(high)
}

/// The inverse as textbooks write it: double the bracket until it holds the target, then halve it a hundred times.
pub(super) fn textbook_crossing(profile: impl Fn(f64) -> f64, delta: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while profile(high) > delta && high < f64::MAX {
        low = high;
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if profile(middle) > delta {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
