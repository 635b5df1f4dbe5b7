//! Fixed-point numbers of four words that live in registers: for inner loops whose numbers are all of one size.
//!
//! In two's complement, in units of `2^-192`, so that sizes below `2^63` have room. Nothing is allocated, which is most
//! of the time that integers of any length take at this one. Products are rounded down.

mod functions;
mod series;

use std::cmp::Ordering;

use malachite::base::num::arithmetic::traits::{Sign, UnsignedAbs};
use malachite::{Integer, Natural};

pub use self::functions::Exponential;
pub use self::series::Series;

/// Words of a number.
const WORDS: usize = 4;
/// Words after the point: a product of two numbers of units has so many too many.
const PLACES: usize = 3;
/// Bits after the point.
pub const BITS: u64 = 64 * PLACES as u64;

/// A number of units, the lowest word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words([u64; WORDS]);

impl PartialOrd for Words {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By size, of numbers whose difference has room.
impl Ord for Words {
    fn cmp(&self, other: &Self) -> Ordering {
        let difference = self.sub(*other);
        if difference == Words::ZERO {
            Ordering::Equal
        } else if difference.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}

impl Words {
    pub const ZERO: Words = Words([0; WORDS]);

    /// A number of units; `None` beyond the range.
    pub fn of(x: &Integer) -> Option<Self> {
        let mut words = [0; WORDS];
        for (place, limb) in x.unsigned_abs().into_limbs_asc().into_iter().enumerate() {
            *words.get_mut(place)? = limb;
        }
        // The last bit is the sign's.
        if words[WORDS - 1] >> 63 == 1 {
            return None;
        }
        let size = Words(words);
        Some(if x.sign().is_lt() { size.neg() } else { size })
    }

    pub fn integer(self) -> Integer {
        let (negative, size) = self.parts();
        let size = Integer::from(Natural::from_owned_limbs_asc(size.0.to_vec()));
        if negative { -size } else { size }
    }

    fn is_negative(self) -> bool {
        self.0[WORDS - 1] >> 63 == 1
    }

    /// Is it negative, and its size.
    fn parts(self) -> (bool, Words) {
        if self.is_negative() { (true, self.neg()) } else { (false, self) }
    }

    fn neg(self) -> Self {
        Words::ZERO.sub(self)
    }

    /// To the nearest number without so many of the last bits, fewer than 64.
    pub fn rounded(self, bits: u64) -> Self {
        let mut half = Words::ZERO;
        half.0[0] = (1 << bits) >> 1;
        let mut rounded = self.add(half);
        rounded.0[0] &= !((1 << bits) - 1);
        rounded
    }

    pub fn add(self, other: Self) -> Self {
        let (mut words, mut carry) = ([0; WORDS], false);
        for (place, word) in words.iter_mut().enumerate() {
            let (sum, one) = self.0[place].overflowing_add(other.0[place]);
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, one || two);
        }
        Words(words)
    }

    pub fn sub(self, other: Self) -> Self {
        let (mut words, mut borrow) = ([0; WORDS], false);
        for (place, word) in words.iter_mut().enumerate() {
            let (rest, one) = self.0[place].overflowing_sub(other.0[place]);
            let (rest, two) = rest.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (rest, one || two);
        }
        Words(words)
    }

    /// The product, rounded down.
    pub fn mul(self, other: Self) -> Self {
        let all = product(&self.0, &other.0);
        let mut words = [0; WORDS];
        words.copy_from_slice(&all[PLACES..PLACES + WORDS]);
        Words(words)
    }
}

/// `a b` of numbers in two's complement of so many words each, modulo `2^(128 N)`.
#[inline(always)]
fn product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; 2 * WORDS] {
    let mut all = [0u64; 2 * WORDS];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, y) in b.iter().enumerate() {
            // At most `(2^64 - 1)^2 + 2 (2^64 - 1) < 2^128`.
            let sum = u128::from(*x) * u128::from(*y) + u128::from(all[i + j]) + carry;
            all[i + j] = sum as u64;
            carry = sum >> 64;
        }
        all[i + N] = carry as u64;
    }
    // What a negative number is taken for is too large by 2^(64 N).
    for (one, other) in [(a, b), (b, a)] {
        let mask = ((one[N - 1] as i64) >> 63) as u64;
        let mut borrow = false;
        for (i, word) in other.iter().enumerate() {
            let (rest, less) = all[N + i].overflowing_sub(word & mask);
            let (rest, least) = rest.overflowing_sub(u64::from(borrow));
            (all[N + i], borrow) = (rest, less || least);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    use malachite::base::num::basic::traits::One;

    /// Sums, differences and products are those of integers, of all signs and sizes.
    #[test]
    fn words_are_the_numbers_they_stand_for() {
        let unit = Integer::ONE << BITS;
        let third = &unit / Integer::from(3);
        let all = [
            Integer::from(0),
            Integer::from(1),
            unit.clone(),
            third.clone(),
            &third * Integer::from(1_000_003),
            (Integer::ONE << 64u64) - Integer::ONE,
            (Integer::ONE << 222u64) - Integer::ONE,
        ];
        let signed: Vec<Integer> = all.iter().flat_map(|x| [x.clone(), -x]).collect();
        for x in &signed {
            let a = Words::of(x).unwrap();
            assert_eq!(a.integer(), *x);
            for y in &signed {
                let b = Words::of(y).unwrap();
                assert_eq!(a.add(b).integer(), x + y);
                assert_eq!(a.sub(b).integer(), x - y);
                assert_eq!(a.rounded(16).integer(), (x + Integer::from(1 << 15)) >> 16u64 << 16u64);
                assert_eq!(a.mul(b).integer(), (x * y) >> BITS, "{x} {y}");
            }
        }
        assert_eq!(Words::of(&(Integer::ONE << 255u64)), None);
    }
}
