//! Symmetric laws: their odd cumulants from the third on are exactly 0, which a sum of enclosures cannot show.

use std::collections::BTreeMap;

use rug::Rational;

use crate::curve::Direction;
use crate::pair::Pair;

/// Largest number of outcomes that are sorted.
const MANY: usize = 4096;

/// Is the loss known to be as far above its mean as below it, in law? `false` says nothing.
///
/// * Gaussian noise on the integers is its own mirror image, and the loss is linear in it.
/// * Losses `ln(p_i/q_i)` of fractions are if the ratios, each with its whole mass and in order, are `r_1 < ... < r_n`
///   with `r_i r_(n+1-i)` the same for all i, and the masses of `r_i` and of `r_(n+1-i)` are equal.
pub(super) fn mirrored(pair: &Pair, direction: Direction) -> bool {
    match pair {
        Pair::DiscreteGaussian { .. } => true,
        Pair::Discrete(list) => match list.fractions() {
            Ok(Some(pair)) if pair.p().len() <= MANY => {
                let outcomes = pair.outcomes();
                match direction {
                    Direction::Backward => symmetric(outcomes.map(|(p, q)| (q, p))),
                    _ => symmetric(outcomes),
                }
            }
            _ => false,
        },
        _ => false,
    }
}

/// Of `ln(own/other)` under the first masses.
fn symmetric<'a>(outcomes: impl Iterator<Item = (&'a Rational, &'a Rational)>) -> bool {
    let mut masses = BTreeMap::<Rational, Rational>::new();
    for (own, other) in outcomes.filter(|(own, _)| !own.is_zero()) {
        if other.is_zero() {
            return false;
        }
        *masses.entry(Rational::from(own / other)).or_default() += own;
    }
    let Some(((first, _), (last, _))) = masses.first_key_value().zip(masses.last_key_value()) else { return false };
    let product = Rational::from(first * last);
    masses
        .iter()
        .zip(masses.iter().rev())
        .all(|((low, mass), (high, other))| mass == other && Rational::from(low * high) == product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divergence::moments::tests::pair;

    /// What is a mirror image, in one direction or in both, and what is not.
    #[test]
    fn mirror_images_are_known() {
        let both = |text: &str| [Direction::Forward, Direction::Backward].map(|way| mirrored(&pair(text), way));
        assert_eq!(both("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])"), [true, false]);
        assert_eq!(both("finite(p=[1/3,1/3,1/3], q=[1/2,1/4,1/4])"), [false, true]);
        // Ratios 9/4, 9/8, 9/16; one outcome in two parts; ratios 1/2, 5/4, 2.
        assert_eq!(both("finite(p=[1/4,1/2,1/4], q=[1/9,4/9,4/9])"), [true, false]);
        assert_eq!(both("finite(p=[1/4,1/4,1/4,1/4], q=[1/9,2/9,4/9,2/9])"), [true, false]);
        assert_eq!(both("finite(p=[2/9,5/9,2/9], q=[4/9,4/9,1/9])"), [false, false]);
        assert_eq!(both("discrete-gaussian(sigma2=2, sensitivity=3)"), [true, true]);
        assert_eq!(both("randomized-response(epsilon=ln(3))"), [false, false]);
        assert_eq!(both("approx-dp(epsilon=1, delta=1/10)"), [false, false]);
        assert_eq!(both("laplace(scale=1)"), [false, false]);
    }
}
