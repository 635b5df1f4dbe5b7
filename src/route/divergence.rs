//! Divergences from their definitions.
//!
//! * Finite pairs: sums over the outcomes of intervals for both masses.
//! * Laplace: the expectation over the loss, whose continuous part is integrated as a power series (the engine uses the
//!   closed form of the integral).
//! * Gaussian: the expectation as a trapezoidal sum. For `A e^(-(z-m)^2/2)` and step `h` the sum is the integral times
//!   `1 + e`, `|e| <= 2 sum_j e^(-2 pi^2 j^2/h^2)` (Poisson summation).
//!
//! All in rationals with outward rounding; the elementary functions are this folder's.

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{DivRound, Pow};
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::base::rounding_modes::RoundingMode::{Ceiling, Floor};
use malachite::rational::Rational;

use super::dyadic::{self, Dyadic};
use super::elementary::{
    Bounds, below_one, ceiling_at, erf_bounds, exp_bounds, floor_at, ln_bounds, pi_bounds, scaled_down, scaled_up,
    sqrt_bounds,
};
use crate::error::Error;

/// Bits of sums beyond those of their terms.
const SPARE: u64 = 32;

/// The divergences of a pair, each by its bounds.
#[derive(Clone, Debug)]
pub struct Divergences {
    /// Renyi divergence of the order asked for.
    pub renyi: Bounds,
    /// Kullback-Leibler divergence.
    pub kullback_leibler: Bounds,
    /// Chi-squared divergence.
    pub chi_squared: Bounds,
    /// Total variation.
    pub total_variation: Bounds,
}

/// `D(P||Q)` for outcomes with the positive masses given by bounds, `bits` of working precision, order `g > 1`.
pub fn finite(outcomes: &[(Bounds, Bounds)], order: &Rational, bits: u64) -> Divergences {
    let above = order - Rational::ONE;
    let mut power = point(Rational::ZERO);
    let mut mean = point(Rational::ZERO);
    let mut square = point(Rational::from(-1));
    let mut distance = point(Rational::ZERO);
    for (p, q) in outcomes {
        let loss = ln(&div(p, q), bits);
        power = add(&power, &mul(p, &exp(&scale(&loss, &above), bits), bits));
        mean = add(&mean, &mul(p, &loss, bits));
        square = add(&square, &mul(p, &div(p, q), bits));
        let gap = sub(p, q);
        distance = add(&distance, &(gap.0.max(Rational::ZERO), gap.1.max(Rational::ZERO)));
    }
    Divergences {
        renyi: div(&ln(&power, bits), &point(above)),
        kullback_leibler: mean,
        chi_squared: square,
        total_variation: distance,
    }
}

/// Randomised response, for `epsilon` by its bounds.
pub fn randomized_response(epsilon: &Bounds, order: &Rational, bits: u64) -> Divergences {
    geometric(epsilon, 1, order, bits)
}

/// The geometric mechanism of sensitivity `s`, as the mass of each integer up to where the likelihood ratio is
/// constant.
pub fn geometric(epsilon: &Bounds, sensitivity: u32, order: &Rational, bits: u64) -> Divergences {
    let one = point(Rational::ONE);
    // b = e^-epsilon; p(j) = (1-b)/(1+b) b^|j|; all j <= 0 together have 1/(1+b), all j >= s have b^s/(1+b).
    let b = exp(&(-&epsilon.1, -&epsilon.0), bits);
    let whole = add(&one, &b);
    let step = div(&sub(&one, &b), &whole);
    let power = |n: u32| {
        let n = u64::from(n);
        ((&b.0).pow(n), (&b.1).pow(n))
    };
    let (outer, far) = (div(&one, &whole), div(&power(sensitivity), &whole));
    let mut outcomes = vec![(outer.clone(), far.clone())];
    for j in 1..sensitivity {
        outcomes.push((mul(&step, &power(j), bits), mul(&step, &power(sensitivity - j), bits)));
    }
    outcomes.push((far, outer));
    finite(&outcomes, order, bits)
}

/// `Lap(0,1)` against `Lap(c,1)`, `c > 0` rational.
///
/// `E f(loss) = f(c)/2 + e^-c f(-c)/2 + (e^(-c/2)/4) int_(-c)^c f(y) e^(y/2) dy`.
pub fn laplace(c: &Rational, order: &Rational, bits: u64) -> Result<Divergences, Error> {
    // The power series has about 3 c g terms.
    within(c * order, 10_000, "c times the order")?;
    let half = Rational::ONE / Rational::TWO;
    let above = order - Rational::ONE;
    let weight = scale(&exp_bounds(&(-c * &half), bits), &(&half * &half));
    let bottom = scale(&exp_bounds(&-c, bits), &half);
    let expectation = |rate: &Rational| {
        let top = scale(&exp_bounds(&(c * rate), bits), &half);
        let low = mul(&bottom, &exp_bounds(&(-c * rate), bits), bits);
        add(&add(&top, &low), &mul(&weight, &exponential_integral(c, &(rate + &half), false, bits), bits))
    };
    let mean = add(
        &sub(&point(c * &half), &scale(&bottom, c)),
        &mul(&weight, &exponential_integral(c, &half, true, bits), bits),
    );
    // P(loss > 0) - Q(loss > 0): the density of Q carries e^(-y/2); over (0, c) the difference integrates 2 sinh(y/2).
    let sinh = sinh_integral(c, bits);
    let distance = add(&sub(&point(half.clone()), &bottom), &scale(&mul(&weight, &sinh, bits), &Rational::TWO));
    Ok(Divergences {
        renyi: div(&ln(&expectation(&above), bits), &point(above)),
        kullback_leibler: mean,
        chi_squared: sub(&expectation(&Rational::ONE), &point(Rational::ONE)),
        total_variation: distance,
    })
}

/// `int_(-c)^c e^(r y) dy = sum_n 2 r^(2n) c^(2n+1)/(2n+1)!`, or with `moment` `int_(-c)^c y e^(r y) dy`, which is
/// `sum_n 2 r^(2n+1) c^(2n+3)/((2n+1)! (2n+3))`.
fn exponential_integral(c: &Rational, rate: &Rational, moment: bool, bits: u64) -> Bounds {
    let square = rate * rate * c * c;
    let mut coefficient = c * Rational::TWO;
    if moment {
        coefficient *= rate * c * c;
    }
    series(&coefficient, &square, bits, |n| if moment { 2 * n + 3 } else { 1 })
}

/// `int_0^c sinh(y/2) dy = sum_n (1/2)^(2n+1) c^(2n+2)/((2n+1)! (2n+2))`.
fn sinh_integral(c: &Rational, bits: u64) -> Bounds {
    let half = Rational::ONE / Rational::TWO;
    let square = c * c * &half * &half;
    series(&(c * c * &half), &square, bits, |n| 2 * n + 2)
}

/// `first sum_n x^n/((2n+1)! d(n))` for `first, x >= 0` and growing `d`, with the rest bounded by a geometric series.
///
/// In integers of one unit that is small against the first term: fractions would be reduced in each step.
fn series(first: &Rational, x: &Rational, bits: u64, d: impl Fn(u64) -> u64) -> Bounds {
    let digits = bits + below_one(first) + 16;
    let (mut low, mut high) = (Integer::ZERO, Integer::ZERO);
    let (mut term_low, mut term_high) = (floor_at(first, digits), ceiling_at(first, digits));
    let (numer, denom) = (Integer::from(x.numerator_ref()), Integer::from(x.denominator_ref()));
    let mut n = 0u64;
    loop {
        let divisor = Integer::from(d(n));
        low += (&term_low).div_round(&divisor, Floor).0;
        high += (&term_high).div_round(&divisor, Ceiling).0;
        n += 1;
        let over = &denom * Integer::from(2 * n * (2 * n + 1));
        term_low = (term_low * &numer).div_round(&over, Floor).0;
        term_high = (term_high * &numer).div_round(&over, Ceiling).0;
        // From here on every ratio is below 1/2, so the rest is at most twice the next term.
        if &numer << 1u64 < over && (&term_high << bits) <= high {
            high += term_high << 1u64;
            return (Rational::from(low) >> digits, Rational::from(high) >> digits);
        }
    }
}

/// `N(0,1)` against `N(mu,1)`, `mu > 0` rational.
pub fn gaussian(mu: &Rational, order: &Rational, bits: u64) -> Result<Divergences, Error> {
    // Beyond, the grid around the largest term would be far from 0 and its exponentials huge.
    within(mu * order, 1000, "mu times the order")?;
    let above = order - Rational::ONE;
    let squared = mu * mu;
    let half = Rational::ONE / Rational::TWO;
    let expectation = |rate: &Rational| {
        // e^(rate loss) with loss = mu^2/2 - mu z.
        gaussian_mean(&(-mu * rate), &(&squared * &half * rate), bits)
    };
    // E loss = mu^2/2 - mu E z, and the grid is symmetric: E z = 0 term by term.
    let mean = scale(&gaussian_mean(&Rational::ZERO, &Rational::ZERO, bits), &(&squared * &half));
    let (root_low, root_high) = sqrt_bounds(&(&squared / Rational::from(8)), bits);
    let distance = (erf_bounds(&root_low, bits).0, erf_bounds(&root_high, bits).1);
    Ok(Divergences {
        renyi: div(&ln(&expectation(&above), bits), &point(above)),
        kullback_leibler: mean,
        chi_squared: sub(&expectation(&Rational::ONE), &point(Rational::ONE)),
        total_variation: distance,
    })
}

/// `E e^(slope z + offset)` for `z ~ N(0,1)`, by the trapezoidal sum with step `h = 1/m`.
fn gaussian_mean(slope: &Rational, offset: &Rational, bits: u64) -> Bounds {
    // 2 pi^2 m^2 > 19 m^2 exceeds bits ln 2 by some.
    let m = (1..).find(|m| 19 * m * m > bits + 8).unwrap_or(1);
    let step = Rational::ONE / Rational::from(m);
    // The largest term is near the slope; the grid is taken around the grid point there.
    let centre = scaled_down(slope, 0) * Rational::from(m);
    let centre = i64::try_from(&malachite::Integer::try_from(centre).unwrap_or_default()).unwrap_or(0);
    let half = Rational::ONE / Rational::TWO;
    let term = |n: i64| {
        let z = Rational::from(n) * &step;
        Dyadic::exp_of(&(&z * (slope - &z * &half) + offset), bits)
    };
    // Beyond w from the slope the terms fall faster than e^(-(w^2)/2), hence by more than half each 1/w.
    let reach = (1i64..).find(|w| (w * w).unsigned_abs() > 2 * bits + 16).unwrap_or(1) + 1;
    let (first, last) = (centre - reach * m as i64, centre + (reach + 1) * m as i64);
    // Fractions would be reduced in each step.
    let mut sum = (Dyadic::whole(0), Dyadic::whole(0));
    for n in first..=last {
        sum = dyadic::add(&sum, &term(n), bits + SPARE);
    }
    // Both ends are at least `reach` away from the slope: the ratio of neighbours outside is at most e^(-reach/m), and
    // sum_i e^(-i reach/m) <= 1 + m/reach <= 1 + m.
    let ends = term(first - 1).1.rational() + term(last + 1).1.rational();
    let sum = (sum.0.rational(), sum.1.rational() + ends * Rational::from(m + 1));
    // Times h/sqrt(2 pi), and the error of the sum itself.
    let (pi_low, pi_high) = pi_bounds(bits);
    let root = (sqrt_bounds(&(pi_low * Rational::TWO), bits).0, sqrt_bounds(&(pi_high * Rational::TWO), bits).1);
    let value = div(&scale(&sum, &step), &root);
    // sum = integral (1 + e), |e| <= 2 e^(-19 m^2) (1 + e^(-57 m^2) + ...) <= 3 e^(-19 m^2).
    let error = exp_bounds(&-Rational::from(19 * m * m), 8).1 * Rational::from(3);
    (&value.0 / (Rational::ONE + &error), value.1 / (Rational::ONE - error))
}

/// Parameters for which these slow sums are affordable.
fn within(value: Rational, limit: u32, name: &str) -> Result<(), Error> {
    if value <= limit {
        return Ok(());
    }
    Err(Error::undecided(format!("divergences, second route: {name} exceeds {limit}")))
}

fn point(x: Rational) -> Bounds {
    (x.clone(), x)
}

fn add(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 + &b.0, &a.1 + &b.1)
}

fn sub(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 - &b.1, &a.1 - &b.0)
}

/// A product, rounded outward where the exact one would only grow.
fn mul(a: &Bounds, b: &Bounds, bits: u64) -> Bounds {
    let corners = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
    let low = corners.iter().min().cloned().unwrap_or_default();
    let high = corners.iter().max().cloned().unwrap_or_default();
    let magnitude = if low == 0u32 { high.clone() } else { low.clone() };
    let digits = bits + if magnitude == 0u32 { 0 } else { below_one(&magnitude) } + 8;
    (scaled_down(&low, digits), scaled_up(&high, digits))
}

fn scale(a: &Bounds, by: &Rational) -> Bounds {
    if *by >= 0u32 { (&a.0 * by, &a.1 * by) } else { (&a.1 * by, &a.0 * by) }
}

/// `a/b` for positive `b`.
fn div(a: &Bounds, b: &Bounds) -> Bounds {
    let low = if a.0 >= 0u32 { &a.0 / &b.1 } else { &a.0 / &b.0 };
    let high = if a.1 >= 0u32 { &a.1 / &b.0 } else { &a.1 / &b.1 };
    (low, high)
}

fn exp(x: &Bounds, bits: u64) -> Bounds {
    (exp_bounds(&x.0, bits).0, exp_bounds(&x.1, bits).1)
}

/// `ln` of positive bounds.
fn ln(x: &Bounds, bits: u64) -> Bounds {
    (ln_bounds(&x.0, bits).0, ln_bounds(&x.1, bits).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    use crate::curve::{Direction, Value};
    use crate::divergence::{self, Divergence};
    use enclosure::{Budget, Number, Real, refine};

    fn rational(text: &str) -> Rational {
        Rational::from_str(text).unwrap()
    }

    fn real(text: &str) -> Real {
        Real::from(rug::Rational::from_str(text).unwrap())
    }

    fn overlap(bounds: &Bounds, value: &dyn Fn(u32) -> Result<Value, Error>, about: &str) {
        let number = refine(40, &Budget::default(), |bits| match value(bits)? {
            Value::Finite(value) => Ok(value),
            Value::Infinite => panic!("{about}: infinite"),
        })
        .unwrap();
        let set = match number {
            Number::Exact(value) => (rational(&value.to_string()), rational(&value.to_string())),
            Number::Enclosed(set) => {
                let text = |x: &rug::Float| rational(&x.to_rational().unwrap().to_string());
                (text(set.lower()), text(set.upper()))
            }
        };
        assert!(bounds.0 <= set.1 && set.0 <= bounds.1, "{about}: {bounds:?} {set:?}");
        assert!((&bounds.1 - &bounds.0) << 130 <= bounds.1, "{about}: too wide");
    }

    fn compare(direct: &Divergences, pair: &dyn Divergence, order: &str, about: &str) {
        let budget = Budget::default();
        let order = real(order);
        let forward = Direction::Forward;
        let named = |name: &str| format!("{name} of {about}");
        overlap(&direct.renyi, &|bits| pair.renyi(&order, forward, bits, &budget), &named("renyi"));
        overlap(&direct.kullback_leibler, &|bits| pair.kullback_leibler(forward, bits, &budget), &named("kl"));
        overlap(&direct.chi_squared, &|bits| pair.chi_squared(forward, bits, &budget), &named("chi2"));
    }

    #[test]
    fn engines_overlap_the_definitions() {
        for parameter in ["1", "1/10", "7/2", "1/1000"] {
            for order in ["2", "11/10", "10"] {
                let (x, g) = (rational(parameter), rational(order));
                let about = format!("{parameter} {order}");
                let zero = real("0");
                let response = divergence::RandomizedResponse::new(real(parameter), zero).unwrap();
                compare(
                    &randomized_response(&(x.clone(), x.clone()), &g, 220),
                    &response,
                    order,
                    &format!("rr {about}"),
                );
                let engine = divergence::Laplace::new(real(parameter)).unwrap();
                compare(&laplace(&x, &g, 220).unwrap(), &engine, order, &format!("laplace {about}"));
                let engine = divergence::Gaussian(real(parameter));
                compare(&gaussian(&x, &g, 220).unwrap(), &engine, order, &format!("gaussian {about}"));
            }
        }
    }
}
