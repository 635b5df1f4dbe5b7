//! Finite pairs whose losses are integer multiples of one number.
//!
//! A list of `(m, p)` says: P has mass `p` where the loss `ln(dP/dQ)` is `m u`; Q has `p e^(-mu)` there. Both total 1,
//! which lets the divergences that vanish with the loss be written as sums of terms that vanish, one by one:
//!
//! ```text
//! sum p = 1, sum p e^-l = 1    =>    sum p f(l) = sum p ( f(l) + a + b (e^-l - 1) ) - a    for all a, b.
//! ```

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::{Divergence, is_large, not_negative, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Discrete, Law};
use enclosure::{Budget, Enclosure, Number, Real, adaptive_precision};

/// A pair by its losses, in multiples of a unit, and their masses under P.
pub struct Lattice {
    unit: Real,
    masses: Box<dyn Fn(u32) -> Vec<(i64, Number)> + Send + Sync>,
}

impl Lattice {
    /// The pair with these masses, each as an enclosure that shrinks with the precision, exact where it can be. The
    /// masses of P and of Q both total 1, none is negative; this file's statements rest on it.
    ///
    /// # Errors
    /// [`Error::Input`] for masses that provably do not, checked at 64 bits. The caller is responsible for the
    /// enclosures.
    pub fn new(unit: Real, masses: impl Fn(u32) -> Vec<(i64, Number)> + Send + Sync + 'static) -> Result<Self, Error> {
        not_negative(&unit, "the unit of the privacy loss")?;
        let pair = Lattice { unit, masses: Box::new(masses) };
        for (name, direction) in [("P", Direction::Forward), ("Q", Direction::Backward)] {
            let masses = pair.oriented(direction, 64);
            let total = masses.iter().fold(Number::zero(), |sum, (_, mass)| &sum + mass);
            let one = match &total {
                Number::Exact(total) => *total == 1,
                Number::Enclosed(total) => total.contains(&Rational::from(1)),
            };
            if !one || masses.iter().any(|(_, mass)| mass.sign() == Some(Ordering::Less)) {
                return Err(Error::input(format!(
                    "the masses of {name} on the finite privacy losses are not a \
                                                 probability distribution"
                )));
            }
        }
        Ok(pair)
    }

    /// The pair of losses on a symmetric lattice: there is no mass at infinity.
    ///
    /// # Errors
    /// [`Error::Undecided`] for other pairs, and for too many losses.
    pub fn of(pair: &Discrete) -> Result<Self, Error> {
        let Law::SymmetricLattice { unit, .. } = pair.law() else {
            return Err(Error::Undecided("the privacy losses do not lie on a symmetric lattice".into()));
        };
        pair.steps(64)?;
        let (unit, pair) = (unit.clone(), pair.clone());
        // Should the masses fail at another precision, nothing is known of them.
        let unknown = |bits| vec![(0, Number::Enclosed(Enclosure::whole(bits)))];
        Self::new(unit, move |bits| pair.steps(bits).unwrap_or_else(|_| unknown(bits)))
    }

    /// Losses and masses of the pair, or of the pair reversed: there the loss `-l` has the mass `p e^-l`.
    fn oriented(&self, direction: Direction, bits: u32) -> Vec<(i64, Number)> {
        let masses = (self.masses)(bits);
        match direction {
            Direction::Backward => masses.into_iter().map(|(m, p)| (-m, &p * &self.exp(-m, bits))).collect(),
            Direction::Forward | Direction::Worst => masses,
        }
    }

    /// `e^(m u)`.
    fn exp(&self, m: i64, bits: u32) -> Number {
        let base = self.unit.exp_number(bits);
        let power = base.pow(m.unsigned_abs());
        if m < 0 { &Number::one() / &power } else { power }
    }

    /// `e^(m u) - 1`, exact or relatively narrow.
    fn expm1(&self, m: i64, bits: u32) -> Number {
        match self.unit.exp_rational() {
            Some(_) => &self.exp(m, bits) - &Number::one(),
            None => Number::Enclosed(self.loss(m, bits).enclosure(bits).expm1()),
        }
    }

    /// `m u`.
    fn loss(&self, m: i64, bits: u32) -> Number {
        &self.unit.number(bits) * &Number::Exact(Rational::from(m))
    }

    fn trivial(&self) -> bool {
        self.unit.sign() == Some(Ordering::Equal)
    }

    /// A sum over the atoms, exact if all terms are and at relative precision otherwise.
    fn total(
        &self,
        direction: Direction,
        bits: u32,
        budget: &Budget,
        term: impl Fn(i64, &Number, u32) -> Number,
    ) -> Result<Number, Error> {
        let sum = |working| {
            self.oriented(direction, working).iter().fold(Number::zero(), |sum, (m, p)| &sum + &term(*m, p, working))
        };
        match sum(bits) {
            exact @ Number::Exact(_) => Ok(exact),
            Number::Enclosed(_) => adaptive_precision(bits, 16, budget, |working| Ok(sum(working).enclosure(working)))
                .map(Number::Enclosed),
        }
    }

    /// The largest multiple that has mass.
    fn top(&self, direction: Direction, bits: u32) -> i64 {
        let masses = self.oriented(direction, bits);
        masses.iter().filter(|(_, p)| p.sign() != Some(Ordering::Equal)).map(|(m, _)| *m).max().unwrap_or(0)
    }
}

impl Divergence for Lattice {
    /// Not assumed; ask for both directions.
    fn symmetric(&self) -> bool {
        false
    }

    /// `ln( sum p e^((g-1)l) )/(g-1)`, as `ln(1 + sum p ( e^((g-1)l) - 1 + (g-1)(e^-l - 1) ))/(g-1)` with terms `>= 0`,
    /// or with the largest exponential factored out where it is large.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        order_above_one(order, bits)?;
        if self.trivial() {
            return Ok(Value::Finite(Number::zero()));
        }
        let value = adaptive_precision(bits, 32, budget, |working| {
            budget.check()?;
            let (_, above) = order_above_one(order, working)?;
            let above = above.enclosure(working);
            let masses = self.oriented(direction, working);
            let loss = |m: i64| self.loss(m, working).enclosure(working);
            let top = self.top(direction, working);
            let zero = Enclosure::zero(working);
            Ok(if is_large(&(&above * &loss(top))) {
                let sum = masses.iter().fold(zero, |sum, (m, p)| {
                    let gap = &Integer::from(*m) - Integer::from(top);
                    let gap = &self.unit.enclosure(working) * &Enclosure::integer(&gap, working);
                    &sum + &(&p.enclosure(working) * &(&above * &gap).exp())
                });
                &loss(top) + &(sum.ln() / &above)
            } else {
                let sum = masses.iter().fold(zero, |sum, (m, p)| {
                    let l = loss(*m);
                    let term = &(&above * &l).expm1() + &(&above * &(-&l).expm1());
                    &sum + &(&p.enclosure(working) * &term)
                });
                sum.log1p() / above
            })
        })?;
        Ok(Value::Finite(Number::Enclosed(value)))
    }

    /// `u sum m p`; the sum is rational if the masses are.
    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if self.trivial() {
            return Ok(Value::Finite(Number::zero()));
        }
        let mean = self.total(direction, bits, budget, |m, p, _| p * &Number::Exact(Rational::from(m)))?;
        Ok(Value::Finite(&self.unit.number(bits) * &mean))
    }

    /// `sum p e^l - 1`, as `sum p (e^l - 1)(1 - e^-l)`, whose terms are positive.
    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let sum = self.total(direction, bits, budget, |m, p, working| {
            if m == 0 { Number::zero() } else { p * &(&self.expm1(m, working) * &-self.expm1(-m, working)) }
        })?;
        Ok(Value::Finite(sum))
    }

    /// The largest loss with mass.
    fn max(&self, direction: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(self.loss(self.top(direction, bits), bits)))
    }
}
