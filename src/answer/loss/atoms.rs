//! The mass of one loss, where the loss has atoms beside a continuous part.
//!
//! The atoms of a sum of independent losses are the sums of their atoms: a sum in which one loss has a density has no
//! mass at a single number. Laplace noise has its losses `c` and `-c` with the P-masses `1/2` and `e^-c/2`, and the
//! reverse under Q. A Poisson sample has the atoms of the pair inside, moved; Gaussian noise has none.
//!
//! **What is certified.** The result is a lower bound: a sum of masses of atoms whose losses add up to the number,
//! proven. Atoms that are not found, or not told from the number, only make it smaller.

use std::cmp::Ordering;
use std::collections::HashMap;

use rug::{Integer, Rational};

use super::closed::laplace_atoms;
use crate::alarm::declined;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Pair, Product};
use enclosure::{Budget, Number, Real};

/// Largest number of products of two atoms.
const MOST: usize = 1 << 16;

/// Largest number of runs of a pair with two atoms.
const MOST_RUNS: u64 = 1 << 12;

/// Losses that differ by more than this part of their size are not compared exactly.
const NEAR: f64 = 1e-9;

/// Precision of masses that are not used, in bits.
const FEW_BITS: u32 = 64;

/// A loss with its masses under the first and the second distribution.
type Atom = (Real, Number, Number);

/// A lower bound of the mass under the second distribution of a loss, in one order of the pair.
pub(super) fn mass(product: &Product, side: Direction, at: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let backward = side == Direction::Backward;
    let forward = if backward { at.neg() } else { at.clone() };
    let about = forward.to_f64();
    let mut sum = Number::zero();
    let Some(all) = declined(composed(product, bits, budget))?.flatten() else { return Ok(sum) };
    for (loss, p, q) in all {
        let far = (loss.to_f64() - about).abs() > NEAR * about.abs().max(1.0);
        if !far && loss.compare(&forward) == Some(Ordering::Equal) {
            sum = &sum + if backward { &p } else { &q };
        }
    }
    Ok(sum)
}

/// The losses in `(low, high]`, in one order of the pair, that are known to be atoms.
pub(super) fn between(
    product: &Product,
    side: Direction,
    (low, high): (&Real, &Real),
    budget: &Budget,
) -> Result<Vec<Real>, Error> {
    let Some(all) = declined(composed(product, FEW_BITS, budget))?.flatten() else { return Ok(Vec::new()) };
    let (from, to) = (low.to_f64(), high.to_f64());
    let spare = NEAR * from.abs().max(to.abs()).max(1.0);
    let inside = |loss: &Real| {
        let about = loss.to_f64();
        let near = about > from - spare && about < to + spare;
        near && loss.compare(low) == Some(Ordering::Greater) && loss.compare(high).is_some_and(Ordering::is_le)
    };
    let losses = all.into_iter().map(|(loss, ..)| if side == Direction::Backward { loss.neg() } else { loss });
    Ok(losses.filter(inside).collect())
}

/// The atoms of the product; `None` where there are none, or too many.
fn composed(product: &Product, bits: u32, budget: &Budget) -> Result<Option<Vec<Atom>>, Error> {
    let none = !product.mu_squared.is_zero() || !product.derived.is_empty() || !product.discrete_gaussian.is_empty();
    if none {
        return Ok(None);
    }
    let mut factors: Vec<(Vec<Atom>, u64)> = Vec::new();
    for (shift, times) in &product.laplace {
        factors.push((laplace_atoms(shift, bits).to_vec(), *times));
    }
    for (delta, times) in &product.failures {
        let kept = &Number::one() - &delta.number(bits);
        factors.push((vec![(Real::zero(), kept.clone(), kept)], *times));
    }
    for (pair, times) in product.discrete()? {
        let losses = pair.losses()?;
        let outcomes = pair.outcomes(bits)?.finite;
        if losses.len() != outcomes.len() || losses.len() > MOST {
            return Ok(None);
        }
        let atoms = losses.into_iter().zip(outcomes).map(|(loss, outcome)| (loss, outcome.p, outcome.q));
        factors.push((atoms.collect(), times));
    }
    for (pair, times) in &product.sampled {
        match pair {
            // Among the discrete ones.
            Pair::Discrete(_) => {}
            Pair::Sample { rate, inner } => match inner.as_ref() {
                Pair::Laplace { shift } => factors.push((sampled(rate, shift, bits)?, *times)),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }
    }
    let mut all = vec![(Real::zero(), Number::one(), Number::one())];
    for (atoms, times) in factors {
        budget.check()?;
        let Some(power) = power(&atoms, times) else { return Ok(None) };
        let Some(product) = convolved(&all, &power) else { return Ok(None) };
        all = product;
    }
    Ok(Some(all))
}

/// The atoms of a Poisson sample of Laplace noise.
fn sampled(rate: &Real, shift: &Real, bits: u32) -> Result<Vec<Atom>, Error> {
    let one = Real::one();
    let part = rate.number(bits);
    laplace_atoms(shift, bits)
        .into_iter()
        .map(|(loss, p, q)| {
            let moved = one.add(&rate.mul(&loss.exp()?.sub(&one))?).ln()?;
            let p = &(&part * &p) + &(&(&Number::one() - &part) * &q);
            Ok((moved, p, q))
        })
        .collect()
}

/// The atoms of `times` runs; `None` if there are too many.
fn power(atoms: &[Atom], times: u64) -> Option<Vec<Atom>> {
    if let [(loss, p, q), (other, r, s)] = atoms {
        if times > MOST_RUNS {
            return None;
        }
        let mut binomial = Integer::from(1);
        let mut all = Vec::new();
        for k in 0..=times {
            let rest = times - k;
            let sum = loss.mul_rational(&Rational::from(k)).add(&other.mul_rational(&Rational::from(rest)));
            let ways = Number::Exact(Rational::from(&binomial));
            all.push((sum, &ways * &(&p.pow(k) * &r.pow(rest)), &ways * &(&q.pow(k) * &s.pow(rest))));
            binomial *= rest;
            binomial /= k + 1;
        }
        return Some(all);
    }
    let mut all = vec![(Real::zero(), Number::one(), Number::one())];
    for _ in 0..times.min(MOST_RUNS) {
        all = convolved(&all, atoms)?;
    }
    (times <= MOST_RUNS).then_some(all)
}

/// The sums of two lists of atoms, equal ones merged; `None` if there are too many.
fn convolved(one: &[Atom], other: &[Atom]) -> Option<Vec<Atom>> {
    if one.len().saturating_mul(other.len()) > MOST {
        return None;
    }
    let mut all: HashMap<Real, (Number, Number)> = HashMap::new();
    for (loss, p, q) in one {
        for (more, r, s) in other {
            let (first, second) = all.entry(loss.add(more)).or_insert_with(|| (Number::zero(), Number::zero()));
            *first = &*first + &(p * r);
            *second = &*second + &(q * s);
        }
    }
    Some(all.into_iter().map(|(loss, (p, q))| (loss, p, q)).collect())
}
