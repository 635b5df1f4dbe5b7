//! Edgeworth expansions from the formal series, and tails of the normal distribution by the series of its integral.
//!
//! With the cumulants `K_j`, `s^2 = K_2` and `l_j = K_j/s^j`, the density of the standardised sum is formally
//! `exp(sum_(j >= 3) l_j (-D)^j/j!) phi`. Powers of the sum are multiplied out, `l_j` counting as order `j - 2`, and
//! kept up to the order of the expansion; `(-D)^m phi = He_m phi`, whose tail is `He_(m-1) phi`. The engine has the
//! polynomials as they are printed.

use malachite::base::num::arithmetic::traits::Pow;
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::rational::Rational;

use super::elementary::{Bounds, below_one, erf_bounds, exp_bounds, pi_bounds, scaled_down, scaled_up, sqrt_bounds};
use super::moments::{add, div, mul, point, power, sub};

/// `P(Z > z)` of a standard normal Z, off by some `2^-bits`.
pub fn tail(z: &Bounds, bits: u64) -> Bounds {
    let half = Rational::ONE / Rational::TWO;
    // z/sqrt 2, outward.
    let at = |z: &Rational| {
        let (low, high) = sqrt_bounds(&(z * z * &half), bits + 16);
        if *z < 0u32 { (-high, -low) } else { (low, high) }
    };
    let (least, most) = (erf_bounds(&at(&z.0).0, bits + 8).0, erf_bounds(&at(&z.1).1, bits + 8).1);
    ((Rational::ONE - most) * &half, (Rational::ONE - least) * half)
}

/// `phi(z)`.
pub fn density(z: &Bounds, bits: u64) -> Bounds {
    let square = power(z, 2);
    let half = Rational::ONE / Rational::TWO;
    let (low, high) = (exp_bounds(&-(&square.1 * &half), bits).0, exp_bounds(&-(square.0 * half), bits).1);
    let pi = pi_bounds(bits);
    let root = (sqrt_bounds(&(pi.0 * Rational::TWO), bits).0, sqrt_bounds(&(pi.1 * Rational::TWO), bits).1);
    trim(&div(&(low, high), &root), bits)
}

/// An expansion: of the standardised sum, from its cumulants `K_1, ..., K_(order + 2)`.
pub struct Expansion {
    mean: Bounds,
    deviation: Bounds,
    /// What stands before `He_m phi` in the tail, by m.
    coefficients: Vec<Bounds>,
    bits: u64,
}

impl Expansion {
    /// `None` where the variance is not positive.
    pub fn new(cumulants: &[Bounds], order: usize, bits: u64) -> Option<Self> {
        let variance = &cumulants[1];
        if variance.0 <= 0u32 {
            return None;
        }
        let deviation = (sqrt_bounds(&variance.0, bits).0, sqrt_bounds(&variance.1, bits).1);
        let none = || point(Rational::ZERO);
        // A polynomial in t for each order: rows are orders, columns degrees.
        let empty = || vec![vec![none(); 3 * order + 1]; order + 1];
        let mut exponent = empty();
        let mut factorial = Rational::TWO;
        for (j, cumulant) in (3..).zip(cumulants.iter().skip(2).take(order)) {
            factorial *= Rational::from(j as u64);
            let scaled = div(cumulant, &power(&deviation, j as u32));
            exponent[j - 2][j] = trim(&mul(&scaled, &point(Rational::ONE / &factorial)), bits);
        }
        let (mut sum, mut power_n) = (empty(), empty());
        power_n[0][0] = point(Rational::ONE);
        for n in 1..=order {
            let mut next = empty();
            for (g, row) in power_n.iter().enumerate() {
                for (h, other) in exponent.iter().enumerate().take(order + 1 - g) {
                    for (d, a) in row.iter().enumerate() {
                        for (e, b) in other.iter().enumerate().take(3 * order + 1 - d) {
                            next[g + h][d + e] = add(&next[g + h][d + e], &trim(&mul(a, b), bits));
                        }
                    }
                }
            }
            let over = point(Rational::ONE / Rational::from(n as u64));
            for row in &mut next {
                for value in row {
                    *value = mul(value, &over);
                }
            }
            for (to, from) in sum.iter_mut().flatten().zip(next.iter().flatten()) {
                *to = add(to, from);
            }
            power_n = next;
        }
        let coefficients = (1..=3 * order).map(|m| sum.iter().fold(none(), |all, row| add(&all, &row[m]))).collect();
        Some(Expansion { mean: cumulants[0].clone(), deviation, coefficients, bits })
    }

    /// The expansion's `P(S > x)`.
    pub fn tail(&self, x: &Bounds) -> Bounds {
        let z = trim(&div(&sub(x, &self.mean), &self.deviation), self.bits);
        let mut sum = point(Rational::ZERO);
        for (m, coefficient) in self.coefficients.iter().enumerate() {
            sum = add(&sum, &trim(&mul(coefficient, &hermite(m as u64, &z, self.bits)), self.bits));
        }
        add(&tail(&z, self.bits), &trim(&mul(&density(&z, self.bits), &sum), self.bits))
    }
}

/// `He_n(z) = sum_k (-1)^k n!/(k! (n-2k)! 2^k) z^(n-2k)`.
fn hermite(n: u64, z: &Bounds, bits: u64) -> Bounds {
    let (mut sum, mut factor) = (point(Rational::ZERO), Rational::ONE);
    for k in 0..=n / 2 {
        let term = mul(&power(z, u32::try_from(n - 2 * k).unwrap_or(u32::MAX)), &point(factor.clone()));
        sum = add(&sum, &trim(&term, bits));
        let m = n - 2 * k;
        factor = if m < 2 { factor } else { -factor * Rational::from(m * (m - 1)) / Rational::from(2 * (k + 1)) };
    }
    sum
}

/// The same outward with about so many bits.
fn trim((low, high): &Bounds, bits: u64) -> Bounds {
    let size = (-low).max(high.clone());
    if size <= 0u32 {
        return (low.clone(), high.clone());
    }
    let w = bits + 8 + below_one(&size);
    (scaled_down(low, w), scaled_up(high, w))
}

/// `e^(mu^2) Phi(3 mu/2) + 3 Phi(-mu/2) - 2`, which is `chi^2_+` of a Gaussian, from the square of mu.
pub fn gaussian_positive_chi_squared(square: &Rational, bits: u64) -> Bounds {
    let mu = sqrt_bounds(square, bits);
    let quarter = Rational::ONE / Rational::from(4);
    let at = |halves: i64| mul(&mu, &point(Rational::from(2 * halves) * &quarter));
    let first = mul(&exp_bounds(square, bits), &tail(&at(-3), bits));
    let second = mul(&tail(&at(1), bits), &point(Rational::from(3)));
    sub(&add(&first, &second), &point(Rational::TWO.pow(1u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A centred and scaled exponential law has the cumulants `(j-1)!`; its expansion of order 2 by hand, at 1.
    #[test]
    fn an_expansion_by_hand() {
        let number = |n: i64, d: u64| Rational::from(n) / Rational::from(d);
        let cumulants: Vec<Bounds> = [0, 1, 2, 6].map(|n| point(Rational::from(n))).into();
        let at = point(Rational::ONE);
        for (order, factor) in [(0, number(0, 1)), (1, number(0, 1)), (2, number(6 * -2, 24) + number(4 * 6, 72))] {
            // He_2(1) = 0, He_3(1) = -2, He_5(1) = 1 - 10 + 15 = 6.
            let expansion = Expansion::new(&cumulants, order, 200).expect("a variance");
            let found = expansion.tail(&at);
            let expected = add(&tail(&at, 200), &mul(&density(&at, 200), &point(factor)));
            assert!(found.0 <= expected.1 && expected.0 <= found.1, "{order}: {found:?}");
            assert!((&found.1 - &found.0) << 150u64 <= Rational::ONE, "{found:?} is wide");
        }
        assert!(Expansion::new(&[point(Rational::ONE), point(Rational::ZERO)], 0, 100).is_none());
    }

    /// `P(Z > 0)` and `P(Z > 1.959964)` as tables have them.
    #[test]
    fn tails_of_the_table() {
        let half = Rational::ONE / Rational::TWO;
        assert_eq!(tail(&point(Rational::ZERO), 100), (half.clone(), half));
        // The quantile of 0.975 is 1.959963984540054235...
        let at = |last: u64| Rational::from(1_959_963_984_540_000u64 + last) / Rational::from(1_000_000_000_000_000u64);
        let fortieth = Rational::ONE / Rational::from(40);
        assert!(tail(&point(at(54)), 100).0 > fortieth && tail(&point(at(55)), 100).1 < fortieth);
        let rest = Rational::ONE - fortieth;
        assert!(tail(&point(-at(54)), 100).1 < rest && tail(&point(-at(55)), 100).0 > rest);
    }
}
