//! The integrand at the nodes in integers of 128 bits.
//!
//! As in [`fixed`](super::fixed): with E the error of `M(s_k)/M(c)`, K a kernel's point and q its error, a tail is off
//! by at most `E (|K| + q) + q` and a cut, and the profile by `|K'| + q` times that and `q |K|` and a cut, in parts of
//! `M(c)/c` and `M(c)/(c (c + 1))`; both kernels are doubled as often as they may be at the first node of a piece, so
//! that errors fall with them.

use rug::Rational;

use super::Factors;
use super::values::{RUN, in_time};
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::factor::Factor;
use crate::compose::quadrature::plan::{Plan, PoleSide};
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::compose::quadrature::wide::{DISC_BITS, Kernel, Piece, WideNodes, of_disc, power, power_error, product};
use crate::error::Error;
use enclosure::wide::{CUT, Point, times_all};
use enclosure::{Budget, Complex, Enclosure, Portable};

/// Up to so many bits from the integrand on the axis down to the error that is aimed at, integers of 128 bits are
/// tried.
pub(super) const MOST_BITS: u32 = 120;
/// Nodes that one line may keep then.
pub(super) const MOST_NODES: u64 = 1 << 22;
/// Bytes of a node: two points that are kept, and two in the making.
pub(super) const BYTES: u64 = 144;
/// Bits of the error that is aimed at which are left aside: guard bits, mostly.
pub(super) const SPARED: f64 = 20.0;
/// About how far below the integrand on the axis the error of integers is for one run, in bits.
const REACH: f64 = 107.0;

/// Would integers of 128 bits be enough, if there are many nodes?
pub(super) fn is_enough(factors: &Factors, goal: u32) -> bool {
    goal <= MOST_BITS && factors.iter().any(|(factor, _)| factor.decays())
}

/// About how far that is for so many runs: for choices, it proves nothing.
pub(super) fn reach(times: f64) -> f64 {
    REACH - times.portable_log2()
}

/// The plan with an error that is larger by what is left aside.
pub(super) fn spared(plan: &Plan) -> Plan {
    Plan { target: plan.target + SPARED * std::f64::consts::LN_2, ..plan.clone() }
}

/// The values of the profile and of the tail, as [`values::smooth`](super::values::smooth) has them; `None` where
/// integers do not do. `moment` is that of the composition.
pub(super) fn smooth(
    factors: &Factors,
    line: &VerticalContour,
    selected: &SelectedNodes,
    (pole_side, moment): (PoleSide, &Enclosure),
    budget: &Budget,
) -> Result<Option<(WideNodes, WideNodes)>, Error> {
    let Some((points, errors)) = products(factors, line, selected, budget)? else { return Ok(None) };
    weighed((&points, &errors), line, selected, (pole_side, moment), budget)
}

/// The same from points of `M(s_k)/M(c)` at the nodes, and what those of each piece are off by.
pub(super) fn weighed(
    (points, errors): (&[Point], &[f64]),
    line: &VerticalContour,
    selected: &SelectedNodes,
    (pole_side, moment): (PoleSide, &Enclosure),
    budget: &Budget,
) -> Result<Option<(WideNodes, WideNodes)>, Error> {
    let next = Rational::from(line.tilt() + 1u32);
    let ordinate = line.ordinate(1, DISC_BITS);
    let kernels = [line.tilt(), &next].map(|c| Kernel::new(&(&ordinate / &Enclosure::rational(c, DISC_BITS))));
    let [Some(first), Some(second)] = kernels else { return Ok(None) };
    let scale = moment / &Enclosure::rational(line.tilt(), moment.bits());
    let scale = if pole_side == PoleSide::Middle { -scale } else { scale };
    let of_profile = &scale / &Enclosure::rational(&next, moment.bits());
    let (mut profiles, mut tails) = (WideNodes::new(of_profile), WideNodes::new(scale));
    let besides = Kernel::ERROR;
    let mut rest = points;
    for ((from, count), error) in pieces(selected).zip(errors.iter().copied()) {
        budget.check()?;
        let Some((points, after)) = rest.split_at_checked(count) else { return Ok(None) };
        rest = after;
        let [of_first, of_second] = [first.room(from), second.room(from)];
        let (mut tail, mut profile) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (k, point) in (from..).zip(points) {
            let (Some((kernel, size)), Some((other, other_size))) = (first.at(k, of_first), second.at(k, of_second))
            else {
                return Ok(None);
            };
            let of_tail = error * (size + besides) + besides + CUT;
            let here = point.times(kernel);
            tail.push((here, of_tail));
            profile.push((here.times(other), (other_size + besides) * of_tail + besides * size + CUT));
        }
        let piece = |doubled: i32| Piece { first: from, count, doubled };
        let pushed = [
            tails.push(piece(of_first), tail.into_iter()),
            profiles.push(piece(of_first + of_second), profile.into_iter()),
        ];
        if pushed.contains(&None) {
            return Ok(None);
        }
    }
    Ok(rest.is_empty().then_some((profiles, tails)))
}

/// Node 0, and runs of at most 4096 of the nodes selected.
pub(super) fn pieces(selected: &SelectedNodes) -> impl Iterator<Item = (u64, usize)> + '_ {
    std::iter::once((0, 1)).chain(selected.runs.iter().copied()).flat_map(|(first, count)| {
        (0..count.div_ceil(RUN)).map(move |piece| (first + piece * RUN, RUN.min(count - piece * RUN) as usize))
    })
}

/// Points of all pieces, and what those of each piece are off by.
type Points = (Vec<Point>, Vec<f64>);

/// `M(s_k)/M(c)` at node 0 and at the nodes selected.
fn products(
    factors: &Factors,
    line: &VerticalContour,
    selected: &SelectedNodes,
    budget: &Budget,
) -> Result<Option<Points>, Error> {
    let mut all: Option<Points> = None;
    for (factor, times) in factors {
        let Some((mut points, errors)) = values(factor.as_ref(), line, selected, budget)? else { return Ok(None) };
        for points in points.chunks_mut(RUN as usize) {
            budget.check()?;
            power(points, *times);
        }
        let Some(errors) = errors.into_iter().map(|error| power_error(*times, error)).collect() else {
            return Ok(None);
        };
        all = match all {
            None => Some((points, errors)),
            Some((mut before, off)) => {
                times_all(&mut before, &points);
                off.iter().zip(&errors).map(|(a, b)| product(*a, *b)).collect::<Option<_>>().map(|off| (before, off))
            }
        };
        if all.is_none() {
            return Ok(None);
        }
    }
    Ok(all)
}

/// One factor's values, in integers of its own or from discs.
fn values(
    factor: &dyn Factor,
    line: &VerticalContour,
    selected: &SelectedNodes,
    budget: &Budget,
) -> Result<Option<Points>, Error> {
    let all = selected.nodes as usize + 1;
    let (mut points, mut errors) = (Vec::with_capacity(all), Vec::new());
    let before = budget.spent();
    if let Some(mut values) = factor.wide(line, budget)? {
        values.reach(selected.runs.last().map_or(0, |(first, count)| first + count - 1));
        for (first, count) in pieces(selected) {
            budget.check()?;
            in_time(before, points.len(), all, budget)?;
            let Some((more, error)) = values.run(first, count, budget)? else { return Ok(None) };
            points.extend(more);
            errors.push(error);
        }
        return Ok((points.len() == all).then_some((points, errors)));
    }
    let size = Complex::real(&factor.moment(line.tilt(), DISC_BITS, budget)?.recip(), DISC_BITS);
    let mut discs = factor.on(line, DISC_BITS, budget)?;
    for (first, count) in pieces(selected) {
        budget.check()?;
        in_time(before, points.len(), all, budget)?;
        let mut worst = 0.0f64;
        for disc in discs.run(first, count, budget)? {
            let Some((point, error)) = of_disc(&(&disc * &size)) else { return Ok(None) };
            worst = worst.max(error);
            points.push(point);
        }
        errors.push(worst);
    }
    Ok((points.len() == all).then_some((points, errors)))
}
