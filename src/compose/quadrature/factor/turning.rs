//! Lower bounds of the distance of a turning angle from whole turns, over ranges of nodes. Multiples of the angle are
//! integers modulo a turn, without rounding. See `proofs/paper/closed-form-factors.md`, statement 1.

use rug::{Integer, Rational};

use super::super::vertical_contour::Turns;

/// A turn, `2^128` units.
const TURN: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// Slack that is subtracted from distances, in turns, for all roundings.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

/// The modulus of the turns per node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    /// In units of `2^-128`, without whole turns, at most two units too small.
    step: u128,
    /// Not below the true one.
    rate: f64,
}

impl Turning {
    /// None if the turns cannot be enclosed narrowly enough.
    pub(super) fn new(turns: &Turns) -> Option<Self> {
        let (low, high) = match turns {
            Turns::Exact(turns) => (turns.clone().abs(), turns.clone().abs()),
            Turns::Inexact(loss, period) => {
                let set = (&loss.enclosure(500) / &period.enclosure(500)).abs();
                (set.lower().to_rational()?, set.upper().to_rational()?)
            }
        };
        let units = |x: &Rational| Rational::from(x << 128u32).floor().into_numer_denom().0;
        let (low, rate) = (units(&low), high.to_f64().next_up().next_up());
        if units(&high) - &low > 1 {
            return None;
        }
        Some(Turning { step: Integer::from(low.keep_bits_ref(128)).to_u128()?, rate })
    }

    /// A lower bound of the distance of `k turns` from the integers, for every real `k` in `[from, to]`.
    ///
    /// *Error*, in turns: `from step/2^128` is too small by less than `2 from/2^128 <= 2^-63`. Its conversion to a
    /// double, the conversion and the product of the span, the sum and a difference round numbers of at most 1, by at
    /// most `2^-53` each. Together less than `2^-50`; [`SLACK`] is `2^-40`. The distance of x from the integers is at
    /// least `min(x, 1 - x)`, which is concave: its values at both ends bound it.
    pub(super) fn distance(&self, from: u64, to: u64) -> f64 {
        let start = self.step.wrapping_mul(u128::from(from)) as f64 / TURN;
        let near = |x: f64| x.min(1.0 - x);
        if from == to {
            return (near(start) - SLACK).max(0.0);
        }
        // The angle rises from the start by `span`: clear of the integers if it stays below the next one.
        let span = (to - from) as f64 * self.rate;
        if to == u64::MAX || span.is_nan() || start + span >= 1.0 {
            return 0.0;
        }
        (near(start).min(near(start + span)) - SLACK).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Real;
    use proptest::prelude::*;

    proptest! {
        /// Never more than the true distance of any node of the range; and for single nodes hardly less.
        #[test]
        fn distances_are_lower_bounds(p in -10_000i64..10_000, q in 1i64..5_000, from in 0u64..1 << 60,
            more in 0u64..200) {
            let turns = Rational::from((p, q));
            let turning = Turning::new(&Turns::Exact(turns.clone())).expect("exact");
            let real = Turning::new(&Turns::Inexact(Real::from(p.unsigned_abs()), Real::from(q.unsigned_abs())))
                .expect("narrow");
            let distance = |k: u64| {
                let all = Rational::from(&turns * k);
                (&all - Rational::from(all.round_ref())).abs()
            };
            let bound = turning.distance(from, from + more);
            let bound2 = real.distance(from, from + more);
            for k in from..=from + more {
                prop_assert!(Rational::from_f64(bound).expect("finite") <= distance(k));
                prop_assert!(Rational::from_f64(bound2).expect("finite") <= distance(k));
            }
            let single = turning.distance(from, from);
            prop_assert!(Rational::from_f64(single + 1e-11).expect("finite") >= distance(from));
        }
    }
}
