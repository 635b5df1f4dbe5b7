//! Whole numbers of units, in two's complement: what arguments are reduced in. They are arrays, so that nothing is
//! allocated but for the results.

use std::cell::RefCell;

use rug::integer::Order;
use rug::{Float, Integer};

use crate::limbs::{Carry, KEPT};

/// So many limbs, least first, of which a reduction uses the first few.
pub(super) type Units = [u64; KEPT];

thread_local! {
    /// Where numbers become GMP's.
    static PLACE: RefCell<Integer> = const { RefCell::new(Integer::new()) };
}

/// The limbs of a whole number that is not negative and has no more of them.
pub(super) fn of_whole(x: &Integer) -> Option<Units> {
    let (mut units, count) = ([0; KEPT], x.significant_digits::<u64>());
    x.write_digits(units.get_mut(..count)?, Order::Lsf);
    Some(units)
}

/// `floor(x 2^(shift - exponent))`, x being `2^exponent` times a number of `[1/2, 1)` or its negative, to so many
/// limbs; `None` if it does not fit into them.
pub(super) fn floor(x: &Float, shift: i32, limbs: usize) -> Option<Units> {
    let significand = x.get_significand()?;
    let (mut few, count) = ([0u64; KEPT], significand.significant_digits::<u64>());
    let many;
    let digits = match few.get_mut(..count) {
        Some(few) => {
            significand.write_digits(few, Order::Lsf);
            &*few
        }
        None => {
            many = significand.to_digits::<u64>(Order::Lsf);
            &many
        }
    };
    let mut units = [0; KEPT];
    let mut cut = false;
    // Limb i of the significand begins at this bit.
    let start = shift - 64 * i32::try_from(count).ok()?;
    let (place, bits) = (start.div_euclid(64), start.rem_euclid(64));
    for (i, &digit) in (0i32..).zip(digits) {
        for (place, part) in
            [(place + i, digit << bits), (place + i + 1, if bits == 0 { 0 } else { digit >> (64 - bits) })]
        {
            match usize::try_from(place) {
                Err(_) => cut |= part != 0,
                Ok(place) if place < limbs => units[place] |= part,
                Ok(_) if part != 0 => return None,
                Ok(_) => {}
            }
        }
    }
    if x.is_sign_negative() {
        // -(u + 1) if something was cut off, -u otherwise.
        units[..limbs].iter_mut().for_each(|limb| *limb = !*limb);
        if !cut {
            let mut one = [0; KEPT];
            one[0] = 1;
            add(&mut units, &one, limbs);
        }
    }
    (is_negative(&units, limbs) == x.is_sign_negative()).then_some(units)
}

/// Is it negative?
pub(super) fn is_negative(units: &Units, limbs: usize) -> bool {
    units[limbs - 1] >> 63 == 1
}

/// `x += y`.
pub(super) fn add(x: &mut Units, y: &Units, limbs: usize) {
    let mut carry = false;
    for (x, &y) in x[..limbs].iter_mut().zip(y) {
        (*x, carry) = x.plus(y, carry);
    }
}

/// `x -= y`; does it become negative, if it was not?
pub(super) fn subtract(x: &mut Units, y: &Units, limbs: usize) -> bool {
    let mut borrow = false;
    for (x, &y) in x[..limbs].iter_mut().zip(y) {
        (*x, borrow) = x.minus(y, borrow);
    }
    borrow
}

/// `x n`, for x that is not negative.
pub(super) fn times(x: &Units, n: u32, limbs: usize) -> Units {
    let (mut product, mut carry) = ([0; KEPT], 0u64);
    for (place, &limb) in product[..limbs].iter_mut().zip(x) {
        // (2^64 - 1)(2^32 - 1) + 2^64 - 1 < 2^128.
        let part = u128::from(limb).wrapping_mul(u128::from(n)).wrapping_add(u128::from(carry));
        *place = part as u64;
        carry = (part >> 64) as u64;
    }
    product
}

/// The number, rounded to nearest.
pub(super) fn to_float(units: &[u64], bits: u32) -> Float {
    PLACE.with_borrow_mut(|place| {
        place.assign_digits(units, Order::Lsf);
        Float::with_val(bits, &*place)
    })
}

/// The same in two's complement.
pub(super) fn signed_to_float(mut units: Units, limbs: usize, bits: u32) -> Float {
    let negative = is_negative(&units, limbs);
    if negative {
        let mut negated = [0; KEPT];
        subtract(&mut negated, &units, limbs);
        units = negated;
    }
    let size = to_float(&units[..limbs], bits);
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::constants;
    use super::*;

    proptest! {
        /// Against integers of any size, and there and back.
        #[test]
        fn units_are_whole_numbers(
            digits in prop::collection::vec(any::<u64>(), 1..20),
            zeros in 0usize..20,
            exponent in -900i32..300,
            limbs in 1usize..=KEPT,
            minus: bool,
        ) {
            let mut whole = Integer::from_digits(&digits, Order::Lsf) << (64 * zeros as u32);
            whole += 1u32;
            let x = Float::with_val(whole.significant_bits().max(2), if minus { -whole } else { whole });
            let x = x.clone() >> (x.get_exp().unwrap() - exponent);
            let truth = constants::floor(&x, 320);
            let fits = Integer::from(&truth + u32::from(minus)).significant_bits() < 64 * limbs as u32;
            let units = floor(&x, exponent + 320, limbs);
            prop_assert_eq!(units.is_some(), fits);
            if let Some(units) = units {
                prop_assert_eq!(is_negative(&units, limbs), minus);
                let bits = 64 * limbs as u32;
                prop_assert_eq!(signed_to_float(units, limbs, bits), Float::with_val(bits, truth));
            }
        }
    }
}
