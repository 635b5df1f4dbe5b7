//! Where the trade-off function of a Poisson sample meets its mirror image: the place of the noise at which type I and
//! type II error agree, `f_r = r f + (1-r) Id`, f that of Gaussian or Laplace noise.
//!
//! Of Gaussian noise, in units of its deviation, it is the z with `1 - Phi(z) = (1-r) Phi(z) + r Phi(z - mu)`, between
//! 0 and `mu/2`: the difference falls from `r (1/2 - Phi(-mu))` to `(1-r) (1 - 2 Phi(mu/2)) < 0`. Of Laplace noise
//! moved by s of its scale let v be the place, in units in which its loss goes from -1 to 1, and `a = e^(-s(v+1)/2)`:
//! type I error `a/2` and type II error `(1-r) (1 - a/2) + r e^-s/(2a)` agree where
//! `(2-r) a^2 - 2 (1-r) a - r e^-s = 0`, which has one root that is not negative, between `e^-(s/2)` and 1.

use rug::{Float, Rational};

use crate::error::Error;
use enclosure::root::bracketed;
use enclosure::special::normal_cdf;
use enclosure::{Budget, Enclosure, Number, Real};

/// z, to about `bits` bits.
///
/// # Errors
/// [`Error::Undecided`] if the budget runs out.
pub fn of_gaussian(rate: &Real, mu: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let high = Float::with_val(64, mu.enclosure(64).upper()) / 2u32;
    bracketed(&high, true, bits, budget, |z, bits| {
        let (one, z) = (Enclosure::one(bits), Enclosure::rational(z, bits));
        let rate = rate.enclosure(bits);
        let below = normal_cdf(&z, bits, budget)?;
        let moved = normal_cdf(&(&z - &mu.enclosure(bits)), bits, budget)?;
        Ok(Number::Enclosed(&one - &(&(&(&one.shift(1) - &rate) * &below) + &(&rate * &moved))))
    })
}

/// `s (v + 1)`: how far the place is from the least loss; to about `bits` bits.
pub fn of_laplace(rate: &Real, shift: &Real, bits: u32) -> Enclosure {
    let (rest, two) = (Real::one().sub(rate), Real::from(Rational::from(2)).sub(rate));
    let (rest, two) = (rest.enclosure(bits), two.enclosure(bits));
    let root = (&rest.square() + &(&(&rate.enclosure(bits) * &two) * &(-shift.enclosure(bits)).exp())).sqrt();
    let a = &(&rest + &root) / &two;
    -a.ln().shift(1)
}
