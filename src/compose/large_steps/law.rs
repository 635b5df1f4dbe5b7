//! The law of a sum whose steps are small or large, beside independent losses.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rug::float::Round::Up;
use rug::{Float, Rational};

use crate::compose::quadrature::factor::Factor;
use crate::compose::quadrature::factor::poisson_gaussian::split::{Split, some_of};
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// Precision of bounds.
pub(in crate::compose) const BOUND_BITS: u32 = 64;

/// Independent losses beside the steps.
pub(in crate::compose) type Rest = [(Arc<dyn Factor>, u64)];

/// `k` steps that are split, beside the rest: `(A + B)^k R`.
pub(super) struct Law<'a> {
    pub split: Split,
    pub steps: u64,
    pub rest: &'a Rest,
}

/// `R(c)`.
pub(in crate::compose) fn rest_moment(
    rest: &Rest,
    c: &Rational,
    bits: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    let mut moment = Enclosure::one(bits);
    for (factor, times) in rest {
        moment = &moment * &factor.moment(c, bits, budget)?.with_bits(bits).pow(*times);
    }
    Ok(moment)
}

impl Law<'_> {
    /// `A(c)^k R(c)`: of no large step.
    pub fn none_large(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let small = self.split.small(c, bits, budget)?;
        Ok(&small.pow(self.steps) * &rest_moment(self.rest, c, bits, budget)?)
    }

    /// An upper bound of `((A + B)^k - A^k) R` at c, of some large step: `k B (A + B)^(k-1) R`.
    pub fn some_large(&self, c: &Rational, budget: &Budget) -> Result<Float, Error> {
        let [small, large, _] = self.split.moments(c, BOUND_BITS, budget)?;
        let bound = self.at_most(&small, &large);
        Ok((&bound * &rest_moment(self.rest, c, BOUND_BITS, budget)?).upper().clone())
    }

    /// An upper bound of `(M^k - (A + B)^k) R` at c, of some huge step: `k H M^(k-1) R`.
    pub fn some_huge(&self, c: &Rational, budget: &Budget) -> Result<Float, Error> {
        let [small, large, huge] = self.split.moments(c, BOUND_BITS, budget)?;
        let bound = self.at_most(&(&small + &large), &huge);
        Ok((&bound * &rest_moment(self.rest, c, BOUND_BITS, budget)?).upper().clone())
    }

    /// `k B (A + B)^(k-1)`.
    pub fn at_most(&self, small: &Enclosure, large: &Enclosure) -> Enclosure {
        some_of(self.steps, small, large)
    }
}

/// `e^(-c eps)`.
pub(super) fn fall(c: &Rational, epsilon: &Enclosure, bits: u32) -> Enclosure {
    let wide = epsilon.bits().max(bits);
    (-(&Enclosure::rational(c, wide) * epsilon)).exp().with_bits(bits)
}

/// A number between 0 and this.
pub(in crate::compose) fn up_to(bound: &Float) -> Enclosure {
    Enclosure::new(Float::new(BOUND_BITS), Float::with_val_round(BOUND_BITS, bound, Up).0)
}

/// `ln R(c)` for searches, remembered.
pub(in crate::compose) struct LogRest<'a> {
    pub rest: &'a Rest,
    strip: (f64, f64),
    known: RefCell<HashMap<u64, f64>>,
}

impl<'a> LogRest<'a> {
    pub fn new(rest: &'a Rest) -> Self {
        let mut strip = (f64::NEG_INFINITY, f64::INFINITY);
        for (factor, _) in rest {
            let (low, high) = factor.strip();
            strip = (strip.0.max(low), strip.1.min(high));
        }
        LogRest { rest, strip, known: RefCell::default() }
    }

    pub fn at(&self, c: f64) -> f64 {
        if let Some(value) = self.known.borrow().get(&c.to_bits()) {
            return *value;
        }
        let inside = c > self.strip.0 && c < self.strip.1;
        let sum: f64 = self.rest.iter().map(|(factor, times)| *times as f64 * factor.log_moment(c)).sum();
        let value = if inside && !sum.is_nan() { sum } else { f64::INFINITY };
        self.known.borrow_mut().insert(c.to_bits(), value);
        value
    }
}
