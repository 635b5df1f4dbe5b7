//! Type II errors: tests by their threshold, between tangents and chords of the trade-off function.
//!
//! At a threshold e the set S of the outcomes above it has, under the distribution that is the larger there, the mass
//! `delta(e) + w(e)`, with `w(e) = e^e b(e)` what is subtracted and b(e) its mass under the other one. The test that
//! rejects outside of S has the type I error `a(e) = 1 - delta(e) - w(e)` and the type II error b(e): a point of the
//! trade-off function, which is convex and has the slope `-e^-e` there.
//!
//! **What is certified.** Below: each tangent. Above: each chord between points on either side of alpha; and from a
//! point at a on the right of alpha, or too near to tell, `b + (a - alpha) e^-l`, l the threshold of a point on the
//! left: nowhere between is the function steeper. Chords end in (0, 1) and (1, 0), too. **Why it ends.** So many steps.
//!
//! **Plateaus.** With little noise P has nearly all of its mass in a few lumps of losses far apart, and a(e) hardly
//! moves from one to the next. There its distance from alpha is far smaller than both: it has to be known to bits of
//! w(e).

use std::cmp::Ordering;
use std::f64::consts::LN_2;

use rug::Float;

use super::{Aim, Of, TwoSamples, place};
use crate::alarm::{self, declined};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// Bits of the values that say where to look.
const ROUGH: u32 = 24;
/// Steps that are a smaller part of a place end that search.
const NEAR: f64 = 1e-6;
/// Odds that differ by less in doubles may differ by nothing; which are the larger is told by more bits.
const RESOLVED: f64 = 1e-12;
/// So many bits nearer to the end of all losses there is no threshold.
const CLOSEST: f64 = 4096.0;
/// Points of all bits.
const POINTS: u32 = 10;
/// Bits beyond those of the answer.
const GUARD: u32 = 8;

/// The tests of one direction, and the type I error that is asked about.
pub(super) struct Tests<'a> {
    pub engine: &'a TwoSamples,
    pub alpha: &'a Real,
    pub backward: bool,
    /// Relative bits of the answer.
    pub bits: u32,
    pub budget: &'a Budget,
}

/// A point of the trade-off function.
struct Point {
    threshold: Float,
    a: Enclosure,
    b: Enclosure,
    /// `e^-e`.
    slope: Enclosure,
}

impl Tests<'_> {
    /// About the smaller one of alpha and `1 - alpha`.
    fn alpha_or_rest(&self) -> Float {
        let alpha = self.alpha.enclosure(64);
        (&Enclosure::one(64) - &alpha).lower().clone().min(alpha.lower())
    }

    /// At a threshold, with so many bits of w(e) where that is the smaller part of both, or of alpha.
    fn at(&self, threshold: &Float, of_both: bool, bits: u32) -> Result<Point, Error> {
        self.budget.check()?;
        let exact = threshold.to_rational().ok_or_else(|| Error::undecided("a threshold out of range"))?;
        let epsilon = Real::from(exact);
        let aim = Aim { bits, of: if of_both { Of::Smaller } else { Of::Number(self.alpha_or_rest()) } };
        let [value, less] = self.engine.sum(&epsilon, self.backward, &aim, self.budget)?;
        let slope = (-&epsilon.enclosure(less.bits())).exp();
        let a = (&(&Enclosure::one(less.bits()) - &value) - &less).positive_part();
        Ok(Point { threshold: threshold.clone(), a, b: &less * &slope, slope })
    }

    /// The type II error of the best test.
    ///
    /// # Errors
    /// [`Error::Undecided`] where the search finds no threshold.
    pub fn beta(&self) -> Result<Enclosure, Error> {
        let wide = self.bits.saturating_add(64);
        let alpha = self.alpha.enclosure(wide);
        let (first, away) = self.roughly()?;
        // Thresholds next to the end of all losses have many bits.
        let fine = wide.max(first.prec());
        let mut points: Vec<Point> = Vec::new();
        let mut known = Enclosure::zero(wide).hull(&(&Enclosure::one(wide) - &alpha));
        let mut next = first;
        for step in 0..POINTS {
            points.push(self.at(&next, true, self.bits.saturating_add(GUARD))?);
            known = alarm::meet(&known, &bounds(&points, &alpha, wide)?, "type II error between tangents and chords")?;
            if known.relative_bits().is_some_and(|known| known >= i64::from(self.bits)) {
                break;
            }
            let gap = |point: &Point| Float::with_val(wide, point.a.lower() - alpha.lower());
            next = match points.as_slice() {
                // To the other side: a(e) rises.
                [only] => {
                    let away = Float::with_val(wide, &away << (4 * step));
                    if gap(only) > 0 {
                        Float::with_val(fine, &next - &away)
                    } else {
                        Float::with_val(fine, &next + &away)
                    }
                }
                _ => {
                    points.sort_by(|x, y| gap(x).abs().total_cmp(&gap(y).abs()));
                    let [x, y] = [&points[0], &points[1]];
                    let run = Float::with_val(fine, &y.threshold - &x.threshold);
                    let rise = Float::with_val(wide, gap(y) - gap(x));
                    Float::with_val(fine, &x.threshold - run * gap(x) / rise)
                }
            };
            if !next.is_finite() {
                break;
            }
        }
        Ok(known)
    }

    /// About the threshold of the best test, and about how far off: by the logarithms of odds.
    ///
    /// The search is over the logarithm of the distance from the end of all losses, next to which many of them may be.
    fn roughly(&self) -> Result<(Float, Float), Error> {
        let goal = self.alpha.enclosure(64);
        let odds = |a: f64| a.portable_ln() - (-a).portable_ln_1p();
        let goal_odds = odds(goal.lower().to_f64());
        let threshold = |v: f64| {
            let log = if self.backward { -v } else { v };
            // Next to the end there are few bits left of a distance.
            let wide = self.bits.saturating_add(128).saturating_add((-log / LN_2).clamp(0.0, CLOSEST) as u32);
            let away = Float::with_val(wide, log).exp();
            let away = Float::with_val(wide, away + self.engine.least(wide).lower());
            if self.backward { -away } else { away }
        };
        // What is too far out for a value is far from alpha.
        let height = |v: f64| -> Result<f64, Error> {
            let at = threshold(v);
            let far = if at > 0 { f64::INFINITY } else { f64::NEG_INFINITY };
            let mut point = declined(self.at(&at, false, ROUGH))?;
            // On a plateau.
            if point.as_ref().is_some_and(|point| point.a.overlaps(&goal)) {
                point = declined(self.at(&at, true, ROUGH))?.or(point);
            }
            Ok(point.map_or(far, |point| {
                let known = odds(f64::midpoint(point.a.lower().to_f64(), point.a.upper().to_f64())) - goal_odds;
                let gap = &point.a - &self.alpha.enclosure(point.a.bits());
                match gap.sign() {
                    Some(sign) if known.abs() < RESOLVED => f64::from(sign as i8) * RESOLVED,
                    _ => known,
                }
            }))
        };
        // From the threshold 0.
        let first = (-self.engine.least(64)).ln().lower().to_f64();
        let found = place::risen(if self.backward { -first } else { first }, NEAR, height)?;
        let (here, there) = (threshold(found), threshold(found + NEAR * found.abs().max(1.0)));
        let away = Float::with_val(64, &there - &here).abs();
        Ok((here, away))
    }
}

/// What these points prove of the trade-off function at alpha.
fn bounds(points: &[Point], alpha: &Enclosure, wide: u32) -> Result<Enclosure, Error> {
    let mut below = Enclosure::zero(wide);
    let mut above = &Enclosure::one(wide) - alpha;
    for point in points {
        let tangent = &point.b + &(&(&point.a - alpha) * &point.slope);
        below = below.max(&tangent);
    }
    let left = |point: &&Point| point.a.compare(alpha) == Some(Ordering::Less);
    let right = |point: &&Point| point.a.compare(alpha) == Some(Ordering::Greater);
    // The ends of chords that are no points of ours: (0, 1), above the function, and (1, 0).
    let one = Enclosure::one(wide);
    for point in points.iter().filter(left) {
        above = above.min(&(&(&point.b * &(&one - alpha)) / &(&one - &point.a)));
    }
    for point in points.iter().filter(right) {
        above = above.min(&(&one - &(&(&(&one - &point.b) * alpha) / &point.a)));
    }
    for one in points.iter().filter(left) {
        for other in points.iter().filter(right) {
            let share = &(alpha - &one.a) / &(&other.a - &one.a);
            above = above.min(&(&one.b + &(&share * &(&other.b - &one.b))));
        }
        for other in points {
            above = above.min(&(&other.b + &(&(&other.a - alpha).positive_part() * &one.slope)));
        }
    }
    alarm::bracket(&below, &above, "type II error between tangents and chords")
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// The trade-off function of a test with the masses `a^2` and `(1-a)^2`: `(1 - sqrt a)^2`, of slope
    /// `1 - 1/sqrt a`.
    fn point(root: (i32, i32)) -> Point {
        let root = Rational::from(root);
        let one = Rational::from(1);
        let set = |value: Rational| Enclosure::rational(&value, 100);
        let slope = set(1 / root.clone() - &one);
        let rest = Rational::from(&one - &root);
        Point {
            threshold: Float::with_val(64, 0),
            a: set(Rational::from(root.square_ref())),
            b: set(Rational::from(rest.square_ref())),
            slope,
        }
    }

    /// Tangents and chords hold the truth between them, and neither alone would do.
    #[test]
    fn points_of_a_convex_function_bound_it() {
        let alpha = Enclosure::rational(&Rational::from((1, 4)), 100);
        let truth = Rational::from((1, 4));
        for (left, right) in [((1, 4), (3, 4)), ((49, 100), (51, 100)), ((4999, 10000), (5002, 10000))] {
            let found = bounds(&[point(left), point(right)], &alpha, 100).expect("bounds");
            assert!(found.contains(&truth) && !found.is_point(), "{found:?}");
        }
        // With one point on one side there are the chords to the ends of the function: here from (0, 1) to (9/16,
        // 1/16), and from (1/16, 9/16) to (1, 0).
        for (only, above) in [((3, 4), (7, 12)), ((1, 4), (9, 20))] {
            let found = bounds(&[point(only)], &alpha, 100).expect("bounds");
            let above = Enclosure::rational(&Rational::from(above), 40);
            let end = found.upper();
            assert!(found.contains(&truth) && above.lower() <= end && end <= above.upper(), "{found:?}");
        }
        // The point itself.
        let exact = bounds(&[point((1, 4)), point((1, 2))], &alpha, 100).expect("bounds");
        assert!(exact.contains(&truth) && exact.relative_bits() > Some(90), "{exact:?}");
    }
}
