//! Laplace noise of any scales and samples of it, run some times, one run at a time: the profile between the sums of
//! ends, by interpolation in the loss.
//!
//! With `w(y) = q + r e^y`, `q = 1 - r`, one run has under P' the losses `h = ln w(c)` and `l = ln w(-c)` with masses
//! `w(c) e^-c/2` and `w(-c)/2`, and between them the density `(e^(-c/2) sqrt(r)/4) e^(2x) (e^x - q)^(-3/2)`. From
//! `g(t) = (1 - e^t)_+` on, a run makes of the profile `g'(t) = E g(t - L)`, with more knots; between two of them it is
//! kept as its values at Chebyshev's nodes in t, each an integral by Gauss and Legendre over the pieces between the
//! knots that t - x meets.
//!
//! **What it errs by is estimated, not proven**: all is done with two numbers of nodes, and what both differ by is
//! taken to be the error of either. What it confirms is proven by the engine, whose arithmetic, function, variable and
//! order of integration are others.

use enclosure::Portable;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use malachite::Integer;
use malachite::base::num::arithmetic::traits::UnsignedAbs;
use malachite::base::num::basic::traits::{One, Zero};

use super::fixed::{Fixed, Span, integer, rational};
use super::words::{BITS, Exponential, Series, Words};
use crate::error::Error;

/// Knots and ends that are nearer than so many of the last bits are the same.
const SAME: u64 = 30;
/// Distances that differ in no more than so many of the last bits are the same.
const ALIKE: u64 = 16;
/// Coefficients at the end of a list with no more than so many of the last bits are left out: of a few hundred none
/// counts in the bits that are trusted.
const NOTHING: u64 = 20;
/// Bits that the nodes are to be good for.
const WANTED: f64 = 116.0;
/// Nodes that the second computation has more.
const MORE: usize = 16;

/// `c = sensitivity/scale`, and the rate, 1 for the noise itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub shift: rug::Rational,
    pub rate: rug::Rational,
    pub times: u32,
}

/// Of pieces of an integral, by how far both ends are from the place, to the last bits that count: how far the nodes
/// are, and the density there with the weight. Between knots that are equally far from each other all cells have the
/// same.
type Densities = BTreeMap<[Words; 2], Vec<(Words, Words)>>;

/// The profile by two numbers of nodes.
pub struct Profile {
    both: [Last; 2],
}

/// The profile before the last run, and that run: of a few values each is one integral more, and no interpolation.
struct Last {
    before: Pieces,
    run: Run,
    rules: Rules,
    /// Of `before`, as a whole.
    nodes: Vec<Vec<(Words, Words)>>,
    knots: Vec<Words>,
    /// By interpolation, for many values.
    whole: OnceLock<Pieces>,
}

/// The nodes of integrals and of interpolation.
struct Rules {
    weights: Vec<(Words, Words)>,
    circle: Vec<Words>,
}

/// Two values, in units of `2^-192`.
pub type Values = [Integer; 2];

/// The profile, by so many nodes.
struct Pieces {
    fixed: Fixed,
    exponential: &'static Exponential,
    /// Rising, and between each and the next a cell.
    knots: Vec<Words>,
    cells: Vec<Cell>,
}

/// Between two knots.
struct Cell {
    /// What has the sum of both ends taken off is divided by how wide it is.
    sum: Words,
    over: Words,
    /// In Chebyshev's polynomials.
    series: Series,
}

/// One run, in units.
struct Run {
    high: Words,
    low: Words,
    masses: [Words; 2],
    front: Words,
    rest: Words,
}

impl Profile {
    /// The most runs in all.
    pub const MOST: u32 = 10;

    /// Of these.
    ///
    /// # Errors
    /// What says so beyond the range of the arithmetic.
    pub fn new(kinds: &[Kind]) -> Result<Self, Error> {
        // A cell is at most as wide as the loss of one run, and the density's singularity is ln q.
        let slowest = kinds.iter().map(|kind| {
            let (c, rate) = (kind.shift.to_f64(), kind.rate.to_f64());
            let loss = |y: f64| (rate * y.portable_exp_m1()).portable_ln_1p();
            let far = if rate < 1.0 { (loss(-c) - (-rate).portable_ln_1p()) / (loss(c) - loss(-c)) } else { 2.0 };
            let x = 1.0 + 2.0 * far.min(2.0);
            (x + (x * x - 1.0).sqrt()).portable_log2()
        });
        let nodes = (WANTED / slowest.fold(f64::INFINITY, f64::min)) as usize + 8;
        let both = [Last::new(kinds, nodes)?, Last::new(kinds, nodes + MORE)?];
        Ok(Profile { both })
    }

    /// Forwards, in units; t is as well.
    ///
    /// # Errors
    /// As above.
    pub fn at(&self, t: &Integer) -> Result<Values, Error> {
        let Some(t) = Words::of(t) else {
            // As far as that there are no knots.
            let value = if *t < 0 { &self.fixed().one - self.fixed().power(t)? } else { Integer::ZERO };
            return Ok([value.clone(), value]);
        };
        Ok([self.both[0].value(t).integer(), self.both[1].value(t).integer()])
    }

    /// Make ready for many values.
    ///
    /// # Errors
    /// As above.
    pub fn interpolate(&self) -> Result<(), Error> {
        self.both.iter().try_for_each(Last::interpolate)
    }

    /// No loss is farther from zero.
    pub fn reach(&self) -> Integer {
        let ends = [self.both[0].knots.first(), self.both[0].knots.last()].into_iter().flatten();
        ends.map(|end| Integer::from(end.integer().unsigned_abs())).max().unwrap_or_default()
    }

    /// The arithmetic.
    pub fn fixed(&self) -> &Fixed {
        &self.both[0].before.fixed
    }
}

/// Functions in units, good to the last few of them.
impl Fixed {
    /// `e^x`.
    ///
    /// # Errors
    /// As of [`Exponential::of`].
    pub fn power(&self, x: &Integer) -> Result<Integer, Error> {
        Exponential::get()?.of(x)
    }

    /// A product.
    pub fn product(&self, a: &Integer, b: &Integer) -> Integer {
        (a * b) >> self.bits
    }

    /// A quotient.
    pub fn quotient(&self, a: &Integer, b: &Integer) -> Integer {
        (a << self.bits) / b
    }

    /// A square root.
    ///
    /// # Errors
    /// As of [`Fixed::sqrt`].
    pub fn root(&self, x: &Integer) -> Result<Integer, Error> {
        Ok(self.sqrt(&Span { low: x.clone(), high: x.clone() })?.low)
    }

    /// `ln w`, by Newton's method for `e^x = w`: `x + 2 (w - e^x)/(w + e^x)`.
    ///
    /// # Errors
    /// As of [`Fixed::exp`].
    pub fn logarithm(&self, w: &Integer, near: f64) -> Result<Integer, Error> {
        let mut x = Integer::from((near * 1e15) as i64) * &self.one / Integer::from(1_000_000_000_000_000i64);
        for _ in 0..4 {
            let power = self.power(&x)?;
            x += self.quotient(&((w - &power) * Integer::from(2)), &(w + &power));
        }
        Ok(x)
    }

    fn rounded(&self, x: &rug::Rational) -> Result<Integer, Error> {
        Ok((integer(x.numer())? << self.bits) / integer(x.denom())?)
    }
}

impl Run {
    fn new(kind: &Kind, fixed: &Fixed) -> Result<Self, Error> {
        let (c, rate) = (fixed.rounded(&kind.shift)?, fixed.rounded(&kind.rate)?);
        let rest = &fixed.one - &rate;
        let (up, down) = (fixed.power(&c)?, fixed.power(&-&c)?);
        let (most, least) = (&rest + fixed.product(&rate, &up), &rest + fixed.product(&rate, &down));
        let near = |c: f64| (kind.rate.to_f64() * c.portable_exp_m1()).portable_ln_1p();
        let (wide, narrow) = (near(kind.shift.to_f64()), near(-kind.shift.to_f64()));
        Ok(Run {
            high: words(&fixed.logarithm(&most, wide)?)?,
            low: words(&fixed.logarithm(&least, narrow)?)?,
            masses: [words(&(fixed.product(&most, &down) >> 1u64))?, words(&(least >> 1u64))?],
            front: words(&(fixed.product(&fixed.root(&down)?, &fixed.root(&rate)?) >> 2u64))?,
            rest: words(&rest)?,
        })
    }

    /// The density at a loss, by its exponential E: `front E^2 (E - q)^(-3/2)`.
    fn density(&self, power: Words) -> Words {
        let over = power.sub(self.rest).inverse_root();
        let both = power.mul(over);
        self.front.mul(both).mul(both).mul(over)
    }
}

/// A number of units in words.
fn words(x: &Integer) -> Result<Words, Error> {
    Words::of(x).ok_or_else(|| Error::Undecided("a number of the second route beyond its words".into()))
}

/// The rule of Gauss and Legendre: nodes and weights, in units.
fn rule(count: usize, fixed: &Fixed) -> Result<Vec<(Words, Words)>, Error> {
    let n = count as u64;
    let mut all = Vec::with_capacity(count);
    for place in 0..count {
        let about = (std::f64::consts::PI * (place as f64 + 0.75) / (count as f64 + 0.5)).portable_cos();
        let mut x = Integer::from((about * 1e15) as i64) * &fixed.one / Integer::from(1_000_000_000_000_000i64);
        let mut slope = Integer::ONE;
        for _ in 0..6 {
            let (mut before, mut last) = (fixed.one.clone(), x.clone());
            for k in 1..n {
                let next = (fixed.product(&x, &last) * Integer::from(2 * k + 1) - before * Integer::from(k))
                    / Integer::from(k + 1);
                (before, last) = (last, next);
            }
            let rest = &fixed.one - fixed.product(&x, &x);
            slope = fixed.quotient(&((before - fixed.product(&x, &last)) * Integer::from(n)), &rest);
            x -= fixed.quotient(&last, &slope);
        }
        let rest = &fixed.one - fixed.product(&x, &x);
        let square = fixed.product(&rest, &fixed.product(&slope, &slope));
        let weight = fixed.quotient(&(&fixed.one * Integer::from(2)), &square);
        all.push((words(&x)?, words(&weight)?));
    }
    Ok(all)
}

impl Last {
    fn new(kinds: &[Kind], count: usize) -> Result<Self, Error> {
        let fixed = Fixed::new(BITS);
        let rules = Rules { weights: rule(count / 2 + 4, &fixed)?, circle: cosines(count, &fixed)? };
        let exponential = Exponential::get()?;
        let mut before = Pieces { fixed, exponential, knots: vec![Words::ZERO], cells: Vec::new() };
        // As long as all are of one kind, knots are equally far from each other.
        let mut kinds: Vec<&Kind> = kinds.iter().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.times));
        let mut densities = Densities::new();
        let mut last: Option<(usize, Run)> = None;
        for (i, kind) in kinds.into_iter().enumerate() {
            for _ in 0..kind.times {
                if let Some((i, run)) = &last {
                    before = before.step(run, &rules, (*i == 0).then_some(&mut densities))?;
                }
                last = Some((i, Run::new(kind, &before.fixed)?));
            }
        }
        let (_, run) = last.ok_or_else(|| Error::input("nothing is run"))?;
        let (nodes, knots) = (before.nodes(&rules.weights), before.after_knots(&run)?);
        Ok(Last { before, run, rules, nodes, knots, whole: OnceLock::new() })
    }

    fn interpolate(&self) -> Result<(), Error> {
        if self.whole.get().is_none() {
            // Another one that came first made the same.
            let _ = self.whole.set(self.before.step(&self.run, &self.rules, None)?);
        }
        Ok(())
    }

    /// The profile at t.
    fn value(&self, t: Words) -> Words {
        if let Some(whole) = self.whole.get() {
            return whole.value(t);
        }
        match self.knots.partition_point(|knot| *knot <= t) {
            0 => Words::ONE.sub(self.before.exponential.at(t)),
            place if place == self.knots.len() => Words::ZERO,
            _ => self.before.after(&self.run, t, &self.rules.weights, &self.nodes, None),
        }
    }
}

impl Cell {
    fn new(ends: &[Words], coefficients: &[Integer], fixed: &Fixed) -> Result<Self, Error> {
        let (low, high) = (ends[0].integer(), ends[1].integer());
        let over = words(&fixed.quotient(&fixed.one, &(&high - &low)))?;
        Ok(Cell { sum: words(&(low + high))?, over, series: Series::new(coefficients)? })
    }

    fn value(&self, t: Words) -> Words {
        self.series.at(t.add(t).sub(self.sum).mul(self.over))
    }
}

impl Pieces {
    /// The knots after one more run.
    fn after_knots(&self, run: &Run) -> Result<Vec<Words>, Error> {
        let all = self.knots.iter().flat_map(|knot| [knot.add(run.low), knot.add(run.high)]);
        let mut knots: Vec<Words> = all.collect();
        knots.sort();
        let same = words(&(Integer::ONE << SAME))?;
        knots.dedup_by(|b, a| b.sub(*a) < same);
        Ok(knots)
    }

    /// One more run, with the densities of runs of this kind where those before all were of it.
    fn step(&self, run: &Run, rules: &Rules, mut kept: Option<&mut Densities>) -> Result<Self, Error> {
        let (fixed, circle) = (&self.fixed, &rules.circle);
        let count = circle.len() / 4;
        let known = self.nodes(&rules.weights);
        let knots = self.after_knots(run)?;
        let mut cells = Vec::with_capacity(knots.len());
        for ends in knots.windows(2) {
            let [middle, half] = middle_and_half(ends[0], ends[1]);
            let places = (0..count).map(|m| middle.add(half.mul(circle[2 * m + 1])));
            let at = |t| self.after(run, t, &rules.weights, &known, kept.as_deref_mut());
            let values: Vec<Words> = places.map(at).collect();
            let coefficient = |k: usize| {
                let turn = |m: usize| circle[(k * (2 * m + 1)) % (4 * count)];
                let part = |sum: Words, (m, value): (usize, &Words)| sum.add(value.mul(turn(m)));
                let sum = values.iter().enumerate().fold(Words::ZERO, part).integer() / Integer::from(count as u64);
                if k == 0 { sum } else { sum * Integer::from(2) }
            };
            let mut cell: Vec<Integer> = (0..count).map(coefficient).collect();
            // They fall geometrically, on most cells faster than on the one that tells how many are wanted.
            while cell.len() > 1 && cell.last().is_some_and(|last| last.unsigned_abs() >> NOTHING == 0u32) {
                cell.pop();
            }
            cells.push(Cell::new(ends, &cell, fixed)?);
        }
        Ok(Pieces { fixed: Fixed::new(BITS), exponential: self.exponential, knots, cells })
    }

    /// The nodes of each cell as a whole: the profile there with its weight, and `e^-y`.
    fn nodes(&self, weights: &[(Words, Words)]) -> Vec<Vec<(Words, Words)>> {
        let one = |ends: &[Words]| {
            let [middle, half] = middle_and_half(ends[0], ends[1]);
            let node = |(node, weight): &(Words, Words)| {
                let y = middle.add(half.mul(*node));
                (half.mul(*weight).mul(self.value(y)), self.exponential.at(Words::ZERO.sub(y)))
            };
            weights.iter().map(node).collect()
        };
        self.knots.windows(2).map(one).collect()
    }

    /// One more run, at t: the integral of the profile at y and the density at `t - y`, cell by cell.
    fn after(
        &self,
        run: &Run,
        t: Words,
        weights: &[(Words, Words)],
        known: &[Vec<(Words, Words)>],
        mut kept: Option<&mut Densities>,
    ) -> Words {
        let (first, last) = (t.sub(run.high), t.sub(run.low));
        let mut sum = run.masses[0].mul(self.value(first)).add(run.masses[1].mul(self.value(last)));
        let power = self.exponential.at(t);
        for (ends, nodes) in self.knots.windows(2).zip(known) {
            if ends[0] >= first && ends[1] <= last {
                for (value, inverse) in nodes {
                    sum = sum.add(value.mul(run.density(power.mul(*inverse))));
                }
            }
        }
        // Below all knots, and the cells that both ends cut: the same rule there. Beyond all knots is nothing.
        let below = self.knots.first().map(|knot| (first, last.min(*knot)));
        let cut = self.knots.windows(2).filter(|ends| ends[0] < first || ends[1] > last);
        let cut = cut.map(|ends| (first.max(ends[0]), last.min(ends[1])));
        for (low, high) in below.into_iter().chain(cut).filter(|(low, high)| low < high) {
            let ends = [t.sub(high), t.sub(low)];
            let mut add = |nodes: &[(Words, Words)]| {
                sum = nodes.iter().fold(sum, |sum, (x, density)| sum.add(density.mul(self.value(t.sub(*x)))));
            };
            match &mut kept {
                Some(kept) => add(kept
                    .entry(ends.map(|end| end.rounded(ALIKE)))
                    .or_insert_with(|| self.densities(run, ends, weights))),
                None => add(&self.densities(run, ends, weights)),
            }
        }
        sum
    }

    /// The nodes between two losses, and the density there with the weight.
    fn densities(&self, run: &Run, [near, far]: [Words; 2], weights: &[(Words, Words)]) -> Vec<(Words, Words)> {
        let [middle, half] = middle_and_half(near, far);
        let node = |(node, weight): &(Words, Words)| {
            let x = middle.add(half.mul(*node));
            (x, half.mul(*weight).mul(run.density(self.exponential.at(x))))
        };
        weights.iter().map(node).collect()
    }

    /// The profile at t.
    fn value(&self, t: Words) -> Words {
        let place = self.knots.partition_point(|knot| *knot <= t);
        if place == self.knots.len() {
            return Words::ZERO;
        }
        match place.checked_sub(1).and_then(|place| self.cells.get(place)) {
            Some(cell) => cell.value(t),
            None => Words::ONE.sub(self.exponential.at(t)),
        }
    }
}

/// Of two ends.
fn middle_and_half(low: Words, high: Words) -> [Words; 2] {
    [low.add(high).halved(), high.sub(low).halved()]
}

/// `cos(i pi/(2n))` for all i below 4n, by Chebyshev's recurrence from the first, which is found by Newton's method for
/// `T_n(x) = 0` at `cos(pi/(2n))`.
fn cosines(count: usize, fixed: &Fixed) -> Result<Vec<Words>, Error> {
    let about = (std::f64::consts::PI / (2.0 * count as f64)).portable_cos();
    let mut x = Integer::from((about * 1e15) as i64) * &fixed.one / Integer::from(1_000_000_000_000_000i64);
    for _ in 0..6 {
        let (mut before, mut last) = (fixed.one.clone(), x.clone());
        let (mut below, mut second) = (fixed.one.clone(), &x * Integer::from(2));
        for _ in 1..count {
            let next = fixed.product(&x, &last) * Integer::from(2) - &before;
            (before, last) = (last, next);
            let next = fixed.product(&x, &second) * Integer::from(2) - &below;
            (below, second) = (second, next);
        }
        // T_n' = n U_(n-1).
        x -= fixed.quotient(&last, &below) / Integer::from(count as u64);
    }
    let mut all = vec![fixed.one.clone(), x.clone()];
    for i in 2..4 * count {
        let next = fixed.product(&x, &all[i - 1]) * Integer::from(2) - &all[i - 2];
        all.push(next);
    }
    all.iter().map(words).collect()
}

/// A number of units.
///
/// # Errors
/// As of the arithmetic.
pub fn exact(x: &Integer) -> Result<rug::Rational, Error> {
    rational(x, BITS as i64)
}

/// Losses with masses under P, of so many runs of randomised response with these odds.
pub fn responses(loss: &Integer, odds: &Integer, times: u32, fixed: &Fixed) -> Vec<(Integer, Integer)> {
    let all = &fixed.one + odds;
    let masses = [fixed.quotient(odds, &all), fixed.quotient(&fixed.one, &all)];
    let mut known = BTreeMap::from([(0i64, fixed.one.clone())]);
    for _ in 0..times {
        let mut next: BTreeMap<i64, Integer> = BTreeMap::new();
        for (place, mass) in known {
            for (step, part) in [1, -1].into_iter().zip(&masses) {
                *next.entry(place + step).or_insert(Integer::ZERO) += fixed.product(&mass, part);
            }
        }
        known = next;
    }
    known.into_iter().map(|(place, mass)| (loss * Integer::from(place), mass)).collect()
}
