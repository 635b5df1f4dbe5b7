//! Closed forms: Gaussian noise, whose loss is normal, and Laplace noise, whose loss has two atoms and an exponential
//! density.
//!
//! Both pairs are symmetric, so directions do not matter.

use rug::{Integer, Rational};

use super::Average;
use crate::error::Error;
use crate::pair::Pair;
use enclosure::special::{erf, normal_density};
use enclosure::{Budget, Enclosure, Portable, Real};

/// The cumulants that are known without moments: those of a normal loss, `mu^2/2, mu^2, 0, 0, ...`, and of none.
pub(super) fn cumulants(pair: &Pair, count: u32, bits: u32) -> Option<Vec<Enclosure>> {
    let square = match pair {
        Pair::Equal => Enclosure::zero(bits),
        Pair::Gaussian { mu } => mu.enclosure(bits.saturating_add(8)).square(),
        _ => return None,
    };
    let mut all = vec![Enclosure::zero(bits); count as usize];
    for (known, place) in [square.shift(-1), square].into_iter().zip(&mut all) {
        *place = known;
    }
    Some(all)
}

/// Under Gaussian noise the loss is `N(m, mu^2)` with `m = mu^2/2`:
///
/// * `E L^j = sum_i C(j,2i) (2i-1)!! m^(j-2i) mu^(2i)`;
/// * `E |N(d, s^2)|^3 = (d^3 + 3 d s^2) erf(d/(s sqrt 2)) + 2 (d^2 + 2 s^2) s phi(d/s)`, with `d = m - c`: at `c = 0`
///   Dong, Roth and Su's `kappa_3`, at `c = m` their `mu^3 sqrt(8/pi)`.
pub(super) fn gaussian(mu: &Real, of: &[Average], bits: u32, budget: &Budget) -> Result<Option<Vec<Enclosure>>, Error> {
    let wide = bits.saturating_add(32);
    let mu = mu.enclosure(wide);
    let square = mu.square();
    let mean = square.shift(-1);
    let mut values = Vec::new();
    for average in of {
        values.push(match average {
            Average::Power(exponent) => {
                let mut sum = Enclosure::zero(wide);
                let mut odd = Integer::from(1);
                for i in 0..=exponent / 2 {
                    if i > 0 {
                        odd *= 2 * i - 1;
                    }
                    let count = Integer::from(*exponent).binomial(2 * i) * &odd;
                    let term = mean.pow(u64::from(exponent - 2 * i)) * square.pow(u64::from(i));
                    sum = sum + &Enclosure::integer(&count, wide) * &term;
                }
                sum
            }
            Average::Cube(centre) => {
                let off = &mean - &centre.with_bits(wide);
                let scaled = &off / &mu;
                let sign = erf(&(&scaled / &Enclosure::one(wide).shift(1).sqrt()), wide, budget)?;
                let first = (off.pow(3) + &off * &square.mul_u32(3)) * sign;
                let second = (off.square() + square.shift(1)) * &mu * normal_density(&scaled, wide);
                first + second.shift(1)
            }
            // e^(-L/2) under N(m, mu^2) with m = mu^2/2.
            Average::Affinity => (-square.shift(-3)).exp(),
            Average::Midpoint | Average::Triangle => return Ok(None),
        });
    }
    Ok(Some(values))
}

/// Under Laplace noise moved by `s`: atoms `s` of mass 1/2 and `-s` of mass `e^-s/2`, and the density `e^((l-s)/2)/4`
/// between. With the antiderivative `A_j(y) = e^(y/2) sum_i (-1)^i j!/(j-i)! 2^(i+1) y^(j-i)` of `y^j e^(y/2)`,
///
/// * `E L^j = s^j/2 + (-s)^j e^-s/2 + e^(-s/2) (A_j(s) - A_j(-s))/4`;
/// * `E |L - c|^3 = (s-c)^3/2 + (s+c)^3 e^-s/2 + e^((c-s)/2) (A_3(s-c) - 2 A_3(0) + A_3(-(s+c)))/4` for `-s <= c <= s`.
pub(super) fn laplace(shift: &Real, of: &[Average], bits: u32, _: &Budget) -> Result<Option<Vec<Enclosure>>, Error> {
    // What cancels is at most some powers of a small shift.
    let small = (-shift.to_f64().abs().max(f64::MIN_POSITIVE).portable_log2()).max(0.0).ceil() as u32;
    let wide = bits.saturating_add(64).saturating_add(small.saturating_mul(2));
    let s = shift.enclosure(wide);
    let far = (-&s).exp();
    let mut values = Vec::new();
    for average in of {
        values.push(match average {
            Average::Power(exponent) => {
                let n = u64::from(*exponent);
                let ends = (s.pow(n) + (-&s).pow(n) * &far).shift(-1);
                // e^(-s/2) A(s) and e^(-s/2) A(-s), without the large exponential.
                let between = antiderivative(*exponent, &s) - antiderivative(*exponent, &-&s) * &far;
                ends + between.shift(-2)
            }
            Average::Cube(centre) => {
                let c = centre.with_bits(wide);
                let (above, below) = (&s - &c, &s + &c);
                if *above.upper() < 0 || *below.upper() < 0 {
                    return Ok(None);
                }
                let ends = (above.pow(3) + below.pow(3) * &far).shift(-1);
                let middle = (-above.shift(-1)).exp() * antiderivative(3, &Enclosure::zero(wide)).shift(1);
                // e^((c-s)/2) e^((s-c)/2) = 1 and e^((c-s)/2) e^(-(s+c)/2) = e^-s.
                let between = antiderivative(3, &above) - middle + antiderivative(3, &-&below) * &far;
                ends + between.shift(-2)
            }
            Average::Affinity | Average::Midpoint | Average::Triangle => return Ok(None),
        });
    }
    Ok(Some(values))
}

/// `e^(-y/2) A_j(y)`.
fn antiderivative(exponent: u32, y: &Enclosure) -> Enclosure {
    let bits = y.bits();
    let mut sum = Enclosure::zero(bits);
    let mut falling = Rational::from(2);
    for i in 0..=exponent {
        let coefficient = Enclosure::rational(&falling, bits);
        sum = sum + coefficient * y.pow(u64::from(exponent - i));
        falling *= Rational::from(-2) * Rational::from(exponent - i);
    }
    sum
}
