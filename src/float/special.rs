//! The special functions behind the careful forms, in double-double, and the two that textbooks use, in doubles.
//!
//! The Mills ratio is R(x) = Q(x)/phi(x), with Q the upper tail and phi the density of the standard normal law. Its
//! moments are M_k(x) = int_0^inf t^k e^(-xt - t^2/2) dt, with M_0 = R, M_1 = 1 - x R and M_(k+1) = k M_(k-1) - x M_k.

use super::double_double::{DoubleDouble, Scaled};

/// The normal distribution function as textbooks write it.
pub(super) fn norm_cdf(x: f64) -> f64 {
    0.5 * (1.0 + libm::erf(x / core::f64::consts::SQRT_2))
}

/// The logarithm of a binomial coefficient as textbooks write it.
pub(super) fn ln_binomial(n: u64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
}

/// R(x) for x >= -1.5, to about 2^-92 relative.
///
/// Below 2.5 by R = sqrt(pi/2) e^(x^2/2) - sum_k x^(2k+1)/(2k+1)!!, where the difference is at least an eightieth of
/// its first term. Above by the continued fraction 1/(x + 1/(x + 2/(x + ...))), whose n-th convergent is off by about
/// e^(-2x sqrt(2n)): the depth makes that 2^-110.
pub(super) fn mills_ratio(x: DoubleDouble) -> DoubleDouble {
    if x.hi < 2.5 {
        let square = x.square();
        let mut term = x;
        let mut sum = x;
        let mut odd = 1.0;
        while term.hi.abs() > 1e-33 {
            odd += 2.0;
            term = term * square / odd;
            sum = sum + term;
        }
        return DoubleDouble::SQRT_HALF_PI * (square * 0.5).exp_in_range() - sum;
    }
    let depth = 12 + (720.0 / (x.hi * x.hi)) as u32;
    let mut tail = x;
    for n in (1..=depth).rev() {
        tail = x + DoubleDouble::from(f64::from(n)) / tail;
    }
    DoubleDouble::ONE / tail
}

/// phi(x), to about 2^-92 relative for |x| <= 60.
pub(super) fn normal_density(x: DoubleDouble) -> Scaled {
    let Scaled { mantissa, exponent } = (-(x.square() * 0.5)).exp();
    Scaled::new(mantissa * DoubleDouble::INV_SQRT_TWO_PI, exponent)
}

/// R(a) - R(a + mu) for a >= -1 and mu = `shift` > 0, to about 2^-85 relative; mu may be as small as it likes.
///
/// From mu = 1/4 the difference is at least 2^-8 of R(a), so subtracting will do. Below, the Taylor series about the
/// midpoint c is mu sum_j (mu/2)^(2j) M_(2j+1)(c)/(2j+1)!, all positive. The recurrence multiplies errors by c at each
/// step, so those of the sum stay below sinh(c mu/2)/(c mu/2) times that of M_1: a factor of 40 at c = 50, beyond
/// which phi(a) is zero.
pub(super) fn mills_difference(a: DoubleDouble, shift: Scaled) -> Scaled {
    const TERMS: u32 = 13;
    let mu = shift.unscale();
    if mu.hi > 0.25 {
        return Scaled::new(mills_ratio(a) - mills_ratio(a + mu), 0);
    }
    let c = a + mu * 0.5;
    let quarter = (mu * 0.5).square();
    let mut even = mills_ratio(c);
    let mut odd = DoubleDouble::ONE - c * even;
    let mut weight = DoubleDouble::ONE;
    let mut sum = odd;
    for j in 1..TERMS {
        let k = f64::from(2 * j);
        even = even * (k - 1.0) - c * odd;
        odd = odd * k - c * even;
        weight = weight * quarter / (k * (k + 1.0));
        sum = sum + weight * odd;
    }
    Scaled::new(sum * shift.mantissa, shift.exponent)
}

/// The Taylor tail (e^y - sum_(n < first) y^n/n!)/y^first = sum_n y^n/(n+first)!, for |y| <= 1/4.
fn exponential_tail(y: DoubleDouble, first: u32) -> DoubleDouble {
    const TERMS: u32 = 24;
    let mut sum = DoubleDouble::ONE;
    for n in (1..TERMS).rev() {
        sum = DoubleDouble::ONE + y * sum / f64::from(n + first);
    }
    (1..=first).fold(sum, |sum, n| sum / f64::from(n))
}

/// (e^y - 1)/y for y <= 700, which is 1 at 0.
pub(super) fn exp_m1_ratio(y: DoubleDouble) -> DoubleDouble {
    if y.hi.abs() < 0.25 { exponential_tail(y, 1) } else { y.exp_m1() / y }
}

/// (e^y - 1 - y)/y for y <= 700, which is 0 at 0.
pub(super) fn exp_m1_excess(y: DoubleDouble) -> DoubleDouble {
    if y.hi.abs() < 0.25 { y * exponential_tail(y, 2) } else { (y.exp_m1() - y) / y }
}

/// ln(1 + y)/y for y > -1, which is 1 at 0.
pub(super) fn ln_1p_ratio(y: DoubleDouble) -> DoubleDouble {
    if y.hi.abs() < 1e-40 { DoubleDouble::ONE } else { y.ln_1p() / y }
}
