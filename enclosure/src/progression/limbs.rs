//! Complex fixed-point numbers of a few 64-bit limbs, and their products.
//!
//! A number is `N` limbs in two's complement, least first. A ratio counts in units of `2^-(64 N - 2)`, so it may be
//! anything between -2 and 2, and so may the sum and the difference of its parts. Callers see to it that a part of a
//! term is below `2^(64 N - 3)`, and the modulus of a ratio about 1.

use rug::Integer;
use rug::integer::Order;

use super::{Block, SIDE, Terms};
use crate::limbs::{Carry, KEPT, from_integer, lowest, multiply, product, shorten, sign, to_integer};
use crate::work;

/// Terms of one width, and where they turn the powers of their ratios.
pub(super) struct Limbs<const N: usize> {
    /// `[re, im]` of each term, and of what it is multiplied with, `c + id`, the numbers `[c, d - c, c + d]`: with
    /// `s = c (re + im)` the product is `s - im (c + d) + i (s + re (d - c))`, three products instead of four.
    terms: Vec<[[u64; N]; 5]>,
    /// The parts of the powers `1..=SIDE` of each ratio.
    powers: Vec<[[[u64; N]; 2]; SIDE]>,
    /// The sums of these over all terms, once they were asked for.
    totals: Option<[[Integer; 2]; SIDE]>,
}

impl<const N: usize> Default for Limbs<N> {
    fn default() -> Self {
        Limbs { terms: Vec::new(), powers: Vec::new(), totals: None }
    }
}

/// A term and what it is multiplied with.
fn beside<const N: usize>([re, im]: [[u64; N]; 2], c: &Integer, d: &Integer) -> [[u64; N]; 5] {
    let (difference, sum) = (Integer::from(d - c), Integer::from(c + d));
    [re, im, from_integer(c), from_integer(&difference), from_integer(&sum)]
}

impl<const N: usize> Limbs<N> {
    /// Units of work of three or four products of N limbs.
    const PRODUCTS: u64 = 6 + (N * N) as u64;

    /// A term whose ratio has modulus one: it leaps from the middle of a block to that of the next.
    fn push_turning(&mut self, [re, im, c, d]: &[Integer; 4]) {
        let mut power = beside([from_integer(c), from_integer(d)], c, d);
        let mut powers = [[[0; N]; 2]; SIDE];
        for slot in &mut powers {
            *slot = [power[0], power[1]];
            step(&mut power);
        }
        for _ in SIDE..2 * SIDE {
            step(&mut power);
        }
        let [c, d] = [power[0], power[1]].map(|part| to_integer(&part));
        self.terms.push(beside([from_integer(re), from_integer(im)], &c, &d));
        self.powers.push(powers);
        self.totals = None;
    }
}

/// The sum of one of the numbers of all terms.
fn total<'a, const N: usize>(numbers: impl Iterator<Item = &'a [u64; N]>) -> Integer {
    let mut columns = [0u128; N];
    let mut negative = 0u64;
    for number in numbers {
        for (column, &limb) in columns.iter_mut().zip(number) {
            // Fewer than 2^64 terms.
            *column = column.wrapping_add(u128::from(limb));
        }
        negative = negative.wrapping_add(sign(number) & 1);
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

/// A term times what it is multiplied with.
#[inline(always)]
fn step<const N: usize>([re, im, c, difference, sum]: &mut [[u64; N]; 5]) {
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

/// The number plus `2^(64 N - 1)`, which is none below zero.
#[inline(always)]
fn lifted<const N: usize>(x: &[u64; N]) -> [u64; N] {
    let mut lifted = *x;
    lifted[N - 1] ^= 1 << 63;
    lifted
}

/// A sum of products of numbers that are none below zero, from the column `lowest(N)` on.
#[inline(always)]
fn add_product<const N: usize>(sum: &mut [u64; KEPT], a: &[u64; N], b: &[u64; N]) {
    let product = product(a, b);
    let columns = 2 * N - lowest(N);
    let mut carry = false;
    for (sum, &column) in sum[..columns].iter_mut().zip(&product[..columns]) {
        (*sum, carry) = sum.plus(column, carry);
    }
    // Fewer than 2^64 terms.
    sum[columns] = sum[columns].wrapping_add(u64::from(carry));
}

impl<const N: usize> Limbs<N> {
    /// The sums of the products of both parts of the terms with both parts of the powers,
    /// `[[re c, im c], [re d, im d]]`.
    ///
    /// With `B = 2^(64 N - 1)` is `a b = (a + B)(b + B) - B (a + b + B)`.
    fn products(&mut self) -> [[[Integer; 2]; 2]; SIDE] {
        work::spend(self.terms.len() as u64 * SIDE as u64 * Self::PRODUCTS);
        let mut sums = [[[[0; KEPT]; 2]; 2]; SIDE];
        for ([re, im, ..], powers) in self.terms.iter().zip(&self.powers) {
            let term = [lifted(re), lifted(im)];
            for (sums, power) in sums.iter_mut().zip(powers) {
                for (sums, part) in sums.iter_mut().zip(power) {
                    let part = lifted(part);
                    for (sum, number) in sums.iter_mut().zip(&term) {
                        add_product(sum, number, &part);
                    }
                }
            }
        }
        let powers = &self.powers;
        let of_powers = self.totals.get_or_insert_with(|| {
            std::array::from_fn(|k| std::array::from_fn(|part| total(powers.iter().map(|powers| &powers[k][part]))))
        });
        let lift = 64 * N as u32 - 1;
        let of_terms: [Integer; 2] = std::array::from_fn(|part| {
            total(self.terms.iter().map(|term| &term[part])) + (Integer::from(self.terms.len()) << lift)
        });
        std::array::from_fn(|k| {
            std::array::from_fn(|j| {
                std::array::from_fn(|i| {
                    let sum = Integer::from_digits(&sums[k][j][i], Order::Lsf) << (64 * lowest(N) as u32);
                    sum - (Integer::from(&of_terms[i] + &of_powers[k][j]) << lift)
                })
            })
        })
    }
}

impl<const N: usize> Terms for Limbs<N> {
    fn push(&mut self, term: &[Integer; 4], turns: bool) {
        if turns {
            self.push_turning(term);
        } else {
            let [re, im, c, d] = term;
            self.terms.push(beside([from_integer(re), from_integer(im)], c, d));
        }
    }

    fn sum(&self, re: &mut Integer, im: &mut Integer) {
        if !self.terms.is_empty() {
            work::spend(self.terms.len() as u64 * N as u64);
            *re += total(self.terms.iter().map(|term| &term[0]));
            *im += total(self.terms.iter().map(|term| &term[1]));
        }
    }

    fn advance(&mut self) {
        work::spend(self.terms.len() as u64 * Self::PRODUCTS);
        self.terms.iter_mut().for_each(step);
    }

    fn block(&mut self, block: &mut Block) {
        if self.powers.is_empty() {
            return;
        }
        let shift = 64 * N as u32 - 2;
        for (k, [[re_c, im_c], [re_d, im_d]]) in self.products().iter().enumerate() {
            let ahead = [Integer::from(re_c - im_d), Integer::from(re_d + im_c)];
            let behind = [Integer::from(re_c + im_d), Integer::from(im_c - re_d)];
            for (sums, parts) in [(SIDE + 1 + k, ahead), (SIDE - 1 - k, behind)] {
                for (sum, part) in block[sums].iter_mut().zip(parts) {
                    *sum += part >> shift;
                }
            }
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
        limbs.push(&term, false);
        let sum = |limbs: &Limbs<N>| {
            let (mut re, mut im) = (Integer::new(), Integer::new());
            limbs.sum(&mut re, &mut im);
            [re, im]
        };
        assert_eq!(sum(&limbs), [term[0].clone(), term[1].clone()]);
        limbs.advance();
        let near = |value: [Integer; 2], c: &Integer, d: &Integer| {
            let exact = [
                Integer::from(&term[0] * c) - Integer::from(&term[1] * d),
                Integer::from(&term[0] * d) + Integer::from(&term[1] * c),
            ];
            for (value, exact) in value.into_iter().zip(exact) {
                // The error times 2^(64 N - 2).
                let error = (value << (bits - 2)) - exact;
                let unit = Integer::from(1) << (bits - 2);
                let slack = Integer::from(&unit >> 50);
                assert!(Integer::from(error.abs_ref()) < unit + slack);
            }
        };
        near(sum(&limbs), &term[2], &term[3]);
        // The same of a block, whatever the powers are.
        let mut limbs = Limbs::<N>::default();
        limbs.push(&term, true);
        let mut block = Block::default();
        limbs.block(&mut block);
        for (k, [c, d]) in limbs.powers[0].iter().map(|power| power.each_ref().map(|part| to_integer(part))).enumerate()
        {
            near(block[SIDE + 1 + k].clone(), &c, &d);
            near(block[SIDE - 1 - k].clone(), &c, &-d);
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
