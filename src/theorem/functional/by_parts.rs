//! Bounds of the absolute third moments of a composition by the moments of its parts.
//!
//! Cumulants of independent losses add up, and with `m_j = E (L - c)^j`, c being 0 or the mean of L,
//!
//! `m_2^(3/2) <= E |L - c|^3 <= (m_2 m_4)^(1/2)`,
//!
//! the left side by Jensen's inequality for the convex `x^(3/2)` of `(L - c)^2`, the right side by that of Cauchy and
//! Schwarz for `|L - c| (L - c)^2`. Both are equal where `|L - c|` is a constant; of a normal law about its mean they
//! are 0.63 and 1.09 times what is between. Paper proof: `proofs/paper/answers.md`.

use super::{Functional, one_gaussian};
use crate::curve::Direction;
use crate::divergence::moments::{cumulants, to_moments};
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::{Budget, Enclosure};

/// Precision of the cumulants, in bits. It exceeds the precision of values of a trade-off function, which are computed
/// once.
const BITS: u32 = 64;

impl Functional {
    /// Bounds of `kappa3` and `kappa3bar` in one direction; `None` of others, and where they are infinite.
    ///
    /// # Errors
    /// Those of the moments.
    pub(crate) fn by_parts(
        self,
        composition: &Composition,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Enclosure>, Error> {
        if !self.is_cube() {
            return Ok(None);
        }
        let pairs = one_gaussian(composition.pairs()?);
        let mut sums = vec![Enclosure::zero(BITS); 4];
        for (at, (pair, times)) in pairs.iter().enumerate() {
            let others = u32::try_from(pairs.len() - at).unwrap_or(u32::MAX);
            let Some(own) = cumulants(pair, 4, direction, BITS, &budget.share((1, others), None))? else {
                return Ok(None);
            };
            for (sum, own) in sums.iter_mut().zip(&own) {
                *sum = &*sum + &(own * &Enclosure::integer(&(*times).into(), BITS));
            }
        }
        if let (Functional::Kappa3Bar, Some(mean)) = (self, sums.first_mut()) {
            *mean = Enclosure::zero(BITS);
        }
        let moments = to_moments(&sums);
        let [_, _, second, _, fourth] = moments.as_slice() else { return Err(Error::internal("four moments")) };
        let second = second.positive_part();
        let upper = (&second * &fourth.positive_part()).sqrt();
        let bounds = second.pow(3).sqrt().hull(&upper);
        Ok(bounds.is_bounded().then_some(bounds))
    }

    /// Is it an absolute third moment?
    pub(crate) fn is_cube(self) -> bool {
        matches!(self, Functional::Kappa3 | Functional::Kappa3Bar)
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::curve::Value;

    const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

    fn bounds(functional: Functional, text: &str, direction: Direction) -> Option<Enclosure> {
        functional.by_parts(&text.parse().expect(text), direction, &Budget::default()).expect(text)
    }

    /// What is known otherwise is within, next to the ends where these are near.
    #[test]
    fn no_bound_misses_the_truth() {
        for text in [
            "gdp(mu=1)^3",
            "laplace(scale=2)^5",
            "randomized-response(epsilon=1)^2",
            "finite(p=[99/100,1/100], q=[1/2,1/2])^4 * finite(p=[1/3,2/3], q=[1/2,1/2])",
            "poisson(rate=1/10, gdp(mu=1))^7",
            "subsample(rate=1/10, gdp(mu=1))^2",
        ] {
            for functional in [Functional::Kappa3, Functional::Kappa3Bar] {
                for direction in BOTH {
                    let truth = functional.of(&text.parse().expect(text), direction, 24, &Budget::default());
                    let Value::Finite(truth) = truth.expect(text) else { panic!("{text}: infinite") };
                    let bounds = bounds(functional, text, direction).expect("bounds");
                    assert!(truth.enclosure(64).overlaps(&bounds), "{text} {functional:?}: {truth:?} {bounds:?}");
                }
            }
        }
        // A normal law about its mean: the cube of 1 is `2 sqrt(2/pi)`, between 1 and `sqrt(3)`.
        let normal = bounds(Functional::Kappa3Bar, "gdp(mu=1)", Direction::Forward).expect("bounds");
        assert!(*normal.lower() > 0.9999 && *normal.upper() < 1.7321, "{normal:?}");
    }

    /// A loss that is certain, `3 ln 2`, is where both bounds are equal; the other way round it is infinite.
    #[test]
    fn the_bounds_are_sharp() {
        let text = "finite(p=[1,0], q=[1/2,1/2])^3";
        let found = bounds(Functional::Kappa3, text, Direction::Forward).expect("bounds");
        let truth = Enclosure::ln_2(200).mul_u32(3).pow(3);
        let off = Float::with_val(64, found.upper() - found.lower());
        assert!(found.overlaps(&truth) && off < 1e-15, "{found:?}");
        assert!(bounds(Functional::Kappa3, text, Direction::Backward).is_none());
    }

    /// There are bounds of what is known by its trade-off function alone, soon.
    #[test]
    fn parts_known_by_values_have_bounds() {
        let text = "hull(poisson(rate=1/10, gdp(mu=1)) * gdp(mu=1/3))^2 * laplace(scale=3)";
        let found = bounds(Functional::Kappa3, text, Direction::Forward).expect("bounds");
        let two = found.lower().clone() * 2u32;
        assert!(*found.lower() > 0 && *found.upper() < two, "{found:?}");
    }
}
