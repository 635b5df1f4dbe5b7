//! Tails of the privacy loss from slopes of the privacy profile.
//!
//! With `R = dP/dQ`, infinite where Q has no mass, the profile as a function of `x = e^epsilon` is
//! `D(x) = sup over S of (P(S) - x Q(S))`, the supremum of lines with the slopes `-Q(S)`. So it is convex, and falls.
//! The set `{R > x}` and the set `{R >= x}` attain the supremum; no set that attains it has less Q-mass than the first
//! one, or more than the second one. Hence
//!
//! ```text
//! D'(x+) = -Q[R > x],    D'(x-) = -Q[R >= x],    P[R > x] = D(x) + x Q[R > x],    P[R >= x] = D(x) + x Q[R >= x].
//! ```
//!
//! **Everywhere.** For `x' < x < x''` convexity gives
//!
//! ```text
//! (D(x) - D(x''))/(x'' - x) <= Q[R > x] <= Q[R >= x] <= (D(x') - D(x))/(x - x').
//! ```
//!
//! A lower bound A of the mass `Q[R = x]` narrows both: `Q[R > x]` is at most the right side less A, and `Q[R >= x]` at
//! least the left side plus A. The bounds need no hypothesis. They meet as `x'` and `x''` approach x if A is the whole
//! mass.
//!
//! **On a lattice.** If all losses are whole multiples of a unit beyond a shift, D is a line between neighbours `x' <
//! x''` of the lattice, and `Q[R >= x''] = Q[R > x'] = (D(x') - D(x''))/(x'' - x')` exactly.
//!
//! **Beyond the losses.** From the supremum of the losses on, `Q[R > x] = 0`. Below their infimum `P[R > x] = 1`, and
//! `Q[R > x]` is 1 minus the Q-mass where P has none.
//!
//! D comes from any engine, as an enclosure to twice the digits that are wanted: the distance of the points takes half
//! of them. Paper proof: `proofs/paper/loss-distribution.md`.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::{Context, Masses, Tail, atoms, reversed};
use crate::answer::Outcome;
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Number, Real, Reason, bits_of_digits};

/// Digits of a quotient beyond those that are wanted.
pub(super) const GUARD: u32 = 3;

/// The fewest digits of a quotient that are worth three values of the profile.
pub(super) const FEWEST: u32 = 2;

/// Largest number of precisions that are tried one after the other.
pub(super) const ATTEMPTS: u32 = 6;

/// Digits of the profile that are lost to rounding, beyond twice those of the quotient.
const LOST: u32 = 4;

/// Largest precision at which a threshold is compared with a point of a lattice, in bits.
const MOST_BITS: u32 = 4096;

/// The masses of a tail, and how they were computed.
pub(super) struct Slope {
    pub masses: Masses,
    pub method: String,
    /// The digits that are worth trying, and the reason, where the profile had fewer than it was asked for.
    pub short: Option<(u32, Reason)>,
}

/// A value of the profile.
struct Profile {
    value: Number,
    method: String,
    short: Option<(u32, Reason)>,
}

/// Digits of a quotient that a profile with `digits` digits proves.
fn half(digits: u32) -> u32 {
    (digits.saturating_sub(LOST) / 2).max(1)
}

impl Context<'_> {
    /// The masses of a tail to `digits` digits, from a profile to about twice as many.
    pub(super) fn tail(&self, tail: &Tail, digits: u32, budget: &Budget) -> Result<Slope, Error> {
        let bits = bits_of_digits(digits).saturating_mul(2).saturating_add(128);
        if let Some(slope) = self.beyond(tail, digits, bits, budget)? {
            return Ok(slope);
        }
        if let Some((lower, upper)) = self.neighbours(tail) {
            return self.on_lattice(tail.side, (&lower, &upper), digits, bits, budget);
        }
        self.everywhere(tail, digits, bits, budget)
    }

    /// The profile of one order to `digits` digits, or to fewer where the engines prove fewer.
    fn profile(&self, side: Direction, epsilon: &Real, digits: u32, budget: &Budget) -> Result<Profile, Error> {
        let digits = digits.min(Query::MAX_DIGITS);
        let query = Query {
            quantity: Quantity::Delta { epsilon: epsilon.clone() },
            direction: side,
            digits,
            enough: digits,
            ..self.query.clone()
        };
        let found = self.session.answer(&query, budget)?;
        let method = found.method;
        match found.outcome {
            Outcome::Exact(value) => Ok(Profile { value: Number::from(&value), method, short: None }),
            Outcome::Enclosure(set) => Ok(Profile { value: Number::from(&set), method, short: None }),
            Outcome::Short { proven, reason } => {
                let fewer = half(proven.digits());
                Ok(Profile { value: Number::from(&proven), method, short: Some((fewer, reason)) })
            }
            Outcome::Undefined(reason) => Err(Error::Undefined(reason)),
            Outcome::Undecided(reason) => Err(Error::Undecided(reason)),
            Outcome::Infinite => Err(Error::internal("an infinite value of a profile")),
        }
    }

    /// Where no loss is beyond the threshold, or all are.
    fn beyond(&self, tail: &Tail, digits: u32, bits: u32, budget: &Budget) -> Result<Option<Slope>, Error> {
        let Some(range) = &self.range else { return Ok(None) };
        let range = range.side(tail.side);
        let order = |end: crate::pair::LossBound| end.known().and_then(|end| tail.at.compare(&end));
        let (above, below) = (order(range.largest), order(range.least));
        let none = above == Some(Ordering::Greater) || above == Some(Ordering::Equal) && tail.strict;
        let all = below == Some(Ordering::Less) || below == Some(Ordering::Equal) && !tail.strict;
        if none {
            let Profile { value, method, short } = self.profile(tail.side, &tail.at, digits, budget)?;
            let masses = Masses { first: value, second: Number::zero() };
            return Ok(Some(Slope { masses, method: named(&method), short }));
        }
        if all {
            // Of the opposite order no loss is beyond: its profile is the mass at infinity alone.
            let opposite = self.profile(reversed(tail.side), &tail.at.neg(), digits, budget)?;
            let kept = &Number::one() - &opposite.value;
            let kept = match kept {
                Number::Enclosed(set) => Number::Enclosed(set.with_bits(bits)),
                exact => exact,
            };
            let masses = Masses { first: Number::one(), second: kept };
            return Ok(Some(Slope { masses, method: named(&opposite.method), short: opposite.short }));
        }
        Ok(None)
    }

    /// The neighbours on the lattice of losses between which the threshold lies: of `{L > at}` and of `{L >= at}` the
    /// upper one is the smallest loss of the lattice in the tail.
    fn neighbours(&self, tail: &Tail) -> Option<(Real, Real)> {
        let (unit, shift) = self.lattice.as_ref()?;
        let shift = if tail.side == Direction::Backward { shift.neg() } else { shift.clone() };
        let place = place(&tail.at.sub(&shift), unit)?;
        let upper = match place {
            Place::On(place) if tail.strict => place + 1,
            Place::On(place) => place,
            Place::After(place) => place + 1,
        };
        let loss = |place: Integer| shift.add(&unit.mul_rational(&Rational::from(place)));
        Some((loss(Integer::from(&upper - 1)), loss(upper)))
    }

    /// The masses of the losses from `upper` on, where none lies between the two neighbours.
    fn on_lattice(
        &self,
        side: Direction,
        (lower, upper): (&Real, &Real),
        digits: u32,
        bits: u32,
        budget: &Budget,
    ) -> Result<Slope, Error> {
        let asked = digits.saturating_add(LOST);
        let near = self.profile(side, lower, asked, &budget.share((1, 2), None))?;
        let far = self.profile(side, upper, asked, budget)?;
        let (x, y) = (lower.exp_number(bits), upper.exp_number(bits));
        if !y.enclosure(bits).is_bounded() || *x.enclosure(bits).lower() <= 0 {
            return Err(Error::undecided(
                "the exponential of the privacy loss exceeds the exponent range of the \
                                         arithmetic",
            ));
        }
        let second = &(&near.value - &far.value) / &(&y - &x);
        let first = &far.value + &(&y * &second);
        let short = shorter(near.short, far.short).map(|(_, reason)| (digits, reason));
        Ok(Slope { masses: Masses { first, second }, method: named(&far.method), short })
    }

    /// The masses between the two quotients.
    fn everywhere(&self, tail: &Tail, digits: u32, bits: u32, budget: &Budget) -> Result<Slope, Error> {
        let Tail { side, at, strict } = tail;
        let x = at.enclosure(bits).exp();
        if !x.is_bounded() || *x.lower() <= 0 {
            return Err(Error::undecided(
                "the exponential of the privacy loss exceeds the exponent range of the \
                                         arithmetic",
            ));
        }
        let asked = digits.saturating_mul(2).saturating_add(LOST);
        let distance = Rational::from((1, Integer::from(10).pow_u(digits)));
        let eta = Real::from(distance);
        let grid = self.query.method == Method::Grid;
        let share = |part| if grid { budget.clone() } else { budget.share((1, part), None) };
        let here = self.profile(*side, at, asked, &share(3))?;
        let left = self.profile(*side, &at.sub(&eta), asked, &share(2))?;
        let right = self.profile(*side, &at.add(&eta), asked, budget)?;
        let step = eta.enclosure(bits);
        let set = |profile: &Profile| profile.value.enclosure(bits);
        let least = &(&set(&here) - &set(&right)) / &(&x * &step.expm1());
        let most = &(&set(&left) - &set(&here)) / &(&x * &(-(-&step).expm1()));
        // At least this mass is at the threshold itself.
        let atom = atoms::mass(&self.product, *side, at, bits.min(512), budget)?.enclosure(bits);
        let atom = lower_end(&atom);
        let (least, most) = if *strict { (least, &most - &atom) } else { (&least + &atom, most) };
        let one = Enclosure::one(bits);
        let second = crate::alarm::bracket(&least, &most, "slope of a privacy profile")?;
        let second = crate::alarm::probability(&second, "slope of a privacy profile")?;
        let first = (&set(&here) + &(&x * &second)).min(&one);
        let short = shorter(shorter(here.short, left.short), right.short);
        let masses = Masses { first: Number::Enclosed(first), second: Number::Enclosed(second) };
        Ok(Slope { masses, method: named(&here.method), short })
    }
}

/// The name of the computation, with that of the profile.
fn named(method: &str) -> String {
    format!("slopes of the privacy profile, which is computed by {method}")
}

/// What fewer digits allow.
fn shorter(one: Option<(u32, Reason)>, other: Option<(u32, Reason)>) -> Option<(u32, Reason)> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.0 < one.0 { other } else { one }),
        (one, other) => one.or(other),
    }
}

fn lower_end(set: &Enclosure) -> Enclosure {
    Enclosure::new(set.lower().clone(), set.lower().clone())
}

/// A power of an integer.
trait PowU {
    fn pow_u(self, exponent: u32) -> Integer;
}

impl PowU for Integer {
    fn pow_u(self, exponent: u32) -> Integer {
        rug::ops::Pow::pow(self, exponent)
    }
}

/// Where a number lies among the multiples of a unit.
enum Place {
    /// On this one.
    On(Integer),
    /// Strictly between this one and the next.
    After(Integer),
}

/// The place of a number; `None` where it is not decided.
fn place(at: &Real, unit: &Real) -> Option<Place> {
    if let Some(ratio) = at.ratio(unit) {
        let floor = Rational::from(ratio.floor_ref()).into_numer_denom().0;
        return Some(if ratio.is_integer() { Place::On(floor) } else { Place::After(floor) });
    }
    if at.is_zero() {
        return Some(Place::On(Integer::new()));
    }
    let mut bits = 128;
    while bits <= MOST_BITS {
        let quotient = &at.enclosure(bits) / &unit.enclosure(bits);
        if !quotient.is_bounded() {
            return None;
        }
        let floor = |end: &rug::Float| end.to_rational().map(|end| end.floor().into_numer_denom().0);
        let (low, high) = (floor(quotient.lower())?, floor(quotient.upper())?);
        let on = quotient.lower().is_integer();
        if low == high && !on {
            return Some(Place::After(low));
        }
        bits *= 4;
    }
    None
}
