//! A composition of mechanisms with finitely many losses, as a list of losses and masses.
//!
//! **What is certified.** Every mass is a sum of products of nonnegative masses, in fractions where those are short and
//! otherwise with outward rounding, so that it keeps its relative accuracy. Losses are exact constants.
//!
//! Losses at one place in the units of `enumeration/draws.rs` are one; others may be equal all the same.
//!
//! **Why it ends.** Losses and products are counted before the first is formed.

use std::collections::HashMap;
use std::sync::Arc;

use rug::Rational;

use super::super::enumeration::{Cost, Draw, Place, Shape, cost, moved, places};
use super::super::meet_in_the_middle::Way;
use crate::error::Error;
use crate::pair::{Discrete, Masses};
use enclosure::{Budget, Cache, Enclosure, Need, Number, Real};

/// Losses that are listed.
const MOST_LOSSES: u64 = 1 << 16;
/// Products of masses that are formed on the way.
const MOST_PRODUCTS: u64 = 1 << 24;
/// Bits of all masses together that are kept as fractions.
const EXACT_BITS: u64 = 1 << 20;
/// Bits of a mass at infinity that is kept as a fraction.
const EXACT_INFINITE: u64 = 1 << 16;

/// A loss with its mass, under P, or, backwards, minus the loss with its mass under Q.
pub(in crate::compose) struct Atom {
    pub loss: Real,
    pub mass: Number,
}

/// All of them, the likeliest first.
pub(in crate::compose) struct Listing {
    pub atoms: Vec<Atom>,
    /// Upper bounds of the mass of each atom and all after it.
    pub rest: Vec<Enclosure>,
}

/// A composition of mechanisms with finitely many losses.
pub(in crate::compose) struct Losses {
    draws: Vec<Draw>,
    /// The place of each loss of each draw.
    places: Vec<Vec<Place>>,
    /// Are the powers of each draw formed by multisets? Otherwise by squaring.
    ways: Vec<Way>,
    units: Vec<Real>,
    base: Real,
    count: u64,
    exact: bool,
    kept: Cache<(bool, u32), Listing>,
}

impl Losses {
    /// The composition of these pairs, each so many times; `None` if there is nothing.
    ///
    /// # Errors
    /// [`Error::Undecided`] for more losses or more work than is taken on.
    pub(in crate::compose) fn new(pairs: Vec<(Discrete, u64)>, budget: &Budget) -> Result<Option<Self>, Error> {
        let mut draws = pairs.into_iter().map(|(pair, times)| Draw::new(pair, times)).collect::<Result<Vec<_>, _>>()?;
        draws.retain(|draw| draw.times > 0);
        if draws.is_empty() {
            return Ok(None);
        }
        let relax = "try fewer compositions, or parameters whose privacy losses share a unit";
        let different = |count| Need { what: "different privacy losses", count, most: MOST_LOSSES, bytes: 0, relax };
        let listed = draws.iter().map(|draw| draw.losses.len()).max().unwrap_or(0);
        budget.afford(&different(listed as u64))?;
        let (units, places) = places(&draws, budget)?;
        let firsts: Vec<Real> = draws
            .iter()
            .filter_map(|draw| Some(draw.losses.first()?.mul_rational(&Rational::from(draw.times))))
            .collect();
        let shapes: Vec<Shape> = places.iter().map(|places| Shape::of(places)).collect();
        let runs: Vec<_> = shapes.iter().zip(&draws).map(|(shape, draw)| (shape, draw.times)).collect();
        let Cost { losses: count, products, ways } = cost(&runs, false);
        budget.afford(&different(count))?;
        let what = "products of masses";
        budget.afford(&Need { what, count: products, most: MOST_PRODUCTS, bytes: 0, relax })?;
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
        Ok(Some(Losses { draws, places, ways, units, base: Real::sum(&firsts), count, exact, kept: Cache::new(4) }))
    }

    /// How many losses there are, at most.
    pub(in crate::compose) fn count(&self) -> u64 {
        self.count
    }

    /// Are the masses under P fractions?
    pub(in crate::compose) fn exact(&self) -> bool {
        self.exact
    }

    /// The loss at a place.
    fn loss(&self, place: &[i64]) -> Real {
        let terms = self.units.iter().zip(place).map(|(unit, n)| unit.mul_rational(&Rational::from(*n)));
        let terms: Vec<Real> = terms.chain([self.base.clone()]).collect();
        Real::sum(&terms)
    }

    /// The mass where the other distribution has none, `1 - prod (1 - m_i)^n_i`.
    pub(in crate::compose) fn infinite(&self, backward: bool, bits: u32) -> Result<Number, Error> {
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
    pub(in crate::compose) fn listing(
        &self,
        backward: bool,
        bits: u32,
        budget: &Budget,
    ) -> Result<Arc<Listing>, Error> {
        // Few precisions, so that lists serve many questions.
        let bits = rounded_up(bits);
        self.kept.get((backward, bits), || self.list(backward, bits, budget))
    }

    fn list(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Listing, Error> {
        // A mass is a product of so many, and each product of two lists adds fewer than 2^16 of them.
        let runs = self.draws.iter().fold(1_u64, |sum, draw| sum.saturating_add(draw.times));
        let work = bits.saturating_add(2 * (64 - runs.leading_zeros())).saturating_add(24);
        let mut powers = Vec::new();
        for ((draw, places), way) in self.draws.iter().zip(&self.places).zip(&self.ways) {
            let masses = draw.masses(work)?.p.into_iter();
            let one = places.iter().cloned().zip(masses);
            let one = one.filter(|(_, mass)| mass.exact().is_none_or(|mass| !mass.is_zero()));
            let rounded = |mass: Number| if self.exact { mass } else { Number::Enclosed(mass.enclosure(work)) };
            let mut together = Merged::default();
            one.for_each(|(place, mass)| together.add(place, rounded(mass)));
            let one = together.list;
            powers.push(if *way == Way::Multisets {
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
