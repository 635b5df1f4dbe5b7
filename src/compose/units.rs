//! Numbers as integers in units of a power of two.

use rug::float::Round::{Nearest, Up};
use rug::{Float, Integer};

use enclosure::Enclosure;

/// A number in units of `2^-fraction`: its lower end to nearest. `None` if the enclosure is wider than a quarter of a
/// unit.
///
/// *Error*: less than one unit for every point of the enclosure. The lower end is scaled exactly and rounded by at most
/// 1/2, and the point is above it by at most the width, which is rounded up: at most 1/4. Together at most 3/4.
pub(super) fn in_units(x: &Enclosure, fraction: u32) -> Option<Integer> {
    let width = Float::with_val_round(64, x.upper() - x.lower(), Up).0 << fraction;
    let scaled = Float::with_val(x.bits(), x.lower() << fraction);
    scaled.to_integer_round(Nearest).map(|(integer, _)| integer).filter(|_| width <= 0.25)
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// Less than a unit from either end; what is known to half a unit only is none.
    #[test]
    fn a_unit_is_not_reached() {
        for (numer, denom) in [(1, 3), (-1, 3), (7, 2), (-7, 2), (1, 1000)] {
            let x = Rational::from((numer, denom));
            for fraction in [0u32, 1, 30] {
                let Some(units) = in_units(&Enclosure::rational(&x, 100), fraction) else { panic!("{x} {fraction}") };
                let off = (Rational::from(units) - Rational::from(&x << fraction)).abs();
                assert!(off < 1, "{x} {fraction}");
            }
        }
        let wide = Enclosure::zero(64).hull(&Enclosure::rational(&Rational::from((1, 2)), 64));
        assert!(in_units(&wide, 0).is_none() && in_units(&Enclosure::whole(64), 0).is_none());
    }
}
