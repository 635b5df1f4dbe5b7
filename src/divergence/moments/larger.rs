//! Losses of the larger one of the trade-off functions of both orders of a Poisson sample: `max(f_r, f_r^-1)` with
//! `f_r = r f + (1-r) Id`, f that of Gaussian or Laplace noise, its own mirror image.
//!
//! With t the loss of the noise and `w = 1 - r + r e^t`, the slope of `f_r` is `-w`. It meets the diagonal in one
//! point, where `w < 1`, and right of that it is above its mirror image. So a place of the noise that is left of that
//! of the fixed point, of mass du under the distribution for which t is the loss of the other one, is two outcomes: one
//! of mass du with the loss `-ln w`, and one of mass `w du` with the loss `ln w`; together these are all. Hence
//!
//! `E g(L) = int_{left} [g(-ln w) + w g(ln w)] du`,
//!
//! the averages backward and forward of the sample as far as that place, added up ([`until`]), and both orders agree.
//!
//! The place is that of [`fixed_point`]. Paper proof: `proofs/paper/moments.md`.

use super::Average;
use super::line::{Laplace, Normal, normal_until, until};
use crate::compose::fixed_point;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Derived, Pair};
use enclosure::{Budget, Enclosure};

/// The larger one of both orders.
pub(super) struct Larger {
    noise: Noise,
}

enum Noise {
    Gaussian(Normal),
    Laplace(Laplace),
}

impl Larger {
    /// Of what an operator makes, where it is this.
    pub fn of(derived: &Derived) -> Option<Self> {
        let (rate, noise) = derived.larger_of_a_sample()?;
        let noise = match noise {
            Pair::Gaussian { mu } => Noise::Gaussian(Normal { rate, mu }),
            Pair::Laplace { shift } => Noise::Laplace(Laplace { rate, shift }),
            _ => return None,
        };
        Some(Larger { noise })
    }

    /// The averages over the loss, each off by about `2^-bits`.
    ///
    /// # Errors
    /// [`Error::Undecided`] for integrals out of reach.
    pub fn averages(&self, of: &[Average], bits: u32, budget: &Budget) -> Result<Vec<Enclosure>, Error> {
        let end = self.place(bits.saturating_add(64), budget)?;
        let part = |direction| match &self.noise {
            Noise::Gaussian(law) => normal_until(law, Some(&end), of, direction, bits, budget),
            Noise::Laplace(law) => until(law, Some(&end), of, direction, bits, budget),
        };
        let (backward, forward) = (part(Direction::Backward)?, part(Direction::Forward)?);
        Ok(backward.iter().zip(&forward).map(|(backward, forward)| backward + forward).collect())
    }

    /// Where the fixed point is on the line.
    fn place(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        match &self.noise {
            Noise::Gaussian(Normal { rate, mu }) => fixed_point::of_gaussian(rate, mu, bits, budget),
            Noise::Laplace(Laplace { rate, shift }) => {
                let distance = fixed_point::of_laplace(rate, shift, bits);
                Ok(&(distance / &shift.enclosure(bits)) - &Enclosure::one(bits))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rug::{Float, Rational};

    use super::*;
    use crate::compose::{Engines, Method};
    use crate::mechanism::Composition;
    use enclosure::Real;
    use enclosure::special::normal_cdf;

    const CURVES: [&str; 4] = [
        "symmetrize(poisson(rate=1/10, gdp(mu=1)))",
        "symmetrize(poisson(rate=3/4, gdp(mu=2)))",
        "symmetrize(poisson(rate=1/4, laplace(scale=1/2)))",
        "symmetrize(poisson(rate=9/10, laplace(scale=2)))",
    ];

    fn pair(text: &str) -> Pair {
        Pair::several(text.parse::<Composition>().expect(text).pairs().expect("pairs"))
    }

    fn larger(text: &str) -> Larger {
        match pair(text) {
            Pair::Derived(derived) => Larger::of(&derived).expect(text),
            other => panic!("{text}: {other:?}"),
        }
    }

    /// All masses are there, which a wrong place would not leave, and the type I error at the place is its own image
    /// under the trade-off function, which comes about otherwise.
    #[test]
    fn the_fixed_point_is_met() {
        let budget = Budget::default();
        for text in CURVES {
            let larger = larger(text);
            let whole = larger.averages(&[Average::Power(0)], 80, &budget).expect(text).remove(0);
            let off = Float::with_val(64, whole.upper() - whole.lower());
            assert!(whole.contains(&Rational::from(1)) && off < 1e-20, "{text}: {whole:?}");
            let place = larger.place(200, &budget).expect(text);
            let alpha = match &larger.noise {
                Noise::Gaussian(_) => normal_cdf(&-&place, 200, &budget).expect("a mass"),
                Noise::Laplace(law) => {
                    let s = law.shift.enclosure(200);
                    (-(&(&place + &Enclosure::one(200)) * &s).shift(-1)).exp().shift(-1)
                }
            };
            let at = Float::with_val(100, alpha.lower()).to_rational().expect("a fraction");
            let engines = Engines::new(text.parse().expect(text), Method::Auto);
            let ask = |curve: &dyn crate::curve::Curve, budget: &Budget| {
                curve.beta(&Real::from(at.clone()), Direction::Forward, 80, budget)
            };
            let beta = engines.ask(&budget, ask).expect("an error").enclosure(100);
            // Slopes are bounded by that of the other side.
            assert!(beta.widen(&Float::with_val(64, 1e-25)).contains(&at), "{text}: {beta:?} {alpha:?}");
        }
    }

    /// At a tiny rate the place is next to the atom of the noise, and not told from it by few bits: that has half of
    /// the mass, and is not left out.
    #[test]
    fn an_atom_next_to_the_place_is_counted() {
        let larger = larger("symmetrize(poisson(rate=1e-100, laplace(scale=1)))");
        let whole = larger.averages(&[Average::Power(0)], 80, &Budget::default()).expect("masses").remove(0);
        assert!(whole.contains(&Rational::from(1)), "{whole:?}");
    }

    /// What values of the trade-off function say, in both directions, holds every average; cubes about both sides of 0.
    #[test]
    fn averages_are_within_the_bounds_by_values() {
        let centre = |n: i64| Average::Cube(Enclosure::rational(&Rational::from((n, 40)), 160));
        let mut of: Vec<Average> = (1..=5).map(Average::Power).collect();
        of.extend([centre(-1), centre(0), centre(1), Average::Affinity, Average::Midpoint, Average::Triangle]);
        let budget = Budget::default();
        for text in CURVES {
            let own = larger(text).averages(&of, 80, &budget).expect(text);
            for direction in [Direction::Forward, Direction::Backward] {
                // Bits that only few values are taken for.
                let bounds = super::super::between::averages(&pair(text), &of, direction, 120, &budget).expect(text);
                for ((bound, own), of) in bounds.values.iter().zip(&own).zip(&of) {
                    assert!(bound.overlaps(own), "{of:?} of {text}, {direction:?}: {bound:?} {own:?}");
                    let off = Float::with_val(64, own.upper() - own.lower());
                    assert!(off < 1e-20, "{of:?} of {text}: {own:?}");
                    assert!(bound.relative_bits() >= Some(5), "{of:?} of {text}: {bound:?}");
                }
            }
        }
    }
}
