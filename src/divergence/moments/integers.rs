//! Losses on the integers: discrete Gaussian noise and its Poisson samples, as sums.
//!
//! Under Q the integer j has the weight `e^(-j^2/(2s))`, divided by the sum of all, and the loss of the noise is
//! `t = D (2j - D)/(2s)`; the sample's is `l = ln(1+u)`, `u = r (e^t - 1)`, and `dP = (1+u) dQ`. At rate 1 it is the
//! noise itself.
//!
//! **What is cut off.** Every average is at most `K e^|l|`, and `|l| <= |t|`; `1+u` is at most 1 below and `e^t`
//! above. So terms beyond are at most `K e^(-j^2/(2s) + m t)`, `m = 2` on the right under P and 1 under Q, `m = -1` on
//! the left. This is `K e^(m(m-1) D^2/(2s)) e^(-(j - m D)^2/(2s))`, and for `y >= 1`
//! `sum_(i >= 0) e^(-(y+i)^2/(2s)) <= (1 + s/y) e^(-y^2/(2s))`.

use rug::{Integer, Rational};

use super::Average;
use crate::curve::Direction;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Need, Portable, Real};

/// The precision of bounds.
const COARSE: u32 = 64;

/// The averages of a sample with this rate, each off by about `2^-bits`.
pub(super) fn averages(
    rate: &Real,
    sigma2: &Rational,
    sensitivity: u64,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    let wide = bits.saturating_add(64);
    let shift = Integer::from(sensitivity);
    let size = of.iter().fold(Enclosure::one(COARSE), |size, average| size.max(&average.size()));
    let backward = direction == Direction::Backward;
    let (s, d) = (sigma2.to_f64(), shift.to_f64());
    let goal = f64::from(bits) * std::f64::consts::LN_2
        + size.upper().to_f64().portable_ln().max(0.0)
        + 4.0
        + s.max(1.0).portable_ln();
    let reach = |m: f64| (m.abs() * d + (2.0 * s * (goal + m * (m - 1.0) * d * d / (2.0 * s))).sqrt() + 2.0).ceil();
    let (right, left) = (reach(if backward { 1.0 } else { 2.0 }), reach(-1.0));
    budget.afford(&Need {
        what: "terms of a discrete Gaussian sum",
        count: (right + left) as u64,
        most: 4_000_000,
        bytes: 0,
        relax: "try a smaller sigma",
    })?;
    let (right, left) = (right as i64, left as i64);
    let twice = Rational::from(sigma2 * 2u32);
    let mut sums = vec![Enclosure::zero(wide); of.len()];
    let mut weights = Enclosure::zero(wide);
    let sampling = rate.enclosure(wide);
    let rest = Real::one().sub(rate).enclosure(wide);
    for j in -left..=right {
        budget.check()?;
        let node = Integer::from(j);
        let square = Rational::from(Integer::from(node.square_ref())) / &twice;
        let noise = Rational::from(Integer::from(&node * 2u32) * &shift - Integer::from(shift.square_ref())) / &twice;
        let weight = (-Enclosure::rational(&square, wide)).exp();
        let excess = &sampling * &Enclosure::rational(&noise, wide).expm1();
        let ratio = &sampling * &Enclosure::rational(&noise, wide).exp() + &rest;
        // Near -1 the excess does not tell how large the ratio is.
        let loss = if *excess.lower() < -0.5 { ratio.ln() } else { excess.log1p() };
        let (loss, mass) = if backward { (-loss, weight.clone()) } else { (loss, &weight * &ratio) };
        for (sum, average) in sums.iter_mut().zip(of) {
            *sum = &*sum + &(&mass * &average.at(&loss));
        }
        weights = weights + weight;
    }
    let tail = |m: i64, from: i64| {
        let s = Enclosure::rational(sigma2, COARSE);
        let d = Enclosure::integer(&shift, COARSE);
        let y = Enclosure::integer(&Integer::from(from), COARSE) - d.mul_u32(m.unsigned_abs() as u32);
        let grown = Enclosure::integer(&Integer::from(m * (m - 1)), COARSE) * d.square() / s.shift(1);
        let first = (grown - y.square() / s.shift(1)).exp();
        (Enclosure::one(COARSE) + s / y) * first
    };
    let beyond = tail(if backward { 1 } else { 2 }, right + 1) + tail(-1, left + 1);
    let missing = tail(0, right + 1) + tail(0, left + 1);
    let all = weights.clone().hull(&(&weights + &missing.with_bits(wide)));
    let outside = beyond * size;
    Ok(sums.into_iter().map(|sum| sum.widen(outside.upper()) / &all).collect())
}
