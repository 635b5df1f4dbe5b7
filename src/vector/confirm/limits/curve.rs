//! The trade-off function of a Gaussian and its profile, or Berry-Esseen's bounds beside them.

use dpcert_vectors::Bound;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Two, Zero};
use rug::Rational;

use super::{Bounds, Says};
use crate::error::Error;
use crate::route::elementary::{scaled_down, scaled_up, sqrt_bounds};
use crate::route::moments::{add, div, mul, point, sub};
use crate::route::{gaussian, limits};
use crate::vector::confirm::{numbers, require};
use enclosure::Real;

/// Digits of the curves of Gaussians.
const DIGITS: u32 = 48;

/// `G_mu`, or a bound beside it, and what fails.
pub(super) struct Curve {
    pub(super) square: Bounds,
    pub(super) survival: Bounds,
    pub(super) side: Option<(Bounds, Bound)>,
    pub(super) bits: u64,
}

impl Curve {
    /// `mu^2` at both ends, as fractions that are not too long.
    fn squares(&self) -> Result<[Real; 2], Error> {
        let w = 2 * self.bits;
        let ends = [scaled_down(&self.square.0, w), scaled_up(&self.square.1, w)];
        Ok([Real::from(numbers::first(&ends[0])?), Real::from(numbers::first(&ends[1])?)])
    }

    /// Of `G_mu` alone: its profile rises with mu.
    fn smooth(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let [low, high] = self.squares()?;
        let low = gaussian::delta(&low, epsilon, DIGITS)?.0;
        Ok((numbers::second(&low)?, numbers::second(&gaussian::delta(&high, epsilon, DIGITS)?.1)?))
    }

    /// `G_mu`, continued by 1 below 0 and by 0 above 1; it falls with alpha and with mu.
    fn curve(&self, alpha: &Bounds) -> Result<Bounds, Error> {
        let [low, high] = self.squares()?;
        let at = |square: &Real, alpha: &Second, up: bool| -> Result<Second, Error> {
            let alpha = if up { scaled_down(alpha, self.bits) } else { scaled_up(alpha, self.bits) };
            if alpha <= 0u32 || alpha >= 1u32 {
                return Ok(if alpha <= 0u32 { Second::ONE } else { Second::ZERO });
            }
            let (low, high) = gaussian::beta(square, &numbers::first(&alpha)?, DIGITS)?;
            numbers::second(&if up { high } else { low })
        };
        Ok((at(&high, &alpha.1, false)?, at(&low, &alpha.0, true)?))
    }

    /// `1 + gamma - G_mu(gamma)`: above it no delta of the upper bound lies, and with large epsilons none is below.
    fn edge(&self, gamma: &Bounds) -> Result<Bounds, Error> {
        Ok(sub(&add(&point(Second::ONE), gamma), &self.curve(gamma)?))
    }

    /// The bound of what does not fail, at an epsilon.
    fn bounded(&self, gamma: &Bounds, bound: Bound, epsilon: &Real) -> Result<Bounds, Error> {
        let x = numbers::exp_bounds(epsilon, self.bits)?;
        let cost = mul(gamma, &add(&point(Second::ONE), &x));
        if bound == Bound::Lower {
            let (low, high) = sub(&self.smooth(epsilon)?, &cost);
            return Ok((low.max(Second::ZERO), high.max(Second::ZERO)));
        }
        // Where the slope of G is -x the type I error is P(Z > epsilon/mu + mu/2).
        let mu = (sqrt_bounds(&self.square.0, self.bits).0, sqrt_bounds(&self.square.1, self.bits).1);
        let half = point(Second::ONE / Second::TWO);
        let place = add(&div(&numbers::bounds(epsilon, self.bits)?, &mu), &mul(&mu, &half));
        let touch = limits::tail(&place, self.bits);
        let (low, high) = if touch.0 >= gamma.1 {
            add(&self.smooth(epsilon)?, &cost)
        } else {
            require(touch.1 < gamma.0, "on which side of gamma the top lies")?;
            self.edge(gamma)?
        };
        Ok((low.min(Second::ONE), high.min(Second::ONE)))
    }

    /// `(1-s) + s inner`.
    fn whole(&self, inner: &Bounds) -> Bounds {
        let rest = |inner: &Second| Second::ONE - inner;
        let kept = mul(&self.survival, &(rest(&inner.1), rest(&inner.0)));
        (Second::ONE - kept.1, Second::ONE - kept.0)
    }
}

impl Says for Curve {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let inner = match &self.side {
            None => self.smooth(epsilon)?,
            Some((gamma, bound)) => self.bounded(gamma, *bound, epsilon)?,
        };
        Ok(self.whole(&inner))
    }

    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error> {
        let alpha = div(&point(numbers::second(alpha)?), &self.survival);
        require(alpha.1 < 1u32, "an alpha below what does not fail")?;
        let inner = match &self.side {
            None => self.curve(&alpha)?,
            Some((gamma, Bound::Lower)) => {
                let (low, high) = sub(&self.curve(&add(&alpha, gamma))?, gamma);
                (low.max(Second::ZERO), high.max(Second::ZERO))
            }
            Some((gamma, Bound::Upper)) => {
                let (low, high) = add(&self.curve(&sub(&alpha, gamma))?, gamma);
                (low.min(Second::ONE - &alpha.1), high.min(Second::ONE - &alpha.0))
            }
        };
        Ok(mul(&inner, &self.survival))
    }

    fn infinite(&self, target: &Second) -> Result<(), Error> {
        let never = match &self.side {
            Some((gamma, Bound::Upper)) => self.whole(&self.edge(gamma)?).0 > *target,
            _ => self.whole(&point(Second::ZERO)).0 > *target,
        };
        require(never, "an infinite epsilon")
    }
}
