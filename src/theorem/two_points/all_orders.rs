//! What bounds on the Renyi divergences of *all* orders are worth: `D_(1+t) <= m + c t` for every `t > 0`, `m, c > 0`,
//! in both directions. With `m = c = rho` that is rho-zCDP.
//!
//! Two outcomes are enough here too, for a test adds to no divergence. Which two outcomes keep all bounds is decided as
//! follows. The outcome of mass u has the loss `l1 > 0`, the other one `l2 < 0`; with `d = l1 - l2`
//!
//! ```text
//! K(t) = t D_(1+t) = ln(u e^(t l1) + (1-u) e^(t l2))
//! K'' = d^2 s (1-s),   s(t) = u e^(t l1)/(u e^(t l1) + (1-u) e^(t l2))
//! h(t) = K(t) - m t - c t^2 <= 0  is wanted for all t > 0,   h(0) = 0,   h'(0) = KL - m
//! ```
//!
//! s rises, so h'' = d^2 s (1-s) - 2 c is negative, then positive, then negative (some of these may be missing): h is
//! concave, convex, and concave from some t2 on. Where `KL <= m` the first part falls from 0, and the convex part is
//! nowhere above the larger one of its ends. Hence all bounds are kept if and only if `KL <= m` and `h <= 0` on
//! `[t2, infinity)`, on which h is concave and one tangent shows it:
//!
//! * an h that is positive anywhere proves that a bound is broken,
//! * from the tangent at a `t0 >= t2` of slope h', `h(t) <= h(t0) + max(h' (t3 - t0), -h' (t0 - t2), 0)` for all
//!   `t >= t2`: up to t3 by the tangent, and h falls beyond `t3 >= (l1 - m)/(2 c)`, for `K' < l1`.
//!
//! At `t0` next to the stationary point both are close. If `d^2 <= 8 c` or `t2 <= 0` then h is concave from 0 on, or
//! falls, and `KL <= m` is all. See `proofs/paper/conversion.md`.

mod near;

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::{Region, SEARCH, around, places};
use crate::error::Error;
use enclosure::root::bracketed;
use enclosure::special::{exp_thin, ln_thin, log1p_thin};
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// No q is looked for below `e^-FARTHEST`.
const FARTHEST: f64 = 1e9;

/// Halvings of an interval of doubles.
const HALVINGS: u32 = 100;

/// `D_(1+t) <= m + c t` for every `t > 0`, in both directions.
#[derive(Clone, Debug)]
pub struct Line {
    /// m, greater than 0.
    pub start: Real,
    /// c, greater than 0.
    pub slope: Real,
}

/// A probability with its complement, and the logarithms of both.
struct Mass {
    value: Enclosure,
    rest: Enclosure,
    log: Enclosure,
    log_rest: Enclosure,
}

impl Mass {
    /// Of a probability in (0, 1).
    fn new(value: &Enclosure) -> Self {
        let rest = &Enclosure::one(value.bits()) - value;
        let (log, log_rest) = (ln_thin(value, value.bits()), log1p_thin(&-value, value.bits()));
        Mass { log, log_rest, rest, value: value.clone() }
    }

    /// `e^y < 1`.
    fn exp(y: &Rational, bits: u32) -> Self {
        let log = Enclosure::rational(y, bits);
        let value = exp_thin(&log, bits);
        let rest = if *y < -1 { &Enclosure::one(bits) - &value } else { -log.expm1() };
        let log_rest = if *y < -1 { log1p_thin(&-&value, bits) } else { ln_thin(&rest, bits) };
        Mass { value, rest, log, log_rest }
    }

    /// The other one of both outcomes.
    fn turned(self) -> Self {
        Mass { value: self.rest, rest: self.value, log: self.log_rest, log_rest: self.log }
    }
}

impl Line {
    /// Positive if the two outcomes of masses `(p, 1-p)` and `(q, 1-q)`, `p > q`, break one of the bounds, negative if
    /// they keep all, in both directions; zero is in it where that is not told. It rises in p and falls in q, about.
    fn excess(&self, p: &Mass, q: &Mass, bits: u32) -> Result<Enclosure, Error> {
        let (up, down) = (&p.log - &q.log, &p.log_rest - &q.log_rest);
        let one = self.one_way((&p.value, &p.rest), (&p.log, &p.log_rest), (&up, &down), bits)?;
        let other = self.one_way((&q.rest, &q.value), (&q.log_rest, &q.log), (&-&down, &-&up), bits)?;
        Ok(one.max(&other))
    }

    /// The same in one direction, of the masses u and 1-u, their logarithms and their losses.
    fn one_way(
        &self,
        (mass, rest): (&Enclosure, &Enclosure),
        (log, log_rest): (&Enclosure, &Enclosure),
        (up, down): (&Enclosure, &Enclosure),
        bits: u32,
    ) -> Result<Enclosure, Error> {
        let (m, c) = (self.start.enclosure(bits), self.slope.enclosure(bits));
        let one = Enclosure::one(bits);
        let d = up - down;
        let first = &(&(mass * up) + &(rest * down)) - &m;
        // Where K'' = 2 c: `s = (1 + root)/2`, whose odds are `(1 + root)^2/ratio`.
        let (eight, square) = (c.shift(3), d.square());
        if square.upper() < eight.lower() {
            return Ok(first);
        }
        let ratio = &eight / &square;
        let root = (&one - &ratio).positive_part().sqrt();
        let odds = log - log_rest;
        let turn = &(&(&log1p_thin(&root, bits).shift(1) - &ln_thin(&ratio, bits)) - &odds) / &d;
        if *turn.upper() <= 0 {
            return Ok(first);
        }
        if !turn.is_bounded() || !odds.is_bounded() {
            return Ok(Enclosure::whole(bits));
        }
        let last = &(up - &m) / &c.shift(1);
        let peak = self.peak((&odds, &d, up), (turn.upper(), last.upper()), bits);
        let t = Enclosure::new(peak.clone(), peak.clone()).with_bits(bits.max(peak.prec()));
        // `K = t l1 + ln u + ln(1 + (1-u) e^(-t d)/u)`, whose last exponent is negative from the turn on.
        let away = exp_thin(&-(&odds + &(&t * &d)), bits);
        let moment = &(&(&t * up) + log) + &log1p_thin(&away, bits);
        let height = &moment - &(&t * &(&m + &(&c * &t)));
        // `1 - s`, the share of the other outcome.
        let share = &away / &(&one + &away);
        let slope = &(&(up - &(&d * &share)) - &m) - &(&c * &t).shift(1);
        let zero = Enclosure::zero(bits);
        let right = &slope.max(&zero) * &(&last - &t).max(&zero);
        let left = &(-slope).max(&zero) * &(&t - &turn).max(&zero);
        let top = &height + &right.max(&left);
        let scaled = |set: &Enclosure| set / &t;
        let second = Enclosure::new(scaled(&height).lower().clone(), scaled(&top).upper().clone());
        Ok(first.max(&second))
    }

    /// A t not below the turn, close to the stationary point of h beyond it if there is one. Any other t is valid, but
    /// gives a weaker bound.
    fn peak(
        &self,
        (odds, d, up): (&Enclosure, &Enclosure, &Enclosure),
        (turn, last): (&Float, &Float),
        bits: u32,
    ) -> Float {
        let middle = |set: &Enclosure| Float::with_val(set.bits(), set.lower() + set.upper()) / 2u32;
        let (m, c) = (self.start.enclosure(bits), self.slope.enclosure(bits));
        stationary(&[odds, d, up, &m, &c].map(middle), (turn, last), bits)
    }

    /// f: the least type II error at a type I error alpha, `0 < alpha < 1`.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = bits.max(SEARCH);
        let set = &Enclosure::one(wide) - &alpha.enclosure(wide);
        let high = Float::with_val_round(wide, set.lower(), rug::float::Round::Down).0;
        if !(high > 0) {
            return Err(Error::undecided("cannot separate alpha from 1"));
        }
        bracketed(&high, true, bits, budget, |beta, bits| {
            let p = Mass::new(&Enclosure::rational(beta, bits)).turned();
            Ok(Number::Enclosed(self.excess(&p, &Mass::new(&alpha.enclosure(bits)), bits)?))
        })
    }

    /// An order `1 + t` that is good at an epsilon, by the standard conversion: t, about.
    fn good(&self, epsilon: f64) -> f64 {
        let (m, c) = (self.start.to_f64(), self.slope.to_f64());
        // The derivative of the logarithm of delta rises.
        least(&|t| m + 2.0 * c * t - epsilon - (1.0 / t).portable_ln_1p())
    }
}

/// About the t beyond the turn at which `h' = 0`, where there is one, else an end: of the odds of u, of d, l1, m and c.
fn stationary(numbers: &[Float; 5], (turn, last): (&Float, &Float), bits: u32) -> Float {
    let [odds_f, d_f, up_f, m_f, c_f] = numbers.each_ref().map(Float::to_f64);
    let falls = |t: f64| up_f - d_f / (1.0 + (odds_f + t * d_f).portable_exp()) - m_f - 2.0 * c_f * t;
    let (mut low, mut high) = (turn.to_f64().max(0.0), last.to_f64());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if falls(middle) > 0.0 { low = middle } else { high = middle }
    }
    let mut t = Float::with_val(bits, f64::midpoint(low, high));
    let [odds, d, up, m, c] = numbers;
    let mut known = 40_u32;
    while known < bits {
        known = known.saturating_mul(2);
        let power = Float::with_val(bits, odds + Float::with_val(bits, &t * d)).exp();
        let left = Float::with_val(bits, 1u32 / Float::with_val(bits, &power + 1u32));
        let part = Float::with_val(bits, d * &left);
        let slope = Float::with_val(bits, up - &part) - m - Float::with_val(bits, c * &t) * 2u32;
        let bend =
            Float::with_val(bits, &part * d) * Float::with_val(bits, 1u32 - &left) - Float::with_val(bits, c * 2u32);
        let next = Float::with_val(bits, &t - slope / bend);
        if !next.is_finite() || next > *last {
            break;
        }
        t = next;
    }
    if t > *turn { t } else { turn.clone() }
}

/// About the root of a function that rises, on the positive numbers.
fn least(rises: &dyn Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-600.0_f64, 600.0_f64);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if rises(middle.portable_exp()) < 0.0 { low = middle } else { high = middle }
    }
    low.portable_exp()
}

impl Region for Line {
    /// By the power itself, which may be as small as q: `excess` rises in it.
    fn detection(&self, y: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let value = |power: &Rational, bits: u32| {
            if *power >= 1 {
                // What is certain under P and is not under Q has no finite divergence the other way round.
                return Ok(-&Number::one());
            }
            let (p, q) = (Mass::new(&Enclosure::rational(power, bits)), Mass::exp(y, bits));
            if p.log.upper() <= q.log.lower() {
                return Ok(Number::one());
            }
            Ok(Number::Enclosed(-self.excess(&p, &q, bits)?))
        };
        // Next to where the power is, about, two values prove both ends.
        if let Some(near) = self.near(y, bits) {
            let wide = bits.saturating_add(16);
            let away = Float::with_val(SEARCH, &near >> bits.saturating_add(2));
            let ends = [Float::with_val(wide, &near - &away), Float::with_val(wide, &near + &away)];
            let sign = |end: &Float| -> Result<_, Error> {
                Ok(value(&end.to_rational().unwrap_or_default(), bits.saturating_add(SEARCH))?.sign())
            };
            if sign(&ends[0])? == Some(Ordering::Greater) && sign(&ends[1])? == Some(Ordering::Less) {
                let [low, high] = ends;
                return Ok(Enclosure::new(low, high));
            }
        }
        bracketed(&Float::with_val(SEARCH, 1), true, bits, budget, value)
    }

    fn likely(&self, log_delta: f64) -> [f64; 2] {
        let (m, c) = (self.start.to_f64(), self.slope.to_f64());
        let t = least(&|t| c * t * t + t.portable_ln_1p() + log_delta);
        let standard = m + c * t - (1.0 / t).portable_ln_1p() - (t.portable_ln_1p() + log_delta) / t;
        [standard, standard - 1.0]
    }

    fn range(&self, epsilons: &[f64]) -> (Float, Float) {
        let (m, c) = (self.start.to_f64(), self.slope.to_f64());
        let all = epsilons.iter().flat_map(|epsilon| {
            let t = self.good(*epsilon);
            places(t, m + c * t, *epsilon)
        });
        around(all, FARTHEST)
    }
}

#[cfg(test)]
mod tests;
