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

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{DivRound, UnsignedAbs};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::rounding_modes::RoundingMode::Floor;

use super::fixed::{Fixed, Span, integer, rational};
use super::words::{BITS, Words};
use crate::error::Error;

/// Knots and ends that are nearer than so many of the last bits are the same.
const SAME: u64 = 30;
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
    nodes: Vec<Vec<(Integer, Integer)>>,
    knots: Vec<Integer>,
    /// By interpolation, for many values.
    whole: OnceLock<Pieces>,
}

/// The nodes of integrals and of interpolation.
struct Rules {
    weights: Vec<(Integer, Integer)>,
    circle: Vec<Integer>,
}

/// Two values, in units of `2^-240`.
pub type Values = [Integer; 2];

/// The profile, by so many nodes.
struct Pieces {
    fixed: Fixed,
    /// Rising, and between each and the next the coefficients in Chebyshev's polynomials.
    knots: Vec<Integer>,
    cells: Vec<Vec<Words>>,
}

/// One run, in units.
struct Run {
    high: Integer,
    low: Integer,
    masses: [Integer; 2],
    front: Integer,
    rest: Integer,
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
            let loss = |y: f64| (rate * y.exp_m1()).ln_1p();
            let far = if rate < 1.0 { (loss(-c) - (-rate).ln_1p()) / (loss(c) - loss(-c)) } else { 2.0 };
            let x = 1.0 + 2.0 * far.min(2.0);
            (x + (x * x - 1.0).sqrt()).log2()
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
        Ok([self.both[0].value(t)?, self.both[1].value(t)?])
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
        ends.map(|end| Integer::from(end.unsigned_abs())).max().unwrap_or_default()
    }

    /// The arithmetic.
    pub fn fixed(&self) -> &Fixed {
        &self.both[0].before.fixed
    }
}

/// Bits of a digit.
const DIGIT: u64 = 8;

/// Exponentials of digits, by place.
type Powers = [Vec<Integer>; 3];

/// Those that were asked for last, with their bits.
static POWERS: Mutex<Option<(u64, Arc<Powers>)>> = Mutex::new(None);

/// Functions in units, good to the last few of them.
impl Fixed {
    /// `e^x`: of the digits of `x - k ln 2` to the base 256 the first three by tables, the rest by the series.
    ///
    /// # Errors
    /// As of [`Fixed::exp`].
    pub fn power(&self, x: &Integer) -> Result<Integer, Error> {
        let k = x.div_round(&self.ln_2.low, Floor).0;
        let mut rest = x - &k * &self.ln_2.low;
        let shift = i64::try_from(&k).map_err(|_| Error::Undecided("an exponential of the second route".into()))?;
        let mut value = self.one.clone();
        for (power, place) in self.powers()?.iter().zip(1..) {
            let bits = self.bits - DIGIT * place;
            let digit = &rest >> bits;
            rest -= &digit << bits;
            let digit = usize::try_from(&digit).ok().and_then(|digit| power.get(digit));
            value = self.product(&value, digit.ok_or_else(|| Error::internal("a digit beyond the base"))?);
        }
        let (mut sum, mut term, mut n) = (self.one.clone(), self.one.clone(), 0u32);
        while term != 0u32 {
            n += 1;
            term = self.product(&term, &rest) / Integer::from(n);
            sum += &term;
        }
        let value = self.product(&value, &sum);
        Ok(if shift >= 0 { value << shift.unsigned_abs() } else { value >> shift.unsigned_abs() })
    }

    /// `e^(digit 256^-place)` of all digits, for the first places.
    fn powers(&self) -> Result<Arc<Powers>, Error> {
        let mut known = POWERS.lock().map_err(|_| Error::internal("another exponential failed"))?;
        if let Some((bits, powers)) = &*known
            && *bits == self.bits
        {
            return Ok(Arc::clone(powers));
        }
        let at = |place: u64, digit: u64| -> Result<Integer, Error> {
            let x = Integer::from(digit) << (self.bits - DIGIT * place);
            let (mantissa, exponent) = self.exp(&Span { low: x.clone(), high: x })?;
            Ok(mantissa.low << exponent.unsigned_abs())
        };
        let table = |place| (0..1 << DIGIT).map(|digit| at(place, digit)).collect::<Result<Vec<_>, _>>();
        let powers = Arc::new([table(1)?, table(2)?, table(3)?]);
        *known = Some((self.bits, Arc::clone(&powers)));
        Ok(powers)
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
        let near = |c: f64| (kind.rate.to_f64() * c.exp_m1()).ln_1p();
        let (wide, narrow) = (near(kind.shift.to_f64()), near(-kind.shift.to_f64()));
        Ok(Run {
            high: fixed.logarithm(&most, wide)?,
            low: fixed.logarithm(&least, narrow)?,
            masses: [fixed.product(&most, &down) >> 1u64, least >> 1u64],
            front: fixed.product(&fixed.root(&down)?, &fixed.root(&rate)?) >> 2u64,
            rest,
        })
    }

    /// The density at a loss, by its exponential.
    fn density(&self, power: &Integer, fixed: &Fixed) -> Result<Integer, Error> {
        let inner = power - &self.rest;
        // `(E - q)^(-3/2) = sqrt(E - q)/(E - q)^2`.
        let square = fixed.product(power, power);
        let over = fixed.quotient(&fixed.product(&square, &fixed.root(&inner)?), &fixed.product(&inner, &inner));
        Ok(fixed.product(&self.front, &over))
    }
}

/// The rule of Gauss and Legendre: nodes and weights, in units.
fn rule(count: usize, fixed: &Fixed) -> Vec<(Integer, Integer)> {
    let n = count as u64;
    let mut all = Vec::with_capacity(count);
    for place in 0..count {
        let about = (std::f64::consts::PI * (place as f64 + 0.75) / (count as f64 + 0.5)).cos();
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
        all.push((x, weight));
    }
    all
}

impl Last {
    fn new(kinds: &[Kind], count: usize) -> Result<Self, Error> {
        let fixed = Fixed::new(BITS);
        let rules = Rules { weights: rule(count / 2 + 4, &fixed), circle: cosines(count, &fixed)? };
        let mut before = Pieces { fixed, knots: vec![Integer::ZERO], cells: Vec::new() };
        let mut run: Option<Run> = None;
        for kind in kinds {
            for _ in 0..kind.times {
                if let Some(run) = run.replace(Run::new(kind, &before.fixed)?) {
                    before = before.step(&run, &rules)?;
                }
            }
        }
        let run = run.ok_or_else(|| Error::input("nothing is run"))?;
        let (nodes, knots) = (before.nodes(&rules.weights)?, before.after_knots(&run));
        Ok(Last { before, run, rules, nodes, knots, whole: OnceLock::new() })
    }

    fn interpolate(&self) -> Result<(), Error> {
        if self.whole.get().is_none() {
            // Another one that came first made the same.
            let _ = self.whole.set(self.before.step(&self.run, &self.rules)?);
        }
        Ok(())
    }

    /// The profile at t.
    fn value(&self, t: &Integer) -> Result<Integer, Error> {
        if let Some(whole) = self.whole.get() {
            return whole.value(t);
        }
        let fixed = &self.before.fixed;
        match self.knots.partition_point(|knot| knot <= t) {
            0 => Ok(&fixed.one - fixed.power(t)?),
            place if place == self.knots.len() => Ok(Integer::ZERO),
            _ => self.before.after(&self.run, t, &self.rules.weights, &self.nodes),
        }
    }
}

impl Pieces {
    /// The knots after one more run.
    fn after_knots(&self, run: &Run) -> Vec<Integer> {
        let mut knots: Vec<Integer> = self.knots.iter().flat_map(|knot| [knot + &run.low, knot + &run.high]).collect();
        knots.sort();
        let same = Integer::ONE << SAME;
        knots.dedup_by(|b, a| &*b - &*a < same);
        knots
    }

    fn step(&self, run: &Run, rules: &Rules) -> Result<Self, Error> {
        let (fixed, circle) = (&self.fixed, &rules.circle);
        let count = circle.len() / 4;
        let known = self.nodes(&rules.weights)?;
        let knots = self.after_knots(run);
        let mut cells = Vec::with_capacity(knots.len());
        for ends in knots.windows(2) {
            let middle = (&ends[0] + &ends[1]) >> 1u64;
            let half = (&ends[1] - &ends[0]) >> 1u64;
            let mut values = Vec::with_capacity(count);
            for m in 0..count {
                let t = &middle + fixed.product(&half, &circle[2 * m + 1]);
                values.push(self.after(run, &t, &rules.weights, &known)?);
            }
            let coefficient = |k: usize| {
                let turn = |m: usize| &circle[(k * (2 * m + 1)) % (4 * count)];
                let sum = values.iter().enumerate().fold(Integer::ZERO, |sum, (m, value)| sum + value * turn(m));
                let sum = (sum >> fixed.bits) / Integer::from(count as u64);
                if k == 0 { sum } else { sum * Integer::from(2) }
            };
            let mut cell: Vec<Integer> = (0..count).map(coefficient).collect();
            // They fall geometrically, on most cells faster than on the one that tells how many are wanted.
            while cell.len() > 1 && cell.last().is_some_and(|last| last.unsigned_abs() >> NOTHING == 0u32) {
                cell.pop();
            }
            let cell: Option<Vec<Words>> = cell.iter().map(Words::of).collect();
            cells.push(cell.ok_or_else(|| Error::internal("a coefficient beyond all values"))?);
        }
        Ok(Pieces { fixed: Fixed::new(BITS), knots, cells })
    }

    /// The nodes of each cell as a whole: the profile there with its weight, and `e^-y`.
    fn nodes(&self, weights: &[(Integer, Integer)]) -> Result<Vec<Vec<(Integer, Integer)>>, Error> {
        let fixed = &self.fixed;
        let one = |ends: &[Integer]| {
            let middle = (&ends[0] + &ends[1]) >> 1u64;
            let half = (&ends[1] - &ends[0]) >> 1u64;
            let node = |(node, weight): &(Integer, Integer)| -> Result<_, Error> {
                let y = &middle + fixed.product(&half, node);
                let value = fixed.product(&fixed.product(&half, weight), &self.value(&y)?);
                Ok((value, fixed.power(&-y)?))
            };
            weights.iter().map(node).collect()
        };
        self.knots.windows(2).map(one).collect()
    }

    /// One more run, at t: the integral of the profile at y and the density at `t - y`, cell by cell.
    fn after(
        &self,
        run: &Run,
        t: &Integer,
        weights: &[(Integer, Integer)],
        known: &[Vec<(Integer, Integer)>],
    ) -> Result<Integer, Error> {
        let fixed = &self.fixed;
        let (first, last) = (t - &run.high, t - &run.low);
        let mut sum =
            fixed.product(&run.masses[0], &self.value(&first)?) + fixed.product(&run.masses[1], &self.value(&last)?);
        let power = fixed.power(t)?;
        for (ends, nodes) in self.knots.windows(2).zip(known) {
            if ends[0] >= first && ends[1] <= last {
                for (value, inverse) in nodes {
                    sum += fixed.product(value, &run.density(&fixed.product(&power, inverse), fixed)?);
                }
            }
        }
        // Below all knots, and the cells that both ends cut: the same rule there. Beyond all knots is nothing.
        let below = self.knots.first().map(|knot| (first.clone(), knot.min(&last).clone()));
        let cut = self.knots.windows(2).filter(|ends| ends[0] < first || ends[1] > last);
        let cut = cut.map(|ends| ((&ends[0]).max(&first).clone(), (&ends[1]).min(&last).clone()));
        for (low, high) in below.into_iter().chain(cut).filter(|(low, high)| low < high) {
            let middle = (&low + &high) >> 1u64;
            let half = (&high - &low) >> 1u64;
            let mut all = Integer::ZERO;
            for (node, weight) in weights {
                let y = &middle + fixed.product(&half, node);
                let density = run.density(&fixed.power(&(t - &y))?, fixed)?;
                all += fixed.product(weight, &fixed.product(&self.value(&y)?, &density));
            }
            sum += fixed.product(&half, &all);
        }
        Ok(sum)
    }

    /// The profile at t.
    fn value(&self, t: &Integer) -> Result<Integer, Error> {
        let fixed = &self.fixed;
        let place = self.knots.partition_point(|knot| knot <= t);
        if place == self.knots.len() {
            return Ok(Integer::ZERO);
        }
        let Some(cell) = place.checked_sub(1).and_then(|place| self.cells.get(place)) else {
            return Ok(&fixed.one - fixed.power(t)?);
        };
        let (low, high) = (&self.knots[place - 1], &self.knots[place]);
        let u = fixed.quotient(&(t * Integer::from(2) - low - high), &(high - low));
        // Of sums of at most a few hundred coefficients, none above a few, and u between -1 and 1.
        let u = Words::of(&u).ok_or_else(|| Error::internal("a place beyond its cell"))?;
        let twice = u.add(u);
        let (mut after, mut last) = (Words::ZERO, Words::ZERO);
        for coefficient in cell.iter().skip(1).rev() {
            let next = twice.mul(last).sub(after).add(*coefficient);
            (after, last) = (last, next);
        }
        let first = cell.first().copied().unwrap_or(Words::ZERO);
        Ok(u.mul(last).sub(after).add(first).integer())
    }
}

/// `cos(i pi/(2n))` for all i below 4n, by Chebyshev's recurrence from the first, which is found by Newton's method for
/// `T_n(x) = 0` at `cos(pi/(2n))`.
fn cosines(count: usize, fixed: &Fixed) -> Result<Vec<Integer>, Error> {
    let about = (std::f64::consts::PI / (2.0 * count as f64)).cos();
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
    Ok(all)
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
