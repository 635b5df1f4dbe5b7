//! Series of Chebyshev's polynomials at a place, by Clenshaw's recurrence, in as few words as its numbers have.
//!
//! `b_k = a_k + 2 u b_(k+1) - b_(k+2)` is at most `sum_(i >= k) (i - k + 1) |a_i|`: with coefficients that fall the
//! first numbers are small. A product of a number of N words needs N of the place.

use malachite::Integer;
use malachite::base::num::arithmetic::traits::UnsignedAbs;
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::logic::traits::SignificantBits;

use super::{WORDS, Words, product};
use crate::error::Error;

/// Bits of a number that are left for its sign and for the double of it.
const SPARE: u64 = 4;

/// Coefficients, from the last down, and how many of them have to be taken with one word, two words and so on.
pub struct Series {
    coefficients: Vec<Words>,
    counts: [usize; WORDS],
}

impl Series {
    /// Of these, in units.
    ///
    /// # Errors
    /// What says so for coefficients without room.
    pub fn new(coefficients: &[Integer]) -> Result<Self, Error> {
        let beyond = || Error::Undecided("coefficients of the second route beyond their words".into());
        let (mut moduli, mut most) = (Integer::ZERO, Integer::ZERO);
        let (mut counts, mut all) = ([0; WORDS], Vec::with_capacity(coefficients.len()));
        for coefficient in coefficients.iter().rev() {
            // A few units more, for what each step is off.
            moduli += Integer::from(coefficient.unsigned_abs()) + (Integer::ONE << 2u64);
            most += &moduli;
            let words = (most.significant_bits() + SPARE) / 64;
            *counts.get_mut(words as usize).ok_or_else(beyond)? += 1;
            all.push(Words::of(coefficient).ok_or_else(beyond)?);
        }
        Ok(Series { coefficients: all, counts })
    }

    /// The value at a place between -1 and 1: `b_0 - u b_1`.
    pub fn at(&self, u: Words) -> Words {
        // In units of `2^(2 - 64 WORDS)`.
        let mut finer = [0; WORDS];
        for (i, word) in finer.iter_mut().enumerate() {
            *word = u.0[i] << 62 | if i == 0 { 0 } else { u.0[i - 1] >> 2 };
        }
        let mut pair = [Words::ZERO; 2];
        let mut rest = &self.coefficients[..];
        for (words, count) in (1..).zip(self.counts) {
            let (here, others) = rest.split_at(count);
            rest = others;
            match words {
                1 => steps::<1>(&mut pair, &finer, here),
                2 => steps::<2>(&mut pair, &finer, here),
                3 => steps::<3>(&mut pair, &finer, here),
                _ => steps::<WORDS>(&mut pair, &finer, here),
            }
        }
        pair[0].sub(u.mul(pair[1]))
    }
}

/// The recurrence on, of numbers of so many words; the newer one of the last two is the first.
fn steps<const N: usize>(pair: &mut [Words; 2], finer: &[u64; WORDS], coefficients: &[Words]) {
    let mut place = [0; N];
    place.copy_from_slice(&finer[WORDS - N..]);
    let cut = |x: &Words| {
        let mut words = [0; N];
        words.copy_from_slice(&x.0[..N]);
        words
    };
    let [mut last, mut after] = [cut(&pair[0]), cut(&pair[1])];
    for coefficient in coefficients {
        let all = product(&place, &last);
        let (mut next, mut carry, mut borrow) = ([0; N], false, false);
        for (i, word) in next.iter_mut().enumerate() {
            // `2 u x`, of a product in units of `2^(2 - 64 N)`.
            let twice = all[i + N - 1] >> 61 | all[i + N] << 3;
            let (sum, one) = twice.overflowing_add(coefficient.0[i]);
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            let (rest, less) = sum.overflowing_sub(after[i]);
            let (rest, least) = rest.overflowing_sub(u64::from(borrow));
            (*word, carry, borrow) = (rest, one || two, less || least);
        }
        (last, after) = (next, last);
    }
    for (word, part) in pair.iter_mut().zip([last, after]) {
        let negative = part[N - 1] >> 63 == 1;
        word.0 = [if negative { u64::MAX } else { 0 }; WORDS];
        word.0[..N].copy_from_slice(&part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::route::words::BITS;

    /// Series of falling and of other coefficients are those of fractions, to a few units for each of them.
    #[test]
    fn series_are_sums_of_polynomials() {
        let unit = Integer::ONE << BITS;
        for fall in [0u64, 1, 3, 9] {
            let coefficient = |i: u64| {
                let size = (&unit / Integer::from(3 + i)) >> (fall * i);
                if i % 3 == 1 { -size } else { size }
            };
            let coefficients: Vec<Integer> = (0..40).map(coefficient).collect();
            let series = Series::new(&coefficients).unwrap();
            for (numer, denom) in [(0, 1), (1, 1), (-1, 1), (1, 3), (-7, 9), (99, 100)] {
                let u = &unit * Integer::from(numer) / Integer::from(denom);
                // `T_i` with as many more bits as there are to begin with.
                let (mut here, mut before) = (&unit << BITS, &u << BITS);
                let mut sum = Integer::ZERO;
                for coefficient in &coefficients {
                    sum += (coefficient * &here) >> (2 * BITS);
                    let next = ((&u * &here) >> (BITS - 1)) - &before;
                    (before, here) = (here, next);
                }
                let off = Integer::from((series.at(Words::of(&u).unwrap()).integer() - sum).unsigned_abs());
                assert!(off < 2_000u32, "{fall} {numer}/{denom}: {off}");
            }
        }
    }
}
