//! Mechanisms with finitely many losses, each run so many times, and how many sums their losses have.
//!
//! **Which sums are one.** The differences of the losses of all mechanisms fall into classes of rational ratio. Each
//! class has a unit, and a sum of losses is a base plus whole multiples of the units: equal multiples are one loss. So
//! 1000 randomised responses have 1001 losses, and what shares their unit adds few. Different multiples may be equal
//! losses all the same (`ln 2 + ln 3 = ln 6`): whoever lists them twice changes no sum.

use std::collections::HashMap;

use rug::Integer;

use crate::compose::meet_in_the_middle::{MOST_DRAWN, Way};
use crate::error::Error;
use crate::pair::{Discrete, Masses};
use enclosure::{Budget, Real, common_unit};

/// Units that places are counted in.
const MOST_UNITS: usize = 1024;
/// Multisets of more kinds than this are not made kind after kind.
const MOST_KINDS: u64 = 16;
/// Multiples of a unit beyond this are not counted.
const FARTHEST: u64 = 1 << 60;

/// A loss in units, one whole number for each.
pub(in crate::compose) type Place = Vec<i64>;

/// One mechanism with finitely many losses, run so many times.
pub(in crate::compose) struct Draw {
    pub losses: Vec<Real>,
    pub pair: Discrete,
    pub times: u64,
}

impl Draw {
    pub fn new(pair: Discrete, times: u64) -> Result<Self, Error> {
        Ok(Draw { losses: pair.losses()?, pair, times })
    }

    pub fn masses(&self, bits: u32) -> Result<Masses, Error> {
        let masses = self.pair.masses(bits)?;
        if masses.p.len() == self.losses.len() {
            Ok(masses)
        } else {
            Err(Error::Undecided("cannot separate a mass from zero".into()))
        }
    }
}

/// The units of all differences from the first loss of each draw, and the differences in them.
pub(in crate::compose) fn places(draws: &[Draw], budget: &Budget) -> Result<(Vec<Real>, Vec<Vec<Place>>), Error> {
    // Differences of rational ratio together; where each of them goes.
    let mut classes: Vec<Vec<Real>> = Vec::new();
    let mut known: HashMap<Real, usize> = HashMap::new();
    let mut homes: Vec<Vec<Option<(usize, usize)>>> = Vec::new();
    for draw in draws {
        let mut of_draw = Vec::new();
        for loss in &draw.losses {
            budget.check()?;
            let difference = draw.losses.first().map_or_else(Real::zero, |first| loss.sub(first));
            let Some(direction) = difference.direction() else {
                of_draw.push(None);
                continue;
            };
            let class = *known.entry(direction).or_insert_with(|| {
                classes.push(Vec::new());
                classes.len() - 1
            });
            if let Some(members) = classes.get_mut(class) {
                of_draw.push(Some((class, members.len())));
                members.push(difference);
            }
            if classes.len() > MOST_UNITS {
                return Err(Error::undecided(format!(
                    "the privacy losses have more than {MOST_UNITS} independent units"
                )));
            }
        }
        homes.push(of_draw);
    }
    let runs = draws.iter().fold(0_u64, |sum, draw| sum.saturating_add(draw.times));
    if runs > FARTHEST {
        return Err(Error::undecided(format!(
            "the composition has {runs} mechanisms, too many to enumerate the sums of \
                                             their privacy losses"
        )));
    }
    let most = FARTHEST / runs.max(1);
    let (mut units, mut steps) = (Vec::new(), Vec::new());
    for class in &classes {
        steps.push(in_units(class, most, &mut units));
    }
    let mut places = Vec::new();
    for of_draw in homes {
        let mut list = Vec::new();
        for home in of_draw {
            let mut place = vec![0; units.len()];
            if let Some((class, index)) = home
                && let Some((unit, n)) = steps.get(class).and_then(|steps: &Vec<(usize, i64)>| steps.get(index))
                && let Some(slot) = place.get_mut(*unit)
            {
                *slot = *n;
            }
            list.push(place);
        }
        places.push(list);
    }
    Ok((units, places))
}

/// Constants of rational ratio as multiples, at most so large, of a unit that is added to the list; where that would be
/// too small each is a unit by itself.
fn in_units(class: &[Real], most: u64, units: &mut Vec<Real>) -> Vec<(usize, i64)> {
    let first = units.len();
    let small = |n: &Integer| n.to_i64().filter(|n| n.unsigned_abs() <= most);
    let shared = common_unit(class).and_then(|(unit, steps)| {
        let steps: Option<Vec<i64>> = steps.iter().map(small).collect();
        steps.map(|steps| (unit, steps))
    });
    if let Some((unit, steps)) = shared {
        units.push(unit);
        return steps.into_iter().map(|n| (first, n)).collect();
    }
    let mut own = Vec::new();
    for member in class {
        let known = units.iter().skip(first).position(|unit| unit == member);
        own.push((known.map_or(units.len(), |at| first + at), 1));
        if known.is_none() {
            units.push(member.clone());
        }
    }
    own
}

/// `place + n other`. No overflow: [`places`] bounds all that are formed.
pub(in crate::compose) fn moved(place: &[i64], n: u64, other: &[i64]) -> Place {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    place.iter().zip(other).map(|(x, y)| x.saturating_add(y.saturating_mul(n))).collect()
}

/// What the number of sums of one mechanism's losses depends on.
#[derive(Clone)]
pub(in crate::compose) struct Shape {
    /// Different losses of one run.
    kinds: u64,
    /// How far they are apart in each unit.
    spans: Vec<u64>,
}

impl Shape {
    /// Of losses at these places.
    pub fn of(places: &[Place]) -> Self {
        let mut distinct: Vec<&Place> = places.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        Shape { kinds: distinct.len() as u64, spans: spans(&distinct) }
    }

    /// Of so many losses of which nothing is known.
    pub fn without_units(kinds: usize) -> Self {
        Shape { kinds: kinds as u64, spans: vec![u64::MAX] }
    }

    /// The most losses that so many runs can have.
    pub fn size(&self, times: u64) -> u64 {
        box_size(self.spans.iter().map(|span| span.saturating_mul(times))).min(multisets(self.kinds, times))
    }
}

/// What a list takes.
pub(in crate::compose) struct Cost {
    /// Different places, at most.
    pub losses: u64,
    /// Products of masses on the way.
    pub products: u64,
    /// Of each mechanism: which way takes fewest products.
    pub ways: Vec<Way>,
}

/// Upper bounds for so many runs of each of these: powers by squaring or by multisets, whichever is less, and their
/// products, the small ones first. Few draws are made in a [way](Way::Sequences) of their own where masses are in fixed
/// point.
pub(in crate::compose) fn cost(runs: &[(&Shape, u64)], in_fixed_point: bool) -> Cost {
    let (mut products, mut ways) = (0_u64, Vec::new());
    let mut sizes = Vec::new();
    for (shape, times) in runs {
        let by_squares = squares(*times, |times| shape.size(times));
        let few = in_fixed_point && *times <= MOST_DRAWN;
        let by_sets = if few || shape.kinds <= MOST_KINDS { multisets(shape.kinds, *times) } else { u64::MAX };
        products = products.saturating_add(by_squares.min(by_sets));
        ways.push(match by_sets <= by_squares {
            true if few => Way::Sequences,
            true => Way::Multisets,
            false => Way::Squares,
        });
        let reach: Vec<u64> = shape.spans.iter().map(|span| span.saturating_mul(*times)).collect();
        sizes.push((shape.size(*times), reach));
    }
    sizes.sort();
    let (mut losses, mut reached): (u64, Vec<u64>) = (1, Vec::new());
    for (size, reach) in sizes {
        products = products.saturating_add(losses.saturating_mul(size));
        reached.resize(reach.len(), 0);
        for (sum, more) in reached.iter_mut().zip(&reach) {
            *sum = sum.saturating_add(*more);
        }
        losses = losses.saturating_mul(size).min(box_size(reached.iter().copied()));
    }
    Cost { losses, products, ways }
}

/// Products of masses in repeated squaring, where so many draws have so many losses.
fn squares(times: u64, size: impl Fn(u64) -> u64) -> u64 {
    let (mut products, mut done, mut step, mut left) = (0_u64, 0_u64, 1_u64, times);
    while left > 0 {
        if left % 2 == 1 {
            products = products.saturating_add(size(done).saturating_mul(size(step)));
            done = done.saturating_add(step);
        }
        left /= 2;
        if left > 0 {
            products = products.saturating_add(size(step).saturating_mul(size(step)));
            step = step.saturating_mul(2);
        }
    }
    products
}

/// Places in a box.
fn box_size(spans: impl Iterator<Item = u64>) -> u64 {
    spans.fold(1, |size, span| size.saturating_mul(span.saturating_add(1)))
}

/// How far apart places are in each unit.
fn spans(places: &[&Place]) -> Vec<u64> {
    let units = places.first().map_or(0, |place| place.len());
    let along = |unit: usize| {
        let all = || places.iter().filter_map(|place| place.get(unit).copied());
        let (least, most) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        most.abs_diff(least)
    };
    (0..units).map(along).collect()
}

/// `C(n + k - 1, k - 1)`: ways to draw n times from k, or a number that is larger than any that is taken on.
fn multisets(kinds: u64, times: u64) -> u64 {
    let mut count = 1_u128;
    for i in 1..kinds {
        // Below 2^64 times 2^64.
        count = count * (u128::from(times) + u128::from(i)) / u128::from(i);
        if count > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    u64::try_from(count).unwrap_or(u64::MAX)
}
