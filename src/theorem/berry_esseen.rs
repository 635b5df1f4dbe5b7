//! The Berry-Esseen theorem of composition (Dong, Roth and Su, Theorem 3.4): bounds on both sides for finitely many
//! mechanisms.
//!
//! For symmetric trade-off functions with `kappa_3 < infinity` let `V = sum (kappa_2 - kl^2)`,
//! `mu = 2 sum kl/sqrt V` and `gamma = 0.56 sum kappa_3-bar/V^(3/2)`. If `V > 0` and `gamma < 1/2`,
//!
//! `G_mu(alpha + gamma) - gamma <= f(alpha) <= G_mu(alpha - gamma) + gamma`, `G_mu` continued by 1 below 0 and by 0
//! above 1.
//!
//! The paper states it for `gamma <= alpha <= 1 - gamma`; with the continuation it holds for all alpha. The constant is
//! that of the Berry-Esseen theorem for summands of different laws (Shevtsova 2010: 0.5600). What fails outright stands
//! apart, by the scaling rule after their equation 11. Paper proof: `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::factors::{Factors, GaussianLimit, absolute_cube, crossing, moments};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::special::{normal_cdf, normal_quantile};
use enclosure::{Budget, Enclosure, Number, Real};

/// The bounds for one composition.
#[derive(Clone, Debug)]
pub struct BerryEsseen {
    mu: Enclosure,
    gamma: Enclosure,
    survival: Real,
}

impl BerryEsseen {
    /// Dong, Roth and Su, Theorem 3.4, applied. It is printed for `gamma <= alpha <= 1 - gamma` and for mechanisms that
    /// do not fail; what fails outright stands apart here, by the rule after their equation 11.
    ///
    /// # Errors
    /// [`Error::Undefined`] where a hypothesis fails, with its value; [`Error::Undecided`] for moments out of reach.
    pub fn of(composition: &Composition, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let Factors { pairs, survival } = Factors::of(composition)?;
        let wide = bits.saturating_add(32);
        let mut sums = [(); 3].map(|()| Enclosure::zero(wide));
        for (pair, times) in &pairs {
            if !pair.symmetric() {
                return Err(refused(&format!(
                    "symmetric trade-off functions, and that of a factor of {composition} is not"
                )));
            }
            let infinite = || refused(&format!("kappa_3 < infinity, and a factor of {composition} has infinite kl"));
            let both = moments(pair, 2, Direction::Forward, wide, budget)?.ok_or_else(infinite)?;
            let [mean, square] = both.as_slice() else { return Err(infinite()) };
            let cube = absolute_cube(pair, mean, Direction::Forward, wide, budget)?.ok_or_else(infinite)?;
            let count = Enclosure::integer(&(*times).into(), wide);
            for (sum, value) in sums.iter_mut().zip([mean.clone(), square - &mean.square(), cube]) {
                *sum = &*sum + &(&count * &value);
            }
        }
        let [kl, variance, cube] = sums;
        match variance.sign() {
            Some(Ordering::Greater) => {}
            Some(_) => return Err(refused("V = sum (kappa_2 - kl^2) > 0, and nothing leaks: V = 0")),
            None => return Err(Error::undecided("whether V = sum (kappa_2 - kl^2) is positive cannot be told")),
        }
        let root = variance.sqrt();
        let mu = kl.shift(1) / &root;
        let gamma = cube * Enclosure::rational(&Rational::from((56, 100)), wide) / (&variance * &root);
        let half = Enclosure::one(wide).shift(-1);
        match gamma.compare(&half) {
            Some(Ordering::Less) => Ok(BerryEsseen { mu, gamma, survival }),
            Some(_) => Err(refused(&format!("gamma < 1/2, and it is {:.6}", gamma.lower().to_f64()))),
            None => Err(Error::undecided("whether gamma is below 1/2 cannot be told")),
        }
    }

    /// `2 sum kl/sqrt V`, with `V = sum (kappa_2 - kl^2)`: the mu of Theorem 3.4 of Dong, Roth and Su.
    pub fn mu(&self) -> &Enclosure {
        &self.mu
    }

    /// `0.56 sum kappa_3-bar/V^(3/2)`: the gamma of Theorem 3.4 of Dong, Roth and Su, with `kappa_3-bar` of the loss
    /// less its mean; 0.56 is Shevtsova's constant of 2010 for summands of different laws.
    pub fn gamma(&self) -> &Enclosure {
        &self.gamma
    }

    /// A lower and an upper bound of the trade-off function at alpha in `[0, 1]`: Dong, Roth and Su, Theorem 3.4, whose
    /// bounds are printed for `gamma <= alpha <= 1 - gamma` and hold beyond with `G_mu` continued by 1 and 0.
    ///
    /// # Errors
    /// [`Error::Input`] for another alpha; [`Error::Undecided`] where a quantile is out of reach.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<[Enclosure; 2], Error> {
        crate::mechanism::check::unit("alpha", alpha)?;
        let wide = bits.saturating_add(32);
        // (1-d) f(alpha/(1-d)), and 0 from alpha = 1-d on.
        let survival = self.survival.enclosure(wide);
        match alpha.compare(&self.survival) {
            Some(Ordering::Less) => {}
            Some(_) => return Ok([Enclosure::zero(wide), Enclosure::zero(wide)]),
            None => {
                return Err(Error::undecided(format!(
                    "whether alpha = {alpha} is below {} cannot be told",
                    self.survival
                )));
            }
        }
        let alpha = alpha.enclosure(wide) / &survival;
        let gamma = self.gamma.with_bits(wide);
        let lower = self.curve(&(&alpha + &gamma), wide, budget)? - &gamma;
        let upper = self.curve(&(&alpha - &gamma), wide, budget)? + &gamma;
        let (zero, most) = (Enclosure::zero(wide), (Enclosure::one(wide) - &alpha).positive_part());
        Ok([lower.max(&zero) * &survival, upper.min(&most) * survival])
    }

    /// A lower and an upper bound of the privacy profile at `epsilon >= 0`; of Theorem 3.4 of Dong, Roth and Su, which
    /// prints those of the trade-off function alone.
    ///
    /// As `delta = sup (1 - f(alpha) - x alpha)` with `x = e^epsilon`, the bounds of f give, with `a = alpha + gamma`
    /// and `a = alpha - gamma`,
    ///
    /// * `delta <= sup_(a >= gamma) (1 - G_mu(a) - x a) + gamma (1 + x)`: concave in a, with its top at
    ///   `a* = Phi(-epsilon/mu - mu/2)`, so that it is taken at `max(a*, gamma)`;
    /// * `delta >= 1 - G_mu(a) - x a - gamma (1 + x)` at `a = a*`, which is at most 1/2 and so below `1 - gamma`.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a negative epsilon.
    pub fn delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<[Enclosure; 2], Error> {
        if epsilon.sign() == Some(Ordering::Less) {
            return Err(Error::Undefined(format!(
                "epsilon = {epsilon} is negative, and these bounds are for the others"
            )));
        }
        let wide = bits.saturating_add(32);
        let (one, zero) = (Enclosure::one(wide), Enclosure::zero(wide));
        let ratio = epsilon.enclosure(wide).exp();
        let gamma = self.gamma.with_bits(wide);
        let cost = &gamma * &(&one + &ratio);
        let smooth = GaussianLimit::new(&self.mu, &Real::one())?.delta(epsilon, wide, budget)?;
        let top = -(epsilon.enclosure(wide) / &self.mu.with_bits(wide) + self.mu.with_bits(wide).shift(-1));
        let best = normal_cdf(&top, wide, budget)?;
        let inside = &smooth + &cost;
        // 1 - G(gamma) - x gamma + gamma (1 + x) = 1 + gamma - G(gamma).
        let edge = &(&one + &gamma) - &self.curve(&gamma, wide, budget)?;
        let upper = match best.compare(&gamma) {
            Some(Ordering::Greater | Ordering::Equal) => inside,
            Some(Ordering::Less) => edge,
            None => inside.max(&edge),
        };
        let lower = (smooth - cost).max(&zero);
        let survival = self.survival.enclosure(wide);
        let failure = Real::one().sub(&self.survival).enclosure(wide);
        Ok([lower, upper.min(&one)].map(|bound| &failure + &(&survival * &bound)))
    }

    /// A lower and an upper bound of the least `epsilon >= 0` at a delta in `[0, 1]`, of the same theorem, which prints
    /// none: where the bounds of the profile,
    /// which both fall, come down to delta. The upper one is infinite below `1 + gamma - G_mu(gamma)`.
    ///
    /// # Errors
    /// [`Error::Input`] for another delta; [`Error::Undecided`] where the values do not tell.
    pub fn epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<[Value; 2], Error> {
        crate::mechanism::check::unit("delta", delta)?;
        let at = |side: usize| {
            crossing(delta, bits, |epsilon| {
                budget.check()?;
                self.delta(epsilon, bits.saturating_add(32), budget).map(|both| both[side].clone())
            })
        };
        let wide = bits.saturating_add(32);
        let failure = Real::one().sub(&self.survival).enclosure(wide);
        if failure.compare(&delta.enclosure(wide)) == Some(Ordering::Greater) {
            return Ok([Value::Infinite, Value::Infinite]);
        }
        let Value::Finite(lower) = at(0)? else {
            return Err(Error::undecided("whether any epsilon has so small a delta cannot be told"));
        };
        let gamma = self.gamma.with_bits(wide);
        let floor = &(&Enclosure::one(wide) + &gamma) - &self.curve(&gamma, wide, budget)?;
        let floor = failure + self.survival.enclosure(wide) * floor;
        let never = floor.compare(&delta.enclosure(wide)) == Some(Ordering::Greater);
        Ok([Value::Finite(lower), if never { Value::Infinite } else { at(1)? }])
    }

    /// `G_mu`, continued by 1 below 0 and by 0 above 1.
    fn curve(&self, alpha: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let (one, zero) = (Enclosure::one(bits), Enclosure::zero(bits));
        let at = |alpha: &rug::Float| -> Result<Enclosure, Error> {
            if *alpha <= 0 {
                return Ok(one.clone());
            }
            if *alpha >= 1 {
                return Ok(zero.clone());
            }
            let point = Number::Enclosed(Enclosure::new(alpha.clone(), alpha.clone()));
            let quantile = normal_quantile(&(&Number::one() - &point), bits, budget)?.enclosure(bits);
            normal_cdf(&(quantile - self.mu.with_bits(bits)), bits, budget)
        };
        Ok(at(alpha.upper())?.hull(&at(alpha.lower())?))
    }
}

fn refused(hypothesis: &str) -> Error {
    Error::Undefined(format!("the Berry-Esseen theorem of composition needs {hypothesis}"))
}

#[cfg(test)]
mod tests;
