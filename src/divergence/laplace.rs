//! `Lap(0,1)` against `Lap(c,1)`.

use std::cmp::Ordering;

use rug::Rational;

use super::{Divergence, is_large, not_negative, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Number, Real, adaptive_precision};

/// The pair of a Laplace mechanism, `c = sensitivity/scale`.
#[derive(Clone, Debug)]
pub struct Laplace {
    shift: Real,
}

impl Laplace {
    /// Domain `c >= 0`.
    pub fn new(shift: Real) -> Result<Self, Error> {
        not_negative(&shift, "sensitivity/scale")?;
        Ok(Laplace { shift })
    }

    fn trivial(&self) -> bool {
        self.shift.sign() == Some(Ordering::Equal)
    }
}

impl Divergence for Laplace {
    fn symmetric(&self) -> bool {
        true
    }

    /// `(1/(g-1)) ln( g/(2g-1) e^((g-1)c) + (g-1)/(2g-1) e^(-gc) )`.
    ///
    /// The argument of the logarithm is 1 plus `( g (e^((g-1)c) - 1) + (g-1)(e^(-gc) - 1) )/(2g-1)`, whose first order
    /// in `c` cancels; for large `(g-1)c` the divergence is
    /// `c + ( ln(1 + (g-1)/g e^(-(2g-1)c)) - ln(1 + (g-1)/g) )/(g-1)`.
    fn renyi(&self, order: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        if self.trivial() {
            return Ok(Value::Finite(Number::zero()));
        }
        let value = adaptive_precision(bits, 32, budget, |working| {
            let (g, above) = order_above_one(order, working)?;
            let (g, above) = (g.enclosure(working), above.enclosure(working));
            let c = self.shift.enclosure(working);
            let growth = &above * &c;
            Ok(if is_large(&growth) {
                let part = &above / &g;
                let high = (&part * &(-(&(&g + &above) * &c)).exp()).log1p();
                &c + &(&(high - part.log1p()) / &above)
            } else {
                let rise = &(&g * &growth.expm1()) + &(&above * &(-(&g * &c)).expm1());
                (rise / (&g + &above)).log1p() / above
            })
        })?;
        Ok(Value::Finite(Number::Enclosed(value)))
    }

    /// `c + e^-c - 1`.
    fn kullback_leibler(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if self.trivial() {
            return Ok(Value::Finite(Number::zero()));
        }
        let value = adaptive_precision(bits, 32, budget, |working| {
            let c = self.shift.enclosure(working);
            Ok(&c + &(-&c).expm1())
        })?;
        Ok(Value::Finite(Number::Enclosed(value)))
    }

    /// `( 2 (e^c - 1) + (e^(-2c) - 1) )/3`; rational if `e^c` is.
    fn chi_squared(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if let Some(x) = self.shift.exp_rational() {
            let inverse = x.clone().recip();
            return Ok(Value::Finite(Number::Exact((x * 2 + inverse.clone() * inverse - 3) / Rational::from(3))));
        }
        let value = adaptive_precision(bits, 32, budget, |working| {
            let c = self.shift.enclosure(working);
            Ok((&c.expm1().shift(1) + &(-c.shift(1)).expm1()).div_u32(3))
        })?;
        Ok(Value::Finite(Number::Enclosed(value)))
    }

    /// `c`.
    fn max(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(self.shift.number(bits)))
    }
}
