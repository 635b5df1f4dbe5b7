//! What bounds on Renyi divergences imply at best: two outcomes are enough.
//!
//! Let all that is known of P and Q be `D_a(P||Q) <= r` and `D_a(Q||P) <= r`, at one order a or at several. A test is a
//! map to two outcomes, and no map adds to a divergence; so its errors `(alpha, beta)` satisfy the bounds for the pairs
//! `(alpha, 1-alpha)`, `(1-beta, beta)`. And these are two distributions themselves, with these very errors. Hence
//!
//! * the least beta at alpha over everything that keeps the bounds is the least one of two outcomes, `f(alpha)`,
//! * the largest delta at epsilon is `max over q of 1 - f(q) - x q`, `x = e^epsilon`, since `delta = P(S) - x Q(S)` for
//!   a set S, and `(P(S), Q(S))` are such errors,
//! * the least epsilon that always does for a delta is `ln max over q of (1 - f(q) - delta)/q`.
//!
//! These are no conversions that lose something, but what the bounds are worth. `e^((a-1) D_a)` is jointly convex, so
//! the errors are a convex set and f is convex, and it is its own inverse, since both directions have the same bound.
//! Of one order that is [`Bound`], of all orders at once `all_orders.rs`. See `proofs/paper/conversion.md`.

mod all_orders;

use rug::{Float, Rational};

pub use self::all_orders::Line;
use crate::error::Error;
use enclosure::root::bracketed;
use enclosure::{Budget, Enclosure, Number, Portable, Real, concave_maximum};

/// The order a and the bound r, at any precision.
pub struct Bound<'a> {
    /// `a > 1`.
    pub order: Real,
    /// `r > 0`, of both directions.
    pub divergence: &'a dyn Fn(u32) -> Result<Enclosure, Error>,
}

/// A number at any precision.
type AtBits<'a> = &'a dyn Fn(u32) -> Enclosure;

impl Bound<'_> {
    /// f: the least type II error at a type I error alpha, `0 < alpha < 1`, that a bound of Renyi divergences in both
    /// directions leaves: by two points for all mechanisms (data processing; van Erven and Harremoes 2014, Theorem 9).
    ///
    /// On `0 < beta < 1 - alpha` both `alpha^a (1-beta)^(1-a) + (1-alpha)^a beta^(1-a)` and
    /// `(1-beta)^a alpha^(1-a) + beta^a (1-alpha)^(1-a)` fall strictly to 1: their derivatives in beta have the sign of
    /// `alpha beta - (1-alpha)(1-beta) = alpha + beta - 1 < 0`. So each is `e^((a-1) r)` at one beta at most, and both
    /// bounds are kept from the larger of the two on. (The second may be below that everywhere.)
    pub fn beta(&self, alpha: AtBits, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let high = {
            let set = &Enclosure::one(bits.max(64)) - &alpha(bits.max(64));
            Float::with_val_round(bits.max(64), set.lower(), rug::float::Round::Down).0
        };
        if !(high > 0) {
            return Err(Error::undecided("cannot separate alpha from 1"));
        }
        let power = |base: &Enclosure, exponent: &Enclosure| (&base.ln() * exponent).exp();
        let excess = |beta: &Rational, bits: u32, forward: bool| -> Result<Number, Error> {
            let one = Enclosure::one(bits);
            let (alpha, beta) = (alpha(bits), Enclosure::rational(beta, bits));
            let t = self.order.sub(&Real::one()).enclosure(bits);
            let (a, less) = (self.order.enclosure(bits), -&t);
            let most = (&t * &(self.divergence)(bits)?).exp();
            let (p, q) = if forward { (alpha, &one - &beta) } else { (&one - &beta, alpha) };
            let first = &power(&p, &a) * &power(&q, &less);
            let second = &power(&(&one - &p), &a) * &power(&(&one - &q), &less);
            Ok(Number::Enclosed(&(&first + &second) - &most))
        };
        let forward = bracketed(&high, true, bits, budget, |beta, bits| excess(beta, bits, true))?;
        let backward = bracketed(&high, false, bits, budget, |beta, bits| excess(beta, bits, false))?;
        Ok(forward.max(&backward))
    }

    /// Whether the search at this delta needs a q below about `e^-10000`, which takes minutes.
    #[cfg(feature = "cli")]
    pub fn is_out_of_reach(&self, delta: &Real) -> bool {
        const LEAST: f64 = -1e4;
        let ((t, r), [one, other]) = (self.sizes(), self.likely(delta.enclosure(SEARCH).ln().upper().to_f64()));
        places(t, r, one.min(other)).into_iter().all(|place| place < LEAST)
    }

    /// `a - 1` and r, about.
    fn sizes(&self) -> (f64, f64) {
        let r = (self.divergence)(SEARCH).map_or(1.0, |set| set.lower().to_f64());
        (self.order.sub(&Real::one()).to_f64(), r)
    }
}

impl Region for Bound<'_> {
    /// By the type II error, with as many bits more as `1 - f(q)` is small.
    fn detection(&self, y: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let small = Enclosure::rational(y, SEARCH).lower().to_f64() / std::f64::consts::LN_2;
        let guard = (-small).clamp(0.0, 1e6) as u32;
        let work = bits.saturating_add(guard).saturating_add(16);
        let q = |bits: u32| Enclosure::rational(y, bits).exp();
        Ok(&Enclosure::one(work) - &self.beta(&q, work, budget)?)
    }

    fn likely(&self, log_delta: f64) -> [f64; 2] {
        let (t, r) = self.sizes();
        let a = 1.0 + t;
        let standard = r - (1.0 / t).portable_ln_1p() - (a.portable_ln() + log_delta) / t;
        // Next to order 1 the standard conversion is far off.
        let tangent = ((t * r).portable_exp_m1() / a * (-log_delta).portable_exp()).portable_ln_1p() / t;
        [standard.min(tangent + 5.0), tangent]
    }

    /// `D_a` of the masses `p = (1+delta)/2`, `q = (1-delta)/2` from `(q, p)` is `ln(p e^(t l) + q e^(-t l))/t`, with
    /// `t = a - 1` and the loss `l = ln(p/q)`. Mixing both outcomes leads to every smaller delta, and adds nothing to
    /// the divergence, so that it rises with delta, and strictly, for it is analytic and 0 at 0 alone.
    ///
    /// The region is convex and its own mirror image: the least `alpha + beta` is one of `alpha = beta`, of the pair
    /// that has this form with the greatest total variation distance in place of delta. If that is above delta then
    /// `D_a` at delta is below r.
    fn is_within(&self, delta: &Real) -> Result<bool, Error> {
        let (d, one) = (delta.enclosure(SEARCH), Enclosure::one(SEARCH));
        let t = self.order.sub(&Real::one()).enclosure(SEARCH);
        let far = &t * &loss_apart(&d);
        let (p, q) = ((&one + &d).shift(-1), (&one - &d).shift(-1));
        let more = &(&p * &far.expm1()) + &(&q * &(-&far).expm1());
        Ok((&t * &(self.divergence)(SEARCH)?).upper() <= more.log1p().lower())
    }

    fn range(&self, epsilons: &[f64]) -> (Float, Float) {
        let (t, r) = self.sizes();
        around(epsilons.iter().flat_map(|epsilon| places(t, r, *epsilon)), FARTHEST)
    }
}

/// All errors `(alpha, beta)` that some bounds allow: with `1 - f(q)` the power of the best test at the type I error q.
///
/// f is convex and its own inverse.
pub trait Region {
    /// `1 - f(q)` at `q = e^y < 1`, to about this relative precision in bits.
    fn detection(&self, y: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error>;

    /// The largest delta at an epsilon `>= 0`.
    fn delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let value = |y: &Rational, bits: u32| -> Result<Enclosure, Error> {
            let q = Enclosure::rational(y, bits).exp();
            let all = self.inside(y, bits, budget)?;
            Ok(&all - &(&epsilon.enclosure(bits).exp() * &q))
        };
        let range = self.range(&[epsilon.to_f64()]);
        Ok(concave_maximum(range, bits, budget, value)?.positive_part().min(&Enclosure::one(bits)))
    }

    /// The least epsilon that does for a delta, `0 < delta < 1`, or 0 if that is negative.
    ///
    /// With `s = 1/q` it is the logarithm of the greatest `s (1 - f(1/s) - delta)`, the perspective of a concave
    /// function, which is concave in s.
    fn epsilon(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.is_within(delta)? {
            return Ok(Number::zero());
        }
        let value = |y: &Rational, bits: u32| -> Result<Enclosure, Error> {
            let y = Rational::from(-y);
            let s = (-Enclosure::rational(&y, bits)).exp();
            // A difference of nearly equal numbers where delta is far the larger.
            let all = self.inside(&y, bits.saturating_add(16), budget)?;
            Ok(&s * &(&all - &delta.enclosure(bits.saturating_add(16))))
        };
        let likely = self.likely(delta.enclosure(SEARCH).ln().upper().to_f64());
        let (low, high) = self.range(&likely.map(|epsilon| if epsilon.is_finite() { epsilon.max(0.0) } else { 0.0 }));
        let top = concave_maximum((-high, -low), bits, budget, value)?;
        let log = top.ln();
        Ok(if *log.upper() <= 0 { Number::zero() } else { Number::Enclosed(log.positive_part()) })
    }

    /// [`detection`](Self::detection), continued by 1 beyond `q = 1`, where it has the value 1 and rises no more.
    fn inside(&self, y: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if *y >= 0 { Ok(Enclosure::one(bits)) } else { self.detection(y, bits, budget) }
    }

    /// Is every total variation distance certainly at most this delta, `0 < delta < 1`? Then no epsilon is needed.
    fn is_within(&self, _delta: &Real) -> Result<bool, Error> {
        Ok(false)
    }

    /// Epsilons with the one of a delta between them, about.
    fn likely(&self, log_delta: f64) -> [f64; 2];

    /// Logarithms of q with the best one between them, about, whichever of these is the epsilon.
    fn range(&self, epsilons: &[f64]) -> (Float, Float);
}

/// `ln((1+d)/(1-d))`, the loss of two outcomes of masses `(1+d)/2` and `(1-d)/2` from the same turned round.
fn loss_apart(d: &Enclosure) -> Enclosure {
    d.log1p() - (-d).log1p()
}

/// The least Kullback-Leibler divergence of anything with a total variation distance of delta and with a bound that
/// holds in both directions: `delta ln((1+delta)/(1-delta))`. Where a bound of the divergences of both directions is at
/// most that, no distance is above delta.
///
/// It is that of the masses `(1+delta)/2`, `(1-delta)/2` from the same turned round, for errors that keep a bound are a
/// convex set that is its own mirror image; see [`Region`]. It rises with delta.
pub fn kl_apart(delta: &Real, bits: u32) -> Enclosure {
    let d = delta.enclosure(bits);
    &d * &loss_apart(&d)
}

/// Where the best q is, about, for an epsilon and the bound r of the order `1 + t` alone: two logarithms.
///
/// With `p = 1 - f(q)` the bound is `p^a q^(-t) + (1-p)^a (1-q)^(-t) = e^(t r)`, `t = a - 1`. The second term is
/// between 0, as the standard conversion has it, and about 1, as it is for a small p: so `p^a = S q^t` for an S
/// between `e^(t r) - 1` and `e^(t r)`, and `p - x q` is greatest where `ln q = ln S - a (epsilon + ln(a/t))`. The
/// two are far apart for an order next to 1, where S is small.
fn places(t: f64, r: f64, epsilon: f64) -> [f64; 2] {
    let (a, most) = (1.0 + t, t * r);
    let least = if most > 30.0 { most } else { most.portable_exp_m1().portable_ln() };
    [most, least].map(|size| (size - a * (epsilon + (1.0 / t).portable_ln_1p())).min(-0.5))
}

/// The range around such places.
fn around(places: impl Iterator<Item = f64>, farthest: f64) -> (Float, Float) {
    let (mut low, mut high) = (-0.5_f64, -farthest);
    for place in places {
        let place = place.max(-farthest);
        (low, high) = (low.min(place), high.max(place));
    }
    (Float::with_val(SEARCH, low - 2.0), Float::with_val(SEARCH, (high + 2.0).min(-0.01)))
}

/// Precision of searches.
const SEARCH: u32 = 64;

/// With an order alone no q is looked for below `e^-FARTHEST`.
const FARTHEST: f64 = 1e5;

#[cfg(test)]
mod tests;
