//! Which runs make up which of two halves.
//!
//! All that matters here is speed: any division into two halves is right. Each mechanism goes to the half where it
//! makes the larger of the two the less; then the runs of the largest one are divided between both, where that helps.

use super::bytes;
use super::draws::{Cost, Shape, cost};
use crate::compose::meet_in_the_middle::Way;
use crate::error::Error;
use enclosure::{Budget, Need};

/// Products of masses that are formed on the way.
const MOST_PRODUCTS: u64 = 1 << 24;

/// What would make sums fewer.
const RELAX: &str = "try fewer compositions, or parameters whose privacy losses share a unit";

/// One half.
pub(in crate::compose) struct Part {
    /// How often each mechanism is run.
    pub times: Vec<u64>,
    /// How its runs come together, for those that are run.
    pub ways: Vec<Way>,
    /// How many sums there are, at most.
    pub losses: u64,
}

/// Both halves, if all of it is affordable, of up to so many sums each, to so many bits.
///
/// # Errors
/// [`Error::Undecided`] that says so if not.
pub(in crate::compose) fn planned(
    shapes: &[Shape],
    times: &[u64],
    most: u64,
    fraction: u32,
    budget: &Budget,
) -> Result<[Part; 2], Error> {
    let all: Vec<_> = shapes.iter().zip(times.iter().copied()).collect();
    let whole = cost(&all, true).losses;
    budget.afford(&Need { what: "sums of losses", count: whole, most: most * most, bytes: 0, relax: RELAX })?;
    let [first, second] = halves(shapes, times);
    Ok([part(shapes, first, most, fraction, budget)?, part(shapes, second, most, fraction, budget)?])
}

fn part(shapes: &[Shape], times: Vec<u64>, most: u64, fraction: u32, budget: &Budget) -> Result<Part, Error> {
    let runs: Vec<_> = shapes.iter().zip(times.iter().copied()).filter(|(_, times)| *times > 0).collect();
    let Cost { losses, products, ways } = cost(&runs, true);
    let what = "sums of losses in one of two halves";
    budget.afford(&Need { what, count: losses, most, bytes: bytes(losses, fraction), relax: RELAX })?;
    let what = "products of masses";
    budget.afford(&Need { what, count: products, most: MOST_PRODUCTS, bytes: 0, relax: RELAX })?;
    Ok(Part { times, ways, losses })
}

/// Compositions with no more losses than this are one list.
const ONE_LIST: u64 = 1 << 10;

/// How often each mechanism is run in the first and in the second half.
pub(super) fn halves(shapes: &[Shape], times: &[u64]) -> [Vec<u64>; 2] {
    let nothing = vec![0; times.len()];
    if losses(shapes, times) <= ONE_LIST {
        return [nothing, times.to_vec()];
    }
    let mut order: Vec<usize> = (0..times.len()).collect();
    let size = |i: &usize| shapes.get(*i).zip(times.get(*i)).map_or(0, |(shape, times)| shape.size(*times));
    order.sort_by_key(|i| std::cmp::Reverse(size(i)));
    let mut halves = [nothing.clone(), nothing];
    for i in &order {
        let [first, second] = &mut halves;
        let Some(runs) = times.get(*i) else { continue };
        let (one, two) = (with(first, *i, *runs), with(second, *i, *runs));
        if losses(shapes, &one).max(losses(shapes, second)) <= losses(shapes, &two).max(losses(shapes, first)) {
            *first = one;
        } else {
            *second = two;
        }
    }
    if let Some((largest, runs)) = order.first().and_then(|i| Some((*i, *times.get(*i)?))) {
        halves = divided(shapes, halves, largest, runs);
    }
    halves
}

/// The runs of one mechanism, all in the first half so far, divided between both such that the larger is the least.
fn divided(shapes: &[Shape], halves: [Vec<u64>; 2], which: usize, runs: u64) -> [Vec<u64>; 2] {
    let [first, second] = &halves;
    let at = |kept: u64| [with(first, which, kept), with(second, which, runs - kept)];
    let size = |kept: u64| at(kept).map(|half| losses(shapes, &half));
    // The first half grows with what is kept and the second falls: where they cross.
    let (mut low, mut high) = (0, runs);
    while low < high {
        let middle = low + (high - low) / 2;
        let [one, two] = size(middle);
        if one >= two { high = middle } else { low = middle + 1 }
    }
    let kept = [low.saturating_sub(1), low, runs].into_iter().min_by_key(|kept| size(*kept).into_iter().max());
    kept.map_or(halves.clone(), at)
}

/// The same with so many runs of one mechanism.
fn with(half: &[u64], which: usize, runs: u64) -> Vec<u64> {
    let mut half = half.to_vec();
    if let Some(slot) = half.get_mut(which) {
        *slot = runs;
    }
    half
}

/// How many losses such a half has, at most.
fn losses(shapes: &[Shape], times: &[u64]) -> u64 {
    let runs: Vec<_> = shapes.iter().zip(times.iter().copied()).filter(|(_, times)| *times > 0).collect();
    cost(&runs, true).losses
}
