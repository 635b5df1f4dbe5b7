//! The integrand at the nodes in integers, where few bits are asked for.
//!
//! With `M` the product of the factors, each to its power, `M(s_k)/M(c)` is a list of points of one error E a piece
//! ([`power`], [`Errors::product`]). The kernel of a tail is `1/s = (1/c) c/s`, that of the profile
//! `1/(s (s+1)) = (1/(c (c+1))) (c/s) ((c+1)/(s+1))`: points too, with errors of their own ([`Kernel`]). The constants
//! in front are the scale. With `K` a kernel's point, `r |K| + q` its error, a tail is off by at most
//! `E (|K| + q) + r |K| + q` and a cut (`|M(s_k)| <= M(c)`), and the profile by `|K'| + q'` times that and
//! `(r' |K'| + q') |K|` and a cut.

use rug::Rational;

use super::Factors;
use super::values::{in_time, nodes};
use super::wide::pieces;
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::factor::{Factor, FixedMoments, Moments};
use crate::compose::quadrature::fixed::{Errors, Kernel, Point, power};
use crate::compose::quadrature::fixed_nodes::FixedNodes;
use crate::compose::quadrature::plan::PoleSide;
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure};

/// Points of all pieces, and what those of each piece are off by.
type Points = (Vec<Point>, Vec<f64>);

/// Precision of discs that become points.
const BITS: u32 = 72;

/// Each factor's values in integers, where it has such.
pub(super) type Fixed<'a> = Vec<Option<Box<dyn FixedMoments + 'a>>>;

/// The factors' values in integers, with errors of doubles if that will do.
pub(super) fn moments<'a>(
    factors: &'a Factors,
    line: &VerticalContour,
    coarse: bool,
    budget: &Budget,
) -> Result<Fixed<'a>, Error> {
    let values = |factor: &'a dyn Factor| if coarse { factor.coarse(line, budget) } else { factor.fixed(line, budget) };
    factors.iter().map(|(factor, _)| values(factor.as_ref())).collect()
}

/// The values of the profile and of the tail, as [`values::smooth`](super::values::smooth) has them; `None` where
/// integers do not do. `moment` is that of the composition.
pub(super) fn smooth(
    (factors, fixed): (&Factors, Fixed),
    line: &VerticalContour,
    selected: &SelectedNodes,
    (pole_side, moment): (PoleSide, &Enclosure),
    budget: &Budget,
) -> Result<Option<(FixedNodes, FixedNodes)>, Error> {
    let next = Rational::from(line.tilt() + 1u32);
    let kernels = [line.tilt(), &next].map(|c| Kernel::new(c.to_f64()));
    let [Some(first), Some(second)] = kernels else { return Ok(None) };
    let Some((mut points, of_pieces)) = products((factors, fixed), line, selected, budget)? else { return Ok(None) };
    let of_points = pieces(selected).zip(&of_pieces).flat_map(|((_, count), error)| std::iter::repeat_n(*error, count));
    let ordinates = line.ordinates();
    let (relative, besides) = Kernel::ERRORS;
    let mut tails = Vec::with_capacity(points.len());
    let mut errors = Vec::with_capacity(points.len());
    for ((k, point), error) in nodes(selected).zip(&mut points).zip(of_points) {
        let u = ordinates.at(k);
        let ((kernel, size), (other, other_size)) = (first.at(u), second.at(u));
        let tail = point.times(kernel);
        let of_tail = error * (size + besides) + relative * size + 2.0 * besides;
        let of_profile = (other_size + besides) * of_tail + (relative * other_size + besides) * size + besides;
        errors.push((of_tail, of_profile));
        tails.push(tail);
        *point = tail.times(other);
    }
    let bits = moment.bits();
    let scale = moment / &Enclosure::rational(line.tilt(), bits);
    let scale = if pole_side == PoleSide::Middle { -scale } else { scale };
    let of_profile = &scale / &Enclosure::rational(&next, bits);
    let profile = FixedNodes::new(points, errors.iter().map(|(_, profile)| *profile), of_profile);
    let tail = FixedNodes::new(tails, errors.iter().map(|(tail, _)| *tail), scale);
    Ok(Some((profile, tail)))
}

/// `M(s_k)/M(c)` at node 0 and at the nodes selected, and what those of each piece are off by.
pub(super) fn products(
    (factors, fixed): (&Factors, Fixed),
    line: &VerticalContour,
    selected: &SelectedNodes,
    budget: &Budget,
) -> Result<Option<Points>, Error> {
    let mut all: Option<Points> = None;
    for ((factor, times), fixed) in factors.iter().zip(fixed) {
        let Some((mut points, mut errors)) = values((factor.as_ref(), fixed), line, selected, budget)? else {
            return Ok(None);
        };
        let mut rest = points.as_mut_slice();
        for ((_, count), error) in pieces(selected).zip(&mut errors) {
            budget.check()?;
            let Some((piece, after)) = rest.split_at_mut_checked(count) else { return Ok(None) };
            rest = after;
            let Some(of_power) = Errors::small(*error).and_then(|error| power(piece, *times, error)) else {
                return Ok(None);
            };
            *error = of_power;
        }
        all = Some(match all {
            None => (points, errors),
            Some((mut product, before)) => {
                product.iter_mut().zip(&points).for_each(|(product, point)| *product = product.times(*point));
                let errors = before.iter().zip(&errors).map(|(a, b)| Errors::product(*a, *b)).collect::<Option<_>>();
                let Some(errors) = errors else { return Ok(None) };
                (product, errors)
            }
        });
    }
    Ok(all)
}

/// One factor's values, in integers of its own or from discs.
fn values(
    (factor, fixed): (&dyn Factor, Option<Box<dyn FixedMoments + '_>>),
    line: &VerticalContour,
    selected: &SelectedNodes,
    budget: &Budget,
) -> Result<Option<Points>, Error> {
    let mut points = Vec::with_capacity(selected.nodes as usize + 1);
    let before = budget.spent();
    if let Some(mut values) = fixed {
        values.reach(selected.runs.last().map_or(0, |(first, count)| first + count - 1));
        for (first, count) in pieces(selected) {
            budget.check()?;
            let Some(more) = values.run(first, count, budget)? else { return Ok(None) };
            points.extend(more);
        }
        let errors = pieces(selected).map(|(first, count)| values.error_before(first + count as u64)).collect();
        return Ok((points.len() as u64 == selected.nodes + 1).then_some((points, errors)));
    }
    let size = Complex::real(&factor.moment(line.tilt(), BITS, budget)?.recip(), BITS);
    let mut discs: Box<dyn Moments + '_> = factor.on(line, BITS, budget)?;
    let mut errors = Vec::new();
    for (first, count) in pieces(selected) {
        budget.check()?;
        in_time(before, points.len(), selected.nodes as usize + 1, budget)?;
        let mut worst = 0.0f64;
        for disc in discs.run(first, count, budget)? {
            let Some((point, error)) = Point::of_disc(&(&disc * &size)) else { return Ok(None) };
            worst = worst.max(error);
            points.push(point);
        }
        errors.push(worst);
    }
    Ok((points.len() as u64 == selected.nodes + 1).then_some((points, errors)))
}
