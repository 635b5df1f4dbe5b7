//! The sum over all nodes between those of a minorant and of a majorant of the kernel over the nodes before n.
//!
//! With E the error of `M(s_k)/M(c)`, K a [kernel](Extremal)'s weight and q its error with what it loses as a point, a
//! product is off by at most `E (|K| + q) + q` and a cut.

use super::wide::pieces;
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::extremal::{Extremal, Weight};
use crate::compose::quadrature::fixed;
use crate::compose::quadrature::fixed_nodes::FixedNodes;
use crate::compose::quadrature::node_values::{NodeValues, turned_sums};
use crate::compose::quadrature::plan::PoleSide;
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::compose::quadrature::wide::{Piece, WideNodes};
use crate::error::Error;
use enclosure::wide::{BITS, CUT, Point};
use enclosure::{Budget, Enclosure, Real};

/// For what doubles round.
const ROOM: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;
/// A unit of weights.
const UNIT: f64 = CUT / 4.0;

/// Both sums of a line for one loss.
pub(super) struct Extremals {
    minorant: NodeValues,
    majorant: NodeValues,
    /// By so much less than the loss is the one by which the majorant's sum is turned.
    shift: Real,
}

/// What is made of the products of points and weights, for both kernels, of a piece.
type Push<'a, P> = &'a mut dyn FnMut([Vec<(P, f64)>; 2], Piece) -> Option<()>;

impl Extremals {
    /// From points of `M(s_k)/M(c)` at the nodes before n in integers of 128 bits, and what they are off by; `moment`
    /// is that of the composition. `None` where the numbers of the kernel are out of range.
    pub fn wide(
        line: &VerticalContour,
        selected: &SelectedNodes,
        (points, error): (&[Point], f64),
        moment: &Enclosure,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let Some(kernel) = Extremal::new(line, points.len() as u64) else { return Ok(None) };
        let mut banks = kernel.scales().each_ref().map(|scale| WideNodes::new(moment * scale));
        let times = |point: Point, weight: Weight| point.times(weight.0);
        let push: Push<Point> = &mut |weighed, piece| {
            banks.iter_mut().zip(weighed).try_for_each(|(bank, points)| bank.push(piece, points.into_iter()))
        };
        let errors = pieces(selected).map(|_| error);
        let known = weighed((&kernel, selected), (points, errors), (&times, CUT), push, budget)?;
        let [minorant, majorant] = banks.map(NodeValues::Wide);
        Ok(known.map(|()| Extremals { minorant, majorant, shift: kernel.shift().clone() }))
    }

    /// The same in integers of 64 bits, of an error for each piece.
    pub fn fixed(
        line: &VerticalContour,
        selected: &SelectedNodes,
        (points, errors): (&[fixed::Point], &[f64]),
        moment: &Enclosure,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let Some(kernel) = Extremal::new(line, points.len() as u64) else { return Ok(None) };
        let mut banks: [(Vec<fixed::Point>, Vec<f64>); 2] = Default::default();
        let part = |x: i128| (x >> (BITS - fixed::BITS)) as i64;
        let times = |point: fixed::Point, (weight, _): Weight| {
            point.times(fixed::Point { re: part(weight.re), im: part(weight.im) })
        };
        let push: Push<fixed::Point> = &mut |weighed, _| {
            banks.iter_mut().zip(weighed).for_each(|((bank, errors), points)| {
                bank.extend(points.iter().map(|(point, _)| *point));
                errors.extend(points.iter().map(|(_, error)| *error));
            });
            Some(())
        };
        let of = (points, errors.iter().copied());
        let known = weighed((&kernel, selected), of, (&times, fixed::CUT), push, budget)?;
        let [below, above] = kernel.scales();
        let bank = |(points, errors): (_, Vec<f64>), scale: &Enclosure| {
            NodeValues::Fixed(FixedNodes::new(points, errors.into_iter(), moment * scale))
        };
        let [minorant, majorant] = banks;
        let (minorant, majorant) = (bank(minorant, below), bank(majorant, above));
        Ok(known.map(|()| Extremals { minorant, majorant, shift: kernel.shift().clone() }))
    }

    /// The sum over all nodes, times the period and over `e^(-c eps)`.
    pub fn sum(
        &self,
        (line, pole_side): (&VerticalContour, PoleSide),
        selected: &SelectedNodes,
        loss: &Real,
        work: u32,
    ) -> Enclosure {
        let [below] = turned_sums([&self.minorant], &selected.runs, &line.turns(loss), work);
        let turns = line.turns(&loss.sub(&self.shift));
        let [above] = turned_sums([&self.majorant], &selected.runs, &turns, work);
        let sum = Enclosure::new(below.into_bounds().0, above.into_bounds().1);
        if pole_side == PoleSide::Middle { -sum } else { sum }
    }
}

/// The products of points and weights, piece by piece, each with what it is off by; those of points alone, and what
/// such a product cuts.
fn weighed<P: Copy>(
    (kernel, selected): (&Extremal, &SelectedNodes),
    (mut points, errors): (&[P], impl Iterator<Item = f64>),
    (times, cut): (&dyn Fn(P, Weight) -> P, f64),
    push: Push<P>,
    budget: &Budget,
) -> Result<Option<()>, Error> {
    for ((first, count), error) in pieces(selected).zip(errors) {
        budget.check()?;
        let Some((run, rest)) = points.split_at_checked(count) else { return Ok(None) };
        points = rest;
        let Some(weights) = kernel.weights(first, count) else { return Ok(None) };
        let weigh = |(point, weight): (&P, Weight)| {
            // Not below the modulus, by the triangle inequality.
            let size = (weight.0.re.unsigned_abs() as f64 + weight.0.im.unsigned_abs() as f64) * UNIT;
            let besides = weight.1 + cut;
            (times(*point, weight), (error * (size + besides) + besides + cut) * ROOM)
        };
        let of = |which: usize| run.iter().zip(weights.iter().map(|both| both[which])).map(weigh).collect();
        if push([of(0), of(1)], Piece { first, count, doubled: 0 }).is_none() {
            return Ok(None);
        }
    }
    Ok(points.is_empty().then_some(()))
}
