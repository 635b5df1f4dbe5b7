//! Discrete Gaussians as lists of losses, one list for each kind, for contours of few bits.
//!
//! Tilted to the line of real part c, a draw x has a weight proportional to `e^(x c D/sigma^2 - x^2/(2 sigma^2))`, and
//! so to `e^(-(x - cD)^2/(2 sigma^2))`; the loss is `(D x + D^2/2)/sigma^2`. Listed are the x with `|x - cD| <= r`; of
//! those beyond, on either side the first has at most `t = e^(-r^2/(2 sigma^2))`, and each next one at most
//! `e^(-r/sigma^2)` of the one before it: together `2 t/(1 - e^(-r/sigma^2))`.

use rug::float::Round::Up;
use rug::{Integer, Rational};

use super::discrete_gaussian::Draws;
use super::{FixedMoments, VerticalContour};
use crate::compose::quadrature::fixed::{Errors, Point, power};
use crate::compose::quadrature::nonuniform::{FiniteLaw, Transformed};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Precision of weights.
const BITS: u32 = 96;
/// Standard deviations that are listed on either side: `e^(-84.5)` is left.
const REACH: f64 = 13.0;
/// Losses of a kind at most.
const MOST: u64 = 1 << 18;

/// Each kind's values, and how often it is drawn.
pub(super) struct Listed {
    kinds: Vec<(Transformed<FiniteLaw>, u64)>,
    error: f64,
}

/// The lists of these draws; `None` where one would be too long.
pub(super) fn listed(draws: &[Draws], line: &VerticalContour, budget: &Budget) -> Result<Option<Listed>, Error> {
    let mut kinds = Vec::with_capacity(draws.len());
    for draw in draws {
        let Some(law) = list(draw, line, budget)? else { return Ok(None) };
        kinds.push((Transformed::new(law, line), draw.times));
    }
    Ok(Some(Listed { kinds, error: 0.0 }))
}

/// One draw of a kind.
fn list(draw: &Draws, line: &VerticalContour, budget: &Budget) -> Result<Option<FiniteLaw>, Error> {
    let centre = Rational::from(line.tilt() * &draw.sensitivity);
    let reach = (REACH * draw.sigma2.to_f64().sqrt()).ceil() + 1.0;
    if !(reach < MOST as f64 / 2.0) {
        return Ok(None);
    }
    let reach = Rational::from(reach as u64);
    let first = Integer::from(Rational::from(&centre - &reach).ceil_ref());
    let last = Integer::from(Rational::from(&centre + &reach).floor_ref());
    let double = Rational::from(2 * &draw.sigma2);
    let fall = |x: &Rational| (-Enclosure::rational(&(Rational::from(x.square_ref()) / &double), BITS + 32)).exp();
    let (mut turns, mut weights) = (Vec::new(), Vec::new());
    let mut total = Enclosure::zero(BITS);
    let mut x = first;
    while x <= last {
        budget.check()?;
        let weight = fall(&Rational::from(&x - &centre)).with_bits(BITS);
        total = &total + &weight;
        weights.push(weight);
        let loss = Rational::from(2 * &x + &draw.sensitivity) * &draw.sensitivity / &double;
        turns.push(line.turns(&Real::from(loss)));
        x += 1;
    }
    let next = (-Enclosure::rational(&(Rational::from(&reach / &draw.sigma2)), BITS)).exp();
    let beyond = &fall(&reach).shift(1) / &(&Enclosure::one(BITS) - &next);
    // Weights are parts of all: what is left out counts twice.
    let left_out = (&beyond / &total).upper().to_f64_round(Up) * 2.0;
    Ok(FiniteLaw::new(turns.into_iter(), &weights, (&total, left_out)))
}

impl FixedMoments for Listed {
    fn error(&self) -> f64 {
        self.error
    }

    fn reach(&mut self, last: u64) {
        self.kinds.iter_mut().for_each(|(values, _)| values.reach(last));
    }

    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error> {
        let mut product = vec![Point::ONE; count];
        let mut of_product = 0.0;
        for (values, times) in &mut self.kinds {
            let Some(mut points) = values.run(first, count, budget)? else { return Ok(None) };
            let error = Errors::small(values.error()).and_then(|error| power(&mut points, *times, error));
            let Some(error) = error.and_then(|error| Errors::product(of_product, error)) else { return Ok(None) };
            of_product = error;
            product.iter_mut().zip(&points).for_each(|(product, point)| *product = product.times(*point));
        }
        self.error = self.error.max(of_product);
        Ok(Some(product))
    }
}

#[cfg(test)]
mod tests {
    use enclosure::Portable;
    use rug::Float;

    use super::super::{DiscreteGaussians, Factor};
    use super::*;
    use enclosure::Complex;

    /// Two kinds of draws against theta functions with many bits.
    #[test]
    fn lists_are_within_their_error() {
        let draws = |kinds: &[((u32, u32), u32, u64)]| -> Vec<Draws> {
            let kind = |(sigma2, sensitivity, times): &((u32, u32), u32, u64)| Draws {
                sigma2: Rational::from(*sigma2),
                sensitivity: (*sensitivity).into(),
                times: *times,
            };
            kinds.iter().map(kind).collect()
        };
        let budget = Budget::default();
        for kinds in [&[((7, 2), 1, 5u64), ((40, 1), 3, 2)][..], &[((1, 3), 2, 1)], &[((900, 1), 1, 300)]] {
            let all = draws(kinds);
            let factor = DiscreteGaussians::new(all).expect("draws");
            for tilt in [(3, 2), (-7, 3), (40, 1)] {
                let line = VerticalContour::new(Rational::from(tilt), Real::from(30u64));
                let mut values = factor.coarse(&line, &budget).expect("no error").expect("lists");
                values.reach(300);
                let points = values.run(0, 301, &budget).expect("time").expect("values");
                let size = Complex::real(&factor.moment(line.tilt(), 200, &budget).expect("a moment").recip(), 200);
                let mut discs = factor.on(&line, 200, &budget).expect("values");
                let mut worst = 0.0f64;
                for k in [0u64, 1, 2, 50, 300] {
                    let truth = &discs.run(k, 1, &budget).expect("time")[0] * &size;
                    let point = points[k as usize];
                    let apart = |x: i64, truth: &Float| {
                        Float::with_val(200, (Float::with_val(200, x) >> 62u32) - truth).to_f64()
                    };
                    let (re, im) = truth.centre();
                    let distance = apart(point.re, re).portable_hypot(apart(point.im, im));
                    assert!(distance <= values.error(), "{tilt:?} {k}: {distance} {}", values.error());
                    worst = worst.max(distance);
                }
                assert!(values.error() < 1e-9 && worst > 0.0, "{tilt:?}: {worst} {}", values.error());
            }
        }
    }
}
