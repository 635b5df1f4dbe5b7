//! What the accounts know of the steps of a composition: an (epsilon, delta) of each, its zCDP, its CDP.

use std::cmp::Ordering;

use rug::Rational;

use super::Goal;
use crate::answer::answer;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::{LossBound, Pair, Part};
use crate::query::{Quantity, Query};
use crate::theorem::dwork_rothblum::Cdp;
use crate::theorem::guarantee::Guarantee;
use crate::theorem::zcdp::of_pure_sharp;
use enclosure::{Budget, Real};

/// Digits of the epsilon of a step that has none of its own.
const DIGITS: u32 = 15;

/// What each step promises alone.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Their (epsilon, delta).
    pub parts: Vec<Part>,
    /// The delta that each step without an epsilon of its own was given, if there are any.
    pub share: Option<Real>,
}

/// The least `(epsilon, delta)` of a pair at the mass at infinity: the largest loss either way; `None` if losses have
/// any size.
fn largest_loss(pair: &Pair) -> Result<Option<(Real, Real)>, Error> {
    if let Some(own) = pair.as_response() {
        return Ok(Some(own));
    }
    let ends = pair.ends()?;
    let larger = |one: Real, other: Real| match one.compare(&other) {
        Some(Ordering::Less) => Ok(other),
        Some(_) => Ok(one),
        None => Err(Error::undecided(format!("cannot decide which of {one} and {other} is larger"))),
    };
    let delta = larger(ends.infinite_p, ends.infinite_q)?;
    Ok(match ends.losses {
        None => Some((Real::zero(), delta)),
        Some((LossBound::At(least), LossBound::At(largest))) => {
            Some((larger(larger(largest, least.neg())?, Real::zero())?, delta))
        }
        Some(_) => None,
    })
}

impl Own {
    /// Of each step. One with losses of any size has no epsilon at delta 0: where an epsilon is asked for at a delta,
    /// such steps share half of that delta, and each has the exact epsilon at its share, rounded up.
    ///
    /// # Errors
    /// [`Error::Undefined`] where a step has none.
    pub fn of(composition: &Composition, goal: &Goal, budget: &Budget) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut unbounded: Vec<(Mechanism, u64)> = Vec::new();
        for (mechanism, times) in composition.factors() {
            let known = match mechanism.pair() {
                // What keeps a guarantee may have losses of any size.
                Err(Error::Undefined(_)) if mechanism.is_guarantee() => None,
                pair => largest_loss(&pair?)?,
            };
            match known {
                Some((epsilon, delta)) => parts.push(Part { epsilon, delta, times: *times }),
                None => unbounded.push((mechanism.clone(), *times)),
            }
        }
        let Some((first, _)) = unbounded.first() else { return Ok(Own { parts, share: None }) };
        let Goal::Epsilon { delta } = goal else {
            let may = if first.is_guarantee() { "may have" } else { "has" };
            return Err(Error::Undefined(format!(
                "{first} {may} unbounded privacy loss, so it has no finite epsilon at delta 0"
            )));
        };
        let count: rug::Integer = unbounded.iter().map(|(_, times)| rug::Integer::from(*times)).sum();
        let share = delta.mul_rational(&Rational::from((rug::Integer::from(1), count * 2u32)));
        for (mechanism, times) in unbounded {
            let one = Composition::from(mechanism);
            let query = Query::new(Quantity::Epsilon { delta: share.clone() }, one.clone()).with_digits(DIGITS);
            let found = answer(&query, budget)?.outcome.number();
            let upper = found.and_then(|number| number.enclosure(64).upper().to_rational());
            let Some(epsilon) = upper.map(Real::from) else {
                return Err(Error::Undefined(format!("found no epsilon of {one} alone at delta = {share}")));
            };
            parts.push(Part { epsilon, delta: share.clone(), times });
        }
        Ok(Own { parts, share: Some(share) })
    }

    /// The worst mechanisms with these promises.
    pub fn worst(&self) -> Result<Composition, Error> {
        self.parts.iter().try_fold(Composition::default(), |all, part| {
            let one = Composition::approx_dp(part.epsilon.clone(), part.delta.clone())?;
            all.and(&one.repeat(part.times)?)
        })
    }
}

fn mu_squared(pair: &Pair) -> Option<Real> {
    match pair {
        Pair::Gaussian { mu } => Some(mu.square()),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let square = rug::Integer::from(*sensitivity) * *sensitivity;
            Some(Real::from(Rational::from(square) / sigma2))
        }
        _ => None,
    }
}

/// The epsilon of a step that is epsilon-DP, from which its CDP or zCDP follows.
fn pure(mechanism: &Mechanism, pair: &Pair, what: &str) -> Result<Real, Error> {
    match largest_loss(pair)? {
        Some((epsilon, delta)) if delta.is_zero() => Ok(epsilon),
        Some((_, delta)) if !mechanism.is_guarantee() => Err(Error::Undefined(format!(
            "the {what} parameter of {mechanism} is infinite: its privacy loss is infinite with probability {delta}"
        ))),
        _ => Err(Error::Undefined(format!(
            "dpcert has no {what} parameter for {mechanism}, which is not epsilon-DP for any epsilon"
        ))),
    }
}

/// The zCDP of a composition: `mu^2/2` of Gaussians (Bun and Steinke 2016, Lemma 2.4; discrete ones: Canonne, Kamath
/// and Steinke 2020), `epsilon tanh(epsilon/2)` of what is epsilon-DP, and what is guaranteed.
///
/// # Errors
/// [`Error::Undefined`] for a step of which it is not known.
pub fn concentration(composition: &Composition) -> Result<Real, Error> {
    if let Some(guarantee) = Guarantee::of(composition)?
        && let Some((start, slope)) = guarantee.line()
    {
        // `m + c t <= max(m, c) (1 + t)`.
        let larger = if matches!(start.compare(slope), Some(Ordering::Less)) { slope } else { start };
        return Ok(larger.clone());
    }
    let mut sum = Real::zero();
    for (mechanism, times) in composition.factors() {
        let rho = match mechanism {
            Mechanism::Zcdp(zcdp) => zcdp.rho().clone(),
            Mechanism::Rdp(_) => {
                return Err(Error::Undefined(format!(
                    "{mechanism} bounds one Renyi order, but zCDP requires a bound on \
                                                     all orders"
                )));
            }
            _ => {
                let pair = mechanism.pair()?;
                match mu_squared(&pair) {
                    Some(square) => square.mul_rational(&Rational::from((1, 2))),
                    None => of_pure_sharp(&pure(mechanism, &pair, "zCDP")?)?,
                }
            }
        };
        sum = sum.add(&rho.mul_rational(&Rational::from(*times)));
    }
    Ok(sum)
}

/// The CDP of a composition.
///
/// # Errors
/// [`Error::Undefined`] for a step of which it is not known.
pub fn concentrated(composition: &Composition) -> Result<Cdp, Error> {
    let mut all = Cdp::nothing();
    for (mechanism, times) in composition.factors() {
        if let Mechanism::Cdp(cdp) = mechanism {
            all = all.and(&Cdp::new(cdp.mu().clone(), cdp.tau())?, *times);
            continue;
        }
        let pair = mechanism.pair()?;
        let one = match mu_squared(&pair) {
            Some(square) => Cdp::gaussian(&square)?,
            None => {
                let epsilon = pure(mechanism, &pair, "CDP")?;
                // Of a guarantee nobody knows that it is randomised response.
                match pair.as_response() {
                    Some(_) if !mechanism.is_guarantee() => Cdp::randomized_response(&epsilon)?,
                    _ => Cdp::pure(&epsilon)?,
                }
            }
        };
        all = all.and(&one, *times);
    }
    Ok(all)
}

/// `mu^2` of a composition of Gaussian noise alone.
///
/// # Errors
/// [`Error::Undefined`] for anything else.
pub fn gaussian(composition: &Composition) -> Result<Real, Error> {
    let mut sum = Real::zero();
    for (mechanism, times) in composition.factors() {
        match mechanism.pair()? {
            Pair::Equal => {}
            Pair::Gaussian { mu } => sum = sum.add(&mu.square().mul_rational(&Rational::from(*times))),
            _ => {
                return Err(Error::Undefined(format!(
                    "this method requires Gaussian noise only, but the composition \
                                                      contains {mechanism}"
                )));
            }
        }
    }
    Ok(sum)
}
