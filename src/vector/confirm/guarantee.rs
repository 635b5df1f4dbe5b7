//! Guarantees once more: conversions of a zCDP or RDP bound, in other arithmetic and by bisection.
//!
//! Alone, `rho`-zCDP has Renyi divergences of at most `a rho`. With `t = a - 1` (Canonne, Kamath, Steinke 2020,
//! Corollary 13) order a gives
//!
//! ```text
//! ln delta  = t ((1+t) rho - epsilon) - ln t + (1+t) ln(t/(1+t)),
//!             convex in t, with the slope (2t+1) rho - epsilon + ln(t/(1+t))
//! epsilon   = (2t+1) rho + ln(t/(1+t)) at its best order, where rho t^2 + ln(1+t) = ln(1/delta)
//! ```
//!
//! Both conditions have one root, which is bisected. A convex function at its least is between its value nearby and
//! that less the slope there times the distance. Of delta the smaller of it and `sqrt(rho/2)` (Pinsker) is the bound.
//!
//! A bound r of one order a, an integer here, is kept by the errors `(alpha, beta)` of a test if
//! `alpha^a (1-beta)^(1-a) + (1-alpha)^a beta^(1-a)` is at most `e^((a-1) r)`, and the same with P and Q exchanged;
//! both fall in beta.

use malachite::Rational as Second;
use malachite::base::num::arithmetic::traits::Pow;
use rug::Rational;

use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::elementary::{Bounds, exp_bounds, ln_bounds, scaled_down, scaled_up, sqrt_bounds};
use enclosure::Real;

/// Bits of logarithms.
const BITS: u64 = 320;
/// Halvings of the root's interval, which is at most `2^40` long.
const HALVINGS: u32 = 240;

/// The guarantees alone, in fractions.
enum Guarantee {
    Zcdp(Second),
    /// The order and the bound.
    Rdp(u64, Second),
}

/// Is it one guarantee, some times, in fractions?
pub fn takes(composition: &Composition) -> bool {
    Guarantee::of(composition).is_ok()
}

impl Guarantee {
    fn of(composition: &Composition) -> Result<Self, Error> {
        let [(mechanism, times)] = composition.factors() else { return Err(Error::input("not one guarantee")) };
        let times = Second::from(*times);
        match mechanism {
            Mechanism::Zcdp(m) if !m.rho().is_zero() => {
                Ok(Guarantee::Zcdp(numbers::second(numbers::rational(m.rho(), "rho")?)? * times))
            }
            Mechanism::Rdp(m) if !m.epsilon().is_zero() => {
                let order = numbers::rational(m.order(), "order")?;
                let whole = order.numer().to_u64().filter(|order_of| *order == *order_of);
                let bound = numbers::second(numbers::rational(m.epsilon(), "epsilon")?)? * times;
                Ok(Guarantee::Rdp(whole.ok_or_else(|| Error::input("an order that is no integer"))?, bound))
            }
            _ => Err(Error::input("no guarantee")),
        }
    }
}

fn one() -> Second {
    Second::from(1)
}

/// `ln(t/(1+t))`.
fn log_share(t: &Second) -> Bounds {
    ln_bounds(&(t / (t + one())), BITS)
}

/// Where a function that grows from below 0 to above 0 on the positive numbers is 0; the ends are multiples of a power
/// of two.
fn root(grows: impl Fn(&Second) -> Bounds) -> Result<Bounds, Error> {
    let two = Second::from(2);
    let (mut low, mut high) = (one(), one());
    for _ in 0..400 {
        if grows(&low).1 < 0u32 {
            break;
        }
        low /= &two;
    }
    for _ in 0..400 {
        if grows(&high).0 > 0u32 {
            break;
        }
        high *= &two;
    }
    require(grows(&low).1 < 0u32 && grows(&high).0 > 0u32, "a root between bounds")?;
    for _ in 0..HALVINGS {
        let middle = (&low + &high) / &two;
        let value = grows(&middle);
        if value.1 < 0u32 {
            low = middle;
        } else if value.0 > 0u32 {
            high = middle;
        } else {
            break;
        }
    }
    Ok((low, high))
}

/// The bound of delta at an epsilon `>= 0`.
fn zcdp_delta(rho: &Second, epsilon: &Second) -> Result<Bounds, Error> {
    let slope = |t: &Second| {
        let (low, high) = log_share(t);
        let rest = (t + t + one()) * rho - epsilon;
        (&rest + low, rest + high)
    };
    let (low, high) = root(slope)?;
    let value = |t: &Second| {
        let ((share_low, share_high), (log_low, log_high)) = (log_share(t), ln_bounds(t, BITS));
        let a = t + one();
        let rest = t * (&a * rho - epsilon);
        (&rest - log_high + &a * share_low, rest - log_low + a * share_high)
    };
    let (at, steep) = (value(&high), slope(&high).1);
    let least = &at.0 - steep * (&high - low);
    let best = (exp_bounds(&least, BITS).0, exp_bounds(&at.1, BITS).1);
    let pinsker = sqrt_bounds(&(rho / Second::from(2)), BITS);
    let most = (best.0.min(pinsker.0), best.1.min(pinsker.1));
    Ok((most.0.min(one()), most.1.min(one())))
}

/// The bound of epsilon at a delta.
fn zcdp_epsilon(rho: &Second, delta: &Second) -> Result<Bounds, Error> {
    // Enough at epsilon 0 by Pinsker's inequality.
    if delta * delta * Second::from(2) >= *rho {
        return Ok((Second::from(0), Second::from(0)));
    }
    let (log_low, log_high) = ln_bounds(delta, BITS);
    let stationary = |t: &Second| {
        let (low, high) = ln_bounds(&(t + one()), BITS);
        let square = t * t * rho;
        (&square + low + &log_low, square + high + &log_high)
    };
    let (low, high) = root(stationary)?;
    let value = |t: &Second| {
        let (share_low, share_high) = log_share(t);
        let rest = (t + t + one()) * rho;
        (&rest + share_low, rest + share_high)
    };
    // It grows in t.
    let zero = Second::from(0);
    Ok((value(&low).0.max(zero.clone()), value(&high).1.max(zero)))
}

/// Do the errors `(alpha, beta)` keep the bound of an order? `None` where that cannot be told.
fn kept(order: u64, most: &Bounds, alpha: &Second, beta: &Second) -> Option<bool> {
    let side = |p: &Second, q: &Second| {
        p.clone().pow(order) / q.clone().pow(order - 1) + (one() - p).pow(order) / (one() - q).pow(order - 1)
    };
    let other = one() - beta;
    let larger = side(alpha, &other).max(side(&other, alpha));
    if larger <= most.0 {
        Some(true)
    } else if larger > most.1 {
        Some(false)
    } else {
        None
    }
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let constant = |value: &Real, name: &str| numbers::second(numbers::rational(value, name)?);
    match (Guarantee::of(&query.mechanism)?, &query.quantity) {
        (Guarantee::Zcdp(rho), Quantity::Delta { epsilon }) => {
            claim.agrees_with(&numbers::first_both(&zcdp_delta(&rho, &constant(epsilon, "epsilon")?)?)?)
        }
        (Guarantee::Zcdp(rho), Quantity::Epsilon { delta }) => {
            claim.agrees_with(&numbers::first_both(&zcdp_epsilon(&rho, &constant(delta, "delta")?)?)?)
        }
        (Guarantee::Zcdp(rho), Quantity::Renyi { order }) => {
            let bound = numbers::first(&(rho * constant(order, "order")?))?;
            claim.agrees_with(&(bound.clone(), bound))
        }
        (Guarantee::Zcdp(rho), Quantity::Kl) => {
            let rho = numbers::first(&rho)?;
            claim.agrees_with(&(rho.clone(), rho))
        }
        (Guarantee::Rdp(order, bound), Quantity::Beta { alpha }) => {
            let most = exp_bounds(&(Second::from(order - 1) * &bound), BITS);
            let alpha = constant(alpha, "alpha")?;
            let (lower, upper) = claim.within()?;
            // In coarser fractions, outward.
            let below = scaled_down(&numbers::second(lower)?, BITS);
            let above = scaled_up(&numbers::second(upper)?, BITS);
            require(Rational::from(upper - lower) * Rational::from(1u64 << 60).square() <= *upper, "a narrow claim")?;
            let holds = kept(order, &most, &alpha, &above) == Some(true);
            require(holds && kept(order, &most, &alpha, &below) == Some(false), "the bound at both ends")
        }
        (Guarantee::Rdp(known, bound), Quantity::Renyi { order }) => match (constant(order, "order")?, claim) {
            (order, Claim::Infinite) => require(order > known, "an infinite divergence"),
            (_, claim) => {
                let bound = numbers::first(&bound)?;
                claim.agrees_with(&(bound.clone(), bound))
            }
        },
        (Guarantee::Rdp(_, bound), Quantity::Kl) => {
            let bound = numbers::first(&bound)?;
            claim.agrees_with(&(bound.clone(), bound))
        }
        _ => Err(Error::input("no second route for what follows from this guarantee")),
    }
}
