//! How far a trade-off function is above a Gaussian's, at alphas.
//!
//! Both are convex. On an interval f is below its chord, and `G_mu` above each of its tangents, so the difference is
//! below that of a chord and a tangent, which is linear: largest at an end. With the tangent at a up to some point v
//! and that at b from there on, four values bound it, whatever v is. The interval with the largest bound is divided
//! until the greatest difference at a point is as large.

use rug::{Float, Rational};

use super::{Known, reason};
use crate::compose::Engines;
use crate::curve::Direction;
use crate::error::Error;
use enclosure::special::{normal_cdf, tail_quantile};
use enclosure::{Budget, Enclosure, Number, Real, refine};

/// The most points.
const MOST_POINTS: usize = 400;

/// A point of both curves.
#[derive(Clone)]
struct Point {
    alpha: Rational,
    f: Enclosure,
    /// `G_mu`, and minus its slope; no slope at the ends.
    g: Enclosure,
    slope: Option<Enclosure>,
}

/// The gap between its bounds, as far as it comes.
pub(super) fn divided(
    engines: &Engines,
    mu: &Enclosure,
    (digits, bits): (u32, u32),
    budget: &Budget,
) -> Known<Enclosure> {
    let point = |alpha: Rational| -> Result<Point, Error> {
        budget.check()?;
        let at = Real::from(alpha.clone());
        let f = engines.ask(budget, |curve, budget| {
            refine(digits + 8, budget, |bits| curve.beta(&at, Direction::Forward, bits, budget))
        })?;
        let z = tail_quantile(&Number::Exact(alpha.clone()), bits, budget)?.enclosure(bits);
        let g = normal_cdf(&(&z - mu), bits, budget)?;
        let slope = (mu * &z - mu.square().shift(-1)).exp();
        Ok(Point { alpha, f: f.enclosure(bits), g, slope: Some(slope) })
    };
    let (zero, one) = (Enclosure::zero(bits), Enclosure::one(bits));
    let mut points = vec![Point { alpha: Rational::new(), f: one.clone(), g: one, slope: None }];
    for k in 1..8u32 {
        points.push(point(Rational::from((k, 8u32)))?);
    }
    points.push(Point { alpha: Rational::from(1), f: zero.clone(), g: zero, slope: None });
    let mut bounds: Vec<Float> = points.windows(2).map(|pair| bound(&pair[0], &pair[1], bits)).collect();
    loop {
        let at = points.iter().map(|point| (&point.f - &point.g).lower().clone());
        let lower = at.fold(Float::new(bits), |a, b| if b > a { b } else { a });
        let worst = bounds.iter().enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((worst, upper)) = worst.map(|(at, bound)| (at, bound.clone())) else {
            return Err(Error::internal("a curve without points"));
        };
        let set = Enclosure::new(lower, upper);
        if set.relative_bits().is_some_and(|proven| proven >= i64::from(digits) * 10 / 3 + 2) {
            return Ok((set, None));
        }
        if points.len() >= MOST_POINTS {
            let why = format!("the search for the gap stops after {MOST_POINTS} type I errors");
            return Ok((set, Some(why.into())));
        }
        let (a, b) = (&points[worst], &points[worst + 1]);
        // Next to the ends, where tangents are steep, by powers.
        let alpha = if a.slope.is_none() {
            Rational::from(&b.alpha / 8u32)
        } else if b.slope.is_none() {
            1 - Rational::from(1 - &a.alpha) / 8u32
        } else {
            Rational::from(&a.alpha + &b.alpha) / 2u32
        };
        let new = match reason(point(alpha))? {
            Ok(new) => new,
            Err(reason) => return Ok((set, Some(reason))),
        };
        let (before, after) = (bound(a, &new, bits), bound(&new, b, bits));
        points.insert(worst + 1, new);
        bounds.splice(worst..=worst, [before, after]);
    }
}

/// An upper bound of the difference on an interval.
fn bound(a: &Point, b: &Point, bits: u32) -> Float {
    let of = |value: &Rational| Enclosure::rational(value, bits);
    let chord = |v: &Rational| {
        let share = of(&(Rational::from(v - &a.alpha) / Rational::from(&b.alpha - &a.alpha)));
        let one = Enclosure::one(bits);
        &a.f * &(&one - &share) + &b.f * &share
    };
    // The chord over a tangent: `g - slope (v - t)`.
    let over = |tangent: &Point, v: &Rational| match &tangent.slope {
        Some(slope) => chord(v) - (&tangent.g - &(slope * &of(&Rational::from(v - &tangent.alpha)))),
        None => Enclosure::whole(bits),
    };
    let ends =
        |low: &Rational, high: &Rational, tangent: &Point| over(tangent, low).max(&over(tangent, high)).into_bounds().1;
    let by_a = |high: &Rational| ends(&a.alpha, high, a);
    let by_b = |low: &Rational| ends(low, &b.alpha, b);
    let larger = |a: Float, b: Float| if a > b { a } else { b };
    match (&a.slope, &b.slope) {
        (Some(left), Some(right)) => {
            let split = meeting(a, b, left, right).unwrap_or_else(|| Rational::from(&a.alpha + &b.alpha) / 2u32);
            larger(by_a(&split), by_b(&split))
        }
        (Some(_), None) => by_a(&b.alpha),
        (None, _) => by_b(&a.alpha),
    }
}

/// About where the two tangents meet; any point between will do.
fn meeting(a: &Point, b: &Point, left: &Enclosure, right: &Enclosure) -> Option<Rational> {
    let middle = |set: &Enclosure| set.lower().to_f64();
    let (x, y, s, t) = (a.alpha.to_f64(), b.alpha.to_f64(), middle(left), middle(right));
    let v = (middle(&a.g) - middle(&b.g) + s * x - t * y) / (s - t);
    Rational::from_f64(v).filter(|v| *v > a.alpha && *v < b.alpha)
}
