//! Averages over the loss of a pair that is known by its trade-off function alone, from finitely many of its values.
//!
//! Between two type I errors the function takes a P-mass p and a Q-mass q, known from its values, in outcomes whose
//! likelihood ratios t are at least the mean one of what is to the left and at most that of what is to the right, for
//! it is convex: `a <= t <= b`, and `r = p/q` is their mean under Q. By Taylor's theorem at r
//!
//! `sum q F(t) = q F(r) + (1/2) F''(xi) sum q (t-r)^2`, `0 <= sum q (t-r)^2 <= q (r-a) (b-r)`,
//!
//! xi between a and b. The module `integrand` treats the ends, where privacy losses may be unbounded. The parts with
//! the widest bounds are cut in two, at the point where the adjacent straight lines meet. A vertex of a
//! piecewise-linear function lies there, and linear parts are known exactly, so such functions are recognised quickly.
//! For curves with curvature everywhere the bounds improve only with the square of the number of values, so these have
//! low precision. Paper proof: `proofs/paper/moments.md`.

mod integrand;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::{Float, Rational};

use self::integrand::Integrand;
use super::moments::{Average, Averages};
use crate::compose::Engines;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Ends, LossBound, Operator, Pair, Product};
use enclosure::{Budget, Enclosure, Portable, Real};

/// Bits of sums, and of the values that are asked for.
const BITS: u32 = 128;
const ASKED: u32 = 80;
/// The relative width at which it ends.
const GOAL: i32 = -32;
/// Largest number of values; at higher precision only enough values to find vertices.
const MOST: usize = 6000;
const FEW: usize = 400;
const MANY_BITS: u32 = 95;
/// The most rounds: each cuts what is widest.
const ROUNDS: usize = 90;
/// Powers of 2 next to both ends to begin with.
const FIRST: u32 = 12;
/// Nothing nearer to the ends is asked for.
const LAST: u32 = 4000;

/// A type I error and the type II error there.
#[derive(Clone)]
struct Point {
    alpha: Rational,
    beta: Enclosure,
}

/// What lies between two points: masses, and the ends of the ratios that the neighbours leave it.
struct Part {
    p: Enclosure,
    q: Enclosure,
    /// `p/q`, if q is proven to be positive.
    ratio: Option<Enclosure>,
}

/// The averages over finite privacy losses, as precise as values of the curve allow; at high precision, as few values
/// allow.
pub(super) fn averages(
    pair: &Pair,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Averages, Error> {
    let all: Vec<Integrand> = of.iter().cloned().map(Integrand::Average).collect();
    let search = Search::new(pair, direction, &all)?;
    let [first, second] = &search.beyond;
    let none = first.is_zero() && second.is_zero();
    let infinite = if none { None } else { Some((first.enclosure(BITS), second.enclosure(BITS))) };
    Ok(Averages { values: search.run(bits, budget)?, infinite })
}

/// `E e^((a-1) L)` of an order `a > 1`; `None` where it is infinite.
///
/// # Errors
/// Those of the curve; [`Error::Undecided`] where there is no bound.
pub(super) fn power(
    pair: &Pair,
    less_one: &Enclosure,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Option<Enclosure>, Error> {
    let all = [Integrand::Exponential(less_one.with_bits(BITS))];
    let search = Search::new(pair, direction, &all)?;
    if !search.beyond[0].is_zero() {
        return Ok(None);
    }
    Ok(search.run(bits, budget)?.pop())
}

struct Search<'a> {
    engines: Engines,
    of: &'a [Integrand],
    direction: Direction,
    /// The least and the largest loss in this direction, where they are known.
    losses: (Option<Real>, Option<Real>),
    /// The masses of the first distribution where the second has none, and the other way round.
    beyond: [Real; 2],
    rho: Option<Enclosure>,
}

impl<'a> Search<'a> {
    fn new(pair: &Pair, direction: Direction, of: &'a [Integrand]) -> Result<Self, Error> {
        let Ends { losses, infinite_p, infinite_q } = pair.ends()?;
        let known = |end: LossBound| end.known();
        let (least, largest) = match losses {
            Some((least, largest)) if direction == Direction::Backward => {
                (known(largest.reversed()), known(least.reversed()))
            }
            Some((least, largest)) => (known(least), known(largest)),
            None => return Err(Error::undecided("the privacy loss has no finite values to average over")),
        };
        let beyond = if direction == Direction::Backward { [infinite_q, infinite_p] } else { [infinite_p, infinite_q] };
        let engines = Engines::inside(Product::new([(pair.clone(), 1)]));
        Ok(Search { engines, of, direction, losses: (least, largest), beyond, rho: concentration(pair)? })
    }

    fn point(&self, alpha: Rational, budget: &Budget) -> Result<Point, Error> {
        let at = Real::from(alpha.clone());
        let direction = self.direction;
        let beta = self.engines.ask(budget, |curve, budget| curve.beta(&at, direction, ASKED, budget))?;
        Ok(Point { alpha, beta: beta.enclosure(BITS) })
    }

    fn run(&self, bits: u32, budget: &Budget) -> Result<Vec<Enclosure>, Error> {
        let one = Real::one();
        // Where f is 0: the first distribution alone has what is beyond. And what f misses of 1 at 0.
        let end = one.sub(&self.beyond[0]);
        let Some(end) = end.as_rational().cloned() else {
            return Err(Error::undecided("the mass at infinity is not a rational number"));
        };
        let mut points = vec![Point { alpha: Rational::new(), beta: one.sub(&self.beyond[1]).enclosure(BITS) }];
        let near: Vec<Rational> = (1..=FIRST).map(|k| Rational::from(&end >> k)).collect();
        for alpha in near.iter().rev().cloned().chain(near.iter().skip(1).map(|step| Rational::from(&end - step))) {
            points.push(self.point(alpha, budget)?);
        }
        points.push(Point { alpha: end, beta: Enclosure::zero(BITS) });
        let mut best: Option<Vec<Enclosure>> = None;
        let most = if bits > MANY_BITS { FEW } else { MOST };
        for _ in 0..ROUNDS {
            let parts = parts(&points);
            let bounds: Vec<Vec<Enclosure>> = (0..parts.len()).map(|at| self.bounds(&parts, at)).collect();
            let mut sums = vec![Enclosure::zero(BITS); self.of.len()];
            for bound in &bounds {
                for (sum, bound) in sums.iter_mut().zip(bound) {
                    *sum = &*sum + bound;
                }
            }
            let mut gaps = gaps(&bounds, &sums);
            let all: f64 = gaps.iter().sum();
            best = Some(sums);
            if all < f64::from(GOAL).portable_exp2() || points.len() >= most || budget.check().is_err() {
                break;
            }
            let places: Vec<Option<Rational>> = (0..parts.len()).map(|at| place(&points, &parts, at)).collect();
            for (gap, place) in gaps.iter_mut().zip(&places) {
                if place.is_none() {
                    *gap = 0.0;
                }
            }
            let widest = gaps.iter().fold(0.0_f64, |most, gap| most.max(*gap));
            let mut next: Vec<Point> = Vec::with_capacity(points.len() * 2);
            let mut cut = false;
            for (at, point) in points.iter().enumerate() {
                next.push(point.clone());
                let (Some(gap), Some(Some(alpha))) = (gaps.get(at), places.get(at)) else { continue };
                // Infinite ones first, and then all that are about as wide as the widest.
                if *gap > 0.0 && *gap >= widest / 4.0 {
                    match self.point(alpha.clone(), budget) {
                        Ok(new) => {
                            next.push(new);
                            cut = true;
                        }
                        // What was found is kept.
                        Err(Error::Undecided(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            points = next;
            if !cut {
                break;
            }
        }
        best.filter(|sums| sums.iter().all(Enclosure::is_bounded)).ok_or_else(|| {
            Error::undecided(
                "no finite bound on this average follows from values of the trade-off \
                                             function",
            )
        })
    }

    /// What a part gives to each average.
    fn bounds(&self, parts: &[Part], at: usize) -> Vec<Enclosure> {
        let part = &parts[at];
        let known = |loss: &Option<Real>| loss.as_ref().map(|loss| loss.enclosure(BITS));
        // The ends of the ratios, by neighbours and by what is known.
        let low = match at.checked_sub(1).and_then(|before| parts.get(before)) {
            Some(before) => before.ratio.as_ref().map(Enclosure::ln),
            None => None,
        };
        let low = [low, known(&self.losses.0)].into_iter().flatten().reduce(|a, b| a.max(&b));
        let high = parts.get(at + 1).and_then(|after| after.ratio.as_ref()).map(Enclosure::ln);
        let high = [high, known(&self.losses.1)].into_iter().flatten().reduce(|a, b| a.min(&b));
        let bounded = |set: &Enclosure| set.is_bounded();
        let (low, high) = (low.filter(bounded), high.filter(bounded));
        self.of.iter().map(|of| self.bound(of, part, low.as_ref(), high.as_ref())).collect()
    }

    fn bound(&self, of: &Integrand, part: &Part, low: Option<&Enclosure>, high: Option<&Enclosure>) -> Enclosure {
        let whole = || Enclosure::whole(BITS);
        match (low, high) {
            (Some(low), Some(high)) => {
                let all = low.hull(high);
                let crude = &part.p * &of.value(&all);
                let Some(ratio) = &part.ratio else { return crude };
                let (a, b) = (low.exp(), high.exp());
                let spread = (&part.p - &(&a * &part.q)).positive_part() * (&(&b * &part.q) - &part.p).positive_part();
                // sum q (t-r)^2 is between 0 and this, and F'' is the bend over t.
                let spread = spread / part.q.clone();
                let bend = of.bend(&all) / all.exp();
                let rest = (&bend * &spread.hull(&Enclosure::zero(BITS))).shift(-1);
                let fine = &part.p * &of.value(&ratio.ln()) + &rest;
                let narrower = |a: &Enclosure, b: &Enclosure| width(a) < width(b);
                if narrower(&fine, &crude) { fine } else { crude }
            }
            (None, Some(high)) => of.least(high).map_or_else(whole, |values| &part.q * &values),
            (Some(low), None) => of.most(low, &part.p, self.rho.as_ref()).unwrap_or_else(whole),
            (None, None) => whole(),
        }
    }
}

fn width(set: &Enclosure) -> f64 {
    let width = Float::with_val(53, set.upper() - set.lower()).to_f64();
    if width.is_nan() { f64::INFINITY } else { width }
}

/// How wide the bounds of each part are, against the sums; 0 where that cannot be less.
fn gaps(bounds: &[Vec<Enclosure>], sums: &[Enclosure]) -> Vec<f64> {
    let size = |sum: &Enclosure| {
        let middle = Float::with_val(53, sum.lower() + sum.upper()).to_f64().abs() / 2.0;
        if middle.is_finite() { middle.max(width(sum) / 2.0).max(f64::MIN_POSITIVE) } else { 1.0 }
    };
    let sizes: Vec<f64> = sums.iter().map(size).collect();
    let gap = |bound: &Vec<Enclosure>| bound.iter().zip(&sizes).fold(0.0, |most: f64, (b, s)| most.max(width(b) / s));
    bounds.iter().map(gap).collect()
}

/// What lies between the points.
fn parts(points: &[Point]) -> Vec<Part> {
    let part = |pair: &[Point]| {
        let [a, b] = pair else { return None };
        let p = Enclosure::rational(&Rational::from(&b.alpha - &a.alpha), BITS);
        let q = (&a.beta - &b.beta).positive_part();
        let ratio = (*q.lower() > 0).then(|| &p / &q);
        Some(Part { p, q, ratio })
    };
    points.windows(2).filter_map(part).collect()
}

/// Where a part is cut: where the lines of its neighbours meet, if that is well inside, and in the middle otherwise;
/// next to an end by powers. `None` where it is too short. Nothing rests on it.
fn place(points: &[Point], parts: &[Part], at: usize) -> Option<Rational> {
    let (from, to) = (points.get(at)?, points.get(at + 1)?);
    let length = Rational::from(&to.alpha - &from.alpha);
    let last = parts.len().checked_sub(1)?;
    let total = points.last()?.alpha.clone();
    let short = |x: &Rational| Rational::from(x << LAST) < total;
    if at == 0 || at == last {
        if short(&length) {
            return None;
        }
        let step = length >> 3;
        return Some(if at == 0 { Rational::from(&from.alpha + &step) } else { Rational::from(&to.alpha - &step) });
    }
    let middle = Rational::from(&length >> 1);
    // Slopes q/p of the neighbours, and the fall here.
    let slope = |part: &Part| Some((&part.q / &part.p).lower().clone()).filter(Float::is_finite);
    let (before, after) = (slope(parts.get(at - 1)?)?, slope(parts.get(at + 1)?)?);
    let fall = parts.get(at)?.q.lower().clone();
    let long = Float::with_val(BITS, &length);
    // before x + after (length - x) = fall
    let x = Float::with_val(BITS, &fall - Float::with_val(BITS, &after * &long)) / (before - after);
    let share = Float::with_val(53, &x / &long).to_f64();
    let step = match x.to_rational() {
        Some(x) if share > 1e-4 && share < 1.0 - 1e-4 => shortened(&x),
        _ => middle,
    };
    // What is as short as the precision of values says nothing.
    if Rational::from(&length << 90u32) < to.alpha && from.alpha.cmp0() == Ordering::Greater {
        return None;
    }
    Some(Rational::from(&from.alpha + &step))
}

/// Of 64 bits.
fn shortened(x: &Rational) -> Rational {
    Float::with_val(64, x).to_rational().unwrap_or_default()
}

/// A rho with `E_P e^((c-1) L) <= e^(c (c-1) rho/2)` for every `c > 1`, in both directions: that of a symmetric pair
/// that is no more private.
fn concentration(pair: &Pair) -> Result<Option<Enclosure>, Error> {
    let all = |factors: &[(Pair, u64)]| -> Result<Option<Enclosure>, Error> {
        let mut sum = Enclosure::zero(BITS);
        for (pair, times) in factors {
            let Some(one) = concentration(pair)? else { return Ok(None) };
            sum = sum + one * Enclosure::integer(&(*times).into(), BITS);
        }
        Ok(Some(sum))
    };
    Ok(match pair {
        Pair::Equal => Some(Enclosure::zero(BITS)),
        Pair::Gaussian { mu } => Some(mu.enclosure(BITS).square()),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let square = Rational::from(*sensitivity) * *sensitivity;
            Some(Enclosure::rational(&(square / sigma2), BITS))
        }
        Pair::Several(factors) => all(factors)?,
        Pair::Sample { inner, .. } => concentration(inner)?,
        Pair::Derived(derived) => {
            let mut most: Option<Enclosure> = None;
            for part in derived.parts() {
                let Some(one) = all(part)? else { return Ok(None) };
                most = Some(most.map_or(one.clone(), |most| most.max(&one)));
            }
            match (derived.operator(), most) {
                (Operator::Group(size), Some(one)) => Some(one * Enclosure::integer(&(*size).into(), BITS).square()),
                (_, most) => most,
            }
        }
        Pair::Laplace { .. } | Pair::Shuffled(_) | Pair::Discrete(_) => {
            let Ends { losses, infinite_p, infinite_q } = pair.ends()?;
            let ends = losses.map(|(least, largest)| (least.reversed().known(), largest.known()));
            match ends {
                Some((Some(least), Some(largest))) if infinite_p.is_zero() && infinite_q.is_zero() => {
                    Some(least.enclosure(BITS).max(&largest.enclosure(BITS)).positive_part().square())
                }
                _ => None,
            }
        }
    })
}
