//! The discrete Gaussian, p(j) proportional to e^(-j^2/(2 sigma2)) on the integers, against its shift by one, n times
//! (MECH-DG).
//!
//! With S the sum of n draws and tau = epsilon sigma2 - n/2, the loss at S = s exceeds epsilon iff s > tau, and
//!
//! > delta(epsilon) = sum over integers s > tau of P[S = s] (1 - e^(-(s - tau)/sigma2)).
//!
//! Domain: 1e-290 <= sigma2 <= 1e290, any real epsilon, n <= 2^32, and where sigma2 < 5 also n <= 2^13, because there
//! the law of S is computed by convolution; outside it, and for NaN, the answer is NaN. The work is at most some 10^4
//! steps, or for sigma2 < 5 some 10^4 n.
//! Edges: n = 0 gives (1 - e^epsilon)_+; epsilon = inf gives 0.

use super::bound::ErrorBound;

/// Of `careful::delta`, for all parameters.
pub const DELTA_ERROR: ErrorBound = ErrorBound::ROUNDED;

/// The formula as accountants write it.
pub mod textbook {
    /// The longest table of probabilities, and the one that is still convolved; beyond them the answer is NaN.
    const LONGEST: f64 = 1e7;
    const LONGEST_CONVOLVED: f64 = 1e4;

    /// P[S > epsilon sigma2 - n/2] - e^epsilon P[S > epsilon sigma2 + n/2] from a table cut at twelve standard
    /// deviations.
    pub fn delta(sigma2: f64, n: u64, epsilon: f64) -> f64 {
        let reach = (12.0 * sigma2.sqrt()).ceil() + 1.0;
        let longest = if n > 1 { LONGEST_CONVOLVED } else { LONGEST };
        if (reach * n as f64).is_nan() || reach * n as f64 > longest {
            return f64::NAN;
        }
        let width = reach as i64;
        let weights: Vec<f64> = (-width..=width).map(|j| (-((j * j) as f64) / (2.0 * sigma2)).exp()).collect();
        let total: f64 = weights.iter().sum();
        let single: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let sum = (0..n).fold(vec![1.0], |sum, _| convolve(&sum, &single));
        let half = n as f64 / 2.0;
        let tail = |threshold: f64| -> f64 {
            let least = -(width * n as i64);
            sum.iter().zip(least..).filter(|&(_, s)| s as f64 > threshold).map(|(p, _)| p).sum()
        };
        tail(epsilon * sigma2 - half) - epsilon.exp() * tail(epsilon * sigma2 + half)
    }

    fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; a.len() + b.len() - 1];
        for (i, p) in a.iter().enumerate() {
            for (slot, q) in sum.iter_mut().skip(i).zip(b) {
                *slot += p * q;
            }
        }
        sum
    }
}

/// The formula as a sum of positive terms in double-double.
pub mod careful {
    use crate::float::double_double::{DoubleDouble, Scaled};
    use crate::float::gaussian::careful::shifted;
    use crate::float::lattice::{TiltedPower, discrete_gaussian_normalizer, euler_maclaurin_correction};
    use crate::float::profile::{Probability, trivial};
    use crate::float::special::normal_density;

    const MOST_FOLDS: u64 = 1 << 32;
    const MOST_CONVOLVED: u64 = 1 << 13;
    /// From this sigma2 on, S is a discrete Gaussian of parameter n sigma2 to 2^-68, see `delta`.
    const SUM_IS_DISCRETE_GAUSSIAN: f64 = 5.0;
    /// From this n sigma2 on, a sum over the lattice is an integral with a few corrections.
    const SMOOTH: f64 = 65536.0;
    /// S is subgaussian: P[S >= t] <= e^(-t^2/(2 n sigma2)), zero as a double from this many sqrt(n sigma2) on.
    const FAR: f64 = 40.0;
    /// What may be dropped from a sum, relative to it.
    const NEGLIGIBLE: f64 = 1e-24;

    /// H_(e^epsilon), with the error [`super::DELTA_ERROR`].
    ///
    /// P[S = s] is e^(-s^2/(2 n sigma2)) T(s mod n) up to a factor, for the vectors with sum s are a shifted lattice
    /// A_(n-1) at distance abs(s)/sqrt(n) from the origin. By Poisson summation T varies by a relative
    /// 2n e^(-2 pi^2 sigma2 (n-1)/n) and smaller terms (the dual lattice has 2n vectors of least square length (n-1)/n;
    /// for n = 2 only 2), which at sigma2 >= 5 is below 2^-68: then S is a discrete Gaussian, as it is for n = 1. Its
    /// sum is taken term by term up to n sigma2 = 2^16, and by the formula of Euler and Maclaurin above. For the small
    /// sigma2 that are left the law of S is convolved, tilted so that its mean is where the terms are.
    pub fn delta(sigma2: f64, n: u64, epsilon: f64) -> f64 {
        let refused = n > MOST_FOLDS || (n > MOST_CONVOLVED && sigma2 < SUM_IS_DISCRETE_GAUSSIAN);
        if epsilon.is_nan() || !(1e-290..=1e290).contains(&sigma2) || refused {
            f64::NAN
        } else if n == 0 {
            trivial(epsilon)
        } else if epsilon == f64::NEG_INFINITY {
            1.0
        } else if epsilon < 0.0 {
            profile(sigma2, n, -epsilon).at_negative(-epsilon)
        } else {
            profile(sigma2, n, epsilon).to_f64()
        }
    }

    fn profile(sigma2: f64, n: u64, epsilon: f64) -> Probability {
        let count = n as f64;
        let variance = DoubleDouble::product(sigma2, count);
        let scaled = DoubleDouble::product(epsilon, sigma2);
        if (scaled.hi - count / 2.0) / variance.hi.sqrt() > FAR {
            return Probability::ZERO;
        }
        // tau, exact but for 2^-104 of itself.
        let threshold = DoubleDouble::sum(scaled.hi, -count / 2.0) + scaled.lo;
        let first = threshold.floor() + 1.0;
        if variance.hi >= SMOOTH {
            return smooth_sum(threshold, first - threshold, variance, count);
        }
        let terms = Terms::new((first - threshold) / sigma2, sigma2);
        if n == 1 || sigma2 >= SUM_IS_DISCRETE_GAUSSIAN {
            discrete_gaussian_sum(first.hi, variance, sigma2, terms)
        } else {
            convolved_sum(first.hi, sigma2, n, terms)
        }
    }

    /// h sum_j F(a + (offset + j) h) for F(w) = phi(w) - e^epsilon phi(w + mu), h = 1/sqrt(n sigma2), a = tau h and mu
    /// = n h: the integral, which is the Gaussian profile, less the correction. The normaliser differs from sqrt(2 pi
    /// n sigma2) by e^(-2 pi^2 n sigma2) only.
    fn smooth_sum(threshold: DoubleDouble, offset: DoubleDouble, variance: DoubleDouble, count: f64) -> Probability {
        let deviation = variance.sqrt();
        let a = threshold / deviation;
        let shift = DoubleDouble::from(count) / deviation;
        let integral = shifted(a, Scaled::new(shift, 0));
        if a.hi < -FAR {
            return integral;
        }
        let density = normal_density(a);
        let correction = density.mantissa * euler_maclaurin_correction(a.hi, shift.hi, 1.0 / deviation.hi, offset.hi);
        let Scaled { mantissa, exponent } = integral.parts();
        let correction = correction.ldexp(density.exponent - exponent);
        match integral {
            Probability::Value(_) => Probability::Value(Scaled::new(mantissa - correction, exponent)),
            Probability::Complement(_) => Probability::Complement(Scaled::new(mantissa + correction, exponent)),
        }
    }

    /// The sum where S is a discrete Gaussian. Each weight is the last times a ratio, and that the last times e^(-1/(n
    /// sigma2)): in the 2^14 steps there can be, the error grows to 2^-77.
    fn discrete_gaussian_sum(first: f64, variance: DoubleDouble, sigma2: f64, mut terms: Terms) -> Probability {
        let mut s = first.max(-(180.0 * variance.hi).sqrt().ceil() - 1.0);
        terms.skip(s - first, sigma2);
        let exponent = if s == 0.0 { DoubleDouble::ZERO } else { DoubleDouble::product(s, s) / (variance * -2.0) };
        if exponent.hi < -2000.0 {
            return Probability::ZERO;
        }
        let anchor = exponent.exp();
        let mut ratio = (DoubleDouble::from(-(2.0 * s + 1.0)) / (variance * 2.0)).exp_in_range();
        let step = (DoubleDouble::from(-1.0) / variance).exp_in_range();
        let (mut weight, mut sum) = (DoubleDouble::ONE, DoubleDouble::ZERO);
        loop {
            sum = sum + weight * terms.fall;
            weight = weight * ratio;
            ratio = ratio * step;
            terms.advance();
            s += 1.0;
            // Past the mode the ratios fall, and the rest is below (2 + n sigma2) times the next weight.
            if s > 0.0 && weight.hi * (2.0 + variance.hi) <= NEGLIGIBLE * sum.hi {
                break;
            }
        }
        let mantissa = anchor.mantissa * sum / discrete_gaussian_normalizer(variance);
        Probability::Value(Scaled::new(mantissa, anchor.exponent))
    }

    /// The sum for small sigma2, over the window of the tilted law of S; outside it is less than 2^-100 of the whole.
    fn convolved_sum(first: f64, sigma2: f64, n: u64, mut terms: Terms) -> Probability {
        // With sigma2 <= 2^-11 a single step costs e^-1024.
        if sigma2 < 1.0 / 2048.0 && first > 0.0 {
            return Probability::ZERO;
        }
        let power = TiltedPower::new(sigma2, n, first.max(0.0));
        let start = first.max(power.first);
        terms.skip(start - first, sigma2);
        let untilt = DoubleDouble::from(-power.tilt).exp_in_range();
        let (mut factor, mut sum) = (DoubleDouble::ONE, DoubleDouble::ZERO);
        for weight in power.weights.iter().skip((start - power.first) as usize) {
            sum = sum + *weight * factor * terms.fall;
            factor = factor * untilt;
            terms.advance();
        }
        let scale = (power.ln_mass - DoubleDouble::product(power.tilt, start)).exp();
        Probability::Value(Scaled::new(scale.mantissa * sum, scale.exponent))
    }

    /// The factors 1 - e^-gap for consecutive s: a step multiplies the decay e^-gap by e^(-1/sigma2) and adds to the
    /// fall what that takes away.
    struct Terms {
        fall: DoubleDouble,
        decay: DoubleDouble,
        step_fall: DoubleDouble,
        step: DoubleDouble,
    }

    impl Terms {
        fn new(gap: DoubleDouble, sigma2: f64) -> Self {
            let (fall, decay) = fall_and_decay(gap);
            let (step_fall, step) = fall_and_decay(DoubleDouble::ONE / sigma2);
            Self { fall, decay, step_fall, step }
        }

        fn advance(&mut self) {
            self.fall = self.fall + self.decay * self.step_fall;
            self.decay = self.decay * self.step;
        }

        fn skip(&mut self, steps: f64, sigma2: f64) {
            if steps > 0.0 {
                let (fall, decay) = fall_and_decay(DoubleDouble::from(steps) / sigma2);
                self.fall = self.fall + self.decay * fall;
                self.decay = self.decay * decay;
            }
        }
    }

    /// 1 - e^-gap and e^-gap.
    fn fall_and_decay(gap: DoubleDouble) -> (DoubleDouble, DoubleDouble) {
        if gap.hi < 800.0 { (-(-gap).exp_m1(), (-gap).exp_in_range()) } else { (DoubleDouble::ONE, DoubleDouble::ZERO) }
    }
}
