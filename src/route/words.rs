//! Fixed-point numbers of five words that live in registers: for inner loops whose numbers are all of one size.
//!
//! In two's complement, in units of `2^-240`, so that sizes below `2^79` have room. Nothing is allocated, which is most
//! of the time that integers of any length take at this one. Products are cut off towards zero.

mod functions;

use std::cmp::Ordering;

use malachite::base::num::arithmetic::traits::{Sign, UnsignedAbs};
use malachite::{Integer, Natural};

pub use self::functions::Exponential;

/// Words of a number.
const WORDS: usize = 5;
/// Bits after the point.
pub const BITS: u64 = 240;
/// A product of two numbers of units has so many whole words and bits too many.
const WHOLE: usize = (BITS / 64) as usize;
const REST: u32 = (BITS % 64) as u32;

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

    /// The product, cut off.
    pub fn mul(self, other: Self) -> Self {
        let ((one, a), (two, b)) = (self.parts(), other.parts());
        let mut all = [0u64; 2 * WORDS];
        for (i, x) in a.0.iter().enumerate() {
            let mut carry = 0u128;
            for (j, y) in b.0.iter().enumerate() {
                // At most `(2^64 - 1)^2 + 2 (2^64 - 1) < 2^128`.
                let sum = u128::from(*x) * u128::from(*y) + u128::from(all[i + j]) + carry;
                all[i + j] = sum as u64;
                carry = sum >> 64;
            }
            all[i + WORDS] = carry as u64;
        }
        let mut words = [0; WORDS];
        for (place, word) in words.iter_mut().enumerate() {
            *word = all[place + WHOLE] >> REST | all[place + WHOLE + 1] << (64 - REST);
        }
        let size = Words(words);
        if one == two { size } else { size.neg() }
    }
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
            (Integer::ONE << 279u64) - Integer::ONE,
        ];
        let signed: Vec<Integer> = all.iter().flat_map(|x| [x.clone(), -x]).collect();
        for x in &signed {
            let a = Words::of(x).unwrap();
            assert_eq!(a.integer(), *x);
            for y in &signed {
                let b = Words::of(y).unwrap();
                assert_eq!(a.add(b).integer(), x + y);
                assert_eq!(a.sub(b).integer(), x - y);
                let size = (x.unsigned_abs() * y.unsigned_abs()) >> BITS;
                let truth = if x.sign() == y.sign() { Integer::from(size) } else { -Integer::from(size) };
                assert_eq!(a.mul(b).integer(), truth, "{x} {y}");
            }
        }
        assert_eq!(Words::of(&(Integer::ONE << 319u64)), None);
    }
}
