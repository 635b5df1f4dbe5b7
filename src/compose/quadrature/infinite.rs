//! The mass at infinity of a composition of factors.

use std::sync::Arc;

use rug::Rational;

use super::factor::Factor;
use enclosure::{Enclosure, Number};

/// A power whose fraction has so many bits is formed.
const SMALL: u64 = 4096;

/// `1 - prod (1 - m_i)^(T_i)` to about `bits` relative bits, however small it is; exact while that is short, and
/// exactly zero if there is none.
///
/// Where it is not exact it is `-expm1(sum T_i log1p(-m_i))`, of which all terms have one sign, so that none cancels.
pub(in crate::compose) fn infinite(
    factors: &[(Arc<dyn Factor>, u64)],
    bits: u32,
    mass: impl Fn(&dyn Factor, u32) -> Number,
) -> Number {
    let masses: Vec<(Number, u64)> =
        factors.iter().map(|(factor, times)| (mass(factor.as_ref(), bits), *times)).collect();
    if masses.iter().any(|(mass, times)| *times > 0 && mass.exact().is_some_and(|mass| *mass == 1)) {
        return Number::one();
    }
    let kept = masses.iter().try_fold(Number::one(), |kept, (mass, times)| {
        let mass = mass.exact()?;
        let size = u64::from(mass.denom().significant_bits()).saturating_mul(*times);
        match () {
            () if mass.is_zero() => Some(kept),
            () if size < SMALL => Some(&kept * &Number::Exact(Rational::from(1 - mass)).pow(*times)),
            () => None,
        }
    });
    if let Some(kept) = kept {
        return &Number::one() - &kept;
    }
    let logs = masses.iter().map(|(mass, times)| {
        let log = (-mass.enclosure(bits)).log1p();
        &log * &Enclosure::integer(&(*times).into(), bits.max(64))
    });
    Number::Enclosed(-logs.fold(Enclosure::zero(bits), |sum, log| &sum + &log).expm1())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::infinite_mass::InfiniteMass;
    use crate::compose::quadrature::factors;
    use crate::mechanism::Composition;
    use crate::pair::Product;
    use enclosure::Real;

    /// The same as where nothing but failures is multiplied up, to all bits, however small they are and many.
    #[test]
    fn all_bits_of_small_masses() {
        for parts in [
            vec![("1e-90", 1), ("1/3", 2)],
            vec![("1e-400", 100_000)],
            vec![("1e-90", 7), ("1e-88", 40_000)],
            vec![("exp(-300)", 3)],
            vec![("1e-9", 1), ("1", 100_000)],
            vec![("0", 9)],
        ] {
            let text = parts.iter().map(|(delta, times)| format!("approx-dp(epsilon=1, delta={delta})^{times}"));
            let text = format!("gdp(mu=1) * {}", text.collect::<Vec<_>>().join(" * "));
            let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let all = factors(&Product::new(composition.pairs().expect("pairs")));
            let Ok(all) = all else { panic!("{text} has factors") };
            let found = infinite(&all, 120, |factor, bits| factor.infinite_p(bits));
            let deltas: Vec<(Real, u64)> =
                parts.iter().map(|(delta, times)| (delta.parse().expect("a constant"), *times)).collect();
            let other = InfiniteMass::new(deltas.iter().map(|(delta, times)| (delta, *times))).expect("masses");
            let (found, other) = (found.enclosure(120), other.both(120, 1 << 12).0.enclosure(120));
            let narrow = found.is_point() || found.relative_bits() > Some(100);
            assert!(found.overlaps(&other) && narrow, "{text}: {found:?} {other:?}");
        }
    }
}
