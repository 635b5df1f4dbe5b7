//! What the tables are made from: constants rounded down, once for each number of limbs.

use rug::{Float, Integer};

use super::limbs::{Limbs, of_integer};

/// Tables that are made when they are first asked for.
pub(super) trait Kept: Sized + 'static {
    fn kept() -> &'static Self;
}

/// One table for each number of limbs.
macro_rules! kept {
    ($table:ident) => {
        kept!($table, 1 2 3 4 5 6 7 8 9 10 11 12);
    };
    ($table:ident, $($limbs:literal)*) => {
        $(impl $crate::short::constants::Kept for $table<$limbs> {
            fn kept() -> &'static Self {
                static TABLE: std::sync::OnceLock<$table<$limbs>> = std::sync::OnceLock::new();
                TABLE.get_or_init(|| $crate::work::uncounted($table::new))
            }
        })*
    };
}
pub(super) use kept;

/// `floor(x 2^shift)`; 0 if x is not finite.
pub(super) fn floor(x: &Float, shift: u32) -> Integer {
    let Some((mantissa, exponent)) = x.to_integer_exp() else { return Integer::new() };
    // To the right it rounds down.
    mantissa << exponent.saturating_add_unsigned(shift)
}

/// A number of `(0, 1)` as a fraction, too small by less than `1 + 2^-60` units, given that `value` rounds it down to
/// so many bits.
pub(super) fn fraction<const N: usize>(value: impl Fn(u32) -> Float) -> Limbs<N> {
    let bits = 64 * N as u32;
    of_integer(&floor(&value(bits + 64), bits))
}

/// `1/n` as a fraction, rounded down, for `n >= 2`.
pub(super) fn reciprocal<const N: usize>(n: &Integer) -> Limbs<N> {
    of_integer(&((Integer::from(1) << (64 * N as u32)) / n))
}
