//! Trade-off functions that are polylines over quotients of exponentials: the calculus of [`TradeOff`], where `e^eps`
//! is irrational.
//!
//! A polyline is what it misses of 1 at alpha = 0, and its segments from there on, each with a width and a slope: an
//! outcome of mass p under P and q under Q has the width p and the slope q/p. Slopes of single pairs are `e^-loss`, and
//! of groups products of such, so that hardly anything is ever divided by a sum.
//!
//! **What is certified.** Numbers are exact ([`Quotient`]); each branch is taken on a proven sign, a tie only where
//! both sides have the same form. If a sign is undecided, or something grows too long, the result is `None`. The
//! operations are those of [`TradeOff`], with the proofs of `proofs/paper/piecewise-linear.md`.

mod convert;
mod corners;
mod hull;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Float, Rational};

use enclosure::{Budget, Enclosure, Exponentials, Quotient};

/// The most segments.
const MOST: usize = 1 << 10;
/// Products of segments before equal slopes are put together.
const MOST_PRODUCTS: usize = 1 << 16;
/// Bits of the first look.
const BITS: u32 = 192;
/// Bits of the type II errors that are shown.
const SHOWN: u32 = 256;

/// A straight piece.
#[derive(Clone, Debug)]
struct Segment {
    /// Positive.
    width: Quotient,
    /// How far it falls for each unit of width, at least 0.
    slope: Quotient,
    /// The slope, about.
    about: Enclosure,
}

/// A trade-off function. Slopes fall strictly; widths total 1, as do the heights and what is missing.
#[derive(Clone, Debug)]
pub struct Polyline {
    field: Arc<Exponentials>,
    missing: Quotient,
    segments: Vec<Segment>,
}

/// A type I error with both type II errors, of which the first is certainly less.
pub type Below = (Rational, Enclosure, Enclosure);

impl Polyline {
    fn identity(field: &Arc<Exponentials>) -> Option<Self> {
        Self::new(field, Quotient::zero(), vec![(Quotient::one(), Quotient::one())])
    }

    /// Of what is missing, and widths and slopes in any order.
    fn new(field: &Arc<Exponentials>, missing: Quotient, parts: Vec<(Quotient, Quotient)>) -> Option<Self> {
        let mut segments: Vec<Segment> = Vec::new();
        for (width, slope) in parts {
            if width.is_zero() {
                continue;
            }
            let about = field.enclosure(&slope, BITS);
            match place(field, &segments, &slope, &about)? {
                Ok(at) => segments[at].width = segments[at].width.add(&width)?,
                Err(at) => segments.insert(at, Segment { width, slope, about }),
            }
            if segments.len() > MOST {
                return None;
            }
        }
        Some(Polyline { field: Arc::clone(field), missing, segments })
    }

    fn parts(&self) -> impl Iterator<Item = (&Quotient, &Quotient)> {
        self.segments.iter().map(|segment| (&segment.width, &segment.slope))
    }

    /// How many segments there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.segments.len()
    }

    /// `f (x) g`.
    fn tensor(&self, other: &Self, budget: &Budget) -> Option<Self> {
        if self.segments.len().saturating_mul(other.segments.len()) > MOST_PRODUCTS {
            return None;
        }
        let mut all: Vec<(Quotient, Quotient)> = Vec::new();
        let mut known = std::collections::HashMap::new();
        for (p, s) in self.parts() {
            budget.check().ok()?;
            for (r, t) in other.parts() {
                let (width, slope) = (p.mul(r)?, s.mul(t)?);
                match known.get(&slope) {
                    Some(&at) => {
                        let (total, _): &mut (Quotient, Quotient) = all.get_mut(at)?;
                        *total = total.add(&width)?;
                    }
                    None => {
                        known.insert(slope.clone(), all.len());
                        all.push((width, slope));
                    }
                }
            }
        }
        let rest = |missing: &Quotient| Quotient::one().sub(missing);
        let missing = Quotient::one().sub(&rest(&self.missing)?.mul(&rest(&other.missing)?)?)?;
        Self::new(&self.field, missing, all)
    }

    /// The n-th power in the same sense.
    fn power(&self, n: u64, budget: &Budget) -> Option<Self> {
        let mut result = Self::identity(&self.field)?;
        for bit in (0..u64::BITS - n.leading_zeros()).rev() {
            result = result.tensor(&result, budget)?;
            if n >> bit & 1 == 1 {
                result = result.tensor(self, budget)?;
            }
        }
        Some(result)
    }

    /// `f^-1`: each segment lies the other way round, what is missing is where the inverse is 0, and where f is 0 is
    /// what it misses.
    fn inverse(&self) -> Option<Self> {
        let mut missing = Quotient::zero();
        let mut parts = Vec::new();
        for (width, slope) in self.parts() {
            if slope.is_zero() {
                missing = missing.add(width)?;
            } else {
                parts.push((width.mul(slope)?, self.field.recip(slope)?));
            }
        }
        parts.push((self.missing.clone(), Quotient::zero()));
        Self::new(&self.field, missing, parts)
    }

    /// `p f + (1-p) Id`.
    fn mixed_with_identity(&self, rate: &Quotient) -> Option<Self> {
        let rest = Quotient::one().sub(rate)?;
        let slope = |slope: &Quotient| slope.mul(rate)?.add(&rest);
        let parts = self.parts().map(|(width, s)| Some((width.clone(), slope(s)?)));
        Self::new(&self.field, self.missing.mul(rate)?, parts.collect::<Option<_>>()?)
    }

    /// One of these, drawn with its weight, and told which.
    fn revealed_mixture(field: &Arc<Exponentials>, parts: &[(Quotient, Self)]) -> Option<Self> {
        let mut missing = Quotient::zero();
        let mut all = Vec::new();
        for (weight, f) in parts {
            missing = missing.add(&weight.mul(&f.missing)?)?;
            for (width, slope) in f.parts() {
                all.push((width.mul(weight)?, slope.clone()));
            }
        }
        Self::new(field, missing, all)
    }

    /// `f o (1 - g)`: the pieces of g are laid along the arguments of f, and both are cut where either has a vertex;
    /// slopes are multiplied (the chain rule), and widths are those of g.
    fn after(&self, first: &Self) -> Option<Self> {
        let mut inside = self.segments.iter();
        let mut piece = inside.next()?;
        let mut left = piece.width.clone();
        // Up to 1 - g(0).
        let mut missing = self.missing.clone();
        let mut skip = first.missing.clone();
        while !skip.is_zero() {
            let rest = left.sub(&skip)?;
            let taken = match self.field.sign(&rest)? {
                Ordering::Greater => {
                    left = rest;
                    skip
                }
                order => {
                    let taken = left;
                    let next = inside.next();
                    match next {
                        Some(next) => {
                            left = next.width.clone();
                            missing = missing.add(&taken.mul(&piece.slope)?)?;
                            piece = next;
                        }
                        // 1 - g is 1 from the start, and f o (1 - g) is 0.
                        None if order == Ordering::Equal => {
                            return Self::new(&self.field, Quotient::one(), vec![(Quotient::one(), Quotient::zero())]);
                        }
                        None => return None,
                    }
                    skip = rest.neg();
                    continue;
                }
            };
            missing = missing.add(&taken.mul(&piece.slope)?)?;
            break;
        }
        let mut parts = Vec::new();
        for (width, slope) in first.parts() {
            if slope.is_zero() {
                parts.push((width.clone(), Quotient::zero()));
                continue;
            }
            let mut image = width.mul(slope)?;
            loop {
                let rest = image.sub(&left)?;
                let order = self.field.sign(&rest)?;
                let taken = if order == Ordering::Less { &image } else { &left };
                parts.push((self.field.div(taken, slope)?, piece.slope.mul(slope)?));
                if parts.len() > 2 * MOST {
                    return None;
                }
                if order == Ordering::Less {
                    left = rest.neg();
                    break;
                }
                match inside.next() {
                    Some(next) => {
                        piece = next;
                        left = piece.width.clone();
                    }
                    // Both end at 1.
                    None if order == Ordering::Equal => {
                        left = Quotient::zero();
                    }
                    None => return None,
                }
                if order == Ordering::Equal {
                    break;
                }
                image = rest;
            }
        }
        Self::new(&self.field, missing, parts)
    }

    /// `1 - (1-f)^(o k)`, by repeated squaring.
    fn group(&self, size: u64, budget: &Budget) -> Option<Self> {
        let mut result = Self::identity(&self.field)?;
        for bit in (0..u64::BITS - size.leading_zeros()).rev() {
            budget.check().ok()?;
            result = result.after(&result)?;
            if size >> bit & 1 == 1 {
                result = result.after(self)?;
            }
        }
        Some(result)
    }

    /// Both functions on common pieces from the left: widths, slopes, and `f - g` at the left end and at the right one.
    fn common_pieces(&self, other: &Self, budget: &Budget) -> Option<Vec<Piece>> {
        let widths: Vec<Quotient> = self.parts().chain(other.parts()).map(|(width, _)| width.clone()).collect();
        let widths = Quotient::aligned(&widths)?;
        let (own, others) = widths.split_at(self.segments.len());
        let (mut f, mut g) = (self.segments.iter().zip(own), other.segments.iter().zip(others));
        let ((mut one, a), (mut two, b)) = (f.next()?, g.next()?);
        let (mut a, mut b) = (a.clone(), b.clone());
        let mut from = other.missing.sub(&self.missing)?;
        let mut pieces = Vec::new();
        loop {
            budget.check().ok()?;
            let rest = a.sub(&b)?;
            let order = self.field.sign(&rest)?;
            let width = if order == Ordering::Greater { b.clone() } else { a.clone() };
            let to = from.sub(&width.mul(&one.slope.sub(&two.slope)?)?)?;
            pieces.push(Piece {
                width,
                slopes: (one.slope.clone(), two.slope.clone()),
                from: std::mem::replace(&mut from, to.clone()),
                to,
            });
            let (first, second) = (order.is_le().then(|| f.next()), order.is_ge().then(|| g.next()));
            match (first, second) {
                (Some(None), Some(None)) => return Some(pieces),
                (Some(None), _) | (_, Some(None)) => return None,
                (first, second) => {
                    match first.flatten() {
                        Some((next, width)) => {
                            one = next;
                            a = width.clone();
                        }
                        None => a = rest.clone(),
                    }
                    match second.flatten() {
                        Some((next, width)) => {
                            two = next;
                            b = width.clone();
                        }
                        None => b = rest.neg(),
                    }
                }
            }
        }
    }

    /// `max(f, g)`: where they cross inside of a piece both are straight, and `f - g` is cut in proportion.
    fn max(&self, other: &Self, budget: &Budget) -> Option<Self> {
        let missing = match self.field.compare(&self.missing, &other.missing)? {
            Ordering::Less => &self.missing,
            _ => &other.missing,
        };
        let mut parts = Vec::new();
        for Piece { width, slopes: (one, two), from, to } in self.common_pieces(other, budget)? {
            match (self.field.sign(&from)?, self.field.sign(&to)?) {
                (Ordering::Less, Ordering::Greater) | (Ordering::Greater, Ordering::Less) => {
                    let before = self.field.div(&from, &one.sub(&two)?)?;
                    let after = width.sub(&before)?;
                    let (first, second) =
                        if self.field.sign(&from)? == Ordering::Less { (two, one) } else { (one, two) };
                    parts.extend([(before, first), (after, second)]);
                }
                (Ordering::Less, _) | (_, Ordering::Less) => parts.push((width, two)),
                _ => parts.push((width, one)),
            }
        }
        Self::new(&self.field, missing.clone(), parts)
    }

    /// Where f falls below g, if it does: about where it falls farthest. Between the vertices of both `f - g` is
    /// straight, so that these prove it for all alpha.
    ///
    /// `None` where that is not told.
    pub fn falls_below(&self, other: &Self, budget: &Budget) -> Option<Option<Below>> {
        let pieces = self.common_pieces(other, budget)?;
        let mut deepest: Option<(Quotient, Enclosure)> = None;
        let mut alpha = Quotient::zero();
        let first = pieces.first().map(|piece| (Quotient::zero(), piece.from.clone()));
        let rest = pieces.iter().map(|piece| (piece.width.clone(), piece.to.clone()));
        for (width, difference) in first.into_iter().chain(rest) {
            alpha = alpha.add(&width)?;
            if self.field.sign(&difference)? == Ordering::Less {
                let depth = self.field.enclosure(&difference, BITS);
                if deepest.as_ref().is_none_or(|(_, known)| depth.upper() < known.upper()) {
                    deepest = Some((alpha.clone(), depth));
                }
            }
        }
        let Some((alpha, _)) = deepest else { return Some(None) };
        // A short fraction near to the vertex: both functions are continuous from 0 on.
        let near = self.field.enclosure(&alpha, 2 * SHOWN);
        for bits in [4, 8, 12, 16, 24, 32, 64, 128, SHOWN] {
            let short = Float::with_val(bits, near.lower()).to_rational()?.max(Rational::new()).min(Rational::from(1));
            let at = Quotient::from(short.clone());
            let (f, g) = (self.value(&at)?, other.value(&at)?);
            let (smaller, larger) = (self.field.enclosure(&f, SHOWN), self.field.enclosure(&g, SHOWN));
            if smaller.upper() < larger.lower() {
                return Some(Some((short, smaller, larger)));
            }
        }
        None
    }

    /// How far each segment goes to the right and down, from the left, enclosed; what is missing at 0 is not among
    /// them.
    pub fn steps(&self, bits: u32) -> Vec<(Enclosure, Enclosure)> {
        let step = |(width, slope): (&Quotient, &Quotient)| {
            let width = self.field.enclosure(width, bits);
            let height = &width * &self.field.enclosure(slope, bits);
            (width, height)
        };
        self.parts().map(step).collect()
    }

    /// `f(alpha)`, of an alpha in [0, 1].
    fn value(&self, alpha: &Quotient) -> Option<Quotient> {
        let mut value = Quotient::one().sub(&self.missing)?;
        let mut left = alpha.clone();
        for (width, slope) in self.parts() {
            let rest = left.sub(width)?;
            if self.field.sign(&rest)? != Ordering::Greater {
                return value.sub(&left.mul(slope)?);
            }
            value = value.sub(&width.mul(slope)?)?;
            left = rest;
        }
        None
    }
}

/// A piece where both functions are straight.
struct Piece {
    width: Quotient,
    slopes: (Quotient, Quotient),
    from: Quotient,
    to: Quotient,
}

/// Where this slope is among those of segments, or where it belongs; `None` where an order is not told.
fn place(
    field: &Exponentials,
    segments: &[Segment],
    slope: &Quotient,
    about: &Enclosure,
) -> Option<Result<usize, usize>> {
    let (mut low, mut high) = (0, segments.len());
    while low < high {
        let middle = low.midpoint(high);
        let other = &segments[middle];
        let order = match about.compare(&other.about) {
            Some(order) if order != Ordering::Equal => order,
            _ => field.compare(slope, &other.slope)?,
        };
        match order {
            Ordering::Equal => return Some(Ok(middle)),
            Ordering::Greater => high = middle,
            Ordering::Less => low = middle + 1,
        }
    }
    Some(Err(low))
}
