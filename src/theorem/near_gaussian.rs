//! Bounds on both sides of a composition that is near a Gaussian trade-off function.
//!
//! From
//!
//! `G_mu(alpha + gamma) - gamma <= f(alpha) <= G_mu(alpha - gamma) + gamma`
//!
//! for all alpha, with `G_mu` continued by 1 below 0 and by 0 above 1, and gamma below 1/2, bounds on the profile and
//! on its inverse follow. Infinite privacy losses are separated, by the scaling rule after equation 11 of Dong, Roth
//! and Su. The theorems `berry_esseen` and `rate` supply mu and gamma. Paper proof: `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use super::factors::{GaussianLimit, crossing};
use crate::curve::Value;
use crate::error::Error;
use enclosure::special::{normal_cdf, normal_quantile};
use enclosure::{Budget, Enclosure, Number, Real};

/// The bounds for one composition.
#[derive(Clone, Debug)]
pub struct NearGaussian {
    pub(super) mu: Enclosure,
    pub(super) gamma: Enclosure,
    pub(super) survival: Real,
}

impl NearGaussian {
    /// The mu of the Gaussian.
    pub fn mu(&self) -> &Enclosure {
        &self.mu
    }

    /// How far the composition may be from it, in both type I and type II error.
    pub fn gamma(&self) -> &Enclosure {
        &self.gamma
    }

    /// A lower and an upper bound of the trade-off function at alpha in `[0, 1]`: Dong, Roth and Su, Theorems 3.4 and
    /// 3.7, whose bounds are printed for `gamma <= alpha <= 1 - gamma` and hold beyond with `G_mu` continued by 1
    /// and 0.
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
                    "cannot decide whether alpha = {alpha} is below {}",
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

    /// A lower and an upper bound of the privacy profile at `epsilon >= 0`; of the same theorems, which print those of
    /// the trade-off function alone.
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
            return Err(Error::Undefined(format!("these bounds require epsilon >= 0, not epsilon = {epsilon}")));
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

    /// A lower and an upper bound of the least `epsilon >= 0` at a delta in `[0, 1]`, of the same theorems, which print
    /// none: where the bounds of the profile, which both fall, come down to delta. The upper one is infinite below
    /// `1 + gamma - G_mu(gamma)`.
    ///
    /// # Errors
    /// [`Error::Input`] if delta is out of range; [`Error::Undecided`] if the values do not decide.
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
            return Err(Error::undecided("cannot decide whether any epsilon reaches this delta"));
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
