//! The values at the nodes in integers, and one pass over them.
//!
//! A pass computes `sum_k Re(V_k e^(-i u_k l))`, `k = 0` once and the others, which stand for their conjugates too,
//! twice, with `V_k = scale z_k`, `|z_k - v_k| <= e_k` for the points `v_k`.
//!
//! **Errors.** Rotations are off by at most [`Rotations::ERROR`], their products with a point by a cut. So with the
//! weights 1 and 2 the sum of a piece is off by at most `sum (e_k + ERROR |v_k| + CUT)`, over the power of two that its
//! points are doubled by. The sum is kept in two parts, multiples of `2^61` units and the rest. Both are below 127 bits
//! with `2^23` nodes.

use rug::{Float, Integer};

use super::super::vertical_contour::Turns;
use super::rotations::Rotations;
use super::{CUT, UNIT};
use enclosure::Enclosure;
use enclosure::wide::{BITS, Point, turned_sum};

/// For what doubles round: sums of at most `2^24` nonnegative ones.
const ROOM: f64 = 1.0 + 1e-6;
/// Bits of the scale and of sums.
const WORK: u32 = 256;

/// Neighbouring nodes whose points are doubled equally often, so that cuts weigh less where the integrand is small.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub first: u64,
    pub count: usize,
    pub doubled: i32,
}

/// The values of one integrand.
pub struct WideNodes {
    points: Vec<Point>,
    /// In order; the first is node 0 alone.
    pieces: Vec<Piece>,
    scale: Enclosure,
    /// The bound of the header.
    error: f64,
}

impl WideNodes {
    /// Points of these pieces, in order, each with its error, in parts of the scale.
    pub fn new(scale: Enclosure) -> Self {
        WideNodes { points: Vec::new(), pieces: Vec::new(), scale, error: 0.0 }
    }

    /// Another piece; `None` if it is not the next. Each point comes with its error.
    pub fn push(&mut self, piece: Piece, points: impl Iterator<Item = (Point, f64)>) -> Option<()> {
        let weight = if self.pieces.is_empty() { 1.0 } else { 2.0 };
        let (before, mut all) = (self.points.len(), 0.0);
        for (point, error) in points {
            // Not below the modulus, by the triangle inequality.
            let size = (point.re.unsigned_abs() as f64 + point.im.unsigned_abs() as f64) * UNIT;
            all += error + size * Rotations::ERROR + CUT;
            self.points.push(point);
        }
        self.error += weight * all * 0.5f64.powi(piece.doubled) * ROOM;
        self.pieces.push(piece);
        (self.points.len() - before == piece.count && piece.doubled >= 0).then_some(())
    }

    /// The sum over all nodes, turned by `turns` a node; everything where the turns are not known.
    pub fn turned_sum(&self, turns: &Turns, work: u32) -> Enclosure {
        self.sum(turns).map_or_else(|| Enclosure::whole(work), |sum| (&sum * &self.scale).with_bits(work))
    }

    fn sum(&self, turns: &Turns) -> Option<Enclosure> {
        let rotations = Rotations::new(turns).filter(|_| self.error.is_finite())?;
        let mut all = Float::new(WORK);
        let mut place = 0usize;
        for (n, piece) in self.pieces.iter().enumerate() {
            let points = self.points.get(place..place + piece.count)?;
            let mut sums = [0i128; 2];
            rotations.stretches(piece.first, piece.count, &mut |place, start, low| {
                if let Some(points) = points.get(place..place + low.len()) {
                    let [high, rest] = turned_sum(points, &start.split(), low);
                    sums[0] += high;
                    sums[1] += rest;
                }
            })?;
            let sum = (Integer::from(sums[0]) << (BITS / 2)) + sums[1];
            // Node 0 counts once.
            let doubled = piece.doubled + i32::from(n == 0) - 1;
            all += Float::with_val(WORK, sum) >> (doubled + BITS as i32);
            place += piece.count;
        }
        // Fewer than 2^24 sums of at most 2^24, each rounded by 2^-256 of itself: below 2^-208.
        let error = Float::with_val(53, self.error * ROOM + 1e-42);
        Some(Enclosure::new(all.clone(), all).widen(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::vertical_contour::VerticalContour;
    use super::super::of_disc;
    use super::*;
    use enclosure::{Complex, Real};
    use proptest::prelude::*;
    use rug::Rational;

    proptest! {
        /// The same sums with discs, node by node, of points that are wrong by all they may be.
        #[test]
        fn passes_hold_the_truth(
            runs in prop::collection::vec((1u64..1000, 1u64..1100, 0i32..40), 0..4), p in -999i64..999, q in 1i64..99,
        ) {
            let mut start = 0;
            let mut pieces = vec![Piece { first: 0, count: 1, doubled: 0 }];
            for (gap, length, doubled) in runs {
                start += gap + length;
                pieces.push(Piece { first: start - length, count: length as usize, doubled });
            }
            let turn = |k: u64| Complex::cis(&Enclosure::rational(&Rational::from((k * k % 1009, 100)), 250), 250);
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let turns = line.turns(&Real::from(Rational::from((p, q))));
            let scale = Enclosure::rational(&Rational::from((-7, 3)), 250);
            for slip in [0.0, 1e-25] {
                let mut values = WideNodes::new(scale.clone());
                let (mut truth, mut weights) = (Enclosure::zero(250), 0.0);
                for (n, piece) in pieces.iter().enumerate() {
                    let weight = if n == 0 { 1u32 } else { 2 };
                    let nodes = piece.first..piece.first + piece.count as u64;
                    let points = nodes.clone().map(|k| {
                        let (point, error) = of_disc(&turn(k)).expect("inside");
                        let slipped = Complex::real(&Enclosure::double(slip, 250), 250);
                        let (off, _) = of_disc(&(&turn(k + 1) * &slipped)).expect("inside");
                        (Point { re: point.re + off.re, im: point.im + off.im }, slip + 2.0 * error)
                    });
                    values.push(*piece, points).expect("in order");
                    for k in nodes {
                        let rotation = Complex::cis(&-turns.angle(k, 250), 250);
                        let term = (&turn(k) * &rotation).re();
                        truth = &truth + &(&term * &Enclosure::integer(&weight.into(), 250)).shift(-piece.doubled);
                        weights += f64::from(weight) * 0.5f64.powi(piece.doubled);
                    }
                }
                let truth = &truth * &scale;
                let sum = values.turned_sum(&turns, 200);
                prop_assert!(sum.lower() <= truth.lower() && truth.upper() <= sum.upper(), "{sum:?} {truth:?}");
                let width = Float::with_val(53, sum.upper() - sum.lower()).to_f64();
                prop_assert!(width <= weights * 20.0 * (slip + 20.0 * CUT), "{width} {weights}");
            }
        }
    }
}
