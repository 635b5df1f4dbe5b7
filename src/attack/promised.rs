//! A mu that is enough for whatever keeps a guarantee.
//!
//! **Of rho-zCDP.** Let `p = P(S)`, `q = Q(S)` for any event S, `p >= q`. As `D_a(P||Q) <= rho a` for every order
//! `a = 1 + t`, two outcomes have `p^a q^-t <= e^(t a rho)`, which says
//! `ln(1/q) <= rho + ln(1/p) + rho t + ln(1/p)/t`: at the best t, `sqrt(ln(1/q)) <= sqrt(rho) + sqrt(ln(1/p))`.
//! Let `zeta(s) = z(e^(-s^2))`, z the upper normal quantile. The errors `alpha = q` and `beta = 1 - p` of a test, of
//! which alpha be the smaller one, need the mu `z(q) - z(p)`, at most `h(s) = zeta(s) - zeta(s - r)` where
//! `alpha = e^(-s^2)`, `r = sqrt(rho) < s`; the other way round the same is so of beta. And zeta is concave, so h falls
//! as s rises. Let `e^(-s^2) + e^(-(s-r)^2) = 1` at s: no mu is above `h(s) = 2 zeta(s)`, for where the smaller error
//! is above `e^(-s^2)` both are.
//!
//! *Why zeta is concave.* `sqrt(u)` is convex for `u = -ln Q`, Q the upper tail, if `2 u u'' >= u'^2`; with the hazard
//! rate `l = u'`, `l' = l (l - x)`, that is `2 u >= l/(l - x)`. Both are 0 at minus infinity, and the derivative of the
//! right side, `l (1 - x (l - x))/(l - x)^2`, is at most `2 l` if `l >= (3 x + sqrt(x^2 + 8))/4`, which is Sampford's
//! inequality (1953).
//!
//! `(mu, tau)`-CDP is zCDP with the larger of mu and `tau^2/2`. A bound of one order gives no mu, because the tails may
//! be polynomial, below those of any Gaussian. Operators on a guarantee and compositions are treated as in `bounds`.
//! Paper proof: `proofs/paper/attack.md`.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::bounds::{bounds, quantile};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use enclosure::root::bracketed;
use enclosure::{Budget, Enclosure, Number, Real};

/// A mu that is enough for everything that keeps the guarantees in a composition, at some precision.
///
/// # Errors
/// [`Error::Undefined`] where none is, or where none is known.
pub fn promised(composition: &Composition, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let mut square = Enclosure::zero(bits);
    let mut rho = Real::zero();
    let mut others = Vec::new();
    for (mechanism, runs) in composition.factors() {
        let times = Rational::from(*runs);
        let inner = match mechanism {
            Mechanism::Zcdp(zcdp) => {
                rho = rho.add(&zcdp.rho().mul_rational(&times));
                continue;
            }
            Mechanism::Cdp(cdp) if cdp.reveals_nothing() => continue,
            Mechanism::Cdp(cdp) => {
                let slope = cdp.tau().square().mul_rational(&Rational::from((1, 2)));
                let larger = match slope.compare(cdp.mu()) {
                    Some(Ordering::Less) => cdp.mu().clone(),
                    Some(_) => slope,
                    // Where they are not told apart the sum is enough.
                    None => slope.add(cdp.mu()),
                };
                rho = rho.add(&larger.mul_rational(&times));
                continue;
            }
            Mechanism::Rdp(rdp) if rdp.epsilon().is_zero() => continue,
            Mechanism::Rdp(_) => {
                return Err(Error::Undefined(format!(
                    "no mu-GDP bound holds for every mechanism that satisfies {mechanism}: a bound of one Renyi order \
                     allows polynomial tails, and Gaussian tails are smaller"
                )));
            }
            // What has a worst pair is fitted as that.
            other if other.pair().is_ok() => {
                others.push((other.clone(), *runs));
                continue;
            }
            other => operated(other, bits, budget)?,
        };
        square = square + inner.square() * Enclosure::rational(&times, bits);
    }
    if !rho.is_zero() {
        square = square + of_zcdp(&rho, bits, budget)?.square();
    }
    if !others.is_empty() {
        let beside = Composition::new(others)?;
        let (_, Some(enough)) = bounds(&beside, budget)? else {
            return Err(Error::Undefined(format!("dpcert has no mu-GDP bound for {beside}")));
        };
        square = square + Enclosure::new(enough.clone(), enough).square();
    }
    Ok(square.sqrt())
}

/// The same of what is done to a composition.
fn operated(operator: &Mechanism, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    Ok(match operator {
        Mechanism::Poisson(sample) => promised(&Mechanism::clone(sample.inner()).into(), bits, budget)?,
        Mechanism::Subsample(sample) => promised(sample.inner(), bits, budget)?,
        Mechanism::Inverse(both) => promised(both.inner(), bits, budget)?,
        Mechanism::Symmetrize(both) => promised(both.inner(), bits, budget)?,
        Mechanism::Hull(both) => promised(both.inner(), bits, budget)?,
        Mechanism::Group(group) => {
            let (size, inner) = group.parts();
            promised(inner, bits, budget)? * Enclosure::rational(&Rational::from(size), bits)
        }
        Mechanism::GroupOneWay(group) => {
            let (size, inner) = group.parts();
            promised(inner, bits, budget)? * Enclosure::rational(&Rational::from(size), bits)
        }
        Mechanism::Mixture(mixture) => {
            let mut largest = Enclosure::zero(bits);
            for (_, part) in mixture.parts() {
                largest = largest.max(&promised(part, bits, budget)?);
            }
            largest
        }
        other => return Err(Error::Undefined(format!("dpcert has no mu-GDP bound for {other}"))),
    })
}

/// `2 zeta(r + u)`, with `e^(-(r+u)^2) = 1 - e^(-u^2)`: the left side falls as u rises, and the right one rises.
fn of_zcdp(rho: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let smaller = |u: &Enclosure, bits: u32| (-(&rho.enclosure(bits).sqrt() + u).square()).exp();
    let excess = |u: &Rational, bits: u32| {
        let u = Enclosure::rational(u, bits);
        Ok(Number::Enclosed(smaller(&u, bits) + (-u.square()).expm1()))
    };
    // At 0 it is positive, and at 1 at most `2/e - 1`.
    let u = bracketed(&Float::with_val(bits, 1), true, bits, budget, excess)?;
    let half = quantile(&smaller(&u, bits), bits, budget)?;
    half.map(|half| half.shift(1)).ok_or_else(|| Error::undecided("cannot separate a type I error from 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::special::normal_cdf;

    const BITS: u32 = 256;

    fn of(mechanism: &str) -> Result<Enclosure, Error> {
        promised(&mechanism.parse().expect("a mechanism"), BITS, &Budget::default())
    }

    /// Whatever test of Gaussian noise, which is zCDP with `rho = mu^2/2`, and of randomised response: the mu that is
    /// promised is enough.
    #[test]
    fn what_is_promised_is_enough() {
        for rho in ["1/1000", "1/8", "1/2", "2", "20"] {
            let rho: Real = rho.parse().expect("a number");
            let mu = of(&format!("zcdp(rho={rho})")).expect("a mu");
            let least = rho.mul_rational(&2.into()).enclosure(BITS).sqrt();
            assert!(mu.lower() >= least.upper(), "{rho}: {mu:?}");
        }
        // Two outcomes that keep `rho = epsilon tanh(epsilon/2)`: randomised response has the mu
        // `2 z(1/(1+e^epsilon))`.
        for epsilon in ["1/10", "1", "3"] {
            let response =
                bounds(&format!("randomized-response(epsilon={epsilon})").parse().expect("one"), &Budget::default());
            let (_, Some(needed)) = response.expect("bounds") else { panic!("no bound") };
            let x: Real = epsilon.parse().expect("a number");
            let rho = (x.enclosure(64) * x.enclosure(64).shift(-1).tanh()).into_bounds().1.to_rational().expect("one");
            assert!(*of(&format!("zcdp(rho={rho})")).expect("a mu").lower() >= needed, "{epsilon}");
        }
    }

    /// No event that the bound of all orders allows needs a larger mu: `sqrt(ln(1/q)) = r + sqrt(ln(1/p))`, on a grid.
    #[test]
    fn no_event_needs_more() {
        for rho in [Rational::from((1, 100)), Rational::from((1, 2)), Rational::from(4)] {
            let mu = of(&format!("zcdp(rho={rho})")).expect("a mu");
            let r = Enclosure::rational(&rho, BITS).sqrt();
            let mut nearest = 0.0_f64;
            for k in 1..200 {
                let u = Enclosure::rational(&Rational::from((k, 40)), BITS);
                let (p, q) = ((-u.square()).exp(), (-(&u + &r).square()).exp());
                if (&p + &q).compare(&Enclosure::one(BITS)).is_some_and(Ordering::is_gt) {
                    continue;
                }
                let z = |p: &Enclosure| quantile(p, BITS, &Budget::default()).expect("no alarm").expect("a quantile");
                let needed = z(&q) - z(&p);
                assert!(needed.lower() <= mu.upper(), "{rho}: {k}");
                nearest = nearest.max((&needed / &mu).lower().to_f64());
            }
            assert!(nearest > 0.9, "{rho}: {nearest}");
            // The two errors at which it touches are equal: 2 z(q), with `1 - q` on the other side.
            let tail = normal_cdf(&-mu.shift(-1), 128, &Budget::default()).expect("a tail");
            let p = (-((-tail.ln()).sqrt() - &r).square()).exp();
            assert!((p + tail).overlaps(&Enclosure::one(BITS)), "{rho}");
        }
    }

    /// Products, operators and what is beside, by hand.
    #[test]
    fn promises_of_the_whole() {
        let half = of("zcdp(rho=1/2)").expect("a mu");
        assert!(of("poisson(rate=1/100, zcdp(rho=1/2))").expect("a mu").overlaps(&half));
        assert!(of("poisson(rate=1/100, zcdp(rho=1/2))^4").expect("a mu").overlaps(&half.shift(1)));
        assert!(of("group(k=2, zcdp(rho=1/2))").expect("a mu").overlaps(&half.shift(1)));
        assert!(of("zcdp(rho=1/4)^2").expect("a mu").overlaps(&half));
        assert!(of("cdp(mu=1/4, tau=1)").expect("a mu").overlaps(&half));
        let beside = of("zcdp(rho=1/2) * gdp(mu=1)").expect("a mu").square();
        assert!(beside.overlaps(&(half.square() + Enclosure::one(64))));
        for worst in ["pure-dp(epsilon=1)", "group(k=2, pure-dp(epsilon=1/2))"] {
            let beside = of(&format!("zcdp(rho=1/2) * {worst}")).expect("a mu");
            let response = of("zcdp(rho=1/2) * randomized-response(epsilon=1)").expect("a mu");
            assert!(beside.overlaps(&response), "{worst}: {beside:?} {response:?}");
        }
        let parts = of("mixture(1/2: zcdp(rho=1/2), 1/2: gdp(mu=3))").expect("a mu");
        assert!(parts.contains(&3.into()));
        assert!(matches!(of("rdp(order=8, epsilon=1/4)"), Err(Error::Undefined(_))));
        assert!(matches!(of("zcdp(rho=1) * approx-dp(epsilon=1, delta=1/10)"), Err(Error::Undefined(_))));
    }
}
