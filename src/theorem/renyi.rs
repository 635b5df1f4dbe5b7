//! From Renyi divergences to (epsilon, delta): conversions at one order, and the best of all orders.
//!
//! A pair of distributions has the loss L under P and `K(t) = ln E e^(t L) = t D_(1+t)`, its Renyi divergences. With
//! `D_a <= r` at one order `a = 1 + t`:
//!
//! | conversion | epsilon at delta | source |
//! |---|---|---|
//! | [`mironov`] | `r + ln(1/delta)/t` | Mironov 2017, Proposition 3 |
//! | [`standard_epsilon`] | `r + ln(1 - 1/a) - ln(a delta)/t` | Canonne, Kamath and Steinke 2020, Proposition 12 |
//! | [`asoodeh`] | `ln(1 + (e^(t r) - 1)/(a delta))/t` | Asoodeh, Liao, Calmon, Kosut and Sankar 2020, Lemma 1 |
//!
//! The best order of the second is enclosed over all orders above 1, not over a list: see [`best_epsilon`]. What one
//! order implies at best is in `two_points.rs`; see `proofs/paper/conversion.md` for all of them.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::hypothesis::{above, inside_unit, not_negative};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Peak, Portable, Real, concave_peak, concave_peak_about};

/// Where a search for the best order begins. All of them find the same.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only comparisons know where to begin"))]
pub enum Start {
    /// At orders near 10.
    Usual,
    /// Near an order `1 + t`.
    Near(f64),
    /// At an order `1 + t` that doubles take for the best one.
    At(f64),
}

/// The t from about `e^-12` to `e^10` where a function in doubles is about the least, if it is the least between them.
#[cfg(feature = "cli")]
pub fn least_in_doubles(value: &dyn Fn(f64) -> Option<f64>) -> Option<f64> {
    const PER_UNIT: i32 = 3;
    let at = |y: f64| value(y.portable_exp()).filter(|value| !value.is_nan()).unwrap_or(f64::INFINITY);
    let places = -12 * PER_UNIT..=10 * PER_UNIT;
    let all: Vec<f64> = places.map(|i| f64::from(i) / f64::from(PER_UNIT)).collect();
    let best = all.iter().map(|y| at(*y)).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let (best, _) = best.filter(|(place, least)| least.is_finite() && *place > 0 && place + 1 < all.len())?;
    let (mut low, mut high) = (all[best - 1], all[best + 1]);
    let golden = |low: f64, high: f64| low + 0.381_966 * (high - low);
    let (mut a, mut b) = (golden(low, high), golden(high, low));
    let (mut at_a, mut at_b) = (at(a), at(b));
    for _ in 0..35 {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = golden(low, high);
            at_a = at(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = golden(high, low);
            at_b = at(b);
        }
    }
    Some(f64::midpoint(low, high).portable_exp())
}

/// Precision of searches.
const SEARCH: u32 = 40;

/// Steps of a search for the neighbourhood of the best order.
const STEPS: u32 = 200;

/// Orders are looked for between `1 + e^-FAR` and `1 + e^FAR`.
const FAR: f64 = 60.0;

/// A bound on the Renyi divergence of one order.
#[derive(Clone, Debug)]
pub struct OneOrder {
    order: Real,
    bound: Real,
}

impl OneOrder {
    /// `D_order <= bound`.
    ///
    /// # Errors
    /// [`Error::Undefined`] unless `order > 1` and `bound >= 0`.
    pub fn new(order: Real, bound: Real) -> Result<Self, Error> {
        above("the order", &order, &Real::one())?;
        not_negative("epsilon", &bound)?;
        Ok(OneOrder { order, bound })
    }

    fn parts(&self, bits: u32) -> (Enclosure, Enclosure, Enclosure) {
        let t = self.order.sub(&Real::one()).enclosure(bits);
        (self.order.enclosure(bits), t, self.bound.enclosure(bits))
    }

    /// `r + ln(1/delta)/t`: with probability at least `1 - delta` the loss is at most that, for Markov's inequality
    /// gives `P[L > e] <= e^(t (r - e))` (Mironov 2017, Proposition 3).
    #[cfg(feature = "cli")]
    pub fn mironov(&self, delta: &Real, bits: u32) -> Result<Number, Error> {
        inside_unit("delta", delta)?;
        let (_, t, r) = self.parts(bits);
        Ok(Number::Enclosed(&r - &(&delta.enclosure(bits).ln() / &t)))
    }

    /// `r + ln(1 - 1/a) - ln(a delta)/t`, or 0 if that is negative (Canonne, Kamath and Steinke 2020, Proposition 12).
    pub fn standard_epsilon(&self, delta: &Real, bits: u32) -> Result<Number, Error> {
        inside_unit("delta", delta)?;
        let (a, t, r) = self.parts(bits);
        Ok(at_least_zero(&r - &t.recip().log1p() - (&a * &delta.enclosure(bits)).ln() / &t))
    }

    /// `ln(1 + (e^(t r) - 1)/(a delta))/t` (Asoodeh, Liao, Calmon, Kosut and Sankar 2020, Lemma 1).
    ///
    /// With `f(y) = y^a - 1 - a (y - 1)`, which is convex and 0 at its minimum `y = 1`: `E_Q f(dP/dQ) = e^(t D) - 1`.
    /// For `x = e^epsilon > 1` the tangent of f at x has the slope `a (x^t - 1) > 0`, and f lies above it and is not
    /// negative, so `f(y) >= a (x^t - 1) (y - x)_+`, and `delta(epsilon) <= (e^(t D) - 1)/(a (x^t - 1))`.
    pub fn asoodeh(&self, delta: &Real, bits: u32) -> Result<Number, Error> {
        inside_unit("delta", delta)?;
        let (a, t, r) = self.parts(bits);
        let ratio = (&t * &r).expm1() / (&a * &delta.enclosure(bits));
        Ok(Number::Enclosed(&ratio.log1p() / &t))
    }

    /// The delta of [`mironov`](Self::mironov) at an epsilon: `e^(t (r - epsilon))`.
    #[cfg(feature = "cli")]
    pub fn mironov_delta(&self, epsilon: &Real, bits: u32) -> Number {
        let (_, t, r) = self.parts(bits);
        Number::Enclosed((&t * &(&r - &epsilon.enclosure(bits))).exp())
    }

    /// The delta of [`standard_epsilon`](Self::standard_epsilon) at an epsilon: `e^(t (r - epsilon)) (1 - 1/a)^a/t`.
    #[cfg(feature = "cli")]
    pub fn standard_delta(&self, epsilon: &Real, bits: u32) -> Number {
        let (a, t, r) = self.parts(bits);
        let log = &(&t * &(&r - &epsilon.enclosure(bits))) - &(&a * &t.recip().log1p());
        Number::Enclosed(&log.exp() / &t)
    }

    /// The delta of [`asoodeh`](Self::asoodeh) at an epsilon above 0: `(e^(t r) - 1)/(a (e^(t epsilon) - 1))`.
    ///
    /// # Errors
    /// [`Error::Undefined`] for another epsilon.
    #[cfg(feature = "cli")]
    pub fn asoodeh_delta(&self, epsilon: &Real, bits: u32) -> Result<Number, Error> {
        above("epsilon", epsilon, &Real::zero())?;
        let (a, t, r) = self.parts(bits);
        Ok(Number::Enclosed((&t * &r).expm1() / (&a * &(&t * &epsilon.enclosure(bits)).expm1())))
    }
}

fn at_least_zero(value: Enclosure) -> Number {
    match value.sign() {
        Some(Ordering::Less | Ordering::Equal) => Number::zero(),
        _ => Number::Enclosed(value.positive_part()),
    }
}

/// Renyi divergences of any order above 1: `value(order, bits)` encloses one, of a pair or a bound of it, such that
/// `t D_(1+t)` is convex in t.
///
/// That holds of every pair, for it is the logarithm of a moment generating function, of sums of such, and of the bound
/// `t (1+t) rho`.
pub type Divergences<'a> = &'a dyn Fn(&Real, u32) -> Result<Enclosure, Error>;

/// What the best of all orders gives.
#[derive(Clone, Debug)]
pub struct Best {
    /// The number.
    pub value: Number,
    /// An enclosure of the best order, of fewer digits than the number has; nothing where the number is 0 or 1
    /// whatever it is, or is no better at one order than at others.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the program tells orders"))]
    pub order: Option<Enclosure>,
}

impl Best {
    /// Without an order.
    fn any(value: Number) -> Self {
        Best { value, order: None }
    }
}

/// The least epsilon at delta that the standard conversion gives at any order above 1, or 0 if that is negative.
///
/// **Why the optimum is enclosed.** With `s = 1/t` the conversion is
///
/// `e(s) = s K(1/s) + s ln(1/delta) + s ln s - (1+s) ln(1+s)`.
///
/// K is convex, so its perspective `s K(1/s)` is convex. The second derivative of the last two terms is
/// `1/s - 1/(1+s) > 0`. So e is convex in s, and `concave_peak` encloses the largest value of `u - e(e^y)` from values
/// only, where the constant u is about twice the smallest e, so that no digits are lost.
///
/// # Errors
/// [`Error::Undefined`] unless `0 < delta < 1`; [`Error::Undecided`] where the best order is out of reach; those of the
/// divergences.
pub fn best_epsilon(divergences: Divergences, delta: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    Ok(best_epsilon_from(divergences, delta, Start::Usual, bits, budget)?.value)
}

/// The same, looked for from somewhere else.
///
/// # Errors
/// As [`best_epsilon`].
pub fn best_epsilon_from(
    divergences: Divergences,
    delta: &Real,
    start: Start,
    bits: u32,
    budget: &Budget,
) -> Result<Best, Error> {
    inside_unit("delta", delta)?;
    let log = delta.ln()?.neg();
    let value = |y: &Rational, bits: u32| -> Result<Enclosure, Error> {
        let s = Enclosure::rational(y, bits).exp();
        let d = divergences(&order_of(y)?, bits)?;
        let one = Enclosure::one(bits);
        let entropy = &(&s * &Enclosure::rational(y, bits)) - &(&(&one + &s) * &s.log1p());
        Ok(&(&d + &(&s * &log.enclosure(bits))) + &entropy)
    };
    let found = descend(&value, start, budget)?;
    if *found.best.upper() <= 0 {
        return Ok(Best::any(Number::zero()));
    }
    let twice = found.best.upper().to_rational().unwrap_or_default() * 2u32;
    let top = greatest(&found, bits.saturating_add(8), budget, &|y, bits| {
        Ok(&Enclosure::rational(&twice, bits) - &value(y, bits)?)
    })?;
    // The order is `1 + e^-y`.
    let order = top.place.map(|y| one_more(&-y));
    let top = top.value;
    Ok(Best { value: at_least_zero(&Enclosure::rational(&twice, top.bits()) - &top), order })
}

/// The least delta at epsilon that the standard conversion gives at any order above 1:
/// `e^(t (D - epsilon)) (1 - 1/a)^a/t`, at most 1.
///
/// **Why the optimum is enclosed.** Its logarithm is `h(t) = K(t) - t epsilon + t ln t - (1+t) ln(1+t)`, convex in t:
/// the second derivative of the last two terms is `1/t - 1/(1+t) > 0`.
///
/// # Errors
/// [`Error::Undecided`] where the best order is out of reach, as it is for an epsilon that is not below all losses;
/// those of the divergences.
pub fn best_delta(divergences: Divergences, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    Ok(best_delta_from(divergences, epsilon, Start::Usual, bits, budget)?.value)
}

/// The same, looked for from somewhere else.
///
/// # Errors
/// As [`best_delta`].
pub fn best_delta_from(
    divergences: Divergences,
    epsilon: &Real,
    start: Start,
    bits: u32,
    budget: &Budget,
) -> Result<Best, Error> {
    let value = |y: &Rational, bits: u32| -> Result<Enclosure, Error> {
        let y = Rational::from(-y);
        let t = Enclosure::rational(&y, bits).exp();
        let d = divergences(&order_of(&Rational::from(-&y))?, bits)?;
        let entropy = &(&t * &Enclosure::rational(&y, bits)) - &(&(&Enclosure::one(bits) + &t) * &t.log1p());
        Ok(&(&t * &(&d - &epsilon.enclosure(bits))) + &entropy)
    };
    let mut found = descend(&value, start, budget)?;
    if *found.best.lower() >= 0 && found.at.is_some() {
        found = descend(&value, Start::Usual, budget)?;
    }
    if *found.best.lower() >= 0 {
        return Ok(Best::any(Number::one()));
    }
    // The digits of the exponential are those behind the point of its logarithm.
    let size = found.best.lower().get_exp().unwrap_or(0).max(0).unsigned_abs();
    let next = found.best.upper().to_rational().unwrap_or_default() + 1u32;
    let top = greatest(&found.mirrored(), bits.saturating_add(8), budget, &|y, bits| {
        let bits = bits.saturating_add(size);
        Ok(&Enclosure::rational(&next, bits) - &value(&Rational::from(-y), bits)?)
    })?;
    // Here y goes the other way: the order is `1 + e^y`.
    let order = top.place.map(|y| one_more(&y));
    let top = top.value;
    let log = &Enclosure::rational(&next, top.bits().saturating_add(size)) - &top;
    Ok(Best { value: Number::Enclosed(log.exp().min(&Enclosure::one(bits))), order })
}

/// The orders `1 + e^y`.
fn one_more(y: &Enclosure) -> Enclosure {
    &Enclosure::one(y.bits()) + &y.exp()
}

/// The order `1 + e^-y`.
fn order_of(y: &Rational) -> Result<Real, Error> {
    Ok(Real::one().add(&Real::from(Rational::from(-y)).exp()?))
}

/// Where a function is least, about.
struct Least {
    /// Its value there.
    best: Enclosure,
    /// Numbers with the least value between.
    range: (Float, Float),
    /// Where doubles have it.
    at: Option<f64>,
}

impl Least {
    /// That of the mirror image.
    fn mirrored(self) -> Self {
        let (low, high) = self.range;
        Least { range: (-high, -low), at: self.at.map(|y| -y), ..self }
    }
}

/// The greatest value of what was looked for.
fn greatest(
    found: &Least,
    bits: u32,
    budget: &Budget,
    value: &dyn Fn(&Rational, u32) -> Result<Enclosure, Error>,
) -> Result<Peak, Error> {
    match &found.at {
        // The bounds are off by the square of the distance, and half of the bits are asked for in the end.
        Some(centre) => {
            let off = (-f64::from(bits.saturating_sub(bits / 4)) / 2.0 - 3.0).portable_exp2().clamp(2e-7, 1e-2);
            concave_peak_about((*centre, off), bits, budget, value)
        }
        None => concave_peak(found.range.clone(), bits, budget, value),
    }
}

/// Downhill, in steps that grow, then by golden sections to the neighbourhood of the least value.
fn descend(
    value: &dyn Fn(&Rational, u32) -> Result<Enclosure, Error>,
    start: Start,
    budget: &Budget,
) -> Result<Least, Error> {
    let at = |y: f64| -> Result<(f64, Enclosure), Error> {
        budget.check()?;
        let exact = Rational::from_f64(y).unwrap_or_default();
        let value = value(&exact, SEARCH)?;
        let middle = Float::with_val(SEARCH, value.lower() + value.upper()) / 2u32;
        Ok((if middle.is_nan() { f64::INFINITY } else { middle.to_f64() }, value))
    };
    let place = |t: f64| Some(-t.portable_ln()).filter(|y| y.is_finite() && y.abs() < FAR / 2.0);
    if let Start::At(t) = start
        && let Some(y) = place(t)
    {
        let end = Float::with_val(SEARCH, y);
        return Ok(Least { best: at(y)?.1, range: (end.clone(), end), at: Some(y) });
    }
    // Orders near 10 are usual.
    let usual = (-3.0_f64, -2.0_f64);
    let near = if let Start::Near(t) = start { place(t) } else { None };
    let (mut a, mut b) = near.map_or(usual, |y| (y - 0.1, y + 0.1));
    let (mut at_a, mut at_b) = (at(a)?.0, at(b)?.0);
    if at_a < at_b {
        (a, b) = (b, a);
        (at_a, at_b) = (at_b, at_a);
    }
    let mut step = (b - a) * 1.5;
    let mut c = b + step;
    let mut at_c = at(c)?.0;
    while at_c < at_b {
        (a, b) = (b, c);
        at_b = at_c;
        step *= 1.5;
        c = b + step;
        if c.abs() > FAR {
            return Err(Error::undecided(
                "the best order is outside the search interval: it exceeds e^60 or is too \
                                         close to 1",
            ));
        }
        at_c = at(c)?.0;
    }
    let _ = at_a;
    if a > c {
        std::mem::swap(&mut a, &mut c);
    }
    for _ in 0..STEPS {
        if c - a < 0.5 {
            break;
        }
        let right = c - b > b - a;
        let middle = if right { b + 0.381_966 * (c - b) } else { b - 0.381_966 * (b - a) };
        let there = at(middle)?.0;
        match (there < at_b, right) {
            (true, true) => (a, b, at_b) = (b, middle, there),
            (true, false) => (c, b, at_b) = (b, middle, there),
            (false, true) => c = middle,
            (false, false) => a = middle,
        }
    }
    let best = at(b)?.1;
    let end = |y: f64| Float::with_val(SEARCH, y);
    Ok(Least { best, range: (end(a), end(c)), at: None })
}

/// The delta at epsilon of Pinsker's inequality: with a Kullback-Leibler divergence of kl, the total variation distance
/// and so every delta at `epsilon >= 0` is at most `sqrt(kl/2)`.
pub fn pinsker(kl: &Number, bits: u32) -> Number {
    (kl / &Number::Exact(2.into())).sqrt(bits)
}

/// At a negative epsilon: `H_x(P,Q) = 1 - x + x H_(1/x)(Q,P)`, of the delta of the other direction at `-epsilon`.
pub fn reflected(epsilon: &Real, other: &Number, bits: u32) -> Number {
    let x = Number::Enclosed(epsilon.enclosure(bits).exp());
    &(&Number::one() - &x) + &(&x * other)
}

#[cfg(test)]
mod tests;
