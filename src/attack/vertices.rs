//! The fit of one discrete Gaussian, run any number of times, by the vertices of its trade-off function.
//!
//! A Gaussian's trade-off function is convex, so it is below a piecewise-linear function if it is below at the
//! vertices. The vertices here have `mu_k = zeta(k + m) - zeta(k)`, with `zeta(k)` the upper quantile of `P(S >= k)`,
//! and are symmetric, `mu_k = mu_(1-m-k)`. From the middle on they are evaluated one by one, until all that follow are
//! below the largest one by their common bound ([`DiscreteGaussian::far_mu`]), or close enough to it. Paper proof:
//! `proofs/paper/attack.md`.

use std::collections::HashMap;

use rug::{Float, Integer, Rational};

use super::fit::Touch;
use crate::compose::DiscreteGaussian;
use crate::error::Error;
use enclosure::special::tail_quantile;
use enclosure::{Budget, Enclosure, Number, bits_of_digits};

/// The most vertices.
const MOST: usize = 4000;

/// How many vertices there are from one bound to the next: such a part of all.
const PART: u32 = 12;

/// Upper quantiles of `P(S >= k)`, each once.
struct Quantiles<'a> {
    noise: &'a DiscreteGaussian,
    bits: u32,
    budget: &'a Budget,
    known: HashMap<Integer, Enclosure>,
}

impl Quantiles<'_> {
    /// At any k: `P(S >= 1-k)` is 1 less `P(S >= k)`.
    fn at(&mut self, k: &Integer) -> Result<Enclosure, Error> {
        if *k < 1 {
            return Ok(-self.at(&Integer::from(1 - k))?);
        }
        if let Some(known) = self.known.get(k) {
            return Ok(known.clone());
        }
        let tail = self.noise.survival(k, self.bits, self.budget)?;
        let end = |end: &Float| -> Result<Enclosure, Error> {
            let end = end.to_rational().filter(|end| *end > 0 && *end < 1);
            let end =
                end.ok_or_else(|| Error::undecided("cannot separate a tail from the boundary of the unit square"))?;
            Ok(tail_quantile(&Number::Exact(end), self.bits, self.budget)?.enclosure(self.bits))
        };
        let quantile = end(tail.upper())?.hull(&end(tail.lower())?);
        self.known.insert(k.clone(), quantile.clone());
        Ok(quantile)
    }
}

/// The fit to this number of digits, if the bound is close enough, and where it touches.
pub(super) fn fit(noise: &DiscreteGaussian, digits: u32, budget: &Budget) -> Result<(Number, Touch), Error> {
    let bits = bits_of_digits(digits) + 64;
    let shift = noise.shift();
    let mut quantiles = Quantiles { noise, bits, budget, known: HashMap::new() };
    let mut k = Rational::from((Integer::from(1 - &shift), 2)).ceil().into_numer_denom().0;
    let mut found: Vec<(Integer, Enclosure)> = Vec::new();
    let mut largest: Option<Enclosure> = None;
    let mut next = Integer::from(1);
    let mut outside = None;
    loop {
        let mu = quantiles.at(&Integer::from(&k + &shift))? - quantiles.at(&k)?;
        let best = largest.map_or(mu.clone(), |best| best.max(&mu));
        found.push((k.clone(), mu));
        k += 1;
        let late = found.len() >= MOST || budget.check().is_err();
        if k >= next || late {
            next = &k + Integer::from(&k / PART).max(1.into());
            if let Some(bound) = noise.far_mu(&k, bits, budget)? {
                if bound.upper() < best.lower() {
                    largest = Some(best);
                    break;
                }
                let set = Enclosure::new(best.lower().clone(), bound.upper().clone());
                if late || set.relative_bits() >= Some(i64::from(bits_of_digits(digits))) {
                    largest = Some(best);
                    outside = Some(bound);
                    break;
                }
            }
            if late {
                return Err(Error::undecided(format!(
                    "the largest value over the first {MOST} vertices may not be the largest of all"
                )));
            }
        }
        largest = Some(best);
    }
    let best = largest.ok_or_else(|| Error::internal("a polyline without vertices"))?;
    let lower = best.lower().clone();
    let mut sets: Vec<(Float, Float)> = Vec::new();
    // `P(S >= k)`, and the alpha of a vertex, `P(S < k)`.
    let tail = |k: &Integer| -> Result<Enclosure, Error> {
        if *k >= 1 {
            return noise.survival(k, bits, budget);
        }
        Ok(&Enclosure::one(bits) - &noise.survival(&Integer::from(1 - k), bits, budget)?)
    };
    for (k, _) in found.iter().filter(|(_, mu)| *mu.upper() >= lower) {
        let (alpha, mirrored) = (tail(&Integer::from(1 - k))?, tail(&Integer::from(k + &shift))?);
        sets.push(alpha.into_bounds());
        if Integer::from(k * 2u32) + &shift != 1 {
            sets.push(mirrored.into_bounds());
        }
    }
    if outside.is_some() {
        sets.push((Float::new(bits), tail(&Integer::from(&k + &shift))?.upper().clone()));
        sets.push((tail(&Integer::from(1 - &k))?.lower().clone(), Float::with_val(bits, 1)));
    }
    sets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let upper = outside.map_or(best.clone(), |bound| best.max(&bound)).upper().clone();
    Ok((Number::Enclosed(Enclosure::new(lower, upper)), Touch::Within(sets)))
}
