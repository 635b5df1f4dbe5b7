//! A pair between two polygons, in malachite's rationals: where outcomes are known up to rounding, and where of
//! infinitely many all but some are cut off.
//!
//! The trade-off function f of a pair is convex, and a pair from which another follows by post-processing has the lower
//! one (Blackwell; Dong, Roth, Su 2022, theorem 2). Two pairs with finitely many outcomes are around it:
//!
//! * **above**: each test is a point `(P(S), 1 - Q(S))` on or above f, and so is what is farther up or to the right of
//!   it. The hull of such points is above f, for what is above a convex function is convex.
//! * **below**: let `p_i <= P(i)` and `q_i <= Q(i)`. The pair that has these masses, and of what is missing from 1 one
//!   outcome of P alone and one of Q alone, has the real one as post-processing: outcome i stays, and of the two others
//!   a real outcome is drawn, with `P(i) - p_i` in parts of what P lacks, or with `Q(i) - q_i` in parts of what Q
//!   lacks.
//!
//! All operators keep that order, so that they may be applied to both polygons.

use malachite::Rational;
use malachite::base::num::basic::traits::{One, Zero};

use super::elementary::{Bounds, ceiling_at, exp_bounds, floor_at};
use super::enumeration::Draw;
use super::polygon::{Point, Polygon};

/// Two polygons, and a trade-off function between.
#[derive(Clone, Debug)]
pub struct Between {
    /// On or below it.
    pub below: Polygon,
    /// On or above it.
    pub above: Polygon,
}

impl Between {
    /// Of a draw of which some outcomes are listed, with bounds of their masses. What is not listed is some mass of
    /// both.
    pub fn of_draw(draw: &Draw) -> Self {
        // In about the order of likelihood ratios: any is allowed.
        let mut order: Vec<&(Bounds, Bounds)> =
            draw.iter().filter(|((p, _), (q, _))| *p != 0u32 || *q != 0u32).collect();
        order.sort_by(|((p, _), (q, _)), ((r, _), (s, _))| (s * p).cmp(&(q * r)));
        let (mut alpha, mut beta) = (Rational::ZERO, Rational::ONE);
        let mut tests: Vec<Point> = vec![(Rational::ZERO, Rational::ONE)];
        for ((_, p), (q, _)) in order {
            alpha += p;
            beta -= q;
            tests.push((alpha.clone(), beta.clone()));
        }
        let listed = draw.iter().map(|((p, _), (q, _))| (p.clone(), q.clone())).collect();
        Between { below: with_rest(listed), above: hull(tests) }
    }

    /// Sums of both masses rounded to multiples of `2^-bits`, the order kept.
    #[must_use]
    pub fn rounded(&self, bits: u64) -> Self {
        let down = |mass: &Rational| Rational::from(floor_at(mass, bits)) >> bits;
        let up = |value: &Rational| Rational::from(ceiling_at(value, bits)) >> bits;
        let below = self.below.outcomes().iter().map(|(p, q)| (down(p), down(q))).collect();
        let above = self.above.vertices().iter().map(|(a, b)| (up(a), up(b))).collect();
        Between { below: with_rest(below), above: hull(above) }
    }

    /// The same operator on both.
    #[must_use]
    pub fn each(&self, operator: impl Fn(&Polygon) -> Polygon) -> Self {
        Between { below: operator(&self.below), above: operator(&self.above) }
    }
}

/// The hull of tests, none of which errs more often than always.
fn hull(tests: Vec<Point>) -> Polygon {
    Polygon::hull(tests.into_iter().filter(|(alpha, _)| *alpha < 1u32).collect())
}

/// The polygon of these outcomes and of two more, which only one of both has.
fn with_rest(mut outcomes: Vec<(Rational, Rational)>) -> Polygon {
    let sum = |total: Rational, mass: &Rational| total + mass;
    let p = outcomes.iter().map(|(p, _)| p).fold(Rational::ZERO, sum);
    let q = outcomes.iter().map(|(_, q)| q).fold(Rational::ZERO, sum);
    outcomes.extend([(Rational::ONE - p, Rational::ZERO), (Rational::ZERO, Rational::ONE - q)]);
    Polygon::of_outcomes(&outcomes)
}

/// Discrete Gaussian noise `N_Z(0, sigma2)` against `N_Z(shift, sigma2)`, but for outcomes with less than `2^-bits`
/// times the largest mass under one and the other.
///
/// With `w_j = e^(-j^2/(2 sigma2))` a mass is `w_j` divided by the sum of all, and beyond J that is at most
/// `w_(J+1)/(1 - w_(J+2)/w_(J+1))` on either side: the quotients fall.
pub fn discrete_gaussian(sigma2: &Rational, shift: u64, bits: u64) -> Draw {
    let weight = |j: u64| {
        let square = Rational::from(j) * Rational::from(j);
        exp_bounds(&(-square / (sigma2 * Rational::from(2u32))), bits + 64)
    };
    let least = Rational::ONE >> bits;
    let mut weights: Vec<Bounds> = Vec::new();
    let end = loop {
        let next = weight(weights.len() as u64);
        if next.1 < least {
            break next;
        }
        weights.push(next);
    };
    let after = weight(weights.len() as u64 + 1);
    let tail = &end.1 / (Rational::ONE - after.1 / &end.0);
    let sides = |end: fn(&Bounds) -> &Rational| {
        weights.iter().skip(1).map(end).fold(Rational::ZERO, |sum, weight| sum + weight) * Rational::from(2u32)
    };
    let norm = (Rational::ONE + sides(|w| &w.0), Rational::ONE + sides(|w| &w.1) + tail * Rational::from(2u32));
    let mass = |j: i64| {
        let distance = j.unsigned_abs();
        let (low, high) = match weights.get(usize::try_from(distance).unwrap_or(usize::MAX)) {
            Some(weight) => weight.clone(),
            None => weight(distance),
        };
        (low / &norm.1, high / &norm.0)
    };
    let (reach, shift) = (weights.len() as i64 - 1, i64::try_from(shift).unwrap_or(i64::MAX));
    (-reach..=reach + shift).map(|j| (mass(j), mass(j - shift))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(numer: u32, denom: u32) -> Rational {
        Rational::from_unsigneds(numer, denom)
    }

    fn thirds() -> Polygon {
        Polygon::of_outcomes(&[(q(1, 2), q(1, 6)), (q(1, 3), q(1, 3)), (q(1, 6), q(1, 2))])
    }

    /// A pair with an outcome left out, and rounded, is on both sides of the whole one, and not far.
    #[test]
    fn cut_pairs_are_on_both_sides() {
        let whole = thirds();
        let exact = |p: Rational| (p.clone(), p);
        let listed: Draw = vec![(exact(q(1, 2)), exact(q(1, 6))), (exact(q(1, 6)), exact(q(1, 2)))];
        let wide = |p: Rational| (&p - q(1, 1000), p + q(1, 1000));
        let all: Draw = vec![(q(1, 6), q(1, 2)), (q(1, 3), q(1, 3)), (q(1, 2), q(1, 6))]
            .into_iter()
            .map(|(p, q)| (wide(p), wide(q)))
            .collect();
        for (draw, most) in [(&listed, q(2, 3)), (&all, q(1, 50))] {
            let between = Between::of_draw(draw);
            for between in [between.clone(), between.rounded(12)] {
                for n in 0..=60 {
                    let at = q(n, 60);
                    let (low, high) = (between.below.at(&at), between.above.at(&at));
                    assert!(low <= whole.at(&at) && whole.at(&at) <= high, "{at}: {low} {high}");
                    assert!(high - low <= most, "{at}");
                }
            }
        }
    }

    /// So are its samples, groups and larger ones.
    #[test]
    fn operators_keep_the_order() {
        let wide = |p: Rational| (&p - q(1, 1000), p + q(1, 1000));
        let draw: Draw = thirds().outcomes().into_iter().map(|(p, q)| (wide(p), wide(q))).collect();
        let between = Between::of_draw(&draw);
        let operators: [fn(&Polygon) -> Polygon; 5] =
            [|f| f.sampled(&q(1, 3)), |f| f.group(2), Polygon::inverse, Polygon::larger, Polygon::both_orders];
        for operator in operators {
            let (whole, between) = (operator(&thirds()), between.each(operator).rounded(16));
            for n in 0..=40 {
                let at = q(n, 40);
                assert!(between.below.at(&at) <= whole.at(&at) && whole.at(&at) <= between.above.at(&at), "{at}");
            }
        }
    }

    /// The masses of discrete Gaussian noise enclose theirs: they add up to 1 and no more, and fall as they should.
    #[test]
    fn masses_of_discrete_noise() {
        let draw = discrete_gaussian(&q(2, 1), 3, 80);
        let sum = |end: fn(&(Bounds, Bounds)) -> &Rational| draw.iter().map(end).fold(Rational::ZERO, |s, p| s + p);
        let (low, high) = (sum(|(p, _)| &p.0), sum(|(p, _)| &p.1));
        let tiny = Rational::ONE >> 70u64;
        assert!(low <= 1u32 && &high - &low < tiny && Rational::ONE - &low < tiny);
        // P(1)/P(0) = e^(-1/4).
        let at = |p: &Rational| draw.iter().find(|((_, high), _)| high == p);
        let largest = draw.iter().map(|((_, p), _)| p.clone()).max().expect("outcomes");
        let ((low, high), _) = at(&largest).expect("the largest");
        let next = draw.iter().map(|((_, p), _)| p).filter(|p| **p < largest).max().expect("the next");
        let ((less, more), _) = at(next).expect("it");
        let quotient = exp_bounds(&-q(1, 4), 100);
        assert!(less / high <= quotient.1 && more / low >= quotient.0);
        assert_eq!(draw.first().map(|(_, q)| q.clone()), draw.last().map(|(p, _)| p.clone()));
    }
}
