//! How far a trade-off function is above a Gaussian's: `sup over alpha of f(alpha) - G_mu(alpha)`.
//!
//! The search uses the profiles (`profiles`), which cost a small part of what their inverses do. If a profile is itself
//! searched point by point, as for groups, it uses the trade-off functions (`points`). If time runs out, or there are
//! too many points, the bounds proven so far are the answer, with the reason. Because f is at most `1 - alpha`, the gap
//! is at most the total variation distance of `G_mu`, `2 Phi(mu/2) - 1`, and at most 1.

mod points;
mod profiles;

use rug::Float;

use crate::compose::Engines;
use crate::error::Error;
use crate::number::Interval;
use enclosure::special::normal_central;
use enclosure::{Budget, Enclosure, Number, Reason};

/// `sup (f - G_mu)` in the forward direction.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The proven enclosure.
    pub proven: Number,
    /// Why that is fewer digits than were asked for, if it is.
    pub short: Option<Reason>,
}

impl Gap {
    /// There is none.
    pub(super) fn none() -> Self {
        Gap { proven: Number::zero(), short: None }
    }
}

/// A proven enclosure, and the reason if it has too few digits.
type Known<T> = Result<(T, Option<Reason>), Error>;

/// An error that is no alarm, as a reason.
fn reason<T>(result: Result<T, Error>) -> Result<Result<T, Reason>, Error> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_alarm() => Err(error),
        Err(Error::Undecided(reason)) => Ok(Err(reason)),
        Err(other) => Ok(Err(other.to_string().into())),
    }
}

/// What the gap is at most, by mu alone: `2 Phi(mu/2) - 1`, or 1 where there is no time for that.
fn most(mu: &Enclosure, bits: u32, budget: &Budget) -> Result<Float, Error> {
    let half = reason(normal_central(&mu.shift(-1), bits, budget))?;
    Ok(half.map_or(Float::with_val(bits, 1), |half| half.shift(1).upper().clone()))
}

/// Precision of a gap that is not sought.
const ROUGHLY: u32 = 64;

/// The bounds that follow from mu alone, and the reason why there are no better ones.
pub(super) fn unsought(mu: &Number, reason: Reason) -> Result<Gap, Error> {
    let most = most(&mu.enclosure(ROUGHLY), ROUGHLY, &Budget::default())?;
    let set = Enclosure::new(Float::new(ROUGHLY), most);
    Ok(Gap { proven: Number::Enclosed(set), short: Some(reason) })
}

/// The gap to this number of digits, or the best bounds on it, for `G_mu <= f`.
pub(super) fn largest(engines: &Engines, mu: &Number, digits: u32, bits: u32, budget: &Budget) -> Result<Gap, Error> {
    let mu = mu.enclosure(bits);
    let by = if engines.seeks_profiles() { points::divided } else { profiles::divided };
    let most = most(&mu, bits, budget)?;
    let (set, short) = match reason(by(engines, &mu, (digits, bits), budget))? {
        Ok(found) => found,
        Err(reason) => (Enclosure::new(Float::new(bits), most.clone()), Some(reason)),
    };
    let (lower, upper) = set.into_bounds();
    let set = Enclosure::new(lower, if upper < most { upper } else { most });
    // Whatever ended it, all digits may be there.
    let short = short.filter(|_| Interval::from(set.clone()).digits() < digits);
    Ok(Gap { proven: Number::Enclosed(set), short })
}
