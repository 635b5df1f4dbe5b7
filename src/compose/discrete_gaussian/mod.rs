//! The discrete Gaussian, composed: any rational variance parameter, any integer shift, any number of draws.
//!
//! The pair is `P = N_Z(0, sigma^2)^n` and `Q = N_Z(D, sigma^2)^n`, where `N_Z(m, sigma^2)` gives an integer `j` mass
//! proportional to `e^(-(j-m)^2/(2 sigma^2))`. The reflection `j -> D - j` of every coordinate exchanges P and Q, so
//! both directions of the profile are one function and the trade-off function is its own inverse.
//!
//! With `S = X_1 + ... + X_n`, `X_i ~ N_Z(0, sigma^2)` (up to the sign of `S`, whose law is symmetric), the privacy
//! loss is `D (2S + nD)/(2 sigma^2)` under P, and under Q the same with `S - nD` in place of `S`. It lives on the knots
//! `l_k = D (2k + nD)/(2 sigma^2)`, exact rationals, and everything is made of the two tails there,
//!
//! `A_k = P(S >= k)`, `B_k = P(S >= k + nD)`: `delta(eps) = max_k (A_k - e^eps B_k)`,
//! `e^(eps*) = max_k (A_k - delta)/B_k`, `beta(alpha) = max_k [B_(k+1) + e^(-l_k) (1 - alpha - A_(k+1))]`.
//!
//! Asked between its edges only, and of P that is not Q: see [`Edges`](super::Edges).
//!
//! The maximisers are found by a search at low precision and then *proven*, by comparing the result with the knots on
//! both sides; where a result cannot be told from a knot, the neighbour joins the maximum. The tails come from
//! [`tail`], relatively accurate however small they are. The loops that raise a precision to make up for digits that
//! cancel are bounded, and [`refine`](enclosure::refine) takes over from them.

mod between;
pub mod divergence;
mod far;
mod plan;
mod tail;

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

pub use self::between::Tails;
use self::tail::Law;
pub(in crate::compose) use self::tail::{direct_theta, dual_theta};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{AdaptivePrecision, Budget, Enclosure, Note, Number, Portable, Real};

/// `n` draws of a discrete Gaussian against as many shifted ones.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    sigma2: Rational,
    sensitivity: Integer,
    times: u64,
}

impl DiscreteGaussian {
    /// `N_Z(0, sigma2)^times` against `N_Z(sensitivity, sigma2)^times`; `sigma2 > 0` and `sensitivity >= 0`.
    pub fn new(sigma2: Rational, sensitivity: Integer, times: u64) -> Result<Self, Error> {
        if sigma2 <= 0 {
            return Err(Error::input(format!("sigma2 of a discrete Gaussian must be positive, not {sigma2}")));
        }
        if sensitivity < 0 {
            return Err(Error::input(format!("sensitivity must be at least 0, not {sensitivity}")));
        }
        let shape = sigma2.to_f64() * times.max(1) as f64 * sensitivity.to_f64().max(1.0).powi(2);
        if !(sigma2.to_f64() > 1e-100 && shape < 1e200) {
            return Err(Error::input("sigma2 must be at least 1e-100, and n sigma2 D^2 at most 1e200"));
        }
        Ok(DiscreteGaussian { sigma2, sensitivity, times })
    }

    /// Are P and Q the same?
    fn trivial(&self) -> bool {
        self.sensitivity.is_zero() || self.times == 0
    }

    fn law(&self) -> Law {
        Law { sigma2: self.sigma2.clone(), times: self.times }
    }

    /// `nD`, the shift of the sum.
    pub(crate) fn shift(&self) -> Integer {
        Integer::from(&self.sensitivity * self.times)
    }

    /// The knot `l_k = D (2k + nD)/(2 sigma^2)`.
    fn knot(&self, k: &Integer) -> Rational {
        let twice = Integer::from(k * 2u32) + self.shift();
        Rational::from(twice * &self.sensitivity) / Rational::from(&self.sigma2 * 2u32)
    }

    /// Where a loss lies among the knots: the `t` with `l_t = loss`.
    fn position(&self, loss: &Rational) -> Rational {
        Rational::from(loss * &self.sigma2) / &self.sensitivity - Rational::from(self.shift()) / 2u32
    }

    /// The least and the largest `k` that may be the first knot above `epsilon`; they differ by at most one.
    fn first_above(&self, epsilon: &Real, bits: u32) -> Result<(Integer, Integer), Error> {
        let above = |x: &Rational| self.position(x).floor().into_numer_denom().0 + 1u32;
        if let Some(exact) = epsilon.as_rational() {
            let k = above(exact);
            return Ok((k.clone(), k));
        }
        let mut work = bits.max(64);
        for _ in 0..8 {
            let set = epsilon.enclosure(work);
            if let (Some(low), Some(high)) = (set.lower().to_rational(), set.upper().to_rational()) {
                let ends = (above(&low), above(&high));
                if Integer::from(&ends.1 - &ends.0) <= 1 {
                    return Ok(ends);
                }
            }
            work = work.saturating_mul(2);
        }
        Err(Error::Undecided("epsilon is too large to be compared with the privacy losses".into()))
    }

    /// `(A_k, B_k)`.
    fn pair(&self, k: &Integer, bits: u32, budget: &Budget) -> Result<(Enclosure, Enclosure), Error> {
        Ok((self.law().survival(k, bits, &budget.under("P(loss >= knot)"))?, self.second(k, bits, budget)?))
    }

    /// `delta(epsilon)`, by what gives `A_k` and `B_k` to so many bits.
    fn profile(
        &self,
        epsilon: &Real,
        bits: u32,
        budget: &Budget,
        mut pair: impl FnMut(&Integer, u32) -> Result<(Enclosure, Enclosure), Error>,
    ) -> Result<Enclosure, Error> {
        let (first, last) = self.first_above(epsilon, bits)?;
        let mut value = |k: &Integer| {
            AdaptivePrecision::new(bits, self.cancelling(k).saturating_add(12), budget).enclose(|work| {
                let wide = work.saturating_add(64);
                let (a, b) = pair(k, work)?;
                Ok(&a - &(&epsilon.exp_number(wide).enclosure(wide) * &b))
            })
        };
        let mut delta = value(&first)?;
        if last != first {
            delta = delta.max(&value(&last)?);
        }
        alarm::not_negative(&delta, "profile of discrete Gaussians")
    }

    /// `B_k`.
    fn second(&self, k: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.law().survival(&(k + self.shift()), bits, &budget.under("Q(loss >= knot)"))
    }

    /// `sigma sqrt(n)`, for guesses of how many bits will cancel.
    fn spread(&self) -> f64 {
        (self.sigma2.to_f64() * self.times as f64).sqrt()
    }

    /// About how many bits cancel in `A_k - e^eps B_k`, and in inverting it: knots closer than the spread make
    /// neighbouring terms alike.
    fn cancelling(&self, k: &Integer) -> u32 {
        let spread = self.spread();
        let far = (k.to_f64().abs() / spread).max(1.0);
        (spread * far / self.shift().to_f64()).max(1.0).portable_log2().ceil().min(1e6) as u32
    }

    /// The least `k` with `l_k > 0`.
    fn first_positive(&self) -> Integer {
        Rational::from((-self.shift(), 2)).floor().into_numer_denom().0 + 1u32
    }

    /// The index `k >= k_0` with `delta(l_(k-1)) > delta >= delta(l_k)`, as far as a search at low precision can tell.
    ///
    /// Newton's method on `ln delta(l_k)`, inside a bracket that falls back on bisection.
    fn search_knot(&self, delta: &Enclosure, budget: &Budget) -> Result<Integer, Error> {
        let first = self.first_positive();
        let mut low = Integer::from(&first - 1u32);
        let mut high: Option<Integer> = None;
        let log_delta = delta.with_bits(64).ln().upper().to_f64();
        let rho = self.shift().to_f64() * self.sensitivity.to_f64() / (2.0 * self.sigma2.to_f64());
        let guess = rho + 2.0 * (rho * (-log_delta).max(0.0)).sqrt();
        let ceil = |x: Rational| x.ceil().into_numer_denom().0;
        let mut k = ceil(self.position(&Rational::from_f64(guess).unwrap_or_default())).max(first);
        let step = &self.sensitivity / Rational::from(&self.sigma2);
        for round in 0..400u32 {
            budget.check()?;
            if let Some(high) = &high
                && Integer::from(high - &low) <= 1
            {
                return Ok(high.clone());
            }
            let knot_bits = step.to_f64().portable_log2().min(0.0).abs().ceil() as u32;
            let mut bits = 64 + knot_bits + self.cancelling(&k);
            let knot = self.knot(&k);
            let (above, b, here) = loop {
                let (a, b) = self.pair(&k, bits, budget)?;
                let x = Enclosure::rational(&knot, bits + 64).exp();
                let here = &a - &(&x * &b);
                // Enough of the value at the knot to compare and to take its logarithm.
                if here.relative_bits().is_some_and(|proven| proven > 8) {
                    match here.compare(delta) {
                        Some(order) => break (order == Ordering::Greater, &x * &b, here),
                        None if bits > 4096 => break (false, &x * &b, here),
                        None => {}
                    }
                } else if bits > 1 << 20 {
                    return Err(Error::Undecided("the search for a knot lost all digits".into()));
                }
                bits *= 2;
            };
            if above {
                low = k.clone();
            } else {
                high = Some(k.clone());
            }
            let log_ratio = (&here / delta).ln().lower().to_f64();
            let on_polyline = log_ratio.abs() < 0.5;
            let proposal = if on_polyline {
                // On the polyline itself: e^(l_k) (A - delta)/(e^(l_k) B), its logarithm as a move from l_k.
                let moved = (&(&here - delta) / &b).log1p();
                moved.lower().to_rational().map(|moved| ceil(self.position(&(&knot + moved))))
            } else {
                let slope = (&here / &b).lower().to_f64();
                Rational::from_f64(log_ratio * slope).map(|moved| ceil(self.position(&(&knot + moved))))
            };
            // The root of this knot's own line lies between it and the knot before.
            if on_polyline && proposal.as_ref() == Some(&k) && !above {
                return Ok(k);
            }
            let inside = |p: &Integer| *p > low && high.as_ref().is_none_or(|high| p <= high);
            k = match (proposal, &high) {
                (Some(p), _) if inside(&p) && p != k && (round < 12 || round % 2 == 0) => p,
                (_, Some(high)) => (Integer::from(&low + high) + 1u32) >> 1u32,
                (_, None) => &k + (Integer::from(1) << round.min(200)),
            };
        }
        Err(Error::Undecided("the search for a knot did not end".into()))
    }

    /// The largest `m >= 0` with `P(S >= m) >= tail`, `0 < tail <= 1/2`, as far as a search can tell.
    fn search_quantile(&self, tail: &Enclosure, budget: &Budget) -> Result<Integer, Error> {
        let law = self.law();
        let spread = self.spread();
        let log_tail = -tail.with_bits(64).ln().upper().to_f64();
        // Q(t) is about e^(-t^2/2)/(t + 1.2): good enough to start from.
        let mut t = (2.0 * log_tail).sqrt();
        for _ in 0..8 {
            t = (2.0 * (log_tail - (t + 1.3).portable_ln()).max(0.0)).sqrt();
        }
        let mut low = Integer::new();
        let mut high: Option<Integer> = None;
        let mut k = Float::with_val(64, t * spread).to_integer().unwrap_or_default().max(Integer::from(1));
        let mut before: Option<(Integer, f64)> = None;
        for round in 0..400u32 {
            budget.check()?;
            if let Some(high) = &high
                && Integer::from(high - &low) <= 1
            {
                return Ok(low);
            }
            let bits = 96 + spread.portable_log2().max(0.0).ceil() as u32;
            let value = law.survival(&k, bits, &budget.under("last step of the search"))?;
            if value.compare(tail) == Some(Ordering::Less) {
                high = Some(k.clone());
            } else {
                low = k.clone();
            }
            let y = (&value / tail).ln();
            let y = (y.lower().to_f64() + y.upper().to_f64()) / 2.0;
            let slope = match &before {
                Some((other, z)) if *other != k => (y - z) / Integer::from(&k - other).to_f64(),
                _ => {
                    let t = k.to_f64() / spread;
                    -(t + (t * t + 2.5).sqrt()) / 2.0 / spread
                }
            };
            before = Some((k.clone(), y));
            let proposal = Float::with_val(64, -y / slope)
                .to_integer_round(if y >= 0.0 { rug::float::Round::Up } else { rug::float::Round::Down })
                .map(|(moved, _)| if moved == 0 { Integer::from(&k + 1u32) } else { &k + moved });
            let inside = |p: &Integer| *p > low && high.as_ref().is_none_or(|high| p < high);
            k = match (proposal, &high) {
                (Some(p), _) if inside(&p) && (round < 12 || round % 2 == 0) => p,
                (_, Some(high)) => Integer::from(&low + high) / 2u32,
                (_, None) => &k + (Integer::from(1) << round.min(200)),
            };
        }
        Err(Error::Undecided("the search for a quantile did not end".into()))
    }

    /// The k with `1 - A_k <= alpha <= 1 - A_(k+1)`, as far as a search can tell.
    fn search_segment(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Integer, Error> {
        let half = Enclosure::one(64).shift(-1);
        let small = alpha.enclosure(bits).upper() <= half.lower();
        let tail = if small { alpha.enclosure(bits) } else { (&Number::one() - &alpha.number(bits)).enclosure(bits) };
        if tail.sign() != Some(Ordering::Greater) {
            return Err(Error::Undecided("cannot separate alpha from 0 or 1".into()));
        }
        let k = self.search_quantile(&tail, budget)?;
        Ok(if small { -k } else { k })
    }

    /// `e^(eps*)`'s candidate of one knot, `ln((A_k - delta)/B_k)`; minus infinity (as an enclosure of numbers below
    /// all that matter) where `A_k < delta`.
    fn candidate(&self, k: &Integer, delta: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let (a, b) = self.pair(k, bits, budget)?;
        if (&a - delta).sign() == Some(Ordering::Less) {
            let least = Enclosure::whole(bits);
            return Ok(Enclosure::new(least.lower().clone(), -Float::with_val(bits, Float::i_exp(1, 1 << 29))));
        }
        let excess = &(&(&a - delta) - &b) / &b;
        // Both are enclosures of one number; near zero only the first keeps its digits, far out only the second.
        let (near, far) = (excess.log1p(), (&(&a - delta) / &b).ln());
        alarm::meet(&near, &far, "candidate for an epsilon of discrete Gaussians")
    }

    /// `1 - alpha - A_k`, relatively accurate for `A_k` near zero and near one.
    fn above_vertex(&self, k: &Integer, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let budget = &budget.under("P(loss >= knot)");
        let alpha = alpha.number(bits);
        if *k <= 0 {
            // 1 - A_k = P(S < k) = P(S >= 1 - k).
            let below = self.law().survival(&Integer::from(1 - k), bits, budget)?;
            return Ok(&below - &alpha.enclosure(bits));
        }
        let rest = &Number::one() - &alpha;
        Ok(&rest.enclosure(bits) - &self.law().survival(k, bits, budget)?)
    }
}

impl Curve for DiscreteGaussian {
    fn symmetric(&self) -> bool {
        true
    }

    /// `delta(eps) = A_k - e^eps B_k` with `k` the first knot above epsilon. At a knot either neighbour gives the same,
    /// so an epsilon that cannot be told from a knot takes the larger of both.
    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let pair = |k: &Integer, work: u32| self.pair(k, work, budget);
        self.profile(epsilon, bits, budget, pair).map(Number::Enclosed)
    }

    /// `eps* = ln((A_k - delta)/B_k)`, proven to be the maximum over `k` by `l_(k-1) <= eps* <= l_k`.
    ///
    /// Why that proves it: candidates are lower bounds, so `eps* >= l_(k-1)`, where some `j >= k` is a maximiser; and
    /// if a candidate is at most its own knot, `delta(l_k) = A_k - e^(l_k) B_k <= delta`, so `eps* <= l_k` and some
    /// `j <= k` is.
    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let mut k = self.search_knot(&delta.enclosure(bits.max(256)), budget)?;
        let first = self.first_positive();
        // The knot that a loss is at or below; where it cannot be told, the present one.
        let next_index = |loss: &Float, k: &Integer| match loss.to_rational() {
            Some(loss) if loss.to_f64().abs() < 1e100 => self.position(&loss).ceil().into_numer_denom().0,
            _ => k.clone(),
        };
        for _ in 0..64 {
            budget.check()?;
            let mut moved = None;
            let knot_bits =
                ((&self.sensitivity / Rational::from(&self.sigma2)).to_f64().portable_log2().abs() + 8.0) as u32;
            let guard = self.cancelling(&k) + if bits < 128 { knot_bits } else { 0 };
            let value = AdaptivePrecision::new(bits, guard.saturating_add(12), budget).enclose(|work| {
                let level = delta.enclosure(work.saturating_add(8));
                let value = self.candidate(&k, &level, work, budget)?;
                let number = Number::Enclosed(value.clone());
                if value.sign() == Some(Ordering::Less) && k == first {
                    // delta(0) = A_k - B_k is below delta.
                    return Ok(Enclosure::zero(2));
                }
                let under = number.compare(&Number::Exact(self.knot(&Integer::from(&k - 1u32))));
                let over = number.compare(&Number::Exact(self.knot(&k)));
                let mut best = value.clone();
                if k != first && !matches!(under, Some(Ordering::Greater | Ordering::Equal)) {
                    if under == Some(Ordering::Less) {
                        moved = Some(Integer::from(&k - 1u32).min(next_index(value.upper(), &k)));
                        return Ok(Enclosure::zero(2));
                    }
                    let down = Integer::from(&k - 1u32);
                    let other = self.candidate(&down, &level, work, budget)?;
                    let below = Number::Exact(self.knot(&Integer::from(&down - 1u32)));
                    if down != first && Number::Enclosed(other.clone()).compare(&below) != Some(Ordering::Greater) {
                        return Ok(Enclosure::whole(work));
                    }
                    best = best.max(&other);
                }
                if !matches!(over, Some(Ordering::Less | Ordering::Equal)) {
                    if over == Some(Ordering::Greater) {
                        moved = Some(Integer::from(&k + 1u32).max(next_index(value.lower(), &k)));
                        return Ok(Enclosure::zero(2));
                    }
                    let up = Integer::from(&k + 1u32);
                    let other = self.candidate(&up, &level, work, budget)?;
                    if Number::Enclosed(other.clone()).compare(&Number::Exact(self.knot(&up))) != Some(Ordering::Less) {
                        return Ok(Enclosure::whole(work));
                    }
                    best = best.max(&other);
                }
                Ok(best.positive_part())
            })?;
            let Some(moved) = moved else {
                return Ok(Value::Finite(if value.is_point() && value.lower().is_zero() {
                    Number::zero()
                } else {
                    Number::Enclosed(value)
                }));
            };
            k = moved.max(first.clone());
        }
        Err(Error::Undecided("the search found no knot for this delta".into()))
    }

    /// `beta = B_(k+1) + e^(-l_k) (1 - alpha - A_(k+1))` on the segment `1 - A_k <= alpha <= 1 - A_(k+1)`; where alpha
    /// cannot be told from a vertex, the larger of the lines that meet there (the function is convex).
    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let mut k = self.search_segment(alpha, bits.max(256), budget)?;
        for _ in 0..64 {
            budget.check()?;
            let mut moved = 0i32;
            let value = AdaptivePrecision::new(bits, 20, budget).enclose(|work| {
                let line = |k: &Integer| -> Result<(Enclosure, Enclosure), Error> {
                    let next = Integer::from(k + 1u32);
                    let above = self.above_vertex(&next, alpha, work, budget)?;
                    let b = self.second(&next, work, budget)?;
                    let fall = (-Enclosure::rational(&self.knot(k), work.saturating_add(64))).exp().with_bits(work);
                    Ok((&b + &(&fall * &above), above))
                };
                let (mut best, above) = line(&k)?;
                let sure = |x: &Enclosure| *x.lower() >= 0;
                // Left of the vertex k + 1?
                if !sure(&above) {
                    if above.sign() == Some(Ordering::Less) {
                        moved = 1;
                        return Ok(Enclosure::zero(2));
                    }
                    let (other, above) = line(&Integer::from(&k + 1u32))?;
                    if !sure(&above) {
                        return Ok(Enclosure::whole(work));
                    }
                    best = best.max(&other);
                }
                // Right of the vertex k?
                let below = self.above_vertex(&k, alpha, work, budget)?;
                if *below.upper() > 0 {
                    if below.sign() == Some(Ordering::Greater) {
                        moved = -1;
                        return Ok(Enclosure::zero(2));
                    }
                    let down = Integer::from(&k - 1u32);
                    if *self.above_vertex(&down, alpha, work, budget)?.upper() > 0 {
                        return Ok(Enclosure::whole(work));
                    }
                    best = best.max(&line(&down)?.0);
                }
                alarm::not_negative(&best, "type II error of discrete Gaussians")
            })?;
            if moved == 0 {
                return Ok(Number::Enclosed(value));
            }
            k += moved;
        }
        Err(Error::Undecided("the search found no segment for this alpha".into()))
    }

    fn method(&self) -> &'static str {
        "lattice sum of discrete Gaussians on a tilted contour"
    }

    fn statement(&self) -> &'static Statement {
        &statement::DISCRETE_GAUSSIAN
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("compositions", self.times), Note::new("shift of their sum", self.shift())]
    }
}

#[cfg(all(test, feature = "generate"))]
mod tests;
