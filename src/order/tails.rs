//! Orders of profiles far out, where both fall like those of Gaussian noise.
//!
//! With `Qc` the normal tail, the profile of `G_m` is `H_m(eps) = int_eps^oo e^t Qc(t/m + m/2) dt`: its slope in
//! `x = e^eps` is minus the mass of the test.
//!
//! * **From above**: of a composition of Gaussian noise, `a^2` the sum of the squares of mu, beside others whose losses
//!   are at most M in sum, the profile is at most `H_a(eps - M)`. A sample, of either kind, and the larger one of both
//!   orders are no less private than what is inside.
//! * **From below**: with probability `e^-K` all records are in all samples, so that for every test
//!   `P(S) >= e^-K P0(S)`, of the product without sampling, and the profile is at least `e^-K H_b(eps + K)`, b of all
//!   Gaussian noise; whatever else is run adds to it.
//!
//! For `a < b`, `H_a(t - M)` as an integral is at most `e^-K H_b(t + K)` term by term as soon as
//! `(t - M)/a + a/2 >= (t + K)/b + b/2`, which is from
//!
//! `E = (M b + K a + a b (b - a)/2)/(b - a)`
//!
//! on. A Poisson sample backward has bounded losses; then it counts among the others, or not at all. Paper proof:
//! `proofs/paper/order.md`.

use std::cmp::Ordering;

use rug::Rational;

use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Ends, Factors, LossBound, Operator, Pair};
use enclosure::Real;

/// Bits of the epsilon from which on both are ordered.
const BITS: u32 = 64;

/// Gaussian noise, and how far it is moved: the square of mu, and M or K.
struct Tail {
    square: Real,
    moved: Real,
}

impl Tail {
    fn none() -> Self {
        Tail { square: Real::zero(), moved: Real::zero() }
    }

    fn add(&mut self, other: &Tail, times: u64) {
        let many = Rational::from(times);
        self.square = self.square.add(&other.square.mul_rational(&many));
        self.moved = self.moved.add(&other.moved.mul_rational(&many));
    }
}

/// An epsilon from which on the profile of the first is at most that of the second, in a direction, if it is seen here.
///
/// # Errors
/// Those of the ends of pairs.
pub fn ordered_from(first: &Factors, second: &Factors, direction: Direction) -> Result<Option<Rational>, Error> {
    let Some(upper) = above(first, direction)? else { return Ok(None) };
    let lower = below(second, direction)?;
    if upper.square.is_zero() || upper.square.compare(&lower.square) != Some(Ordering::Less) {
        return Ok(None);
    }
    let [a, b] = [&upper, &lower].map(|tail| tail.square.enclosure(BITS).sqrt());
    let gap = &b - &a;
    if gap.sign() != Some(Ordering::Greater) {
        return Ok(None);
    }
    let moved = &(&upper.moved.enclosure(BITS) * &b) + &(&lower.moved.enclosure(BITS) * &a);
    let from = &(&moved / &gap) + &(&a * &b).shift(-1);
    Ok(from.upper().to_rational().map(|from| from.max(Rational::new())))
}

/// A bound from above; `None` where losses are of another kind.
fn above(factors: &Factors, direction: Direction) -> Result<Option<Tail>, Error> {
    let mut all = Tail::none();
    for (pair, times) in factors {
        let Some(one) = above_one(pair, direction)? else { return Ok(None) };
        all.add(&one, *times);
    }
    Ok(Some(all))
}

fn above_one(pair: &Pair, direction: Direction) -> Result<Option<Tail>, Error> {
    if let Pair::Gaussian { mu } = pair {
        return Ok(Some(Tail { square: mu.square(), moved: Real::zero() }));
    }
    let Ends { losses, infinite_p, infinite_q } = pair.ends()?;
    if !infinite_p.is_zero() || !infinite_q.is_zero() {
        return Ok(None);
    }
    let largest = match (losses, direction) {
        (None, _) => LossBound::Unknown,
        (Some((least, _)), Direction::Backward) => least.reversed(),
        (Some((_, largest)), _) => largest,
    };
    if let LossBound::At(moved) = largest {
        let negative = moved.sign() == Some(Ordering::Less);
        return Ok(Some(Tail { square: Real::zero(), moved: if negative { Real::zero() } else { moved } }));
    }
    match pair {
        Pair::Sample { inner, .. } => above(&inner.clone().into_factors(), direction),
        Pair::Derived(derived) => match (derived.operator(), derived.parts()) {
            (Operator::Subsample(_) | Operator::Larger, [inside]) => above(inside, direction),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// A bound from below: what is not Gaussian is left out.
fn below(factors: &Factors, direction: Direction) -> Result<Tail, Error> {
    let mut all = Tail::none();
    for (pair, times) in factors {
        let sampled = |rate: &Real, inside: &Factors| -> Result<Tail, Error> {
            let Tail { square, moved } = below(inside, Direction::Forward)?;
            Ok(Tail { square, moved: moved.sub(&rate.ln()?) })
        };
        let one = match pair {
            Pair::Gaussian { mu } => Tail { square: mu.square(), moved: Real::zero() },
            Pair::Sample { rate, inner } if direction != Direction::Backward => {
                sampled(rate, &inner.clone().into_factors())?
            }
            Pair::Derived(derived) => match (derived.operator(), derived.parts()) {
                (Operator::Subsample(rate), [inside]) => sampled(rate, inside)?,
                _ => continue,
            },
            _ => continue,
        };
        if !one.square.is_zero() {
            all.add(&one, *times);
        }
    }
    Ok(all)
}
