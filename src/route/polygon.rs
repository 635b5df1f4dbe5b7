//! Trade-off functions that are polygons, in malachite's rationals: operators by their definitions.
//!
//! A polygon is the list of its vertices `(alpha, beta)`, alpha growing from 0 to 1. Each operator says where vertices
//! may be and what the function is there: iterates have them where an iterate meets a vertex, larger ones where two
//! sides cross, and the greatest convex function below several is the lower hull of all their vertices (Andrew's
//! chain). The engine's algebra works on the sides of such functions and in GMP's rationals.

use malachite::Rational;
use malachite::base::num::basic::traits::{One, Zero};

/// A point of a trade-off function.
pub type Point = (Rational, Rational);

/// A convex polygon from `(0, f(0))` to `(1, 0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polygon {
    points: Vec<Point>,
}

impl Polygon {
    /// That of a pair, from the masses of P and Q on each outcome.
    pub fn of_outcomes(outcomes: &[(Rational, Rational)]) -> Self {
        let mut order: Vec<&(Rational, Rational)> = outcomes.iter().filter(|(p, q)| *p != 0u32 || *q != 0u32).collect();
        // q/p descending without dividing: what only Q has comes first.
        order.sort_by(|(p, q), (r, s)| (s * p).cmp(&(q * r)));
        let (mut alpha, mut beta) = (Rational::ZERO, Rational::ONE);
        let mut points = Vec::new();
        for (p, q) in order {
            if *p == 0u32 {
                beta -= q;
                continue;
            }
            if points.is_empty() {
                points.push((alpha.clone(), beta.clone()));
            }
            alpha += p;
            beta -= q;
            points.push((alpha.clone(), beta.clone()));
        }
        Polygon::hull(points)
    }

    /// The largest one that promises all of these `(e^epsilon, delta)`: at each place the largest of the lines
    /// `1 - delta - x a` and `(1 - delta - a)/x`, and 0.
    pub fn of_profile(promises: &[(Rational, Rational)]) -> Self {
        let mut lines = vec![(Rational::ZERO, Rational::ZERO)];
        for (x, delta) in promises {
            let kept = Rational::ONE - delta;
            lines.push((kept.clone(), -x.clone()));
            lines.push((&kept / x, -(Rational::ONE / x)));
        }
        let mut places = vec![Rational::ZERO, Rational::ONE];
        for (i, (a, s)) in lines.iter().enumerate() {
            for (b, t) in &lines[..i] {
                if s != t {
                    places.push((b - a) / (s - t));
                }
            }
        }
        let largest = |alpha: &Rational| {
            lines.iter().map(|(a, s)| a + s * alpha).fold(Rational::ZERO, |most, value| most.max(value))
        };
        Polygon::from_places(places, largest)
    }

    /// The greatest convex one below all of these points; what is above a chord of others is left out.
    pub fn hull(mut points: Vec<Point>) -> Self {
        points.push((Rational::ONE, Rational::ZERO));
        points.sort();
        // Of two at one place the lower one comes first.
        points.dedup_by(|later, first| later.0 == first.0);
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., (a, b), (c, d)] = chain.as_slice()
                && (d - b) * (&point.0 - a) >= (&point.1 - b) * (c - a)
            {
                chain.pop();
            }
            chain.push(point);
        }
        Polygon { points: chain }
    }

    fn from_places(places: Vec<Rational>, value: impl Fn(&Rational) -> Rational) -> Self {
        let inside = places.into_iter().filter(|place| *place >= 0u32 && *place <= 1u32);
        let points: Vec<Point> = inside.map(|place| (place.clone(), value(&place))).collect();
        Polygon::hull(points)
    }

    /// Where it bends, with both ends.
    pub fn vertices(&self) -> &[Point] {
        &self.points
    }

    /// The type II error at an alpha in `[0, 1]`.
    pub fn at(&self, alpha: &Rational) -> Rational {
        for side in self.points.windows(2) {
            if let [(a, b), (c, d)] = side
                && alpha <= c
            {
                return b + (d - b) * (alpha - a) / (c - a);
            }
        }
        Rational::ZERO
    }

    /// The masses of P and Q on the outcomes of a pair with this trade-off function.
    pub fn outcomes(&self) -> Vec<(Rational, Rational)> {
        let mut outcomes: Vec<(Rational, Rational)> = Vec::new();
        if let Some((_, first)) = self.points.first()
            && *first != 1u32
        {
            outcomes.push((Rational::ZERO, Rational::ONE - first));
        }
        for side in self.points.windows(2) {
            if let [(a, b), (c, d)] = side {
                outcomes.push((c - a, b - d));
            }
        }
        outcomes
    }

    /// With P and Q exchanged: the mirror image, and 0 from f(0) on.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Polygon::hull(self.points.iter().map(|(a, b)| (b.clone(), a.clone())).collect())
    }

    /// The larger one of the two orders.
    #[must_use]
    pub fn larger(&self) -> Self {
        let other = self.inverse();
        let mut places: Vec<Rational> = self.points.iter().chain(&other.points).map(|(a, _)| a.clone()).collect();
        places.sort();
        let crossing = |pair: &[Rational]| {
            let [a, c] = pair else { return None };
            let (here, there) = (self.at(a) - other.at(a), self.at(c) - other.at(c));
            (here != there).then(|| a + (c - a) * &here / (&here - there))
        };
        let crossings: Vec<Rational> = places.windows(2).filter_map(crossing).collect();
        places.extend(crossings);
        Polygon::from_places(places, |alpha| self.at(alpha).max(other.at(alpha)))
    }

    /// The greatest one below both orders.
    #[must_use]
    pub fn both_orders(&self) -> Self {
        let other = self.inverse();
        Polygon::hull(self.points.iter().chain(&other.points).cloned().collect())
    }

    /// `rate f + (1-rate) Id`.
    #[must_use]
    pub fn sampled(&self, rate: &Rational) -> Self {
        let rest = Rational::ONE - rate;
        Polygon::hull(self.points.iter().map(|(a, b)| (a.clone(), rate * b + &rest * (Rational::ONE - a))).collect())
    }

    /// `1 - (1-f)^(o k)`.
    #[must_use]
    pub fn group(&self, k: u64) -> Self {
        let vertices: Vec<Rational> = self.points.iter().map(|(a, _)| a.clone()).collect();
        let mut places = vertices.clone();
        for _ in 1..k {
            // Where the next level is one of the places.
            let before: Vec<Rational> = places.iter().filter_map(|place| self.where_power_is(place)).collect();
            places = vertices.iter().cloned().chain(before).collect();
            places.sort();
            places.dedup();
        }
        Polygon::from_places(places, |alpha| {
            let mut level = alpha.clone();
            for _ in 0..k {
                level = Rational::ONE - self.at(&level);
            }
            Rational::ONE - level
        })
    }

    /// The alpha at which `1 - f` is this, between `1 - f(0)` and 1.
    fn where_power_is(&self, power: &Rational) -> Option<Rational> {
        let beta = Rational::ONE - power;
        self.points.windows(2).find_map(|side| match side {
            [(a, b), (c, d)] if *b >= beta && *d <= beta && b != d => Some(a + (c - a) * (b - &beta) / (b - d)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(numer: u32, denom: u32) -> Rational {
        Rational::from_unsigneds(numer, denom)
    }

    fn response(x: u32) -> Polygon {
        Polygon::of_outcomes(&[(q(x, x + 1), q(1, x + 1)), (q(1, x + 1), q(x, x + 1))])
    }

    /// Randomised response of e^epsilon = 3 by hand.
    #[test]
    fn randomised_response_by_hand() {
        let f = response(3);
        assert_eq!(f.points, [(q(0, 1), q(1, 1)), (q(1, 4), q(1, 4)), (q(1, 1), q(0, 1))]);
        assert_eq!(f.inverse(), f);
        assert_eq!(f.larger(), f);
        assert_eq!(f.both_orders(), f);
        assert_eq!(Polygon::of_profile(&[(q(3, 1), q(0, 1))]), f);
        assert_eq!(Polygon::of_outcomes(&f.outcomes()), f);
        // From 1/8 the first level is 1 - 5/8, and f(3/8) = (5/8)/3.
        assert_eq!(f.group(2).at(&q(1, 8)), q(5, 24));
        assert_eq!(f.group(2).points.len(), 4);
    }

    /// An outcome of each distribution alone: f(0) < 1, and 0 before alpha is 1.
    #[test]
    fn what_one_distribution_has_alone() {
        let f = Polygon::of_outcomes(&[(q(1, 3), q(0, 1)), (q(2, 3), q(1, 2)), (q(0, 1), q(1, 2))]);
        assert_eq!(f.points, [(q(0, 1), q(1, 2)), (q(2, 3), q(0, 1)), (q(1, 1), q(0, 1))]);
        assert_eq!(f.inverse().points, [(q(0, 1), q(2, 3)), (q(1, 2), q(0, 1)), (q(1, 1), q(0, 1))]);
        assert_eq!(f.inverse().inverse(), f);
        assert_eq!(f.larger().at(&q(0, 1)), q(2, 3));
        assert_eq!(f.both_orders().at(&q(0, 1)), q(1, 2));
        // The larger one has both as bounds, and the hull is below both, everywhere.
        for n in 0..=24 {
            let alpha = q(n, 24);
            let (here, there) = (f.at(&alpha), f.inverse().at(&alpha));
            assert_eq!(f.larger().at(&alpha), here.clone().max(there.clone()));
            assert!(f.both_orders().at(&alpha) <= here.min(there));
        }
    }

    /// Samples are mixtures with the diagonal, and groups of one are what they are groups of.
    #[test]
    fn samples_and_groups() {
        let f = response(7);
        assert_eq!(f.group(1), f);
        assert_eq!(f.sampled(&q(1, 1)), f);
        let half = f.sampled(&q(1, 2));
        for n in 0..=16 {
            let alpha = q(n, 16);
            assert_eq!(half.at(&alpha), (f.at(&alpha) + q(16 - n, 16)) / q(2, 1));
            let mut level = alpha.clone();
            for _ in 0..5 {
                level = q(1, 1) - f.at(&level);
            }
            assert_eq!(f.group(5).at(&alpha), q(1, 1) - level);
        }
    }
}
