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
//! that of the Berry-Esseen theorem for summands of different laws (Shevtsova 2010: 0.5600). Infinite privacy losses
//! are separated, by the scaling rule after their equation 11. Paper proof: `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::factors::{Factors, absolute_cube, moments};
use super::near_gaussian::NearGaussian;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Enclosure, Number};

/// Dong, Roth and Su, Theorem 3.4, applied. It is printed for `gamma <= alpha <= 1 - gamma` and for mechanisms that
/// do not fail; what fails outright stands apart here, by the rule after their equation 11.
///
/// `mu = 2 sum kl/sqrt V` with `V = sum (kappa_2 - kl^2)`; `gamma = 0.56 sum kappa_3-bar/V^(3/2)` with `kappa_3-bar` of
/// the loss less its mean; 0.56 is Shevtsova's constant of 2010 for summands of different laws.
///
/// # Errors
/// [`Error::Undefined`] where a hypothesis fails, with its value; [`Error::Undecided`] for moments out of reach.
pub fn bounds(composition: &Composition, bits: u32, budget: &Budget) -> Result<NearGaussian, Error> {
    if let Some(factor) = composition.not_symmetric()? {
        let why = factor.pair()?.asymmetry()?;
        return Err(refused(&format!("symmetric trade-off functions, but that of {factor} {why}")));
    }
    let Factors { pairs, survival } = Factors::of(composition)?;
    let wide = bits.saturating_add(32);
    let mut sums = [(); 3].map(|()| Enclosure::zero(wide));
    for (pair, times) in &pairs {
        let infinite = || refused(&format!("kappa_3 < infinity, but a factor of {composition} has infinite kl"));
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
        Some(_) => return Err(refused("V = sum (kappa_2 - kl^2) > 0, but V = 0: the composition reveals nothing")),
        None => return Err(Error::undecided("cannot decide whether V = sum (kappa_2 - kl^2) is positive")),
    }
    let root = variance.sqrt();
    let mu = kl.shift(1) / &root;
    let gamma = cube * Enclosure::rational(&Rational::from((56, 100)), wide) / (&variance * &root);
    let half = Enclosure::one(wide).shift(-1);
    match gamma.compare(&half) {
        Some(Ordering::Less) => Ok(NearGaussian { mu, gamma, survival }),
        Some(_) => {
            Err(refused(&format!("gamma < 1/2, but gamma >= {}", decimal(&Number::Enclosed(gamma), 6, Side::Lower))))
        }
        None => Err(Error::undecided("cannot decide whether gamma is below 1/2")),
    }
}

fn refused(hypothesis: &str) -> Error {
    Error::Undefined(format!("the Berry-Esseen theorem for compositions requires {hypothesis}"))
}

#[cfg(test)]
mod tests;
