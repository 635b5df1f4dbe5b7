//! Common divisors of rationals, and of constants whose ratios are rational.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::Real;

/// Largest positive rational of which all of these are integer multiples; zero if all are zero.
///
/// It is the greatest common divisor of the numerators over the least common multiple of the denominators.
pub fn common_divisor<'a>(values: impl IntoIterator<Item = &'a Rational> + Clone) -> Rational {
    let (mut numer, mut denom) = (Integer::new(), Integer::from(1));
    for value in values.clone() {
        denom.lcm_mut(value.denom());
    }
    for value in values {
        numer.gcd_mut(&(value.numer() * Integer::from(&denom / value.denom())));
    }
    Rational::from((numer, denom))
}

/// Largest positive constant of which all of these are integer multiples, and the multiples. `None` if a ratio is not
/// known to be rational, or all are zero.
pub fn common_unit<'a>(values: impl IntoIterator<Item = &'a Real>) -> Option<(Real, Vec<Integer>)> {
    let values: Vec<&Real> = values.into_iter().collect();
    let first = *values.first()?;
    let ratios: Vec<Rational> = values.iter().map(|value| value.ratio(first)).collect::<Option<_>>()?;
    let mut divisor = common_divisor(&ratios);
    if divisor.is_zero() {
        return None;
    }
    if first.sign()? == Ordering::Less {
        divisor = -divisor;
    }
    let multiples = ratios.iter().map(|ratio| Rational::from(ratio / &divisor).into_numer_denom().0).collect();
    Some((first.mul_rational(&divisor), multiples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// All are whole multiples, and the multiples have no divisor in common: so no larger divisor is common.
        #[test]
        fn divisors_are_common_and_the_greatest(pairs in prop::collection::vec((-999i64..999, 1i64..99), 1..6)) {
            let values: Vec<Rational> = pairs.into_iter().map(Rational::from).collect();
            let divisor = common_divisor(&values);
            if values.iter().all(Rational::is_zero) {
                prop_assert!(divisor.is_zero());
                return Ok(());
            }
            prop_assert!(divisor > 0);
            let multiples: Vec<Rational> = values.iter().map(|value| Rational::from(value / &divisor)).collect();
            prop_assert!(multiples.iter().all(Rational::is_integer));
            let rest = multiples.iter().fold(Integer::new(), |gcd, multiple| gcd.gcd(multiple.numer()));
            prop_assert_eq!(rest, 1);
        }
    }

    #[test]
    fn logarithms_of_powers_have_a_unit() {
        let [four, eight, third]: [Real; 3] =
            ["ln(4)", "-ln(8)", "ln(3)"].map(|text| text.parse().expect("a constant"));
        let (unit, multiples) = common_unit([&four, &eight]).expect("rational ratios");
        assert_eq!(unit.to_string(), "ln(2)");
        assert_eq!(multiples, [2, -3]);
        // The unit is positive whatever the sign of the first.
        let (unit, multiples) = common_unit([&eight, &four]).expect("rational ratios");
        assert_eq!(unit.to_string(), "ln(2)");
        assert_eq!(multiples, [-3, 2]);
        assert!(common_unit([&four, &third]).is_none());
        assert!(common_unit([&Real::zero()]).is_none());
    }
}
