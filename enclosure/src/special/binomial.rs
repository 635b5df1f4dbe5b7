//! Binomial coefficients, exact and as logarithms.

use crate::Portable;
use rug::{Float, Integer};

use super::{exp_thin, ln_thin};
use crate::Error;
use crate::{Enclosure, Number};

/// Exact coefficients are given up to this many bits; beyond it there are only logarithms.
const MAX_EXACT_BITS: f64 = 4e8;

/// `C(n, k)`, exactly; 0 for `k > n`.
///
/// # Errors
/// [`Error::Undecided`] if the number would have more than 4e8 bits; [`ln_binomial`] has no such limit.
pub fn binomial(n: u64, k: u64) -> Result<Number, Error> {
    if k > n {
        return Ok(Number::zero());
    }
    let k = k.min(n - k);
    if k == 0 {
        return Ok(Number::one());
    }
    // log2 C(n,k) <= k log2(e n/k), with room for the rounding of this estimate; it decides about memory only.
    let bits = k as f64 * ((n as f64 / k as f64).portable_log2() + 1.45);
    match u32::try_from(k) {
        Ok(k) if bits < MAX_EXACT_BITS => {
            let value = Integer::from(n).binomial(k);
            Ok(Number::from(value))
        }
        _ => Err(Error::undecided(format!("C({n}, {k}) has about {bits:.1e} bits; only its logarithm is available"))),
    }
}

/// `ln C(n, k)`, to about `bits` bits of relative accuracy; minus infinity, for `k > n`, is an undefined value.
///
/// For `min(k, n-k) < 64` through the integer itself, beyond through MPFR's log-gamma, rounded outward.
///
/// # Errors
/// [`Error::Undefined`] for `k > n`.
pub fn ln_binomial(n: u64, k: u64, bits: u32) -> Result<Number, Error> {
    if k > n {
        return Err(Error::Undefined(format!("ln C({n}, {k}) is minus infinity")));
    }
    let k = k.min(n - k);
    if k == 0 {
        return Ok(Number::zero());
    }
    if let (true, Number::Exact(value)) = (k < 64, binomial(n, k.min(64))?) {
        return Ok(Number::Enclosed(ln_thin(&Enclosure::integer(value.numer(), bits.saturating_add(4)), bits)));
    }
    // ln C >= k ln(n/k) >= k ln 2 > 44, while the largest log-gamma is below 2^70: at most 66 bits cancel.
    let wide = bits.saturating_add(72);
    let ln_factorial = |m: u64| {
        let argument = Float::with_val(wide.max(66), m) + 1u32;
        let lower = {
            let mut x = argument.clone();
            x.ln_gamma_round(rug::float::Round::Down);
            x
        };
        let upper = {
            let mut x = argument;
            x.ln_gamma_round(rug::float::Round::Up);
            x
        };
        Enclosure::new(lower, upper)
    };
    let value = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    Ok(Number::Enclosed(value.with_bits(bits)))
}

/// `C(n, k)` as an enclosure, for coefficients that are too long to write out. Outward where the exponent overflows.
///
/// # Errors
/// [`Error::Undefined`] for `k > n`.
pub fn binomial_enclosure(n: u64, k: u64, bits: u32) -> Result<Enclosure, Error> {
    match ln_binomial(n, k, bits.saturating_add(72))? {
        Number::Exact(_) => Ok(Enclosure::one(bits)),
        Number::Enclosed(ln) => Ok(exp_thin(&ln, bits)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edges() {
        assert_eq!(binomial(5, 2).unwrap().exact().unwrap(), &10);
        assert_eq!(binomial(5, 6).unwrap().exact().unwrap(), &0);
        assert_eq!(binomial(0, 0).unwrap().exact().unwrap(), &1);
        assert_eq!(binomial(7, 7).unwrap().exact().unwrap(), &1);
        assert_eq!(binomial(u64::MAX, 1).unwrap().exact().unwrap(), &u64::MAX);
        assert!(binomial(u64::MAX, u64::MAX / 2).is_err());
        assert!(ln_binomial(3, 4, 50).is_err());
        assert_eq!(ln_binomial(9, 9, 50).unwrap().exact().unwrap(), &0);
    }

    proptest! {
        #[test]
        fn logarithm_of_the_integer(n in 0u64..4000, k in 0u64..4000, bits in 20u32..200) {
            prop_assume!(k <= n);
            let exact = binomial(n, k).unwrap();
            let direct = exact.enclosure(bits + 400).ln();
            let value = ln_binomial(n, k, bits).unwrap().enclosure(bits);
            prop_assert!(value.overlaps(&direct));
            prop_assert!(binomial_enclosure(n, k, bits).unwrap().contains(exact.exact().unwrap()));
            if k > 0 && k < n {
                prop_assert!(value.relative_bits().unwrap() > i64::from(bits) - 6);
            }
        }

        #[test]
        fn pascal(n in 1u64..300, k in 1u64..300) {
            let sum = &binomial(n - 1, k - 1).unwrap() + &binomial(n - 1, k).unwrap();
            let whole = binomial(n, k).unwrap();
            prop_assert_eq!(sum.exact(), whole.exact());
        }
    }
}
