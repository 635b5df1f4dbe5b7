//! What follows from a guarantee: from bounds on Renyi divergences, beside mechanisms whose divergences are known.
//!
//! Of the product of a thing that keeps a bound and mechanisms with pairs, the Renyi divergence of order a is at most
//! the bound's plus theirs. So it is known
//!
//! * with rho-zCDP at every order, `D_a <= rho a + D_a(rest)`: epsilon and delta are the standard conversion at its
//!   certified best order, and Pinsker's inequality where that is better; beta is what two outcomes of a good order
//!   allow (any order is a bound),
//! * with a bound of one order at this order, `D_a <= epsilon + D_a(rest)`: epsilon, delta and beta are the best that
//!   follow, by two outcomes. Of several orders the lowest is taken: divergences do not fall with their order.
//!
//! Every number is a bound: at least the quantity of everything that keeps the guarantee, for beta at most. What
//! is enclosed is the bound. See `proofs/paper/conversion.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::renyi::{OneOrder, best_delta, best_epsilon, pinsker, reflected};
use super::two_points::Bound;
use super::zcdp::Zcdp;
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::{Ends, Pair};
use enclosure::{Budget, Enclosure, Number, Real};

/// Precision of searches.
const SEARCH: u32 = 64;

/// A bound on Renyi divergences, and mechanisms beside.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// The sum of all rho.
    rho: Real,
    /// The lowest order of a bound of one order, and the sum of these bounds.
    one_order: Option<(Real, Real)>,
    /// What has pairs.
    rest: Composition,
}

impl Guarantee {
    /// What a composition with a guarantee in it is; `None` if everything in it has a pair.
    pub fn of(composition: &Composition) -> Result<Option<Self>, Error> {
        let mut rest = Vec::new();
        let (mut rho, mut one_order) = (Real::zero(), None::<(Real, Real)>);
        for (mechanism, times) in composition.factors() {
            let count = Rational::from(*times);
            match mechanism {
                Mechanism::Zcdp(zcdp) => rho = rho.add(&zcdp.rho().mul_rational(&count)),
                Mechanism::Rdp(rdp) if rdp.epsilon().is_zero() => {}
                Mechanism::Rdp(rdp) => {
                    let more = rdp.epsilon().mul_rational(&count);
                    one_order = Some(match one_order {
                        None => (rdp.order().clone(), more),
                        Some((order, sum)) => (lower(order, rdp.order())?, sum.add(&more)),
                    });
                }
                other => rest.push((other.clone(), *times)),
            }
        }
        if rho.is_zero() && one_order.is_none() {
            return Ok(None);
        }
        Ok(Some(Guarantee { rho, one_order, rest: Composition::new(rest)? }))
    }

    /// Is a bound known at every order?
    pub fn all_orders(&self) -> bool {
        self.one_order.is_none()
    }

    /// The bound of the Renyi divergence of an order, or of the Kullback-Leibler divergence without one.
    fn renyi(&self, order: Option<&Real>, side: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let kind = order.map_or(Kind::KullbackLeibler, |order| Kind::Renyi(order.clone()));
        let sum = composed(kind, &self.rest)?;
        let of_rest = match side {
            Direction::Worst if sum.symmetric() => sum.value(Direction::Forward, bits, budget)?,
            Direction::Worst => {
                let forward = sum.value(Direction::Forward, bits, budget)?;
                forward.max(&sum.value(Direction::Backward, bits, budget)?)
            }
            one => sum.value(one, bits, budget)?,
        };
        let Value::Finite(of_rest) = of_rest else { return Ok(Value::Infinite) };
        let own = match order {
            Some(order) => &self.rho.number(bits) * &order.number(bits),
            None => self.rho.number(bits),
        };
        let own = match &self.one_order {
            None => own,
            Some((known, bound)) => {
                let within = match order {
                    None => Some(Ordering::Less),
                    Some(order) => order.compare(known),
                };
                match within {
                    Some(Ordering::Greater) => return Ok(Value::Infinite),
                    Some(_) => &own + &bound.number(bits),
                    None => return Err(Error::undecided("cannot tell whether the order is above the guarantee's")),
                }
            }
        };
        Ok(Value::Finite(&own + &of_rest))
    }

    /// The same, where it has to be finite.
    fn finite(&self, order: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        match self.renyi(Some(order), side, bits, budget)? {
            Value::Finite(value) => Ok(value.enclosure(bits)),
            Value::Infinite => Err(Error::Undefined(format!(
                "nothing follows from a bound on Renyi divergences beside {}, whose own are infinite",
                self.rest
            ))),
        }
    }

    /// The bound of one order, with what two outcomes make of it.
    fn two_points<T>(
        &self,
        order: &Real,
        budget: &Budget,
        ask: impl FnOnce(&Bound) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let divergence = |bits: u32| self.finite(order, Direction::Worst, bits, budget);
        ask(&Bound { order: order.clone(), divergence: &divergence })
    }

    /// The bound of delta at an epsilon.
    pub fn delta(&self, epsilon: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.sign() == Some(Ordering::Less) {
            let other = self.delta(&epsilon.neg(), opposite(side), bits, budget)?;
            return Ok(reflected(epsilon, &other, bits));
        }
        if let Some((order, _)) = &self.one_order {
            return Ok(Number::Enclosed(self.two_points(order, budget, |bound| bound.delta(epsilon, bits, budget))?));
        }
        let kl = self.renyi(None, side, bits, budget)?;
        let orders = |order: &Real, bits: u32| self.finite(order, side, bits, budget);
        let best = best_delta(&orders, epsilon, bits, budget)?;
        Ok(match kl {
            Value::Finite(kl) => best.min(&pinsker(&kl, bits)),
            Value::Infinite => best,
        })
    }

    /// The bound of epsilon at a delta.
    pub fn epsilon(&self, delta: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if delta.sign() == Some(Ordering::Equal) {
            return Ok(Value::Infinite);
        }
        if *delta == Real::one() {
            return Ok(Value::Finite(Number::zero()));
        }
        if let Some((order, _)) = &self.one_order {
            return self.two_points(order, budget, |bound| bound.epsilon(delta, bits, budget)).map(Value::Finite);
        }
        // Where Pinsker's inequality is enough, epsilon 0 is.
        if let Value::Finite(kl) = self.renyi(None, side, bits, budget)?
            && matches!(pinsker(&kl, bits).compare(&delta.number(bits)), Some(Ordering::Less | Ordering::Equal))
        {
            return Ok(Value::Finite(Number::zero()));
        }
        if self.rest.is_empty() {
            return Zcdp::new(self.rho.clone())?.canonne_kamath_steinke(delta, bits, budget).map(Value::Finite);
        }
        let orders = |order: &Real, bits: u32| self.finite(order, side, bits, budget);
        best_epsilon(&orders, delta, bits, budget).map(Value::Finite)
    }

    /// Of a bound of one order: an epsilon at least the best that follows at a delta, by the lower one of two
    /// conversions in closed form. `None` for a bound of all orders.
    pub fn converted(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let Some((order, _)) = &self.one_order else { return Ok(None) };
        let sum = self.finite(order, Direction::Worst, bits, budget)?;
        let bound = Real::from(sum.upper().to_rational().ok_or_else(|| Error::undecided("the bound is too large"))?);
        let one = OneOrder::new(order.clone(), bound)?;
        let least = one.standard_epsilon(delta, bits)?.min(&one.asoodeh(delta, bits)?);
        Ok(Some(least.enclosure(bits)))
    }

    /// The bound of beta at an alpha, in either direction.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if alpha.is_zero() {
            // What keeps the guarantee has no mass under one distribution only; what is beside it may.
            let Ends { infinite_p, infinite_q, .. } = Pair::several(self.rest.pairs()?).ends()?;
            let kept = |mass: &Real| Real::one().sub(mass).number(bits);
            return Ok(kept(&infinite_p).min(&kept(&infinite_q)));
        }
        if *alpha == Real::one() {
            return Ok(Number::zero());
        }
        let at = |order: &Real, bits: u32| {
            self.two_points(order, budget, |bound| bound.beta(&|bits| alpha.enclosure(bits), bits, budget))
        };
        let order = match &self.one_order {
            Some((order, _)) => order.clone(),
            None => good_order(&|order| Ok(at(order, SEARCH)?.lower().to_f64()))?,
        };
        at(&order, bits).map(Number::Enclosed)
    }

    /// The bound of the divergence of an order, of the Kullback-Leibler divergence without one.
    pub fn divergence(
        &self,
        order: Option<&Real>,
        side: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Value, Error> {
        self.renyi(order, side, bits, budget)
    }
}

fn lower(one: Real, other: &Real) -> Result<Real, Error> {
    match one.compare(other) {
        Some(Ordering::Greater) => Ok(other.clone()),
        Some(_) => Ok(one),
        None => Err(Error::undecided(format!("cannot tell which of the orders {one} and {other} is lower"))),
    }
}

fn opposite(side: Direction) -> Direction {
    match side {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
        Direction::Worst => Direction::Worst,
    }
}

/// An order whose bound of beta is about the largest: `1 + n/16` or `1 + 2^k/16`. Any would do.
fn good_order(beta: &dyn Fn(&Real) -> Result<f64, Error>) -> Result<Real, Error> {
    let order = |sixteenths: u32| Real::from(Rational::from((16 + u64::from(sixteenths), 16)));
    let mut best = (0.0, 16_u32);
    let look = |sixteenths: u32, best: &mut (f64, u32)| -> Result<bool, Error> {
        let found = beta(&order(sixteenths))?;
        let better = found > best.0;
        if better {
            *best = (found, sixteenths);
        }
        Ok(better)
    };
    for power in 0..16 {
        if !look(1 << power, &mut best)? && best.0 > 0.0 {
            break;
        }
    }
    let mut step = best.1 / 2;
    while step > 0 {
        let centre = best.1;
        let _ = look(centre + step, &mut best)? || look(centre.saturating_sub(step).max(1), &mut best)?;
        step /= 2;
    }
    Ok(order(best.1))
}

#[cfg(test)]
mod tests;
