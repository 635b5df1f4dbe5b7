//! Certified signs of integer combinations of exact constants, for formulas with branches.
//!
//! A coarse enclosure decides nearly all signs. The normal form of constants ([`Real`]) decides the rest wherever a
//! theorem applies. A caller needs a formula that is valid on both sides if a sign may stay undecided.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::{Budget, Enclosure, Error, Real};

/// The precision of the first look.
const COARSE_BITS: u32 = 128;

/// An enclosure of `sum n_i r_i`.
pub fn combination(terms: &[(Integer, &Real)], bits: u32) -> Enclosure {
    let mut sum = Enclosure::zero(bits);
    for (factor, value) in terms {
        if *factor != 0 {
            sum = &sum + &(&Enclosure::integer(factor, bits.max(64)) * &value.enclosure(bits));
        }
    }
    sum
}

/// The sign of `sum n_i r_i`; `None` if it cannot be decided.
pub fn sign(terms: &[(Integer, &Real)], budget: &Budget) -> Result<Option<Ordering>, Error> {
    // Short rationals are added faster than they are enclosed.
    let short = |(factor, value): &(Integer, &Real)| {
        let value = value.as_rational().filter(|_| factor.significant_bits() <= COARSE_BITS && value.is_short())?;
        Some(Rational::from(value * factor))
    };
    if let Some(short) = terms.iter().map(short).collect::<Option<Vec<_>>>() {
        return Ok(Some(short.iter().sum::<Rational>().cmp0()));
    }
    if let Some(sign) = combination(terms, COARSE_BITS).sign() {
        return Ok(Some(sign));
    }
    budget.check()?;
    let scaled: Vec<Real> = terms.iter().map(|(factor, value)| value.mul_rational(&Rational::from(factor))).collect();
    Ok(Real::sum(&scaled).sign())
}

/// The order of two constants; `None` if it cannot be decided.
pub fn compare(a: &Real, b: &Real, budget: &Budget) -> Result<Option<Ordering>, Error> {
    if let (Some(a), Some(b)) = (a.as_rational(), b.as_rational()) {
        return Ok(Some(a.cmp(b)));
    }
    sign(&[(Integer::from(1), a), (Integer::from(-1), b)], budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    #[test]
    fn decides_sums_of_logarithms() {
        let budget = Budget::default();
        let (nine_quarters, three_halves) = (constant("ln(9/4)"), constant("ln(3/2)"));
        let equal = sign(&[(Integer::from(1), &nine_quarters), (Integer::from(-2), &three_halves)], &budget);
        assert_eq!(equal, Ok(Some(Ordering::Equal)));
        assert_eq!(compare(&constant("ln(3)"), &constant("1"), &budget), Ok(Some(Ordering::Greater)));
        // Short rationals exactly, and long ones, which differ by less than the precision of the first look.
        let tenths = [constant("3/10"), constant("1/10")];
        assert_eq!(
            sign(&[(Integer::from(1), &tenths[0]), (Integer::from(-3), &tenths[1])], &budget),
            Ok(Some(Ordering::Equal))
        );
        let [one, more] = [constant("1"), constant("1").add(&constant("2^-400"))];
        assert_eq!(compare(&one, &more, &budget), Ok(Some(Ordering::Less)));
        assert_eq!(sign(&[(Integer::from(-2), &one), (Integer::from(2), &more)], &budget), Ok(Some(Ordering::Greater)));
        // e against a rational that agrees with it to 30 digits.
        let close = constant("ln(2.718281828459045235360287471352)");
        assert_eq!(compare(&close, &constant("1"), &budget), Ok(Some(Ordering::Less)));
    }
}
