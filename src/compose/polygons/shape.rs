//! The two polygons of points.

use rug::Rational;

use super::points::Tangent;
use super::round::rounded;
use crate::error::Error;
use crate::pair::{TradeOff, Vertex};

/// The polygon above: through the points.
///
/// The greatest convex function that is nowhere above points that are nowhere below a convex f is nowhere below f.
pub fn above(points: &[Tangent]) -> Result<TradeOff, Error> {
    let points: Vec<Vertex> = points.iter().map(|point| (point.at.alpha.clone(), point.at.high.clone())).collect();
    TradeOff::below(&points)
}

/// The polygon below: of lines that are nearly tangents.
///
/// Its vertices `v_i` lie nowhere above two neighbouring [`Support`]s, on one side of each, and the last one is at a
/// zero of the last of these: as they are concave and below f, so is the piece from `v_i` to `v_(i+1)`, and after the
/// last one f is nowhere below 0; the greatest convex function that is nowhere above the vertices is nowhere above the
/// pieces.
pub fn below(points: &[Tangent]) -> Result<TradeOff, Error> {
    let mut supports = points.iter().filter_map(Support::of);
    // 0, where nothing is known; and where the first support begins below 0.
    let mut vertices = vec![(Rational::new(), Rational::new())];
    if let Some(mut last) = supports.next() {
        vertices = vec![(Rational::new(), last.value(&Rational::new()).max(Rational::new()))];
        for next in supports {
            // What is nearly parallel adds nothing, and nor does what comes after the last one is 0.
            match last.meets(&next) {
                Some(meet) if meet.1.cmp0().is_lt() => break,
                Some(meet) => {
                    vertices.push(meet);
                    last = next;
                }
                None => {}
            }
        }
        vertices.push((last.zero(), Rational::new()));
    }
    TradeOff::below(&vertices)
}

/// A concave function of two pieces that is nowhere above f.
///
/// With `f(a) >= l` and `f(b) >= m` at two neighbours `a < b`, also `f <= L`, `f <= M` there, and `c` the least of l,
/// m: left of a f is nowhere below the line through both points prolonged, so not below `c + (M - l)/(b - a) (x - a)`;
/// from a to b it is not below c, for it falls; and beyond b not below `c + s (x - b)`, `s = (m - L)/(b - a)`, which
/// for `s <= 0` is at least `c + s (x - a)`.
struct Support {
    at: Vertex,
    before: Rational,
    beyond: Rational,
}

impl Support {
    fn of(tangent: &Tangent) -> Option<Self> {
        let (first, second) = (&tangent.at, tangent.beside.as_ref()?);
        let run = Rational::from(&second.alpha - &first.alpha);
        if run <= 0 {
            return None;
        }
        let beyond = (Rational::from(&second.low - &first.high) / &run).min(Rational::new());
        // A smaller slope on the left would not be below f there.
        let before = (Rational::from(&second.high - &first.low) / &run).max(beyond.clone());
        let least = first.low.clone().min(second.low.clone());
        Some(Support { at: (first.alpha.clone(), least), before, beyond })
    }

    /// A type I error from a to 1 where this is not below 0, next to where it is 0; 1 if it is never below 0.
    fn zero(&self) -> Rational {
        if self.beyond.is_zero() {
            return Rational::from(1);
        }
        let away = Rational::from(&self.at.1 / &self.beyond);
        let place = rounded(&Rational::from(&self.at.0 - &away));
        place.max(self.at.0.clone()).min(Rational::from(1))
    }

    fn value(&self, alpha: &Rational) -> Rational {
        let away = Rational::from(alpha - &self.at.0);
        let slope = if away > 0 { &self.beyond } else { &self.before };
        rounded(&(away * slope + &self.at.1))
    }

    /// A point between both that is nowhere above either, next to where they meet.
    fn meets(&self, next: &Self) -> Option<Vertex> {
        let bend = Rational::from(&next.before - &self.beyond);
        if bend <= 0 {
            return None;
        }
        // at + beyond (x - a) = at' + before' (x - a').
        let apart = Rational::from(&self.at.1 - &next.at.1) + Rational::from(&next.before * &next.at.0)
            - Rational::from(&self.beyond * &self.at.0);
        let place = rounded(&(apart / bend));
        if place <= self.at.0 || place >= next.at.0 {
            return None;
        }
        let value = self.value(&place).min(next.value(&place));
        Some((place, value))
    }
}
