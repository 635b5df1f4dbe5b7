//! The likelihood ratio in enclosures, and bounds of the parts of its integrals that are left out.

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use crate::error::Error;
use enclosure::special::{exp_thin, ln_thin};
use enclosure::{Budget, Complex, Enclosure, Real};

/// The parameters at one precision.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub bits: u32,
    pub mu: Enclosure,
    pub p: Enclosure,
    pub q: Enclosure,
}

/// On which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// `r` in a power of `w`.
#[derive(Clone, Debug)]
pub(super) enum Power {
    /// Exactly this, at least 0.
    Rising(Rational),
    /// In this enclosure, at most 0.
    Falling(Enclosure),
}

impl Pair {
    pub fn new(mu: &Real, rate: &Real, rest: &Real, bits: u32) -> Self {
        Pair { bits, mu: mu.enclosure(bits), p: rate.enclosure(bits), q: rest.enclosure(bits) }
    }

    pub fn rational(&self, value: &Rational) -> Enclosure {
        Enclosure::rational(value, self.bits)
    }

    /// `p e^(mu t - mu^2/2)`.
    pub fn shifted(&self, t: &Rational) -> Enclosure {
        let lean = &self.mu * &(&self.rational(t) - &self.mu.shift(-1));
        &self.p * &exp_thin(&lean, self.bits)
    }

    /// `ln w(t)`.
    pub fn log_ratio(&self, t: &Rational) -> Enclosure {
        ln_thin(&(&self.q + &self.shifted(t)), self.bits)
    }

    /// `mu theta(t)`, the slope of `ln w`.
    fn slope(&self, t: &Rational) -> Enclosure {
        let shifted = self.shifted(t);
        let share = &shifted / &(&self.q + &shifted);
        &self.mu * &share
    }

    /// An upper bound of `sum e^(h(t))`, `h(t) = -t^2/2 + r ln w(t)`, over the nodes
    /// `t = start, start + g, start + 2g, ...` (`Right`) or `start, start - g, ...` (`Left`). Infinite where the
    /// argument does not go through.
    ///
    /// *One step.* If `h(start + s) <= h(start) - d s - s^2/2` for all `s >= 0` in question, then with `d >= 0` the sum
    /// is at most `e^(h(start)) sum_i e^(-i^2 g^2/2) <= e^(h(start)) (1 + sqrt(pi/2)/g)`, and `sqrt(pi/2) < 2`. With
    /// `d < 0` each term is at most `e^(h(start) + d^2/2)`.
    ///
    /// *`r <= 0`.* `r ln w` is concave, so its tangent at the start is above it, and `d = |start - r mu theta(start)|`
    /// with the sign that makes it the fall outward.
    ///
    /// *`r >= 0`.* `ln w` is convex, so on a cell it is below its chord, which gives `d` for the cell; cells follow one
    /// another until the slope's bounds `0 <= mu theta <= mu` suffice: from `start >= r mu` to the right, `start <= 0`
    /// to the left.
    pub fn beyond(
        &self,
        power: &Power,
        start: &Rational,
        side: Side,
        step: &Rational,
        floor: f64,
        budget: &Budget,
    ) -> Result<Float, Error> {
        let infinite = || Float::with_val(64, rug::float::Special::Infinity);
        let per = &Enclosure::one(64) + &Enclosure::rational(&Rational::from(2 / step), 64);
        let half_square = |t: &Rational| self.rational(&(Rational::from(t.square_ref()) / 2u32));
        let exponential = |x: &Enclosure| Float::with_val_round(64, x.exp().upper(), rug::float::Round::Up).0;
        let r = match power {
            Power::Falling(r) => {
                let at = self.rational(start);
                let fall = &at - &(r * &self.slope(start));
                let fall = if side == Side::Right { fall } else { -fall };
                if *fall.lower() < 0 {
                    return Ok(infinite());
                }
                let height = &(r * &self.log_ratio(start)) - &half_square(start);
                return Ok(exponential(&(&height + &per.ln())));
            }
            Power::Rising(r) => r,
        };
        let power = self.rational(r);
        let edge = &power * &self.mu;
        let mut total = Float::new(64);
        let mut x = start.clone();
        let mut here = self.log_ratio(&x);
        let mut width = Rational::from(1);
        let least = Rational::from((1, 64));
        for _ in 0..4000 {
            budget.check()?;
            let at = self.rational(&x);
            let height = &(&power * &here) - &half_square(&x);
            let last = match side {
                Side::Right => at.compare(&edge) == Some(Ordering::Greater),
                Side::Left => *at.upper() <= 0,
            };
            if last {
                let bound = exponential(&(&height + &per.ln()));
                total.add_up(&bound);
                return Ok(total);
            }
            let y = if side == Side::Right { Rational::from(&x + &width) } else { Rational::from(&x - &width) };
            let there = self.log_ratio(&y);
            // The chord's slope times the power, outward.
            let rise = &power * &(&(&there - &here) / &self.rational(&width));
            let fall = if side == Side::Right { &at - &rise } else { -(&at + &rise) };
            let bound = if *fall.lower() >= 0 {
                &height + &per.ln()
            } else {
                let nodes = Enclosure::rational(&(Rational::from(&width / step) + 1u32), 64);
                &(&height + &fall.square().shift(-1)) + &nodes.ln()
            };
            if *bound.upper() > floor && width > least {
                width /= 4;
                continue;
            }
            total.add_up(&exponential(&bound));
            x = y;
            here = there;
            width *= 2;
        }
        Ok(infinite())
    }

    /// An upper bound of `(q^r/K(r))^...`: the logarithm of what `|w|^r` may gain on the line `Im t = a` over
    /// the axis, relative to `K(r)`; see [`Self::edge`].
    fn gain(&self, r: &Rational, log_moment: &Enclosure, v: &Enclosure) -> Option<Enclosure> {
        if v.compare(&Enclosure::pi(64)) != Some(Ordering::Less) {
            return None;
        }
        if *r >= 0 {
            return Some(Enclosure::zero(64));
        }
        let turn = Complex::cis(v, 64);
        let excess = &(&self.rational(r) * &ln_thin(&self.q, self.bits)) - log_moment;
        let right = Enclosure::pi(64).shift(-1);
        if *v.upper() <= *right.lower() {
            let part = &Enclosure::one(64) - &turn.re();
            return Some(&part.positive_part() * &excess.positive_part());
        }
        let sin = turn.im();
        if *sin.lower() <= 0 {
            return None;
        }
        // Where v may be on either side of a right angle: sin v <= 1 makes this bound the larger one.
        Some(&excess.positive_part() + &(&self.rational(r) * &ln_thin(&sin, 64)).positive_part())
    }

    /// An upper bound of `ln (int |f(t + ia)| dt / K(r))` for `f = phi w^(r + iy)` and all `y` with `|y| <= most`, on
    /// the side where that matters, or for all `y` of the sign of `a` (`most = None`). `None`: no bound.
    ///
    /// `|phi(t + ia)| = e^(a^2/2) phi(t)` and, with `v = mu |a| < pi`, `|w^(r + iy)| = |w|^r e^(-y arg w)`, `arg w`
    /// between 0 and `v` with the sign of `a`. For `r >= 0`, `|w(t + ia)| <= w(t)`. For `r < 0` and `v <= pi/2`,
    /// `|w(t + ia)|^2 = cos v w^2 + (1 - cos v)(q^2 + E^2) >= w^(2 cos v) q^(2 (1 - cos v))`, with `E = w -
    /// q`, by the inequality of the means; and `K(r cos v) <= K(r)^(cos v)` as `ln K` is convex and `K(0) =
    /// 1`. For `v > pi/2`, `|w(t + ia)| >= q sin v`, the distance of a ray from 0.
    pub fn edge(
        &self,
        r: &Rational,
        log_moment: &Enclosure,
        a: &Rational,
        most: Option<&Enclosure>,
    ) -> Option<Enclosure> {
        let height = Enclosure::rational(a, 64).abs();
        let v = &height * &self.mu.with_bits(64);
        let mut bound = &height.square().shift(-1) + &self.gain(r, log_moment, &v)?;
        if let Some(most) = most {
            bound = &bound + &(most * &v);
        }
        Some(bound)
    }
}

/// `e^edge/(e^(2 pi a/g) - 1)`, rounded up: one side's share of the error of a trapezoid sum. Infinite for `a <= 0`.
pub(super) fn aliases(edge: &Enclosure, a: &Rational, step: &Rational) -> Float {
    if *a <= 0 {
        return Float::with_val(64, rug::float::Special::Infinity);
    }
    let turns = &Enclosure::pi(64).shift(1) * &Enclosure::rational(&Rational::from(a / step), 64);
    let bound = &edge.exp() / &turns.expm1();
    Float::with_val_round(64, bound.upper(), rug::float::Round::Up).0
}

/// Sums of bounds.
pub(super) trait AddUp {
    fn add_up(&mut self, more: &Float);
}

impl AddUp for Float {
    fn add_up(&mut self, more: &Float) {
        rug::ops::AddAssignRound::add_assign_round(self, more, rug::float::Round::Up);
    }
}

/// A dyadic rational of few bits, at most `x > 0` and at least `7/8 x`... for steps and shifts.
pub(super) fn dyadic(x: f64, bits: u32) -> Rational {
    let (short, _) = Float::with_val_round(bits, x, rug::float::Round::Down);
    short.to_rational().unwrap_or_default()
}

/// `n step`.
pub(super) fn node(n: i64, step: &Rational) -> Rational {
    Rational::from(step * &Integer::from(n))
}
