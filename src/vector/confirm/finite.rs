//! Finite pairs, outcome by outcome.

use std::sync::Arc;

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use rug::Rational;

use super::{Claim, numbers, operators, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Poisson};
use crate::query::{Quantity, Query};
use crate::route::finite::Tuples;
use enclosure::Real;

/// The counts of outcomes that a composition with samples may have here.
const MOST_COUNTS: u64 = 1 << 14;

/// Compositions with samples of finite pairs or operators on them, if all masses are rational and the counts of their
/// outcomes are few.
pub fn takes_samples(composition: &Composition) -> bool {
    let mut counts = 1u64;
    derived(composition)
        && composition.factors().iter().all(|(mechanism, times)| {
            let Ok((p, q)) = outcomes(mechanism) else { return false };
            let kinds = p.iter().zip(&q).filter(|(p, q)| !p.is_zero() || !q.is_zero()).count() as u64;
            // C(times + kinds - 1, kinds - 1), without running away.
            for chosen in 1..kinds {
                counts = counts.saturating_mul(times.saturating_add(chosen)) / chosen;
                if counts > MOST_COUNTS * 64 {
                    return false;
                }
            }
            counts <= MOST_COUNTS
        })
}

fn derived(composition: &Composition) -> bool {
    let sample = |mechanism: &Mechanism| matches!(mechanism, Mechanism::Poisson(_));
    composition.factors().iter().any(|(mechanism, _)| sample(mechanism) || operators::is_one(mechanism))
}

/// Maximum number of cached lists of outcomes, and their total size in bytes.
const KEPT: usize = 4;
const KEPT_BYTES: u64 = 64_000_000;

/// Lists that were made, by composition.
pub struct Cache(enclosure::Cache<String, Tuples>);

impl Default for Cache {
    fn default() -> Self {
        Cache(enclosure::Cache::new(KEPT))
    }
}

impl Cache {
    pub fn confirm(&self, query: &Query, claim: &Claim) -> Result<(), Error> {
        let forward = self.0.get(query.mechanism.to_string(), || listed(&query.mechanism))?;
        self.0.shed(KEPT_BYTES, Tuples::bytes);
        let backward = || Arc::new(forward.swapped());
        let sides = match query.direction {
            Direction::Forward => vec![forward],
            Direction::Backward => vec![backward()],
            Direction::Worst => vec![backward(), forward],
        };
        agree(&sides, query, claim)
    }
}

fn listed(composition: &Composition) -> Result<Tuples, Error> {
    let mut factors = Vec::new();
    for (mechanism, times) in composition.factors() {
        let (p, q) = outcomes(mechanism)?;
        let texts = |masses: &[Rational]| masses.iter().map(ToString::to_string).collect::<Vec<_>>();
        let times = u32::try_from(*times).map_err(|_| Error::input("too many outcomes to enumerate"))?;
        factors.push((texts(&p), texts(&q), times));
    }
    if derived(composition) { Tuples::counted(&factors) } else { Tuples::new(&factors) }
}

fn agree(sides: &[Arc<Tuples>], query: &Query, claim: &Claim) -> Result<(), Error> {
    match &query.quantity {
        Quantity::Delta { epsilon } => {
            let (low, high) = numbers::exp_bounds(epsilon, 300)?;
            let least = extreme(sides.iter().map(|side| side.delta(&high)), Ord::max)?;
            // Where the exponential is rational, the profile is known exactly.
            let most =
                if low == high { least.clone() } else { extreme(sides.iter().map(|side| side.delta(&low)), Ord::max)? };
            claim.agrees_with(&numbers::first_both(&(least, most))?)
        }
        Quantity::Beta { alpha } => {
            let alpha = numbers::second(numbers::rational(alpha, "alpha")?)?;
            let beta = match sides {
                [side] => side.beta(&alpha),
                [side, ..] => side.beta_of_both(&alpha),
                [] => return Err(Error::input("no direction")),
            };
            claim.agrees_with(&numbers::first_both(&(beta.clone(), beta))?)
        }
        Quantity::Epsilon { delta } => epsilon(sides, &numbers::second(numbers::rational(delta, "delta")?)?, claim),
        _ => Err(Error::input("not a curve")),
    }
}

/// The masses of P and Q, outcome by outcome. Noise is cut where both densities go on falling in step: there the
/// likelihood ratio is constant, so that each half-line is one outcome.
pub(super) fn outcomes(mechanism: &Mechanism) -> Result<(Vec<Rational>, Vec<Rational>), Error> {
    if operators::is_one(mechanism) {
        return operators::outcomes(mechanism);
    }
    let x_of = |epsilon: &Real| {
        epsilon.exp_rational().ok_or_else(|| Error::input(format!("the second route needs a rational e^{epsilon}")))
    };
    match mechanism {
        Mechanism::Finite(m) => Ok((m.p().to_vec(), m.q().to_vec())),
        Mechanism::ApproxDp(m) => two_answers(&x_of(m.epsilon())?, numbers::rational(m.delta(), "delta")?),
        Mechanism::RandomizedResponse(m) => two_answers(&x_of(m.epsilon())?, &Rational::new()),
        Mechanism::Poisson(m) => sample(m),
        Mechanism::KRandomizedResponse(m) => {
            let (x, others) = (x_of(m.epsilon())?, Rational::from(m.categories() - 1));
            let each = (x.clone() + &others).recip();
            let (own, rest) = (Rational::from(&x * &each), Rational::from(m.categories() - 2) * &each);
            Ok((vec![own.clone(), each.clone(), rest.clone()], vec![each, own, rest]))
        }
        Mechanism::Geometric(m) => {
            let b = x_of(m.epsilon())?.recip();
            let shift = i64::try_from(m.sensitivity()).map_err(|_| Error::input("too large a sensitivity"))?;
            let unit = (1 - b.clone()) / (1 + b.clone());
            let noise = |j: i64| power(&b, j.unsigned_abs()) * &unit;
            // sum over i >= j of the noise, for j >= 0.
            let beyond = |j: i64| noise(j) / (1 - b.clone());
            let mut p = vec![1 - beyond(1)];
            let mut q = vec![beyond(shift)];
            for j in 1..shift {
                p.push(noise(j));
                q.push(noise(j - shift));
            }
            p.push(beyond(shift));
            q.push(1 - beyond(1));
            Ok((p, q))
        }
        Mechanism::Staircase(m) => {
            let b = x_of(m.epsilon())?.recip();
            let gamma = numbers::rational(m.gamma(), "gamma")?.clone();
            let rest = Rational::from(1 - &gamma);
            let shift = m.sensitivity();
            let a = Rational::from(1 - &b) / (2 * (Rational::from(&b * &rest) + &gamma));
            let half = Rational::from((1, 2));
            let far = power(&b, shift) * &half;
            let (mut p, mut q) = (vec![half.clone(), far.clone()], vec![far, half]);
            let (near, wide) = if gamma < rest { (gamma.clone(), rest) } else { (rest, gamma.clone()) };
            let cells = [(Rational::new(), near.clone()), (near, wide.clone()), (wide, Rational::from(1))];
            for k in 0..shift {
                for (from, to) in &cells {
                    // Both densities are constant on the cell: look at its middle.
                    let middle = Rational::from(from + to) / 2u32;
                    let width = Rational::from(to - from) * &a;
                    let step = |at: &Rational| u64::from(*at >= gamma);
                    p.push(power(&b, k + step(&middle)) * &width);
                    q.push(power(&b, shift - 1 - k + step(&Rational::from(1 - &middle))) * &width);
                }
            }
            Ok((p, q))
        }
        _ => Err(Error::input("no second route for this mixture")),
    }
}

/// The worst (epsilon, delta) mechanism: it reveals its input with probability delta, and otherwise responds falsely
/// with odds `1 : e^epsilon`.
fn two_answers(x: &Rational, delta: &Rational) -> Result<(Vec<Rational>, Vec<Rational>), Error> {
    let lie = Rational::from(1 - delta) / Rational::from(1 + x);
    let truth = Rational::from(x * &lie);
    let (zero, delta) = (Rational::new(), delta.clone());
    Ok((vec![delta.clone(), truth.clone(), lie.clone(), zero.clone()], vec![zero, lie, truth, delta]))
}

/// `P' = (1-rate) Q + rate P` against Q.
fn sample(poisson: &Poisson) -> Result<(Vec<Rational>, Vec<Rational>), Error> {
    let rate = numbers::rational(poisson.rate(), "rate")?;
    let (p, q) = outcomes(poisson.inner())?;
    let rest = Rational::from(1 - rate);
    let mixed = p.iter().zip(&q).map(|(p, q)| Rational::from(p * rate) + Rational::from(q * &rest)).collect();
    Ok((mixed, q))
}

fn power(base: &Rational, exponent: u64) -> Rational {
    (0..exponent).fold(Rational::from(1), |product, _| product * base)
}

/// The largest or the smallest of all sides.
fn extreme(mut values: impl Iterator<Item = Second>, pick: fn(Second, Second) -> Second) -> Result<Second, Error> {
    let first = values.next().ok_or_else(|| Error::input("no direction"))?;
    Ok(values.fold(first, pick))
}

/// The worst delta at both ends of the claim lies on the right side of the target.
fn epsilon(sides: &[Arc<Tuples>], target: &Second, claim: &Claim) -> Result<(), Error> {
    let worst = |x: &Second| extreme(sides.iter().map(|side| side.delta(x)), Ord::max);
    match claim {
        // No epsilon is enough: beyond all finite losses the profile stays at the mass that Q never has.
        Claim::Infinite => {
            let beyond = Second::from(malachite::Natural::from(1u32) << 4096u64);
            require(worst(&beyond)? > *target, "an infinite epsilon")
        }
        Claim::Within(lower, upper) => {
            let at = |end: &Rational| numbers::exp_bounds(&end.clone().into(), 400);
            // The profile falls: at the lower end it is at least the target, unless the end is 0; at the upper at most.
            let left = lower.is_zero() || worst(&at(lower)?.0)? >= *target;
            require(left && worst(&at(upper)?.1)? <= *target, "the delta at both ends")
        }
    }
}
