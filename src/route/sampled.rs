//! Moments of the loss of a Poisson sample of Gaussian noise, by the trapezoidal rule.
//!
//! With `l(x) = mu x - mu^2/2`, `w = 1 - r + r e^l` and x standard normal, the loss of the sample `r P + (1-r) Q`
//! against Q is `ln w`, weighed by w; that of Q against the sample is `-ln w`. So all moments are `int F`,
//! `F = phi w^f ln^j w`, f being 1 or 0.
//!
//! **The rule's error.** On `|Im z| <= a` with `mu a <= 3/2 < pi/2` the real part of `e^l` is not negative, so `Re w`
//! is at least `1 - r`, `ln w` is analytic, and `1 - r <= |w| <= w(Re z) <= e^(mu |x|)`. With `C = ln(1/(1-r)) + 2`
//! hence `|ln w| <= C + mu |x|`, whose j-th power is at most `j! e^(C + mu |x|)`; and `|phi| = e^(y^2/2) phi(x)`. So
//! `int |F(x + iy)| dx <= M = 2 j! e^(a^2/2 + C + 2 mu^2)`, and the rule with step h errs by at most
//! `2M/(e^(2 pi a/h) - 1)` (Trefethen and Weideman 2014, Theorem 5.1). Nodes beyond X add at most
//! `j! e^(C + 2 mu^2 - Y^2/2)`, `Y = X - h - 2 mu >= 1`, for there `phi(x) e^(2 mu |x|) = e^(2 mu^2) phi(|x| - 2 mu)`
//! falls.

use malachite::base::num::arithmetic::traits::{Ceiling, Pow};
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::rational::Rational;

use super::elementary::{Bounds, exp_bounds, ln_bounds, pi_bounds, scaled_down, scaled_up, sqrt_bounds};
use super::moments::{add, div, mul, point};

/// `E L^j` for j = 1, ..., count, of the sample with rate r in (0, 1) of noise with this mu, each off by some
/// `2^-bits`; `reversed` is Q against the sample.
pub fn moments(rate: &Rational, mu: &Rational, reversed: bool, count: u32, bits: u64) -> Vec<Bounds> {
    let (one, two) = (Rational::ONE, Rational::TWO);
    let half = &one / &two;
    let a = (Rational::from(3) / (&two * mu)).min(Rational::from(6));
    // 2 pi a/h >= bits ln 2 by far.
    let m = (Rational::from(bits) / (&a * Rational::from(8))).ceiling() + malachite::Integer::ONE;
    let h = &one / Rational::from(m);
    let reach = sqrt_bounds(&Rational::from(2 * bits), 32).1 + &two * mu + &one + &h;
    let nodes = u64::try_from(&(reach / &h).ceiling()).unwrap_or(u64::MAX);
    let wide = bits + 64;
    let round = |(low, high): Bounds| (scaled_down(&low, wide), scaled_up(&high, wide));
    let square = mu * mu;
    let mut sums = vec![point(Rational::ZERO); count as usize];
    for side in [false, true] {
        for k in 0..=nodes {
            if side && k == 0 {
                continue;
            }
            let x = &h * Rational::from(k);
            let x = if side { -x } else { x };
            let (low, high) = exp_bounds(&(mu * &x - &square * &half), wide);
            let rest = &one - rate;
            let w = (rate * low + &rest, rate * high + rest);
            let log = (ln_bounds(&w.0, wide).0, ln_bounds(&w.1, wide).1);
            let log = if reversed { (-&log.1, -&log.0) } else { log };
            let density = exp_bounds(&-(&x * &x * &half), wide);
            let mut term = if reversed { density } else { round(mul(&density, &w)) };
            for sum in &mut sums {
                term = round(mul(&term, &log));
                *sum = add(sum, &term);
            }
        }
    }
    let pi = pi_bounds(wide);
    let root = (sqrt_bounds(&(&pi.0 * &two), wide).0, sqrt_bounds(&(&pi.1 * &two), wide).1);
    let step = div(&point(h.clone()), &root);
    // Upper ends of the exponentials in the error terms.
    let size = |x: &Rational| exp_bounds(x, 32).1;
    let c = ln_bounds(&(&one / (&one - rate)), 32).1 + &two;
    let aliased = size(&(&a * &a * &half + &c + &two * &square)) * Rational::from(4)
        / (exp_bounds(&(&two * &pi.0 * &a / &h), 32).0 - &one);
    let y = &h * Rational::from(nodes) - &h - &two * mu;
    let beyond = size(&(c + &two * &square - y.pow(2u64) * &half));
    let error = aliased + beyond;
    let mut factorial = one;
    let mut all = Vec::new();
    for (j, sum) in (1u32..).zip(sums) {
        factorial *= Rational::from(j);
        let (low, high) = mul(&sum, &step);
        let off = &error * &factorial;
        all.push(round((low - &off, high + off)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means are divergences, convex in the rate: below the chord from 0 to the `1/2` of all of them, and above the
    /// tangent there, whose slope is 1 for the sample against Q and `e - 1 < 2` for Q against the sample.
    #[test]
    fn means_lie_between_tangent_and_chord() {
        let half = Rational::ONE / Rational::TWO;
        for (reversed, slope) in [(false, Rational::ONE), (true, Rational::TWO)] {
            for exponent in [2u64, 10, 40] {
                let left = Rational::ONE >> exponent;
                let rate = Rational::ONE - &left;
                let mean = &moments(&rate, &Rational::ONE, reversed, 1, 160)[0];
                assert!(&half - &slope * left < mean.0 && mean.1 < &half * rate, "{exponent}: {mean:?}");
            }
        }
    }

    /// Half the step, and other ends: the intervals meet.
    #[test]
    fn other_nodes_say_the_same() {
        let (rate, mu) = (Rational::ONE / Rational::from(100), Rational::TWO);
        for reversed in [false, true] {
            let (one, other) = (moments(&rate, &mu, reversed, 5, 100), moments(&rate, &mu, reversed, 5, 260));
            for (a, b) in one.iter().zip(&other) {
                assert!(a.0 <= b.1 && b.0 <= a.1, "{a:?} {b:?}");
                assert!((&b.1 - &b.0) << 200u64 <= Rational::ONE && b.1 != 0u32);
            }
        }
    }
}
