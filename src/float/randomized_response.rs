//! Randomized response, (x, 1)/(1 + x) against (1, x)/(1 + x) with x = e^epsilon: divergences (MECH-RR, SU-2.2).
//!
//! Domain: epsilon >= 0, delta in [0, 1], Renyi order >= 1; outside it, and for NaN, the answer is NaN.
//! Edges: at epsilon = inf the total variation is 1 and the rest infinite; order 1 is KL, order inf is epsilon.

use super::bound::ErrorBound;

/// Of `careful::kl`, for every epsilon.
pub const KL_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::total_variation`, for every epsilon and delta.
pub const TOTAL_VARIATION_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::chi_squared`, for every epsilon.
pub const CHI_SQUARED_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::renyi`, for every epsilon and order.
pub const RENYI_ERROR: ErrorBound = ErrorBound::ROUNDED;

/// The formulas as accountants write them.
pub mod textbook {
    /// epsilon (e^epsilon - 1)/(e^epsilon + 1).
    pub fn kl(epsilon: f64) -> f64 {
        epsilon * (epsilon.exp() - 1.0) / (epsilon.exp() + 1.0)
    }

    /// 1 - 2 (1 - delta)/(1 + e^epsilon), with the mass delta where one distribution has none.
    pub fn total_variation(epsilon: f64, delta: f64) -> f64 {
        1.0 - 2.0 * (1.0 - delta) / (1.0 + epsilon.exp())
    }

    /// (e^epsilon - 1)^2/e^epsilon.
    pub fn chi_squared(epsilon: f64) -> f64 {
        (epsilon.exp() - 1.0).powi(2) / epsilon.exp()
    }

    /// ln((x^g + x^(1-g))/(1 + x))/(g - 1), with g the order.
    pub fn renyi(epsilon: f64, order: f64) -> f64 {
        let sum = (order * epsilon).exp() + ((1.0 - order) * epsilon).exp();
        (sum / (1.0 + epsilon.exp())).ln() / (order - 1.0)
    }
}

/// The formulas with every factor positive, in double-double.
pub mod careful {
    use crate::float::double_double::{DoubleDouble, Scaled};
    use crate::float::special::{exp_m1_ratio, ln_1p_ratio};

    /// tanh(epsilon/2) = (1 - e^-epsilon)/(1 + e^-epsilon).
    fn tanh_half(epsilon: f64) -> DoubleDouble {
        let fall = DoubleDouble::from(-epsilon).exp_m1();
        -fall / (fall + 2.0)
    }

    /// D_1(P||Q) = epsilon tanh(epsilon/2), with the error [`super::KL_ERROR`].
    pub fn kl(epsilon: f64) -> f64 {
        renyi(epsilon, 1.0)
    }

    /// delta + (1 - delta) tanh(epsilon/2), with the error [`super::TOTAL_VARIATION_ERROR`].
    pub fn total_variation(epsilon: f64, delta: f64) -> f64 {
        if epsilon.is_nan() || epsilon < 0.0 || !(0.0..=1.0).contains(&delta) {
            return f64::NAN;
        }
        (DoubleDouble::sum(1.0, -delta) * tanh_half(epsilon) + delta).hi
    }

    /// e^epsilon (1 - e^-epsilon)^2, with the error [`super::CHI_SQUARED_ERROR`].
    pub fn chi_squared(epsilon: f64) -> f64 {
        if epsilon.is_nan() || epsilon < 0.0 {
            return f64::NAN;
        }
        if epsilon > 800.0 {
            return f64::INFINITY;
        }
        let Scaled { mantissa, exponent } = DoubleDouble::from(epsilon).exp();
        let fall = DoubleDouble::from(-epsilon).exp_m1();
        Scaled::new(mantissa * fall.square(), exponent).to_f64()
    }

    /// The Renyi divergence, with the error [`super::RENYI_ERROR`].
    ///
    /// Let y = (g - 1) epsilon. The argument of the logarithm is 1 + W with W = (e^y - 1) (1 - e^(-g epsilon))/(1 +
    /// e^-epsilon), so that with E(t) = (e^t - 1)/t and L(t) = ln(1 + t)/t the value is epsilon E(y) (1 - e^(-g
    /// epsilon))/(1 + e^-epsilon) L(W): no difference, and g = 1 is no exception. For y > 2 it is epsilon - (ln(1 +
    /// e^-epsilon) - ln(1 + e^(-(2g-1) epsilon)))/(g - 1), where what is subtracted is below epsilon ln(2)/2.
    pub fn renyi(epsilon: f64, order: f64) -> f64 {
        if epsilon.is_nan() || epsilon < 0.0 || order.is_nan() || order < 1.0 {
            return f64::NAN;
        }
        if epsilon == 0.0 || epsilon.is_infinite() || order.is_infinite() {
            return epsilon;
        }
        let excess = DoubleDouble::sum(order, -1.0);
        let decay = DoubleDouble::from(-epsilon);
        if excess.hi * epsilon > 2.0 {
            let far = (excess + order).hi * epsilon;
            let drop = decay.exp_in_range().ln_1p() - DoubleDouble::from(-far).exp_in_range().ln_1p();
            return (-(drop / excess) + epsilon).hi;
        }
        let y = excess * epsilon;
        let hit = -(DoubleDouble::product(-order, epsilon).exp_m1()) / (decay.exp_in_range() + 1.0);
        let ratio = exp_m1_ratio(y) * hit;
        (ratio * ln_1p_ratio(y * ratio) * epsilon).hi
    }
}
