//! Integers of a few 64-bit limbs without allocation, for long lists in which allocating each number would dominate.
//!
//! [`Word`] is the interface of such numbers. [`Limbs`] implements it for numbers below `2^(64 N - 1)` in modulus, and
//! [`Integer`] for all numbers. **Contract.** The caller ensures that sums fit; [`Word::of`] returns `None` for a
//! number that does not fit. Factors of products are not negative; products are exact before they are rounded down.

use std::cmp::Ordering;
use std::fmt::Debug;

use rug::Integer;
use rug::integer::Order;

/// Limbs of a number, at most.
pub const MOST: usize = 8;

/// An integer of bounded or unbounded size.
pub trait Word: Clone + Ord + Debug + Send + Sync + Sized {
    /// A sum of products.
    type Sum: Default;
    /// Bits of the modulus; without end for numbers of any length.
    const BITS: u32;
    /// Zero.
    fn zero() -> Self;
    /// This number; `None` if it has more bits.
    fn of(value: &Integer) -> Option<Self>;
    /// The number.
    fn integer(&self) -> Integer;
    /// Is it zero?
    fn is_zero(&self) -> bool;
    /// `a + b`.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
    /// `a - b`.
    #[must_use]
    fn minus(&self, other: &Self) -> Self;
    /// `-a`.
    #[must_use]
    fn negative(&self) -> Self {
        Self::zero().minus(self)
    }
    /// `floor(a b / 2^shift)` of numbers that are not negative, which fits.
    #[must_use]
    fn product(&self, other: &Self, shift: u32) -> Self;
    /// `floor(a n / d)` of a number that is not negative, which fits.
    #[must_use]
    fn scaled(&self, n: u32, d: u32) -> Self;
    /// `floor(a / 2^shift)` of a number that is not negative.
    #[must_use]
    fn shifted(&self, shift: u32) -> Self;
    /// `sum + a b` of numbers that are not negative: fewer than `2^64` of them, below `2^(64 N - 34)` each, fit.
    fn add_product(sum: &mut Self::Sum, a: &Self, b: &Self);
    /// What the sum is.
    fn total(sum: &Self::Sum) -> Integer;
}

/// A number in two's complement, least limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limbs<const N: usize>([u64; N]);

/// A product of two of them, or a sum of such.
type Long = [u64; 2 * MOST];

impl<const N: usize> PartialOrd for Limbs<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for Limbs<N> {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |x: &Self| x.0[N - 1] as i64;
        let mut order = sign(self).cmp(&sign(other));
        for i in (0..N - 1).rev() {
            order = order.then(self.0[i].cmp(&other.0[i]));
        }
        order
    }
}

impl<const N: usize> Limbs<N> {
    /// `a b` of numbers that are not negative.
    #[inline(always)]
    fn times(&self, other: &Self) -> Long {
        let mut product = [0_u64; 2 * MOST];
        for (i, &x) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, &y) in other.0.iter().enumerate() {
                // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
                let part = u128::from(x) * u128::from(y) + u128::from(product[i + j]) + u128::from(carry);
                product[i + j] = part as u64;
                carry = (part >> 64) as u64;
            }
            product[i + N] = carry;
        }
        product
    }

    /// The lowest limbs of `floor(long / 2^shift)`.
    #[inline(always)]
    fn from_long(long: &Long, shift: u32) -> Self {
        let (limbs, bits) = ((shift / 64) as usize, shift % 64);
        let at = |i: usize| long.get(i + limbs).copied().unwrap_or(0);
        let mut value = [0; N];
        for (i, limb) in value.iter_mut().enumerate() {
            let high = if bits == 0 { 0 } else { at(i + 1) << (64 - bits) };
            *limb = (at(i) >> bits) | high;
        }
        Limbs(value)
    }
}

impl<const N: usize> Word for Limbs<N> {
    type Sum = Long;
    const BITS: u32 = 64 * N as u32 - 1;

    fn zero() -> Self {
        const { assert!(N > 0 && N <= MOST) };
        Limbs([0; N])
    }

    fn of(value: &Integer) -> Option<Self> {
        if value.significant_bits() > Self::BITS {
            return None;
        }
        let mut limbs = [0; N];
        let modulus = value.as_abs();
        modulus.write_digits(&mut limbs[..modulus.significant_digits::<u64>()], Order::Lsf);
        let word = Limbs(limbs);
        Some(if value.is_negative() { word.negative() } else { word })
    }

    fn integer(&self) -> Integer {
        let negative = (self.0[N - 1] as i64) < 0;
        let modulus = if negative { self.negative() } else { *self };
        let value = Integer::from_digits(&modulus.0, Order::Lsf);
        if negative { -value } else { value }
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.0 == [0; N]
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let (mut sum, mut carry) = ([0; N], false);
        for (i, limb) in sum.iter_mut().enumerate() {
            let (part, a) = self.0[i].overflowing_add(other.0[i]);
            let (part, b) = part.overflowing_add(u64::from(carry));
            (*limb, carry) = (part, a | b);
        }
        Limbs(sum)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let (mut difference, mut borrow) = ([0; N], false);
        for (i, limb) in difference.iter_mut().enumerate() {
            let (part, a) = self.0[i].overflowing_sub(other.0[i]);
            let (part, b) = part.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (part, a | b);
        }
        Limbs(difference)
    }

    #[inline(always)]
    fn product(&self, other: &Self, shift: u32) -> Self {
        Self::from_long(&self.times(other), shift)
    }

    #[inline(always)]
    fn scaled(&self, n: u32, d: u32) -> Self {
        let (mut value, mut carry) = ([0_u64; N], 0_u64);
        for (limb, &x) in value.iter_mut().zip(&self.0) {
            let part = u128::from(x) * u128::from(n) + u128::from(carry);
            (*limb, carry) = (part as u64, (part >> 64) as u64);
        }
        if d > 1 {
            // What is carried of a number that fits is part of the remainder until a limb takes it up.
            let mut rest = u128::from(carry);
            for limb in value.iter_mut().rev() {
                let part = (rest << 64) | u128::from(*limb);
                *limb = (part / u128::from(d)) as u64;
                rest = part % u128::from(d);
            }
        }
        Limbs(value)
    }

    #[inline(always)]
    fn shifted(&self, shift: u32) -> Self {
        let mut long = [0; 2 * MOST];
        long[..N].copy_from_slice(&self.0);
        Self::from_long(&long, shift)
    }

    #[inline(always)]
    fn add_product(sum: &mut Long, a: &Self, b: &Self) {
        let product = a.times(b);
        let mut carry = 0_u64;
        for i in 0..2 * N {
            let part = u128::from(sum[i]) + u128::from(product[i]) + u128::from(carry);
            (sum[i], carry) = (part as u64, (part >> 64) as u64);
        }
    }

    fn total(sum: &Long) -> Integer {
        Integer::from_digits(sum, Order::Lsf)
    }
}

impl Word for Integer {
    type Sum = Integer;
    const BITS: u32 = u32::MAX;

    fn zero() -> Self {
        Integer::new()
    }

    fn of(value: &Integer) -> Option<Self> {
        Some(value.clone())
    }

    fn integer(&self) -> Integer {
        self.clone()
    }

    fn is_zero(&self) -> bool {
        Integer::is_zero(self)
    }

    fn plus(&self, other: &Self) -> Self {
        Integer::from(self + other)
    }

    fn minus(&self, other: &Self) -> Self {
        Integer::from(self - other)
    }

    fn product(&self, other: &Self, shift: u32) -> Self {
        Integer::from(self * other) >> shift
    }

    fn scaled(&self, n: u32, d: u32) -> Self {
        Integer::from(self * n) / d
    }

    fn shifted(&self, shift: u32) -> Self {
        Integer::from(self >> shift)
    }

    fn add_product(sum: &mut Integer, a: &Self, b: &Self) {
        *sum += a * b;
    }

    fn total(sum: &Integer) -> Integer {
        sum.clone()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// So many bits, with runs of zeros and ones.
    fn integer(bits: u32) -> impl Strategy<Value = Integer> {
        let limb = prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), Just(1), Just(1 << 63)];
        (proptest::collection::vec(limb, 8), 1..=bits, any::<bool>()).prop_map(|(limbs, bits, negative)| {
            let value = Integer::from_digits(&limbs, Order::Lsf).keep_bits(bits);
            if negative { -value } else { value }
        })
    }

    fn word<W: Word>(value: &Integer) -> W {
        W::of(value).expect("it fits")
    }

    /// Whatever is done with limbs is done with the integers.
    fn holds<W: Word>(a: &Integer, b: &Integer, shift: u32, (n, d): (u32, u32)) -> Result<(), TestCaseError> {
        let (u, v): (W, W) = (word(a), word(b));
        prop_assert_eq!(&u.integer(), a);
        prop_assert_eq!(u.is_zero(), a.is_zero());
        prop_assert_eq!(u.cmp(&v), a.cmp(b));
        prop_assert_eq!(u.negative().integer(), Integer::from(-a));
        prop_assert_eq!(u.plus(&v).integer(), Integer::from(a + b));
        prop_assert_eq!(u.minus(&v).integer(), Integer::from(a - b));
        let (a, b) = (a.clone().abs(), b.clone().abs());
        let (u, v): (W, W) = (word(&a), word(&b));
        let shift = shift.max((Integer::from(&a * &b)).significant_bits().saturating_sub(W::BITS));
        prop_assert_eq!(u.product(&v, shift).integer(), Integer::from(&a * &b) >> shift);
        prop_assert_eq!(u.shifted(shift).integer(), Integer::from(&a >> shift));
        let scaled = Integer::from(&a * n) / d;
        if scaled.significant_bits() <= W::BITS {
            prop_assert_eq!(u.scaled(n, d).integer(), scaled);
        }
        let mut sum = W::Sum::default();
        W::add_product(&mut sum, &u, &v);
        W::add_product(&mut sum, &u, &u);
        prop_assert_eq!(W::total(&sum), Integer::from(&a * &b) + a.square());
        Ok(())
    }

    proptest! {
        #[test]
        fn limbs_are_integers(
            a in integer(190), b in integer(190), long in [integer(510), integer(510)], shift in 0..400_u32,
            n in 1..=u32::MAX, d in prop_oneof![1..=20_u32, any::<u32>().prop_map(|d| d.max(1))],
        ) {
            holds::<Limbs<3>>(&a, &b, shift, (n, d))?;
            holds::<Limbs<5>>(&a, &b, shift, (n, d))?;
            holds::<Limbs<8>>(&long[0], &long[1], shift, (n, d))?;
            holds::<Integer>(&long[0], &b, shift, (n, d))?;
            let fits = long[0].significant_bits() <= Limbs::<3>::BITS;
            prop_assert_eq!(Limbs::<3>::of(&long[0]).is_some(), fits);
        }
    }
}
