//! Staircase noise run once, in closed form, however large the sensitivity.
//!
//! **The pair.** In units of a step, with `b = e^-eps`, P has the density `a b^n` on `[n, n+gamma)` and `a b^(n+1)` on
//! `[n+gamma, n+1)` for `n >= 0`, and the same below 0 (Geng and Viswanath); Q is P moved by an integer `s >= 1`. A
//! step has the mass `b^n (1-b)/2`, so that the tail from n on is `b^n/2`, and from `n + theta` on it is
//! `b^n c(theta)`, c the rest of a first step and `b/2`.
//!
//! The loss falls along the line: with `w = min(gamma, 1-gamma)` it is `eps s` below w, and goes down by eps at each
//! `n + w` and `n + 1 - w`, `0 <= n < s`, to `-eps s`. So tests are "below the k-th of these places", `0 <= k < 2s`:
//! the loss is at least `eps (s-k)`. With `c_0 = c(w)`, `c_1 = c(1-w)`, `n = floor(k/2)` and `i = k mod 2`
//!
//! ```text
//! P(test) = 1 - b^n c_i,      Q(test) = b^(s-n-1) c_(1-i),
//! ```
//!
//! the second as `n + w - s` is as far below 0 as `s-n-1 + (1-w)` is above. The profile is the largest advantage of a
//! test, `P - e^t Q`, and that of the losses above t, of the largest k with `s - k > t/eps`. At the knot `eps (s-k)` it
//! is `1 - b^n c_i - b^(k-n-1) c_(1-i)`, which grows with k: so the place of a delta is found by halving. The trade-off
//! function joins the points `(b^n c_i, b^(s-n-1) c_(1-i))`, with the slope `-b^(s-k)` from that of k up to that of
//! `k - 1`, and beyond both ends.
//!
//! **What is certified.** Places are found by enclosures; where these leave some neighbours, all of them are evaluated:
//! every test is a lower bound of the profile, every line one of the trade-off function, so the largest value is it.
//! Some losses have no mass where w is 0 or 1/2; their tests are tests all the same.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::geometric::floors;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::one_minus_exp_neg;
use crate::statement::{self, Statement};
use enclosure::{Brief, Budget, Enclosure, Note, Number, Real};

/// Staircase noise, run once.
#[derive(Clone, Debug)]
pub struct Staircase {
    epsilon: Real,
    gamma: Real,
    /// Is gamma below 1/2?
    narrow: bool,
    sensitivity: Integer,
}

/// The numbers at one precision.
struct Law<'a> {
    noise: &'a Staircase,
    /// `c_0` and `c_1`.
    tails: [Number; 2],
    bits: u32,
}

impl Staircase {
    /// With steps that fall by `e^-epsilon`, `epsilon > 0`, at `0 <= gamma <= 1`, moved by at least 1; `narrow` says
    /// whether gamma is below 1/2.
    pub fn new(epsilon: Real, gamma: Real, narrow: bool, sensitivity: u64) -> Self {
        Staircase { epsilon, gamma, narrow, sensitivity: sensitivity.into() }
    }

    fn times(&self, n: &Integer) -> Real {
        self.epsilon.mul_rational(&Rational::from(n))
    }

    fn law(&self, bits: u32) -> Law<'_> {
        let one = Number::one();
        let b = self.epsilon.neg().exp_number(bits);
        let gamma = self.gamma.number(bits);
        let rest = &one - &gamma;
        let half = Number::Exact(Rational::from((1, 2)));
        let fallen = &(&one_minus_exp_neg(&self.epsilon, bits) * &half) / &(&gamma + &(&b * &rest));
        let beyond = &b * &half;
        let low = &(&fallen * &b) * &rest;
        let tails = if self.narrow {
            [&beyond + &low, &beyond + &(&(&fallen * &b) * &gamma)]
        } else {
            let between = &fallen * &(&gamma - &rest);
            [&(&beyond + &low) + &between, &beyond + &low]
        };
        Law { noise: self, tails, bits }
    }
}

/// The odds of the tail beyond the first place where the loss falls, `c_0/(1 - c_0)`, of noise with these parameters.
///
/// As what is below the first place under P is above the last under Q, `1 - c_0 = c_1/b`.
pub(super) fn odds(epsilon: &Real, gamma: &Real, narrow: bool, bits: u32) -> Enclosure {
    let noise = Staircase::new(epsilon.clone(), gamma.clone(), narrow, 1);
    let law = noise.law(bits);
    let [first, second] = &law.tails;
    (&(first * &epsilon.neg().exp_number(bits)) / second).enclosure(bits)
}

fn too_fine() -> Error {
    Error::Undecided("staircase: cannot locate the point among the privacy losses at this precision".into())
}

/// The least k in a range of which something is true, that is true from there on, and known at the last.
fn least(mut low: Integer, mut high: Integer, holds: impl Fn(&Integer) -> bool) -> Integer {
    while low < high {
        let middle = Integer::from(&low + &high) >> 1u32;
        if holds(&middle) {
            high = middle;
        } else {
            low = middle + 1u32;
        }
    }
    low
}

/// From the one to the other, which are neighbours.
fn between(first: Integer, last: Integer) -> Result<Vec<Integer>, Error> {
    let count = Integer::from(&last - &first).to_u32().filter(|count| *count <= 3).ok_or_else(too_fine)?;
    Ok((0..=count).map(|more| Integer::from(&first + more)).collect())
}

impl Law<'_> {
    /// `b^n`.
    fn power(&self, n: &Integer) -> Number {
        self.noise.times(n).neg().exp_number(self.bits)
    }

    /// `floor(k/2)`, `c_i` and `c_(1-i)`.
    fn place(&self, k: &Integer) -> (Integer, &Number, &Number) {
        let [even, odd] = &self.tails;
        let (own, other) = if k.is_even() { (even, odd) } else { (odd, even) };
        (Integer::from(k >> 1u32), own, other)
    }

    /// `1 - P(test)`, for `0 <= k < 2s`.
    fn missed(&self, k: &Integer) -> Number {
        let (n, own, _) = self.place(k);
        &self.power(&n) * own
    }

    /// How far Q is beyond: `s - n - 1`.
    fn far(&self, k: &Integer) -> Integer {
        &self.noise.sensitivity - (Integer::from(k >> 1u32) + 1u32)
    }

    /// `P(test) - e^t Q(test)`.
    fn advantage(&self, t: &Real, k: &Integer) -> Number {
        let scaled = t.sub(&self.noise.times(&self.far(k))).exp_number(self.bits);
        &(&Number::one() - &self.missed(k)) - &(&scaled * self.place(k).2)
    }

    /// The profile at the knot `eps (s-k)`.
    fn at_knot(&self, k: &Integer) -> Number {
        let (n, own, other) = self.place(k);
        let rest = self.power(&(Integer::from(k - &n) - 1u32));
        &(&Number::one() - &(&self.power(&n) * own)) - &(&rest * other)
    }

    /// The line of the trade-off function through the points of k and `k - 1`, `0 <= k <= 2s`.
    fn line(&self, alpha: &Number, k: &Integer) -> Number {
        let slope = self.power(&Integer::from(&self.noise.sensitivity - k));
        if *k >= self.last() {
            return &Number::one() - &(alpha * &slope);
        }
        let beta = &self.power(&self.far(k)) * self.place(k).2;
        &beta - &(&(alpha - &self.missed(k)) * &slope)
    }

    /// `2s`.
    fn last(&self) -> Integer {
        Integer::from(&self.noise.sensitivity << 1u32)
    }

    /// The profile for `-eps s <= t < eps s`.
    fn profile(&self, t: &Real) -> Result<Number, Error> {
        let steps = &t.enclosure(self.bits) / &self.noise.epsilon.enclosure(self.bits);
        let left = &Enclosure::integer(&self.noise.sensitivity, self.bits) - &steps;
        let last = self.last() - 1u32;
        let (low, high) = floors(&left, &last).ok_or_else(too_fine)?;
        // ceil(x) - 1 is floor(x), or one less for an integer x.
        let places = between((low - 1u32).max(Integer::new()).min(last.clone()), high.min(last))?;
        // Rejecting nothing is a test as well: the best below -eps s.
        let nothing = &Number::one() - &t.exp_number(self.bits);
        Ok(places.iter().fold(nothing, |best, k| best.max(&self.advantage(t, k))))
    }
}

impl Curve for Staircase {
    fn symmetric(&self) -> bool {
        true
    }

    /// For `-eps s < epsilon < eps s`: see [`Edges`](super::Edges) for others, here and below.
    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Number, Error> {
        let law = self.law(bits.saturating_add(80));
        Ok(law.profile(epsilon)?.positive_part().min(&Number::one()))
    }

    fn epsilon(&self, delta: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        let law = self.law(bits.saturating_add(96));
        let level = delta.number(law.bits);
        let order = |value: &Number| value.compare(&level);
        if order(&law.profile(&Real::zero())?).is_some_and(Ordering::is_le) {
            return Ok(Value::Finite(Number::zero()));
        }
        // The least knot from above at which the profile is delta or more; at 0 it is.
        let range = || (Integer::new(), self.sensitivity.clone());
        let ((low, high), (from, to)) = (range(), range());
        let known = least(low, high, |k| order(&law.at_knot(k)).is_some_and(Ordering::is_ge));
        let possible = least(from, to, |k| order(&law.at_knot(k)).is_none_or(Ordering::is_ge));
        let one = Integer::from(1);
        let first = Integer::from(&possible - 1).max(Integer::new());
        let rest = Real::one().sub(delta).number(law.bits);
        let mut best: Option<Number> = None;
        // Between that knot and the one above it the test is that of the knot above.
        for k in between(first, known.max(one) - 1u32)? {
            let left = &rest - &law.missed(&k);
            if *left.enclosure(law.bits).upper() <= 0 {
                continue;
            }
            let t = &(&self.times(&law.far(&k)).number(law.bits) + &left.ln(law.bits)) - &law.place(&k).2.ln(law.bits);
            best = Some(best.map_or_else(|| t.clone(), |best| best.max(&t)));
        }
        Ok(Value::Finite(best.map_or_else(Number::zero, |best| best.positive_part())))
    }

    fn beta(&self, alpha: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Number, Error> {
        let law = self.law(bits.saturating_add(96));
        let alpha = alpha.number(law.bits);
        let last = law.last();
        let order = |k: &Integer| if *k == last { Some(Ordering::Less) } else { law.missed(k).compare(&alpha) };
        let known = least(Integer::new(), last.clone(), |k| order(k).is_some_and(Ordering::is_le));
        let possible = least(Integer::new(), last.clone(), |k| order(k).is_none_or(Ordering::is_le));
        let lines = between(possible, known)?;
        let best = lines.iter().map(|k| law.line(&alpha, k)).reduce(|best, line| best.max(&line));
        Ok(best.ok_or_else(too_fine)?.positive_part().min(&Number::one()))
    }

    fn method(&self) -> &'static str {
        "closed form"
    }

    fn statement(&self) -> &'static Statement {
        &statement::STAIRCASE
    }

    fn explain(&self) -> Vec<Note> {
        vec![
            Note::new("epsilon of a step", Brief(&self.epsilon)),
            Note::new("different privacy losses", format_args!("{}", Integer::from(&self.sensitivity << 1u32) + 1u32)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compose::Edges;
    use crate::compose::reference::discrete;
    use crate::pair::{Pair, Product};

    fn curve(ratio: &Rational, gamma: &Rational, sensitivity: u64) -> Staircase {
        let epsilon = Real::from(ratio.clone()).ln().unwrap();
        Staircase::new(epsilon, Real::from(gamma.clone()), *gamma < Rational::from((1, 2)), sensitivity)
    }

    proptest! {
        /// Sums over the list of all losses, exactly, on knots and beside them.
        #[test]
        fn formulas_are_sums_over_the_law(
            x in 2u32..7, r in 1u32..4, g in 0u32..=8, sensitivity in 1u64..9, t in -10i32..10, beside in 0u32..3,
            d in 1u32..99,
        ) {
            prop_assume!(x > r);
            let (ratio, gamma) = (Rational::from((x, r)), Rational::from((g, 8)));
            let text = format!("staircase(epsilon=ln({ratio}), gamma={gamma}, sensitivity={sensitivity})");
            let pair = discrete(&text);
            let masses: Vec<Rational> =
                pair.masses(64).unwrap().p.iter().map(|mass| mass.exact().expect("rational").clone()).collect();
            let losses: Vec<Rational> =
                pair.losses().unwrap().iter().map(|loss| loss.exp_rational().expect("rational")).collect();
            let profile = |x: &Rational| -> Rational {
                let one = |(p, ratio): (&Rational, &Rational)| {
                    (p - Rational::from(p / ratio) * x).max(Rational::new())
                };
                masses.iter().zip(&losses).map(one).sum()
            };
            let noise = curve(&ratio, &gamma, sensitivity);
            let noise = Edges::around(Box::new(noise), &Product::new([(Pair::Discrete(pair), 1)])).expect("edges");
            let budget = Budget::default();
            let x = Rational::from(rug::ops::Pow::pow(&ratio, t)) * Rational::from((10 + beside, 10));
            let at = Real::from(x.clone()).ln().unwrap();
            let delta = noise.delta(&at, Direction::Forward, 100, &budget).unwrap();
            let truth = profile(&x);
            prop_assert_eq!(delta.exact(), Some(&truth), "{} at {}", text, x);
            // The least epsilon: the profile there is the level, on a knot's or anywhere.
            let level = if beside == 0 && truth < 1 && truth > 0 { truth } else { Rational::from((d, 100)) };
            let least = noise.epsilon(&Real::from(level.clone()), Direction::Forward, 200, &budget).unwrap();
            let Value::Finite(least) = least else { return Err(TestCaseError::fail("finite")) };
            let least = least.enclosure(250).exp();
            let ends = [least.lower(), least.upper()].map(|end| end.to_rational().unwrap());
            prop_assert!(profile(&ends[1]) <= level && (ends[0] <= 1 || profile(&ends[0]) >= level), "{}", text);
            prop_assert!(least.relative_bits().is_none_or(|bits| bits > 150), "{:?}", least);
            // The trade-off function: the largest of the lines of all losses.
            let alpha = Rational::from((d, 100));
            let line = |x: &Rational| -> Rational { 1 - profile(x) - Rational::from(x * &alpha) };
            let truth = losses.iter().map(line).max().unwrap().max(Rational::new());
            let beta = noise.beta(&Real::from(alpha), Direction::Forward, 100, &budget).unwrap();
            prop_assert_eq!(beta.exact(), Some(&truth), "{}", text);
        }

        /// Where nothing is rational, it meets the lattice.
        #[test]
        fn the_lattice_agrees(a in 1u32..300, g in 1u32..99, sensitivity in 1u64..40, t in -3000i32..3000) {
            let (epsilon, gamma) = (Rational::from((a, 100)), Rational::from((g, 100)));
            let text = format!("staircase(epsilon={epsilon}, gamma={gamma}, sensitivity={sensitivity})");
            let narrow = g < 50;
            let around = |inner: Box<dyn Curve>| {
                Edges::around(inner, &Product::new([(Pair::Discrete(discrete(&text)), 1)])).expect("edges")
            };
            let noise = around(Box::new(Staircase::new(Real::from(epsilon), Real::from(gamma), narrow, sensitivity)));
            let lattice = vec![(crate::compose::reference::on_lattice(&text), 1)];
            let lattice = around(Box::new(crate::compose::Lattice::new(lattice, true).unwrap()));
            let budget = Budget::default();
            let at = Real::from(Rational::from((t, 1000)));
            let level = Real::from(Rational::from((t.unsigned_abs() + 1, 4000u32)));
            let delta = |c: &dyn Curve| c.delta(&at, Direction::Forward, 120, &budget).unwrap().enclosure(120);
            let beta = |c: &dyn Curve| c.beta(&level, Direction::Forward, 120, &budget).unwrap().enclosure(120);
            let least = |c: &dyn Curve| match c.epsilon(&level, Direction::Forward, 120, &budget).unwrap() {
                Value::Finite(value) => value.enclosure(120),
                Value::Infinite => Enclosure::whole(120),
            };
            prop_assert!(delta(&noise).overlaps(&delta(&lattice)));
            prop_assert!(beta(&noise).overlaps(&beta(&lattice)));
            prop_assert!(least(&noise).overlaps(&least(&lattice)));
        }
    }

    #[test]
    fn any_sensitivity_will_do() {
        let budget = Budget::default();
        for sensitivity in [1, 1_000_000, 1 << 62] {
            for epsilon in ["ln(2)", "1", "1e-300", "1e-6", "1e-18"] {
                for (gamma, narrow) in [("0", true), ("1/3", true), ("1/2", false), ("1", false)] {
                    let curve = Staircase::new(epsilon.parse().unwrap(), gamma.parse().unwrap(), narrow, sensitivity);
                    for level in ["1e-400", "1/2", "1-1e-400"] {
                        let level = level.parse().unwrap();
                        let beta = curve.beta(&level, Direction::Forward, 2000, &budget).unwrap().enclosure(100);
                        assert!(*beta.lower() >= 0 && *beta.upper() <= 1, "{sensitivity} {epsilon} {gamma}: {beta:?}");
                        assert!(curve.epsilon(&level, Direction::Forward, 2000, &budget).is_ok());
                    }
                    let delta = curve.delta(&Real::zero(), Direction::Forward, 2000, &budget).unwrap().enclosure(100);
                    assert!(*delta.lower() >= 0 && *delta.upper() <= 1, "{delta:?}");
                }
            }
        }
    }
}
