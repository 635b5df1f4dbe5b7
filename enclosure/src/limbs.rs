//! Products of numbers of a few 64-bit limbs, least limb first, of natural numbers or in two's complement.

use rug::Integer;
use rug::integer::Order;

/// Limbs of a factor, at most.
pub const MOST: usize = 12;

/// Columns of a product that are kept, at most: `N + 2` of `2 N`.
pub const KEPT: usize = MOST + 2;

/// The lowest column of a product that is computed.
pub const fn lowest(n: usize) -> usize {
    n.saturating_sub(2)
}

/// `a b` from the column `lowest(N)` on: too small by less than `N 2^(64 (N - 1))`, as `c + 1` products of two limbs
/// are left out of each column `c <= N - 3`.
#[inline(always)]
pub fn product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; KEPT] {
    let mut product = [0u64; KEPT];
    for (i, &x) in a.iter().enumerate() {
        let skipped = lowest(N).saturating_sub(i);
        let first = i.wrapping_add(skipped).wrapping_sub(lowest(N));
        let (row, rest) = product[first..].split_at_mut(N - skipped);
        let mut carry = 0u64;
        for (sum, &y) in row.iter_mut().zip(&b[skipped..]) {
            // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
            let part = u128::from(x).wrapping_mul(u128::from(y));
            let part = part.wrapping_add(u128::from(*sum)).wrapping_add(u128::from(carry));
            *sum = part as u64;
            carry = (part >> 64) as u64;
        }
        rest[0] = carry;
    }
    product
}

/// `x` modulo `2^(64 N)`.
pub fn from_integer<const N: usize>(x: &Integer) -> [u64; N] {
    let mut limbs = [0; N];
    if x.significant_digits::<u64>() <= N {
        x.as_abs().write_digits(&mut limbs[..x.significant_digits::<u64>()], Order::Lsf);
    } else {
        for (limb, digit) in limbs.iter_mut().zip(x.to_digits::<u64>(Order::Lsf)) {
            *limb = digit;
        }
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
pub fn sign<const N: usize>(x: &[u64; N]) -> u64 {
    // An arithmetic shift.
    ((x[N - 1] as i64) >> 63) as u64
}

/// `product -= (x & mask) 2^(64 N)`.
#[inline(always)]
fn subtract<const N: usize>(product: &mut [u64; KEPT], x: &[u64; N], mask: u64) {
    let mut borrow = false;
    for (column, limb) in product[N - lowest(N)..].iter_mut().zip(x) {
        (*column, borrow) = column.minus(limb & mask, borrow);
    }
}

/// Subtraction and addition with a carry.
pub trait Carry: Sized {
    /// `self - other - borrow`, and what is borrowed.
    fn minus(self, other: u64, borrow: bool) -> (u64, bool);
    /// `self + other + carry`, and what is carried.
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

/// `a b` of signed numbers from the column `lowest(N)` on, modulo `2^(128 N)`.
#[inline(always)]
pub fn multiply<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; KEPT] {
    let mut product = product(a, b);
    // What a negative number is taken for is too large by 2^(64 N).
    subtract(&mut product, b, sign(a));
    subtract(&mut product, a, sign(b));
    product
}

/// `floor(p / 2^(64 N - LEFT))` of a product, modulo `2^(64 N)`.
#[inline(always)]
pub fn shorten<const N: usize, const LEFT: u32>(product: &[u64; KEPT]) -> [u64; N] {
    let mut limbs = [0; N];
    for (limb, columns) in limbs.iter_mut().zip(product[N - lowest(N) - 1..].windows(2)) {
        *limb = (columns[1] << LEFT) | (columns[0] >> (64 - LEFT));
    }
    limbs
}

/// An integer in two's complement.
pub fn to_integer(limbs: &[u64]) -> Integer {
    let value = Integer::from_digits(limbs, Order::Lsf);
    let negative = limbs.last().is_some_and(|top| top >> 63 == 1);
    if negative { value - (Integer::from(1) << (64 * limbs.len() as u32)) } else { value }
}
