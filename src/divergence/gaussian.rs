//! `N(0,1)` against `N(mu,1)`.

use std::cmp::Ordering;

use rug::Float;
use rug::float::Round;

use super::{Divergence, not_negative, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// The pair of a Gaussian mechanism, with `mu = sensitivity/sigma`. Compositions are Gaussian again, with the squares added,
/// so the square can be given instead.
#[derive(Clone, Debug)]
pub enum Gaussian {
    /// By `mu >= 0`.
    Mu(Real),
    /// By `mu^2 >= 0`.
    SquaredMu(Real),
}

impl Gaussian {
    fn parameter(&self) -> Result<&Real, Error> {
        let (Gaussian::Mu(value) | Gaussian::SquaredMu(value)) = self;
        not_negative(value, "mu")?;
        Ok(value)
    }

    /// `mu^2`.
    fn square(&self, bits: u32) -> Result<Number, Error> {
        let value = self.parameter()?.number(bits);
        Ok(match self {
            Gaussian::Mu(_) => value.pow(2),
            Gaussian::SquaredMu(_) => value,
        })
    }
}

impl Divergence for Gaussian {
    fn symmetric(&self) -> bool {
        true
    }

    /// `g mu^2/2`, exactly rational if `g` and `mu^2` are.
    fn renyi(&self, order: &Real, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        let (g, _) = order_above_one(order, bits)?;
        Ok(Value::Finite(&(&g * &self.square(bits)?) / &Number::Exact(2.into())))
    }

    /// `mu^2/2`.
    fn kullback_leibler(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(&self.square(bits)? / &Number::Exact(2.into())))
    }

    /// `e^(mu^2) - 1`.
    fn chi_squared(&self, _: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(match self.square(bits)? {
            Number::Exact(square) if square.is_zero() => Number::zero(),
            square => Number::Enclosed(square.enclosure(bits).expm1()),
        }))
    }

    /// Infinite, unless `mu = 0`.
    fn max(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Ok(match self.parameter()?.sign() {
            Some(Ordering::Equal) => Value::Finite(Number::zero()),
            _ => Value::Infinite,
        })
    }

    /// `2 Phi(mu/2) - 1 = erf(mu/sqrt(8))`.
    fn total_variation(&self, bits: u32, _: &Budget) -> Result<Number, Error> {
        if self.parameter()?.sign() == Some(Ordering::Equal) {
            return Ok(Number::zero());
        }
        let argument = (&self.square(bits)?.enclosure(bits) / &Enclosure::integer(&8.into(), bits)).sqrt();
        let (low, high) = argument.into_bounds();
        let erf = |mut x: Float, round: Round| {
            x.erf_round(round);
            x
        };
        Ok(Number::Enclosed(Enclosure::new(erf(low, Round::Down), erf(high, Round::Up))))
    }
}
