//! What a careful form promises.

/// The contract of a careful form: the computed value `c` satisfies
///
/// > `|c - v| <= relative * |v| + absolute`
///
/// where `v` is the exact value at the given doubles and, if that exceeds the largest double, `c` is infinite. For an
/// inverse, which may be as ill-conditioned as it likes, `v` is the exact epsilon at the given doubles save delta,
/// which may be moved by at most `perturbation * min(delta, 1 - delta)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorBound {
    /// Of the exact value's magnitude.
    pub relative: f64,
    /// Whatever the value.
    pub absolute: f64,
    /// For an inverse: how much its delta may be moved, relatively.
    pub perturbation: f64,
}

impl ErrorBound {
    /// Four times the unit roundoff u = 2^-53: the one rounding of a double-double to a double costs u, the second one
    /// where the low half has faded away (below 2^-969) another u or two. The absolute part is two steps of the
    /// subnormal grid.
    pub const ROUNDED: Self = Self { relative: 4.0 * UNIT_ROUNDOFF, absolute: 2.0 * LEAST_POSITIVE, perturbation: 0.0 };

    /// The same for an inverse found by bisection over the doubles, on a curve known to a relative 2^-60.
    pub const BISECTED: Self = Self { perturbation: PERTURBATION, ..Self::ROUNDED };
}

const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;
const LEAST_POSITIVE: f64 = f64::from_bits(1);
/// 2^-60.
const PERTURBATION: f64 = 1.0 / (1_u64 << 60) as f64;
