//! Orders of profiles far out, where both fall like those of Gaussian noise.
//!
//! With `Qc` the normal tail, the profile of `G_m` is `H_m(eps) = int_eps^oo e^t Qc(t/m + m/2) dt`: its slope in
//! `x = e^eps` is minus the mass of the test.
//!
//! In general it is the integral of `e^t Q(L > t)`, with L the loss under the second distribution, as long as the first
//! has no mass beyond all losses.
//!
//! * **From above**: of a composition of Gaussian noise, `a^2` the sum of the squares of mu, beside others whose losses
//!   are at most M in sum, `Q(L > t)` is at most `Qc((t - M)/a + a/2)`. A sample, of either kind, and the maximum of
//!   both orders are no less private than what is inside.
//! * **From below**: a sample forward has a loss of at least `ln(rate)` more than the loss inside, under the same Q, so
//!   that `Q(L > t) >= Qc((t + K)/b + b/2)`, `e^-K` the product of the rates and b of all Gaussian noise inside;
//!   whatever else is run adds to the profile.
//! * **Discrete Gaussian noise** moved by D, s the square of its scale, has under Q the loss `(D/s)(J - D/2)` with the
//!   masses `e^(-j^2/2s)/Z` of J. The mass of `(j - 1, j]` under `N(0, s)`, over that of j, is a multiple of the
//!   integral of `e^((2 j u - u^2)/2s)` over u from 0 to 1, which grows with j: J is below `N(0, s)` rounded up, in the
//!   stochastic order, and by symmetry above it rounded down. So its loss is between those of `G_a`, `a = D/sqrt(s)`,
//!   moved by `D/s` to either side, which adds `D/s` to M and to K.
//!
//! For `a < b` the one integral is at most the other term by term as soon as
//! `(t - M)/a + a/2 >= (t + K)/b + b/2`, which is from
//!
//! `E = (M b + K a + a b (b - a)/2)/(b - a)`
//!
//! on. A mixture whose index is told has from below what one of its parts has, times its weight w: `w H(eps)` is at
//! least `e^-L H(eps + L)` with `L = ln(1/w)`, for H does not increase, so that L is added to K. From above it has the
//! loss of one of its parts: with all its runs it is a mixture of compositions of theirs, each with no more than the
//! largest a and the largest M of each run. From `M + a^2/2` on, and E is beyond that, `(t - M)/a + a/2` falls as M or
//! a grows, so that these stand for all of them. A Poisson sample backward has bounded losses; then it counts among the
//! others, or not at all.
//!
//! Of two discrete Gaussian noises run once more is known. Moved by D with the square s of its scale, the losses are
//! `(D/s)(k + D/2)` with the masses `e^(-k^2/2s)/Z`, k any integer, and `sqrt(2 pi s) <= Z <= 1 + sqrt(2 pi s)`. With
//! `x = s eps/D - D/2 >= 0` the profile at eps is at most the mass of all `k > x`,
//!
//! `e^(-x^2/2s)/(Z (1 - e^(-3/2s)))`, and at least `e^(-(x+2)^2/2s) (1 - e^(-D/s))/Z`,
//!
//! the part of the k in `(x+1, x+2]`. Of two such, `s/D^2` the larger one in the first, the exponents differ by
//! `d eps^2/2 - (2/D) eps + K`, `d > 0` the difference of `s/D^2`, D that of the second, and from the larger root on
//! the first bound is below the second.
//!
//! **Where both are apart** ([`parted`]) the same bounds show that a relation fails: far beyond the E of the other
//! order the profile of the one is at least `e^-K H_b(eps + K)`, that of the other at most `e^M H_a(eps - M)`, which is
//! the integral above, and 0 without Gaussian noise. A hull has the larger one of the profiles of both directions: from
//! below either will do, and from above, from `M + a^2/2` on, a tail that is larger than both. Paper proof:
//! `proofs/paper/order.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::Witness;
use crate::compose::{Engines, Method};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Ends, Factors, LossBound, Operator, Pair};
use enclosure::{Budget, Enclosure, Real};

/// Bits of the epsilon from which on both are ordered.
const BITS: u32 = 64;
/// Bits of bounds of profiles.
const PRECISE: u32 = super::whole::BITS;
/// Witnesses are not sought beyond this epsilon.
const FARTHEST: u32 = 1 << 24;

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

    /// A tail that is at least both, if they can be compared.
    fn or_larger(self, other: Tail) -> Option<Tail> {
        let larger = |one: Real, other: Real| Some(if one.compare(&other)?.is_ge() { one } else { other });
        Some(Tail { square: larger(self.square, other.square)?, moved: larger(self.moved, other.moved)? })
    }
}

impl Tail {
    /// Where this is a bound from above and the other one from below: an epsilon from which on it is the lower one.
    /// There bounds from above hold of mixtures, and of hulls, too.
    fn is_below_from(&self, lower: &Tail) -> Option<Rational> {
        if self.square.compare(&lower.square) != Some(Ordering::Less) {
            return None;
        }
        let [a, b] = [self, lower].map(|tail| tail.square.enclosure(BITS).sqrt());
        let gap = &b - &a;
        if gap.sign() != Some(Ordering::Greater) {
            return None;
        }
        let moved = &(&self.moved.enclosure(BITS) * &b) + &(&lower.moved.enclosure(BITS) * &a);
        let from = &(&moved / &gap) + &(&a * &b).shift(-1);
        from.upper().to_rational().map(|from| from.max(Rational::new()))
    }

    /// As a bound from above: the profile is at most `int_eps^oo e^t Qc((t - M)/a + a/2) dt = e^M H(eps - M)`, H that
    /// of `G_a`, and none where there is no Gaussian noise and losses are at most M. `None` below `M + a^2/2`.
    fn most_at(&self, epsilon: &Rational, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let half = self.square.enclosure(BITS).shift(-1);
        let (Some(moved), Some(half)) = (self.moved.enclosure(BITS).upper().to_rational(), half.upper().to_rational())
        else {
            return Ok(None);
        };
        if *epsilon < Rational::from(&moved + &half) {
            return Ok(None);
        }
        if self.square.is_zero() {
            return Ok(Some(Enclosure::zero(PRECISE)));
        }
        shifted(&self.square, epsilon, &-moved, budget).map(Some)
    }
}

/// An epsilon from which on the profile of the first is at most that of the second, in a direction, if it is seen here.
///
/// # Errors
/// Those of the ends of pairs.
pub fn ordered_from(first: &Factors, second: &Factors, direction: Direction) -> Result<Option<Rational>, Error> {
    if let Some(from) = discrete(first, second) {
        return Ok(Some(from));
    }
    let Some(upper) = above_hull(first, direction)? else { return Ok(None) };
    if upper.square.is_zero() {
        return Ok(None);
    }
    Ok(upper.is_below_from(&below_hull(second, direction)?))
}

/// A witness far out, an epsilon from which on the tail of the second is below that of the first for all that is known
/// of both here.
///
/// # Errors
/// Those of the ends of pairs and of the profiles of Gaussian noise.
pub fn parted(first: &Factors, second: &Factors, budget: &Budget) -> Result<Option<Witness>, Error> {
    for direction in [Direction::Forward, Direction::Backward] {
        let Some(upper) = above_hull(second, direction)? else { continue };
        let Some(from) = upper.is_below_from(&below_hull(first, direction)?) else { continue };
        // Farther out they part without any doubt.
        let epsilon = (from * Rational::from((5, 4))).ceil() + 1;
        if epsilon > FARTHEST {
            continue;
        }
        let at = |factors: &Factors| bounds(factors, &epsilon, direction, budget);
        let (larger, smaller) = (at(first)?, at(second)?);
        if let Some(witness) = Witness::at_epsilon(epsilon, direction, smaller, larger) {
            return Ok(Some(witness));
        }
    }
    Ok(None)
}

/// The profile at an epsilon, between what is known of its tail.
fn bounds(factors: &Factors, epsilon: &Rational, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
    let Tail { square, moved } = below_hull(factors, direction)?;
    let least = match moved.enclosure(BITS).upper().to_rational() {
        Some(moved) if !square.is_zero() => shifted(&square, epsilon, &moved, budget)?,
        _ => Enclosure::zero(PRECISE),
    };
    let most = match above_hull(factors, direction)? {
        Some(tail) => tail.most_at(epsilon, budget)?,
        None => None,
    };
    Ok(least.hull(&most.unwrap_or_else(|| Enclosure::one(PRECISE))))
}

/// `e^-K H(eps + K)`, H the profile of Gaussian noise of this square of mu.
fn shifted(square: &Real, epsilon: &Rational, moved: &Rational, budget: &Budget) -> Result<Enclosure, Error> {
    let noise = Engines::new(Composition::gdp(square.sqrt()?)?, Method::Auto);
    let at = Real::from(Rational::from(epsilon + moved));
    let profile = noise.ask(budget, |curve, budget| curve.delta(&at, Direction::Forward, PRECISE, budget))?;
    Ok(&profile.enclosure(PRECISE) * &(-Enclosure::rational(moved, PRECISE)).exp())
}

/// Gaussian noise, and a K, for which `e^-K H(eps + K)` is at most the profile of these, if it has to do with any
/// other.
///
/// # Errors
/// Those of the ends of pairs.
pub fn gaussian_below(factors: &Factors, direction: Direction) -> Result<Option<(Composition, Rational)>, Error> {
    let Tail { square, moved } = below(factors, direction)?;
    let Some(moved) = moved.enclosure(BITS).upper().to_rational().filter(|moved| *moved > 0) else { return Ok(None) };
    if square.is_zero() {
        return Ok(None);
    }
    Ok(Some((Composition::gdp(square.sqrt()?)?, moved)))
}

/// The same of discrete Gaussian noise, run once; its pair is symmetric.
fn discrete(first: &Factors, second: &Factors) -> Option<Rational> {
    let noise = |factors: &Factors| match factors.as_slice() {
        [(Pair::DiscreteGaussian { sigma2, sensitivity }, 1)] => Some((sigma2.clone(), Rational::from(*sensitivity))),
        _ => None,
    };
    let ((s, moved), (t, other)) = (noise(first)?, noise(second)?);
    let square = |d: &Rational| Rational::from(d * d);
    let gap = &s / square(&moved) - &t / square(&other);
    if gap <= 0 {
        return None;
    }
    let set = |value: &Rational| Enclosure::rational(value, BITS);
    let one = Enclosure::one(BITS);
    let root = |s: &Rational| (Enclosure::pi(BITS).shift(1) * set(s)).sqrt();
    // What the exponents have to make up for.
    let missing = |power: Rational| -(-set(&power)).expm1();
    let first_tail = missing(Rational::from((3, 2)) / &s);
    let second_part = missing(Rational::from(&other / &t));
    let log = ((&one + &root(&t)) / (root(&s) * first_tail * second_part)).ln();
    let centre = 2 - Rational::from(&other / 2u32);
    let constant = square(&moved) / Rational::from(&s * 8u32) - square(&centre) / Rational::from(&t * 2u32);
    let (gap, half) = (set(&gap), set(&(Rational::from(2) / &other)));
    let inside = half.square() + (&gap * &(log - set(&constant))).shift(1);
    let from = (&half + &inside.positive_part().sqrt()) / gap;
    let starts = [square(&moved) / (2u32 * s), square(&other) / (2u32 * t)];
    let from = from.upper().to_rational()?;
    Some(starts.into_iter().fold(from, Rational::max))
}

/// A bound from above, also of a hull: that has the larger profile of both directions, and from where on they hold for
/// mixtures a larger tail bounds both.
fn above_hull(factors: &Factors, direction: Direction) -> Result<Option<Tail>, Error> {
    let Some(inside) = inside_of_hull(factors) else { return above(factors, direction) };
    let [one, other] = [above(inside, Direction::Forward)?, above(inside, Direction::Backward)?];
    Ok(one.zip(other).and_then(|(one, other)| one.or_larger(other)))
}

/// A bound from below, also of a hull.
fn below_hull(factors: &Factors, direction: Direction) -> Result<Tail, Error> {
    let Some(inside) = inside_of_hull(factors) else { return below(factors, direction) };
    let [one, other] = [below(inside, Direction::Forward)?, below(inside, Direction::Backward)?];
    Ok(if one.square.compare(&other.square) == Some(Ordering::Less) { other } else { one })
}

/// The inside, if the composition is a single hull.
fn inside_of_hull(factors: &Factors) -> Option<&Factors> {
    let [(Pair::Derived(derived), 1)] = factors.as_slice() else { return None };
    match (derived.operator(), derived.parts()) {
        (Operator::Hull, [inside]) => Some(inside),
        _ => None,
    }
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
    if let Some(noise) = noise(pair)? {
        return Ok(Some(noise));
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
            (Operator::Mixture(_), parts) => {
                let mut most = Tail::none();
                for part in parts {
                    let Some(tail) = above(part, direction)? else { return Ok(None) };
                    let Some(larger) = most.or_larger(tail) else { return Ok(None) };
                    most = larger;
                }
                Ok(Some(most))
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Gaussian noise, and discrete Gaussian noise with the distance of its losses.
fn noise(pair: &Pair) -> Result<Option<Tail>, Error> {
    Ok(match pair {
        Pair::Gaussian { mu } => Some(Tail { square: mu.square(), moved: Real::zero() }),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let moved = Rational::from(*sensitivity);
            let unit = Rational::from(&moved / sigma2);
            Some(Tail { square: Real::from(Rational::from(&unit * &moved)), moved: Real::from(unit) })
        }
        _ => None,
    })
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
            Pair::Gaussian { .. } | Pair::DiscreteGaussian { .. } => noise(pair)?.unwrap_or_else(Tail::none),
            Pair::Sample { rate, inner } if direction != Direction::Backward => {
                sampled(rate, &inner.clone().into_factors())?
            }
            Pair::Derived(derived) => match (derived.operator(), derived.parts()) {
                (Operator::Subsample(rate), [inside]) => sampled(rate, inside)?,
                (Operator::Mixture(weights), parts) => largest_part(weights, parts, direction)?,
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

/// Of the part with the most Gaussian noise, times its weight.
fn largest_part(weights: &[Real], parts: &[Factors], direction: Direction) -> Result<Tail, Error> {
    let mut largest = Tail::none();
    for (weight, part) in weights.iter().zip(parts) {
        let Tail { square, moved } = below(part, direction)?;
        if square.compare(&largest.square) == Some(Ordering::Greater) {
            largest = Tail { square, moved: moved.sub(&weight.ln()?) };
        }
    }
    Ok(largest)
}
