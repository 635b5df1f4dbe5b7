//! Powers of `e^-x`, exact where they are short.

use rug::Rational;

use enclosure::{Enclosure, Number, Real};

/// Bits of all numerators of an exact list of masses together.
pub(crate) const EXACT_BITS: u64 = 1 << 26;

/// `e^-x`, whose powers up to a number will be listed: exact only if these are not too long together.
pub(crate) fn step_down(x: &Real, places: u64, bits: u32) -> Number {
    match x.exp_number(bits) {
        Number::Exact(value) if !fits_exactly(&value, places) => {
            Number::Enclosed(Enclosure::rational(&value, bits).recip())
        }
        value => &Number::one() / &value,
    }
}

/// Have the powers of a fraction up to this one no more than [`EXACT_BITS`] together?
pub(crate) fn fits_exactly(step: &Rational, places: u64) -> bool {
    let bits = u64::from(step.numer().significant_bits());
    places.saturating_mul(places).saturating_mul(bits) <= EXACT_BITS
}

/// `1 - e^-x`, relatively narrow for small x too; exact if `e^x` is rational.
pub(crate) fn one_minus_exp_neg(x: &Real, bits: u32) -> Number {
    match x.exp_rational() {
        Some(x) => Number::Exact(1 - x.recip()),
        None => Number::Enclosed(-(-x.enclosure(bits)).expm1()),
    }
}
