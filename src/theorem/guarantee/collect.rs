//! What the guarantees of a composition come to, with what is done to them, and what is beside.
//!
//! * *Composition.* Divergences of independent parts add up, and so do the bounds: m, c and r.
//! * *Groups.* For P0, ..., Pk with `D_(1+t) <= m + c t` between neighbours, in both directions, and `x = m - c >= 0`:
//!   `D_a(P0||Pk) <= k H_k x + k^2 c a`, `H_k = 1 + 1/2 + ... + 1/k` (Bun and Steinke 2016, Proposition 27; with
//!   `x = 0` their Proposition 1.9, k^2 rho). If `m < c`, the bound with `m = c` is taken. For one order a, with
//!   `k <= 2^j` and `a >= 2^(j+1)`: order `a/2^j` and `3^j r` (Mironov 2017, Proposition 2). The neighbours of the
//!   chain are those of the whole composition, so the other mechanisms need a bound at all orders too, which is added
//!   first.
//! * *Mixtures.* With the index seen, `e^((a-1) D_a)` is the mean of those of the parts, and at most the largest one:
//!   the largest m and c, or the lowest order and the largest r.
//! * *Both directions.* A bound on Renyi divergences holds in both directions. `max(f, f^-1)` is at least f, so its
//!   pair is a post-processing of that of f (Blackwell; Dong, Roth and Su 2022, Theorem 2.10): every bound for the
//!   inside of `symmetrize(..)`, including pairs composed with guarantees, is a bound for it, in any composition. For
//!   `min(f, f^-1)**` this holds for guarantees only.
//!
//! Proofs are in `proofs/paper/conversion.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::super::pure::of_pure_sharp;
use super::{Guarantee, lower};
use crate::error::Error;
use crate::mechanism::{Argument, Composition, Mechanism};
use crate::pair::{Ends, LossBound, Pair};
use enclosure::Real;

/// Harmonic numbers of larger groups are bounded by `1 + ln k`.
const HARMONIC: u64 = 1000;

/// Bounds on Renyi divergences, and pairs beside.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// m and c of `D_(1+t) <= m + c t`, if that is all but the pairs.
    pub line: (Real, Real),
    /// An order and a bound r of it, beside the line.
    pub one_order: Option<(Real, Real)>,
    /// The mechanisms that have pairs.
    pub beside: Vec<(Pair, u64)>,
    /// What that is, for people.
    pub names: Vec<String>,
}

/// Is there a guarantee without a pair in it?
pub(super) fn unpaired(mechanism: &Mechanism) -> bool {
    match mechanism {
        Mechanism::Zcdp(zcdp) => !zcdp.rho().is_zero(),
        Mechanism::Rdp(rdp) => !rdp.epsilon().is_zero(),
        Mechanism::Cdp(cdp) => !cdp.reveals_nothing(),
        other => other.arguments().iter().any(|(_, argument)| match argument {
            Argument::Mechanism(inside) => inside.factors().iter().any(|(inside, _)| unpaired(inside)),
            Argument::Mechanisms(inside) => {
                inside.iter().flat_map(Composition::factors).any(|(inside, _)| unpaired(inside))
            }
            Argument::Constant(_) | Argument::List(_) => false,
        }),
    }
}

impl Parts {
    fn nothing() -> Self {
        Parts { line: (Real::zero(), Real::zero()), one_order: None, beside: Vec::new(), names: Vec::new() }
    }

    /// Of a composition.
    pub fn of(composition: &Composition) -> Result<Self, Error> {
        let mut all = Parts::nothing();
        for (mechanism, times) in composition.factors() {
            all = all.and(Parts::of_one(mechanism)?, *times)?;
        }
        Ok(all)
    }

    fn of_one(mechanism: &Mechanism) -> Result<Self, Error> {
        let line = |start: &Real, slope: &Real| Parts { line: (start.clone(), slope.clone()), ..Parts::nothing() };
        if !unpaired(mechanism) {
            let beside = mechanism.pair()?.into_factors();
            return Ok(Parts { beside, names: vec![mechanism.to_string()], ..Parts::nothing() });
        }
        Ok(match mechanism {
            Mechanism::Zcdp(zcdp) => line(zcdp.rho(), zcdp.rho()),
            Mechanism::Cdp(cdp) => line(cdp.mu(), &cdp.tau().square().mul_rational(&Rational::from((1, 2)))),
            Mechanism::Rdp(rdp) => {
                Parts { one_order: Some((rdp.order().clone(), rdp.epsilon().clone())), ..Parts::nothing() }
            }
            Mechanism::Group(group) => {
                let (size, inner) = group.parts();
                Parts::of(inner)?.group(mechanism, size)?
            }
            Mechanism::GroupOneWay(group) => {
                let (size, inner) = group.parts();
                Parts::of(inner)?.group(mechanism, size)?
            }
            Mechanism::Inverse(inverse) => {
                let inner = Parts::of(inverse.inner())?;
                let turned = inner.beside.into_iter().map(|(pair, times)| Ok((pair.inverse()?, times)));
                Parts { beside: turned.collect::<Result<_, Error>>()?, ..inner }
            }
            Mechanism::Symmetrize(both) => Parts::of(both.inner())?,
            Mechanism::Hull(both) => {
                let inner = Parts::of(both.inner())?;
                if !inner.beside.is_empty() {
                    return Err(Error::Undefined(format!(
                        "dpcert derives no bound for {mechanism}: a hull is supported for guarantees only, not \
                         together with {}",
                        inner.names.join(" * ")
                    )));
                }
                inner
            }
            Mechanism::Mixture(mixture) => {
                let parts = mixture.parts().filter(|(weight, _)| !weight.is_zero()).map(|(_, part)| Parts::of(part));
                Parts::worst(mechanism, parts.collect::<Result<_, _>>()?)?
            }
            Mechanism::Poisson(_) | Mechanism::Subsample(_) => {
                return Err(Error::Undefined(format!(
                    "dpcert derives no bound for {mechanism}: sampling requires a dominating pair, and a bound on \
                     Renyi divergences has none"
                )));
            }
            _ => {
                return Err(Error::Undefined(format!(
                    "dpcert derives no bound for {mechanism}: it requires a dominating pair, and a bound on Renyi \
                     divergences has none"
                )));
            }
        })
    }

    fn and(mut self, other: Self, times: u64) -> Result<Self, Error> {
        let count = Rational::from(times);
        let (start, slope) = &other.line;
        self.line = (self.line.0.add(&start.mul_rational(&count)), self.line.1.add(&slope.mul_rational(&count)));
        self.one_order = match (self.one_order, other.one_order) {
            (one, None) => one,
            (None, Some((order, r))) => Some((order, r.mul_rational(&count))),
            (Some((order, sum)), Some((another, r))) => {
                Some((lower(order, &another)?, sum.add(&r.mul_rational(&count))))
            }
        };
        for (pair, many) in other.beside {
            let many = many.checked_mul(times).ok_or_else(|| Error::input("the composition has too many runs"))?;
            self.beside.push((pair, many));
        }
        self.names.extend(other.names);
        Ok(self)
    }

    /// Of the ends of a chain of k neighbours, each with what all bounds together say.
    fn group(self, mechanism: &Mechanism, k: u64) -> Result<Self, Error> {
        if k == 0 {
            return Ok(Parts::nothing());
        }
        if k == 1 {
            return Ok(self);
        }
        let whole = self.into_bounds(mechanism, "group privacy applies to the whole composition")?;
        let size = Rational::from(k);
        let (start, slope) = &whole.line;
        let squared = slope.mul_rational(&(size.clone() * &size));
        let above = start.sub(slope);
        let more = match above.sign() {
            Some(Ordering::Less | Ordering::Equal) => Real::zero(),
            Some(Ordering::Greater) => above.mul(&harmonic(k)?)?.mul_rational(&size),
            None => return Err(Error::undecided("cannot decide whether mu is above tau^2/2")),
        };
        let one_order = match &whole.one_order {
            None => None,
            Some((order, r)) => {
                let doublings = k.next_power_of_two().trailing_zeros();
                let power = Rational::from(1) << doublings;
                let least = Real::from(power.clone() * 2u32);
                if !start.is_zero() || !matches!(order.compare(&least), Some(Ordering::Greater | Ordering::Equal)) {
                    return Err(Error::Undefined(format!(
                        "for groups of {k}, a Renyi bound of order {order} requires Mironov's Proposition 2, which \
                         needs an order of at least {least} and no other guarantee in the composition"
                    )));
                }
                let grown = Rational::from(rug::Integer::from(rug::Integer::u_pow_u(3, doublings)));
                Some((order.mul_rational(&power.recip()), r.mul_rational(&grown)))
            }
        };
        Ok(Parts { line: (squared.add(&more), squared), one_order, ..Parts::nothing() })
    }

    /// Of one of several, drawn and told.
    fn worst(mechanism: &Mechanism, parts: Vec<Self>) -> Result<Self, Error> {
        let mut worst = Parts::nothing();
        for part in parts {
            let part = part.into_bounds(mechanism, "the bound for a mixture is the worst bound of its parts")?;
            worst.line = (larger(worst.line.0, part.line.0)?, larger(worst.line.1, part.line.1)?);
            worst.one_order = match (worst.one_order, part.one_order) {
                (one, None) | (None, one) => one,
                (Some((order, r)), Some((another, other))) => Some((lower(order, &another)?, larger(r, other)?)),
            };
        }
        Ok(worst)
    }

    /// With bounds in the place of pairs, where it is known which: `mu^2/2` of Gaussian noise at every order, and
    /// `epsilon tanh(epsilon/2)` of what is epsilon-DP.
    fn into_bounds(mut self, mechanism: &Mechanism, why: &str) -> Result<Self, Error> {
        for (pair, times) in std::mem::take(&mut self.beside) {
            let rho = match &pair {
                Pair::Gaussian { mu } => mu.square().mul_rational(&Rational::from((1, 2))),
                pair => match pure(pair)? {
                    Some(epsilon) => of_pure_sharp(&epsilon)?,
                    None => {
                        return Err(Error::Undefined(format!(
                            "dpcert derives no bound for {mechanism}: {why}, and {} has no known bound on its Renyi \
                             divergences of all orders",
                            self.names.join(" * ")
                        )));
                    }
                },
            };
            let rho = rho.mul_rational(&Rational::from(times));
            self.line = (self.line.0.add(&rho), self.line.1.add(&rho));
        }
        self.names.clear();
        Ok(self)
    }
}

/// The epsilon of what is epsilon-DP: its largest loss, either way.
fn pure(pair: &Pair) -> Result<Option<Real>, Error> {
    let Ends { losses, infinite_p, infinite_q } = pair.ends()?;
    match losses {
        Some((LossBound::At(least), LossBound::At(largest))) if infinite_p.is_zero() && infinite_q.is_zero() => {
            larger(larger(largest, least.neg())?, Real::zero()).map(Some)
        }
        _ => Ok(None),
    }
}

/// `1 + 1/2 + ... + 1/k`, or `1 + ln k`, which is larger.
fn harmonic(k: u64) -> Result<Real, Error> {
    if k > HARMONIC {
        return Ok(Real::one().add(&Real::from(k).ln()?));
    }
    Ok(Real::from((1..=k).map(|i| Rational::from((1, i))).sum::<Rational>()))
}

fn larger(one: Real, other: Real) -> Result<Real, Error> {
    match one.compare(&other) {
        Some(Ordering::Less) => Ok(other),
        Some(_) => Ok(one),
        None => Err(Error::undecided(format!("cannot decide which of {one} and {other} is larger"))),
    }
}

impl Guarantee {
    /// What a composition with a guarantee in it is; `None` if everything in it has a pair.
    ///
    /// # Errors
    /// [`Error::Undefined`] where nothing is known here of what is done to a guarantee.
    pub fn of(composition: &Composition) -> Result<Option<Self>, Error> {
        if !composition.factors().iter().any(|(mechanism, _)| unpaired(mechanism)) {
            return Ok(None);
        }
        Guarantee::from_parts(Parts::of(composition)?).map(Some)
    }
}
