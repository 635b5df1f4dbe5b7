//! Signs of integer combinations of exact constants: where a formula branches, the branch is taken on proof.
//!
//! The thresholds of a composition are comparisons of sums of epsilons. A sum of rationals and of logarithms of
//! rationals is `r + ln R` with `r`, `R` rational, and it is zero only if `r = 0` and `R = 1` (Lindemann: `ln R` is
//! transcendental for every other algebraic `R`). So enclosures of growing precision decide every sum that is not
//! zero, exact arithmetic decides the others, and what is neither rational nor a logarithm of a rational may stay
//! undecided: then the caller needs a formula that is right on both sides.

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Integer, Rational};

use crate::error::Error;
use crate::number::{Budget, Enclosure, Real};

/// Precision up to which a sum that is not known to be different from zero is tried.
const TRY_BITS: u32 = 1 << 13;
/// Bits of a product of powers that is formed exactly.
const EXACT_BITS: u64 = 1 << 24;

/// An enclosure of `sum n_i r_i`.
pub(super) fn combination(terms: &[(Integer, &Real)], bits: u32) -> Enclosure {
    let mut sum = Enclosure::zero(bits);
    for (factor, value) in terms {
        if *factor != 0 {
            sum = &sum + &(&Enclosure::integer(factor, bits.max(64)) * &value.enclosure(bits));
        }
    }
    sum
}

/// The sign of `sum n_i r_i`; `None` if it cannot be decided.
pub(super) fn sign(terms: &[(Integer, &Real)], budget: &Budget) -> Result<Option<Ordering>, Error> {
    let mut bits = 128;
    while bits <= 512 {
        if let Some(sign) = combination(terms, bits).sign() {
            return Ok(Some(sign));
        }
        bits *= 2;
    }
    let (mut rational, mut logarithms, mut size) = (Rational::new(), Vec::new(), 0_u64);
    let mut known = true;
    for (factor, value) in terms {
        if let Some(value) = value.as_rational() {
            rational += Rational::from(value * factor);
        } else if let Some(power) = value.exp_rational() {
            let one = u64::from(power.numer().significant_bits()) + u64::from(power.denom().significant_bits());
            size = size.saturating_add(one.saturating_mul(
                factor.to_u64().unwrap_or_else(|| Integer::from(factor.abs_ref()).to_u64().unwrap_or(u64::MAX)),
            ));
            logarithms.push((factor, power));
        } else {
            known = false;
        }
    }
    if known && rational == 0 && size <= EXACT_BITS {
        return Ok(Some(product_against_one(&logarithms)));
    }
    // Known and `rational` not zero: the sum is not zero, so this ends by itself.
    let cap = if known && rational != 0 { budget.max_bits() } else { TRY_BITS.min(budget.max_bits()) };
    while bits <= cap {
        budget.check()?;
        if let Some(sign) = combination(terms, bits).sign() {
            return Ok(Some(sign));
        }
        bits = bits.saturating_mul(2);
    }
    Ok(None)
}

/// The order of `prod R_i^(n_i)` and 1, in integers.
fn product_against_one(factors: &[(&Integer, Rational)]) -> Ordering {
    let (mut left, mut right) = (Integer::from(1), Integer::from(1));
    for (exponent, base) in factors {
        let (above, below) = match exponent.cmp0() {
            Ordering::Greater => (base.numer(), base.denom()),
            _ => (base.denom(), base.numer()),
        };
        // The caller bounded the size of the power, so the exponent is small unless the base is 1.
        if let Some(n) = Integer::from(exponent.abs_ref()).to_u32() {
            left *= Integer::from(above.pow(n));
            right *= Integer::from(below.pow(n));
        }
    }
    left.cmp(&right)
}

/// The order of two constants, where it can be decided.
pub(super) fn compare(a: &Real, b: &Real, budget: &Budget) -> Result<Option<Ordering>, Error> {
    sign(&[(Integer::from(1), a), (Integer::from(-1), b)], budget)
}

/// `a/b`, if it is provably rational (with moderate numerator and denominator, when both are logarithms).
pub(super) fn ratio(a: &Real, b: &Real, budget: &Budget) -> Result<Option<Rational>, Error> {
    if b.sign().is_none_or(|sign| sign == Ordering::Equal) {
        return Ok(None);
    }
    if let (Some(a), Some(b)) = (a.as_rational(), b.as_rational()) {
        return Ok(Some(Rational::from(a / b)));
    }
    // Convergents of the quotient; the first whose multiples agree exactly is the quotient itself.
    let bits = 160;
    let quotient = &a.enclosure(bits) / &b.enclosure(bits);
    if !quotient.is_bounded() {
        return Ok(None);
    }
    let Some(target) = quotient.lower().to_rational() else { return Ok(None) };
    let (mut rest, mut before, mut last) =
        (target, (Integer::new(), Integer::from(1)), (Integer::from(1), Integer::new()));
    for _ in 0..24 {
        let floor = Integer::from(rest.floor_ref());
        let next = (Integer::from(&floor * &last.0) + &before.0, Integer::from(&floor * &last.1) + &before.1);
        before = std::mem::replace(&mut last, next);
        if last.1.significant_bits() > 24 || last.0.significant_bits() > 40 {
            break;
        }
        let candidate = Rational::from((last.0.clone(), last.1.clone()));
        if quotient.contains(&candidate)
            || (Rational::from(&candidate - quotient.lower().to_rational().unwrap_or_default())).abs()
                < Rational::from((1, Integer::from(1) << 140_u32))
        {
            let zero = sign(&[(last.1.clone(), a), (Integer::from(-&last.0), b)], budget)?;
            return Ok((zero == Some(Ordering::Equal)).then_some(candidate));
        }
        let fraction = rest - floor;
        if fraction == 0 {
            break;
        }
        rest = fraction.recip();
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln(p: u32, q: u32) -> Real {
        Real::Ln(Rational::from((p, q)))
    }

    #[test]
    fn decides_sums_of_logarithms() {
        let budget = Budget::default();
        let (nine_quarters, three_halves) = (ln(9, 4), ln(3, 2));
        let equal = sign(&[(Integer::from(1), &nine_quarters), (Integer::from(-2), &three_halves)], &budget).unwrap();
        assert_eq!(equal, Some(Ordering::Equal));
        assert_eq!(ratio(&nine_quarters, &three_halves, &budget).unwrap(), Some(Rational::from(2)));
        assert_eq!(ratio(&three_halves, &nine_quarters, &budget).unwrap(), Some(Rational::from((1, 2))));
        assert_eq!(ratio(&ln(32, 1), &ln(8, 1), &budget).unwrap(), Some(Rational::from((5, 3))));
        assert_eq!(ratio(&ln(3, 1), &ln(2, 1), &budget).unwrap(), None);
        assert_eq!(compare(&ln(3, 1), &Real::from(1), &budget).unwrap(), Some(Ordering::Greater));
        // e against a rational that agrees with it to 30 digits.
        let close =
            Rational::from(("2718281828459045235360287471352".parse::<Integer>().unwrap(), Integer::from(10).pow(30)));
        assert_eq!(compare(&Real::Ln(close), &Real::from(1), &budget).unwrap(), Some(Ordering::Less));
    }
}
