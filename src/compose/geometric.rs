//! Two-sided geometric noise run once, in closed form, however large the sensitivity.
//!
//! **The pair.** `P(j) = (1-y)/(1+y) y^|j|` on the integers with `y = e^-a`, and `Q(j) = P(j - D)`, an integer
//! `D >= 1`. The loss at j is `a (|j - D| - |j|)`: `a D` for all `j <= 0`, `a (D - 2j)` between, `-a D` for all
//! `j >= D`. Its tests are "j is at most J", and with `F(J) = P(j <= J)`, which is `1 - y^(J+1)/(1+y)` for `J >= 0` and
//! `y^-J/(1+y)` for `J <= 0`,
//!
//! ```text
//! delta(t) = F(J) - e^t F(J - D) = [1 + y - y^(J+1) - e^(t - a (D - J))] / (1 + y),
//!            J the largest place with a loss above t, for -aD <= t < aD;
//! delta(t) = 0 for t >= aD,       delta(t) = 1 - e^t for t < -aD.
//! ```
//!
//! At the knot `t = a (D - 2n)` that is `1 - y^n`: the place n is not above it, `J = n - 1`. So the least t with
//! `delta(t) <= d` lies between the knots of n and `n - 1` for the least n with `1 - y^n >= d`, and there with
//! `J = n - 1`
//!
//! ```text
//! t = a (D - J) + ln[(1 + y)(1 - d) - y^(J+1)].
//! ```
//!
//! The trade-off function joins the points `alpha = y^n/(1+y), beta = y^(D+1-n)/(1+y)` for n from 1 (reject if
//! `j >= n`) to D. From n to `n - 1`, where the point `n - 1` is rejected with some probability, its slope is
//! `-e^(-a (D - 2n + 2))`. Beyond the ends it continues to `(1, 0)` and `(0, 1)`. The points are the same with alpha
//! and beta exchanged: the pair is symmetric.
//!
//! **Certified results.** J and n are computed by a logarithm with outward rounding. If that leaves two neighbours, the
//! value is enclosed for both. Both formulas are lower bounds of the profile (each is a test's advantage), so the
//! larger one is the value; both are tangents below the trade-off function, and the larger one is the value. Everything
//! is rational, and then exact, if `y` and `e^t` are rational and the powers are not excessively large.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Brief, Budget, Enclosure, Note, Number, Real};

/// Geometric noise, run once.
#[derive(Clone, Debug)]
pub struct Geometric {
    rate: Real,
    sensitivity: u64,
}

impl Geometric {
    /// Noise `P(j)` proportional to `e^(-rate |j|)`, `rate > 0`, on an integer query of this sensitivity, at least 1.
    ///
    /// # Errors
    /// [`Error::Input`] for other parameters, [`Error::Undecided`] if the sign of the rate cannot be decided.
    pub fn new(rate: Real, sensitivity: u64) -> Result<Self, Error> {
        match rate.sign() {
            Some(Ordering::Greater) if sensitivity > 0 => Ok(Geometric { rate, sensitivity }),
            None => Err(Error::Undecided("geometric: cannot decide the sign of the rate".into())),
            _ => Err(Error::input("geometric noise requires a rate above 0 and a sensitivity of at least 1")),
        }
    }

    /// `a`.
    pub(crate) fn rate(&self) -> &Real {
        &self.rate
    }

    /// `a n`.
    pub(crate) fn times(&self, n: &Integer) -> Real {
        self.rate.mul_rational(&Rational::from(n))
    }

    /// `y^n`.
    pub(crate) fn power(&self, n: &Integer, bits: u32) -> Number {
        self.times(n).neg().exp_number(bits)
    }

    /// `1 + y`.
    fn norm(&self, bits: u32) -> Number {
        &Number::one() + &self.power(&Integer::from(1), bits)
    }

    /// `D`.
    pub(crate) fn distance(&self) -> Integer {
        Integer::from(self.sensitivity)
    }

    /// `[1 + y - y^(J+1) - e^(t - a (D - J))] / (1 + y)`: the advantage of the test "at most J", for `0 <= J < D`.
    fn advantage(&self, t: &Real, at: &Integer, bits: u32) -> Number {
        let norm = self.norm(bits);
        let above = self.power(&Integer::from(at + 1), bits);
        let below = t.sub(&self.times(&(self.distance() - at))).exp_number(bits);
        &(&(&norm - &above) - &below) / &norm
    }

    /// The profile for `-aD <= t < aD`.
    fn inner_profile(&self, t: &Real, bits: u32) -> Result<Number, Error> {
        // a (D - 2J) > t: J is the least integer not below (D - t/a)/2, less one.
        let wide = bits.saturating_add(80);
        let steps = &t.enclosure(wide) / &self.rate.enclosure(wide);
        let half = (&Enclosure::integer(&self.distance(), wide) - &steps).shift(-1);
        let (first, last) = (Integer::new(), Integer::from(self.sensitivity - 1));
        let place = |n: Integer| n.clamp(&first, &last);
        let (low, high) = floors(&half, &self.distance()).ok_or_else(too_fine)?;
        // ceil(x) - 1 is floor(x), or one less for an integer x.
        let candidates = [Integer::from(&low - 1), low, high].map(place);
        // Rejecting nothing is a test as well: the best below -aD.
        let nothing = &Number::one() - &t.exp_number(wide);
        let mut best = nothing.max(&self.advantage(t, &candidates[0], wide));
        for pair in candidates.windows(2) {
            if pair[0] != pair[1] {
                best = best.max(&self.advantage(t, &pair[1], wide));
            }
        }
        Ok(best)
    }

    /// The profile at zero in closed form: `1 - y^n` for `D = 2n`, `1 - 2 y^n/(1+y)` for `D = 2n - 1`. `None` if the
    /// constants are too large to be written.
    fn total_variation(&self) -> Option<Real> {
        let power = |n: u64| self.times(&Integer::from(n)).neg().exp().ok();
        let half = power(self.sensitivity.div_ceil(2))?;
        let rest = if self.sensitivity.is_multiple_of(2) {
            half
        } else {
            half.mul_rational(&Rational::from(2)).div(&Real::one().add(&power(1)?)).ok()?
        };
        Some(Real::one().sub(&rest))
    }

    /// The line of the trade-off function through the point of n (rejecting `j >= n`) and that of `n - 1`,
    /// `1 <= n <= D + 1`.
    ///
    /// For `n <= D` from the point of n; for `n = D + 1`, the line through (0, 1).
    fn line(&self, alpha: &Number, n: &Integer, bits: u32) -> Number {
        let norm = self.norm(bits);
        let steps = self.distance() - Integer::from(n - 1) * 2u32;
        let slope = self.power(&steps, bits);
        if *n > self.sensitivity {
            return &Number::one() - &(alpha * &slope);
        }
        let beyond = alpha - &(&self.power(n, bits) / &norm);
        let beta = &self.power(&(self.distance() + 1u32 - n), bits) / &norm;
        &beta - &(&beyond * &slope)
    }
}

/// The integers that the floor of a real number may be: one, or two neighbours; `None` if it is not known so well.
///
/// The number is enclosed with enough bits to hold an integer of this size, beyond which it does not matter how far.
pub(super) fn floors(value: &Enclosure, most: &Integer) -> Option<(Integer, Integer)> {
    let bits = value.bits();
    let beyond = Enclosure::integer(&Integer::from(most + 2u32), bits.max(80));
    let value = value.positive_part().min(&beyond);
    let floor = |x: &rug::Float| x.to_integer_round(rug::float::Round::Down).map(|(n, _)| n);
    let (low, high) = (floor(value.lower())?, floor(value.upper())?);
    (Integer::from(&high - &low) <= 1).then_some((low, high))
}

fn too_fine() -> Error {
    Error::Undecided("geometric: cannot locate the point among the privacy losses at this precision".into())
}

impl Curve for Geometric {
    fn symmetric(&self) -> bool {
        true
    }

    /// For `-aD < epsilon < aD`: see [`Edges`](super::Edges) for others, here and below.
    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Number, Error> {
        Ok(self.inner_profile(epsilon, bits)?.positive_part().min(&Number::one()))
    }

    fn epsilon(&self, delta: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(96);
        // A level that the profile has at zero: no precision would tell the root from zero, fractions and the algebra
        // of constants do.
        let top = self.delta(&Real::zero(), Direction::Forward, wide, budget)?;
        let order = top.compare(&delta.number(wide)).or_else(|| self.total_variation()?.compare(delta));
        if matches!(order, Some(Ordering::Less | Ordering::Equal)) {
            return Ok(Value::Finite(Number::zero()));
        }
        let rest = Real::one().sub(delta);
        // 1 - y^n >= d: n is the least integer not below -ln(1-d)/a, and J = n - 1.
        // Next to 1 the difference is taken exactly, next to 0 it is not taken.
        let log = if delta.to_f64() > 0.5 { rest.enclosure(wide).ln() } else { (-delta.enclosure(wide)).log1p() };
        let places = &-log / &self.rate.enclosure(wide);
        let (low, high) = floors(&places, &self.distance()).ok_or_else(too_fine)?;
        let (first, last) = (Integer::new(), Integer::from(self.sensitivity - 1));
        let place = |n: Integer| n.clamp(&first, &last);
        let mut value: Option<Number> = None;
        let mut before: Option<Integer> = None;
        for at in [Integer::from(&low - 1), low, high].map(place) {
            if before.as_ref() == Some(&at) {
                continue;
            }
            // Where this test alone has the advantage d. The profile is the largest advantage, so its inverse is the
            // largest of these; a test whose own chance is below d has it nowhere.
            let left = &(&self.norm(wide) * &rest.number(wide)) - &self.power(&Integer::from(&at + 1), wide);
            let enclosed = left.enclosure(wide);
            before = Some(at.clone());
            if *enclosed.upper() <= 0 {
                continue;
            }
            let t = &self.times(&(self.distance() - &at)).number(wide) + &left.ln(wide);
            value = Some(value.map_or(t.clone(), |best| best.max(&t)));
        }
        // No test has so large an advantage anywhere above -aD.
        Ok(Value::Finite(value.map_or_else(Number::zero, |value| value.positive_part())))
    }

    fn beta(&self, alpha: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(96);
        let number = alpha.number(wide);
        // alpha >= y^n/(1+y): n is the least integer not below -ln(alpha (1+y))/a, at least 1.
        let scaled = &number.enclosure(wide) * &self.norm(wide).enclosure(wide);
        let places = &(-scaled.ln()) / &self.rate.enclosure(wide);
        let least = Integer::from(1);
        let most = self.distance() + 1u32;
        let place = |n: Integer| n.clamp(&least, &most);
        let (low, high) = floors(&places, &self.distance()).ok_or_else(too_fine)?;
        let candidates = [low.clone(), low + 1u32, high + 1u32].map(place);
        let mut best = self.line(&number, &candidates[0], wide);
        for pair in candidates.windows(2) {
            if pair[0] != pair[1] {
                best = best.max(&self.line(&number, &pair[1], wide));
            }
        }
        Ok(best.positive_part().min(&Number::one()))
    }

    fn method(&self) -> &'static str {
        "closed form"
    }

    fn statement(&self) -> &'static Statement {
        &statement::GEOMETRIC
    }

    fn explain(&self) -> Vec<Note> {
        vec![
            Note::new("rate of the noise", Brief(&self.rate)),
            Note::new("different privacy losses", format_args!("{}", self.distance() + 1u32)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::ops::Pow;

    use super::*;

    /// The masses of the losses, straight from the definition: `(loss in units of the rate, P, Q)`.
    fn masses(y: &Rational, sensitivity: u64) -> Vec<(i64, Rational, Rational)> {
        let d = sensitivity as i64;
        let weight = Rational::from(1 - y) / Rational::from(1 + y);
        let tail = Rational::from(1 + y).recip();
        let at = |n: i64| Rational::from((y).pow(n.unsigned_abs() as u32));
        let mut list = vec![(d, tail.clone(), Rational::from(&tail * &at(d)))];
        for j in 1..d {
            list.push((d - 2 * j, Rational::from(&weight * &at(j)), Rational::from(&weight * &at(d - j))));
        }
        list.push((-d, Rational::from(&tail * &at(d)), tail));
        list
    }

    proptest! {
        #[test]
        fn formulas_are_sums_over_the_law(
            x in 2u32..9, r in 1u32..5, sensitivity in 1u64..12, t in -14i32..14, beside in 0u32..3, d in 1u32..99,
        ) {
            prop_assume!(x > r);
            let ratio = Rational::from((x, r));
            let y = Rational::from(ratio.recip_ref());
            let rate = Real::from(ratio.clone()).ln().unwrap();
            let curve = Geometric::new(rate.clone(), sensitivity).unwrap();
            let law = masses(&y, sensitivity);
            let budget = Budget::default();
            // On a knot, and beside it.
            let factor = Rational::from((10 + beside, 10u32));
            let x = Rational::from((&ratio).pow(t)) * &factor;
            let epsilon = Real::from(x.clone()).ln().unwrap();
            let zero = Rational::new();
            let truth: Rational =
                law.iter().map(|(_, p, q)| (p - Rational::from(q * &x)).max(zero.clone())).sum();
            let delta = curve.delta(&epsilon, Direction::Forward, 100, &budget).unwrap();
            prop_assert_eq!(delta.exact(), Some(&truth));
            // The least epsilon for a level, on a level of the profile or anywhere.
            let level = if beside == 0 && truth != 0 { truth } else { Rational::from((d, 100)) };
            let Value::Finite(least) = curve.epsilon(&Real::from(level.clone()), Direction::Forward, 200, &budget)
                .unwrap()
            else { return Err(TestCaseError::fail("finite")) };
            let mut sorted: Vec<Rational> = vec![Rational::from(1)];
            // Every test "the k largest losses" has the advantage d at one x; the largest of these is the inverse.
            let (mut p_sum, mut q_sum) = (Rational::new(), Rational::new());
            for (_, p, q) in &law {
                p_sum += p;
                q_sum += q;
                sorted.push(Rational::from(&p_sum - &level) / q_sum.clone());
            }
            let top = sorted.into_iter().max().unwrap();
            let top = Real::from(top).ln().unwrap().enclosure(200);
            prop_assert!(least.enclosure(200).overlaps(&top), "{least:?} {top:?}");
            prop_assert!(least.exact().is_some() || least.enclosure(200).relative_bits().is_none_or(|bits| bits > 150));
            // The trade-off function: the largest of the lines of all thresholds.
            let alpha = Rational::from((d, 100));
            let mut best = Rational::new();
            for (loss, ..) in &law {
                let x = Rational::from((&ratio).pow(*loss as i32));
                let profile: Rational =
                    law.iter().map(|(_, p, q)| (p - Rational::from(q * &x)).max(zero.clone())).sum();
                best = best.max(1 - profile - x * &alpha);
            }
            let beta = curve.beta(&Real::from(alpha), Direction::Forward, 100, &budget).unwrap();
            prop_assert_eq!(beta.exact(), Some(&best));
        }

        /// Where neither masses nor powers are rational, it meets the lattice.
        #[test]
        fn the_lattice_agrees(a in 1u32..400, sensitivity in 2u32..40, t in -3000i32..3000) {
            let rate = Real::from(Rational::from((a, 100u32)));
            let curve = Geometric::new(rate.clone(), u64::from(sensitivity)).unwrap();
            let noise = format!("geometric(epsilon={rate}, sensitivity={sensitivity})");
            let pair = crate::compose::reference::on_lattice(&noise);
            let lattice = super::super::Lattice::new(vec![(pair, 1)], true).unwrap();
            let budget = Budget::default();
            let at = Real::from(Rational::from((t, 1000)));
            let both = |of: &dyn Fn(&dyn Curve) -> Enclosure| of(&curve).overlaps(&of(&lattice));
            prop_assert!(both(&|c| c.delta(&at, Direction::Forward, 120, &budget).unwrap().enclosure(120)));
            let level = Real::from(Rational::from((t.unsigned_abs() + 1, 4000u32)));
            prop_assert!(both(&|c| c.beta(&level, Direction::Forward, 120, &budget).unwrap().enclosure(120)));
            let least = |c: &dyn Curve| match c.epsilon(&level, Direction::Forward, 120, &budget).unwrap() {
                Value::Finite(value) => value.enclosure(120),
                Value::Infinite => Enclosure::whole(120),
            };
            prop_assert!(both(&least));
        }
    }

    /// A level that is the profile at zero, exactly: 2/3 at sensitivity 3 with y = 1/2.
    #[test]
    fn levels_that_are_reached_at_zero_have_epsilon_zero() {
        let curve = Geometric::new("ln(2)".parse().unwrap(), 3).unwrap();
        for (level, zero) in [("2/3", true), ("2/3 + 1e-40", true), ("3/4", true), ("2/3 - 1e-40", false)] {
            let least = curve.epsilon(&level.parse().unwrap(), Direction::Forward, 100, &Budget::default()).unwrap();
            let Value::Finite(least) = least else { panic!("{level}") };
            assert_eq!(least.exact().is_some_and(Rational::is_zero), zero, "{level}: {least:?}");
        }
    }

    /// The place is found from `1 - delta`, however near delta is to 1.
    #[test]
    fn levels_next_to_one_find_their_place() {
        let budget = Budget::default();
        for (rate, level, truth) in
            [("100", "1-exp(-300)", "99999400"), ("2*ln(2)", "1-1/2^50320", "2*ln(2)*(10^6-2*25160)")]
        {
            let curve = Geometric::new(rate.parse().unwrap(), 1_000_000).unwrap();
            let least = curve.epsilon(&level.parse().unwrap(), Direction::Forward, 600, &budget).unwrap();
            let Value::Finite(least) = least else { panic!("{level}") };
            let truth = truth.parse::<Real>().unwrap().enclosure(800);
            let least = least.enclosure(600);
            assert!(least.overlaps(&truth) && least.relative_bits().is_some_and(|bits| bits > 50), "{least:?}");
        }
    }

    /// The same where the level is no fraction.
    #[test]
    fn irrational_levels_that_are_reached_at_zero_have_epsilon_zero() {
        for (sensitivity, level, zero) in [
            (2, "1-exp(-1)", true),
            (6, "1-exp(-3)", true),
            (3, "1-2*exp(-2)/(1+exp(-1))", true),
            (2, "1-exp(-1)-1e-40", false),
        ] {
            let curve = Geometric::new(Real::one(), sensitivity).unwrap();
            let least = curve.epsilon(&level.parse().unwrap(), Direction::Forward, 200, &Budget::default()).unwrap();
            let Value::Finite(least) = least else { panic!("{level}") };
            assert_eq!(least.exact().is_some_and(Rational::is_zero), zero, "{level}: {least:?}");
        }
    }

    #[test]
    fn any_sensitivity_will_do() {
        let budget = Budget::default();
        for sensitivity in [2, 1_000_000, u64::MAX] {
            for rate in ["ln(2)", "1", "1e-300", "1e300", "1e-19"] {
                let curve = Geometric::new(rate.parse().unwrap(), sensitivity).unwrap();
                for t in ["0", "1", "-1", "1e-18", "1e18", "1e319"] {
                    let delta = curve.delta(&t.parse().unwrap(), Direction::Forward, 2000, &budget).unwrap();
                    let delta = delta.enclosure(100);
                    assert!(*delta.lower() >= 0 && *delta.upper() <= 1, "{sensitivity} {rate} {t}: {delta:?}");
                }
                for level in ["1e-400", "1/2", "1-1e-400"] {
                    let level = level.parse().unwrap();
                    assert!(curve.beta(&level, Direction::Forward, 2000, &budget).is_ok());
                    assert!(curve.epsilon(&level, Direction::Forward, 2000, &budget).is_ok());
                }
            }
        }
    }
}
