//! Which Gaussian a theorem puts in the place of a composition, and by Berry-Esseen's how far it may be off.

use dpcert_vectors::LimitForm;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Two, Zero};

use super::Bounds;
use super::parts::{Moments, Part, parts};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::route::elementary::{exp_bounds, sqrt_bounds};
use crate::route::moments::{self, Law, add, div, mul, point, power, sub};
use crate::route::{divergence, limits};
use crate::vector::confirm::{functional, numbers, require};

/// `mu^2` and the probability that nothing fails.
pub(super) fn clt(
    composition: &Composition,
    form: LimitForm,
    known: &Moments,
    bits: u64,
) -> Result<(Bounds, Bounds), Error> {
    let mut square = point(Second::ZERO);
    match form {
        LimitForm::Worst => {
            let mut failure = Second::ZERO;
            for (mechanism, times) in composition.factors() {
                let (epsilon, delta) = match mechanism {
                    Mechanism::ApproxDp(m) => (m.epsilon(), numbers::second(numbers::rational(m.delta(), "delta")?)?),
                    Mechanism::RandomizedResponse(m) => (m.epsilon(), Second::ZERO),
                    _ => return Err(Error::input("not an (epsilon, delta) mechanism")),
                };
                let times = Second::from(*times);
                failure += delta * &times;
                square = add(&square, &mul(&power(&numbers::bounds(epsilon, bits)?, 2), &point(times)));
            }
            Ok((square, exp_bounds(&-failure, bits)))
        }
        LimitForm::Poisson | LimitForm::Uniform => {
            for (mechanism, times) in composition.factors() {
                let Mechanism::Poisson(m) = mechanism else { return Err(Error::input("not a sample")) };
                let rate = numbers::second(numbers::rational(m.rate(), "rate")?)?;
                let law = functional::law(m.inner(), false, bits)?.ok_or_else(|| Error::input("nothing leaks"))?;
                let uniform = form == LimitForm::Uniform;
                let divergence = match &law {
                    Law::Finite(outcomes) if uniform => moments::positive_chi_squared(outcomes),
                    Law::Finite(outcomes) => divergence::finite(outcomes, &Second::TWO, bits).chi_squared,
                    Law::Gaussian(square) if uniform => limits::gaussian_positive_chi_squared(square, bits),
                    Law::Gaussian(square) => sub(&exp_bounds(square, bits), &point(Second::ONE)),
                    Law::Laplace(c) if !uniform => divergence::laplace(c, &Second::TWO, bits)?.chi_squared,
                    Law::Laplace(_) => return Err(Error::input("no second route for chi^2_+ of Laplace noise")),
                };
                let weight = &rate * &rate * Second::from(*times) * Second::from(if uniform { 2 } else { 1 });
                square = add(&square, &mul(&divergence, &point(weight)));
            }
            Ok((square, point(Second::ONE)))
        }
        LimitForm::Centred | LimitForm::Printed => {
            let parts = parts(composition, false, bits)?;
            let (mut kl, mut below) = (point(Second::ZERO), point(Second::ZERO));
            for (raw, times) in &parts.raw(2, known, bits)? {
                let times = point(Second::from(*times));
                kl = add(&kl, &mul(&raw[0], &times));
                let one = if form == LimitForm::Printed { raw[1].clone() } else { sub(&raw[1], &power(&raw[0], 2)) };
                below = add(&below, &mul(&one, &times));
            }
            require(below.0 > 0u32, "a loss that varies")?;
            Ok((div(&power(&add(&kl, &kl), 2), &below), parts.survival))
        }
    }
}

/// `mu^2`, gamma and the probability that nothing fails.
pub(super) fn berry_esseen(
    composition: &Composition,
    known: &Moments,
    bits: u64,
) -> Result<(Bounds, Bounds, Bounds), Error> {
    let parts = parts(composition, false, bits)?;
    let (mut kl, mut variance, mut cube) = (point(Second::ZERO), point(Second::ZERO), point(Second::ZERO));
    for ((part, times), (raw, _)) in parts.leaking.iter().zip(&parts.raw(2, known, bits)?) {
        let absolute = match part {
            Part::Law(Law::Finite(outcomes)) => moments::absolute_cube(outcomes, true, bits),
            Part::Law(Law::Laplace(c)) => Some(moments::laplace_centred_cube(c, bits)),
            Part::Law(Law::Gaussian(square)) => Some(moments::gaussian_centred_cube(square, bits)),
            Part::Sampled(..) => None,
        };
        let absolute = absolute.ok_or_else(|| Error::input("no second route for kappa_3-bar"))?;
        let times = point(Second::from(*times));
        kl = add(&kl, &mul(&raw[0], &times));
        variance = add(&variance, &mul(&sub(&raw[1], &power(&raw[0], 2)), &times));
        cube = add(&cube, &mul(&absolute, &times));
    }
    require(variance.0 > 0u32, "a loss that varies")?;
    let root = (sqrt_bounds(&variance.0, bits).0, sqrt_bounds(&variance.1, bits).1);
    let constant = point(Second::from(56) / Second::from(100));
    let gamma = div(&mul(&cube, &constant), &mul(&variance, &root));
    require(gamma.1 < Second::ONE / Second::TWO, "gamma below 1/2")?;
    Ok((div(&power(&add(&kl, &kl), 2), &variance), gamma, parts.survival))
}
