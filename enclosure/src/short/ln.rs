//! The logarithm of a number near 1.

use super::constants::{kept, reciprocal};
use super::limbs::{Limbs, minus, plus, times};

/// The series of the logarithm.
pub(super) struct Logarithm<const N: usize> {
    /// `1/(n + 2)`, each too small by less than one unit.
    series: Vec<Limbs<N>>,
}

kept!(Logarithm);

/// `z` is below `2^-SMALL`.
pub(super) const SMALL: u32 = 40;

impl<const N: usize> Logarithm<N> {
    fn new() -> Self {
        // The first term left out, z^n/(n + 2), is below one unit.
        let count = (64 * N as u32).div_ceil(SMALL);
        Logarithm { series: (0..count).map(|n| reciprocal(&(n + 2).into())).collect() }
    }

    /// `ln(1 + z)`, for a fraction `z < 2^-SMALL`, wrong by less than 3 units.
    ///
    /// It is `z - z^2 (1/2 - z/3 + ...)`; the bracket is wrong by less than 4 units, which count `z^2` times, `z^2` by
    /// `1 + 2^-60` units, and so is its product.
    pub fn of_one_plus(&self, z: &Limbs<N>) -> Limbs<N> {
        let mut bracket = [0; N];
        for coefficient in self.series.iter().rev() {
            bracket = minus(coefficient, &times(&bracket, z));
        }
        minus(z, &times(&times(z, z), &bracket))
    }
}

/// `z` with `1/4 (1 + z) = x`, if it is at least 0 and below `2^-SMALL`.
pub(super) fn excess_of_quarter<const N: usize>(x: &Limbs<N>) -> Option<Limbs<N>> {
    let mut quarter = [0; N];
    quarter[N - 1] = 1 << 62;
    let top = x[N - 1].checked_sub(quarter[N - 1])?;
    if top >> (62 - SMALL) != 0 {
        return None;
    }
    let rest = minus(x, &quarter);
    let twice = plus(&rest, &rest);
    Some(plus(&twice, &twice))
}
