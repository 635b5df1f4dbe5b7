//! The optimal composition theorem for k equal (epsilon, delta)-DP mechanisms, to any number of digits.
//!
//! Kairouz, Oh and Viswanath (Theorem 3.3): the worst composition is k randomised responses, whose loss is
//! `(k - 2l) eps0` with probability `p_l = C(k,l) x^(k-l)/(1+x)^k` under P and `q_l = C(k,l) x^l/(1+x)^k` under Q,
//! `x = e^eps0`, with the deltas split off (see `infinite_mass.rs`). In the tails `A_j = sum_{l<j} p_l`,
//! `B_j = sum_{l<j} q_l`:
//!
//! * the profile at `X = e^eps` is `A_m - X B_m`, where `m` counts the `l` with `(k-2l) eps0 > eps` (Murtagh, Vadhan);
//! * its inverse is `ln((A_j - D)/B_j)` for the `j` whose segment reaches the level `D`;
//! * the trade-off function is the polyline through `(B_j, 1 - A_j)`.
//!
//! Certified results: every result encloses the exact value. With rational `e^eps0`, `e^eps` and delta the answer is an
//! exact rational number, if it fits the budget. Termination: tails are finite sums cut with a proven bound, and the
//! inner loops that recover digits lost to cancellation make a fixed number of tries.

mod inverse;
mod tradeoff;

use std::cmp::Ordering;

use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::binomial::{binomial_times_exp, bits_of, exact_sums, falling_series, falls, series_length};
use super::infinite_mass::{InfiniteMass, SMALL};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::special::{exp_thin, log1p_thin};
use enclosure::{AdaptivePrecision, Brief, Budget, Enclosure, Need, Note, Number, Portable, Real, signs};

/// More terms than this are not summed: hours of work.
const MOST_TERMS: u64 = 4_000_000_000;
/// Tries at replacing digits lost to cancellation before the caller is handed what there is.
const TRIES: u32 = 4;

/// The k-fold composition of (epsilon, delta)-DP mechanisms, at its worst.
#[derive(Clone, Debug)]
pub struct Kov {
    epsilon: Real,
    times: u64,
    leak: InfiniteMass,
    /// Of one mechanism, for the edges that tests put around it.
    #[cfg(test)]
    delta: Real,
}

/// One of the conditions whose intersection is the composed privacy region.
#[cfg(feature = "cli")]
#[derive(Clone, Debug)]
pub struct RegionPair {
    /// Its epsilon, `(k-2i) eps0`, as a multiple of the epsilon of one mechanism.
    pub steps: u64,
    /// The least delta at it, `1 - (1-delta)^k (1-delta_i)`.
    pub delta: Number,
}

/// Tails at one index: `A_j`, `1 - A_j` and `B_j`, each to full relative accuracy.
struct Tails {
    a: Enclosure,
    rest: Enclosure,
    b: Enclosure,
}

#[cfg(test)]
impl Kov {
    /// Epsilon and delta of one mechanism, and how many there are.
    pub(super) fn parts(&self) -> (Real, Real, u64) {
        (self.epsilon.clone(), self.delta.clone(), self.times)
    }
}

impl Kov {
    /// `times` mechanisms, each (epsilon, delta)-DP, with `epsilon >= 0` and `0 <= delta <= 1`.
    ///
    /// # Errors
    /// [`Error::Input`] outside of that domain, [`Error::Undecided`] if it cannot be told.
    pub fn new(epsilon: Real, delta: Real, times: u64) -> Result<Self, Error> {
        match epsilon.sign() {
            Some(Ordering::Less) => {
                return Err(Error::input(format!("epsilon must be at least 0, not {epsilon}")));
            }
            Some(_) => {}
            None => return Err(Error::undecided(format!("cannot decide the sign of epsilon = {epsilon}"))),
        }
        let leak = InfiniteMass::new([(&delta, times)])?;
        Ok(Kov {
            epsilon,
            times,
            leak,
            #[cfg(test)]
            delta,
        })
    }

    /// Does every loss vanish (k = 0 or eps0 = 0), apart from what delta gives away?
    #[cfg(feature = "cli")]
    fn is_flat(&self) -> bool {
        self.times == 0 || self.epsilon.sign() == Some(Ordering::Equal)
    }

    /// Number of bits before the point of numbers of size `k eps0`.
    fn loss_bits(&self) -> u32 {
        let size = self.epsilon.enclosure(32).upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
        size.saturating_add(bits_of(self.times))
    }

    /// How much smaller than one eps0 is, in bits: what differences of neighbouring tails lose.
    fn fineness(&self) -> u32 {
        self.epsilon.enclosure(32).lower().get_exp().unwrap_or(0).min(0).unsigned_abs()
    }

    /// Bits of `(1+x)^k` as an integer; `None` if x is not known to be rational.
    fn exact_size(&self) -> Option<u64> {
        let x = self.epsilon.exp_rational()?;
        let sum = Integer::from(x.numer() + x.denom());
        Some(u64::from(sum.significant_bits()).saturating_mul(self.times))
    }

    /// May the answer be formed as an exact fraction, with `more` bits beside the tails and the deltas?
    pub(super) fn exactly(&self, more: u64, budget: &Budget) -> bool {
        let size = self.exact_size().and_then(|size| Some(size.saturating_add(self.leak.exact_size()?)));
        size.is_some_and(|size| size.saturating_add(more) <= u64::from(budget.max_bits()))
    }

    /// The numbers `l` for which `p_l` counts at the threshold: how many of `0 <= l <= k` have `(k-2l) eps0 > eps`.
    ///
    /// Decided exactly where `signs` can; otherwise both candidates, between which the term in doubt is zero if the
    /// threshold is met exactly. Needs `eps >= 0`.
    fn included(&self, target: &Real, budget: &Budget) -> Result<(u64, u64), Error> {
        let k = self.times;
        let bits = 128 + self.loss_bits();
        let quotient = &target.enclosure(bits) / &self.epsilon.enclosure(bits);
        // l counts iff l < (k - eps/eps0)/2.
        let limit = (&Enclosure::integer(&k.into(), bits) - &quotient).shift(-1);
        let whole = |x: &Float| x.to_integer_round(rug::float::Round::Up).map(|(n, _)| n);
        let (Some(low), Some(high)) = (whole(limit.lower()), whole(limit.upper())) else {
            // Only a threshold beyond the range of the arithmetic has no finite quotient.
            return Err(budget.out_of_bits());
        };
        let clamp = |n: &Integer| if *n <= 0 { 0 } else { n.to_u64().unwrap_or(k).min(k) };
        let high_plus = if limit.upper().is_integer() { high.clone() + 1_u32 } else { high.clone() };
        let (low, high) = (clamp(&low), clamp(&high_plus));
        let (mut from, mut to) = (low, high);
        while from < to {
            // Does l = from count?
            match self.counts(from, target, budget)? {
                Some(true) => from += 1,
                Some(false) => to = from,
                None => {
                    // The next one, a whole 2 eps0 further, must then be decidable.
                    if from + 1 < to && self.counts(from + 1, target, budget)? != Some(false) {
                        return Err(Error::undecided(format!("cannot compare {target} with the privacy losses")));
                    }
                    return Ok((from, from + 1));
                }
            }
        }
        Ok((from, from))
    }

    /// Is `(k-2l) eps0 > target`?
    fn counts(&self, l: u64, target: &Real, budget: &Budget) -> Result<Option<bool>, Error> {
        let steps = Integer::from(self.times) - Integer::from(l) * 2_u32;
        let sign = signs::sign(&[(steps, &self.epsilon), (Integer::from(-1), target)], budget)?;
        Ok(sign.map(|sign| sign == Ordering::Greater))
    }

    /// `A_j`, `1 - A_j`, `B_j` to about `bits` relative bits each; for `j` far beyond `k/2` too wide.
    fn tails(&self, j: u64, bits: u32, budget: &Budget) -> Result<Tails, Error> {
        let k = self.times;
        if j == 0 {
            return Ok(Tails { a: Enclosure::zero(bits), rest: Enclosure::one(bits), b: Enclosure::zero(bits) });
        }
        if j > k {
            return Ok(Tails { a: Enclosure::one(bits), rest: Enclosure::zero(bits), b: Enclosure::one(bits) });
        }
        self.check_length(j, bits, budget)?;
        let work = bits.saturating_add(self.loss_bits()).saturating_add(24);
        budget.note("working precision", format_args!("{work} bits"));
        let step = self.epsilon.enclosure(work);
        let wide = bits.saturating_add(2 * bits_of(k)).saturating_add(32);
        let y = exp_thin(&-&step, work.max(wide));
        let x = &Enclosure::one(work.max(wide)) / &y;
        // ln (1 + 1/x)^k
        let norm = &log1p_thin(&y, work.max(wide)) * &Enclosure::integer(&k.into(), work);
        let times = |n: u64| &step * &Enclosure::integer(&n.into(), work);
        // l = j-1, the last term included.
        let l = j - 1;
        let near = bits.saturating_add(16);
        let q_last = binomial_times_exp(k, l, &-(&times(k - l) + &norm), near);
        let (in_p, in_q) = (&budget.under("tail of P"), &budget.under("tail of Q"));
        let b = &q_last * &falling_series(l, k - l, &y, bits.saturating_add(8), in_q)?;
        let (a, rest);
        if falls(l, k - l, &x) {
            let p_last = binomial_times_exp(k, l, &-(&times(l) + &norm), near);
            a = &p_last * &falling_series(l, k - l, &x, bits.saturating_add(8), in_p)?;
            rest = &Enclosure::one(near) - &a;
        } else {
            // p_j, on the other side of the peak.
            let p_next = binomial_times_exp(k, j, &-(&times(j) + &norm), near);
            rest = &p_next * &falling_series(k - j, j, &y, bits.saturating_add(8), in_p)?;
            a = &Enclosure::one(near) - &rest;
        }
        Ok(Tails { a, rest, b })
    }

    /// Refuse sums that would take hours, before the first term.
    fn check_length(&self, j: u64, bits: u32, budget: &Budget) -> Result<(), Error> {
        let k = self.times as f64;
        let share = 1.0 / (1.0 + self.epsilon.to_f64().portable_exp());
        let deviation = (k * share * (1.0 - share)).sqrt();
        let terms = series_length(self.times, (j as f64 - k * share).abs(), deviation, bits);
        budget.afford(&Need {
            what: "terms of a binomial tail",
            count: terms as u64,
            most: MOST_TERMS,
            bytes: 0,
            relax: "try fewer compositions",
        })
    }
    /// The exact tails `A_j`, `B_j` for rational x, as numerators over the common `(a+b)^k`, which is the third.
    fn exact_tails(&self, j: u64, budget: &Budget) -> Result<(Integer, Integer, Integer), Error> {
        let x = self.epsilon.exp_rational().ok_or_else(|| Error::Undecided("e^epsilon is not rational".into()))?;
        let (a, b) = x.into_numer_denom();
        let k = u32::try_from(self.times).map_err(|_| budget.out_of_bits())?;
        let whole = Integer::from(&a + &b).pow(k);
        if j == 0 {
            return Ok((Integer::new(), Integer::new(), whole));
        }
        budget.note("terms of a tail, summed exactly", j);
        let (p, q) = exact_sums(self.times, j, &a, &b, budget)?;
        Ok((p, q, whole))
    }

    /// The profile of the randomised responses alone at `eps >= 0`, exact if that fits the budget.
    fn kernel(&self, target: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let (low, high) = self.included(target, budget)?;
        if high == 0 {
            return Ok(Number::zero());
        }
        if low == high
            && let Some(threshold) = target.exp_rational()
        {
            let more = u64::from(threshold.numer().significant_bits() + threshold.denom().significant_bits());
            if self.exactly(more, budget) {
                budget.note("privacy losses above epsilon", low);
                let (p, q, whole) = self.exact_tails(low, budget)?;
                let above = p * threshold.denom() - q * threshold.numer();
                let below = whole * threshold.denom();
                return Ok(Number::Exact(Rational::from((above, below))));
            }
        }
        budget.note("privacy losses above epsilon", low);
        let mut best = self.excess(low, target, bits, budget)?;
        if high != low {
            best = best.max(&self.excess(high, target, bits, budget)?);
        }
        alarm::not_negative(&best, "profile of randomised responses").map(Number::Enclosed)
    }

    /// `A_m - e^target B_m` to about `bits` relative bits, if it is not too near to zero.
    fn excess(&self, m: u64, target: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if m == 0 {
            return Ok(Enclosure::zero(bits));
        }
        let size = target.enclosure(32).upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
        AdaptivePrecision::new(bits, self.fineness() + 24, budget).attempts(TRIES).enclose(|work| {
            let tails = self.tails(m, work, budget)?;
            let threshold = target.exp_number(work.saturating_add(size)).enclosure(work);
            Ok(&tails.a - &(&threshold * &tails.b))
        })
    }

    /// The profile of the randomised responses at the knot `(k-2j) eps0`: `A_j - x^(k-2j) B_j`, for searches.
    fn knot(&self, j: u64, budget: &Budget) -> Result<Enclosure, Error> {
        let bits = 64 + self.fineness();
        let tails = self.tails(j, bits, budget)?;
        let steps = Integer::from(self.times) - Integer::from(j) * 2_u32;
        let power = signs::combination(&[(steps, &self.epsilon)], bits + self.loss_bits()).exp();
        Ok(&tails.a - &(&power * &tails.b))
    }

    /// The first index in `(low, high]` for which `reached`, which is monotone, seems to hold; `high` is taken to hold.
    fn bisect(
        &self,
        mut low: u64,
        mut high: u64,
        mut reached: impl FnMut(u64) -> Result<bool, Error>,
    ) -> Result<u64, Error> {
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if reached(middle)? { high = middle } else { low = middle }
        }
        Ok(high)
    }

    /// The loss `(k-2j) eps0` as an enclosure; `j` may pass k.
    fn loss(&self, j: u64, bits: u32) -> Enclosure {
        let steps = Integer::from(self.times) - Integer::from(j) * 2_u32;
        signs::combination(&[(steps, &self.epsilon)], bits)
    }

    /// The `floor(k/2) + 1` pairs `((k-2i) eps0, 1 - (1-delta)^k (1-delta_i))` whose intersection is the composed
    /// region.
    ///
    /// Lazy, in constant work per pair: with `c_i = x^(k-2i) B_{i+1}`,
    /// `delta_{i+1} = delta_i + (1 - x^-2) c_i` and `c_i = x^-2 c_{i-1} + p_i`, in which every term is positive, so
    /// that each delta keeps about `bits` relative bits. Exact fractions while all of them together have at most `2^22`
    /// bits.
    #[cfg(feature = "cli")]
    pub fn region<'a>(&'a self, bits: u32, budget: &'a Budget) -> Region<'a> {
        let pairs = self.times / 2 + 1;
        let size = self.exact_size().map_or(u64::MAX, |size| size.saturating_mul(pairs));
        let exact = size <= 1 << 22 && self.leak.exact_size().is_some_and(|size| size <= 1 << 16);
        let bits = if exact { bits } else { bits + 3 * bits_of(self.times) + self.fineness() + 24 };
        let work = bits.saturating_add(self.loss_bits());
        let x =
            if exact { self.epsilon.exp_number(work) } else { Number::Enclosed(self.epsilon.enclosure(work).exp()) };
        let (y, first) = if exact {
            let y = &Number::one() / &x;
            (y.clone(), (&Number::one() / &(&Number::one() + &y)).pow(self.times))
        } else {
            let y = (-self.epsilon.enclosure(work)).exp();
            let log = &y.log1p() * &Enclosure::integer(&self.times.into(), work);
            (Number::Enclosed(y.with_bits(bits)), Number::Enclosed((-log).exp().with_bits(bits)))
        };
        let y2 = &y * &y;
        let step = if exact {
            &Number::one() - &y2
        } else {
            Number::Enclosed(-(-self.epsilon.enclosure(bits).shift(1)).expm1())
        };
        let leak = self.leak.both(bits, if exact { 1 << 16 } else { 0 });
        Region {
            kov: self,
            budget,
            index: 0,
            y,
            y2,
            step,
            term: first,
            sum: Number::zero(),
            delta: Number::zero(),
            leak,
        }
    }
}

/// The pairs of the composed region, one by one; see [`Kov::region`].
#[cfg(feature = "cli")]
pub struct Region<'a> {
    kov: &'a Kov,
    budget: &'a Budget,
    index: u64,
    y: Number,
    y2: Number,
    step: Number,
    /// `p_i`
    term: Number,
    /// `c_{i-1}`
    sum: Number,
    /// `delta_i`
    delta: Number,
    leak: (Number, Number),
}

#[cfg(feature = "cli")]
impl Iterator for Region<'_> {
    type Item = Result<RegionPair, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let k = self.kov.times;
        let i = self.index;
        if i > k / 2 {
            return None;
        }
        if i.is_multiple_of(0x400)
            && let Err(error) = self.budget.check()
        {
            self.index = u64::MAX;
            return Some(Err(error));
        }
        let steps = k - 2 * i;
        let delta = &self.leak.0 + &(&self.leak.1 * &self.delta);
        if !self.kov.is_flat() {
            let ratio = Number::Exact(Rational::from((k - i, i + 1)));
            self.sum = &(&self.y2 * &self.sum) + &self.term;
            self.delta = &self.delta + &(&self.step * &self.sum);
            self.term = &(&self.term * &ratio) * &self.y;
        }
        self.index += 1;
        Some(Ok(RegionPair { steps, delta }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.kov.times / 2 + 1).saturating_sub(self.index);
        (usize::try_from(left).unwrap_or(usize::MAX), usize::try_from(left).ok())
    }
}

impl Curve for Kov {
    fn symmetric(&self) -> bool {
        true
    }

    /// As all that a curve says it is of some losses that are not zero: see [`Edges`](super::Edges) for others.
    ///
    /// `delta(eps) = 1 - (1-delta)^k (1 - sum_l C(k,l) (x^(k-l) - e^eps x^l)_+ / (1+x)^k)`, for every real eps.
    ///
    /// Below zero through `g(eps) = 1 - e^eps + e^eps g(-eps)`, the symmetry of the pair. Exact when `e^eps0`, `e^eps`
    /// and delta are rational and the fraction has no more bits than the budget's precision.
    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let size = u64::from(budget.max_bits());
        let work = bits.saturating_add(16);
        let kernel = match epsilon.sign() {
            Some(Ordering::Greater | Ordering::Equal) => self.kernel(epsilon, work, budget)?,
            Some(Ordering::Less) => below_zero(epsilon, work, |negated| self.kernel(negated, work, budget))?,
            None => return Err(Error::undecided(format!("cannot decide the sign of epsilon = {epsilon}"))),
        };
        Ok(self.leak.profile(&kernel, work, size))
    }

    /// The least `eps >= 0` with `delta(eps)` at most the target, which is between `1 - (1-delta)^k` and 1.
    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.invert_with(&self.leak, delta, bits, budget).map(Value::Finite)
    }

    /// `(1-delta)^k f(alpha/(1-delta)^k)` with `f` the polyline through `(B_j, 1 - A_j)`.
    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let exact = self.exactly(0, budget);
        scaled_tradeoff(&self.leak, alpha, exact, bits, budget, |alpha, rest, bits| {
            self.tradeoff(alpha, rest, bits, budget)
        })
    }

    fn method(&self) -> &'static str {
        "optimal composition (binomial tails)"
    }

    fn statement(&self) -> &'static Statement {
        &statement::EQUAL_MECHANISMS
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("epsilon of one mechanism", Brief(&self.epsilon)), Note::new("compositions", self.times)]
    }
}

/// Is one number certainly not below another, of this order?
fn above(order: Option<Ordering>) -> bool {
    order.is_some_and(Ordering::is_ge)
}

/// Is it certainly not above?
fn below(order: Option<Ordering>) -> bool {
    order.is_some_and(Ordering::is_le)
}

/// A point of a set, to search with.
fn middle(set: &Enclosure) -> Float {
    Float::with_val(64, set.lower() + set.upper()) / 2_u32
}

/// The profile of a symmetric pair below zero: `g(eps) = (1 - e^eps) + e^eps g(-eps)`, all terms positive.
pub(super) fn below_zero(
    epsilon: &Real,
    bits: u32,
    kernel: impl Fn(&Real) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let at = kernel(&epsilon.neg())?;
    match epsilon.exp_number(bits) {
        Number::Exact(x) => {
            let rest = Number::Exact(Rational::from(1 - &x));
            Ok(&rest + &(&Number::Exact(x) * &at))
        }
        Number::Enclosed(x) => {
            let rest = Number::Enclosed(-epsilon.enclosure(bits).expm1());
            Ok(&rest + &(&Number::Enclosed(x) * &at))
        }
    }
}

/// The trade-off function with the deltas put back: `(1-a) f(alpha/(1-a))` for `0 < alpha < 1-a`.
pub(super) fn scaled_tradeoff(
    leak: &InfiniteMass,
    alpha: &Real,
    exact: bool,
    bits: u32,
    budget: &Budget,
    kernel: impl Fn(&Number, &Number, u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let work = bits.saturating_add(32);
    let size = if exact { u64::from(budget.max_bits()) } else { SMALL };
    let alpha_number = alpha.number(work);
    let rest = &Number::one() - &alpha_number;
    if leak.is_none() {
        return kernel(&alpha_number, &rest, work);
    }
    let (_, kept) = leak.both(work, size);
    let scaled = &alpha_number / &kept;
    let rest = &Number::one() - &scaled;
    if rest.sign() != Some(Ordering::Greater) {
        // Too near to the end for these bits. There f(alpha) <= 1 - alpha.
        return Ok(Number::Enclosed((&kept * &rest).enclosure(work).positive_part().hull(&Enclosure::zero(work))));
    }
    Ok(&kept * &kernel(&scaled, &rest, work)?)
}

#[cfg(test)]
mod tests;
