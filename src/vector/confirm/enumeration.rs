//! Finitely many losses of any kind, count by count: what each mechanism means is read from its documentation again.

use std::sync::LazyLock;

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::arithmetic::traits::Pow;
use rug::Rational;

use super::{Claim, kov, numbers, require, sharper};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::elementary::Bounds;
use crate::route::enumeration::{Counts, Draw, shuffled};
use enclosure::{Cache, Real};

/// The lists of counts that a composition may have here.
const MOST_COUNTS: u64 = 1 << 14;
/// Bits of the constants.
const BITS: u64 = 1200;
/// Those of masses, beyond the size of what is asked, and in what steps.
const FEW_BITS: u64 = 240;
const STEP_BITS: u64 = 400;
const MOST_BITS: u64 = 4000;

/// Compositions with samples or finite pairs among them, whose lists of counts are few.
pub fn takes(composition: &Composition) -> bool {
    let mut counts = 1_u64;
    let without_lattice = |mechanism: &Mechanism| {
        matches!(
            mechanism,
            Mechanism::Poisson(_) | Mechanism::Finite(_) | Mechanism::Shuffle(_) | Mechanism::ShuffleClones(_)
        )
    };
    composition.factors().iter().any(|(mechanism, _)| without_lattice(mechanism))
        && composition.factors().iter().all(|(mechanism, times)| {
            let Some(kinds) = kinds(mechanism) else { return false };
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

/// How many outcomes it has, if it is one of these.
fn kinds(mechanism: &Mechanism) -> Option<u64> {
    match mechanism {
        Mechanism::Finite(m) => Some(m.p().len() as u64),
        Mechanism::ApproxDp(_) => Some(4),
        Mechanism::RandomizedResponse(_) => Some(2),
        Mechanism::KRandomizedResponse(_) => Some(3),
        Mechanism::Geometric(m) => m.sensitivity().checked_add(1),
        Mechanism::Poisson(m) => kinds(m.inner()),
        Mechanism::Shuffle(m) => counts(m.reports().0),
        Mechanism::ShuffleClones(m) => counts(m.reports().0),
        _ => None,
    }
}

/// The pairs of counts of n reports of two kinds and a third.
fn counts(n: u64) -> Option<u64> {
    Some(n.checked_add(1)?.checked_mul(n.checked_add(2)?)? / 2)
}

/// Bounds of a sum, a difference and products of numbers that are not negative.
fn sum(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 + &b.0, &a.1 + &b.1)
}

fn product(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 * &b.0, &a.1 * &b.1)
}

fn rest(a: &Bounds) -> Bounds {
    (Second::from(1) - &a.1, Second::from(1) - &a.0)
}

fn inverse(a: &Bounds) -> Bounds {
    (Second::from(1) / &a.1, Second::from(1) / &a.0)
}

fn constant(value: u64) -> Bounds {
    (Second::from(value), Second::from(value))
}

/// The masses of P and Q, outcome by outcome.
pub(super) fn outcomes(mechanism: &Mechanism) -> Result<Draw, Error> {
    let x = |epsilon: &Real| numbers::exp_bounds(epsilon, BITS);
    let exact = |value: &Rational| numbers::second(value).map(|value| (value.clone(), value));
    match mechanism {
        Mechanism::Finite(m) => m.p().iter().zip(m.q()).map(|(p, q)| Ok((exact(p)?, exact(q)?))).collect(),
        Mechanism::RandomizedResponse(m) => Ok(answers(&x(m.epsilon())?, &constant(0), 2)),
        Mechanism::ApproxDp(m) => Ok(answers(&x(m.epsilon())?, &numbers::bounds(m.delta(), BITS)?, 2)),
        Mechanism::KRandomizedResponse(m) => Ok(answers(&x(m.epsilon())?, &constant(0), m.categories())),
        // Noise of both is cut where it falls in step: each half-line is one outcome.
        Mechanism::Geometric(m) => {
            let b = x(&m.epsilon().neg())?;
            let shift = m.sensitivity();
            let power = |n: u64| (b.0.clone().pow(n), b.1.clone().pow(n));
            let norm = inverse(&sum(&constant(1), &b));
            // (1-b)/(1+b) b^|j| at j, b^j/(1+b) from j >= 0 on.
            let noise = |j: u64| product(&product(&rest(&b), &norm), &power(j));
            let beyond = |j: u64| product(&norm, &power(j));
            let mut draw = vec![(rest(&beyond(1)), beyond(shift))];
            draw.extend((1..shift).map(|j| (noise(j), noise(shift - j))));
            draw.push((beyond(shift), rest(&beyond(1))));
            Ok(draw)
        }
        // P' = (1-r) Q + r P against Q.
        Mechanism::Poisson(m) => {
            let rate = numbers::bounds(m.rate(), BITS)?;
            let mixed = |(p, q): (Bounds, Bounds)| (sum(&product(&rate, &p), &product(&rest(&rate), &q)), q);
            Ok(outcomes(m.inner())?.into_iter().map(mixed).collect())
        }
        // Of all clones of k-ary randomised response two in x + k - 1 answer as one of two inputs might.
        Mechanism::Shuffle(m) => {
            let ((n, epsilon), more) = (m.reports(), m.categories() - 1);
            let x = x(epsilon)?;
            let each = inverse(&sum(&x, &constant(more)));
            let rest = product(&constant(more - 1), &each);
            Ok(shuffled(few(n)?, &product(&constant(2), &each), [&product(&x, &each), &each, &rest], BITS))
        }
        Mechanism::ShuffleClones(m) => {
            let (n, epsilon) = m.reports();
            let x = x(epsilon)?;
            let each = inverse(&sum(&x, &constant(1)));
            Ok(shuffled(few(n)?, &inverse(&x), [&product(&x, &each), &each, &constant(0)], BITS))
        }
        _ => Err(Error::input("no second route for this composition")),
    }
}

/// A number of reports that can be enumerated.
fn few(n: u64) -> Result<u32, Error> {
    u32::try_from(n).map_err(|_| Error::input("too many reports to enumerate"))
}

/// One's own of k answers with odds of `x : 1` to each other one; everything with probability delta.
fn answers(x: &Bounds, delta: &Bounds, categories: u64) -> Draw {
    let kept = rest(delta);
    let each = product(&kept, &inverse(&sum(x, &constant(categories - 1))));
    let own = product(x, &each);
    let others = product(&constant(categories - 2), &each);
    let nothing = constant(0);
    let mut draw = vec![(own.clone(), each.clone()), (each, own)];
    if categories > 2 {
        draw.push((others.clone(), others));
    }
    if delta.1 != 0u32 {
        draw.push((delta.clone(), nothing.clone()));
        draw.push((nothing, delta.clone()));
    }
    draw
}

/// Number of cached compositions, with the masses of all their counts in both directions.
const KEPT: usize = 6;

/// Those that were asked for last, in multiples of a power of two: neighbouring questions are about the same one.
static COUNTS: LazyLock<Cache<(String, u64), [Counts; 2]>> = LazyLock::new(|| Cache::new(KEPT));

/// A composition, forwards and backwards.
fn counted(composition: &Composition, bits: u64) -> Result<[Counts; 2], Error> {
    let mut factors = Vec::new();
    for (mechanism, times) in composition.factors() {
        let times = u32::try_from(*times).map_err(|_| Error::input("too many outcomes to enumerate"))?;
        factors.push((outcomes(mechanism)?, times));
    }
    let forward = Counts::new(&factors, bits)?;
    let backward = forward.swapped();
    Ok([forward, backward])
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    // What is small takes more bits, and many draws may have masses that are smaller still.
    let draws = query.mechanism.factors().iter().fold(0_u64, |all, (_, times)| all.saturating_add(*times));
    let most = draws.saturating_mul(2).saturating_add(640);
    let needed = FEW_BITS + kov::bits_of_answer(query, claim)?;
    // In coarse steps, so that questions share their counts.
    let coarse = needed.min(MOST_BITS).div_ceil(STEP_BITS) * STEP_BITS;
    let precisions = if most > coarse { vec![coarse, most] } else { vec![coarse] };
    sharper(&precisions, |&bits| {
        let both = COUNTS.get((query.mechanism.to_string(), bits), || counted(&query.mechanism, bits))?;
        confirmed(query, claim, &both)
    })
}

/// By the counts in both orders.
fn confirmed(query: &Query, claim: &Claim, both: &[Counts; 2]) -> Result<(), Error> {
    let sides = match query.direction {
        Direction::Forward => &both[..1],
        Direction::Backward => &both[1..],
        Direction::Worst => &both[..],
    };
    let worst = |x: &Bounds| -> Result<Bounds, Error> {
        let all = sides.iter().map(|side| side.delta(x));
        all.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).ok_or_else(|| Error::input("no direction"))
    };
    match &query.quantity {
        Quantity::Delta { epsilon } => {
            claim.agrees_with(&numbers::first_both(&worst(&numbers::exp_bounds(epsilon, BITS)?)?)?)
        }
        Quantity::Beta { alpha } => {
            let alpha = numbers::second(numbers::rational(alpha, "alpha")?)?;
            let beta = match sides {
                [side] => side.beta(&alpha),
                [side, other, ..] => side.beta_of_both(other, &alpha),
                [] => return Err(Error::input("no direction")),
            };
            claim.agrees_with(&numbers::first_both(&beta)?)
        }
        Quantity::Epsilon { delta } => {
            let target = numbers::second(numbers::rational(delta, "delta")?)?;
            match claim {
                // Beyond all finite losses the profile stays at the mass that Q never has.
                Claim::Infinite => {
                    let beyond = Second::from(malachite::Natural::from(1u32) << 4096u64);
                    require(worst(&(beyond.clone(), beyond))?.0 > target, "an infinite epsilon")
                }
                Claim::Within(lower, upper) => {
                    let at = |end: &Rational| worst(&numbers::exp_bounds(&end.clone().into(), BITS)?);
                    let ((_, left), (right, most)) = (at(lower)?, at(upper)?);
                    let narrow = Second::from(malachite::Natural::from(1u32) << 100u64);
                    require((&most - &right) * narrow <= target, "enclosed deltas at both ends")?;
                    require((lower.is_zero() || left >= target) && right <= target, "the delta at both ends")
                }
            }
        }
        _ => Err(Error::input("not a curve")),
    }
}
