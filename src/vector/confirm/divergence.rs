//! Divergences, from their definitions.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Zero};
use rug::Rational;

use super::{Claim, SHARPER, numbers, require, sharper};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::divergence::{self as route, Divergences};
use crate::route::{discrete_gaussian, elementary};
use enclosure::Real;

type Bounds = (Second, Second);

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    sharper(&SHARPER, |&bits| once(query, claim, bits))
}

/// One mechanism's part: `None` stands for infinity.
fn once(query: &Query, claim: &Claim, bits: u64) -> Result<(), Error> {
    let mut total: Option<Bounds> = Some((Second::ZERO, Second::ZERO));
    let factors = query.mechanism.factors();
    if matches!(query.quantity, Quantity::Tv) && factors.iter().map(|(_, times)| *times).sum::<u64>() > 1 {
        return Err(Error::input("total variation has no second route for compositions"));
    }
    for (mechanism, times) in factors {
        let one = match query.direction {
            Direction::Worst => match (part(mechanism, query, false, bits)?, part(mechanism, query, true, bits)?) {
                (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.max(b.1))),
                _ => None,
            },
            direction => part(mechanism, query, direction == Direction::Backward, bits)?,
        };
        total = match (total, one) {
            (Some(total), Some(one)) => Some(added(query, total, one, *times)),
            _ => None,
        };
    }
    match total {
        None => require(matches!(claim, Claim::Infinite), "the second route says infinity"),
        Some(total) => claim.agrees_with(&numbers::first_both(&total)?),
    }
}

/// Divergences add; chi-squared multiplies as `1 + chi^2`.
fn added(query: &Query, total: Bounds, one: Bounds, times: u64) -> Bounds {
    if matches!(query.quantity, Quantity::Chi2) {
        let multiply = |total: Second, one: &Second| {
            (0..times).fold(total + Second::ONE, |product, _| product * (one + Second::ONE)) - Second::ONE
        };
        return (multiply(total.0, &one.0), multiply(total.1, &one.1));
    }
    let times = Second::from(times);
    (total.0 + one.0 * &times, total.1 + one.1 * times)
}

fn part(mechanism: &Mechanism, query: &Query, reversed: bool, bits: u64) -> Result<Option<Bounds>, Error> {
    let order = match &query.quantity {
        Quantity::Renyi { order } => numbers::second(numbers::rational(order, "order")?)?,
        _ => Second::from(2u32),
    };
    let zero = || Ok(Some((Second::ZERO, Second::ZERO)));
    match mechanism {
        Mechanism::ApproxDp(m) if !m.delta().is_zero() => {
            if !matches!(query.quantity, Quantity::Tv) {
                return Ok(None);
            }
            // TV = delta + (1 - delta) TV of the pair that does not fail.
            let failed = numbers::second(numbers::rational(m.delta(), "delta")?)?;
            let kept = Second::ONE - &failed;
            let inner = response(m.epsilon(), &order, bits)?.total_variation;
            Ok(Some((&failed + inner.0 * &kept, failed + inner.1 * kept)))
        }
        Mechanism::ApproxDp(m) => randomised(m.epsilon(), query, &order, bits),
        Mechanism::RandomizedResponse(m) => randomised(m.epsilon(), query, &order, bits),
        Mechanism::PureDp(m) => randomised(m.epsilon(), query, &order, bits),
        Mechanism::Laplace(m) => {
            let shift = m.sensitivity().div(m.scale())?;
            let c = numbers::second(numbers::rational(&shift, "shift")?)?;
            match query.quantity {
                Quantity::Max => Ok(Some((c.clone(), c))),
                _ => Ok(Some(pick(query, route::laplace(&c, &order, bits)?)?)),
            }
        }
        Mechanism::Gaussian(_) | Mechanism::Gdp(_) => {
            let mu = match mechanism {
                Mechanism::Gaussian(m) => m.sensitivity().div(m.sigma())?,
                Mechanism::Gdp(m) => m.mu().clone(),
                _ => Real::zero(),
            };
            if mu.is_zero() {
                return zero();
            }
            match query.quantity {
                Quantity::Max => Ok(None),
                _ => {
                    let mu = numbers::second(numbers::rational(&mu, "mu")?)?;
                    Ok(Some(pick(query, route::gaussian(&mu, &order, bits)?)?))
                }
            }
        }
        Mechanism::DiscreteGaussian(m) => match query.quantity {
            Quantity::Max => Ok(None),
            Quantity::Tv => {
                let pair = discrete_gaussian::Pair {
                    sigma2: numbers::second(m.sigma2())?,
                    sensitivity: malachite::Integer::from(m.sensitivity()),
                    times: 1,
                };
                let at = discrete_gaussian::At::Epsilon(Second::ZERO);
                Ok(Some(discrete_gaussian::delta(&discrete_gaussian::Laws::default(), &pair, &at)?))
            }
            _ => Err(Error::input("no second route for this divergence of discrete Gaussians")),
        },
        Mechanism::Finite(m) => {
            let (p, q) = if reversed { (m.q(), m.p()) } else { (m.p(), m.q()) };
            finite(p, q, query, &order, bits)
        }
        _ => Err(Error::input("no second route for the divergences of this mechanism")),
    }
}

fn response(epsilon: &Real, order: &Second, bits: u64) -> Result<Divergences, Error> {
    Ok(route::randomized_response(&numbers::bounds(epsilon, bits + 64)?, order, bits))
}

fn randomised(epsilon: &Real, query: &Query, order: &Second, bits: u64) -> Result<Option<Bounds>, Error> {
    match query.quantity {
        Quantity::Max => numbers::bounds(epsilon, bits).map(Some),
        _ => Ok(Some(pick(query, response(epsilon, order, bits)?)?)),
    }
}

fn finite(p: &[Rational], q: &[Rational], query: &Query, order: &Second, bits: u64) -> Result<Option<Bounds>, Error> {
    let mut outcomes = Vec::new();
    let mut escapes = false;
    let mut escaped = Second::ZERO;
    for (p, q) in p.iter().zip(q) {
        let (p, q) = (numbers::second(p)?, numbers::second(q)?);
        if p == 0u32 {
            continue;
        }
        if q == 0u32 {
            escapes = true;
            escaped += p;
        } else {
            outcomes.push(((p.clone(), p), (q.clone(), q)));
        }
    }
    match query.quantity {
        Quantity::Tv => {
            let inner = route::finite(&outcomes, order, bits).total_variation;
            Ok(Some((inner.0 + &escaped, inner.1 + escaped)))
        }
        _ if escapes => Ok(None),
        Quantity::Max => {
            let largest = outcomes.iter().map(|(p, q)| &p.0 / &q.0).max().unwrap_or(Second::ONE);
            Ok(Some(elementary::ln_bounds(&largest, bits)))
        }
        _ => Ok(Some(pick(query, route::finite(&outcomes, order, bits))?)),
    }
}

fn pick(query: &Query, all: Divergences) -> Result<Bounds, Error> {
    Ok(match query.quantity {
        Quantity::Renyi { .. } => all.renyi,
        Quantity::Kl => all.kullback_leibler,
        Quantity::Chi2 => all.chi_squared,
        Quantity::Tv => all.total_variation,
        // A new one has to be told apart.
        _ => return Err(Error::internal("not a divergence")),
    })
}
