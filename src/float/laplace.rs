//! The Laplace pair, densities e^-|y|/2 and e^-|y-c|/2 with c = sensitivity/scale: profile, trade-off function,
//! divergences (MECH-LAP).
//!
//! Domain: c >= 0, any real epsilon, alpha in [0, 1], Renyi order >= 1; outside it, and for NaN, the answer is NaN.
//! Edges: at c = inf the profile is 1, the trade-off function 0 (1 at alpha = 0), the divergences infinite;
//! `delta(inf, inf)` is NaN; order 1 is KL, order inf is c.

use super::bound::ErrorBound;

/// Of `careful::delta`, for every c and epsilon.
pub const DELTA_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::tradeoff`, for every c and alpha.
pub const TRADEOFF_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::kl`, for every c.
pub const KL_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::renyi`, for every c and order.
pub const RENYI_ERROR: ErrorBound = ErrorBound::ROUNDED;

/// The formulas as accountants write them.
pub mod textbook {
    /// 1 - e^((epsilon - c)/2) up to epsilon = c, then 0.
    pub fn delta(c: f64, epsilon: f64) -> f64 {
        if epsilon < c { 1.0 - ((epsilon - c) / 2.0).exp() } else { 0.0 }
    }

    /// The three pieces of T(P, Q)(alpha).
    pub fn tradeoff(c: f64, alpha: f64) -> f64 {
        if alpha < (-c).exp() / 2.0 {
            1.0 - c.exp() * alpha
        } else if alpha <= 0.5 {
            (-c).exp() / (4.0 * alpha)
        } else {
            (-c).exp() * (1.0 - alpha)
        }
    }

    /// c + e^-c - 1.
    pub fn kl(c: f64) -> f64 {
        c + (-c).exp() - 1.0
    }

    /// ln(g/(2g-1) e^((g-1)c) + (g-1)/(2g-1) e^(-gc))/(g - 1), with g the order.
    pub fn renyi(c: f64, order: f64) -> f64 {
        let up = order / (2.0 * order - 1.0) * ((order - 1.0) * c).exp();
        let down = (order - 1.0) / (2.0 * order - 1.0) * (-order * c).exp();
        (up + down).ln() / (order - 1.0)
    }
}

/// The formulas in double-double, arranged so that nothing cancels.
pub mod careful {
    use crate::float::double_double::{DoubleDouble, Scaled};
    use crate::float::profile::trivial;
    use crate::float::special::{exp_m1_excess, ln_1p_ratio};

    /// H_(e^epsilon) of the pair, with the error [`super::DELTA_ERROR`]: -expm1((epsilon - c)/2) for |epsilon| <= c,
    /// with the difference exact. Below -c the likelihood ratio is everywhere above e^epsilon, which leaves 1 -
    /// e^epsilon.
    pub fn delta(c: f64, epsilon: f64) -> f64 {
        if c.is_nan() || epsilon.is_nan() || c < 0.0 || (c.is_infinite() && epsilon == f64::INFINITY) {
            f64::NAN
        } else if epsilon >= c {
            0.0
        } else if c.is_infinite() {
            1.0
        } else if epsilon < -c {
            trivial(epsilon)
        } else {
            // Halved first: the difference of the largest doubles would overflow.
            -(DoubleDouble::sum(epsilon * 0.5, -c * 0.5).exp_m1().hi)
        }
    }

    /// T(P, Q)(alpha), with the error [`super::TRADEOFF_ERROR`]. Where 1 is subtracted from, at most 1/2 is; on either
    /// side of a boundary both formulas agree, so it does not matter on which a rounding puts alpha.
    pub fn tradeoff(c: f64, alpha: f64) -> f64 {
        if c.is_nan() || c < 0.0 || !(0.0..=1.0).contains(&alpha) {
            return f64::NAN;
        }
        if alpha == 0.0 {
            return 1.0;
        }
        if c > 2000.0 {
            return 0.0;
        }
        let decay = DoubleDouble::from(-c).exp();
        if alpha > 0.5 {
            return Scaled::new(decay.mantissa * DoubleDouble::sum(1.0, -alpha), decay.exponent).to_f64();
        }
        // e^-c/alpha; beyond 2^100, 1 less its inverse is 1.
        let alpha = Scaled::split(alpha);
        let ratio = Scaled::new(decay.mantissa / alpha.mantissa, decay.exponent - alpha.exponent);
        if ratio.exponent > 100 {
            1.0
        } else if ratio.to_f64() > 2.0 {
            (DoubleDouble::ONE - DoubleDouble::ONE / ratio.unscale()).hi
        } else {
            Scaled::new(ratio.mantissa, ratio.exponent - 2).to_f64()
        }
    }

    /// c - (1 - e^-c), with the error [`super::KL_ERROR`].
    pub fn kl(c: f64) -> f64 {
        renyi(c, 1.0)
    }

    /// The Renyi divergence, with the error [`super::RENYI_ERROR`].
    ///
    /// With p(t) = (e^t - 1 - t)/t the argument of the logarithm is 1 + (g - 1) V for V = c g/(2g - 1) (p((g-1)c) -
    /// p(-gc)): the terms linear in c cancel on paper, and both of what is left are positive. The value is V ln(1 +
    /// (g-1) V)/((g-1) V), also at g = 1. For (g - 1) c > 2 it is c + (ln(g/(2g-1)) + ln(1 + (g-1)/g e^(-(2g-1)c)))/(g
    /// - 1), where the bracket takes away at most c ln(2)/2.
    pub fn renyi(c: f64, order: f64) -> f64 {
        if c.is_nan() || c < 0.0 || order.is_nan() || order < 1.0 {
            return f64::NAN;
        }
        if c == 0.0 || c.is_infinite() || order.is_infinite() {
            return c;
        }
        let excess = DoubleDouble::sum(order, -1.0);
        let share = excess / order;
        if excess.hi * c > 2.0 {
            let far = (excess + order).hi * c;
            let rise = (share * DoubleDouble::from(-far).exp_in_range()).ln_1p() - share.ln_1p();
            return (rise / excess + c).hi;
        }
        let up = excess * c;
        let down = DoubleDouble::product(-order, c);
        let value = (exp_m1_excess(up) - exp_m1_excess(down)) / (share + 1.0) * c;
        (value * ln_1p_ratio(excess * value)).hi
    }
}
