//! Shuffled reports, run once: the exact profile of the pair of counts, as one sum over the number of clones.
//!
//! Of c clones and the own report, a are of the first kind; the likelihood ratio rises with a, so that the best test
//! for `x = e^epsilon >= 1` rejects from `m = floor(y) + 1` on, with
//!
//! `y = [(x own - other)(c+1) + (x-1) (rest/2) r (n-1-c)]/((own - other)(1 + x))`, `r = clone/(1 - clone)`,
//!
//! and its advantage is `(A_c - x B_c) b_c(m-1) - (x-1)(A_c + B_c) S_c(m)`, `S_c(m) = P[Bin(c, 1/2) >= m]`. From one c
//! to the next everything is moved, not computed: `S_(c+1)(m) = S_c(m) + b_c(m-1)/2`, `S_c(m+1) = S_c(m) - b_c(m)`, and
//! masses by ratios of integers. So the sum takes as many steps as C has values that matter.
//!
//! **Certified results.** A value is the sum over the tests with thresholds computed from y rounded down: a lower
//! bound. The terms at a differ from 0 by `2 b_(c+1)(a) (own - other) w(c) (1+x) (a - y)/(c+1)`, so it is off by at
//! most `2 (1+x)` times the error of y over c+1. The omitted clones have at most the mass of geometric series, and an
//! advantage of at most 1. If all parameters are rational and short, the value is exact.
//!
//! The pair is symmetric (a against c+1-a): for `epsilon < 0` the profile is `1 - x + x delta(-epsilon)`. Its inverse
//! is sought by signs, its trade-off function as a concave maximum. Paper proof: `proofs/paper/shuffling.md`.

use std::cmp::Ordering;

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Shares, Shuffled};
use crate::statement::{self, Statement};
use enclosure::special::ln_binomial;
use enclosure::{
    AdaptivePrecision, Budget, Enclosure, Need, Note, Number, Portable, Real, concave_maximum, root::bracketed,
};

/// Fractions are summed while reports times their bits are no more than this.
const SHORT: u64 = 1 << 13;

/// Numbers of clones that are summed at most.
const MOST_CLONES: u64 = 20_000_000;

/// Precision, in bits, that decides on which side of an epsilon a guess lies.
const GUESS_BITS: u32 = 24;

/// Shuffled reports, run once.
#[derive(Clone, Debug)]
pub struct Shuffle {
    pair: Shuffled,
}

/// What a sum goes over.
struct Range {
    first: u64,
    last: u64,
}

/// Where a sum is: c clones, of which from `from` on are rejected.
struct Place {
    clones: u64,
    from: u64,
    /// `b_c(from - 1)`.
    mass: Number,
    /// `S_c(from)`.
    tail: Number,
    /// `w(c)`.
    weight: Number,
}

/// `n/d` times a number, `d > 0`: by short factors, which cost a small part of what a fraction of all bits does.
fn scale(value: &Number, numer: u64, denom: u64) -> Number {
    match (value, u32::try_from(numer), u32::try_from(denom)) {
        (Number::Enclosed(set), Ok(numer @ 1..), Ok(denom)) => Number::Enclosed(set.mul_u32(numer).div_u32(denom)),
        _ => value * &Number::Exact(Rational::from((numer, denom))),
    }
}

/// Half of a number.
fn half(value: &Number) -> Number {
    match value {
        Number::Enclosed(set) => Number::Enclosed(set.shift(-1)),
        Number::Exact(value) => Number::Exact(Rational::from(value / 2u32)),
    }
}

impl Place {
    fn up(&mut self) {
        // b_c(t) = b_c(t-1) (c-t+1)/t
        self.mass = scale(&self.mass, self.clones - self.from + 1, self.from);
        self.tail = &self.tail - &self.mass;
        self.from += 1;
    }

    fn down(&mut self) {
        self.tail = &self.tail + &self.mass;
        self.mass = scale(&self.mass, self.from - 1, self.clones + 2 - self.from);
        self.from -= 1;
    }

    /// To the next number of clones, which has this weight.
    fn on(&mut self, weight: Number) {
        let c = self.clones;
        self.tail = &self.tail + &half(&self.mass);
        self.mass = scale(&half(&self.mass), c + 1, c + 2 - self.from);
        self.weight = weight;
        self.clones += 1;
    }
}

impl Shuffle {
    /// Of a pair.
    pub fn new(pair: Shuffled) -> Self {
        Shuffle { pair }
    }

    fn others(&self) -> u64 {
        self.pair.reports().saturating_sub(1)
    }

    /// The profile at `epsilon >= 0`, off by about `2^-bits`.
    fn sum(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(64);
        let shares = self.pair.shares(wide);
        let ratio = epsilon.exp_number(wide);
        let all = [&shares.clone, &shares.own, &shares.rest, &ratio];
        let longest: Option<u64> = all.iter().try_fold(1_u64, |longest, number| {
            let exact = number.exact()?;
            Some(longest.max(u64::from(exact.numer().significant_bits().max(exact.denom().significant_bits()))))
        });
        let exact = longest.is_some_and(|longest| longest.saturating_mul(self.pair.reports()) <= SHORT);
        if exact {
            return self.advantage(&shares, &ratio, &Range { first: 0, last: self.others() }, true, wide, budget);
        }
        let set = |number: &Number| Number::Enclosed(number.enclosure(wide));
        let shares = Shares {
            clone: set(&shares.clone),
            own: set(&shares.own),
            other: set(&shares.other),
            rest: set(&shares.rest),
            stays: set(&shares.stays),
            apart: set(&shares.apart),
        };
        let range = self.range(&shares, bits)?;
        budget.afford(&Need {
            what: "numbers of clones",
            count: range.last - range.first,
            most: MOST_CLONES,
            bytes: 0,
            relax: "try fewer reports",
        })?;
        self.advantage(&shares, &set(&ratio), &range, false, wide, budget)
    }

    /// The numbers of clones that have a probability above `2^-bits`, about.
    fn range(&self, shares: &Shares, bits: u32) -> Result<Range, Error> {
        let others = self.others();
        let clone = shares.clone.enclosure(64);
        let odds = (clone.ln() - shares.stays.enclosure(64).ln()).lower().to_f64();
        let likely = (clone.lower().to_f64() * (others as f64 + 1.0)).floor().max(0.0) as u64;
        let likely = likely.min(others);
        let least = -f64::from(bits.saturating_add(8)) * std::f64::consts::LN_2;
        let (mut first, mut log) = (likely, 0.0);
        while first > 0 && log > least {
            log += (first as f64).portable_ln() - ((others - first + 1) as f64).portable_ln() - odds;
            first -= 1;
        }
        let (mut last, mut log) = (likely, 0.0);
        while last < others && log > least {
            log += ((others - last) as f64).portable_ln() - ((last + 1) as f64).portable_ln() + odds;
            last += 1;
            if last - likely > MOST_CLONES {
                return Err(Error::undecided("the reports are too many for the sum over their clones"));
            }
        }
        Ok(Range { first, last })
    }

    /// The sum over a range, with what is left out.
    fn advantage(
        &self,
        shares: &Shares,
        ratio: &Number,
        range: &Range,
        exact: bool,
        bits: u32,
        budget: &Budget,
    ) -> Result<Number, Error> {
        let others = self.others();
        let one = Number::one();
        let Shares { clone, own, other, rest, stays, apart } = shares;
        let odds = clone / stays;
        let apart = apart * &(&one + ratio);
        let steep = &(&(ratio * own) - other) / &apart;
        let half_rest = half(rest);
        let shared = &(&(&(ratio - &one) * &half_rest) * &odds) / &apart;
        let (whole, slopes, off) = thresholds(&steep, &shared, bits)?;
        let [steep, shared] = slopes;
        let mut line = Integer::from(&steep * (range.first + 1)) + Integer::from(&shared * (others - range.first));
        let step = Integer::from(&steep - &shared);
        let mut place = self.start(shares, range.first, &first_rejected(&line, &whole), exact, bits)?;
        let edge = place.weight.clone();
        let mut sum = Number::zero();
        let gain = ratio - &one;
        loop {
            if place.clones % 256 == 0 {
                budget.check()?;
            }
            let c = place.clones;
            let from = first_rejected(&line, &whole);
            let goal = from.to_u64().map_or(c + 1, |from| from.clamp(1, c + 1));
            while place.from < goal {
                place.up();
            }
            while place.from > goal {
                place.down();
            }
            let next = if c < others { scale(&(&place.weight * &odds), others - c, c + 1) } else { Number::zero() };
            if from <= c + 1 {
                let common = &half_rest * &next;
                let first = &(own * &place.weight) + &common;
                let second = &(other * &place.weight) + &common;
                let likely = &first - &(ratio * &second);
                let unlikely = &gain * &(&first + &second);
                sum = &sum + &(&(&likely * &place.mass) - &(&unlikely * &place.tail));
            }
            if c == range.last {
                break;
            }
            place.on(next);
            line += &step;
        }
        if exact {
            return Ok(sum);
        }
        // Thresholds that are off by one, and clones left out on either side.
        let (x, n) = (ratio.enclosure(64), Enclosure::integer(&self.pair.reports().into(), 64));
        let wrong = (Enclosure::one(64) + x).shift(1) * off * n;
        let mut outside = wrong;
        let odds = odds.enclosure(64);
        let part = |numer: u64, denom: u64| Enclosure::rational(&Rational::from((numer, denom)), 64);
        let rest_of = |weight: &Number, falls: Enclosure| -> Result<Enclosure, Error> {
            let left = Enclosure::one(64) - falls;
            if left.sign() != Some(Ordering::Greater) {
                return Err(Error::undecided("the omitted clones have no known bound"));
            }
            Ok(weight.enclosure(64) / left)
        };
        if range.first > 0 {
            outside = outside + rest_of(&edge, part(range.first, others - range.first + 1) / &odds)?;
        }
        if range.last < others {
            outside = outside + rest_of(&place.weight, part(others - range.last, range.last + 1) * &odds)?;
        }
        let lower = sum.enclosure(bits);
        let upper = &lower + &outside.with_bits(bits);
        Ok(Number::Enclosed(lower.hull(&upper)).positive_part().min(&Number::one()))
    }

    /// The masses at the first number of clones.
    fn start(&self, shares: &Shares, c: u64, from: &Integer, exact: bool, bits: u32) -> Result<Place, Error> {
        let others = self.others();
        let stays = &shares.stays;
        if c == 0 {
            let weight = if exact { stays.pow(others) } else { Number::Enclosed(power(stays, others, bits)) };
            return Ok(Place { clones: 0, from: 1, mass: Number::one(), tail: Number::zero(), weight });
        }
        // The logarithms have the bits of n in front of the point.
        let wide = bits.saturating_add(72);
        let count = |n: u64| Enclosure::integer(&n.into(), wide);
        let ln = |n: u64, k: u64| Ok::<_, Error>(ln_binomial(n, k, wide)?.enclosure(wide));
        let weight = ln(others, c)?
            + count(c) * shares.clone.enclosure(wide).ln()
            + count(others - c) * stays.enclosure(wide).ln();
        let from = from.to_u64().map_or(c + 1, |from| from.clamp(1, c + 1));
        let mass = (ln(c, from - 1)? - count(c) * Enclosure::ln_2(wide)).exp();
        // S_c(from): terms that fall off, from more than half of c on.
        let (mut term, mut tail) = (mass.clone(), Enclosure::zero(wide));
        let small = Float::with_val(64, 1) >> wide;
        for a in from..=c {
            term = &term * &Enclosure::rational(&Rational::from((c - a + 1, a)), wide);
            tail = &tail + &term;
            if 2 * a > c && *term.upper() < small {
                let falls = Enclosure::rational(&Rational::from((c - a, a + 1)), 64);
                let rest = &term * &(&falls / &(Enclosure::one(64) - &falls));
                tail = tail.hull(&(&tail + &rest));
                break;
            }
        }
        let set = |set: Enclosure| Number::Enclosed(set.with_bits(bits));
        Ok(Place { clones: c, from, mass: set(mass), tail: set(tail), weight: set(weight.exp()) })
    }

    /// The profile at `epsilon >= 0`, with `bits` relative bits.
    fn profile(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.compare(self.pair.epsilon()).is_some_and(Ordering::is_ge) {
            return Ok(Number::zero());
        }
        AdaptivePrecision::new(bits, 16, budget)
            .fixed_point()
            .run(|working| self.sum(epsilon, working, budget).map(Some))
    }

    /// About the epsilon of a delta, in doubles: what the closed form of clones has (Feldman, McMillan, Talwar 2022).
    fn guess(&self, delta: &Real) -> Option<Float> {
        let (n, x) = (self.pair.reports() as f64, self.pair.epsilon().to_f64().portable_exp());
        let guess = (8.0 * (x * (4.0 / delta.to_f64()).portable_ln() / n).sqrt() + 8.0 * x / n).portable_ln_1p();
        (guess.is_finite() && guess > 0.0).then(|| Float::with_val(53, guess))
    }

    /// The profile at `epsilon >= 0`, with an error of about `2^-bits` times a level. If it is added to a number of
    /// that size, a profile far below it needs no additional bits, which would be thousands for many reports.
    fn beside(&self, level: &Enclosure, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.compare(self.pair.epsilon()).is_some_and(Ordering::is_ge) {
            return Ok(Number::zero());
        }
        let below = level.lower().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
        self.sum(epsilon, bits.saturating_add(below).saturating_add(8), budget)
    }
}

/// `x^n` with the bits that n takes away.
fn power(x: &Number, n: u64, bits: u32) -> Enclosure {
    let wide = bits.saturating_add(72);
    (x.enclosure(wide).ln() * Enclosure::integer(&n.into(), wide)).exp().with_bits(bits)
}

/// The line of thresholds as integers over one integer, rounded down, and by how much a unit of it may be off; exactly
/// where both slopes are rational.
fn thresholds(steep: &Number, shared: &Number, bits: u32) -> Result<(Integer, [Integer; 2], Enclosure), Error> {
    if let (Some(a), Some(b)) = (steep.exact(), shared.exact()) {
        let whole = a.denom().clone().lcm(b.denom());
        let over = |x: &Rational| Rational::from(x * &whole).numer().clone();
        return Ok((whole.clone(), [over(a), over(b)], Enclosure::zero(64)));
    }
    let whole = Integer::from(1) << bits;
    let mut off = Enclosure::zero(64);
    let mut ends = Vec::new();
    for slope in [steep, shared] {
        let set = slope.enclosure(bits.saturating_add(32));
        let scaled = set.shift(i32::try_from(bits).unwrap_or(i32::MAX));
        let down = scaled.lower().to_integer_round(rug::float::Round::Down).map(|(down, _)| down);
        let down = down.ok_or_else(|| Error::undecided("the threshold of a test is unknown"))?;
        let back = Enclosure::rational(&Rational::from((down.clone(), whole.clone())), bits.saturating_add(32));
        off = off + (set - back).abs().with_bits(64);
        ends.push(down);
    }
    let [steep, shared] = <[Integer; 2]>::try_from(ends).map_err(|_| Error::internal("two slopes"))?;
    Ok((whole, [steep, shared], off))
}

/// `floor(line/whole) + 1`.
fn first_rejected(line: &Integer, whole: &Integer) -> Integer {
    <(Integer, Integer)>::from(line.div_rem_floor_ref(whole)).0 + 1u32
}

impl Curve for Shuffle {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.sign() != Some(Ordering::Less) {
            return self.profile(epsilon, bits, budget);
        }
        let wide = bits.saturating_add(32);
        let x = epsilon.exp_number(wide);
        Ok(&(&Number::one() - &x) + &(&x * &self.profile(&epsilon.neg(), wide, budget)?))
    }

    /// The profile falls strictly from 0 to the largest loss.
    fn epsilon(&self, delta: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let top = self.profile(&Real::zero(), bits.saturating_add(32), budget)?;
        let crosses = match top.compare(&delta.number(bits.saturating_add(32))) {
            Some(Ordering::Greater) => true,
            Some(_) => return Ok(Value::Finite(Number::zero())),
            None => false,
        };
        let level = delta.enclosure(64);
        let excess = |x: &Rational, bits: u32| -> Result<Number, Error> {
            Ok(&self.beside(&level, &Real::from(x.clone()), bits, budget)? - &delta.number(bits))
        };
        let mut high = Float::with_val_round(64, self.pair.epsilon().enclosure(64).upper(), Up).0;
        // Among many reports the root is far below that.
        if let Some(guess) = self.guess(delta).filter(|guess| *guess < high)
            && let Some(at) = guess.to_rational()
            && excess(&at, GUESS_BITS)?.sign() == Some(Ordering::Less)
        {
            high = guess;
        }
        let root = bracketed(&high, crosses, bits, budget, excess)?;
        Ok(Value::Finite(Number::Enclosed(root)))
    }

    /// `f(alpha) = sup_y [1 - y alpha - delta(ln y)]`, with the profile of the other sign for `y <= 1`, where the
    /// bracket is `y (1 - alpha - delta(-ln y))`. It is `e^(-epsilon0) (1 - alpha)` at least, the bits of which are
    /// those that profiles need.
    fn beta(&self, alpha: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let level = self.pair.epsilon().neg().enclosure(64).exp() * Real::one().sub(alpha).enclosure(64);
        let value = |t: &Rational, bits: u32| -> Result<Enclosure, Error> {
            let point = Real::from(t.clone());
            let y = point.exp_number(bits);
            let value = if t.cmp0() == Ordering::Greater {
                &(&Number::one() - &(&y * &alpha.number(bits))) - &self.beside(&level, &point, bits, budget)?
            } else {
                &y * &(&Real::one().sub(alpha).number(bits) - &self.beside(&level, &point.neg(), bits, budget)?)
            };
            Ok(value.enclosure(bits))
        };
        let reach = Float::with_val_round(64, self.pair.epsilon().enclosure(64).upper(), Up).0;
        let greatest = concave_maximum((-reach.clone(), reach), bits, budget, value)?;
        alarm::probability(&greatest, "type II error of shuffled reports").map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "sum over the number of clones"
    }

    fn statement(&self) -> &'static Statement {
        &statement::SHUFFLING
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("reports", self.pair.reports())]
    }
}

#[cfg(test)]
mod tests;
