//! A composition of mechanisms with finitely many losses, as a list of losses and masses.
//!
//! **What is certified.** Every mass is a sum of products of nonnegative masses, in fractions where those are short and
//! otherwise with outward rounding, so that it keeps its relative accuracy. Losses are exact constants.
//!
//! **Which losses are one.** The differences of the losses of all mechanisms fall into classes of rational ratio. Each
//! class has a unit, and a sum of losses is a base plus whole multiples of the units: equal multiples are one loss. So
//! 1000 randomised responses have 1001 losses, and what shares their unit adds few. Different multiples may be equal
//! losses all the same (`ln 2 + ln 3 = ln 6`): listing a loss twice changes no sum.
//!
//! **Why it ends.** Losses and products are counted before the first is formed.

use std::collections::HashMap;
use std::sync::Arc;

use rug::Rational;

use crate::error::Error;
use crate::pair::{Discrete, Masses};
use enclosure::{Budget, Cache, Enclosure, Number, Real, Work, common_unit};

/// Losses that are listed.
const MOST_LOSSES: u64 = 1 << 16;
/// Products of masses that are formed on the way.
const MOST_PRODUCTS: u64 = 1 << 24;
/// Bits of all masses together that are kept as fractions.
const EXACT_BITS: u64 = 1 << 20;
/// Bits of a mass at infinity that is kept as a fraction.
const EXACT_INFINITE: u64 = 1 << 16;
/// Units that places are counted in.
const MOST_UNITS: usize = 256;
/// Multisets of more kinds than this are not enumerated.
const MOST_KINDS: u64 = 16;
/// Multiples of a unit beyond this are not counted.
const FARTHEST: u64 = 1 << 60;

/// A loss in units, one whole number for each.
type Place = Vec<i64>;

/// One mechanism with finitely many losses, run so many times.
struct Draw {
    losses: Vec<Real>,
    pair: Discrete,
    times: u64,
}

/// A loss with its mass, under P, or, backwards, minus the loss with its mass under Q.
pub(super) struct Atom {
    pub loss: Real,
    pub mass: Number,
}

/// All of them, the likeliest first.
pub(super) struct Listing {
    pub atoms: Vec<Atom>,
    /// Upper bounds of the mass of each atom and all after it.
    pub rest: Vec<Enclosure>,
}

/// A composition of mechanisms with finitely many losses.
pub(super) struct Losses {
    draws: Vec<Draw>,
    /// The place of each loss of each draw.
    places: Vec<Vec<Place>>,
    /// Are the powers of each draw formed by multisets? Otherwise by squaring.
    direct: Vec<bool>,
    units: Vec<Real>,
    base: Real,
    count: u64,
    exact: bool,
    kept: Cache<(bool, u32), Listing>,
}

impl Draw {
    fn new(pair: Discrete, times: u64) -> Result<Self, Error> {
        Ok(Draw { losses: pair.losses()?, pair, times })
    }

    fn masses(&self, bits: u32) -> Result<Masses, Error> {
        let masses = self.pair.masses(bits)?;
        if masses.p.len() == self.losses.len() {
            Ok(masses)
        } else {
            Err(Error::Undecided("a mass cannot be told from zero".into()))
        }
    }
}

impl Losses {
    /// The composition of these pairs, each so many times; `None` if there is nothing.
    ///
    /// # Errors
    /// [`Error::Undecided`] for more losses or more work than is taken on.
    pub(super) fn new(pairs: Vec<(Discrete, u64)>, budget: &Budget) -> Result<Option<Self>, Error> {
        let mut draws = pairs.into_iter().map(|(pair, times)| Draw::new(pair, times)).collect::<Result<Vec<_>, _>>()?;
        draws.retain(|draw| draw.times > 0);
        if draws.is_empty() {
            return Ok(None);
        }
        let relax = "fewer compositions, or parameters whose losses share a unit, would do";
        let different = |count| Work { what: "different losses", count, most: MOST_LOSSES, bytes: 0, relax };
        let listed = draws.iter().map(|draw| draw.losses.len()).max().unwrap_or(0);
        budget.afford(&different(listed as u64))?;
        let (units, places) = places(&draws, budget)?;
        let firsts: Vec<Real> = draws
            .iter()
            .filter_map(|draw| Some(draw.losses.first()?.mul_rational(&Rational::from(draw.times))))
            .collect();
        let Cost { losses: count, products, direct } = cost(&draws, &places);
        budget.afford(&different(count))?;
        let what = "products of masses";
        budget.afford(&Work { what, count: products, most: MOST_PRODUCTS, bytes: 0, relax })?;
        let mut size = Some(0_u64);
        for draw in &draws {
            budget.check()?;
            let largest = draw
                .masses(64)?
                .p
                .iter()
                .try_fold(0, |most: u32, mass| mass.exact().map(|mass| most.max(mass.denom().significant_bits())));
            let together = |size: u64, bits: u32| size.saturating_add(u64::from(bits).saturating_mul(draw.times));
            size = size.zip(largest).map(|(size, bits)| together(size, bits));
        }
        let exact = size.is_some_and(|size| size.saturating_mul(count) <= EXACT_BITS);
        Ok(Some(Losses { draws, places, direct, units, base: Real::sum(&firsts), count, exact, kept: Cache::new(4) }))
    }

    /// How many losses there are, at most.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Are the masses under P fractions?
    pub(super) fn exact(&self) -> bool {
        self.exact
    }

    /// The loss at a place.
    fn loss(&self, place: &[i64]) -> Real {
        let terms = self.units.iter().zip(place).map(|(unit, n)| unit.mul_rational(&Rational::from(*n)));
        let terms: Vec<Real> = terms.chain([self.base.clone()]).collect();
        Real::sum(&terms)
    }

    /// The mass where the other distribution has none, `1 - prod (1 - m_i)^n_i`.
    pub(super) fn infinite(&self, backward: bool, bits: u32) -> Result<Number, Error> {
        let (mut size, mut logarithm) = (Some(0_u64), Enclosure::zero(bits));
        let mut masses = Vec::new();
        for draw in &self.draws {
            let Masses { infinite_p, infinite_q, .. } = draw.masses(bits.saturating_add(16))?;
            let mass = if backward { infinite_q } else { infinite_p };
            match mass.exact() {
                Some(mass) if mass.is_zero() => continue,
                Some(mass) if *mass == 1 => return Ok(Number::one()),
                Some(mass) => {
                    let bits = u64::from(mass.denom().significant_bits()).saturating_mul(draw.times);
                    size = size.map(|size| size.saturating_add(bits));
                }
                None => size = None,
            }
            masses.push((mass, draw.times));
        }
        if size.is_some_and(|size| size <= EXACT_INFINITE) {
            let kept = masses.iter().map(|(mass, times)| (&Number::one() - mass).pow(*times));
            let kept = kept.fold(Number::one(), |product, kept| &product * &kept);
            return Ok(&Number::one() - &kept);
        }
        for (mass, times) in masses {
            let times = Enclosure::integer(&times.into(), bits.max(64));
            logarithm = &logarithm + &(&(-mass.enclosure(bits)).log1p() * &times);
        }
        Ok(Number::Enclosed(-logarithm.expm1()))
    }

    /// All finite losses with their masses: under P, or backwards, minus the losses under Q, where a mass is
    /// `p e^(-loss)`.
    pub(super) fn listing(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Arc<Listing>, Error> {
        // Few precisions, so that lists serve many questions.
        let bits = rounded_up(bits);
        self.kept.get((backward, bits), || self.list(backward, bits, budget))
    }

    fn list(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Listing, Error> {
        // A mass is a product of so many, and each product of two lists adds fewer than 2^16 of them.
        let runs = self.draws.iter().fold(1_u64, |sum, draw| sum.saturating_add(draw.times));
        let work = bits.saturating_add(2 * (64 - runs.leading_zeros())).saturating_add(24);
        let mut powers = Vec::new();
        for ((draw, places), direct) in self.draws.iter().zip(&self.places).zip(&self.direct) {
            let masses = draw.masses(work)?.p.into_iter();
            let one = places.iter().cloned().zip(masses);
            let one = one.filter(|(_, mass)| mass.exact().is_none_or(|mass| !mass.is_zero()));
            let rounded = |mass: Number| if self.exact { mass } else { Number::Enclosed(mass.enclosure(work)) };
            let mut together = Merged::default();
            one.for_each(|(place, mass)| together.add(place, rounded(mass)));
            let one = together.list;
            powers.push(if *direct {
                multinomial(&one, draw.times, budget)?
            } else {
                squared(one, draw.times, budget)?
            });
        }
        powers.sort_by_key(Vec::len);
        let origin = vec![(vec![0; self.units.len()], Number::one())];
        let all = powers.iter().try_fold(origin, |all, one| product(&all, one, budget))?;
        let mut atoms = Vec::with_capacity(all.len());
        for (place, p) in all {
            budget.check()?;
            let loss = self.loss(&place);
            atoms.push(if backward {
                let loss = loss.neg();
                Atom { mass: &p * &loss.exp_number(work), loss }
            } else {
                Atom { loss, mass: p }
            });
        }
        let size = |atom: &Atom| atom.mass.enclosure(64);
        atoms.sort_by_cached_key(|atom| std::cmp::Reverse(Key(size(atom).into_bounds().0)));
        let mut rest = Vec::with_capacity(atoms.len());
        let mut sum = Enclosure::zero(64);
        for atom in atoms.iter().rev() {
            sum = &sum + &size(atom).with_bits(64);
            rest.push(sum.clone());
        }
        rest.reverse();
        Ok(Listing { atoms, rest })
    }
}

/// Floats in their order.
#[derive(PartialEq)]
struct Key(rug::Float);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// `2^n` or `3 2^(n-1)`, at least so many.
fn rounded_up(bits: u32) -> u32 {
    let power = bits.max(128).checked_next_power_of_two().unwrap_or(bits);
    if power / 4 * 3 >= bits { power / 4 * 3 } else { power }
}

/// The units of all differences from the first loss of each draw, and the differences in them.
fn places(draws: &[Draw], budget: &Budget) -> Result<(Vec<Real>, Vec<Vec<Place>>), Error> {
    // Differences of rational ratio together; where each of them goes.
    let mut classes: Vec<Vec<Real>> = Vec::new();
    let mut homes: Vec<Vec<Option<(usize, usize)>>> = Vec::new();
    for draw in draws {
        let mut of_draw = Vec::new();
        for loss in &draw.losses {
            budget.check()?;
            let difference = draw.losses.first().map_or_else(Real::zero, |first| loss.sub(first));
            if difference.is_zero() {
                of_draw.push(None);
                continue;
            }
            let like = |class: &Vec<Real>| class.first().is_some_and(|first| difference.ratio(first).is_some());
            let class = classes.iter().position(like).unwrap_or_else(|| {
                classes.push(Vec::new());
                classes.len() - 1
            });
            if let Some(members) = classes.get_mut(class) {
                of_draw.push(Some((class, members.len())));
                members.push(difference);
            }
            if classes.len() > MOST_UNITS {
                return Err(Error::undecided(format!("the losses have more than {MOST_UNITS} units")));
            }
        }
        homes.push(of_draw);
    }
    let far = || Error::Undecided("the losses are too many units apart".into());
    let (mut units, mut multiples) = (Vec::new(), Vec::new());
    for class in &classes {
        let (unit, steps) = common_unit(class.iter()).ok_or_else(far)?;
        units.push(unit);
        multiples.push(steps);
    }
    let mut places = Vec::new();
    for (draw, of_draw) in draws.iter().zip(homes) {
        let mut list = Vec::new();
        for home in of_draw {
            let mut place = vec![0; units.len()];
            if let Some((class, index)) = home {
                let steps = multiples.get(class).and_then(|steps| steps.get(index)?.to_i64()).ok_or_else(far)?;
                let once = u128::from(steps.unsigned_abs()).saturating_mul(u128::from(draw.times));
                if once.saturating_mul(draws.len() as u128) > u128::from(FARTHEST) {
                    return Err(far());
                }
                if let Some(slot) = place.get_mut(class) {
                    *slot = steps;
                }
            }
            list.push(place);
        }
        places.push(list);
    }
    Ok((units, places))
}

/// Masses by place, those of the same place together.
#[derive(Default)]
struct Merged {
    index: HashMap<Place, usize>,
    list: Vec<(Place, Number)>,
}

impl Merged {
    fn add(&mut self, place: Place, mass: Number) {
        match self.index.get(&place).and_then(|i| self.list.get_mut(*i)) {
            Some((_, sum)) => *sum = &*sum + &mass,
            None => {
                self.index.insert(place.clone(), self.list.len());
                self.list.push((place, mass));
            }
        }
    }
}

/// `place + n other`. No overflow: [`places`] bounds all that are formed.
fn moved(place: &[i64], n: u64, other: &[i64]) -> Place {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    place.iter().zip(other).map(|(x, y)| x.saturating_add(y.saturating_mul(n))).collect()
}

fn product(a: &[(Place, Number)], b: &[(Place, Number)], budget: &Budget) -> Result<Vec<(Place, Number)>, Error> {
    let mut all = Merged::default();
    for (place, mass) in a {
        budget.check()?;
        for (other, factor) in b {
            all.add(moved(place, 1, other), mass * factor);
        }
    }
    Ok(all.list)
}

/// So many draws from one list, by repeated squaring.
fn squared(one: Vec<(Place, Number)>, times: u64, budget: &Budget) -> Result<Vec<(Place, Number)>, Error> {
    let (mut result, mut base, mut times) = (None::<Vec<(Place, Number)>>, one, times);
    loop {
        if times % 2 == 1 {
            result = Some(match result {
                Some(result) => product(&result, &base, budget)?,
                None => base.clone(),
            });
        }
        times /= 2;
        if times == 0 {
            return Ok(result.unwrap_or(base));
        }
        base = product(&base, &base, budget)?;
    }
}

/// So many draws from one list, by all multisets: `n!/(i_1! ... i_k!) m_1^(i_1) ... m_k^(i_k)`.
fn multinomial(one: &[(Place, Number)], times: u64, budget: &Budget) -> Result<Vec<(Place, Number)>, Error> {
    let Some(((last, mass), others)) = one.split_last() else { return Ok(Vec::new()) };
    if others.is_empty() {
        return Ok(vec![(moved(&vec![0; last.len()], times, last), mass.pow(times))]);
    }
    let mut powers = vec![Number::one()];
    for i in 0..usize::try_from(times).unwrap_or(usize::MAX) {
        budget.check()?;
        let next = powers.get(i).map(|power| power * mass);
        powers.extend(next);
    }
    let mut all = Merged::default();
    let origin = vec![0; last.len()];
    Multisets { last, powers: &powers, budget }.spread(others, times, origin, Number::one(), &mut all)?;
    Ok(all.list)
}

struct Multisets<'a> {
    last: &'a [i64],
    /// Of the last mass.
    powers: &'a [Number],
    budget: &'a Budget,
}

impl Multisets<'_> {
    /// `left` more draws from these kinds and the last one, from a place with a mass.
    fn spread(
        &self,
        kinds: &[(Place, Number)],
        left: u64,
        place: Place,
        mass: Number,
        all: &mut Merged,
    ) -> Result<(), Error> {
        let Some(((step, factor), others)) = kinds.split_first() else {
            if let Some(power) = usize::try_from(left).ok().and_then(|left| self.powers.get(left)) {
                all.add(moved(&place, left, self.last), &mass * power);
            }
            return Ok(());
        };
        let mut mass = mass;
        for i in 0..=left {
            self.budget.check()?;
            self.spread(others, left - i, moved(&place, i, step), mass.clone(), all)?;
            // C(left, i+1) from C(left, i).
            mass = &(&mass * factor) * &Number::Exact(Rational::from((left - i, i + 1)));
        }
        Ok(())
    }
}

/// What a list takes.
struct Cost {
    losses: u64,
    products: u64,
    /// By draw: are multisets fewer than the products of repeated squaring?
    direct: Vec<bool>,
}

/// Upper bounds, the same steps counted as [`squared`], [`multinomial`] and [`product`] take.
fn cost(draws: &[Draw], places: &[Vec<Place>]) -> Cost {
    let (mut products, mut direct) = (0_u64, Vec::new());
    let mut sizes = Vec::new();
    for (draw, list) in draws.iter().zip(places) {
        let mut distinct: Vec<&Place> = list.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let spans = spans(&distinct);
        let kinds = distinct.len() as u64;
        let size =
            |times: u64| box_size(spans.iter().map(|span| span.saturating_mul(times))).min(multisets(kinds, times));
        let by_squares = squares(draw.times, size);
        let by_sets = if kinds <= MOST_KINDS { multisets(kinds, draw.times) } else { u64::MAX };
        products = products.saturating_add(by_squares.min(by_sets));
        direct.push(by_sets <= by_squares);
        let reach: Vec<u64> = spans.iter().map(|span| span.saturating_mul(draw.times)).collect();
        sizes.push((size(draw.times), reach));
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
    Cost { losses, products, direct }
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
        count = count * (u128::from(times) + u128::from(i)) / u128::from(i);
        if count > u128::from(u32::MAX) {
            return u64::MAX;
        }
    }
    u64::try_from(count).unwrap_or(u64::MAX)
}
