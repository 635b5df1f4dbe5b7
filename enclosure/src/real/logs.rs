//! Linear combinations of logarithms of rationals.
//!
//! `sum c_i ln(a_i)` with `c_i = n_i g / d` (integers without common divisor `n_i`) is `(g/d) ln(prod a_i^{n_i})`.
//! While the product is of sensible size it is computed, freed of being a power and turned above 1: one logarithm, or
//! none at all, and the form depends on the value alone. Beyond that size the numerators and denominators are refined
//! to integers that are pairwise coprime, whose logarithms are linearly independent over the rationals.

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::{Enclosure, roots, size};
use crate::special::{ln_thin, log1p_thin, rational_thin};

/// Products up to this many bits are computed.
const MERGE_BITS: u64 = 1 << 13;

/// Numbers without a small prime factor are tested for being a power up to this many bits.
const POWER_BITS: u32 = 1 << 13;

/// The normal form of `sum c_i ln(a_i)` given as `(a_i, c_i)`, `a_i > 0`.
pub(super) fn normalise(terms: Vec<(Rational, Rational)>) -> Vec<(Rational, Rational)> {
    let mut distinct: Vec<(Rational, Rational)> = Vec::new();
    for (mut a, mut c) in terms {
        match a.cmp(&Rational::from(1)) {
            Ordering::Equal => continue,
            Ordering::Less => {
                a.recip_mut();
                c = -c;
            }
            Ordering::Greater => {}
        }
        match distinct.iter_mut().find(|(b, _)| *b == a) {
            Some((_, d)) => *d += c,
            None => distinct.push((a, c)),
        }
    }
    distinct.retain(|(_, c)| !c.is_zero());
    match merge(&distinct) {
        Some(one) => one,
        None => {
            let list = coprime(&distinct);
            merge(&list).unwrap_or(list)
        }
    }
}

/// As one logarithm, if that is of sensible size.
fn merge(terms: &[(Rational, Rational)]) -> Option<Vec<(Rational, Rational)>> {
    let (argument, coefficient) = match terms {
        [] => return Some(Vec::new()),
        [(a, c)] => (a.clone(), c.clone()),
        _ => {
            let mut unit = Rational::new();
            for (_, c) in terms {
                unit = gcd(&unit, c);
            }
            let mut total = 0_u64;
            let mut powers = Vec::new();
            for (a, c) in terms {
                let n = Rational::from(c / &unit).numer().to_i32()?;
                total = total.saturating_add(size(a).saturating_mul(u64::from(n.unsigned_abs())));
                powers.push((a, n));
            }
            if total > MERGE_BITS {
                return None;
            }
            let product = powers.into_iter().fold(Rational::from(1), |p, (a, n)| p * Rational::from(a.pow(n)));
            (product, unit)
        }
    };
    match argument.cmp(&Rational::from(1)) {
        Ordering::Equal => Some(Vec::new()),
        Ordering::Less => Some(vec![root(argument.recip(), -coefficient)]),
        Ordering::Greater => Some(vec![root(argument, coefficient)]),
    }
}

/// The largest rational of which both are integer multiples.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    let numer = Integer::from(a.numer() * b.denom()).gcd(&Integer::from(b.numer() * a.denom()));
    Rational::from((numer, Integer::from(a.denom() * b.denom())))
}

/// `c ln(a^k) = c k ln(a)`: the argument as the highest power.
fn root(mut a: Rational, mut c: Rational) -> (Rational, Rational) {
    for k in exponents(&a) {
        while let Some(base) = exact_root(&a, k) {
            a = base;
            c *= k;
        }
    }
    (a, c)
}

/// The primes that may divide the exponent of `a = b^k`.
fn exponents(a: &Rational) -> Vec<u32> {
    let is_power = |n: &Integer| *n == 1 || n.is_perfect_power();
    // The small numbers are asked first: they settle nearly all.
    let (small, large) = if a.numer() <= a.denom() { (a.numer(), a.denom()) } else { (a.denom(), a.numer()) };
    if !is_power(small) || !is_power(large) {
        return Vec::new();
    }
    let part = if *small == 1 { large } else { small };
    let bound = match roots::small_primes().find(|&prime| part.is_divisible_u(prime)) {
        // The exponent divides the valuation at each prime.
        Some(prime) => {
            let valuation = part.clone().remove_factor_mut(&Integer::from(prime));
            return prime_divisors(valuation);
        }
        None if part.significant_bits() <= POWER_BITS => part.significant_bits() / 9 + 1,
        None => return Vec::new(),
    };
    (2..=bound).filter(|&k| prime_divisors(k) == [k]).collect()
}

fn prime_divisors(mut n: u32) -> Vec<u32> {
    let mut divisors = Vec::new();
    let mut d = 2_u32;
    while u64::from(d) * u64::from(d) <= u64::from(n) {
        if n.is_multiple_of(d) {
            divisors.push(d);
            while n.is_multiple_of(d) {
                n /= d;
            }
        }
        d += 1;
    }
    if n > 1 {
        divisors.push(n);
    }
    divisors
}

fn exact_root(a: &Rational, k: u32) -> Option<Rational> {
    let root = |n: &Integer| {
        let (root, rest) = n.clone().root_rem(Integer::new(), k);
        rest.is_zero().then_some(root)
    };
    let value = Rational::from((root(a.numer())?, root(a.denom())?));
    (value != 1).then_some(value)
}

/// The same sum over logarithms of pairwise coprime integers, by splitting at common divisors until there are none.
/// Each split replaces two integers by proper divisors, so it ends.
fn coprime(terms: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    let mut todo: Vec<(Integer, Rational)> = Vec::new();
    for (a, c) in terms {
        todo.push((a.numer().clone(), c.clone()));
        todo.push((a.denom().clone(), Rational::from(-c)));
    }
    let mut base: Vec<(Integer, Rational)> = Vec::new();
    while let Some((n, c)) = todo.pop() {
        if n == 1 || c.is_zero() {
            continue;
        }
        let common = base.iter().position(|(m, _)| *m == n || Integer::from(m.gcd_ref(&n)) != 1);
        let Some(at) = common else {
            base.push((n, c));
            continue;
        };
        let (m, d) = base.swap_remove(at);
        // ln(n) c + ln(m) d = ln(g) (c + d) + ln(n/g) c + ln(m/g) d
        let g = Integer::from(n.gcd_ref(&m));
        todo.push((Integer::from(&n / &g), c.clone()));
        todo.push((Integer::from(&m / &g), d.clone()));
        todo.push((g, c + d));
    }
    let mut list: Vec<_> = base.into_iter().map(|(n, c)| root(Rational::from(n), c)).collect();
    list.sort();
    list
}

/// Bits beyond those of the result, so that the logarithm of an end point is rarely rounded to a wider set.
const MORE_BITS: u32 = 16;

/// `ln(a)` for rational `a > 1`, to full relative accuracy near 1 too.
pub(super) fn evaluate(a: &Rational, bits: u32) -> Enclosure {
    let fine = bits.saturating_add(MORE_BITS);
    let log = if *a < 2 {
        log1p_thin(&rational_thin(&Rational::from(a - 1), fine), fine)
    } else {
        ln_thin(&rational_thin(a, fine), fine)
    };
    log.with_bits(bits)
}
