//! Of compositions whose losses have no list: integrals of the moment generating function on a line.
//!
//! With the means of [`Means`], of p and q whether or not both distributions have an outcome,
//!
//! * the Jensen-Shannon divergence is `ln 2 - (1/2) sum (p ln((p+q)/p) + q ln((p+q)/q))`, for p and q sum to 1 each;
//! * the Vincze-Le Cam divergence is `1 - (1/2) sum 4pq/(p+q)`, as `(p-q)^2 = (p+q)^2 - 4pq`;
//! * `E |L - c|^3 = E (L-c)^3 + 2 E (c-L)_+^3`, the first from cumulants. Around the mean kl the point c is a fraction
//!   next to it: with `r = |kl - c|` this is off by at most `3 r (V + r^2)`, as the derivative of `E |L - c|^3` by c is
//!   at most `3 E (L-c)^2 = 3 (V + (kl-c)^2)`;
//! * `chi^2_+ = E (e^-L - 1)_+^2`.
//!
//! Paper proof: `proofs/paper/functionals.md`.

use rug::Rational;

use super::{Functional, sum};
use crate::compose::{Below, Means, Overlap};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use enclosure::{Budget, Enclosure, Number, Portable};

/// Bits that the loop which asks for `bits` allows for, and that are not lost here.
const SPARE: u32 = 28;

/// More are not had of what falls by the kernel alone.
const FEW_BITS: u32 = 600;

/// The functional of a composition; `None` of what has no moment generating function here.
pub(super) fn of(
    functional: Functional,
    pairs: &[(Pair, u64)],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Option<Value>, Error> {
    let Some(means) = Means::of(&Product::new(pairs.to_vec()), direction, budget)? else { return Ok(None) };
    let is_even = matches!(functional, Functional::JensenShannon | Functional::LeCam);
    if !is_even && means.is_lasting() && bits > FEW_BITS {
        return Err(Error::undecided(
            "for privacy losses with neither a density nor a lattice, this quantity is \
                                     computed to about fifteen digits only",
        ));
    }
    let wide = bits.saturating_add(32);
    let finite = |set: Enclosure| Ok(Some(Value::Finite(Number::Enclosed(set.positive_part()))));
    match functional {
        Functional::JensenShannon => {
            let entropy = means.overlap(Overlap::Entropy, bits, budget)?;
            finite(Enclosure::ln_2(wide) - entropy.shift(-1))
        }
        Functional::LeCam => finite(Enclosure::one(wide) - means.overlap(Overlap::Harmonic, bits, budget)?),
        Functional::PositiveChiSquared => {
            for (pair, _) in pairs {
                let ends = pair.ends()?;
                if !(ends.infinite_p.is_zero() && ends.infinite_q.is_zero()) {
                    return Err(Error::Undefined("chi^2_+ requires a trade-off function with f(0) = 1".into()));
                }
            }
            // Of a normal loss of the same variance it is about half of that.
            let Value::Finite(variance) = sum(pairs, 2, direction, 64, budget)? else {
                return Ok(Some(Value::Infinite));
            };
            let scale = variance.enclosure(64).lower().to_f64().max(1e-300).portable_ln();
            let mean = means.below(&Below::Square, &Rational::new(), (scale, aim(bits)), budget)?;
            finite(mean)
        }
        Functional::Kappa3 | Functional::Kappa3Bar => {
            let mut cumulants = Vec::new();
            for order in 1..=3 {
                match sum(pairs, order, direction, wide, budget)? {
                    Value::Finite(own) => cumulants.push(own.enclosure(wide)),
                    Value::Infinite => return Ok(Some(Value::Infinite)),
                }
            }
            let [mean, variance, third] = &cumulants[..] else { return Err(Error::internal("three cumulants")) };
            let centre = match functional {
                Functional::Kappa3 => Rational::new(),
                _ => near(mean, wide)?,
            };
            let off = mean - &Enclosure::rational(&centre, wide);
            let square = off.square() + variance;
            let cube = third + &((variance * &off).mul_u32(3) + off.pow(3));
            // The mean of |L - c|^3 is at least this power of that of its square.
            let scale = 1.5 * square.lower().to_f64().max(1e-300).portable_ln();
            let moments = [-&off, square.clone(), -&cube];
            let below = means.below(&Below::Cube(moments), &centre, (scale, aim(bits)), budget)?;
            let mut value = cube + below.shift(1);
            if functional == Functional::Kappa3Bar {
                let gap = off.abs();
                let error = (variance + &gap.square()) * gap.mul_u32(3);
                value = value.widen(error.upper());
            }
            finite(value)
        }
        _ => Ok(None),
    }
}

/// The relative bits to aim at.
fn aim(bits: u32) -> u32 {
    bits.saturating_sub(SPARE).max(32)
}

/// A rational number within an enclosure.
fn near(number: &Enclosure, bits: u32) -> Result<Rational, Error> {
    let middle = rug::Float::with_val(bits, number.lower() + number.upper()) / 2u32;
    middle.to_rational().ok_or_else(|| Error::undecided("the mean of the privacy loss was not computed"))
}
