//! The Gaussian pair N(0, 1) and N(mu, 1): profile (DRS-GDPtoDP), its inverse, and trade-off function (DRS-2.4).
//!
//! Domain: mu >= 0, any real epsilon for `delta`, delta and alpha in [0, 1]; outside it, and for NaN, the answer is
//! NaN.
//! Edges: delta(mu, inf) = 0 for finite mu, delta(inf, epsilon) = 1 for epsilon < inf; epsilon(mu, delta) is 0 for
//! delta >= 2 Phi(mu/2) - 1 and infinite at delta = 0 unless mu = 0; G_mu(0) = 1 and G_mu(1) = 0.

use super::bound::ErrorBound;

/// Of `careful::delta`, for every mu and epsilon.
pub const DELTA_ERROR: ErrorBound = ErrorBound::ROUNDED;
/// Of `careful::epsilon`, for every mu and delta.
pub const EPSILON_ERROR: ErrorBound = ErrorBound::BISECTED;
/// Of `careful::tradeoff`, for every mu and alpha.
pub const TRADEOFF_ERROR: ErrorBound = ErrorBound::ROUNDED;

/// The formulas as accountants write them.
pub mod textbook {
    use crate::float::profile::textbook_crossing;
    use crate::float::special::norm_cdf;

    /// Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
    pub fn delta(mu: f64, epsilon: f64) -> f64 {
        norm_cdf(-epsilon / mu + mu / 2.0) - epsilon.exp() * norm_cdf(-epsilon / mu - mu / 2.0)
    }

    /// The epsilon at which the profile falls to delta, by bisection.
    pub fn epsilon(mu: f64, delta: f64) -> f64 {
        textbook_crossing(|epsilon| self::delta(mu, epsilon), delta)
    }

    /// G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), the quantile by bisection.
    pub fn tradeoff(mu: f64, alpha: f64) -> f64 {
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if norm_cdf(middle) < 1.0 - alpha {
                low = middle;
            } else {
                high = middle;
            }
        }
        norm_cdf(high - mu)
    }
}

/// The formulas in double-double, arranged so that nothing cancels.
pub mod careful {
    use crate::float::double_double::{DoubleDouble, Scaled};
    use crate::float::profile::{Probability, crossing, trivial};
    use crate::float::special::{mills_difference, mills_ratio, normal_density};

    /// Beyond this many standard deviations a tail is zero as a double.
    const FAR: f64 = 60.0;

    /// H_(e^epsilon) of the pair, with the error [`super::DELTA_ERROR`].
    ///
    /// With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon phi(b) = phi(a) and so delta = phi(a) (R(a) - R(b)) in
    /// Mills ratios: no exponential of epsilon is left, and `mills_difference` does not cancel. The numerator of a =
    /// (epsilon - mu^2/2)/mu is exact but for 2^-104 of itself, so neither does phi(a). Where a < -1, delta = 1 -
    /// phi(a) (R(-a) + R(b)), which takes at most 0.32 from 1.
    pub fn delta(mu: f64, epsilon: f64) -> f64 {
        if mu.is_nan() || epsilon.is_nan() || mu < 0.0 || (mu.is_infinite() && epsilon == f64::INFINITY) {
            f64::NAN
        } else if mu == 0.0 {
            trivial(epsilon)
        } else if mu.is_infinite() || epsilon == f64::NEG_INFINITY {
            1.0
        } else if epsilon < 0.0 {
            profile(mu, -epsilon).at_negative(-epsilon)
        } else {
            profile(mu, epsilon).to_f64()
        }
    }

    /// The least epsilon >= 0 with delta(mu, epsilon) <= delta, with the error [`super::EPSILON_ERROR`]: the profile
    /// is known to 2^-85 at each double, so the first double at which it is not above delta is the next one above the
    /// answer for some delta as near as that.
    pub fn epsilon(mu: f64, delta: f64) -> f64 {
        if mu.is_nan() || mu < 0.0 || !(0.0..=1.0).contains(&delta) {
            f64::NAN
        } else if mu == 0.0 || delta == 1.0 {
            0.0
        } else if mu.is_infinite() || delta == 0.0 {
            f64::INFINITY
        } else {
            crossing(|epsilon| profile(mu, epsilon).exceeds(delta))
        }
    }

    /// G_mu(alpha) = Q(mu - z) with Q(z) = alpha, with the error [`super::TRADEOFF_ERROR`].
    ///
    /// The quantile is found to about 2^-90 from alpha or, above 1/2, from 1 - alpha, which is then exact. The
    /// relative error of Q at x is that of x times x/R(x) < 2^11.
    pub fn tradeoff(mu: f64, alpha: f64) -> f64 {
        if mu.is_nan() || mu < 0.0 || !(0.0..=1.0).contains(&alpha) {
            f64::NAN
        } else if alpha == 0.0 || mu == 0.0 {
            1.0 - alpha
        } else if alpha == 1.0 || mu.is_infinite() {
            0.0
        } else {
            let z = if alpha <= 0.5 { upper_quantile(alpha) } else { -upper_quantile(1.0 - alpha) };
            upper_tail(-z + mu).to_f64()
        }
    }

    /// The profile for finite mu > 0 and epsilon >= 0.
    fn profile(mu: f64, epsilon: f64) -> Probability {
        let shift = Scaled::split(mu);
        let (m, n) = (shift.mantissa.hi, shift.exponent);
        if n < -300 {
            // mu/2 is nothing beside the error of a.
            let scaled = libm::ldexp(epsilon, -n);
            return if scaled > 2.0 * FAR { Probability::ZERO } else { shifted(DoubleDouble::from(scaled) / m, shift) };
        }
        let scaled = libm::ldexp(epsilon, -2 * n);
        if scaled > 1e300 {
            return Probability::ZERO;
        }
        // What epsilon loses if it becomes subnormal here is nothing beside m^2/2 >= 1/8.
        let half_square = DoubleDouble::product(m, m) * 0.5;
        let numerator = DoubleDouble::sum(scaled, -half_square.hi) + -half_square.lo;
        shifted((numerator / m).ldexp(n), shift)
    }

    /// Q(a) - e^epsilon Q(a + mu), where epsilon = mu (a + mu/2) and mu = `shift`.
    pub(in crate::float) fn shifted(a: DoubleDouble, shift: Scaled) -> Probability {
        if a.hi > FAR {
            Probability::ZERO
        } else if a.hi < -FAR {
            Probability::ONE
        } else if a.hi >= -1.0 {
            let density = normal_density(a);
            let difference = mills_difference(a, shift);
            Probability::Value(Scaled::new(
                density.mantissa * difference.mantissa,
                density.exponent + difference.exponent,
            ))
        } else {
            let density = normal_density(a);
            let ratios = mills_ratio(-a) + mills_ratio(a + shift.unscale());
            Probability::Complement(Scaled::new(density.mantissa * ratios, density.exponent))
        }
    }

    /// Q(x).
    fn upper_tail(x: DoubleDouble) -> Probability {
        let far = x.hi.abs() > FAR;
        let tail = |x: DoubleDouble| {
            let density = normal_density(x);
            Scaled::new(density.mantissa * mills_ratio(x), density.exponent)
        };
        match (x.hi >= -1.0, far) {
            (true, true) => Probability::ZERO,
            (false, true) => Probability::ONE,
            (true, false) => Probability::Value(tail(x)),
            (false, false) => Probability::Complement(tail(-x)),
        }
    }

    /// The z >= 0 with Q(z) = p, for 0 < p <= 1/2.
    ///
    /// Newton on ln Q, which is concave and decreasing: from a point on the right, as sqrt(-2 ln p) is, the iterates
    /// fall to the root. The last step starts from a double's error, uses the tail in double-double, and squares that
    /// error.
    fn upper_quantile(p: f64) -> DoubleDouble {
        const STEPS: u32 = 10;
        const LN_SQRT_TWO_PI: f64 = 0.9189385332046727;
        let ln_p = libm::log(p);
        let mut z = (-2.0 * ln_p).sqrt();
        for _ in 0..STEPS {
            let ratio = mills_ratio(z.into()).hi;
            z = (z + ratio * (libm::log(ratio) - z * z / 2.0 - LN_SQRT_TWO_PI - ln_p)).max(0.0);
        }
        let ratio = mills_ratio(z.into());
        let density = normal_density(z.into());
        let Scaled { mantissa, exponent } = Scaled::split(p);
        let excess =
            Scaled::new(density.mantissa * ratio / mantissa, density.exponent - exponent).unscale() - DoubleDouble::ONE;
        ratio * (excess - excess.square() * 0.5) + z
    }
}
