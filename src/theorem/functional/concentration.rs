//! How concentrated the privacy loss is: its subgaussian standard, and the least rho of zero-concentrated privacy.
//!
//! With `K(t) = ln E e^(tL)` and the mean m of the loss L,
//!
//! * the square of the subgaussian standard of `L - m` is the supremum of `h(t) = 2 (K(t) - t m)/t^2` over all real
//!   `t != 0` (Dwork and Rothblum 2016, Definition 2.5), with the variance of L as its value at 0;
//! * rho-zCDP is `D_a <= rho a` for all `a > 1` (Bun and Steinke 2016, Definition 1.1), so that the least rho of one
//!   order of the pair is the supremum of `K(t)/(t (1+t))` over `t > 0`, with the limit m at 0.
//!
//! **Where the supremum is known.** Gaussian noise has `h = mu^2` everywhere. `E e^-L = 1` where both distributions
//! have the same outcomes, and then `h(-1) = 2m`. Discrete Gaussian noise and randomised response have `h <= 2m`
//! (Canonne, Kamath and Steinke 2020; Kearns and Saul 1998). So the supremum of a composition of these is `2m`, at
//! `t = -1`, and its least rho is m, as `K(t) <= t m + t^2 m`. A Poisson sample of rate r of Gaussian noise has
//! `D_a >= a mu^2/2 + (a/(a-1)) ln r`, and at most `a mu^2/2`: there the least rho is `mu^2/2`, approached as a grows,
//! whatever the rate is. The same holds of discrete Gaussian noise, along the integers.
//!
//! **Else it is searched for,** where losses have no more than finitely many values or are those of Laplace noise. Let
//! the losses of a step lie in an interval of length R. Every K is that of a tilted law on the same interval, of which
//! the variance is at most `R^2/4`. As `E (X-m)^4 <= R^2 V` of a law with variance V, its fourth cumulant
//! `E (X-m)^4 - 3 V^2` lies between `-2 V^2 >= -R^4/8` and `V (R^2 - 3V) <= R^4/12`, and its third one is at most
//! `R V <= R^3/4` in absolute value. So
//!
//! * `h(t) = 2 int_0^1 (1-s) K''(ts) ds` has `|h''| <= (1/6) sup |K''''| <= sum R^4/48`,
//! * `g(x) = x phi(1/x - 1)`, `phi(t) = K(t)/t = int_0^1 K'(ts) ds`, has `g''(x) = phi''(1/x - 1)/x^3`, and
//!   `|phi''| = |int_0^1 s^2 K'''(ts) ds| <= sum R^3/12`,
//!
//! and between two points at distance w a function is at most the larger value plus `w^2/8` times what bounds its
//! second derivative. Far out `h(t) <= 2 (max L - m)/t` for `t > 0`, `h(t) <= 2 (m - min L)/|t|` for `t < 0`, and
//! `g(x) <= x max L`. Paper proof: `proofs/paper/concentration.md`.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rug::Float;

use super::sum;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Operator, Outcome, Pair};
use enclosure::{Budget, Enclosure, Number};

/// Largest number of values before the search stops with the bounds proven so far.
const MOST: usize = 20_000;

/// Powers of 2 at which the search begins.
const FIRST: std::ops::RangeInclusive<i32> = -6..=24;

/// The subgaussian standard of the loss about its mean, in one direction; infinite where a loss is.
///
/// # Errors
/// [`Error::Undecided`] for pairs whose losses are neither listed nor of a family that is known here.
pub(super) fn standard(
    pairs: &[(Pair, u64)],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Value, Error> {
    let wide = bits.saturating_add(32);
    let twice = |mean: &Number| Value::Finite((mean * &Number::Exact(2.into())).sqrt(wide));
    // Backward there is no sample among these.
    if let Some(mean) = at_infinity(pairs, Direction::Backward, wide) {
        return Ok(twice(&mean));
    }
    let Value::Finite(mean) = sum(pairs, 1, direction, wide, budget)? else { return Ok(Value::Infinite) };
    if pairs.iter().all(|(pair, _)| is_sharp(pair)) {
        return Ok(twice(&mean));
    }
    let Some(losses) = Losses::of(pairs, direction, bits, budget)? else { return Ok(Value::Infinite) };
    if losses.steps.is_empty() && losses.square.sign() == Some(Ordering::Equal) {
        return Ok(Value::Finite(Number::zero()));
    }
    Ok(Value::Finite(Number::Enclosed(losses.standard(bits, budget)?.positive_part().sqrt())))
}

/// The least rho of zCDP, in one direction; infinite where a loss is.
///
/// # Errors
/// As [`standard`].
pub(super) fn zcdp(pairs: &[(Pair, u64)], direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
    let wide = bits.saturating_add(32);
    let Value::Finite(mean) = sum(pairs, 1, direction, wide, budget)? else { return Ok(Value::Infinite) };
    if pairs.iter().all(|(pair, _)| is_sharp(pair)) {
        return Ok(Value::Finite(mean));
    }
    let Some(losses) = Losses::of(pairs, direction, bits, budget)? else { return Ok(Value::Infinite) };
    Ok(Value::Finite(Number::Enclosed(losses.zcdp(bits, budget)?.positive_part())))
}

/// Is `h <= h(-1) = 2m`?
fn is_sharp(pair: &Pair) -> bool {
    match pair {
        Pair::Several(factors) => factors.iter().all(|(pair, _)| is_sharp(pair)),
        Pair::Equal | Pair::Gaussian { .. } | Pair::DiscreteGaussian { .. } => true,
        _ => pair.as_response().is_some_and(|(_, delta)| delta.is_zero()),
    }
}

/// The least rho of what has `D_a/a` tend to its supremum as a grows; `None` if something else is among the pairs.
///
/// The other direction of a sample has no larger supremum, and is not at its own there.
pub(super) fn at_infinity(pairs: &[(Pair, u64)], direction: Direction, bits: u32) -> Option<Number> {
    let half = |pair: &Pair| -> Option<Number> {
        match pair {
            Pair::Equal => Some(Number::zero()),
            Pair::Gaussian { mu } => Some(&mu.square().number(bits) / &Number::Exact(2.into())),
            Pair::DiscreteGaussian { sigma2, sensitivity } => {
                let square = rug::Rational::from(*sensitivity) * *sensitivity;
                Some(Number::Exact(square / (sigma2.clone() * 2u32)))
            }
            _ => None,
        }
    };
    let mut all = Number::zero();
    for (pair, times) in pairs {
        let own = match pair {
            Pair::Several(factors) => at_infinity(factors, direction, bits)?,
            Pair::Sample { rate, inner } if direction != Direction::Backward && !rate.is_zero() => half(inner)?,
            _ => half(pair)?,
        };
        all = &all + &(&own * &Number::Exact((*times).into()));
    }
    Some(all)
}

/// Are the least rhos of these pairs closed forms that add up?
pub fn rhos_add_up(pairs: &[(Pair, u64)], direction: Direction) -> bool {
    at_infinity(pairs, direction, 64).is_some()
}

/// The losses of a composition.
struct Losses {
    /// The sum of `mu^2` of the Gaussian noise.
    square: Enclosure,
    /// The sum of the losses that are constant.
    constant: Enclosure,
    /// The variance of what else there is.
    variance: Enclosure,
    /// What else there is.
    steps: Vec<Step>,
    bits: u32,
}

/// A bounded privacy loss, with its number of runs.
struct Step {
    times: u64,
    law: Law,
    mean: Enclosure,
    least: Enclosure,
    largest: Enclosure,
}

enum Law {
    /// Losses with their masses under the first distribution of the direction.
    Listed(Vec<(Enclosure, Enclosure)>),
    /// Laplace noise of scale 1, moved by so much.
    Laplace(Enclosure),
}

impl Losses {
    /// `None` where a loss is plus infinity.
    fn of(pairs: &[(Pair, u64)], direction: Direction, bits: u32, budget: &Budget) -> Result<Option<Self>, Error> {
        // Near 0 half of the bits cancel.
        let bits = bits.saturating_mul(2).saturating_add(96);
        let zero = Enclosure::zero(bits);
        let mut losses =
            Losses { square: zero.clone(), constant: zero.clone(), variance: zero, steps: Vec::new(), bits };
        if !losses.add(pairs, 1, direction, budget)? {
            return Ok(None);
        }
        if let Value::Finite(variance) = sum(pairs, 2, direction, bits, budget)? {
            losses.variance = (variance.enclosure(bits) - &losses.square).positive_part();
        }
        Ok(Some(losses))
    }

    /// Add pairs, each with `times` times its runs; `false` if a privacy loss is plus infinity.
    fn add(&mut self, pairs: &[(Pair, u64)], times: u64, direction: Direction, budget: &Budget) -> Result<bool, Error> {
        for (pair, own) in pairs {
            budget.check()?;
            let Some(times) = own.checked_mul(times) else {
                return Err(Error::undecided(
                    "the composition has too many \
                                                                                         runs",
                ));
            };
            let law = match pair {
                Pair::Equal => continue,
                Pair::Several(factors) => {
                    if !self.add(factors, times, direction, budget)? {
                        return Ok(false);
                    }
                    continue;
                }
                Pair::Gaussian { mu } => {
                    let count = Enclosure::integer(&times.into(), self.bits);
                    self.square = &self.square + &(mu.enclosure(self.bits).square() * count);
                    continue;
                }
                Pair::Derived(derived) if matches!(derived.operator(), Operator::Inverse) => {
                    let reversed = match direction {
                        Direction::Forward => Direction::Backward,
                        Direction::Backward => Direction::Forward,
                        Direction::Worst => Direction::Worst,
                    };
                    for part in derived.parts() {
                        if !self.add(part, times, reversed, budget)? {
                            return Ok(false);
                        }
                    }
                    continue;
                }
                Pair::Laplace { shift } => Law::Laplace(shift.enclosure(self.bits)),
                _ => match self.listed(pair, direction)? {
                    // `K(t) = t m` of a loss that is constant.
                    Some(list) if list.len() == 1 => {
                        let count = Enclosure::integer(&times.into(), self.bits);
                        self.constant = list.iter().fold(self.constant.clone(), |sum, (loss, _)| sum + loss * &count);
                        continue;
                    }
                    Some(list) => Law::Listed(list),
                    None => return Ok(false),
                },
            };
            self.steps.extend(Step::new(times, law, self.bits));
        }
        Ok(true)
    }

    /// The losses of a pair, as a list; `None` where one is plus infinity.
    fn listed(&self, pair: &Pair, direction: Direction) -> Result<Option<Vec<(Enclosure, Enclosure)>>, Error> {
        let polyline = || -> Result<Option<Pair>, Error> {
            Ok(match pair.trade_off()? {
                Some(f) => Some(Pair::finite(f.representing_pair()?)),
                None => None,
            })
        };
        let listed = match pair {
            Pair::Discrete(_) => Some(pair.clone()),
            _ => match pair.clone().with_listed_reports()? {
                found @ Pair::Discrete(_) => Some(found),
                _ => polyline()?,
            },
        };
        let Some(Pair::Discrete(list)) = listed else {
            return Err(Error::undecided(
                "dpcert computes this quantity only for Gaussian noise, Laplace noise and mechanisms with finitely \
                 many or listed privacy losses",
            ));
        };
        let outcomes = list.outcomes(self.bits)?;
        let backward = direction == Direction::Backward;
        let infinite = if backward { &outcomes.infinite_q } else { &outcomes.infinite_p };
        if infinite.sign() != Some(Ordering::Equal) {
            return Ok(None);
        }
        let one = |Outcome { loss, p, q }: Outcome| {
            if backward { (-loss, q.enclosure(self.bits)) } else { (loss, p.enclosure(self.bits)) }
        };
        Ok(Some(outcomes.finite.into_iter().map(one).filter(|(_, mass)| *mass.upper() > 0).collect()))
    }

    /// The sum over the steps of what is asked of each.
    fn total(&self, of: impl Fn(&Step) -> Result<Enclosure, Error>) -> Result<Enclosure, Error> {
        let mut total = Enclosure::zero(self.bits);
        for step in &self.steps {
            total = total + of(step)? * Enclosure::integer(&step.times.into(), self.bits);
        }
        Ok(total)
    }

    /// The supremum of h.
    fn standard(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if self.steps.is_empty() {
            return Ok(self.square.clone());
        }
        let value = |t: &Float| -> Result<Enclosure, Error> {
            if t.is_zero() {
                return Ok(self.variance.clone());
            }
            let t = Enclosure::new(t.clone(), t.clone());
            let above = self.total(|step| Ok(step.ln_mean_exp(&t, budget)? - &step.mean * &t))?;
            Ok(above.shift(1) / t.square())
        };
        let curvature = self.total(|step| Ok(step.range().pow(4)))?.div_u32(48);
        let right = self.total(|step| Ok(&step.largest - &step.mean))?;
        let left = self.total(|step| Ok(&step.mean - &step.least))?;
        let mut search = Search::new(&value, bits, budget);
        search.at(Float::new(self.bits))?;
        for k in FIRST {
            for sign in [-1, 1] {
                search.at(Float::with_val(self.bits, sign) << k)?;
            }
        }
        // Beyond these ends nothing is larger than what was found.
        let end = |side: &Enclosure| Some((side / search.best.as_ref()?).upper().clone() * 2u32);
        if let (Some(left), Some(right)) = (end(&left), end(&right)) {
            search.within(-left, right)?;
            let found = search.greatest(|_, _| curvature.upper().clone())?;
            return Ok(&self.square + &found);
        }
        // Hoeffding's lemma: `h <= R^2/4`.
        let most = self.total(|step| Ok(step.range().square()))?.shift(-2);
        Ok(&self.square + &Enclosure::zero(self.bits).hull(&most))
    }

    /// The supremum of `K(t)/(t (1+t))`.
    fn zcdp(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let half = self.square.shift(-1);
        if self.steps.is_empty() {
            return Ok(&half + &self.constant);
        }
        let one = Enclosure::one(self.bits);
        let value = |x: &Float| -> Result<Enclosure, Error> {
            let x = Enclosure::new(x.clone(), x.clone());
            let t = (&one - &x) / &x;
            // `c t/(t (1+t)) = c x` of a constant c.
            let constant = &self.constant * &x;
            if t.sign() == Some(Ordering::Equal) {
                return Ok(self.total(|step| Ok(step.mean.clone()))? + constant);
            }
            Ok(self.total(|step| step.ln_mean_exp(&t, budget))? * x / t + constant)
        };
        let third = self.total(|step| Ok(step.range().pow(3)))?.div_u32(12);
        let largest = self.total(|step| Ok(step.largest.clone()))? + &self.constant;
        let mut search = Search::new(&value, bits, budget);
        for k in 0..=*FIRST.end() {
            search.at(Float::with_val(self.bits, 1) >> k)?;
        }
        let Some(best) = &search.best else {
            return Ok(&half + &Enclosure::zero(self.bits).hull(&largest.positive_part()));
        };
        let least = (best / &largest).lower().clone();
        search.within(least, Float::with_val(self.bits, 1))?;
        let found = search.greatest(|from, _| {
            let from = Enclosure::new(from.clone(), from.clone());
            (&third / &from.pow(3)).upper().clone()
        })?;
        Ok(&half + &found)
    }
}

impl Step {
    /// `None` of what has one loss alone, or none.
    fn new(times: u64, law: Law, bits: u32) -> Option<Self> {
        let (mean, least, largest) = match &law {
            // E L = s + e^-s - 1
            Law::Laplace(s) => ((-s).expm1() + s, -s, s.clone()),
            Law::Listed(list) => {
                let mut ends: Option<(Enclosure, Enclosure)> = None;
                let mut mean = Enclosure::zero(bits);
                for (loss, mass) in list {
                    mean = mean + loss * mass;
                    ends = Some(match ends {
                        None => (loss.clone(), loss.clone()),
                        Some((least, largest)) => (least.min(loss), largest.max(loss)),
                    });
                }
                let (least, largest) = ends?;
                (mean, least, largest)
            }
        };
        Some(Step { times, law, mean, least, largest })
    }

    fn range(&self) -> Enclosure {
        (&self.largest - &self.least).positive_part()
    }

    /// `K(t)`.
    fn ln_mean_exp(&self, t: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        match &self.law {
            // With u = t + 1/2, E e^(tL) = e^(-s/2) (cosh(us) + sinh(us)/(2u)).
            Law::Laplace(s) => {
                let u = t + &Enclosure::one(t.bits()).shift(-1);
                let us = &u * s;
                let (up, down) = (us.expm1(), (-&us).expm1());
                let cosh_less_one = (&up + &down).shift(-1);
                let ratio = match u.sign() {
                    Some(Ordering::Equal) => s.shift(-1),
                    _ => (up - down).shift(-1) / u.shift(1),
                };
                Ok((cosh_less_one + ratio + Enclosure::one(t.bits())).ln() - s.shift(-1))
            }
            Law::Listed(list) => {
                let mut mean = Enclosure::zero(t.bits());
                for part in list.chunks(1024) {
                    budget.check()?;
                    for (loss, mass) in part {
                        mean = mean + (loss * t).exp() * mass;
                    }
                }
                Ok(mean.ln())
            }
        }
    }
}

/// Values of a function, and the best of them.
struct Search<'a> {
    value: &'a dyn Fn(&Float) -> Result<Enclosure, Error>,
    points: Vec<(Float, Enclosure)>,
    /// A point that is positive and no larger than the supremum.
    best: Option<Enclosure>,
    bits: u32,
    budget: &'a Budget,
}

impl<'a> Search<'a> {
    fn new(value: &'a dyn Fn(&Float) -> Result<Enclosure, Error>, bits: u32, budget: &'a Budget) -> Self {
        Search { value, points: Vec::new(), best: None, bits, budget }
    }

    /// Ask for the value at a point.
    fn at(&mut self, place: Float) -> Result<Enclosure, Error> {
        self.budget.check()?;
        let value = (self.value)(&place)?;
        let lower = value.lower();
        if *lower > 0 && self.best.as_ref().is_none_or(|best| lower > best.lower()) {
            self.best = Some(Enclosure::new(lower.clone(), lower.clone()));
        }
        self.points.push((place, value.clone()));
        Ok(value)
    }

    /// Keep the points between two ends, which become points.
    fn within(&mut self, least: Float, largest: Float) -> Result<(), Error> {
        self.points.retain(|(place, _)| *place > least && *place < largest);
        for end in [least, largest] {
            self.at(end)?;
        }
        self.points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        Ok(())
    }

    /// The supremum between the first and the last point, of a function whose second derivative between two places is
    /// at most so large. Always the gap with the largest bound is cut in two.
    fn greatest(mut self, curvature: impl Fn(&Float, &Float) -> Float) -> Result<Enclosure, Error> {
        let precision = self.points.first().map_or(64, |(place, _)| place.prec());
        let gap = |from: &(Float, Enclosure), to: &(Float, Enclosure)| {
            let width = Enclosure::new(to.0.clone(), to.0.clone()) - Enclosure::new(from.0.clone(), from.0.clone());
            let bend = curvature(&from.0, &to.0);
            let above = width.square().shift(-3) * Enclosure::new(bend.clone(), bend);
            let top = from.1.max(&to.1) + &above;
            Gap { top: top.upper().clone(), above: above.upper().clone(), from: from.clone(), to: to.clone() }
        };
        let mut gaps: BinaryHeap<Gap> = self.points.windows(2).map(|pair| gap(&pair[0], &pair[1])).collect();
        for _ in 0..MOST {
            let (Some(best), Some(widest)) = (&self.best, gaps.peek()) else { break };
            let goal = Float::with_val(64, best.lower()) >> self.bits;
            let excess = Float::with_val(precision, &widest.top - best.lower());
            // Where the bend is far below the goal, no cut brings the bound further down.
            if excess <= goal || widest.above < Float::with_val(64, &goal >> 8) {
                break;
            }
            let Some(Gap { from, to, .. }) = gaps.pop() else { break };
            let middle = Float::with_val(precision, &from.0 + &to.0) / 2u32;
            let value = self.at(middle.clone())?;
            let middle = (middle, value);
            gaps.push(gap(&from, &middle));
            gaps.push(gap(&middle, &to));
        }
        let top = gaps.pop().map(|gap| gap.top);
        match (self.best, top) {
            (Some(best), Some(top)) => Ok(Enclosure::new(best.lower().clone(), top.max(best.lower()))),
            _ => Err(Error::internal("a search without points")),
        }
    }
}

/// Two neighbouring points.
struct Gap {
    from: (Float, Enclosure),
    to: (Float, Enclosure),
    /// No value between them is larger.
    top: Float,
    /// By so much a value between them may exceed both.
    above: Float,
}

impl Ord for Gap {
    fn cmp(&self, other: &Self) -> Ordering {
        self.top.total_cmp(&other.top)
    }
}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gap {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gap {}
