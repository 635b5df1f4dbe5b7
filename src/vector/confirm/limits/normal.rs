//! Which Gaussian a theorem puts in the place of a composition, and by Berry-Esseen's how far it may be off.

use dpcert_vectors::LimitForm;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Two, Zero};

use super::Bounds;
use super::parts::{Moments, Part, parts};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::route::elementary::{exp_bounds, pi_bounds, sqrt_bounds};
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
                let uniform = form == LimitForm::Uniform;
                let (rate, inner) = match mechanism {
                    Mechanism::Poisson(m) => (m.rate(), Some((m.inner(), 1))),
                    Mechanism::Subsample(m) if uniform => (m.rate(), m.inner().single()),
                    _ => return Err(Error::input("not a sample")),
                };
                let Some((inner, 1)) = inner else { return Err(Error::input("several mechanisms on a sample")) };
                let rate = numbers::second(numbers::rational(rate, "rate")?)?;
                let law = functional::law(inner, false, bits)?.ok_or_else(|| Error::input("no privacy loss"))?;
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

/// The constants of the rate, in millionths: what the cubes, the fourth powers and the lattice cost with an integral
/// cut at 1/4, 1/2, 3/4, 1, 5/4, 3/2 and 2, what lies beyond, and how fast that falls.
const CUTS: [[u32; 5]; 7] = [
    [67_364, 646_661, 26_819, 1_884_995, 31_087],
    [70_072, 677_947, 27_723, 1_420_061, 122_417],
    [74_902, 734_245, 29_327, 1_138_271, 268_311],
    [82_408, 822_885, 31_800, 931_464, 459_697],
    [93_554, 956_831, 35_433, 765_743, 684_677],
    [110_014, 1_158_977, 40_727, 626_011, 929_262],
    [173_798, 1_977_543, 60_723, 395_541, 1_416_146],
];

/// `mu^2`, `c/n` and the probability that nothing fails, of runs with one epsilon.
///
/// With `x = e^epsilon` the variance of a response is `v = x/(1+x)^2`; the fourth cumulant is at most `k v` away.
pub(super) fn rate(composition: &Composition, bits: u64) -> Result<(Bounds, Bounds, Bounds), Error> {
    let whole = |value: u64| point(Second::from(value));
    let (mut same, mut n, mut kept) = (None, 0u64, whole(1));
    for (mechanism, times) in composition.factors() {
        let (epsilon, delta) = match mechanism {
            Mechanism::ApproxDp(m) => (m.epsilon(), numbers::second(numbers::rational(m.delta(), "delta")?)?),
            Mechanism::RandomizedResponse(m) => (m.epsilon(), Second::ZERO),
            _ => return Err(Error::input("not an (epsilon, delta) mechanism")),
        };
        require(same.is_none_or(|same| same == epsilon), "one epsilon")?;
        same = Some(epsilon);
        n += times;
        let times = u32::try_from(*times).map_err(|_| Error::input("too many runs"))?;
        kept = mul(&kept, &power(&point(Second::ONE - delta), times));
    }
    let epsilon = same.ok_or_else(|| Error::input("empty composition"))?;
    let root = |of: &Bounds| (sqrt_bounds(&of.0, bits).0, sqrt_bounds(&of.1, bits).1);
    let falling = |of: &Bounds| (exp_bounds(&-&of.1, bits).0, exp_bounds(&-&of.0, bits).1);
    let x = numbers::exp_bounds(epsilon, bits)?;
    let more = add(&x, &whole(1));
    let (v, t) = (div(&x, &power(&more, 2)), div(&sub(&x, &whole(1)), &more));
    let (all, fewer) = (mul(&v, &whole(n)), mul(&v, &whole(n - 1)));
    let fourth = div(&sub(&whole(1), &mul(&whole(3), &v)), &whole(24));
    let eighth = div(&v, &whole(8));
    let fourth = (fourth.0.max(eighth.0), fourth.1.max(eighth.1));
    let normal = add(&all, &point(Second::ONE / Second::from(12)));
    let cut = |[a, b, d, e, r]: &[u32; 5]| {
        let of = |millionths: &u32| point(Second::from(*millionths) / Second::from(1_000_000));
        let cubes = div(&mul(&of(a), &t), &mul(&fewer, &root(&fewer)));
        let fourths = div(&mul(&of(b), &fourth), &power(&fewer, 2));
        let beyond = mul(&of(e), &falling(&mul(&of(r), &all)));
        add(&add(&mul(&all, &add(&cubes, &fourths)), &div(&of(d), &all)), &beyond)
    };
    let least = CUTS.iter().map(cut).reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)));
    let mut gamma = least.ok_or_else(|| Error::input("no place"))?;
    let pi = pi_bounds(bits);
    gamma = add(&gamma, &div(&whole(1), &mul(&mul(&whole(1200), &pi), &power(&normal, 2))));
    let half = mul(&power(&pi, 2), &div(&normal, &whole(2)));
    gamma = add(&gamma, &div(&falling(&half), &mul(&power(&pi, 3), &normal)));
    let square = mul(&power(&numbers::bounds(epsilon, bits)?, 2), &whole(n));
    let off = sub(&div(&mul(&whole(n), &t), &root(&normal)), &root(&square));
    let off = if off.0 < 0u32 { (-off.1, -off.0) } else { off };
    require(off.0 >= 0u32, "which mu is the larger one")?;
    let scale = mul(&whole(2), &root(&mul(&whole(2), &pi)));
    gamma = add(&gamma, &div(&off, &scale));
    require(gamma.1 < Second::ONE / Second::TWO, "c/n below 1/2")?;
    Ok((square, gamma, kept))
}
