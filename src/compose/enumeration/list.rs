//! One half of a composition: the sums of the losses of some mechanisms, with their masses, in fixed point.
//!
//! **Keys.** A loss of mechanism d is a base plus whole multiples of the units (`draws`), `l = b_d + sum_u n_u U_u`.
//! Its key is the same sum of the constants rounded down to multiples of `2^-K`, at most two units too small each, less
//! two for each negative multiple, so that no key is too large: with `N_d` the most negative multiples and `M_d` the
//! most positive ones among the losses of d,
//!
//! ```text
//! key = floor(b_d 2^K) - 2 N_d + sum_u n_u floor(U_u 2^K),      0 <= l 2^K - key <= 2 + 2 N_d + 2 M_d.
//! ```
//!
//! What is subtracted depends on the mechanism alone, so that sums at one place in units have one key, and come
//! together in the list. Should different sums have one key by chance nothing is lost: `meet_in_the_middle` sees keys
//! only.
//!
//! **Masses.** So many runs of one mechanism by all multisets of its losses, `n!/(i_1! ... i_m!) prod m_j^(i_j)`:
//! products and quotients of positive numbers, rounded outwards, so that the relative error is below that of `2 n + m`
//! roundings; then rounded down to multiples of `2^-F`, at most two units too small. Where the multisets are many and
//! sums are few, or where kinds are many and draws are few, the lists are composed in `meet_in_the_middle`.

use std::cmp::Reverse;

use rug::Integer;

use super::super::meet_in_the_middle::{Draws, Keyed, SEQUENCE_GUARD, Way, fixed_or_refuse};
use super::draws::{Draw, Place};
use crate::error::Error;
use crate::pair::Outcomes;
use enclosure::{Budget, Enclosure, Real};

/// A loss in units of `2^-K`, an error that all losses of a mechanism share, in these units.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// `K`.
    pub fraction: u32,
    units: Vec<Integer>,
}

/// One loss of a mechanism: its key, and its masses.
pub(in crate::compose) struct Kind {
    pub key: Integer,
    pub p: Enclosure,
    pub q: Enclosure,
}

/// How much too small the keys of one mechanism may be: the sums of its negative and of its positive multiples.
fn steps(places: &[Place]) -> (Integer, Integer) {
    let most = |sign: i64| {
        let of = |place: &Place| place.iter().map(|n| Integer::from(*n) * sign).filter(|n| *n > 0).sum::<Integer>();
        places.iter().map(of).max().unwrap_or_default()
    };
    (most(-1), most(1))
}

/// `2 + 2 N_d + 2 M_d`.
pub(super) fn key_error(places: &[Place]) -> Integer {
    let (down, up) = steps(places);
    Integer::from(2) + 2 * (down + up)
}

impl Keys {
    /// The units at a precision.
    pub(super) fn new(units: &[Real], fraction: u32) -> Result<Self, Error> {
        let units = units.iter().map(|unit| fixed_constant(unit, fraction)).collect::<Result<_, _>>()?;
        Ok(Keys { fraction, units })
    }

    fn of(&self, draw: &Draw, places: &[Place]) -> Result<Vec<Integer>, Error> {
        let Some(first) = draw.losses.first() else { return Ok(Vec::new()) };
        let (down, _) = steps(places);
        let base: Integer = fixed_constant(first, self.fraction)? - 2 * down;
        let more = |sum: Integer, (n, unit): (&i64, &Integer)| sum + unit * *n;
        Ok(places.iter().map(|place| place.iter().zip(&self.units).fold(base.clone(), more)).collect())
    }
}

fn fixed_constant(value: &Real, fraction: u32) -> Result<Integer, Error> {
    // As many bits after the point as are wanted, whatever stands before it.
    let size = value.enclosure(16).abs().upper().get_exp().map_or(0, |exponent| exponent.max(0)).unsigned_abs();
    fixed_or_refuse(&value.enclosure(fraction.saturating_add(size).saturating_add(8)), fraction)
}

/// So many runs of each mechanism in fixed point.
pub(super) fn half(
    runs: &[(&Draw, &[Place], u64, Way)],
    keys: &Keys,
    fraction: u32,
    budget: &Budget,
) -> Result<Vec<Draws>, Error> {
    let mut half = Vec::new();
    for (draw, places, times, way) in runs {
        let kinds = kinds(draw, places, keys, working_bits(fraction, *times))?;
        half.push(drawn(&kinds, (*times, *way), &Integer::new(), &key_error(places), fraction, budget)?);
    }
    Ok(half)
}

/// Bits of factors of so many draws.
fn working_bits(fraction: u32, times: u64) -> u32 {
    fraction.saturating_add(2 * (64 - times.leading_zeros())).saturating_add(SEQUENCE_GUARD)
}

/// The losses of one run, equal ones together.
fn kinds(draw: &Draw, places: &[Place], keys: &Keys, bits: u32) -> Result<Vec<Kind>, Error> {
    let Outcomes { finite, .. } = draw.pair.outcomes(bits.saturating_add(8))?;
    let keys = keys.of(draw, places)?;
    if finite.len() != keys.len() {
        return Err(Error::Undecided("cannot separate a mass from zero".into()));
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for (key, outcome) in keys.into_iter().zip(finite) {
        let (p, q) = (outcome.p.enclosure(bits).with_bits(bits), outcome.q.enclosure(bits).with_bits(bits));
        match kinds.iter_mut().find(|kind| kind.key == key) {
            Some(kind) => {
                kind.p = &kind.p + &p;
                kind.q = &kind.q + &q;
            }
            None => kinds.push(Kind { key, p, q }),
        }
    }
    Ok(kinds)
}

/// So many draws from kinds that lack some mass, in units of `2^-fraction`, and whose keys are so much too small at
/// most. Where one draw lacks m under either distribution, n draws lack `1 - (1-m)^n <= n m`.
pub(in crate::compose) fn drawn(
    kinds: &[Kind],
    (times, way): (u64, Way),
    missing: &Integer,
    key_error: &Integer,
    fraction: u32,
    budget: &Budget,
) -> Result<Draws, Error> {
    let atoms = |kinds: &[Kind], fraction: u32| -> Result<Vec<Keyed>, Error> {
        budget.check()?;
        kinds.iter().map(|kind| keyed(kind.key.clone(), &kind.p, &kind.q, fraction)).collect()
    };
    let one = |atoms| Draws { atoms, key_error: key_error.clone(), error: 2, lacking: missing.clone(), times, way };
    Ok(match way {
        Way::Squares => one(atoms(kinds, fraction)?),
        Way::Sequences => {
            // What comes to nothing is seen soonest where the likely ones are first.
            let mut atoms = atoms(kinds, fraction.saturating_add(SEQUENCE_GUARD))?;
            atoms.sort_by_cached_key(|atom| Reverse(atom.p.clone().max(atom.q.clone())));
            one(atoms)
        }
        Way::Multisets => Draws {
            atoms: multisets(kinds, times, fraction, working_bits(fraction, times), budget)?,
            key_error: Integer::from(key_error * times),
            error: 2,
            lacking: Integer::from(missing * times),
            times,
            way,
        },
    })
}

fn keyed(key: Integer, p: &Enclosure, q: &Enclosure, fraction: u32) -> Result<Keyed, Error> {
    Ok(Keyed { key, p: fixed_or_refuse(p, fraction)?, q: fixed_or_refuse(q, fraction)? })
}

/// So many runs, by all multisets.
fn multisets(kinds: &[Kind], times: u64, fraction: u32, bits: u32, budget: &Budget) -> Result<Vec<Keyed>, Error> {
    let Some((last, others)) = kinds.split_last() else { return Ok(Vec::new()) };
    let powers = |mass: &Enclosure| -> Result<Vec<Enclosure>, Error> {
        let mut powers = vec![Enclosure::one(bits)];
        // With nothing beside it, only the last power is asked for.
        let most = if others.is_empty() { 0 } else { times };
        for _ in 0..most {
            budget.check()?;
            let next = powers.last().map(|power| power * mass);
            powers.extend(next);
        }
        Ok(powers)
    };
    if others.is_empty() {
        let atom = keyed(Integer::from(&last.key * times), &last.p.pow(times), &last.q.pow(times), fraction)?;
        return Ok(vec![atom]);
    }
    let sets = Multisets { last, p: powers(&last.p)?, q: powers(&last.q)?, fraction, budget };
    let mut all = Vec::new();
    let start = Sum { key: Integer::new(), p: Enclosure::one(bits), q: Enclosure::one(bits) };
    sets.spread(others, times, start, &mut all)?;
    Ok(all)
}

/// What some of the runs come to.
#[derive(Clone)]
struct Sum {
    key: Integer,
    p: Enclosure,
    q: Enclosure,
}

struct Multisets<'a> {
    last: &'a Kind,
    /// Powers of its masses.
    p: Vec<Enclosure>,
    q: Vec<Enclosure>,
    fraction: u32,
    budget: &'a Budget,
}

impl Multisets<'_> {
    /// `left` more runs that end in these kinds or the last one.
    fn spread(&self, kinds: &[Kind], left: u64, sum: Sum, all: &mut Vec<Keyed>) -> Result<(), Error> {
        let Some((kind, others)) = kinds.split_first() else {
            let power = |powers: &[Enclosure]| usize::try_from(left).ok().and_then(|left| powers.get(left).cloned());
            if let (Some(p), Some(q)) = (power(&self.p), power(&self.q)) {
                let key = sum.key + Integer::from(&self.last.key * left);
                all.push(keyed(key, &(&sum.p * &p), &(&sum.q * &q), self.fraction)?);
            }
            return Ok(());
        };
        let mut sum = sum;
        for i in 0..=left {
            self.budget.check()?;
            self.spread(others, left - i, sum.clone(), all)?;
            // C(left, i+1) from C(left, i).
            let next = |mass: &Enclosure, factor: &Enclosure| scaled(&(mass * factor), left - i, i + 1);
            sum = Sum { p: next(&sum.p, &kind.p), q: next(&sum.q, &kind.q), key: sum.key + &kind.key };
        }
        Ok(())
    }
}

/// `x n / d`.
fn scaled(x: &Enclosure, n: u64, d: u64) -> Enclosure {
    match (u32::try_from(n), u32::try_from(d)) {
        (Ok(n), Ok(d)) => x.mul_u32(n).div_u32(d),
        _ => x * &Enclosure::rational(&rug::Rational::from((n, d)), x.bits()),
    }
}
