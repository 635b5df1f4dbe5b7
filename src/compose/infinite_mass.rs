//! The deltas of composed (epsilon, delta)-DP mechanisms, split off from their epsilons.
//!
//! Each worst mechanism gives itself away with probability delta_i and is randomised response otherwise. So the
//! composition gives itself away with probability `a = 1 - prod (1-delta_i)`, and with `g` the profile and `f` the
//! trade-off function of the randomised responses alone (Dong, Roth, Su, (11) and the scaling rule)
//!
//! ```text
//! delta(eps) = a + (1-a) g(eps),      beta(alpha) = (1-a) f(alpha/(1-a))  for alpha <= 1-a, and 0 beyond.
//! ```
//!
//! Both `a` and `1-a` are kept to full relative accuracy: nothing below is a difference of nearly equal numbers.

use std::cmp::Ordering;

use rug::Rational;

use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, signs};

/// Fractions of at most this number of bits are always exact.
pub(super) const SMALL: u64 = 1 << 12;

/// The probabilities `delta_i`, with multiplicity, each proven to lie in `[0, 1]`.
#[derive(Clone, Debug)]
pub(super) struct InfiniteMass {
    /// Those that are not exactly zero.
    parts: Vec<(Real, u64)>,
    /// One of them is exactly 1.
    certain: bool,
}

/// Is `0 <= value <= 1`? Otherwise the error that says so.
pub(super) fn check_probability(value: &Real, name: &str, budget: &Budget) -> Result<(), Error> {
    let outside = || Error::input(format!("{name} must be between 0 and 1, not {value}"));
    let undecided = || Error::undecided(format!("cannot decide whether {name} = {value} is between 0 and 1"));
    match value.sign() {
        Some(Ordering::Less) => return Err(outside()),
        Some(Ordering::Equal) => return Ok(()),
        Some(Ordering::Greater) => {}
        None => return Err(undecided()),
    }
    match signs::compare(value, &Real::from(1), budget)? {
        Some(Ordering::Greater) => Err(outside()),
        Some(_) => Ok(()),
        None => Err(undecided()),
    }
}

impl InfiniteMass {
    /// From pairs of a delta and how many mechanisms have it.
    pub(super) fn new<'a>(parts: impl IntoIterator<Item = (&'a Real, u64)>) -> Result<Self, Error> {
        let budget = Budget::default();
        let mut leak = InfiniteMass { parts: Vec::new(), certain: false };
        for (delta, times) in parts {
            check_probability(delta, "delta", &budget)?;
            if times == 0 || delta.sign() == Some(Ordering::Equal) {
                continue;
            }
            leak.certain |= delta.as_rational().is_some_and(|delta| *delta == 1);
            leak.parts.push((delta.clone(), times));
        }
        Ok(leak)
    }

    /// The deltas that are not zero.
    #[cfg(test)]
    pub(super) fn parts(&self) -> impl Iterator<Item = (&Real, u64)> {
        self.parts.iter().map(|(delta, times)| (delta, *times))
    }

    /// Is every delta zero?
    pub(super) fn is_none(&self) -> bool {
        self.parts.is_empty()
    }

    /// Is some delta 1, so that everything is given away?
    pub(super) fn is_certain(&self) -> bool {
        self.certain
    }

    /// Bits that `prod (1-delta_i)` has as a fraction; `None` if it is not known to be rational.
    pub(super) fn exact_size(&self) -> Option<u64> {
        self.parts.iter().try_fold(0_u64, |size, (delta, times)| {
            let bits = u64::from(delta.as_rational()?.denom().significant_bits());
            Some(size.saturating_add(bits.saturating_mul(*times)))
        })
    }

    /// `prod (1-delta_i)` exactly; `None` if that is not rational or has more than `size` bits.
    pub(super) fn kept_exactly(&self, size: u64) -> Option<Rational> {
        if self.certain {
            return Some(Rational::new());
        }
        if self.exact_size()? > size {
            return None;
        }
        let mut product = Rational::from(1);
        for (delta, times) in &self.parts {
            let kept = Rational::from(1 - delta.as_rational()?);
            product *= rug::ops::Pow::pow(kept, u32::try_from(*times).ok()?);
        }
        Some(product)
    }

    /// `a = 1 - prod (1-delta_i)` and `1 - a`, exact while that costs at most `size` bits.
    pub(super) fn both(&self, bits: u32, size: u64) -> (Number, Number) {
        if let Some(kept) = self.kept_exactly(size) {
            return (Number::Exact(Rational::from(1 - &kept)), Number::Exact(kept));
        }
        // The logarithm of what is kept; its size is lost in the exponential.
        let log_at = |bits: u32| {
            let mut log = Enclosure::zero(bits);
            for (delta, times) in &self.parts {
                let one = (-delta.enclosure(bits)).log1p();
                log = &log + &(&one * &Enclosure::integer(&(*times).into(), bits.max(64)));
            }
            log
        };
        let size = log_at(64).lower().get_exp().unwrap_or(0).max(0).unsigned_abs();
        let log = log_at(bits.saturating_add(size).saturating_add(16));
        (Number::Enclosed(-log.expm1()), Number::Enclosed(log.exp()))
    }

    /// The sign of `target - a`; `None` if it cannot be decided. Decided exactly where all deltas are rational and few.
    pub(super) fn compare(&self, target: &Real, budget: &Budget) -> Result<Option<Ordering>, Error> {
        if self.is_none() {
            return Ok(target.sign());
        }
        if self.certain {
            return signs::compare(target, &Real::from(1), budget);
        }
        let mut bits = 128;
        while bits <= 1 << 12 {
            let (given, _) = self.both(bits, 0);
            if let Some(order) = target.enclosure(bits).compare(&given.enclosure(bits)) {
                return Ok(Some(order));
            }
            bits *= 2;
        }
        match (target.as_rational(), self.kept_exactly(1 << 24)) {
            (Some(target), Some(kept)) => Ok(Some(target.cmp(&(1 - kept)))),
            _ => Ok(None),
        }
    }

    /// `a + (1-a) g`.
    pub(super) fn profile(&self, kernel: &Number, bits: u32, size: u64) -> Number {
        if self.is_none() {
            return kernel.clone();
        }
        let size = if kernel.exact().is_some() { size.max(SMALL) } else { SMALL };
        let (given, kept) = self.both(bits, size);
        &given + &(&kept * kernel)
    }

    /// The level `(target - a)/(1-a)` that `g` must reach, and one minus it, `(1 - target)/(1-a)`.
    pub(super) fn level(&self, target: &Real, bits: u32, size: u64) -> (Number, Number) {
        let level = target.number(bits);
        let rest = &Number::one() - &level;
        if self.is_none() {
            return (level, rest);
        }
        let (given, kept) = self.both(bits, if level.exact().is_some() { size.max(SMALL) } else { 0 });
        (&(&level - &given) / &kept, &rest / &kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_leaks_keep_their_digits() {
        let tiny = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, 4000))));
        let leak = InfiniteMass::new([(&Real::from(tiny.clone()), 3)]).unwrap();
        let exact = leak.kept_exactly(u64::MAX).unwrap();
        let (given, kept) = leak.both(200, 0);
        let given = given.enclosure(200);
        assert!(given.contains(&Rational::from(1 - &exact)));
        assert!(given.relative_bits().unwrap() > 190);
        assert!(kept.enclosure(200).contains(&exact));
        assert!(InfiniteMass::new([(&Real::from(Rational::from((3, 2))), 1)]).is_err());
    }
}
