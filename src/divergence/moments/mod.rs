//! Averages over the privacy loss of one pair: its moments, absolute moments and cumulants.
//!
//! Forward they are over `L = ln(dP/dQ)` under P, backward over `ln(dQ/dP)` under Q. **What is certified:** every
//! average is enclosed, off by about `2^-bits` absolutely. Finitely many losses are summed (`listed`), sums over the
//! integers are cut off with a bound (`integers`), Laplace noise and Gaussian noise have closed forms (`closed`), and
//! their Poisson samples are integrals by Taylor polynomials (`line`) or on panels (`panels`), and so are samples of a
//! fixed size (`folded`) and the larger one of both orders of a Poisson sample (`larger`).
//! Shuffled reports, and samples of them, are summed count by count, while these are not too many ([`shuffled`]).
//! Those of mixtures and products follow from their parts; all else is enclosed by values of the trade-off function
//! (`between`), and has few digits.
//! Paper proof: `proofs/paper/moments.md`.

mod closed;
pub mod folded;
mod integers;
mod larger;
mod line;
mod listed;
mod mirror;
mod panels;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::Integer;

use super::{between, shuffled};
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Factors, Operator, Pair};
use enclosure::taylor::Taylor;
use enclosure::{Budget, Enclosure, Real, adaptive_precision};

/// A function of the loss l that is averaged.
#[derive(Clone, Debug)]
pub enum Average {
    /// `l^j`.
    Power(u32),
    /// `|l - c|^3`, of a constant of which this set is known.
    Cube(Enclosure),
    /// `e^(-l/2)`: `sum sqrt(p q)` over the outcomes that have both.
    Affinity,
    /// `ln(2/(1 + e^-l))`: `sum p ln(2p/(p+q))`.
    Midpoint,
    /// `(1 - e^-l)^2/(1 + e^-l)`: `sum (p-q)^2/(p+q)`.
    Triangle,
}

impl Average {
    /// The Taylor coefficients of the average, from those of the privacy loss. `above` states on which side of c a cube
    /// is taken.
    fn of(&self, loss: &Taylor, above: bool) -> Taylor {
        let bits = loss.bits();
        let one = Enclosure::one(bits);
        match self {
            Average::Power(exponent) => loss.pow(*exponent),
            Average::Cube(centre) => {
                let gap = loss.plus(&-centre.with_bits(bits));
                (if above { gap } else { gap.times(&-one) }).pow(3)
            }
            Average::Affinity => loss.times(&-one.shift(-1)).exp(),
            // ln(2/(1+y)) = -ln(1 + (y-1)/2)
            Average::Midpoint => loss.times(&-&one).expm1().times(&one.shift(-1)).log1p().times(&-one),
            Average::Triangle => {
                let off = loss.times(&-&one).expm1();
                off.pow(2).mul(&off.plus(&one.shift(1)).recip())
            }
        }
    }

    /// Its value at a loss.
    pub(in crate::divergence) fn at(&self, loss: &Enclosure) -> Enclosure {
        match self {
            // A cube is convex with its least value 0 where the sign changes.
            Average::Cube(centre) => (loss - &centre.with_bits(loss.bits())).abs().pow(3),
            _ => self.of(&Taylor::constant(loss, 0), true).value().clone(),
        }
    }

    /// K with `|value| <= K e^|l|` for every l: as `t^j <= j! e^t`.
    fn size(&self) -> Enclosure {
        let bits = 64;
        match self {
            Average::Power(exponent) => Enclosure::integer(&Integer::from(Integer::factorial(*exponent)), bits),
            Average::Cube(centre) => centre.abs().with_bits(bits).exp().mul_u32(6),
            Average::Affinity | Average::Midpoint | Average::Triangle => Enclosure::one(bits),
        }
    }
}

/// The mean loss of a pair that an operator makes, of the same losses either way, where integrals have it.
///
/// # Errors
/// [`Error::Undecided`] for integrals out of reach.
pub fn mean_in_closed_form(pair: &Pair, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let Pair::Derived(derived) = pair else { return Ok(None) };
    let Some(larger) = larger::Larger::of(derived) else { return Ok(None) };
    let mean = |working| Ok(larger.averages(&[Average::Power(1)], working, budget)?.remove(0).positive_part());
    adaptive_precision(bits, 32, budget, mean).map(Some)
}

/// The averages over the finite losses of a pair, each off by about `2^-bits`; with the masses of the direction's first
/// and second distribution where the other one has none.
///
/// # Errors
/// [`Error::Undecided`] for losses that are too many or integrals out of reach.
pub fn averages(
    pair: &Pair,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Averages, Error> {
    let values = match pair {
        Pair::Equal => of.iter().map(|average| average.at(&Enclosure::zero(bits))).collect(),
        Pair::Discrete(pair) => return listed::averages(pair, of, direction, bits),
        Pair::Gaussian { mu } => match closed::gaussian(mu, of, bits, budget)? {
            Some(values) => values,
            None => line::averages(
                &line::Normal { rate: enclosure::Real::one(), mu: mu.clone() },
                of,
                direction,
                bits,
                budget,
            )?,
        },
        Pair::Laplace { shift } => match closed::laplace(shift, of, bits, budget)? {
            Some(values) => values,
            None => {
                let law = line::Laplace { rate: enclosure::Real::one(), shift: shift.clone() };
                line::averages(&law, of, direction, bits, budget)?
            }
        },
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            integers::averages(&enclosure::Real::one(), sigma2, *sensitivity, of, direction, bits, budget)?
        }
        Pair::Shuffled(inside) if inside.is_countable(bits) => shuffled::averages(inside, None, of, bits, budget)?,
        Pair::Shuffled(_) => return by_values(pair, of, direction, bits, budget),
        Pair::Sample { rate, inner } => match inner.as_ref() {
            Pair::Gaussian { mu } => {
                let law = line::Normal { rate: rate.clone(), mu: mu.clone() };
                line::normal(&law, of, direction, bits, budget)?
            }
            Pair::Laplace { shift } => {
                let law = line::Laplace { rate: rate.clone(), shift: shift.clone() };
                line::averages(&law, of, direction, bits, budget)?
            }
            Pair::DiscreteGaussian { sigma2, sensitivity } => {
                integers::averages(rate, sigma2, *sensitivity, of, direction, bits, budget)?
            }
            Pair::Shuffled(inside) if inside.is_countable(bits) => {
                shuffled::averages(inside, Some((rate, direction)), of, bits, budget)?
            }
            _ => return by_values(pair, of, direction, bits, budget),
        },
        Pair::Derived(derived) if let Some(folded) = folded::Folded::of(derived) => {
            folded.averages(of, bits, budget)?
        }
        Pair::Derived(derived) if let Some(larger) = larger::Larger::of(derived) => {
            larger.averages(of, bits, budget)?
        }
        Pair::Derived(derived) => match (derived.operator(), derived.parts()) {
            (Operator::Inverse, [part]) => {
                let other = match direction {
                    Direction::Forward => Direction::Backward,
                    Direction::Backward => Direction::Forward,
                    Direction::Worst => Direction::Worst,
                };
                return averages(&Pair::several(part.clone()), of, other, bits, budget);
            }
            (Operator::Mixture(weights), parts) => return told(weights, parts, of, direction, bits, budget),
            _ => return by_values(pair, of, direction, bits, budget),
        },
        Pair::Several(factors) => return several(factors, of, direction, bits, budget),
    };
    Ok(Averages { values, infinite: None })
}

/// Precision, in bits, that values of a curve cannot reach.
const TOO_MANY: u32 = 130;

/// Averages without a formula, by values of the trade-off function.
fn by_values(pair: &Pair, of: &[Average], direction: Direction, bits: u32, budget: &Budget) -> Result<Averages, Error> {
    if bits >= TOO_MANY {
        return Err(Error::undecided(
            "without a formula, averages over the privacy loss are computed at low precision \
                                     only",
        ));
    }
    between::averages(pair, of, direction, bits, budget)
}

/// Of one of several, drawn and told: weighted sums.
fn told(
    weights: &[Real],
    parts: &[Factors],
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Averages, Error> {
    let wide = bits.saturating_add(8);
    let mut values = vec![Enclosure::zero(wide); of.len()];
    let mut infinite: Option<(Enclosure, Enclosure)> = None;
    for (weight, part) in weights.iter().zip(parts) {
        let own = averages(&Pair::several(part.clone()), of, direction, wide, budget)?;
        let weight = weight.enclosure(wide);
        for (sum, value) in values.iter_mut().zip(&own.values) {
            *sum = &*sum + &(&weight * value);
        }
        if let Some((first, second)) = own.infinite {
            let (a, b) = infinite.unwrap_or_else(|| (Enclosure::zero(wide), Enclosure::zero(wide)));
            infinite = Some((a + &weight * &first, b + &weight * &second));
        }
    }
    Ok(Averages { values, infinite })
}

/// Of independent pairs: moments from cumulants, which add, and affinities, which multiply.
fn several(
    factors: &Factors,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Averages, Error> {
    let highest = of.iter().map(|average| if let Average::Power(j) = average { *j } else { 0 }).max().unwrap_or(0);
    let easy = of.iter().all(|average| matches!(average, Average::Power(1..=5) | Average::Affinity));
    let fails = factors.iter().map(|(pair, _)| pair.ends()).collect::<Result<Vec<_>, _>>()?;
    let fails = fails.iter().any(|ends| !ends.infinite_p.is_zero() || !ends.infinite_q.is_zero());
    if !easy || fails {
        return by_values(&Pair::several(factors.clone()), of, direction, bits, budget);
    }
    let wide = bits.saturating_add(32);
    let mut sums = vec![Enclosure::zero(wide); highest as usize];
    let mut affinity = Enclosure::one(wide);
    for (pair, times) in factors {
        if highest > 0 {
            let own = cumulants(pair, highest, direction, wide, budget)?;
            let own = own.ok_or_else(|| {
                Error::undecided(
                    "the privacy loss is infinite with positive probability, so \
                                                          it has no moments",
                )
            })?;
            for (sum, own) in sums.iter_mut().zip(&own) {
                *sum = &*sum + &(own * &Enclosure::integer(&Integer::from(*times), wide));
            }
        }
        if of.iter().any(|average| matches!(average, Average::Affinity)) {
            let own = averages(pair, &[Average::Affinity], direction, wide, budget)?;
            affinity = affinity * own.values[0].pow(*times);
        }
    }
    let moments = to_moments(&sums);
    let value = |average: &Average| match average {
        Average::Power(j) => moments[*j as usize].clone(),
        _ => affinity.clone(),
    };
    Ok(Averages { values: of.iter().map(value).collect(), infinite: None })
}

/// Moments from the 0th on: `m_n = sum_k C(n-1, k-1) kappa_k m_(n-k)`.
pub fn to_moments(cumulants: &[Enclosure]) -> Vec<Enclosure> {
    let bits = cumulants.first().map_or(64, Enclosure::bits);
    let mut moments = vec![Enclosure::one(bits)];
    for n in 1..=cumulants.len() {
        let mut sum = Enclosure::zero(bits);
        for (k, cumulant) in cumulants.iter().enumerate().take(n) {
            let many = Enclosure::integer(&Integer::from(n - 1).binomial(k as u32), bits);
            sum = sum + &(&many * cumulant) * &moments[n - 1 - k];
        }
        moments.push(sum);
    }
    moments
}

/// Averages over the finite losses, and what lies beyond.
#[derive(Clone, Debug)]
pub struct Averages {
    /// In the order asked for.
    pub values: Vec<Enclosure>,
    /// The masses of the first distribution where the second has none, and the other way round, if either may be more
    /// than nothing.
    pub infinite: Option<(Enclosure, Enclosure)>,
}

impl Averages {
    /// Has the first distribution certainly no mass where the second has none?
    pub fn finite(&self) -> Result<bool, Error> {
        match self.infinite.as_ref().map(|(first, _)| first.sign()) {
            None | Some(Some(Ordering::Equal)) => Ok(true),
            Some(Some(_)) => Ok(false),
            Some(None) => Err(Error::undecided(
                "cannot decide whether the privacy loss is infinite with positive \
                                                probability",
            )),
        }
    }
}

/// The cumulants of the loss from the first to the order `count <= 5`; `None` if they are infinite. The one of order j
/// is known to about `2^-bits` of `kappa_2^(j/2)`, which is its scale in a sum.
///
/// # Errors
/// As [`averages`].
pub fn cumulants(
    pair: &Pair,
    count: u32,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Option<Vec<Enclosure>>, Error> {
    if let Some(known) = closed::cumulants(pair, count, bits) {
        return Ok(Some(known));
    }
    let powers: Vec<Average> = (1..=count.max(2)).map(Average::Power).collect();
    let mirrored = mirror::mirrored(pair, direction);
    let mut working = bits.saturating_add(32);
    let mut last = None;
    for _ in 0..8 {
        budget.check()?;
        let all = match averages(pair, &powers, direction, working, budget) {
            // No more bits are to be had.
            Err(Error::Undecided(_)) if last.is_some() => break,
            all => all?,
        };
        if !all.finite()? {
            return Ok(None);
        }
        let mut found = from_moments(&all.values);
        if mirrored {
            for odd in found.iter_mut().skip(2).step_by(2) {
                *odd = Enclosure::zero(working);
            }
        }
        let spread = found[1].lower().clone();
        let mut lost = 0_i64;
        for (j, cumulant) in found.iter().enumerate() {
            let width = rug::Float::with_val(64, cumulant.upper() - cumulant.lower());
            let exponent = |x: &rug::Float| x.get_exp().map(i64::from);
            let scale = if spread > 0 { exponent(&spread).map(|e| e * (j as i64 + 1) / 2) } else { None };
            lost = lost.max(match (exponent(&width), scale) {
                (None, _) => 0,
                (Some(width), Some(scale)) => width - scale + i64::from(bits),
                (Some(_), None) => i64::from(working),
            });
        }
        found.truncate(count as usize);
        if lost <= 0 {
            return Ok(Some(found));
        }
        last = Some(found);
        let next = working.saturating_add(u32::try_from(lost).unwrap_or(u32::MAX)).saturating_add(16);
        if working >= budget.max_bits() {
            break;
        }
        working = next.min(budget.max_bits());
    }
    last.map(Some).ok_or_else(|| budget.out_of_bits())
}

/// Cumulants from moments, both from the first on, five at most.
fn from_moments(moments: &[Enclosure]) -> Vec<Enclosure> {
    let m = |j: usize| &moments[j - 1];
    let mean = m(1);
    let times = |n: u32, factors: &[&Enclosure]| {
        factors.iter().fold(Enclosure::one(mean.bits()).mul_u32(n), |product, factor| &product * *factor)
    };
    let mut all = vec![mean.clone()];
    let squares = mean.square();
    for order in 2..=moments.len() {
        all.push(match order {
            2 => m(2) - &squares,
            3 => m(3) - &times(3, &[m(2), mean]) + times(2, &[&squares, mean]),
            4 => {
                m(4) - &times(4, &[m(3), mean]) - times(3, &[&m(2).square()]) + times(12, &[m(2), &squares])
                    - times(6, &[&squares.square()])
            }
            _ => {
                m(5) - &times(5, &[m(4), mean]) - times(10, &[m(3), m(2)])
                    + times(20, &[m(3), &squares])
                    + times(30, &[&m(2).square(), mean])
                    - times(60, &[m(2), &squares, mean])
                    + times(24, &[&squares.square(), mean])
            }
        });
    }
    all
}
