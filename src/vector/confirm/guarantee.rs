//! Guarantees once more, in other arithmetic: of zCDP and CDP two outcomes that keep the bounds of all orders
//! (`guarantee/all_orders.rs`), of RDP those of one.
//!
//! A bound r of one order a, an integer here, is kept by the errors `(alpha, beta)` of a test if
//! `alpha^a (1-beta)^(1-a) + (1-alpha)^a beta^(1-a)` is at most `e^((a-1) r)`, and the same with P and Q exchanged;
//! both fall in beta.

mod all_orders;

use malachite::Rational as Second;
use malachite::base::num::arithmetic::traits::Pow;
use rug::Rational;

use self::all_orders::{Bound, Goal};
use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::elementary::{Bounds, exp_bounds, scaled_down, scaled_up};
use enclosure::Real;

/// Bits of logarithms.
const BITS: u64 = 320;
/// Halvings of the root's interval, which is at most `2^40` long.
const HALVINGS: u32 = 240;

/// The guarantees alone, in fractions.
enum Guarantee {
    /// `D_(1+t) <= m + c t`, with c at least m.
    Line(Bound),
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
                let rho = numbers::second(numbers::rational(m.rho(), "rho")?)? * times;
                Ok(Guarantee::Line(Bound { start: rho.clone(), slope: rho }))
            }
            Mechanism::Cdp(m) if !m.reveals_nothing() => {
                let mu = numbers::second(numbers::rational(m.mu(), "mu")?)?;
                let tau = numbers::second(numbers::rational(m.tau(), "tau")?)?;
                let slope = &tau * &tau / Second::from(2);
                // The distance at epsilon 0 is that of randomised response, which keeps such a line.
                require(mu <= slope, "a mean of at most tau^2/2")?;
                Ok(Guarantee::Line(Bound { start: mu * &times, slope: slope * times }))
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

/// Is a bound kept by the type II error at the upper end, and not by that at the lower one?
fn at_ends(claim: &Claim, kept: impl Fn(&Second) -> Result<Option<bool>, Error>) -> Result<(), Error> {
    let (lower, upper) = claim.within()?;
    // In coarser fractions, outward.
    let below = scaled_down(&numbers::second(lower)?, BITS);
    let above = scaled_up(&numbers::second(upper)?, BITS);
    require(Rational::from(upper - lower) * Rational::from(1u64 << 60).square() <= *upper, "a narrow claim")?;
    require(kept(&above)? == Some(true) && kept(&below)? == Some(false), "the bound at both ends")
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let constant = |value: &Real, name: &str| numbers::second(numbers::rational(value, name)?);
    match (Guarantee::of(&query.mechanism)?, &query.quantity) {
        (Guarantee::Line(line), Quantity::Delta { epsilon }) => {
            let bounds = if epsilon.is_zero() {
                all_orders::distance(&line.start)?
            } else {
                all_orders::greatest(&line, &Goal::Delta(epsilon))?
            };
            claim.agrees_with(&numbers::first_both(&bounds)?)
        }
        (Guarantee::Line(line), Quantity::Epsilon { delta }) => {
            if all_orders::distance(&line.start)?.1 <= constant(delta, "delta")? {
                // Enough at epsilon 0.
                let zero = Rational::new();
                return claim.agrees_with(&(zero.clone(), zero));
            }
            claim.agrees_with(&numbers::first_both(&all_orders::greatest(&line, &Goal::Epsilon(delta))?)?)
        }
        (Guarantee::Line(line), Quantity::Beta { alpha }) => {
            let alpha = constant(alpha, "alpha")?;
            at_ends(claim, |beta| all_orders::errors_kept(&line, &alpha, beta))
        }
        (Guarantee::Line(Bound { start, slope }), Quantity::Renyi { order }) => {
            let bound = numbers::first(&(start + slope * (constant(order, "order")? - one())))?;
            claim.agrees_with(&(bound.clone(), bound))
        }
        (Guarantee::Line(line), Quantity::Kl) => {
            let bound = numbers::first(&line.start)?;
            claim.agrees_with(&(bound.clone(), bound))
        }
        (Guarantee::Rdp(order, bound), Quantity::Beta { alpha }) => {
            let most = exp_bounds(&(Second::from(order - 1) * &bound), BITS);
            let alpha = constant(alpha, "alpha")?;
            at_ends(claim, |beta| Ok(kept(order, &most, &alpha, beta)))
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
