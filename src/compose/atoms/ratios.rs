//! Likelihood ratios as integer vectors.
//!
//! The ratios of a composition are products of those of its parts, and whether two products of rationals are equal
//! must be known exactly, for equal ratios are one atom. Over a *coprime base* `b_1, ..., b_d` (pairwise coprime
//! integers > 1 such that every ratio is a product of powers of them) a ratio is its vector of exponents. Coprime
//! integers are multiplicatively independent, so ratios are equal exactly if the vectors are; and a base needs gcds
//! only, no factoring.
//!
//! The vectors that occur in a composition fill a box that is known beforehand. Read in mixed radix they become plain
//! integers, the *keys*, which add when ratios multiply.

use rug::{Integer, Rational};

use crate::error::Error;
use enclosure::Enclosure;

/// A coprime base with the box of exponents of one composition.
pub(super) struct Ratios {
    base: Vec<Integer>,
    strides: Vec<i128>,
    /// The least exponents in the box, and how many there are.
    lows: Vec<i128>,
    widths: Vec<i128>,
    /// `ln b` in units of `2^-64`, up to one unit.
    logs: Vec<Option<i128>>,
}

/// An approximate logarithm in units of `2^-64`, and a bound for its error.
pub(super) type FixedLog = (i128, i128);

impl Ratios {
    /// The base for compositions of these ratios, each list used so many times.
    pub(super) fn new(factors: &[(Vec<Rational>, u64)]) -> Result<Self, Error> {
        let base = coprime_base(
            factors
                .iter()
                .flat_map(|(ratios, _)| ratios)
                .flat_map(|r| [r.numer().clone(), r.denom().clone()])
                .collect(),
        );
        let mut lows = vec![0i128; base.len()];
        let mut highs = lows.clone();
        let too_many = || {
            Error::Undecided(
                "the likelihood ratios have too many independent prime factors; try fewer outcomes or smaller powers"
                    .into(),
            )
        };
        for (ratios, times) in factors {
            let vectors: Vec<Vec<i128>> = ratios.iter().map(|ratio| exponents(&base, ratio)).collect();
            for d in 0..base.len() {
                let axis = || vectors.iter().map(|vector| vector[d]);
                let times = i128::from(*times);
                let ends = [(&mut lows[d], axis().min()), (&mut highs[d], axis().max())];
                for (end, extreme) in ends {
                    let reach = extreme.unwrap_or(0).checked_mul(times).ok_or_else(too_many)?;
                    *end = end.checked_add(reach).ok_or_else(too_many)?;
                }
            }
        }
        let mut strides = Vec::with_capacity(base.len());
        let mut widths = Vec::with_capacity(base.len());
        let mut volume = 1i128;
        for (low, high) in lows.iter().zip(&highs) {
            let width = high.checked_sub(*low).and_then(|w| w.checked_add(1)).ok_or_else(too_many)?;
            strides.push(volume);
            widths.push(width);
            // Room for sums of keys and for the products of the power recurrence.
            volume = volume.checked_mul(width).filter(|v| *v < 1 << 120).ok_or_else(too_many)?;
        }
        let logs = base.iter().map(fixed_ln).collect();
        Ok(Ratios { base, strides, lows, widths, logs })
    }

    /// The key of a ratio of one of the factors; keys add when ratios multiply.
    pub(super) fn key(&self, ratio: &Rational) -> i128 {
        exponents(&self.base, ratio).iter().zip(&self.strides).map(|(e, stride)| e * stride).sum()
    }

    /// The logarithm of the ratio with this key, in a full composition.
    pub(super) fn log(&self, key: i128) -> FixedLog {
        let lowest: i128 = self.lows.iter().zip(&self.strides).map(|(low, stride)| low * stride).sum();
        let mut rest = key - lowest;
        let mut sum = Some(0i128);
        // One unit for each factor of the base, and one for all that is far smaller.
        let mut error = 1i128;
        for ((width, low), log) in self.widths.iter().zip(&self.lows).zip(&self.logs) {
            let exponent = low + rest.rem_euclid(*width);
            rest = rest.div_euclid(*width);
            error = error.saturating_add(exponent.saturating_abs());
            let term = log.and_then(|log| log.checked_mul(exponent));
            sum = sum.zip(term).and_then(|(sum, term)| sum.checked_add(term));
        }
        // No approximation: nothing exceeds this error, so the caller compares exactly.
        sum.map_or((0, i128::MAX), |sum| (sum, error))
    }
}

/// Pairwise coprime integers > 1 of which all the given positive integers are products.
fn coprime_base(mut pending: Vec<Integer>) -> Vec<Integer> {
    let mut base: Vec<Integer> = Vec::new();
    // Each round that splits something divides the product of all numbers by a common divisor > 1.
    while let Some(value) = pending.pop() {
        if value <= 1 {
            continue;
        }
        let common = base.iter().enumerate().find_map(|(i, b)| {
            let g = Integer::from(value.gcd_ref(b));
            (g != 1).then_some((i, g))
        });
        match common {
            None => base.push(value),
            Some((i, g)) => {
                let other = base.swap_remove(i);
                pending.push(other.div_exact(&g));
                pending.push(value.div_exact(&g));
                pending.push(g);
            }
        }
    }
    base
}

/// The exponents of a ratio over a base that it is a product of.
fn exponents(base: &[Integer], ratio: &Rational) -> Vec<i128> {
    let count = |n: &Integer, b: &Integer| i128::from(Integer::from(n).remove_factor(b).1);
    base.iter().map(|b| count(ratio.numer(), b) - count(ratio.denom(), b)).collect()
}

/// `ln b` in units of `2^-64`, rounded down; `None` if it fits no such integer.
fn fixed_ln(b: &Integer) -> Option<i128> {
    let ln = Enclosure::integer(b, 192).ln().shift(64);
    // Both ends share the floor, or differ by one at the next integer: an error below one unit and 2^-100 of it.
    ln.lower().to_integer_round(rug::float::Round::Down).and_then(|(floor, _)| floor.to_i128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_coprime_and_sufficient() {
        let values: Vec<Integer> = [12u32, 18, 35, 50, 1, 7, 96].map(Integer::from).to_vec();
        let base = coprime_base(values.clone());
        for (i, a) in base.iter().enumerate() {
            assert!(*a > 1);
            assert!(base[i + 1..].iter().all(|b| Integer::from(a.gcd_ref(b)) == 1));
        }
        for value in values {
            let exponents = exponents(&base, &Rational::from(value.clone()));
            let product: Integer =
                base.iter().zip(&exponents).map(|(b, e)| Integer::from(rug::ops::Pow::pow(b, *e as u32))).product();
            assert_eq!(product, value);
        }
    }

    #[test]
    fn a_logarithm_that_does_not_fit_is_unknown() {
        let huge = vec![Rational::from(Integer::from(1) << 4000u32), Rational::from(1)];
        let ratios = Ratios::new(&[(huge.clone(), 1 << 60)]).unwrap();
        assert_eq!(ratios.log((1 << 60) * ratios.key(&huge[0])), (0, i128::MAX));
    }

    #[test]
    fn keys_add_and_know_their_logarithm() {
        let list = vec![Rational::from((3, 2)), Rational::from((4, 9)), Rational::from((25, 6))];
        let ratios = Ratios::new(&[(list.clone(), 5)]).unwrap();
        let key = 3 * ratios.key(&list[0]) + ratios.key(&list[1]) + ratios.key(&list[2]);
        let (log, error) = ratios.log(key);
        let product = Rational::from(27 * 4 * 25) / Rational::from(8 * 9 * 6);
        let truth = Enclosure::rational(&product, 128).ln().shift(64);
        let near = |units: i128| Rational::from(Integer::from(units));
        assert!(*truth.lower() >= near(log - error) && *truth.upper() <= near(log + error));
    }
}
