//! Sums of turning losses in integers, where few bits are asked for: some nanoseconds for each loss and node, a
//! hundredth of what discs take.
//!
//! `M(s_k)/M(c) = sum_j w_j e^(i k a_j)`, weights that add up to at most one. Every number is a fraction of `2^62`, see
//! [`fixed`](super::super::fixed). A rotation is the product of three ([`Rotations`]), the first of them times the
//! weight; the last product is added up with all its bits.
//!
//! **Errors**, for one loss of weight w: each of the three rotations is off by at most `2^-59`, and the first two
//! products are cut off by `sqrt 2 2^-62` each. Together these are at most `(12.1 w + 1.42) 2^-61`. The sum of J losses
//! adds one cut, `0.71 2^-61`. So it is off by at most `(14 + 3 J) 2^-61` and the errors of the weights, those of
//! [`fraction`]. See `proofs/paper/points-in-integers.md`.
//!
//! No sum overflows: weights are cut off, so that they add up to at most one, and parts of the products of the
//! rotations are below `2^124 (1 + 2^-57)` times them.

use super::super::fixed::{Point, Rotations, cut, fraction};
use super::super::vertical_contour::Turns;
use super::FixedMoments;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// More losses than this are left to discs.
const MOST_LOSSES: usize = 1024;
/// Two units of `2^-62`.
const UNIT: f64 = 1.0 / (1u64 << 61) as f64;

/// The sums along a line, as parts of the moment at its tilt.
pub(super) struct FixedValues {
    losses: Vec<(i64, Rotations)>,
    error: f64,
}

impl FixedValues {
    /// Of these turning losses and weights, whose sum is at most `total`, of which `left_out` at most, as a part of
    /// it, is not listed; `None` where a weight or a rotation is not known.
    pub(super) fn new(
        turns: impl ExactSizeIterator<Item = Turns>,
        weights: &[Enclosure],
        (total, left_out): (&Enclosure, f64),
    ) -> Option<Self> {
        if turns.len() == 0 || turns.len() > MOST_LOSSES || turns.len() != weights.len() {
            return None;
        }
        let mut error = left_out + (14 + 3 * turns.len()) as f64 * UNIT;
        let mut losses = Vec::with_capacity(turns.len());
        for (turns, weight) in turns.zip(weights) {
            let (weight, width) = fraction(&(weight / total))?;
            error += width;
            losses.push((weight, Rotations::new(&turns)?));
        }
        // The doubles above are nonnegative, and a thousand at most.
        Some(FixedValues { losses, error: error * (1.0 + 1e-9) })
    }
}

impl FixedMoments for FixedValues {
    fn error(&self) -> f64 {
        self.error
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        let mut sums = vec![(0i128, 0i128); count];
        for (weight, rotations) in &self.losses {
            budget.check()?;
            let added = rotations.weighed(*weight, first, count, |place, point, low| {
                let (re, im) = point.whole_product(low);
                if let Some(sum) = sums.get_mut(place) {
                    sum.0 += re;
                    sum.1 += im;
                }
            });
            if added.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(sums.into_iter().map(|(re, im)| Point { re: cut(re), im: cut(im) }).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::vertical_contour::VerticalContour;
    use super::*;
    use enclosure::{Complex, Real};
    use proptest::prelude::*;
    use rug::{Float, Rational};

    /// How far a value is from the sum in discs of many bits.
    fn distance(value: Point, turns: &[Turns], weights: &[Enclosure], total: &Enclosure, k: u64) -> f64 {
        let bits = 200;
        let truth = turns.iter().zip(weights).fold(Complex::zero(bits), |sum, (turns, weight)| {
            &sum + &(&Complex::real(&(weight / total), bits) * &Complex::cis(&turns.angle(k, bits), bits))
        });
        let apart = |part: i64, truth: &Float| Float::with_val(bits, (Float::with_val(bits, part) >> 62u32) - truth);
        let (re, im) = truth.centre();
        apart(value.re, re).hypot(&apart(value.im, im)).to_f64()
    }

    fn total(weights: &[Enclosure]) -> Enclosure {
        weights.iter().fold(Enclosure::zero(200), |sum, weight| &sum + weight)
    }

    proptest! {
        /// Every value is as near the truth as is told, at the seams of blocks as well.
        #[test]
        fn values_are_near_the_truth(
            listed in prop::collection::vec((1u64..1_000_000, -1000i64..1000), 1..40), first in 0u64..1 << 40,
                scale in -200i32..200,
        ) {
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let turn = |n: i64| line.turns(&Real::from(Rational::from((n, 101))));
            let turns: Vec<Turns> = listed.iter().map(|(_, n)| turn(*n)).collect();
            let weights: Vec<Enclosure> =
                listed.iter().map(|(w, _)| Enclosure::rational(&Rational::from((*w, 977)), 100).shift(scale)).collect();
            let total = total(&weights);
            let values = FixedValues::new(turns.iter().cloned(), &weights, (&total, 0.0));
            let mut values = values.expect("weights are known");
            let found = values.run(first, 2100, &Budget::default()).expect("time").expect("rotations");
            for k in [0usize, 1, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 2099] {
                let distance = distance(found[k], &turns, &weights, &total, first + k as u64);
                prop_assert!(distance <= values.error(), "{k}: {distance} {}", values.error());
            }
            prop_assert!(values.error() < 1e-15);
        }
    }

    /// The worst error of a long sum comes to a hundredth of the bound: that is no fiction.
    #[test]
    fn the_bound_is_about_what_happens() {
        let line = VerticalContour::new(Rational::from(1), Real::from(3u64).ln().expect("positive"));
        let turns: Vec<Turns> = (1..=100u64).map(|n| line.turns(&Real::from(n + 1).ln().expect("positive"))).collect();
        let weights: Vec<Enclosure> = (1..=100u64).map(|n| Enclosure::rational(&Rational::from((1, n)), 200)).collect();
        let total = total(&weights);
        let mut values = FixedValues::new(turns.iter().cloned(), &weights, (&total, 0.0)).expect("weights");
        let found = values.run(5, 1500, &Budget::default()).expect("time").expect("rotations");
        let distances = found.iter().zip(5..).map(|(value, k)| distance(*value, &turns, &weights, &total, k));
        let worst = distances.fold(0.0, f64::max);
        assert!(worst <= values.error() && 100.0 * worst >= values.error(), "{worst} {}", values.error());
    }

    /// Weights that are not known, or are too many, are left to discs.
    #[test]
    fn what_is_not_known_is_refused() {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        let turns = line.turns(&Real::one());
        let some = Enclosure::rational(&Rational::from((1, 3)), 100);
        let of = |weights: &[Enclosure]| {
            let turns: Vec<Turns> = weights.iter().map(|_| turns.clone()).collect();
            FixedValues::new(turns.into_iter(), weights, (&Enclosure::one(100), 0.0))
        };
        assert!(of(&vec![some.clone(); 3]).is_some());
        assert!(of(&[some.clone(), Enclosure::whole(64)]).is_none());
        assert!(of(&[-some.clone()]).is_none());
        assert!(of(&vec![some.div_u32(2000); MOST_LOSSES + 1]).is_none());
        let wide = of(&[some.widen(&Float::with_val(64, 1e-9))]).expect("known to some bits");
        assert!(wide.error() > 1e-9);
    }
}
