//! Functions of numbers of four words, good to the last few of their bits.

use enclosure::Portable;
use std::sync::OnceLock;

use malachite::Integer;
use malachite::base::num::arithmetic::traits::DivRound;
use malachite::base::rounding_modes::RoundingMode::Floor;

use super::{BITS, WORDS, Words};
use crate::error::Error;
use crate::route::fixed::{Fixed, Span};

/// Bits of a digit.
const DIGIT: u64 = 8;
/// Digits that tables take off, from the first after the point on.
const TABLES: u64 = 3;
/// What is left is below `2^-24`: the next term, `2^(-24 n)/n!` at n = 8, is below the last bit.
const TERMS: usize = 8;

/// Bits that constants are computed with besides.
const MORE: u64 = 64;

/// What exponentials need.
pub struct Exponential {
    ln_2: Words,
    /// `e^(digit 256^-place)` of all digits, for the first places.
    powers: [Vec<Words>; TABLES as usize],
    /// `1/n!`, from the last that is needed down.
    factorials: Vec<Words>,
}

/// They are the same for all.
static EXPONENTIAL: OnceLock<Exponential> = OnceLock::new();

impl Exponential {
    /// The one of all.
    ///
    /// # Errors
    /// As of [`Fixed::exp`].
    pub fn get() -> Result<&'static Self, Error> {
        if let Some(known) = EXPONENTIAL.get() {
            return Ok(known);
        }
        let new = Exponential::new()?;
        Ok(EXPONENTIAL.get_or_init(|| new))
    }

    fn new() -> Result<Self, Error> {
        // Its exponentials are off by some thousands of units.
        let fixed = Fixed::new(BITS + MORE);
        let words =
            |x: &Integer| Words::of(&(x >> MORE)).ok_or_else(|| Error::internal("a constant beyond four words"));
        let at = |place: u64, digit: u64| -> Result<Words, Error> {
            let x = Integer::from(digit) << (fixed.bits - DIGIT * place);
            let (mantissa, exponent) = fixed.exp(&Span { low: x.clone(), high: x })?;
            words(&(mantissa.low << exponent.unsigned_abs()))
        };
        let table = |place| (0..1 << DIGIT).map(|digit| at(place, digit)).collect::<Result<Vec<_>, _>>();
        let mut inverse = fixed.one.clone();
        let mut factorials = vec![words(&inverse)?];
        for n in 1..TERMS {
            inverse /= Integer::from(n as u64);
            factorials.push(words(&inverse)?);
        }
        factorials.reverse();
        Ok(Exponential { ln_2: words(&fixed.ln_2.low)?, powers: [table(1)?, table(2)?, table(3)?], factorials })
    }

    /// `e^x` for `0 <= x < 1`: of its digits to the base 256 the first three by tables, the rest by the series.
    fn below_one(&self, x: Words) -> Words {
        let first = x.0[WORDS - 2];
        let mut value = Words::ONE;
        for (powers, place) in self.powers.iter().zip(1..) {
            let digit = first >> (BITS - 64 * (WORDS as u64 - 2) - DIGIT * place) & ((1 << DIGIT) - 1);
            value = value.mul(powers[digit as usize]);
        }
        let mut rest = x;
        rest.0[WORDS - 1] = 0;
        rest.0[WORDS - 2] = first & ((1 << (BITS - 64 * (WORDS as u64 - 2) - DIGIT * TABLES)) - 1);
        let sum = self.factorials.iter().fold(Words::ZERO, |sum, one| sum.mul(rest).add(*one));
        value.mul(sum)
    }

    /// `e^x` of a small number, and that by `2^k` too small.
    fn reduced(&self, x: Words) -> (Words, i32) {
        // The nearest integer below, or the one beside it: a step mends that.
        let mut k = (x.to_f64() / std::f64::consts::LN_2).floor() as i32;
        let mut rest = x.sub(self.ln_2.times(k));
        if rest.is_negative() {
            k -= 1;
            rest = rest.add(self.ln_2);
        }
        (self.below_one(rest), k)
    }

    /// `e^x` for an x up to 43; for larger ones there is no room. Who asks sees to it that losses are smaller: a
    /// few runs of small shifts.
    pub fn at(&self, x: Words) -> Words {
        let (value, k) = self.reduced(x);
        value.shifted(k)
    }

    /// `e^x` of any number of units of [`Fixed`], `2^-192`.
    ///
    /// # Errors
    /// For a number beyond the range of exponents.
    pub fn of(&self, x: &Integer) -> Result<Integer, Error> {
        let ln_2 = self.ln_2.integer();
        let k = x.div_round(&ln_2, Floor).0;
        let rest = Words::of(&(x - &k * &ln_2)).ok_or_else(|| Error::internal("a rest beyond ln 2"))?;
        let k = i64::try_from(&k).map_err(|_| Error::Undecided("an exponential of the second route".into()))?;
        let value = self.below_one(rest).integer();
        Ok(if k >= 0 { value << k.unsigned_abs() } else { value >> k.unsigned_abs() })
    }
}

impl Words {
    /// One.
    pub const ONE: Words = {
        let mut words = [0; WORDS];
        words[(BITS / 64) as usize] = 1 << (BITS % 64);
        Words(words)
    };

    /// About.
    pub fn to_f64(self) -> f64 {
        let (negative, size) = self.parts();
        let unit = (-(BITS as f64)).portable_exp2();
        let value = size.0.iter().rev().fold(0.0, |value, word| value * 18_446_744_073_709_551_616.0 + *word as f64);
        if negative { -value * unit } else { value * unit }
    }

    /// Of a number that is positive and neither large nor tiny.
    fn from_f64(x: f64) -> Self {
        let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52) as i32 - 1075);
        let mut words = [0; WORDS];
        words[0] = bits & ((1 << 52) - 1) | 1 << 52;
        Words(words).shifted(exponent + BITS as i32)
    }

    /// The product with a small integer.
    fn times(self, n: i32) -> Self {
        let (negative, size) = self.parts();
        let (mut words, mut carry) = ([0; WORDS], 0u128);
        for (word, one) in words.iter_mut().zip(size.0) {
            carry += u128::from(one) * u128::from(n.unsigned_abs());
            (*word, carry) = (carry as u64, carry >> 64);
        }
        let size = Words(words);
        if negative == (n < 0) { size } else { size.neg() }
    }

    /// `x 2^k` of a number that is not negative, cut off; what has no room is lost.
    fn shifted(self, k: i32) -> Self {
        let (whole, rest) = (k.div_euclid(64), k.rem_euclid(64));
        let word = |i: i32| usize::try_from(i).ok().and_then(|i| self.0.get(i)).copied().unwrap_or(0);
        let mut words = [0; WORDS];
        for (place, i) in words.iter_mut().zip(0i32..) {
            let below = if rest == 0 { 0 } else { word(i - whole - 1) >> (64 - rest) };
            *place = word(i - whole) << rest | below;
        }
        Words(words)
    }

    /// Half of it, cut off towards zero.
    pub fn halved(self) -> Self {
        let (negative, size) = self.parts();
        let half = size.shifted(-1);
        if negative { half.neg() } else { half }
    }

    /// `x^(-1/2)` of a positive number, by Newton's method from a double: `y += y (1 - x y^2)/2`, which makes of
    /// `2^-51`, relatively, `2^-101` and then `2^-201`.
    pub fn inverse_root(self) -> Self {
        let mut y = Words::from_f64(self.to_f64().sqrt().recip());
        for _ in 0..2 {
            let off = Words::ONE.sub(self.mul(y.mul(y)));
            y = y.add(y.mul(off).halved());
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use malachite::base::num::arithmetic::traits::UnsignedAbs;
    use malachite::base::num::basic::traits::One;

    fn words(numer: i64, denom: i64) -> Words {
        Words::of(&((Integer::from(numer) << BITS) / Integer::from(denom))).unwrap()
    }

    /// Exponentials are within a few units of enclosures, in words as in integers of any size.
    #[test]
    fn exponentials_are_those_of_enclosures() {
        let (fixed, exponential) = (Fixed::new(BITS + MORE), Exponential::get().unwrap());
        for (numer, denom) in [(0, 1), (1, 3), (-1, 3), (1, 1), (-7, 2), (50, 3), (-100, 7), (693_147, 1_000_000)] {
            let x = words(numer, denom);
            let exact = x.integer() << MORE;
            let (mantissa, power) = fixed.exp(&Span { low: exact.clone(), high: exact }).unwrap();
            let shift = power - MORE as i64;
            let truth =
                if shift < 0 { mantissa.low >> shift.unsigned_abs() } else { mantissa.low << shift.unsigned_abs() };
            // A mantissa is off by some units, which are as many times larger as the value.
            let room = (Integer::ONE << 6u64) << u64::try_from(power.max(0)).unwrap();
            for value in [exponential.at(x).integer(), exponential.of(&x.integer()).unwrap()] {
                let off = Integer::from((&value - &truth).unsigned_abs());
                assert!(off <= room, "{numer}/{denom} is off by {off}");
            }
        }
    }

    /// The square of an inverse root, times its number, is one.
    #[test]
    fn inverse_roots_are_inverse_roots() {
        for (numer, denom) in [(1, 1), (1, 3), (2, 1), (1_000_003, 7), (1, 4_000), (123_456_789, 1)] {
            let x = words(numer, denom);
            let y = x.inverse_root();
            let off = Integer::from(Words::ONE.sub(x.mul(y.mul(y))).integer().unsigned_abs());
            // Each product is off by a unit, and x times as much afterwards.
            let room = Integer::from(16) * Integer::from(1 + numer / denom + denom / numer);
            assert!(off <= room, "{numer}/{denom} is off by {off}");
        }
    }

    /// Doubles, small multiples and shifts are those of integers.
    #[test]
    fn small_steps_are_those_of_integers() {
        for x in [words(1, 3), words(-5, 7), words(40, 1)] {
            for n in [0, 1, -3, 17] {
                assert_eq!(x.times(n).integer(), x.integer() * Integer::from(n));
            }
            assert!((x.to_f64() / x.neg().to_f64() + 1.0).abs() == 0.0);
        }
        let x = words(5, 7);
        for k in [-150, -64, -1, 0, 1, 30, 62] {
            let integer = x.integer();
            let truth = if k < 0 { integer >> k.unsigned_abs() } else { integer << k.unsigned_abs() };
            assert_eq!(x.shifted(k).integer(), truth, "{k}");
        }
        assert_eq!(Words::from_f64(0.375), words(3, 8));
    }
}
