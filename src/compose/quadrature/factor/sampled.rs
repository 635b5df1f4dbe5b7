//! Bounds of a modulus at nodes: its values in front, a bound that falls behind.
//!
//! A bound for all nodes from one on is often far above the values, and it costs digits or time to let it decide which
//! nodes matter. The values themselves, at low precision, cost little: they decide about the nodes in front, and the
//! bound that falls takes over where it is below them.

use std::cell::RefCell;

use rug::Float;
use rug::float::Round::Up;

use super::Moments;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// Precision that is asked of the values.
pub(super) const BITS: u32 = 48;

/// So many nodes are evaluated at most.
pub(super) const MOST: u64 = 1 << 20;

/// Where the logarithms of the values are as small as this, they are less accurate than a bound that falls.
const DEEP: f64 = -26.0;

/// The values along a line, and what they are relative to.
pub(super) struct Sampled<V> {
    state: RefCell<State<V>>,
    /// `M(tilt)`.
    moment: Enclosure,
    /// So many nodes are evaluated at most.
    most: u64,
}

struct State<V> {
    values: V,
    /// Upper bounds of `|M(s_k)|/M(tilt)` at the first nodes.
    ratios: Vec<f64>,
}

impl<V: Moments> Sampled<V> {
    pub fn new(values: V, moment: Enclosure) -> Self {
        Self::up_to(MOST, values, moment)
    }

    /// Of so many nodes, where there is a bound for the others that is nearly as good.
    pub fn up_to(most: u64, values: V, moment: Enclosure) -> Self {
        Sampled { state: RefCell::new(State { values, ratios: Vec::new() }), moment, most: most.clamp(1, MOST) }
    }

    /// `M(tilt)`.
    pub fn moment(&self) -> &Enclosure {
        &self.moment
    }

    /// `ln` of the largest ratio at the nodes `from..=to`, rounded up.
    fn largest(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error> {
        let mut state = self.state.borrow_mut();
        let State { values, ratios } = &mut *state;
        while ratios.len() as u64 <= to {
            let first = ratios.len() as u64;
            let count = (to + 1 - first).clamp(first.clamp(32, 1024), 4096);
            // A moment that is not known to be positive bounds no ratio.
            let least = Some(self.moment.lower()).filter(|least| **least > 0);
            for value in values.run(first, count as usize, budget)? {
                let modulus = value.modulus_upper();
                let ratio = least.map(|least| Float::with_val_round(64, &modulus / least, Up).0.to_f64_round(Up));
                ratios.push(ratio.filter(|ratio| !ratio.is_nan()).unwrap_or(f64::INFINITY));
            }
        }
        let largest = ratios.get(from as usize..=to as usize).unwrap_or(&[1.0]).iter().copied().fold(0.0, f64::max);
        let mut logarithm = Float::with_val(64, largest);
        logarithm.ln_round(Up);
        // A NaN would stand for no knowledge, as 0 does.
        Ok(logarithm.to_f64_round(Up).min(0.0))
    }

    /// A bound at the nodes `from..=to` (`u64::MAX`: all from `from` on), given one, `beyond(k)`, at `k` and all nodes
    /// after it.
    pub fn log_bound(
        &self,
        from: u64,
        to: u64,
        budget: &Budget,
        beyond: impl Fn(u64) -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        if from == 0 {
            return Ok(0.0);
        }
        if from >= self.most {
            return beyond(from);
        }
        if to < self.most && to / 2 <= from.saturating_add(64) {
            let bound = self.largest(from, to, budget)?;
            return if bound > DEEP { Ok(bound) } else { Ok(bound.min(beyond(from)?)) };
        }
        // The values up to where the bound that falls is below the first of them.
        let first = self.largest(from, from, budget)?;
        if first <= DEEP {
            return beyond(from);
        }
        let last = to.min(self.most - 1);
        let mut border = from.saturating_mul(2).min(last);
        let mut rest = beyond(border)?;
        while rest > first && border < from.saturating_mul(4).saturating_add(16).min(last) {
            border = (border + border / 2 + 1).min(last);
            rest = beyond(border)?;
        }
        Ok(self.largest(from, border, budget)?.max(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Complex;

    struct Ones;

    impl Moments for Ones {
        fn run(&mut self, _: u64, count: usize, _: &Budget) -> Result<Vec<Complex>, Error> {
            Ok(vec![Complex::one(64); count])
        }
    }

    /// Ratios to a moment of which the sign is not known, or that is zero, are bounded by nothing but one.
    #[test]
    fn a_moment_that_may_be_zero_bounds_nothing() {
        let budget = Budget::default();
        let moment = |low: i32| Enclosure::new(Float::with_val(64, low), Float::with_val(64, 4));
        let bound = |low: i32| {
            let sampled = Sampled::new(Ones, moment(low));
            sampled.log_bound(3, 40, &budget, |_| Ok(-1e9)).expect("a bound")
        };
        assert_eq!([bound(-1), bound(0), bound(-4)], [0.0; 3]);
        // Beside a moment of at least 3 ones are small: ln(1/3) is -1.0986.
        let small = bound(3);
        assert!(-1.0987 < small && small < -1.0986, "{small}");
    }
    /// The bound that falls is asked of no node beyond the range.
    #[test]
    fn the_bound_that_falls_is_asked_within_the_range() {
        let budget = Budget::default();
        let one = Enclosure::one(64);
        for (from, to) in [(100, 354), (3, 200), (1, 140)] {
            let sampled = Sampled::up_to(1 << 12, Ones, one.clone());
            let bound = sampled.log_bound(from, to, &budget, |k| {
                assert!(from <= k && k <= to, "{k} is not in {from}..={to}");
                Ok(0.0)
            });
            assert_eq!(bound.expect("a bound"), 0.0);
        }
    }
}
