//! How fast the runs of one epsilon-DP mechanism come near a Gaussian: bounds on both sides at a distance of order
//! `1/n` (Dong, Roth and Su, Theorem 3.7).
//!
//! For `epsilon = mu/sqrt n` and every alpha in `[0, 1]`, with `G_mu` continued by 1 below 0 and by 0 above 1,
//!
//! `G_mu(alpha + c/n) - c/n <= f_{epsilon,0}^(x) n (alpha) <= G_mu(alpha - c/n) + c/n`.
//!
//! The paper states it for `c/n <= alpha <= 1 - c/n` with some c that depends on mu alone, and does not say which. Here
//! `c/n` is a number: with `t = tanh(epsilon/2)`, `v = (1 - t^2)/4` (the variance of one response), `V = n v`,
//! `N = (n-1) v`, `k = max(v/8, (1 - 3v)/24)`, `s^2 = V + 1/12` and `mu' = n t/s`,
//!
//! ```text
//! c/n = V (a t N^(-3/2) + b k N^-2) + d/V + e exp(-r V)
//!       + 1/(1200 pi s^4) + exp(-pi^2 s^2/2)/(pi^3 s^2) + |mu' - mu|/(2 sqrt(2 pi))
//! ```
//!
//! with the `a, b, d, e, r` of the point `u_0` that cuts an integral and minimises the bound. It is of order `1/n` for
//! a fixed mu, and at mu = 1 about seven times the smallest possible value. The responses are counted on a lattice, and
//! the piecewise-linear function between the counts is that of the count plus a uniform number, whose distribution
//! function is as close to a normal one as that of a smooth sum. Paper proof: `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::factors::Factors;
use super::near_gaussian::NearGaussian;
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::decimal::{Side, decimal};
use enclosure::{Enclosure, Number, Real};

/// The constants of one place `u_0` between 0 and pi, in millionths. With `w_0 = 2 sin(u_0/2)`, `q = u_0/w_0`,
/// `C = cos(u_0/2)` and `h(u) = 1/(4 sin^2(u/2)) - 1/u^2`.
struct Cut {
    /// `a = q^2 sqrt(pi/2)/(6 pi C)`, rounded up.
    skewness: u32,
    /// `b = 2 q^3/(pi C)`, rounded up.
    kurtosis: u32,
    /// `d = h(u_0)/(pi C)`, rounded up.
    lattice: u32,
    /// `e = (2/pi) ln(pi/u_0) + (2/pi) (pi - u_0) h(pi)`, rounded up.
    rest: u32,
    /// `r = w_0^2/2`, rounded down.
    decay: u32,
}

/// At `u_0 = 1/4, 1/2, 3/4, 1, 5/4, 3/2, 2`.
const CUTS: [Cut; 7] = [
    Cut { skewness: 67_364, kurtosis: 646_661, lattice: 26_819, rest: 1_884_995, decay: 31_087 },
    Cut { skewness: 70_072, kurtosis: 677_947, lattice: 27_723, rest: 1_420_061, decay: 122_417 },
    Cut { skewness: 74_902, kurtosis: 734_245, lattice: 29_327, rest: 1_138_271, decay: 268_311 },
    Cut { skewness: 82_408, kurtosis: 822_885, lattice: 31_800, rest: 931_464, decay: 459_697 },
    Cut { skewness: 93_554, kurtosis: 956_831, lattice: 35_433, rest: 765_743, decay: 684_677 },
    Cut { skewness: 110_014, kurtosis: 1_158_977, lattice: 40_727, rest: 626_011, decay: 929_262 },
    Cut { skewness: 173_798, kurtosis: 1_977_543, lattice: 60_723, rest: 395_541, decay: 1_416_146 },
];

/// The bounds of Dong, Roth and Su, Theorem 3.7, with the constant c that dpcert proves, and that c. Infinite privacy
/// losses are separated, by the rule after their equation 11.
///
/// # Errors
/// [`Error::Undefined`] where a hypothesis fails, with its value: another composition than of one (epsilon, delta)
/// mechanism, one that leaks nothing, `c/n` of 1/2 or more. [`Error::Undecided`] where that cannot be told.
pub fn bounds(composition: &Composition, bits: u32) -> Result<(NearGaussian, Enclosure), Error> {
    let Factors { pairs, survival } = Factors::of(composition)?;
    let (mut same, mut n): (Option<Real>, u64) = (None, 0);
    for (pair, times) in &pairs {
        let Some((epsilon, _)) = pair.as_response() else {
            return Err(refused(&format!(
                "runs of one (epsilon, delta) mechanism, but {composition} contains another mechanism"
            )));
        };
        match &same {
            Some(first) if *first != epsilon => {
                return Err(refused(&format!("runs with equal epsilon, but {composition} has {first} and {epsilon}")));
            }
            _ => same = Some(epsilon),
        }
        n = n.checked_add(*times).ok_or_else(|| Error::input("the composition has too many runs"))?;
    }
    let epsilon =
        same.ok_or_else(|| refused("mu = epsilon sqrt(n) > 0, but mu = 0: the composition reveals nothing"))?;
    if n == 1 {
        return Err(refused("n > 1 runs for the constant c that dpcert proves, but n = 1"));
    }
    let wide = bits.saturating_add(32);
    let count = Enclosure::integer(&n.into(), wide);
    let mu = epsilon.enclosure(wide) * count.sqrt();
    let gamma = distance(&epsilon.enclosure(wide), n, &mu, wide);
    let half = Enclosure::one(wide).shift(-1);
    // Its first term alone may be so large that the others are not told.
    let least = [&gamma, &lattices(&(&count * &Response::of(&epsilon.enclosure(wide), wide).variance))]
        .map(|term| (term.compare(&half), term.clone()));
    match least {
        [(Some(Ordering::Less), _), _] => {}
        [(Some(_), value), _] | [_, (Some(Ordering::Greater), value)] => {
            let value = decimal(&Number::Enclosed(value), 7, Side::Lower);
            return Err(refused(&format!("c/n < 1/2 for the constant c that dpcert proves, but c/n >= {value}")));
        }
        _ => return Err(Error::undecided("cannot decide whether c/n is below 1/2")),
    }
    let c = &count * &gamma;
    Ok((NearGaussian { mu, gamma, survival }, c))
}

/// `c/n`, of n runs with `epsilon > 0`, of which there are two at least.
fn distance(epsilon: &Enclosure, n: u64, mu: &Enclosure, bits: u32) -> Enclosure {
    let count = Enclosure::integer(&n.into(), bits);
    let Response { variance, tanh } = Response::of(epsilon, bits);
    let normal = &count * &variance + Enclosure::rational(&Rational::from((1, 12)), bits);
    let other = &count * &tanh / normal.sqrt();
    let shifted = (&other - mu).abs() / Enclosure::pi(bits).shift(1).sqrt().shift(1);
    from_normal(epsilon, n, bits) + shifted
}

/// One response: plus or minus 1.
struct Response {
    /// `v`, a quarter of its variance.
    variance: Enclosure,
    /// `t`, its mean.
    tanh: Enclosure,
}

impl Response {
    fn of(epsilon: &Enclosure, bits: u32) -> Self {
        // Of e^-epsilon, for e^epsilon may be out of range.
        let (one, small) = (Enclosure::one(bits), (-epsilon).exp());
        let sum = &one + &small;
        Response { variance: &small / &sum.square(), tanh: (&one - &small) / &sum }
    }
}

/// What `c/n` has at least for the steps of the count, of this variance: each cut has a term that is no less.
fn lattices(variance: &Enclosure) -> Enclosure {
    let least = CUTS.iter().map(|cut| cut.lattice).min().unwrap_or_default();
    // A variance may be too small for an enclosure of its reciprocal, and more than this is not wanted.
    let most = variance.upper().clone().max(&Float::with_val(64, Float::i_exp(1, -64)));
    &Enclosure::rational(&Rational::from((least, 1_000_000)), variance.bits()) / &Enclosure::new(most.clone(), most)
}

/// How far the distribution function of the count and a uniform number may be from the normal one with its mean and its
/// variance: all terms of `c/n` but the last.
fn from_normal(epsilon: &Enclosure, n: u64, bits: u32) -> Enclosure {
    let millionths = |value: u32| Enclosure::rational(&Rational::from((value, 1_000_000)), bits);
    let ratio = |numer: u32, denom: u32| Enclosure::rational(&Rational::from((numer, denom)), bits);
    let one = Enclosure::one(bits);
    let Response { variance: single, tanh } = Response::of(epsilon, bits);
    let variance = Enclosure::integer(&n.into(), bits) * &single;
    let fewer = &variance - &single;
    let fourth = single.shift(-3).max(&((&one - &single.mul_u32(3)) / ratio(24, 1)));
    let normal = &variance + &ratio(1, 12);
    let cut = |cut: &Cut| {
        let cubic = millionths(cut.skewness) * &tanh / (&fewer * &fewer.sqrt());
        let quartic = millionths(cut.kurtosis) * &fourth / fewer.square();
        let lattice = millionths(cut.lattice) / &variance;
        let rest = millionths(cut.rest) * (-(millionths(cut.decay) * &variance)).exp();
        &variance * &(cubic + quartic) + lattice + rest
    };
    let least = CUTS.iter().map(cut).reduce(|least, next| least.min(&next)).unwrap_or_else(|| one.clone());
    let pi = Enclosure::pi(bits);
    let uniform = (ratio(1200, 1) * &pi * normal.square()).recip();
    let tail = (-(pi.square() * &normal).shift(-1)).exp() / (&pi * &pi.square() * &normal);
    least + uniform + tail
}

fn refused(hypothesis: &str) -> Error {
    Error::Undefined(format!("the rate of the central limit theorem requires {hypothesis}"))
}

#[cfg(test)]
mod tests;
