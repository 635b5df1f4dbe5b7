//! The values at the nodes in integers, and one pass over them: some nanoseconds a node.
//!
//! A pass computes `sum_k Re(V_k e^(-i u_k l))`, `k = 0` once and the others, which stand for their conjugates too,
//! twice, with `V_k = scale z_k`, `|z_k - v_k| <= e_k` for the points `v_k`.
//!
//! **Errors.** Rotations are off by at most `2^-57` ([`Rotations`]), and their products with a point are added up but
//! for the last 32 of 124 bits, rounded down: with the weights 1 and 2 the sum is off by at most
//! `sum (e_k + 2^-57 |v_k| + 2^-91)`. The sums of moduli and errors are of nonnegative doubles, at most `2^23` of them,
//! and enlarged by a millionth. No sum overflows: terms are below `2^94`.

use rug::Float;

use super::fixed::{BITS, Point, Rotations};
use super::vertical_contour::Turns;
use enclosure::Enclosure;

/// Bits of a product that are not added up.
const DROPPED: u32 = 32;
/// For what doubles round.
const ROOM: f64 = 1.0 + 1e-6;

/// The values of one integrand.
pub(super) struct FixedNodes {
    points: Vec<Point>,
    scale: Enclosure,
    /// The bound of the header.
    error: f64,
}

impl FixedNodes {
    /// Points at node 0 and at the nodes kept, in order, each with its error, in parts of the scale.
    pub fn new(points: Vec<Point>, errors: impl Iterator<Item = f64>, scale: Enclosure) -> Self {
        let unit = 1.0 / (1u64 << BITS) as f64;
        let mut all = 0.0;
        for (place, (point, error)) in points.iter().zip(errors).enumerate() {
            let weight = if place == 0 { 1.0 } else { 2.0 };
            // Not below the modulus, by the triangle inequality.
            let size = (point.re.unsigned_abs() as f64 + point.im.unsigned_abs() as f64) * unit;
            all += weight * (error + size * Rotations::ERROR + 1e-27);
        }
        FixedNodes { points, scale, error: all * ROOM }
    }

    /// The sum over these runs of nodes, turned by `turns` a node; everything where the turns are not known.
    pub fn turned_sum(&self, runs: &[(u64, u64)], turns: &Turns, work: u32) -> Enclosure {
        let whole = || Enclosure::whole(work);
        let Some((first, rest)) = self.points.split_first() else { return whole() };
        let Some(rotations) = Rotations::new(turns).filter(|_| self.error.is_finite()) else { return whole() };
        let mut sum = 0i128;
        let mut place = 0usize;
        for &(from, length) in runs {
            let Some(points) = usize::try_from(length).ok().and_then(|length| rest.get(place..place + length)) else {
                return whole();
            };
            let added = rotations.weighed(Point::ONE.re, from, points.len(), |place, start, low| {
                if let Some(point) = points.get(place) {
                    // The conjugate turns the other way.
                    let (re, _) = point.whole_product(start.times(low).conjugate());
                    sum += re >> DROPPED;
                }
            });
            if added.is_none() {
                return whole();
            }
            place += points.len();
        }
        let all = 2 * sum + (i128::from(first.re) << (BITS - DROPPED));
        let sum = Float::with_val(128, all) >> (2 * BITS - DROPPED);
        let sum = Enclosure::new(sum.clone(), sum).widen(&Float::with_val(53, self.error));
        (&sum * &self.scale).with_bits(work)
    }
}

#[cfg(test)]
mod tests {
    use super::super::vertical_contour::VerticalContour;
    use super::*;
    use enclosure::{Complex, Real};
    use proptest::prelude::*;
    use rug::Rational;

    proptest! {
        /// The same sums with discs, node by node, of points that are wrong by all they may be.
        #[test]
        fn passes_hold_the_truth(
            runs in prop::collection::vec((1u64..1000, 1u64..1100), 0..4), p in -999i64..999, q in 1i64..99,
        ) {
            let mut start = 0;
            let runs = runs.into_iter().map(|(gap, length)| {
                start += gap + length;
                (start - length, length)
            });
            let runs: Vec<_> = runs.collect();
            let nodes: Vec<u64> = std::iter::once(0).chain(runs.iter().flat_map(|&(a, n)| a..a + n)).collect();
            let value = |k: u64| Complex::cis(&Enclosure::rational(&Rational::from((k * k % 1009, 100)), 200), 200);
            let slip = 1e-9;
            let points = |slip: f64| nodes.iter().map(move |k| {
                let (point, _) = Point::of_disc(&value(*k)).expect("inside");
                let (turned, _) = Point::of_disc(&(&value(k + 1) * &Complex::real(&Enclosure::double(slip, 200), 200)))
                    .expect("inside");
                Point { re: point.re + turned.re, im: point.im + turned.im }
            });
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let turns = line.turns(&Real::from(Rational::from((p, q))));
            let mut truth = value(0).re();
            for k in &nodes[1..] {
                let rotation = Complex::cis(&-turns.angle(*k, 200), 200);
                truth = &truth + &(&value(*k) * &rotation).re().shift(1);
            }
            let scale = Enclosure::rational(&Rational::from((-7, 3)), 200);
            let truth = &truth * &scale;
            for slip in [0.0, slip] {
                let error = slip + 1e-18;
                let values = FixedNodes::new(points(slip).collect(), nodes.iter().map(|_| error), scale.clone());
                let sum = values.turned_sum(&runs, &turns, 100);
                prop_assert!(sum.lower() <= truth.lower() && truth.upper() <= sum.upper(), "{sum:?} {truth:?}");
                let width = Float::with_val(53, sum.upper() - sum.lower()).to_f64();
                prop_assert!(width <= nodes.len() as f64 * 20.0 * (error + 1e-17));
            }
        }
    }
}
