//! The lattice that several lattices have in common.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use enclosure::Real;

/// The largest unit of which all these constants are whole multiples, positive, and the multiples; `None` if a ratio is not
/// known to be rational, or there is nothing but zeros.
///
/// The greatest common divisor of fractions is that of the numerators over the least common multiple of the denominators.
pub(in crate::compose) fn common<'a>(values: impl IntoIterator<Item = &'a Real>) -> Option<(Real, Vec<Integer>)> {
    let values: Vec<&Real> = values.into_iter().collect();
    let first = *values.first()?;
    let ratios: Vec<Rational> = values.iter().map(|value| value.ratio(first)).collect::<Option<_>>()?;
    let (mut numer, mut denom) = (Integer::new(), Integer::from(1));
    for ratio in &ratios {
        denom.lcm_mut(ratio.denom());
    }
    for ratio in &ratios {
        numer.gcd_mut(&(ratio.numer() * Integer::from(&denom / ratio.denom())));
    }
    if numer == 0 {
        return None;
    }
    let mut divisor = Rational::from((numer, denom));
    if first.sign()? == Ordering::Less {
        divisor = -divisor;
    }
    let multiples = ratios.iter().map(|ratio| Rational::from(ratio / &divisor).into_numer_denom().0).collect();
    Some((first.mul_rational(&divisor), multiples))
}
