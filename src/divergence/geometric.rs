//! Two-sided geometric noise, however large the sensitivity: sums of geometric series.
//!
//! With `y = e^-a` and the sensitivity D, the loss is `aD` with mass `1/(1+y)`, `a(D-2j)` with mass `(1-y)/(1+y) y^j`
//! for `0 < j < D` and `-aD` with mass `y^D/(1+y)` ([`Geometric`] is the engine for the same pair). With
//! `w = e^(-a(2g-1))`,
//!
//! ```text
//! E_P e^((g-1)L) = e^((g-1)aD) [(1-w)(1+w^D) + (1-y)(w - w^D)] / ((1-w)(1+y)),
//! E_P L          = a [D - 2y(1-y^D)/(1-y^2)],
//! ```
//!
//! and `1 + chi^2` is the first at `g = 2`. Proof: `proofs/paper/geometric.md`.

use rug::{Integer, Rational};

use super::{Divergence, order_above_one};
use crate::compose::Geometric;
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, adaptive_precision};

impl Divergence for Geometric {
    fn symmetric(&self) -> bool {
        true
    }

    /// `aD + ln(...)/(g-1)`, the differences of exponentials by `expm1`.
    fn renyi(&self, order: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        let value = adaptive_precision(bits, 32, budget, |working| {
            budget.check()?;
            let (order, above) = order_above_one(order, working)?;
            let rate = self.rate().enclosure(working);
            let slope = &rate * &(&order + &above).enclosure(working);
            let distance = Enclosure::integer(&self.distance(), working);
            let (w, below_w) = ((-&slope).exp(), -(-&slope).expm1());
            let (y, below_y) = ((-&rate).exp(), -(-&rate).expm1());
            let end = (-(&slope * &distance)).exp();
            let one = Enclosure::one(working);
            let sum = &(&below_w * &(&one + &end)) + &(&below_y * &(&w - &end));
            let ratio = &sum / &(&below_w * &(&one + &y));
            Ok(&(&rate * &distance) + &(ratio.ln() / &above.enclosure(working)))
        })?;
        Ok(Value::Finite(Number::Enclosed(value)))
    }

    /// `a (D - 2y(1-y^D)/(1-y^2))`; the second factor is rational if y is, and not of absurd size.
    fn kullback_leibler(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let mean = relative(bits, budget, |working| {
            let one = Number::one();
            let y = self.power(&Integer::from(1), working);
            let below = &y * &(&one - &self.power(&self.distance(), working));
            let share = &below / &(&one - &(&y * &y));
            &Number::Exact(Rational::from(self.distance())) - &(&share + &share)
        })?;
        Ok(Value::Finite(&self.rate().number(bits) * &mean))
    }

    /// `y^-D [1 + y^(3D) + (y^3 - y^(3D))/(1+y+y^2)] / (1+y) - 1`.
    fn chi_squared(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        relative(bits, budget, |working| {
            let power = |n: Integer| self.power(&n, working);
            let one = Number::one();
            let y = power(1.into());
            let end = power(self.distance() * 3u32);
            let inside = &(&power(3.into()) - &end) / &(&(&one + &y) + &power(2.into()));
            let sum = &(&one + &end) + &inside;
            &(&(&power(-self.distance()) * &sum) / &(&one + &y)) - &one
        })
        .map(Value::Finite)
    }

    /// `aD`, which has mass.
    fn max(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(self.times(&self.distance()).number(bits)))
    }
}

/// The value, exact if it is or at relative precision.
fn relative(bits: u32, budget: &Budget, value: impl Fn(u32) -> Number) -> Result<Number, Error> {
    match value(bits) {
        exact @ Number::Exact(_) => Ok(exact),
        Number::Enclosed(_) => {
            adaptive_precision(bits, 16, budget, |working| Ok(value(working).enclosure(working))).map(Number::Enclosed)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::divergence::Lattice;
    use crate::mechanism::Composition;
    use crate::pair::Pair;

    /// The same pair by its formulas and as a list.
    fn both(rate: &Real, sensitivity: u64) -> (Geometric, Lattice) {
        let noise: Composition = format!("geometric(epsilon={rate}, sensitivity={sensitivity})").parse().unwrap();
        let listed = match noise.pairs().unwrap().swap_remove(0) {
            (Pair::Discrete(pair), 1) => Lattice::of(&pair).unwrap(),
            other => panic!("{other:?}"),
        };
        (Geometric::new(rate.clone(), sensitivity).unwrap(), listed)
    }

    fn finite(value: Value) -> Number {
        match value {
            Value::Finite(value) => value,
            Value::Infinite => panic!("infinite"),
        }
    }

    proptest! {
        /// Sums over the list of losses, exactly where they are rational.
        #[test]
        fn formulas_are_sums_over_the_list(
            p in 2u32..400, q in 1u32..400, sensitivity in 2u64..30, order in 101u32..900, rational: bool,
        ) {
            prop_assume!(p > q);
            let ratio = Real::from(Rational::from((p, q)));
            let rate = if rational { ratio.ln().unwrap() } else { Real::from(Rational::from((q, p))) };
            let (formulas, listed) = both(&rate, sensitivity);
            let budget = Budget::default();
            let order = Real::from(Rational::from((order, 100u32)));
            let ask = |of: &dyn Divergence| -> Result<Vec<Number>, Error> {
                let direction = Direction::Forward;
                Ok(vec![
                    finite(of.renyi(&order, direction, 150, &budget)?),
                    finite(of.kullback_leibler(direction, 150, &budget)?),
                    finite(of.chi_squared(direction, 150, &budget)?),
                    finite(of.max(direction, 150, &budget)?),
                ])
            };
            for (a, b) in ask(&formulas).unwrap().iter().zip(ask(&listed).unwrap()) {
                prop_assert_eq!(a.exact(), b.exact());
                prop_assert!(a.enclosure(150).overlaps(&b.enclosure(150)), "{a:?} {b:?}");
                prop_assert!(a.exact().is_some() || a.enclosure(150).relative_bits().is_some_and(|bits| bits >= 120));
            }
        }
    }

    /// Small and large rates keep their digits, and orders next to 1.
    #[test]
    fn digits_are_kept_at_the_ends() {
        let budget = Budget::default();
        for rate in ["1e-300", "1e-19", "1", "40", "1e9"] {
            for sensitivity in [1, 2, 1 << 40, u64::MAX] {
                let pair = Geometric::new(rate.parse().unwrap(), sensitivity).unwrap();
                let narrow = |value: Value| finite(value).enclosure(200).relative_bits().is_some_and(|bits| bits >= 90);
                for order in ["1+1e-30", "2", "1e20"] {
                    let order = order.parse().unwrap();
                    let value = pair.renyi(&order, Direction::Forward, 100, &budget).unwrap();
                    assert!(narrow(value), "{rate} {sensitivity} {order}");
                }
                assert!(
                    narrow(pair.kullback_leibler(Direction::Forward, 100, &budget).unwrap()),
                    "{rate} {sensitivity}"
                );
            }
        }
    }
}
