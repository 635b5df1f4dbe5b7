//! What two halves are asked for a curve: each question with as many bits as its answer takes.

use std::sync::Arc;

use super::{MeetInTheMiddle, adaptive};
use crate::compose::lattice::threshold_bits;
use crate::error::Error;
use enclosure::{Budget, Number, Real};

/// Some halves, at so many fraction bits.
type Listed<'a> = &'a dyn Fn(u32) -> Result<Arc<MeetInTheMiddle>, Error>;

/// `sum (p - e^eps q)_+` over all outcomes, and the mass at infinity.
///
/// # Errors
/// Those of the halves and of the budget.
pub(in crate::compose) fn profile(
    listed: Listed<'_>,
    epsilon: &Real,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    adaptive(bits.saturating_add(8), threshold_bits(epsilon), budget, |fraction| {
        let threshold = epsilon.enclosure(fraction.saturating_add(64));
        Ok(Number::Enclosed(listed(fraction)?.profile(&threshold, budget)?))
    })
}

/// The epsilon at which the profile comes down to delta.
///
/// # Errors
/// As above.
pub(in crate::compose) fn inverse(
    listed: Listed<'_>,
    delta: &Real,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    adaptive(bits, 64, budget, |fraction| {
        let level = delta.enclosure(fraction.saturating_add(32));
        listed(fraction)?.inverse(&level, bits.saturating_add(4), budget)
    })
}

/// The least Q-mass of a test that accepts P-mass `1 - alpha`.
///
/// # Errors
/// As above.
pub(in crate::compose) fn type_ii(
    listed: Listed<'_>,
    alpha: &Real,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    let accepted = Real::one().sub(alpha);
    adaptive(bits, 64, budget, |fraction| {
        let mass = accepted.enclosure(fraction.saturating_add(64));
        Ok(Number::Enclosed(listed(fraction)?.least_mass(&mass, budget)?))
    })
}
