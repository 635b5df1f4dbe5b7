//! Points of a trade-off function, set where polygons through them are far apart.

use rug::{Float, Rational};

use super::aim::Aim;
use super::round::fraction;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use enclosure::{Budget, Portable, Real};

/// Bits of type II errors, which are told to an absolute accuracy.
const BITS: u32 = 160;
/// The first type I errors are powers of one half with these exponents, and what is as far from 1.
const FIRST: [u32; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96];
/// The point beside another is so many halvings nearer to it than 0 and 1 are.
const NEAR: u32 = 40;
/// So many points are set at a time, as a part of those that there are.
const ROUND: usize = 4;

/// A type I error, and what encloses the type II error there.
#[derive(Clone, Debug)]
pub struct Point {
    /// The type I error.
    pub alpha: Rational,
    /// A lower bound of the type II error, at least 0.
    pub low: Rational,
    /// An upper bound.
    pub high: Rational,
}

/// A point, and one so near to it that the line through both is nearly a tangent; the ends have none.
#[derive(Clone, Debug)]
pub struct Tangent {
    /// The point.
    pub at: Point,
    /// The other one, at a larger type I error.
    pub beside: Option<Point>,
}

impl Point {
    fn new(curve: &dyn Curve, alpha: Rational, direction: Direction, budget: &Budget) -> Result<Self, Error> {
        budget.check()?;
        let beta = curve.beta(&Real::from(alpha.clone()), direction, BITS, budget)?;
        if let Some(beta) = beta.exact() {
            return Ok(Point { alpha, low: beta.clone(), high: beta.clone() });
        }
        let set = beta.enclosure(BITS);
        let (low, high) = (fraction(set.lower(), false)?, fraction(set.upper(), true)?);
        // No more than the errors of a test that does not look.
        let most = Rational::from(1 - &alpha);
        Ok(Point { low, high: high.min(most), alpha })
    }
}

impl Tangent {
    fn new(curve: &dyn Curve, alpha: Rational, direction: Direction, budget: &Budget) -> Result<Self, Error> {
        let room = Rational::from(1 - &alpha).min(alpha.clone());
        let beside = (room.clone() >> NEAR) + &alpha;
        let at = Point::new(curve, alpha, direction, budget)?;
        let beside = (room > 0).then(|| Point::new(curve, beside, direction, budget)).transpose()?;
        Ok(Tangent { at, beside })
    }
}

/// Tangents at first, in order.
pub fn first(curve: &dyn Curve, direction: Direction, budget: &Budget) -> Result<Vec<Tangent>, Error> {
    let small = FIRST.into_iter().rev().map(|j| Rational::from(1) >> j);
    let large = FIRST.into_iter().skip(1).map(|j| 1 - (Rational::from(1) >> j));
    let inside = small.chain(large);
    let alphas = std::iter::once(Rational::new()).chain(inside).chain([Rational::from(1)]);
    budget.map(alphas, |alpha, budget| Tangent::new(curve, alpha, direction, budget))
}

/// More points, until there are so many: in the middle of those neighbours whose losses are the farthest apart, for
/// what they count.
pub fn refined(
    mut points: Vec<Tangent>,
    most: usize,
    aim: &Aim,
    at: (&dyn Curve, Direction),
    budget: &Budget,
) -> Result<Vec<Tangent>, Error> {
    while points.len() < most {
        let mut open = widths(&points, aim);
        open.retain(|(width, _)| *width > 0.0);
        if open.is_empty() {
            break;
        }
        open.sort_by(|a, b| b.0.total_cmp(&a.0));
        open.truncate((points.len() / ROUND).max(8).min(most - points.len()));
        let new = budget.map(open, |(_, place), budget| {
            let alpha = middle(&points[place].at.alpha, &points[place + 1].at.alpha);
            Tangent::new(at.0, alpha, at.1, budget)
        })?;
        points.extend(new);
        points.sort_by(|a, b| a.at.alpha.cmp(&b.at.alpha));
        points.dedup_by(|a, b| a.at.alpha == b.at.alpha);
    }
    Ok(points)
}

/// How far apart the polygons are between each two neighbours, for what they count, and which they are.
fn widths(points: &[Tangent], aim: &Aim) -> Vec<(f64, usize)> {
    let masses: Vec<(f64, f64)> = points
        .windows(2)
        .map(|ends| {
            let p = Rational::from(&ends[1].at.alpha - &ends[0].at.alpha).to_f64();
            let q = Rational::from(&ends[0].at.high - &ends[1].at.high).to_f64();
            (p, q.max(0.0))
        })
        .collect();
    let loss = |place: Option<usize>| {
        place.and_then(|place| masses.get(place)).map(|(p, q)| (p / q).portable_ln()).filter(|loss| loss.is_finite())
    };
    let cell = |(place, (p, q)): (usize, &(f64, f64))| {
        let here = loss(Some(place))?;
        let (before, after) = (loss(place.checked_sub(1)).unwrap_or(here), loss(Some(place + 1)).unwrap_or(here));
        let width = (after - before) / 2.0;
        Some((aim.weight(*p, *q) * width * width, place))
    };
    masses.iter().enumerate().filter_map(cell).filter(|(width, _)| width.is_finite()).collect()
}

/// Between two type I errors: the geometric mean of what is far apart, next to 0 and next to 1.
fn middle(low: &Rational, high: &Rational) -> Rational {
    let half = Rational::from((1, 2));
    let mean = |a: &Rational, b: &Rational| -> Rational {
        // A few bits tell where.
        let root = Float::with_val(16, Float::with_val(64, a) * Float::with_val(64, b)).sqrt();
        root.to_rational().filter(|mean| mean > a && mean < b).unwrap_or_else(|| Rational::from(a + b) / 2u32)
    };
    if *low > 0 && *high <= half && Rational::from(low * 2u32) < *high {
        return mean(low, high);
    }
    let (near, far) = (Rational::from(1 - high), Rational::from(1 - low));
    if near > 0 && *low >= half && Rational::from(&near * 2u32) < far {
        return 1 - mean(&near, &far);
    }
    Rational::from(low + high) / 2u32
}
