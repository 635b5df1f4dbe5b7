//! What the ends alone make of the profile: a function with knots, in closed form.
//!
//! The product of all series is a sum over the sums K of ends, with c_n the coefficient of `e^(zK) z^-n`. As
//! `1/(z^2 - 1/4) = sum_j 4^-j z^(-2-2j)` and `e^(zy) z^-m` is the transform of `y^(m-1)/(m-1)!`, `y > 0`,
//!
//! `(1/2 pi i) int e^(z(K-t)) sum_n c_n z^-n/(z^2 - 1/4) dz = sum_(m>=1) a_m y^m/m!`, `y = max(0, K-t)`,
//! `a_m = c_(m-1) + a_(m-2)/4`.
//!
//! From some m on c is 0: of two neighbours let A be at least the moduli, then those after them are at most `A/2`,
//! `A/4`, ..., and what is left after the power T is at most `A (y^T/T!) q/(1-q)`, `q = y/(2(T+1))`.

use rug::Integer;

use super::series::{End, Ends};
use enclosure::Enclosure;

/// A sum of ends, and the coefficients of `y^m`, `m >= 1`.
struct Knot {
    place: Enclosure,
    powers: Vec<Enclosure>,
}

/// All of them.
pub(super) struct Knots {
    knots: Vec<Knot>,
    /// No `K - t` may be larger.
    reach: Enclosure,
    /// What all of them leave out.
    left: Enclosure,
}

/// About how many products it takes to find so many knots, of kinds with so many derivatives each.
pub(super) fn work(count: f64, kinds: &[(usize, u64)]) -> f64 {
    let degree: f64 = kinds.iter().map(|(terms, times)| *terms as f64 * *times as f64).sum();
    count * (degree + 8.0) * (degree + 8.0) / 4.0
}

/// The product of two polynomials.
fn product(a: &[Enclosure], b: &[Enclosure]) -> Vec<Enclosure> {
    let Some(first) = a.first() else { return Vec::new() };
    let mut all = vec![Enclosure::zero(first.bits()); (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (sum, y) in all.iter_mut().skip(i).zip(b) {
            *sum = &*sum + &(x * y);
        }
    }
    all
}

/// The powers of a polynomial, up to this one.
fn powers(end: &End, times: u64, bits: u32) -> Vec<Vec<Enclosure>> {
    let mut all = vec![vec![Enclosure::one(bits)]];
    for _ in 0..times {
        let next = all.last().map(|last| product(last, &end.series));
        all.extend(next);
    }
    all
}

impl Knots {
    /// Of these kinds of noise, each so many times, for `K - t` up to `reach`; each knot leaves out less than
    /// `2^-fraction`.
    pub fn new(kinds: &[(Ends, u64)], reach: Enclosure, fraction: u32, bits: u32) -> Self {
        let mut all = vec![(Enclosure::zero(bits), vec![Enclosure::one(bits)])];
        // What is lower than the largest by more than is asked for is nowhere above t.
        let mut largest = Enclosure::zero(bits);
        for (ends, times) in kinds {
            largest = &largest + &(&ends.high.loss * &Enclosure::integer(&(*times).into(), bits));
            let least = &largest - &reach;
            let (high, low) = (powers(&ends.high, *times, bits), powers(&ends.low, *times, bits));
            let mut ways = Integer::from(1);
            let mut next = Vec::new();
            for (j, (up, down)) in (0..).zip(high.iter().rev().zip(&low)) {
                let count = |n: u64| Enclosure::integer(&n.into(), bits);
                let place = &(&ends.high.loss * &count(times - j)) + &(&ends.low.loss * &count(j));
                let many = Enclosure::integer(&ways, bits);
                let part: Vec<Enclosure> = product(up, down).iter().map(|c| c * &many).collect();
                let above = all.iter().map(|(knot, series)| (knot + &place, series));
                let above = above.filter(|(place, _)| place.upper() >= least.lower());
                next.extend(above.map(|(place, series)| (place, product(series, &part))));
                ways = ways * (times - j) / (j + 1);
            }
            all = next;
        }
        let mut left = Enclosure::zero(64);
        let mut knots = Vec::with_capacity(all.len());
        for (place, series) in all {
            let (powers, rest) = inverted(&series, &reach, fraction, bits);
            left = &left + &rest;
            knots.push(Knot { place, powers });
        }
        Knots { knots, reach, left }
    }

    /// The function at t.
    pub fn value(&self, t: &Enclosure) -> Enclosure {
        let mut sum = (-&self.left).hull(&self.left).with_bits(t.bits());
        for knot in &self.knots {
            let y = (&knot.place - t).positive_part();
            if *y.upper() <= 0 {
                continue;
            }
            if !(y.upper() <= self.reach.upper()) {
                return Enclosure::whole(t.bits());
            }
            let value = knot.powers.iter().rev().fold(Enclosure::zero(t.bits()), |value, power| &(&value + power) * &y);
            sum = &sum + &value;
        }
        sum
    }
}

/// The coefficients `a_m/m!`, `m >= 1`, and a bound of what is left after the last of them.
fn inverted(series: &[Enclosure], reach: &Enclosure, fraction: u32, bits: u32) -> (Vec<Enclosure>, Enclosure) {
    let zero = Enclosure::zero(bits);
    let reach = reach.with_bits(64);
    let (mut before, mut last) = (zero.clone(), zero);
    let mut factorial = Enclosure::one(bits);
    let mut power = Enclosure::one(64);
    let mut all = Vec::new();
    for m in 1_u32.. {
        let mut next = before.shift(-2);
        if let Some(c) = series.get(m as usize - 1) {
            next = &next + c;
        }
        factorial = factorial.mul_u32(m);
        power = (&power * &reach).div_u32(m);
        all.push(&next / &factorial);
        (before, last) = (last, next);
        let ratio = reach.shift(-1).div_u32(m.saturating_add(1));
        if m as usize > series.len() && *ratio.upper() <= 0.5 {
            let most = before.abs().max(&last.abs()).with_bits(64);
            let rest = &(&most * &power) * &(&ratio / &(&Enclosure::one(64) - &ratio));
            if *rest.upper() <= rug::Float::with_val(64, 1u32) >> fraction || m > 100_000 {
                return (all, rest);
            }
        }
    }
    (all, Enclosure::whole(64))
}
