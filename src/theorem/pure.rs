//! The zero-concentrated differential privacy of what is epsilon-DP. (`proofs/paper/conversion.md`)

use super::hypothesis::not_negative;
use crate::error::Error;
use enclosure::Real;

/// The least rho of epsilon-DP: `epsilon tanh(epsilon/2)`.
///
/// Every epsilon-DP pair is a post-processing of randomised response (KOV Theorem 2.5), whose divergence of order g is
/// `ln(cosh((2g-1) epsilon/2)/cosh(epsilon/2))/(g-1)`. Divided by g this decreases from its limit at 1, the
/// Kullback-Leibler divergence `epsilon tanh(epsilon/2)`. So no smaller rho is valid, and this one is valid by
/// `proofs/paper/conversion.md`.
pub fn of_pure_sharp(epsilon: &Real) -> Result<Real, Error> {
    not_negative("epsilon", epsilon)?;
    epsilon.mul(&tanh_half(epsilon)?)
}

/// `tanh(epsilon/2)`.
pub(super) fn tanh_half(epsilon: &Real) -> Result<Real, Error> {
    // `1 - 2/(1 + x)` with the exponential that does not overflow.
    let x = epsilon.neg().exp()?;
    Real::one().sub(&x).div(&Real::one().add(&x))
}
