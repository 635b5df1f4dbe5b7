//! A witness from few values of the profiles, however coarse they are.
//!
//! Write g for the trade-off function backward, and for its inverse forward: `H(x) = max_a [1 - g(a) - x a]` is the
//! profile at `x = e^eps` in that direction. Let `H_1(x) >= h > u >= H_2(x)`.
//!
//! * **Where losses are infinite**: if the first has a mass `m > u` at infinity, `g_1(0) = 1 - m < 1 - u <= g_2(0)`.
//! * **Else** let `a*` be where the maximum of the first is. As `1 - g_1(a*) - x' a* <= H_1(x')` at any `x'`,
//!   `a* >= (h - H_1(x'))/(x' - x)` for `x' > x`, and `a* <= (H_1(x') - h)/(x - x')` for `x' < x`. Below `a*` the
//!   convex g_1 is at most the chord from `(0, 1)`: `g_1(a) <= 1 - x a - (a/a*) h`, and `g_2(a) >= 1 - x a - u`
//!   anywhere. So any a that is at most the lower bound is one where they differ, if it is that near to the upper one.
//!
//! **Forward** a and g are the errors of the second kind and of the first: at `alpha = 1 - p`, with
//! `p <= x a + (a/a*) h`, the first has at most the error a, and the second at least `(p - u)/x`. Paper proof:
//! `proofs/paper/order.md`.

use rug::float::Round::Down;
use rug::{Float, Rational};

use super::Witness;
use super::far::{SHORT, told};
use super::whole::{BITS, Curves};
use crate::alarm::declined;
use crate::curve::Direction;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// How far the other values of the first are from the epsilon, in sixteenths.
const APART: [u32; 4] = [4, 1, 16, 64];

impl Curves<'_> {
    /// A type I error at which the first has the smaller type II error, by values of the profiles at an epsilon at
    /// which that of the first is the larger one, and of the first at two more.
    ///
    /// # Errors
    /// Those of the profiles.
    pub(super) fn by_few(
        &self,
        epsilon: &Rational,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Witness>, Error> {
        let here = self.compared(epsilon, direction, budget)?;
        if here.first.lower() <= here.second.upper() {
            return Ok(None);
        }
        let mass = self.first_mass(direction);
        if mass.lower() > here.second.upper() {
            return told(&here, &Rational::new(), &mass, direction);
        }
        for sixteenths in APART {
            let step = Rational::from((sixteenths, 16));
            let Some(above) = declined(self.first_at(&Rational::from(epsilon + &step), direction, budget))? else {
                continue;
            };
            let least = &(&here.first - &above) / &(&Enclosure::rational(&step, BITS).expm1() * &here.x);
            if *least.lower() <= 0 {
                continue;
            }
            let below = Rational::from(epsilon - &step);
            let most = match below >= 0 {
                true => {
                    let Some(value) = declined(self.first_at(&below, direction, budget))? else { continue };
                    let fall = -(-Enclosure::rational(&step, BITS)).expm1();
                    &(&value - &here.first) / &(&fall * &here.x)
                }
                // At x = 0 the profile is 1.
                false => &(&Enclosure::one(BITS) - &here.first) / &here.x,
            };
            let Some(exact) = Float::with_val_round(SHORT, least.lower(), Down).0.to_rational() else { continue };
            let a = Enclosure::rational(&exact, BITS);
            let most = most.upper().clone().max(least.lower());
            let gain = &(&a / &Enclosure::new(most.clone(), most)) * &here.first;
            if gain.lower() > here.second.upper()
                && let Some(witness) = told(&here, &exact, &(&(&here.x * &a) + &gain), direction)?
            {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::{Engines, Method};
    use enclosure::{Number, Real};

    /// Of any two that differ at this epsilon, what is told encloses both trade-off functions, and parts them.
    #[test]
    fn witnesses_enclose_both() {
        let budget = Budget::default();
        for (first, second, epsilon, direction) in [
            ("gdp(mu=3)", "gdp(mu=1)", (1_u32, 2_u32), Direction::Backward),
            ("gdp(mu=3)", "gdp(mu=1)", (1, 2), Direction::Forward),
            ("gdp(mu=3)", "laplace(scale=1)", (0, 1), Direction::Backward),
            ("gdp(mu=3)", "laplace(scale=1)", (3, 1), Direction::Forward),
            ("poisson(rate=1/2, gdp(mu=3))", "gdp(mu=1/4)", (1, 2), Direction::Backward),
            ("poisson(rate=1/2, gdp(mu=3))", "gdp(mu=1/4)", (2, 1), Direction::Forward),
            // By the mass at infinity.
            ("approx-dp(epsilon=1/8, delta=1/10)", "gdp(mu=1)", (3, 1), Direction::Backward),
            ("approx-dp(epsilon=1/8, delta=1/10)", "gdp(mu=1)", (3, 1), Direction::Forward),
        ] {
            let engines = [first, second].map(|text| Engines::new(text.parse().expect(text), Method::Auto));
            let [one, two] = &engines;
            let pairs = engines.each_ref().map(|engines| engines.mechanism().pairs().expect("pairs"));
            let curves = Curves::new((one, &pairs[0]), (two, &pairs[1]), &budget).expect("ends");
            let found = curves.by_few(&Rational::from(epsilon), direction, &budget).expect("profiles");
            let witness = found.unwrap_or_else(|| panic!("nothing is seen of {first}, {second}"));
            assert!(witness.smaller.upper() < witness.larger.lower());
            let alpha = Real::from(witness.alpha().expect("a type I error").value().clone());
            for (engines, set) in [(one, &witness.smaller), (two, &witness.larger)] {
                let beta = |curve: &dyn crate::curve::Curve, budget: &Budget| {
                    curve.beta(&alpha, Direction::Forward, 128, budget)
                };
                let beta: Number = engines.ask(&budget, beta).expect("a trade-off function");
                let beta = beta.enclosure(128);
                assert!(set.lower() <= beta.upper() && beta.lower() <= set.upper(), "{first}, {second}: {witness:?}");
            }
        }
    }

    /// Where the profile of the first is no larger there is nothing to tell.
    #[test]
    fn nothing_is_told_of_what_is_more_private() {
        let engines = ["gdp(mu=1)", "gdp(mu=2)"].map(|text| Engines::new(text.parse().expect(text), Method::Auto));
        let [one, two] = &engines;
        let pairs = engines.each_ref().map(|engines| engines.mechanism().pairs().expect("pairs"));
        let budget = Budget::default();
        let curves = Curves::new((one, &pairs[0]), (two, &pairs[1]), &budget).expect("ends");
        for direction in [Direction::Forward, Direction::Backward] {
            assert!(curves.by_few(&Rational::from(1), direction, &budget).expect("profiles").is_none());
        }
    }
}
