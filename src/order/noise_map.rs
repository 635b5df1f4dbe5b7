//! The randomised map between two Gaussian mechanisms: a factor, and noise that is added.
//!
//! `Y` is `N(0, s^2)` or `N(d, s^2)`. For `r = e/d`, `r Y + N(0, t^2 - r^2 s^2)` is `N(0, t^2)` or `N(e, t^2)`: that is
//! the other mechanism, and the variance is not negative exactly if `e/t <= d/s`, which says that the other one is at
//! least as private.

use std::cmp::Ordering;

use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::Pair;
use enclosure::Real;

/// Outcomes that are normal in both cases.
struct Outcome {
    /// The distance of the means.
    far: Real,
    /// The variance.
    variance: Real,
}

/// The map of outcomes of one mechanism to those of the other.
pub struct NoiseMap {
    /// It is multiplied by this number.
    pub factor: Real,
    /// Independent noise of this variance is added.
    pub variance: Real,
    /// The mean under Q and the variance of both outcomes before the map; under P the mean is 0.
    pub from: [Real; 2],
    /// The same behind it.
    pub to: [Real; 2],
}

impl NoiseMap {
    /// The map between two compositions of Gaussian noise, of which the second is at least as private; `None` where
    /// either has anything else, or the variance is not told from a negative number.
    ///
    /// # Errors
    /// Those of the pairs.
    pub fn between(from: &Composition, to: &Composition) -> Result<Option<Self>, Error> {
        let (Some(from), Some(to)) = (Outcome::of(from)?, Outcome::of(to)?) else { return Ok(None) };
        let factor = if from.far.is_zero() { Real::zero() } else { to.far.div(&from.far)? };
        let variance = to.variance.sub(&factor.square().mul(&from.variance)?);
        if !matches!(variance.sign(), Some(Ordering::Equal | Ordering::Greater)) {
            return Ok(None);
        }
        let [from, to] = [from, to].map(|Outcome { far, variance }| [far, variance]);
        Ok(Some(NoiseMap { factor, variance, from, to }))
    }
}

impl Outcome {
    /// One query has its own outcome; a composition that of the best test, in units of its standard deviation.
    fn of(composition: &Composition) -> Result<Option<Self>, Error> {
        if let Some((Mechanism::Gaussian(noise), 1)) = composition.single() {
            return Ok(Some(Outcome { far: noise.sensitivity().clone(), variance: noise.sigma().square() }));
        }
        let mut square = Real::zero();
        for (pair, times) in composition.pairs()? {
            match pair {
                Pair::Equal => {}
                Pair::Gaussian { mu } => square = square.add(&mu.square().mul_rational(&times.into())),
                _ => return Ok(None),
            }
        }
        Ok(Some(Outcome { far: square.sqrt()?, variance: Real::one() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(from: &str, to: &str) -> Option<NoiseMap> {
        NoiseMap::between(&from.parse().expect(from), &to.parse().expect(to)).expect("pairs")
    }

    fn real(text: &str) -> Real {
        text.parse().expect(text)
    }

    /// By hand; what comes out has the mean and the variance of the other mechanism.
    #[test]
    fn outcomes_become_those_of_the_other_mechanism() {
        for (from, to, factor, variance) in [
            ("gaussian(sigma=1)", "gaussian(sigma=2)", "1", "3"),
            ("gaussian(sigma=1, sensitivity=2)", "gaussian(sigma=3)", "1/2", "35/4"),
            ("gdp(mu=2)", "gdp(mu=1)", "1/2", "3/4"),
            ("gaussian(sigma=1)^4", "gdp(mu=1)", "1/2", "3/4"),
            ("gdp(mu=1)", "gaussian(sigma=2)^4", "1", "0"),
            ("gdp(mu=1)", "gdp(mu=0)", "0", "1"),
            ("gdp(mu=0)", "gdp(mu=0)^2", "0", "1"),
        ] {
            let map = made(from, to).expect(from);
            assert_eq!((&map.factor, &map.variance), (&real(factor), &real(variance)), "{from} to {to}");
            let [far, before] = &map.from;
            let [other, behind] = &map.to;
            assert_eq!(map.factor.mul(far).expect("a product"), *other, "{from} to {to}");
            let sum = map.factor.square().mul(before).expect("a product").add(&map.variance);
            assert_eq!(sum, *behind, "{from} to {to}");
        }
        assert!(made("gdp(mu=1)", "gdp(mu=2)").is_none());
        assert!(made("gdp(mu=1)", "laplace(scale=2)").is_none());
    }
}
