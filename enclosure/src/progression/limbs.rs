//! Complex fixed-point numbers of a few 64-bit limbs, and their product.
//!
//! A number is `N` limbs in two's complement, least first. A ratio counts in units of `2^-(64 N - 2)`, so it may be
//! anything between -2 and 2, and so may the sum and the difference of its parts. Callers see to it that a part of a
//! term is below `2^(64 N - 3)`, and the modulus of a ratio about 1.

use rug::Integer;
use rug::integer::Order;

use super::Terms;
use crate::limbs::{Carry, KEPT, from_integer, lowest, multiply, shorten, sign};

/// `[re, im]` of each term, and of its ratio `c + id` the numbers `[c, d - c, c + d]`: with `s = c (re + im)` the
/// product is `s - im (c + d) + i (s + re (d - c))`, three products instead of four.
pub(super) struct Limbs<const N: usize>(Vec<[[u64; N]; 5]>);

impl<const N: usize> Default for Limbs<N> {
    fn default() -> Self {
        Limbs(Vec::new())
    }
}

impl<const N: usize> Limbs<N> {
    pub fn push(&mut self, term: &[Integer; 4]) {
        let [re, im, c, d] = term;
        let (difference, sum) = (Integer::from(d - c), Integer::from(c + d));
        self.0.push([re, im, c, &difference, &sum].map(from_integer));
    }
}

/// The sum of one part of all terms.
fn total<const N: usize>(terms: &[[[u64; N]; 5]], part: usize) -> Integer {
    let mut columns = [0u128; N];
    let mut negative = 0u64;
    for term in terms {
        for (column, &limb) in columns.iter_mut().zip(&term[part]) {
            // Fewer than 2^64 terms.
            *column = column.wrapping_add(u128::from(limb));
        }
        negative = negative.wrapping_add(sign(&term[part]) & 1);
    }
    // One limb more, in two's complement: what a negative number is taken for is too large by 2^(64 N).
    let mut limbs = [0u64; KEPT];
    let mut carry = 0u128;
    for (limb, column) in limbs.iter_mut().zip(columns) {
        let sum = column.wrapping_add(carry);
        *limb = sum as u64;
        carry = sum >> 64;
    }
    let top = (carry as u64).wrapping_sub(negative);
    limbs[N] = top;
    let minus = (top as i64) < 0;
    if minus {
        let mut add = true;
        for limb in limbs.iter_mut().take(N + 1) {
            (*limb, add) = (!*limb).overflowing_add(u64::from(add));
        }
    }
    let sum = Integer::from_digits(&limbs[..N + 1], Order::Lsf);
    if minus { -sum } else { sum }
}

impl<const N: usize> Terms for Limbs<N> {
    fn sum(&self, re: &mut Integer, im: &mut Integer) {
        if !self.0.is_empty() {
            *re += total(&self.0, 0);
            *im += total(&self.0, 1);
        }
    }

    fn advance(&mut self) {
        for [re, im, c, difference, sum] in &mut self.0 {
            let mut both = [0; N];
            let mut over = false;
            for (both, (x, y)) in both.iter_mut().zip(re.iter().zip(im.iter())) {
                (*both, over) = x.plus(*y, over);
            }
            let mut real = multiply(&both, c);
            let mut imaginary = real;
            let (less, more) = (multiply(im, sum), multiply(re, difference));
            let (mut borrow, mut carry) = (false, false);
            for i in 0..2 * N - lowest(N) {
                (real[i], borrow) = real[i].minus(less[i], borrow);
                (imaginary[i], carry) = imaginary[i].plus(more[i], carry);
            }
            *re = shorten::<N, 2>(&real);
            *im = shorten::<N, 2>(&imaginary);
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
