//! Binomial tails `sum_{l < j} C(k,l) x^(k-l) / (1+x)^k`: the arithmetic under the optimal composition theorem.
//!
//! Three tools. *One term* is enclosed through an exact binomial coefficient or MPFR's log-gamma. *The terms beside
//! it* form a series whose ratios fall, so in fixed point it is a loop over whole numbers with an error that is
//! counted, not tracked. *All terms exactly*, for rational x, come from binary splitting.
//!
//! Why the loop ends: the ratios are `f (n-j+1)/(b+j)`, at most `1 + 1/n` at first and falling, so the terms fall
//! below one unit of the fixed point, at the latest when `j = n + 1`.

use rug::float::Round::{Down, Up};
use rug::{Float, Integer};

use crate::error::Error;
use enclosure::special::exp_thin;
use enclosure::{Budget, Enclosure, Portable, work};

/// Bits of a binomial coefficient that are formed exactly, per bit that is asked for.
const EXACT_PER_BIT: f64 = 48.0;

/// An upper bound on `log2 C(k,l)`, for sizes only.
fn log2_binomial(k: u64, l: u64) -> f64 {
    let r = l.min(k - l.min(k)) as f64;
    if r == 0.0 { 0.0 } else { r * ((k as f64 / r).portable_log2() + std::f64::consts::LOG2_E) }
}

/// Bits that an integer has more than those asked for.
pub(super) fn bits_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// An enclosure of `C(k,l) e^factor`, `l <= k`, of relative width about `2^-bits` if the factor is known well enough.
///
/// Small coefficients are formed exactly. Large ones are added to the exponent, as `lg(k+1) - lg(l+1) - lg(k-l+1)` with
/// `lg = ln Gamma`, which MPFR rounds correctly in either direction: `C(10^10, 5 10^9)` alone is beyond its exponents.
pub(super) fn binomial_times_exp(k: u64, l: u64, factor: &Enclosure, bits: u32) -> Enclosure {
    let r = l.min(k.saturating_sub(l));
    let small = log2_binomial(k, l) <= EXACT_PER_BIT * f64::from(bits) + 4096.0;
    if let (true, Ok(r)) = (small, u32::try_from(r)) {
        let exact = match u32::try_from(k) {
            Ok(k) => Integer::from(Integer::binomial_u(k, r)),
            Err(_) => Integer::from(k).binomial(r),
        };
        return &Enclosure::integer(&exact, bits) * &exp_thin(factor, bits);
    }
    // ln C < 2^64 and the three logarithms are below 2^70.
    let work = bits.saturating_add(bits_of(k)).saturating_add(16);
    let log_factorial = |n: u64| {
        let at = |round| {
            let mut x = Float::with_val(work.max(72), n) + 1_u32;
            x.ln_gamma_round(round);
            x
        };
        Enclosure::new(at(Down), at(Up))
    };
    let log = &(&log_factorial(k) - &log_factorial(r)) - &log_factorial(k - r);
    exp_thin(&(&log + factor), bits)
}

/// Is `f n / (b+1)` certainly at most `1 + 1/n`, as [`falling_series`] asks?
pub(super) fn falls(n: u64, b: u64, f: &Enclosure) -> bool {
    // f n^2 <= (b+1)(n+1)
    let left = Float::with_val_round(f.bits(), f.upper() * Integer::from(n).square(), Up).0;
    left <= (Integer::from(b) + 1_u32) * (Integer::from(n) + 1_u32)
}

/// An enclosure of `1 + r_1 + r_1 r_2 + ... + r_1...r_n` where `r_j = f (n-j+1)/(b+j)`.
///
/// Needs [`falls`]`(n, b, f)`; without it the answer is the half line from 1. In fixed point with `F` fraction bits
/// the j-th term is rounded down three times, so with `R = n/(b+1) + 1`, `f` known to `phi` units and terms at most 2,
/// its error grows by at most `(2 phi + 1) R + 1 =: c` units from the term before. After `J` terms the sum has lost at
/// most `c J(J+1)/2` units. The loop stops when a term is below one unit: the terms left out are together at most
/// `2 c n` units, because `r_(J+1) <= (1 + 1/n)(1 - J/n) <= 1 - (J-1)/n`. See `proofs/paper/kov.md`.
pub(super) fn falling_series(n: u64, b: u64, f: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    if n == 0 {
        return Ok(Enclosure::one(bits));
    }
    if !falls(n, b, f) || !f.is_bounded() || *f.lower() < 0 {
        let one = Enclosure::one(bits);
        return Ok(one.max(&Enclosure::whole(bits)));
    }
    let ratio = n / b.saturating_add(1) + 2;
    let fraction = bits.saturating_add(bits_of(ratio)).saturating_add(bits_of(n)).saturating_add(20);
    let scale = i32::try_from(fraction).map_err(|_| budget.out_of_bits())?;
    let (sum, error) = counted_series(n, b, f, fraction, budget)?;
    let bound = |value: &Integer, round| Float::with_val_round(bits, value, round).0 >> scale;
    Ok(Enclosure::new(bound(&sum, Down), bound(&Integer::from(&sum + &error), Up)))
}

/// The loop of [`falling_series`]: the sum in units of `2^-fraction`, from below, and what it may have lost.
fn counted_series(n: u64, b: u64, f: &Enclosure, fraction: u32, budget: &Budget) -> Result<(Integer, Integer), Error> {
    let ratio = n / b.saturating_add(1) + 2;
    let scaled = |x: &Float, round| {
        let exact = Float::with_val_round(x.prec().saturating_add(2), x << fraction, round).0;
        exact.to_integer_round(round).map(|(n, _)| n).ok_or_else(|| budget.out_of_bits())
    };
    let factor = scaled(f.lower(), Down)?;
    let known_to: Integer = scaled(f.upper(), Up)? - &factor;
    let step = (known_to * 2_u32 + 1_u32) * ratio + 1_u32;

    let mut term = Integer::from(1) << fraction;
    let mut sum = term.clone();
    let mut last = n;
    let mut cut = false;
    for j in 1..=n {
        if j % 0x4000 == 0 {
            budget.check()?;
        }
        work::spend_products(2, fraction);
        term *= &factor;
        term >>= fraction;
        term *= n - j + 1;
        term /= b.saturating_add(j);
        if term == 0 {
            (last, cut) = (j, true);
            break;
        }
        sum += &term;
    }
    let mut error = Integer::from(last) * (Integer::from(last) + 1_u32) / 2_u32;
    if cut {
        error += Integer::from(n) * 2_u32;
    }
    error *= &step;
    budget.note("terms summed", format_args!("{last} of {}", n.saturating_add(1)));
    budget.note("omitted terms and rounding", format_args!("at most {error} units of 2^-{fraction}"));
    Ok((sum, error))
}

/// How many terms [`falling_series`] will add, about: for estimates only.
pub(super) fn series_length(k: u64, distance_from_peak: f64, deviation: f64, bits: u32) -> f64 {
    let z = distance_from_peak.max(0.0) / deviation.max(1e-9);
    let reach = (z * z + 1.3863 * f64::from(bits)).sqrt() - z;
    (reach * deviation + f64::from(bits).min(k as f64)).min(k as f64)
}

/// Exact sums over `l < j` of `C(k,l) a^(k-l) b^l` and of `C(k,l) a^l b^(k-l)`, for `1 <= j <= k + 1`.
///
/// The ratio of neighbouring terms is `(k-l) b / ((l+1) a)`, so the first sum is `a^k T/(V a^j)`, with `T` and
/// `V = j!` from binary splitting: exact integer arithmetic, and the divisions leave no remainder.
pub(super) fn exact_sums(
    k: u64,
    j: u64,
    a: &Integer,
    b: &Integer,
    budget: &Budget,
) -> Result<(Integer, Integer), Error> {
    let too_large = || Error::undecided(format!("{k} compositions are too many for an exact fraction"));
    let (Ok(rest), Ok(_)) = (u32::try_from(k - (j - 1)), u32::try_from(k)) else { return Err(too_large()) };
    let node = split(k, 0, j, a, b, budget)?;
    let power = |base: &Integer, exponent: u32| Integer::from(rug::ops::Pow::pow(base, exponent));
    // T carries a^j for j ratios; the first term is a^k: what remains is a^(k-j), one less if j = k + 1.
    let finish = |sum: Integer, base: &Integer| {
        let whole = sum.div_exact(&node.v);
        if rest == 0 { whole.div_exact(base) } else { whole * power(base, rest - 1) }
    };
    Ok((finish(node.first, a), finish(node.second, b)))
}

/// The state of the splitting over `lo <= l < hi`: `u = prod (k-l)`, `v = prod (l+1)`, the powers of a and b that
/// belong to as many ratios, and the numerators of both sums over the denominators `v a^(hi-lo)` and `v b^(hi-lo)`.
struct Node {
    u: Integer,
    v: Integer,
    a: Integer,
    b: Integer,
    first: Integer,
    second: Integer,
}

fn split(k: u64, lo: u64, hi: u64, a: &Integer, b: &Integer, budget: &Budget) -> Result<Node, Error> {
    if hi - lo <= 12 {
        let one = Integer::from(1);
        let zero = Integer::new();
        let mut node =
            Node { u: one.clone(), v: one.clone(), a: one.clone(), b: one, first: zero.clone(), second: zero };
        for l in lo..hi {
            // T <- (T + U b^n) Q with Q = (l+1) a
            node.first += Integer::from(&node.u * &node.b);
            node.first *= a;
            node.first *= l + 1;
            node.second += Integer::from(&node.u * &node.a);
            node.second *= b;
            node.second *= l + 1;
            node.u *= k - l;
            node.v *= l + 1;
            node.a *= a;
            node.b *= b;
        }
        return Ok(node);
    }
    work::spend_products(10, a.significant_bits().saturating_mul(u32::try_from(hi - lo).unwrap_or(u32::MAX)));
    budget.check()?;
    let middle = lo + (hi - lo) / 2;
    let left = split(k, lo, middle, a, b, budget)?;
    let right = split(k, middle, hi, a, b, budget)?;
    let first = left.first * Integer::from(&right.v * &right.a) + Integer::from(&left.u * &left.b) * right.first;
    let second = left.second * Integer::from(&right.v * &right.b) + Integer::from(&left.u * &left.a) * right.second;
    Ok(Node { u: left.u * right.u, v: left.v * right.v, a: left.a * right.a, b: left.b * right.b, first, second })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Rational;

    #[test]
    fn coefficients() {
        let binomial = |k, l, bits| binomial_times_exp(k, l, &Enclosure::zero(bits), bits);
        assert!(binomial(10, 3, 60).contains(&Rational::from(120)));
        // Large: against the exact coefficient.
        for (k, l) in [(100_000_u32, 33_000_u32), (100_000, 50_000), (70_000, 12)] {
            let exact = Rational::from(Integer::from(Integer::binomial_u(k, l)));
            let set = binomial(u64::from(k), u64::from(l), 90);
            assert!(set.contains(&exact));
            assert!(set.relative_bits().is_some_and(|bits| bits > 80), "{:?}", set.relative_bits());
        }
        assert!(binomial(1 << 40, 2, 90).contains(&Rational::from((1_i128 << 39) * ((1_i128 << 40) - 1))));
    }

    #[test]
    fn series_against_exact_sums() {
        let budget = Budget::default();
        for (n, b, p, q) in
            [(50_u64, 60_u64, 1_u32, 1_u32), (50, 49, 1, 1), (200, 3, 1, 100), (7, 0, 1, 7), (1, 5, 2, 1)]
        {
            let f = Rational::from((p, q));
            let (mut sum, mut term) = (Rational::from(1), Rational::from(1));
            for j in 1..=n {
                term *= &f;
                term *= Rational::from((n - j + 1, b + j));
                sum += &term;
            }
            for bits in [20, 64, 200] {
                let set = falling_series(n, b, &Enclosure::rational(&f, bits + 64), bits, &budget).unwrap();
                assert!(set.contains(&sum), "{n} {b} {f}: {set:?}");
                assert!(set.relative_bits().is_some_and(|proven| proven + 4 > i64::from(bits)));
            }
        }
        // The count of lost units is needed, and suffices, where nothing is rounded outward after it.
        let mut lost = 0;
        for (n, b) in [(50_u64, 60_u64), (500, 520), (3000, 3000), (20, 100)] {
            let f = Rational::from((97, 98));
            let (mut sum, mut term) = (Rational::from(1), Rational::from(1));
            for j in 1..=n {
                term *= &f;
                term *= Rational::from((n - j + 1, b + j));
                sum += &term;
            }
            let (low, error) = counted_series(n, b, &Enclosure::rational(&f, 100), 40, &budget).unwrap();
            let scaled = sum * (Integer::from(1) << 40_u32);
            assert!(low <= scaled && scaled <= Integer::from(&low + &error), "{n} {b}");
            lost += u32::from(scaled > Integer::from(&low + 1_u32));
        }
        assert!(lost > 0);
        // A series that rises is not enclosed by this argument, and is not claimed to be.
        let rising = falling_series(50, 10, &Enclosure::one(64), 64, &budget).unwrap();
        assert!(!rising.is_bounded());
    }

    #[test]
    fn exact_sums_against_the_definition() {
        let budget = Budget::default();
        let (a, b) = (Integer::from(5), Integer::from(3));
        for k in [1_u64, 2, 7, 30, 61] {
            for j in [1, k.div_ceil(2).max(1), k, k + 1] {
                let (first, second) = exact_sums(k, j, &a, &b, &budget).unwrap();
                let (mut p, mut q) = (Integer::new(), Integer::new());
                for l in 0..j {
                    let c = Integer::from(Integer::binomial_u(k as u32, l as u32));
                    let pow = |x: &Integer, n: u64| Integer::from(rug::ops::Pow::pow(x, n as u32));
                    p += Integer::from(&c * &pow(&a, k - l)) * pow(&b, l);
                    q += Integer::from(&c * &pow(&a, l)) * pow(&b, k - l);
                }
                assert_eq!((first, second), (p, q), "{k} {j}");
            }
        }
    }
}
