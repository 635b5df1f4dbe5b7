//! Fractions of a few 64-bit limbs.
//!
//! `[u64; N]`, least limb first, stands for its integer times the *unit* `2^(-64 N)`: a number of `[0, 1)`.

use rug::Integer;
use rug::integer::Order;

use crate::limbs::{lowest, product};

/// A fraction.
pub(super) type Limbs<const N: usize> = [u64; N];

/// `x + y`, modulo 1.
#[inline(always)]
pub(super) fn plus<const N: usize>(x: &Limbs<N>, y: &Limbs<N>) -> Limbs<N> {
    let (mut sum, mut carry) = ([0; N], false);
    for (i, limb) in sum.iter_mut().enumerate() {
        let (part, a) = x[i].overflowing_add(y[i]);
        let (part, b) = part.overflowing_add(u64::from(carry));
        (*limb, carry) = (part, a | b);
    }
    sum
}

/// `x - y`, or 0 if that is negative.
#[inline(always)]
pub(super) fn minus<const N: usize>(x: &Limbs<N>, y: &Limbs<N>) -> Limbs<N> {
    let (mut difference, mut borrow) = ([0; N], false);
    for (i, limb) in difference.iter_mut().enumerate() {
        let (part, a) = x[i].overflowing_sub(y[i]);
        let (part, b) = part.overflowing_sub(u64::from(borrow));
        (*limb, borrow) = (part, a | b);
    }
    if borrow { [0; N] } else { difference }
}

/// `x y`, too small by less than `1 + 2^-60` units: what is below the unit is cut off, and of the columns below it only
/// the two highest are computed.
#[inline(always)]
pub(super) fn times<const N: usize>(x: &Limbs<N>, y: &Limbs<N>) -> Limbs<N> {
    let mut high = [0; N];
    high.copy_from_slice(&product(x, y)[N - lowest(N)..2 * N - lowest(N)]);
    high
}

/// The lowest `N` limbs of an integer that is not negative.
pub(super) fn of_integer<const N: usize>(x: &Integer) -> Limbs<N> {
    let mut limbs = [0; N];
    if x.significant_digits::<u64>() <= N {
        x.write_digits(&mut limbs, Order::Lsf);
    } else {
        for (limb, digit) in limbs.iter_mut().zip(x.to_digits::<u64>(Order::Lsf)) {
            *limb = digit;
        }
    }
    limbs
}
