//! The probability that none of many runs has an infinite privacy loss.

use rug::Rational;

use crate::error::Error;
use enclosure::Real;

/// `(1 - delta)^times`: as a fraction, or where that is too long as an exponential.
///
/// # Errors
/// Those of [`Real`].
pub fn surviving(delta: &Real, times: u64) -> Result<Real, Error> {
    let once = Real::one().sub(delta);
    if let Ok(power) = once.pow(&Real::from(times)) {
        return Ok(power);
    }
    once.ln()?.mul_rational(&Rational::from(times)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Enclosure;

    /// A fraction where it is short, and the same number where it would not be.
    #[test]
    fn what_survives_many_runs() {
        let delta = Real::from(Rational::from((1, 1000)));
        assert_eq!(surviving(&delta, 2).expect("a power").as_rational(), Some(&Rational::from((998_001, 1_000_000))));
        let long = surviving(&delta, 10_000_000).expect("a power");
        assert!(long.as_rational().is_none());
        let power = Enclosure::rational(&Rational::from((999, 1000)), 256).pow(10_000_000);
        let set = long.enclosure(128);
        assert!(set.overlaps(&power) && set.relative_bits().is_some_and(|bits| bits > 100), "{set:?} {power:?}");
    }
}
