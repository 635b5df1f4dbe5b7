//! Laws on the integers: the discrete Gaussian's normaliser, sums against integrals, and powers by convolution.

use super::double_double::DoubleDouble;

/// sum_j e^(-j^2/(2v)); from v = 1/(2 pi) on in the form that Poisson summation gives it.
pub(super) fn discrete_gaussian_normalizer(variance: DoubleDouble) -> DoubleDouble {
    let sum = |rate: DoubleDouble| {
        let mut sum = DoubleDouble::ONE;
        for j in 1..=8 {
            let square = f64::from(j * j);
            if rate.hi * square < 200.0 {
                sum = sum + (rate * -square).exp_in_range() * 2.0;
            }
        }
        sum
    };
    if variance.hi * core::f64::consts::TAU < 1.0 {
        sum(DoubleDouble::ONE / (variance * 2.0))
    } else {
        let root = DoubleDouble::SQRT_HALF_PI * variance.sqrt() * 2.0;
        root * sum(DoubleDouble::PI.square() * variance * 2.0)
    }
}

/// With F(w) = phi(w) - e^epsilon phi(w + mu), which vanishes at a: (int_a^inf F - h sum_(j >= 0) F(a + (offset + j)
/// h))/phi(a) = sum_(m >= 2) (-h)^m B_m(offset)/m! (He_(m-1)(b) - He_(m-1)(a)), b = a + mu.
///
/// Asymptotic; term m is of the size (h b/(2 pi))^m or, where b < 1, sqrt(m!) (h/(2 pi))^m. With h <= 2^-8 and h b <=
/// 0.36 twenty terms reach 2^-80. All of it is below 2^-7 of the integral over phi(a), so doubles will do.
pub(super) fn euler_maclaurin_correction(a: f64, shift: f64, h: f64, offset: f64) -> f64 {
    const TERMS: usize = 20;
    let b = a + shift;
    let mut inverse_factorial = [1.0; TERMS + 2];
    for m in 1..inverse_factorial.len() {
        inverse_factorial[m] = inverse_factorial[m - 1] / m as f64;
    }
    // B_j/j!, from sum_(j <= m) B_j/j! /(m + 1 - j)! = 0.
    let mut bernoulli = [1.0; TERMS];
    for m in 1..TERMS {
        bernoulli[m] = -(0..m).map(|j| bernoulli[j] * inverse_factorial[m + 1 - j]).sum::<f64>();
    }
    let polynomial =
        |m: usize| (0..=m).map(|j| bernoulli[j] * offset.powi((m - j) as i32) * inverse_factorial[m - j]).sum::<f64>();
    // Hermite polynomials at a, and their increments from a to b without a difference.
    let (mut before, mut hermite) = (1.0, a);
    let (mut increment_before, mut increment) = (0.0, shift);
    let mut power = -h;
    let mut sum = 0.0;
    for m in 2..TERMS {
        power *= -h;
        sum += power * polynomial(m) * increment;
        let order = (m - 1) as f64;
        let next = b * increment + shift * hermite - order * increment_before;
        (increment_before, increment) = (increment, next);
        (before, hermite) = (hermite, a * hermite - order * before);
    }
    sum
}

/// The n-th convolution power of the law proportional to e^(-j^2/(2 sigma2) + tilt j), on a window about its mean.
pub(super) struct TiltedPower {
    pub tilt: f64,
    /// ln of (sum_j e^(-j^2/(2 sigma2) + tilt j)/sum_j e^(-j^2/(2 sigma2)))^n.
    pub ln_mass: DoubleDouble,
    /// The integer that the first weight belongs to.
    pub first: f64,
    pub weights: Vec<DoubleDouble>,
}

/// e^-75 is 2^-108.
const CUT: f64 = 75.0;

impl TiltedPower {
    /// The tilt is chosen so that the mean is `mean` >= 0, nearly.
    pub fn new(sigma2: f64, n: u64, mean: f64) -> Self {
        let count = n as f64;
        let center = mean / count;
        let tilt = if mean > 0.0 { tilt_for(sigma2, center) } else { 0.0 };
        let peak = (sigma2 * tilt).round();
        let reach = (2.0 * CUT * sigma2).sqrt().ceil() + 2.0;
        let weights: Vec<DoubleDouble> =
            integers(peak - reach, peak + reach).map(|j| exponent(sigma2, tilt, j, peak).exp_in_range()).collect();
        let total = weights.iter().fold(DoubleDouble::ZERO, |sum, weight| sum + *weight);
        let single = Law { first: peak - reach, weights: weights.iter().map(|weight| *weight / total).collect() };
        let ln_single =
            total.ln() - discrete_gaussian_normalizer(sigma2.into()).ln() + exponent(sigma2, tilt, peak, 0.0);
        let power = single.power(n, center, sigma2);
        Self { tilt, ln_mass: ln_single * count, first: power.first, weights: power.weights }
    }
}

/// The integers from `low` to `high`, which are integers.
fn integers(low: f64, high: f64) -> impl Iterator<Item = f64> {
    core::iter::successors(Some(low), |j| Some(j + 1.0)).take_while(move |j| *j <= high)
}

/// The exponent of the tilted law at j, less that at `base`; never below what underflows.
fn exponent(sigma2: f64, tilt: f64, j: f64, base: f64) -> DoubleDouble {
    let square = DoubleDouble::product(j - base, j + base);
    if j == base || (square.hi / sigma2).abs() > 1e300 {
        return if j == base { DoubleDouble::ZERO } else { DoubleDouble::from(-1e9) };
    }
    DoubleDouble::product(tilt, j - base) - square / (DoubleDouble::from(sigma2) * 2.0)
}

/// The tilt at which the mean is `center` > 0, to a double's accuracy, which is more than enough: any tilt near it
/// would do.
fn tilt_for(sigma2: f64, center: f64) -> f64 {
    let mean = |tilt: f64| {
        let peak = (sigma2 * tilt).round();
        let reach = (2.0 * CUT * sigma2).sqrt().ceil() + 2.0;
        let (mass, moment) = integers(peak - reach, peak + reach).fold((0.0, 0.0), |(mass, moment), j| {
            let weight = libm::exp((j - peak) * (tilt - (j + peak) / (2.0 * sigma2)));
            (mass + weight, moment + weight * j)
        });
        moment / mass
    };
    let (mut low, mut high) = (0.0, (center + 1.0) / sigma2);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if mean(middle) < center {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Probabilities of consecutive integers.
#[derive(Clone)]
struct Law {
    first: f64,
    weights: Vec<DoubleDouble>,
}

impl Law {
    /// The n-th convolution power, n > 0, by squaring. The m-fold law is kept within sqrt(2 CUT m (sigma2 + 1/4)) + 4
    /// of its mean: given the sum of all, the sum of m terms is subgaussian with the variance m (sigma2 + 1/4), where
    /// 1/4 is for the lattice.
    fn power(&self, n: u64, center: f64, sigma2: f64) -> Self {
        let cut = |law: Self, m: u64| {
            let half_width = (2.0 * CUT * m as f64 * (sigma2 + 0.25)).sqrt() + 4.0;
            law.restrict((m as f64 * center - half_width).floor(), (m as f64 * center + half_width).ceil())
        };
        let mut power = self.clone();
        let mut m = 1;
        for bit in (0..n.ilog2()).rev() {
            m *= 2;
            power = cut(power.convolve(&power), m);
            if n >> bit & 1 == 1 {
                m += 1;
                power = cut(power.convolve(self), m);
            }
        }
        power
    }

    fn convolve(&self, other: &Self) -> Self {
        let mut weights = vec![DoubleDouble::ZERO; (self.weights.len() + other.weights.len()).saturating_sub(1)];
        for (i, p) in self.weights.iter().enumerate() {
            for (slot, q) in weights.iter_mut().skip(i).zip(&other.weights) {
                *slot = *slot + *p * *q;
            }
        }
        Self { first: self.first + other.first, weights }
    }

    fn restrict(self, low: f64, high: f64) -> Self {
        let skipped = (low - self.first).max(0.0);
        let first = self.first + skipped;
        let kept = (high - first + 1.0).max(0.0) as usize;
        Self { first, weights: self.weights.into_iter().skip(skipped as usize).take(kept).collect() }
    }
}
