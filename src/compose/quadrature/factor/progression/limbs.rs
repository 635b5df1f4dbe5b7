//! Complex fixed-point numbers of a few 64-bit limbs, and their product.
//!
//! A number is `N` limbs in two's complement, least first. A ratio counts in units of `2^-(64 N - 2)`, so it may be
//! anything between -2 and 2. Callers see to it that a product of a part of a term and a part of a ratio, and the sum
//! of two of them, is below `2^(128 N - 3)` in absolute value.

use rug::Integer;
use rug::integer::Order;

use super::Terms;

/// `[re, im, ratio's re, ratio's im]` of each term.
pub(super) struct Limbs<const N: usize>(Vec<[[u64; N]; 4]>);

impl<const N: usize> Default for Limbs<N> {
    fn default() -> Self {
        Limbs(Vec::new())
    }
}

/// Limbs of a product that are kept, at most: `N + 2` of `2 N`.
const KEPT: usize = 10;

/// The lowest column of a product that is computed.
const fn lowest(n: usize) -> usize {
    n.saturating_sub(2)
}

/// `x` modulo `2^(64 N)`.
fn from_integer<const N: usize>(x: &Integer) -> [u64; N] {
    let mut limbs = [0; N];
    for (limb, digit) in limbs.iter_mut().zip(x.to_digits::<u64>(Order::Lsf)) {
        *limb = digit;
    }
    if *x < 0 {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
    }
    limbs
}

/// All ones for a negative number, zero otherwise.
#[inline(always)]
fn sign<const N: usize>(x: &[u64; N]) -> u64 {
    // An arithmetic shift.
    ((x[N - 1] as i64) >> 63) as u64
}

/// `product -= (x & mask) 2^(64 N)`.
#[inline(always)]
fn subtract<const N: usize>(product: &mut [u64; KEPT], x: &[u64; N], mask: u64) {
    let mut borrow = false;
    for (i, limb) in x.iter().enumerate() {
        let at = i + N - lowest(N);
        (product[at], borrow) = product[at].minus(limb & mask, borrow);
    }
}

/// Subtraction and addition with a carry.
trait Carry {
    fn minus(self, other: u64, borrow: bool) -> (u64, bool);
    fn plus(self, other: u64, carry: bool) -> (u64, bool);
}

impl Carry for u64 {
    #[inline(always)]
    fn minus(self, other: u64, borrow: bool) -> (u64, bool) {
        let (difference, a) = self.overflowing_sub(other);
        let (difference, b) = difference.overflowing_sub(u64::from(borrow));
        (difference, a | b)
    }

    #[inline(always)]
    fn plus(self, other: u64, carry: bool) -> (u64, bool) {
        let (sum, a) = self.overflowing_add(other);
        let (sum, b) = sum.overflowing_add(u64::from(carry));
        (sum, a | b)
    }
}

/// `a b` from the column `lowest(N)` on, modulo `2^(128 N)`: too small by less than `N 2^(64 (N - 1))`, as `c + 1` products of two
/// limbs are left out of each column `c <= N - 3`.
#[inline(always)]
fn multiply<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; KEPT] {
    let mut product = [0; KEPT];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &y) in b.iter().enumerate().skip(lowest(N).saturating_sub(i)) {
            let at = i + j - lowest(N);
            // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
            let sum =
                u128::from(x).wrapping_mul(u128::from(y)).wrapping_add(u128::from(product[at])).wrapping_add(carry);
            product[at] = sum as u64;
            carry = sum >> 64;
        }
        product[i + N - lowest(N)] = carry as u64;
    }
    // What a negative number is taken for is too large by 2^(64 N).
    subtract(&mut product, b, sign(a));
    subtract(&mut product, a, sign(b));
    product
}

/// A sum of products in the units of a term, rounded down.
#[inline(always)]
fn shorten<const N: usize>(product: &[u64; KEPT]) -> [u64; N] {
    let mut limbs = [0; N];
    for (i, limb) in limbs.iter_mut().enumerate() {
        let at = i + N - lowest(N);
        *limb = (product[at] << 2) | (product[at - 1] >> 62);
    }
    limbs
}

impl<const N: usize> Limbs<N> {
    pub fn push(&mut self, term: &[Integer; 4]) {
        self.0.push([from_integer(&term[0]), from_integer(&term[1]), from_integer(&term[2]), from_integer(&term[3])]);
    }
}

/// The sum of one part of all terms.
fn total<const N: usize>(terms: &[[[u64; N]; 4]], part: usize) -> Integer {
    let mut columns = [0u128; N];
    let mut negative = 0u64;
    for term in terms {
        for (column, &limb) in columns.iter_mut().zip(&term[part]) {
            // Fewer than 2^64 terms.
            *column = column.wrapping_add(u128::from(limb));
        }
        negative = negative.wrapping_add(sign(&term[part]) & 1);
    }
    let mut sum = Integer::from(negative);
    sum = -sum;
    for column in columns.iter().rev() {
        sum <<= 64;
        sum += column;
    }
    sum
}

impl<const N: usize> Terms for Limbs<N> {
    fn sum(&self, re: &mut Integer, im: &mut Integer) {
        if !self.0.is_empty() {
            *re += total(&self.0, 0);
            *im += total(&self.0, 1);
        }
    }

    fn advance(&mut self) {
        for [re, im, turn_re, turn_im] in &mut self.0 {
            let (mut real, mut imaginary) = (multiply(re, turn_re), multiply(re, turn_im));
            let (less, more) = (multiply(im, turn_im), multiply(im, turn_re));
            let (mut borrow, mut carry) = (false, false);
            for i in 0..2 * N - lowest(N) {
                (real[i], borrow) = real[i].minus(less[i], borrow);
                (imaginary[i], carry) = imaginary[i].plus(more[i], carry);
            }
            *re = shorten(&real);
            *im = shorten(&imaginary);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One step of one term, against integers: each part is rounded by less than a unit and a bit.
    fn check<const N: usize>(parts: [Vec<u64>; 4], signs: u8) {
        let bits = 64 * N as u32;
        let number = |i: usize, bits: u32| {
            let x = Integer::from_digits(&parts[i], Order::Lsf).keep_bits(bits);
            if signs >> i & 1 == 1 { -x } else { x }
        };
        let term = [number(0, bits - 4), number(1, bits - 4), number(2, bits - 2), number(3, bits - 2)];
        let mut limbs = Limbs::<N>::default();
        limbs.push(&term);
        let sum = |limbs: &Limbs<N>| {
            let (mut re, mut im) = (Integer::new(), Integer::new());
            limbs.sum(&mut re, &mut im);
            [re, im]
        };
        assert_eq!(sum(&limbs), [term[0].clone(), term[1].clone()]);
        limbs.advance();
        let [re, im] = sum(&limbs);
        let exact = [
            Integer::from(&term[0] * &term[2]) - Integer::from(&term[1] * &term[3]),
            Integer::from(&term[0] * &term[3]) + Integer::from(&term[1] * &term[2]),
        ];
        for (value, exact) in [re, im].into_iter().zip(exact) {
            // The error times 2^(64 N - 2).
            let error = (value << (bits - 2)) - exact;
            let unit = Integer::from(1) << (bits - 2);
            let slack = Integer::from(&unit >> 50);
            assert!(Integer::from(error.abs_ref()) < unit + slack);
        }
    }

    proptest! {
        #[test]
        fn steps(
            mut parts in prop::array::uniform4(prop::collection::vec(any::<u64>(), 8)),
            extreme in any::<u32>(),
            signs in 0u8..16,
        ) {
            // Limbs of all zeros and all ones make carries run.
            for (i, limb) in parts.iter_mut().flatten().enumerate() {
                match extreme.rotate_left(i as u32) & 7 {
                    0 => *limb = 0,
                    1 | 2 => *limb = u64::MAX,
                    _ => {}
                }
            }
            let take = |n: usize| parts.clone().map(|part| part[..n].to_vec());
            check::<1>(take(1), signs);
            check::<2>(take(2), signs);
            check::<3>(take(3), signs);
            check::<4>(take(4), signs);
            check::<5>(take(5), signs);
            check::<6>(take(6), signs);
            check::<7>(take(7), signs);
            check::<8>(take(8), signs);
        }
    }
}
